"""Rows of tables that age: each has the day of its review (`reviewed_on`) and the last day on which to rely on it
(`expires`). After that day the alerts that name the row say so, and `uac doctor` lists it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from uac.packs.table_rows import table_rows
from uac.schema.constraints import Knowledge

__all__ = ["StaleRow", "stale_rows"]


@dataclass(frozen=True, slots=True)
class StaleRow:
    """A row after its last day. The dates are ISO texts, as in the table."""

    table: str
    version: str
    row: str
    regions: str
    reviewed_on: str
    expires: str


def stale_rows(tables: Iterable[Knowledge], day: date) -> tuple[StaleRow, ...]:
    """The rows whose last day is before `day`, in the order of the tables and their files."""
    return tuple(
        StaleRow(table.name, table.version, id_, *(str(row.get(name, "")) for name in ("in", "reviewed_on", "expires")))
        for table in tables
        for id_, row in table_rows(table)
        if isinstance(row, dict) and "" < str(row.get("expires", "")) < day.isoformat()
    )
