"""What a change would do, before it is done: to the records, to the alerts, and to the code."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from uac.interfaces.inspector.highlight import Hunk, compare
from uac.memory.memory import Memory
from uac.project.diff import Change, diff
from uac.project.project import Project
from uac.project.render import render
from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange, Entry

__all__ = ["AlertTold", "Foreseen", "Rewritten", "alerts_told", "apart", "foresee", "rewritten"]

LINES = 400  # of differing code on one page
GONE = ("cleared", "expired")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A file that would differ."""

    path: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class AlertTold:
    """A change of an alert, in words; what clears is told by what it had said."""

    change: str
    severity: Severity
    constraint: str
    subject: str
    message: str
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What entries would change. Nothing is written."""

    position: int
    """Where the log ended when this was foreseen."""
    changes: tuple[Change, ...]
    alerts: tuple[AlertTold, ...]
    """Those that follow from the entries."""
    files: tuple[Rewritten, ...]
    anyway: tuple[AlertTold, ...] = ()
    """Those that would also change without them, because time has passed."""
    since: datetime | None = None
    """When the clock was looked at last."""

    def __bool__(self) -> bool:
        return bool(self.changes or self.alerts)


def foresee(memory: Memory, entries: Sequence[Entry]) -> Foreseen:
    """What these entries would change, with the alerts that would follow: constraints are run, in the sandbox."""
    before = memory.project()
    after, followed = memory.foresee(entries)
    own, anyway = apart(alerts_told(before, followed), alerts_told(before, memory.foresee(())[1]))
    return Foreseen(
        before.position,
        tuple(change for change in diff(before, after) if change.kind != "alert"),
        own,
        rewritten(render(before), render(after)),
        anyway,
        before.now,
    )


def apart(
    followed: Sequence[AlertTold], passing: Sequence[AlertTold]
) -> tuple[tuple[AlertTold, ...], tuple[AlertTold, ...]]:
    """What is due to a change, and what the passing of time alone would bring, too.

    A write looks at the clock, so that what follows it holds both. What time alone would bring and the change does not
    let happen is due to the change: an alert that stays, or is kept away.
    """
    expected = {_outcome(one): one for one in passing}
    own = [one for one in followed if _outcome(one) not in expected]
    met = {(one.constraint, one.subject) for one in followed}
    own += [
        replace(one, change="stays" if one.change in GONE else "kept away")
        for one in passing
        if (one.constraint, one.subject) not in met
    ]
    return tuple(own), tuple(expected[key] for one in followed if (key := _outcome(one)) in expected)


def _outcome(one: AlertTold) -> AlertTold:
    """What comes of it, whether a change of the records is named as the reason or the time."""
    return replace(one, change="gone") if one.change in GONE else one


def alerts_told(before: Project, changes: Iterable[object]) -> tuple[AlertTold, ...]:
    """The changes of alerts among entries, in words; `before` is the project that they change."""
    told = []
    for change in changes:
        if isinstance(change, AlertChange):
            old = before.alerts.get((change.constraint, change.subject))
            one = change if change.message or old is None else old
            message = one.message or change.subject or change.constraint
            told.append(
                AlertTold(change.change, change.severity, change.constraint, change.subject, message, one.tables)
            )
    return tuple(told)


def rewritten(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Rewritten, ...]:
    """The files that differ. The manifest is left out: it counts entries, and so differs always."""
    found: list[Rewritten] = []
    room = LINES
    for path in sorted({*before, *after} - {"manifest.py"}):
        if before.get(path) != after.get(path) and room > 0:
            hunks = compare(path, before.get(path, ""), after.get(path, ""))
            room -= sum(len(hunk.lines) for hunk in hunks)
            found.append(Rewritten(path, hunks))
    return tuple(found)
