"""Which patches of one reply are held back with a refused one, and that no others are."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.constraints import constraint
from support.short_logs import type_of
from uac.constraints.dependent_patches import held_back, names_of_type, types_needed
from uac.schema.patches import (
    AddField,
    Adopt,
    Amend,
    Define,
    Drop,
    End,
    Patch,
    Put,
    RenameField,
    RetireField,
    RetypeField,
    SetAside,
)
from uac.schema.types import Field

NOTE = type_of("notes.Note", key=["title"], title="str", about="people.Person | None")
RULE = Adopt(constraint=constraint("rule", "return [info(note.title) for note in user.notes.notes]", origin="model"))
RATED = Adopt(
    constraint=constraint(
        "rated", "return [info(a.substance) for a in user.health.allergies if a.stars]", origin="model"
    )
)
STARS = AddField(type="health.Allergy", field=Field(name="stars", type="int | None"))


def put(type_name: str = "notes.Note", *, cites: tuple[int, ...] = (1,), **fields: str) -> Put:
    return Put(type=type_name, fields=fields or {"title": "a"}, cites=cites)


def held(patches: Sequence[Patch], *refused: int, unfit: Sequence[Patch] = ()) -> list[int]:
    return sorted(held_back(dict(enumerate(patches, 1)), refused, unfit))


@pytest.mark.parametrize(
    "user",
    [
        put(),
        Amend(record="notes.Note:a", fields={}),
        End(record="notes.Note:a", when="2026"),
        Drop(record="notes.Note:a", why="twice"),
        AddField(type="notes.Note", field=Field(name="x", type="str | None")),
        Define(type=type_of("notes.Page", cardinality="event", note="notes.Note")),
        RULE,
    ],
)
def test_a_type_is_not_kept_for_a_refused_patch_alone(user: Patch) -> None:
    assert held([Define(type=NOTE), user], 2) == [1]
    assert held([Define(type=NOTE)], unfit=[user]) == [1]
    assert held([Define(type=NOTE), user, put(cites=(2,))], 2) == []
    assert held([Define(type=NOTE), put("other.Thing")], 2) == []


@pytest.mark.parametrize(
    ("change", "user"),
    [
        (STARS, put("health.Allergy", stars="5")),
        (STARS, Amend(record="health.Allergy:nuts", fields={"stars": 5})),
        (STARS, RATED),
        (RenameField(type="health.Allergy", field="rank", to="stars"), put("health.Allergy", stars="5")),
        (RetypeField(type="health.Allergy", field="stars", to="str", convert="text"), put("health.Allergy", stars="5")),
    ],
)
def test_a_change_of_a_field_is_not_kept_for_a_refused_patch_alone(change: Patch, user: Patch) -> None:
    assert held([change, user], 2) == [1]
    assert held([change, user, put("health.Allergy", stars="4")], 2) == []
    assert held([change, put("health.Allergy", substance="nuts")], 2) == []
    assert held([change]) == []
    assert held([RetireField(type="health.Allergy", field="stars"), user], 2) == []


def test_the_end_of_a_record_and_the_one_in_its_place_stand_or_fall_together() -> None:
    end = End(record="home.Lease:oak", when="2026", cites=(7,))
    for refused, other in ((1, 2), (2, 1)):
        assert held([end, put("home.Lease", cites=(7, 8))], refused) == [other]
        assert held([end, put("home.Lease", cites=(8,))], refused) == []
        assert held([end, put("finance.Income", cites=(7,))], refused) == []
    assert held([put("home.Lease", cites=(7,))], unfit=[end]) == [1]


def test_a_dropped_record_and_any_record_of_the_same_fact_stand_or_fall_together() -> None:
    drop = Drop(record="home.Lease:oak", why="it is a loan", cites=(7,))
    for refused, other in ((1, 2), (2, 1)):
        assert held([drop, put("finance.Loan", cites=(7,))], refused) == [other]
        assert held([drop, put("finance.Loan", cites=(8,))], refused) == []


def test_what_is_held_back_holds_back_what_depends_on_it() -> None:
    patches: list[Patch] = [
        Define(type=NOTE),
        End(record="notes.Note:b", when="2026", cites=(3,)),
        put(cites=(3,)),
        put("other.Thing", cites=(3,)),
        SetAside(why="chat", cites=(3,)),
    ]
    reasons = held_back(dict(enumerate(patches, 1)), [2])
    assert reasons == {
        3: "held back: it takes the place of 'end notes.Note:b', or the other way round. Give both again.",
        1: "held back: only 'end notes.Note:b' needs it, which is not accepted. Give both again.",
    }


def test_a_type_is_needed_by_its_name_or_by_its_collections() -> None:
    assert names_of_type(NOTE) == {"notes.Note", "notes.notes", "notes.former_notes"}
    assert types_needed(Define(type=NOTE)) == {"people.Person"}
    assert types_needed(RULE) == {"notes.notes", "health.Allergy", "health.Medication"}
    assert types_needed(SetAside(why="chat", cites=(1,))) == set()


def broken(field: str) -> AddField:
    return AddField(type="notes.Note", field=Field(name=field, type="not a type"))


PATCHES = st.lists(
    st.one_of(
        st.builds(put, st.sampled_from(["notes.Note", "a.B"]), cites=st.sampled_from([(1,), (2,), (1, 2)])),
        st.builds(End, record=st.sampled_from(["notes.Note:a", "a.B:x"]), when=st.just("2026"), cites=st.just((1,))),
        st.builds(Drop, record=st.just("a.B:x"), why=st.just("no"), cites=st.sampled_from([(1,), (2,)])),
        st.just(Define(type=NOTE)),
        st.builds(broken, st.sampled_from(["title", "x"])),
        st.just(SetAside(why="chat", cites=(1,))),
    ),
    max_size=8,
)


@given(PATCHES, st.sets(st.integers(1, 8)))
@settings(max_examples=200, deadline=None)
def test_holding_back_is_complete_and_never_touches_patches_that_nothing_connects(
    patches: list[Patch], refused: set[int]
) -> None:
    numbered = dict(enumerate(patches, 1))
    refused &= numbered.keys()
    held = held_back(numbered, refused)
    assert held.keys().isdisjoint(refused)
    assert held_back(numbered, {*refused, *held}) == {}
    assert held_back(numbered, []) == {}
    assert not any(isinstance(numbered[number], SetAside) for number in held)
