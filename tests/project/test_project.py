"""The fold: claims, policies, times, retraction, erasure, and the laws of replay."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import ALLERGY, PASSPORT, PERSON, START, TRIP, Story, type_of
from uac import Period, Tick
from uac.errors import Refused, Rejected
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.project.diff import Change, diff
from uac.project.fold import fold_entries
from uac.project.project import Coverage, SetAsideFact
from uac.schema.patches import Amend, Define, Drop, End, Put, SetAside
from uac.schema.values import Money


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(TRIP, ALLERGY, PASSPORT, PERSON)
    return story


def test_a_put_makes_a_record_with_typed_values(story: Story) -> None:
    trip = story.tell("travel.Trip", city="Paris", start="2026-05-01", cost="300.50 EUR")
    assert story.values(trip) == {"city": "Paris", "start": date(2026, 5, 1), "cost": Money(Decimal("300.50"), "EUR")}


def test_events_without_a_key_are_never_merged(story: Story) -> None:
    first = story.tell("travel.Trip", city="Paris", start="2026-05-01")
    second = story.tell("travel.Trip", city="Paris", start="2026-05-01")
    assert first != second
    assert story.project.count("travel.Trip") == 2


def test_the_key_decides_what_is_the_same_record_whatever_the_letter_case(story: Story) -> None:
    first = story.tell("health.Allergy", substance="Penicillin")
    second = story.tell("health.Allergy", substance="penicillin ", severity="high")
    assert first == second == "health.Allergy:penicillin"
    assert story.values(first) == {"substance": "penicillin", "severity": "high"}


def test_the_latest_statement_stands_even_if_it_was_learned_first(story: Story) -> None:
    story.tell("health.Allergy", substance="nuts", severity="mild", at=START - timedelta(days=1))
    record = story.tell("health.Allergy", substance="nuts", severity="severe", at=START - timedelta(days=400))
    assert story.values(record)["severity"] == "mild"


def test_of_two_claims_of_one_checkpoint_the_later_stands(story: Story) -> None:
    position = story.fact("mild, no, severe")
    story.change(
        Put(type="health.Allergy", fields={"substance": "nuts", "severity": "mild"}, cites=(position,)),
        Put(type="health.Allergy", fields={"substance": "nuts", "severity": "severe"}, cites=(position,)),
    )
    assert story.values("health.Allergy:nuts")["severity"] == "severe"


def test_a_guess_never_overrides_what_the_user_stated(story: Story) -> None:
    record = story.tell("health.Allergy", substance="nuts", severity="severe")
    story.tell("health.Allergy", authority="inferred", substance="nuts", severity="mild")
    story.tell("health.Allergy", authority="assistant", substance="nuts", severity="mild")
    assert story.values(record)["severity"] == "severe"


def test_with_policy_authority_a_document_loses_to_the_user(story: Story) -> None:
    story.types(type_of("home.Lease", key=["flat"], policy={"rent": "authority"}, flat="str", rent="int"))
    record = story.tell("home.Lease", flat="A", rent=900)
    story.tell("home.Lease", authority="document", flat="A", rent=950)
    assert story.values(record)["rent"] == 900


def test_with_policy_union_lists_add_up(story: Story) -> None:
    story.types(type_of("food.Diet", key=["who"], policy={"avoids": "union"}, who="str", avoids="list[str]"))
    record = story.tell("food.Diet", who="ana", avoids=["pork", "milk"])
    story.tell("food.Diet", who="ana", avoids=["milk", "eggs"])
    assert story.values(record)["avoids"] == ("pork", "milk", "eggs")
    story.memory.correct(record, "avoids", ["pork"])
    assert story.values(record)["avoids"] == ("pork",)


def test_with_policy_ask_a_contradiction_is_an_open_conflict_until_the_user_decides(story: Story) -> None:
    story.types(type_of("home.Key", key=["door"], policy={"code": "ask"}, door="str", code="str"))
    record = story.tell("home.Key", door="front", code="1")
    story.tell("home.Key", door="front", code="2")
    assert [(conflict.record, conflict.field) for conflict in story.project.conflicts] == [(record, "code")]
    story.memory.correct(record, "code", "2")
    assert story.project.conflicts == []
    assert story.values(record)["code"] == "2"


def test_a_correction_stands_above_what_was_learned_before(story: Story) -> None:
    trip = story.tell("travel.Trip", city="Paris", start="2026-05-01")
    story.memory.correct(trip, "start", "2026-05-14", why="a slip")
    assert story.values(trip)["start"] == date(2026, 5, 14)


def test_retracting_a_correction_brings_the_older_value_back(story: Story) -> None:
    trip = story.tell("travel.Trip", city="Paris", start="2026-05-01")
    correction = story.memory.correct(trip, "start", "2026-05-14")
    retraction = story.memory.retract([correction], why="it was right before")
    assert story.values(trip)["start"] == date(2026, 5, 1)
    story.memory.retract([retraction], why="no, it was not")
    assert story.values(trip)["start"] == date(2026, 5, 14)


def test_retracting_an_observation_takes_all_that_rests_on_it(story: Story) -> None:
    position = story.fact("I go to Rome on 1 June 2026")
    story.change(Put(type="travel.Trip", fields={"city": "Rome", "start": "2026-06-01"}, cites=(position,)))
    story.memory.retract([position - 1], why="said in jest")
    assert story.project.count("travel.Trip") == 0
    with pytest.raises(Rejected, match="Cite one that was not retracted"):
        story.change(SetAside(cites=(position,), why="x"))


def test_retracting_a_checkpoint_returns_its_facts_to_the_queue(story: Story) -> None:
    position = story.fact("I go to Rome on 1 June 2026")
    checkpoint = story.change(
        Put(type="travel.Trip", fields={"city": "Rome", "start": "2026-06-01"}, cites=(position,))
    )
    assert list(story.project.waiting) == []
    story.memory.retract([checkpoint], why="wrong type")
    assert list(story.project.waiting) == [position]


def test_a_patch_that_lost_its_record_is_listed_and_its_fact_waits_again(story: Story) -> None:
    first = story.fact("Paris")
    checkpoint = story.change(Put(type="travel.Trip", fields={"city": "Paris", "start": "2026-05-01"}, cites=(first,)))
    second = story.fact("It costs 300 euros")
    amend = story.change(Amend(record=f"travel.Trip:#{checkpoint}.0", fields={"cost": "300 EUR"}, cites=(second,)))
    story.memory.retract([first], why="cancelled")
    assert [(orphan.position, orphan.patch) for orphan in story.project.orphans] == [(checkpoint, 0), (amend, 0)]
    assert list(story.project.waiting) == [second]


def test_erasing_words_takes_the_records_that_rest_on_them_and_spares_the_others(story: Story) -> None:
    first, second = story.fact("Paris"), story.fact("Rome")
    story.change(
        Put(type="travel.Trip", fields={"city": "Paris", "start": "2026-05-01"}, cites=(first,)),
        Put(type="travel.Trip", fields={"city": "Rome", "start": "2026-06-01"}, cites=(second,)),
    )
    rome = story.project.used[second][0]
    story.memory.log.erase([first - 1], why="asked")
    assert [record.id for record in story.project.records("travel.Trip")] == [rome]
    assert story.project == story.refolded()
    assert "Paris" not in repr(story.project.history)


def test_ended_records_are_kept_apart(story: Story) -> None:
    passport = story.tell("travel.Passport", number="X1", expires="2027-01-01")
    position = story.fact("I lost my passport")
    story.change(End(record=passport, when="2026-02", why="lost", cites=(position,)))
    other = story.tell("travel.Passport", number="X2", expires="2036-01-01")
    assert [record.ended and record.ended.when for record in story.project.records("travel.Passport")] == [
        "2026-02",
        None,
    ]
    before, after = (story.project.at(valid=date(2026, month, 15)) for month in (1, 3))
    assert [record.id for record in before.records("travel.Passport")] == [passport]
    assert [record.id for record in after.collected("travel.passport")] == [other]
    assert [record.id for record in after.collected("travel.former_passport")] == [passport]


def test_what_was_true_then_is_not_what_was_known_then(story: Story) -> None:
    story.types(type_of("home.Address", key=["who"], who="str", city="str"))
    old = story.fact("I lived in Porto from 2019 to 2021", held=Period("2019", "2021"))
    new = story.fact("I have lived in Berlin since 2022", held=Period("2022"))
    before = story.memory.log.head().position
    story.change(Put(type="home.Address", fields={"who": "ana", "city": "Porto"}, cites=(old,)))
    story.change(Put(type="home.Address", fields={"who": "ana", "city": "Berlin"}, cites=(new,)))
    record = "home.Address:ana"
    assert story.values(record)["city"] == "Berlin"
    assert story.memory.at(date(2020, 6, 1)).record(record).values["city"] == "Porto"
    assert story.memory.project_as_of(before).count("home.Address") == 0


def test_dropping_a_record_sets_its_facts_aside_with_the_reason(story: Story) -> None:
    trip = story.tell("travel.Trip", city="Paris", start="2026-05-01")
    (position,) = story.project.record(trip).cites
    story.change(Drop(record=trip, why="told twice"))
    assert story.project.aside[position] == SetAsideFact(f"{trip} was dropped: told twice", "travel", "dropped")
    assert story.project.coverage == {"travel": Coverage(0, 1)}


def test_coverage_counts_facts_by_domain(story: Story) -> None:
    story.tell("travel.Trip", city="Paris", start="2026-05-01")
    story.tell("health.Allergy", substance="nuts")
    aside = story.fact("Nice weather")
    waiting = story.fact("I like tea")
    story.change(SetAside(cites=(aside,), why="small talk"))
    assert story.project.coverage == {"travel": Coverage(1, 0), "health": Coverage(1, 0), "": Coverage(0, 1)}
    assert list(story.project.waiting) == [waiting]


def test_correcting_a_key_moves_the_record_and_those_who_refer_to_it(story: Story) -> None:
    story.types(type_of("people.Pet", key=["name"], name="str", owner="people.Person"))
    person = story.tell("people.Person", name="Jon")
    pet = story.tell("people.Pet", name="Rex", owner="jon")
    story.memory.correct(person, "name", "John")
    assert story.project.record("people.Person:john").values["name"] == "John"
    assert story.values(pet)["owner"] == "john"
    with pytest.raises(Refused, match="No record"):
        story.project.record(person)


def test_a_correction_stands_whatever_the_zone_or_the_future_of_the_claim_before(story: Story) -> None:
    east = datetime(2026, 1, 2, 8, tzinfo=timezone(timedelta(hours=12)))
    record = story.tell("health.Allergy", substance="nuts", severity="mild", at=east)
    story.memory.correct(record, "severity", "severe")
    assert story.values(record)["severity"] == "severe"
    fact = story.fact("from 2030 on it will be high", held=Period("2030"))
    other = story.tell("health.Allergy", substance="milk")
    story.change(Amend(record=other, fields={"severity": "high"}, cites=(fact,)))
    story.memory.correct(other, "severity", "none")
    assert story.values(other)["severity"] == "none"


def test_what_an_end_rests_on_follows_the_record(story: Story) -> None:
    record = story.tell("health.Allergy", substance="nuts")
    over = story.fact("it is over")
    story.change(End(record=record, when="2026", cites=(over,)))
    story.memory.correct(record, "substance", "peanuts")
    assert story.project.used[over] == ("health.Allergy:peanuts",)
    story.change(Drop(record="health.Allergy:peanuts", why="never was"))
    assert story.project.aside[over].why.endswith("never was")


def test_a_retracted_tick_did_not_happen(story: Story) -> None:
    first, second = START, START + timedelta(days=1)
    story.memory.log.append([Tick(now=first)])
    (later,) = story.memory.log.append([Tick(now=second)])
    assert story.project.now == second
    story.memory.retract([later], why="a wrong clock")
    assert story.project.now == first
    assert story.refolded().now == first


def test_a_record_that_ended_later_stands_in_the_view_of_an_earlier_day(story: Story) -> None:
    record = story.tell("health.Allergy", substance="nuts")
    story.change(End(record=record, when="2026-06", cites=(story.fact("over"),)))
    (then,) = story.project.at(valid=date(2026, 3, 1)).records("health.Allergy")
    assert then.ended is None


def test_a_memory_forgets_a_user_who_was_erased_and_came_back() -> None:
    store = MemoryStore()
    memory = Memory(store.log("ana"))
    memory.checkpoint([Define(type=ALLERGY)])
    memory.put("health.Allergy", {"substance": "nuts"})
    assert memory.project().count("health.Allergy") == 1
    store.erase("ana")
    memory = _same_project(memory, store)
    assert memory.project().types == {}
    for words in ("one", "two", "three", "four"):
        memory.add(words)
    assert memory.project().types == {}


def _same_project(memory: Memory, store: MemoryStore) -> Memory:
    """The memory as it was, on the log as it is: a store in memory gives a new log to a new user."""
    memory.log = store.log("ana")
    return memory


def test_explain_walks_from_a_field_to_the_sentence(story: Story) -> None:
    words = story.said("We fly to Paris on 1 May 2026")
    from uac import Citation, Fact

    (fact,) = story.memory.log.append(
        [
            Fact(
                text="Ana flies to Paris",
                about="Ana",
                authority="user",
                cites=(Citation(position=words, quote="fly to Paris"),),
            )
        ]
    )
    checkpoint = story.change(Put(type="travel.Trip", fields={"city": "Paris", "start": "2026-05-01"}, cites=(fact,)))
    explanation = story.memory.explain(f"travel.Trip:#{checkpoint}.0", "city")
    (claim,) = explanation.claims
    (evidence,) = claim.evidence
    assert (explanation.value, explanation.policy, claim.stands) == ("Paris", "latest", True)
    assert (evidence.fact, evidence.fact_text) == (fact, "Ana flies to Paris")
    assert (evidence.observation, evidence.quote, evidence.words) == (
        words,
        "fly to Paris",
        "We fly to Paris on 1 May 2026",
    )
    assert evidence.speaker == "user"


def test_diff_lists_types_records_and_fields(story: Story) -> None:
    before = story.project
    trip = story.tell("travel.Trip", city="Paris", start="2026-05-01")
    between = story.project
    story.memory.correct(trip, "city", "Lyon")
    story.types(type_of("food.Meal", cardinality="event", dish="str"))
    assert diff(before, between) == [Change("record", "added", trip)]
    assert diff(between, story.project) == [
        Change("type", "added", "food.Meal"),
        Change("field", "changed", f"{trip}.city", "Paris", "Lyon"),
    ]
    assert diff(between, before) == [Change("record", "removed", trip)]


moves = st.lists(
    st.one_of(
        st.tuples(
            st.just("allergy"), st.sampled_from(["nuts", "milk", "Nuts"]), st.sampled_from(["mild", "high", None])
        ),
        st.tuples(st.just("trip"), st.sampled_from(["Paris", "Rome"]), st.integers(1, 28)),
        st.tuples(st.just("correct"), st.integers(0, 9), st.sampled_from(["low", "none"])),
        st.tuples(st.just("retract"), st.integers(1, 60), st.just(0)),
        st.tuples(st.just("erase"), st.integers(1, 60), st.just(0)),
        st.tuples(st.just("drop"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("end"), st.integers(0, 9), st.integers(1, 12)),
        st.tuples(st.just("aside"), st.just("x"), st.just(0)),
    ),
    max_size=14,
)


def play(story: Story, move: tuple[str, Any, Any]) -> None:
    """One move of a random story; moves that the door refuses are passed over."""
    kind, first, second = move
    allergies = story.project.records("health.Allergy")
    head = story.memory.log.head().position
    try:
        match kind:
            case "allergy":
                story.tell("health.Allergy", substance=first, severity=second)
            case "trip":
                story.tell("travel.Trip", city=first, start=f"2026-05-{second:02}")
            case "correct":
                story.memory.correct(allergies[first % len(allergies)].id, "severity", second)
            case "retract":
                story.memory.retract([1 + first % head], why="x")
            case "erase":
                story.memory.log.erase([1 + first % head], why="x")
            case "drop":
                story.change(Drop(record=allergies[first % len(allergies)].id, why="x"))
            case "end":
                record = allergies[first % len(allergies)]
                story.change(End(record=record.id, when=f"2026-{second:02}", cites=(story.fact("over"),)))
            case "aside":
                story.change(SetAside(cites=(story.fact("chat"),), why="x"))
    except (Refused, ZeroDivisionError):
        pass


@settings(max_examples=150, deadline=None)
@given(moves, st.integers(0, 80))
def test_folding_in_two_steps_equals_folding_once_and_following_along(story_moves: list[Any], cut: int) -> None:
    story = Story()
    story.types(TRIP, ALLERGY)
    for move in story_moves:
        play(story, move)
    entries = story.entries()
    once = fold_entries(entries)
    # A prefix read today lacks what was erased since, as the whole log does.
    twice = fold_entries(entries[cut:], fold_entries(entries[:cut]))
    assert twice == once
    assert story.project == once
    assert len(once.waiting) + len(once.aside) + sum(once.sources[p].is_fact for p in once.used) == sum(
        source.is_fact and position not in once.gone for position, source in once.sources.items()
    )
