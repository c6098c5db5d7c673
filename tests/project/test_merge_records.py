"""Two records of one type become one: no claim is lost, references follow, and undoing it restores both."""

import re
from collections import Counter
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import Story, type_of
from uac.errors import Refused
from uac.project.project import Project
from uac.project.records import Record
from uac.project.render import render
from uac.schema.patches import Amend, End, Merge, Put

FRIEND = type_of(
    "people.Friend",
    key=["name"],
    policy={"likes": "union"},
    name="str",
    city="str | None",
    born="date | None",
    likes="list[str]",
    partner="people.Friend | None",
)
PARTY = type_of("home.Party", key=["day"], day="date", guests="list[people.Friend]", host="people.Friend | None")
SEAT = type_of("home.Seat", key=["of"], of="people.Friend", chair="str | None")
JONAS, PETERS = "people.Friend:jonas", "people.Friend:jonas peters"


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(FRIEND, PARTY, SEAT)
    story.tell("people.Friend", name="Jonas", city="Bonn", likes=["tea"])
    story.tell("people.Friend", name="Jonas Peters", born="1990-02-03", likes=["rum"])
    return story


def tables(project: Project) -> dict[str, dict[str, Record]]:
    return {name: dict(table) for name, table in project.tables.items()}


def claims_of(*records: Record) -> Counter[tuple[str, Any]]:
    return Counter((name, claim) for record in records for name, claims in record.claims.items() for claim in claims)


def test_the_claims_of_both_records_are_those_of_one(story: Story) -> None:
    story.memory.merge(JONAS, PETERS)
    assert [record.id for record in story.project.records("people.Friend")] == [PETERS]
    assert story.values(PETERS) == {
        "name": "Jonas Peters",
        "city": "Bonn",
        "born": date(1990, 2, 3),
        "likes": ("tea", "rum"),
        "partner": None,
    }
    assert story.project.conflicts == []
    words = story.memory.explain(PETERS, "name").claims[-1].evidence[0].words
    assert words == f"{JONAS} and {PETERS} are one"


def test_references_to_the_merged_record_follow_and_nobody_is_listed_twice(story: Story) -> None:
    party = story.tell("home.Party", day="2026-05-01", guests=["jonas", "jonas peters"], host="jonas")
    story.memory.merge(JONAS, PETERS)
    assert story.values(party) == {"day": date(2026, 5, 1), "guests": ("jonas peters",), "host": "jonas peters"}
    story.tell("people.Friend", name="Jonas", city="Rome")
    assert story.values(party)["host"] == "jonas peters"


def test_undoing_a_merge_restores_both_records_and_their_references(story: Story) -> None:
    story.tell("home.Party", day="2026-05-01", guests=["jonas", "jonas peters"], host="jonas")
    before = story.project
    position = story.memory.merge(JONAS, PETERS)
    story.memory.retract([position], why="two people")
    after = story.project
    assert tables(after) == tables(before)
    assert (after.used, after.coverage, after.waiting) == (before.used, before.coverage, before.waiting)
    files = {path: text for path, text in render(after).items() if path != "manifest.py"}
    assert files == {path: text for path, text in render(before).items() if path != "manifest.py"}


def test_what_is_learned_after_a_merge_waits_again_if_the_merge_is_undone(story: Story) -> None:
    position = story.memory.merge(JONAS, PETERS)
    fact = story.fact("Jonas lives in Rome.")
    story.change(Amend(record=PETERS, fields={"city": "Rome"}, cites=(fact,)))
    story.memory.retract([position], why="two people")
    assert story.values(PETERS)["city"] == "Rome"
    assert story.values(JONAS)["city"] == "Bonn"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("Jonas", "Jonas Peters")),
            st.fixed_dictionaries(
                {},
                optional={
                    "city": st.sampled_from(("Bonn", "Rome")),
                    "likes": st.lists(st.sampled_from(("tea", "rum")), max_size=2),
                },
            ),
            st.sampled_from(("user", "document", "assistant")),
        ),
        max_size=6,
    )
)
@settings(max_examples=30, deadline=None)
def test_merging_loses_no_claim_and_undoing_it_restores_all(told: list[tuple[str, dict[str, Any], Any]]) -> None:
    story = Story()
    story.types(FRIEND, PARTY, SEAT)
    for name in ("Jonas", "Jonas Peters"):
        story.tell("people.Friend", name=name)
    for name, fields, authority in told:
        story.tell("people.Friend", authority=authority, name=name, **fields)
    before = story.project
    position = story.memory.merge(JONAS, PETERS)
    merged = story.project.record(PETERS)
    added = claims_of(merged) - claims_of(before.record(JONAS), before.record(PETERS))
    assert claims_of(before.record(JONAS), before.record(PETERS)) <= claims_of(merged)
    assert [(name, claim.value, claim.position) for name, claim in added] == [("name", "Jonas Peters", position)]
    assert tables(story.refolded()) == tables(story.project)
    story.memory.retract([position], why="two people")
    assert tables(story.project) == tables(before)


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (Merge(record=JONAS, into=JONAS), "cannot be merged. Name two records of one type."),
        (Merge(record=JONAS, into="home.Party:2026-05-01"), "cannot be merged. Name two records of one type."),
        (Merge(record="people.Friend:mia", into=PETERS), "No record 'people.Friend:mia'."),
        (Merge(record="people.Friend:ann", into=PETERS), "people.Friend:ann has ended. Merge two current records."),
        (Merge(record="people.Friend:eva", into=PETERS), "refers to the other. Amend that field first."),
        (Merge(record="people.Friend:leo", into=PETERS), "has this record in its key"),
    ],
)
def test_records_that_cannot_be_one_are_refused_and_stay_as_they_are(story: Story, patch: Merge, why: str) -> None:
    story.tell("home.Party", day="2026-05-01", guests=[])
    story.tell("people.Friend", name="Ann")
    story.tell("people.Friend", name="Eva", partner="jonas peters")
    story.tell("people.Friend", name="Leo")
    story.tell("home.Seat", of="leo")
    cited = story.fact("They are one.")
    story.change(End(record="people.Friend:ann", when="2026-01-01", cites=(cited,)))
    before = tables(story.project)
    with pytest.raises(Refused, match=re.escape(why)):
        story.change(Merge(record=patch.record, into=patch.into, cites=(cited,)))
    assert tables(story.project) == before


def test_a_name_that_a_weaker_source_states_is_not_merged_over_a_stronger_one(story: Story) -> None:
    cited = story.fact("Jonas is Mallory.", authority="document")
    story.tell("people.Friend", authority="document", name="Mallory")
    before = tables(story.project)
    with pytest.raises(Refused, match=r"a stronger source states the key of people\.Friend:jonas\."):
        story.change(Merge(record=JONAS, into="people.Friend:mallory", cites=(cited,)))
    assert tables(story.project) == before


def test_a_key_that_would_collide_is_refused_with_the_advice_to_merge(story: Story) -> None:
    cited = story.fact("Jonas' last name is Peters.")
    with pytest.raises(Refused, match="Merge the two if they are one; drop one of them if not"):
        story.change(Amend(record=JONAS, fields={"name": "Jonas Peters"}, cites=(cited,)))


def test_events_without_a_key_can_be_merged() -> None:
    story = Story()
    story.types(type_of("travel.Trip", cardinality="event", city="str", cost="int | None"))
    first, second = story.tell("travel.Trip", city="Rome"), story.tell("travel.Trip", city="Rome", cost=900)
    story.memory.merge(second, first)
    assert [record.id for record in story.project.records("travel.Trip")] == [first]
    assert story.values(first) == {"city": "Rome", "cost": 900}


def test_a_put_cannot_use_the_key_of_a_merged_record_to_bring_back_its_claims(story: Story) -> None:
    story.memory.merge(JONAS, PETERS)
    cited = story.fact("Jonas likes gin.")
    story.change(Put(type="people.Friend", fields={"name": "Jonas", "likes": ["gin"]}, cites=(cited,)))
    assert story.values(JONAS)["likes"] == ("gin",)
    assert story.values(PETERS)["likes"] == ("tea", "rum")
