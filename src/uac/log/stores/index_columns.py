"""Passages as rows: the columns, and the rows that a `PassageFilter` selects. Shared by all stores that use SQL."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from uac.log.index import Passage, PassageFilter

__all__ = ["COLUMNS", "embedder_number", "filter_sql", "passage_from_row", "passage_to_row"]

COLUMNS = ", ".join(f'"{name}"' for name in Passage._fields)

Among = Callable[[str, Sequence[Any]], tuple[str, Any]]
"""Makes the condition that a column has one of some values, and its parameter."""


def embedder_number(embedder: str) -> int:
    """The number that represents an embedder in each row."""
    return int.from_bytes(sha256(embedder.encode()).digest()[:6], "big")


def passage_to_row(passage: Passage) -> tuple[Any, ...]:
    """The values of a passage without its slot, which the store assigns."""
    return (*passage[1:_CITES], " ".join(map(str, passage.cites)), *passage[_CITES + 1 :])


def passage_from_row(row: Sequence[Any]) -> Passage:
    cites = row[_CITES]
    return Passage._make((*row[:_CITES], tuple(map(int, cites.split())) if cites else (), *row[_CITES + 1 :]))


def filter_sql(where: PassageFilter, *, mark: str, among: Among) -> tuple[str, list[Any]]:
    """The conditions after 'WHERE … AND', with the order and the parameters. `mark` is the placeholder of one."""
    conditions: list[str] = ["TRUE"]
    values: list[Any] = []
    for column, wanted in (
        ("kind", where.kinds),
        ("slot", where.slots),
        ("position", where.positions),
        ("record", where.records),
        ("session", where.sessions),
        ("source", where.sources),
        ("speaker", where.speakers),
        ("authority", where.authorities),
    ):
        if wanted is not None:
            condition, given = among(column, wanted)
            conditions.append(condition)
            values.append(given)
    for condition, value in (
        (f"position <= {mark}", where.through),
        (f"until >= {mark}", where.since),
        (f"since <= {mark}", where.until),
    ):
        if value not in (None, ""):
            conditions.append(condition)
            values.append(value)
    order = " ORDER BY slot"
    if where.newest is not None:
        order = f" ORDER BY since DESC, slot DESC LIMIT {mark}"
        values.append(where.newest)
    return " AND ".join(conditions) + order, values


_CITES = Passage._fields.index("cites")
