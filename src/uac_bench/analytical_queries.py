"""The analytical suite's questions, each answered by a query written from the question's own words.

`{year}`-like shortcuts are not used: these are the queries that an agent would send to compute().
"""

from collections.abc import Mapping

__all__ = ["QUERIES", "TYPES"]

TYPES: Mapping[str, str] = {
    "trips": "travel.Trip",
    "contacts": "people.Contact",
    "meals": "food.Meal",
    "transactions": "finance.Transaction",
    "sleep": "health.Night",
    "workouts": "sport.Workout",
    "books": "reading.Book",
    "medical": "health.Visit",
    "meetings": "work.Meeting",
    "purchases": "shopping.Purchase",
}
"""Under which type each record set of the suite is imported."""


def _count_query(items: str, condition: str) -> str:
    return f"sum(1 for r in {items} if {condition})"


def _most_common_query(items: str, field: str) -> str:
    return f"Counter(r.{field} for r in {items}).most_common(1)[0][0]"


def _share_query(items: str, field: str, percent: int) -> str:
    return f"[name for name, n in Counter(r.{field} for r in {items}).items() if n * 100 >= {percent} * len({items})]"


def _average_query(items: str, field: str, condition: str = "") -> str:
    chosen = f" if {condition}" if condition else ""
    return f"round(mean(r.{field} for r in {items}{chosen}), 2)"


def _trend_query(before: str, after: str) -> str:
    verdict = "'increase' if after > before else 'decrease' if after < before else 'same'"
    return f"before = {before}\nafter = {after}\n{verdict}"


def _period_condition(first: str, last: str, field: str = "date") -> str:
    days = [f"date({int(d[:4])}, {int(d[5:7])}, {int(d[8:])})" for d in (first, last)]
    return f"{days[0]} <= r.{field} <= {days[1]}"


H1, H2 = _period_condition("2024-01-01", "2024-06-30"), _period_condition("2024-07-01", "2024-12-31")
Q1, Q2 = _period_condition("2024-01-01", "2024-03-31"), _period_condition("2024-04-01", "2024-06-30")
Q4 = _period_condition("2024-10-01", "2024-12-31")
SUMMER = _period_condition("2024-06-01", "2024-08-31")

QUERIES: Mapping[str, str] = {
    "trips_count_2024": _count_query("travel.trips", "r.date.year == 2024"),
    "trips_sum_cost_2024": "sum(r.cost_usd for r in travel.trips if r.date.year == 2024)",
    "trips_avg_business_duration": _average_query("travel.trips", "duration_days", "r.purpose == 'business'"),
    "trips_groupby_purpose": _share_query("travel.trips", "purpose", 25),
    "trips_window_jan_jun_2024": _count_query("travel.trips", H1),
    "trips_multi_asia_business": _count_query("travel.trips", "r.purpose == 'business' and r.region == 'Asia'"),
    "trips_topk_country": _most_common_query("travel.trips", "country"),
    "trips_min_max_longest": "sorted(travel.trips, key=lambda r: (-r.duration_days, r.date))[0].destination",
    "trips_long_count": _count_query("travel.trips", "r.duration_days >= 14"),
    "trips_trend_yoy": _trend_query(
        _count_query("travel.trips", "r.date.year == 2023"), _count_query("travel.trips", "r.date.year == 2024")
    ),
    "contacts_count_year": _count_query("people.contacts", "r.last_contact_date >= date(2024, 6, 1)"),
    "contacts_count_undergrad": _count_query("people.contacts", "r.met_context == 'undergrad'"),
    "contacts_avg_friends": "friends = [r for r in people.contacts if r.relationship == 'friend']\n"
    "round(share(friends, people.contacts), 2)",
    "contacts_groupby_topctx": _most_common_query("people.contacts", "met_context"),
    "contacts_window_2020": _count_query("people.contacts", "r.met_date.year == 2020"),
    "contacts_multi_work_friends": _count_query(
        "people.contacts", "r.relationship == 'friend' and r.met_context == 'work'"
    ),
    "contacts_topk_relationships": _share_query("people.contacts", "relationship", 25),
    "contacts_earliest": "min(people.contacts, key=lambda r: r.met_date).name",
    "contacts_long_known": _count_query("people.contacts", "r.met_date < date(2020, 6, 1)"),
    "contacts_trend": "years = Counter(r.met_date.year for r in people.contacts)\n"
    + _trend_query("years[min(years)]", "years[max(years)]"),
    "meals_count_breakfast": _count_query("food.meals", "r.meal_type == 'breakfast' and r.date.year == 2024"),
    "meals_sum_total_cost": "sum(r.cost_usd for r in food.meals if r.date.year == 2024)",
    "meals_avg_cost": _average_query("food.meals", "cost_usd", "r.date.year == 2024"),
    "meals_groupby_cuisines_15pct": _share_query("food.meals", "cuisine", 15),
    "meals_window_summer": _count_query("food.meals", SUMMER),
    "meals_multi_dined_dinner": _count_query("food.meals", "r.meal_type == 'dinner' and r.dined_in"),
    "meals_topk_cuisine": _most_common_query("food.meals", "cuisine"),
    "meals_max_calories": _count_query("food.meals", "r.calories >= 1000"),
    "meals_italian_count": _count_query("food.meals", "r.cuisine == 'italian'"),
    "meals_trend_h1_h2": _trend_query(
        f"sum(r.cost_usd for r in food.meals if {H1})", f"sum(r.cost_usd for r in food.meals if {H2})"
    ),
    "tx_count_groceries": _count_query("finance.transactions", "r.category == 'groceries'"),
    "tx_sum_total": "sum(r.amount_usd for r in finance.transactions if r.date.year == 2024)",
    "tx_avg_dining": _average_query("finance.transactions", "amount_usd", "r.category == 'dining'"),
    "tx_groupby_top_category": "spent = {}\nfor r in finance.transactions:\n"
    "    spent[r.category] = spent.get(r.category, 0) + r.amount_usd\nmax(spent, key=lambda name: spent[name])",
    "tx_window_q4": _count_query("finance.transactions", Q4),
    "tx_multi_cc_subs": _count_query(
        "finance.transactions", "r.category == 'subscriptions' and r.payment_method == 'credit_card'"
    ),
    "tx_topk_payment_methods": _share_query("finance.transactions", "payment_method", 25),
    "tx_big_count": _count_query("finance.transactions", "r.amount_usd >= 500"),
    "tx_q4_total": f"sum(r.amount_usd for r in finance.transactions if {Q4})",
    "tx_trend_q1_q4": _trend_query(
        f"sum(r.amount_usd for r in finance.transactions if {Q1})",
        f"sum(r.amount_usd for r in finance.transactions if {Q4})",
    ),
    "sleep_count_early_wake": _count_query("health.nights", "r.wake_time < time(7, 0)"),
    "sleep_avg_duration": _average_query("health.nights", "duration_hours"),
    "sleep_count_long": _count_query("health.nights", "r.duration_hours >= 8.0"),
    "sleep_groupby_top_quality": _most_common_query("health.nights", "quality"),
    "sleep_window_late_bed": _count_query("health.nights", "r.bedtime >= time(23, 0) or r.bedtime < time(3, 0)"),
    "sleep_multi_poor_short": _count_query("health.nights", "r.quality == 'poor' and r.duration_hours < 6.5"),
    "sleep_topk_qualities": _share_query("health.nights", "quality", 25),
    "sleep_max_duration_date": "max(health.nights, key=lambda r: r.duration_hours).date.isoformat()",
    "sleep_count_poor": _count_query("health.nights", "r.quality == 'poor'"),
    "sleep_trend_q1_q2": _trend_query(
        f"mean(r.duration_hours for r in health.nights if {Q1})",
        f"mean(r.duration_hours for r in health.nights if {Q2})",
    ),
    "wo_count_cardio": _count_query("sport.workouts", "r.type_ == 'cardio'"),
    "wo_sum_minutes": "sum(r.duration_min for r in sport.workouts)",
    "wo_avg_calories": _average_query("sport.workouts", "calories_burned"),
    "wo_groupby_top_type": _most_common_query("sport.workouts", "type_"),
    "wo_window_summer": _count_query("sport.workouts", SUMMER),
    "wo_multi_home_strength": _count_query("sport.workouts", "r.location == 'home' and r.type_ == 'strength'"),
    "wo_topk_locations": _share_query("sport.workouts", "location", 25),
    "wo_long_count": _count_query("sport.workouts", "r.duration_min >= 60"),
    "wo_total_calories": "sum(r.calories_burned for r in sport.workouts)",
    "wo_trend_q1_q2": _trend_query(_count_query("sport.workouts", Q1), _count_query("sport.workouts", Q2)),
    "books_count_fiction": _count_query("reading.books", "r.genre == 'fiction'"),
    "books_count_five_star": _count_query("reading.books", "r.rating == 5"),
    "books_avg_rating": _average_query("reading.books", "rating"),
    "books_groupby_top_genre": _most_common_query("reading.books", "genre"),
    "books_window_finished_2024": _count_query("reading.books", "r.finished_date.year == 2024"),
    "books_multi_long_5star": _count_query("reading.books", "r.pages >= 500 and r.rating == 5"),
    "books_topk_genres": _share_query("reading.books", "genre", 15),
    "books_avg_pages_scifi": _average_query("reading.books", "pages", "r.genre == 'scifi'"),
    "books_long_count": _count_query("reading.books", "r.pages >= 500"),
    "books_trend_2024_h1_h2": _trend_query(
        _count_query("reading.books", H1.replace("r.date", "r.finished_date")),
        _count_query("reading.books", H2.replace("r.date", "r.finished_date")),
    ),
    "med_count_dental": _count_query("health.visits", "r.type_ == 'dental'"),
    "med_sum_cost": "sum(r.cost_usd for r in health.visits)",
    "med_avg_cost": _average_query("health.visits", "cost_usd"),
    "med_groupby_top_type": _most_common_query("health.visits", "type_"),
    "med_window_2024": _count_query("health.visits", "r.date.year == 2024"),
    "med_multi_24_with_meds": _count_query("health.visits", "r.date.year == 2024 and len(r.medications) > 0"),
    "med_topk_doctors": _share_query("health.visits", "doctor", 15),
    "med_count_migraine": _count_query("health.visits", "'migraine' in r.conditions"),
    "med_count_clean": _count_query("health.visits", "len(r.conditions) == 0 and len(r.medications) == 0"),
    "med_trend_22_24": _trend_query(
        _count_query("health.visits", "r.date.year == 2022"), _count_query("health.visits", "r.date.year == 2024")
    ),
    "meet_count_1on1": _count_query("work.meetings", "r.type_ == '1on1'"),
    "meet_sum_minutes": "sum(r.duration_min for r in work.meetings)",
    "meet_avg_attendees": _average_query("work.meetings", "n_attendees"),
    "meet_groupby_top_topic": _most_common_query("work.meetings", "topic"),
    "meet_window_morning": _count_query("work.meetings", "r.time < time(12, 0)"),
    "meet_multi_long_big": _count_query("work.meetings", "r.duration_min >= 60 and r.n_attendees >= 8"),
    "meet_topk_types": _share_query("work.meetings", "type_", 25),
    "meet_long_count": _count_query("work.meetings", "r.duration_min >= 60"),
    "meet_big_count": _count_query("work.meetings", "r.n_attendees >= 8"),
    "meet_trend_h1_h2": _trend_query(_count_query("work.meetings", H1), _count_query("work.meetings", H2)),
    "buy_count_online": _count_query("shopping.purchases", "r.online"),
    "buy_sum_total": "sum(r.price_usd for r in shopping.purchases)",
    "buy_avg_electronics": _average_query("shopping.purchases", "price_usd", "r.category == 'electronics'"),
    "buy_groupby_top_category": _most_common_query("shopping.purchases", "category"),
    "buy_window_h2": _count_query("shopping.purchases", H2),
    "buy_multi_online_books": _count_query("shopping.purchases", "r.online and r.category == 'books'"),
    "buy_topk_stores": _share_query("shopping.purchases", "store", 15),
    "buy_expensive_count": _count_query("shopping.purchases", "r.price_usd >= 500"),
    "buy_top_store": _most_common_query("shopping.purchases", "store"),
    "buy_trend_h1_h2": _trend_query(_count_query("shopping.purchases", H1), _count_query("shopping.purchases", H2)),
}
