"""Which values of a patch code cannot decide: they are taken, and marked with the reason."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from uac.conversation.checks.currencies import currencies_in
from uac.conversation.checks.evidence import ValueEvidence, is_machine_format, is_moment, value_evidence
from uac.conversation.checks.readings import QuotedText, read_quotes
from uac.conversation.propose import FactInBatch
from uac.errors import Refused
from uac.project.records import Record
from uac.schema.periods import Period
from uac.schema.safe_text import shorten
from uac.schema.types import Json, Type, parse_type
from uac.schema.values import dump_value
from uac.text.dates.mentions import mentions
from uac.text.lazy_pattern import lazy_pattern
from uac.text.quotes import verbatim

__all__ = ["cited_quotes", "cited_value_evidence", "not_understood", "with_usual_currency", "without_said_as"]

MAX_SAID_CHARACTERS = 120
_TIME_KINDS = {"date": "day", "datetime": "day or time", "time": "time"}


def cited_value_evidence(
    fields: Mapping[str, Json],
    cited: Sequence[FactInBatch],
    *,
    existing: Record | None,
    known: Sequence[str],
    usual_currency: str,
    records: Sequence[Record] = (),
) -> ValueEvidence:
    """Which values contradict the facts that a patch cites, and which are not certain.

    A value may be worked out from the facts and the `existing` record, which the patch changes, or the `records` that
    it cites. A date is no more certain than the fact that states it. A value that repeats the marked value of the
    `existing` record keeps the mark, unless the facts state it.
    """
    around = _AroundFacts(known, usual_currency, _dumped_values(existing), _values_of(records))
    found = _evidence_in_facts(fields, cited, around)
    numbers = _stated_numbers(cited) if found.unsure else frozenset[Decimal]()
    unsure = {name: why for name, why in found.unsure.items() if _number_of(fields[name], why) not in numbers}
    if doubts := [item.fact.unsure for item in cited if item.fact.unsure]:
        strict = _evidence_in_facts(fields, cited, around, only_certain=True)
        for name, raw in fields.items():
            if is_moment(raw) and (name in strict.problems or name in strict.unsure):
                unsure.setdefault(name, "; ".join(dict.fromkeys(doubts)))
    if existing is not None and existing.unsure:
        repeated = {
            each.field: each.why
            for each in existing.unsure
            if each.field in fields and fields[each.field] == around.changed[each.field]
        }
        alone = _AroundFacts((), usual_currency)
        stated = _evidence_in_facts({name: fields[name] for name in repeated}, cited, alone)
        for name, why in repeated.items():
            if name in stated.problems or name in stated.unsure:
                unsure.setdefault(name, why)
    return found._replace(unsure={name: why for name, why in unsure.items() if name not in found.problems})


class _AroundFacts(NamedTuple):
    """What counts beside the words of facts."""

    known: Sequence[str]
    usual_currency: str
    changed: Mapping[str, Json] = {}
    cited: Sequence[Json] = ()


def _dumped_values(record: Record | None) -> dict[str, Json]:
    return {} if record is None else {name: dump_value(value) for name, value in record.values.items()}


def _values_of(records: Sequence[Record]) -> list[Json]:
    return [value for record in records for value in _dumped_values(record).values()]


def without_said_as(
    fields: Mapping[str, Json], type_: Type | None, cited: Sequence[FactInBatch], *, is_last: bool
) -> tuple[dict[str, Json], dict[str, str]]:
    """The fields without those of which the model gives only the words, {"said_as": "am Tag drauf"}, or only a year or
    month, and why these have no value. The words must be quoted, and code must not understand them either, unless the
    model insists."""
    values: dict[str, Json] = {}
    open_: dict[str, str] = {}
    for name, raw in fields.items():
        if (
            isinstance(raw, str)
            and _PART_OF_DATE.fullmatch(raw)
            and _kind_of_field(name, type_) in ("date", "datetime")
        ):
            if name in value_evidence({name: raw}, cited_quotes(cited)).problems:
                raise Refused(f"{name}: {raw} is no day, and not in the words. Give the day, or leave the field out.")
            open_ |= not_understood([name], type_, cited)
            continue
        if not isinstance(raw, dict) or "said_as" not in raw:
            values[name] = raw
            continue
        words = raw["said_as"]
        if _kind_of_field(name, type_) not in _TIME_KINDS:
            raise Refused(f"{name}: said_as is for dates and times. Give the value, or leave the field out.")
        quotes = [QuotedText(citation.quote, item.said) for item in cited for citation in item.fact.cites]
        quoted = next((quote for quote in quotes if isinstance(words, str) and verbatim(words, quote.words)), None)
        if quoted is None or not words.strip():
            raise Refused(f"{name}: the words of said_as are not in the quotes. Copy those that say when.")
        sure = {meaning for mention in mentions(words, quoted.said) for meaning in mention.sure_meanings}
        is_day = any(len(end) >= len("2026-03-01") for meaning in sure for end in (meaning.start, meaning.end))
        if len(sure) == 1 and is_day and not is_last:
            read = "…".join(dict.fromkeys(end for meaning in sure for end in (meaning.start, meaning.end)))
            raise Refused(f"{name}: {words!r}, said on {quoted.said:%A %Y-%m-%d}, is {read}. Give that value.")
        open_[name] = _not_understood_reason(name, type_, words)
    return values, open_


_PART_OF_DATE = lazy_pattern(r"\d{4}(?:-\d\d)?", re.ASCII)


def with_usual_currency(
    fields: Mapping[str, Json], type_: Type | None, cited: Sequence[FactInBatch], usual: str
) -> tuple[dict[str, Json], dict[str, str]]:
    """The fields with a currency for amounts that are given without one: the one that the words name, or the usual one,
    which is only assumed. If there is none, such a field has no value; returned is why."""
    values = dict(fields)
    open_: dict[str, str] = {}
    for name, raw in fields.items():
        amount = _bare_amount(raw)
        if amount is None or _kind_of_field(name, type_) != "Money":
            continue
        named = currencies_in("\n".join(quote.words for quote in cited_quotes(cited)))
        currency = min(named) if len(named) == 1 else usual
        if not named and usual == "*":
            if name not in value_evidence({name: amount}, cited_quotes(cited)).problems:
                del values[name]
                open_[name] = f"currency not named, said as '{amount}'"
        elif currency not in ("$", "*", "") and len(named) < 2:
            values[name] = f"{amount} {currency}"
    return values, open_


def _bare_amount(raw: Json) -> str | None:
    """The amount of a value without a currency."""
    given = raw.get("amount") if isinstance(raw, dict) and not raw.get("currency") else raw
    is_number = isinstance(given, int | float | str) and not isinstance(given, bool)
    return str(given) if is_number and re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{1,4})?", str(given)) else None


def not_understood(names: Iterable[str], type_: Type | None, cited: Sequence[FactInBatch]) -> dict[str, str]:
    """Why date and time fields have no value, each with the quoted words that speak of a time; else all that is
    quoted."""
    quotes = [QuotedText(citation.quote, item.said) for item in cited for citation in item.fact.cites]
    phrases = [mention.phrase for quote in quotes for mention in mentions(quote.words, quote.said)]
    words = " … ".join(dict.fromkeys(phrases or [quote.words for quote in quotes]))
    return {
        name: _not_understood_reason(name, type_, words) for name in names if _kind_of_field(name, type_) in _TIME_KINDS
    }


def _kind_of_field(name: str, type_: Type | None) -> str:
    part = None if type_ is None else type_.field(name)
    return "" if part is None else parse_type(part.type).kind


def _not_understood_reason(name: str, type_: Type | None, words: str) -> str:
    said = shorten(" ".join(words.split()), MAX_SAID_CHARACTERS)
    return f"{_TIME_KINDS[_kind_of_field(name, type_)]} not understood, said as '{said}'"


def _stated_numbers(cited: Sequence[FactInBatch]) -> frozenset[Decimal]:
    return frozenset(value for number in read_quotes(cited_quotes(cited)).numbers for value in number.values)


def _number_of(raw: Json, why: str) -> Decimal | None:
    """The number of a value, if only its place is not certain. If it is stated, nobody could confirm more than that it
    belongs to this field."""
    given = raw.get("amount") if isinstance(raw, dict) else raw
    text = str(given).partition(" ")[0]
    if why.startswith("currency") or why.endswith("$") or is_moment(raw) or not is_machine_format(text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def cited_quotes(cited: Sequence[FactInBatch], *, only_certain: bool = False) -> list[QuotedText]:
    """The words of facts: their text, whom they are about, and what they quote. With `only_certain`, the text of a fact
    that is not certain is left out."""
    return [
        QuotedText(words, item.said)
        for item in cited
        for words in (
            *(() if only_certain and item.fact.unsure else (item.fact.text,)),
            item.fact.about,
            *(citation.quote for citation in item.fact.cites),
        )
    ]


def _evidence_in_facts(
    fields: Mapping[str, Json],
    cited: Sequence[FactInBatch],
    around: _AroundFacts,
    *,
    only_certain: bool = False,
) -> ValueEvidence:
    periods = [item.fact.held for item in cited if not (only_certain and item.fact.unsure)]
    said = [] if _is_of_another_day(fields, cited, around) else [item.said.date().isoformat() for item in cited]
    return value_evidence(
        fields,
        cited_quotes(cited, only_certain=only_certain),
        held=[*periods, *map(Period.on, said)],
        known="\n".join(around.known),
        usual_currency=around.usual_currency,
        changed=around.changed,
        cited=around.cited,
    )


def _is_of_another_day(fields: Mapping[str, Json], cited: Sequence[FactInBatch], around: _AroundFacts) -> bool:
    """Whether each fact of a new record says on which other day it happened, and no value has such a day: then the day
    of saying is none of the values either."""
    days = {item.fact.held.start[:_DAY_DIGITS] for item in cited}
    is_another = all(len(day) == _DAY_DIGITS for day in days) and days.isdisjoint(
        item.said.date().isoformat() for item in cited
    )
    values = [str(raw) for name, raw in fields.items() if not name.startswith("held,")]
    return (
        bool(cited) and not around.changed and is_another and not any(value.startswith(tuple(days)) for value in values)
    )


_DAY_DIGITS = len("2026-03-01")
