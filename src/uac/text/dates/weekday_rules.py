"""The rules of weekdays and weekends: "next Friday", "a week on Tuesday", "Monday to Thursday"."""

from datetime import date, datetime, timedelta
from decimal import Decimal

from uac.schema.periods import Period
from uac.text.dates.cycles import (
    SUNDAY,
    Duration,
    calendar_span,
    day_period,
    day_range,
    distinct_periods,
    duration_of,
    first_day,
    nearest_occurrences,
    occurrence_beside,
    weekly_cycle,
)
from uac.text.dates.distance_rules import Rule, shift_or_fail
from uac.text.dates.grammar import DateReading

__all__ = [
    "after_weekday_rule",
    "calendar_week_of",
    "weekday_beside",
    "weekday_beyond_rule",
    "weekday_in_week_after_next",
    "weekday_in_week_ago",
    "weekday_of_week",
    "weekday_or_weekend",
    "weekday_pair",
    "weekday_range",
    "weekday_weeks_before",
    "weekend_near",
]


def weekday_or_weekend(said: datetime, reading: DateReading) -> list[Period]:
    """Last, this, next or any weekday or weekend."""
    today = said.date()
    weekday = reading.fields.get("weekday", reading.fields.get("bare_weekday"))
    cycle = weekly_cycle(today, 5, length=2) if weekday is None else weekly_cycle(today, int(weekday))
    match reading.fields.get("which"):
        case None:
            return nearest_occurrences(cycle, today)
        case "0":
            return distinct_periods(
                [cycle.current(today)] if cycle.current(today) else [cycle.coming(today), cycle.past(today)]
            )
        case which:
            return occurrence_beside(cycle, today, which)


def weekday_beyond_rule(weeks: int) -> Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        cycle = weekly_cycle(said.date(), int(reading.fields["weekday"]))
        near = occurrence_beside(cycle, said.date(), "1" if weeks > 0 else "-1")
        return [day_period(first_day(period) + timedelta(weeks=weeks)) for period in near]

    return rule


def weekday_of_week(said: datetime, reading: DateReading) -> list[Period]:
    named = reading.fields["which"]
    monday = first_day(calendar_span(said.date(), "week", 1 if named == "c" else int(named)))
    return [day_period(monday + timedelta(days=int(reading.fields["weekday"])))]


def weekday_in_week_after_next(said: datetime, reading: DateReading) -> list[Period]:
    monday = first_day(calendar_span(said.date(), "week", 2))
    return [day_period(monday + timedelta(days=int(reading.fields["weekday"])))]


def after_weekday_rule(weeks: int = 0) -> Rule:
    """'A week on Tuesday', 'Friday week'."""

    def rule(said: datetime, reading: DateReading) -> list[Period]:
        coming = weekly_cycle(said.date(), int(reading.fields["weekday"])).coming(said.date())
        duration = (
            Duration(Decimal(weeks), "week") if weeks else duration_of(reading.fields["n"], reading.fields["unit"])
        )
        if coming is None:
            return []
        days = [shift_or_fail(first_day(coming), duration, back=False)]
        # 'Saturday in two weeks', said on a Saturday, is two weeks from today.
        if said.weekday() == int(reading.fields["weekday"]):
            days.insert(0, shift_or_fail(said.date(), duration, back=False))
        return [day_period(day) for day in (days if weeks else days[:1])]

    return rule


def weekday_weeks_before(said: datetime, reading: DateReading, weeks: int) -> list[Period]:
    past = weekly_cycle(said.date(), int(reading.fields["weekday"])).past(said.date())
    return [day_period(first_day(past) - timedelta(weeks=weeks))] if past else []


def weekday_in_week_ago(said: datetime, reading: DateReading) -> list[Period]:
    """'A week ago Saturday': the Saturday nearest to that day."""
    day = shift_or_fail(said.date(), duration_of(reading.fields["n"], reading.fields["unit"]), back=True)
    around = [day + timedelta(days=more) for more in range(-3, 4)]
    return [day_period(near) for near in around if near.weekday() == int(reading.fields["weekday"])]


def weekday_pair(said: datetime, reading: DateReading) -> list[Period]:
    """'Sat and Sun': each of them."""
    found: list[Period] = []
    for name in ("weekday", "weekday2"):
        found += nearest_occurrences(weekly_cycle(said.date(), int(reading.fields[name])), said.date())
    return found


def weekday_range(said: datetime, reading: DateReading) -> list[Period]:
    """From one weekday to the next such other one: 'Friday to Sunday'."""
    first, last = int(reading.fields["weekday"]), int(reading.fields["weekday2"])
    starts = nearest_occurrences(weekly_cycle(said.date(), first), said.date())
    return [day_range(first_day(p), first_day(p) + timedelta(days=(last - first) % 7)) for p in starts]


def calendar_week_of(said: datetime, reading: DateReading) -> list[Period]:
    """From one weekday to another of last, this or next week."""
    monday = first_day(calendar_span(said.date(), "week", int(reading.fields["which"].replace("c", "1"))))
    first, last = (monday + timedelta(days=int(reading.fields[name])) for name in ("weekday", "weekday2"))
    return [day_range(first, last)] if first <= last else []


def weekend_near(day: date, which: int) -> Period:
    """The weekend of a day's week, or one before or after it."""
    saturday = day + timedelta(days=5 - day.weekday())
    if which < 0:
        saturday -= (
            timedelta(weeks=1 if day.weekday() < SUNDAY else 0) if saturday >= day - timedelta(days=1) else timedelta()
        )
    elif which:
        saturday += timedelta(weeks=which - (1 if day.weekday() < 5 else 0))
    return day_range(saturday, saturday + timedelta(days=1))


def weekday_beside(day: date, weekday: int, back: bool) -> date:
    """The last such weekday before the day, or the first after it."""
    return (
        day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)
        if back
        else day + timedelta(days=(weekday - day.weekday() - 1) % 7 + 1)
    )
