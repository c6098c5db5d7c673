"""The names available to every query and constraint. Runs inside the sandbox, before the user's types are loaded.

Written in the subset of Python that every sandbox runs: no inheritance, no generators, no properties.
"""

import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import groupby
from unicodedata import normalize as uac_normalize

__all__ = [
    "Alert",
    "Counter",
    "Decimal",
    "Money",
    "add_business_days",
    "add_months",
    "as_date",
    "critical",
    "date",
    "datetime",
    "days_between",
    "days_until",
    "defaultdict",
    "due_within",
    "duplicates",
    "exceeds",
    "expires_before",
    "field",
    "first",
    "group_by",
    "groupby",
    "info",
    "is_past",
    "json",
    "knowledge",
    "look_again",
    "math",
    "mean",
    "median",
    "mentions",
    "money",
    "month_of",
    "overlap",
    "overlap_days",
    "pairs",
    "quarter_of",
    "re",
    "record_id",
    "same",
    "same_person",
    "share",
    "stdev",
    "sum",
    "time",
    "timedelta",
    "timezone",
    "total",
    "warning",
    "week_start",
    "words",
]


# --- money


def uac_amount(money, other, doing):
    """The amount of the other money, which must have the same currency."""
    if money.currency != other.currency:
        both = f"{money} and {other} cannot be {doing}: their currencies differ."
        mend = "Take one currency at a time; total() sums each by itself."
        raise ValueError(f"{both} {mend}")
    return other.amount


def uac_factor(number):
    """A number that an amount is multiplied with: a float counts as it is printed."""
    return Decimal(str(number)) if isinstance(number, float) else number


@dataclass(frozen=True)
class Money:
    """An amount of one currency.

    It adds to and compares with money of that currency, and multiplies with numbers.
    """

    amount: Decimal
    currency: str

    def __str__(self):
        return f"{self.amount} {self.currency}"

    def __add__(self, other):
        if isinstance(other, Money):
            amount = self.amount + uac_amount(self, other, "added")
            return Money(amount, self.currency)
        return self.__radd__(other)

    def __radd__(self, other):
        # sum() starts with 0
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        amount = self.amount - uac_amount(self, other, "subtracted")
        return Money(amount, self.currency)

    def __mul__(self, number):
        if not isinstance(number, (int, float, Decimal)):
            return NotImplemented
        return Money(self.amount * uac_factor(number), self.currency)

    def __rmul__(self, number):
        return self.__mul__(number)

    def __truediv__(self, number):
        """Money by a number is money, and money by money a number."""
        if isinstance(number, Money):
            return self.amount / uac_amount(self, number, "divided")
        if not isinstance(number, (int, float, Decimal)):
            return NotImplemented
        return Money(self.amount / uac_factor(number), self.currency)

    def __neg__(self):
        return Money(-self.amount, self.currency)

    def __abs__(self):
        return Money(abs(self.amount), self.currency)

    def __round__(self, digits=None):
        return Money(Decimal(round(self.amount, digits)), self.currency)

    def __lt__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount < uac_amount(self, other, "compared")

    def __le__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount <= uac_amount(self, other, "compared")

    def __gt__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount > uac_amount(self, other, "compared")

    def __ge__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount >= uac_amount(self, other, "compared")


# --- queries


uac_sum = sum


def sum(values, start=0):  # noqa: A001 - it does what Python's does, and more
    """Numbers, durations or money of one currency added up; an error that counts them if some are None."""
    values = uac_present("sum", values)
    if values and isinstance(values[0], timedelta) and isinstance(start, int) and start == 0:
        start = timedelta()
    return uac_sum(values, start)


def uac_present(name, values):
    """The values as a list; an error if one of them is None."""
    values = list(values)
    absent = values.count(None)
    if absent:
        raise TypeError(f"{name}: {absent} of {len(values)} values are None. Leave them out with 'if … is not None'")
    return values


def total(amounts):
    """Amounts of money summed by currency: {'EUR': Decimal('12.50')}; None is skipped."""
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
    """len(part) / len(whole), between 0 and 1; 0 if `whole` is empty."""
    return len(part) / len(whole) if whole else 0.0


def month_of(day):
    """'2024-03'."""
    return f"{day.year:04d}-{day.month:02d}"


def quarter_of(day):
    """'2024-Q1'."""
    return f"{day.year:04d}-Q{(day.month - 1) // 3 + 1}"


def week_start(day):
    """The Monday of the week that the day is in."""
    return day - timedelta(days=day.weekday())


def days_between(first, last):
    """Whole days from one date to another."""
    if isinstance(first, datetime) and isinstance(last, datetime):
        return (last - first).days
    return (as_date(last) - as_date(first)).days


def add_months(day, months=0, days=0):
    """The same day `months` later, or the last day of that month; then `days` after that.

    Like every helper that moves a date, it stops at the earliest and the latest possible date.
    """
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    if year < 1:
        return uac_shift(date.min, days)
    if year > 9999:
        return uac_shift(date.max, days)
    lengths = [31, 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28, 31, 30, 31, 30]
    length = [*lengths, 31, 31, 30, 31, 30, 31][month - 1]
    return uac_shift(date(year, month, min(day.day, length)), days)


def uac_shift(day, days):
    """A date or time moved by some days; it stops at the earliest and the latest possible date."""
    if days > (date.max - as_date(day)).days:
        return day.replace(year=9999, month=12, day=31)
    if days < (date.min - as_date(day)).days:
        return day.replace(year=1, month=1, day=1)
    return day + timedelta(days=days)


def mean(values):
    """The average of numbers, durations or money of one currency; an error for no values."""
    values = uac_present("mean", values)
    if not values:
        raise ValueError("mean of nothing")
    return sum(values) / len(values)


def median(values):
    """The middle value, or the average of the middle two."""
    values = sorted(uac_present("median", values))
    if not values:
        raise ValueError("median of nothing")
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def stdev(values):
    """The sample standard deviation; an error for fewer than two values."""
    values = uac_present("stdev", values)
    if len(values) < 2:
        raise ValueError("stdev of fewer than two values")
    average = sum(values) / len(values)
    # A product of two large floats is infinite; a power of one is an error.
    return math.sqrt(sum((value - average) * (value - average) for value in values) / (len(values) - 1))


# --- constraints ------------------------------------------------------------------------------------------------------


@dataclass
class Alert:
    """A finding of a constraint. Create it with critical(), warning() or info()."""

    severity: object
    subject: object
    message: object
    records: object
    look_again: object
    rows: object = ()


def critical(message, *records, subject="", look_again=None, rows=()):
    """An alert that must be seen before anything else happens: health, safety, a lost right, a missed flight.

    `rows` names the rows of tables that it depends on, as pairs: [("health.doses", row)]. A row has an id.
    """
    return Alert("critical", subject, message, list(records), look_again, rows)


def warning(message, *records, subject="", look_again=None, rows=()):
    """An alert that somebody should see soon."""
    return Alert("warning", subject, message, list(records), look_again, rows)


def info(message, *records, subject="", look_again=None, rows=()):
    """Something worth knowing."""
    return Alert("info", subject, message, list(records), look_again, rows)


uac_looks: list[object] = []
uac_tables: dict[object, object] = {}


def look_again(when):
    """Run this constraint again at that date or time, even if nothing has changed."""
    uac_looks.append(when)


def knowledge(name):
    """A table that came with a pack: knowledge("health.drugs")."""
    return uac_tables[name]


def uac_named(record, name):
    """The record with its id, which is not a field: it is neither printed nor compared."""
    record.uac_id = name
    return record


def record_id(record):
    """The id of a record, as `uac records` shows it."""
    return record.uac_id


def first(items, default=None):
    """The first item, or the default if there is none."""
    for item in items:
        return item
    return default


def pairs(items):
    """Each pair of items, once: [(a, b), (a, c), (b, c)]."""
    items = list(items)
    return [(items[i], items[j]) for i in range(len(items)) for j in range(i + 1, len(items))]


def duplicates(items, key):
    """Lists of two or more items that have the same key; items whose key is None or empty are skipped."""
    groups = group_by([item for item in items if key(item)], key)
    return [group for group in groups.values() if len(group) > 1]


def as_date(moment):
    """The date of a datetime; a date unchanged; None for None."""
    if moment is None:
        return None
    return moment.date() if isinstance(moment, datetime) else moment


def days_until(day, now):
    """Whole days from today to the day; negative if it is past. The constraint is run again tomorrow."""
    look_again(uac_shift(as_date(now), 1))
    return (as_date(day) - as_date(now)).days


def is_past(day, now):
    """Whether the day is over; False for None. If it is not over, the constraint is run again when it is."""
    if day is None:
        return False
    if as_date(day) >= as_date(now):
        look_again(uac_shift(as_date(day), 1))
        return False
    return True


def due_within(day, now, days):
    """Whether the day is today or at most `days` days ahead; False for None.

    The constraint is run again when that changes.
    """
    if day is None:
        return False
    left = (as_date(day) - as_date(now)).days
    if left > days:
        look_again(uac_shift(as_date(day), -days))
    elif left >= 0:
        look_again(uac_shift(as_date(now), 1))
    return 0 <= left <= days


def expires_before(expiry, day, months=0, days=0):
    """Whether something expires before the day, or less than `months` and `days` after it.

    Without an expiry date (None) it never expires.
    """
    return expiry is not None and as_date(expiry) < add_months(as_date(day), months, days)


def overlap(start, end, other_start, other_end):
    """Whether two spans share time. Dates include their last day; times do not include their last moment.

    A date against a time counts as the whole day.
    """
    if all(isinstance(moment, datetime) for moment in (start, end, other_start, other_end)):
        return start < other_end and other_start < end
    return as_date(start) <= as_date(other_end) and as_date(other_start) <= as_date(end)


def overlap_days(start, end, other_start, other_end):
    """How many days two spans of dates share, both ends included."""
    last = min(as_date(end), as_date(other_end))
    return max((last - max(as_date(start), as_date(other_start))).days + 1, 0)


def add_business_days(day, count, holidays=()):
    """The date `count` working days later (earlier if negative): Monday to Friday, without the holidays."""
    step = -1 if count < 0 else 1
    free = sorted([days_between(as_date(day), holiday) * step for holiday in set(holidays) if holiday.weekday() < 5])
    moved = uac_workdays(day.weekday(), count * step, step)
    for away in free:
        if 0 < away <= moved:
            count = count + step
            moved = uac_workdays(day.weekday(), count * step, step)
    return uac_shift(day, moved * step)


def uac_workdays(weekday, count, step):
    """How many days `count` working days take, counted forwards or backwards from that day of the week."""
    if count == 0:
        return 0
    weekday = weekday if step > 0 else (4 - weekday) % 7  # backwards, Friday to Monday are as Monday to Friday
    rest = max(weekday - 4, 0)  # a weekend day counts as the working day before it
    at = weekday - rest + count % 5
    return count // 5 * 7 + count % 5 + (2 if at > 4 else 0) - rest


def exceeds(amount, limit):
    """The amount above a limit, or None. Money is compared only with money of the same currency."""
    if isinstance(amount, Money):
        if amount.currency != limit.currency or amount.amount <= limit.amount:
            return None
        return Money(amount.amount - limit.amount, amount.currency)
    return amount - limit if amount > limit else None


def money(value):
    """An amount for a message: $15,000.00, or 1,200.00 EUR."""
    if value is None:
        return "an unknown amount"
    shown = f"{value.amount:,.2f}"
    return f"${shown}" if value.currency == "USD" else f"{shown} {value.currency}"


# Nobody sees them inside a word: soft hyphens, joiners, marks of direction and of variants. A trademark is no letter.
uac_unseen = "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u2120\u2122]"


def uac_folded(text):
    """The text in lower case. One that looks the same is the same: full-width letters, ligatures, separate accents."""
    text = text or ""
    if not text.isascii():
        text = uac_normalize("NFKC", re.sub(uac_unseen, "", text))
    return text.lower()


def words(text):
    """The words of a text in lower case, without punctuation."""
    return re.findall(r"\w+", uac_folded(text))


def same(text, other):
    """Whether two texts have the same words; letter case, spaces and punctuation do not matter."""
    return bool(words(text)) and words(text) == words(other)


def mentions(text, phrase):
    """Whether the text contains the phrase as whole words, in the singular or the plural (peanuts, peanut)."""
    parts = [uac_singular(word) for word in words(phrase)]
    # Most texts do not even contain the letters. Only the last one can differ in a plural (berry, berries).
    if not parts or not text or parts[0][:-1] not in uac_folded(text):
        return False
    return f" {' '.join(parts)} " in " " + " ".join([uac_singular(word) for word in words(text)]) + " "


def uac_singular(word):
    """A rough singular of a word, good enough to compare two words."""
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return word[:-2]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def same_person(name, other):
    """Whether two names may mean one person: titles are ignored, and one may be shorter (Emily, Dr. Emily Park)."""
    titles = ("dr", "mr", "mrs", "ms", "miss", "prof", "professor", "doctor", "sir", "madam")
    mine = {word for word in words(name) if word not in titles}
    theirs = {word for word in words(other) if word not in titles}
    if not mine or not theirs:
        return False
    return all(word in theirs for word in mine) or all(word in mine for word in theirs)
