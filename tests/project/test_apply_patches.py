"""The door: what is refused, with which words, and that nothing is applied then."""

from datetime import date
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.constraints import ALLERGIES, MEDICATION
from support.short_logs import ALLERGY, PASSPORT, PERSON, TRIP, Story, type_of
from uac.errors import Refused, Rejected
from uac.project.apply_patches import Accepted, Refusal, check_patches
from uac.project.diff import Change, diff
from uac.schema.constraints import Knowledge
from uac.schema.patches import (
    AddField,
    Adopt,
    Amend,
    Define,
    Drop,
    End,
    Learn,
    MergeTypes,
    Patch,
    Put,
    RenameField,
    RenameType,
    RetireField,
    RetypeField,
    SetAside,
    SplitType,
    Switch,
    describe_patch,
)
from uac.schema.types import Field

PAIR = {"city": "Paris", "start": "2026-05-01"}


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(TRIP, ALLERGY, PASSPORT, PERSON)
    return story


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (
            Put(type="travel.Trip", fields={"city": "Paris", "start": "2026-02-30"}, cites=(3,)),
            "Use a date that exists",
        ),
        (
            Put(type="travel.Trip", fields={"city": "Paris", "start": "soon"}, cites=(3,)),
            "start is 'soon'. Use a date",
        ),
        (
            Put(type="travel.Trip", fields={"city": 5, "start": "2026-05-01"}, cites=(3,)),
            "city is 5. Use a value of type str.",
        ),
        (
            Put(type="travel.Trip", fields={"city": None, "start": "2026-05-01"}, cites=(3,)),
            "city is null. Use a value of type str.",
        ),
        (
            Put(type="travel.Trip", fields={"city": "Paris"}, cites=(3,)),
            "field start is missing. Give a value of type date.",
        ),
        (Put(type="travel.Trip", fields={**PAIR, "cost": "many euros"}, cites=(3,)), "Use an amount and a currency"),
        (
            Put(type="travel.Trip", fields={**PAIR, "town": "x"}, cites=(3,)),
            "travel.Trip has no field town. Use one of",
        ),
        (Put(type="travel.Trap", fields=PAIR, cites=(3,)), "There is no type travel.Trap. Use one of: health.Allergy"),
        (Put(type="travel.Trip", fields=PAIR, cites=()), "cites nothing"),
        (Put(type="travel.Trip", fields=PAIR, cites=(99,)), "cites 99, which is not an active fact"),
        (Put(type="travel.Trip", fields=PAIR, cites=(1,)), "cites 1, which is not an active fact"),
        (Put(type="health.Allergy", fields={"severity": "x"}, cites=(3,)), "key field substance is missing"),
        (Amend(record="travel.Trip:none", fields={"city": "x"}, cites=(3,)), "No record 'travel.Trip:none'"),
        (Amend(record="travel.Passport:x1", fields={}, cites=(3,)), "names no fields"),
        (End(record="travel.Passport:x1", when="2026-13", cites=(3,)), "month must be in 1..12"),
        (End(record="travel.Passport:x1", when="", cites=(3,)), "when is empty"),
        (Drop(record="travel.Passport:x1", why=" "), "why is empty"),
        (Drop(record="people.Person:mia", why="x"), "people.Pet:rex refers to it"),
        (SetAside(cites=(3,), why=""), "why is empty"),
        (
            Put(type="people.Pet", fields={"name": "Tom", "owner": "nobody"}, cites=(3,)),
            "Use the key of an existing people.Person",
        ),
        (Define(type=type_of("travel.Trip", cardinality="event", city="str")), "exists with other fields"),
        (Define(type=type_of("travel.Visit", cardinality="event", where_to="place.Place")), "refers to place.Place"),
        (AddField(type="travel.Passport", field=Field(name="country", type="str")), "Give it a default"),
        (RenameField(type="travel.Trip", field="town", to="city2"), "There is no field town"),
        (RenameField(type="travel.Trip", field="city", to="start"), "occurs twice"),
        (
            RetypeField(type="travel.Passport", field="number", to="int", convert="number"),
            "part of the key, and records exist",
        ),
        (RetireField(type="travel.Passport", field="number"), "part of the key"),
        (RenameType(type="people.Person", to="people.Human"), "people.Pet refers to people.Person"),
        (
            MergeTypes(types=("travel.Trip", "travel.Passport"), into="travel.Trip"),
            "differ in fields, key or cardinality",
        ),
    ],
)
def test_a_patch_that_does_not_fit_is_refused_and_says_what_was_needed(patch: Patch, why: str) -> None:
    story = Story()
    story.types(TRIP, ALLERGY, PASSPORT, PERSON, type_of("people.Pet", key=["name"], name="str", owner="people.Person"))
    position = story.fact("something")
    assert position == 3
    story.tell("travel.Passport", number="X1", expires="2027-01-01")
    story.tell("people.Person", name="Mia")
    story.tell("people.Pet", name="Rex", owner="mia")
    head, before = story.memory.log.head(), story.project
    result = check_patches(before, [patch])
    assert isinstance(result, tuple)
    assert [refusal.patch for refusal in result] == [1]
    assert why in result[0].why
    with pytest.raises(Rejected):
        story.change(patch)
    assert story.memory.log.head() == head
    assert story.refolded() == before


def test_all_refusals_of_a_checkpoint_come_at_once_and_none_is_applied(story: Story) -> None:
    position = story.fact("x")
    result = check_patches(
        story.project,
        [
            Put(type="travel.Trip", fields=PAIR, cites=(position,)),
            Put(type="travel.Trip", fields={"city": "Paris", "start": "soon"}, cites=(position,)),
            Put(type="nope.Nope", fields={}, cites=(position,)),
        ],
    )
    assert result == (
        Refusal(2, "put travel.Trip", "start is 'soon'. Use a date that exists, YYYY-MM-DD."),
        Refusal(
            3,
            "put nope.Nope",
            "There is no type nope.Nope. Use one of: health.Allergy, people.Person, travel.Passport, travel.Trip.",
        ),
    )


def test_a_fact_that_is_neither_used_nor_set_aside_is_refused(story: Story) -> None:
    first, second = story.fact("one"), story.fact("two")
    patches = [Put(type="travel.Trip", fields=PAIR, cites=(first,))]
    result = check_patches(story.project, patches, facts=[first, second])
    assert result == (Refusal(0, "", f"facts {second} are neither used nor set aside. Cite each of them in a patch."),)
    assert isinstance(
        check_patches(story.project, [*patches, SetAside(cites=(second,), why="chat")], facts=[first, second]), Accepted
    )


@pytest.mark.parametrize(
    "name", ["", "_hidden", "class", "print", "Ünit", "a b", "a.b", "x" * 64, "1st", "import os", "a\nb", "__class__"]
)
def test_a_name_that_could_become_code_is_refused(story: Story, name: str) -> None:
    for type_ in (
        type_of("travel.Stop", cardinality="event", **dict[str, Any]({name: "str"})),
        msgspec.structs.replace(TRIP, name=name or "x"),
        msgspec.structs.replace(TRIP, domain=name, name="Stop"),
        msgspec.structs.replace(TRIP, name="Stop", collection=name or "_"),
    ):
        result = check_patches(story.project, [Define(type=type_)])
        assert isinstance(result, tuple), type_


def test_a_field_can_be_added_renamed_retyped_and_retired_and_claims_are_carried_over(story: Story) -> None:
    trip = story.tell("travel.Trip", city="Paris", start="2026-05-01")
    story.change(
        AddField(type="travel.Trip", field=Field(name="seats", type="str"), default="2"),
        RenameField(type="travel.Trip", field="city", to="town"),
        RetypeField(type="travel.Trip", field="seats", to="int", convert="number"),
        RetireField(type="travel.Trip", field="cost"),
        RetypeField(type="travel.Trip", field="town", to="list[str]", convert="wrap"),
    )
    assert story.values(trip) == {"town": ("Paris",), "start": date(2026, 5, 1), "seats": 2}
    assert story.project == story.refolded()


def test_a_type_can_be_split_by_a_field_and_merged_again(story: Story) -> None:
    story.types(type_of("food.Item", key=["name"], name="str", kind="str"))
    story.tell("food.Item", name="milk", kind="drink")
    story.tell("food.Item", name="bread", kind="meal")
    story.change(SplitType(type="food.Item", by="kind", into={"drink": "food.Drink", "meal": "food.Meal"}))
    assert sorted(story.project.tables["food.Drink"]) == ["food.Drink:milk"]
    assert "food.Item" not in story.project.types
    story.change(MergeTypes(types=("food.Drink", "food.Meal"), into="food.Meal"))
    assert [record.id for record in story.project.records("food.Meal")] == ["food.Meal:milk", "food.Meal:bread"]
    (position,) = story.project.record("food.Meal:milk").cites
    assert story.project.used[position] == ("food.Meal:milk",)
    assert story.project == story.refolded()


def test_a_type_can_be_renamed_with_its_records(story: Story) -> None:
    story.tell("health.Allergy", substance="nuts")
    story.change(RenameType(type="health.Allergy", to="medical.Allergy"))
    assert story.project.record("medical.Allergy:nuts").values["substance"] == "nuts"
    assert story.project == story.refolded()


def test_a_refused_type_change_leaves_the_types_as_they_were(story: Story) -> None:
    story.types(type_of("food.Item", key=["name"], name="str", kind="str"))
    story.tell("food.Item", name="milk", kind="drink")
    before = story.project
    result = check_patches(
        before, [SplitType(type="food.Item", by="kind", into={"drink": "food.Drink", "x": "food.class"})]
    )
    assert isinstance(result, tuple)
    assert story.refolded() == before


def test_patches_are_read_from_json_strictly() -> None:
    decode = msgspec.json.Decoder(list[Patch]).decode
    assert decode(b'[{"op": "drop", "record": "a.B:c", "why": "twice"}]') == [Drop(record="a.B:c", why="twice")]
    for bad in (
        b'[{"op": "exec"}]',
        b'[{"op": "drop", "record": "a"}]',
        b'[{"op": "drop", "record": "a", "why": "b", "x": 1}]',
    ):
        with pytest.raises(msgspec.ValidationError):
            decode(bad)


A = type_of("a.Item", key=["n"], n="str", v="str | None")


def refused(story: Story, *patches: Patch) -> str:
    before = story.project
    with pytest.raises(Rejected) as rejected:
        story.change(*patches)
    assert story.refolded() == before
    return rejected.value.reasons[0]


def test_types_whose_records_would_collide_are_not_merged_or_split() -> None:
    story = Story()
    story.types(A, *(msgspec.structs.replace(A, name=name) for name in ("Box", "Crate")))
    story.tell("a.Item", n="x", v="1")
    story.tell("a.Box", n="x", v="2")
    assert "Renaming a.Box:x would collide with the existing record a.Crate:x" in refused(
        story, MergeTypes(types=("a.Item", "a.Box"), into="a.Crate")
    )
    assert "would collide with the existing record a.Box:x" in refused(
        story, SplitType(type="a.Item", by="v", into={"1": "a.Box"})
    )
    story.change(MergeTypes(types=("a.Item", "a.Item"), into="a.Crate"))
    assert sorted(story.project.tables) == ["a.Box", "a.Crate"]


def test_a_one_never_stands_twice() -> None:
    story = Story()
    story.types(PASSPORT, msgspec.structs.replace(PASSPORT, name="Visa"))
    first = story.tell("travel.Passport", number="X1", expires="2027-01-01")
    story.change(End(record=first, when="2026", cites=(story.fact("lost"),)))
    story.tell("travel.Passport", number="X2", expires="2037-01-01")
    again = Put(type="travel.Passport", fields={"number": "X1"}, cites=(story.fact("found"),))
    assert (
        "the new key would collide with the existing record travel.Passport:x1. "
        "That one has ended: end travel.Passport:x2, then put it." in refused(story, again)
    )
    story.tell("travel.Visa", number="V", expires="2027-01-01")
    assert "can have only one record, but" in refused(story, MergeTypes(types=("travel.Visa",), into="travel.Passport"))


PROFILE = type_of("people.Profile", cardinality="one", name="str | None", job="str | None", home="str | None")


def test_a_put_of_a_type_with_one_record_adds_to_that_record() -> None:
    story = Story()
    story.types(PROFILE)
    first = story.tell("people.Profile", name="Ana", job="nurse")
    assert story.tell("people.Profile", job="teacher") == first
    (record,) = story.project.records("people.Profile")
    assert record.values == {"name": "Ana", "job": "teacher", "home": None}
    assert [claim.value for claim in record.claims["job"]] == ["nurse", "teacher"]
    story.change(End(record=first, when="2026", cites=(story.fact("gone"),)))
    assert story.tell("people.Profile", name="Ana") != first


def test_a_put_of_a_type_with_one_record_may_leave_out_or_change_its_key() -> None:
    story = Story()
    story.types(PASSPORT)
    story.tell("travel.Passport", number="X1", expires="2027-01-01")
    assert story.tell("travel.Passport", expires="2028-01-01") == "travel.Passport:x1"
    before = story.project
    assert story.tell("travel.Passport", number="X2") == "travel.Passport:x2"
    (record,) = story.project.records("travel.Passport")
    assert [claim.value for claim in record.claims["number"]] == ["X1", "X2"]
    assert record.order == before.record("travel.Passport:x1").order
    assert diff(before, story.project) == [
        Change("record", "changed", "travel.Passport:x2", "x1", "x2"),
        Change("field", "changed", "travel.Passport:x2.number", "X1", "X2"),
    ]


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["name", "job", "home"]), st.sampled_from(["a", "b", "c"]), min_size=1),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=30, deadline=None)
def test_puts_of_a_type_with_one_record_are_as_amends_of_it(told: list[dict[str, Any]]) -> None:
    by_put, by_amend = Story(), Story()
    for story in (by_put, by_amend):
        story.types(PROFILE)
        story.tell("people.Profile", **told[0])
    for fields in told[1:]:
        cites = {story: (story.fact(str(fields)),) for story in (by_put, by_amend)}
        by_put.change(Put(type="people.Profile", fields=fields, cites=cites[by_put]))
        (record,) = by_amend.project.records("people.Profile")
        by_amend.change(Amend(record=record.id, fields=fields, cites=cites[by_amend]))
    assert by_put.project.tables == by_amend.project.tables
    assert by_put.refolded().tables == by_put.project.tables


def test_an_amended_key_renames_the_record_with_its_history_and_says_so() -> None:
    story = Story()
    story.types(type_of("food.Meal", key=["place", "day"], place="str", day="date", cost="Money | None"))
    meal = story.tell("food.Meal", place="Nove", day="2026-01-08", cost="30 EUR")
    other = story.tell("food.Meal", place="Nove", day="2026-01-09")
    before = story.project
    taken = Amend(record=meal, fields={"day": "2026-01-09"}, cites=(story.fact("on the 9th"),))
    assert (
        f"the new key would collide with the existing record {other}. Merge the two if they are one; drop one of them if not."
        in refused(story, taken)
    )
    story.change(Amend(record=meal, fields={"day": "2026-01-10"}, cites=(story.fact("on the 10th"),)))
    moved = story.project.record("food.Meal:nove|2026-01-10")
    assert [str(claim.value) for claim in moved.claims["day"]] == ["2026-01-08", "2026-01-10"]
    assert moved.order == before.record(meal).order
    assert diff(before, story.project)[0] == Change("record", "changed", moved.id, "nove|2026-01-08", "nove|2026-01-10")
    assert len(story.project.records("food.Meal")) == 2


def test_a_type_that_refers_to_itself_keeps_its_name_and_its_keys() -> None:
    story = Story()
    story.types(type_of("people.Person", key=["name"], name="str", friend="people.Person | None"))
    story.tell("people.Person", name="Ann")
    ann = story.tell("people.Person", name="Ann", friend="ann")
    assert "refers to people.Person" in refused(story, RenameType(type="people.Person", to="people.Human"))
    with pytest.raises(Refused, match="Drop and put it instead"):
        story.memory.correct(ann, "name", "Anna")


def test_references_are_checked_wherever_a_field_gets_its_type(story: Story) -> None:
    lost = Field(name="host", type="nowhere.Thing | None")
    assert "which is not defined" in refused(story, AddField(type="travel.Trip", field=lost))
    assert "which is not defined" in refused(story, RetypeField(type="travel.Trip", field="city", to="nowhere.Thing"))


def test_a_field_that_records_lack_cannot_become_required(story: Story) -> None:
    story.tell("health.Allergy", substance="nuts")
    assert "has no severity" in refused(story, RetypeField(type="health.Allergy", field="severity", to="str"))


def test_an_empty_key_is_refused(story: Story) -> None:
    patch = Put(type="health.Allergy", fields={"substance": " "}, cites=(story.fact("x"),))
    assert "substance is '', which has no visible characters" in refused(story, patch)
    record = story.tell("health.Allergy", substance="nuts")
    with pytest.raises(Refused, match="has no visible characters"):
        story.memory.correct(record, "substance", " ")


def test_a_type_with_its_own_collection_name_can_be_renamed() -> None:
    story = Story()
    story.types(msgspec.structs.replace(A, collection="things"))
    story.tell("a.Item", n="x")
    story.change(RenameType(type="a.Item", to="a.Thing"))
    assert story.project.record("a.Thing:x").values["n"] == "x"


def test_keys_that_look_the_same_are_the_same(story: Story) -> None:
    first = story.tell("health.Allergy", substance="Caf\u00e9")
    assert story.tell("health.Allergy", substance="cafe\u0301") == first


def test_a_log_whose_first_fold_meets_a_retracted_state_can_be_read() -> None:
    story = Story()
    story.types(type_of("a.X", key=["n"], n="str", v="int | None"))
    story.tell("a.X", n="x", v=1)
    retype = story.change(RetypeField(type="a.X", field="v", to="list[int] | None", convert="wrap"))
    story.change(RetypeField(type="a.X", field="v", to="int | None", convert="first"))
    story.memory.retract([retype], why="no list after all")
    assert story.refolded() == story.project


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        (Define(type=TRIP), "define travel.Trip"),
        (Drop(record="travel.Trip:1", why="twice"), "drop travel.Trip:1"),
        (SetAside(why="chat", cites=(3, 4)), "set_aside 3, 4"),
        (MergeTypes(types=("a.B", "a.C"), into="a.B"), "merge_types a.B, a.C"),
        (Adopt(constraint=ALLERGIES), "adopt allergies"),
        (Switch(constraint="allergies", on=False), "switch allergies"),
        (Learn(knowledge=Knowledge.of({}, name="a.b", version="1", date="", source="", note="")), "learn a.b"),
        (RetireField(type="travel.Trip", field="city"), "retire_field travel.Trip"),
    ],
)
def test_a_patch_is_described_by_its_operation_and_subject(patch: Patch, text: str) -> None:
    assert describe_patch(patch) == text


def test_a_stated_rule_sets_its_fact_aside_as_the_constraint(story: Story) -> None:
    position = story.fact("Warn me of nuts")
    story.types(MEDICATION)
    result = check_patches(story.project, [Adopt(constraint=ALLERGIES, cites=(position,))])
    assert isinstance(result, Accepted)
    assert result.project.aside[position].why == "it is the constraint allergies"


def test_an_ended_record_that_is_put_again_is_active_again(story: Story) -> None:
    passport = story.tell("travel.Passport", number="X1", expires="2027-01-01")
    story.change(End(record=passport, when="2026-02", cites=(story.fact("lost"),)))
    assert story.tell("travel.Passport", number="X1", expires="2028-01-01") == passport
    assert story.project.record(passport).ended is None


@pytest.mark.parametrize(
    ("field_cites", "why"),
    [({"city": ()}, "field_cites of city"), ({"city": (1,)}, "field_cites of city")],
)
def test_a_field_cites_only_facts_of_its_patch(story: Story, field_cites: dict[str, tuple[int, ...]], why: str) -> None:
    patch = Put(type="travel.Trip", fields=PAIR, cites=(story.fact("x"),), field_cites=field_cites)
    result = check_patches(story.project, [patch])
    assert isinstance(result, tuple)
    assert why in result[0].why


def test_records_follow_a_reference_in_a_list_to_its_new_key(story: Story) -> None:
    story.types(type_of("people.Team", key=["name"], name="str", members="list[people.Person]"))
    story.tell("people.Person", name="Mia")
    team = story.tell("people.Team", name="Red", members=["MIA"])
    story.memory.correct("people.Person:mia", "name", "Maja")
    assert story.values(team)["members"] == ("maja",)
    with pytest.raises(Rejected, match="refers to it"):
        story.change(Drop(record="people.Person:maja", why="twice"))
