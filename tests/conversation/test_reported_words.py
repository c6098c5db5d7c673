"""What the user reports from others: a claim names the person, and people who disagree are an open conflict."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.scripted_model import TUESDAY, aside, fact, facts, heard, kept, new_memory, teach, whys
from support.short_logs import START, Story, type_of
from uac import Citation, Fact, Period
from uac.project.claims import Claim, contending_claims
from uac.schema.entries import decode, encode, plain_fields
from uac.schema.patches import Put

SURVEY = type_of("home.Survey", key=["house"], cardinality="event", house="str", on="date | None", cost="int | None")
WORDS = (
    "The survey of Elm House is on 5 March 2025, according to the surveyor.",
    "My sister Karin says the survey of Elm House is on 7 March 2025.",
)


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(SURVEY)
    return story


def report(story: Story, text: str, according_to: str = "", *, held: Period | None = None, **fields: Any) -> str:
    """A fact that the user reports, and the record it gives."""
    said = story.said(text)
    entry = Fact(
        text=text,
        about="Elm House",
        authority="user",
        cites=(Citation(position=said, quote=text),),
        held=held or Period(),
        according_to=according_to,
    )
    (position,) = story.memory.log.append([entry])
    story.change(Put(type="home.Survey", fields={"house": "Elm", **fields}, cites=(position,)))
    return story.project.used[position][0]


def open_claims(story: Story) -> list[tuple[Any, str]]:
    return [(claim.value, claim.attribution) for each in story.project.conflicts for claim in each.claims]


# --- which claims are in conflict -------------------------------------------------------------------------------------


def test_two_people_who_disagree_on_one_event_are_a_conflict_until_the_user_says_which(story: Story) -> None:
    record = report(story, WORDS[0], "the surveyor", on="2025-03-05")
    assert report(story, WORDS[1], "Karin", on="2025-03-07") == record
    both = [(date(2025, 3, 5), "user, according to the surveyor"), (date(2025, 3, 7), "user, according to Karin")]
    assert open_claims(story) == both
    (alert,) = story.memory.alerts()
    assert alert.message == (
        "home.Survey:elm has claims of on that disagree: 2025-03-05 (user, according to the surveyor, 2026-01-01);"
        " 2025-03-07 (user, according to Karin, 2026-01-01). Say which one stands."
    )
    report(story, "It is on 5 March.", on="2025-03-05")
    assert (story.project.conflicts, story.memory.alerts()) == ([], [])
    assert story.values(record)["on"] == date(2025, 3, 5)


def test_the_word_of_another_does_not_silently_replace_the_users_own(story: Story) -> None:
    record = report(story, "The survey is on 5 March.", on="2025-03-05")
    report(story, WORDS[1], "Karin", on="2025-03-07")
    assert open_claims(story) == [(date(2025, 3, 5), "user"), (date(2025, 3, 7), "user, according to Karin")]
    story.memory.correct(record, "on", "2025-03-07")
    assert (story.project.conflicts, story.values(record)["on"]) == ([], date(2025, 3, 7))


def test_a_person_who_says_something_else_later_contradicts_nobody(story: Story) -> None:
    record = report(story, WORDS[1], "my sister Karin", on="2025-03-07")
    report(story, "Karin says it is on 9 March.", "Karin", on="2025-03-09")
    assert (story.project.conflicts, story.values(record)["on"]) == ([], date(2025, 3, 9))


def test_people_who_agree_in_the_end_are_no_conflict(story: Story) -> None:
    report(story, WORDS[0], "the surveyor", on="2025-03-05")
    report(story, WORDS[1], "Karin", on="2025-03-07")
    report(story, "The surveyor agrees on 7 March.", "the surveyor", on="2025-03-07")
    assert story.project.conflicts == []


def test_what_holds_from_another_day_on_is_a_change_and_no_conflict() -> None:
    story = Story()
    story.types(type_of("home.Survey", key=["house"], house="str", cost="int | None"))
    report(story, "The rent is 900 since 2024.", held=Period("2024"), cost=900)
    record = report(story, "My landlord says 980 since May.", "My landlord", held=Period("2025-05"), cost=980)
    assert (story.project.conflicts, story.values(record)["cost"]) == ([], 980)


def test_retracting_one_persons_word_ends_the_conflict(story: Story) -> None:
    record = report(story, WORDS[0], "the surveyor", on="2025-03-05")
    report(story, WORDS[1], "Karin", on="2025-03-07")
    hers = next(cited for cited, source in story.project.sources.items() if source.according_to == "Karin")
    story.memory.retract([hers], why="not meant")
    retracted = [each for each in story.project.record(record).claims["on"] if each.according_to == "Karin"]
    assert (retracted, story.project.conflicts) == ([], [])


@st.composite
def reports(draw: st.DrawFn) -> list[Claim]:
    made = st.tuples(st.sampled_from("abc"), st.sampled_from(("", "Karin", "the surveyor")), st.integers(0, 5))
    return [
        Claim(value, "user", START + timedelta(days=day), START, Period(), n, (n,), person)
        for n, (value, person, day) in enumerate(draw(st.lists(made, min_size=1, max_size=6)), 1)
    ]


@given(reports(), st.sampled_from(("latest", "authority")), st.booleans())
def test_the_last_words_of_all_people_since_the_users_own_are_current_or_in_conflict(
    made: list[Claim], policy: Any, is_event: bool
) -> None:
    standing, *against = contending_claims(made, policy, is_event=is_event)
    order = sorted(made, key=lambda claim: (claim.said, claim.position))
    own = max((n for n, claim in enumerate(order) if not claim.according_to), default=0)
    last = {claim.according_to: claim.value for claim in order[own:]}
    assert standing == order[-1]
    assert {claim.value for claim in (standing, *against)} == set(last.values())
    assert {claim.value for claim in (standing, *against)} == {standing.value} or standing.according_to


# --- from words to facts ----------------------------------------------------------------------------------------------


def test_the_person_whose_word_it_is_goes_from_the_words_to_the_fact_the_record_and_the_request() -> None:
    memory = heard(*WORDS)
    survey_type = {
        "op": "define",
        "type": {
            "domain": "home",
            "name": "Survey",
            "doc": "A survey.",
            "cardinality": "event",
            "key": ["house"],
            "fields": [{"name": "house", "type": "str"}, {"name": "on", "type": "date | None"}],
        },
    }
    put = {"op": "put", "type": "home.Survey", "fields": {"house": "Elm House", "on": "2025-03-05"}, "cites": [3]}
    amend = {"op": "amend", "record": "home.Survey:elm house", "fields": {"on": "2025-03-07"}, "cites": [4]}
    said = [
        fact("The survey of Elm House is on 5 March 2025.", 1, WORDS[0], according_to="the surveyor"),
        fact("The survey of Elm House is on 7 March 2025.", 2, WORDS[1], according_to="Karin"),
    ]
    model, _learned = teach(memory, facts(*said), {"patches": [survey_type, put, amend]})
    assert [found.according_to for found in kept(memory)] == ["the surveyor", "Karin"]
    assert [item["according_to"] for item in model.contents[1]["facts"]] == ["the surveyor", "Karin"]
    (conflict,) = memory.project().conflicts
    assert [claim.according_to for claim in conflict.claims] == ["the surveyor", "Karin"]
    shown = memory.context("survey of Elm House").text
    assert "2025-03-05 (word of: user, according to the surveyor, 2024-05-07" in shown
    assert "2025-03-07 (word of: user, according to Karin, 2024-05-07" in shown
    explained = memory.explain("home.Survey:elm house", "on")
    assert [item.claim.attribution for item in explained.claims] == [
        "user, according to the surveyor",
        "user, according to Karin",
    ]


def test_a_person_whom_the_words_do_not_name_is_refused_and_quoted_from_nearby_if_they_are_named_there() -> None:
    memory = heard("Karin called.", "She says the boiler is broken.")
    made = fact("The boiler is broken.", 2, "the boiler is broken", according_to="Karin")
    invented = fact("The boiler is broken, too.", 2, "the boiler is broken", according_to="Dr Weiss")
    _model, learned = teach(memory, facts(made, invented), facts(), aside(3))
    assert whys(learned.outcomes)[0] == [
        "According_to is 'Dr Weiss', who is not in the quoted words. Quote the words that name them."
    ]
    (found,) = kept(memory)
    assert (found.according_to, [cite.quote for cite in found.cites]) == (
        "Karin",
        ["the boiler is broken", "Karin called."],
    )


@pytest.mark.parametrize("person", ["user", "me", "Karin", "", None])
def test_the_user_and_whoever_speaks_of_themselves_are_not_named(person: str | None) -> None:
    memory = heard("Karin says she moved to Bonn.")
    said = fact("Karin moved to Bonn.", 1, "Karin says she moved to Bonn", about="Karin", according_to=person)
    teach(memory, facts(said), aside(2))
    assert [found.according_to for found in kept(memory)] == [""]


def test_a_document_that_quotes_somebody_has_the_authority_of_a_document() -> None:
    memory = new_memory()
    memory.add("According to Karin the boiler costs 900 euros.", said=TUESDAY, role="document")
    quote = "According to Karin the boiler costs 900 euros"
    teach(memory, facts(fact("The boiler costs 900 euros.", 1, quote, according_to="Karin")), aside(2))
    assert [(found.authority, found.according_to) for found in kept(memory)] == [("document", "Karin")]


def test_a_value_that_the_user_states_too_is_the_users_own_word(story: Story) -> None:
    mine = story.fact("The survey of Elm House is on 2025-03-05.")
    said = story.said("Karin says the survey of Elm House costs 300.")
    hers = Fact(
        text="The survey of Elm House costs 300.",
        about="Elm House",
        authority="user",
        cites=(Citation(position=said, quote="Karin says the survey of Elm House costs 300."),),
        according_to="Karin",
    )
    (position,) = story.memory.log.append([hers])
    fields: dict[str, Any] = {"house": "Elm House", "on": "2025-03-05", "cost": 300}
    story.change(Put(type="home.Survey", fields=fields, cites=(mine, position)))
    claims = story.project.record("home.Survey:elm house").claims
    assert {name: claim.according_to for name, (claim,) in claims.items()} == {"house": "", "on": "", "cost": "Karin"}


# --- how it is stored and shown ---------------------------------------------------------------------------------------


def test_a_fact_of_the_user_is_stored_as_before() -> None:
    own = Fact(text="a", about="b", authority="user", cites=(Citation(position=1, quote="a"),))
    assert "according_to" not in encode(own).decode()
    assert "according_to" not in plain_fields(own)
    hers = Fact(text="a", about="b", authority="user", cites=(Citation(position=1, quote="a"),), according_to="Karin")
    assert decode(encode(hers).decode()) == hers
    assert plain_fields(hers)["according_to"] == "Karin"
