"""Learning as a whole: budgets, agents that answer, second readers, replay, and what stays when words go."""

import json

import pytest

from support.recall import Meanings
from support.scripted_model import NOTHING, TUESDAY, allergy, calls, fact, facts, heard, kept, put_allergy, teach
from uac import Memory
from uac.errors import Refused
from uac.log.stores.in_memory import MemoryStore
from uac.models import Budget, OneModel
from uac.models.requests_and_replies import Reply
from uac.models.scripted import ScriptedModel
from uac.project.fold import fold_entries
from uac.project.render import render
from uac.recall.context import build_context

ALLERGY = allergy(1)


def test_learning_embeds_nothing_and_the_next_search_does() -> None:
    embedder = Meanings()
    memory = Memory(MemoryStore().log("ana"), embedder=embedder)
    said = "I'm allergic to penicillin, please never forget that."
    memory.add(said, said=TUESDAY)
    teach(memory, facts(ALLERGY), put_allergy(2))
    assert (len(kept(memory)), embedder.embedded) == (1, [])
    memory.recall("penicillin")
    assert sorted(embedder.embedded)[:2] == [said, "The user is allergic to penicillin."]


def test_a_budget_stops_before_the_call_that_would_pass_it() -> None:
    memory = heard("I have a cat and a dog.")
    model = ScriptedModel()
    learned = memory.learn(OneModel(model), budget=Budget(day=100))
    assert "The day's budget of 100 tokens would be exceeded" in learned.stopped
    assert model.requests == []


def test_what_was_spent_is_summed_from_the_log() -> None:
    memory = heard("I have a cat and 2 dogs.")
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
    teach(memory, taken, {"patches": [*put_allergy(2)["patches"], put]})
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
