"""The constraints that packs offer to a project, and why one cannot be adopted."""

from collections.abc import Sequence
from typing import NamedTuple

from uac.errors import Refused
from uac.packs.files import Pack
from uac.project.project import Project
from uac.schema.constraint_code import read_constraint
from uac.schema.constraints import Constraint
from uac.schema.types import Type

__all__ = ["Offer", "offered_constraints", "types_in_offer_cases", "types_read_by_offer", "why_offer_not_adoptable"]

RETIRED = "It was retired. Retract that entry to bring it back."


class Offer(NamedTuple):
    """A constraint of a pack that the project does not have, and the reason if it cannot be adopted."""

    name: str
    pack: str
    why_not: str = ""
    constraint: Constraint | None = None


def offered_constraints(packs: Sequence[Pack], project: Project) -> list[Offer]:
    """The constraints of packs that the project does not have, each with the reason if it cannot be adopted."""
    types = {type_.full_name: type_ for pack in packs for type_ in pack.types}
    offered: list[Offer] = []
    for pack in packs:
        for name in pack.sources:
            if name in project.constraints:
                continue
            try:
                constraint = pack.constraint(name)
            except Refused as error:
                offered.append(Offer(name, pack.name, str(error)))
                continue
            why_not = RETIRED if name in project.retired else why_offer_not_adoptable(constraint, types, project)
            offered.append(Offer(name, pack.name, why_not, constraint))
    return offered


def why_offer_not_adoptable(constraint: Constraint, types: dict[str, Type], project: Project) -> str:
    """Why the constraint cannot use the project's types, or a table that it needs is in no pack.

    They may have more fields than the pack's, never fewer, and a field that the pack leaves open may be required.
    """
    for name in sorted(types_read_by_offer(constraint, types) | types_in_offer_cases(constraint)):
        own, packed = project.types.get(name), types.get(name)
        if own is None:
            if packed is None:
                return f"Type {name} does not exist."
            continue
        if packed is None:
            continue
        key = packed.key[: len(own.key)] if own.key else packed.key  # optional key fields may have been appended
        if (own.collected_as, own.cardinality, own.key) != (packed.collected_as, packed.cardinality, key):
            return f"{name} has a different key, cardinality or collection in the pack."
        for part in packed.fields:
            mine = own.field(part.name)
            if mine is None or part.type not in (mine.type, f"{mine.type} | None"):
                return f"{name} does not have the field {part.name}: {part.type}. Add it to use the constraint."
    reading = read_constraint(constraint.name, constraint.code)
    missing = [collection for collection in reading.reads if not _offered_collection_type(collection, types)]
    # A table belongs to the pack of its first name, so no table need be read to know who has it.
    packs = {constraint.pack.partition(" ")[0], *(type_.domain for type_ in types.values())}
    missing += [name for name in reading.knows if name not in project.knowledge and name.partition(".")[0] not in packs]
    return f"No pack has {missing[0]}." if missing else ""


def types_read_by_offer(constraint: Constraint, types: dict[str, Type]) -> set[str]:
    reads = read_constraint(constraint.name, constraint.code).reads
    return {owner for collection in reads if (owner := _offered_collection_type(collection, types))}


def types_in_offer_cases(constraint: Constraint) -> set[str]:
    return {given.type for case in constraint.cases for given in case.given}


def _offered_collection_type(collection: str, types: dict[str, Type]) -> str:
    domain, _dot, name = collection.partition(".")
    for full_name, type_ in types.items():
        if type_.domain == domain and name in (type_.collected_as, type_.former):
            return full_name
    return ""
