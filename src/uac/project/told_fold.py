"""What had been said by the end of a day: the log folded without what was said later, whenever it was processed.

Types and constraints are those of the present, and so is what was retracted: this is about what the user said, as it is
understood today. A patch that cites several facts counts for the one that was said last. A correction, and a patch
that cites nothing, was said when it was written.
"""

from datetime import UTC, date, datetime

import msgspec

from uac.project.draft import Draft
from uac.project.fold import apply_history_entry, learn_sources, retracted_positions
from uac.project.history import HistoryEntry, sort_history
from uac.project.project import EMPTY_PROJECT, Project
from uac.schema.entries import Checkpoint, Correction
from uac.schema.patches import Amend, Drop, End, Gone, Merge, Patch, Put, SetAside

__all__ = ["fold_told"]


def fold_told(project: Project, day: date) -> Project:
    """The project as it would be had nothing been said after that day, by the speaker's own calendar."""
    untold = _untold_positions(project, day)
    history = [_told_part(happened, untold, day) for happened in sort_history(project.history)]
    draft = Draft(EMPTY_PROJECT)
    draft.digest, draft.checked_cases = project.digest, project.checked_cases or draft.checked_cases
    draft.gone = retracted_positions(history) | untold
    learn_sources(draft, project.sources)
    for happened in history:
        apply_history_entry(draft, happened)
    for key, alert in tuple(
        draft.alerts.items()
    ):  # no constraint is run: the alerts of the present that follow from it
        if not untold.isdisjoint(alert.cites) or not all(_has_record(draft, record) for record in alert.records):
            draft.alerts = draft.alerts.delete(key)
    draft.history = None  # it cannot be mistaken for a later state of the project
    return draft.freeze(project.position)


def _untold_positions(project: Project, day: date) -> set[int]:
    """The observations that were said later, and the facts that cite one of them."""
    untold = {
        position for position, source in project.sources.items() if not source.is_fact and source.said.date() > day
    }
    facts = ((position, source) for position, source in project.sources.items() if source.is_fact)
    return untold | {position for position, source in facts if not untold.isdisjoint(source.cites)}


def _told_part(happened: HistoryEntry, untold: set[int], day: date) -> HistoryEntry:
    match happened.entry:
        case Correction() as entry if not untold.isdisjoint(entry.cites) or _is_after(happened.at, day):
            return happened._replace(entry=Checkpoint(patches=()))
        case Checkpoint() as entry:
            is_late = _is_after(happened.at, day)
            patches = tuple(_told_patch(patch, untold, is_late=is_late) for patch in entry.patches)
            return happened._replace(entry=msgspec.structs.replace(entry, patches=patches))
    return happened


def _told_patch(patch: Patch, untold: set[int], *, is_late: bool) -> Patch:
    match patch:
        case Put() | Amend() | End() | Drop() | Merge():
            is_told = untold.isdisjoint(patch.cites) if patch.cites else not is_late
            return patch if is_told else Gone()
    left = tuple(cited for cited in patch.cites if cited not in untold)
    return Gone() if isinstance(patch, SetAside) and not left else msgspec.structs.replace(patch, cites=left)


def _is_after(moment: datetime, day: date) -> bool:
    return moment.astimezone(UTC).date() > day


def _has_record(draft: Draft, record_id: str) -> bool:
    table = draft.tables.get(record_id.partition(":")[0])
    return table is not None and record_id in table
