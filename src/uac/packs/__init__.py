"""Packs: vetted domains with types, constraints, cases and knowledge. They are offered to every project.

In: the folders of installed packs (`docs/concepts/packs.md` shows their files) and a project. Out: the patches that
bring a pack's types, tables and constraints into the project.
Nothing in a pack is imported or run here: its files are read as trees, and constraints run in the sandbox.
Third-party packs are found through the entry point group `uac.packs`.
"""

import importlib.metadata
import importlib.util
import os
import warnings
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from uac.errors import Refused
from uac.packs.files import Pack, load_pack
from uac.project.diff import Change
from uac.project.project import Project
from uac.schema.constraint_code import read_constraint
from uac.schema.constraints import Constraint
from uac.schema.patches import AddField, Adopt, Define, Learn, Patch
from uac.schema.types import Type, parse_type

__all__ = [
    "BUILT_IN",
    "GROUP",
    "Offer",
    "Pack",
    "chosen_packs",
    "installed_packs",
    "is_from_packs",
    "load_pack",
    "needed_patches",
    "offered_constraints",
    "upgrade_patches",
]

BUILT_IN = Path(__file__).parent
GROUP = "uac.packs"
RETIRED = "It was retired. Retract that entry to bring it back."


class Offer(NamedTuple):
    """A constraint of a pack that the project does not have, and the reason if it cannot be adopted."""

    name: str
    pack: str
    why_not: str = ""
    constraint: Constraint | None = None


def chosen_packs(names: str | None = None) -> tuple[Pack, ...]:
    """The installed packs that $UAC_PACKS selects: `all` (the default), `none`, or names such as 'health,travel'."""
    wanted = (os.environ.get("UAC_PACKS", "all") if names is None else names).strip()
    packs = installed_packs() if wanted != "none" else ()
    if wanted in ("all", "none", ""):
        return packs
    chosen = [name.strip() for name in wanted.split(",")]
    for name in chosen:
        if name not in {pack.name for pack in packs}:
            known = ", ".join(pack.name for pack in packs)
            raise Refused(f"UAC_PACKS names {name!r}, which is not installed. Set it to all, none or some of: {known}.")
    return tuple(pack for pack in packs if pack.name in chosen)


@lru_cache(maxsize=1)
def installed_packs() -> tuple[Pack, ...]:
    """The packs of this package and of other installed packages."""
    folders = sorted(path.parent for path in BUILT_IN.glob("*/pack.toml"))
    for point in importlib.metadata.entry_points(group=GROUP):
        # find_spec of a top-level package runs none of its code.
        spec = importlib.util.find_spec(point.value) if point.value.isidentifier() else None
        if spec is None or not spec.submodule_search_locations:
            raise Refused(
                f"Entry point {point.name} = {point.value!r} of {GROUP} is not a package. Name the pack's package."
            )
        folders.append(Path(spec.submodule_search_locations[0]))
    packs: list[Pack] = []
    names: set[str] = set()
    for folder in folders:
        try:
            pack = load_pack(folder)
        except Refused as error:  # a broken third-party pack must not disable the others
            warnings.warn(f"A pack is skipped: {error}", stacklevel=2)
            continue
        for name in (pack.name, *pack.sources):
            if name in names:
                raise Refused(f"Pack {pack.name}: {name} exists twice in the installed packs. Rename or uninstall one.")
            names.add(name)
        packs.append(pack)
    return tuple(packs)


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
            reads = _types_read(constraint, types)
            if reads.isdisjoint(used) or _why_not_adoptable(constraint, types, project):
                continue
            constraints.append(constraint)
            wanted |= {name for name in reads | _types_in_cases(constraint) if name not in project.types}
    knows = {name for each in constraints for name in read_constraint(each.name, each.code).knows}
    knows -= {*project.knowledge}
    tables = {table.name: table for pack in packs for table in pack.knowledge} if knows else {}
    return (
        *(Learn(knowledge=tables[name]) for name in sorted(knows)),
        *(Define(type=types[name]) for name in sorted(wanted)),
        *(Adopt(constraint=constraint) for constraint in constraints),
    )


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
            why_not = RETIRED if name in project.retired else _why_not_adoptable(constraint, types, project)
            offered.append(Offer(name, pack.name, why_not, constraint))
    return offered


def upgrade_patches(packs: Sequence[Pack], project: Project) -> tuple[Patch, ...]:
    """The patches that upgrade tables, types and constraints from packs to the installed versions."""
    patches: list[Patch] = []
    for pack in packs:
        for table in pack.knowledge:
            if project.knowledge.get(table.name, table) != table:
                patches.append(Learn(knowledge=table))
        for type_ in pack.types:
            own = project.types.get(type_.full_name)
            for part in type_.fields:
                parsed = parse_type(part.type)
                if own is not None and own.field(part.name) is None and (parsed.optional or parsed.kind == "list"):
                    patches.append(AddField(type=type_.full_name, field=part))
        for constraint in pack.constraints:
            adopted = project.constraints.get(constraint.name)
            if adopted is not None and adopted.constraint.origin == "pack" and adopted.constraint != constraint:
                patches.append(Adopt(constraint=constraint))
    return tuple(patches)


def is_from_packs(change: Change, packs: Sequence[Pack], project: Project) -> bool:
    """Whether a type or constraint was added by a pack: that says nothing about the user."""
    if change.change != "added":
        return False
    if change.kind == "type":
        return any(type_.full_name == change.what for pack in packs for type_ in pack.types)
    adopted = project.constraints.get(change.what) if change.kind == "constraint" else None
    return adopted is not None and adopted.constraint.origin == "pack"


def _why_not_adoptable(constraint: Constraint, types: dict[str, Type], project: Project) -> str:
    """Why the constraint cannot use the project's types: they may have more fields than the pack's, never fewer."""
    for name in sorted(_types_read(constraint, types) | _types_in_cases(constraint)):
        own, packed = project.types.get(name), types.get(name)
        if own is None:
            if packed is None:
                return f"Type {name} does not exist."
            continue
        if packed is None:
            continue
        if (own.collected_as, own.cardinality, own.key) != (packed.collected_as, packed.cardinality, packed.key):
            return f"{name} has a different key, cardinality or collection in the pack."
        for part in packed.fields:
            mine = own.field(part.name)
            if mine is None or mine.type != part.type:
                return f"{name} does not have the field {part.name}: {part.type}. Add it to use the constraint."
    missing = [
        collection
        for collection in read_constraint(constraint.name, constraint.code).reads
        if not _type_of_collection(collection, types)
    ]
    return f"No pack has {missing[0]}." if missing else ""


def _types_read(constraint: Constraint, types: dict[str, Type]) -> set[str]:
    reads = read_constraint(constraint.name, constraint.code).reads
    return {owner for collection in reads if (owner := _type_of_collection(collection, types))}


def _types_in_cases(constraint: Constraint) -> set[str]:
    return {given.type for case in constraint.cases for given in case.given}


def _type_of_collection(collection: str, types: dict[str, Type]) -> str:
    domain, _dot, name = collection.partition(".")
    for full_name, type_ in types.items():
        if type_.domain == domain and name in (type_.collected_as, type_.former):
            return full_name
    return ""
