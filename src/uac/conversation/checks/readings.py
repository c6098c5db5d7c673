"""What code reads in quoted words: dates, times, durations, numbers, weekdays, each with what is certain about it."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from uac.conversation.checks.currencies import currencies_in
from uac.conversation.checks.spoken_numbers import joined_numbers
from uac.schema.word_caches import word_cache
from uac.text.clock import ClockTime, clock_times
from uac.text.dates.mentions import Mention, mentions
from uac.text.dates.resolve import ANCHORED
from uac.text.dates.tense import has_known_language, is_denied_before, is_ruled_out, spoken_language
from uac.text.lazy_pattern import lazy_pattern
from uac.text.lengths import Length, stated_lengths
from uac.text.numerals import implied_numerals, meant

__all__ = ["QuotedText", "ReadDate", "ReadLength", "ReadNumber", "ReadTime", "Readings", "read_quotes"]


class QuotedText(NamedTuple):
    """Quoted words and the time they were said."""

    words: str
    said: datetime


class ReadDate(NamedTuple):
    mention: Mention
    quote: int
    said: datetime
    words: str
    is_denied: bool
    is_anchor: bool
    """Another date is counted from it: "on 3 May … the morning after"."""
    is_ruled_out: bool
    """The clause says that it is not possible: "I can't do the 5th"."""


class ReadTime(NamedTuple):
    time: ClockTime
    words: str
    is_denied: bool


class ReadLength(NamedTuple):
    length: Length
    words: str
    is_denied: bool
    is_dated: bool
    """Part of a date: "in two weeks"."""
    is_rate: bool
    """Not a duration, but what an amount is for: "980 a month"."""
    is_cycle: bool
    """How often something happens: "every 12 months"."""


class ReadNumber(NamedTuple):
    values: frozenset[Decimal]
    also: frozenset[Decimal]
    words: str
    start: int
    end: int
    is_denied: bool
    is_dated: bool
    """Part of a date or a time of day."""


class Readings(NamedTuple):
    dates: tuple[ReadDate, ...]
    times: tuple[ReadTime, ...]
    lengths: tuple[ReadLength, ...]
    numbers: tuple[ReadNumber, ...]
    currencies: frozenset[str]
    texts: tuple[str, ...]
    said: tuple[datetime, ...]

    def is_in_length(self, number: ReadNumber) -> bool:
        """Whether the number is part of a duration: "10 weeks"."""
        return any(
            each.words == number.words and each.length.start < number.end and number.start < each.length.end
            for each in self.lengths
        )


def read_quotes(quotes: Sequence[QuotedText]) -> Readings:
    """Everything that is read in the quotes, in their order. Short ones are kept: each value of a record reads them."""
    is_short = sum(len(quote.words) for quote in quotes) <= _SHORT
    return _kept_readings(tuple(quotes)) if is_short else _read_quotes(tuple(quotes))


_SHORT = 2000


@word_cache(32)
def _kept_readings(quotes: tuple[QuotedText, ...]) -> Readings:
    return _read_quotes(quotes)


def _read_quotes(quotes: Sequence[QuotedText]) -> Readings:
    dates: list[ReadDate] = []
    times: list[ReadTime] = []
    lengths: list[ReadLength] = []
    found: list[ReadNumber] = []
    texts: list[str] = []
    for at, (raw, said) in enumerate(quotes):
        words = unicodedata.normalize("NFC", raw)
        texts.append(words)
        # "For tomorrow?" "No, Thursday."
        is_rejected = (
            words.rstrip().endswith("?") and at + 1 < len(quotes) and _NO.match(quotes[at + 1].words) is not None
        )
        here = mentions(words, said, before=[date.mention for date in dates if date.said == said])
        clocks = [clock for clock in clock_times(words) if not _is_inside_date(clock, here)]
        for mention in here:
            if mention.rules & ANCHORED and dates:
                dates[-1] = dates[-1]._replace(is_anchor=True)
            denied = is_rejected or is_denied_before(words, mention.start, mention.end)
            is_out = is_ruled_out(words, mention.start, mention.end)
            dates.append(ReadDate(mention, at, said, words, denied, False, is_out))
        times += [
            ReadTime(clock, words, is_rejected or is_denied_before(words, clock.start, clock.end)) for clock in clocks
        ]
        spans = stated_lengths(words)
        lengths += [
            ReadLength(
                span,
                words,
                is_rejected or is_denied_before(words, span.start, span.end),
                _is_covered(span.start, span.end, here),
                _RATE.search(words[max(0, span.start - 14) : span.start]) is not None,
                _EVERY.search(words[max(0, span.start - 14) : span.start]) is not None,
            )
            for span in spans
        ]
        found += [
            number._replace(is_denied=number.is_denied or is_rejected) for number in _read_numbers(words, here, clocks)
        ]
    return Readings(
        tuple(dates),
        tuple(times),
        tuple(lengths),
        tuple(found),
        frozenset(code for text in texts for code in currencies_in(text)),
        tuple(texts),
        tuple(dict.fromkeys(quote.said for quote in quotes)),
    )


_NO = lazy_pattern(r"\W*(?:no|nope|nah|nein|nö|non|não|nee|nie)\b(?=\W)", re.IGNORECASE)


def _is_inside_date(clock: ClockTime, dates: Sequence[Mention]) -> bool:
    """Whether the digits are those of a date: the 12 of "12 October"."""
    return any(date.start < clock.end and clock.start < date.end and _DIGIT.search(date.phrase) for date in dates)


_DIGIT = lazy_pattern(r"\d")


_RATE = lazy_pattern(
    r"(?:\d|€|£|\$|euros?|pounds|quid|dollars|bucks|times|once|twice|mal)\s*(?:\w{2,7}\s)?$", re.IGNORECASE
)


_EVERY = lazy_pattern(
    r"\b(?:every|each|alle|jede[rsn]?|cada|tou(?:s|tes) les|chaque|ogni|a cada|elke|iedere|om de|co)\s*$", re.IGNORECASE
)


def _is_covered(start: int, end: int, dates: Sequence[Mention]) -> bool:
    return any(date.start < end and start < date.end for date in dates)


def _read_numbers(words: str, dates: Sequence[Mention], clocks: Sequence[ClockTime]) -> list[ReadNumber]:
    found = []
    has_comma = spoken_language(words) != "en" if has_known_language(words) else None
    for number in joined_numbers(words):
        is_dated = _is_covered(number.start, number.end, dates) or any(
            clock.start < number.end and number.start < clock.end for clock in clocks
        )
        values = meant(number, words, has_decimal_comma=has_comma) if not number.is_weak else frozenset[Decimal]()
        also = frozenset({*number.readings, *number.parts, *number.loose}) - values
        denied = is_denied_before(words, number.start, number.end)
        found.append(ReadNumber(values, also, words, number.start, number.end, denied, is_dated))
    for number in implied_numerals(words):
        found.append(
            ReadNumber(
                frozenset(), frozenset({*number.readings, *number.loose}), words, number.start, number.end, False, False
            )
        )
    return found
