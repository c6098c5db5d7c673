"""Tries out a pack: runs every check of an adoption, for a user who has all available types."""

from collections.abc import Iterator

from uac.constraints.proof import Proof, proof_type_errors, run_cases
from uac.errors import Rejected
from uac.packs import installed_packs
from uac.packs.files import Pack
from uac.project.apply_patches import check_patches
from uac.project.project import EMPTY_PROJECT, Project
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Sandbox
from uac.schema.patches import Adopt, Define, Learn, Patch

__all__ = ["try_pack", "try_pack_project"]


def try_pack(pack: Pack, *, only: str = "", sandbox: Sandbox | None = None) -> Iterator[Proof]:
    """The results of validation, type checker and cases for the pack's constraints; an empty reason means success."""
    engine = sandbox or shared_sandbox()
    project = try_pack_project(pack)
    chosen = [constraint for constraint in pack.constraints if only in constraint.name]
    refused: set[str] = set()
    for constraint in chosen:
        result = check_patches(project, [Adopt(constraint=constraint)])
        if isinstance(result, tuple):
            refused.add(constraint.name)
            yield Proof(constraint.name, "the door", "; ".join(refusal.why for refusal in result))
    sound = [constraint for constraint in chosen if constraint.name not in refused]
    for name, why in proof_type_errors(project, sound, engine):
        yield Proof(name, "types", pack.locate(name, why))
    yield from run_cases(project, sound, engine)


def try_pack_project(pack: Pack) -> Project:
    """A project with the types and tables of the pack and of all other installed packs."""
    others = [other for other in installed_packs() if other.name != pack.name]
    patches: list[Patch] = []
    for each in (pack, *others):
        patches += [Define(type=type_) for type_ in each.types]
        patches += [Learn(knowledge=table) for table in each.knowledge]
    result = check_patches(EMPTY_PROJECT, patches)
    if isinstance(result, tuple):
        raise Rejected(tuple(str(refusal) for refusal in result))
    return result.project
