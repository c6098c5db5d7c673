"""What a search shows in a budget of tokens: what fits, in reading order, nothing twice, and how much more there was."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.recall import World
from support.short_logs import ALLERGY
from uac.recall.search import Filter, Found
from uac.schema.entries import Checkpoint
from uac.schema.patches import Define
from uac.text.token_count import count_tokens

MAY, JUNE = datetime(2025, 5, 3, 9, tzinfo=UTC), datetime(2025, 6, 7, 9, tzinfo=UTC)


def trip() -> World:
    world = World()
    world.say("Our trip to Porto is booked", speaker="Ana", session="b", on=JUNE)
    world.say("Where does the trip start?", speaker="Tom", role="person", session="a", on=MAY)
    world.say("The trip starts in Lisbon", speaker="Ana", session="a", on=MAY)
    world.fact("Ana makes a trip to Porto", 1)
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("trip", "mild", 1)
    return world


# --- reading order ----------------------------------------------------------------------------------------------------


def test_records_stand_first_then_facts_then_what_was_said_by_time_under_its_day() -> None:
    found = trip().find("trip", k=None, tokens=200)
    assert (
        found.text
        == """\
health.Allergy:trip substance=trip, severity=mild
Ana makes a trip to Porto
[2025-05-03]
Tom: Where does the trip start?
Ana: The trip starts in Lisbon
[2025-06-07]
Ana: Our trip to Porto is booked"""
    )
    assert (found.tokens, found.matched, found.left_out) == (count_tokens(found.text), 5, 0)


def test_conversations_of_one_day_are_read_one_after_the_other_and_days_in_their_order() -> None:
    world = World()
    world.say("The boat is red", speaker="Ana", session="b", on=MAY)
    world.say("A boat is dear", speaker="Tom", session="a", on=MAY)
    world.say("The boat leaks", speaker="Ana", session="b", on=MAY)
    world.say("We sold a boat", speaker="Ana", session="b", on=JUNE)
    world.say("This boat floats", speaker="Tom", session="a", on=MAY)
    world.say("Any boat floats", speaker="Eva", session="", on=MAY)
    found = world.find("boat", k=None, tokens=200)
    assert (
        found.text
        == """\
[2025-05-03]
Ana: The boat is red
Ana: The boat leaks
[2025-05-03]
Tom: A boat is dear
Tom: This boat floats
[2025-05-03]
Eva: Any boat floats
[2025-06-07]
Ana: We sold a boat"""
    )
    assert found.tokens == count_tokens(found.text)


def test_conversations_are_read_in_the_order_of_time_whatever_the_zones() -> None:
    world = World()
    world.say("The boat is red", speaker="Ana", session="a", on=MAY)
    east = timezone(timedelta(hours=9))
    world.say("The boat leaks", speaker="Tom", session="b", on=datetime(2025, 5, 3, 17, tzinfo=east))
    assert [hit.position for hit in world.find("boat", k=None, tokens=200).hits] == [2, 1]


def test_a_turn_without_a_speakers_name_is_shown_with_the_role() -> None:
    world = World()
    world.say("Take a train", role="assistant", on=MAY)
    assert world.find("train", k=None, tokens=50).text == "[2025-05-03]\nassistant: Take a train"


def test_passages_of_one_turn_stand_in_the_order_of_the_turn() -> None:
    world = World()
    text = "The garden is green. " * 30 + "The boat is new. " + "The sea is wide. " * 30 + "The boat is old."
    world.say(text)
    hits = world.find("boat", k=None, tokens=1000).hits
    assert [hit.start for hit in hits] == sorted(hit.start for hit in hits)
    assert len({hit.start for hit in hits}) == len(hits) >= 2


# --- the budget -------------------------------------------------------------------------------------------------------


def test_what_is_found_without_a_budget_stands_best_first_and_costs_nothing() -> None:
    found = trip().find("trip", k=3)
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert (len(found.hits), found.tokens, found.matched, found.left_out) == (3, 0, 5, 2)


def test_what_does_not_fit_is_passed_over_for_what_does() -> None:
    world = World()
    world.say("zebra zebra and " + "a very long story of it " * 12, session="a")
    short = world.say("zebra seen", session="b")
    assert [hit.position for hit in world.find("zebra", k=None, tokens=25).hits] == [short]
    found = world.find("zebra", k=None, tokens=25)
    assert (found.matched, found.left_out) == (2, 1)


def test_with_both_at_most_k_hits_are_shown() -> None:
    found = trip().find("Porto", k=1, tokens=500)
    assert (len(found.hits), found.matched, found.left_out) == (1, 2, 1)


@pytest.mark.parametrize("tokens", [0, 1, 4])
def test_a_budget_too_small_for_a_line_shows_nothing_and_says_how_much_there_is(tokens: int) -> None:
    assert trip().find("trip", k=None, tokens=tokens) == Found([], 5)


def test_everything_that_matches_is_counted_however_much_it_is() -> None:
    world = World()
    for number in range(1, 1201):
        world.say(f"nuts {number} of {number * 7}", session=f"s{number // 50}")
    found = world.find("nuts", k=None, tokens=300)
    assert (found.matched, found.left_out) == (1200, 1200 - len(found.hits))
    assert world.find("nuts", k=10).left_out == 1190
    assert world.find("nuts", Filter(sessions=("s3",)), k=10).left_out == 40


WORDS = (
    "zebra",
    "zebra lion",
    "lion",
    "yes",
    "the zebra?",
    "zebra " * 60,
    "斑马 狮子",
    "zebra one two three four five six",
)


@settings(max_examples=examples(30), deadline=None)
@given(
    turns=st.lists(st.tuples(st.sampled_from(WORDS), st.integers(0, 3), st.integers(0, 2), st.booleans()), max_size=20),
    tokens=st.integers(0, 400),
    k=st.none() | st.integers(0, 10),
)
def test_a_result_never_costs_more_than_its_budget_and_all_is_counted(
    turns: list[tuple[str, int, int, bool]], tokens: int, k: int | None
) -> None:
    world = World()
    for text, session, day, is_fact in turns:
        position = world.say(text, session=f"s{session}" if session else "", on=MAY + timedelta(days=day))
        if is_fact:
            world.fact(text, position)
    found = world.find("zebra 狮子", k=k, tokens=tokens)
    assert found.tokens == count_tokens(found.text) <= tokens
    ranked = world.find("zebra 狮子", k=None)
    assert found.matched == ranked.matched
    assert 0 <= found.left_out <= found.matched
    assert ranked.left_out == 0
    places = [(hit.kind, hit.position, hit.start) for hit in found.hits]
    assert len(set(places)) == len(places)
    shown = {hit.position for hit in found.hits}
    assert shown.isdisjoint(position for hit in found.hits for position in hit.also)


# --- near-duplicates --------------------------------------------------------------------------------------------------


def test_what_says_nearly_the_same_is_shown_once_and_the_others_are_named() -> None:
    world = World()
    text = "We will fly to Lisbon on the third of June with all the children"
    for number, end in enumerate((".", "!", " :)")):
        world.say(text + end, session=f"s{number}")
    other = world.say("We will drive to Porto in June", session="o")
    found = world.find("Lisbon June", k=20)
    assert [(hit.position, hit.also) for hit in found.hits] == [(1, (2, 3)), (other, ())]
    assert (found.matched, found.left_out) == (4, 0)


def test_one_different_number_or_name_in_a_short_text_is_not_the_same() -> None:
    world = World()
    for number, text in enumerate(("Room 12 is free", "Room 13 is free", "Room 12 is full", "room 12 is FREE.")):
        world.say(text, session=f"s{number}")
    assert {hit.position: hit.also for hit in world.find("room").hits} == {1: (4,), 2: (), 3: ()}


def test_a_fact_does_not_take_the_place_of_the_words_it_was_taken_from() -> None:
    world = World()
    world.say("Ana likes tea")
    fact = world.fact("Ana likes tea", 1)
    assert set(world.found("tea")) == {1, fact}


# --- a short answer ---------------------------------------------------------------------------------------------------


def test_a_short_answer_brings_the_question_before_it() -> None:
    world = World()
    world.say("Which doctor do you see about the cough?", role="assistant", speaker="Helper", on=MAY)
    world.say("Doctor Lindqvist", speaker="Ana", on=MAY)
    found = world.find("Lindqvist", k=1, tokens=100)
    assert found.text == "[2025-05-03]\nHelper: Which doctor do you see about the cough?\nAna: Doctor Lindqvist"
    question, answer = found.hits
    assert (question.channels, question.score) == ({}, 0)
    assert answer.channels != {}
    assert world.find("Lindqvist", k=1, tokens=15).text == "[2025-05-03]\nAna: Doctor Lindqvist"


@pytest.mark.parametrize(
    ("before", "is_asked"),
    [
        ("你看哪位医生？", True),
        ("من هو طبيبك؟", True),
        ("Ποιος είναι ο γιατρός σου\u037e", True),
        ("Ποιος είναι ο γιατρός σου; ", True),
        ("I have to see the doctor;", False),
        ("I have to see the doctor.", False),
    ],
)
def test_a_question_is_known_by_its_mark(before: str, is_asked: bool) -> None:
    world = World()
    world.say(before, role="assistant")
    world.say("Lindqvist")
    assert [hit.position for hit in world.find("Lindqvist", k=1, tokens=100).hits] == [1, 2][not is_asked :]


def test_a_question_that_was_brought_and_is_found_itself_is_shown_once_and_counted() -> None:
    world = World()
    world.say("Which doctor?", role="assistant", on=MAY)
    world.say("Doctor Lindqvist", on=MAY)
    found = world.find("doctor Lindqvist", k=None, tokens=100)
    assert [hit.position for hit in found.hits] == [1, 2]
    assert (found.matched, found.left_out) == (2, 0)
    assert all(hit.channels for hit in found.hits)


def test_neither_a_statement_nor_a_question_of_another_conversation_is_brought() -> None:
    world = World()
    world.say("Who is your doctor?", session="a")
    world.say("It is late.", session="b")
    world.say("Lindqvist", session="b")
    assert [hit.position for hit in world.find("Lindqvist", k=1, tokens=100).hits] == [3]
