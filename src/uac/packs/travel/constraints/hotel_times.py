from ..helpers import _dated, _is_same_place


def hotel_times(user, now):
    """A hotel booked for nights before the arrival or after the departure, or left long before check-out."""
    found = []
    for stay in user.travel.stays:
        last = stay.checks_out or stay.checks_in
        if is_past(last, now):
            continue
        place, month = stay.place or stay.name, add_months(stay.checks_in, days=-30)
        flights = [f for f in user.travel.flights if month <= f.departs.date() <= last]
        leaving = [f for f in flights if _is_same_place(f.origin, place)]
        coming = [f for f in flights if _is_same_place(f.destination, place)]
        dated = _dated(user.travel.trips)
        trips = [t for t in dated if t.returns and t.departs < last and stay.checks_in < t.returns]
        alerts = [
            *[_early_flight(stay, f, [c for c in coming if c.departs > f.departs], last) for f in leaving],
            *[_late_arrival(stay, f, [c for c in coming if c.departs < f.departs], last) for f in coming],
            *[_outside(stay, trip, last) for trip in trips if _is_same_place(trip.destination, place)],
        ]
        found.extend([alert for alert in alerts if alert is not None][:1])
    return found


def _early_flight(stay, flight, later, last):
    """The flight away, unless one comes back before the booking ends."""
    day, leaves = flight.departs.date(), f"{flight.departs:%H:%M}"
    if any(f.departs.date() <= last for f in later):
        return None
    start = f"Your flight from {flight.origin} leaves {day} at {leaves}"
    if stay.checks_in < day < last:
        text = f"{start}, but {stay.name} is booked until {last}, {_nights(last - day)} longer. Shorten the"
        text = f"{text} booking or move the flight."
        return warning(text, stay, flight)
    out = stay.checks_out_at
    if day == last and out is not None and flight.departs.hour < 9 and out.hour - flight.departs.hour >= 3:
        must_go = flight.departs - timedelta(hours=2)
        text = f"{start}, so you leave {stay.name} by about {must_go:%H:%M}, hours before its check-out at"
        text = f"{text} {out:%H:%M}. Settle the bill and arrange the way to the airport the evening before,"
        text = f"{text} or give up the last night and check out earlier."
        return info(text, stay, flight)
    return None


def _late_arrival(stay, flight, earlier, last):
    """The flight there, unless an earlier one goes there too."""
    if flight.arrives is None or earlier:
        return None
    # An arrival before dawn needs the night before.
    night = add_months(flight.arrives, days=-1 if flight.arrives.hour < 6 else 0)
    if not stay.checks_in < night <= last:
        return None
    text = f"{stay.name} is booked from {stay.checks_in}, but your flight to {flight.destination} arrives"
    text = (
        f"{text} {flight.arrives.date()} at {flight.arrives:%H:%M}. Tell the hotel, which may give the room"
    )
    return warning(f"{text} away, or move the booking.", stay, flight)


def _outside(stay, trip, last):
    """Nights before the trip begins or after it ends."""
    if stay.checks_in >= trip.departs and last <= trip.returns:
        return None
    text = (
        f"{stay.name} is booked from {stay.checks_in} to {last}, but your trip to {trip.destination} is from"
    )
    return warning(f"{text} {trip.departs} to {trip.returns}. Change one of them.", stay, trip)


def _nights(span):
    return "1 night" if span.days == 1 else f"{span.days} nights"


CASES = [
    fires(
        "away at dawn, check-out at noon",
        date(2025, 2, 1),
        travel.Flight(origin="Lisbon", departs=datetime(2025, 3, 15, 6, 30)),
        travel.Stay(
            name="Grand Hotel",
            place="Lisbon",
            checks_in=date(2025, 3, 12),
            checks_out=date(2025, 3, 15),
            checks_out_at=time(12, 0),
        ),
        says=["Lisbon", "2025-03-15 at 06:30", "Grand Hotel", "04:30", "12:00"],
    ),
    fires(
        "two nights after the flight home",
        date(2025, 2, 1),
        travel.Flight(origin="Lisbon", departs=datetime(2025, 3, 13, 18, 30)),
        travel.Stay(name="Hotel Lisbon", checks_in=date(2025, 3, 12), checks_out=date(2025, 3, 15)),
        says=["2025-03-13 at 18:30", "until 2025-03-15", "2 nights"],
    ),
    fires(
        "the room a day before the flight arrives",
        date(2025, 2, 1),
        travel.Flight(
            origin="Boston",
            destination="Lisbon",
            departs=datetime(2025, 3, 12, 22, 0),
            arrives=datetime(2025, 3, 13, 9, 0),
        ),
        travel.Stay(name="Grand", place="Lisbon", checks_in=date(2025, 3, 12), checks_out=date(2025, 3, 15)),
        says=["from 2025-03-12", "arrives 2025-03-13 at 09:00"],
    ),
    fires(
        "one night more than the trip",
        date(2025, 2, 1),
        travel.Trip(destination="Lisbon", departs=date(2025, 3, 12), returns=date(2025, 3, 14)),
        travel.Stay(name="Grand", place="Lisbon", checks_in=date(2025, 3, 12), checks_out=date(2025, 3, 15)),
        says=["2025-03-12 to 2025-03-15", "2025-03-12 to 2025-03-14"],
    ),
    silent(
        "a flight at noon; a stay within its trip; another city",
        date(2025, 2, 1),
        travel.Trip(destination="Lisbon", departs=date(2025, 3, 11), returns=date(2025, 3, 15)),
        travel.Flight(origin="Lisbon", departs=datetime(2025, 3, 15, 13, 0)),
        travel.Flight(origin="Porto", departs=datetime(2025, 3, 13, 13, 0)),
        travel.Stay(
            name="Grand",
            place="Lisbon",
            checks_in=date(2025, 3, 12),
            checks_out=date(2025, 3, 15),
            checks_out_at=time(11, 0),
        ),
    ),
    silent(
        "an excursion by air, back the next day",
        date(2025, 2, 1),
        travel.Flight(origin="Lisbon", departs=datetime(2025, 3, 13, 8, 0)),
        travel.Flight(origin="Porto", destination="Lisbon", departs=datetime(2025, 3, 14, 8, 0)),
        travel.Stay(name="Grand", place="Lisbon", checks_in=date(2025, 3, 12), checks_out=date(2025, 3, 15)),
    ),
    silent(
        "it is over",
        date(2025, 3, 16),
        travel.Flight(origin="Lisbon", departs=datetime(2025, 3, 13, 8, 0)),
        travel.Stay(name="Grand", place="Lisbon", checks_in=date(2025, 3, 12), checks_out=date(2025, 3, 15)),
    ),
    silent(
        "a trip there at another time, and an arrival before dawn",
        date(2025, 3, 16),
        travel.Trip(destination="Lisbon", departs=date(2025, 6, 11), returns=date(2025, 6, 15)),
        travel.Flight(
            origin="Boston",
            destination="Lisbon",
            departs=datetime(2025, 7, 12, 18, 0),
            arrives=datetime(2025, 7, 13, 5, 0),
        ),
        travel.Stay(name="Palace", place="Lisbon", checks_in=date(2025, 7, 12), checks_out=date(2025, 7, 15)),
    ),
]
