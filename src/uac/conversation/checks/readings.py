"""What code reads in quoted words: dates, times, durations, numbers, weekdays, each with what is certain about it."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from uac.conversation.checks.currencies import currencies_in
from uac.text.clock import ClockTime, clock_times
from uac.text.dates.mentions import Mention, mentions
from uac.text.dates.resolve import ANCHORED
from uac.text.dates.tense import is_denied_before
from uac.text.lengths import Length, stated_lengths
from uac.text.numerals import Numeral, implied_numerals, meant, numerals

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


def read_quotes(quotes: Sequence[QuotedText]) -> Readings:
    """Everything that is read in the quotes, in their order."""
    dates: list[ReadDate] = []
    times: list[ReadTime] = []
    lengths: list[ReadLength] = []
    found: list[ReadNumber] = []
    texts: list[str] = []
    for at, (raw, said) in enumerate(quotes):
        words = unicodedata.normalize("NFC", raw)
        texts.append(words)
        here = mentions(words, said, before=[date.mention for date in dates if date.said == said])
        clocks = [clock for clock in clock_times(words) if not _is_inside_date(clock, here)]
        for mention in here:
            if mention.rules & ANCHORED and dates:
                dates[-1] = dates[-1]._replace(is_anchor=True)
            denied = is_denied_before(words, mention.start, mention.end)
            dates.append(ReadDate(mention, at, said, words, denied, False))
        times += [ReadTime(clock, words, is_denied_before(words, clock.start, clock.end)) for clock in clocks]
        spans = stated_lengths(words)
        lengths += [
            ReadLength(
                span,
                words,
                is_denied_before(words, span.start, span.end),
                _is_covered(span.start, span.end, here),
                _RATE.search(words[max(0, span.start - 14) : span.start]) is not None,
            )
            for span in spans
        ]
        found += _read_numbers(words, here, clocks)
    return Readings(
        tuple(dates),
        tuple(times),
        tuple(lengths),
        tuple(found),
        frozenset(code for text in texts for code in currencies_in(text)),
        tuple(texts),
        tuple(dict.fromkeys(quote.said for quote in quotes)),
    )


def _is_inside_date(clock: ClockTime, dates: Sequence[Mention]) -> bool:
    """Whether the digits are those of a date: the 12 of "12 October"."""
    return any(date.start < clock.end and clock.start < date.end and _DIGIT.search(date.phrase) for date in dates)


_DIGIT = re.compile(r"\d")


_RATE = re.compile(
    r"(?:\d|€|£|\$|euros?|pounds|quid|dollars|bucks|times|once|twice|mal)\s*(?:\w{2,7}\s)?$", re.IGNORECASE
)


def _is_covered(start: int, end: int, dates: Sequence[Mention]) -> bool:
    return any(date.start < end and start < date.end for date in dates)


def _read_numbers(words: str, dates: Sequence[Mention], clocks: Sequence[ClockTime]) -> list[ReadNumber]:
    found = []
    for number in _joined_numbers(words):
        is_dated = _is_covered(number.start, number.end, dates) or any(
            clock.start < number.end and number.start < clock.end for clock in clocks
        )
        values = meant(number, words) if not number.is_weak else frozenset[Decimal]()
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


def _joined_numbers(words: str) -> list[Numeral]:
    """The numbers, with those that several words state together: "three quarters", "half of nine hundred"."""
    found: list[Numeral] = []
    plain = words.casefold()
    for pattern, value in _WHOLE_NUMBERS:
        found += [Numeral(*match.span(), frozenset({Decimal(value)})) for match in pattern.finditer(plain)]
    plain_numbers = numerals(words)
    for half in _HALF_OF.finditer(plain):
        after = next((n for n in plain_numbers if half.end() <= n.start <= half.end() + 1), None)
        if after is not None:
            found.append(Numeral(half.start(), after.end, frozenset(value / 2 for value in after.readings)))
    for times in _COUPLE_OF.finditer(plain):
        after = next((n for n in plain_numbers if times.end() <= n.start <= times.end() + 1), None)
        if after is not None and all(value >= 12 for value in after.readings):
            found.append(Numeral(times.start(), after.end, frozenset(value * 2 for value in after.readings)))
    for half in _AND_A_HALF.finditer(plain):
        whole = next((n for n in plain_numbers if n.start <= half.start() <= n.end), None)
        scale = {"dozen": 12, "hundred": 100, "thousand": 1000, "grand": 1000, "k": 1000}.get(half[1], 10**6)
        if whole is not None:
            values = frozenset((int(value) + Decimal("0.5")) * scale for value in whole.readings)
            found.append(Numeral(whole.start, half.end(), values))
    for grand in _GRAND.finditer(plain):
        before = next((n for n in plain_numbers if n.end == grand.start()), None)
        if before is not None:
            found.append(Numeral(before.start, grand.end(), frozenset(value * 1000 for value in before.readings)))
    kept = list(found)
    kept += [n for n in plain_numbers if not any(n.start < other.end and other.start < n.end for other in found)]
    return sorted(kept)


_HALF_OF = re.compile(
    r"\b(?:half(?: of| a)?|ein halbes|eine halbe|medi[ao]|mei[ao]|mezz[ao]|demi|een half|een halve|pół) (?=\w)",
    re.IGNORECASE,
)
_AND_A_HALF = re.compile(r"\b ?and a half (dozen|hundred|thousand|grand|k|million|mil)\b")
_GRAND = re.compile(r" (?:grand|riesen|mille)\b")
_COUPLE_OF = re.compile(r"\b(?:(?:a )?couple(?: of)?|un par de|ein paar|een paar) (?=\w)", re.IGNORECASE)
_WHOLE_NUMBERS = tuple(
    (re.compile(words), value)
    for words, value in (
        (
            (
                r"\bthree[- ]quarters\b|\btres cuartos\b|\btrois quarts\b|\btre quarti\b|\btrês quartos\b"
                r"|\bdreiviertel\b"
                r"|\bdrie kwart\b"
            ),
            "0.75",
        ),
        (r"\btwo[- ]thirds\b|\bzwei drittel\b|\bdos tercios\b|\bdeux tiers\b|\bdue terzi\b|\bdois terços\b", "0.67"),
        (
            (
                r"\b(?:a|one) third\b(?= of)|\bein drittel\b|\bun tercio\b|\bun tiers\b|\bun terzo\b|\bum terço\b"
                r"|\been derde\b|\bjedna trzecia\b"
            ),
            "0.33",
        ),
        (
            (
                r"\b(?:a|one) quarter\b(?= of)(?! of an)|\bein viertel\b|\bun cuarto\b(?= de(?! hora))"
                r"|\bum quarto\b(?= d[eao](?! hora))"
            ),
            "0.25",
        ),
        (r"\bun par de\b|\bum par de\b|\bun paio di\b|\bune paire\b", "2"),
        (r"\btenner\b|\bzehner\b", "10"),
        (r"\bfiver\b|\bfünfer\b", "5"),
        (r"\b(?:a|one) grand\b", "1000"),
        (r"\bzwanni\b|\bzwanziger\b", "20"),
        (r"\bhunni\b|\bhunderter\b", "100"),
        (r"\bfuffi\b|\bfünfziger\b|\bfuffziger\b", "50"),
        (r"\bdwie dychy\b", "20"),
        (r"\bdych[aęy]\b", "10"),
        (r"\bstówk?[aęi]\b", "100"),
        (r"\btientje\b", "10"),
        (r"\bgeeltje\b", "25"),
        (r"\bfour-oh\b|\bbig 4-0\b", "40"),
        (r"\bthree-oh\b|\bbig 3-0\b", "30"),
        (r"\bfive-oh\b|\bbig 5-0\b", "50"),
        (r"\bsix-oh\b|\bbig 6-0\b", "60"),
        (r"\bdecina\b|\bdecena\b|\bdizaine\b|\bdezena\b", "10"),
        (r"\bquindicina\b|\bquinzaine\b|\bquincena\b", "15"),
        (r"\bventina\b|\bveintena\b|\bvingtaine\b|\bvintena\b", "20"),
        (
            (
                r"\btrentina\b|\btreintena\b"
                r"|\btrentaine\b"
            ),
            "30",
        ),
        (r"\bquarantina\b|\bquarantaine\b", "40"),
        (r"\bcinquantina\b|\bcinquantaine\b", "50"),
        (
            (
                r"\bcentinaio\b"
                r"|\bcentaine\b"
            ),
            "100",
        ),
        (r"\bvent['’]anni\b", "20"),
        (r"\btrent['’]anni\b", "30"),
        (r"\bquarant['’]anni\b", "40"),
        (r"\bcinquant['’]anni\b", "50"),
        (r"\bsessant['’]anni\b", "60"),
        (r"\bsettant['’]anni\b", "70"),
        (r"\bottant['’]anni\b", "80"),
        (r"\bnovant['’]anni\b", "90"),
        (r"\bosiemnast[kc]\w+\b", "18"),
        (r"\btrzydziest[kc]\w+\b", "30"),
        (r"\bczterdziest[kc]\w+\b", "40"),
        (r"\bpięćdziesiąt[kc]\w+\b", "50"),
        (
            (
                r"\bhalf a dozen\b|\bhalbes dutzend\b|\bmedia docena\b|\bmeia dúzia\b"
                r"|\bmezza dozzina\b"
                r"|\bune demi-douzaine\b|\bhalf dozijn\b|\bpół tuzina\b"
            ),
            "6",
        ),
        (
            (
                r"\bdemi-(?=kilo|litre)|\bmedio (?=kilo|litro)|\bmezzo (?=chilo|litro)|\bmeio (?=quilo|litro)"
                r"|\bhalbes (?=kilo)|\bpół (?=kilo|litra)"
                r"|\bhalf (?=a kilo|kilo|a litre|a pint)|\bhalben (?=liter)|\bhalve (?=kilo|liter)"
            ),
            "0.5",
        ),
        (r"\banderthalb\b|\beineinhalb\b|\banderhal[fv]e?\b|\bpółtora\b|\bpółtorej\b", "1.5"),
        (
            (
                r"\bzweieinhalb\b"
                r"|\btweeënhal[fv]e?\b"
            ),
            "2.5",
        ),
        (r"\bdreieinhalb\b", "3.5"),
    )
)
