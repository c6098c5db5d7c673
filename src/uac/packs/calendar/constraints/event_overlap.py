from ..helpers import _is_never, _length


def event_overlap(user, now):
    """An appointment at the time of a single event of an imported calendar."""
    events = [e for e in user.calendar.events if not (e.all_day or e.repeats or _is_off(e) or _is_never(e.start))]
    events = sorted([e for e in events if not is_past(e.start, now)], key=lambda e: (e.start, e.uid))
    hours = [a for a in user.calendar.appointments if not (a.all_day or a.repeats or a.attends is False)]
    hours = [a for a in hours if not _is_never(a.starts)]
    found = []
    for one in [a for a in hours if not is_past(a.starts, now)]:
        end = one.starts + _length(one, timedelta(hours=1))
        for event in events:
            if event.start >= end:
                break
            last = max(event.end or event.start, event.start + timedelta(minutes=1))
            if overlap(one.starts, end, event.start, last) and not _is_one(one, event):
                text = (
                    f"{one.what} on {one.starts:%A} {one.starts.date()} at {one.starts:%H:%M} conflicts with"
                )
                text = f"{text} {event.summary or 'an event'} in your calendar, {_hours(event)}."
                found.append(warning(f"{text} Reschedule one of them.", one, event))
    return found


def _is_off(event):
    return (event.status or "").upper() == "CANCELLED"


def _hours(event):
    return f"{event.start:%H:%M} to {event.end:%H:%M}" if event.end is not None else f"{event.start:%H:%M}"


def _is_one(one, event):
    """Whether the event is the appointment itself: about the same time, and a word or the place in common."""
    small = ("a", "an", "and", "at", "for", "in", "of", "on", "the", "to", "with", "my", "s")
    named = set(words(event.summary))
    shared = [word for word in words(one.what) if word not in small and word in named]
    close = abs(one.starts - event.start) <= timedelta(minutes=60)
    return same(one.what, event.summary) or (close and (bool(shared) or same(one.where, event.location)))


CASES = [
    fires(
        "a dentist during a review in the calendar",
        date(2025, 5, 2),
        calendar.Appointment(what="dentist", starts=datetime(2025, 5, 9, 14, 30)),
        calendar.Event(
            uid="1",
            summary="Quarterly review",
            start=datetime(2025, 5, 9, 14, 0),
            end=datetime(2025, 5, 9, 16, 0),
            all_day=False,
        ),
        says=["dentist", "2025-05-09 at 14:30", "Quarterly review", "14:00 to 16:00"],
    ),
    fires(
        "the same instant in another zone",
        date(2025, 5, 2),
        calendar.Appointment(what="dentist", starts=datetime(2025, 5, 9, 14, 30)),
        calendar.Event(
            uid="1",
            summary="Review",
            start=datetime(2025, 5, 9, 16, 30, tzinfo=timezone(timedelta(hours=2))),
            all_day=False,
        ),
        says=["dentist", "Review"],
    ),
    silent(
        "the event is the appointment; it begins when the other ends",
        date(2025, 5, 2),
        calendar.Appointment(what="dentist", starts=datetime(2025, 5, 9, 14, 30)),
        calendar.Event(uid="1", summary="Dentist (Dr. Wu)", start=datetime(2025, 5, 9, 14, 0), all_day=False),
        calendar.Event(uid="2", summary="Review", start=datetime(2025, 5, 9, 15, 30), all_day=False),
    ),
    silent(
        "cancelled, all day, repeating, past, or only of others",
        date(2025, 5, 2),
        calendar.Appointment(what="dentist", starts=datetime(2025, 5, 9, 14, 30)),
        calendar.Event(
            uid="1", summary="A", start=datetime(2025, 5, 9, 14, 30), all_day=False, status="CANCELLED"
        ),
        calendar.Event(uid="2", summary="B", start=datetime(2025, 5, 9, 0, 0), all_day=True),
        calendar.Event(
            uid="3", summary="C", start=datetime(2025, 5, 9, 14, 30), all_day=False, repeats="FREQ=DAILY"
        ),
        calendar.Appointment(what="old", starts=datetime(2025, 5, 1, 14, 30)),
        calendar.Event(uid="4", summary="D", start=datetime(2025, 5, 1, 14, 30), all_day=False),
        calendar.Appointment(what="ballet", starts=datetime(2025, 5, 8, 14, 30), who=["Mia"], attends=False),
        calendar.Event(uid="5", summary="E", start=datetime(2025, 5, 8, 14, 30), all_day=False),
    ),
]
