from ..helpers import _area_of, _country_of, _dated, _is_for, _is_own


def visa_entries(user, now):
    """A trip that needs one more entry than the visa has."""
    places = knowledge("travel.places")
    found = []
    for visa in user.travel.visas:
        allowed = {"single": 1, "double": 2}.get(visa.entries or "")
        if allowed is None or not _is_own(visa):
            continue
        there = [trip for trip in _dated(user.travel.trips) if _is_on(visa, trip, places, now)]
        entries = []
        for trip in sorted(there, key=lambda t: (t.departs, t.destination)):
            ahead = not is_past(trip.departs, now)
            # A journey inside the one before is not a new entry.
            inside = bool(entries) and trip.departs <= (entries[-1].returns or entries[-1].departs)
            if inside:
                continue
            if ahead and len(entries) >= allowed:
                used = [f"{t.destination} on {t.departs}" for t in entries]
                text = f"Your {visa.entries}-entry visa for {_area_of(visa)} is used up by your trip to"
                text = f"{text} {' and '.join(used)}"
                text = f"{text}. You cannot enter with it again for {trip.destination} on {trip.departs}."
                found.append(
                    critical(f"{text} Apply for a new visa before you travel.", visa, trip, *entries)
                )
            elif trip.state != "idea":
                entries.append(trip)
    return found


def _is_on(visa, trip, places, now):
    """Whether a trip leads to where the visa is for, while it is valid."""
    country = _country_of(trip.country, trip.destination, places)
    if country is None or not _is_for(visa, country, places):
        return False
    arrives = trip.arrives or trip.departs
    # Of a visa whose beginning is not known, earlier journeys may have been on another one.
    begun = visa.valid_from is not None and visa.valid_from <= (trip.returns or arrives)
    begun = begun or (visa.valid_from is None and not is_past(trip.departs, now))
    return begun and (visa.valid_until is None or arrives <= visa.valid_until)


CASES = [
    fires(
        "Lisbon after Rome on a single entry",
        date(2025, 4, 20),
        travel.Visa(
            holder="me",
            country="Schengen area",
            entries="single",
            valid_from=date(2025, 3, 1),
            valid_until=date(2025, 6, 30),
        ),
        travel.Trip(destination="Rome", departs=date(2025, 4, 2), returns=date(2025, 4, 9)),
        travel.Trip(destination="Lisbon", departs=date(2025, 5, 3), returns=date(2025, 5, 6), state="idea"),
        says=["single-entry", "Rome on 2025-04-02", "Lisbon on 2025-05-03", "new visa"],
    ),
    fires(
        "a third journey on two entries",
        date(2025, 4, 20),
        travel.Visa(holder="me", country="India", entries="double", valid_from=date(2025, 1, 1)),
        travel.Trip(destination="Goa", departs=date(2025, 2, 2), returns=date(2025, 2, 9)),
        travel.Trip(destination="Delhi", departs=date(2025, 5, 2), returns=date(2025, 5, 9), state="booked"),
        travel.Trip(destination="Mumbai", departs=date(2025, 8, 2), returns=date(2025, 8, 9), state="booked"),
        says=["double-entry", "Goa", "Delhi", "Mumbai on 2025-08-02"],
    ),
    silent(
        "the trip before was before the visa, or may have been; the other goes elsewhere",
        date(2025, 4, 20),
        travel.Visa(holder="me", country="India", entries="single", valid_until=date(2025, 12, 31)),
        travel.Trip(destination="Goa", departs=date(2019, 2, 2), returns=date(2019, 2, 9)),
        travel.Trip(destination="Delhi", departs=date(2025, 9, 2), returns=date(2025, 9, 9)),
        travel.Visa(holder="me", country="Schengen area", entries="single", valid_from=date(2025, 4, 15)),
        travel.Trip(destination="Rome", departs=date(2025, 4, 2), returns=date(2025, 4, 9)),
        travel.Trip(destination="London", departs=date(2025, 4, 16), returns=date(2025, 4, 17)),
        travel.Trip(destination="Lisbon", departs=date(2025, 5, 3), returns=date(2025, 5, 6)),
    ),
    silent(
        "an excursion inside the one journey, and an idea that came to nothing",
        date(2025, 4, 20),
        travel.Visa(holder="me", country="Schengen area", entries="single"),
        travel.Trip(destination="Rome", departs=date(2025, 4, 2), returns=date(2025, 4, 9), state="idea"),
        travel.Trip(destination="France", departs=date(2025, 5, 1), returns=date(2025, 5, 20)),
        travel.Trip(destination="Barcelona", departs=date(2025, 5, 4), returns=date(2025, 5, 6)),
    ),
    silent(
        "both journeys are past; a visa for many entries",
        date(2025, 6, 20),
        travel.Visa(holder="me", country="Schengen area", entries="single"),
        travel.Visa(holder="me", country="India", entries="multiple"),
        travel.Trip(destination="Rome", departs=date(2025, 4, 2), returns=date(2025, 4, 9)),
        travel.Trip(destination="Lisbon", departs=date(2025, 5, 3), returns=date(2025, 5, 6)),
        travel.Trip(destination="Goa", departs=date(2025, 6, 1)),
        travel.Trip(destination="Goa", departs=date(2025, 8, 1)),
    ),
]
