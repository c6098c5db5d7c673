"""Which patches of one reply depend on each other, so that a refused one holds back those, and no others.

A change of types is accepted only if a record or constraint that needs it is, unless nothing in the reply needs it. A
record that ends or is dropped and the one that takes its place are accepted or refused together.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from uac.errors import Refused
from uac.project.records import record_type
from uac.schema.constraint_code import read_constraint
from uac.schema.patches import (
    AddField,
    Adopt,
    Amend,
    Define,
    Drop,
    End,
    Merge,
    Patch,
    Put,
    RenameField,
    RetypeField,
    describe_patch,
)
from uac.schema.types import Field, Type, parse_type

__all__ = ["collections_read", "held_back", "names_of_type", "types_needed"]


def held_back(patches: Mapping[int, Patch], refused: Collection[int], unfit: Sequence[Patch] = ()) -> dict[int, str]:
    """The patches that cannot be accepted without the refused and the unfit ones, each with the reason."""
    left = {number: patch for number, patch in patches.items() if number not in refused}
    lost = [*unfit, *(patch for number, patch in patches.items() if number in refused)]
    reasons: dict[int, str] = {}
    while blocked := {
        number: why for number, patch in left.items() if (why := _why_held_back(patch, lost, left.values()))
    }:
        reasons |= blocked
        lost += [left.pop(number) for number in blocked]
    return reasons


def types_needed(patch: Patch) -> set[str]:
    """The types that a patch names, and the collections that its constraint reads."""
    match patch:
        case Put():
            return {patch.type}
        case Amend() | End() | Drop() | Merge():
            return {record_type(patch.record)}
        case Define():
            return _references(patch.type.fields)
        case AddField():
            return {patch.type, *_references([patch.field])}
        case Adopt():
            given = {given.type for case in patch.constraint.cases for given in case.given}
            return given.union(collections_read(patch))
        case _:
            return set()


def collections_read(patch: Adopt) -> tuple[str, ...]:
    """The collections that a constraint reads; none if its code is not valid."""
    try:
        return read_constraint(patch.constraint.name, patch.constraint.code).reads
    except Refused:  # refused later, by the checkpoint
        return ()


def names_of_type(type_: Type) -> set[str]:
    """What `types_needed` may call a type: its name, and its collections."""
    return {type_.full_name, f"{type_.domain}.{type_.collected_as}", f"{type_.domain}.{type_.former}"}


def _why_held_back(patch: Patch, lost: Sequence[Patch], left: Iterable[Patch]) -> str:
    for other in lost:
        if _replaces(patch, other) or _replaces(other, patch):
            return (
                f"held back: it takes the place of '{describe_patch(other)}', or the other way round. Give both again."
            )
    served = next((other for other in lost if _serves(patch, other)), None)
    if served is None or any(_serves(patch, other) for other in left):
        return ""
    return f"held back: only '{describe_patch(served)}' needs it, which is not accepted. Give both again."


def _replaces(new: Patch, old: Patch) -> bool:
    """Whether a put says, with the same fact, what comes instead of a record that ends or is dropped."""
    if not isinstance(new, Put) or set(new.cites).isdisjoint(old.cites):
        return False
    return isinstance(old, Drop) or (isinstance(old, End) and record_type(old.record) == new.type)


def _serves(change: Patch, patch: Patch) -> bool:
    """Whether a patch uses what a change of types brings."""
    match change:
        case Define():
            return patch is not change and not names_of_type(change.type).isdisjoint(types_needed(patch))
        case AddField():
            return _uses_field(patch, change.type, change.field.name)
        case RenameField():
            return _uses_field(patch, change.type, change.to)
        case RetypeField():
            return _uses_field(patch, change.type, change.field)
        case _:
            return False


def _uses_field(patch: Patch, type_name: str, field: str) -> bool:
    match patch:
        case Put() | Amend():
            return type_name in types_needed(patch) and field in patch.fields
        case Adopt(constraint=constraint):
            given = [each for case in constraint.cases for each in case.given if each.type == type_name]
            return bool(given) and re.search(rf"\b{re.escape(field)}\b", constraint.code) is not None
        case _:
            return False


def _references(fields: Iterable[Field]) -> set[str]:
    """The types that fields refer to."""
    found: set[str] = set()
    for field in fields:
        try:
            parsed = parse_type(field.type)
        except Refused:  # refused later, by the checkpoint
            continue
        found.add((parsed.item or parsed).ref)
    return found - {""}
