from ..helpers import _checked_before, _citizenships, _counted_days, _country_of, _dated, _in_text, _is_for, _is_own


def visit_limit(user, now):
    """A visit that is longer than the country lets visitors with the user's passport stay at a time."""
    places = knowledge("travel.places")
    profile = user.travel.profile
    own = _citizenships(profile, user.travel.passports, places)
    home = _country_of(profile.home_country, profile.home, places) if profile is not None else None
    visas = [visa for visa in user.travel.visas if _is_own(visa)]
    found = []
    for trip in [trip for trip in _dated(user.travel.trips) if trip.returns is not None and not is_past(trip.returns, now)]:
        country = _country_of(trip.country, trip.destination, places)
        rule = knowledge("travel.entry_rules")["entry"].get((country or "").lower())
        if rule is None or country == home or country in own or any(_is_for(visa, country, places) for visa in visas):
            continue
        limits = [rule["days"].get(name) for name in own]
        if not limits or any(limit is None for limit in limits):  # one without a limit in the table may be free of it
            continue
        limit = max(limits)
        arrives = trip.arrives or trip.departs
        days = days_between(arrives, trip.returns) + 1
        if days <= limit:
            continue
        name = own[limits.index(limit)]
        but = f" ({rule['but']})" if "but" in rule else ""
        text = f"{country} lets visitors with a passport of {_in_text(name)} stay {limit} days{but}. Your trip to"
        text = f"{text} {trip.destination} from {arrives} to {trip.returns} takes {_counted_days(days)}, both ends"
        text = f"{text} counted. Leave by {add_months(arrives, days=limit - 1)}, or get a visa for a longer stay."
        text = f"{text}{_checked_before(rule, trip.departs, now)}"
        found.append(critical(text, trip, rows=[("travel.entry_rules", rule)]))
    return found


CASES = [
    fires(
        "91 days in Japan",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="United Kingdom"),
        travel.Trip(destination="Tokyo", departs=date(2027, 1, 1), returns=date(2027, 4, 1)),
        says=["Japan lets visitors with a passport of the United Kingdom stay 90 days", "91 days", "Leave by 2027-03-31"],
    ),
    fires(
        "Vietnam lets Germans stay 45 days",
        date(2026, 11, 16),
        travel.Profile(citizenships=["Germany"]),
        travel.Passport(holder="me", country="DE"),
        travel.Trip(destination="Hanoi", country="Vietnam", departs=date(2027, 1, 1), returns=date(2027, 2, 20)),
        says=["45 days", "51 days"],
    ),
    silent(
        "90 days in Japan, a visa for longer, another passport that may stay longer",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="United States"),
        travel.Passport(holder="me (UK)", country="United Kingdom"),
        travel.Visa(holder="me", country="Argentina", kind="student"),
        travel.Trip(destination="Tokyo", departs=date(2027, 1, 1), returns=date(2027, 3, 31)),
        travel.Trip(destination="Buenos Aires", country="Argentina", departs=date(2027, 4, 1), returns=date(2027, 12, 1)),
        travel.Trip(destination="Hong Kong", country="Hong Kong", departs=date(2028, 1, 1), returns=date(2028, 5, 1)),
    ),
    silent(
        "a passport that the table does not have, none at all, at home, and in the past",
        date(2026, 11, 16),
        travel.Profile(home="Tokyo"),
        travel.Passport(holder="me", country="Peru"),
        travel.Trip(destination="Tokyo", departs=date(2027, 1, 1), returns=date(2027, 12, 1)),
        travel.Trip(destination="Bangkok", country="Thailand", departs=date(2027, 1, 1), returns=date(2027, 12, 1)),
        travel.Trip(destination="Mexico City", departs=date(2025, 1, 1), returns=date(2025, 12, 1)),
    ),
]
