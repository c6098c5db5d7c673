"""Facts in no record: an answer says that it may be incomplete if one of them may belong to what it read."""

from datetime import UTC, datetime
from typing import Any

import pytest

from support.scripted_model import fact, facts, heard, teach
from support.short_logs import ALLERGY, TRIP, Story, type_of
from uac import Memory
from uac.project.fold import fold_entries
from uac.project.unplaced import UnplacedFact
from uac.sandbox.compute import CollectionRead
from uac.schema.patches import Amend, Drop, SetAside

DINNER = type_of("food.Meal", cardinality="event", place="str", day="date", cost="Money | None")


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(TRIP, ALLERGY, DINNER)
    story.tell("travel.Trip", city="Paris", start="2026-05-01", cost="300 EUR")
    story.tell("food.Meal", place="Roma", day="2026-04-02", cost="40 EUR")
    return story


def reads(memory: Memory, code: str) -> tuple[CollectionRead, ...]:
    return memory.compute(code, now=datetime(2026, 3, 1, tzinfo=UTC)).reads


def unplaced(memory: Memory) -> list[tuple[int, str, list[str]]]:
    return [(each.position, each.state, sorted(each.types)) for each in memory.unplaced_facts(memory.project())]


def test_a_fact_that_waits_counts_only_for_what_it_may_be_about(story: Story) -> None:
    position = story.fact("The user booked a flight to Lima, a trip of 900 EUR.")
    trips, meals = reads(story.memory, "len(travel.trips) + len(food.meals)")[::-1]
    assert trips == CollectionRead("travel.trips", 1, waiting=1, facts=(position,))
    assert meals == CollectionRead("food.meals", 1)
    assert (trips.lacks, trips.is_complete) == ("1 fact waits", False)
    assert (meals.lacks, meals.is_complete) == ("", True)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("The user looks forward to the trip to Paris.", False),
        ("The user's trip to Paris on 2026-05-01 cost 300 EUR, which is fine.", False),
        ("The user's trip to Paris cost 320 EUR.", True),
        ("The user's trip to Paris begins on 2026-05-03.", True),
    ],
)
def test_a_fact_that_was_set_aside_counts_if_it_states_something_that_no_record_has(
    story: Story, text: str, counts: bool
) -> None:
    position = story.fact(text)
    story.change(SetAside(cites=(position,), why="small talk", domain="travel"))
    expected = CollectionRead("travel.trips", 1, aside=1, facts=(position,)) if counts else None
    assert reads(story.memory, "len(travel.trips)") == (expected or CollectionRead("travel.trips", 1),)
    assert reads(story.memory, "len(health.allergies)") == (CollectionRead("health.allergies", 0),)


def test_a_fact_whose_patch_was_refused_counts_though_it_states_nothing_new() -> None:
    memory = heard("I'm allergic to penicillin.", "The allergy to penicillin is mild.")
    put = {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [3]}
    amend = {"op": "amend", "record": "health.Allergy:nuts", "fields": {"severity": "mild"}, "cites": [4]}
    set_aside = {"op": "set_aside", "cites": [4], "why": "no such record"}
    said = facts(
        fact("The user is allergic to penicillin.", 1, "I'm allergic to penicillin"),
        fact("The allergy to penicillin is mild.", 2, "The allergy to penicillin is mild"),
    )
    teach(memory, said, {"patches": [put, amend]}, {"patches": [set_aside]})
    project = memory.project()
    assert [(each.why, each.outcome) for each in project.aside.values()] == [("no such record", "refused")]
    assert unplaced(memory)[0][:2] == (4, "aside")
    assert [read.aside for read in reads(memory, "len(health.allergies)")] == [1]
    assert fold_entries(list(memory.log.read())) == project


def test_facts_of_dropped_records_and_of_rules_are_settled(story: Story) -> None:
    record = story.tell("travel.Trip", city="Oslo", start="2027-01-07", cost="777 EUR")
    denied = story.fact("The trip to Oslo on 2027-01-08 for 778 EUR never was.")
    story.change(Drop(record=record, why="never was", cites=(denied,)))
    assert {each.outcome for each in story.project.aside.values()} == {"dropped"}
    assert unplaced(story.memory) == []
    assert reads(story.memory, "len(travel.trips)") == (CollectionRead("travel.trips", 1),)


def test_a_conflict_counts_for_a_query_that_reads_its_field_or_returns_the_record() -> None:
    story = Story()
    story.types(type_of("travel.Trip", key=["city"], policy={"cost": "ask"}, city="str", cost="Money", start="date"))
    record = story.tell("travel.Trip", city="Paris", cost="300 EUR", start="2026-05-01")
    story.change(Amend(record=record, fields={"cost": "320 EUR"}, cites=(story.fact("It was 320 EUR."),)))
    counted: dict[str, Any] = {
        "len(travel.trips)": 0,
        "[t.start for t in travel.trips]": 0,
        "[t.cost for t in travel.trips]": 1,
        "[getattr(t, 'cost') for t in travel.trips]": 1,
        "travel.trips[:1]": 1,
        "print(travel.trips[0])": 1,
        "len(travel.former_trips)": 0,
    }
    assert {code: reads(story.memory, code)[0].conflicts for code in counted} == counted
    assert reads(story.memory, "travel.trips")[0].lacks == "1 record has an open conflict"


def test_a_text_that_no_model_could_read_counts_for_what_it_may_be_about() -> None:
    story = Story()
    story.types(TRIP, ALLERGY, DINNER)
    observed = story.said("My trip to Lima in May cost a lot.")
    teach(story.memory, "no", "no", "no", "no", "no", "no")
    assert observed in story.project.progress.stuck
    (read,) = reads(story.memory, "len(travel.trips)")
    assert (read.stuck, read.facts, read.lacks) == (1, (observed,), "1 fact is stuck")


def test_facts_beyond_the_last_two_hundred_may_belong_anywhere(story: Story) -> None:
    positions = [story.fact(f"The user paid {number} EUR for a meal.") for number in range(203)]
    found = story.memory.unplaced_facts(story.project)
    assert [each.position for each in found] == positions
    anything = frozenset({"travel.Trip", "health.Allergy", "food.Meal"})
    assert found[:3] == tuple(UnplacedFact(position, "waiting", anything) for position in positions[:3])
    assert all(each.types == {"food.Meal"} for each in found[3:])
