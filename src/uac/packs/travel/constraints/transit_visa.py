from ..helpers import _checked_before, _citizenships, _country_of, _dated, _in_text, _is_own


def transit_visa(user, now):
    """A stop in a country that may ask for a visa or a permit even of those who only pass through."""
    places = knowledge("travel.places")
    rules = knowledge("travel.entry_rules")["transit"]
    profile = user.travel.profile
    mine = [p for p in user.travel.passports if _is_own(p)]
    citizen_of = _citizenships(profile, user.travel.passports, places)
    home = _country_of(profile.home_country, profile.home, places) if profile is not None else None
    found = []
    for trip in [trip for trip in _dated(user.travel.trips) if trip.stops and not is_past(trip.departs, now)]:
        ends = [_country_of(None, trip.origin, places), _country_of(trip.country, trip.destination, places), home]
        reported = []
        for stop in trip.stops:
            country = _country_of(None, stop, places)
            if country is None or country in [*ends, *citizen_of, *reported]:
                continue
            area = "schengen area" if country in places["schengen"] else country.lower()
            rule = rules.get(area)
            if rule is not None and any(_is_exempt(rule, name, trip.departs) for name in citizen_of):
                continue
            hours = trip.layover_hours if len(trip.stops) == 1 else None
            is_short = rule is not None and (hours or 0) < rule.get("hours", 0)
            if is_short or _has_visa(user.travel.visas, country, trip, places):
                continue
            reported.append(country)
            found.append(_alert(trip, stop, country, rule, citizen_of, mine, hours, now))
    return found


def _alert(trip, stop, country, rule, citizen_of, mine, hours, now):
    """What may be needed for a stop; that nothing was checked if the table or the user's passport does not tell."""
    length = f" for {hours:g} hours" if hours else ""
    start = f"Your trip to {trip.destination} on {trip.departs} stops in {stop}{length}."
    subject = f"{record_id(trip)} {country}"
    asked = f"Not checked: whether the stop in {stop} on the way to {trip.destination} ({trip.departs}) takes a visa."
    if rule is None:
        text = f"{asked} {country} is not in the table of transit rules. Ask the airline."
        return info(text, trip, subject=subject)
    rows = [("travel.entry_rules", rule)]
    if not citizen_of:
        text = f"{asked} {rule['says']}. That depends on your passport: tell me which country issued it."
        return info(text, trip, subject=subject, rows=rows)
    if rule.get("airside"):
        text = f"{asked} {rule['says']}, but the table does not say so of a passport of {_in_text(citizen_of[0])}. Ask the airline."
        return info(text, trip, subject=subject, rows=rows)
    text = f"{start} {rule['says']}. Check with the embassy of {_in_text(country)} or the airline what a"
    text = f"{text} passport of {_in_text(citizen_of[0])} needs before you travel: without it you may be"
    text = f"{text} refused boarding.{_checked_before(rule, trip.departs, now)}"
    # Who is near the counter without a permit that every change of planes takes is not let on board.
    is_sure = not rule.get("hours") and due_within(trip.departs, now, 60)
    return (critical if is_sure else warning)(text, trip, *mine[:1], subject=subject, rows=rows)


def _is_exempt(rule, passport, day):
    """Whether the rule does not apply to a passport on a day."""
    is_waived = _is_waived(rule.get("exempt_between", {}).get(passport), day)
    return is_waived or passport in rule["exempt"] or ("only" in rule and passport not in rule["only"])


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
    fires(
        "half a day in Shanghai, and the passport is not known",
        date(2026, 11, 14),
        travel.Profile(home="Munich"),
        travel.Trip(destination="Hanoi", departs=date(2026, 12, 5), stops=["Shanghai"], layover_hours=11.0),
        says=["Not checked", "Shanghai", "tell me which country issued it"],
    ),
    fires(
        "a stop in a country that is not in the table",
        date(2026, 11, 14),
        travel.Passport(holder="me", country="Germany"),
        travel.Trip(destination="Lima", departs=date(2026, 12, 5), stops=["Bogota"]),
        says=["Not checked", "Colombia is not in the table"],
    ),
    fires(
        "an airport of the Schengen area with a passport of Nigeria",
        date(2026, 11, 14),
        travel.Passport(holder="me", country="Nigeria"),
        travel.Trip(destination="Boston", departs=date(2026, 12, 5), stops=["Frankfurt"]),
        says=["Frankfurt", "airport transit visa", "passport of Nigeria"],
    ),
    fires(
        "a change of planes in Dubai with a passport of which the table says nothing",
        date(2026, 11, 14),
        travel.Passport(holder="me", country="Peru"),
        travel.Trip(destination="Tokyo", departs=date(2026, 12, 5), stops=["Dubai"]),
        says=["Not checked", "Dubai", "a passport of Peru"],
    ),
    silent(
        "changing planes in Dubai, London and Frankfurt with a German or an American passport",
        date(2026, 11, 14),
        travel.Passport(holder="me", country="United States"),
        travel.Trip(destination="Delhi", departs=date(2026, 12, 5), stops=["Dubai", "London", "Frankfurt"]),
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
