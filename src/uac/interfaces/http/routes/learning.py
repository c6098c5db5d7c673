"""From conversation to records: what is to be answered, by an agent or by the configured model, and what it cost."""

import json
from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from uac.conversation.learning import Outcome
from uac.errors import NoModel, Repeated
from uac.interfaces.http.auth import Reader, Worker, Writer
from uac.interfaces.http.fields import Asked, Flag, Told
from uac.interfaces.http.write_responses import ChangeTold, around, changes_told, once, request_text
from uac.memory.memory import Memory
from uac.models import chosen_models
from uac.models.requests import Request, Step
from uac.project.progress import Spent
from uac.project.project import Project
from uac.schema.entries import Checkpoint, Fact, ModelCall

__all__ = ["NO_MODEL", "router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["learning"])

NO_MODEL: dict[int | str, dict[str, Any]] = {501: {"description": "No model is configured."}}


class Question(Told):
    """One request to a model: instructions, the data, and the JSON schema of the reply."""

    id: str = Field(description="How an answer names it.", examples=["1-3f2a9c0d1e2b4a5c"])
    step: Step = Field(examples=["extract"])
    instructions: str = Field(examples=["Read the turns and answer with facts."])
    input: dict[str, Any] = Field(examples=[{"turns": [{"turn": 1, "text": "I fly to Lisbon next Friday."}]}])
    reply_schema: dict[str, Any] = Field(examples=[{"type": "object"}])
    tokens: int = Field(description="About what it costs to ask.", examples=[1200])


class Pending(Told):
    """What a model, or an agent in its place, is to be asked next."""

    requests: list[Question]
    more: bool = Field(description="Whether there is more than this.")
    stuck: int = Field(description="Entries that nobody could answer for: no longer asked about.", examples=[0])


class AnswerAsked(Asked):
    """The reply to a pending request, as text or as the JSON object itself."""

    request: str = Field(max_length=200, description="Its id.", examples=["1-3f2a9c0d1e2b4a5c"])
    reply: str | dict[str, Any] = Field(
        examples=[{"facts": [{"text": "The user flies to Lisbon.", "about": "user", "cites": []}]}]
    )
    model: str = Field(default="agent", min_length=1, max_length=200, description="Who answered.", examples=["agent"])


class ToMend(Told):
    """A part of a reply that did not hold, and why."""

    part: int = Field(description="Which fact or patch, counted from 1; 0: the reply as a whole.", examples=[1])
    why: str = Field(examples=["fact 1: the date 2026-03-07 does not follow"])
    positions: list[int] = Field(description="The entries it is about.", examples=[[1]])


class FactTold(Told):
    """A fact that was taken from the reply."""

    position: int = Field(examples=[3])
    text: str = Field(examples=["The user flies to Lisbon on 2026-03-06."])


class Answered(Told):
    """What came of a reply: what holds is kept, and the rest is asked again, if `is_open`."""

    facts: list[FactTold]
    checkpoint: int | None = Field(description="The checkpoint that was made of it.", examples=[None])
    changes: list[ChangeTold]
    to_mend: list[ToMend]
    is_open: bool = Field(description="Whether the same is asked again, with what is to be mended.")
    is_repeated: bool = Field(
        default=False, description="True if this was answered before, for the same Idempotency-Key."
    )


class LearnAsked(Asked):
    """How much the configured model may do in this request."""

    calls: Annotated[int, Field(strict=True, ge=1, le=20)] = Field(default=5, description="At most so many replies.")
    judged: Flag = Field(default=False, description="Whether a second reader looks at each fact first.")


class LearnedTold(Told):
    """What the configured model did."""

    replies: int = Field(examples=[2])
    facts: int = Field(examples=[3])
    checkpoints: list[int] = Field(examples=[[9]])
    stopped: str = Field(
        description="Why it stopped before its end: a budget, a model out of reach, or `calls`.", examples=[""]
    )
    is_done: bool = Field(description="Whether nothing is left to read.")


class Cost(Told):
    """What calls of models have cost."""

    calls: int = Field(examples=[4])
    input_tokens: int = Field(examples=[4800])
    output_tokens: int = Field(examples=[900])
    cost: str = Field(description="In USD.", examples=["0.0123"])
    unpriced: int = Field(description="Calls whose price is not known.", examples=[0])


class CostOf(Cost):
    """What the calls of one day, step and model have cost."""

    day: str = Field(description="In UTC.", examples=["2026-03-02"])
    step: str = Field(examples=["extract"])
    model: str = Field(examples=["anthropic:claude-haiku-4-5"])


class Costs(Told):
    """What models have cost for this user."""

    total: Cost
    rows: list[CostOf]


@router.get("/pending")
def pending(
    place: Reader, most: Annotated[int, Query(ge=1, le=50, description="At most so many requests.")] = 5
) -> Pending:
    """The requests that wait for an answer: words to read first, then facts to put into records."""
    with place.memory() as memory:
        requests = memory.pending(most=most + 1)
        stuck = len(memory.project().progress.stuck)
    return Pending(requests=[_question(request) for request in requests[:most]], more=len(requests) > most, stuck=stuck)


@router.post("/answers")
def answer(place: Writer, body: AnswerAsked) -> Answered:
    """Answer a pending request in the model's place. 409 if it is no longer open."""
    reply = body.reply if isinstance(body.reply, str) else json.dumps(body.reply)
    with place.memory() as memory:
        before = memory.project()
        try:
            with once(place, memory, request_text("answer", body)) as terms:
                memory.answer(body.request, reply, model=body.model)
        except Repeated as error:
            answered = _answered(memory, before, error.first, error.last, is_repeated=True)
        else:
            answered = _answered(memory, before, terms.first, terms.last)
    return answered if place.may_read else answered.model_copy(update={"changes": []})


@router.post("/learn", responses=NO_MODEL)
def learn(place: Worker, body: LearnAsked) -> LearnedTold:
    """Let the configured model read what is unread and put what it finds into records. 501 if there is none."""
    place.check_known()
    models = chosen_models()
    if models.for_step("extract") is None and models.for_step("checkpoint") is None:
        raise NoModel("no model is configured here: set UAC_MODEL, or answer what GET …/pending shows")
    outcomes: list[Outcome] = []

    def told(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if len(outcomes) >= body.calls:
            raise _EnoughError

    with place.apart() as memory:
        try:
            stopped = memory.learn(models, judged=body.judged, told=told).stopped
        except _EnoughError:
            stopped = f"{body.calls} replies were asked for"
        is_done = not memory.pending(most=1)
    return LearnedTold(
        replies=len(outcomes),
        facts=sum(len(outcome.facts) for outcome in outcomes),
        checkpoints=[outcome.checkpoint for outcome in outcomes if outcome.checkpoint],
        stopped="" if is_done else stopped,
        is_done=is_done,
    )


@router.get("/cost")
def cost(place: Reader) -> Costs:
    """What models have cost, by day, step and model."""
    with place.memory() as memory:
        progress = memory.project().progress
    rows = [
        CostOf(**_cost(spent).model_dump(), day=spending.day, step=spending.step, model=spending.model)
        for spending, spent in sorted(progress.spent.items())
    ]
    return Costs(total=_cost(progress.spent_in_all()), rows=rows)


class _EnoughError(Exception):
    """The model has given as many replies as this request may take."""


def _question(request: Request) -> Question:
    return Question(
        id=request.id,
        step=request.step,
        instructions=request.prompt,
        input=json.loads(request.content),
        reply_schema=request.schema,
        tokens=request.tokens,
    )


def _answered(memory: Memory, known: Project, first: int, last: int, *, is_repeated: bool = False) -> Answered:
    """What the entries at `first` to `last` say that came of a reply."""
    entries = [stored for stored in memory.log.read(first, last + 1) if stored.entry is not None]
    calls: Iterable[ModelCall] = [stored.entry for stored in entries if isinstance(stored.entry, ModelCall)]
    checkpoints = [stored.position for stored in entries if isinstance(stored.entry, Checkpoint)]
    return Answered(
        facts=[
            FactTold(position=stored.position, text=stored.entry.text)
            for stored in entries
            if isinstance(stored.entry, Fact)
        ],
        checkpoint=checkpoints[-1] if checkpoints else None,
        changes=changes_told(*around(memory, known, first, last)),
        to_mend=[
            ToMend(part=finding.part, why=finding.why, positions=list(finding.positions))
            for call in calls
            for finding in call.findings
        ],
        is_open=any(call.is_open for call in calls),
        is_repeated=is_repeated,
    )


def _cost(spent: Spent) -> Cost:
    return Cost(**{**spent._asdict(), "cost": str(spent.cost)})
