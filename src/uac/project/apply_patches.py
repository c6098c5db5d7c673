"""Validation: patches are checked against the project and applied as a whole, or refused with reasons.

The same checks apply to models, agents, imports and people. Folding accepted checkpoints (`fold.py`) runs them too,
so an accepted patch is always applied in the same way; only new values must be within the bounds of `schema/types.py`.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from uac.errors import Refused
from uac.project.constraint_changes import change_constraints
from uac.project.draft import Draft
from uac.project.history import HistoryEntry
from uac.project.project import Project
from uac.project.record_changes import change_records
from uac.project.type_changes import change_types
from uac.schema.entries import Checkpoint
from uac.schema.patches import (
    Adopt,
    Amend,
    Approve,
    Drop,
    End,
    Gone,
    Learn,
    Merge,
    Patch,
    Put,
    Retire,
    SetAside,
    Sign,
    Switch,
    describe_patch,
)

__all__ = ["Accepted", "Refusal", "apply_patch", "check_patches", "forgotten_facts"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one patch was refused: `patch` counts from 1 (0: the checkpoint as a whole)."""

    patch: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"patch {self.patch} ({self.what}): {self.why}" if self.patch else self.why


@dataclass(frozen=True, slots=True)
class Accepted:
    """The project as it will be when these patches are in the log."""

    project: Project


def check_patches(
    project: Project,
    patches: Sequence[Patch],
    *,
    facts: Sequence[int] = (),
    at: datetime | None = None,
    offered: Callable[[], Collection[str]] | None = None,
) -> Accepted | tuple[Refusal, ...]:
    """All patches applied in order, or every reason why not.

    `facts` are those the checkpoint must settle: each must be cited by a patch or set aside. `offered` returns the
    types of packs, to suggest one for a mistyped name.
    """
    draft = Draft(project, bounded=True)
    draft.offered = offered
    refusals: list[Refusal] = []
    stamp = at or project.now or EPOCH
    for number, patch in enumerate(patches, 1):
        try:
            apply_patch(draft, patch, project.position + 1, number - 1, stamp)
        except Refused as error:
            refusals.append(Refusal(number, describe_patch(patch), str(error)))
    refusals = refusals or forgotten_facts(patches, facts)
    if refusals:
        return tuple(refusals)
    draft.remember(HistoryEntry(project.position + 1, stamp, Checkpoint(patches=tuple(patches))))
    return Accepted(draft.freeze(project.position + 1))


def forgotten_facts(patches: Sequence[Patch], facts: Sequence[int]) -> list[Refusal]:
    """A refusal if the patches leave out facts that the checkpoint must settle."""
    cited = {position for patch in patches for position in patch.cites}
    forgotten = ", ".join(str(position) for position in facts if position not in cited)
    why = f"facts {forgotten} are neither used nor set aside. Cite each of them in a patch."
    return [Refusal(0, "", why)] if forgotten else []


def apply_patch(draft: Draft, patch: Patch, position: int, index: int, learned: datetime) -> None:
    """Make the change, or raise Refused and leave everything as it was."""
    draft.check_cites(patch.cites)
    match patch:
        case Put() | Amend() | End() | Drop() | Merge():
            change_records(draft, patch, position, index, learned)
        case SetAside():
            draft.set_aside(patch.cites, patch.why, patch.domain)
        case Gone():
            pass
        case Adopt() | Retire() | Switch() | Approve() | Learn() | Sign():
            change_constraints(draft, patch, position, learned)
            if isinstance(patch, Adopt) and patch.cites:  # a stated rule is kept as a constraint
                draft.set_aside(patch.cites, f"it is the constraint {patch.constraint.name}", "", outcome="constraint")
            elif isinstance(patch, Retire) and patch.cites:
                draft.set_aside(
                    patch.cites, f"it takes the constraint {patch.constraint} back", "", outcome="constraint"
                )
        case _:
            change_types(draft, patch, position, learned)
