"""What the constraints of calendar share. This file is read, never run."""

ONLINE = "zoom teams online skype phone video virtual webex http https www".split()


def _dated(trips):
    """The trips whose day of departure is known; an idea may have none."""
    return [trip for trip in trips if trip.departs is not None]


def _is_never(moment):
    """Whether it is a way to write that a time never comes."""
    return moment.year > 9000


def _length(one, default):
    """How long an appointment takes, or the default if that is not known."""
    ends = one.ends is not None and one.ends > one.starts
    length = one.ends - one.starts if ends else one.lasts or default
    return max(min(length, timedelta(days=366 if one.repeats else 36_600)), timedelta())


def _coming(starts, length, one, now):
    """The dates of a series that are still to come and not left out."""
    if one.until is not None:
        starts = [start for start in starts if start.date() <= one.until]
    return [start for start in starts if start.date() not in one.skips and not is_past(start + length, now)]


def _clock(moment):
    """14:30 (2:30 PM), 09:00"""
    short = f"{moment.hour - 12}:{moment.minute:02d}".removesuffix(":00")
    return f"{moment:%H:%M} ({short} PM)" if moment.hour > 12 else f"{moment:%H:%M}"


def _with_place(one):
    """An appointment in a sentence: lunch at Luigi's."""
    return f"{one.what} at {one.where}" if one.where and not mentions(one.what, one.where) else one.what


def _places_of(trip):
    return [place for place in [trip.destination, trip.country, *trip.stops] if place]


def _due_hour(deadline):
    """The hour of a deadline and its zone: ' at 17:00 CET'; nothing if it has none."""
    zone = f" {deadline.zone}" if deadline.zone else ""
    return f" at {deadline.due_at:%H:%M}{zone}" if deadline.due_at is not None else ""


def _otherwise(deadline):
    """What happens if a deadline is missed, as a sentence; nothing if that is not known."""
    return f" Otherwise: {deadline.consequence}." if deadline.consequence else ""
