"""The rows of a table, by the id that alerts name.

A row of a list has the field `id`; in a mapping of rows, the id is the field or, without it, the name of the row. A
plain value is a row if the table has its origin: regions, source and review. Its id is the origin's or, if one origin
is that of several values, the section and the name.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from uac.schema.constraints import Knowledge
from uac.schema.types import Json

__all__ = ["table_rows"]

_Origins: TypeAlias = Mapping[str, Mapping[str, dict[str, Json]]]
"""The origins of plain values, by their section and their name."""


def table_rows(table: Knowledge) -> Iterator[tuple[str, Json]]:
    """Each row of the table with its id, in the order of the file."""
    origins: dict[str, dict[str, dict[str, Json]]] = {}
    for row in table.origins:
        origins.setdefault(row["section"], {}).update(dict.fromkeys(row.get("names", [row.get("name")]), row))
    yield from _rows_within(table.table, "", origins, depth=2)


def _rows_within(part: Json, section: str, origins: _Origins, *, depth: int) -> Iterator[tuple[str, Json]]:
    known = origins.get(section, {})
    if isinstance(part, list):
        for row in part:
            if isinstance(row, dict) and "id" in row:
                yield str(row["id"]), row
            elif isinstance(row, str) and (row in known or "*" in known):
                yield _row_of_value(row, section, row, known)
    elif isinstance(part, dict):
        for name, row in part.items():
            if name in known or "*" in known:
                yield _row_of_value(row, section, name, known)
            elif "" in origins.get(name, {}):  # a section that is one value
                yield _row_of_value(row, name, "", origins[name])
            elif isinstance(row, dict) and "id" in row and name not in origins:
                yield str(row["id"]), row
            elif depth > 1 and isinstance(row, dict | list):
                yield from _rows_within(row, name, origins, depth=depth - 1)
            else:
                yield name, row


def _row_of_value(
    value: Json, section: str, name: str, known: Mapping[str, dict[str, Json]]
) -> tuple[str, dict[str, Json]]:
    origin = known[name if name in known else "*"]
    id_ = str(origin.get("id", f"{section}:{name}"))
    about = {each: said for each, said in origin.items() if each != "names"}
    return id_, {**about, "id": id_, "name": name, "value": value}
