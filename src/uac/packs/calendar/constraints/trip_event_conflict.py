from ..helpers import ONLINE, _dated, _places_of


def trip_event_conflict(user, now):
    """A single event of an imported calendar at some place, while the user is on a trip elsewhere."""
    trips = [trip for trip in _dated(user.travel.trips) if trip.returns is not None and not is_past(trip.returns, now)]
    if not trips:
        return []
    events = [e for e in user.calendar.events if e.location and not (e.all_day or e.repeats)]
    events = [e for e in events if (e.status or "").upper() != "CANCELLED" and not is_past(e.start, now)]
    found = []
    for trip in sorted(trips, key=lambda trip: (trip.departs, trip.destination)):
        for event in sorted(events, key=lambda event: (event.start, event.uid)):
            # The days of travel themselves may leave room for it.
            if trip.departs < event.start.date() < (trip.returns or trip.departs) and not _is_there(
                event, trip
            ):
                text = f"{event.summary or 'An event'} in your calendar, on {event.start:%A}"
                text = f"{text} {event.start.date()} at {event.start:%H:%M}, {event.location}, conflicts with"
                text = f"{text} your trip to {trip.destination} from {trip.departs} to {trip.returns}."
                text = f"{text} Reschedule it, or adjust the trip."
                found.append(warning(text, event, trip))
    return found


def _is_there(event, trip):
    """Whether the event belongs to the trip or can be kept from there."""
    if any(word in ONLINE or word == "meet" for word in words(event.location)):
        return True
    texts = [text for text in [event.summary, event.location, event.description] if text]
    if any(mentions(text, place) for place in _places_of(trip) for text in texts):
        return True
    travelling = ("flight", "hotel", "train", "check", "boarding", "airport", "rental")
    purpose = [word for word in [*words(trip.purpose), *words(" ".join(trip.activities))] if len(word) > 4]
    return any(word in travelling or word in purpose for word in words(event.summary))


CASES = [
    fires(
        "the parents' evening",
        date(2025, 5, 2),
        travel.Trip(destination="Peru", departs=date(2025, 6, 1), returns=date(2025, 6, 14)),
        calendar.Event(
            uid="1",
            summary="Parents' evening",
            start=datetime(2025, 6, 5, 18, 0),
            location="School",
            all_day=False,
        ),
        says=["Parents' evening", "2025-06-05 at 18:00, School", "Peru", "2025-06-01 to 2025-06-14"],
    ),
    silent(
        "no place; online; at the destination; part of the journey",
        date(2025, 5, 2),
        travel.Trip(
            destination="Lima", departs=date(2025, 6, 1), returns=date(2025, 6, 14), purpose="conference"
        ),
        calendar.Event(uid="1", summary="Focus", start=datetime(2025, 6, 5, 18, 0), all_day=False),
        calendar.Event(
            uid="2", summary="Daily", start=datetime(2025, 6, 5, 9, 0), location="Zoom", all_day=False
        ),
        calendar.Event(
            uid="3", summary="Tour", start=datetime(2025, 6, 5, 9, 0), location="Lima, Peru", all_day=False
        ),
        calendar.Event(
            uid="4", summary="Flight LA 1", start=datetime(2025, 6, 5, 9, 0), location="CUZ", all_day=False
        ),
        calendar.Event(
            uid="5", summary="Conference", start=datetime(2025, 6, 5, 9, 0), location="Hall", all_day=False
        ),
    ),
    silent(
        "a day of travel; cancelled; repeating; all day; past; the trip was cancelled",
        date(2025, 6, 4),
        travel.Trip(destination="Lima", departs=date(2025, 6, 1), returns=date(2025, 6, 14)),
        calendar.Event(
            uid="1", summary="A", start=datetime(2025, 6, 14, 18, 0), location="School", all_day=False
        ),
        calendar.Event(
            uid="2",
            summary="B",
            start=datetime(2025, 6, 9, 9, 0),
            location="School",
            all_day=False,
            status="CANCELLED",
        ),
        calendar.Event(
            uid="3",
            summary="C",
            start=datetime(2025, 6, 9, 9, 0),
            location="Gym",
            all_day=False,
            repeats="FREQ=DAILY",
        ),
        calendar.Event(uid="4", summary="D", start=datetime(2025, 6, 9, 0, 0), location="Park", all_day=True),
        calendar.Event(
            uid="5", summary="E", start=datetime(2025, 6, 3, 9, 0), location="Park", all_day=False
        ),
        ended(
            travel.Trip(destination="Rome", departs=date(2025, 7, 1), returns=date(2025, 7, 14)), "2025-06-01"
        ),
        calendar.Event(
            uid="6", summary="F", start=datetime(2025, 7, 3, 9, 0), location="Park", all_day=False
        ),
    ),
]
