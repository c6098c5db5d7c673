"""The rules of date phrases: from a phrase that was read to the periods it may mean at the time it was said."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Literal

from uac.schema.periods import Period
from uac.text.dates.cycles import (
    SUNDAY,
    Cycle,
    calendar_span,
    day_period,
    day_range,
    distinct_periods,
    duration_of,
    first_day,
    last_day,
    monthly_cycle,
    nearest_occurrences,
    occurrence_beside,
    shifted,
    week_period,
    weekly_cycle,
    year_period,
    yearly_cycle,
)
from uac.text.dates.distance_rules import (
    Rule,
    after_today_rule,
    ago_this_month,
    ago_this_season,
    ahead_by_sum,
    distance_rule,
    rolling_window_rule,
    shift_or_fail,
    vague_distance_rule,
)
from uac.text.dates.grammar import DateReading, Match
from uac.text.dates.holidays import holiday_period
from uac.text.dates.weekday_rules import (
    after_weekday_rule,
    calendar_week_of,
    weekday_beside,
    weekday_beyond_rule,
    weekday_in_week_after_next,
    weekday_in_week_ago,
    weekday_of_week,
    weekday_or_weekend,
    weekday_pair,
    weekday_range,
    weekday_weeks_before,
    weekend_near,
)

__all__ = [
    "ANCHORED",
    "anchored_days",
    "is_recurring",
    "is_relative",
    "periods_of",
]

ANCHORED = frozenset(
    "later earlier two_later two_earlier week_later week_earlier anchor_weekday_after anchor_weekday_before".split()
)
"""Rules whose day depends on a day that was named before."""


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
        return is_relative(reading.inner[1]) or (is_relative(reading.inner[0]) and not is_recurring(reading.inner[0]))
    if reading.inner:
        return any(is_relative(inner) for inner in reading.inner)
    return not {"year", "decade"} & reading.fields.keys()


def anchored_days(match: Match, anchor: date) -> list[date]:
    """The days that 'two days later' or 'the Saturday after' means, given the day that was named before."""
    found = []
    for reading in match.readings:
        fields, back = reading.fields, "earlier" in reading.rule or reading.rule.endswith("before")
        if reading.rule not in ANCHORED or fields.get("unit", "").endswith(("hour", "minute")):
            continue
        if "weekday" in fields:
            found.append(weekday_beside(anchor, int(fields["weekday"]), back))
            continue
        default = "1 week" if reading.rule.startswith("week_") else "1 day"
        number = "2" if reading.rule.startswith("two_") else "1"
        duration = duration_of(fields.get("n", number), fields.get("unit", default))
        found.append(shifted(anchor, duration, back=back))
    return found


# --- the rules, one for each kind of phrase ---------------------------------------------------------------------------


def _calendar_span_rule(which: int | None = None, span: str = "") -> Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        named = reading.fields.get("which", "0")
        far = (1 if named == "c" else int(named)) if which is None else which
        return [calendar_span(said.date(), span or reading.fields["span"], far)]

    return rule


def _date_in_year(said: datetime, reading: DateReading) -> list[Period]:
    """The date in the named year, or in the years around today."""
    today = said.date()
    cycle = yearly_cycle(today, reading)
    if "year" in reading.fields or "which" in reading.fields:
        named, which = reading.fields.get("year"), reading.fields.get("which", "0")
        year = _full_year(named, said) if named is not None else today.year + (1 if which == "c" else int(which))
        # A winter has two years.
        beside = [cycle.occurrence(year - 1)] if reading.fields.get("season") == "12" else []
        return distinct_periods([cycle.occurrence(year), *beside])
    return nearest_occurrences(cycle, today)


def _date_in_relative_year(said: datetime, reading: DateReading) -> list[Period]:
    return occurrence_beside(yearly_cycle(said.date(), reading), said.date(), reading.fields["which"])


def _bare_day_of_month(said: datetime, reading: DateReading) -> list[Period]:
    """The day of this month, of the one before and of the one after."""
    cycle = monthly_cycle(said.date(), int(reading.fields["ordinal"]))
    return distinct_periods(cycle.occurrence(cycle.here + k) for k in (0, -1, 1))


def _day_of_relative_month(said: datetime, reading: DateReading) -> list[Period]:
    cycle = monthly_cycle(said.date(), int(reading.fields["day"]))
    return distinct_periods([cycle.occurrence(cycle.here + int(reading.fields["which"]))])


def _decade_periods(_said: datetime, reading: DateReading) -> list[Period]:
    start = int(reading.fields["decade"])
    # "The twenties" may be the current or the previous ones; every other decade is in the past century.
    starts = [start] if start >= 100 else [2000 + start, 1900 + start] if start <= 20 else [1900 + start]
    return [Period(f"{year:04}", f"{year + 9:04}") for year in starts if year]


def _digit_date_rule(*orders: tuple[str, str]) -> Rule:
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


def _full_year(year: str, said: datetime) -> int:
    """'98 is 1998: a year that is over, or the next few."""
    if len(year) > 2:
        return int(year)
    near = said.year // 100 * 100 + int(year)
    return near if near <= said.year + 5 else near - 100


def _year_of_two_digits(short: int, now: int) -> int:
    """The year with these last two digits that is nearest to now."""
    return min((now // 100 * 100 + century + short for century in (-100, 0, 100)), key=lambda year: abs(year - now))


def _edge_of_period_rule(edge: Literal["", "first", "last"], span: bool = False) -> Rule:
    """The period itself, and the day at its edge."""

    def rule(said: datetime, reading: DateReading) -> list[Period]:
        periods = (
            [calendar_span(said.date(), reading.fields["span"], 0)] if span else periods_of(reading.inner[0], said)
        )
        edges = [day_period(first_day(p) if edge == "first" else last_day(p)) for p in periods] if edge else []
        if edge == "last":  # or the end of the working week
            weeks = [p for p in periods if (last_day(p) - first_day(p)).days == SUNDAY]
            edges += [day_period(last_day(p) - timedelta(days=2)) for p in weeks]
        return [*periods, *edges]

    return rule


def _nth_weekday_of_period(said: datetime, reading: DateReading) -> list[Period]:
    nth, weekday = int(reading.fields["nth"]), int(reading.fields["weekday"])
    found: list[Period] = []
    for period in periods_of(reading.inner[0], said):
        edge = first_day(period) if nth > 0 else last_day(period)
        near = (weekday - edge.weekday()) % 7 if nth > 0 else -((edge.weekday() - weekday) % 7)
        day = edge + timedelta(days=near + 7 * (nth - 1 if nth > 0 else 0))
        found += [day_period(day)] if period.covers(day) else []
    return found


def _shifted_date_rule(*, back: bool) -> Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        duration = duration_of(reading.fields.get("n", "1"), reading.fields.get("unit", "1 day"))
        days = [first_day(p) for p in periods_of(reading.inner[0], said) if p.first == p.last]
        return [day_period(shift_or_fail(day, duration, back=back)) for day in days]

    return rule


def _span_from_date(said: datetime, reading: DateReading) -> list[Period]:
    """'One year from 1 April': the day then, or from that day to then."""
    ends = _shifted_date_rule(back=False)(said, reading)
    starts = [p for p in periods_of(reading.inner[0], said) if p.first == p.last]
    return [*ends, *(Period(start.start, end.end) for start, end in zip(starts, ends, strict=True))]


def _days_inside(said: datetime, reading: DateReading) -> list[date]:
    return [first_day(period) for period in periods_of(reading.inner[0], said)]


def _nth_weekend(said: datetime, reading: DateReading) -> list[Period]:
    """The weekend with the nth Saturday of a month."""
    saturdays = _nth_weekday_of_period(
        said, DateReading("nth_weekday", {**reading.fields, "weekday": "5"}, reading.inner)
    )
    return [day_range(first_day(p), first_day(p) + timedelta(days=1)) for p in saturdays]


def _weekday_and_day(said: datetime, reading: DateReading) -> list[Period]:
    """'Tuesday 18th': the months where it is one; if none is, the weekday is a mistake."""
    days = _bare_day_of_month(said, reading)
    return [p for p in days if first_day(p).weekday() == int(reading.fields["weekday"])] or days


def _advent_cycle(today: date, reading: DateReading) -> Cycle:
    return Cycle(lambda year: holiday_period("A" + reading.fields["nth"], year), today.year)


def _date_with_weekday(said: datetime, reading: DateReading) -> Sequence[Period]:
    """The dates that fall on the weekday; if none does, the weekday is a mistake, and the date counts."""
    dated = periods_of(reading.inner[0], said)
    return [p for p in dated if first_day(p).weekday() == int(reading.fields["weekday"])] or dated


def _week_of_date(said: datetime, reading: DateReading) -> list[Period]:
    days = [first_day(period) for period in periods_of(reading.inner[0], said)]
    return [week_period(day) for day in days] + [day_range(day, day + timedelta(days=6)) for day in days]


def _since_date(said: datetime, reading: DateReading) -> list[Period]:
    """Nothing is true since a future day, unless there is no other reading."""
    periods = periods_of(reading.inner[0], said)
    past = [period for period in periods if first_day(period) <= said.date()]
    return [Period(period.start, "") for period in past or periods]


def _from_date_onwards(said: datetime, reading: DateReading) -> list[Period]:
    return [Period(period.start, "") for period in periods_of(reading.inner[0], said)]


def _until_date(said: datetime, reading: DateReading) -> list[Period]:
    return [Period("", period.end) for period in periods_of(reading.inner[0], said)]


def _between_dates(said: datetime, reading: DateReading) -> list[Period]:
    """From each start to the first end after it. A start without a year takes the year of an end that has one."""
    start, end = reading.inner
    ends = periods_of(end, said)
    if is_recurring(start) and not is_relative(end) and ends:
        before = [
            p for p in periods_of(start, _with_date(said, last_day(ends[0]))) if first_day(p) <= last_day(ends[0])
        ]
        return [Period(max(before, key=first_day).start, ends[0].end)] if before else []
    found: list[Period] = []
    for first in periods_of(start, said):
        reached = periods_of(end, _with_date(said, first_day(first))) if is_recurring(end) else ends
        after = [p for p in reached if last_day(p) >= last_day(first)]
        found += [Period(first.start, min(after, key=last_day).end)] if after else []
    return found


def _with_date(said: datetime, day: date) -> datetime:
    return said.replace(year=day.year, month=day.month, day=day.day)


def is_recurring(match: Match) -> bool:
    """Whether the phrase recurs each year, month or week without saying which one."""
    return all(
        reading.rule in _RECURRING and not {"year", "which"} & reading.fields.keys() for reading in match.readings
    )


def _weekday_beside_date_rule(*, back: bool) -> Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        return [
            day_period(weekday_beside(first_day(p) if back else last_day(p), int(reading.fields["weekday"]), back))
            for p in periods_of(reading.inner[0], said)
        ]

    return rule


def _whole_span_rule(*, rest: bool) -> Rule:
    """'All week': the calendar week, or its working days."""

    def rule(said: datetime, reading: DateReading) -> list[Period]:
        span = calendar_span(said.date(), reading.fields["span"], 0)
        first, last = said.date() if rest else first_day(span), last_day(span)
        work = [day_range(first, last - timedelta(days=2))] if reading.fields["span"] == "week" else []
        return [day_range(first, last), *(p for p in work if first_day(p) <= last_day(p))]

    return rule


def _nth_weekday_of_month(said: datetime, reading: DateReading) -> list[Period]:
    """The next such day, and this month's."""
    found = []
    for month in range(3):
        span = calendar_span(said.date(), "month", month)
        inner = Match(
            0,
            0,
            (DateReading("iso_month", dict(zip(("year", "month"), span.start.split("-"), strict=True))),),
            False,
            frozenset(),
        )
        found += _nth_weekday_of_period(said, reading._replace(inner=(inner,)))
    return [p for p in found if first_day(p) >= said.date()][:1]


def _edge_of_calendar_span_rule(span: str) -> Rule:
    """'Year-end'."""
    return lambda said, _reading: [day_period(last_day(calendar_span(said.date(), span, 0)))]


def _until_day_of_month(said: datetime, reading: DateReading) -> list[Period]:
    """'Sat 4th April to Fri 10th', 'del 5 al 9': to the first such day after the start."""
    last = int(reading.fields["day2"])
    if reading.inner:
        starts = list(periods_of(reading.inner[0], said))
    else:
        cycle = monthly_cycle(said.date(), int(reading.fields["day"]))
        starts = distinct_periods(cycle.occurrence(cycle.here + k) for k in (0, -1, 1))
    found = []
    for start in starts:
        cycle = monthly_cycle(first_day(start), last)
        ends = distinct_periods(cycle.occurrence(cycle.here + k) for k in range(3))
        after = [p for p in ends if first_day(p) > first_day(start)]
        found += [Period(start.start, after[0].end)] if after else []
    return found


def _from_day_until_date(said: datetime, reading: DateReading) -> list[Period]:
    """The start is a day of the month of the end, or of the month before: 'vom 12. bis 20. Mai'."""
    found = []
    for end in periods_of(reading.inner[0], said):
        cycle = monthly_cycle(last_day(end), int(reading.fields["day"]))
        before = [p for k in (0, -1) if (p := cycle.occurrence(cycle.here + k)) and first_day(p) <= last_day(end)]
        found += [Period(before[0].start, end.end)] if before else []
    return found


_RECURRING = frozenset("day_of_month bare_month bare_holiday bare_season bare_weekday short day_first_short".split())

_RULES: dict[str, Rule] = {
    **dict.fromkeys(["none", "by_then", *ANCHORED], lambda _said, _reading: ()),
    "today_on": after_today_rule(),
    "today_week": after_today_rule("1"),
    "today_fortnight": after_today_rule("2"),
    "tomorrow_on": after_today_rule(start=1),
    "tomorrow_fortnight": after_today_rule("2", start=1),
    "yesterday_back": after_today_rule(start=-1, back=True),
    "yesterday_week": after_today_rule("1", start=-1, back=True),
    "tomorrow_week": after_today_rule("1", start=1),
    "this_day": after_today_rule("1", "1 day"),
    "weekday_on": after_weekday_rule(),
    "weekday_week": after_weekday_rule(1),
    "weekday_fortnight": after_weekday_rule(2),
    "weekday_after_next_week": weekday_in_week_after_next,
    "weekday_pair": weekday_pair,
    "weekday_range": weekday_range,
    "range_of_week": calendar_week_of,
    "weekday_before": _weekday_beside_date_rule(back=True),
    "weekday_after": _weekday_beside_date_rule(back=False),
    "whole_span": _whole_span_rule(rest=False),
    "rest_of_span": _whole_span_rule(rest=True),
    "month_nth_weekday": _nth_weekday_of_month,
    "eoy": _edge_of_calendar_span_rule("year"),
    "eom": _edge_of_calendar_span_rule("month"),
    "month_ago_here": ago_this_month,
    "ago_season": ago_this_season,
    "ahead_sum": ahead_by_sum,
    "between_day": _until_day_of_month,
    "between_plain": _from_day_until_date,
    "near": lambda said, reading: [day_period(said.date() + timedelta(days=int(reading.fields["near"])))],
    "ago": distance_rule(back=True),
    "ago_one": distance_rule(back=True, number="1"),
    "ahead_one": distance_rule(back=False, number="1"),
    "ago_and_a_half": distance_rule(back=True),
    "ago_exact": distance_rule(back=True, is_exact=True),
    "ago_few": vague_distance_rule(back=True),
    "ago_range": vague_distance_rule(back=True),
    "ahead": distance_rule(back=False),
    "ahead_exact": distance_rule(back=False, is_exact=True),
    "ahead_few": vague_distance_rule(back=False),
    "ahead_range": vague_distance_rule(back=False),
    "until_today": rolling_window_rule(back=True),
    "until_today_few": rolling_window_rule(back=True, number="5"),
    "from_today": rolling_window_rule(back=False),
    "from_today_few": rolling_window_rule(back=False, number="5"),
    "span": _calendar_span_rule(),
    "span_week": _calendar_span_rule(span="week"),
    "span_month": _calendar_span_rule(span="month"),
    "span_year": _calendar_span_rule(span="year"),
    "span_before_last": _calendar_span_rule(-2),
    "span_after_next": _calendar_span_rule(2),
    "weekend": weekday_or_weekend,
    "bare_weekend": weekday_or_weekend,
    "weekday": weekday_or_weekend,
    "bare_weekday": weekday_or_weekend,
    "weekday_of_week": weekday_of_week,
    "weekday_before_last": weekday_beyond_rule(-1),
    "weekday_after_next": weekday_beyond_rule(1),
    **dict.fromkeys(["month", "season", "holiday"], _date_in_relative_year),
    **dict.fromkeys(["bare_month", "bare_season", "bare_quarter", "bare_holiday"], _date_in_year),
    **dict.fromkeys(["month_of_year", "season_of_year", "quarter_of_year", "holiday_of_year"], _date_in_year),
    **dict.fromkeys(["day_of_month", "days_of_month"], _date_in_year),
    "bare_day": _bare_day_of_month,
    "day_of_span": _day_of_relative_month,
    "year": lambda said, reading: [year_period(_full_year(reading.fields["year"], said))],
    "year_word": lambda said, reading: [year_period(_full_year(reading.fields["year"], said))],
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
    "weekday_ago": lambda said, reading: weekday_weeks_before(said, reading, int(reading.fields["n"]) - 1),
    "weekday_weeks_ago": lambda said, reading: weekday_weeks_before(said, reading, int(reading.fields["n"])),
    "night": lambda said, reading: [
        day_period(said.date() + timedelta(days=int(reading.fields["near"]) + more)) for more in (0, 1)
    ],
    "two_weeks_or_fifteen": lambda said, _reading: [
        day_period(said.date() + timedelta(days=days)) for days in (15, 14)
    ],
    "two_weeks_or_fifteen_ago": lambda said, _reading: [
        day_period(said.date() - timedelta(days=days)) for days in (15, 14)
    ],
    "week_or_eight": lambda said, _reading: [day_period(said.date() + timedelta(days=days)) for days in (8, 7)],
    "nth_weekend": _nth_weekend,
    "weekend_of": lambda said, reading: [weekend_near(day, 0) for day in _days_inside(said, reading)],
    "weekend_before": lambda said, reading: [weekend_near(day, -1) for day in _days_inside(said, reading)],
    "weekend_after": lambda said, reading: [weekend_near(day, 1) for day in _days_inside(said, reading)],
    "weekend_after_next": lambda said, _reading: [weekend_near(said.date(), 2)],
    "ago_weekday": weekday_in_week_ago,
    "ago_plus_half": distance_rule(back=True, plus="0.5"),
    "ahead_plus_half": distance_rule(back=False, plus="0.5"),
    "ahead_and_a_half": distance_rule(back=False),
    "same_day_next_week": after_today_rule("1"),
    "weekday_day": _weekday_and_day,
    "weekday_not_this": after_weekday_rule(1),
    "since_ago": lambda said, reading: [
        Period(
            shift_or_fail(said.date(), duration_of(reading.fields["n"], reading.fields["unit"]), back=True).isoformat(),
            "",
        )
    ],
    "span_from": _span_from_date,
    "advent": lambda said, reading: nearest_occurrences(_advent_cycle(said.date(), reading), said.date()),
    "weekday_gone": lambda said, reading: distinct_periods(
        [weekly_cycle(said.date(), int(reading.fields["weekday"])).past(said.date())]
    ),
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
