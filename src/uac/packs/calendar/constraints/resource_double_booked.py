from ..helpers import _coming, _is_never, _length


def resource_double_booked(user, now):
    """Two appointments that take the same thing, such as the car or the house, at the same time."""
    taking = [one for one in user.calendar.appointments if one.needs]
    spans = [(*span, one) for one in taking for span in _spans(one, now)]
    spans = sorted(spans, key=lambda span: (span[0], span[1], span[2].what))
    found = []
    reported = set()
    for index, (start, end, one) in enumerate(spans):
        for start_too, end_too, other in spans[index + 1 :]:
            if start_too >= end:
                break
            things = [
                need for need in one.needs if any(_is_same(_thing(need), _thing(n)) for n in other.needs)
            ]
            pair = sorted([one, other], key=record_id)
            key = (record_id(pair[0]), record_id(pair[1]))
            if not things or key in reported or same(one.what, other.what):
                continue
            reported.add(key)
            thing = " ".join(_thing(things[0]))
            text = f"Both need the {thing} on {start_too.date()}: {one.what}{_hours(start, end, one)}, and"
            text = (
                f"{text} {other.what}{_hours(start_too, end_too, other)}. They conflict: the {thing} will be"
            )
            text = f"{text} unavailable for one of them. Reschedule one, or arrange something else for it."
            found.append(warning(text, *pair))
    return found


def _spans(one, now):
    """The coming times of an appointment. Without an end it is taken to last an hour, or the day."""
    if _is_never(one.starts):
        return []
    length = _length(one, timedelta(days=1) if one.all_day else timedelta(hours=1))
    step = {"daily": 1, "weekly": 7}.get(one.repeats or "")
    begun = max((now - one.starts).days // step, 0) if step else 0
    starts = [one.starts + timedelta(days=step * (begun + n)) for n in range(60)] if step else [one.starts]
    return [(start, start + length) for start in _coming(starts, length, one, now)]


def _thing(need):
    return [word for word in words(need) if word not in ("my", "our", "the", "a", "family")]


def _is_same(thing, other):
    """Whether they are one thing, or one is a room of the other."""
    whole = ("house", "home", "apartment", "flat")
    rooms = ("room", "bedroom", "bathroom", "kitchen", "garage", "basement", "suite", "studio")
    pairs_of = [(thing, other), (other, thing)]
    inside = any(t[-1:] and t[-1] in whole and o[-1:] and o[-1] in rooms for t, o in pairs_of)
    return thing == other or inside


def _hours(start, end, one):
    if one.all_day:
        last = (end - timedelta(minutes=1)).date()
        return f" ({start.date()})" if last == start.date() else f" ({start.date()} to {last})"
    return f" (at {start:%H:%M})" if one.ends is None else f" ({start:%H:%M} to {end:%H:%M})"


CASES = [
    fires(
        "the car is at the garage when it is needed",
        date(2025, 5, 2),
        calendar.Appointment(
            what="inspection at the garage",
            starts=datetime(2025, 5, 9, 8, 0),
            ends=datetime(2025, 5, 9, 17, 0),
            needs=["my car"],
        ),
        calendar.Appointment(
            what="fetch Ana from the station", starts=datetime(2025, 5, 9, 14, 0), needs=["car"]
        ),
        says=["car on 2025-05-09", "inspection at the garage (08:00 to 17:00)", "fetch Ana", "14:00"],
    ),
    fires(
        "guests on the last day of the works",
        date(2025, 5, 2),
        calendar.Appointment(
            what="painters",
            starts=datetime(2025, 5, 8, 0, 0),
            ends=datetime(2025, 5, 10, 0, 0),
            all_day=True,
            needs=["house"],
        ),
        calendar.Appointment(
            what="guests", starts=datetime(2025, 5, 9, 0, 0), all_day=True, needs=["guest room"]
        ),
        says=["house on 2025-05-09", "painters (2025-05-08 to 2025-05-09)", "guests"],
    ),
    silent(
        "the guests come the day after; another thing; past",
        date(2025, 5, 2),
        calendar.Appointment(
            what="painters",
            starts=datetime(2025, 5, 8, 0, 0),
            ends=datetime(2025, 5, 10, 0, 0),
            all_day=True,
            needs=["house"],
        ),
        calendar.Appointment(
            what="guests", starts=datetime(2025, 5, 10, 0, 0), all_day=True, needs=["house"]
        ),
        calendar.Appointment(what="drive", starts=datetime(2025, 5, 9, 9, 0), needs=["car"]),
        calendar.Appointment(what="A", starts=datetime(2025, 5, 1, 9, 0), needs=["car"]),
        calendar.Appointment(what="B", starts=datetime(2025, 5, 1, 9, 0), needs=["car"]),
    ),
    silent(
        "one after the other; cancelled; moved; mentioned twice",
        date(2025, 5, 2),
        calendar.Appointment(
            what="service", starts=datetime(2025, 5, 9, 8, 0), ends=datetime(2025, 5, 9, 9, 0), needs=["car"]
        ),
        calendar.Appointment(what="drive", starts=datetime(2025, 5, 9, 9, 0), needs=["car"]),
        calendar.Appointment(what="Drive", starts=datetime(2025, 5, 9, 9, 30), needs=["car"]),
        ended(
            calendar.Appointment(what="wash", starts=datetime(2025, 5, 9, 9, 0), needs=["car"]), "2025-05-01"
        ),
    ),
]
