"""What a model may change without review: reasons against its patches and retractions that only a person may make."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from uac.project.apply_patches import Refusal
from uac.project.history import history_after
from uac.project.project import Project
from uac.schema.entries import Checkpoint, Retraction
from uac.schema.patches import Adopt, Approve, Learn, Patch, Retire, Sign, Switch, op_of

__all__ = ["PartialAcceptance", "ReviewReason", "retractions_needing_review", "unreviewed_refusals"]

MOST_ADOPTED = 20  # constraints that a model may propose in one checkpoint


class ReviewReason(NamedTuple):
    """Why a patch is refused: its number from 1 (0: all patches), and the reason with and without that number."""

    patch: int
    numbered: str
    why: str

    @classmethod
    def of(cls, refusal: Refusal) -> "ReviewReason":
        return cls(refusal.patch, str(refusal), f"{refusal.what}: {refusal.why}" if refusal.what else refusal.why)


class PartialAcceptance(NamedTuple):
    """The accepted patches of a reply, by their number from 1, and the reasons against the others."""

    kept: tuple[int, ...]
    refused: tuple[tuple[int, str], ...]


def unreviewed_refusals(project: Project, patches: Sequence[Patch]) -> list[ReviewReason]:
    """Reasons against a model's changes to constraints: it may only propose and retract its own."""
    wrong: list[ReviewReason] = []
    for number in [n for n, patch in enumerate(patches, 1) if isinstance(patch, Adopt)][MOST_ADOPTED:]:
        many = f"adopts more than {MOST_ADOPTED} constraints at once. Use several checkpoints."
        wrong.append(ReviewReason(number, f"patch {number}: {many}", many))
    for number, patch in enumerate(patches, 1):
        why = ""
        match patch:
            case Adopt(constraint=constraint) if constraint.origin != "model" or constraint.pack:
                why = f"origin is {constraint.pack or constraint.origin}. Use model, and no pack."
            case Adopt(constraint=constraint) if _is_approved(project, constraint.name):
                why = f"{constraint.name} was approved by a person. Choose another name."
            case Retire(constraint=name) | Switch(constraint=name):
                adopted = project.constraints.get(name)
                if adopted is not None and (adopted.constraint.origin != "model" or adopted.is_reviewed):
                    by = (
                        f"written by a {adopted.constraint.origin}"
                        if adopted.constraint.origin != "model"
                        else "approved"
                    )
                    why = f"{name} was {by}. Only a person can change it (uac constraints)."
            case Approve() | Learn() | Sign():
                why = "Only a person can do this. Ask one to use 'uac constraints'."
            case _:
                pass
        if why:
            wrong.append(ReviewReason(number, f"patch {number}: {why}", why))
    return wrong


def _is_approved(project: Project, name: str) -> bool:
    adopted = project.constraints.get(name)
    return adopted is not None and adopted.constraint.origin == "model" and adopted.is_reviewed


def retractions_needing_review(project: Project, positions: Collection[int]) -> list[str]:
    """Reasons against retracting entries without a person: they hold decisions of packs or people about constraints."""
    entries = _named_entries(project, positions)
    return [f"entry {position} {why}" for position in positions if (why := _why_review_needed(entries, position))]


def _named_entries(project: Project, positions: Collection[int]) -> Mapping[int, Checkpoint | Retraction]:
    """The entries from the first of these positions on, and from the first one that retractions among them name."""
    entries: dict[int, Checkpoint | Retraction] = {}
    wanted, first, count = {*positions}, project.position + 1, 0
    while count < len(wanted):
        count = len(wanted)
        if min(wanted) < first:  # so that a late retraction does not read the whole log
            first = min(wanted)
            entries = {
                happened.position: happened.entry
                for happened in history_after(project.history, first - 1)
                if isinstance(happened.entry, Checkpoint | Retraction)
            }
        for entry in [entries.get(position) for position in wanted]:
            if isinstance(entry, Retraction):
                wanted |= {*entry.positions}
    return entries


def _why_review_needed(entries: Mapping[int, Checkpoint | Retraction], position: int) -> str:
    entry = entries.get(position)
    if isinstance(entry, Retraction):  # retracting a retraction repeats what it undid
        return next(
            filter(None, (_why_review_needed(entries, each) for each in entry.positions if each < position)), ""
        )
    for patch in entry.patches if entry else ():
        match patch:
            case Adopt(constraint=constraint) if constraint.origin != "model":
                return f"adopts {constraint.name} of a {constraint.origin}. Only a person can retract it (uac retract)."
            case Approve() | Switch() | Retire() | Learn() | Sign():
                return f"changes a constraint ({op_of(patch)}). Only a person can retract it (uac retract)."
            case _:
                pass
    return ""
