from ..helpers import _checked_before, _country_of, _crosses_border, _dated, _holder_travels, _is_own


def passport_pages(user, now):
    """A passport with fewer blank pages than the destination asks for, or none for any trip abroad."""
    places = knowledge("travel.places")
    asked = knowledge("travel.entry_rules")["blank_pages"]
    profile = user.travel.profile
    home = _country_of(profile.home_country, profile.home, places) if profile is not None else None
    named = [passport.country for passport in user.travel.passports if passport.country]
    homes = [home] if home else [_country_of(name, None, places) for name in named]
    found = []
    for passport in user.travel.passports:
        if passport.blank_pages is None or any(
            _is_fuller(passport, other) for other in user.travel.passports
        ):
            continue
        for trip in _dated(user.travel.trips):
            if is_past(trip.departs, now) or not _holder_travels(passport, trip):
                continue
            country, issuer = (
                _country_of(trip.country, trip.destination, places),
                _country_of(passport.country, None, places),
            )
            free = places["free_movement"]
            if issuer is not None and (issuer == country or (issuer in free and country in free)):
                continue  # citizens get no stamp
            rule = asked.get((country or "").lower())
            needed = rule["pages"] if rule is not None else 1
            if passport.blank_pages >= needed or not _crosses_border(trip, country, homes, places):
                continue
            whose = "Your passport" if _is_own(passport) else f"The passport of {passport.holder}"
            left = f"{passport.blank_pages} blank page{'' if passport.blank_pages == 1 else 's'}"
            text = f"{whose} has {left} left, and you leave for {trip.destination} on {trip.departs}."
            if rule is not None:
                but = f" ({rule['but']})" if "but" in rule else ""
                text = f"{text} {country} asks for {needed} blank page{'' if needed == 1 else 's'}{but}, for visa"
                text = f"{text} and stamps. Renew the passport before you apply for a visa or travel."
                text = f"{text}{_checked_before(rule, trip.departs, now)}"
                found.append(critical(text, passport, trip, rows=[("travel.entry_rules", rule)]))
            else:
                text = f"{text} Most borders need room for a stamp: renew the passport, or check that none is"
                text = f"{text} needed."
                found.append(warning(text, passport, trip))
    return found


def _is_fuller(passport, other):
    """Whether the same person has another passport, with more blank pages or an unknown number of them."""
    are_mine = _is_own(passport) and _is_own(other)
    if passport is other or not (are_mine or same_person(passport.holder, other.holder)):
        return False
    return other.blank_pages is None or other.blank_pages > passport.blank_pages


CASES = [
    fires(
        "one page for Kenya, of which sources differ",
        date(2026, 11, 19),
        travel.Passport(holder="me", country="United Kingdom", blank_pages=1),
        travel.Trip(destination="Nairobi", country="Kenya", departs=date(2026, 12, 15)),
        says=["Kenya asks for 2 blank pages (the Kenyan immigration office says one)"],
    ),
    fires(
        "one page left for India",
        date(2025, 1, 5),
        travel.Passport(holder="me", country="Canada", blank_pages=1),
        travel.Trip(destination="Delhi", country="India", departs=date(2025, 2, 15)),
        says=["1 blank page left", "India asks for 2", "2025-02-15", "Renew"],
    ),
    fires(
        "no page left for anywhere",
        date(2025, 1, 5),
        travel.Passport(holder="me", country="Canada", blank_pages=0),
        travel.Trip(destination="Lima", departs=date(2025, 2, 15)),
        says=["0 blank pages", "Lima"],
    ),
    silent(
        "two pages are enough for India, one for Peru",
        date(2025, 1, 5),
        travel.Passport(holder="me", country="Canada", blank_pages=2),
        travel.Passport(holder="Tom", country="Canada", blank_pages=1),
        travel.Trip(destination="India", departs=date(2025, 2, 15)),
        travel.Trip(destination="Lima", departs=date(2025, 6, 15), travellers=["Tom"]),
    ),
    silent(
        "a trip that is past, one at home, and one of somebody else's passport",
        date(2025, 1, 5),
        travel.Passport(holder="me", country="India", blank_pages=0),
        travel.Passport(holder="Tom", blank_pages=0),
        travel.Trip(destination="Lima", departs=date(2025, 1, 4)),
        travel.Trip(destination="Goa", departs=date(2025, 2, 15)),
    ),
    silent(
        "the pages are not known",
        date(2025, 1, 5),
        travel.Passport(holder="me", country="Canada"),
        travel.Trip(destination="India", departs=date(2025, 2, 15)),
    ),
    silent(
        "no stamps for citizens; another passport has room",
        date(2026, 1, 5),
        travel.Profile(home="New York"),
        travel.Passport(holder="Ana", country="India", blank_pages=1),
        travel.Passport(holder="Jo", country="Germany", blank_pages=0),
        travel.Passport(holder="me", country="United States", blank_pages=0),
        travel.Passport(holder="me (Italy)", country="Italy", blank_pages=20),
        travel.Trip(destination="Pune", departs=date(2026, 3, 1), travellers=["Ana"]),
        travel.Trip(destination="Rome", departs=date(2026, 4, 1), travellers=["Jo"]),
    ),
]
