"""Learning through a memory: what is asked, who is asked, and when it stops."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from support.scripted_model import allergy, aside, facts, heard, put_allergy
from uac import Memory
from uac.conversation.learning import Cadence, Learned, Outcome
from uac.errors import Late, Refused, Unanswered, Unreachable
from uac.models import Budget, Models, OneModel, ScriptedModel
from uac.models.requests_and_replies import Reply, Request

SENTENCE = "I'm allergic to penicillin, please never forget that."
PENICILLIN = "health.Allergy:penicillin"


def learn(memory: Memory, *replies: object, **options: object) -> tuple[ScriptedModel, Learned]:
    model = ScriptedModel(*replies)  # type: ignore[arg-type]  # any reply
    return model, memory.learn(OneModel(model), **options)  # type: ignore[arg-type]  # any option


def test_words_become_facts_and_facts_become_records() -> None:
    memory = heard(SENTENCE)
    outcomes: list[Outcome] = []
    model, learned = learn(memory, facts(allergy(1)), put_allergy(2), on_outcome=outcomes.append)
    assert (model.steps, learned) == (["extract", "checkpoint"], Learned(tuple(outcomes)))
    assert [(outcome.facts, outcome.checkpoint, outcome.findings) for outcome in outcomes] == [
        ((2,), 0, ()),
        ((), 5, ()),
    ]
    assert memory.project().record(PENICILLIN).values["substance"] == "penicillin"
    assert memory.pending() == []
    memory.close()


def test_an_agent_answers_the_pending_request_in_a_models_place_and_only_once() -> None:
    memory = heard(SENTENCE)
    (request,) = memory.pending(most=1)
    outcome = memory.answer(request.id, '{"facts": []}', model="an agent")
    assert (outcome.request.id, outcome.reply.model, outcome.reply.input_tokens) == (
        request.id,
        "an agent",
        request.tokens,
    )
    with pytest.raises(Late):
        memory.answer(request.id, '{"facts": []}')


@pytest.mark.parametrize("request_id", ["", "x", "0-abc", "1-abc", "99-abc", "9" * 20 + "-abc"])
def test_an_answer_to_a_request_that_is_not_pending_is_refused(request_id: str) -> None:
    with pytest.raises(Refused, match="is not pending"):
        heard(SENTENCE).answer(request_id, "{}")


def test_a_request_of_an_earlier_position_can_still_be_answered() -> None:
    memory = heard(SENTENCE)
    (request,) = memory.pending()
    memory.add("And I like chess.", said=datetime(2024, 5, 7, 19, tzinfo=UTC), session="another")
    assert memory.answer(request.id, Reply(text='{"facts": []}', model="m", input_tokens=7)).reply.input_tokens == 7


def test_without_a_model_for_the_step_learning_stops() -> None:
    learned = heard(SENTENCE).learn(Models(names={}))
    assert (learned.because, learned.stopped) == ("no model", "no model is configured for extract")


def test_learning_stops_before_a_call_that_exceeds_the_budget() -> None:
    model, learned = learn(heard(SENTENCE), budget=Budget(call=10))
    assert (model.requests, learned.outcomes, learned.because) == ([], (), "budget")


def test_a_model_that_cannot_be_reached_ends_the_run_and_keeps_what_was_learned() -> None:
    memory = heard(SENTENCE)
    _model, learned = learn(memory, facts(allergy(1)), Unreachable("no network"))
    assert (learned.because, learned.stopped, [outcome.facts for outcome in learned.outcomes]) == (
        "unreachable",
        "no network",
        [(2,)],
    )
    assert list(memory.project().waiting) == [2]


def test_a_reply_that_was_cut_off_is_asked_for_again() -> None:
    memory = heard(SENTENCE)
    cut = Unanswered("cut off", reason="cut", text='{"facts": [')
    model, learned = learn(memory, cut, facts(allergy(1)), put_allergy(3))
    assert model.steps == ["extract", "extract", "checkpoint"]
    assert [outcome.is_open for outcome in learned.outcomes] == [True, False, False]
    memory.close()


def test_with_a_cadence_facts_that_can_wait_do() -> None:
    memory = heard("My favourite colour is green.")
    green: dict[str, Any] = {"text": "The user's favourite colour is green.", "about": "user"}
    green |= {"cites": [{"turn": 1, "quote": "My favourite colour is green"}], "topic": "other"}
    model, learned = learn(memory, facts(green), cadence=Cadence(facts=5))
    assert (model.steps, learned.stopped, list(memory.project().waiting)) == (["extract"], "", [2])


def test_facts_that_matter_now_do_not_wait_for_the_cadence() -> None:
    memory = heard(SENTENCE)
    model, _learned = learn(memory, facts(allergy(1)), put_allergy(2), cadence=Cadence(facts=5))
    assert (model.steps, list(memory.project().waiting)) == (["extract", "checkpoint"], [])
    memory.close()


def test_a_second_reader_that_denies_a_fact_keeps_it_out_of_the_records() -> None:
    memory = heard(SENTENCE)
    denied = {"verdicts": [{"fact": 2, "holds": False, "why": "a joke"}]}
    model, learned = learn(memory, facts(allergy(1)), denied, judged=True)
    assert (model.steps, learned.stopped, list(memory.project().aside)) == (["extract", "judge"], "", [2])


def test_a_second_reader_without_a_verdict_stops_the_run() -> None:
    memory = heard(SENTENCE)
    _model, learned = learn(memory, facts(allergy(1)), "hm", judged=True)
    assert (learned.because, list(memory.project().waiting)) == ("no verdict", [2])
    _model, learned = learn(memory, Unreachable("no network"), judged=True)
    assert learned.because == "unreachable"


def test_a_reply_that_comes_too_late_is_paid_and_changes_nothing() -> None:
    memory = heard(SENTENCE)
    other = Memory(memory.log, embedder=None)

    def slow(request: Request) -> dict[str, object]:
        if len(model.requests) == 1:  # meanwhile somebody else answers
            other.answer(request.id, '{"facts": []}')
        return {"facts": []}

    model = ScriptedModel.answering(slow)
    learned = memory.learn(OneModel(model))
    assert learned.stopped == ""
    assert memory.project().progress.spent_in_all().calls == len(model.requests) + 1


def test_what_is_stuck_is_asked_about_again() -> None:
    memory = heard(SENTENCE)
    assert memory.retry_stuck() == 0
    learn(memory, *["hm"] * 3)
    assert (list(memory.project().progress.stuck), memory.pending()) == ([1], [])
    assert memory.retry_stuck() == 1
    model, _learned = learn(memory, facts(allergy(1)), aside(memory.log.head().position + 1))
    assert model.steps[0] == "extract"
    assert list(memory.project().progress.stuck) == []


def test_a_question_is_answered_by_a_model_and_checked() -> None:
    memory = heard(SENTENCE)
    replies: list[Reply] = []
    model = ScriptedModel(*["hm"] * 12)
    answer = memory.ask("What am I allergic to?", OneModel(model), on_reply=replies.append)
    assert set(model.steps) == {"ask"}
    assert len(replies) == len(model.requests)
    assert answer.text != "hm"
    memory.close()


def test_a_day_of_learning_counts_against_the_budget_of_that_day() -> None:
    memory = heard(SENTENCE)
    paid = Reply(text='{"facts": []}', model="scripted", cost=Decimal("0.6"), input_tokens=50)
    _model, first = learn(memory, paid, paid)
    assert first.stopped == ""
    memory.add("And to nuts, since " + (datetime(2024, 5, 7, tzinfo=UTC) + timedelta(days=1)).date().isoformat())
    model, learned = learn(memory, budget=Budget(day=60))
    assert (model.requests, learned.because) == ([], "budget")
