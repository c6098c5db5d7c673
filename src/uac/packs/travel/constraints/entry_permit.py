from ..helpers import _checked_before, _citizenships, _country_of, _crosses_border, _dated, _in_text, _is_for, _is_own


def entry_permit(user, now):
    """A trip abroad that takes a visa or an electronic permit with the user's passport, and none is known."""
    places = knowledge("travel.places")
    profile = user.travel.profile
    own = _citizenships(profile, user.travel.passports, places)
    home = _country_of(profile.home_country, profile.home, places) if profile is not None else None
    visas = [visa for visa in user.travel.visas if _is_own(visa)]
    found = []
    for trip in [trip for trip in _dated(user.travel.trips) if trip.state != "idea" and not is_past(trip.departs, now)]:
        country = _country_of(trip.country, trip.destination, places)
        if country is None and trip.international:
            text = f"Not checked: whether you need a visa or a permit for {trip.destination} on {trip.departs}. I do not know which"
            found.append(info(f"{text} country it is in: tell me.", trip))
        if country is None or not _crosses_border(trip, country, [home] if home else own, places):
            continue
        if country == home or _is_free(country, own, places) or _has_visa(visas, country, trip, places):
            continue
        rule = knowledge("travel.entry_rules")["entry"].get("schengen area" if country in places["schengen"] else country.lower())
        found.extend(_alerts(trip, country, rule, own, now))
    return found


def _alerts(trip, country, rule, own, now):
    """What this trip needs with the passports of the user; that nothing was checked if the table does not know."""
    asked = f"Not checked: whether you need a visa or a permit for {trip.destination} on {trip.departs}."
    if rule is None:
        return [info(f"{asked} {country} is not in the table of entry rules. Ask its embassy.", trip)]
    rows = [("travel.entry_rules", rule)]
    if not own:
        text = f"{asked} That depends on your passport: tell me which country issued it."
        return [info(text, trip, rows=rows)]
    known = [(name, _need(rule, name, trip.arrives or trip.departs)) for name in own if name in rule["passports"]]
    if not known:
        text = f"{asked} The table has no row for a passport of {_in_text(own[0])}. Ask the embassy of {_in_text(country)}."
        return [info(text, trip, rows=rows)]
    free = [name for name, need in known if need is None]
    later = _checked_before(rule, trip.departs, now)
    if free:  # one of the passports is enough
        text = f"With a passport of {_in_text(free[0])} no visa and no permit was needed for {trip.destination} when I last looked:"
        text = f"{text} {rule.get('but')}.{later}"
        return [info(text, trip, rows=rows)] if later and "but" in rule else []
    name, need = known[0]
    text = f"With a passport of {_in_text(name)} you need {need} for {trip.destination} on {trip.departs}, and I know of none."
    ends = rule.get("free_between", {}).get(name)
    text = f"{text} A waiver for this passport ends on {ends[1]}, and may be extended." if ends else text
    text = f"{text} Get it before you travel, or tell me of yours.{later}"
    # Who is near the counter without it is not let on board.
    is_near = due_within(trip.departs, now, 60)
    return [(info if "on arrival" in need else critical if is_near else warning)(text, trip, rows=rows)]


def _need(rule, passport, day):
    """What a passport needs on a day, or None; some countries waive the visa for a time only."""
    span = rule.get("free_between", {}).get(passport)
    if span is not None and not span[0] <= str(day) <= span[1]:
        return "a visa"
    return rule["needs"].get(passport)


def _is_free(country, own, places):
    """Whether one of the passports is of the country, or of one whose citizens may enter it like its own."""
    common, free = ("Ireland", "United Kingdom"), places["free_movement"]
    return any(name == country or (name in common and country in common) or (name in free and country in free) for name in own)


def _has_visa(visas, country, trip, places):
    """Whether a visa or a permit is at hand that is not known to end before the arrival."""
    there = [visa for visa in visas if _is_for(visa, country, places)]
    return any(visa.valid_until is None or visa.valid_until >= (trip.arrives or trip.departs) for visa in there)


CASES = [
    fires(
        "a nationality instead of a country",
        date(2026, 11, 19),
        travel.Profile(citizenships=["German citizen"], home="Hamburg"),
        travel.Trip(destination="Schottland", departs=date(2026, 12, 20), returns=date(2026, 12, 28)),
        says=["a passport of Germany", "an ETA for Schottland"],
    ),
    fires(
        "a place abroad that the table does not have",
        date(2026, 11, 19),
        travel.Profile(citizenships=["British"]),
        travel.Trip(destination="Ouagalaya", departs=date(2026, 12, 20), international=True),
        says=["Not checked", "Ouagalaya on 2026-12-20", "which country it is in"],
    ),
    fires(
        "a permit is to come, and the trip is after the row was read",
        date(2026, 11, 19),
        travel.Profile(citizenships=["US"], home="Denver"),
        travel.Trip(destination="Paris", departs=date(2027, 6, 1)),
        says=["no visa and no permit was needed for Paris", "ETIAS", "check again before you travel"],
    ),
    silent(
        "an Indian visa, and a trip while the row is in date",
        date(2026, 11, 19),
        travel.Profile(citizenships=["British"], home="London"),
        travel.Visa(holder="me", country="Indian", kind="e-visa"),
        travel.Trip(destination="Delhi", country="India", departs=date(2026, 12, 20)),
        travel.Trip(destination="Paris", departs=date(2026, 12, 1)),
    ),
    fires(
        "an American in Brazil",
        date(2026, 11, 16),
        travel.Profile(citizenships=["USA"], home="Boston"),
        travel.Trip(destination="Rio de Janeiro", country="Brazil", departs=date(2027, 2, 1), state="booked"),
        says=["a passport of the United States", "an e-visa", "Rio de Janeiro on 2027-02-01"],
    ),
    fires(
        "a German in the United Kingdom needs an ETA",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="Germany"),
        travel.Trip(destination="London", departs=date(2026, 12, 1)),
        says=["a passport of Germany", "an ETA", "London"],
    ),
    fires(
        "a visa on arrival is only worth knowing",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="United Kingdom"),
        travel.Trip(destination="Bali", country="Indonesia", departs=date(2026, 12, 1)),
        says=["a visa on arrival or e-VOA"],
    ),
    fires(
        "the waiver of China for Germans ends before the trip",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="Germany"),
        travel.Trip(destination="Beijing", departs=date(2027, 1, 10)),
        says=["a visa for Beijing", "As of 2026-11-16, check again before you travel"],
    ),
    fires(
        "the passport is not known",
        date(2026, 11, 16),
        travel.Profile(home="Munich"),
        travel.Trip(destination="Tokyo", departs=date(2026, 12, 1)),
        says=["Not checked", "Tokyo", "tell me which country issued it"],
    ),
    fires(
        "a passport that the table does not have",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="Peru"),
        travel.Trip(destination="Tokyo", departs=date(2026, 12, 1)),
        says=["Not checked", "no row for a passport of Peru", "embassy of Japan"],
    ),
    fires(
        "a country that the table does not have",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="Germany"),
        travel.Trip(destination="Paramaribo", country="Suriname", departs=date(2026, 12, 1)),
        says=["Not checked", "Suriname is not in the table"],
    ),
    silent(
        "no permit is needed with one of the passports, or one is at hand",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="United States"),
        travel.Passport(holder="me (Germany)", country="Germany"),
        travel.Visa(holder="me", country="India", kind="e-visa", valid_until=date(2027, 6, 1)),
        travel.Trip(destination="Hanoi", country="Vietnam", departs=date(2026, 12, 1)),
        travel.Trip(destination="Goa", country="India", departs=date(2027, 1, 5)),
        travel.Trip(destination="Lisbon", departs=date(2027, 2, 5)),
        travel.Trip(destination="Tokyo", departs=date(2027, 3, 5)),
    ),
    silent(
        "Britons in China before the end of the waiver, at home, in Ireland; an idea; a journey of the past",
        date(2026, 11, 16),
        travel.Passport(holder="me", country="United Kingdom"),
        travel.Trip(destination="Shanghai", departs=date(2026, 12, 1)),
        travel.Trip(destination="Leeds", country="United Kingdom", departs=date(2026, 12, 20)),
        travel.Trip(destination="Dublin", departs=date(2027, 1, 3)),
        travel.Trip(destination="New York", departs=date(2027, 1, 20), state="idea"),
        travel.Trip(destination="New York", departs=date(2026, 1, 20)),
    ),
    silent(
        "nobody knows where the user lives or which passport it is",
        date(2026, 11, 16),
        travel.Trip(destination="Tokyo", departs=date(2026, 12, 1)),
    ),
]
