"""What had been said by a day: examples of each kind of change, and the laws over generated histories."""

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import Story, type_of
from support.time_histories import FIRST, PLAN, STATEMENTS, Said, current, moment, told
from uac.project.clocks import Clocks
from uac.project.project import Project
from uac.project.told_fold import fold_told
from uac.schema.patches import AddField, Amend, Define, Drop, End, Merge, Put, SetAside
from uac.schema.types import Field

MAY, JUNE, JULY = "2024-05-01", "2024-06-01", "2024-07-01"


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(PLAN)
    return story


def facts(story: Story, *days: str) -> list[int]:
    return [story.fact(f"said on {day}", at=moment(day)) for day in days]


def plans(story: Story, day: str) -> dict[object, object]:
    project = fold_told(story.project, date.fromisoformat(day))
    return {values["name"]: values["price"] for values in current(project, "shop.Plan")}


def put(name: str, price: int, *cites: int) -> Put:
    return Put(type="shop.Plan", fields={"name": name, "price": price}, cites=cites)


def test_what_was_said_later_does_not_count_whenever_it_was_processed(story: Story) -> None:
    may, june = facts(story, MAY, JUNE)
    story.change(
        put("gym", 10, may), put("phone", 20, june), Amend(record="shop.Plan:gym", fields={"price": 12}, cites=(june,))
    )
    assert [plans(story, day) for day in ("2024-04-30", MAY, JUNE)] == [{}, {"gym": 10}, {"gym": 12, "phone": 20}]


def test_a_patch_that_cites_facts_of_both_sides_counts_for_the_later_one(story: Story) -> None:
    may, june = facts(story, MAY, JUNE)
    story.change(put("gym", 10, may, june))
    assert (plans(story, MAY), plans(story, JUNE)) == ({}, {"gym": 10})
    then = fold_told(story.project, date(2024, 5, 1))
    assert list(then.waiting) == [may]
    assert then.orphans == ()


def test_ends_drops_and_merges_count_from_the_day_they_were_said(story: Story) -> None:
    may, june, july = facts(story, MAY, JUNE, JULY)
    story.change(*(put(name, 10, may) for name in ("gym", "club", "boat", "phone")))
    story.change(End(record="shop.Plan:phone", when="2024-05-20", cites=(june,)))
    story.change(Drop(record="shop.Plan:boat", why="never was", cites=(june,)))
    story.change(Merge(record="shop.Plan:club", into="shop.Plan:gym", cites=(july,)))
    assert list(plans(story, MAY)) == ["gym", "club", "boat", "phone"]
    assert list(plans(story, JUNE)) == ["gym", "club"]
    assert list(plans(story, JULY)) == ["gym"]


def test_a_correction_and_a_patch_that_cites_nothing_are_said_when_they_are_written(story: Story) -> None:
    (may,) = facts(story, MAY)
    story.change(put("gym", 10, may), put("phone", 20, may))
    story.memory.correct("shop.Plan:gym", "price", 11)
    story.change(Drop(record="shop.Plan:phone", why="a mistake"))
    assert plans(story, JULY) == {"gym": 10, "phone": 20}
    assert plans(story, "2026-12-31") == {"gym": 11}


def test_types_and_what_was_retracted_are_those_of_the_present(story: Story) -> None:
    may, wrong, july = facts(story, MAY, MAY, JULY)
    club = type_of("leisure.Club", key=["name"], name="str")
    story.change(Define(type=club, cites=(july,)), Put(type="leisure.Club", fields={"name": "chess"}, cites=(may,)))
    story.change(AddField(type="shop.Plan", field=Field(name="shop", type="str | None"), cites=(july,)))
    story.change(put("gym", 10, wrong))
    story.memory.retract([wrong], why="misread")
    then = fold_told(story.project, date(2024, 5, 1))
    assert then.types == story.project.types
    assert [record.id for record in then.records("leisure.Club")] == ["leisure.Club:chess"]
    assert then.records("shop.Plan") == []


def test_a_fact_that_was_set_aside_with_later_ones_stays_set_aside(story: Story) -> None:
    may, june = facts(story, MAY, JUNE)
    story.change(SetAside(cites=(may, june), why="small talk"))
    then = fold_told(story.project, date(2024, 5, 1))
    assert (list(then.aside), list(then.waiting)) == ([may], [])


def test_the_day_is_that_of_the_speaker(story: Story) -> None:
    late = datetime.fromisoformat("2024-05-01T23:30-05:00")
    story.change(put("gym", 10, story.fact("late in the evening", at=late)))
    assert (plans(story, "2024-04-30"), plans(story, "2024-05-01")) == ({}, {"gym": 10})


@settings(max_examples=150)
@given(st.lists(STATEMENTS, min_size=1, max_size=8))
def test_told_by_a_day_is_what_a_log_without_later_words_gives(history: list[Said]) -> None:
    project = told(history).project
    for day in (*range(0, 41, 8), 45):
        then = fold_told(project, FIRST + timedelta(days=day))
        expected = told([said for said in history if said.said <= day]).project
        assert outcome(then) == outcome(expected), f"by day {day}"


@settings(max_examples=100)
@given(st.lists(STATEMENTS, min_size=1, max_size=8), st.integers(0, 8))
def test_learning_in_batches_does_not_change_what_had_been_told(history: list[Said], size: int) -> None:
    one_by_one, batches = told(history), told(history, batch=size + 2)
    for day in range(0, 41, 8):
        for valid in (None, FIRST + timedelta(days=20)):
            clocks = Clocks(told=FIRST + timedelta(days=day), valid=valid)
            assert outcome(batches.memory.project_at(clocks)) == outcome(one_by_one.memory.project_at(clocks))


def outcome(project: Project) -> dict[str, tuple[dict[str, object], str | None]]:
    """Each record with its values and its end; positions differ between two ways to the same."""
    return {
        record.id: (dict(record.values), record.ended.when if record.ended else None)
        for record in project.records("shop.Plan")
    }
