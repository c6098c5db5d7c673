"""The patches that bring a pack's types, tables and constraints into a project, and those that upgrade them."""

from collections.abc import Collection, Sequence

from uac.errors import Refused
from uac.packs.files import Pack
from uac.packs.offers import types_in_offer_cases, types_read_by_offer, why_offer_not_adoptable
from uac.project.diff import Change
from uac.project.project import Project
from uac.schema.constraint_code import read_constraint
from uac.schema.constraints import Constraint
from uac.schema.patches import AddField, Adopt, ChangeKey, Define, Learn, Patch, RetypeField
from uac.schema.types import Type, parse_type

__all__ = ["is_from_packs", "needed_patches", "upgrade_patches"]


def needed_patches(packs: Sequence[Pack], project: Project, used: Collection[str]) -> tuple[Patch, ...]:
    """The patches that records of these types need first: types, tables, and the constraints that read them."""
    types = {type_.full_name: type_ for pack in packs for type_ in pack.types}
    if types.keys().isdisjoint(used):
        return ()
    wanted = {name for name in used if name in types and name not in project.types}
    constraints: list[Constraint] = []
    collections = {
        f"{type_.domain}.{name}"
        for type_ in (types[name] for name in used if name in types)
        for name in (type_.collected_as, type_.former)
    }
    for pack in packs:
        for name in pack.sources:
            own = project.constraints.get(name)
            is_decided = name in project.retired or (own is not None and own.constraint.origin != "model")
            if is_decided or collections.isdisjoint(pack.reads[name]):
                continue  # the texts were searched once: reading all constraints as trees takes long
            try:
                constraint = pack.constraint(name)
            except Refused:  # a broken file must not block the user; `offers` reports it
                continue
            reads = types_read_by_offer(constraint, types)
            if reads.isdisjoint(used) or why_offer_not_adoptable(constraint, types, project):
                continue
            constraints.append(constraint)
            wanted |= {name for name in reads | types_in_offer_cases(constraint) if name not in project.types}
    knows = {name for each in constraints for name in read_constraint(each.name, each.code).knows}
    knows -= {*project.knowledge}
    tables = [table for name in sorted(knows) for pack in packs if (table := pack.table(name)) is not None]
    return (
        *(Learn(knowledge=table) for table in tables),
        *(Define(type=types[name]) for name in sorted(wanted)),
        *(Adopt(constraint=constraint) for constraint in constraints),
    )


def upgrade_patches(packs: Sequence[Pack], project: Project) -> tuple[Patch, ...]:
    """The patches that upgrade tables, types and constraints from packs to the installed versions.

    Types come first: a constraint and its cases may use the new fields of another pack's types.
    """
    tables: list[Patch] = []
    types: list[Patch] = []
    constraints: list[Patch] = []
    for pack in packs:
        for table in pack.knowledge:
            current = project.knowledge.get(table.name, table)
            # Another machine may compress the same table to other bytes.
            is_other = current != table and current.digest != table.digest
            tables += [Learn(knowledge=table)] if is_other and not current.is_imported else []
        for type_ in pack.types:
            if (own := project.types.get(type_.full_name)) is not None:
                types += _type_upgrades(own, type_, project)
        for constraint in pack.constraints:
            adopted = project.constraints.get(constraint.name)
            if adopted is not None and adopted.constraint.origin == "pack" and adopted.constraint != constraint:
                constraints.append(Adopt(constraint=constraint))
    return (*tables, *types, *constraints)


def _type_upgrades(own: Type, packed: Type, project: Project) -> list[Patch]:
    """New fields, fields that need no value any more, and optional fields that are appended to the key."""
    patches: list[Patch] = []
    for part in packed.fields:
        parsed, mine = parse_type(part.type), own.field(part.name)
        if mine is None and (parsed.optional or parsed.kind == "list"):
            patches.append(AddField(type=own.full_name, field=part))
        elif mine is not None and part.type == f"{mine.type} | None" and not _has_own_reader(own, project):
            patches.append(RetypeField(type=own.full_name, field=part.name, to=part.type))
    added = packed.key[len(own.key) :]
    fits = all((mine := own.field(name)) is None or mine.type.endswith(" | None") for name in added)
    if own.key and added and own.key == packed.key[: len(own.key)] and fits:
        patches.append(ChangeKey(type=own.full_name, key=packed.key))
    return patches


def _has_own_reader(type_: Type, project: Project) -> bool:
    """Whether a constraint that is not from a pack reads the type: it may rely on a value in the field."""
    collections = {f"{type_.domain}.{type_.collected_as}", f"{type_.domain}.{type_.former}"}
    return any(
        adopted.constraint.origin != "pack" and not collections.isdisjoint(adopted.reading.reads)
        for adopted in project.constraints.values()
    )


def is_from_packs(change: Change, packs: Sequence[Pack], project: Project) -> bool:
    """Whether a type or constraint was added by a pack: that says nothing about the user."""
    if change.change != "added":
        return False
    if change.kind == "type":
        return any(type_.full_name == change.what for pack in packs for type_ in pack.types)
    adopted = project.constraints.get(change.what) if change.kind == "constraint" else None
    return adopted is not None and adopted.constraint.origin == "pack"
