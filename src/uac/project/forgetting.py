"""Previews forgetting: the entries that a record depends on, and the project without them."""

from collections.abc import Sequence
from datetime import datetime

from uac.log.log import Log, Stored
from uac.project.fold import fold_entries
from uac.project.project import Project
from uac.schema.entries import Fact, Retraction

__all__ = ["positions_behind_record", "project_without"]


def positions_behind_record(log: Log, project: Project, record_id: str) -> list[int]:
    """The entries that a record depends on: observations, and the user's own corrections."""
    record = project.record(record_id)
    found = {claim.position for claims in record.claims.values() for claim in claims if claim.authority == "correction"}
    for cited in record.cites:
        entry = next(log.read(cited, cited + 1)).entry
        found |= {citation.position for citation in entry.cites} if isinstance(entry, Fact) else {cited}
    return sorted(found - project.gone)


def project_without(project: Project, positions: Sequence[int], *, why: str, now: datetime) -> Project:
    """The project without these entries."""
    counted = tuple(position for position in positions if position not in project.gone)
    if not counted:
        return project
    entry = Retraction(positions=counted, why=why)
    return fold_entries([Stored(project.position + 1, now, "retraction", entry, b"")], project)
