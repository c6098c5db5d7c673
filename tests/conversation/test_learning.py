"""Conversation to memory: what is asked, what is taken from a reply, and what happens to the rest."""

import json
from datetime import timedelta
from typing import Any

import pytest

from support.recall import Meanings
from support.scripted_model import (
    NOTHING,
    TUESDAY,
    aside,
    calls,
    fact,
    facts,
    heard,
    kept,
    new_memory,
    teach,
    whys,
)
from uac import Memory
from uac.conversation.learning import Cadence
from uac.errors import Refused, Unanswered, Unreachable
from uac.log.stores.in_memory import MemoryStore
from uac.models import Budget, Models, OneModel
from uac.models.requests_and_replies import Reply
from uac.models.scripted import ScriptedModel
from uac.project.fold import fold_entries
from uac.project.render import render
from uac.recall.context import build_context
from uac.schema.entries import Citation, Fact
from uac.schema.periods import Period

ALLERGY = fact("The user is allergic to penicillin.", 1, "I'm allergic to penicillin", topic="health")
PUT_ALLERGY = {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}}


def put_allergy(*cites: int) -> dict[str, Any]:
    return {"patches": [{**PUT_ALLERGY, "cites": list(cites)}]}


def test_learning_embeds_nothing_and_the_next_search_does() -> None:
    embedder = Meanings()
    memory = Memory(MemoryStore().log("ana"), embedder=embedder)
    said = "I'm allergic to penicillin, please never forget that."
    memory.add(said, said=TUESDAY)
    teach(memory, facts(ALLERGY), put_allergy(2))
    assert (len(kept(memory)), embedder.embedded) == (1, [])
    memory.recall("penicillin")
    assert sorted(embedder.embedded)[:2] == [said, "The user is allergic to penicillin."]


# --- phase one: facts -------------------------------------------------------------------------------------------------


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


def test_turns_that_gave_no_fact_are_looked_at_once_more_and_only_once() -> None:
    memory = heard("I'm allergic to penicillin, please never forget that.", "My sister lives in Lisbon these days.")
    sister = fact("The user's sister lives in Lisbon.", 2, "My sister lives in Lisbon")
    model, _learned = teach(
        memory, facts(ALLERGY), facts(sister), {"patches": [*put_allergy(3)["patches"], *aside(5)["patches"]]}
    )
    assert model.steps == ["extract", "extract", "checkpoint"]
    assert model.contents[1]["look"] == "second"
    assert [(turn["turn"], turn.get("context", False)) for turn in model.contents[1]["turns"]] == [
        (1, True),
        (2, False),
    ]
    assert memory.pending() == []


def test_a_turn_that_says_nothing_gets_no_second_look() -> None:
    memory = heard("Thanks a lot!")
    model, _learned = teach(memory, NOTHING)
    assert model.steps == ["extract"]


def test_a_long_turn_is_read_in_slices_that_overlap_and_no_character_is_left_out() -> None:
    text = " ".join(f"On day {number} I wrote line number {number}." for number in range(3000))
    memory = heard(text)
    model = ScriptedModel(*[NOTHING] * 40)
    memory.learn(OneModel(model))
    shown = [content["turns"][-1]["text"] for content in model.contents if "look" not in content]
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
    first = [content for content in model.contents if "look" not in content]
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


# --- phase two: records -----------------------------------------------------------------------------------------------


def test_patches_that_hold_are_accepted_and_only_the_others_are_asked_again() -> None:
    memory = heard("I'm allergic to penicillin. I take cetirizine since March.")
    taken = facts(ALLERGY, fact("The user takes cetirizine.", 1, "I take cetirizine", topic="health"))
    bad = {"op": "put", "type": "health.Medication", "fields": {"title": "cetirizine"}, "cites": [3]}
    good = {"op": "put", "type": "health.Medication", "fields": {"name": "cetirizine"}, "cites": [3]}
    model, learned = teach(memory, taken, {"patches": [{**PUT_ALLERGY, "cites": [2]}, bad]}, {"patches": [good]})
    assert "health.Medication has no field title" in whys(learned.outcomes)[1][0]
    assert model.contents[2]["refused"][0]["patch"] == bad
    assert [item["fact"] for item in model.contents[2]["facts"]] == [3]
    assert memory.project().count("health.Allergy") == memory.project().count("health.Medication") == 1


def test_patches_for_one_fact_stand_or_fall_together() -> None:
    memory = heard("I'm allergic to penicillin.")
    teach(memory, facts(ALLERGY), put_allergy(2))
    memory.add("It's not penicillin, it is latex that I react to.", said=TUESDAY + timedelta(days=1))
    turn = memory.log.head().position
    correction = fact(
        "The user reacts to latex, not to penicillin.", turn, "It's not penicillin, it is latex", corrects=True
    )
    drop = {"op": "drop", "record": "health.Allergy:penicillin", "why": "it is latex", "cites": [turn + 1]}
    bad = {"op": "put", "type": "health.Allergy", "fields": {"material": "latex"}, "cites": [turn + 1]}
    model = ScriptedModel(facts(correction), {"patches": [drop, bad]})
    with pytest.raises(AssertionError, match="No reply is left"):
        memory.learn(OneModel(model))
    assert memory.project().count("health.Allergy") == 1


def test_facts_that_a_reply_forgets_are_asked_about_again() -> None:
    memory = heard("I have a cat. I have a dog.")
    both = facts(fact("The user has a cat.", 1, "I have a cat"), fact("The user has a dog.", 1, "I have a dog"))
    model, learned = teach(memory, both, aside(2), aside(3))
    assert whys(learned.outcomes)[1] == ["facts 3 are neither used nor set aside"]
    assert [item["fact"] for item in model.contents[2]["facts"]] == [3]


def test_after_three_attempts_the_rest_of_the_batch_waits_and_the_accepted_part_stays() -> None:
    memory = heard("I have a cat. I have a dog.")
    both = facts(fact("The user has a cat.", 1, "I have a cat"), fact("The user has a dog.", 1, "I have a dog"))
    bad = {"patches": [{"op": "put", "type": "pets.Dog", "fields": {"name": "Rex"}, "cites": [3]}]}
    teach(memory, both, {"patches": [*aside(2)["patches"], *bad["patches"]]}, bad, bad)
    state = memory.project()
    assert list(state.waiting) == [3]
    assert list(state.progress.stuck) == [3]
    assert list(state.aside) == [2]
    assert memory.pending() == []


def test_a_value_that_no_fact_states_is_refused() -> None:
    memory = heard("I weigh 70 kilos today.")
    weight = fact(
        "The user weighs 70 kilos.",
        1,
        "I weigh 70 kilos today",
        when="today",
        start="2024-05-07",
        end="2024-05-07",
        topic="health",
    )
    wrong = {
        "op": "put",
        "type": "health.Measurement",
        "fields": {"what": "weight", "day": "2024-05-07", "value": 75, "unit": "kg"},
        "cites": [2],
    }
    right = {**wrong, "fields": {**wrong["fields"], "value": 70}}  # type: ignore[dict-item]  # a plain dict of JSON
    _model, learned = teach(memory, facts(weight), {"patches": [wrong]}, {"patches": [right]})
    assert "75" in whys(learned.outcomes)[1][0]
    assert memory.project().records("health.Measurement")[0].values["value"] == 70


def test_a_rule_that_the_user_states_becomes_a_constraint_with_its_cases() -> None:
    memory = heard("Never let me own more than 2 plants. I bought a fig.")
    taken = facts(
        fact("The user never wants more than 2 plants.", 1, "Never let me own more than 2 plants"),
        fact("The user bought a fig.", 1, "I bought a fig"),
    )
    define = {
        "op": "define",
        "type": {"domain": "garden", "name": "Plant", "key": ["name"], "fields": [{"name": "name", "type": "str"}]},
    }
    put = {"op": "put", "type": "garden.Plant", "fields": {"name": "fig"}, "cites": [3]}
    code = (
        'def plants_limit(user, now):\n    """The user never wants more than 2 plants."""\n    plants = user.garden.plants\n'
        '    if len(plants) > 2:\n        return [warning(f"There are {len(plants)} plants.", *plants)]\n    return []\n\n\n'
        'CASES = [\n    fires("three", date(2024, 5, 1), garden.Plant(name="a"), garden.Plant(name="b"), garden.Plant(name="c")),\n'
        '    silent("two", date(2024, 5, 1), garden.Plant(name="a"), garden.Plant(name="b")),\n]\n'
    )
    rule = {"name": "plants_limit", "cites": [2], "file": code}
    teach(memory, taken, {"patches": [define, put], "constraints": [rule]})
    adopted = memory.project().constraints["plants_limit"]
    assert (adopted.constraint.origin, adopted.is_reviewed) == ("model", False)
    assert list(memory.project().waiting) == []
    for name in ("rose", "yucca"):
        memory.put("garden.Plant", {"name": name})
    assert [alert.constraint for alert in memory.alerts()] == ["plants_limit"]


def test_a_constraint_that_is_refused_does_not_hold_up_the_records() -> None:
    memory = heard("Never let me own more than 2 plants. I'm allergic to penicillin.")
    taken = facts(
        fact("The user never wants more than 2 plants.", 1, "Never let me own more than 2 plants"),
        fact("The user is allergic to penicillin.", 1, "I'm allergic to penicillin", topic="health"),
    )
    rule = {"name": "plants_limit", "cites": [2], "file": "import os\nCASES = []\n"}
    _model, learned = teach(memory, taken, {**put_allergy(3), "constraints": [rule]}, aside(2))
    assert len(whys(learned.outcomes)[1]) == 1
    assert memory.project().count("health.Allergy") == 1


def test_an_event_told_twice_is_sent_back_once_and_amended() -> None:
    memory = heard("I paid 40 EUR to Fressnapf on 2024-05-02.")
    paid = fact(
        "The user paid 40 EUR to Fressnapf on 2024-05-02.",
        1,
        "I paid 40 EUR to Fressnapf on 2024-05-02",
        topic="finance",
    )
    fields = {"payee": "Fressnapf", "amount": "40 EUR", "on": "2024-05-02"}
    teach(
        memory, facts(paid), {"patches": [{"op": "put", "type": "finance.Transaction", "fields": fields, "cites": [2]}]}
    )
    memory.add("As I said, I paid 40 EUR to Fressnapf on 2024-05-02.", said=TUESDAY)
    turn = memory.log.head().position
    again = fact(
        "The user paid 40 EUR to Fressnapf on 2024-05-02.",
        turn,
        "I paid 40 EUR to Fressnapf on 2024-05-02",
        topic="finance",
    )
    put = {"op": "put", "type": "finance.Transaction", "fields": fields, "cites": [turn + 1]}
    (record,) = memory.project().records("finance.Transaction")
    amend = {"op": "amend", "record": record.id, "fields": {"amount": "40 EUR"}, "cites": [turn + 1]}
    model, learned = teach(memory, facts(again), {"patches": [put]}, {"patches": [amend]})
    assert model.contents[1]["records"][0]["record"] == record.id
    assert "is much the same" in whys(learned.outcomes)[1][0]
    assert memory.project().count("finance.Transaction") == 1


def test_facts_that_matter_now_do_not_wait_for_the_cadence_and_others_do() -> None:
    memory = heard("I like the colour green.")
    green = fact("The user likes the colour green.", 1, "I like the colour green", topic="other")
    model = ScriptedModel(facts(green))
    memory.learn(OneModel(model), cadence=Cadence(facts=5, minutes=60))
    assert list(memory.project().waiting) == [2]
    memory.add("I'm allergic to penicillin.", said=TUESDAY)
    turn = memory.log.head().position
    allergy = fact("The user is allergic to penicillin.", turn, "I'm allergic to penicillin", topic="health")
    model = ScriptedModel(facts(allergy), {"patches": [{**PUT_ALLERGY, "cites": [turn + 1]}, *aside(2)["patches"]]})
    memory.learn(OneModel(model), cadence=Cadence(facts=5, minutes=60))
    assert list(memory.project().waiting) == []


# --- budgets, agents, replay ------------------------------------------------------------------------------------------


def test_a_budget_stops_before_the_call_that_would_pass_it() -> None:
    memory = heard("I have a cat and a dog.")
    model = ScriptedModel()
    learned = memory.learn(OneModel(model), budget=Budget(day=100))
    assert "The day's budget of 100 tokens would be exceeded" in learned.stopped
    assert model.requests == []


def test_what_was_spent_is_summed_from_the_log() -> None:
    memory = heard("I have a cat and a dog.")
    model, _learned = teach(memory, NOTHING, NOTHING)
    spent = memory.project().progress.spent_in_all()
    assert (spent.calls, spent.input_tokens) == (2, sum(request.tokens for request in model.requests))
    assert memory.project().progress.spent_in_all(day="2024-05-07") == spent


def test_an_agent_can_answer_the_same_requests_and_is_told_what_to_mend() -> None:
    memory = heard("I'm allergic to penicillin.")
    (request,) = memory.pending()
    outcome = memory.answer(request.id, json.dumps(facts(fact("The user has 3 cats.", 1, "I'm allergic"))))
    assert outcome.is_open
    (again,) = memory.pending()
    memory.answer(again.id, json.dumps(facts(ALLERGY)))
    (patches,) = memory.pending()
    assert patches.step == "checkpoint"
    done = memory.answer(patches.id, json.dumps(put_allergy(patches.answers[0])))
    assert (done.findings, memory.pending()) == ((), [])
    assert calls(memory)[0].model == "agent"


def test_a_request_can_be_answered_though_more_was_said_meanwhile_and_only_once() -> None:
    memory = heard("I'm allergic to penicillin.")
    (request,) = memory.pending()
    memory.add("By the way, I have a dog.", said=TUESDAY)
    outcome = memory.answer(request.id, json.dumps(facts(ALLERGY)))
    assert outcome.findings == ()
    with pytest.raises(Refused, match="has been answered meanwhile"):
        memory.answer(request.id, json.dumps(facts(ALLERGY)))
    assert [other.answers for other in memory.pending()] == [(2,)]


def test_an_answer_to_nothing_is_refused_and_nothing_is_written() -> None:
    memory = heard("I'm allergic to penicillin.")
    for request_id in ("", "7-abc", "1-abc", "nonsense", "-1"):
        with pytest.raises(Refused, match="is not pending"):
            memory.answer(request_id, "{}")
    assert memory.log.head().position == 1


def test_words_that_were_retracted_meanwhile_are_not_learned() -> None:
    memory = heard("I'm allergic to penicillin.")
    (request,) = memory.pending()
    memory.retract([1], why="a slip")
    with pytest.raises(Refused, match="answered meanwhile"):
        memory.answer(request.id, json.dumps(facts(ALLERGY)))


def test_erasing_words_also_erases_what_models_said_about_them() -> None:
    memory = heard("I'm allergic to penicillin.")
    wrong = facts(fact("The user is allergic to penicillin 500.", 1, "I'm allergic to penicillin"))
    teach(memory, wrong, facts(ALLERGY), put_allergy(3))
    memory.log.erase([1], why="asked")
    assert kept(memory) == []
    assert all(call.reply == "" and call.findings == () for call in calls(memory))


def test_replaying_the_log_asks_no_model_and_gives_the_same_bytes() -> None:
    memory = heard("I'm allergic to penicillin. I take cetirizine since March.")
    taken = facts(ALLERGY, fact("The user takes cetirizine.", 1, "I take cetirizine", topic="health"))
    put = {"op": "put", "type": "health.Medication", "fields": {"name": "cetirizine"}, "cites": [3]}
    teach(memory, taken, {"patches": [{**PUT_ALLERGY, "cites": [2]}, put]})
    again = fold_entries(memory.log.read())
    assert again == memory.project()
    assert render(again) == render(memory.project())


def test_what_models_have_read_folds_in_two_steps_as_in_one() -> None:
    memory = heard("I'm allergic to penicillin.", "I pay 40 euros for cat food.", "Thanks a lot!")
    wrong = facts(ALLERGY, fact("The user pays 400 euros for cat food.", 2, "I pay 40 euros for cat food"))
    teach(memory, wrong, facts(wrong["facts"][1]), facts(wrong["facts"][1]), put_allergy(4))
    entries = list(memory.log.read())
    for cut in range(len(entries) + 1):
        assert fold_entries(entries[cut:], fold_entries(entries[:cut])).progress == memory.project().progress


def test_context_is_the_same_for_the_same_log() -> None:
    memory = heard("I'm allergic to penicillin.")
    teach(memory, facts(ALLERGY), put_allergy(2))
    other = Memory(memory.log, embedder=None)
    shown = build_context("allergies", project=other.project(), log=other.log, recall=other.recall_index())
    assert memory.context("allergies") == shown


def test_the_port_takes_a_reply_with_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = heard("Thanks a lot!")
    (request,) = memory.pending()
    memory.answer(request.id, Reply(text='{"facts": []}', model="m", input_tokens=5, output_tokens=2))
    assert [(call.model, call.input_tokens, call.output_tokens) for call in calls(memory)] == [("m", 5, 2)]


def test_a_second_reader_can_set_a_fact_aside_before_it_goes_into_a_record() -> None:
    memory = heard("I wish I were vegetarian like Mia.")
    wrong = fact("The user is vegetarian.", 1, "vegetarian like Mia", topic="food")
    denied = {"verdicts": [{"fact": 2, "holds": False, "why": "a wish"}]}
    model = ScriptedModel(facts(wrong), denied)
    memory.learn(OneModel(model), judged=True)
    assert model.steps == ["extract", "judge"]
    assert memory.project().aside[2].why == "it does not hold, says a second reader: a wish"
    assert calls(memory)[-1].step == "judge"


def test_a_second_reader_without_a_verdict_stops_the_run_and_the_facts_wait() -> None:
    memory = heard("I'm allergic to penicillin.")
    learned = memory.learn(OneModel(ScriptedModel(facts(ALLERGY), "hm")), judged=True)
    assert learned.stopped.startswith("the second reader gave no verdict")
    assert list(memory.project().waiting) == [2]


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("I am not allergic to penicillin.", "allergic to penicillin", "The user is allergic to penicillin."),
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


def test_a_deadline_that_moves_to_an_earlier_day_has_moved() -> None:
    memory = heard("My tax return is due on June 28.")
    due = fact(
        "The tax return is due on 2024-06-28.",
        1,
        "My tax return is due on June 28",
        when="June 28",
        start="2024-06-28",
        end="2024-06-28",
        topic="calendar",
    )
    put = {
        "op": "put",
        "type": "calendar.Deadline",
        "fields": {"what": "tax return", "due": "2024-06-28"},
        "cites": [2],
    }
    teach(memory, facts(due), {"patches": [put]})
    memory.add("They moved the deadline for the tax return to June 10.", said=TUESDAY + timedelta(hours=3))
    turn = memory.log.head().position
    moved = fact(
        "The deadline for the tax return moved to 2024-06-10.",
        turn,
        "They moved the deadline for the tax return to June 10",
        when="June 10",
        start="2024-06-10",
        end="2024-06-10",
        topic="calendar",
    )
    amend = {
        "op": "amend",
        "record": "calendar.Deadline:tax return",
        "fields": {"due": "2024-06-10"},
        "cites": [turn + 1],
    }
    teach(memory, facts(moved), {"patches": [amend]})
    assert str(memory.project().record("calendar.Deadline:tax return").values["due"]) == "2024-06-10"


def test_alerts_of_facts_that_matter_now_do_not_wait_until_all_words_have_been_read() -> None:
    memory = new_memory()
    memory.put("health.Medication", {"name": "Amoxicillin"})
    for number, session in enumerate(("one", "two")):
        memory.add(
            "I'm allergic to penicillin." if not number else "I like the colour green.", said=TUESDAY, session=session
        )
    first = memory.log.head().position - 1
    model = ScriptedModel(
        facts(fact("The user is allergic to penicillin.", first, "I'm allergic to penicillin", topic="health")),
        put_allergy(first + 2),
        NOTHING,
        NOTHING,
    )
    memory.learn(OneModel(model), cadence=Cadence(facts=50, minutes=600))
    assert model.steps == ["extract", "checkpoint", "extract", "extract"]
    assert [alert.constraint for alert in memory.alerts()] == ["drug_allergy"]


def test_a_constraint_with_a_wrong_value_in_its_cases_is_a_finding_and_no_crash() -> None:
    memory = heard("Never let me spend more than 300 EUR.")
    rule = {
        "name": "spending",
        "cites": [2],
        "file": 'def spending(user, now):\n    """No more than 300 EUR."""\n    return []\n\n\nCASES = [fires("a", date(2024, 5, 1), finance.Transaction(payee="x", amount=Money("3o0", "EUR"), on=date(2024, 5, 1)))]\n',
    }
    taken = facts(
        fact(
            "The user never wants to spend more than 300 EUR.",
            1,
            "Never let me spend more than 300 EUR",
            topic="finance",
        )
    )
    _model, learned = teach(memory, taken, {"patches": [], "constraints": [rule]}, aside(2))
    assert "Money(…)" in whys(learned.outcomes)[1][0]
