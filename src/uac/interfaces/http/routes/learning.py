"""Learning: pending requests, replies by an agent or the configured model, and their cost."""

import json
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from uac.conversation.learning import Outcome
from uac.errors import NoModel, Repeated
from uac.interfaces.http.auth import Reader, Worker, Writer
from uac.interfaces.http.fields import Flag, Input, Position
from uac.interfaces.http.routes.observations import WordsInput, observation_from_words
from uac.interfaces.http.write_responses import conditional_write, projects_around_write, request_text
from uac.interfaces.views.changes import changes_between
from uac.interfaces.views.learning import (
    CostRowView,
    CostsView,
    FactView,
    LearnView,
    OutcomeView,
    PendingView,
    RememberView,
    cost_view,
    remember_view,
    reply_finding_views,
    request_view,
)
from uac.interfaces.views.view import build_view
from uac.memory.memory import Memory
from uac.memory.remembering import RememberCall
from uac.models import chosen_models
from uac.project.overruled import overruled_claims
from uac.project.project import Project
from uac.schema.entries import Checkpoint, Fact, ModelCall

__all__ = ["NO_MODEL", "router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["learning"])

NO_MODEL: dict[int | str, dict[str, Any]] = {501: {"description": "No model is configured."}}


class AnswerInput(Input):
    """The reply to a pending request, as text or as the JSON object itself."""

    request: str = Field(max_length=200, description="Its id.", examples=["1-3f2a9c0d1e2b4a5c"])
    reply: str | dict[str, Any] = Field(
        examples=[{"facts": [{"text": "The user flies to Lisbon.", "about": "user", "cites": []}]}]
    )
    model: str = Field(default="agent", min_length=1, max_length=200, description="Who answered.", examples=["agent"])


class RememberInput(Input):
    """Words together with the facts and records that an agent made of them."""

    turns: list[WordsInput] = Field(default=[], max_length=100, description="What was said, oldest first.")
    observations: list[Position] = Field(
        default=[], max_length=100, description="Instead of turns: the positions of stored ones.", examples=[[]]
    )
    facts: list[Any] | None = Field(
        default=None,
        description="Claims, each with the very words: text, about, quote or cites, when, start, end, topic, corrects.",
        examples=[[{"text": "The user is allergic to penicillin.", "quote": "I get hives from penicillin"}]],
    )
    records: list[Any] | None = Field(
        default=None,
        description="Patches that cite facts of this call by number, from 1, and stored ones as `fact:57`.",
        examples=[[{"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [1]}]],
    )
    constraints: list[Any] | None = Field(default=None, description="Rules: name, file and cites.", examples=[[]])
    model: str = Field(default="agent", min_length=1, max_length=200, description="Who made them.", examples=["agent"])


class LearnInput(Input):
    """How much the configured model may do in this request."""

    calls: Annotated[int, Field(strict=True, ge=1, le=20)] = Field(default=5, description="At most this many replies.")
    judged: Flag = Field(default=False, description="Whether a second model checks each fact first.")


@router.get("/pending")
def pending(
    context: Reader, most: Annotated[int, Query(ge=1, le=50, description="At most this many requests.")] = 5
) -> PendingView:
    """The pending requests: words to read first, then facts to put into records."""
    with context.memory() as memory:
        requests = memory.pending(most=most + 1)
        stuck = len(memory.project().progress.stuck)
    return PendingView(requests=tuple(map(request_view, requests[:most])), more=len(requests) > most, stuck=stuck)


@router.post("/answers")
def answer(context: Writer, body: AnswerInput) -> OutcomeView:
    """Answer a pending request in the model's place. 409 if it is no longer open."""
    reply = body.reply if isinstance(body.reply, str) else json.dumps(body.reply)
    with context.memory() as memory:
        before = memory.project()
        try:
            with conditional_write(context, memory, request_text("answer", body)) as terms:
                memory.answer(body.request, reply, model=body.model)
        except Repeated as error:
            answered = _learning_outcome_view(memory, before, error.first, error.last, is_repeated=True)
        else:
            answered = _learning_outcome_view(memory, before, terms.first, terms.last)
    return answered if context.may_read else replace(answered, changes=(), overruled=())


@router.post("/remember", status_code=201)
def remember(context: Writer, body: RememberInput) -> RememberView:
    """Store words with facts and records, in one write. Valid parts are stored, the words always."""
    with context.memory(create=bool(body.turns)) as memory:
        turns = tuple(observation_from_words(memory.log, turn) for turn in body.turns)
        call = RememberCall(
            turns, tuple(body.observations), body.facts, body.records, body.constraints, model=body.model
        )
        try:
            with conditional_write(context, memory, request_text("remember", body)):
                remembered = memory.remember_call(call)
        except Repeated as error:
            remembered = memory.remembered(call, error.first, error.last)
        view = remember_view(remembered, memory.project())
    return view if context.may_read else replace(view, records=(), alert_changes=(), unread=0, waiting=0, overruled=())


@router.post("/learn", responses=NO_MODEL)
def learn(context: Worker, body: LearnInput) -> LearnView:
    """Let the configured model read unread turns and put the facts into records. 501 if there is none."""
    context.check_has_memory()
    models = chosen_models()
    if models.for_step("extract") is None and models.for_step("checkpoint") is None:
        raise NoModel("No model is configured. Set UAC_MODEL, or answer the requests of GET …/pending.")
    outcomes: list[Outcome] = []

    def on_outcome(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if len(outcomes) >= body.calls:
            raise _EnoughError

    with context.separate_memory() as memory:
        try:
            stopped = memory.learn(models, judged=body.judged, on_outcome=on_outcome).stopped
        except _EnoughError:
            stopped = f"{body.calls} replies were asked for"
        is_done = not memory.pending(most=1)
    return LearnView(
        replies=len(outcomes),
        facts=sum(len(outcome.facts) for outcome in outcomes),
        checkpoints=tuple(outcome.checkpoint for outcome in outcomes if outcome.checkpoint),
        stopped="" if is_done else stopped,
        is_done=is_done,
    )


@router.get("/cost")
def cost(context: Reader) -> CostsView:
    """The cost of model calls, by day, step and model."""
    with context.memory() as memory:
        progress = memory.project().progress
    rows = tuple(
        build_view(CostRowView, cost_view(spent), day=spending.day, step=spending.step, model=spending.model)
        for spending, spent in sorted(progress.spent.items())
    )
    return CostsView(total=cost_view(progress.spent_in_all()), rows=rows)


class _EnoughError(Exception):
    """The model has given as many replies as this request may take."""


def _learning_outcome_view(
    memory: Memory, known: Project, first: int, last: int, *, is_repeated: bool = False
) -> OutcomeView:
    """The outcome of a reply, from its entries at `first` to `last`."""
    entries = [stored for stored in memory.log.read(first, last + 1) if stored.entry is not None]
    calls = [stored.entry for stored in entries if isinstance(stored.entry, ModelCall)]
    checkpoints = [stored.position for stored in entries if isinstance(stored.entry, Checkpoint)]
    return OutcomeView(
        facts=tuple(
            build_view(FactView, stored.entry, position=stored.position)
            for stored in entries
            if isinstance(stored.entry, Fact)
        ),
        checkpoint=checkpoints[-1] if checkpoints else None,
        changes=changes_between(*projects_around_write(memory, known, first, last)),
        to_mend=reply_finding_views(finding for call in calls for finding in call.findings),
        is_open=any(call.is_open for call in calls),
        overruled=overruled_claims(memory.project(), checkpoints[-1] if checkpoints else 0),
        is_repeated=is_repeated,
    )
