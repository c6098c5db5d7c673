"""Axes of charts: the position of values, and tick marks at round numbers or days."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal, localcontext

__all__ = ["AxisTick", "Scale", "TimeScale", "axis_number_text", "scale_of", "time_scale"]

TICKS, YEARS = 5, 8  # the approximate number of ticks on an axis
EXACT = Context(prec=60)
CLOSE = Decimal("1e-12")  # relative difference below which two values are drawn as one
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class AxisTick:
    """A mark on an axis, and its position as a share of the axis."""

    share: float
    label: str


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high`."""

    low: Decimal
    high: Decimal
    ticks: tuple[AxisTick, ...]

    def share(self, value: Decimal) -> float:
        """The position of a value between the ends, from 0 to 1."""
        return float(EXACT.divide(EXACT.subtract(value, self.low), EXACT.subtract(self.high, self.low)))


@dataclass(frozen=True, slots=True)
class TimeScale:
    """An axis of moments or of numbers."""

    scale: Scale
    ticks: tuple[AxisTick, ...]

    def share(self, where: datetime | Decimal) -> float:
        return self.scale.share(where if isinstance(where, Decimal) else _epoch_seconds(where))

    @staticmethod
    def text(where: datetime | Decimal) -> str:
        """The position for people: a day if the time is midnight."""
        if isinstance(where, Decimal):
            return axis_number_text(where)
        return f"{where.date()}" if where.time() == EPOCH.time() else f"{where:%Y-%m-%d %H:%M}"


def scale_of(values: Iterable[Decimal | int]) -> Scale:
    """An axis that covers all values, marked at 1, 2 or 5 times a power of ten; integers if the values are."""
    with localcontext(EXACT):
        numbers = [Decimal(value) for value in values]
        low, high = min(numbers, default=Decimal(0)), max(numbers, default=Decimal(0))
        if high - low <= CLOSE * max(abs(low), abs(high)):
            low, high = min(low, Decimal(0)), max(high, Decimal(0))
        if low == high:
            high = low + 1
        is_counted = all(value == value.to_integral_value() for value in numbers)
        step = max(_round_tick_step((high - low) / TICKS), Decimal(1 if is_counted else 0))
        first, last = (low / step).to_integral_value("ROUND_FLOOR"), (high / step).to_integral_value("ROUND_CEILING")
        marks = [step * number for number in range(int(first), int(last) + 1)]
        low, high = marks[0], marks[-1]
        return Scale(
            low, high, tuple(AxisTick(float((mark - low) / (high - low)), axis_number_text(mark)) for mark in marks)
        )


def time_scale(places: Iterable[datetime | Decimal]) -> TimeScale:
    """An axis over moments in UTC, marked at years, months, days or hours; over numbers, as `scale_of`."""
    values = list(places)
    moments = [place for place in values if isinstance(place, datetime)]
    if len(moments) < len(values) or not moments:
        scale = scale_of(place for place in values if isinstance(place, Decimal))
        return TimeScale(scale, scale.ticks)
    first, last = min(moments), max(moments)
    low, high = _epoch_seconds(first), _epoch_seconds(last)
    if low == high:
        low, high = low - 43200, high + 43200
    scale = Scale(low, high, ())
    marks = ((scale.share(_epoch_seconds(moment)), label) for moment, label in _calendar_ticks(first, last))
    return TimeScale(scale, tuple(AxisTick(share, label) for share, label in marks if 0 <= share <= 1))


def axis_number_text(number: Decimal) -> str:
    """A number for people: 1,234.5; very large and very small numbers with an exponent."""
    if not number:
        return "0"
    plain = number.normalize(EXACT)
    return f"{plain:,f}" if -7 < plain.adjusted() < 15 and len(plain.as_tuple().digits) < 20 else f"{plain:.6g}"


def _round_tick_step(least: Decimal) -> Decimal:
    """The smallest of 1, 2 or 5 times a power of ten that is at least `least`."""
    power = Decimal(1).scaleb(least.adjusted())
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least)


def _calendar_ticks(first: datetime, last: datetime) -> Iterator[tuple[datetime, str]]:
    """Round moments that span the range from first to last."""
    span = last - first
    if not span:
        yield first, TimeScale.text(first)
    elif span <= DAY:
        hour = first.replace(minute=0, second=0, microsecond=0)
        hours = (hour + timedelta(hours=number) for number in range(0, 25, 4) if hour.date() < date.max)
        yield from ((moment, f"{moment:%m-%d %H:%M}") for moment in hours)
    elif span <= 90 * DAY:
        every = next(days for days in (1, 2, 7, 14, 21) if span <= days * (TICKS + 1) * DAY)
        days = range(first.toordinal(), last.toordinal() + 1)
        round_days = (
            datetime.fromordinal(day).replace(tzinfo=UTC) for day in days if (day - 1) % every == 0
        )  # Mondays for weekly ticks
        yield from ((day, f"{day.date()}") for day in round_days)
    elif span <= 4 * 365 * DAY:
        every = next(months for months in (1, 2, 3, 6, 12) if span <= months * 31 * (TICKS + 3) * DAY)
        months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        for year, month in (divmod(number, 12) for number in months if number % every == 0):
            yield datetime(year, month + 1, 1, tzinfo=UTC), f"{year:04d}-{month + 1:02d}"
    else:
        step = int(_round_tick_step(Decimal(max(last.year - first.year, YEARS)) / YEARS))
        for year in range(first.year - first.year % step, last.year + 1, step):
            if year:
                yield datetime(year, 1, 1, tzinfo=UTC), f"{year:04d}"


def _epoch_seconds(moment: datetime) -> Decimal:
    return EXACT.divide(Decimal((moment - EPOCH) // timedelta(microseconds=1)), Decimal(1_000_000))
