"""The rules of phrases that count from today: "two weeks ago", "in a few days", "a week tomorrow"."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from uac.errors import Refused
from uac.schema.periods import Period
from uac.text.dates.cycles import (
    Duration,
    day_period,
    day_range,
    duration_of,
    period_between_distances,
    periods_at_distance,
    shifted,
    year_period,
)
from uac.text.dates.grammar import DateReading

__all__ = [
    "Rule",
    "after_today_rule",
    "ago_this_month",
    "ago_this_season",
    "ahead_by_sum",
    "distance_rule",
    "rolling_window_rule",
    "shift_or_fail",
    "vague_distance_rule",
]

Rule = Callable[[datetime, DateReading], Sequence[Period]]


def distance_rule(*, back: bool, is_exact: bool = False, number: str = "1.5", plus: str = "0") -> Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        duration = duration_of(str(Decimal(reading.fields.get("n", number)) + Decimal(plus)), reading.fields["unit"])
        return (
            [day_period(shift_or_fail(said.date(), duration, back=back))]
            if is_exact
            else periods_at_distance(said, duration, back=back)
        )

    return rule


def vague_distance_rule(*, back: bool) -> Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        unit = reading.fields["unit"]
        near, far = (duration_of(reading.fields.get(*end), unit) for end in (("n", "2"), ("n2", "5")))
        return period_between_distances(said, near, far, back=back) if near < far else []

    return rule


def rolling_window_rule(*, back: bool, number: str = "1") -> Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        today = said.date()
        reached = shift_or_fail(today, duration_of(reading.fields.get("n", number), reading.fields["unit"]), back=back)
        return [day_range(reached, today) if back else day_range(today, reached)]

    return rule


def after_today_rule(number: str = "", unit: str = "", *, start: int = 0, back: bool = False) -> Rule:
    """'Two weeks today', 'a week tomorrow', 'today week'."""

    def rule(said: datetime, reading: DateReading) -> list[Period]:
        duration = duration_of(reading.fields.get("n", number or "1"), reading.fields.get("unit", unit or "1 week"))
        return [day_period(shift_or_fail(said.date() + timedelta(days=start), duration, back=back))]

    return rule


def ahead_by_sum(said: datetime, reading: DateReading) -> list[Period]:
    fields = reading.fields
    day = shift_or_fail(said.date(), duration_of(fields["n"], fields["unit"]), back=False)
    return [day_period(shift_or_fail(day, duration_of(fields["n2"], fields["unit2"]), back=False))]


def ago_this_month(said: datetime, reading: DateReading) -> list[Period]:
    duration = duration_of(reading.fields["n"], reading.fields["unit"])
    return [Period.on(shift_or_fail(said.date(), duration, back=True).isoformat()[:7])]


def ago_this_season(said: datetime, reading: DateReading) -> list[Period]:
    duration = duration_of(reading.fields["n"], reading.fields["unit"])
    return [year_period(shift_or_fail(said.date(), duration, back=True).year)]


def shift_or_fail(day: date, duration: Duration, *, back: bool) -> date:
    if duration.unit == "year" and duration.number > _LONG_AGO:
        raise ValueError("a year and not a number of years")
    try:
        return shifted(day, duration, back=back)
    except Refused as refusal:
        raise ValueError(str(refusal)) from None


_LONG_AGO = 1000
