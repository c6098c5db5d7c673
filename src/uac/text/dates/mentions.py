"""Dates in words: which days a text means, computed from the moment the words were said.

Weeks start on Monday, seasons are northern and made of whole months. A phrase that may mean several dates has several
meanings: nothing is guessed. "A few" is two to five. A time of day is not read.
"""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from uac.errors import Refused
from uac.schema.periods import Period, check_period
from uac.text.dates.grammar import DateReader, Match
from uac.text.dates.resolve import Duration, duration_of, is_relative, periods_of, shifted

__all__ = ["Duration", "Mention", "durations", "means", "mentions", "resolve", "shifted"]


class Mention(NamedTuple):
    phrase: str
    start: int
    end: int
    meanings: tuple[Period, ...]
    """All reasonable meanings, the likeliest first; never empty."""
    is_relative: bool
    """Depends on when it was said, as does a date without its year."""


def mentions(text: str, said: datetime) -> list[Mention]:
    """The dates of a text, in order, without overlaps; of several readings at one position the longest."""
    reader = DateReader(text)
    found: list[Mention] = []
    at = 0
    while at < len(reader.tokens):
        match = reader.longest(at)
        if match is None or not _is_credible(reader, match):
            at += 1
            continue
        # A date that does not exist is skipped as a whole: "February 30" is not "February".
        meanings = periods_of(match, said)
        if meanings and found and any(reading.rule == "bare_day" for reading in match.readings):
            meanings = tuple(dict.fromkeys([*_days_after_mention(found[-1], match), *meanings]))
        if meanings:
            start, end = reader.tokens[match.start].start, reader.tokens[match.end - 1].end
            found.append(Mention(text[start:end], start, end, meanings, is_relative(match)))
        at = match.end
    return found


def _days_after_mention(before: Mention, match: Match) -> Iterator[Period]:
    """A bare day after a date may be in the same month: 'January 15 … and back on the 25th'."""
    days = [int(reading.fields["ordinal"]) for reading in match.readings if reading.rule == "bare_day"]
    firsts = [meaning.first for meaning in before.meanings if len(meaning.start) >= 10]
    for first in firsts:
        for day in days:
            if first is not None and first.day <= day <= monthrange(first.year, first.month)[1]:
                yield Period.on(first.replace(day=day).isoformat())


def resolve(phrase: str, said: datetime) -> tuple[Period, ...]:
    """The meanings of the whole phrase, apart from small words around it; () if it is not a known date."""
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
            return periods_of(match, said)
        if word not in _SMALL:
            break
    return ()


def durations(text: str) -> list[Duration]:
    """The durations that a text states with their numbers, in order: "ten days", "half a year"."""
    reader = DateReader(text)
    found: list[Duration] = []
    at = 0
    while at < len(reader.tokens):
        match = reader.longest(at, level=0)
        if match is None or _is_rate(reader, match):
            at += 1
            continue
        fields = match.readings[0].fields
        duration = duration_of(fields.get("n", "1.5"), fields["unit"])
        # 2023年 is a date.
        if duration.unit != "year" or duration.number < 1000:
            found.append(duration)
        at = match.end
    return found


def means(period: Period, meanings: Sequence[Period]) -> bool:
    """Whether a period states one of the meanings: the same days, or the same more vaguely, but never more precisely.

    A single date may also be stated as "since then" or "until then". The time of day of an instant is ignored.
    """
    try:
        check_period(period)
    except Refused:
        return False
    start, end = period.start.partition("T")[0], period.end.partition("T")[0]
    return bool(start or end) and any(_states_meaning(start, end, meaning) for meaning in meanings)


def _states_meaning(start: str, end: str, meaning: Period) -> bool:
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
"""Words around a date that do not change its meaning."""

_OTHERWISE = {
    "hier": frozenset(
        "ich ist bin sind war waren wir er sie und der die das den dem ein eine nicht ja mein "
        "wohne bleibe auch von zu".split()
    ),
    "natale": frozenset("citta casa paese".split()),
    "silvester": frozenset("stallone".split()),
}
"""Words that are not a date if one of these is near: "hier" is "here" in German."""

_AFTER_A_DAY = frozenset(
    "and or at in to for from is was will would i we he she they it you because but with when so not "
    "instead through until till if as that by on"
    " before after works then please too already am pm this last next since again there here has had "
    "did does can could should may might my our"
    " were are which who".split()
)
"""Words that may follow "the 7th"; before any other word it is not a day, as in "the 7th floor"."""


def _is_credible(reader: DateReader, match: Match) -> bool:
    """Whether the words around the match allow a date."""
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
    """Whether "a day" is a rate, as in "two pills a day"."""
    if reader.tokens[match.start].word not in ("a", "an"):
        return False
    near = reader.tokens[max(match.start - 3, 0) : match.start]
    return any(token.word in _COUNTS or token.word.isdecimal() for token in near)


_COUNTS = frozenset("once twice times one two three four five six seven eight nine ten twelve".split())
