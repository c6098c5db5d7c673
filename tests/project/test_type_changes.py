"""Changes of types carry the records and claims over, or change nothing at all."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import ALLERGY, PERSON, START, TRIP, Story, type_of
from uac.errors import Refused
from uac.project.draft import Draft
from uac.project.project import Project
from uac.project.type_changes import TypeChange, change_types
from uac.schema.patches import (
    AddField,
    Amend,
    ChangeKey,
    Define,
    MergeTypes,
    RenameField,
    RenameType,
    RetireField,
    RetypeField,
    SplitType,
)
from uac.schema.types import Field, Type

PET = type_of("home.Pet", key=["name"], name="str", kind="str", owner="people.Person | None")

WIDE = msgspec.structs.replace(
    PET, name="Wide", key=(), fields=tuple(Field(name=f"f{n}", type="str") for n in range(1001))
)


@pytest.fixture
def told() -> Project:
    story = Story()
    story.types(ALLERGY, PERSON, TRIP, PET)
    story.tell("health.Allergy", substance="nuts", severity="mild")
    story.tell("travel.Trip", city="Rome", start="2026-05-01", cost="300.50 EUR")
    story.tell("home.Pet", name="Bruno", kind="dog")
    story.tell("home.Pet", name="Mia", kind="cat")
    return story.project


def changed(project: Project, *patches: TypeChange) -> Project:
    draft = Draft(project, bounded=True)
    for patch in patches:
        change_types(draft, patch, project.position + 1, START)
    return draft.freeze(project.position + 1)


def values(project: Project, type_name: str) -> list[dict[str, object]]:
    records = project.records(type_name)
    return [{name: value for name, value in record.values.items() if value is not None} for record in records]


def test_a_renamed_field_keeps_its_claims(told: Project) -> None:
    after = changed(told, RenameField(type="health.Allergy", field="severity", to="grade"))
    assert values(after, "health.Allergy") == [{"substance": "nuts", "grade": "mild"}]
    before = told.record("health.Allergy:nuts")
    assert after.record("health.Allergy:nuts").claims["grade"] == before.claims["severity"]


def test_a_renamed_key_field_is_still_the_key(told: Project) -> None:
    after = changed(told, RenameField(type="health.Allergy", field="substance", to="agent"))
    assert after.types["health.Allergy"].key == ("agent",)
    assert [record.id for record in after.records("health.Allergy")] == ["health.Allergy:nuts"]


def test_a_retired_field_takes_its_claims_along(told: Project) -> None:
    after = changed(told, RetireField(type="health.Allergy", field="severity"))
    assert values(after, "health.Allergy") == [{"substance": "nuts"}]
    assert after.record("health.Allergy:nuts").claims.keys() == {"substance"}


@pytest.mark.parametrize(
    ("field", "to", "convert", "value"),
    [
        ("cost", "str | None", "text", "300.50 EUR"),
        ("start", "str", "text", "2026-05-01"),
        ("city", "list[str]", "wrap", ("Rome",)),
    ],
)
def test_a_retyped_field_converts_every_claim(told: Project, field: str, to: str, convert: str, value: object) -> None:
    after = changed(told, RetypeField(type="travel.Trip", field=field, to=to, convert=convert))  # type: ignore[arg-type]  # one of the conversions
    assert values(after, "travel.Trip")[0][field] == value


def test_wrapping_and_taking_the_first_are_inverse(told: Project) -> None:
    there = RetypeField(type="travel.Trip", field="city", to="list[str]", convert="wrap")
    back = RetypeField(type="travel.Trip", field="city", to="str", convert="first")
    assert changed(told, there, back).tables == told.tables


def test_a_new_field_with_a_default_is_claimed_for_every_record(told: Project) -> None:
    after = changed(told, AddField(type="home.Pet", field=Field(name="legs", type="int"), default=4))
    assert [(pet["name"], pet["legs"]) for pet in values(after, "home.Pet")] == [("Bruno", 4), ("Mia", 4)]
    assert [claim.authority for claim in after.record("home.Pet:mia").claims["legs"]] == ["inferred"]


def test_a_renamed_type_takes_its_records_along(told: Project) -> None:
    after = changed(told, RenameType(type="home.Pet", to="animals.Pet"))
    assert {"home.Pet", "animals.Pet"} & after.types.keys() == {"animals.Pet"}
    assert [record.id for record in after.records("animals.Pet")] == ["animals.Pet:bruno", "animals.Pet:mia"]


def test_types_that_were_split_can_be_merged_again(told: Project) -> None:
    split = SplitType(type="home.Pet", by="kind", into={"dog": "home.Dog", "cat": "home.Cat"})
    apart = changed(told, split)
    assert values(apart, "home.Dog") == [{"name": "Bruno", "kind": "dog"}]
    assert values(apart, "home.Cat") == [{"name": "Mia", "kind": "cat"}]
    merged = changed(apart, MergeTypes(types=("home.Cat",), into="home.Dog"))
    assert values(merged, "home.Dog") == [{"name": "Bruno", "kind": "dog"}, {"name": "Mia", "kind": "cat"}]


@pytest.mark.parametrize(
    "patch",
    [
        Define(type=type_of("health.Allergy", key=["substance"], substance="str")),
        Define(type=type_of("home.Cage", key=["pet"], pet="home.Bird")),
        Define(type=type_of("home.Cage", key=["name"], name="str", trip="travel.Trip")),
        Define(type=WIDE),
        AddField(type="home.Pet", field=Field(name="legs", type="int")),
        AddField(type="home.Pet", field=Field(name="legs", type="int"), default="four"),
        RenameField(type="home.Pet", field="colour", to="color"),
        RetireField(type="home.Pet", field="name"),
        RetypeField(type="home.Pet", field="name", to="int", convert="number"),
        RetypeField(type="home.Pet", field="kind", to="date", convert="date"),
        RetypeField(type="home.Pet", field="kind", to="str", convert="first"),
        RetypeField(type="home.Pet", field="owner", to="str", convert="text"),
        AddField(type="home.Pet", field=Field(name="kind", type="int")),
        AddField(type="home.Pet", field=Field(name="kind", type="str"), default="dog"),
        ChangeKey(type="home.Pet", key=("colour",)),
        ChangeKey(type="home.Pet", key=("owner",)),
        ChangeKey(type="home.Pet", key=()),
        ChangeKey(type="home.Bird", key=("name",)),
        RenameType(type="home.Pet", to="health.Allergy"),
        RenameType(type="people.Person", to="people.Human"),
        SplitType(type="home.Pet", by="colour", into={}),
        SplitType(type="home.Pet", by="kind", into={"dog": "home.Dog"}),
        SplitType(type="home.Pet", by="kind", into={"dog": "home.Pet", "cat": "home.Cat"}),
        MergeTypes(types=("home.Pet",), into="health.Allergy"),
        MergeTypes(types=("home.Bird",), into="home.Pet"),
    ],
    ids=lambda patch: type(patch).__name__,
)
def test_a_change_that_is_refused_leaves_types_and_records_as_they_were(told: Project, patch: TypeChange) -> None:
    draft = Draft(told, bounded=True)
    with pytest.raises(Refused):
        change_types(draft, patch, told.position + 1, START)
    after = draft.freeze(told.position)
    assert (after.types, after.tables) == (told.types, told.tables)


def test_adding_a_field_that_is_there_changes_nothing(told: Project) -> None:
    for type_name in ("str", "str | None"):
        after = changed(told, AddField(type="home.Pet", field=Field(name="kind", type=type_name)))
        assert (after.types, after.tables) == (told.types, told.tables)


def test_a_field_that_may_be_left_out_from_now_on_keeps_its_claims(told: Project) -> None:
    after = changed(told, RetypeField(type="home.Pet", field="kind", to="str | None"))
    assert values(after, "home.Pet") == values(told, "home.Pet")
    assert after.types["home.Pet"].fields[1].type == "str | None"


# --- keys -------------------------------------------------------------------------------------------------------------

MEAL = type_of("food.Meal", key=["place"], place="str", day="date", dish="str")
REVIEW = type_of("food.Review", cardinality="event", meal="food.Meal", also="list[food.Meal]")


def test_records_get_the_ids_of_another_key_and_references_follow() -> None:
    story = Story()
    story.types(MEAL, REVIEW)
    nove = story.tell("food.Meal", place="Nove", day="2026-01-08", dish="Mola")
    story.tell("food.Meal", place="Mola", day="2026-01-09", dish="Nove")
    story.tell("food.Review", meal="nove", also=["nove", "mola"])
    facts = [position for position, records in story.project.used.items() if nove in records]
    after = changed(story.project, ChangeKey(type="food.Meal", key=("dish",)))
    assert [(record.id, record.values["place"]) for record in after.records("food.Meal")] == [
        ("food.Meal:mola", "Nove"),
        ("food.Meal:nove", "Mola"),
    ]
    (review,) = after.records("food.Review")
    assert (review.values["meal"], review.values["also"]) == ("mola", ("mola", "nove"))
    assert {after.used[position] for position in facts} == {("food.Meal:mola",)}
    assert after.waiting == story.project.waiting


@pytest.mark.parametrize(
    ("other", "key", "why"),
    [
        (None, ("place", "day"), None),
        ({"place": "Mola", "day": "2026-01-08", "dish": "soup"}, ("day",), "would have the same key"),
        ({"place": "Mola", "day": "2026-01-08", "dish": "soup"}, ("day", "dish"), None),
    ],
)
def test_a_key_that_two_records_share_is_refused(
    other: dict[str, Any] | None, key: tuple[str, ...], why: str | None
) -> None:
    story = Story()
    story.types(MEAL)
    story.tell("food.Meal", place="Nove", day="2026-01-08", dish="pasta")
    if other is not None:
        story.tell("food.Meal", **other)
    if why is None:
        after = changed(story.project, ChangeKey(type="food.Meal", key=key))
        assert after.types["food.Meal"].key == key
    else:
        with pytest.raises(Refused, match=why):
            changed(story.project, ChangeKey(type="food.Meal", key=key))


@pytest.mark.parametrize(
    "referring",
    [
        type_of("food.Note", key=["meal"], meal="food.Meal"),
        type_of("food.Meal", key=["place"], place="str", day="date", dish="str", after="food.Meal | None"),
    ],
)
def test_a_type_in_the_key_of_another_or_in_itself_keeps_its_key(referring: Type) -> None:
    story = Story()
    story.types(*{type_.full_name: type_ for type_ in (MEAL, referring)}.values())
    with pytest.raises(Refused, match="needs its key"):
        changed(story.project, ChangeKey(type="food.Meal", key=("place", "day")))


DRUG = type_of("health.Drug", key=["name"], name="str", dose="str | None", person="str | None")


def test_an_optional_field_that_is_appended_to_the_key_leaves_the_records_without_it_as_they_are() -> None:
    story = Story()
    story.types(DRUG)
    story.tell("health.Drug", name="Advil", dose="200 mg")
    story.tell("health.Drug", name="Zyrtec", person="Theo")
    story.change(ChangeKey(type="health.Drug", key=("name", "person")))
    story.tell("health.Drug", name="advil", dose="400 mg")
    story.tell("health.Drug", name="Advil", person="Theo")
    assert [(record.id, record.values["dose"]) for record in story.project.records("health.Drug")] == [
        ("health.Drug:advil", "400 mg"),
        ("health.Drug:zyrtec|theo", None),
        ("health.Drug:advil|theo", None),
    ]
    story.change(Amend(record="health.Drug:advil|theo", fields={"person": "Mia"}, cites=(story.fact("It is Mia's."),)))
    assert [record.id for record in story.project.records("health.Drug")][-1] == "health.Drug:advil|mia"
    assert story.refolded() == story.project


def test_an_unset_key_field_between_two_others_is_an_empty_part_of_the_key() -> None:
    story = Story()
    story.types(type_of("a.Thing", key=["x", "y", "z"], x="str", y="date | None", z="str | None"))
    assert story.tell("a.Thing", x="a", z="c") == "a.Thing:a||c"
    assert story.tell("a.Thing", x="a", y="2026-01-02") == "a.Thing:a|2026-01-02"
    assert story.tell("a.Thing", x="a") == "a.Thing:a"
    assert story.tell("a.Thing", x="a", y=None, z=None) == "a.Thing:a"
    assert len(story.project.records("a.Thing")) == 3


def test_a_key_field_may_become_optional_and_required_again_but_not_another_kind() -> None:
    story = Story()
    story.types(type_of("travel.Trip", cardinality="event", key=["to", "start"], to="str", start="date"))
    rome = story.tell("travel.Trip", to="Rome", start="2026-05-01")
    story.change(RetypeField(type="travel.Trip", field="start", to="date | None"))
    oslo = story.tell("travel.Trip", to="Oslo")
    assert (
        [record.id for record in story.project.records("travel.Trip")]
        == [rome, oslo]
        == [
            "travel.Trip:rome|2026-05-01",
            "travel.Trip:oslo",
        ]
    )
    with pytest.raises(Refused, match="has no start"):
        changed(story.project, RetypeField(type="travel.Trip", field="start", to="date"))
    with pytest.raises(Refused, match="part of the key, and records exist"):
        changed(story.project, RetypeField(type="travel.Trip", field="start", to="str | None", convert="text"))


WORD = st.sampled_from(["a", "b", "c"])


@given(
    st.lists(st.tuples(WORD, WORD, WORD), min_size=1, max_size=5, unique=True),
    st.lists(st.lists(st.sampled_from(["x", "y", "z"]), max_size=3, unique=True), min_size=1, max_size=4),
)
@settings(max_examples=60, deadline=None)
def test_no_change_of_keys_loses_a_record_or_a_claim(rows: list[tuple[str, str, str]], keys: list[list[str]]) -> None:
    story = Story()
    story.types(type_of("a.Thing", cardinality="event", x="str", y="str", z="str"))
    for x, y, z in rows:
        story.tell("a.Thing", x=x, y=y, z=z)
    project = story.project
    for key in keys:
        try:
            project = changed(project, ChangeKey(type="a.Thing", key=tuple(key)))
        except Refused:
            assert key
            assert len({tuple(record.values[name] for name in key) for record in project.records("a.Thing")}) < len(
                rows
            )
    records, before = project.records("a.Thing"), story.project.records("a.Thing")
    assert [(record.order, record.claims, record.values) for record in records] == [
        (record.order, record.claims, record.values) for record in before
    ]
    assert {record for used in project.used.values() for record in used} == {record.id for record in records}
    again = changed(project, ChangeKey(type="a.Thing", key=()))
    assert (again.tables, again.used) == (story.project.tables, story.project.used)


def test_records_that_would_become_one_are_not_merged() -> None:
    story = Story()
    story.types(type_of("home.Dog", key=["name"], name="str"), type_of("home.Cat", key=["name"], name="str"))
    for name in ("home.Dog", "home.Cat"):
        story.tell(name, name="Mia")
    with pytest.raises(Refused, match=r"home.Dog:mia"):
        changed(story.project, MergeTypes(types=("home.Cat",), into="home.Dog"))
