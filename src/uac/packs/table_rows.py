"""The rows of a table, by the id that alerts name.

A row of a list has the field `id`; in a mapping of rows, the id is the field or, without it, the name of the row.
"""

from collections.abc import Iterator

from uac.schema.constraints import Knowledge
from uac.schema.types import Json

__all__ = ["table_rows"]


def table_rows(table: Knowledge) -> Iterator[tuple[str, Json]]:
    """Each row of the table with its id, in the order of the file."""
    yield from _rows_within(table.table, depth=2)


def _rows_within(part: Json, depth: int) -> Iterator[tuple[str, Json]]:
    if isinstance(part, list):
        yield from ((str(row["id"]), row) for row in part if isinstance(row, dict) and "id" in row)
    elif isinstance(part, dict):
        for name, row in part.items():
            if isinstance(row, dict) and "id" in row:
                yield str(row["id"]), row
            elif depth > 1 and isinstance(row, dict | list):
                yield from _rows_within(row, depth - 1)
            else:
                yield name, row
