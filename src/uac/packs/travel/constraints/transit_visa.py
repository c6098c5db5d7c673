from ..helpers import _country_of, _dated, _is_own


def transit_visa(user, now):
    """A stop in a country that may ask for a visa or a permit even of those who only pass through."""
    places = knowledge("travel.places")
    rules = knowledge("travel.entry_rules")["transit"]
    profile = user.travel.profile
    mine = [p for p in user.travel.passports if _is_own(p)]
    named = [*(profile.citizenships if profile is not None else []), *[p.country for p in mine if p.country]]
    citizen_of = [_country_of(name, None, places) for name in named]
    home = _country_of(profile.home_country, profile.home, places) if profile is not None else None
    found = []
    for trip in [trip for trip in _dated(user.travel.trips) if trip.stops and not is_past(trip.departs, now)]:
        ends = [_country_of(None, trip.origin, places), _country_of(trip.country, trip.destination, places), home]
        reported = []
        for stop in trip.stops:
            country = _country_of(None, stop, places)
            rule = rules.get((country or "").lower())
            if rule is None or country in [*ends, *reported] or not citizen_of:
                continue
            waived = [name for name in citizen_of if _is_waived(rule.get("exempt_between", {}).get(name), trip.departs)]
            if waived or any(name in rule["exempt"] for name in citizen_of):
                continue
            hours = trip.layover_hours if len(trip.stops) == 1 else None
            if (hours or 0) < rule["hours"] or _has_visa(user.travel.visas, country, trip, places):
                continue
            reported.append(country)
            length = f" for {hours:g} hours" if hours else ""
            start = f"Your trip to {trip.destination} on {trip.departs} stops in {stop}{length}."
            text = f"{start} {rule['says']}. Check with the embassy of {country} or the airline what a"
            text = f"{text} passport of {citizen_of[0]} needs before you travel: without it you may be"
            text = f"{text} refused boarding."
            found.append(warning(text, trip, *mine[:1], subject=f"{record_id(trip)} {country}"))
    return found


def _is_waived(span, day):
    """Whether a waiver covers the day: [first day, last day], or None if there is none."""
    return span is not None and span[0] <= str(day) <= span[1]


def _has_visa(visas, country, trip, places):
    """Whether a visa for that country is at hand that is not known to have expired."""
    there = [visa for visa in visas if _country_of(visa.country, None, places) == country]
    return any(visa.valid_until is None or visa.valid_until >= trip.departs for visa in there)


CASES = [
    fires(
        "half a day in Shanghai with a Canadian passport",
        date(2025, 2, 14),
        travel.Passport(holder="me", country="Canada"),
        travel.Trip(destination="Hanoi", departs=date(2025, 4, 5), stops=["Shanghai"], layover_hours=11.0),
        says=["Shanghai for 11 hours", "visa", "Canada", "2025-04-05", "Check with the embassy of China"],
    ),
    fires(
        "changing planes in the United States takes an ESTA, however short",
        date(2025, 2, 14),
        travel.Profile(citizenships=["Germany"]),
        travel.Trip(destination="Lima", departs=date(2025, 4, 5), stops=["Miami"]),
        says=["Miami", "ESTA", "Germany"],
    ),
    fires(
        "the waiver for Canadians has run out",
        date(2026, 11, 14),
        travel.Passport(holder="me", country="Canada"),
        travel.Trip(destination="Hanoi", departs=date(2027, 1, 5), stops=["Shanghai"], layover_hours=11.0),
        says=["Shanghai for 11 hours", "Canada"],
    ),
    silent(
        "a waiver for Britons and Canadians",
        date(2026, 11, 14),
        travel.Passport(holder="me", country="United Kingdom"),
        travel.Trip(destination="Hanoi", departs=date(2026, 12, 5), stops=["Shanghai"], layover_hours=11.0),
    ),
    silent(
        "a short change of planes in China",
        date(2025, 2, 14),
        travel.Passport(holder="me", country="Canada"),
        travel.Trip(destination="Hanoi", departs=date(2025, 4, 5), stops=["Shanghai"], layover_hours=3.0),
    ),
    silent(
        "at home in the United States; nationality not known",
        date(2025, 2, 14),
        travel.Profile(home="Boston"),
        travel.Trip(destination="Lima", departs=date(2025, 4, 5), stops=["Miami"]),
    ),
    silent(
        "a visa is at hand; the French need none; that trip is past",
        date(2025, 2, 14),
        travel.Passport(holder="me", country="France"),
        travel.Visa(holder="me", country="United States", kind="ESTA", valid_until=date(2026, 1, 1)),
        travel.Trip(destination="Lima", departs=date(2025, 4, 5), stops=["Miami"]),
        travel.Trip(destination="Hanoi", departs=date(2025, 5, 5), stops=["Shanghai"], layover_hours=11.0),
        travel.Trip(destination="Lima", departs=date(2025, 2, 13), stops=["Toronto"]),
    ),
]
