"""Time expressions in questions: the days asked about, and the events asked before, after or during.

Dates are read by `uac.text.dates.mentions`. Questions also need: a date without a year in one of the last years, not in
the future; "before", "after" and "around" a date; weeks and weekends by number; a bare year among other words.
Only the first 2,000 and the last 500 characters of a long question are read, and in each about 16 dates and
24 numbers.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice, zip_longest
from typing import Literal, NamedTuple

from uac.schema.periods import Period
from uac.schema.word_caches import word_cache
from uac.text.dates.grammar import DateReader, Match
from uac.text.dates.mentions import Mention, mentions, resolve
from uac.text.dates.question_vocabulary import (
    AFTER_A_NAME,
    ARTICLES,
    BEFORE_A_NAME,
    CLAUSE_END,
    COUNTED,
    EVENT,
    GOES_ON,
    LOOSE_END,
    MAIN_CLAUSE,
    MANNER,
    MONTH_NAMES,
    NO_EVENT,
    NTHS,
    OTHER_MANNER,
    RELATED,
    RELATED_AFTER,
    TO_NOTHING,
    UNITS,
    WIDE_EVENT,
    YEAR,
    plainly,
)
from uac.text.dates.tense import likely_languages
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["AskedEvent", "AskedTime", "Relation", "around_event", "asked_events", "asked_times", "overlap"]

Relation = Literal["before", "after", "during", "since", "until"]

_Days = tuple[date | None, date | None]
"""The first and the last day; None if open."""


class AskedTime(NamedTuple):
    start: str
    """The first day, as an ISO date; '' if open."""
    end: str
    """The last day, included; '' if open."""
    words: str
    """The part of the query it was read from."""
    weight: float = 1.0
    """Certainty: lower for a second reading, an earlier year, a number that may not be a year, an open end."""


class AskedEvent(NamedTuple):
    relation: Relation
    words: str
    """The name of the event in the query, without its article."""


def asked_times(query: str, now: datetime) -> tuple[AskedTime, ...]:
    """The times that a query names, in its order; of several that may be meant, the likeliest first.

    Only the first 2,000 and the last 500 characters are read, in each up to some 16 dates and 24 numbers. A date
    without a year is one of the last four that had begun by `now`. A day that does not exist gives nothing.
    """
    found: dict[tuple[str, str], AskedTime] = {}
    for part in _query_head_and_tail(query):
        for time in _times_in_part(part, now):
            known = found.get(time[:2])
            if known is None or known.weight < time.weight:
                found[time[:2]] = time
    return tuple(found.values())


def asked_events(query: str) -> tuple[AskedEvent, ...]:
    """The events, other than dates, that a query asks before, after, during, since or until.

    Only the first 2,000 and the last 500 characters are read, and in each up to 16 events.
    """
    return tuple(
        dict.fromkeys(event for part in _query_head_and_tail(query) for event in islice(_events_in_part(part), _MOST))
    )


def around_event(event: AskedEvent, period: Period) -> AskedTime:
    """The time asked for, given when the event was; weight 0 if that is not known.

    "Before" and "after" an event without an end, such as living somewhere, refer to its beginning.
    """
    first, last = _period_ends(period)
    start, end = first or last, last or first
    if start is None or end is None:
        return AskedTime("", "", event.words, 0.0)
    if event.relation == "during":
        return _asked_time(first, last, event.words, 1.0)
    return _asked_time(*_days_in_relation(event.relation, start, end), event.words, 1.0)


def overlap(time: AskedTime, start: date, end: date) -> float:
    """How well a period fits: 1 inside the asked time, .6 partly inside, .3 a near miss, else 0.

    A near miss is off by at most the length of the asked time, but at least a week and at most a month.
    """
    first, last, near, far = _day_bounds(time.start, time.end)
    if first <= start and end <= last:
        return 1.0
    if start <= last and first <= end:
        return 0.6
    return 0.3 if near <= end and start <= far else 0.0


@word_cache(64)
def _day_bounds(start: str, end: str) -> tuple[date, date, date, date]:
    """The first and the last day, and the earliest and the latest day that count as near."""
    first = date.fromisoformat(start) if start else date.min
    last = date.fromisoformat(end) if end else date.max
    near = min(max((last - first).days + 1, 7), 31) if start and end else 7
    return first, last, _shift_days(first, -near), _shift_days(last, near)


_HEAD, _TAIL, _MOST, _NUMBERS = 2000, 500, 16, 24
_RANKED = (1.0, 0.6, 0.4, 0.3)
"""The weights of the meanings, the likeliest first."""

_OPEN, _BARE = 0.5, 0.5
"""An open end says little about a day; four digits may be something other than a year."""


def _query_head_and_tail(query: str) -> tuple[str, ...]:
    return (query[:_HEAD], query[max(_HEAD, len(query) - _TAIL) :]) if len(query) > _HEAD else (query,)


def _asked_time(first: date | None, last: date | None, words: str, weight: float) -> AskedTime:
    is_open = first is None or last is None
    start, end = (day.isoformat() if day else "" for day in (first, last))
    return AskedTime(start, end, words, weight * (_OPEN if is_open else 1))


def _period_ends(period: Period) -> _Days:
    try:
        return period.first, period.last
    except ValueError:  # words, or digits other than ASCII
        return None, None


def _days_in_relation(relation: str, first: date, last: date) -> _Days:
    """The days before, after, since, until or around a period; else its own."""
    match relation:
        case "before":
            return None, _shift_days(first, -1)
        case "after":
            return _shift_days(last, 1), None
        case "since":
            return first, None
        case "until":
            return None, last
        case "around" if first == last:
            return _shift_days(first, -3), _shift_days(last, 3)
        case _:
            return first, last


def _shift_days(day: date, days: int) -> date:
    """The day `days` later, within the range of the calendar."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))


# --- times ------------------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """A date of a text, with the words around it that say which days are asked for."""

    mention: Mention
    start: int
    end: int
    relation: str
    counted: re.Match[str] | None
    certainty: float


def _times_in_part(part: str, now: datetime) -> Iterator[AskedTime]:
    read = 0
    for sentence in _SENTENCE.findall(_cut_after_numbers(part)):
        text = plainly(sentence)
        languages = likely_languages(text.plain)
        places = _date_places(text.plain, now, languages)
        for place in places[:_MOST]:
            words, is_planned = text.original(place.start, place.end), _PLANS.search(sentence) is not None
            yield from _times_at_place(place, words, now, languages, is_planned=is_planned)
        read += len(places)
        if read >= _MOST:
            return


def _cut_after_numbers(part: str) -> str:
    """The text up to the 24th number: each may begin a date in every language, and a question has few."""
    numbers = list(islice(re.finditer(r"\d+", part), _NUMBERS))
    return part[: numbers[-1].end()] if len(numbers) == _NUMBERS else part


# A full stop may be part of a date. Text without sentences is cut anywhere.
_SENTENCE = lazy_pattern(r"[^?!。？！；\n]{1,400}")


_PLANS = lazy_pattern(
    r"\b(?:plan(?:s|ned|ning)?|upcoming|coming up|scheduled|booked|will|going to|have i got|(?:am i|are we) doing"
    r"|(?:is|what's) happening|appointments?|geplant|vorhabe|habe ich\b.*\bvor|haben wir\b.*\bvor|ansteht"
    r"|steh(?:t|en)\b.*\ban|termine? (?:habe|haben) (?:ich|wir)|planead[oa]s?|previst[oa]s?|prévue?s?|programmat[oi]"
    r"|in programma|planejad[oa]s?|marcad[oa]s?|gepland|zaplanowan\w+)(?!\w)",
    re.IGNORECASE,
)
"""Words of a question about what is to come."""


def _times_at_place(
    place: _Place, words: str, now: datetime, languages: frozenset[str], *, is_planned: bool
) -> Iterator[AskedTime]:
    related = [
        days
        for period in _likely_periods(place.mention, now, languages, is_planned=is_planned)
        if (days := _days_asked_for(period, place))
    ]
    # Earlier readings of an open time only add or remove years.
    ranked = related[:1] if related and None in related[0] else dict.fromkeys(related)
    for weight, (first, last) in zip(_RANKED, ranked, strict=False):
        yield _asked_time(first, last, words, weight * place.certainty)


def _date_places(plain: str, now: datetime, languages: frozenset[str]) -> list[_Place]:
    read = mentions(plain, now)
    read += _bare_years(plain, read, languages)
    if not read:
        return []
    read.sort(key=lambda mention: mention.start)
    starts = {mention.start for mention in read}
    counts = {found.end(): found for found in COUNTED.finditer(plain) if found.end() in starts}
    found: list[_Place] = []
    for mention in read:
        # "last week" in "the last week of May" is not a time of its own.
        if any(count.start() < mention.end and mention.start < count.end() for count in counts.values()):
            continue
        if _is_name(plain, mention):
            continue
        count = counts.get(mention.start)
        before = RELATED.search(plain, max(0, mention.start - 40), mention.start) if count is None else None
        after = None if plain.isascii() else RELATED_AFTER.match(plain, mention.end)
        relation = (before and before.lastgroup) or (after and after.lastgroup) or ""
        start = count.start() if count else before.start() if before else mention.start
        end = after.end() if after and not before else mention.end
        certainty = 1.0 if mention.meanings else _BARE
        found.append(_Place(mention, start, end, relation, count, certainty))
    return found


def _is_name(plain: str, mention: Mention) -> bool:
    """Whether the month is somebody's name: "What does April think?", "May's office"."""
    if not MONTH_NAMES.fullmatch(mention.phrase):
        return False
    is_after_word = BEFORE_A_NAME.search(plain, max(0, mention.start - 30), mention.start)
    return bool(is_after_word or AFTER_A_NAME.match(plain, mention.end))


def _bare_years(plain: str, read: list[Mention], languages: frozenset[str]) -> list[Mention]:
    """Four digits that are a year without a word that says so: "2021 or 2022", "Lisbon 2021"."""
    found: list[Mention] = []
    for digits in islice(YEAR.finditer(plain), _MOST):
        start, end = digits.span()
        is_read = any(mention.start < end and start < mention.end for mention in read)
        if not is_read and not _is_in_a_date(plain, start, languages):
            found.append(Mention(digits[0], start, end, (), is_relative=False))
    return found


def _is_in_a_date(plain: str, start: int, languages: frozenset[str]) -> bool:
    """Whether the year ends a date that does not exist: "30 February 2023" is not 2023."""
    reader = DateReader(plain[max(0, start - 24) : start + 4], languages)
    last = len(reader.tokens)
    return any((match := reader.longest(at)) is not None and match.end == last for at in range(last - 1))


def _likely_periods(mention: Mention, now: datetime, languages: frozenset[str], *, is_planned: bool) -> list[Period]:
    """The periods that may be meant, the likeliest first."""
    if not mention.is_relative:
        return list(mention.meanings) or [Period.on(mention.phrase)]
    if _is_yearly(DateReader(mention.phrase, languages).longest(0)):
        meanings = {
            period for years in range(4) for period in resolve(mention.phrase, _years_before(now, years), languages)
        }
        past = [period for period in meanings if _period_begin(period) <= now.date()]
        coming = (
            sorted((period for period in meanings if period not in past), key=_period_begin)[:1] if is_planned else []
        )
        return coming + sorted(past, key=lambda period: (_period_begin(period), period.end), reverse=True)
    past = [period for period in mention.meanings if _period_begin(period) <= now.date()]
    return past or list(mention.meanings)


def _is_yearly(match: Match | None) -> bool:
    """Whether the phrase recurs each year without saying which one."""
    return match is not None and any(
        all(map(_is_yearly, reading.inner))
        if reading.inner
        else reading.rule in _YEARLY and not {"year", "which"} & reading.fields.keys()
        for reading in match.readings
    )


_YEARLY = frozenset(
    "bare_month bare_season bare_quarter bare_holiday day_of_month days_of_month short day_first_short".split()
)


def _years_before(now: datetime, years: int) -> datetime:
    day = 28 if (now.month, now.day) == (2, 29) else now.day
    return now.replace(year=max(now.year - years, 1), day=day)


def _period_begin(period: Period) -> date:
    first, last = _period_ends(period)
    return first or last or date.min


def _days_asked_for(period: Period, place: _Place) -> _Days | None:
    """The days asked for, given the named period; None if they do not exist."""
    first, last = _period_ends(period)
    if first is None or last is None:
        return (first, last) if first or last else None
    if first > last:
        return None
    return (
        _counted_week_or_day(place.counted, first, last)
        if place.counted
        else _days_in_relation(place.relation, first, last)
    )


def _counted_week_or_day(count: re.Match[str], first: date, last: date) -> _Days | None:
    """The week, weekend or weekday: the nth of the period, the one before or after it, or the one around a day."""
    weekday, length = UNITS[count["unit"].casefold()]
    side = count["side"].casefold()
    nth = NTHS.get((count["nth"] or "").casefold(), 0) if side == "of" else 0
    if side == "of" and not nth and first != last:
        return first, last
    try:
        if side == "before":
            start = _on_or_before(first - timedelta(days=7 if weekday is None else 1), weekday)
        elif side == "after":
            start = _on_or_before(last + timedelta(days=1 if weekday is None else 7), weekday)
        elif nth > 0:
            start = _on_or_before(first + timedelta(days=7 * nth - (7 if weekday is None else 1)), weekday)
        elif nth < 0:
            start = _on_or_before(last - timedelta(days=6 if weekday is None else 0), weekday)
        else:
            start = first + timedelta(days=(weekday or 0) - first.weekday())
        end = start + timedelta(days=length - 1)
    except OverflowError:
        return None
    return (start, end) if first <= start <= last or not nth else None


def _on_or_before(day: date, weekday: int | None) -> date:
    return day if weekday is None else day - timedelta(days=(day.weekday() - weekday) % 7)


# --- events -----------------------------------------------------------------------------------------------------------


def _events_in_part(text: str) -> Iterator[AskedEvent]:
    named = list(EVENT.finditer(text))
    for found, following in zip_longest(named, named[1:]):
        until = min(found.end() + 80, following.start() if following else len(text))
        words = _event_name(text[found.end() : until], is_first=not text[: found.start()].strip())
        if _is_date_phrase(words) or _is_date_phrase(found[0] + " " + words):
            continue
        manner = MANNER if found[0].casefold() == "while" else OTHER_MANNER
        if (found["during"] and manner.match(words)) or TO_NOTHING.search(words):
            continue
        if (words := _without_final_date(words)) and not NO_EVENT.fullmatch(words):
            yield AskedEvent(_event_relation(found), words)
    for found in () if text.isascii() else WIDE_EVENT.finditer(text):
        if not _is_date_phrase(found[0]):
            yield AskedEvent(_event_relation(found), found["words"])


def _event_relation(found: re.Match[str]) -> Relation:
    return next(name for name in _RELATIONS if found[name])


_RELATIONS: tuple[Relation, ...] = ("before", "after", "during", "since", "until")


def _event_name(rest: str, *, is_first: bool) -> str:
    """The name of the event: up to the end of its clause, without its article."""
    clause = CLAUSE_END.split(rest, maxsplit=1)[0]
    if is_first:
        clause = MAIN_CLAUSE.split(clause, maxsplit=1)[0]
    start = found.end() if (found := ARTICLES.match(clause)) else 0
    return " ".join(clause[start:].split(" ")[:12]).strip()


def _without_final_date(words: str) -> str:
    """The name without a final date, which is an asked time of its own: "the trip in August 2023"."""
    text = plainly(words)
    last = next(reversed(mentions(text.plain, _ANY_TIME)), None)
    if last is not None and last.start and last.end == len(text.plain):
        words = words[: len(words) - len(text.original(last.start, last.end))]
    return LOOSE_END.sub("", words).strip()


def _is_date_phrase(words: str) -> bool:
    """Whether the words are a date or a duration, with nothing after it that makes them the name of an event."""
    plain = "during " + plainly(words).plain
    reader = DateReader(plain)
    if len(reader.tokens) > 1 and reader.longest(1, level=0) is not None:
        return True
    found = mentions(plain, _ANY_TIME)
    if (count := COUNTED.match(plain, 7)) and any(mention.start == count.end() for mention in found):
        return True
    if not found or not ARTICLES.fullmatch(plain[7 : found[0].start]):
        return False
    return not found[0].is_relative or GOES_ON.match(plain, found[0].end) is not None


_ANY_TIME = datetime(2000, 6, 15, tzinfo=UTC)
