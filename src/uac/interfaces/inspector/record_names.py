"""Names of records for people: the key as it was said, else the first text and date."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from uac.interfaces.inspector.filters import value_filter
from uac.project.project import Project, Record
from uac.schema.types import Type

__all__ = ["RecordLink", "nameable_records", "record_link_maker", "record_name"]


@dataclass(frozen=True, slots=True)
class RecordLink:
    """A link to a record. A deleted record has no type."""

    id: str
    name: str
    type: str


def record_name(one: Record, type_: Type) -> str:
    named = [value_filter(one.values.get(name)) for name in type_.key]
    if not any(named):
        values = [one.values.get(part.name) for part in type_.fields]
        texts = [value for value in values if isinstance(value, str) and value]
        named = [*texts[:1], *(value_filter(value) for value in values if isinstance(value, date))][:2]
    key = "" if one.key.startswith("#") else one.key  # a number says nothing to a reader
    return ", ".join(filter(None, named)) or key or type_.name


def record_link_maker(project: Project) -> Callable[[str], RecordLink]:
    """A function that makes links to the project's records from their ids."""

    def named(id_: str) -> RecordLink:
        table = project.tables.get(id_.partition(":")[0])
        record = table.get(id_) if table is not None else None
        if record is None:
            type_name, _colon, key = id_.partition(":")
            return RecordLink(id_, f"a deleted record of {type_name}" if key.startswith("#") else id_, "")
        return RecordLink(id_, record_name(record, project.types[record.type]), record.type)

    return named


def nameable_records(project: Project, records: Iterable[str]) -> tuple[str, ...]:
    """Those ids that exist in the project: text may have been erased since."""
    tables = project.tables
    return tuple(id_ for id_ in records if (table := tables.get(id_.partition(":")[0])) is not None and id_ in table)
