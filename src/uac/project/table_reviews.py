"""Who answers for a table: the person who signed it as it is, or nobody."""

from collections.abc import Iterable

from uac.project.project import Project

__all__ = ["UNREVIEWED", "table_review", "table_reviews"]

UNREVIEWED = "unreviewed by a licensed person"


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
