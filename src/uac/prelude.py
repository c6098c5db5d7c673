"""What every query finds there. It runs inside the sandbox, before the user's types are loaded, and nowhere else."""

import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import groupby

__all__ = [
    "Counter",
    "Decimal",
    "Money",
    "add_months",
    "date",
    "datetime",
    "days_between",
    "defaultdict",
    "field",
    "group_by",
    "groupby",
    "json",
    "math",
    "mean",
    "median",
    "month_of",
    "quarter_of",
    "re",
    "share",
    "stdev",
    "time",
    "timedelta",
    "timezone",
    "total",
    "week_start",
]


@dataclass(frozen=True)
class Money:
    """An amount of one currency."""

    amount: object
    currency: object


def total(amounts):
    """Amounts of money summed by currency: {'EUR': Decimal('12.50')}; None is passed over."""
    sums: dict[object, Decimal] = {}
    for money in amounts:
        if money is not None:
            sums[money.currency] = sums.get(money.currency, Decimal(0)) + money.amount
    return sums


def group_by(items, key):
    """A dict of lists: group_by(travel.trips, lambda trip: trip.country)."""
    groups: dict[object, list[object]] = {}
    for item in items:
        name = key(item)
        if name not in groups:
            groups[name] = []
        groups[name].append(item)
    return groups


def share(part, whole):
    """How many of `whole` are in `part`, between 0 and 1; 0 of nothing is 0."""
    return len(part) / len(whole) if whole else 0.0


def month_of(day):
    """'2024-03'."""
    return f"{day.year:04d}-{day.month:02d}"


def quarter_of(day):
    """'2024-Q1'."""
    return f"{day.year:04d}-Q{(day.month - 1) // 3 + 1}"


def week_start(day):
    """The Monday of the day's week."""
    return day - timedelta(days=day.weekday())


def days_between(first, last):
    """Whole days from one date to another."""
    return (last - first).days


def add_months(day, months):
    """The same day some months later, or the last day of that month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    lengths = [31, 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28, 31, 30, 31, 30]
    length = [*lengths, 31, 31, 30, 31, 30, 31][month - 1]
    return date(year, month, min(day.day, length))


def mean(values):
    """The average; an error for no values."""
    values = list(values)
    if not values:
        raise ValueError("mean of nothing")
    return sum(values) / len(values)


def median(values):
    """The middle value, or the average of the middle two."""
    values = sorted(values)
    if not values:
        raise ValueError("median of nothing")
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def stdev(values):
    """The sample standard deviation; an error for fewer than two values."""
    values = list(values)
    if len(values) < 2:
        raise ValueError("stdev of fewer than two values")
    average = sum(values) / len(values)
    return math.sqrt(sum((value - average) ** 2 for value in values) / (len(values) - 1))
