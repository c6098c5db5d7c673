"""Which patches are accepted: all, a part of a model's, or a preview; and what a model may not change."""

import msgspec
import pytest

from support.constraints import ALLERGIES, NOW, constraint, watched
from support.short_logs import type_of
from uac.constraints.acceptance import (
    AcceptanceResources,
    failed_adoptions,
    offers_to_accept,
    patches_without_refused,
    plan_pack_acceptance,
    plan_partial_acceptance,
    plan_patches,
    preview_acceptance,
)
from uac.constraints.ahead import AheadStart
from uac.constraints.review import (
    PartialAcceptance,
    ReviewReason,
    retractions_needing_review,
    unreviewed_refusals,
)
from uac.errors import Rejected
from uac.memory.memory import Memory
from uac.packs import installed_packs
from uac.sandbox import shared_sandbox
from uac.schema.entries import AlertChange, Checkpoint, Observation, Retraction, Tick
from uac.schema.patches import Adopt, Amend, Approve, Define, Drop, End, Patch, Put, Retire, SetAside, Switch

BODY = "return [info(a.substance, a) for a in user.health.allergies]"
PROPOSED = constraint("proposed", BODY, origin="model")
BROKEN = constraint("broken", "return [info(str(1 // 0))]", origin="model")
NOTE = type_of("notes.Note", key=["title"], title="str")
NUTS = Put(type="health.Allergy", fields={"substance": "nuts"}, cites=(1,))
SOON = Put(type="travel.Trip", fields={"city": "Oslo", "start": "soon"}, cites=(1,))


@pytest.fixture
def memory() -> Memory:
    memory = watched(ALLERGIES)
    memory.log.append([Observation(text="nuts, and a trip", said=NOW)])
    return memory


RESOURCES = AcceptanceResources(installed_packs, shared_sandbox, {})
NO_PACKS = AcceptanceResources(lambda: (), shared_sandbox, {"known": "too slow"})


def start(memory: Memory, **failing: str) -> AheadStart:
    return AheadStart(memory.project(), at=NOW, now=NOW, failing=failing)


def words(memory: Memory) -> int:
    return memory.log.head().position


def cited(patch: Patch, memory: Memory) -> Patch:
    return msgspec.structs.replace(patch, cites=(words(memory),))


def part(memory: Memory, *patches: Patch, **failing: str) -> PartialAcceptance:
    """What is accepted of a model's patches; the follow-up gets the same."""
    seen: list[PartialAcceptance] = []

    def follow_up(accepted: PartialAcceptance) -> list[Tick]:
        seen.append(accepted)
        return [Tick(now=NOW)]

    plan = plan_partial_acceptance(start(memory, **failing), patches, NO_PACKS, by="m", follow_up=follow_up)
    assert seen[-1] == plan.accepted
    assert isinstance(plan.entries[-1], Tick)
    assert any(isinstance(entry, Checkpoint) for entry in plan.entries) == bool(plan.accepted.kept)
    return plan.accepted


def test_the_patches_that_are_valid_together_are_accepted(memory: Memory) -> None:
    other = memory.add("another sentence", said=NOW)
    wrong = msgspec.structs.replace(SOON, cites=(other,))
    nuts = msgspec.structs.replace(NUTS, cites=(other - 1,))
    accepted = part(memory, nuts, wrong)
    assert (accepted.kept, [number for number, _why in accepted.refused]) == ((1,), [2])
    assert accepted.refused[0][1].startswith("put travel.Trip: start is 'soon'")


def test_patches_for_one_fact_are_refused_together(memory: Memory) -> None:
    accepted = part(memory, cited(NUTS, memory), cited(SOON, memory))
    assert accepted.kept == ()
    assert accepted.refused[0] == (
        1,
        "held back: another patch for the same fact, or the type it needs, was refused. Correct that one.",
    )


def test_a_constraint_that_failed_before_is_refused_with_its_reason(memory: Memory) -> None:
    accepted = part(memory, Adopt(constraint=PROPOSED), proposed="KeyError")
    assert accepted == PartialAcceptance((), ((1, "proposed: on the present state: KeyError"),))
    with pytest.raises(Rejected, match="proposed: on the present state: KeyError"):
        plan_patches(start(memory, proposed="KeyError"), [Adopt(constraint=PROPOSED)], NO_PACKS)


def test_too_many_constraints_at_once_are_all_refused(memory: Memory) -> None:
    many = [Adopt(constraint=msgspec.structs.replace(PROPOSED, name=f"rule_{n}")) for n in range(21)]
    accepted = part(memory, *many)
    assert accepted.kept == ()
    assert {why for _number, why in accepted.refused} == {
        "adopts more than 20 constraints at once. Use several checkpoints."
    }


def test_a_preview_proves_no_constraint_and_refuses_what_does_not_apply(memory: Memory) -> None:
    ahead = preview_acceptance(start(memory), [Adopt(constraint=BROKEN), cited(NUTS, memory)], NO_PACKS)
    assert set(ahead.project.constraints) == {"allergies", "broken"}
    assert ahead.is_watched
    with pytest.raises(Rejected, match="start is 'soon'"):
        preview_acceptance(start(memory), [cited(SOON, memory)], NO_PACKS)


def test_a_pack_offers_its_types_and_constraints_for_a_type_in_use(memory: Memory) -> None:
    plan = plan_pack_acceptance(start(memory), {"household.Pet"}, RESOURCES)
    (checkpoint,) = plan.entries
    assert isinstance(checkpoint, Checkpoint)
    assert "household.Pet" in {patch.type.full_name for patch in checkpoint.patches if isinstance(patch, Define)}
    assert plan.unproved == {}
    assert plan_pack_acceptance(start(memory), (), RESOURCES).entries == ()


def test_an_offer_that_could_not_be_proved_says_why(memory: Memory) -> None:
    (first, *_others) = offers_to_accept(memory.project(), RESOURCES)
    known = AcceptanceResources(installed_packs, shared_sandbox, {first.name: "too slow"})
    assert offers_to_accept(memory.project(), known)[0] == first._replace(why_not="too slow")


def test_a_new_constraint_without_a_result_is_a_failed_adoption() -> None:
    entries = [Checkpoint(patches=(Adopt(constraint=BROKEN), Adopt(constraint=PROPOSED)))]
    change = AlertChange(change="failed", constraint="broken", subject="x", why="ZeroDivisionError", is_failure=True)
    assert failed_adoptions(entries, [change]) == {"broken": "ZeroDivisionError"}


# --- without a person -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (Adopt(constraint=PROPOSED), None),
        (Adopt(constraint=ALLERGIES), "origin is person. Use model, and no pack."),
        (Retire(constraint="allergies", why="no"), "allergies was written by a person. Only a person can change it (uac constraints)."),
        (Switch(constraint="allergies", on=False), "allergies was written by a person. Only a person can change it (uac constraints)."),
        (Switch(constraint="unknown", on=False), None),
        (Approve(constraint="proposed"), "Only a person can do this. Ask one to use 'uac constraints'."),
        (NUTS, None),
    ],
)  # fmt: skip
def test_a_model_may_only_propose_and_withdraw_its_own(memory: Memory, patch: Patch, why: str | None) -> None:
    expected = [] if why is None else [ReviewReason(1, f"patch 1: {why}", why)]
    assert unreviewed_refusals(memory.project(), [patch]) == expected


def test_an_approved_constraint_is_no_longer_the_models(memory: Memory) -> None:
    memory.checkpoint([Adopt(constraint=PROPOSED)])
    withdraw = [Retire(constraint="proposed", why="no")]
    assert unreviewed_refusals(memory.project(), withdraw) == []
    memory.checkpoint([Approve(constraint="proposed")], reviewed=True)
    assert [reason.why for reason in unreviewed_refusals(memory.project(), withdraw)] == [
        "proposed was approved. Only a person can change it (uac constraints)."
    ]
    assert [reason.why for reason in unreviewed_refusals(memory.project(), [Adopt(constraint=PROPOSED)])] == [
        "proposed was approved by a person. Choose another name."
    ]


def test_a_decision_about_constraints_is_not_retracted_without_a_person(memory: Memory) -> None:
    adopted = memory.project().constraints["allergies"].position
    proposed = memory.checkpoint([Adopt(constraint=PROPOSED)])
    approved = memory.checkpoint([Approve(constraint="proposed")], reviewed=True)
    (undone,) = memory.log.append([Retraction(positions=(approved,), why="undone")])
    assert retractions_needing_review(memory.project(), [adopted, proposed, approved, undone]) == [
        f"entry {adopted} adopts allergies of a person. Only a person can retract it (uac retract).",
        f"entry {approved} changes a constraint (approve). Only a person can retract it (uac retract).",
        f"entry {undone} changes a constraint (approve). Only a person can retract it (uac retract).",
    ]


def test_patches_without_the_refused_ones_keep_only_types_that_are_used() -> None:
    patches: dict[int, Patch] = {
        1: Define(type=NOTE),
        2: Define(type=type_of("notes.List", key=["title"], title="str")),
        3: Put(type="notes.Note", fields={"title": "a"}, cites=(1,)),
        4: Put(type="notes.List", fields={"title": "a"}, cites=(2,)),
        5: SetAside(why="chat", cites=(2,)),
    }
    assert set(patches_without_refused(patches, [4])) == {1, 3}
    assert patches_without_refused(patches, []) == patches


@pytest.mark.parametrize(
    "user",
    [
        Amend(record="notes.Note:a", fields={}),
        End(record="notes.Note:a", when="2026"),
        Drop(record="notes.Note:a", why="twice"),
        Adopt(constraint=constraint("rule", BODY, origin="model")),
    ],
)
def test_a_type_counts_as_used_by_every_patch_that_names_it(user: Patch) -> None:
    patches: dict[int, Patch] = {1: Define(type=NOTE), 2: user, 3: SetAside(why="chat", cites=(9,))}
    assert (1 in patches_without_refused(patches, [3])) == (not isinstance(user, Adopt))
