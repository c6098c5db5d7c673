"""From conversation to facts: what is asked, what is taken from a reply, and what happens to the rest."""

import json
from typing import Any

import pytest

from support.scripted_model import (
    NOTHING,
    TUESDAY,
    allergy,
    aside,
    calls,
    fact,
    facts,
    heard,
    kept,
    new_memory,
    put_allergy,
    teach,
    whys,
)
from uac.errors import Unanswered, Unreachable
from uac.models import Models, OneModel
from uac.models.scripted import ScriptedModel
from uac.schema.entries import Citation, Fact
from uac.schema.periods import Period

ALLERGY = allergy(1)


def test_what_is_said_waits_until_somebody_reads_it_and_nothing_is_lost() -> None:
    memory = heard("I'm allergic to penicillin, please never forget that.")
    assert list(memory.project().progress.unread) == [1]
    learned = memory.learn(Models())
    assert learned.stopped == "no model is configured for extract"
    assert [request.step for request in memory.pending()] == ["extract"]
    assert memory.recall("penicillin").hits[0].position == 1


def test_a_fact_is_kept_with_its_words_its_authority_and_who_took_it() -> None:
    memory = heard("I'm allergic to penicillin, please never forget that.")
    teach(memory, facts(ALLERGY), put_allergy(2))
    (found,) = kept(memory)
    assert found.by.startswith("scripted, prompt ")
    assert found == Fact(
        text="The user is allergic to penicillin.",
        about="user",
        authority="user",
        cites=(Citation(position=1, quote="I'm allergic to penicillin"),),
        topic="health",
        by=found.by,
    )
    assert memory.project().record("health.Allergy:penicillin").values["substance"] == "penicillin"
    words = memory.explain("health.Allergy:penicillin", "substance").claims[0].evidence[0]
    assert (words.fact, words.quote) == (2, "I'm allergic to penicillin")


def test_a_quote_that_was_not_said_goes_back_with_the_reason_and_a_mended_fact_is_kept() -> None:
    memory = heard("I'm allergic to penicillin, please never forget that.")
    wrong = fact("The user is allergic to penicillin.", 1, "I am allergic to all penicillins")
    model, learned = teach(memory, facts(wrong), facts(ALLERGY), put_allergy(3))
    assert whys(learned.outcomes)[0] == [
        "The quote 'I am allergic to all penicillins' is not in turn 1. Use its exact words."
    ]
    assert model.contents[1]["refused"][0]["fact"] == wrong
    assert [found.text for found in kept(memory)] == ["The user is allergic to penicillin."]


def test_what_holds_is_kept_at_once_and_only_the_rest_is_asked_again() -> None:
    memory = heard("I have two cats, Mia and Tom. I pay 40 euros for their food.")
    good = fact("The user has two cats, Mia and Tom.", 1, "I have two cats, Mia and Tom")
    wrong = fact("The user pays 400 euros for cat food.", 1, "I pay 40 euros for their food")
    right = fact("The user pays 40 euros for cat food.", 1, "I pay 40 euros for their food")
    model, learned = teach(memory, facts(good, wrong), facts(right), aside(2, 4))
    assert [outcome.facts for outcome in learned.outcomes] == [(2,), (4,), ()]
    assert model.contents[1]["taken"] == ["The user has two cats, Mia and Tom."]
    assert "400" in model.contents[1]["refused"][0]["why"]


def test_a_repeated_request_shows_only_the_turns_of_the_refused_facts_and_their_neighbours() -> None:
    texts = [f"Number {number} is {number + 100} euros." for number in range(1, 11)]
    memory = heard(*texts, session="s")
    good = [fact(f"Number {n} is {n + 100} euros.", n, f"Number {n} is {n + 100} euros") for n in range(1, 11)]
    wrong = fact("Number 5 is 999 euros.", 5, "Number 5 is 105 euros")
    model, _learned = teach(
        memory, facts(*good[:4], wrong, *good[5:]), facts(wrong), facts(good[4]), aside(*range(11, 20), 22)
    )
    shown = [[turn["turn"] for turn in content["turns"]] for content in model.contents[:3]]
    assert shown == [[*range(1, 11)], [3, 4, 5, 6, 7], [3, 4, 5, 6, 7]]
    assert [request.answers for request in model.requests[:3]] == [(*range(1, 11),)] * 3
    assert (len(kept(memory)), memory.pending()) == (10, [])


def test_a_reply_that_is_wrong_as_a_whole_or_goes_on_is_asked_again_with_all_turns() -> None:
    texts = [f"Number {number} is {number + 100} euros." for number in range(1, 11)]
    good = fact("Number 1 is 101 euros.", 1, "Number 1 is 101 euros")
    wrong = fact("Number 5 is 999 euros.", 5, "Number 5 is 105 euros")
    for reply in ("no", facts(good, wrong, more=True), facts(fact("Number 5 is 999 euros.", 77, "Number 5"))):
        memory = heard(*texts, session="s")
        memory.answer(memory.pending()[0].id, reply if isinstance(reply, str) else json.dumps(reply))
        shown = json.loads(memory.pending()[0].content)["turns"]
        assert [turn["turn"] for turn in shown] == [*range(1, 11)]


def test_after_three_attempts_the_turn_waits_with_the_finding_and_nothing_is_invented() -> None:
    memory = heard("I pay 40 euros for cat food.")
    wrong = facts(fact("The user pays 400 euros for cat food.", 1, "I pay 40 euros for cat food"))
    model, _learned = teach(memory, wrong, wrong, wrong)
    assert model.steps == ["extract", "extract", "extract"]
    assert kept(memory) == []
    stuck = memory.project().progress.stuck
    assert list(stuck) == [1]
    assert "400" in stuck[1]
    assert memory.pending() == []


def test_retracting_the_last_call_lets_a_stuck_turn_be_read_again() -> None:
    memory = heard("I pay 40 euros for cat food.")
    wrong = facts(fact("The user pays 400 euros for cat food.", 1, "I pay 40 euros for cat food"))
    teach(memory, wrong, wrong, wrong)
    memory.retract([memory.log.head().position], why="a better model")
    assert [request.step for request in memory.pending()] == ["extract"]


def looks(content: dict[str, Any]) -> list[tuple[int, str]]:
    """Each turn of a request, and whether it is context, read for the first time, or for the second."""
    return [
        (turn["turn"], "context" if turn.get("context") else turn.get("look", "first")) for turn in content["turns"]
    ]


def test_turns_that_gave_no_fact_are_looked_at_once_more_and_only_once() -> None:
    memory = heard("I'm allergic to penicillin, please never forget that.", "My sister lives in Lisbon these days.")
    sister = fact("The user's sister lives in Lisbon.", 2, "My sister lives in Lisbon")
    model, _learned = teach(
        memory, facts(ALLERGY), facts(sister), {"patches": [*put_allergy(3)["patches"], *aside(5)["patches"]]}
    )
    assert model.steps == ["extract", "extract", "checkpoint"]
    assert looks(model.contents[1]) == [(1, "context"), (2, "second")]
    assert memory.pending() == []


def test_a_second_look_without_numbers_and_names_waits_for_the_next_request_and_costs_none_of_its_own() -> None:
    memory = heard("My sister keeps bees these days.", session="one")
    model, _learned = teach(memory, NOTHING)
    assert (model.steps, [*memory.project().progress.again], memory.pending()) == (["extract"], [1], [])
    memory.add("Thanks!", said=TUESDAY, session="two")
    bees = fact("The user's sister keeps bees.", 1, "My sister keeps bees")
    model, _learned = teach(memory, facts(bees), aside(4))
    assert looks(model.contents[0]) == [(1, "second"), (3, "first")]
    assert (model.steps, [*memory.project().progress.again]) == (["extract", "checkpoint"], [])


def test_what_one_source_said_is_not_shown_in_a_request_about_another_source() -> None:
    memory = heard("My sister keeps bees these days.", source="chat")
    teach(memory, NOTHING)
    memory.add("Thanks!", said=TUESDAY, source="mail")
    model, _learned = teach(memory, NOTHING)
    assert looks(model.contents[0]) == [(3, "first")]
    assert [*memory.project().progress.again] == [1]


def test_a_retracted_turn_gets_no_second_look() -> None:
    memory = heard("My sister keeps bees these days.", session="one")
    teach(memory, NOTHING)
    memory.retract([1], why="a slip")
    memory.add("Thanks!", said=TUESDAY, session="two")
    model, _learned = teach(memory, NOTHING)
    assert looks(model.contents[0]) == [(4, "first")]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks a lot!",
        "Hello, long day today.",
        "Good night, and thank you for listening to me.",
        "Gute Nacht und danke fürs Zuhören.",
        "Buenas noches y gracias por escucharme.",
        "Merci beaucoup, à bientôt !",
        "谢谢！再见",
        "What is a good way to peel 10 mangoes?",
        "Great, thanks! Which museums in Lisbon are open?",
    ],
)
def test_a_turn_that_says_nothing_gets_no_second_look(text: str) -> None:
    memory = heard(text)
    model, _learned = teach(memory, NOTHING)
    assert (model.steps, [*memory.project().progress.again]) == (["extract"], [])


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to nuts, can I eat this?",
        "Thanks, I am 40 today!",
        "Thanks! My sister keeps bees.",
        "我对花生过敏",
    ],
)
def test_a_turn_that_says_something_beside_courtesy_gets_a_second_look(text: str) -> None:
    memory = heard(text)
    memory.answer(memory.pending()[0].id, json.dumps(NOTHING))
    assert [*memory.project().progress.again] == [1]


def test_a_long_turn_is_read_in_slices_that_overlap_and_no_character_is_left_out() -> None:
    text = " ".join(f"On day {number} I wrote line number {number}." for number in range(3000))
    memory = heard(text)
    model = ScriptedModel(*[NOTHING] * 40)
    memory.learn(OneModel(model))
    shown = [content["turns"][-1]["text"] for content in model.contents if "look" not in content["turns"][-1]]
    assert len(shown) > 5
    covered = 0
    for part in shown:
        start = text.index(part)
        assert start <= covered
        covered = max(covered, start + len(part))
    assert covered == len(text)


def test_a_long_session_is_read_in_windows_that_each_turn_stands_in_once() -> None:
    memory = new_memory()
    for number in range(400):
        memory.add(f"This is turn number {number} and it says a few words more.", said=TUESDAY, session="long")
    model = ScriptedModel(*[NOTHING] * 80)
    memory.learn(OneModel(model))
    first = [content for content in model.contents if "look" not in content["turns"][-1]]
    read = [turn["turn"] for content in first for turn in content["turns"] if not turn.get("context")]
    assert read == list(range(1, 401))
    assert all(content["turns"][0].get("context") for content in first[1:])


def test_a_date_that_depends_on_the_day_of_saying_is_worked_out_and_compared() -> None:
    memory = heard("Mia moved to Lisbon last Friday.")
    wrong = fact(
        "Mia moved to Lisbon.",
        1,
        "Mia moved to Lisbon last Friday",
        when="last Friday",
        start="2024-05-04",
        end="2024-05-04",
    )
    right = fact(
        "Mia moved to Lisbon.",
        1,
        "Mia moved to Lisbon last Friday",
        when="last Friday",
        start="2024-05-03",
        end="2024-05-03",
    )
    _model, learned = teach(memory, facts(wrong), facts(right), aside(3))
    assert "'last Friday', said on Tuesday 2024-05-07, means 2024-05-03" in whys(learned.outcomes)[0][0]
    assert kept(memory)[0].held == Period.on("2024-05-03")
    assert kept(memory)[0].when == "last Friday"


def test_a_date_that_nobody_said_is_refused() -> None:
    memory = heard("Mia moved to Lisbon after the wedding.")
    wrong = fact(
        "Mia moved to Lisbon.", 1, "Mia moved to Lisbon after the wedding", when="after the wedding", start="2024-02-01"
    )
    right = fact("Mia moved to Lisbon.", 1, "Mia moved to Lisbon after the wedding", when="after the wedding")
    teach(memory, facts(wrong), facts(right), aside(3))
    assert (kept(memory)[0].held, kept(memory)[0].when) == (Period(), "after the wedding")


@pytest.mark.parametrize(
    ("role", "authority"),
    [("user", "user"), ("person", "document"), ("assistant", "assistant"), ("tool", "tool"), ("document", "document")],
)
def test_whose_word_a_fact_is_follows_from_who_is_quoted(role: Any, authority: str) -> None:
    memory = heard("The flat in Lisbon costs 900 euros.", role=role)
    teach(
        memory,
        facts(fact("The flat in Lisbon costs 900 euros.", 1, "The flat in Lisbon costs 900 euros", corrects=True)),
        aside(2),
    )
    expected = "correction" if role == "user" else authority
    assert [found.authority for found in kept(memory)] == [expected]


def test_a_model_can_only_make_a_word_weaker() -> None:
    memory = heard("The flat in Lisbon costs 900 euros.")
    said = fact(
        "The user considers a flat in Lisbon.", 1, "The flat in Lisbon costs 900 euros", inferred=True, corrects=True
    )
    teach(memory, facts(said), aside(2))
    assert [found.authority for found in kept(memory)] == ["inferred"]


def test_what_memory_itself_has_shown_is_not_learned_again() -> None:
    memory = heard("I'm allergic to penicillin, please never forget that.")
    teach(memory, facts(ALLERGY), put_allergy(2))
    shown = memory.context("allergies").text
    memory.add(f"{shown}\nWhat can I take for a cold?", said=TUESDAY)
    position = memory.log.head().position
    quoted = fact("The user is allergic to penicillin.", position, "allergic to penicillin")
    model, learned = teach(memory, facts(quoted), NOTHING, NOTHING)
    assert "penicillin" not in json.dumps(model.contents[0]["turns"][-1])
    assert "is not in turn" in whys(learned.outcomes)[0][0]
    assert len(kept(memory)) == 1


def test_an_assistant_that_repeats_what_is_known_teaches_nothing() -> None:
    memory = heard("I'm allergic to penicillin, please never forget that.")
    teach(memory, facts(ALLERGY), put_allergy(2))
    memory.add("Remember that you are allergic to penicillin.", said=TUESDAY, role="assistant")
    turn = memory.log.head().position
    echo = fact("The user is allergic to penicillin.", turn, "you are allergic to penicillin")
    _model, learned = teach(memory, facts(echo))
    assert [outcome.echoes for outcome in learned.outcomes] == [1]
    assert len(kept(memory)) == 1


def test_a_reply_that_goes_on_is_asked_for_more_until_it_is_done() -> None:
    memory = heard("I have a cat. I have a dog. I have a horse.")
    cat = fact("The user has a cat.", 1, "I have a cat")
    dog = fact("The user has a dog.", 1, "I have a dog")
    model, _learned = teach(memory, facts(cat, more=True), facts(dog), aside(2, 4))
    assert model.contents[1]["taken"] == ["The user has a cat."]
    assert [found.text for found in kept(memory)] == ["The user has a cat.", "The user has a dog."]


def test_a_reply_that_was_cut_off_keeps_its_whole_facts_and_goes_on() -> None:
    memory = heard("I have a cat. I have a dog.")
    whole = json.dumps(
        facts(fact("The user has a cat.", 1, "I have a cat"), fact("The user has a dog.", 1, "I have a dog"))
    )
    cut = Unanswered("the reply was cut off", reason="cut", text=whole[: whole.rindex("dog")])
    model, _learned = teach(memory, cut, facts(fact("The user has a dog.", 1, "I have a dog")), aside(2, 4))
    assert model.contents[1]["taken"] == ["The user has a cat."]
    assert [found.text for found in kept(memory)] == ["The user has a cat.", "The user has a dog."]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot help with that.",
        "{",
        '{"facts": 3}',
        "[]",
        '{"facts": [{"text": 1}]}',
        "NaN",
        '{"facts": [3, null]}',
    ],
)
def test_a_useless_reply_counts_as_an_attempt_and_leaves_the_words_waiting(reply: str) -> None:
    memory = heard("I have a cat and a dog.")
    model, learned = teach(memory, reply, reply, reply)
    assert model.steps == ["extract"] * 3
    assert all(whys(learned.outcomes))
    assert list(memory.project().progress.stuck) == [1]
    assert kept(memory) == []


def test_a_model_out_of_reach_stops_the_run_politely_and_the_words_wait() -> None:
    memory = heard("I have a cat and a dog.")
    _model, learned = teach(memory, Unreachable("rate limited: try again in 30 s"))
    assert learned.stopped == "rate limited: try again in 30 s"
    assert calls(memory) == []
    assert list(memory.project().progress.unread) == [1]


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("I am not allergic to penicillin.", "allergic to penicillin", "The user is allergic to penicillin."),
        ("I have not moved to Porto.", "moved to Porto", "The user moved to Porto."),
        ("I don't drink coffee any more.", "I don't drink coffee any more", "The user drinks coffee."),
        ("我没有青霉素过敏。", "我没有青霉素过敏", "用户有青霉素过敏。"),
        ("Ich esse kein Fleisch.", "kein Fleisch", "Der Nutzer isst Fleisch."),
    ],
)
def test_a_denial_may_not_be_lost(said: str, quote: str, text: str) -> None:
    memory = heard(said)
    _model, learned = teach(memory, facts(fact(text, 1, quote)), NOTHING, NOTHING)
    assert "Keep the denial" in whys(learned.outcomes)[0][0]
    assert kept(memory) == []


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("No doubt I take amoxicillin.", "I take amoxicillin", "The user takes amoxicillin."),
        ("我不吃海鲜。我对青霉素过敏。", "我对青霉素过敏", "用户对青霉素过敏。"),
        ("Not yet, the company books it.", "the company books it", "The company books it."),
        ("I don't drink coffee, only tea.", "only tea", "The user drinks only tea."),
    ],
)
def test_a_denial_of_something_else_is_no_denial(said: str, quote: str, text: str) -> None:
    memory = heard(said)
    teach(memory, facts(fact(text, 1, quote)), aside(2))
    assert [found.text for found in kept(memory)] == [text]
