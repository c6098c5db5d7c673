"""Previews a change before it is written: its effects on records, alerts and code."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from uac.interfaces.inspector.entry_lines import readable_ids
from uac.interfaces.inspector.highlight import Hunk, highlighted_difference
from uac.memory.memory import Memory
from uac.project.diff import Change, diff
from uac.project.project import Project
from uac.project.render import render
from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange, Entry

__all__ = [
    "AlertEffect",
    "ChangedFile",
    "Preview",
    "preview_alert_effects",
    "preview_entries",
    "preview_files",
    "readable_changes",
    "split_previewed_effects",
]

LINES = 400  # lines of changed code on one page
GONE = ("cleared", "expired")


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that would change."""

    path: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class AlertEffect:
    """A change of an alert, in words; a cleared alert is described by its last message."""

    change: str
    severity: Severity
    constraint: str
    subject: str
    message: str
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects of entries. Nothing is written."""

    position: int
    """The end of the log at the time of the preview."""
    changes: tuple[Change, ...]
    alerts: tuple[AlertEffect, ...]
    """Alert changes that the entries cause."""
    files: tuple[ChangedFile, ...]
    anyway: tuple[AlertEffect, ...] = ()
    """Alert changes that would happen without them, too, because time has passed."""
    since: datetime | None = None
    """The time of the last tick."""

    def __bool__(self) -> bool:
        return bool(self.changes or self.alerts)


def preview_entries(memory: Memory, entries: Sequence[Entry]) -> Preview:
    """The effects of these entries, including alerts: constraints run, in the sandbox."""
    before = memory.project()
    after, followed = memory.foresee(entries)
    own, anyway = split_previewed_effects(
        preview_alert_effects(before, followed), preview_alert_effects(before, memory.foresee(())[1])
    )
    return Preview(
        before.position,
        readable_changes(before, after),
        own,
        preview_files(render(before), render(after)),
        anyway,
        before.now,
    )


def readable_changes(before: Project, after: Project) -> tuple[Change, ...]:
    """What differs in types, records and constraints; records have names instead of numbers."""
    return tuple(
        replace(change, what=readable_ids(change.what, after, before))
        for change in diff(before, after)
        if change.kind != "alert"
    )


def split_previewed_effects(
    followed: Sequence[AlertEffect], passing: Sequence[AlertEffect]
) -> tuple[tuple[AlertEffect, ...], tuple[AlertEffect, ...]]:
    """The alert effects of a change, and those that the passing of time alone would also cause.

    A write includes a tick, so `followed` contains both. If the change prevents an effect of time alone, that is an
    effect of the change: an alert that stays, or is kept away.
    """
    expected = {_comparable_preview_effect(one): one for one in passing}
    own = [one for one in followed if _comparable_preview_effect(one) not in expected]
    affected = {(one.constraint, one.subject) for one in followed}
    own += [
        replace(one, change="stays" if one.change in GONE else "kept away")
        for one in passing
        if (one.constraint, one.subject) not in affected
    ]
    return tuple(own), tuple(expected[key] for one in followed if (key := _comparable_preview_effect(one)) in expected)


def _comparable_preview_effect(one: AlertEffect) -> AlertEffect:
    """The effect in a comparable form: cleared by a change of records or by time is the same."""
    return replace(one, change="gone") if one.change in GONE else one


def preview_alert_effects(before: Project, changes: Iterable[object]) -> tuple[AlertEffect, ...]:
    """The alert changes among entries, in words; `before` is the project before them."""
    effects = []
    for change in changes:
        if isinstance(change, AlertChange):
            old = before.alerts.get((change.constraint, change.subject))
            one = change if change.message or old is None else old
            message = one.message or change.subject or change.constraint
            effects.append(
                AlertEffect(
                    change.change,
                    change.severity,
                    change.constraint,
                    readable_ids(change.subject, before),
                    readable_ids(message, before),
                    one.tables,
                )
            )
    return tuple(effects)


def preview_files(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[ChangedFile, ...]:
    """The files that differ, without the manifest: it counts entries, so it always differs."""
    changed: list[ChangedFile] = []
    room = LINES
    for path in sorted({*before, *after} - {"manifest.py"}):
        if before.get(path) != after.get(path) and room > 0:
            hunks = highlighted_difference(path, before.get(path, ""), after.get(path, ""))
            room -= sum(len(hunk.lines) for hunk in hunks)
            changed.append(ChangedFile(path, hunks))
    return tuple(changed)
