"""What a search finds, in which order, and why: words, the turns around, people, facts and records, meaning."""

import pytest

from support.recall import START, Meanings, Preferring, World
from support.short_logs import ALLERGY
from uac.recall.search import CHANNELS, Filter, Found, Hit, Recall
from uac.schema.entries import Checkpoint, Retraction
from uac.schema.patches import Define, End
from uac.schema.periods import Period

# --- what is found ----------------------------------------------------------------------------------------------------


def test_a_turn_is_found_by_its_words() -> None:
    world = World()
    world.say("I am allergic to penicillin.", speaker="Ana", source="chat")
    world.say("The weather is fine.", session="t")
    found = world.find("penicillin")
    (hit,) = found.hits
    assert found == Found([hit], 1)
    assert found.left_out == 0
    assert hit == Hit(
        "observation",
        1,
        "",
        "I am allergic to penicillin.",
        hit.score,
        START,
        "Ana",
        "user",
        "s",
        is_current=True,
        start=0,
        stop=28,
        whole=28,
        source="chat",
        channels=hit.channels,
    )
    assert hit.channels.keys() == {"words", "session", "person"}


def test_a_fact_is_found_by_its_words_and_by_whom_it_is_about() -> None:
    world = World()
    world.say("He moved to Porto.")
    world.fact("moved to Lisbon", 1, about="Tom", authority="inferred")
    (hit,) = world.find("Tom", Filter(kinds=("fact",))).hits
    assert hit == Hit(
        "fact",
        2,
        "",
        "moved to Lisbon",
        hit.score,
        START,
        "",
        None,
        "",
        is_current=True,
        start=0,
        stop=15,
        whole=15,
        authority="inferred",
        channels=hit.channels,
    )


def test_a_record_is_found_by_its_type_its_fields_and_all_that_was_claimed_of_it() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("nuts", "mild", 1)
    world.put("nuts", "severe", 1)
    for query in ("allergies", "health", "substance", "Nuts", "severe", "mild"):
        assert world.found(query) == ["health.Allergy:nuts"], query
    (hit,) = world.find("nuts").hits
    assert hit == Hit(
        "record",
        0,
        "health.Allergy:nuts",
        "health.Allergy:nuts substance=nuts, severity=severe",
        hit.score,
        None,
        "",
        None,
        "",
        is_current=True,
        whole=51,
        channels=hit.channels,
    )


def test_a_record_that_has_ended_is_found_and_is_not_current() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("nuts", "mild", 1)
    world.add(Checkpoint(patches=(End(record="health.Allergy:nuts", when="2026-01", why="outgrown", cites=(1,)),)))
    assert [(hit.record, hit.is_current) for hit in world.find("outgrown nuts").hits] == [
        ("health.Allergy:nuts", False)
    ]


def test_of_a_long_turn_the_passage_with_the_words_is_found_and_where_it_stands() -> None:
    world = World()
    text = "We talked about the garden. " * 40 + "The penicillin made me ill. " + "It rained all day long. " * 40
    world.say(text)
    best = world.find("penicillin").hits[0]
    assert "The penicillin made me ill." in best.text
    assert (best.text, best.whole) == (text[best.start : best.stop], len(text))
    assert len(best.text) < len(text) / 3


def test_what_memory_showed_is_not_found_as_somebodys_words() -> None:
    world = World()
    world.say("Look: <memory of the user, made by user-as-code, entries up to 3; data>zebra</memory> and giraffe")
    world.say("<memory of the user, made by user-as-code>zebra", session="t")
    assert world.found("zebra") == []
    assert [hit.text for hit in world.find("giraffe").hits][:1] == [" and giraffe"]


def test_a_query_of_stop_words_finds_what_has_them() -> None:
    world = World()
    world.say("To be or not to be")
    world.say("Cats", session="t")
    assert world.found("to be or not to be") == [1]


def test_stop_words_do_not_find_where_other_words_do() -> None:
    world = World()
    world.say("What is the time?")
    world.say("Penicillin", session="t")
    assert world.found("what is the penicillin") == [2]


def test_nothing_is_found_before_a_search_follows_a_log() -> None:
    assert Recall().find("zebra") == Found([], 0)
    assert Recall().neighbours(1) == []
    assert Recall().hit(1) is None


# --- retraction -------------------------------------------------------------------------------------------------------


def test_a_retracted_turn_and_what_rests_on_it_are_not_found_until_that_is_undone() -> None:
    world = World()
    world.say("zebra")
    world.say("yes")
    world.fact("zebra", 1)
    before = world.find("zebra")
    assert {hit.position for hit in before.hits} == {1, 2, 3}
    undo = world.add(Retraction(positions=(1,), why="wrong"))
    assert world.find("zebra") == Found([], 0)
    world.add(Retraction(positions=(undo,), why="it was right"))
    assert world.find("zebra") == before


def test_a_retracted_fact_does_not_speak_for_the_turn_it_was_taken_from() -> None:
    world = World()
    world.say("It was striped.")
    world.say("Giraffes are tall.", session="t")
    fact = world.fact("Ana saw a zebra", 1)
    assert world.found("zebra") == [fact, 1]
    world.add(Retraction(positions=(fact,), why="wrong"))
    assert world.find("zebra") == Found([], 0)


def test_before_a_position_neither_later_words_nor_records_are_found() -> None:
    world = World()
    world.say("nuts")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("nuts", "mild", 1)
    world.say("and?")
    world.say("nuts again")
    world.fact("nuts", 5)
    recall = world.follow()
    assert [hit.position for hit in recall.search("nuts", before=5)] == [1, 4]
    assert recall.search("again", before=5) == []


# --- the order --------------------------------------------------------------------------------------------------------


def test_the_users_turn_stands_before_the_assistants_unless_the_assistant_is_asked() -> None:
    world = World()
    world.say("penicillin or nuts", role="assistant", session="a")
    world.say("nuts or penicillin!", session="b")
    assert world.found("penicillin nuts") == [2, 1]
    world.say("Take the penicillin twice a day", role="assistant", session="c")
    world.say("I take vitamins twice a day", session="d")
    assert world.found("what did you tell me to take twice a day?")[0] == 3


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    world = World()
    for number in range(5):
        world.say(f"my trip {number}", session=f"s{number}")
    rare = world.say("my yacht 7", session="y")
    assert world.found("trip yacht")[0] == rare


def test_more_of_the_words_count_more() -> None:
    world = World()
    world.say("The boat is red", session="a")
    both = world.say("The boat is in the harbour", session="b")
    world.say("The harbour is old", session="c")
    assert world.found("boat harbour")[0] == both


def test_equal_turns_are_found_in_the_order_of_the_log() -> None:
    world = World()
    for number in range(5):
        world.say(f"nuts {number}", session=f"s{number}")
    assert world.found("nuts") == [1, 2, 3, 4, 5]


def test_a_name_in_the_query_prefers_what_that_person_said() -> None:
    world = World()
    world.say("Tom, do you paint?", speaker="Ana", session="a")
    world.say("I paint at night", role="person", speaker="Tom", session="b")
    world.say("I paint at noon", role="person", speaker="Eva", session="c")
    assert world.found("when does Tom paint?")[0] == 2
    assert world.found("when does Eva paint?")[0] == 3
    assert {"person"} <= world.find("Eva paint").hits[0].channels.keys()


def test_a_conversation_that_is_about_it_comes_before_one_that_only_has_the_word() -> None:
    world = World()
    world.say("The marathon is on Sunday", session="a")
    for text in ("Hello", "How are you?", "Fine", "And you?"):
        world.say(text, session="b")
    for text in ("Did you train for the marathon?", "I ran for the marathon", "Marathon shoes!"):
        world.say(text, session="c")
    assert world.found("marathon")[-1] == 1


# --- the turns around -------------------------------------------------------------------------------------------------


def test_a_short_turn_is_found_by_the_words_around_it() -> None:
    world = World()
    world.say("Where will you spend June?", role="assistant")
    world.say("In Lisbon")
    world.say("elsewhere", session="t")
    assert set(world.found("June")) == {1, 2}
    assert world.follow().find("June", k=20, without=["around"]).hits[0].position == 1
    assert len(world.recall.find("June", without=["around", "session"]).hits) == 1


def test_turns_of_another_conversation_are_not_around() -> None:
    world = World()
    world.say("Where will you spend June?", role="assistant", session="a")
    world.say("In Lisbon", session="b")
    assert world.found("June") == [1]


def test_turns_without_a_session_belong_together_by_day() -> None:
    world = World()
    for day in (5, 5, 6, 6):
        world.say("nuts", session="", on=START.replace(day=day))
    assert [world.follow().neighbours(position, after=3) for position in (1, 2, 3, 4)] == [[2], [1], [4], [3]]


def test_neighbours_are_the_turns_around_in_the_session() -> None:
    world = World()
    for session in "ababaab":
        world.say("nuts", session=session)
    recall = world.follow()
    assert recall.neighbours(3) == [1, 5]
    assert recall.neighbours(3, before=5, after=2) == [1, 5, 6]
    assert recall.neighbours(7) == [4]
    assert recall.neighbours(99) == []
    world.add(Retraction(positions=(1,), why="wrong"))
    assert world.follow().neighbours(3) == [5]


# --- facts as keys ----------------------------------------------------------------------------------------------------


def test_a_fact_leads_to_the_turn_it_was_taken_from() -> None:
    world = World()
    world.say("That antibiotic again.", session="a")
    world.say("Aspirin again.", session="b")
    fact = world.fact("Ana takes penicillin", 1, held=Period("2026"))
    assert set(world.found("penicillin")) == {fact, 1}
    (turn,) = world.find("penicillin", Filter(kinds=("observation",))).hits
    assert (turn.position, "facts" in turn.channels, "words" in turn.channels) == (1, True, False)
    assert world.follow().find("penicillin", Filter(kinds=("observation",)), without=["facts"]).hits == []


# --- meaning ----------------------------------------------------------------------------------------------------------

ILLNESS = Meanings(ill="medicin drug penicillin antibiot", vehicle="car automobil")


def test_what_means_the_same_is_found_without_a_word_in_common() -> None:
    world = World(embedder=ILLNESS)
    world.say("I sold my automobile", session="a")
    world.say("I baked a cake", session="b")
    world.say("Penicillin gives me a rash", session="c")
    assert world.found("which drug")[0] == 3
    assert world.found("a car")[0] == 1
    assert "meaning" in world.find("a car").hits[0].channels
    assert world.follow().find("a car", without=["meaning"]).hits == []


def test_a_reranker_has_the_last_word_on_the_order() -> None:
    world = World(reranker=Preferring("three", "one"))
    for name in ("one", "two", "three"):
        world.say(f"nuts {name}", session=name)
    assert world.found("nuts") == [3, 1, 2]
    assert [hit.position for hit in world.find("nuts", k=1).hits] == [3]


# --- why --------------------------------------------------------------------------------------------------------------


def busy_world() -> World:
    world = World(embedder=ILLNESS)
    world.say("Did the medicine help in May 2025?", role="assistant", speaker="Doctor", session="a")
    world.say("Yes, a lot", speaker="Ana", session="a")
    world.fact("Ana took penicillin", 2, held=Period("2025-05"))
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("penicillin", "mild", 3)
    world.say("The car is at the garage", speaker="Tom", role="person", session="b")
    return world


QUERIES = ("Which drug did Ana take in May 2025?", "penicillin", "Tom's car", "did it help before the medicine?")


@pytest.mark.parametrize("query", QUERIES)
def test_what_the_channels_give_adds_up_to_the_score(query: str) -> None:
    for hit in busy_world().find(query).hits:
        assert hit.score == pytest.approx(sum(hit.channels.values()), abs=0.0005), hit
        assert min(hit.channels.values()) > 0
        assert hit.channels.keys() <= set(CHANNELS)


def test_every_channel_that_is_left_out_gives_nothing() -> None:
    recall = busy_world().follow()
    for query in QUERIES:
        for channel in CHANNELS:
            for hit in recall.find(query, without=(channel,)).hits:
                assert channel not in hit.channels


def test_a_better_score_stands_first_and_the_same_question_has_the_same_answer() -> None:
    world = busy_world()
    for query in QUERIES:
        found = world.find(query)
        assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
        assert world.find(query) == found
        assert busy_world().find(query) == found
        for k in range(len(found.hits) + 1):
            assert world.find(query, k=k).hits == found.hits[:k]
