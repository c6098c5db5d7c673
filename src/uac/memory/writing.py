"""The single write path: plan, run constraints, append, and the new project.

project ─► plan: patches accepted, packs brought along, constraints proved ─► the project as it would be
        ─► watch: the constraints that the change touches are run on it     ─► changes of alerts
        ─► append: all of it at once, on the condition that nobody wrote in between; else from the start
        ─► the new project: the one that was folded ahead, if the log holds exactly those entries
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from uac.constraints.acceptance import Plan, failed_adoptions
from uac.constraints.ahead import Ahead, AheadStart
from uac.constraints.runner import Watch
from uac.constraints.silenced_alerts import silencing_facts
from uac.errors import Moved, Rejected
from uac.log.log import Log, Stored
from uac.memory.idempotency import WriteTerms
from uac.project.fold import fold_entries
from uac.project.project import Project
from uac.schema.entries import AlertChange, Entry, NextRun

__all__ = ["Prepare", "Written", "run_write_constraints", "write"]

Prepare = Callable[[AheadStart], Plan]
"""Plans a write on the current project; called again if another process wrote meanwhile."""


@dataclass(frozen=True, slots=True)
class Written:
    """One append: its plan, the entries that followed, and the projects before and after."""

    plan: Plan
    changes: tuple[AlertChange | NextRun, ...]
    before: Project
    after: Project
    positions: tuple[int, ...] = ()
    """The positions of the plan's entries, or of those that followed if it had none."""
    ahead: Project | None = None
    """The project that constraints were run on, if `after` has the same values."""

    @property
    def alerts(self) -> list[AlertChange]:
        return [change for change in self.changes if isinstance(change, AlertChange)]


def write(
    prepare: Prepare,
    *,
    log: Log,
    read_project: Callable[[], Project],
    clock: Callable[[], datetime],
    watch: Callable[[], Watch] | None,
    terms: WriteTerms | None = None,
) -> Written:
    """Append the plan of `prepare` and the resulting changes of alerts, all or nothing.

    Without `watch` no constraint is run. With `terms`, it is done once for a client's key.
    """
    failing: dict[str, str] = {}
    silencing: dict[int, str] = {}
    while True:
        before = read_project()
        if terms is not None:
            terms.check_idempotency(before, log)  # another process may have made the same request
        start = AheadStart(
            before,
            now=clock(),
            at=log.now(),
            failing=dict(failing),
            silencing=dict(silencing),
            brings_tick=watch is not None,
        )
        plan = prepare(start)

        ahead, changes = run_write_constraints(start, plan, watch) if watch is not None else (plan.ahead, ())
        failed = failed_adoptions(plan.entries, changes)
        if failed.keys() - failing.keys():
            failing |= failed  # plan again without them, or refuse
            continue
        if failed:
            raise Rejected(tuple(f"{name}: on the present state: {why}" for name, why in failed.items()))

        if ahead is not None and plan.accepted.kept:
            found = silencing_facts(before, ahead.project, changes)
            if found.keys() - silencing.keys():
                silencing |= found  # plan again without the patches that cite them
                continue
        ticks = ahead.ticks if ahead is not None and (plan.entries or changes) else ()
        entries: tuple[Entry, ...] = (*plan.entries, *ticks, *changes)
        if not entries or (plan.needs_changes and not changes):
            return Written(plan, (), before, before, ahead=ahead.project if ahead is not None else None)
        first, last = before.position + 1, before.position + len(entries)
        receipts = terms.receipts(first, last) if terms is not None else []
        try:
            appended = log.append_rows([*entries, *receipts], after=before.position, at=start.at)
        except Moved:
            silencing = {}  # facts of this write have other positions now
            continue
        if terms is not None:
            terms.fulfil(first, last)

        after, is_ahead = _project_after_write(appended.entries(), start, ahead)
        made = appended.positions[: len(plan.entries) or len(entries)]
        return Written(plan, tuple(changes), before, after, made, ahead.project if ahead and is_ahead else None)


def run_write_constraints(
    start: AheadStart, plan: Plan, watch: Callable[[], Watch]
) -> tuple[Ahead, Sequence[AlertChange | NextRun]]:
    """The project after the plan, and the resulting changes of alerts."""
    ahead = plan.ahead or start.ahead(plan.entries)
    if not ahead.is_watched:
        return ahead, ()
    return ahead, watch().after(ahead.project, [*ahead.entries, *ahead.ticks])


def _project_after_write(stored: Sequence[Stored], start: AheadStart, ahead: Ahead | None) -> tuple[Project, bool]:
    """The project after an append, and whether it is the one folded ahead, so that no entry is folded twice.

    That is so if exactly the entries that were folded were stored, at the time they were folded for.
    """
    wanted = (*ahead.entries, *ahead.ticks) if ahead is not None else ()
    count = len(wanted)
    is_ahead = [(each.entry, each.at) for each in stored[:count]] == [(entry, start.at) for entry in wanted]
    if ahead is None or not count or not is_ahead:
        return fold_entries(stored, start.project), False
    known = replace(ahead.project, digest=stored[count - 1].digest)
    return fold_entries(stored[count:], known) if len(stored) > count else known, True
