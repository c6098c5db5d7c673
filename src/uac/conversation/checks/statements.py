"""What quoted words, periods and known records state: the numbers, dates and currencies a claim is compared with."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from uac.conversation.checks.currencies import currencies_in
from uac.conversation.checks.readings import QuotedText, Readings, read_quotes
from uac.schema.periods import Period
from uac.text.dates.mentions import Mention, durations, mentions, shifted
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import ascii_digits, implied_numerals, numerals

__all__ = ["CODE", "Statements", "collect_statements"]


class Statements(NamedTuple):
    """What the quotes state."""

    numbers: frozenset[Decimal]
    dated_numbers: frozenset[Decimal]  # only in dates and times of day: "3 May" does not state 3 of anything
    readings: Readings
    words: str
    codes: frozenset[str]  # long runs of digits, without separators
    currencies: frozenset[str]
    said: tuple[datetime, ...]
    mentions: tuple[tuple[Mention, datetime], ...]  # dates, each with the time it was said
    periods: tuple[Period, ...]
    sure: tuple[Period, ...]  # those that are certain
    derived: tuple[Period, ...]
    ends: frozenset[str]  # of the periods, each also as its month and its year


def collect_statements(
    quotes: Sequence[QuotedText], held: Sequence[Period] = (), known: str = "", beside: Sequence[str] = ()
) -> Statements:
    """What the quotes, periods and known text state. `beside` are texts of which only the durations count."""
    quotes = [QuotedText(unicodedata.normalize("NFC", words), said) for words, said in quotes]
    texts = [*(quote.words for quote in quotes), unicodedata.normalize("NFC", known)]
    said = tuple(dict.fromkeys(quote.said for quote in quotes)) or (_NEVER,)
    dated = tuple((mention, when) for words, when in quotes for mention in mentions(words, when))
    readings = read_quotes([*quotes, QuotedText(known, said[0])] if known else quotes)
    stated, in_dates = _evidence_numbers(texts, readings)
    periods = _evidence_periods(quotes, dated, held, _absolute_date_evidence(known, said[0]))
    periods += [Period.on(str(int(value))) for value in stated if _is_year(value)]
    doubtful = {m for mention, _ in dated for m in mention.meanings} - {
        m for mention, _ in dated for m in mention.sure_meanings
    }
    derived = tuple(_derived_evidence_periods(periods, said if quotes else (), [*texts, *beside]))
    return Statements(
        numbers=stated.union(Decimal(int(end[:4])) for end in _evidence_period_bounds(periods)),
        dated_numbers=in_dates - stated,
        readings=readings,
        words=" ".join(texts).casefold(),
        codes=frozenset(re.sub(r"\D", "", run) for text in texts for run in CODE.findall(ascii_digits(text))),
        currencies=frozenset(code for text in texts for code in currencies_in(text)),
        said=said,
        mentions=dated,
        periods=tuple(periods),
        sure=tuple(period for period in periods if period not in doubtful),
        derived=derived,
        ends=frozenset(end[:length] for end in _evidence_period_bounds((*periods, *derived)) for length in (4, 7, 10)),
    )


def _evidence_numbers(texts: Iterable[str], readings: Readings) -> tuple[frozenset[Decimal], frozenset[Decimal]]:
    """All numbers, in digits and words; and those in dates and times of day. A year counts as both."""
    stated: set[Decimal] = set()
    in_dates: set[Decimal] = set()
    for text in texts:
        spans = [(each.mention.start, each.mention.end) for each in readings.dates if each.words == text]
        spans += [(each.time.start, each.time.end) for each in readings.times if each.words == text]
        for number in (*numerals(text), *implied_numerals(text)):
            values = {*number.readings, *number.parts, *number.loose}
            is_dated = any(start < number.end and number.start < end for start, end in spans)
            stated |= {value for value in values if not is_dated or _is_year(value)}
            in_dates |= values if is_dated else set()
    return frozenset(stated), frozenset(in_dates)


def _is_year(value: Decimal) -> bool:
    return value == int(value) and 1900 <= value <= 2100


def _evidence_periods(
    quotes: Sequence[QuotedText],
    dated: Sequence[tuple[Mention, datetime]],
    held: Sequence[Period],
    older: Sequence[Mention],
) -> list[Period]:
    periods = [meaning for mention, _ in dated for meaning in mention.meanings]
    periods += [Period.on(said.date().isoformat()) for words, said in quotes if _NOW.search(words)]
    periods += [Period.on(end) for end in _evidence_period_bounds(held)]
    periods += [meaning for mention in older for meaning in mention.meanings]
    return list(dict.fromkeys(periods))[:2000]  # bounded, so that comparing with each of them stays linear


def _absolute_date_evidence(known: str, said: datetime) -> list[Mention]:
    """The absolute dates of an older record: its relative ones were resolved when it was written."""
    return [mention for mention in mentions(known, said) if not mention.is_relative]


def _evidence_period_bounds(periods: Iterable[Period]) -> list[str]:
    return [end for period in periods for end in (period.start, period.end) if end]


def _derived_evidence_periods(
    periods: Sequence[Period], said: Sequence[datetime], texts: Sequence[str]
) -> Iterator[Period]:
    """Days a stated duration away from a stated day, or from the day of saying."""
    stated = (date.fromisoformat(end[:10]) for end in _evidence_period_bounds(periods) if len(end) >= 10)
    days = dict.fromkeys([*(moment.date() for moment in said), *stated])
    units = {"day", "week", "month", "year"}
    spans = dict.fromkeys(span for text in texts for span in durations(text) if span.unit in units)
    # Both are bounded, so that a long text cannot make their product large.
    for day in islice(days, 64):
        for span in islice(spans, 32):
            for back in (False, True):
                try:
                    moved = shifted(day, span, back=back)
                    # 'Ten days from today' may count today.
                    less = moved + timedelta(days=1 if back else -1)
                except (ValueError, OverflowError):
                    continue
                yield Period.on(moved.isoformat())
                yield Period.on(less.isoformat())


_NEVER = datetime(2000, 1, 1, tzinfo=UTC)  # used if there are no quotes
_NOW = lazy_pattern(
    r"\b(?:today|tonight|now|just|currently|this (?:morning|afternoon|evening)|at the moment|these days|right away"
    r"|heute|jetzt|gerade|eben|derzeit|momentan|ab sofort|hoy|ahora|actualmente|acabo|aujourd['’]hui|maintenant"
    r"|actuellement|oggi|adesso|ora|attualmente|appena|hoje|agora|atualmente|acabei)\b"
    r"|今天|今日|现在|現在|刚刚|刚才|剛剛|目前|たった今|今から|さっき",
    re.IGNORECASE,
)
CODE = lazy_pattern(r"\d(?:[ ()./-]{0,2}\d){6,}", re.ASCII)
