"""What is in a memory and was never said: values, ends and facts that the life does not have."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any

from uac import Fact, Memory, Record
from uac.schema import dump_value
from uac_bench.conversations.lives import Deed, Life, sentences_of

__all__ = ["comparable", "wrong_facts", "wrong_values"]


def wrong_values(memory: Memory, life: Life, deed_at: Mapping[int, Deed]) -> Iterator[str]:
    """Values and ends of records that the life never had, and records of nothing. A value that was true once is not
    wrong: its correction is missing. `deed_at` has what each fact changes, by its position."""
    stated: dict[int, list[Deed]] = {}
    for sentence in sentences_of(life):
        stated.setdefault(sentence.deed.thing, []).append(sentence.deed)
    project = memory.project()
    for type_name in sorted(project.tables):
        for record in project.records(type_name):
            deeds = [deed_at[position] for position in sorted(record.cites) if position in deed_at]
            if not record.cites or not (owner := next((deed for deed in deeds if deed.type == record.type), None)):
                yield f"{record.id} is about nothing that was said"
                continue
            yield from _wrong_in_record(record, stated[owner.thing], life.things[owner.thing].fields)


def _wrong_in_record(record: Record, deeds: Sequence[Deed], final: Mapping[str, Any]) -> Iterator[str]:
    for name, value in record.values.items():
        if value is None or value == ():
            continue
        possible = [fields[name] for fields in (final, *(deed.fields for deed in deeds)) if name in fields]
        if comparable(dump_value(value)) not in [comparable(one) for one in possible]:
            yield f"{record.id}: {name} is {dump_value(value)}"
    if record.ended is not None and not any(deed.op in ("end", "drop") for deed in deeds):
        yield f"{record.id} is ended"


def wrong_facts(memory: Memory, life: Life, lies: Collection[str]) -> Iterator[str]:
    """Facts that a model made up, and facts that quote other words than those that say it."""
    quotes: dict[str, list[str]] = {}
    for sentence in sentences_of(life):
        quotes.setdefault(sentence.fact["text"], []).append(sentence.quote)
    for stored in memory.log.read():
        fact = stored.entry
        if not isinstance(fact, Fact) or stored.position in memory.project().gone:
            continue
        said = [cite.quote for cite in fact.cites]
        if fact.text in quotes:  # a lie about one thing may be true of another
            if not any(one in words or words in one for one in quotes[fact.text] for words in said):
                yield f"{fact.text} (quotes: {' … '.join(said)})"
        elif fact.text in lies:
            yield f"{fact.text} (said: {' … '.join(said)})"


def comparable(value: Any) -> Any:
    """The value in one form: 12.5 and '12.50' are the same."""
    if isinstance(value, list | tuple):
        return [comparable(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    text = str(value)
    with suppress(InvalidOperation):
        return Decimal(text)
    return text.removesuffix(":00") if text.count(":") == 2 and len(text) == 8 else text
