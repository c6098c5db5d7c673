from ..helpers import _clock, _is_never, _length, _with_place

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def hour_taken(user, now):
    """A meeting, or a date of a weekly routine, at the hour of an appointment or of another meeting."""
    singles = [one for one in user.calendar.appointments if not (one.all_day or one.repeats)]
    singles = [one for one in singles if not (_is_never(one.starts) or is_past(one.starts, now))]
    taken = [
        (one.starts.replace(tzinfo=None), _length(one, timedelta(hours=1)), _with_place(one), one, _goers(one))
        for one in singles
    ]
    for one in user.calendar.meetings:
        if one.at is not None and one.day is not None and not is_past(one.day, now) and not _is_never(one.day):
            about = f" about {one.about}" if one.about else ""
            start = datetime.combine(one.day, one.at)
            taken = [*taken, (start, _lasts(one), f"the meeting with {one.who}{about}", one, ["me", one.who])]
    taken = sorted(taken, key=lambda each: (each[0], record_id(each[3])))
    found = []
    for index, (start, length, title, one, who) in enumerate(taken):
        for start_too, length_too, title_too, other, who_too in taken[index + 1 :]:
            if start_too >= start + length:
                break
            # Two appointments are reported by appointment_overlap, which knows their zones.
            is_new = record_id(one).startswith("calendar.Meeting") or record_id(other).startswith("calendar.Meeting")
            if is_new and _meet(who, who_too) and not _is_one(one, other):
                text = f"{title} on {start:%A} {start.date()} at {_clock(start)} conflicts with {title_too} at"
                found.append(warning(f"{text} {_clock(start_too)}. Reschedule one of them.", one, other))
        for routine in user.calendar.routines:
            begins = _date_of(routine, start)
            if begins is None or not overlap(start, start + length, begins, begins + _lasts(routine)):
                continue
            if _meet(who, _goers(routine)) and not _is_one(one, routine):
                text = f"{title} on {start:%A} {start.date()} at {_clock(start)} is at the time of {_with_place(routine)},"
                text = f"{text} every {routine.weekday} at {_clock(begins)}. Move it, or skip {routine.what} that day."
                found.append(warning(text, one, routine))
    return found


def _date_of(routine, moment):
    """When the routine begins on the day of the moment, or None if it does not take place then."""
    day = moment.date()
    if routine.at is None or DAYS[day.weekday()] != routine.weekday or day in routine.skips:
        return None
    is_over = routine.until is not None and day > routine.until
    is_ahead = routine.since is not None and day < routine.since
    return None if is_over or is_ahead else datetime.combine(day, routine.at)


def _lasts(one):
    """How long it takes; an hour if that is not known."""
    return max(min(one.lasts or timedelta(hours=1), timedelta(days=1)), timedelta(minutes=1))


def _goers(one):
    return [*([] if one.attends is False else ["me"]), *one.who]


def _meet(who, others):
    return any(same(name, other) or same_person(name, other) for name in who for other in others)


def _is_one(one, other):
    """Whether both are one thing told twice: the same words, or a meeting with somebody who is named in the other."""
    texts = [_words_of(one), _words_of(other)]
    return all(word in texts[1] for word in texts[0]) or all(word in texts[0] for word in texts[1])


def _words_of(one):
    small = ("a", "an", "the", "with", "my", "our", "at", "of", "meeting", "call", "about", "and", "to")
    if record_id(one).startswith("calendar.Meeting"):
        return [word for word in words(one.who) if word not in small]
    return [word for word in [*words(one.what), *words(" ".join(one.who))] if word not in small]


CASES = [
    fires(
        "the dentist during the weekly class",
        date(2025, 5, 2),
        calendar.Routine(what="yoga", weekday="Friday", at=time(18, 0), lasts=timedelta(minutes=90)),
        calendar.Appointment(what="dentist", starts=datetime(2025, 5, 9, 19, 0)),
        says=["dentist on Friday 2025-05-09 at 19:00 (7 PM)", "yoga, every Friday at 18:00", "skip yoga"],
    ),
    fires(
        "a meeting during an appointment",
        date(2025, 5, 2),
        calendar.Meeting(who="Priya", day=date(2025, 5, 9), at=time(10, 0), about="the roadmap"),
        calendar.Appointment(what="dentist", starts=datetime(2025, 5, 9, 10, 30)),
        says=["the meeting with Priya about the roadmap on Friday 2025-05-09 at 10:00", "dentist at 10:30"],
    ),
    fires(
        "two meetings at once",
        date(2025, 5, 2),
        calendar.Meeting(who="Priya", day=date(2025, 5, 9), at=time(10, 0), lasts=timedelta(hours=2)),
        calendar.Meeting(who="the bank", day=date(2025, 5, 9), at=time(11, 30)),
        says=["Priya", "the bank", "conflicts"],
    ),
    silent(
        "the class is off that day, over, not begun, on another day, or only the child's",
        date(2025, 5, 2),
        calendar.Routine(what="yoga", weekday="Friday", at=time(18, 0), skips=[date(2025, 5, 9)]),
        calendar.Routine(what="choir", weekday="Friday", at=time(18, 0), until=date(2025, 5, 2)),
        calendar.Routine(what="judo", weekday="Friday", at=time(18, 0), since=date(2025, 9, 1)),
        calendar.Routine(what="chess", weekday="Thursday", at=time(18, 0)),
        calendar.Routine(what="ballet", weekday="Friday", at=time(18, 0), who=["Mia"], attends=False),
        calendar.Routine(what="market", weekday="Friday"),
        calendar.Appointment(what="dentist", starts=datetime(2025, 5, 9, 18, 0)),
    ),
    silent(
        "one after the other; one thing told twice; past; on an unknown day",
        date(2025, 5, 2),
        calendar.Meeting(who="Ada", at=time(10, 0)),
        calendar.Meeting(who="Priya", day=date(2025, 5, 9), at=time(10, 0)),
        calendar.Meeting(who="Tom", day=date(2025, 5, 9), at=time(11, 0)),
        calendar.Appointment(what="meeting with Priya", starts=datetime(2025, 5, 9, 10, 0)),
        calendar.Routine(what="yoga", weekday="Monday", at=time(18, 0)),
        calendar.Appointment(what="yoga class", starts=datetime(2025, 5, 5, 18, 0)),
        calendar.Meeting(who="Ana", day=date(2025, 5, 1), at=time(10, 0)),
        calendar.Appointment(what="exam", starts=datetime(2025, 5, 1, 10, 0)),
        calendar.Meeting(who="Lee", day=date(2025, 5, 20)),
    ),
]
