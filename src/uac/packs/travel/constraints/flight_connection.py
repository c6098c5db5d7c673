from ..helpers import _is_same_place


def flight_connection(user, now):
    """A connecting flight that leaves before the one before it arrives, or very soon after."""
    ahead = [flight for flight in user.travel.flights if not is_past(flight.departs, now)]
    ahead = sorted(ahead, key=lambda flight: flight.departs)
    found = []
    for index, flight in enumerate(ahead):
        if flight.arrives is None or not flight.destination:
            continue
        onward = [f for f in ahead[index + 1 :] if _is_same_place(f.origin, flight.destination)]
        for connection in onward[:1]:
            gap = connection.departs - flight.arrives
            if gap >= timedelta(minutes=45):
                continue
            text = (
                f"Your flight{_number(flight)} arrives in {flight.destination} on {flight.arrives.date()} at"
            )
            text = f"{text} {flight.arrives:%H:%M}, and the flight{_number(connection)} from there leaves at"
            minutes = gap // timedelta(minutes=1)
            text = f"{text} {connection.departs:%H:%M} on {connection.departs.date()}"
            if minutes < 0:
                text = f"{text}, {-minutes} minutes before. You cannot reach it: rebook one of them."
                found.append(critical(text, flight, connection))
            else:
                text = f"{text}, {minutes} minutes later. Ask the airline whether that is enough to change"
                text = f"{text} planes."
                found.append(warning(text, flight, connection))
    return found


def _number(flight):
    return f" {flight.number}" if flight.number else ""


CASES = [
    fires(
        "it leaves before the other arrives",
        date(2025, 2, 1),
        travel.Flight(
            origin="Boston",
            destination="Lisbon",
            departs=datetime(2025, 3, 12, 22, 0),
            arrives=datetime(2025, 3, 13, 9, 0),
            number="TP 1",
        ),
        travel.Flight(
            origin="Lisbon", destination="Faro", departs=datetime(2025, 3, 13, 8, 30), number="TP 2"
        ),
        says=["TP 1", "2025-03-13 at 09:00", "TP 2", "08:30", "30 minutes before"],
    ),
    fires(
        "half an hour to change planes",
        date(2025, 2, 1),
        travel.Flight(
            origin="Boston",
            destination="Lisbon",
            departs=datetime(2025, 3, 12, 22, 0),
            arrives=datetime(2025, 3, 13, 9, 0),
        ),
        travel.Flight(origin="Lisbon", departs=datetime(2025, 3, 13, 9, 30)),
        says=["30 minutes later"],
    ),
    silent(
        "three quarters of an hour",
        date(2025, 2, 1),
        travel.Flight(
            origin="Boston",
            destination="Lisbon",
            departs=datetime(2025, 3, 12, 22, 0),
            arrives=datetime(2025, 3, 13, 9, 0),
        ),
        travel.Flight(origin="Lisbon", departs=datetime(2025, 3, 13, 9, 45)),
    ),
    silent(
        "another airport; a day that is past; an arrival nobody knows",
        date(2025, 3, 14),
        travel.Flight(
            origin="Boston",
            destination="Lisbon",
            departs=datetime(2025, 3, 12, 22, 0),
            arrives=datetime(2025, 3, 13, 9, 0),
        ),
        travel.Flight(origin="Lisbon", departs=datetime(2025, 3, 13, 8, 30)),
        travel.Flight(
            origin="Oslo",
            destination="Paris",
            departs=datetime(2025, 4, 12, 6, 0),
            arrives=datetime(2025, 4, 12, 9, 0),
        ),
        travel.Flight(origin="Rome", departs=datetime(2025, 4, 12, 9, 10)),
        travel.Flight(origin="Bern", destination="Rome", departs=datetime(2025, 4, 12, 7, 10)),
    ),
]
