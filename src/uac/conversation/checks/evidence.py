"""Evidence check: every number, name and date in a fact must appear in, or follow from, the quoted text.

All of it is code, so a model cannot argue its way past it. If the text is ambiguous, every reading is accepted, because
refusing a true fact costs a model call. Not checked: names in scripts without capitals, Latin names if the quoted text
is in another script, lower-case words, and small words that are only sometimes numbers ('one', 'second').
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from uac.conversation.checks.currencies import currencies_in
from uac.conversation.checks.proper_names import unknown_name_reasons
from uac.schema.periods import Period
from uac.text.dates.mentions import Mention, durations, means, mentions, shifted
from uac.text.numerals import (
    TimeOfDay,
    ascii_digits,
    implied_numerals,
    meant,
    numbers,
    numerals,
    times_of_day,
    unaccented,
)

__all__ = [
    "QuotedText",
    "is_machine_format",
    "name_evidence_problems",
    "sentence_evidence_problems",
    "value_evidence_problems",
]

Json: TypeAlias = Any  # as in `schema.types`


class QuotedText(NamedTuple):
    """Quoted words and the time they were said."""

    words: str
    said: datetime


def sentence_evidence_problems(
    sentence: str, quotes: Sequence[QuotedText], *, around: str = "", names: Collection[str] = ()
) -> list[str]:
    """Why numbers, names or dates of the sentence do not follow from the quotes; [] if all do.

    Names may also come from `around` (the whole turns that were quoted) or `names` (known names).
    """
    sentence = unicodedata.normalize("NFC", sentence)
    evidence = _collect_evidence(quotes)
    wrong, spans = _date_evidence_reasons(sentence, evidence)
    wrong += _number_evidence_reasons(sentence, evidence, spans, digits_only=False)
    wrong += _currency_evidence_reasons(sentence, evidence)
    wrong += unknown_name_reasons(sentence, [quote.words for quote in quotes], [around, *names], spans)
    return list(dict.fromkeys(wrong))


def value_evidence_problems(
    fields: Mapping[str, Json], quotes: Sequence[QuotedText], *, held: Sequence[Period] = (), known: str = ""
) -> list[str]:
    """Why values of a record's fields do not follow from the quotes, one reason per field; [] if all do.

    Only numbers, dates and currencies are checked. Those in `known`, such as the amended record, are accepted.
    """
    evidence = _collect_evidence(quotes, held, known)
    found = ((name, next(_value_evidence_reasons(raw, evidence), None)) for name, raw in fields.items())
    return [f"{name}: {wrong}" for name, wrong in found if wrong is not None]


def is_machine_format(text: str) -> bool:
    """Whether a value is a date, time, duration, number or amount in machine format, without words to look for."""
    return any(form.fullmatch(text) for form in (_MOMENT, _DAY, _CLOCK, _DURATION, _AMOUNT, _NUMBER))


def name_evidence_problems(
    fields: Mapping[str, Json], quotes: Sequence[QuotedText], *, known: Collection[str] = ()
) -> list[str]:
    """Why names in the values of a record's fields do not follow from the quotes, one reason per field.

    Names in `known` are accepted. Fields such as `country` are not checked: a country may follow from a city.
    """
    quoted = [unicodedata.normalize("NFC", quote.words) for quote in quotes]
    checked = {name: raw for name, raw in fields.items() if name not in _DERIVED_PLACES}
    found = (
        (name, wrong)
        for name, raw in checked.items()
        for text in _texts_in(raw)
        for wrong in unknown_name_reasons(
            unicodedata.normalize("NFC", text), quoted, list(known), frozenset(), is_value=True
        )[:1]
    )
    return [f"{name}: {wrong}" for name, wrong in dict(found).items()]


def _texts_in(raw: Json) -> Iterator[str]:
    """The texts of a value that may contain names."""
    match raw:
        case str() if not is_machine_format(raw):
            yield raw
        case dict() | list() | tuple():
            for value in raw.values() if isinstance(raw, dict) else raw:
                yield from _texts_in(value)


def _value_evidence_reasons(raw: Json, evidence: "_Evidence") -> Iterator[str]:
    match raw:
        case None | bool():
            return
        case int() | float() | Decimal():
            value = Decimal(str(raw))
            if not value.is_finite() or abs(value) not in evidence.numbers:
                yield f"the number {raw} is not in the quoted words"
        case str() if _DURATION.fullmatch(raw):
            if not _has_duration_evidence(raw, evidence):
                yield f"the duration {raw} is not in the quoted words"
        case str():
            moment = _MOMENT.fullmatch(raw)
            # Midnight may only mean that the time is unknown; seconds and the zone are not said.
            texts = (raw,) if moment is None else (moment[1], "" if moment[2] == "00:00" else moment[2])
            for text in texts:
                wrong, dated = _date_evidence_reasons(text, evidence)
                yield from wrong
                yield from _number_evidence_reasons(text, evidence, dated, digits_only=True)
            if _AMOUNT.fullmatch(raw):
                yield from _currency_evidence_reasons(raw, evidence)
        case {"amount": amount}:
            yield from _value_evidence_reasons(amount, evidence)
            yield from _currency_evidence_reasons(str(raw.get("currency")), evidence)
        case dict() | list() | tuple():
            for value in raw.values() if isinstance(raw, dict) else raw:
                yield from _value_evidence_reasons(value, evidence)
        case date():
            yield from _value_evidence_reasons(raw.isoformat(), evidence)


_DERIVED_PLACES = frozenset("country region state continent nationality language timezone time_zone".split())
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_DURATION = re.compile(r"-?P(?=\d|T\d)(?:\d{1,9}[YMWD])*(?:T(?:\d{1,9}(?:\.\d{1,9})?[HMS])+)?", re.ASCII)
_DAY = re.compile(r"\d{4}(?:-\d\d){0,2}", re.ASCII)
_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d)?", re.ASCII)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_AMOUNT = re.compile(r"-?[\d.]+ [A-Z]{3}", re.ASCII)
_SIZES = "525600 43200 10080 1440 60 1".split()
_MINUTES = dict(zip("YMWDhm", map(Decimal, _SIZES), strict=True)) | {"s": 1 / Decimal(60)}


def _has_duration_evidence(raw: str, evidence: "_Evidence") -> bool:
    """Whether each part of an ISO duration is a stated number, or the whole is one in some unit: PT90M, 1.5 hours."""
    days, _, hours = raw.partition("T")
    parts = [(Decimal(number), unit) for number, unit in re.findall(r"([\d.]+)([a-zA-Z])", days + hours.lower())]
    whole = sum((number * _MINUTES[unit] for number, unit in parts), Decimal(0))
    wholes = {round(whole / size, 6) for size in (*_MINUTES.values(), Decimal(525_600) / 12)}
    return evidence.numbers.issuperset(n for n, _ in parts if n) or not evidence.numbers.isdisjoint(wholes)


class _Evidence(NamedTuple):
    """What the quotes state."""

    numbers: frozenset[Decimal]
    untimed: frozenset[Decimal]  # the numbers that are not part of a time of day
    times: frozenset[TimeOfDay]
    codes: frozenset[str]  # long runs of digits, without separators
    currencies: frozenset[str]
    said: tuple[datetime, ...]
    mentions: tuple[tuple[Mention, datetime], ...]  # dates, each with the time it was said
    periods: tuple[Period, ...]
    derived: tuple[Period, ...]
    ends: frozenset[str]  # of the periods, each also as its month and its year


def _collect_evidence(quotes: Sequence[QuotedText], held: Sequence[Period] = (), known: str = "") -> _Evidence:
    quotes = [QuotedText(unicodedata.normalize("NFC", words), said) for words, said in quotes]
    texts = [*(quote.words for quote in quotes), unicodedata.normalize("NFC", known)]
    said = tuple(dict.fromkeys(quote.said for quote in quotes)) or (_NEVER,)
    dated = tuple((mention, when) for words, when in quotes for mention in mentions(words, when))
    stated, untimed, times = _evidence_numbers(texts)
    periods = _evidence_periods(quotes, dated, held, _absolute_date_evidence(known, said[0]))
    periods += [Period.on(str(int(value))) for value in stated if value == int(value) and 1900 <= value <= 2100]
    derived = tuple(_derived_evidence_periods(periods, said if quotes else (), texts))
    return _Evidence(
        numbers=stated.union(Decimal(int(end[:4])) for end in _evidence_period_bounds(periods)),
        untimed=untimed,
        times=times,
        codes=frozenset(re.sub(r"\D", "", run) for text in texts for run in _CODE.findall(ascii_digits(text))),
        currencies=frozenset(code for text in texts for code in currencies_in(text)),
        said=said,
        mentions=dated,
        periods=tuple(periods),
        derived=derived,
        ends=frozenset(end[:length] for end in _evidence_period_bounds((*periods, *derived)) for length in (4, 7, 10)),
    )


def _evidence_numbers(texts: Iterable[str]) -> tuple[frozenset[Decimal], frozenset[Decimal], frozenset[TimeOfDay]]:
    """All numbers, those that are not part of a time of day, and the times of day."""
    stated: set[Decimal] = set()
    untimed: set[Decimal] = set()
    times: set[TimeOfDay] = set()
    for text in texts:
        clock = list(times_of_day(text))
        times.update(time for _, _, time in clock)
        timed = _offsets_with_evidence((start, end) for start, end, _ in clock)
        for number in (*numerals(text), *implied_numerals(text)):
            values = {*number.readings, *number.parts, *number.loose}
            stated |= values
            untimed |= values if timed.isdisjoint(range(number.start, number.end)) else set()
    return frozenset(stated), frozenset(untimed), frozenset(times)


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
_NOW = re.compile(
    r"\b(?:today|tonight|now|just|currently|this (?:morning|afternoon|evening)|at the moment|these days|right away"
    r"|heute|jetzt|gerade|eben|derzeit|momentan|ab sofort|hoy|ahora|actualmente|acabo|aujourd['’]hui|maintenant"
    r"|actuellement|oggi|adesso|ora|attualmente|appena|hoje|agora|atualmente|acabei)\b"
    r"|今天|今日|现在|現在|刚刚|刚才|剛剛|目前|たった今|今から|さっき",
    re.IGNORECASE,
)
_CODE = re.compile(r"\d(?:[ ()./-]{0,2}\d){6,}", re.ASCII)
_SHORT_DATE = re.compile(r"\d{1,2}[/.]\d{1,2}\.?")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _date_evidence_reasons(sentence: str, evidence: _Evidence) -> tuple[list[str], frozenset[int]]:
    """Reasons for its dates, and the offsets they cover: their digits are not checked again as numbers."""
    readings: dict[tuple[int, int], list[Period]] = {}
    for said in evidence.said:
        for mention in mentions(sentence, said):
            readings.setdefault((mention.start, mention.end), []).extend(mention.meanings)
    phrases = {unaccented(mention.phrase) for mention, _ in evidence.mentions}
    wrong = []
    for (start, end), meanings in readings.items():
        phrase = sentence[start:end]
        # '3/4' and '24/7' may not be dates at all.
        is_number = _SHORT_DATE.fullmatch(phrase) and numbers(phrase) <= evidence.numbers
        if not (
            is_number
            or unaccented(phrase) in phrases
            or any(_has_period_evidence(meaning, evidence) for meaning in meanings)
        ):
            wrong.append(_date_reason(phrase, evidence))
    return wrong, _offsets_with_evidence(readings)


def _has_period_evidence(meaning: Period, evidence: _Evidence) -> bool:
    """Whether the period is stated, or its ends are ends of stated ones; a month or year may contain the end."""
    ends = {end for end in (meaning.start, meaning.end) if end}
    return (
        means(meaning, evidence.periods) or means(meaning, evidence.derived) or (bool(ends) and ends <= evidence.ends)
    )


def _date_reason(phrase: str, evidence: _Evidence) -> str:
    if not evidence.mentions:
        return f"the date {phrase} is not in the quoted words"
    stated = []
    for mention, said in evidence.mentions[:3]:
        written = ["…".join(dict.fromkeys((one.start, one.end))) for one in mention.meanings[:2]]
        day = f"{_WEEKDAYS[said.weekday()]} {said.date().isoformat()}"
        stated.append(f"'{mention.phrase}', said on {day}, is {' or '.join(written)}")
    return f"the date {phrase} does not follow: {'; '.join(stated)}"


def _offsets_with_evidence(spans: Iterable[tuple[int, int]]) -> frozenset[int]:
    return frozenset(place for start, end in spans for place in range(start, end))


def _number_evidence_reasons(
    sentence: str, evidence: _Evidence, dated: frozenset[int], *, digits_only: bool
) -> list[str]:
    wrong: list[str] = []
    settled: list[tuple[int, int]] = []
    for match in _CODE.finditer(ascii_digits(sentence)):
        digits = re.sub(r"\D", "", match.group())
        if digits in evidence.codes or any(digits in code for code in islice(evidence.codes, 100)):
            settled.append(match.span())
    for start, end, time in times_of_day(sentence):
        if start < end and dated.isdisjoint(range(start, end)):
            settled.append((start, end))
            if not _has_time_evidence(time, evidence):
                wrong.append(f"the time {sentence[start:end].strip(' .')} is not in the quoted words")
    done = dated | _offsets_with_evidence(settled)
    for number in numerals(sentence):
        words = sentence[number.start : number.end]
        is_asked = not number.is_weak and (not digits_only or any(char.isdigit() for char in words))
        readings = meant(number, sentence)
        has_parts = readings == number.readings and bool(number.parts) and evidence.numbers.issuperset(number.parts)
        is_known = has_parts or not evidence.numbers.isdisjoint(readings)
        if is_asked and not is_known and done.isdisjoint(range(number.start, number.end)):
            wrong.append(f"the number {words} is not in the quoted words")
    return wrong


def _currency_evidence_reasons(sentence: str, evidence: _Evidence) -> list[str]:
    """Reasons for currencies that contradict the quotes; if those have none, any currency is accepted."""
    stated = evidence.currencies
    if not stated or "$" in stated:  # the sign of many countries' money
        return []
    wrong = currencies_in(sentence) - stated - {"$"}
    return [
        f"the currency {code} is not in the quoted words, which have {', '.join(sorted(stated))}"
        for code in sorted(wrong)
    ]


def _has_time_evidence(time: TimeOfDay, evidence: _Evidence) -> bool:
    for stated in evidence.times:
        hours = 24 if stated.is_exact and time.is_exact else 12
        if stated.hour % hours == time.hour % hours and stated.minute == time.minute:
            return True
    has_hour = not evidence.untimed.isdisjoint(
        {Decimal(time.hour), Decimal(time.hour % 12), Decimal(time.hour % 12 + 12)}
    )
    return has_hour and (time.minute == 0 or Decimal(time.minute) in evidence.untimed)
