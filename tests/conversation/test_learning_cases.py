"""Cases that once broke a law of learning: words that are gone, requests that overlap, replies of any shape."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.learning_cases import CAT, JUNK, LONG, PETS, PETS_SAID, answered
from support.scripted_model import NOTHING, TUESDAY, allergy, aside, calls, fact, facts, heard, kept, teach
from uac import Memory
from uac.errors import Late, Refused, Unreachable
from uac.models import OneModel
from uac.models.requests_and_replies import Reply, Request
from uac.models.scripted import ScriptedModel
from uac.schema.patches import SetAside


@pytest.mark.parametrize("gone", ["retracted", "erased"])
@pytest.mark.parametrize(
    ("said", "replies", "position"),
    [
        ((CAT,), ("no",), 1),
        ((CAT, CAT), ("no",), 1),
        ((CAT,), (PETS_SAID, "no"), 2),
        ((CAT,), (PETS_SAID, "no"), 1),
        ((LONG,), (NOTHING,), 1),
        ((LONG,), (NOTHING, "no"), 1),
    ],
)
def test_a_question_about_words_that_are_gone_is_not_asked_again_and_the_rest_is(
    gone: str, said: tuple[str, ...], replies: tuple[Any, ...], position: int
) -> None:
    memory = heard(*said)
    answered(memory, *replies)
    if gone == "retracted":
        memory.retract([position], why="a slip")
    else:
        memory.log.erase([position], why="asked")
    asked: list[Request] = []

    class Brief:
        name = "brief"

        def ask(self, request: Request) -> Reply:
            asked.append(request)
            assert len(asked) < 10
            assert position not in request.read
            reply = NOTHING if request.step == "extract" else aside(*request.answers)
            return Reply(text=json.dumps(reply), model="brief")

    assert memory.learn(OneModel(Brief())).stopped == ""
    assert memory.pending() == []
    assert [*memory.project().waiting] == []


def test_words_that_were_retracted_are_not_shown_as_context_either() -> None:
    memory = heard("My secret is out.", "I have 2 cats.", session="s")
    memory.retract([1], why="a slip")
    model, learned = teach(memory, NOTHING, NOTHING)
    assert [request.read for request in model.requests] == [(2,), (2,)]
    assert len(learned.outcomes) == 2


@pytest.mark.parametrize("is_asked_again", [False, True])
def test_words_that_are_erased_while_a_model_reads_them_do_not_come_back(is_asked_again: bool) -> None:
    memory = heard("My secret is 47114711.", session="s")
    answered(memory, NOTHING, NOTHING)
    memory.add("Yes, that one.", said=TUESDAY, session="s")
    if is_asked_again:
        answered(memory, "no")

    class Slow:
        name = "slow"

        def ask(self, request: Request) -> Reply:
            if 1 not in request.read:
                raise Unreachable("enough")
            memory.log.erase([1], why="asked")
            reply = facts(fact("The secret is 47114711.", 1, "My secret is 47114711"))
            return Reply(text=json.dumps(reply), model="slow")

    memory.learn(OneModel(Slow()))
    assert kept(memory) == []
    assert "47114711" not in "".join(str(stored.entry) for stored in memory.log.read())


def test_a_slice_is_answered_once() -> None:
    memory = heard(LONG)
    said = facts(fact("The user has a cat.", 1, "I have a cat"))
    request = answered(memory, said)
    with pytest.raises(Late):
        memory.answer(request.id, json.dumps(facts(fact("The user owns a cat.", 1, "I have a cat"))))
    answered(memory, NOTHING)
    through = memory.project().progress.unread[1]
    with pytest.raises(Late):
        memory.answer(request.id, json.dumps(NOTHING))
    assert memory.project().progress.unread[1] == through
    assert [found.text for found in kept(memory)] == ["The user has a cat."]


def test_what_is_stuck_is_not_open_to_old_requests() -> None:
    memory = heard(CAT)
    answered(memory, PETS_SAID)
    (first,) = memory.pending()
    answered(memory, "no", "no", "no")
    with pytest.raises(Late):
        memory.answer(first.id, json.dumps(aside(2, 3)))
    assert [*memory.project().progress.stuck] == [2, 3]


def test_requests_that_overlap_are_not_both_answered() -> None:
    memory = heard("I have a cat.")
    (narrow,) = memory.pending()
    memory.add("I have a dog.", said=TUESDAY)
    (wide,) = memory.pending()
    memory.answer(narrow.id, "no")
    with pytest.raises(Late):
        memory.answer(wide.id, json.dumps(NOTHING))
    assert [*memory.project().progress.asked] == [(1,)]


def test_an_open_question_whose_facts_were_used_by_hand_does_not_hold_up_others() -> None:
    memory = heard(CAT)
    answered(memory, PETS_SAID, "no")
    memory.checkpoint([SetAside(cites=(2, 3), why="by hand")])
    memory.add("I'm allergic to penicillin.", said=TUESDAY)
    answered(memory, facts(allergy(memory.log.head().position)))
    assert [request.answers for request in memory.pending()] == [(8,)]


@pytest.mark.parametrize("reply", JUNK)
@pytest.mark.parametrize("step", ["extract", "checkpoint"])
def test_whatever_a_reply_is_the_next_request_can_be_made_and_sent(reply: str, step: str) -> None:
    memory = heard(CAT)
    if step == "checkpoint":
        answered(memory, PETS_SAID)
    answered(memory, reply)
    for request in memory.pending():
        assert request.id
        json.loads(request.content, parse_constant=pytest.fail)
        assert request.tokens < 4000


@pytest.mark.parametrize("request_id", ["²-a", "9" * 5000 + "-a", "１-a", "1", "1-", "0-a", " 1-a"])
def test_an_id_that_is_none_is_refused(request_id: str) -> None:
    with pytest.raises(Refused, match="is not pending"):
        heard(CAT).answer(request_id, "{}")


@pytest.mark.parametrize(
    "reply",
    [
        {"tool": []},
        {"tool": "recall", "query": "cat", "as_of": "²"},
        {"tool": "recall", "query": "cat", "as_of": "9" * 5000},
        {"tool": "recall", "query": "cat", "as_of": -1},
        {"answer": "yes", "quotes": [{"entry": 10**30, "quote": "cat"}]},
        {"answer": "yes", "quotes": [{"entry": True, "quote": "cat"}]},
        {"answer": "yes \ud800", "quotes": [{"entry": 1, "quote": "I have a cat"}]},
        {"answer": "yes", "records": [[]]},
    ],
)
def test_an_answer_of_any_shape_is_refused_with_words(reply: dict[str, Any]) -> None:
    memory = heard(CAT)
    answer = memory.ask("Do I have a cat?", OneModel(ScriptedModel(*[reply] * 4)))
    assert (answer.is_known, len(calls(memory))) == (False, 4)


def test_a_fact_that_only_a_change_of_types_cites_is_not_done_and_not_asked_about_for_ever() -> None:
    memory = heard("I have a cat.")
    memory.checkpoint(PETS)
    field = {"op": "add_field", "type": "pets.Pet", "cites": [3]}
    replies = [{"patches": [{**field, "field": {"name": name, "type": "str | None"}}]} for name in ("a", "b", "c")]
    memory.learn(OneModel(ScriptedModel(facts(fact("The user has a cat.", 1, "I have a cat")), *replies)))
    state = memory.project()
    assert [*state.waiting] == [*state.progress.stuck] == [3]


def test_a_refused_patch_is_shown_again_though_the_reply_has_other_lists() -> None:
    memory = heard(CAT)
    bad = {"op": "put", "type": "pets.Nothing", "fields": {"name": "x"}, "cites": [2]}
    answered(memory, PETS_SAID, {"facts": [1, 2], "patches": [*aside(3)["patches"], bad]})
    (request,) = memory.pending()
    assert [item["patch"] for item in json.loads(request.content)["refused"]] == [bad]


def test_a_second_reader_is_paid_also_for_no_verdict() -> None:
    memory = heard("I'm allergic to penicillin.")
    model = ScriptedModel(facts(allergy(1)), "hm")
    memory.learn(OneModel(model), judged=True)
    assert memory.project().progress.spent_in_all().calls == len(model.requests) == 2


def test_a_slice_that_no_model_can_answer_for_is_stuck_and_not_lost() -> None:
    memory = heard(LONG)
    answered(memory, "no", "no", "no")
    while memory.pending():
        answered(memory, NOTHING)
    assert [*memory.project().progress.stuck] == [1]


def test_facts_that_got_no_verdict_are_judged_before_they_go_into_records() -> None:
    memory = heard("I'm allergic to penicillin.")
    memory.learn(OneModel(ScriptedModel(facts(allergy(1)), "hm")), judged=True)
    model = ScriptedModel({"verdicts": []}, aside(2))
    memory.learn(OneModel(model), judged=True)
    assert model.steps == ["judge", "checkpoint"]


@given(order=st.lists(st.integers(0, 1), min_size=4, max_size=10))
@settings(max_examples=30, deadline=None)
def test_two_readers_of_one_log_take_no_fact_twice(order: list[int]) -> None:
    log = heard(CAT, "My sister lives in Lisbon these days.").log
    readers = [Memory(log, packs=(), clock=lambda: TUESDAY) for _ in range(2)]
    held: list[list[Request]] = [[], []]
    for who in order:
        held[who] = held[who] or readers[who].pending()
        if not held[who]:
            continue
        request, reply = held[who].pop(0), json.dumps(NOTHING)
        if request.step == "checkpoint":
            reply = json.dumps(aside(*request.answers))
        elif 1 in request.answers:
            reply = json.dumps(PETS_SAID)
        try:
            readers[who].answer(request.id, reply)
        except Late:
            continue
    texts = [found.text for found in kept(readers[0])]
    assert len(texts) == len(set(texts))
