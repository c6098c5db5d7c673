"""The rules of date phrases: from a phrase that was read to the periods it may mean at the time it was said."""

import calendar
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple, cast

from uac.errors import Refused
from uac.schema.periods import Period
from uac.text.dates.grammar import DateReading, Match

__all__ = ["Duration", "duration_of", "is_relative", "periods_of", "shifted"]

Unit = Literal["day", "week", "month", "year", "hour", "minute"]


class Duration(NamedTuple):
    number: Decimal
    unit: Unit


def periods_of(match: Match, said: datetime) -> tuple[Period, ...]:
    found: list[Period] = []
    for reading in match.readings:
        try:
            found += _RULES[reading.rule](said, reading)
        except (ValueError, OverflowError):
            continue
    return tuple(dict.fromkeys(found))


def is_relative(match: Match) -> bool:
    return any(_depends_on_today(reading) for reading in match.readings)


def _depends_on_today(reading: DateReading) -> bool:
    if reading.rule == "between":
        return is_relative(reading.inner[1]) or (is_relative(reading.inner[0]) and not _is_recurring(reading.inner[0]))
    if reading.inner:
        return any(is_relative(inner) for inner in reading.inner)
    return not {"year", "decade"} & reading.fields.keys()


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


class _Cycle(NamedTuple):
    """A recurring period: its occurrence in each week, month or year, and the index of the current one."""

    at: Callable[[int], Period]
    here: int

    def occurrence(self, index: int) -> Period | None:
        """The occurrence; None if that year has no such day."""
        try:
            return self.at(index)
        except (ValueError, OverflowError):
            return None

    def past(self, today: date) -> Period | None:
        """The last occurrence that is over."""
        return next((p for k in range(9) if (p := self.occurrence(self.here - k)) and _last_day(p) < today), None)

    def coming(self, today: date) -> Period | None:
        """The first occurrence that has not begun."""
        return next((p for k in range(9) if (p := self.occurrence(self.here + k)) and _first_day(p) > today), None)

    def current(self, today: date) -> Period | None:
        return next((p for k in (-1, 0) if (p := self.occurrence(self.here + k)) and p.covers(today)), None)


def _occurrence_beside(cycle: _Cycle, today: date, which: str) -> list[Period]:
    """The last, this or next occurrence: counted by day, and by its week or year."""
    if which == "0":
        return _distinct_periods([*_nearest_occurrences(cycle, today)[:1], cycle.occurrence(cycle.here)])
    beside = cycle.occurrence(cycle.here + int(which))
    if which == "-1":
        return _distinct_periods([cycle.past(today), beside if beside and _last_day(beside) < today else None])
    return _distinct_periods([cycle.coming(today), beside if beside and _first_day(beside) > today else None])


def _nearest_occurrences(cycle: _Cycle, today: date) -> list[Period]:
    """The current occurrence, then the past and the coming one, the nearer first: the tense is not known."""
    beside = _distinct_periods([cycle.coming(today), cycle.past(today)])
    beside.sort(key=lambda p: min(abs((_first_day(p) - today).days), abs((_last_day(p) - today).days)))
    return _distinct_periods([cycle.current(today), *beside])


def _distinct_periods(periods: Iterable[Period | None]) -> list[Period]:
    return list(dict.fromkeys(period for period in periods if period is not None))


def _first_day(period: Period) -> date:
    return period.first or date.min


def _last_day(period: Period) -> date:
    return period.last or date.max


def _day_period(day: date) -> Period:
    return Period.on(day.isoformat())


def _day_range(first: date, last: date) -> Period:
    return Period(first.isoformat(), last.isoformat())


def _month_period(index: int) -> Period:
    """The month, counted from the year 0."""
    return Period.on(_month_text(index))


def _month_text(index: int) -> str:
    return date(index // 12, index % 12 + 1, 1).isoformat()[:7]


def _year_period(year: int) -> Period:
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


def _periods_at_distance(said: datetime, duration: Duration, *, back: bool) -> list[Period]:
    """A duration before or after: at the likeliest precision first, then at the other possible one."""
    number, unit = _in_whole_units(duration)
    signed = -number if back else number
    today = said.date()
    match unit:
        case "year":
            return [_year_period(today.year + signed), _month_period(today.year * 12 + today.month - 1 + signed * 12)]
        case "month":
            return [_month_period(today.year * 12 + today.month - 1 + signed), _day_period(_add_months(today, signed))]
        case "week":
            day = today + timedelta(weeks=signed)
            return [_day_period(day), _week_period(day)]
        case "day":
            return [_day_period(today + timedelta(days=signed))]
        case _:
            return [_day_period((said + timedelta(**{unit + "s": signed})).date())]


def _period_between_distances(said: datetime, near: Duration, far: Duration, *, back: bool) -> list[Period]:
    """The period from the nearer to the farther distance."""
    ends = [_periods_at_distance(said, near, back=back)[0], _periods_at_distance(said, far, back=back)[0]]
    ends.sort(key=_first_day)
    return [Period(ends[0].start, ends[1].end)]


def _week_period(day: date) -> Period:
    monday = day - timedelta(days=day.weekday())
    return _day_range(monday, monday + timedelta(days=6))


def _calendar_span(today: date, span: str, which: int) -> Period:
    """The calendar week, month, quarter or year `which` after the current one."""
    index = today.year * 12 + today.month - 1
    match span:
        case "week":
            return _week_period(today + timedelta(weeks=which))
        case "month":
            return _month_period(index + which)
        case "quarter":
            start = index // 3 * 3 + which * 3
            return Period(_month_text(start), _month_text(start + 2))
        case _:
            return _year_period(today.year + which)


def _weekly_cycle(today: date, weekday: int, *, length: int = 1) -> _Cycle:
    def at(week: int) -> Period:
        first = date.fromordinal(week * 7 + 1 + weekday)
        return _day_range(first, first + timedelta(days=length - 1))

    return _Cycle(at, (today.toordinal() - 1) // 7)


def _monthly_cycle(today: date, day: int) -> _Cycle:
    return _Cycle(lambda index: _day_period(date(index // 12, index % 12 + 1, day)), today.year * 12 + today.month - 1)


def _yearly_cycle(today: date, reading: DateReading) -> _Cycle:
    """The month, day, days, season, quarter or holiday of a reading, in each year."""
    fields = {name: int(value) for name, value in reading.fields.items() if value.isdecimal()}

    def at(year: int) -> Period:
        match fields:
            case {"month": month, "day": day, "day2": until}:
                return _ordered_days(date(year, month, day), date(year, month, until))
            case {"month": month, "day": day}:
                return _day_period(date(year, month, day))
            case {"month": month}:
                date(year, month, 1)  # there is no 13th month
                return _month_period(year * 12 + month - 1)
            case {"season": start}:
                return Period(_month_text(year * 12 + start - 1), _month_text(year * 12 + start + 1))
            case {"quarter": quarter} | {"nth": quarter}:
                return Period(_month_text(year * 12 + quarter * 3 - 3), _month_text(year * 12 + quarter * 3 - 1))
            case _:
                return _day_period(_holiday_date(reading.fields["holiday"], year))

    return _Cycle(at, today.year)


def _ordered_days(first: date, last: date) -> Period:
    if last < first:
        raise ValueError("the days are in the wrong order")
    return _day_range(first, last)


def _holiday_date(name: str, year: int) -> date:
    match name:
        case "thanksgiving":
            return date(year, 11, 22 + (3 - date(year, 11, 22).weekday()) % 7)
        case "easter" | "easter_monday" | "good_friday":
            return _easter_sunday(year) + timedelta(days={"easter_monday": 1, "good_friday": -2}.get(name, 0))
        case _:
            month, day = _FIXED[name]
            return date(year, month, day)


_FIXED = {
    "christmas": (12, 25), "christmas_eve": (12, 24), "boxing_day": (12, 26), "halloween": (10, 31),
    "new_year": (1, 1), "new_year_eve": (12, 31), "valentine": (2, 14),
}  # fmt: skip


def _easter_sunday(year: int) -> date:
    """The Sunday after the paschal full moon of the Gregorian calendar."""
    century, moon = year // 100, year % 19
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * moon + 15) % 30
    epact -= 1 if epact == 29 or (epact == 28 and moon > 10) else 0
    full = date(year, 3, 21) + timedelta(days=epact)
    return full + timedelta(days=7 - (full.weekday() + 1) % 7)


# --- the rules, one for each kind of phrase ---------------------------------------------------------------------------

_Rule = Callable[[datetime, DateReading], Sequence[Period]]


def _distance_rule(*, back: bool, is_exact: bool = False) -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        duration = duration_of(reading.fields.get("n", "1.5"), reading.fields["unit"])
        return (
            [_day_period(_shift_or_fail(said.date(), duration, back=back))]
            if is_exact
            else _periods_at_distance(said, duration, back=back)
        )

    return rule


def _vague_distance_rule(*, back: bool) -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        unit = reading.fields["unit"]
        near, far = (duration_of(reading.fields.get(*end), unit) for end in (("n", "2"), ("n2", "5")))
        return _period_between_distances(said, near, far, back=back) if near < far else []

    return rule


def _rolling_window_rule(*, back: bool, number: str = "1") -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        today = said.date()
        reached = _shift_or_fail(today, duration_of(reading.fields.get("n", number), reading.fields["unit"]), back=back)
        return [_day_range(reached, today) if back else _day_range(today, reached)]

    return rule


def _shift_or_fail(day: date, duration: Duration, *, back: bool) -> date:
    try:
        return shifted(day, duration, back=back)
    except Refused as refusal:
        raise ValueError(str(refusal)) from None


def _calendar_span_rule(which: int | None = None, span: str = "") -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        far = int(reading.fields["which"]) if which is None else which
        return [_calendar_span(said.date(), span or reading.fields["span"], far)]

    return rule


def _weekday_or_weekend(said: datetime, reading: DateReading) -> list[Period]:
    """Last, this, next or any weekday or weekend."""
    today = said.date()
    weekday = reading.fields.get("weekday", reading.fields.get("bare_weekday"))
    cycle = _weekly_cycle(today, 5, length=2) if weekday is None else _weekly_cycle(today, int(weekday))
    match reading.fields.get("which"):
        case None:
            return _nearest_occurrences(cycle, today)
        case "0":
            return _distinct_periods(
                [cycle.current(today)] if cycle.current(today) else [cycle.coming(today), cycle.past(today)]
            )
        case which:
            return _occurrence_beside(cycle, today, which)


def _weekday_beyond_rule(weeks: int) -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        cycle = _weekly_cycle(said.date(), int(reading.fields["weekday"]))
        near = _occurrence_beside(cycle, said.date(), "1" if weeks > 0 else "-1")
        return [_day_period(_first_day(period) + timedelta(weeks=weeks)) for period in near]

    return rule


def _weekday_of_week(said: datetime, reading: DateReading) -> list[Period]:
    monday = _first_day(_calendar_span(said.date(), "week", int(reading.fields["which"])))
    return [_day_period(monday + timedelta(days=int(reading.fields["weekday"])))]


def _date_in_year(said: datetime, reading: DateReading) -> list[Period]:
    """The date in the named year, or in the years around today."""
    today = said.date()
    cycle = _yearly_cycle(today, reading)
    if "year" in reading.fields or "which" in reading.fields:
        named = reading.fields.get("year")
        year = int(named) if named is not None else today.year + int(reading.fields["which"])
        # A winter has two years.
        beside = [cycle.occurrence(year - 1)] if reading.fields.get("season") == "12" else []
        return _distinct_periods([cycle.occurrence(year), *beside])
    return _nearest_occurrences(cycle, today)


def _date_in_relative_year(said: datetime, reading: DateReading) -> list[Period]:
    return _occurrence_beside(_yearly_cycle(said.date(), reading), said.date(), reading.fields["which"])


def _bare_day_of_month(said: datetime, reading: DateReading) -> list[Period]:
    """The day of this month, of the one before and of the one after."""
    cycle = _monthly_cycle(said.date(), int(reading.fields["ordinal"]))
    return _distinct_periods(cycle.occurrence(cycle.here + k) for k in (0, -1, 1))


def _day_of_relative_month(said: datetime, reading: DateReading) -> list[Period]:
    cycle = _monthly_cycle(said.date(), int(reading.fields["day"]))
    return _distinct_periods([cycle.occurrence(cycle.here + int(reading.fields["which"]))])


def _decade_periods(_said: datetime, reading: DateReading) -> list[Period]:
    start = int(reading.fields["decade"])
    # "The twenties" may be the current or the previous ones; every other decade is in the past century.
    starts = [start] if start >= 100 else [2000 + start, 1900 + start] if start <= 20 else [1900 + start]
    return [Period(f"{year:04}", f"{year + 9:04}") for year in starts if year]


def _digit_date_rule(*orders: tuple[str, str]) -> _Rule:
    """Dates in digits, in each order of day and month in which they exist."""

    def rule(said: datetime, reading: DateReading) -> list[Period]:
        found: list[Period] = []
        for month, day in orders:
            fields = {"month": reading.fields[month], "day": reading.fields[day]}
            if year := reading.fields.get("year"):
                fields["year"] = year if len(year) == 4 else str(_year_of_two_digits(int(year), said.year))
            found += _date_in_year(said, DateReading("day_of_month", fields))
        return found

    return rule


def _year_of_two_digits(short: int, now: int) -> int:
    """The year with these last two digits that is nearest to now."""
    return min((now // 100 * 100 + century + short for century in (-100, 0, 100)), key=lambda year: abs(year - now))


def _edge_of_period_rule(edge: Literal["", "first", "last"], span: bool = False) -> _Rule:
    """The period itself, and the day at its edge."""

    def rule(said: datetime, reading: DateReading) -> list[Period]:
        periods = (
            [_calendar_span(said.date(), reading.fields["span"], 0)] if span else periods_of(reading.inner[0], said)
        )
        edges = [_day_period(_first_day(p) if edge == "first" else _last_day(p)) for p in periods] if edge else []
        return [*periods, *edges]

    return rule


def _nth_weekday_of_period(said: datetime, reading: DateReading) -> list[Period]:
    nth, weekday = int(reading.fields["nth"]), int(reading.fields["weekday"])
    found: list[Period] = []
    for period in periods_of(reading.inner[0], said):
        edge = _first_day(period) if nth > 0 else _last_day(period)
        near = (weekday - edge.weekday()) % 7 if nth > 0 else -((edge.weekday() - weekday) % 7)
        day = edge + timedelta(days=near + 7 * (nth - 1 if nth > 0 else 0))
        found += [_day_period(day)] if period.covers(day) else []
    return found


def _shifted_date_rule(*, back: bool) -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        duration = duration_of(reading.fields.get("n", "1"), reading.fields.get("unit", "1 day"))
        days = [_first_day(p) for p in periods_of(reading.inner[0], said) if p.first == p.last]
        return [_day_period(_shift_or_fail(day, duration, back=back)) for day in days]

    return rule


def _date_with_weekday(said: datetime, reading: DateReading) -> Sequence[Period]:
    """The dates that fall on the weekday; if none does, the weekday is a mistake, and the date counts."""
    dated = periods_of(reading.inner[0], said)
    return [p for p in dated if _first_day(p).weekday() == int(reading.fields["weekday"])] or dated


def _week_of_date(said: datetime, reading: DateReading) -> list[Period]:
    days = [_first_day(period) for period in periods_of(reading.inner[0], said)]
    return [_week_period(day) for day in days] + [_day_range(day, day + timedelta(days=6)) for day in days]


def _since_date(said: datetime, reading: DateReading) -> list[Period]:
    """Nothing is true since a future day, unless there is no other reading."""
    periods = periods_of(reading.inner[0], said)
    past = [period for period in periods if _first_day(period) <= said.date()]
    return [Period(period.start, "") for period in past or periods]


def _from_date_onwards(said: datetime, reading: DateReading) -> list[Period]:
    return [Period(period.start, "") for period in periods_of(reading.inner[0], said)]


def _until_date(said: datetime, reading: DateReading) -> list[Period]:
    return [Period("", period.end) for period in periods_of(reading.inner[0], said)]


def _between_dates(said: datetime, reading: DateReading) -> list[Period]:
    """From each start to the first end after it. A start without a year takes the year of an end that has one."""
    start, end = reading.inner
    ends = periods_of(end, said)
    if _is_recurring(start) and not is_relative(end) and ends:
        before = [
            p for p in periods_of(start, _with_date(said, _last_day(ends[0]))) if _first_day(p) <= _last_day(ends[0])
        ]
        return [Period(max(before, key=_first_day).start, ends[0].end)] if before else []
    found: list[Period] = []
    for first in periods_of(start, said):
        reached = periods_of(end, _with_date(said, _first_day(first))) if _is_recurring(end) else ends
        after = [p for p in reached if _last_day(p) >= _last_day(first)]
        found += [Period(first.start, min(after, key=_last_day).end)] if after else []
    return found


def _with_date(said: datetime, day: date) -> datetime:
    return said.replace(year=day.year, month=day.month, day=day.day)


def _is_recurring(match: Match) -> bool:
    """Whether the phrase recurs each year or week without saying which one."""
    return all(
        reading.rule in _RECURRING and not {"year", "which"} & reading.fields.keys() for reading in match.readings
    )


_RECURRING = frozenset("day_of_month bare_month bare_holiday bare_season bare_weekday short day_first_short".split())

_RULES: dict[str, _Rule] = {
    "none": lambda _said, _reading: (),
    "near": lambda said, reading: [_day_period(said.date() + timedelta(days=int(reading.fields["near"])))],
    "ago": _distance_rule(back=True),
    "ago_and_a_half": _distance_rule(back=True),
    "ago_exact": _distance_rule(back=True, is_exact=True),
    "ago_few": _vague_distance_rule(back=True),
    "ago_range": _vague_distance_rule(back=True),
    "ahead": _distance_rule(back=False),
    "ahead_exact": _distance_rule(back=False, is_exact=True),
    "ahead_few": _vague_distance_rule(back=False),
    "ahead_range": _vague_distance_rule(back=False),
    "until_today": _rolling_window_rule(back=True),
    "until_today_few": _rolling_window_rule(back=True, number="5"),
    "from_today": _rolling_window_rule(back=False),
    "from_today_few": _rolling_window_rule(back=False, number="5"),
    "span": _calendar_span_rule(),
    "span_week": _calendar_span_rule(span="week"),
    "span_month": _calendar_span_rule(span="month"),
    "span_year": _calendar_span_rule(span="year"),
    "span_before_last": _calendar_span_rule(-2),
    "span_after_next": _calendar_span_rule(2),
    "weekend": _weekday_or_weekend,
    "bare_weekend": _weekday_or_weekend,
    "weekday": _weekday_or_weekend,
    "bare_weekday": _weekday_or_weekend,
    "weekday_of_week": _weekday_of_week,
    "weekday_before_last": _weekday_beyond_rule(-1),
    "weekday_after_next": _weekday_beyond_rule(1),
    **dict.fromkeys(["month", "season", "holiday"], _date_in_relative_year),
    **dict.fromkeys(["bare_month", "bare_season", "bare_quarter", "bare_holiday"], _date_in_year),
    **dict.fromkeys(["month_of_year", "season_of_year", "quarter_of_year", "holiday_of_year"], _date_in_year),
    **dict.fromkeys(["day_of_month", "days_of_month"], _date_in_year),
    "bare_day": _bare_day_of_month,
    "day_of_span": _day_of_relative_month,
    "year": lambda _said, reading: [_year_period(int(reading.fields["year"]))],
    "years": lambda _said, reading: [Period(reading.fields["year"], reading.fields["until"])],
    "decade": _decade_periods,
    "iso": _digit_date_rule(("month", "day")),
    "iso_month": _date_in_year,
    "day_first": _digit_date_rule(("month", "day")),
    "day_first_short": _digit_date_rule(("month", "day")),
    "either_order": _digit_date_rule(("one", "two"), ("two", "one")),
    "short": _digit_date_rule(("one", "two"), ("two", "one")),
    "coarse": _edge_of_period_rule(""),
    "coarse_span": _edge_of_period_rule("", span=True),
    "first_day": _edge_of_period_rule("first"),
    "first_day_of_span": _edge_of_period_rule("first", span=True),
    "last_day": _edge_of_period_rule("last"),
    "last_day_of_span": _edge_of_period_rule("last", span=True),
    "nth_weekday": _nth_weekday_of_period,
    "shift_back": _shifted_date_rule(back=True),
    "shift_on": _shifted_date_rule(back=False),
    "dated_weekday": _date_with_weekday,
    "week_of": _week_of_date,
    "since": _since_date,
    "onwards": _from_date_onwards,
    "until": _until_date,
    "by": lambda said, reading: [*periods_of(reading.inner[0], said), *_until_date(said, reading)],
    "between": _between_dates,
}
