"""Evidence check: every number, name and date in a fact must appear in, or follow from, the quoted text.

All of it is code, so a model cannot argue its way past it. If the text is ambiguous, every reading is accepted, because
refusing a true fact costs a model call. Not checked: names in scripts without capitals, Latin names if the quoted text
is in another script, lower-case words, and small words that are only sometimes numbers ('one', 'second').
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from uac.conversation.checks.currencies import currencies_in
from uac.conversation.checks.number_verdicts import counted_times
from uac.conversation.checks.proper_names import is_german_text, unknown_names
from uac.conversation.checks.readings import QuotedText, Readings, read_quotes
from uac.conversation.checks.spoken_prices import spoken_prices
from uac.conversation.checks.statements import CODE, Statements, collect_statements
from uac.conversation.checks.time_verdicts import time_verdict
from uac.conversation.checks.unsaid_seconds import unsaid_seconds
from uac.conversation.checks.value_verdict import verdict_in_readings
from uac.conversation.checks.verdicts import best, date_verdict, meanings_text, worst
from uac.conversation.checks.weekdays import weekday_of, weekdays_in
from uac.conversation.checks.wording import content_stems
from uac.conversation.checks.worked_out import worked_out
from uac.schema.periods import Period
from uac.text.clock import ClockTime, clock_times
from uac.text.dates.mentions import means, mentions
from uac.text.dates.resolve import ANCHORED
from uac.text.dates.tense import is_old_value
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import Numeral, ascii_digits, meant, numbers, numerals, unaccented

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
    stated = collect_statements(quotes)
    stated = stated._replace(numbers=stated.numbers | _numbers_of_names(sentence, names))
    wrong, unsure, spans = _date_evidence_reasons(sentence, stated)
    for found in (
        _number_evidence_reasons(sentence, stated, spans, digits_only=False),
        _currency_evidence_reasons(sentence, stated),
    ):
        wrong += found.problems
        unsure += found.unsure
    wrong += unsaid_seconds(sentence, stated.words)
    unknown = unknown_names(sentence, [quote.words for quote in quotes], [around, *names], spans)
    wrong += [f"the name {name} is neither in the quoted words nor known" for name in unknown]
    return Evidence(list(dict.fromkeys(wrong)), list(dict.fromkeys(unsure)))


def _numbers_of_names(sentence: str, names: Collection[str]) -> frozenset[Decimal]:
    """The numbers of known names that the sentence has other words of too: the 70 of "Mum's 70th"."""
    mine = content_stems(sentence)
    found = frozenset[Decimal]()
    for name in names:
        if any(char.isdigit() for char in name) and {s for s in content_stems(name) & mine if s.isalpha()}:
            found |= numbers(name)
    return found


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
    stated = collect_statements(quotes, held, known)
    older = collect_statements((), held, known, beside=_words_beside_dates(readings))
    found = ValueEvidence({}, {})
    used: set[str] = set()
    for name, raw in fields.items():
        if wrong := next(unsaid_seconds(raw, stated.words), None):
            found.problems[name] = f"{name}: {wrong}"
            continue
        if raw is None or (_is_checked_by_form(raw) and _is_known(raw, older)):
            continue
        if not _is_checked_by_form(raw):
            for wrong in islice(_value_evidence_reasons(raw, stated), 1):
                found.problems[name] = f"{name}: {wrong}"
            continue
        verdict = verdict_in_readings(name, raw, readings, usual_currency=usual_currency)
        better = (
            None
            if verdict.answer == "follows"
            else worked_out(name, fields, readings, changed or {}, cited, usual_currency=usual_currency)
        )
        is_better = better is not None and worst([better.verdict, verdict]) is verdict
        # Of two that are alike, the one that is worked out from the words alone says more.
        is_alike = better is not None and not better.used and worst([verdict, better.verdict]) is verdict
        if better is not None and (is_better or is_alike):
            verdict = better.verdict
            used.update(better.used)
        elif (part := _unknown_part(raw, older, readings)) != raw:
            verdict = best([verdict, verdict_in_readings(name, part, readings)])
        if verdict.answer == "contradicts":
            found.problems[name] = (
                f"{name}: {_value_text(raw)} does not follow from the quoted words, where code reads {verdict.read}"
            )
        elif verdict.answer == "unsure":
            found.unsure[name] = _unsure_value_reason(raw, verdict.read, usual_currency)
    return found._replace(used=frozenset(used))


def _words_beside_dates(readings: Readings) -> list[str]:
    """The words without the dates that are counted from the day of saying: the two days of "two days ago" are no
    duration that could be added to another day."""
    texts = []
    for text in readings.texts:
        beside = text
        for seen in readings.dates:
            at = seen.mention
            if seen.words == text and at.sure and not at.rules & ANCHORED:
                beside = beside[: at.start] + " " * (at.end - at.start) + beside[at.end :]
        texts.append(beside)
    return texts


def value_evidence_problems(
    fields: Mapping[str, Json], quotes: Sequence[QuotedText], *, held: Sequence[Period] = (), known: str = ""
) -> list[str]:
    """Only what contradicts the quotes."""
    return [*value_evidence(fields, quotes, held=held, known=known).problems.values()]


def _unsure_value_reason(raw: Json, read: str, usual_currency: str) -> str:
    of_number, is_assumed, _ = read.partition("no currency")
    if not is_assumed:
        return f"code read {read}"
    is_usual = _value_text(raw).endswith(usual_currency or "*")
    assumed = f"currency assumed: {usual_currency} is the usual one" if is_usual else "currency assumed: none was named"
    return f"code read {of_number}{assumed}" if of_number else assumed


def _unknown_part(raw: Json, older: Statements, readings: Readings) -> Json:
    """Of a moment, the day or the time if the other is known and the words state none: "same time"."""
    moment = _MOMENT.fullmatch(raw) if isinstance(raw, str) else None
    if moment is None or moment[2] == "00:00":
        return raw
    if not readings.times and _is_known(moment[2], older):
        return moment[1]
    return moment[2] if not readings.dates and _is_known(moment[1], older) else raw


def _is_known(raw: Json, older: Statements) -> bool:
    """Whether a value stands in what is known; a time of day, and a day, is to be that very one."""
    time = _TIME.search(raw) if isinstance(raw, str) else None
    is_same = time is None or time[1] == "00:00" or time_verdict("", time[1], older.readings).answer == "follows"
    return (is_same or (time is not None and time[1] in older.words)) and not any(
        _value_evidence_reasons(raw, older, is_certain=True)
    )


def _is_checked_by_form(raw: Json) -> bool:
    """Whether the form of a value says what it is: a number, date, time, duration, amount or weekday."""
    match raw:
        case bool():
            return False
        case str():
            return is_machine_format(raw) or (len(raw) > 3 and weekday_of(raw) is not None)
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


def _value_evidence_reasons(raw: Json, evidence: Statements, *, is_certain: bool = False) -> Iterator[str]:
    """Why a value does not follow; with `is_certain` also why code cannot decide it."""
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
            # Midnight may only mean that the time is unknown; `unsaid_seconds` looks at seconds and the offset.
            texts = (raw,) if moment is None else (moment[1], "" if moment[2] == "00:00" else moment[2])
            for text in texts:
                wrong, unsure, dated = _date_evidence_reasons(text, evidence)
                yield from (*wrong, *unsure) if is_certain else wrong
                yield from _number_evidence_reasons(text, evidence, dated, digits_only=True).problems
            if _AMOUNT.fullmatch(raw):
                yield from _currency_evidence_reasons(raw, evidence).problems
        case {"amount": amount}:
            yield from _value_evidence_reasons(amount, evidence, is_certain=is_certain)
            yield from _currency_evidence_reasons(str(raw.get("currency")), evidence).problems
        case dict() | list() | tuple():
            for value in raw.values() if isinstance(raw, dict) else raw:
                yield from _value_evidence_reasons(value, evidence, is_certain=is_certain)
        case date():
            yield from _value_evidence_reasons(raw.isoformat(), evidence, is_certain=is_certain)


_TIME = lazy_pattern(r"(?:^|[T ])(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$", re.ASCII)
_DERIVED_PLACES = frozenset("country region state continent nationality language timezone time_zone".split())
_MOMENT = lazy_pattern(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_DURATION = lazy_pattern(r"-?P(?=\d|T\d)(?:\d{1,9}[YMWD])*(?:T(?:\d{1,9}(?:\.\d{1,9})?[HMS])+)?", re.ASCII)
_DAY = lazy_pattern(r"\d{4}(?:-\d\d){0,2}", re.ASCII)
_CLOCK = lazy_pattern(r"\d\d:\d\d(?::\d\d)?", re.ASCII)
_NUMBER = lazy_pattern(r"-?\d+(?:\.\d+)?", re.ASCII)
_AMOUNT = lazy_pattern(r"-?[\d.]+ [A-Z]{3}", re.ASCII)


_SHORT_DATE = lazy_pattern(r"\d{1,2}[/.]\d{1,2}\.?")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _date_evidence_reasons(sentence: str, evidence: Statements) -> tuple[list[str], list[str], frozenset[int]]:
    """What is wrong with its dates, what is not certain, and the offsets they cover: their digits are not checked again
    as numbers."""
    found: dict[tuple[int, int], list[Period]] = {}
    rules: dict[tuple[int, int], frozenset[str]] = {}
    for said in evidence.said:
        for mention in mentions(sentence, said):
            found.setdefault((mention.start, mention.end), []).extend(mention.meanings)
            rules[mention.start, mention.end] = mention.rules
    phrases = {unaccented(mention.phrase) for mention, _ in evidence.mentions}
    wrong, unsure = [], []
    for (start, end), meanings in found.items():
        phrase = sentence[start:end]
        # '3/4' and '24/7' may not be dates at all.
        is_number = _SHORT_DATE.fullmatch(phrase) and numbers(phrase) <= evidence.numbers | evidence.dated_numbers
        if is_number or unaccented(phrase) in phrases or _is_worded_the_same(phrase, evidence):
            continue
        if any(_has_period_evidence(meaning, evidence) for meaning in meanings):
            if not any(means(meaning, evidence.sure) or means(meaning, evidence.derived) for meaning in meanings):
                unsure += _doubt(phrase, evidence)
        elif any(_is_weekday_inside(meaning, evidence) for meaning in meanings):
            continue
        elif (
            any(_is_undecided(meaning, evidence) for meaning in meanings)
            or is_old_value(sentence, start, end)
            or _is_day_of_saying(meanings, evidence)
            or (rules[start, end] & _NAMED_TIMES and any(_is_near_stated(meaning, evidence) for meaning in meanings))
        ):
            unsure.append(_date_reason(phrase, evidence, verdict="is not certain"))
        else:
            wrong.append(_date_reason(phrase, evidence))
    return wrong, unsure, _offsets_with_evidence(found)


_NAMED_TIMES = frozenset({"holiday", "bare_holiday", "season", "bare_season"})


def _is_worded_the_same(phrase: str, evidence: Statements) -> bool:
    """Whether the quotes have the very words of a date without digits: "los viernes", "por la mañana"."""
    if any(char.isdigit() for char in phrase):
        return False
    return re.search(rf"\b{re.escape(unaccented(phrase))}\b", unaccented(evidence.words)) is not None


def _is_weekday_inside(meaning: Period, evidence: Statements) -> bool:
    """Whether a day is the weekday that the quotes name inside a longer time that they name: "Wednesday, next week"."""
    day = meaning.first
    if day is None or day != meaning.last:
        return False
    named = {weekday for text in evidence.readings.texts for weekday, _ in weekdays_in(text)}
    wide = (period for period in evidence.sure if period.start and period.end and period.first != period.last)
    return day.weekday() in named and any(period.covers(day) for period in wide)


def _is_day_of_saying(meanings: Sequence[Period], evidence: Statements) -> bool:
    """Whether the date is the day of saying, and the quotes name only a time: "We sat down at half past one"."""
    return (
        not evidence.mentions
        and bool(evidence.readings.times)
        and any(
            meaning.start == meaning.end == said.date().isoformat() for meaning in meanings for said in evidence.said
        )
    )


def _is_near_stated(meaning: Period, evidence: Statements) -> bool:
    """Whether a holiday or season that the sentence names is close to a stated date: "the Easter trip"."""
    days = [day for period in evidence.periods for day in (period.first, period.last) if day]
    ends = [day for day in (meaning.first, meaning.last) if day]
    return any(abs((day - end).days) <= _NEAR_DAYS for day in days for end in ends)


_NEAR_DAYS = 31


def _is_undecided(meaning: Period, evidence: Statements) -> bool:
    ends = {end[:10] for end in (meaning.start, meaning.end) if end}
    inside = any(
        wide.covers(day)
        for wide in evidence.periods
        for day in (meaning.first, meaning.last)
        if day and wide.start and wide.end and wide.first != wide.last
    )
    return (
        bool(ends)
        and not inside
        and all(date_verdict("", end, evidence.readings).answer != "contradicts" for end in ends)
    )


def _doubt(phrase: str, evidence: Statements) -> list[str]:
    """What code read, if a date may be another one: its day is known, but perhaps not its month."""
    doubtful = [mention for mention, _ in evidence.mentions if mention.sure < len(mention.meanings)]
    return [_date_reason(phrase, evidence, verdict="is not certain")] if doubtful else []


def _has_period_evidence(meaning: Period, evidence: Statements) -> bool:
    """Whether the period is stated, or its ends are ends of stated ones; a month or year may contain the end."""
    ends = {end for end in (meaning.start, meaning.end) if end}
    return (
        means(meaning, evidence.periods) or means(meaning, evidence.derived) or (bool(ends) and ends <= evidence.ends)
    )


def _date_reason(phrase: str, evidence: Statements, *, verdict: str = "does not follow") -> str:
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
    sentence: str, evidence: Statements, dated: frozenset[int], *, digits_only: bool
) -> Evidence:
    found = Evidence([], [])
    settled: list[tuple[int, int]] = []
    for match in CODE.finditer(ascii_digits(sentence)):
        digits = re.sub(r"\D", "", match.group())
        if digits in evidence.codes or any(digits in code for code in sorted(evidence.codes)[:100]):
            settled.append(match.span())
    for clock in clock_times(sentence):
        words = sentence[clock.start : clock.end]
        if not dated.isdisjoint(range(clock.start, clock.end)):
            continue
        is_stated, has_digits = _is_stated_time(clock, evidence), any(char.isdigit() for char in words)
        if is_stated or has_digits:  # else its words are looked for as numbers
            settled.append((clock.start, clock.end))
            if not is_stated:
                reason = f"the time {words.strip(' .')} is not in the quoted words"
                is_old = is_old_value(sentence, clock.start, clock.end)
                (found.unsure if is_old else found.problems).append(reason)
    done = dated | _offsets_with_evidence(settled)
    prices = spoken_prices(evidence.readings)
    for number in numerals(sentence):
        words = sentence[number.start : number.end]
        is_asked = not number.is_weak and (not digits_only or any(char.isdigit() for char in words))
        if not is_asked or not done.isdisjoint(range(number.start, number.end)):
            continue
        readings = meant(number, sentence)
        if _is_stated_number(number, sentence, evidence) or not prices.isdisjoint(readings):
            continue
        if not evidence.dated_numbers.isdisjoint(readings):
            found.unsure.append(f"the number {words} is only part of a date or time in the quoted words")
        elif is_old_value(sentence, number.start, number.end):
            found.unsure.append(f"the number {words} no longer holds, and is not in the quoted words")
        else:
            found.problems.append(f"the number {words} is not in the quoted words")
    return found


def _is_stated_time(clock: ClockTime, evidence: Statements) -> bool:
    """Whether the quotes have the time, or deny it as the sentence does."""
    if any(clock.possible & each.time.possible for each in evidence.readings.times if each.is_denied):
        return True
    times = [f"{hour:02}:{minute:02}" for hour, minute in clock.possible]
    return any(time_verdict("", time, evidence.readings).answer != "contradicts" for time in times)


def _is_stated_number(number: Numeral, sentence: str, evidence: Statements) -> bool:
    readings = meant(number, sentence)
    has_parts = readings == number.readings and bool(number.parts) and evidence.numbers.issuperset(number.parts)
    if has_parts or not evidence.numbers.isdisjoint(readings):
        return True
    written = sentence[number.start : number.end].casefold()
    if _is_part_of_quoted_name(number, sentence, evidence):
        return True
    if is_ordinal := _ORDINAL.match(sentence, number.end):
        return re.search(rf"\b{written}{is_ordinal[0]}\b", evidence.words) is not None  # "Alan's 14th"
    if re.fullmatch(r"\d+[a-z]", written) and re.search(rf"\b{written[:-1]} ?{written[-1]}\b", evidence.words):
        return True  # a house number: 44B
    if (short := re.fullmatch(r"(\d{1,2})\.(\d{1,2})", written)) and any(
        end[5:] == f"{int(short[2]):02}-{int(short[1]):02}" for end in evidence.ends
    ):
        return True  # a day and its month
    after = sentence[number.end : number.end + 16]
    return any(counted_times(value, after, evidence.readings) for value in readings)


def _is_part_of_quoted_name(number: Numeral, sentence: str, evidence: Statements) -> bool:
    """Whether it is a word of a name that is quoted, such as "The Old Mill", which could be a million in German."""
    before = _CAPITALISED_BEFORE.search(sentence[: number.start])
    word = sentence[number.start : number.end]
    return before is not None and word.istitle() and any(before[0] + word in text for text in evidence.readings.texts)


_CAPITALISED_BEFORE = lazy_pattern(r"[A-ZÄÖÜ]\w+ $")
_ORDINAL = lazy_pattern(r"(?:st|nd|rd|th)\b")


def _currency_evidence_reasons(sentence: str, evidence: Statements) -> Evidence:
    """Reasons for currencies that contradict the quotes; if those have none, a currency is assumed."""
    stated, named = evidence.currencies, currencies_in(sentence) - {"$"}
    if "$" in stated:  # the sign of many countries' money
        return Evidence([], [])
    if not stated:
        return Evidence([], [f"the quoted words name no currency, so that {code} is assumed" for code in sorted(named)])
    return Evidence(
        [
            f"the currency {code} is not in the quoted words, which have {', '.join(sorted(stated))}"
            for code in sorted(named - stated)
        ],
        [],
    )
