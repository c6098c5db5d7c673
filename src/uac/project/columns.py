"""Fields of many records as columns, read from a snapshot without making the records."""

from collections.abc import Iterable, Sequence
from itertools import chain, compress
from typing import NamedTuple, TypeVar

from uac.project.records import Record
from uac.project.snapshot_rows import ColumnReader, RowColumns
from uac.project.stored_map import AnyMap, StoredMap
from uac.schema.values import Typed

__all__ = ["RecordColumns", "record_columns"]

T = TypeVar("T")


class RecordColumns(NamedTuple):
    """Fields of records: their ids, and a value for each of them by the name of the field."""

    ids: Sequence[str]
    values: dict[str, Sequence[Typed]]

    def choose(self, chosen: Sequence[bool]) -> "RecordColumns":
        return RecordColumns(
            [*compress(self.ids, chosen)], {name: [*compress(items, chosen)] for name, items in self.values.items()}
        )

    def part(self, start: int, end: int) -> "RecordColumns":
        return RecordColumns(self.ids[start:end], {name: items[start:end] for name, items in self.values.items()})


def record_columns(table: AnyMap[str, Record], names: Sequence[str]) -> tuple[RecordColumns, RecordColumns]:
    """These fields of the complete records of a type, in their order: of the current ones, and of those that ended."""
    if isinstance(table, StoredMap):
        changed = table.changes()
        reader = ColumnReader(table.rows.shapes, names, changed)
        parts = [*table.rows.read_blocks(reader.read)]
        parts.append(_columns_of((record for record in changed.values() if isinstance(record, Record)), names))
    else:
        parts = [_columns_of(table.values(), names)]
    orders = [*chain.from_iterable(part.orders for part in parts)]
    places = sorted(range(len(orders)), key=orders.__getitem__)
    is_in_order = places == [*range(len(places))]

    def whole(columns: Iterable[Sequence[T]]) -> Sequence[T]:
        items = [*chain.from_iterable(columns)]
        return items if is_in_order else [items[place] for place in places]

    values = {name: whole(part.values[number] for part in parts) for number, name in enumerate(names)}
    columns = RecordColumns(whole(part.ids for part in parts), values)
    ended = whole(part.ended for part in parts)
    if not any(ended):
        return columns, RecordColumns((), dict.fromkeys(names, ()))
    return columns.choose([not each for each in ended]), columns.choose(ended)


def _columns_of(records: Iterable[Record], names: Sequence[str]) -> RowColumns:
    complete = sorted((each for each in records if not each.is_incomplete), key=lambda record: record.order)
    stated = [record.values for record in complete]
    return RowColumns(
        [record.id for record in complete],
        [record.order for record in complete],
        [record.ended is not None for record in complete],
        [[values.get(name) for values in stated] for name in names],
    )
