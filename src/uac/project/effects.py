"""What entries may have changed in a project. The constraint runner and compute both decide by it what to update."""

from collections.abc import Iterable
from typing import NamedTuple

from uac.project.constraint_changes import ConstraintChange
from uac.project.project import Project
from uac.project.records import record_type
from uac.schema.entries import (
    AlertChange,
    Authorship,
    Checkpoint,
    Correction,
    Delivery,
    Entry,
    Fact,
    Grant,
    Membership,
    ModelCall,
    NextRun,
    Observation,
    Receipt,
    Tick,
)
from uac.schema.patches import Adopt, Amend, Approve, Drop, End, Learn, Patch, Put, Retire, SetAside, Sign, Switch

__all__ = ["Effects", "effects", "effects_since"]


class Effects(NamedTuple):
    """The types, records and constraints that entries may have changed."""

    types: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    """Records that were put, amended or corrected."""
    removed: frozenset[str] = frozenset()
    """Records that were ended or dropped."""
    constraints: frozenset[str] = frozenset()


NOTHING = Effects()


def effects(entries: Iterable[Entry], project: Project) -> Effects | None:
    """What the entries may have changed; `project` is the result of applying them. None: it could be anything."""
    parts: list[Effects | None] = []
    for entry in entries:
        match entry:
            case AlertChange() | Tick() | Observation() | Fact() | ModelCall() | NextRun() | Delivery() | Receipt():
                pass
            case Membership() | Grant() | Authorship():  # who may read and write, and who wrote
                pass
            case Correction():
                parts.append(_field_effects(entry.record, [entry.field], project))
            case Checkpoint():
                parts += [_patch_effects(patch, project) for patch in entry.patches]
            case _:  # a retraction or an erasure
                parts.append(None)
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Effects(*(frozenset[str]().union(*names) for names in zip(NOTHING, *known, strict=True)))


def effects_since(before: Project, after: Project) -> Effects | None:
    """What may differ between two projects of one log; None: it could be anything."""
    if before.types != after.types or before.gone != after.gone:
        return None
    entries: list[Entry] = []
    node = after.history
    while node is not before.history:
        if not isinstance(node, tuple):  # the other one was opened from another snapshot, or on another clock
            return None
        happened, node = node
        entries.append(happened.entry)
    return effects(entries, after)


def _patch_effects(patch: Patch, project: Project) -> Effects | None:
    match patch:
        case Put() if _may_rename_single(patch, project):
            return None
        case Put():
            written = frozenset(record for cited in patch.cites for record in project.used.get(cited, ()))
            return Effects(types=frozenset({patch.type}), written=written)
        case Amend():
            return _field_effects(patch.record, patch.fields, project)
        case End() | Drop():
            return Effects(types=frozenset({record_type(patch.record)}), removed=frozenset({patch.record}))
        case SetAside():
            return NOTHING
        case Adopt() | Retire() | Switch() | Approve() | Learn() | Sign():
            return _constraint_effects(patch, project)
        case _:  # a merge or a change of types
            return None


def _may_rename_single(patch: Put, project: Project) -> bool:
    """Whether a put of a type with one record may have given that record another key."""
    type_ = project.types.get(patch.type)
    return type_ is not None and type_.cardinality == "one" and any(name in type_.key for name in patch.fields)


def _field_effects(record: str, fields: Iterable[str], project: Project) -> Effects | None:
    """A change of key fields renames the record, and others that refer to it follow: that could be anything."""
    type_ = project.types.get(record_type(record))
    if type_ is None or any(name in type_.key for name in fields):
        return None
    return Effects(types=frozenset({type_.full_name}), written=frozenset({record}))


def _constraint_effects(patch: ConstraintChange, project: Project) -> Effects:
    match patch:
        case Adopt():
            return Effects(constraints=frozenset({patch.constraint.name}))
        case Retire() | Switch() | Approve():
            return Effects(constraints=frozenset({patch.constraint}))
        case Learn():
            table = patch.knowledge.name
            names = frozenset(name for name, each in project.constraints.items() if table in each.reading.knows)
            return Effects(constraints=names)
        case Sign():
            return NOTHING
