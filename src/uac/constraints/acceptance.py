"""Decides whether patches are accepted: adds what packs contribute and collects every reason for refusal.

`project/apply_patches.py` validates patches against the project alone; this module also consults packs and a sandbox.
A plan is a value. Nothing here writes.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from uac.constraints.ahead import Ahead, AheadStart
from uac.constraints.dependent_patches import held_back, names_of_type, types_needed
from uac.constraints.proof import Proof, proof_type_errors, prove_constraints
from uac.constraints.review import PartialAcceptance, ReviewReason, unreviewed_refusals
from uac.constraints.silenced_alerts import silencing_patches
from uac.constraints.user_as_owner import name_the_user
from uac.errors import Rejected, SandboxError
from uac.packs import Offer, Pack, needed_patches, offered_constraints
from uac.project.apply_patches import Refusal, forgotten_facts
from uac.project.project import Project
from uac.project.type_changes import TypeChange
from uac.sandbox.port import Sandbox
from uac.schema.entries import AlertChange, Checkpoint, Entry, NextRun
from uac.schema.patches import (
    AddField,
    Adopt,
    Approve,
    Define,
    Learn,
    Patch,
    Put,
    Retire,
    Switch,
    describe_patch,
)
from uac.schema.types import Type

__all__ = [
    "AcceptanceResources",
    "FollowUp",
    "Plan",
    "failed_adoptions",
    "offers_to_accept",
    "plan_pack_acceptance",
    "plan_partial_acceptance",
    "plan_patches",
    "preview_acceptance",
]


class Plan(NamedTuple):
    """Entries to append together, and what is already known about the result."""

    entries: tuple[Entry, ...] = ()
    ahead: Ahead | None = None
    """The project with these entries, if it has been folded already."""
    accepted: PartialAcceptance = PartialAcceptance((), ())
    unproved: Mapping[str, str] = {}
    """Pack constraints that cannot be adopted here, with the reason: those known before and those detected now."""
    needs_changes: bool = False
    """Whether to write the entries only if they change alerts."""


@dataclass(frozen=True, slots=True)
class AcceptanceResources:
    """The sources of packs and of a sandbox; each is opened only when needed."""

    packs: Callable[[], Sequence[Pack]]
    sandbox: Callable[[], Sandbox]
    unproved: Mapping[str, str]

    def offered_types(self) -> dict[str, Type]:
        """The types that packs offer, by name."""
        return {type_.full_name: type_ for pack in self.packs() for type_ in pack.types}

    def offered_type_names(self) -> set[str]:
        return set(self.offered_types())


FollowUp = Callable[[PartialAcceptance], Sequence[Entry]]
"""Creates the entries to append together with the accepted patches."""


def plan_patches(
    start: AheadStart,
    patches: Sequence[Patch],
    resources: AcceptanceResources,
    *,
    lead: Sequence[Entry] = (),
    by: str = "",
    facts: Sequence[int] = (),
    reviewed: bool = False,
    is_unwatched: bool = False,
) -> Plan:
    """All patches, after the `lead` entries and the packs' contributions. Raises Rejected with all reasons for refusal.

    `facts` are those the checkpoint must settle: a patch must cite each one or set it aside.
    """
    checkpoint = Checkpoint(patches=name_the_user(patches, resources.offered_types), by=by, is_unwatched=is_unwatched)
    attempt = _attempt_acceptance(start, checkpoint, resources, lead=lead, facts=facts, reviewed=reviewed)
    reasons = [reason.numbered for reason in attempt.reasons]
    reasons += [f"{name}: on the present state: {why}" for name, why in _failing_adoptions(start, patches).items()]
    if reasons:
        raise Rejected(tuple(reasons))
    return attempt.plan


def plan_partial_acceptance(
    start: AheadStart,
    patches: Sequence[Patch],
    resources: AcceptanceResources,
    *,
    by: str,
    follow_up: FollowUp,
    unfit: Sequence[Patch] = (),
) -> Plan:
    """As many of a model's patches as are valid together, plus the entries that `follow_up` creates for that result.

    Patches that depend on a refused one are held back with it (`dependent_patches.py`). `unfit` are the patches of
    the same reply that were refused before.
    """
    numbered = dict(enumerate(name_the_user(patches, resources.offered_types), 1))
    failing = _failing_adoptions(start, patches)
    refused = {
        number: f"{patch.constraint.name}: on the present state: {failing[patch.constraint.name]}"
        for number, patch in numbered.items()
        if isinstance(patch, Adopt) and patch.constraint.name in failing
    }
    refused |= silencing_patches(numbered, start.silencing)
    refused |= held_back(numbered, refused, unfit)
    while True:
        remaining = {number: patch for number, patch in numbered.items() if number not in refused}
        accepted = PartialAcceptance(tuple(remaining), tuple(sorted(refused.items())))
        tail = follow_up(accepted)
        if not remaining:
            return Plan(entries=tuple(tail), accepted=accepted, unproved=resources.unproved)
        checkpoint = Checkpoint(patches=tuple(remaining.values()), by=by)
        attempt = _attempt_acceptance(start, checkpoint, resources, tail=tail)
        if not attempt.reasons:
            return attempt.plan._replace(accepted=accepted)
        numbers = [*remaining]
        wrong = {numbers[reason.patch - 1]: reason.why for reason in attempt.reasons if reason.patch}
        refused |= wrong or dict.fromkeys(remaining, attempt.reasons[0].why)
        refused |= held_back(numbered, refused, unfit)


def preview_acceptance(start: AheadStart, patches: Sequence[Patch], resources: AcceptanceResources) -> Ahead:
    """The project with the patches and the packs' contributions, without proving constraints. Raises Rejected."""
    checkpoint = Checkpoint(patches=name_the_user(patches, resources.offered_types))
    attempt = _attempt_acceptance(start, checkpoint, resources, reviewed=True, proves=False)
    if attempt.plan.ahead is None:
        raise Rejected(tuple(reason.numbered for reason in attempt.reasons))
    return attempt.plan.ahead


def plan_pack_acceptance(start: AheadStart, used: Collection[str], resources: AcceptanceResources) -> Plan:
    """The packs' offers for these types: types, tables, and the constraints that can be proved."""
    unproved = dict(resources.unproved)
    while True:
        pack_patches = _pack_patches(start.project, used, resources, unproved)
        entries = [Checkpoint(patches=pack_patches, by="packs")] if pack_patches else []
        ahead = start.ahead(entries)
        failed = _unacceptable_pack_constraints(ahead.project, pack_patches, resources)
        if not failed:
            return Plan(entries=tuple(entries), ahead=ahead, unproved=unproved)
        unproved |= failed


def offers_to_accept(project: Project, resources: AcceptanceResources) -> list[Offer]:
    """The pack constraints that the project lacks, each with the reason."""
    available = offered_constraints(resources.packs(), project)
    return [offer._replace(why_not=resources.unproved.get(offer.name, offer.why_not)) for offer in available]


def failed_adoptions(entries: Sequence[Entry], changes: Sequence[AlertChange | NextRun]) -> dict[str, str]:
    """New constraints that gave no result on the project that would adopt them, with the reason."""
    failed = {c.constraint: c.why for c in changes if isinstance(c, AlertChange) and c.change == "failed"}
    patches = [patch for entry in entries if isinstance(entry, Checkpoint) for patch in entry.patches]
    adopted = [p.constraint for p in patches if isinstance(p, Adopt) and p.constraint.origin != "pack"]
    return {constraint.name: failed[constraint.name] for constraint in adopted if constraint.name in failed}


class _Attempt(NamedTuple):
    """A plan for one checkpoint, and every reason against it."""

    plan: Plan = Plan()
    reasons: Sequence[ReviewReason] = ()


def _attempt_acceptance(
    start: AheadStart,
    checkpoint: Checkpoint,
    resources: AcceptanceResources,
    *,
    lead: Sequence[Entry] = (),
    tail: Sequence[Entry] = (),
    facts: Sequence[int] = (),
    reviewed: bool = False,
    proves: bool = True,
) -> _Attempt:
    patches = checkpoint.patches
    if not reviewed and (reasons := unreviewed_refusals(start.project, patches)):
        return _Attempt(reasons=reasons)
    used = {patch.type for patch in patches if isinstance(patch, Put)} | _offered_types_needed(
        start, patches, resources
    )
    used -= {patch.type.full_name for patch in patches if isinstance(patch, Define)}
    unproved = dict(resources.unproved)
    while True:
        pack_patches = _pack_patches(start.project, used, resources, unproved)
        packs = [Checkpoint(patches=pack_patches, by="packs")] if pack_patches else []
        entries = (*lead, *packs, checkpoint, *tail)
        ahead = start.ahead(entries, offered=resources.offered_type_names)
        position = start.project.position + len(lead) + len(packs) + 1
        refusals = [
            Refusal(orphan.patch + 1, describe_patch(patches[orphan.patch]), orphan.why)
            for orphan in ahead.refused
            if orphan.position == position
        ] or forgotten_facts(patches, facts)
        if refusals:
            return _Attempt(reasons=[ReviewReason.of(refusal) for refusal in refusals])
        failed = _unacceptable_pack_constraints(ahead.project, pack_patches, resources)
        if not failed:
            break
        unproved |= failed
    result = Plan(entries=entries, ahead=ahead, unproved=unproved)
    return _Attempt(result, _constraint_refusals(ahead.project, patches, resources) if proves else ())


def _failing_adoptions(start: AheadStart, patches: Sequence[Patch]) -> dict[str, str]:
    """The constraints among the patches that failed to run in an earlier attempt at this write."""
    names = {patch.constraint.name for patch in patches if isinstance(patch, Adopt)}
    return {name: why for name, why in start.failing.items() if name in names}


def _offered_types_needed(start: AheadStart, patches: Sequence[Patch], resources: AcceptanceResources) -> set[str]:
    """The types of packs that patches name or read and that the project does not have yet."""
    needs = [types_needed(patch) for patch in patches]
    types = start.project.types
    if all(each <= types.keys() for each in needs):
        return set()
    known = {*types, *start.project.owners()}
    if all(each <= known for each in needs):
        return set()
    offered = [
        type_ for pack in resources.packs() for type_ in pack.types if type_.full_name not in start.project.types
    ]
    wanted = frozenset[str]().union(*needs)
    return {type_.full_name for type_ in offered if not wanted.isdisjoint(names_of_type(type_))}


def _pack_patches(
    project: Project, used: Collection[str], resources: AcceptanceResources, unproved: Collection[str]
) -> tuple[Patch, ...]:
    """The packs' patches for types that are used for the first time."""
    if not used:
        return ()
    offered = needed_patches(resources.packs(), project, used)
    return tuple(p for p in offered if not isinstance(p, Adopt) or p.constraint.name not in unproved)


def _unacceptable_pack_constraints(
    project: Project, pack_patches: Sequence[Patch], resources: AcceptanceResources
) -> dict[str, str]:
    """The pack constraints that cannot be proved with the user's types, with the reason."""
    adopted = [patch.constraint for patch in pack_patches if isinstance(patch, Adopt)]
    failed = prove_constraints(project, adopted, resources.sandbox()) if adopted else []
    return {proof.constraint: proof.reason for proof in failed}


def _constraint_refusals(
    after: Project, patches: Sequence[Patch], resources: AcceptanceResources
) -> list[ReviewReason]:
    """Refusals of constraints that cannot be proved, and of type changes that would break other constraints."""
    numbers = {patch.constraint.name: n for n, patch in enumerate(patches, 1) if isinstance(patch, Adopt)}
    adopted = [patch.constraint for patch in patches if isinstance(patch, Adopt)]
    changed = {p.constraint for p in patches if isinstance(p, Retire | Switch | Approve)} | {*numbers}
    others = {name: each for name, each in after.constraints.items() if name not in changed}
    learned = {patch.knowledge.name for patch in patches if isinstance(patch, Learn)}
    if learned:
        adopted += [each.constraint for each in others.values() if not learned.isdisjoint(each.reading.knows)]
    failed: list[Proof] = prove_constraints(after, adopted, resources.sandbox()) if adopted else []
    wrong = [ReviewReason(numbers.get(proof.constraint, 0), str(proof), str(proof)) for proof in failed]
    retyped = {
        n: p for n, p in enumerate(patches, 1) if isinstance(p, TypeChange) and not isinstance(p, Define | AddField)
    }
    if retyped:
        try:
            broken = proof_type_errors(after, [each.constraint for each in others.values()], resources.sandbox())
        except SandboxError as error:
            return [*wrong, ReviewReason(min(retyped), str(error), str(error))]
        for name, why in broken:
            reason = f"would break {name}: {why}"
            owners = after.owners()
            read = {owners.get(collection, "") for collection in others[name].reading.reads}
            breaking = [n for n, patch in retyped.items() if getattr(patch, "type", "") in read]
            wrong += [ReviewReason(n, reason, reason) for n in breaking or retyped]
    return wrong
