from ..helpers import _with_place


def whole_day_overlap(user, now):
    """Something else on a day out of town, or two things of no set hour of which one cannot be missed."""
    singles = [one for one in user.calendar.appointments if one.repeats is None and one.attends is not False]
    singles = [one for one in singles if not is_past(_last_day(one), now)]
    singles = sorted(singles, key=lambda one: (one.starts.date(), one.what, one.starts))
    found = []
    for index, one in enumerate(singles):
        for other in singles[index + 1 :]:
            if other.starts.date() > _last_day(one):
                break
            if same(one.what, other.what) or not (_takes(one, other) or _takes(other, one)):
                continue
            if any(same(need, thing) for need in one.needs for thing in other.needs):
                continue  # resource_double_booked reports it
            day = max(one.starts.date(), other.starts.date())
            text = f"{_named(one)} and {_named(other)} are on the same day, {day:%A} {day}. They conflict"
            text = f"{text}: move one of them, unless there is time for both."
            pair = sorted([one, other], key=record_id)
            found.append((critical if one.must and other.must else warning)(text, *pair))
    return found


def _takes(one, other):
    """Whether a whole day leaves no room for the other."""
    if not one.all_day:
        return False
    if one.away and not (other.away or other.remote):
        return not (one.where and other.where and mentions(other.where, one.where))
    return bool(other.all_day and (one.must or other.must))


def _last_day(one):
    if one.ends is None or one.ends <= one.starts:
        return one.starts.date()
    return (one.ends - timedelta(minutes=1)).date()


def _named(one):
    return _with_place(one) if one.all_day else f"{_with_place(one)} at {one.starts:%H:%M}"


CASES = [
    fires(
        "a wedding that cannot be missed, and a run",
        date(2025, 5, 2),
        calendar.Appointment(
            what="wedding of Jo", starts=datetime(2025, 6, 7, 0, 0), all_day=True, must=True
        ),
        calendar.Appointment(what="long run", starts=datetime(2025, 6, 7, 0, 0), all_day=True),
        says=["wedding of Jo", "long run", "same day", "2025-06-07"],
    ),
    fires(
        "out of town, and a visit to the doctor",
        date(2025, 5, 2),
        calendar.Appointment(
            what="retreat",
            starts=datetime(2025, 6, 5, 0, 0),
            ends=datetime(2025, 6, 8, 0, 0),
            all_day=True,
            away=True,
        ),
        calendar.Appointment(what="doctor", starts=datetime(2025, 6, 7, 9, 0)),
        says=["retreat", "doctor at 09:00", "2025-06-07"],
    ),
    silent(
        "a birthday leaves room, a day at court an evening; the day after the retreat; a call from there",
        date(2025, 5, 2),
        calendar.Appointment(what="birthday of Jo", starts=datetime(2025, 6, 8, 0, 0), all_day=True),
        calendar.Appointment(
            what="retreat",
            starts=datetime(2025, 6, 5, 0, 0),
            ends=datetime(2025, 6, 8, 0, 0),
            all_day=True,
            away=True,
        ),
        calendar.Appointment(what="doctor", starts=datetime(2025, 6, 8, 9, 0)),
        calendar.Appointment(what="court", starts=datetime(2025, 6, 9, 0, 0), all_day=True, must=True),
        calendar.Appointment(what="dinner", starts=datetime(2025, 6, 9, 19, 0)),
        calendar.Appointment(what="call with Ana", starts=datetime(2025, 6, 6, 9, 0), remote=True),
    ),
    silent(
        "past; cancelled; mentioned twice; only others go",
        date(2025, 6, 2),
        calendar.Appointment(what="wedding", starts=datetime(2025, 6, 1, 0, 0), all_day=True, must=True),
        calendar.Appointment(what="run", starts=datetime(2025, 6, 1, 9, 0)),
        calendar.Appointment(what="trial", starts=datetime(2025, 6, 9, 0, 0), all_day=True, must=True),
        calendar.Appointment(what="Trial", starts=datetime(2025, 6, 9, 9, 0), must=True),
        ended(calendar.Appointment(what="run", starts=datetime(2025, 6, 9, 9, 0)), "2025-06-01"),
        calendar.Appointment(what="ballet", starts=datetime(2025, 6, 9, 9, 0), who=["Mia"], attends=False),
    ),
]
