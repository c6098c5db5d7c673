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
from uac.conversation.checks.proper_names import is_german_text, unknown_names
from uac.conversation.checks.readings import QuotedText, Readings, read_quotes
from uac.conversation.checks.value_verdict import verdict_in_readings
from uac.conversation.checks.verdicts import date_verdict, meanings_text, time_verdict, worst
from uac.conversation.checks.worked_out import worked_out
from uac.schema.periods import Period
from uac.text.clock import clock_times
from uac.text.dates.mentions import Mention, durations, means, mentions, shifted
from uac.text.numerals import ascii_digits, implied_numerals, meant, numbers, numerals, unaccented

__all__ = [
    "Evidence",
    "ValueEvidence",
    "is_machine_format",
    "is_moment",
    "name_evidence",
    "sentence_evidence",
    "sentence_evidence_problems",
    "value_evidence",
    "value_evidence_problems",
]

Json: TypeAlias = Any  # as in `schema.types`


class Evidence(NamedTuple):
    """What of a sentence contradicts the quoted words, and what code cannot decide."""

    problems: list[str]
    unsure: list[str]
    """What code read instead; such a claim is taken, and marked."""


class ValueEvidence(NamedTuple):
    """Which fields of a record contradict the quoted words, and which code cannot decide, each with the reason."""

    problems: dict[str, str]
    unsure: dict[str, str]
    """What code read instead; such a value is taken, and marked."""
    used: frozenset[str] = frozenset()
    """The fields of the changed record that other values were worked out from."""


def sentence_evidence(
    sentence: str, quotes: Sequence[QuotedText], *, around: str = "", names: Collection[str] = ()
) -> Evidence:
    """Why numbers, names or dates of the sentence do not follow from the quotes; empty if all do.

    Names may also come from `around` (the whole turns that were quoted) or `names` (known names).
    """
    sentence = unicodedata.normalize("NFC", sentence)
    stated = _collect_statements(quotes)
    wrong, unsure, spans = _date_evidence_reasons(sentence, stated)
    wrong += _number_evidence_reasons(sentence, stated, spans, digits_only=False)
    wrong += _currency_evidence_reasons(sentence, stated)
    unknown = unknown_names(sentence, [quote.words for quote in quotes], [around, *names], spans)
    wrong += [f"the name {name} is neither in the quoted words nor known" for name in unknown]
    return Evidence(list(dict.fromkeys(wrong)), list(dict.fromkeys(unsure)))


def sentence_evidence_problems(
    sentence: str, quotes: Sequence[QuotedText], *, around: str = "", names: Collection[str] = ()
) -> list[str]:
    """Only what contradicts the quotes."""
    return sentence_evidence(sentence, quotes, around=around, names=names).problems


def value_evidence(
    fields: Mapping[str, Json],
    quotes: Sequence[QuotedText],
    *,
    held: Sequence[Period] = (),
    known: str = "",
    usual_currency: str = "*",
    changed: Mapping[str, Json] | None = None,
    cited: Sequence[Json] = (),
) -> ValueEvidence:
    """Why values of a record's fields do not follow from the quotes, one reason per field; empty if all do.

    Only numbers, dates, times, durations and currencies are checked. Those in `held` (when the facts hold) and in
    `known` (such as the amended record) are accepted. An amount without a currency may take the usual one; `*` if none
    is known yet. A value may be worked out from the words and the values of the `changed` record or of `cited` ones.
    """
    readings = read_quotes(quotes)
    stated = _collect_statements(quotes, held, known)
    older = _collect_statements((), held, known, beside=[quote.words for quote in quotes])
    found = ValueEvidence({}, {})
    used: set[str] = set()
    for name, raw in fields.items():
        if raw is None or (_is_checked_by_form(raw) and not any(_value_evidence_reasons(raw, older))):
            continue
        if not _is_checked_by_form(raw):
            for wrong in islice(_value_evidence_reasons(raw, stated), 1):
                found.problems[name] = f"{name}: {wrong}"
            continue
        verdict = verdict_in_readings(name, raw, readings, usual_currency=usual_currency)
        better = worked_out(name, fields, readings, changed or {}, cited) if verdict.answer != "follows" else None
        if better is not None and worst([better.verdict, verdict]) is verdict:
            verdict = better.verdict
            used.update(better.used)
        if verdict.answer == "contradicts":
            found.problems[name] = (
                f"{name}: {_value_text(raw)} does not follow from the quoted words, where code reads {verdict.read}"
            )
        elif verdict.answer == "unsure":
            found.unsure[name] = _unsure_value_reason(raw, verdict.read, usual_currency)
    return found._replace(used=frozenset(used))


def value_evidence_problems(
    fields: Mapping[str, Json], quotes: Sequence[QuotedText], *, held: Sequence[Period] = (), known: str = ""
) -> list[str]:
    """Only what contradicts the quotes."""
    return [*value_evidence(fields, quotes, held=held, known=known).problems.values()]


def _unsure_value_reason(raw: Json, read: str, usual_currency: str) -> str:
    if read.startswith("no currency"):
        is_usual = _value_text(raw).endswith(usual_currency or "*")
        return (
            f"currency assumed: {usual_currency} is the usual one" if is_usual else "currency assumed: none was named"
        )
    return f"code read {read}"


def _is_checked_by_form(raw: Json) -> bool:
    """Whether the form of a value says what it is: a number, date, time, duration, amount or weekday."""
    match raw:
        case bool():
            return False
        case str():
            return is_machine_format(raw)
        case list() | tuple():
            return bool(raw) and all(map(_is_checked_by_form, raw))
        case dict():
            return "amount" in raw
        case _:
            return True


def _value_text(raw: Json) -> str:
    if isinstance(raw, dict):
        return " ".join(str(value) for value in raw.values() if value is not None)
    return str(raw)


def is_machine_format(text: str) -> bool:
    """Whether a value is a date, time, duration, number or amount in machine format, without words to look for."""
    return any(form.fullmatch(text) for form in (_MOMENT, _DAY, _CLOCK, _DURATION, _AMOUNT, _NUMBER))


def is_moment(raw: Json) -> bool:
    """Whether a value is a date, with or without a time, or a time of day."""
    return isinstance(raw, str) and any(form.fullmatch(raw) for form in (_MOMENT, _DAY, _CLOCK))


def name_evidence(
    fields: Mapping[str, Json], quotes: Sequence[QuotedText], *, known: Collection[str] = ()
) -> ValueEvidence:
    """Why names in the values of a record's fields do not follow from the quotes, one reason per field.

    Names in `known` are accepted. Fields such as `country` are not checked: a country may follow from a city. A long
    word of a German description is more likely a compound than a name: it is only not certain.
    """
    quoted = [unicodedata.normalize("NFC", quote.words) for quote in quotes]
    found = ValueEvidence({}, {})
    for name, raw in fields.items():
        for text in _texts_in(raw) if name not in _DERIVED_PLACES else ():
            plain = unicodedata.normalize("NFC", text)
            unknown = unknown_names(plain, quoted, list(known), is_value=True)
            is_described = name in _DESCRIPTIONS and is_german_text([plain, *quoted])
            wrong = [word for word in unknown if not (is_described and len(word) >= _COMPOUND)]
            if unknown:
                group = found.problems if wrong else found.unsure
                group[name] = f"the name {[*wrong, *unknown][0]} is neither in the cited facts nor known"
    return found


_DESCRIPTIONS = frozenset("what item topic title note notes description reason purpose task about".split())
_COMPOUND = 9


def _texts_in(raw: Json) -> Iterator[str]:
    """The texts of a value that may contain names."""
    match raw:
        case str() if not is_machine_format(raw):
            yield raw
        case dict() | list() | tuple():
            for value in raw.values() if isinstance(raw, dict) else raw:
                yield from _texts_in(value)


def _value_evidence_reasons(raw: Json, evidence: "_Statements") -> Iterator[str]:
    match raw:
        case None | bool():
            return
        case int() | float() | Decimal():
            value = Decimal(str(raw))
            if not value.is_finite() or abs(value) not in evidence.numbers:
                yield f"the number {raw} is not in the quoted words"
        case str() if _DURATION.fullmatch(raw):
            if raw.casefold() not in evidence.words:
                yield f"the duration {raw} is not in the quoted words"
        case str():
            moment = _MOMENT.fullmatch(raw)
            # Midnight may only mean that the time is unknown; seconds and the zone are not said.
            texts = (raw,) if moment is None else (moment[1], "" if moment[2] == "00:00" else moment[2])
            for text in texts:
                wrong, _, dated = _date_evidence_reasons(text, evidence)
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


class _Statements(NamedTuple):
    """What the quotes state."""

    numbers: frozenset[Decimal]
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


def _collect_statements(
    quotes: Sequence[QuotedText], held: Sequence[Period] = (), known: str = "", beside: Sequence[str] = ()
) -> _Statements:
    """What the quotes, periods and known text state. `beside` are texts of which only the durations count."""
    quotes = [QuotedText(unicodedata.normalize("NFC", words), said) for words, said in quotes]
    texts = [*(quote.words for quote in quotes), unicodedata.normalize("NFC", known)]
    said = tuple(dict.fromkeys(quote.said for quote in quotes)) or (_NEVER,)
    dated = tuple((mention, when) for words, when in quotes for mention in mentions(words, when))
    stated = _evidence_numbers(texts)
    periods = _evidence_periods(quotes, dated, held, _absolute_date_evidence(known, said[0]))
    periods += [Period.on(str(int(value))) for value in stated if value == int(value) and 1900 <= value <= 2100]
    doubtful = {m for mention, _ in dated for m in mention.meanings} - {
        m for mention, _ in dated for m in mention.sure_meanings
    }
    derived = tuple(_derived_evidence_periods(periods, said if quotes else (), [*texts, *beside]))
    return _Statements(
        numbers=stated.union(Decimal(int(end[:4])) for end in _evidence_period_bounds(periods)),
        readings=read_quotes([*quotes, QuotedText(known, said[0])] if known else quotes),
        words=" ".join(texts).casefold(),
        codes=frozenset(re.sub(r"\D", "", run) for text in texts for run in _CODE.findall(ascii_digits(text))),
        currencies=frozenset(code for text in texts for code in currencies_in(text)),
        said=said,
        mentions=dated,
        periods=tuple(periods),
        sure=tuple(period for period in periods if period not in doubtful),
        derived=derived,
        ends=frozenset(end[:length] for end in _evidence_period_bounds((*periods, *derived)) for length in (4, 7, 10)),
    )


def _evidence_numbers(texts: Iterable[str]) -> frozenset[Decimal]:
    """All numbers, in digits and words."""
    found = (number for text in texts for number in (*numerals(text), *implied_numerals(text)))
    return frozenset(value for number in found for value in (*number.readings, *number.parts, *number.loose))


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


def _date_evidence_reasons(sentence: str, evidence: _Statements) -> tuple[list[str], list[str], frozenset[int]]:
    """What is wrong with its dates, what is not certain, and the offsets they cover: their digits are not checked again
    as numbers."""
    found: dict[tuple[int, int], list[Period]] = {}
    for said in evidence.said:
        for mention in mentions(sentence, said):
            found.setdefault((mention.start, mention.end), []).extend(mention.meanings)
    phrases = {unaccented(mention.phrase) for mention, _ in evidence.mentions}
    wrong, unsure = [], []
    for (start, end), meanings in found.items():
        phrase = sentence[start:end]
        # '3/4' and '24/7' may not be dates at all.
        is_number = _SHORT_DATE.fullmatch(phrase) and numbers(phrase) <= evidence.numbers
        if is_number or unaccented(phrase) in phrases:
            continue
        if any(_has_period_evidence(meaning, evidence) for meaning in meanings):
            if not any(means(meaning, evidence.sure) or means(meaning, evidence.derived) for meaning in meanings):
                unsure += _doubt(phrase, evidence)
        elif any(_is_undecided(meaning, evidence) for meaning in meanings):
            unsure.append(_date_reason(phrase, evidence, verdict="is not certain"))
        else:
            wrong.append(_date_reason(phrase, evidence))
    return wrong, unsure, _offsets_with_evidence(found)


def _is_undecided(meaning: Period, evidence: _Statements) -> bool:
    ends = {end[:10] for end in (meaning.start, meaning.end) if end}
    inside = any(
        wide.covers(day)
        for wide in evidence.periods
        for day in (meaning.first, meaning.last)
        if day and wide.start and wide.end
    )
    return (
        bool(ends)
        and not inside
        and all(date_verdict("", end, evidence.readings).answer != "contradicts" for end in ends)
    )


def _doubt(phrase: str, evidence: _Statements) -> list[str]:
    """What code read, if a date may be another one: its day is known, but perhaps not its month."""
    doubtful = [mention for mention, _ in evidence.mentions if mention.sure < len(mention.meanings)]
    return [_date_reason(phrase, evidence, verdict="is not certain")] if doubtful else []


def _has_period_evidence(meaning: Period, evidence: _Statements) -> bool:
    """Whether the period is stated, or its ends are ends of stated ones; a month or year may contain the end."""
    ends = {end for end in (meaning.start, meaning.end) if end}
    return (
        means(meaning, evidence.periods) or means(meaning, evidence.derived) or (bool(ends) and ends <= evidence.ends)
    )


def _date_reason(phrase: str, evidence: _Statements, *, verdict: str = "does not follow") -> str:
    if not evidence.mentions:
        return f"the date {phrase} is not in the quoted words"
    stated = []
    for mention, said in evidence.mentions[:3]:
        day = f"{_WEEKDAYS[said.weekday()]} {said.date().isoformat()}"
        stated.append(f"'{mention.phrase}', said on {day}, {meanings_text(mention)}")
    return f"the date {phrase} {verdict}: {'; '.join(stated)}"


def _offsets_with_evidence(spans: Iterable[tuple[int, int]]) -> frozenset[int]:
    return frozenset(place for start, end in spans for place in range(start, end))


def _number_evidence_reasons(
    sentence: str, evidence: _Statements, dated: frozenset[int], *, digits_only: bool
) -> list[str]:
    wrong: list[str] = []
    settled: list[tuple[int, int]] = []
    for match in _CODE.finditer(ascii_digits(sentence)):
        digits = re.sub(r"\D", "", match.group())
        if digits in evidence.codes or any(digits in code for code in islice(evidence.codes, 100)):
            settled.append(match.span())
    for clock in clock_times(sentence):
        if any(char.isdigit() for char in sentence[clock.start : clock.end]) and dated.isdisjoint(
            range(clock.start, clock.end)
        ):
            settled.append((clock.start, clock.end))
            times = [f"{hour:02}:{minute:02}" for hour, minute in clock.possible]
            if all(time_verdict("", time, evidence.readings).answer == "contradicts" for time in times):
                wrong.append(f"the time {sentence[clock.start : clock.end].strip(' .')} is not in the quoted words")
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


def _currency_evidence_reasons(sentence: str, evidence: _Statements) -> list[str]:
    """Reasons for currencies that contradict the quotes; if those have none, any currency is accepted."""
    stated = evidence.currencies
    if not stated or "$" in stated:  # the sign of many countries' money
        return []
    wrong = currencies_in(sentence) - stated - {"$"}
    return [
        f"the currency {code} is not in the quoted words, which have {', '.join(sorted(stated))}"
        for code in sorted(wrong)
    ]
