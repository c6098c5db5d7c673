from ..helpers import _area_of, _counted_days, _country_of, _dated, _holder_travels, _is_for, _is_own


def visa_window(user, now):
    """A trip that begins before its visa is valid, ends after it, or is longer than the visa allows."""
    places = knowledge("travel.places")
    found = []
    for trip in [trip for trip in _dated(user.travel.trips) if not is_past(trip.returns or trip.departs, now)]:
        country = _country_of(trip.country, trip.destination, places)
        fitting = [
            v for v in user.travel.visas if country and _is_for(v, country, places) and _holder_travels(v, trip)
        ]
        for visa in fitting:
            rivals = [v for v in fitting if same(v.holder, visa.holder)]
            on_arrival = knowledge("travel.entry_rules")["visa_for_arrival"]
            arrival_only = country.lower() in on_arrival
            if not any(_problem(rival, trip, arrival_only) is None for rival in rivals):
                severity, text = _problem(visa, trip, arrival_only)
                make = critical if severity == "critical" else warning
                found.append(make(text, visa, trip))
    return found


def _problem(visa, trip, arrival_only):
    """How bad it is and what to say, or None if the visa covers the trip or is about another time."""
    permits = ("esta", "eta", "nzeta")  # they, and the visas of some countries, need be valid on arrival only
    arrival_only = arrival_only or any(word in permits for word in words(visa.kind))
    area = _area_of(visa)
    whose = f"Your visa for {area}" if _is_own(visa) else f"The visa of {visa.holder} for {area}"
    arrives, start, end = trip.arrives or trip.departs, visa.valid_from, visa.valid_until
    if start is not None and arrives < start:
        days = (start - arrives).days
        if days > 60:
            return None
        text = f"{whose} is valid from {start}, but you leave for {trip.destination} on {trip.departs},"
        text = f"{text} {_counted_days(days)}"
        text = (
            f"{text} before it becomes valid. Travel on {start} or later, or get a visa for the earlier date."
        )
        # A flight may take a night, or cross the date line.
        return ("warning" if days < 3 and trip.arrives is None else "critical", text)
    if end is not None and arrives > end:
        days = (arrives - end).days
        text = f"{whose} was valid until {end}, {_counted_days(days)} before you leave for {trip.destination} on"
        text = f"{text} {trip.departs}."
        # A visa that ends shortly before the trip was meant for it: without another one nobody is let on board.
        severity = "critical" if days <= 60 else "warning"
        return None if days > 365 else (severity, f"{text} Check whether you need a new one.")
    if end is not None and trip.returns is not None and trip.returns > end and not arrival_only:
        days = (trip.returns - end).days
        text = f"{whose} is valid until {end}, but you come back from {trip.destination} on {trip.returns},"
        text = f"{text} {_counted_days(days)}"
        return ("critical", f"{text} after it ends. Leave by {end}, or have the visa extended.")
    if visa.stay_days is not None and trip.returns is not None:
        days = (trip.returns - arrives).days + 1
        text = f"{whose} allows stays of {visa.stay_days} days, but your trip to {trip.destination} from"
        text = f"{text} {arrives} to {trip.returns} takes {_counted_days(days)}, both ends counted. Shorten it, or"
        text = f"{text} have the visa extended."
        return ("critical", text) if days > visa.stay_days else None
    return None


CASES = [
    fires(
        "a week before the visa begins",
        date(2025, 2, 1),
        travel.Visa(
            holder="me", country="India", valid_from=date(2025, 3, 10), valid_until=date(2025, 6, 10)
        ),
        travel.Trip(destination="Delhi", departs=date(2025, 3, 3)),
        says=["visa for India", "valid from 2025-03-10", "2025-03-03", "7 days before"],
    ),
    fires(
        "back one day after it ends",
        date(2025, 2, 1),
        travel.Visa(holder="me", country="Schengen area", valid_until=date(2025, 3, 31)),
        travel.Trip(destination="Lisbon", departs=date(2025, 3, 20), returns=date(2025, 4, 1)),
        says=["valid until 2025-03-31", "2025-04-01", "1 day after"],
    ),
    fires(
        "31 days on a visa for 30",
        date(2025, 2, 1),
        travel.Visa(holder="Ana", country="Vietnam", stay_days=30),
        travel.Trip(
            destination="Hanoi", departs=date(2025, 3, 1), returns=date(2025, 3, 31), travellers=["Ana"]
        ),
        says=["visa of Ana", "30 days", "31 days"],
    ),
    fires(
        "it ran out last month",
        date(2025, 2, 1),
        travel.Visa(holder="me", country="India", valid_until=date(2025, 1, 20)),
        travel.Trip(destination="India", departs=date(2025, 2, 20)),
        says=["2025-01-20", "31 days before"],
    ),
    silent(
        "first and last day of the visa",
        date(2025, 2, 1),
        travel.Visa(
            holder="me", country="Schengen", valid_from=date(2025, 3, 20), valid_until=date(2025, 4, 1)
        ),
        travel.Trip(destination="Lisbon", departs=date(2025, 3, 20), returns=date(2025, 4, 1)),
    ),
    silent(
        "another country, and somebody else's visa",
        date(2025, 2, 1),
        travel.Visa(holder="me", country="India", valid_from=date(2025, 3, 10)),
        travel.Visa(holder="Tom", country="Peru", valid_from=date(2025, 3, 10)),
        travel.Trip(destination="Colombo", departs=date(2025, 3, 3)),
        travel.Trip(destination="Lima", departs=date(2025, 3, 3)),
    ),
    silent(
        "the trip is over, or the visa is for a much later one",
        date(2025, 2, 1),
        travel.Visa(holder="me", country="India", valid_from=date(2025, 9, 10)),
        travel.Trip(destination="Delhi", departs=date(2025, 1, 20), returns=date(2025, 1, 31)),
        travel.Trip(destination="Goa", departs=date(2025, 3, 3)),
    ),
    silent(
        "the old visa was replaced",
        date(2025, 2, 1),
        ended(travel.Visa(holder="me", country="India", valid_until=date(2025, 1, 20)), "2025-01-20"),
        travel.Visa(
            holder="me", country="India", valid_from=date(2025, 1, 21), valid_until=date(2026, 1, 20)
        ),
        travel.Trip(destination="Delhi", departs=date(2025, 3, 3), returns=date(2025, 3, 10)),
    ),
    silent(
        "visas and permits that must be valid on arrival only",
        date(2026, 1, 5),
        travel.Visa(holder="me", country="United States", kind="ESTA", valid_until=date(2026, 4, 10)),
        travel.Visa(holder="me", country="China", valid_until=date(2026, 5, 10), stay_days=30),
        travel.Visa(holder="me", country="New Zealand", kind="NZeTA", valid_until=date(2026, 6, 10)),
        travel.Trip(destination="New York", departs=date(2026, 4, 5), returns=date(2026, 4, 15)),
        travel.Trip(destination="Shanghai", departs=date(2026, 5, 1), returns=date(2026, 5, 20)),
        travel.Trip(destination="Auckland", departs=date(2026, 6, 1), returns=date(2026, 6, 20)),
    ),
    fires(
        "an ESTA that ends before the arrival",
        date(2026, 1, 5),
        travel.Visa(holder="me", country="United States", kind="ESTA", valid_until=date(2026, 4, 4)),
        travel.Trip(destination="New York", departs=date(2026, 4, 5), returns=date(2026, 4, 15)),
        says=["2026-04-04", "New York", "1 day before"],
    ),
]
