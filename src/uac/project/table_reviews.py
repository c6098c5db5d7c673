"""Who answers for a table: the person who signed it as it is, or nobody; and which rows no source confirms."""

import re
from collections.abc import Iterable

from uac.project.project import Project

__all__ = ["UNREVIEWED", "row_reference", "table_review", "table_reviews", "unconfirmed_rows"]

UNREVIEWED = "unreviewed by a licensed person"

_MARKS = {"partly": "partly confirmed", "unfound": "not confirmed"}
_MARKED_ROW = re.compile(r" (#[^#]+) \((?:[^()]*; )?(partly confirmed|not confirmed)\)")


def table_review(project: Project, table: str) -> str:
    """'signed by Dr. Ada Weiss on 2026-11-16: checked against the label', or that nobody did."""
    signed = project.signatures.get(table)
    if signed is None:
        return UNREVIEWED
    return f"signed by {signed.who} on {signed.at.date().isoformat()}: {signed.why}"


def table_reviews(project: Project, tables: Iterable[str]) -> tuple[str, ...]:
    """The reviews of the tables that an alert names, with their names: 'health.drugs: unreviewed by …'."""
    reviewed: dict[str, list[str]] = {}
    for name in dict.fromkeys(table.partition(" ")[0] for table in tables):
        reviewed.setdefault(table_review(project, name), []).append(name)
    return tuple(f"{', '.join(names)}: {review}" for review, names in reviewed.items())


def row_reference(id_: str, regions: str, verdict: str) -> str:
    """How an alert names a row after its table: ' #fish-protamine (US; not confirmed)'."""
    about = "; ".join(each for each in (regions, _MARKS.get(verdict, "")) if each)
    return f" #{id_}" + (f" ({about})" if about else "")


def unconfirmed_rows(tables: Iterable[str]) -> tuple[str, ...]:
    """The rows that an alert names and no source confirms: 'health.drugs #fish-protamine: not confirmed'."""
    return tuple(
        f"{table.partition(' ')[0]} {row}: {mark}" for table in tables for row, mark in _MARKED_ROW.findall(table)
    )
