"""Own questions with and without memory: what is right, what failed, and how sure that is."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.scripted_model import new_memory
from uac.conversation.evaluation import EvalQuestion, comparison, evaluate, mcnemar, read_questions, wilson
from uac.conversation.evaluation.scoring import matches_answer
from uac.conversation.prompts import prompt_text
from uac.errors import NoModel, Refused, Unanswered, Unreachable
from uac.memory.memory import Memory
from uac.models import Budget, ExchangeModel, Models, OneModel, ScriptedModel
from uac.models.requests_and_replies import Reply, Request
from uac.models.scripted import ScriptedReply

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TRIPS = EvalQuestion(question="How many allergies do I have?", answers=("1",))
PILOT = EvalQuestion(question="Where does my pilot live?", is_unknown=True)


@pytest.fixture
def memory() -> Memory:
    made = new_memory()
    made.put("health.Allergy", {"substance": "Penicillin"})
    return made


def asked(request: Request) -> tuple[str, bool]:
    """The question of a request, and whether memory is asked."""
    content = json.loads(request.content)
    return content["question"], "memory" in content


def model(answer: Callable[[str, bool, dict[str, Any]], ScriptedReply]) -> ScriptedModel:
    def reply(request: Request) -> ScriptedReply:
        return answer(*asked(request), json.loads(request.content))

    return ScriptedModel.answering(reply)


def counting(question: str, has_memory: bool, content: dict[str, Any]) -> ScriptedReply:
    if not has_memory or question == PILOT.question:
        return {"answer": "", "known": False}
    if not content["steps"]:
        return {"tool": "compute", "code": "len(health.allergies)"}
    return {"answer": f"You have {content['steps'][0]['result']} allergy.", "known": True}


def test_memory_is_compared_with_the_same_model_alone_and_the_log_stays_as_it_was(memory: Memory) -> None:
    before = memory.log.head()
    found = evaluate([TRIPS, PILOT], memory, OneModel(model(counting)), now=NOW)
    first, second = found.results
    assert (first.with_memory.verdict, first.with_memory.text, first.alone.verdict) == (
        "right",
        "You have 1 allergy.",
        "wrong",
    )
    assert [item.code for item in first.with_memory.computed] == ["len(health.allergies)"]
    assert (second.with_memory.verdict, second.alone.verdict) == ("right", "right")
    assert (found.calls, found.models, found.judge, found.now) == (5, ("scripted",), "match", NOW)
    assert memory.log.head() == before
    result = comparison(found.results)
    assert (result.with_memory[:2], result.alone[:2]) == ((2, 2), (1, 2))
    assert (result.only_with_memory, result.only_alone, result.p, result.failed) == (1, 0, 1.0, 0)


@pytest.mark.parametrize(
    "failure",
    [Unreachable("the server is down"), Unanswered("cut off", reason="cut", text="You have 1 all"), "no JSON at all"],
    ids=["unreachable", "cut off", "not JSON"],
)
def test_a_failed_answer_is_a_failure_and_never_a_text(memory: Memory, failure: ScriptedReply) -> None:
    found = evaluate([TRIPS], memory, OneModel(model(lambda _question, _memory, _content: failure)), now=NOW)
    (result,) = found.results
    assert (result.with_memory.text, result.alone.text) == ("", "")
    assert result.with_memory.verdict in ("failed", "wrong")  # wrong: no answer was supported after four replies
    assert result.with_memory.why
    assert result.alone.verdict == "failed"
    compared = comparison(found.results)
    assert (compared.with_memory.right, compared.with_memory.of, compared.alone.right) == (0, 1, 0)


def test_a_model_judges_what_it_is_shown_and_a_broken_verdict_is_a_failure(memory: Memory) -> None:
    def reply(request: Request) -> ScriptedReply:
        if request.step == "judge":
            seen.append(json.loads(request.content))
            return verdicts.pop(0)
        return counting(*asked(request), json.loads(request.content))

    seen: list[Any] = []
    verdicts: list[ScriptedReply] = [{"right": True, "why": "the same number"}, {"righ": True}]
    for expected in ("right", "failed"):
        found = evaluate([TRIPS], memory, OneModel(ScriptedModel.answering(reply)), now=NOW, judge="model")
        assert found.results[0].with_memory.verdict == expected
        assert found.results[0].alone.verdict == "wrong"  # there is no answer to judge
    assert seen[0] == {"question": TRIPS.question, "expected": ["1"], "answer": "You have 1 allergy."}
    assert (found.results[0].with_memory.text, found.results[0].with_memory.why[:26]) == (
        "",
        "no verdict: The verdict ca",
    )


def test_an_exchange_folder_takes_several_runs_and_then_gives_the_same_result_for_ever(
    memory: Memory, tmp_path: Path
) -> None:
    answering = model(counting)
    waits = []
    while True:
        exchange = ExchangeModel(tmp_path)
        found = evaluate([TRIPS, PILOT], memory, OneModel(exchange), now=NOW)
        waits.append(comparison(found.results).awaited)
        if not exchange.awaited:
            break
        for path in exchange.awaited.values():
            prompt, _, rest = path.read_text().partition("\n\n## Your input\n\n```json\n")
            content = rest.partition("\n```")[0]
            request = Request(step="ask", prompt=prompt, content=content, schema={})
            path.with_name(path.name.replace(".request.md", ".reply.txt")).write_text(answering.ask(request).text)
    assert waits == [2, 1, 0]
    assert [(r.with_memory.verdict, r.alone.verdict) for r in found.results] == [("right", "wrong"), ("right", "right")]
    assert evaluate([TRIPS, PILOT], memory, OneModel(ExchangeModel(tmp_path)), now=NOW) == found


def test_no_call_is_made_beyond_the_budget_of_the_run(memory: Memory) -> None:
    answering = model(counting)
    found = evaluate([TRIPS, PILOT], memory, OneModel(answering), now=NOW, budget=Budget(user=1))
    assert answering.requests == []
    assert {given.verdict for r in found.results for given in (r.with_memory, r.alone)} == {"failed"}
    assert "budget of 1 tokens would be exceeded" in found.results[0].alone.why


def test_the_cost_is_that_of_all_calls_and_unknown_if_one_price_is(memory: Memory) -> None:
    def costing(cost: Decimal | None) -> Any:
        reply = Reply(text='{"answer": "", "known": false}', model="m", input_tokens=10, output_tokens=2, cost=cost)
        return evaluate([PILOT], memory, OneModel(ScriptedModel(reply, reply)), now=NOW)

    assert (costing(Decimal("0.25")).cost, costing(None).cost, costing(None).tokens) == (Decimal("0.50"), None, 24)


def test_without_a_model_nothing_is_asked(memory: Memory) -> None:
    with pytest.raises(NoModel, match="No model is configured for ask"):
        evaluate([TRIPS], memory, Models(), now=NOW)


@pytest.mark.parametrize(
    ("expected", "answer", "is_right"),
    [
        ("1", "You have 1 allergy.", True),
        ("1", "You have one allergy.", True),
        ("one", "You have 1 allergy.", True),
        ("1", "You have 2 allergies.", False),
        ("3", "You took 3 trips, and 4 before that.", False),
        ("3", "You took 3 trips in 2026.", True),
        ("1,200 EUR", "It was 1200 EUR.", True),
        ("1,200 EUR", "It was 1200 USD.", False),
        ("Dr. Chen", "It was dr chen who did.", True),
        ("Dr. Chen", "It was Dr. Kim.", False),
    ],
)
def test_an_answer_matches_by_its_words_and_its_numbers(expected: str, answer: str, is_right: bool) -> None:
    question = EvalQuestion(question="How many in 2026?", answers=("never", expected))
    assert matches_answer(question, answer) is is_right


def test_questions_are_read_from_json_lines_and_from_a_table() -> None:
    lines = '{"question": " Q1 ", "answer": 3}\n\n{"question": "Q2", "answer": ["a", "b"]}\n{"question": "Q3", "answer": null}\n{"question": "Q4"}\n'
    questions = (
        EvalQuestion(question="Q1", answers=("3",)),
        EvalQuestion(question="Q2", answers=("a", "b")),
        EvalQuestion(question="Q3", is_unknown=True),
        EvalQuestion(question="Q4"),
    )
    assert read_questions(lines, "mine.jsonl") == questions
    assert [question.is_scored for question in questions] == [True, True, True, False]
    table = '\ufeffquestion,answer,note\nQ1,3,x\n"Q, 2",,\n'
    assert read_questions(table, "mine.CSV") == (questions[0], EvalQuestion(question="Q, 2"))


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("", "a.jsonl", "a.jsonl has no question"),
        ('{"question": "x"}\nno', "a.jsonl", "a.jsonl: line 2: Input data was truncated"),
        ('{"question": "x", "anwser": "y"}', "a.jsonl", "unknown field `anwser`"),
        ('{"question": " "}', "a.jsonl", "line 1: the question is empty"),
        ('{"question": "x", "answer": ""}', "a.jsonl", "the answer is empty"),
        ("frage,antwort\nx,y\n", "a.csv", "the columns frage, antwort. It needs question and answer"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_line(text: str, name: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason.replace("(", r"\(")):
        read_questions(text, name)


def test_known_intervals_and_tests() -> None:
    low_high = [round(bound, 4) for bound in (wilson(8, 10).low, wilson(8, 10).high, wilson(0, 10).high)]
    assert low_high == [0.4902, 0.9433, 0.2775]
    assert (wilson(0, 0).low, wilson(0, 0).high, wilson(0, 5).low, wilson(5, 5).high) == (0, 1, 0, 1)
    assert [round(mcnemar(*pair), 6) for pair in ((0, 0), (1, 0), (5, 0), (8, 2))] == [1.0, 1.0, 0.0625, 0.109375]


@given(st.integers(0, 200), st.integers(0, 200))
def test_an_interval_holds_its_share_and_the_test_has_no_sides(right: int, wrong: int) -> None:
    share = wilson(right, right + wrong)
    assert 0 <= share.low <= (share.share if share.of else 0) + 1e-12
    assert share.high >= share.share - 1e-12
    assert mcnemar(right, wrong) == mcnemar(wrong, right)
    assert 0 <= mcnemar(right, wrong) <= 1


def test_the_examples_in_the_prompts_are_valid_replies() -> None:
    for name, fields in (("alone", {"answer", "known"}), ("grade", {"right", "why"})):
        *_, reply = prompt_text(name).split("```json\n")
        assert json.loads(reply.partition("```")[0]).keys() == fields
