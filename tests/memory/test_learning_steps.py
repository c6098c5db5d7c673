"""Learning in steps, for programs that keep a reply before it is written: whatever is repeated, the log is the same."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.scripted_model import TUESDAY, allergy, calls, facts, heard, kept, new_memory, put_allergy
from uac import Memory
from uac.conversation.learning import Learned, Outcome
from uac.models import OneModel
from uac.models.requests_and_replies import Reply
from uac.schema.entries import Entry, Tick
from uac_bench.work_model import LocalModel, reply_to, session_text


def reply(value: object) -> Reply:
    return Reply(text=json.dumps(value), model="scripted", input_tokens=1, output_tokens=1)


def entries(memory: Memory) -> list[Entry | None]:
    return [stored.entry for stored in memory.log.read() if not isinstance(stored.entry, Tick)]


def test_a_reply_that_is_taken_twice_is_written_once() -> None:
    memory = heard("I'm allergic to penicillin.")
    request = memory.learner.next_request()
    assert request is not None
    outcome = memory.learner.take_once(request.id, reply(facts(allergy(1))))
    assert isinstance(outcome, Outcome)
    assert outcome.facts == (2,)
    before = entries(memory)
    assert memory.learner.take_once(request.id, reply(facts(allergy(1)))) is None
    assert entries(memory) == before


def test_words_that_come_after_a_request_do_not_change_what_its_reply_gives() -> None:
    memory = heard("I'm allergic to penicillin.")
    request = memory.learner.next_request()
    assert request is not None
    memory.add("And my sister is called Mia.", said=TUESDAY)
    assert memory.learner.request_of(request.id) == request
    outcome = memory.learner.take_once(request.id, reply(facts(allergy(1))))
    assert isinstance(outcome, Outcome)
    assert [fact.text for fact in kept(memory)] == ["The user is allergic to penicillin."]


def test_of_two_replies_to_one_request_the_second_is_only_noted_with_its_cost() -> None:
    memory = heard("I'm allergic to penicillin.")
    request = memory.learner.next_request()
    assert request is not None
    memory.answer(request.id, json.dumps(facts(allergy(1))))
    before = kept(memory)
    assert memory.learner.take_once(request.id, reply(facts(allergy(1)))) is None
    assert kept(memory) == before
    assert len(calls(memory)) == 1, "the log has an answer with this request's hash"


def test_a_reply_about_erased_words_is_dropped() -> None:
    memory = heard("I'm allergic to penicillin.")
    request = memory.learner.next_request()
    assert request is not None
    memory.log.erase([1], why="asked")
    assert memory.learner.request_of(request.id) is None
    assert memory.learner.take_once(request.id, reply(facts(allergy(1)))) is None
    assert kept(memory) == []


def test_urgent_facts_come_before_words_that_are_unread() -> None:
    memory = heard("I'm allergic to penicillin.")
    first = memory.learner.next_request()
    assert first is not None
    outcome = memory.learner.take_once(first.id, reply(facts(allergy(1))))
    memory.add("I read a book.", said=TUESDAY)
    assert memory.learner.is_urgent(outcome)
    request = memory.learner.next_request(urgent=True)
    assert request is not None
    assert request.step == "checkpoint"
    taken = memory.learner.take_once(request.id, reply(put_allergy(2)))
    assert isinstance(taken, Outcome)
    assert taken.checkpoint


def test_a_second_reader_is_asked_first_and_once() -> None:
    memory = heard("I'm allergic to penicillin.")
    first = memory.learner.next_request(judged=True)
    assert first is not None
    memory.learner.take_once(first.id, reply(facts(allergy(1))))
    judging = memory.learner.next_request(judged=True)
    assert judging is not None
    assert judging.step == "judge"
    verdict = reply({"verdicts": [{"fact": 2, "holds": True}]})
    assert memory.learner.take_once(judging.id, verdict) is None
    before = entries(memory)
    assert memory.learner.take_once(judging.id, verdict) is None
    assert entries(memory) == before
    after = memory.learner.next_request(judged=True)
    assert after is not None
    assert after.step == "checkpoint"


def test_a_second_reader_without_a_verdict_stops_learning() -> None:
    memory = heard("I'm allergic to penicillin.")
    first = memory.learner.next_request(judged=True)
    assert first is not None
    memory.learner.take_once(first.id, reply(facts(allergy(1))))
    judging = memory.learner.next_request(judged=True)
    assert judging is not None
    stopped = memory.learner.take_once(judging.id, Reply(text="hm", model="scripted"))
    assert isinstance(stopped, Learned)
    assert stopped.because == "no verdict"


@given(st.lists(st.integers(0, 3), max_size=12))
def test_learning_in_steps_with_any_step_repeated_gives_the_log_of_the_loop(repeats: Sequence[int]) -> None:
    said = [session_text(number) for number in range(3)]
    whole, stepped = new_memory(), new_memory()
    for memory in (whole, stepped):
        for number, text in enumerate(said):
            memory.add(text, said=TUESDAY, session=str(number))
    whole.learn(OneModel(LocalModel()))
    plan = iter(repeats)
    while (request := stepped.learner.next_request()) is not None:
        answer = Reply(
            text=(text := reply_to(request.step, request.content)),
            model="loopback",
            input_tokens=len(text),
            output_tokens=len(text),
        )
        for _time in range(1 + next(plan, 0)):
            stepped.learner.take_once(request.id, answer)
    assert entries(stepped) == entries(whole)


@pytest.mark.parametrize("request_id", ["0-abc", "99-abc", "1-abc"])
def test_an_unknown_request_gives_nothing(request_id: str) -> None:
    memory = heard("I live in Bern.")
    assert memory.learner.request_of(request_id) is None
