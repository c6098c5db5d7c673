"""Asks every question twice, with memory and without, and decides which answers are right.

An answer that failed is a failure with its reason: it counts as wrong, and no text stands in its place.
"""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, Literal, NamedTuple

from uac.conversation.ask import Answer, AskableMemory, Computation, Quote, answer_question
from uac.conversation.evaluation.questions import EvalQuestion
from uac.conversation.evaluation.scoring import grade_request, matches_answer, read_grade
from uac.conversation.evaluation.statistics import Share, mcnemar, wilson
from uac.conversation.prompts import prompt_text
from uac.errors import Awaited, ModelError, NoModel, Refused, Unreachable
from uac.log.log import Log
from uac.models import NO_BUDGET, Budget, Estimate, ModelsFor, Step, over_budget
from uac.models.model import Model
from uac.models.requests_and_replies import Reply, Request, parse_reply_json
from uac.project.clocks import Clocks
from uac.project.progress import Spent
from uac.project.project import Project
from uac.recall.search import Recall
from uac.sandbox.compute import Result
from uac.schema.entries import Entry

__all__ = [
    "Comparison",
    "Evaluation",
    "GivenAnswer",
    "Judge",
    "QuestionResult",
    "Verdict",
    "comparison",
    "evaluate",
]

Judge = Literal["match", "model"]
Verdict = Literal["right", "wrong", "failed", "unscored", "awaited"]

ALONE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["answer", "known"],
    "properties": {"answer": {"type": "string"}, "known": {"type": "boolean"}},
}


class GivenAnswer(NamedTuple):
    """An answer and the verdict on it. If it failed or is awaited, `text` is empty and `why` says why."""

    verdict: Verdict
    text: str = ""
    is_known: bool = False
    why: str = ""
    computed: tuple[Computation, ...] = ()
    records: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()


class QuestionResult(NamedTuple):
    """A question with its two answers."""

    question: EvalQuestion
    with_memory: GivenAnswer
    alone: GivenAnswer

    @property
    def is_awaited(self) -> bool:
        return "awaited" in (self.with_memory.verdict, self.alone.verdict)


class Evaluation(NamedTuple):
    """The results of all questions, in their order, and what they cost."""

    results: tuple[QuestionResult, ...]
    models: tuple[str, ...]
    """The models that replied, by name."""
    judge: Judge
    now: datetime
    position: int
    """The last entry of the log when the questions were asked."""
    calls: int
    tokens: int
    cost: Decimal | None
    """None if the price of a call is unknown."""


class Comparison(NamedTuple):
    """Memory against no memory, over the questions that were scored in both ways."""

    with_memory: Share
    alone: Share
    only_with_memory: int
    only_alone: int
    p: float
    failed: int
    """Answers that failed, of both kinds. They count as wrong."""
    unscored: int
    awaited: int


def evaluate(
    questions: Sequence[EvalQuestion],
    memory: AskableMemory,
    models: ModelsFor,
    *,
    now: datetime,
    judge: Judge = "match",
    budget: Budget = NO_BUDGET,
    tokens: int = 2500,
    on_result: Callable[[QuestionResult], None] = lambda _result: None,
) -> Evaluation:
    """Ask all questions with and without memory. Nothing is written to the log; `budget` is that of the whole run."""
    steps: tuple[Step, ...] = ("ask", "judge") if judge == "model" else ("ask",)
    for step in steps:
        if models.for_step(step) is None:
            raise NoModel(f"No model is configured for {step}. Set UAC_MODEL, or use an exchange folder.")
    meter = _MeteredModels(models, budget)
    unchanged = _UnchangedMemory(memory)
    results: list[QuestionResult] = []
    for question in questions:
        with_memory = _answer(partial(answer_question, question.question, unchanged, meter, now=now, tokens=tokens))
        alone = _answer(partial(_ask_alone, question.question, meter, now))
        result = QuestionResult(question, *(_judged(question, each, judge, meter) for each in (with_memory, alone)))
        results.append(result)
        on_result(result)
    return Evaluation(
        results=tuple(results),
        models=tuple(sorted(meter.names)),
        judge=judge,
        now=now,
        position=memory.log.head().position,
        calls=meter.spent.calls,
        tokens=meter.spent.tokens,
        cost=None if meter.spent.unpriced else meter.spent.cost,
    )


def comparison(results: Sequence[QuestionResult]) -> Comparison:
    """Shares with their intervals, and McNemar's exact test. Questions with an awaited answer do not count yet."""
    scored = [r for r in results if r.question.is_scored and not r.is_awaited]
    pairs = [(r.with_memory.verdict == "right", r.alone.verdict == "right") for r in scored]
    only_with, only_alone = pairs.count((True, False)), pairs.count((False, True))
    return Comparison(
        with_memory=wilson(sum(first for first, _ in pairs), len(pairs)),
        alone=wilson(sum(second for _, second in pairs), len(pairs)),
        only_with_memory=only_with,
        only_alone=only_alone,
        p=mcnemar(only_with, only_alone),
        failed=sum([r.with_memory.verdict, r.alone.verdict].count("failed") for r in results),
        unscored=sum(not r.question.is_scored for r in results),
        awaited=sum(r.is_awaited for r in results),
    )


def _answer(ask: Callable[[], Answer]) -> GivenAnswer:
    try:
        answer = ask()
    except Awaited as error:
        return GivenAnswer("awaited", why=str(error))
    except NoModel:
        raise
    except (ModelError, Refused) as error:
        return GivenAnswer("failed", why=str(error))
    return GivenAnswer(
        "unscored", answer.text, answer.is_known, answer.why, answer.computed, answer.records, answer.quotes
    )


def _ask_alone(question: str, models: "_MeteredModels", now: datetime) -> Answer:
    """The answer of the same model to the question alone."""
    content = {"question": question, "now": now.date().isoformat()}
    request = Request(
        step="ask",
        prompt=prompt_text("alone"),
        content=json.dumps(content, ensure_ascii=False, indent=1),
        schema=ALONE_SCHEMA,
        reply_tokens=1000,
    )
    found = parse_reply_json(models.ask(request).text)
    text = found.get("answer")
    if not isinstance(text, str):
        raise Refused('The reply has no "answer". Give one, or "known": false.')
    is_known = found.get("known") is not False and bool(text.strip())
    return Answer(text.strip() if is_known else "", is_known, is_known)


def _judged(question: EvalQuestion, given: GivenAnswer, judge: Judge, models: "_MeteredModels") -> GivenAnswer:
    """The answer with its verdict. Without an answer there is nothing to compare, and no model is asked."""
    if given.verdict != "unscored" or not question.is_scored:
        return given
    if question.is_unknown or not given.is_known:
        return given._replace(verdict="right" if question.is_unknown and not given.is_known else "wrong")
    if judge == "match":
        return given._replace(verdict="right" if matches_answer(question, given.text) else "wrong")
    try:
        is_right, why = read_grade(models.ask(grade_request(question, given.text)).text)
    except Awaited as error:
        return given._replace(verdict="awaited", why=str(error))
    except (ModelError, Refused) as error:
        return GivenAnswer("failed", why=f"no verdict: {error}")
    return given._replace(verdict="right" if is_right else "wrong", why=why)


class _UnchangedMemory:
    """A memory whose log is read and never written: a measurement must not change what it measures."""

    def __init__(self, memory: AskableMemory) -> None:
        self._memory = memory
        self.log: Log = memory.log

    def project(self) -> Project:
        return self._memory.project()

    def project_at(self, clocks: Clocks) -> Project:
        return self._memory.project_at(clocks)

    def recall_index(self) -> Recall:
        return self._memory.recall_index()

    def recall_at(self, clocks: Clocks) -> Recall:
        return self._memory.recall_at(clocks)

    def compute(self, code: str, *, clocks: Clocks) -> Result:
        return self._memory.compute(code, clocks=clocks)

    def write(self, _prepare: Callable[[Project], list[Entry]]) -> tuple[int, ...]:
        return ()


class _MeteredModels:
    """Adds up what a run costs, and makes no call that would exceed its budget."""

    def __init__(self, models: ModelsFor, budget: Budget) -> None:
        self._models = models
        self._budget = budget
        self.spent = Spent()
        self.names: set[str] = set()

    def for_step(self, step: Step) -> Model | None:
        model = self._models.for_step(step)
        return None if model is None else _MeteredModel(model.name, self)

    def estimate(self, request: Request) -> Estimate:
        return self._models.estimate(request)

    def ask(self, request: Request) -> Reply:
        model = self._models.for_step(request.step)
        if model is None:
            raise NoModel(f"No model is configured for {request.step}. Set UAC_MODEL.")
        if stop := over_budget(self._budget, self.estimate(request), self.spent, self.spent):
            raise Unreachable(stop)
        reply = model.ask(request)
        self.names.add(reply.model)
        unpriced = int(reply.cost is None)
        self.spent = self.spent.plus(
            Spent(1, reply.input_tokens, reply.output_tokens, reply.cost or Decimal(0), unpriced)
        )
        return reply


class _MeteredModel(NamedTuple):
    name: str
    models: _MeteredModels

    def ask(self, request: Request) -> Reply:
        return self.models.ask(request)
