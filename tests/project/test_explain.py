"""Why a field has its value: every claim, with the words behind it."""

import pytest

from support.short_logs import ALLERGY, START, Story, type_of
from uac.errors import Refused
from uac.project.explain import Evidence, Explained, explain
from uac.project.records import Ended
from uac.schema.patches import End


def test_a_value_is_explained_by_its_claim_its_fact_and_the_quoted_words() -> None:
    story = Story()
    story.types(ALLERGY)
    record = story.tell("health.Allergy", substance="nuts", severity="mild")
    explained = explain(story.project, story.memory.log, record, "severity")
    (claim,) = story.project.record(record).claims["severity"]
    words = "health.Allergy {'substance': 'nuts', 'severity': 'mild'}"
    (told,) = explained.claims
    assert (explained.value, explained.policy, explained.disputed) == ("mild", "latest", False)
    assert told == Explained(claim, True, (Evidence(3, words, 2, words, words, "user", told.evidence[0].said),))
    assert told.evidence[0].said is not None
    assert told.evidence[0].said >= START


def test_the_end_of_a_record_is_explained_by_the_words_that_say_so() -> None:
    story = Story()
    story.types(ALLERGY)
    record = story.tell("health.Allergy", substance="nuts")
    fact = story.fact("I can eat nuts again")
    position = story.change(End(record=record, when="2026-05", why="outgrown", cites=(fact,)))
    explained = explain(story.project, story.memory.log, record, "substance")
    assert explained.ended == Ended("2026-05", "outgrown", position, (fact,))
    words = "I can eat nuts again"
    said = explained.end_evidence[0].said
    assert explained.end_evidence == (Evidence(fact, words, fact - 1, words, words, "user", said),)


def test_only_the_claim_that_gives_the_value_is_active() -> None:
    story = Story()
    story.types(ALLERGY)
    record = story.tell("health.Allergy", substance="nuts", severity="mild")
    story.tell("health.Allergy", substance="nuts", severity="severe")
    explained = explain(story.project, story.memory.log, record, "severity")
    assert [(each.claim.value, each.stands) for each in explained.claims] == [("mild", False), ("severe", True)]


def test_all_items_of_a_union_are_active_from_the_last_correction_on() -> None:
    story = Story()
    story.types(
        type_of(
            "people.Self", cardinality="one", key=["name"], policy={"tongues": "union"}, name="str", tongues="list[str]"
        )
    )
    record = story.tell("people.Self", name="Ana", tongues=["German"])
    story.memory.correct(record, "tongues", ["French"])
    story.tell("people.Self", name="Ana", tongues=["Thai"])
    explained = explain(story.project, story.memory.log, record, "tongues")
    assert explained.value == ("French", "Thai")
    assert [each.stands for each in explained.claims] == [False, True, True]


def test_erased_words_are_missing_from_the_evidence() -> None:
    story = Story()
    story.types(ALLERGY)
    story.tell("health.Allergy", substance="nuts")
    record = story.tell("health.Allergy", substance="nuts", severity="mild")
    project = story.project
    story.memory.log.erase([2], why="asked")
    first = explain(project, story.memory.log, record, "substance").claims[0].evidence[0]
    assert (first.words, first.speaker, first.said) == (None, "", None)


def test_a_field_that_the_type_lacks_is_refused_with_those_it_has() -> None:
    story = Story()
    story.types(ALLERGY)
    record = story.tell("health.Allergy", substance="nuts")
    with pytest.raises(Refused, match=r"substance, severity"):
        explain(story.project, story.memory.log, record, "colour")
