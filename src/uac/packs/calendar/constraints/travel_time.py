from ..helpers import _is_never, _length


def travel_time(user, now):
    """Too little time to get from one appointment to the next, where the user said how long the way takes."""
    ahead = [
        one for one in user.calendar.appointments if not (one.all_day or one.repeats or one.attends is False)
    ]
    ahead = sorted(
        [one for one in ahead if not is_past(one.starts, now) and not _is_never(one.starts)],
        key=lambda one: (one.starts, one.what),
    )
    found = []
    for index, other in enumerate(ahead):
        if index == 0 or other.travel_minutes is None or other.remote or not other.where:
            continue
        one = ahead[index - 1]
        length = _length(one, timedelta())
        if not length or one.remote or not one.where or mentions(one.where, other.where):
            continue
        ends = one.starts + length
        gap = (other.starts - ends) // timedelta(minutes=1)
        if 0 <= gap < other.travel_minutes:
            text = (
                f"{one.what} at {one.where} ends {ends.date()} at {ends:%H:%M}, and {other.what} at"
            )
            text = f"{text} {other.where} begins at {other.starts:%H:%M}: {gap} minutes, but the way takes"
            text = f"{text} {other.travel_minutes}. Leave {one.what} earlier, or move one of them."
            found.append(warning(text, one, other))
    return found


CASES = [
    fires(
        "half an hour for a way of an hour",
        date(2025, 5, 2),
        calendar.Appointment(
            what="exam", starts=datetime(2025, 5, 9, 9, 0), ends=datetime(2025, 5, 9, 12, 0), where="college"
        ),
        calendar.Appointment(
            what="lunch with Ana", starts=datetime(2025, 5, 9, 12, 30), where="airport", travel_minutes=60
        ),
        says=["exam at college", "12:00", "lunch with Ana at airport", "12:30", "30 minutes", "60"],
    ),
    fires(
        "how long it lasts was said, not when it ends",
        date(2025, 5, 2),
        calendar.Appointment(
            what="exam", starts=datetime(2025, 5, 9, 9, 0), lasts=timedelta(hours=3), where="college"
        ),
        calendar.Appointment(
            what="lunch with Ana", starts=datetime(2025, 5, 9, 12, 30), where="airport", travel_minutes=60
        ),
        says=["exam at college ends 2025-05-09 at 12:00", "30 minutes"],
    ),
    silent(
        "just enough time",
        date(2025, 5, 2),
        calendar.Appointment(
            what="exam", starts=datetime(2025, 5, 9, 9, 0), ends=datetime(2025, 5, 9, 12, 0), where="college"
        ),
        calendar.Appointment(
            what="lunch with Ana", starts=datetime(2025, 5, 9, 13, 0), where="airport", travel_minutes=60
        ),
    ),
    silent(
        "the same place; no travel time known; online; past",
        date(2025, 5, 2),
        calendar.Appointment(
            what="exam", starts=datetime(2025, 5, 9, 9, 0), ends=datetime(2025, 5, 9, 12, 0), where="college"
        ),
        calendar.Appointment(
            what="lunch",
            starts=datetime(2025, 5, 9, 12, 10),
            ends=datetime(2025, 5, 9, 13, 0),
            where="College",
            travel_minutes=30,
        ),
        calendar.Appointment(
            what="talk",
            starts=datetime(2025, 5, 9, 13, 10),
            ends=datetime(2025, 5, 9, 14, 0),
            where="town hall",
        ),
        calendar.Appointment(
            what="call", starts=datetime(2025, 5, 9, 14, 10), where="home", travel_minutes=30, remote=True
        ),
        calendar.Appointment(
            what="A", starts=datetime(2025, 5, 1, 9, 0), ends=datetime(2025, 5, 1, 12, 0), where="college"
        ),
        calendar.Appointment(
            what="B", starts=datetime(2025, 5, 1, 12, 30), where="airport", travel_minutes=60
        ),
    ),
    silent(
        "the first goes on until after the second begins, which appointment_overlap tells",
        date(2025, 5, 2),
        calendar.Appointment(
            what="exam", starts=datetime(2025, 5, 9, 9, 0), ends=datetime(2025, 5, 9, 12, 0), where="college"
        ),
        calendar.Appointment(
            what="lunch", starts=datetime(2025, 5, 9, 11, 0), where="airport", travel_minutes=60
        ),
    ),
]
