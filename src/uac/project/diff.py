"""What changed between two projects: types, records, fields, constraints, alerts."""

from dataclasses import dataclass
from typing import Literal

from uac.project.project import Project, Record
from uac.schema.values import Typed

__all__ = ["Change", "diff"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `what` names it: `travel.Trip`, `travel.Trip:paris`, `travel.Trip:paris.start`, a constraint, or
    an alert by its constraint and subject (`passport_validity / tokyo`).

    A record that got another key has its old and its new key as `before` and `after`."""

    kind: Literal["type", "record", "field", "constraint", "alert"]
    change: Literal["added", "removed", "changed", "ended"]
    what: str
    before: Typed = None
    after: Typed = None


def diff(before: Project, after: Project) -> list[Change]:
    """What `after` has that `before` has not, and the other way round, in a stable order."""
    changes: list[Change] = []
    for name in sorted({*before.types, *after.types}):
        old, new = before.types.get(name), after.types.get(name)
        if old != new:
            changes.append(Change("type", "added" if old is None else "removed" if new is None else "changed", name))
    for name in sorted({*before.tables, *after.tables}):
        old_table, new_table = before.tables.get(name), after.tables.get(name)
        if old_table is new_table:
            continue
        olds = {} if old_table is None else dict(old_table.items())
        news = {} if new_table is None else dict(new_table.items())
        touched = [record for key in {*olds, *news} if (record := news.get(key) or olds[key]) is not olds.get(key)]
        touched += [record for key, record in olds.items() if key not in news]
        lost = {record.order: record for key, record in olds.items() if key not in news}
        renamed = {record.order for key, record in news.items() if key not in olds and record.order in lost}
        for record in sorted(touched, key=lambda record: (record.order, record.id)):
            if record.id in news:
                changes += _record_changes(olds.get(record.id) or lost.get(record.order), record, record.id)
            elif record.order not in renamed:
                changes += _record_changes(record, None, record.id)
    return changes + _constraint_changes(before, after) + _alert_changes(before, after)


def _constraint_changes(before: Project, after: Project) -> list[Change]:
    return [
        Change("constraint", "added" if old is None else "removed" if new is None else "changed", name)
        for name in sorted({*before.constraints, *after.constraints})
        if (old := before.constraints.get(name)) != (new := after.constraints.get(name))
    ]


def _alert_changes(before: Project, after: Project) -> list[Change]:
    olds = {key: f"{alert.severity}: {alert.text}" for key, alert in before.alerts.items()}
    news = {key: f"{alert.severity}: {alert.text}" for key, alert in after.alerts.items()}
    return [
        Change("alert", "added" if old is None else "removed" if new is None else "changed", " / ".join(key), old, new)
        for key in sorted({*olds, *news})
        if (old := olds.get(key)) != (new := news.get(key))
    ]


def _record_changes(old: Record | None, new: Record | None, record_id: str) -> list[Change]:
    if old is None:
        return [Change("record", "added", record_id)]
    if new is None:
        return [Change("record", "removed", record_id)]
    changes = [
        Change("field", "changed", f"{record_id}.{name}", old.values.get(name), new.values.get(name))
        for name in {**old.values, **new.values}
        if old.values.get(name) != new.values.get(name)
    ]
    if old.id != new.id:
        changes.insert(0, Change("record", "changed", record_id, old.key, new.key))
    if new.ended != old.ended:
        changes.append(
            Change("record", "ended" if new.ended else "changed", record_id, after=new.ended and new.ended.when)
        )
    return changes
