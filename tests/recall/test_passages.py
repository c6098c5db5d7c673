"""Passages: the stretches of a turn, the line of a fact, the line of a record."""

from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from support.short_logs import ALLERGY, TRIP, Story
from uac.project.project import EMPTY_PROJECT
from uac.recall.passages import MAX_WORDS, PassageTexts, passages_of, record_passage, record_text
from uac.schema.entries import Observation

SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)


def turn(text: str, session: str = "") -> Observation:
    return Observation(text=text, said=SAID, session=session, speaker="Ana")


@given(st.lists(st.sampled_from(["word", "end.", "longer", "坚果过敏", "!"]), min_size=1, max_size=300))
def test_the_passages_of_a_turn_together_are_its_text(words: list[str]) -> None:
    text = " ".join(words)
    passages = [passage for passage, _words in passages_of(1, turn(text), EMPTY_PROJECT)]
    assert "".join(text[passage.start : passage.stop] for passage in passages) == text
    assert all(len(text[passage.start : passage.stop].split()) <= MAX_WORDS for passage in passages)


def test_a_turn_without_a_session_belongs_to_its_day() -> None:
    (alone, _words), (in_session, _more) = (
        next(passages_of(1, turn("Hi", name), EMPTY_PROJECT)) for name in ("", "2026-03-02")
    )
    assert (alone.since, alone.until, alone.speaker) == (SAID.toordinal(), SAID.toordinal(), "Ana")
    assert alone.session != in_session.session == "2026-03-02"


def test_a_turn_without_words_has_no_passage() -> None:
    assert [*passages_of(1, turn(" \n "), EMPTY_PROJECT)] == []


def test_a_record_is_found_by_its_values_its_type_and_its_earlier_values() -> None:
    story = Story()
    story.types(ALLERGY)
    record = story.tell("health.Allergy", substance="nuts", severity="mild")
    story.tell("health.Allergy", substance="nuts", severity="severe")
    text, more = record_text(story.project.record(record))
    assert text == "health.Allergy:nuts substance=nuts, severity=severe"
    assert more.splitlines() == ["health.Allergy", "mild"]


def test_the_stamp_of_a_record_changes_with_its_values_and_its_days_are_its_dates() -> None:
    story = Story()
    story.types(TRIP)
    first = story.tell("travel.Trip", city="Rome", start="2026-05-01")
    before = record_passage(story.project.record(first))
    story.memory.correct(first, "city", "Paris")
    after = record_passage(story.project.record(first))
    assert (before.since, before.until) == (date(2026, 5, 1).toordinal(),) * 2
    assert before.stamp != after.stamp


def test_the_text_of_erased_words_and_dropped_records_is_empty() -> None:
    story = Story()
    story.types(ALLERGY)
    record = story.tell("health.Allergy", substance="nuts")
    said = story.said("I like tea.")
    (passage, _words) = next(passages_of(said, turn("I like tea."), story.project))
    listed = record_passage(story.project.record(record))
    assert PassageTexts(story.memory.log, story.project).texts([passage, listed]) == [
        "I like tea.",
        "health.Allergy:nuts substance=nuts",
    ]
    story.memory.drop(record, why="a slip")
    story.memory.log.erase([said], why="asked")
    assert PassageTexts(story.memory.log, story.project).texts([passage, listed]) == ["", ""]
