"""A field depends on the fact that says its value: the weakest of several counts only where none says it alone."""

from datetime import UTC, datetime

import pytest

from support.short_logs import ALLERGY, TRIP, Story
from uac.conversation.checks.field_cites import assign_field_cites
from uac.conversation.checks.field_support import (
    CitedSource,
    states_value,
    supporting_text,
    supports_name,
)
from uac.conversation.checks.readings import QuotedText
from uac.schema.entries import Citation, Fact, Observation, Tick
from uac.schema.patches import Amend, Put
from uac.schema.periods import Period
from uac.schema.types import Json

SAID = datetime(2026, 3, 2, tzinfo=UTC)


def cited(words: str) -> CitedSource:
    return CitedSource(1, 2, QuotedText(words, SAID), Period())


@pytest.mark.parametrize(
    ("words", "value", "is_said"),
    [
        ("Ana has a nut allergy", "nut allergies", True),
        ("Ana has a nut allergy", "a severe nut allergy", False),
        ("It cost 300 EUR in Rome", "300 EUR", True),
        ("It cost 300 EUR in Rome", "400 EUR", False),
        ("It cost 300 EUR in Rome", ["Rome"], True),
        ("It cost 300 EUR in Rome", ["Rome", "Paris"], False),
        ("It cost 300 EUR in Rome", [], False),
        ("It cost 300 EUR in Rome", True, False),
        ("It cost 300 EUR in Rome", None, False),
        ("It cost 300 EUR in Rome", "", False),
        ("I left on 2026-05-01", "2026-05-01", True),
        ("安娜对坚果过敏", "坚果", True),
    ],
)
def test_words_say_a_value_if_they_have_all_of_it(words: str, value: Json, is_said: bool) -> None:
    assert states_value(cited(words), value) is is_said


def test_half_of_the_words_of_a_name_are_enough_to_speak_of_it() -> None:
    assert supports_name("Dr Miller called", "Jane Miller")
    assert not supports_name("Dr Miller called", "Jane Smith Cooper")
    assert not supports_name("Dr Miller called", "")


def test_the_words_of_an_entry_are_its_text_and_its_quotes() -> None:
    fact = Fact(text="Ana eats", about="Ana", authority="user", cites=(Citation(position=1, quote="I eat"),))
    assert supporting_text(fact) == "Ana eats\nAna\nI eat"
    assert supporting_text(Observation(text="I eat", said=SAID)) == "I eat"
    assert supporting_text(Tick(now=SAID)) == supporting_text(None) == ""


def told() -> tuple[Story, int, int]:
    story = Story()
    story.types(ALLERGY, TRIP)
    return story, story.fact("Ana is allergic to nuts"), story.fact("Ana's nuts allergy is severe", authority="tool")


def test_each_field_cites_the_most_trusted_fact_that_says_it_alone() -> None:
    story, said, seen = told()
    put = Put(type="health.Allergy", fields={"substance": "nuts", "severity": "severe"}, cites=(said, seen))
    entries = {stored.position: stored.entry for stored in story.entries()}
    (named,) = assign_field_cites([put], story.project, entry_at=entries.__getitem__)
    assert isinstance(named, Put)
    assert named.field_cites == {"substance": (said,), "severity": (seen,)}


def test_a_model_cannot_choose_the_facts_of_a_field_itself() -> None:
    story, said, _seen = told()
    put = Put(type="health.Allergy", fields={"substance": "nuts"}, cites=(said,), field_cites={"substance": (99,)})
    (named,) = assign_field_cites([put], story.project, entry_at=lambda _position: None)
    assert isinstance(named, Put)
    assert named.field_cites == {}


def test_an_amendment_of_a_record_that_does_not_exist_is_left_to_the_validation() -> None:
    story, said, seen = told()
    amend = Amend(record="health.Allergy:x", fields={"severity": "severe"}, cites=(said, seen))
    entries = {stored.position: stored.entry for stored in story.entries()}
    (named,) = assign_field_cites([amend], story.project, entry_at=entries.__getitem__)
    assert isinstance(named, Amend)
