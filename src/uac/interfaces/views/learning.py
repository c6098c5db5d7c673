"""Learning: the requests to a model, the outcome of a reply, and the cost."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from uac.interfaces.views.alerts import AlertUpdateView, alert_update_view
from uac.interfaces.views.changes import ChangeView
from uac.interfaces.views.view import Doc, View, build_view
from uac.models.calls import call_part_label
from uac.models.requests_and_replies import Request, Step
from uac.project.progress import Spent
from uac.project.project import Project
from uac.schema.entries import Finding

if TYPE_CHECKING:  # a server that lists its tools needs neither
    from uac.conversation.learning import Outcome
    from uac.memory.remembering import Remembered

__all__ = [
    "AgentRequestView",
    "CostRowView",
    "CostView",
    "CostsView",
    "FactView",
    "FindingView",
    "LearnView",
    "NamedFindingView",
    "OutcomeView",
    "PendingView",
    "RememberView",
    "RememberedFactView",
    "RequestContentView",
    "RequestView",
    "agent_request_view",
    "cost_view",
    "named_reply_finding_views",
    "remember_view",
    "reply_finding_views",
    "request_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContentView(View):
    """One request to a model, without the schema of the reply, whose name differs between the interfaces."""

    id: Annotated[str, Doc("Name it in the answer.", "1-3f2a9c0d1e2b4a5c")]
    step: Annotated[Step, Doc(example="extract")]
    instructions: Annotated[str, Doc(example="Read the turns and answer with facts.")]
    input: Annotated[dict[str, Any], Doc(example={"turns": [{"turn": 1, "text": "I fly to Lisbon next Friday."}]})]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView(RequestContentView):
    """One request to a model: instructions, the input, and the JSON schema of the reply."""

    reply_schema: Annotated[dict[str, Any], Doc(example={"type": "object"})]
    tokens: Annotated[int, Doc("About how long the request is.", 1200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRequestView(RequestContentView):
    """One request to a model: instructions, the data, and the schema of the reply."""

    schema: dict[str, Any]
    tokens: int


def request_view(request: Request) -> RequestView:
    content = json.loads(request.content)
    return build_view(RequestView, request, instructions=request.prompt, input=content, reply_schema=request.schema)


def agent_request_view(request: Request) -> AgentRequestView:
    return build_view(AgentRequestView, request, instructions=request.prompt, input=json.loads(request.content))


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingView(View):
    """The next requests for a model, or for an agent in its place."""

    requests: tuple[RequestView, ...]
    more: Annotated[bool, Doc("Whether further requests are pending.")]
    stuck: Annotated[int, Doc("Entries that no model could handle; they are not requested again.", 0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingView(View):
    """A part of a reply that was refused, and why."""

    part: Annotated[int, Doc("Which fact or patch, counted from 1; 0: the reply as a whole.", 1)]
    why: Annotated[str, Doc(example="fact 1: the date 2026-03-07 does not follow")]
    positions: Annotated[tuple[int, ...], Doc("The entries it is about.", [1])]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFindingView(FindingView):
    """A part of a reply that was refused, and why."""

    part: str  # type: ignore[assignment]  # agents and people read a name instead of a number


def named_reply_finding_views(outcome: "Outcome") -> tuple[NamedFindingView, ...]:
    return tuple(
        build_view(NamedFindingView, finding, part=call_part_label(finding, outcome.request, outcome.reply))
        for finding in outcome.findings
    )


def reply_finding_views(findings: Iterable[Finding]) -> tuple[FindingView, ...]:
    return tuple(build_view(FindingView, finding) for finding in findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactView(View):
    """A fact that was taken from a reply."""

    position: Annotated[int, Doc(example=3)]
    text: Annotated[str, Doc(example="The user flies to Lisbon on 2026-03-06.")]
    unsure: Annotated[str, Doc("What could neither be confirmed nor refuted.", "")]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeView(View):
    """The outcome of a reply: valid parts are stored, and the rest is requested again if `is_open`."""

    facts: tuple[FactView, ...]
    checkpoint: Annotated[int | None, Doc("The checkpoint that the reply led to.", None)]
    changes: tuple[ChangeView, ...]
    to_mend: tuple[FindingView, ...]
    is_open: Annotated[bool, Doc("Whether the same request is pending again, with the parts to correct.")]
    overruled: Annotated[tuple[str, ...], Doc("Values kept without effect: a more trusted source stands.", [])] = ()
    is_repeated: Annotated[
        bool, Doc("True if an earlier request with the same Idempotency-Key already gave this answer.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedFactView(FactView):
    """A fact that was taken from a call, with its number there."""

    number: Annotated[int, Doc("Its number in the call, from 1.", 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberView(View):
    """What came of words, facts and records that were given together: valid parts are stored, the words always."""

    positions: Annotated[tuple[int, ...], Doc("The turns.", [1])]
    facts: tuple[RememberedFactView, ...]
    records: Annotated[tuple[str, ...], Doc("Records made or changed.", ["health.Allergy:penicillin"])]
    checkpoint: Annotated[int | None, Doc("The checkpoint of the records.", 5)]
    to_mend: Annotated[tuple[NamedFindingView, ...], Doc("Refused parts: send them again, with observations.", [])]
    alert_changes: Annotated[tuple[AlertUpdateView, ...], Doc("Alerts that changed.", [])]
    unread: Annotated[int, Doc("Turns that wait to be read.", 0)]
    waiting: Annotated[int, Doc("Facts that are in no record yet.", 0)]
    overruled: Annotated[tuple[str, ...], Doc("Values kept without effect: a more trusted source stands.", [])] = ()
    is_repeated: Annotated[bool, Doc("True if an earlier call with the same key already gave this answer.")] = False


def remember_view(remembered: "Remembered", project: Project) -> RememberView:
    return build_view(
        RememberView,
        remembered,
        facts=tuple(build_view(RememberedFactView, fact) for fact in remembered.facts),
        checkpoint=remembered.checkpoint or None,
        to_mend=tuple(build_view(NamedFindingView, part, part=part.part or "the call") for part in remembered.to_mend),
        alert_changes=tuple(map(alert_update_view, remembered.alerts)),
        unread=len(project.progress.unread),
        waiting=len(project.waiting),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnView(View):
    """What the configured model did."""

    replies: Annotated[int, Doc(example=2)]
    facts: Annotated[int, Doc(example=3)]
    checkpoints: Annotated[tuple[int, ...], Doc(example=[9])]
    stopped: Annotated[str, Doc("Why it stopped early: a budget, an unreachable model, or `calls`.", "")]
    is_done: Annotated[bool, Doc("Whether nothing is left to read.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostView(View):
    """The cost of model calls."""

    calls: Annotated[int, Doc(example=4)]
    input_tokens: Annotated[int, Doc(example=4800)]
    output_tokens: Annotated[int, Doc(example=900)]
    cost: Annotated[str, Doc("In USD.", "0.0123")]
    unpriced: Annotated[int, Doc("Calls whose price is unknown.", 0)]


def cost_view(spent: Spent) -> CostView:
    return build_view(CostView, spent, cost=str(spent.cost))


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRowView(CostView):
    """The cost of one day, step and model."""

    day: Annotated[str, Doc("In UTC.", "2026-03-02")]
    step: Annotated[str, Doc(example="extract")]
    model: Annotated[str, Doc(example="anthropic:claude-haiku-4-5")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostsView(View):
    """The cost of all model calls for this user."""

    total: CostView
    rows: tuple[CostRowView, ...]
