"""Which patches are accepted: all, a part of a model's, or a preview; and what a model may not change."""

import msgspec
import pytest

from support.constraints import ALLERGIES, NOW, case, constraint, watched
from support.short_logs import type_of
from uac import open_store
from uac.constraints.acceptance import (
    AcceptanceResources,
    failed_adoptions,
    offers_to_accept,
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
from uac.schema.constraints import Given
from uac.schema.entries import AlertChange, Checkpoint, Observation, Retraction, Tick
from uac.schema.patches import AddField, Adopt, Approve, Define, Patch, Put, Retire, Switch
from uac.schema.types import Field

BODY = "return [info(a.substance, a) for a in user.health.allergies]"
PROPOSED = constraint("proposed", BODY, origin="model")
BROKEN = constraint("broken", "return [info(str(1 // 0))]", origin="model")
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


def test_a_refused_patch_does_not_hold_back_another_one_for_the_same_fact(memory: Memory) -> None:
    accepted = part(memory, cited(NUTS, memory), cited(SOON, memory))
    assert (accepted.kept, [number for number, _why in accepted.refused]) == ((1,), [2])


def test_a_refused_constraint_does_not_hold_back_records_of_the_same_fact(memory: Memory) -> None:
    accepted = part(memory, cited(NUTS, memory), Adopt(constraint=BROKEN, cites=(words(memory),)))
    assert (accepted.kept, [number for number, _why in accepted.refused]) == ((1,), [2])


def test_a_constraint_that_failed_before_is_refused_with_its_reason(memory: Memory) -> None:
    accepted = part(memory, Adopt(constraint=PROPOSED), proposed="KeyError")
    assert accepted == PartialAcceptance((), ((1, "proposed: on the present state: KeyError"),))
    with pytest.raises(Rejected, match="proposed: on the present state: KeyError"):
        plan_patches(start(memory, proposed="KeyError"), [Adopt(constraint=PROPOSED)], NO_PACKS)


def test_of_too_many_constraints_at_once_only_the_last_ones_are_refused(memory: Memory) -> None:
    quiet = msgspec.structs.replace(BROKEN, code="nothing")
    many = [Adopt(constraint=msgspec.structs.replace(quiet, name=f"rule_{n}")) for n in range(22)]
    accepted = part(memory, *many, cited(NUTS, memory))
    assert accepted.kept == (23,)
    assert [why for _number, why in accepted.refused][20:] == [
        "adopts more than 20 constraints at once. Use several checkpoints."
    ] * 2


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


# --- types of packs ---------------------------------------------------------------------------------------------------

REX = Given(type="household.Pet", fields={"name": "Rex", "kind": "dog", "weight_kg": 40})
MIA = Given(type="household.Pet", fields={"name": "Mia", "kind": "cat"})
HEAVY = constraint(
    "heavy_pets",
    "return [info(pet.name, pet) for pet in user.household.pets if pet.weight_kg and pet.weight_kg > 30]",
    case("heavy", REX, fires=True),
    case("not weighed", MIA, fires=False),
    origin="model",
)
WALK = type_of("sport.Walk", cardinality="event", day="date", dog="household.Pet | None")


@pytest.mark.parametrize(
    "patch",
    [
        Adopt(constraint=HEAVY),
        AddField(type="household.Pet", field=Field(name="collar", type="str | None")),
        Define(type=WALK),
    ],
)
def test_a_patch_that_needs_a_type_of_a_pack_brings_it_along(memory: Memory, patch: Patch) -> None:
    plan = plan_patches(start(memory), [patch], RESOURCES)
    assert plan.ahead is not None
    assert "household.Pet" in plan.ahead.project.types
    assert {"heavy_pets", "collar", "sport.Walk"} & {
        *plan.ahead.project.constraints,
        *plan.ahead.project.types,
        *(field.name for field in plan.ahead.project.types["household.Pet"].fields),
    }
    with pytest.raises(Rejected) as error:
        plan_patches(start(memory), [patch], NO_PACKS)
    assert "household" in str(error.value)


@pytest.mark.parametrize(
    "patch",
    [
        Put(type="household.Pet", fields={"name": "Rex"}),
        AddField(type="household.Pet", field=Field(name="collar", type="str | None")),
        Define(type=WALK),
    ],
)
def test_a_missing_type_is_never_suggested_for_itself(memory: Memory, patch: Patch) -> None:
    """Whatever the packs offer: here they offer a type that they do not bring."""
    ahead = start(memory).ahead([Checkpoint(patches=(patch,))], offered=lambda: {"household.Pet", "household.Pets"})
    (refused,) = ahead.refused
    assert refused.why.endswith("Did you mean household.Pets?")


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


@pytest.mark.parametrize("name", ["user", "The user", "I", "myself", "self"])
def test_a_record_of_the_user_is_the_users_own_in_whatever_word(name: str) -> None:
    ana = Memory(open_store("memory:").log("ana"), clock=lambda: NOW)
    records = [
        ana.put("health.Allergy", {"substance": "nuts"}),
        ana.put("health.Allergy", {"substance": "nuts", "person": name}),
        ana.put("food.Diet", {"what": "vegan", "who": name}),
        ana.put("travel.Passport", {"holder": name}),
        ana.put("food.Booking", {"place": "The Crab Shack", "day": "2035-01-01", "who": [name]}),
    ]
    assert records == [
        "health.Allergy:nuts",
        "health.Allergy:nuts",
        "food.Diet:vegan|me",
        "travel.Passport:me",
        "food.Booking:the crab shack|2035-01-01",
    ]
    assert [alert.subject for alert in ana.alerts()] == ["the crab shack|2035-01-01 / vegan|me"]


def test_a_type_of_the_users_own_has_the_word_that_was_given() -> None:
    ana = Memory(open_store("memory:").log("ana"))
    ana.checkpoint([Define(type=type_of("chess.Game", key=["white"], white="str", who="str"))])
    record = ana.put("chess.Game", {"white": "Ana", "who": "user"})
    assert ana.project().record(record).values == {"white": "Ana", "who": "user"}
