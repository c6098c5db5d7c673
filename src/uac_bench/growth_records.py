"""Made-up records of ten types, and questions about them, each answered in three ways that share no code.

`query` is what an agent sends to compute(), `sql` what somebody writes by hand over plain tables, and `gold` the
oracle: plain Python over dictionaries, with exact fractions. The record types are those of the analytical suite; the
records, the questions and their wording are our own.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

__all__ = ["GROWTH_QUESTIONS", "GrowthQuestion", "GrowthRecord", "generate_records", "record_text"]

GrowthRecord: TypeAlias = dict[str, Any]
Records: TypeAlias = Sequence[GrowthRecord]
FIRST_DAY, DAYS = date(2022, 1, 1), 1096

PLACES = (
    *(("Lisbon", "Portugal", "Europe"), ("Oslo", "Norway", "Europe"), ("Kyoto", "Japan", "Asia")),
    *(("Hanoi", "Vietnam", "Asia"), ("Quito", "Ecuador", "America"), ("Boston", "United States", "America")),
    *(("Nairobi", "Kenya", "Africa"), ("Tunis", "Tunisia", "Africa"), ("Perth", "Australia", "Oceania")),
)
FIRST = ("Ada", "Bruno", "Chidi", "Dana", "Emre", "Freya", "Goran", "Hana", "Ivo", "Jun", "Kemi", "Lars", "Mei", "Noor")
LAST = ("Abel", "Bauer", "Cruz", "Diaz", "Eriksen", "Fontana", "Goto", "Haas", "Ito", "Jansen", "Kaya", "Lund", "Meyer")


def generate_records(count: int, seed: int) -> dict[str, list[GrowthRecord]]:
    """`count` records in all, of ten types by turns, in an order of their own; the same for the same arguments."""
    chance = random.Random(f"{seed} {count}")
    found: dict[str, list[GrowthRecord]] = {name: [] for name in MAKERS}
    names = list(MAKERS)
    for number in range(count):
        name = names[number % len(names)]
        found[name].append({"id": len(found[name])} | MAKERS[name](chance))
    return found


def record_text(type_name: str, record: GrowthRecord) -> str:
    """The record as one line of text, as a memory of texts would have it."""
    parts = (f"{name.replace('_', ' ')} {_spoken(value)}" for name, value in record.items() if name != "id")
    return f"{type_name.rstrip('s')}: {', '.join(parts)}"


def _spoken(value: Any) -> str:
    if isinstance(value, list):
        return " and ".join(value) or "none"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _day(chance: random.Random) -> str:
    return (FIRST_DAY + timedelta(days=chance.randrange(DAYS))).isoformat()


def _money(chance: random.Random, most: int) -> float:
    return chance.randrange(100, most * 100) / 100


def _weighted(chance: random.Random, *values: str) -> str:
    """The first is the most frequent."""
    return chance.choices(values, [len(values) + 1 - place for place in range(len(values))])[0]


def _trip(chance: random.Random) -> GrowthRecord:
    destination, country, region = chance.choice(PLACES)
    return {
        "date": _day(chance),
        "destination": destination,
        "country": country,
        "region": region,
        "duration_days": chance.randint(1, 21),
        "purpose": _weighted(chance, "holiday", "business", "family", "conference"),
        "cost_usd": _money(chance, 4000),
    }


def _contact(chance: random.Random) -> GrowthRecord:
    return {
        "name": f"{chance.choice(FIRST)} {chance.choice(LAST)}",
        "relationship": _weighted(chance, "friend", "colleague", "neighbour", "relative"),
        "met_date": _day(chance),
        "met_context": _weighted(chance, "work", "university", "choir", "football"),
    }


def _meal(chance: random.Random) -> GrowthRecord:
    return {
        "date": _day(chance),
        "meal_type": _weighted(chance, "dinner", "lunch", "breakfast"),
        "cuisine": _weighted(chance, "italian", "thai", "indian", "greek", "mexican"),
        "dined_in": chance.random() < 0.4,
        "cost_usd": _money(chance, 80),
        "calories": chance.randint(150, 1500),
    }


def _transaction(chance: random.Random) -> GrowthRecord:
    return {
        "date": _day(chance),
        "amount_usd": _money(chance, 900),
        "category": _weighted(chance, "groceries", "rent", "dining", "transport", "leisure"),
        "payment_method": _weighted(chance, "card", "cash", "transfer"),
    }


def _night(chance: random.Random) -> GrowthRecord:
    return {
        "date": _day(chance),
        "bedtime": f"{chance.choice((21, 22, 23)):02}:{chance.randrange(60):02}",
        "duration_hours": chance.randrange(400, 1000) / 100,
        "quality": _weighted(chance, "good", "fair", "poor"),
    }


def _workout(chance: random.Random) -> GrowthRecord:
    return {
        "date": _day(chance),
        "type": _weighted(chance, "running", "strength", "yoga", "swimming"),
        "duration_min": chance.randint(15, 120),
        "calories_burned": chance.randint(80, 900),
        "location": _weighted(chance, "park", "gym", "home"),
    }


def _book(chance: random.Random) -> GrowthRecord:
    return {
        "title": f"The {chance.choice(LAST)} {chance.choice(('letters', 'garden', 'affair', 'house', 'river'))}",
        "genre": _weighted(chance, "mystery", "history", "science", "poetry"),
        "finished_date": _day(chance),
        "rating": chance.randint(1, 5),
        "pages": chance.randint(80, 900),
    }


def _visit(chance: random.Random) -> GrowthRecord:
    return {
        "date": _day(chance),
        "type": _weighted(chance, "checkup", "dental", "specialist"),
        "doctor": f"Dr. {chance.choice(LAST)}",
        "conditions": sorted(chance.sample(("asthma", "migraine", "back pain", "eczema"), chance.choice((0, 0, 1, 2)))),
        "cost_usd": _money(chance, 500),
    }


def _meeting(chance: random.Random) -> GrowthRecord:
    return {
        "date": _day(chance),
        "time": f"{chance.randint(8, 17):02}:{chance.choice((0, 15, 30, 45)):02}",
        "duration_min": chance.choice((15, 30, 45, 60, 90, 120)),
        "n_attendees": chance.randint(2, 16),
        "topic": _weighted(chance, "planning", "budget", "hiring", "review"),
    }


def _purchase(chance: random.Random) -> GrowthRecord:
    return {
        "date": _day(chance),
        "price_usd": _money(chance, 1200),
        "store": _weighted(chance, "Harbour Market", "Tool Barn", "Page & Co", "Volt"),
        "category": _weighted(chance, "clothing", "books", "electronics", "garden"),
        "online": chance.random() < 0.5,
    }


MAKERS: Mapping[str, Callable[[random.Random], GrowthRecord]] = {
    "trips": _trip,
    "contacts": _contact,
    "meals": _meal,
    "transactions": _transaction,
    "sleep": _night,
    "workouts": _workout,
    "books": _book,
    "medical": _visit,
    "meetings": _meeting,
    "purchases": _purchase,
}


# -- questions ---------------------------------------------------------------------------------------------------------


class GrowthQuestion(NamedTuple):
    """A question about one type. `gold` lists all values that are equally right."""

    id: str
    type: str
    text: str
    kind: str
    query: str
    sql: str
    gold: Callable[[Sequence[GrowthRecord]], list[Any]]


Condition: TypeAlias = Callable[[GrowthRecord], bool]
Gold: TypeAlias = Callable[[Records], list[Any]]


def _always(_record: GrowthRecord) -> bool:
    return True


def _count(condition: Condition) -> Gold:
    return lambda records: [sum(1 for record in records if condition(record))]


def _total(field: str, condition: Condition = lambda _record: True) -> Gold:
    return lambda records: [float(sum(Fraction(str(r[field])) for r in records if condition(r)))]


def _average(field: str, condition: Condition) -> Gold:
    def gold(records: Records) -> list[Any]:
        values = [Fraction(str(record[field])) for record in records if condition(record)]
        return [float(sum(values) / len(values))] if values else [None]

    return gold


def _most_frequent(field: str) -> Gold:
    def gold(records: Records) -> list[Any]:
        counts = Counter(record[field] for record in records)
        most = max(counts.values(), default=0)
        return [name for name in sorted(counts) if counts[name] == most] or [None]

    return gold


def _top(field: str, shown: str) -> Gold:
    """What the records with the largest value show; all of them where several have it."""

    def gold(records: Records) -> list[Any]:
        most = max((record[field] for record in records), default=None)
        return sorted({record[shown] for record in records if record[field] == most}) or [None]

    return gold


def _more_often(field: str, first: str, second: str) -> Gold:
    """Whether there were more in the second year than in the first."""

    def gold(records: Records) -> list[Any]:
        before, after = (sum(record[field].startswith(year) for record in records) for year in (first, second))
        return ["more" if after > before else "fewer" if after < before else "same"]

    return gold


def _trend_code(collection: str, field: str) -> str:
    counts = "; ".join(
        f"{name} = sum(1 for r in {collection} if r.{field}.year == {year})"
        for name, year in (("before", 2023), ("after", 2024))
    )
    return counts.replace("; ", "\n") + "\n'more' if after > before else 'fewer' if after < before else 'same'"


def _trend_sql(table: str, field: str) -> str:
    counted = ", ".join(f"sum({field} LIKE '{year}%') AS {name}" for name, year in (("b", 2023), ("a", 2024)))
    verdict = "CASE WHEN a > b THEN 'more' WHEN a < b THEN 'fewer' ELSE 'same' END"
    return f"SELECT {verdict} FROM (SELECT {counted} FROM {table})"


def _mode_code(collection: str, field: str) -> str:
    return f"Counter(r.{field} for r in {collection}).most_common(1)[0][0]"


def _mode_sql(table: str, field: str) -> str:
    return f"SELECT {field} FROM {table} GROUP BY {field} ORDER BY count(*) DESC LIMIT 1"


Q: Callable[..., GrowthQuestion] = GrowthQuestion
GROWTH_QUESTIONS: tuple[GrowthQuestion, ...] = (
    Q(
        *("trips-business-2024", "trips", "How many business trips have I made in 2024?", "int"),
        "sum(1 for r in travel.trips if r.purpose == 'business' and r.date.year == 2024)",
        "SELECT count(*) FROM trips WHERE purpose = 'business' AND date LIKE '2024%'",
        _count(lambda r: r["purpose"] == "business" and r["date"][:4] == "2024"),
    ),
    Q(
        *("trips-asia-cost", "trips", "What have all my trips to Asia cost together, in dollars?", "float"),
        "sum(r.cost_usd for r in travel.trips if r.region == 'Asia')",
        "SELECT coalesce(sum(cost_usd), 0) FROM trips WHERE region = 'Asia'",
        _total("cost_usd", lambda r: r["region"] == "Asia"),
    ),
    Q(
        *("trips-country", "trips", "Which country have I travelled to most often?", "string"),
        _mode_code("travel.trips", "country"),
        _mode_sql("trips", "country"),
        _most_frequent("country"),
    ),
    Q(
        *("contacts-work-friends", "contacts", "How many of my friends did I meet through work?", "int"),
        "sum(1 for r in people.contacts if r.relationship == 'friend' and r.met_context == 'work')",
        "SELECT count(*) FROM contacts WHERE relationship = 'friend' AND met_context = 'work'",
        _count(lambda r: (r["relationship"], r["met_context"]) == ("friend", "work")),
    ),
    Q(
        *("contacts-context", "contacts", "Where did I get to know most of the people I know?", "string"),
        _mode_code("people.contacts", "met_context"),
        _mode_sql("contacts", "met_context"),
        _most_frequent("met_context"),
    ),
    Q(
        *("contacts-years", "contacts", "Did I meet more new people in 2024 than in 2023, or fewer?", "string"),
        _trend_code("people.contacts", "met_date"),
        _trend_sql("contacts", "met_date"),
        _more_often("met_date", "2023", "2024"),
    ),
    Q(
        *("meals-italian", "meals", "How often have I eaten Italian food?", "int"),
        "sum(1 for r in food.meals if r.cuisine == 'italian')",
        "SELECT count(*) FROM meals WHERE cuisine = 'italian'",
        _count(lambda r: r["cuisine"] == "italian"),
    ),
    Q(
        *("meals-dinner-cost", "meals", "What does a dinner cost me on average?", "float"),
        "mean(r.cost_usd for r in food.meals if r.meal_type == 'dinner')",
        "SELECT avg(cost_usd) FROM meals WHERE meal_type = 'dinner'",
        _average("cost_usd", lambda r: r["meal_type"] == "dinner"),
    ),
    Q(
        *("meals-heavy-out", "meals", "How many meals away from home had more than 1,200 calories?", "int"),
        "sum(1 for r in food.meals if not r.dined_in and r.calories > 1200)",
        "SELECT count(*) FROM meals WHERE NOT dined_in AND calories > 1200",
        _count(lambda r: r["calories"] > 1200 and r["dined_in"] is False),
    ),
    Q(
        *("money-2023", "transactions", "How much money did I spend in 2023 in all?", "float"),
        "sum(r.amount_usd for r in finance.transactions if r.date.year == 2023)",
        "SELECT coalesce(sum(amount_usd), 0) FROM transactions WHERE date BETWEEN '2023-01-01' AND '2023-12-31'",
        _total("amount_usd", lambda r: r["date"][:4] == "2023"),
    ),
    Q(
        *("money-cash", "transactions", "How many payments did I make in cash?", "int"),
        "sum(1 for r in finance.transactions if r.payment_method == 'cash')",
        "SELECT count(*) FROM transactions WHERE payment_method = 'cash'",
        _count(lambda r: r["payment_method"] == "cash"),
    ),
    Q(
        *("money-largest", "transactions", "In which category was my largest single payment?", "string"),
        "max(finance.transactions, key=lambda r: r.amount_usd).category",
        "SELECT category FROM transactions ORDER BY amount_usd DESC LIMIT 1",
        _top("amount_usd", "category"),
    ),
    Q(
        *("sleep-poor-short", "sleep", "How many nights did I sleep badly and less than six hours?", "int"),
        "sum(1 for r in health.nights if r.quality == 'poor' and r.duration_hours < 6)",
        "SELECT count(*) FROM sleep WHERE quality = 'poor' AND duration_hours < 6",
        _count(lambda r: r["quality"] == "poor" and r["duration_hours"] < 6),
    ),
    Q(
        *("sleep-2024", "sleep", "How many hours did I sleep per night on average in 2024?", "float"),
        "mean(r.duration_hours for r in health.nights if r.date.year == 2024)",
        "SELECT avg(duration_hours) FROM sleep WHERE date LIKE '2024%'",
        _average("duration_hours", lambda r: r["date"][:4] == "2024"),
    ),
    Q(
        *("sleep-quality", "sleep", "How is my sleep most of the time: good, fair or poor?", "string"),
        _mode_code("health.nights", "quality"),
        _mode_sql("sleep", "quality"),
        _most_frequent("quality"),
    ),
    Q(
        *("sport-home-yoga", "workouts", "How many times did I do yoga at home?", "int"),
        "sum(1 for r in sport.workouts if r.type_ == 'yoga' and r.location == 'home')",
        "SELECT count(*) FROM workouts WHERE type = 'yoga' AND location = 'home'",
        _count(lambda r: (r["type"], r["location"]) == ("yoga", "home")),
    ),
    Q(
        *("sport-minutes", "workouts", "How many minutes of running have I done in all?", "int"),
        "sum(r.duration_min for r in sport.workouts if r.type_ == 'running')",
        "SELECT coalesce(sum(duration_min), 0) FROM workouts WHERE type = 'running'",
        lambda records: [sum(r["duration_min"] for r in records if r["type"] == "running")],
    ),
    Q(
        *("sport-years", "workouts", "Did I exercise more often in 2024 than in 2023, or less?", "string"),
        _trend_code("sport.workouts", "date"),
        _trend_sql("workouts", "date"),
        _more_often("date", "2023", "2024"),
    ),
    Q(
        *("books-long-best", "books", "How many books of more than 500 pages did I rate five stars?", "int"),
        "sum(1 for r in reading.books if r.pages > 500 and r.rating == 5)",
        "SELECT count(*) FROM books WHERE pages > 500 AND rating = 5",
        _count(lambda r: r["pages"] > 500 and r["rating"] == 5),
    ),
    Q(
        *("books-mystery-pages", "books", "How long are the mysteries I read, in pages on average?", "float"),
        "mean(r.pages for r in reading.books if r.genre == 'mystery')",
        "SELECT avg(pages) FROM books WHERE genre = 'mystery'",
        _average("pages", lambda r: r["genre"] == "mystery"),
    ),
    Q(
        *("books-genre", "books", "Which genre do I read most?", "string"),
        _mode_code("reading.books", "genre"),
        _mode_sql("books", "genre"),
        _most_frequent("genre"),
    ),
    Q(
        *("doctor-migraine", "medical", "How many visits to a doctor were about migraine?", "int"),
        "sum(1 for r in health.visits if 'migraine' in r.conditions)",
        "SELECT count(*) FROM medical WHERE conditions LIKE '%migraine%'",
        _count(lambda r: "migraine" in r["conditions"]),
    ),
    Q(
        *("doctor-dental-cost", "medical", "What have I paid for dental visits in all?", "float"),
        "sum(r.cost_usd for r in health.visits if r.type_ == 'dental')",
        "SELECT coalesce(sum(cost_usd), 0) FROM medical WHERE type = 'dental'",
        _total("cost_usd", lambda r: r["type"] == "dental"),
    ),
    Q(
        *("doctor-name", "medical", "Which doctor have I seen most often?", "string"),
        _mode_code("health.visits", "doctor"),
        _mode_sql("medical", "doctor"),
        _most_frequent("doctor"),
    ),
    Q(
        *("meetings-early", "meetings", "How many meetings began before ten in the morning?", "int"),
        "sum(1 for r in work.meetings if r.time < time(10, 0))",
        "SELECT count(*) FROM meetings WHERE time < '10:00'",
        _count(lambda r: int(r["time"][:2]) < 10),
    ),
    Q(
        *(
            "meetings-big-minutes",
            "meetings",
            "How many minutes have I spent in meetings of ten or more?",
            "int",
        ),
        "sum(r.duration_min for r in work.meetings if r.n_attendees >= 10)",
        "SELECT coalesce(sum(duration_min), 0) FROM meetings WHERE n_attendees >= 10",
        lambda records: [sum(r["duration_min"] for r in records if r["n_attendees"] >= 10)],
    ),
    Q(
        *("meetings-topic", "meetings", "What are most of my meetings about?", "string"),
        _mode_code("work.meetings", "topic"),
        _mode_sql("meetings", "topic"),
        _most_frequent("topic"),
    ),
    Q(
        *("bought-online-books", "purchases", "How many times did I buy books online?", "int"),
        "sum(1 for r in shopping.purchases if r.online and r.category == 'books')",
        "SELECT count(*) FROM purchases WHERE online AND category = 'books'",
        _count(lambda r: r["online"] is True and r["category"] == "books"),
    ),
    Q(
        *("bought-electronics", "purchases", "How much have I spent on electronics in all?", "float"),
        "sum(r.price_usd for r in shopping.purchases if r.category == 'electronics')",
        "SELECT coalesce(sum(price_usd), 0) FROM purchases WHERE category = 'electronics'",
        _total("price_usd", lambda r: r["category"] == "electronics"),
    ),
    Q(
        *("bought-store", "purchases", "In which store was my most expensive purchase?", "string"),
        "max(shopping.purchases, key=lambda r: r.price_usd).store",
        "SELECT store FROM purchases ORDER BY price_usd DESC LIMIT 1",
        _top("price_usd", "store"),
    ),
)
