"""Dates in words: which days a text means, reckoned by code from the moment the words were said.

Weeks start on Monday, seasons are northern and made of whole months. A phrase that may mean several dates has several
meanings: nothing is guessed. "A few" is two to five. A time of day is not read.
"""

import calendar
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple, cast

from uac.errors import Refused
from uac.schema.periods import Period, check_period
from uac.text.dates.grammar import DateReader, DateReading, Match

__all__ = ["Duration", "Mention", "durations", "means", "mentions", "resolve", "shifted"]

Unit = Literal["day", "week", "month", "year", "hour", "minute"]


class Mention(NamedTuple):
    phrase: str
    start: int
    end: int
    meanings: tuple[Period, ...]
    """All that it may reasonably mean, the likeliest first; never empty."""
    is_relative: bool
    """Needs the time of saying; so does a date without its year."""


class Duration(NamedTuple):
    number: Decimal
    unit: Unit


def mentions(text: str, said: datetime) -> list[Mention]:
    """The dates of a text, in order and apart from each other; of several readings of a place the longest."""
    reader = DateReader(text)
    found: list[Mention] = []
    at = 0
    while at < len(reader.tokens):
        match = reader.longest(at)
        if match is None or not _is_credible(reader, match):
            at += 1
            continue
        # A date that does not exist is passed over as a whole: "February 30" is not "February".
        meanings = _meanings(match, said)
        if meanings and found and any(reading.rule == "bare_day" for reading in match.readings):
            meanings = tuple(dict.fromkeys([*_after(found[-1], match), *meanings]))
        if meanings:
            start, end = reader.tokens[match.start].start, reader.tokens[match.end - 1].end
            found.append(Mention(text[start:end], start, end, meanings, _is_relative(match)))
        at = match.end
    return found


def _after(before: Mention, match: Match) -> Iterator[Period]:
    """A bare day after a date may be one of the same month: 'January 15 … and back on the 25th'."""
    days = [int(reading.fields["ordinal"]) for reading in match.readings if reading.rule == "bare_day"]
    firsts = [meaning.first for meaning in before.meanings if len(meaning.start) >= 10]
    for first in firsts:
        for day in days:
            if first is not None and first.day <= day <= monthrange(first.year, first.month)[1]:
                yield Period.on(first.replace(day=day).isoformat())


def resolve(phrase: str, said: datetime) -> tuple[Period, ...]:
    """What the phrase as a whole means, small words around it aside; () if it is no date that is known here."""
    reader = DateReader(phrase)
    words = [token.word for token in reader.tokens]
    last = len(words)
    ends = {last}
    while last and words[last - 1] in _SMALL:
        last -= 1
        ends.add(last)
    for at, word in enumerate(words):
        match = reader.longest(at)
        if match is not None and match.end in ends:
            return _meanings(match, said)
        if word not in _SMALL:
            break
    return ()


def durations(text: str) -> list[Duration]:
    """The lengths of time that a text names with their numbers, in order: "ten days", "half a year"."""
    reader = DateReader(text)
    found: list[Duration] = []
    at = 0
    while at < len(reader.tokens):
        match = reader.longest(at, level=0)
        if match is None or _is_rate(reader, match):
            at += 1
            continue
        fields = match.readings[0].fields
        duration = _duration(fields.get("n", "1.5"), fields["unit"])
        # 2023年 is a date.
        if duration.unit != "year" or duration.number < 1000:
            found.append(duration)
        at = match.end
    return found


def shifted(day: date, duration: Duration, *, back: bool = False) -> date:
    """The day so much later; a day that its month does not have becomes the month's last.

    Hours and minutes count as whole days, rounded down. Refused outside of the years 1 to 9999.
    """
    number, unit = _whole(duration)
    try:
        if unit in ("month", "year"):
            return _months_on(day, (-number if back else number) * (12 if unit == "year" else 1))
        days = {"day": number, "week": number * 7, "hour": number // 24, "minute": number // 1440}[unit]
        return day + timedelta(days=-days if back else days)
    except (ValueError, OverflowError):
        sign = "-" if back else "+"
        raise Refused(
            f"{day} {sign} {duration.number} {duration.unit}: needs a day between the years 1 and 9999"
        ) from None


def means(period: Period, meanings: Sequence[Period]) -> bool:
    """Whether a period states one of the meanings: the same days, or the same more vaguely, but never more precisely.

    A single date may also be stated as "since then" or "until then". The time of day of an instant is not judged.
    """
    try:
        check_period(period)
    except Refused:
        return False
    start, end = period.start.partition("T")[0], period.end.partition("T")[0]
    return bool(start or end) and any(_states(start, end, meaning) for meaning in meanings)


def _states(start: str, end: str, meaning: Period) -> bool:
    if meaning.start == meaning.end and not (start and end):
        return _is_vaguer(start or end, meaning.start)
    if _is_vaguer(start, meaning.start) and _is_vaguer(end, meaning.end):
        return True
    stated = Period(start, end)
    return (stated.first, stated.last) == (meaning.first, meaning.last)


def _is_vaguer(stated: str, meant: str) -> bool:
    return stated == meant or (stated != "" and meant.startswith(stated + "-"))


_SMALL = frozenset(
    "on in at the of about around circa during over back only just am im an den dem der das el la "
    "los en le les du de il lo i nel a o no na em do da"
    " for , . ; : ! ? ( ) \" ' ‘ ’ “ ” « » „ - – — … 在 は に の".split()
)
"""Words that may stand around a date and leave it what it is."""

_OTHERWISE = {
    "hier": frozenset(
        "ich ist bin sind war waren wir er sie und der die das den dem ein eine nicht ja mein "
        "wohne bleibe auch von zu".split()
    ),
    "natale": frozenset("citta casa paese".split()),
    "silvester": frozenset("stallone".split()),
}
"""Words that are no date if one of these stands near: "hier" is "here" in German."""

_AFTER_A_DAY = frozenset(
    "and or at in to for from is was will would i we he she they it you because but with when so not "
    "instead through until till if as that by on"
    " before after works then please too already am pm this last next since again there here has had "
    "did does can could should may might my our"
    " were are which who".split()
)
"""Words that may follow "the 7th"; before any other word it counts something else, as in "the 7th floor"."""


def _is_credible(reader: DateReader, match: Match) -> bool:
    """Whether the words around it let it be a date."""
    before = reader.tokens[match.start - 1].word if match.start else ""
    after = reader.tokens[match.end] if match.end < len(reader.tokens) else None
    if match.is_weak and before not in match.gate:
        return False
    if any(reading.rule == "bare_day" for reading in match.readings) and after is not None:
        return not after.word[0].isalnum() or after.word in _AFTER_A_DAY
    if match.end == match.start + 1 and (company := _OTHERWISE.get(reader.tokens[match.start].word)):
        near = reader.tokens[max(match.start - 4, 0) : match.end + 4]
        return company.isdisjoint(token.word for token in near)
    return True


def _is_rate(reader: DateReader, match: Match) -> bool:
    """Whether "a day" tells how often or how much, as in "two pills a day"."""
    if reader.tokens[match.start].word not in ("a", "an"):
        return False
    near = reader.tokens[max(match.start - 3, 0) : match.start]
    return any(token.word in _COUNTS or token.word.isdecimal() for token in near)


_COUNTS = frozenset("once twice times one two three four five six seven eight nine ten twelve".split())


# --- reckoning: from what was read to periods -------------------------------------------------------------------------


def _meanings(match: Match, said: datetime) -> tuple[Period, ...]:
    found: list[Period] = []
    for reading in match.readings:
        try:
            found += _RULES[reading.rule](said, reading)
        except (ValueError, OverflowError):
            continue
    return tuple(dict.fromkeys(found))


def _is_relative(match: Match) -> bool:
    return any(_needs_saying(reading) for reading in match.readings)


def _needs_saying(reading: DateReading) -> bool:
    if reading.rule == "between":
        return _is_relative(reading.inner[1]) or (_is_relative(reading.inner[0]) and not _recurs(reading.inner[0]))
    if reading.inner:
        return any(_is_relative(inner) for inner in reading.inner)
    return not {"year", "decade"} & reading.fields.keys()


class _Cycle(NamedTuple):
    """What comes again: the occurrence of each week, month or year, and which of them today is in."""

    at: Callable[[int], Period]
    here: int

    def there(self, index: int) -> Period | None:
        """The occurrence; None if that year has no such day."""
        try:
            return self.at(index)
        except (ValueError, OverflowError):
            return None

    def past(self, today: date) -> Period | None:
        """The last that is over."""
        return next((p for k in range(9) if (p := self.there(self.here - k)) and _last(p) < today), None)

    def coming(self, today: date) -> Period | None:
        """The first that has not begun."""
        return next((p for k in range(9) if (p := self.there(self.here + k)) and _first(p) > today), None)

    def current(self, today: date) -> Period | None:
        return next((p for k in (-1, 0) if (p := self.there(self.here + k)) and p.covers(today)), None)


def _which(cycle: _Cycle, today: date, which: str) -> list[Period]:
    """The last, this or next one: by the day, and by the week or year that it stands in."""
    if which == "0":
        return _present([*_nearest(cycle, today)[:1], cycle.there(cycle.here)])
    beside = cycle.there(cycle.here + int(which))
    if which == "-1":
        return _present([cycle.past(today), beside if beside and _last(beside) < today else None])
    return _present([cycle.coming(today), beside if beside and _first(beside) > today else None])


def _nearest(cycle: _Cycle, today: date) -> list[Period]:
    """The present one, then the past and the coming one, the nearer first: the tense is not known."""
    beside = _present([cycle.coming(today), cycle.past(today)])
    beside.sort(key=lambda p: min(abs((_first(p) - today).days), abs((_last(p) - today).days)))
    return _present([cycle.current(today), *beside])


def _present(periods: Iterable[Period | None]) -> list[Period]:
    return list(dict.fromkeys(period for period in periods if period is not None))


def _first(period: Period) -> date:
    return period.first or date.min


def _last(period: Period) -> date:
    return period.last or date.max


def _on(day: date) -> Period:
    return Period.on(day.isoformat())


def _days(first: date, last: date) -> Period:
    return Period(first.isoformat(), last.isoformat())


def _month(index: int) -> Period:
    """The month, counted from the year 0."""
    return Period.on(_month_name(index))


def _month_name(index: int) -> str:
    return date(index // 12, index % 12 + 1, 1).isoformat()[:7]


def _year(year: int) -> Period:
    return Period.on(date(year, 1, 1).isoformat()[:4])


def _months_on(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    first = date(year, month, 1)
    return first.replace(day=min(day.day, calendar.monthrange(year, month)[1]))


def _duration(number: str, unit: str) -> Duration:
    """The number of a unit that is itself a number of plain units, such as a fortnight."""
    times, name = unit.split()
    return Duration(Decimal(number) * int(times), cast("Unit", name))


_SMALLER: dict[Unit, tuple[int, Unit]] = {
    "year": (12, "month"), "month": (30, "day"), "week": (7, "day"), "day": (24, "hour"), "hour": (60, "minute"),
}  # fmt: skip


def _whole(duration: Duration) -> tuple[int, Unit]:
    """In the largest unit that needs no fraction: half a year is six months."""
    number, unit = duration
    while number != int(number) and unit in _SMALLER:
        times, unit = _SMALLER[unit]
        number *= times
    return int(number), unit


def _from(said: datetime, duration: Duration, *, back: bool) -> list[Period]:
    """So much before or after: as precisely as it is likely meant, then as it may be meant too."""
    number, unit = _whole(duration)
    signed = -number if back else number
    today = said.date()
    match unit:
        case "year":
            return [_year(today.year + signed), _month(today.year * 12 + today.month - 1 + signed * 12)]
        case "month":
            return [_month(today.year * 12 + today.month - 1 + signed), _on(_months_on(today, signed))]
        case "week":
            day = today + timedelta(weeks=signed)
            return [_on(day), _week(day)]
        case "day":
            return [_on(today + timedelta(days=signed))]
        case _:
            return [_on((said + timedelta(**{unit + "s": signed})).date())]


def _around(said: datetime, near: Duration, far: Duration, *, back: bool) -> list[Period]:
    """Somewhere between the two."""
    ends = [_from(said, near, back=back)[0], _from(said, far, back=back)[0]]
    ends.sort(key=_first)
    return [Period(ends[0].start, ends[1].end)]


def _week(day: date) -> Period:
    monday = day - timedelta(days=day.weekday())
    return _days(monday, monday + timedelta(days=6))


def _span(today: date, span: str, which: int) -> Period:
    """The calendar's week, month, quarter or year so many after this one."""
    index = today.year * 12 + today.month - 1
    match span:
        case "week":
            return _week(today + timedelta(weeks=which))
        case "month":
            return _month(index + which)
        case "quarter":
            start = index // 3 * 3 + which * 3
            return Period(_month_name(start), _month_name(start + 2))
        case _:
            return _year(today.year + which)


def _weekly(today: date, weekday: int, *, length: int = 1) -> _Cycle:
    def at(week: int) -> Period:
        first = date.fromordinal(week * 7 + 1 + weekday)
        return _days(first, first + timedelta(days=length - 1))

    return _Cycle(at, (today.toordinal() - 1) // 7)


def _monthly(today: date, day: int) -> _Cycle:
    return _Cycle(lambda index: _on(date(index // 12, index % 12 + 1, day)), today.year * 12 + today.month - 1)


def _yearly(today: date, reading: DateReading) -> _Cycle:
    """The month, day, days, season, quarter or holiday that was read, in each year."""
    fields = {name: int(value) for name, value in reading.fields.items() if value.isdecimal()}

    def at(year: int) -> Period:
        match fields:
            case {"month": month, "day": day, "day2": until}:
                return _in_order(date(year, month, day), date(year, month, until))
            case {"month": month, "day": day}:
                return _on(date(year, month, day))
            case {"month": month}:
                date(year, month, 1)  # there is no 13th month
                return _month(year * 12 + month - 1)
            case {"season": start}:
                return Period(_month_name(year * 12 + start - 1), _month_name(year * 12 + start + 1))
            case {"quarter": quarter} | {"nth": quarter}:
                return Period(_month_name(year * 12 + quarter * 3 - 3), _month_name(year * 12 + quarter * 3 - 1))
            case _:
                return _on(_holiday(reading.fields["holiday"], year))

    return _Cycle(at, today.year)


def _in_order(first: date, last: date) -> Period:
    if last < first:
        raise ValueError("the days stand in the wrong order")
    return _days(first, last)


def _holiday(name: str, year: int) -> date:
    match name:
        case "thanksgiving":
            return date(year, 11, 22 + (3 - date(year, 11, 22).weekday()) % 7)
        case "easter" | "easter_monday" | "good_friday":
            return _easter(year) + timedelta(days={"easter_monday": 1, "good_friday": -2}.get(name, 0))
        case _:
            month, day = _FIXED[name]
            return date(year, month, day)


_FIXED = {
    "christmas": (12, 25), "christmas_eve": (12, 24), "boxing_day": (12, 26), "halloween": (10, 31),
    "new_year": (1, 1), "new_year_eve": (12, 31), "valentine": (2, 14),
}  # fmt: skip


def _easter(year: int) -> date:
    """The Sunday after the paschal full moon of the Gregorian calendar."""
    century, moon = year // 100, year % 19
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * moon + 15) % 30
    epact -= 1 if epact == 29 or (epact == 28 and moon > 10) else 0
    full = date(year, 3, 21) + timedelta(days=epact)
    return full + timedelta(days=7 - (full.weekday() + 1) % 7)


# --- the rules, one for each kind of phrase ---------------------------------------------------------------------------

_Rule = Callable[[datetime, DateReading], Sequence[Period]]


def _counted(*, back: bool, is_exact: bool = False) -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        duration = _duration(reading.fields.get("n", "1.5"), reading.fields["unit"])
        return [_on(_reached(said.date(), duration, back=back))] if is_exact else _from(said, duration, back=back)

    return rule


def _counted_around(*, back: bool) -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        unit = reading.fields["unit"]
        near, far = (_duration(reading.fields.get(*end), unit) for end in (("n", "2"), ("n2", "5")))
        return _around(said, near, far, back=back) if near < far else []

    return rule


def _rolling(*, back: bool, number: str = "1") -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        today = said.date()
        reached = _reached(today, _duration(reading.fields.get("n", number), reading.fields["unit"]), back=back)
        return [_days(reached, today) if back else _days(today, reached)]

    return rule


def _reached(day: date, duration: Duration, *, back: bool) -> date:
    try:
        return shifted(day, duration, back=back)
    except Refused as refusal:
        raise ValueError(str(refusal)) from None


def _spanned(which: int | None = None, span: str = "") -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        far = int(reading.fields["which"]) if which is None else which
        return [_span(said.date(), span or reading.fields["span"], far)]

    return rule


def _by_week(said: datetime, reading: DateReading) -> list[Period]:
    """Last, this, next or any weekday or weekend."""
    today = said.date()
    weekday = reading.fields.get("weekday", reading.fields.get("bare_weekday"))
    cycle = _weekly(today, 5, length=2) if weekday is None else _weekly(today, int(weekday))
    match reading.fields.get("which"):
        case None:
            return _nearest(cycle, today)
        case "0":
            return _present(
                [cycle.current(today)] if cycle.current(today) else [cycle.coming(today), cycle.past(today)]
            )
        case which:
            return _which(cycle, today, which)


def _beyond(weeks: int) -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        cycle = _weekly(said.date(), int(reading.fields["weekday"]))
        near = _which(cycle, said.date(), "1" if weeks > 0 else "-1")
        return [_on(_first(period) + timedelta(weeks=weeks)) for period in near]

    return rule


def _weekday_of_week(said: datetime, reading: DateReading) -> list[Period]:
    monday = _first(_span(said.date(), "week", int(reading.fields["which"])))
    return [_on(monday + timedelta(days=int(reading.fields["weekday"])))]


def _by_year(said: datetime, reading: DateReading) -> list[Period]:
    """In the year that was named, or in the years around."""
    today = said.date()
    cycle = _yearly(today, reading)
    if "year" in reading.fields or "which" in reading.fields:
        named = reading.fields.get("year")
        year = int(named) if named is not None else today.year + int(reading.fields["which"])
        # A winter has two years.
        beside = [cycle.there(year - 1)] if reading.fields.get("season") == "12" else []
        return _present([cycle.there(year), *beside])
    return _nearest(cycle, today)


def _by_which(said: datetime, reading: DateReading) -> list[Period]:
    return _which(_yearly(said.date(), reading), said.date(), reading.fields["which"])


def _bare_day(said: datetime, reading: DateReading) -> list[Period]:
    """The day of this month, of the one before and of the one after."""
    cycle = _monthly(said.date(), int(reading.fields["ordinal"]))
    return _present(cycle.there(cycle.here + k) for k in (0, -1, 1))


def _day_of_span(said: datetime, reading: DateReading) -> list[Period]:
    cycle = _monthly(said.date(), int(reading.fields["day"]))
    return _present([cycle.there(cycle.here + int(reading.fields["which"]))])


def _decade(_said: datetime, reading: DateReading) -> list[Period]:
    start = int(reading.fields["decade"])
    # The twenties are the last ones or those of a century ago; all others are over.
    starts = [start] if start >= 100 else [2000 + start, 1900 + start] if start <= 20 else [1900 + start]
    return [Period(f"{year:04}", f"{year + 9:04}") for year in starts if year]


def _written(*orders: tuple[str, str]) -> _Rule:
    """Dates in digits, in each order of day and month in which they exist."""

    def rule(said: datetime, reading: DateReading) -> list[Period]:
        found: list[Period] = []
        for month, day in orders:
            fields = {"month": reading.fields[month], "day": reading.fields[day]}
            if year := reading.fields.get("year"):
                fields["year"] = year if len(year) == 4 else str(_full_year(int(year), said.year))
            found += _by_year(said, DateReading("day_of_month", fields))
        return found

    return rule


def _full_year(short: int, now: int) -> int:
    """The year with these last two digits that is nearest to now."""
    return min((now // 100 * 100 + century + short for century in (-100, 0, 100)), key=lambda year: abs(year - now))


def _inside(edge: Literal["", "first", "last"], span: bool = False) -> _Rule:
    """The period itself, as coarse as it is, and the day at its edge."""

    def rule(said: datetime, reading: DateReading) -> list[Period]:
        periods = [_span(said.date(), reading.fields["span"], 0)] if span else _meanings(reading.inner[0], said)
        edges = [_on(_first(p) if edge == "first" else _last(p)) for p in periods] if edge else []
        return [*periods, *edges]

    return rule


def _nth_weekday(said: datetime, reading: DateReading) -> list[Period]:
    nth, weekday = int(reading.fields["nth"]), int(reading.fields["weekday"])
    found: list[Period] = []
    for period in _meanings(reading.inner[0], said):
        edge = _first(period) if nth > 0 else _last(period)
        near = (weekday - edge.weekday()) % 7 if nth > 0 else -((edge.weekday() - weekday) % 7)
        day = edge + timedelta(days=near + 7 * (nth - 1 if nth > 0 else 0))
        found += [_on(day)] if period.covers(day) else []
    return found


def _shift(*, back: bool) -> _Rule:
    def rule(said: datetime, reading: DateReading) -> list[Period]:
        duration = _duration(reading.fields.get("n", "1"), reading.fields.get("unit", "1 day"))
        days = [_first(p) for p in _meanings(reading.inner[0], said) if p.first == p.last]
        return [_on(_reached(day, duration, back=back)) for day in days]

    return rule


def _dated_weekday(said: datetime, reading: DateReading) -> Sequence[Period]:
    """The dates that fall on the weekday; if none does, somebody erred, and the date counts."""
    dated = _meanings(reading.inner[0], said)
    return [p for p in dated if _first(p).weekday() == int(reading.fields["weekday"])] or dated


def _week_of(said: datetime, reading: DateReading) -> list[Period]:
    days = [_first(period) for period in _meanings(reading.inner[0], said)]
    return [_week(day) for day in days] + [_days(day, day + timedelta(days=6)) for day in days]


def _since(said: datetime, reading: DateReading) -> list[Period]:
    """Nothing has held since a day to come, unless there is no other reading."""
    periods = _meanings(reading.inner[0], said)
    past = [period for period in periods if _first(period) <= said.date()]
    return [Period(period.start, "") for period in past or periods]


def _onwards(said: datetime, reading: DateReading) -> list[Period]:
    return [Period(period.start, "") for period in _meanings(reading.inner[0], said)]


def _until(said: datetime, reading: DateReading) -> list[Period]:
    return [Period("", period.end) for period in _meanings(reading.inner[0], said)]


def _between(said: datetime, reading: DateReading) -> list[Period]:
    """From each start to the first end after it. A start without its year takes the year of an end that has one."""
    start, end = reading.inner
    ends = _meanings(end, said)
    if _recurs(start) and not _is_relative(end) and ends:
        before = [p for p in _meanings(start, _at(said, _last(ends[0]))) if _first(p) <= _last(ends[0])]
        return [Period(max(before, key=_first).start, ends[0].end)] if before else []
    found: list[Period] = []
    for first in _meanings(start, said):
        reached = _meanings(end, _at(said, _first(first))) if _recurs(end) else ends
        after = [p for p in reached if _last(p) >= _last(first)]
        found += [Period(first.start, min(after, key=_last).end)] if after else []
    return found


def _at(said: datetime, day: date) -> datetime:
    return said.replace(year=day.year, month=day.month, day=day.day)


def _recurs(match: Match) -> bool:
    """Whether it comes again each year or week, and nothing says in which it is meant."""
    return all(
        reading.rule in _RECURRING and not {"year", "which"} & reading.fields.keys() for reading in match.readings
    )


_RECURRING = frozenset("day_of_month bare_month bare_holiday bare_season bare_weekday short day_first_short".split())

_RULES: dict[str, _Rule] = {
    "none": lambda _said, _reading: (),
    "near": lambda said, reading: [_on(said.date() + timedelta(days=int(reading.fields["near"])))],
    "ago": _counted(back=True),
    "ago_and_a_half": _counted(back=True),
    "ago_exact": _counted(back=True, is_exact=True),
    "ago_few": _counted_around(back=True),
    "ago_range": _counted_around(back=True),
    "ahead": _counted(back=False),
    "ahead_exact": _counted(back=False, is_exact=True),
    "ahead_few": _counted_around(back=False),
    "ahead_range": _counted_around(back=False),
    "until_today": _rolling(back=True),
    "until_today_few": _rolling(back=True, number="5"),
    "from_today": _rolling(back=False),
    "from_today_few": _rolling(back=False, number="5"),
    "span": _spanned(),
    "span_week": _spanned(span="week"),
    "span_month": _spanned(span="month"),
    "span_year": _spanned(span="year"),
    "span_before_last": _spanned(-2),
    "span_after_next": _spanned(2),
    "weekend": _by_week,
    "bare_weekend": _by_week,
    "weekday": _by_week,
    "bare_weekday": _by_week,
    "weekday_of_week": _weekday_of_week,
    "weekday_before_last": _beyond(-1),
    "weekday_after_next": _beyond(1),
    **dict.fromkeys(["month", "season", "holiday"], _by_which),
    **dict.fromkeys(["bare_month", "bare_season", "bare_quarter", "bare_holiday"], _by_year),
    **dict.fromkeys(["month_of_year", "season_of_year", "quarter_of_year", "holiday_of_year"], _by_year),
    **dict.fromkeys(["day_of_month", "days_of_month"], _by_year),
    "bare_day": _bare_day,
    "day_of_span": _day_of_span,
    "year": lambda _said, reading: [_year(int(reading.fields["year"]))],
    "years": lambda _said, reading: [Period(reading.fields["year"], reading.fields["until"])],
    "decade": _decade,
    "iso": _written(("month", "day")),
    "iso_month": _by_year,
    "day_first": _written(("month", "day")),
    "day_first_short": _written(("month", "day")),
    "either_order": _written(("one", "two"), ("two", "one")),
    "short": _written(("one", "two"), ("two", "one")),
    "coarse": _inside(""),
    "coarse_span": _inside("", span=True),
    "first_day": _inside("first"),
    "first_day_of_span": _inside("first", span=True),
    "last_day": _inside("last"),
    "last_day_of_span": _inside("last", span=True),
    "nth_weekday": _nth_weekday,
    "shift_back": _shift(back=True),
    "shift_on": _shift(back=False),
    "dated_weekday": _dated_weekday,
    "week_of": _week_of,
    "since": _since,
    "onwards": _onwards,
    "until": _until,
    "by": lambda said, reading: [*_meanings(reading.inner[0], said), *_until(said, reading)],
    "between": _between,
}
