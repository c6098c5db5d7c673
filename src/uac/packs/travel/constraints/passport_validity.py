from ..helpers import _checked_before, _counted_days, _country_of, _crosses_border, _dated, _is_own

_IDENTITY_CARDS = "Not checked: some countries' citizens are exempt, and I do not know which country issued this passport."


def passport_validity(user, now):
    """A passport that expires before a trip abroad is over, or sooner after it than the destination asks."""
    places = knowledge("travel.places")
    homes = _homes(user.travel.profile, user.travel.passports, places)
    found = []
    for trip in _dated(user.travel.trips):
        country = _country_of(trip.country, trip.destination, places)
        if is_past(trip.departs, now) or not _crosses_border(trip, country, homes, places):
            continue
        for passport in _passports(user.travel.passports, trip):
            free, issuer = places["free_movement"], _country_of(passport.country, None, places)
            # Inside the EU an identity card is enough; no country asks that of its own citizens.
            common = ("Ireland", "United Kingdom")  # their citizens travel freely between the two
            at_home = issuer == country or (issuer in common and country in common)
            at_home = at_home and passport.expires >= (trip.returns or trip.departs)
            if not at_home and (country not in free or issuer not in free):
                area = "The Schengen area" if country in places["schengen"] else country
                problem = _problem(passport, trip, area, issuer, now)
                found.extend([problem] if problem is not None else [])
    return found


def _problem(passport, trip, area, issuer, now):
    """The most severe problem of this passport for this trip, or None."""
    expires, last, arrives = passport.expires, trip.returns or trip.departs, trip.arrives or trip.departs
    whose = "Your passport" if _is_own(passport) else f"The passport of {passport.holder}"
    whose = f"{whose} {passport.number}" if passport.number else whose
    flight = f" (flight {trip.flight})" if trip.flight else ""
    days = (expires - trip.departs).days
    when = f"{_counted_days(days)} after" if days >= 0 else f"{_counted_days(-days)} before"
    start = f"{whose} expires {expires}, {when} you leave for {trip.destination} on {trip.departs}{flight}."
    if expires < last:
        back = f" You are back only on {last}." if days >= 0 else ""
        return critical(f"{start}{back} Renew it before you travel.", passport, trip)
    rule = knowledge("travel.entry_rules")["validity"].get((area or "").lower().removeprefix("the "))
    if rule is None:
        text = f"{start} Many countries and airlines ask for six months. Check what {trip.destination} asks"
        if days < 180:
            return warning(f"{text}, and renew it if in doubt.", passport, trip)
        return _unchecked(passport, trip) if expires < add_months(last, 6) else None
    if issuer in rule.get("exempt", []):  # an identity card would do
        return None
    base, after = (arrives, "you arrive") if rule["after"] == "arrival" else (last, "you leave again")
    until = add_months(base, rule.get("months", 0), rule.get("days", 0))
    span = f"{rule['days']} days" if "days" in rule else f"{rule['months']} months"
    rows, later = [("travel.entry_rules", rule)], _checked_before(rule, trip.departs, now)
    asks = f"{area} asks that a passport is valid {span} after {after}, so until {until}"
    but = f" ({rule['but']})" if "but" in rule else ""
    if expires < until:
        unknown = f" {_IDENTITY_CARDS}" if issuer is None and "exempt" in rule else ""
        return critical(f"{start} {asks}{but}. Renew it before you travel.{unknown}{later}", passport, trip, rows=rows)
    years = rule.get("issued_within_years", 100)
    if passport.issued is not None and add_months(passport.issued, 12 * years) <= arrives:
        text = f"{whose} was issued {passport.issued}, more than {years} years before you arrive in"
        text = f"{text} {trip.destination} on {arrives}{flight}. {area} does not take it then."
        return critical(f"{text} Renew it before you travel.{later}", passport, trip, rows=rows)
    asks = asks if until > last else f"{area} asks for validity through your stay"
    text = f"{start} {asks}{but}, but many airlines and other countries ask for six months."
    if days < 90 and trip.means in ("flight", None):
        text = f"{text} Renew it, or let the airline confirm that it is enough.{later}"
        return critical(text, passport, trip, rows=rows)
    if days >= 180:
        return None
    if "six months" in but:
        return warning(f"{text} Ask the airline or the embassy, or renew it.{later}", passport, trip, rows=rows)
    return info(f"{text} It will do if your plans do not change.{later}", passport, trip, rows=rows)


def _unchecked(passport, trip):
    whose = "your passport" if _is_own(passport) else f"the passport of {passport.holder}"
    text = (
        f"Not checked: {trip.destination} ({trip.departs}) is not in the table, so I do not know what it asks of a passport. Some countries ask"
        f" for six months after the stay, and {whose} expires {passport.expires}. Check with the embassy."
    )
    return info(text, passport, trip)


def _passports(passports, trip):
    """Those of the travellers; of the user's own the one valid longest, if the dates of all are known."""
    mine = [p for p in passports if _is_own(p)]
    mine = [] if any(p.expires is None for p in mine) else sorted(mine, key=lambda p: p.expires)[-1:]
    others = [p for p in passports if not _is_own(p) and p.expires is not None]
    others = [p for p in others if not any(_is_longer(q, p) for q in others)]
    return [*mine, *[p for p in others if any(same_person(p.holder, name) for name in trip.travellers)]]


def _is_longer(passport, other):
    """Whether it is a second passport of the same person ('Mia', 'Mia (Italy)') that is valid longer."""
    return same_person(passport.holder, other.holder) and passport.expires > other.expires


def _homes(profile, passports, places):
    """Where trips begin: where the user lives or, if that is not known, the countries of their passports."""
    home = _country_of(profile.home_country, profile.home, places) if profile is not None else None
    named = [*(profile.citizenships if profile is not None else []), *[p.country for p in passports]]
    return [home] if home is not None else [_country_of(name, None, places) for name in named if name]


CASES = [
    fires(
        "four months for Morocco, of which some governments say that it asks for six",
        date(2026, 11, 19),
        travel.Passport(holder="me", country="US", expires=date(2027, 4, 20)),
        travel.Trip(destination="Marrakesh", country="Morocco", departs=date(2026, 12, 20), returns=date(2026, 12, 28)),
        says=["Morocco asks", "American, Canadian and Irish travel advice says six months", "Ask the airline or the embassy"],
    ),
    fires(
        "Turkey, and nobody knows which country issued the passport",
        date(2026, 11, 14),
        travel.Profile(home="Berlin"),
        travel.Passport(holder="me", expires=date(2027, 3, 1)),
        travel.Trip(destination="Istanbul", country="Turkey", departs=date(2026, 12, 1), returns=date(2026, 12, 10)),
        says=["Turkey asks", "150 days", "Not checked", "which country issued this passport"],
    ),
    fires(
        "a trip after the day until which the row counts",
        date(2026, 12, 14),
        travel.Passport(holder="me", country="Canada", expires=date(2027, 8, 14)),
        travel.Trip(destination="Mumbai", departs=date(2027, 6, 15)),
        says=["India asks", "As of 2026-11-16, check again before you travel"],
    ),
    fires(
        "a country that is not in the table",
        date(2025, 1, 2),
        travel.Profile(home="Boston"),
        travel.Passport(holder="me", country="US", expires=date(2025, 9, 1)),
        travel.Trip(destination="Paramaribo", country="Suriname", departs=date(2025, 2, 15), returns=date(2025, 3, 10)),
        says=["Not checked: Paramaribo", "2025-09-01", "embassy"],
    ),
    silent(
        "Turkey asks nothing of a German passport that a Briton needs",
        date(2026, 11, 14),
        travel.Profile(home="Berlin"),
        travel.Passport(holder="me", country="Germany", expires=date(2027, 3, 1)),
        travel.Trip(destination="Istanbul", country="Turkey", departs=date(2026, 12, 1), returns=date(2026, 12, 10)),
    ),
    silent(
        "the same country with a passport that is valid for long",
        date(2025, 1, 2),
        travel.Profile(home="Boston"),
        travel.Passport(holder="me", country="US", expires=date(2026, 9, 1)),
        travel.Trip(destination="Paramaribo", country="Suriname", departs=date(2025, 2, 15), returns=date(2025, 3, 10)),
    ),
    fires(
        "expired three weeks before the trip",
        date(2025, 1, 2),
        travel.Passport(holder="me", number="AB1234567", country="United States", expires=date(2025, 2, 18)),
        travel.Trip(destination="Mexico City", country="Mexico", departs=date(2025, 3, 10), flight="AA-4561"),
        says=["AB1234567", "2025-02-18", "20 days before", "Mexico City", "2025-03-10", "AA-4561"],
    ),
    fires(
        "valid for the stay in Japan, but 34 days are no reserve",
        date(2025, 1, 2),
        travel.Passport(holder="me", country="US", expires=date(2025, 2, 18)),
        travel.Trip(destination="Tokyo", country="JP", departs=date(2025, 1, 15), returns=date(2025, 1, 25)),
        says=["34 days after", "Japan asks for validity through your stay", "six months"],
    ),
    fires(
        "one day short of six months in India",
        date(2025, 1, 2),
        travel.Passport(holder="me", country="Canada", expires=date(2025, 8, 14)),
        travel.Trip(destination="Mumbai", departs=date(2025, 2, 15)),
        says=["2025-08-14", "India asks", "until 2025-08-15"],
    ),
    silent(
        "six months to the day in India",
        date(2025, 1, 2),
        travel.Passport(holder="me", country="Canada", expires=date(2025, 8, 15)),
        travel.Trip(destination="Mumbai", departs=date(2025, 2, 15)),
    ),
    fires(
        "the child's passport, too short for France",
        date(2025, 5, 1),
        travel.Profile(home="London"),
        travel.Passport(holder="Lily", expires=date(2025, 9, 30)),
        travel.Trip(
            destination="Nice", departs=date(2025, 7, 1), returns=date(2025, 7, 10), travellers=["Lily Chen"]
        ),
        says=["passport of Lily", "Schengen area asks", "3 months", "until 2025-10-10"],
    ),
    fires(
        "a British passport of more than ten years",
        date(2025, 5, 1),
        travel.Passport(holder="me", country="UK", issued=date(2015, 6, 1), expires=date(2026, 2, 1)),
        travel.Trip(destination="Barcelona", departs=date(2025, 6, 20), returns=date(2025, 6, 27)),
        says=["issued 2015-06-01", "10 years", "Schengen"],
    ),
    silent(
        "a trip inside the country needs no passport",
        date(2025, 1, 2),
        travel.Passport(holder="me", country="United States", expires=date(2025, 1, 5)),
        travel.Trip(destination="Chicago", country="United States", departs=date(2025, 1, 21)),
    ),
    silent(
        "nobody knows whether this trip crosses a border",
        date(2025, 1, 2),
        travel.Passport(holder="me", expires=date(2025, 1, 5)),
        travel.Trip(destination="Chicago", country="United States", departs=date(2025, 1, 21)),
    ),
    silent(
        "one trip has begun, the other stays inside the EU, and Ana stays at home",
        date(2025, 3, 1),
        travel.Passport(holder="me", country="Spain", expires=date(2025, 5, 20)),
        travel.Passport(holder="Ana", country="Spain", expires=date(2025, 2, 20)),
        travel.Trip(destination="Tokyo", departs=date(2025, 2, 28), returns=date(2025, 5, 27)),
        travel.Trip(destination="Rome", departs=date(2025, 5, 1), returns=date(2025, 5, 9)),
    ),
    silent(
        "a second passport is valid",
        date(2025, 1, 2),
        travel.Passport(holder="me", country="United States", expires=date(2025, 2, 18)),
        travel.Passport(holder="me (Italy)", country="Italy", expires=date(2031, 2, 18)),
        travel.Trip(destination="Tokyo", departs=date(2025, 1, 15), returns=date(2025, 1, 25)),
    ),
    silent(
        "cities of other countries that have a namesake in the United States or Canada",
        date(2026, 1, 5),
        travel.Profile(home="Boston, MA"),
        travel.Passport(holder="me", expires=date(2026, 4, 20)),
        travel.Trip(destination="Melbourne, FL", departs=date(2026, 2, 1)),
        travel.Trip(destination="Athens, Georgia", departs=date(2026, 2, 2)),
        travel.Trip(destination="Florence, SC", departs=date(2026, 2, 3)),
        travel.Trip(destination="St. Petersburg", departs=date(2026, 2, 4)),
        travel.Trip(destination="San Juan", country="Puerto Rico", departs=date(2026, 2, 5)),
    ),
    fires(
        "a city with the code of its country is not a state",
        date(2026, 1, 5),
        travel.Profile(home="Boston, MA"),
        travel.Passport(holder="me", expires=date(2026, 4, 20)),
        travel.Trip(destination="Berlin, DE", departs=date(2026, 2, 1)),
        says=["2026-04-20", "Berlin", "Schengen", "3 months"],
    ),
    silent(
        "home to the country of the passport",
        date(2026, 1, 5),
        travel.Profile(citizenships=["India"], home="Seattle"),
        travel.Passport(holder="me", country="India", expires=date(2026, 8, 1)),
        travel.Trip(destination="Pune", departs=date(2026, 3, 1), returns=date(2026, 3, 20)),
    ),
    fires(
        "home to the country of the passport, which expires there",
        date(2026, 1, 5),
        travel.Profile(citizenships=["India"], home="Seattle"),
        travel.Passport(holder="me", country="India", expires=date(2026, 3, 10)),
        travel.Trip(destination="Pune", departs=date(2026, 3, 1), returns=date(2026, 3, 20)),
        says=["2026-03-10", "Pune", "2026-03-20"],
    ),
    silent(
        "a child with a second passport that is valid longer",
        date(2026, 1, 5),
        travel.Profile(home="New York"),
        travel.Passport(holder="Mia", country="United States", expires=date(2026, 3, 20)),
        travel.Passport(holder="Mia (Italy)", country="Italy", expires=date(2029, 3, 20)),
        travel.Trip(
            destination="Rome", departs=date(2026, 3, 14), returns=date(2026, 3, 28), travellers=["Mia"]
        ),
    ),
    silent(
        "between the United Kingdom and Ireland",
        date(2026, 1, 5),
        travel.Profile(home="London"),
        travel.Passport(holder="me", country="UK", expires=date(2026, 3, 20)),
        travel.Trip(destination="Dublin", departs=date(2026, 2, 10), returns=date(2026, 2, 12)),
    ),
]
