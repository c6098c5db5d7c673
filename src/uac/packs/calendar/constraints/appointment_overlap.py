from ..helpers import _clock, _coming, _is_never, _length, _with_place


def appointment_overlap(user, now):
    """Two appointments at the same time that the same person must keep, a date of a series included."""
    hours = [one for one in user.calendar.appointments if not one.all_day]
    spans = [span for one in hours for span in _spans(one, now)]
    spans = sorted(spans, key=lambda span: (span[0], span[1], span[2].what))
    found = []
    reported = set()  # pairs already reported, or that never clash: two series meet many times
    for index, (start, end, one) in enumerate(spans):
        for start_too, end_too, other in spans[index + 1 :]:
            if start_too - end >= timedelta(hours=1):
                break
            pair = sorted([one, other], key=record_id)
            key = (record_id(pair[0]), record_id(pair[1]))
            if key in reported or not _share_time(start, end, one, start_too, end_too, other):
                continue
            reported.add(key)
            if not _clash(one, other):
                continue
            zones = [_zone(start), _zone(start_too)] if _zone(start) != _zone(start_too) else ["", ""]
            zones = ["", ""] if one.repeats or other.repeats else zones
            text = f"{_with_place(one)} on {start:%A} {start.date()} {_hours(start, end, one)}{zones[0]} conflicts with"
            text = f"{text} {_with_place(other)} {_hours(start_too, end_too, other)}{zones[1]}. Reschedule one of them."
            found.append((critical if one.must or other.must else warning)(text, *pair))
    return found


def _spans(one, now):
    """The coming dates of an appointment. Without an end it is taken to last an hour."""
    if _is_never(one.starts):
        return []
    length = _length(one, timedelta(hours=1))
    starts = [one.starts]
    if one.repeats in ("daily", "weekly"):
        step = 7 if one.repeats == "weekly" else 1
        begun = max((now - one.starts).days // step, 0)
        starts = [one.starts + timedelta(days=step * (begun + n)) for n in range(60)]
    elif one.repeats is not None:
        step = 12 if one.repeats == "yearly" else 1
        begun = max((now.year - one.starts.year) * 12 + now.month - one.starts.month, 0) // step
        days = [add_months(one.starts.date(), step * (begun + n)) for n in range(2 if step == 12 else 13)]
        starts = [one.starts.replace(year=day.year, month=day.month, day=day.day) for day in days]
    return [(start, start + length, one) for start in _coming(starts, length, one, now)]


def _share_time(start, end, one, start_too, end_too, other):
    apart = abs((start.utcoffset() or timedelta()) - (start_too.utcoffset() or timedelta()))
    if (one.repeats or other.repeats) and apart == timedelta(hours=1):
        # A series keeps its hour when summer time begins or ends.
        zone = start.tzinfo
        return overlap(start, end, start_too.replace(tzinfo=zone), end_too.replace(tzinfo=zone))
    return overlap(start, end, start_too, end_too)


def _clash(one, other):
    """Whether somebody would have to be at both. One that was mentioned twice or moved is the same appointment."""
    if any(same(need, thing) for need in one.needs for thing in other.needs):
        return False  # resource_double_booked reports it
    mine, theirs = set(words(one.what)), set(words(other.what))
    inside, around = all(word in theirs for word in mine), all(word in mine for word in theirs)
    close = abs(one.starts - other.starts) <= timedelta(minutes=15)
    if same(one.what, other.what) or (close and (inside or around or same(one.where, other.where))):
        return False
    if any(each.repeats and not each.must and mentions(each.what, "break") for each in (one, other)):
        return False  # a daily lunch break makes way
    if _is_part(one, other) or _is_part(other, one):
        return False
    together = any(same_person(name, person) for name in one.who for person in other.who)
    return together or (one.attends is not False and other.attends is not False)


def _is_part(one, other):
    """Whether one is a part of the other: a talk at the conference, lunch at the fair."""
    if one.repeats or other.repeats or one.ends is None or other.ends is None:
        return False
    if not (other.starts <= one.starts and one.ends <= other.ends):
        return False
    usual = ("home", "house", "apartment", "flat", "office", "work", "school")
    there = same(one.where, other.where) and not any(word in usual for word in words(one.where))
    return there or mentions(one.what, other.what) or mentions(one.where, other.what)


def _hours(start, end, one):
    return f"at {_clock(start)}" if one.ends is None else f"from {_clock(start)} to {_clock(end)}"


def _zone(moment):
    """Which clock it is: ' UTC-4', ' UTC+5:30'."""
    minutes = (moment.utcoffset() or timedelta()) // timedelta(minutes=1)
    rest = f":{abs(minutes) % 60:02d}" if minutes % 60 else ""
    return f" UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60}{rest}"


CASES = [
    fires(
        "two dinners on one evening",
        date(2025, 5, 2),
        calendar.Appointment(what="dinner with Ana", starts=datetime(2025, 5, 9, 19, 0), where="Da Mario"),
        calendar.Appointment(what="dinner with the boss", starts=datetime(2025, 5, 9, 19, 30)),
        says=["dinner with Ana at Da Mario", "2025-05-09 at 19:00 (7 PM)", "boss at 19:30 (7:30 PM)"],
    ),
    fires(
        "two hours of which the end was not said",
        date(2025, 5, 2),
        calendar.Appointment(what="exam", starts=datetime(2025, 5, 9, 9, 0), lasts=timedelta(hours=2)),
        calendar.Appointment(what="dentist", starts=datetime(2025, 5, 9, 10, 30)),
        says=["exam", "dentist at 10:30"],
    ),
    fires(
        "the dentist during the weekly meeting, over the change to summer time",
        date(2025, 5, 2),
        calendar.Appointment(
            what="board meeting",
            starts=datetime(2025, 1, 7, 14, 0, tzinfo=timezone(timedelta(hours=1))),
            ends=datetime(2025, 1, 7, 15, 0, tzinfo=timezone(timedelta(hours=1))),
            repeats="weekly",
        ),
        calendar.Appointment(
            what="dentist", starts=datetime(2025, 5, 13, 14, 30, tzinfo=timezone(timedelta(hours=2)))
        ),
        says=["board meeting", "2025-05-13", "from 14:00 (2 PM) to 15:00", "dentist", "14:30"],
    ),
    fires(
        "an outing with the child who has a lesson",
        date(2025, 5, 2),
        calendar.Appointment(what="ballet", starts=datetime(2025, 5, 10, 10, 0), who=["Mia"], attends=False),
        calendar.Appointment(
            what="zoo", starts=datetime(2025, 5, 10, 9, 0), ends=datetime(2025, 5, 10, 16, 0), who=["Mia"]
        ),
        says=["zoo", "ballet", "2025-05-10", "conflicts"],
    ),
    silent(
        "one after the other; a series that ended, was moved, or is skipped",
        date(2025, 5, 2),
        calendar.Appointment(what="A", starts=datetime(2025, 5, 9, 9, 0), ends=datetime(2025, 5, 9, 10, 0)),
        calendar.Appointment(what="B", starts=datetime(2025, 5, 9, 10, 0)),
        calendar.Appointment(
            what="yoga", starts=datetime(2025, 3, 3, 18, 0), repeats="weekly", until=date(2025, 5, 5)
        ),
        calendar.Appointment(
            what="choir", starts=datetime(2025, 3, 3, 18, 0), repeats="weekly", skips=[date(2025, 5, 5)]
        ),
        calendar.Appointment(what="yoga", starts=datetime(2025, 5, 12, 19, 0), repeats="weekly"),
    ),
    silent(
        "mentioned twice; ended; past; only others go",
        date(2025, 5, 2),
        calendar.Appointment(what="dinner", starts=datetime(2025, 5, 9, 19, 0), where="Da Mario"),
        calendar.Appointment(what="anniversary dinner", starts=datetime(2025, 5, 9, 19, 0)),
        calendar.Appointment(what="class", starts=datetime(2025, 5, 9, 19, 0), who=["Tom"], attends=False),
        ended(calendar.Appointment(what="concert", starts=datetime(2025, 5, 9, 19, 0)), "2025-05-01"),
        calendar.Appointment(what="X", starts=datetime(2025, 5, 1, 19, 0)),
        calendar.Appointment(what="Y", starts=datetime(2025, 5, 1, 19, 0)),
    ),
    silent(
        "the same hour in two zones is not the same time",
        date(2025, 5, 2),
        calendar.Appointment(
            what="A", starts=datetime(2025, 5, 9, 9, 0, tzinfo=timezone(timedelta(hours=2)))
        ),
        calendar.Appointment(
            what="B", starts=datetime(2025, 5, 9, 9, 0, tzinfo=timezone(timedelta(hours=-4)))
        ),
    ),
    silent(
        "parts of a conference",
        date(2026, 2, 6),
        calendar.Appointment(
            what="PyCon", where="Hilton", starts=datetime(2026, 3, 5, 9, 0), ends=datetime(2026, 3, 5, 18, 0)
        ),
        calendar.Appointment(
            what="keynote", where="Hilton", starts=datetime(2026, 3, 5, 11, 0), ends=datetime(2026, 3, 5, 12, 0)
        ),
        calendar.Appointment(
            what="lunch with Bob at PyCon",
            starts=datetime(2026, 3, 5, 12, 30),
            ends=datetime(2026, 3, 5, 13, 30),
        ),
    ),
    fires(
        "an interview during the workshop, both at the office",
        date(2026, 2, 6),
        calendar.Appointment(
            what="workshop", where="office", starts=datetime(2026, 3, 5, 9, 0), ends=datetime(2026, 3, 5, 18, 0)
        ),
        calendar.Appointment(
            what="interview",
            where="office",
            starts=datetime(2026, 3, 5, 11, 0),
            ends=datetime(2026, 3, 5, 12, 0),
        ),
        says=["workshop", "interview", "2026-03-05"],
    ),
    fires(
        "a call in another zone",
        date(2026, 2, 20),
        calendar.Appointment(
            what="call with NY", starts=datetime(2026, 3, 10, 9, 0, tzinfo=timezone(timedelta(hours=-4)))
        ),
        calendar.Appointment(
            what="gym", starts=datetime(2026, 3, 10, 14, 30, tzinfo=timezone(timedelta(hours=1)))
        ),
        says=["call with NY", "09:00 UTC-4", "gym at 14:30 (2:30 PM) UTC+1"],
    ),
    silent(
        "lunch with somebody in the lunch break",
        date(2026, 2, 2),
        calendar.Appointment(what="lunch break", starts=datetime(2026, 2, 3, 12, 0), repeats="daily"),
        calendar.Appointment(what="lunch with Ana", starts=datetime(2026, 2, 10, 12, 30), where="Da Mario"),
    ),
]
