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

_Origins: TypeAlias = Mapping[tuple[str, str], dict[str, Json]]


def table_rows(table: Knowledge) -> Iterator[tuple[str, Json]]:
    """Each row of the table with its id, in the order of the file."""
    origins = {(row["section"], name): row for row in table.origins for name in row.get("names", [row.get("name")])}
    yield from _rows_within(table.table, "", origins, depth=2)


def _rows_within(part: Json, section: str, origins: _Origins, *, depth: int) -> Iterator[tuple[str, Json]]:
    if isinstance(part, list):
        for row in part:
            if isinstance(row, dict) and "id" in row:
                yield str(row["id"]), row
            elif isinstance(row, str) and (origin := _origin_of(origins, section, row)) is not None:
                yield _row_of_value(row, origin, f"{section}:{row}")
    elif isinstance(part, dict):
        for name, row in part.items():
            if isinstance(row, dict) and "id" in row:
                yield str(row["id"]), row
            elif (origin := _origin_of(origins, section, name)) is not None:
                yield _row_of_value(row, origin, f"{section}:{name}")
            elif (name, "") in origins:  # a section that is one value
                yield _row_of_value(row, origins[name, ""], name)
            elif depth > 1 and isinstance(row, dict | list):
                yield from _rows_within(row, name, origins, depth=depth - 1)
            else:
                yield name, row


def _origin_of(origins: _Origins, section: str, name: str) -> dict[str, Json] | None:
    return origins.get((section, name), origins.get((section, "*")))


def _row_of_value(value: Json, origin: dict[str, Json], id_: str) -> tuple[str, Json]:
    about = {name: each for name, each in origin.items() if name != "names"}
    return str(origin.get("id", id_)), {"id": id_, **about, "value": value}
