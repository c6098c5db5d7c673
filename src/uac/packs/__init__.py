"""Packs: vetted domains with types, constraints, cases and knowledge. They are on offer to every project.

A pack is a folder (`docs/concepts/packs.md` shows its files). Nothing in it is imported or run here: types and
constraints are read as trees, and constraints run in the sandbox.
Packs of others are found through the entry point group `uac.packs`.
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
from uac.schema.constraints import Constraint, read_constraint
from uac.schema.patches import AddField, Adopt, Define, Learn, Patch
from uac.schema.types import Type, parse_type

__all__ = [
    "BUILT_IN",
    "GROUP",
    "Offer",
    "Pack",
    "chosen_packs",
    "from_packs",
    "installed_packs",
    "load_pack",
    "needed",
    "offers",
    "upgrades",
]

BUILT_IN = Path(__file__).parent
GROUP = "uac.packs"
RETIRED = "it was retired (retracting that entry brings it back)"


class Offer(NamedTuple):
    """A constraint that a pack has and the project has not, and why it cannot be adopted as things are."""

    name: str
    pack: str
    why_not: str = ""
    constraint: Constraint | None = None


def chosen_packs(names: str | None = None) -> tuple[Pack, ...]:
    """The installed packs that $UAC_PACKS names: all of them by default, none, or some: 'health,travel'."""
    wanted = (os.environ.get("UAC_PACKS", "all") if names is None else names).strip()
    packs = installed_packs() if wanted != "none" else ()
    if wanted in ("all", "none", ""):
        return packs
    chosen = [name.strip() for name in wanted.split(",")]
    for name in chosen:
        if name not in {pack.name for pack in packs}:
            known = ", ".join(pack.name for pack in packs)
            raise Refused(f"UAC_PACKS names {name!r}, which is not installed, needs all, none or some of {known}")
    return tuple(pack for pack in packs if pack.name in chosen)


@lru_cache(maxsize=1)
def installed_packs() -> tuple[Pack, ...]:
    """The packs of this package and those that other installed packages offer."""
    folders = sorted(path.parent for path in BUILT_IN.glob("*/pack.toml"))
    for point in importlib.metadata.entry_points(group=GROUP):
        # The folder of a package at the top is found without running anything in it.
        spec = importlib.util.find_spec(point.value) if point.value.isidentifier() else None
        if spec is None or not spec.submodule_search_locations:
            raise Refused(f"entry point {point.name} = {point.value!r} of {GROUP}: needs the name of a pack's package")
        folders.append(Path(spec.submodule_search_locations[0]))
    packs: list[Pack] = []
    names: set[str] = set()
    for folder in folders:
        try:
            pack = load_pack(folder)
        except Refused as error:  # somebody else's pack must not stand in the way of all others
            warnings.warn(f"a pack is left out: {error}", stacklevel=2)
            continue
        for name in (pack.name, *pack.sources):
            if name in names:
                raise Refused(f"pack {pack.name}: {name} is there twice among the installed packs")
            names.add(name)
        packs.append(pack)
    return tuple(packs)


def needed(packs: Sequence[Pack], project: Project, used: Collection[str]) -> tuple[Patch, ...]:
    """What must be adopted before records of these types come in: types, tables, and the constraints that read them."""
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
            except Refused:  # a broken file must not stand in the user's way; `offers` tells of it
                continue
            reads = _types_read(constraint, types)
            if reads.isdisjoint(used) or _why_not(constraint, types, project):
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


def offers(packs: Sequence[Pack], project: Project) -> list[Offer]:
    """The constraints of packs that the project has not, each with the reason if it could not be adopted."""
    types = {type_.full_name: type_ for pack in packs for type_ in pack.types}
    found: list[Offer] = []
    for pack in packs:
        for name in pack.sources:
            if name in project.constraints:
                continue
            try:
                constraint = pack.constraint(name)
            except Refused as error:
                found.append(Offer(name, pack.name, str(error)))
                continue
            why_not = RETIRED if name in project.retired else _why_not(constraint, types, project)
            found.append(Offer(name, pack.name, why_not, constraint))
    return found


def upgrades(packs: Sequence[Pack], project: Project) -> tuple[Patch, ...]:
    """What brings tables, types and constraints that came from packs to what the installed packs have."""
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


def from_packs(change: Change, packs: Sequence[Pack], project: Project) -> bool:
    """Whether a type or constraint came into the project with a pack: that says nothing of the user."""
    if change.change != "added":
        return False
    if change.kind == "type":
        return any(type_.full_name == change.what for pack in packs for type_ in pack.types)
    adopted = project.constraints.get(change.what) if change.kind == "constraint" else None
    return adopted is not None and adopted.constraint.origin == "pack"


def _why_not(constraint: Constraint, types: dict[str, Type], project: Project) -> str:
    """Why the project's own types do not serve the constraint; they may have more than the pack's, never less."""
    for name in sorted(_types_read(constraint, types) | _types_in_cases(constraint)):
        own, offered = project.types.get(name), types.get(name)
        if own is None:
            if offered is None:
                return f"there is no type {name}"
            continue
        if offered is None:
            continue
        if (own.collected_as, own.cardinality, own.key) != (offered.collected_as, offered.cardinality, offered.key):
            return f"{name} has another key, cardinality or collection here than in the pack"
        for part in offered.fields:
            mine = own.field(part.name)
            if mine is None or mine.type != part.type:
                return f"{name} has no field {part.name}: {part.type} here"
    missing = [
        collection
        for collection in read_constraint(constraint.name, constraint.code).reads
        if not _owner(collection, types)
    ]
    return f"no pack has {missing[0]}" if missing else ""


def _types_read(constraint: Constraint, types: dict[str, Type]) -> set[str]:
    reads = read_constraint(constraint.name, constraint.code).reads
    return {owner for collection in reads if (owner := _owner(collection, types))}


def _types_in_cases(constraint: Constraint) -> set[str]:
    return {given.type for case in constraint.cases for given in case.given}


def _owner(collection: str, types: dict[str, Type]) -> str:
    domain, _dot, name = collection.partition(".")
    for full_name, type_ in types.items():
        if type_.domain == domain and name in (type_.collected_as, type_.former):
            return full_name
    return ""
