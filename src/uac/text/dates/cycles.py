"""Periods that recur each week, month or year, and days at a distance from another."""

import calendar
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple, cast

from uac.errors import Refused
from uac.schema.periods import Period
from uac.text.dates.grammar import DateReading
from uac.text.dates.holidays import holiday_period

__all__ = [
    "SUNDAY",
    "Cycle",
    "Duration",
    "calendar_span",
    "day_period",
    "day_range",
    "distinct_periods",
    "duration_of",
    "first_day",
    "last_day",
    "month_text",
    "monthly_cycle",
    "nearest_occurrences",
    "occurrence_beside",
    "period_between_distances",
    "periods_at_distance",
    "shifted",
    "week_period",
    "weekly_cycle",
    "year_period",
    "yearly_cycle",
]

Unit = Literal["day", "week", "month", "year", "hour", "minute"]
SUNDAY = 6


class Duration(NamedTuple):
    number: Decimal
    unit: Unit


def shifted(day: date, duration: Duration, *, back: bool = False) -> date:
    """The day later (or earlier) by a duration; a day that its month does not have becomes the month's last.

    Hours and minutes count as whole days, rounded down. Refused outside of the years 1 to 9999.
    """
    number, unit = _in_whole_units(duration)
    try:
        if unit in ("month", "year"):
            return _add_months(day, (-number if back else number) * (12 if unit == "year" else 1))
        days = {"day": number, "week": number * 7, "hour": number // 24, "minute": number // 1440}[unit]
        return day + timedelta(days=-days if back else days)
    except (ValueError, OverflowError):
        sign = "-" if back else "+"
        raise Refused(
            f"{day} {sign} {duration.number} {duration.unit} is not a valid date. Stay between the years 1 and 9999."
        ) from None


class Cycle(NamedTuple):
    """A recurring period: its occurrence in each week, month or year, and the index of the current one."""

    at: Callable[[int], Period]
    here: int
    is_weekly: bool = False

    def occurrence(self, index: int) -> Period | None:
        """The occurrence; None if that year has no such day."""
        try:
            return self.at(index)
        except (ValueError, OverflowError):
            return None

    def past(self, today: date) -> Period | None:
        """The last occurrence that is over."""
        return next((p for k in range(9) if (p := self.occurrence(self.here - k)) and last_day(p) < today), None)

    def coming(self, today: date) -> Period | None:
        """The first occurrence that has not begun."""
        return next((p for k in range(9) if (p := self.occurrence(self.here + k)) and first_day(p) > today), None)

    def current(self, today: date) -> Period | None:
        return next((p for k in (-1, 0) if (p := self.occurrence(self.here + k)) and p.covers(today)), None)


def occurrence_beside(cycle: Cycle, today: date, which: str) -> list[Period]:
    """The last, this or next occurrence: counted by day, and by its week or year."""
    if which == "c":
        return distinct_periods([cycle.coming(today)])
    if which == "0":
        return distinct_periods([*nearest_occurrences(cycle, today)[:1], cycle.occurrence(cycle.here)])
    beside = cycle.occurrence(cycle.here + int(which))
    if which == "-1":
        return distinct_periods([cycle.past(today), beside if beside and last_day(beside) < today else None])
    coming = cycle.coming(today)
    # On a Sunday, 'next Saturday' may be counted from a week that begins then.
    later = cycle.occurrence(cycle.here + 2) if today.weekday() == SUNDAY and cycle.is_weekly else None
    return distinct_periods([coming, beside if beside and first_day(beside) > today else None, later])


def nearest_occurrences(cycle: Cycle, today: date) -> list[Period]:
    """The current occurrence, then the past and the coming one, the nearer first: the tense is not known."""
    beside = distinct_periods([cycle.coming(today), cycle.past(today)])
    beside.sort(key=lambda p: min(abs((first_day(p) - today).days), abs((last_day(p) - today).days)))
    return distinct_periods([cycle.current(today), *beside])


def distinct_periods(periods: Iterable[Period | None]) -> list[Period]:
    return list(dict.fromkeys(period for period in periods if period is not None))


def first_day(period: Period) -> date:
    return period.first or date.min


def last_day(period: Period) -> date:
    return period.last or date.max


def day_period(day: date) -> Period:
    return Period.on(day.isoformat())


def day_range(first: date, last: date) -> Period:
    return Period(first.isoformat(), last.isoformat())


def _month_period(index: int) -> Period:
    """The month, counted from the year 0."""
    return Period.on(month_text(index))


def month_text(index: int) -> str:
    return date(index // 12, index % 12 + 1, 1).isoformat()[:7]


def year_period(year: int) -> Period:
    return Period.on(date(year, 1, 1).isoformat()[:4])


def _add_months(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    first = date(year, month, 1)
    return first.replace(day=min(day.day, calendar.monthrange(year, month)[1]))


def duration_of(number: str, unit: str) -> Duration:
    """The duration of a number of units, where a unit may be several plain ones: a fortnight is two weeks."""
    times, name = unit.split()
    return Duration(Decimal(number) * int(times), cast("Unit", name))


_SMALLER: dict[Unit, tuple[int, Unit]] = {
    "year": (12, "month"), "month": (30, "day"), "week": (7, "day"), "day": (24, "hour"), "hour": (60, "minute"),
}  # fmt: skip


def _in_whole_units(duration: Duration) -> tuple[int, Unit]:
    """The duration in the largest unit that needs no fraction: half a year is six months."""
    number, unit = duration
    while number != int(number) and unit in _SMALLER:
        times, unit = _SMALLER[unit]
        number *= times
    return int(number), unit


def periods_at_distance(said: datetime, duration: Duration, *, back: bool) -> list[Period]:
    """A duration before or after: at the likeliest precision first, then at the other possible one."""
    number, unit = _in_whole_units(duration)
    signed = -number if back else number
    today = said.date()
    match unit:
        case "year":
            return [year_period(today.year + signed), _month_period(today.year * 12 + today.month - 1 + signed * 12)]
        case "month":
            return [_month_period(today.year * 12 + today.month - 1 + signed), day_period(_add_months(today, signed))]
        case "week":
            day = today + timedelta(weeks=signed)
            return [day_period(day), week_period(day)]
        case "day":
            return [day_period(today + timedelta(days=signed))]
        case _:
            return [day_period((said + timedelta(**{unit + "s": signed})).date())]


def period_between_distances(said: datetime, near: Duration, far: Duration, *, back: bool) -> list[Period]:
    """The period from the nearer to the farther distance."""
    ends = [periods_at_distance(said, near, back=back)[0], periods_at_distance(said, far, back=back)[0]]
    ends.sort(key=first_day)
    return [Period(ends[0].start, ends[1].end)]


def week_period(day: date) -> Period:
    monday = day - timedelta(days=day.weekday())
    return day_range(monday, monday + timedelta(days=6))


def calendar_span(today: date, span: str, which: int) -> Period:
    """The calendar week, month, quarter or year `which` after the current one."""
    index = today.year * 12 + today.month - 1
    match span:
        case "week":
            return week_period(today + timedelta(weeks=which))
        case "month":
            return _month_period(index + which)
        case "quarter":
            start = index // 3 * 3 + which * 3
            return Period(month_text(start), month_text(start + 2))
        case _:
            return year_period(today.year + which)


def weekly_cycle(today: date, weekday: int, *, length: int = 1) -> Cycle:
    def at(week: int) -> Period:
        first = date.fromordinal(week * 7 + 1 + weekday)
        return day_range(first, first + timedelta(days=length - 1))

    return Cycle(at, (today.toordinal() - 1) // 7, is_weekly=True)


def monthly_cycle(today: date, day: int) -> Cycle:
    return Cycle(lambda index: day_period(date(index // 12, index % 12 + 1, day)), today.year * 12 + today.month - 1)


def yearly_cycle(today: date, reading: DateReading) -> Cycle:
    """The month, day, days, season, quarter or holiday of a reading, in each year."""
    fields = {name: int(value) for name, value in reading.fields.items() if value.isdecimal()}

    def at(year: int) -> Period:
        match fields:
            case {"month": month, "day": day, "day2": until}:
                return _ordered_days(date(year, month, day), date(year, month, until))
            case {"month": month, "day": day}:
                return day_period(date(year, month, day))
            case {"month": month}:
                date(year, month, 1)  # there is no 13th month
                return _month_period(year * 12 + month - 1)
            case {"season": start}:
                return Period(month_text(year * 12 + start - 1), month_text(year * 12 + start + 1))
            case {"quarter": quarter} | {"nth": quarter}:
                return Period(month_text(year * 12 + quarter * 3 - 3), month_text(year * 12 + quarter * 3 - 1))
            case _ if "holiday" in reading.fields:
                return holiday_period(reading.fields["holiday"], year)
            case _:
                raise ValueError("no part of a year")  # the "last quarter" is not a quarter of each year

    return Cycle(at, today.year)


def _ordered_days(first: date, last: date) -> Period:
    if last < first:
        raise ValueError("the days are in the wrong order")
    return day_range(first, last)
