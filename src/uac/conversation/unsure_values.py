"""Which values of a patch code cannot decide: they are taken, and marked with the reason."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from uac.conversation.checks.evidence import ValueEvidence, is_machine_format, is_moment, value_evidence
from uac.conversation.checks.readings import QuotedText, read_quotes
from uac.conversation.propose import FactInBatch
from uac.project.records import Record
from uac.schema.periods import Period
from uac.schema.types import Json
from uac.schema.values import dump_value

__all__ = ["cited_quotes", "cited_value_evidence"]


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
    said = [Period.on(item.said.date().isoformat()) for item in cited]
    return value_evidence(
        fields,
        cited_quotes(cited, only_certain=only_certain),
        held=[*periods, *said],
        known="\n".join(around.known),
        usual_currency=around.usual_currency,
        changed=around.changed,
        cited=around.cited,
    )
