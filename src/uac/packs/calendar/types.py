"""Events of imported calendars, appointments, meetings, weekly routines and deadlines."""


@many("uid")
class Event:
    """An event of a calendar; one that repeats is one record."""

    uid: str
    summary: str | None
    start: datetime
    end: datetime | None
    all_day: bool
    location: str | None
    description: str | None
    status: str | None
    repeats: str | None
    "The rule of repetition, as in the file: FREQ=WEEKLY;BYDAY=TU."


@event("what", "starts")
class Appointment:
    """Something at a set time that the user, or somebody or something of theirs, must be there for."""

    what: str
    starts: datetime
    "With the offset of the place; of whole days, or where no hour is known, midnight."
    ends: datetime | None
    "Of whole days midnight after the last of them, as in calendars."
    lasts: timedelta | None
    "How long, if that was said and not when it ends."
    all_day: bool | None
    "It takes the whole day, or no hour is known."
    repeats: Literal["daily", "weekly", "monthly", "yearly"] | None
    until: date | None
    "The last day of a series. If a series moves, its old one ends and a new one begins."
    where: str | None
    "'home', or the place as the user calls it."
    who: list[str]
    "Those who take part, other than the user."
    needs: list[str]
    "Things it takes, which cannot serve two at once: car, house, guest room."
    away: bool | None
    "The user is out of town for it."
    attends: bool | None
    "False if the user does not take part: only those in `who`, or only the thing that is needed."
    remote: bool | None
    "By telephone or online, from anywhere."
    must: bool | None
    "The user said that it cannot be missed or moved."
    travel_minutes: int | None
    "How long it takes to get there, if the user said so."
    skips: list[date]
    "Days on which a series does not take place."
    cost: Money | None
    notes: str | None


@many("what", "weekday")
class Routine:
    """Something of every week with no first date: a class, a club, a market."""

    what: str
    weekday: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    at: time | None
    lasts: timedelta | None
    where: str | None
    who: list[str]
    "Those who take part, other than the user."
    attends: bool | None
    "False if only those in `who` go."
    since: date | None
    until: date | None
    "The last day of it."
    skips: list[date]
    "Days on which it does not take place."
    cost: Money | None
    notes: str | None


@event("who", "day")
class Meeting:
    """A talk, call or meeting with somebody, past or to come."""

    who: str
    "The person, group or firm: Priya, the board."
    day: date | None
    at: time | None
    lasts: timedelta | None
    about: str | None
    where: str | None
    remote: bool | None
    "By telephone or online."
    outcome: str | None
    "What was decided or promised."
    notes: str | None


@many("what")
class Deadline:
    """Something to do, by a day if there is one. What is done is ended."""

    what: str
    due: date | None
    "The last day, if there is one; with `notice_days` the day for which notice is given."
    due_at: time | None
    zone: str | None
    "The time zone that due_at is in: Eastern Time, Europe/Berlin, UTC."
    notice_days: int | None
    "Notice must be given so many days before `due`."
    working_days: bool | None
    "The notice counts working days: Monday to Friday."
    lead_days: int | None
    "How many days before the user wants to hear of it."
    planned: date | None
    "The day on which the user means to do it."
    remote: bool | None
    "It can be done from anywhere."
    consequence: str | None
    "What happens otherwise: a late fee, the place is lost."
    notes: str | None
