"""The result of each tool: the shared views, and what only agents are given. `text_rendering` turns them into text."""

from dataclasses import dataclass, replace
from datetime import datetime

from uac.interfaces.views.alerts import AlertsView, AlertView, alert_view
from uac.interfaces.views.changes import ChangeView, change_views
from uac.interfaces.views.learning import AgentRequestView, NamedFindingView, PendingView
from uac.interfaces.views.log import EntryTextView
from uac.interfaces.views.project import TypeView
from uac.interfaces.views.records import EndView, FlatRecordView, flat_record_view
from uac.interfaces.views.search import RecallView
from uac.interfaces.views.view import View
from uac.log.index import RecallKind
from uac.memory.memory import Memory
from uac.packs import is_from_packs
from uac.project.alerts import Alert
from uac.project.diff import Change
from uac.project.explain import Explanation
from uac.project.project import Project, Record
from uac.schema.constraints import Severity
from uac.schema.periods import Period
from uac.schema.types import Json
from uac.schema.values import dump_value

__all__ = [
    "AgentClaim",
    "AgentEvidence",
    "AgentHit",
    "AlertsResult",
    "AnswerResult",
    "Changes",
    "CorrectResult",
    "ExplainResult",
    "ForgetResult",
    "PendingAlert",
    "PendingResult",
    "ReadResult",
    "RecallResult",
    "TestResult",
    "alert_result",
    "alert_results",
    "changes_result",
    "claim_results",
    "record_result",
]

MOST_CHANGES = 50
CITED = 20  # positions that are listed for one record


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingAlert(View):
    """An active alert that nobody has acknowledged. It comes with every result."""

    constraint: str
    subject: str
    severity: Severity
    message: str
    is_new: bool
    """Whether this session gets it for the first time; later its message is cut short."""
    capped_from: Severity | None
    """The severity that the constraint's author gave, if the alert has a lower one until a person approves it."""
    group: str = ""
    """The group that the alert is of; empty: it is the user's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingResult(PendingView):
    """The next requests for a model, or for you in its place; `more` if there are others."""

    requests: tuple[AgentRequestView, ...]  # type: ignore[assignment]  # their schema has another name here
    position: int
    """The end of the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes(View):
    """What changed in the project: a list, the number of changes by packs, and how many are not listed."""

    listed: tuple[ChangeView, ...]
    from_packs: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResult(View):
    """The outcome of a reply. Valid parts are stored; parts to correct are requested again under the id `again`."""

    request: str
    facts: tuple[EntryTextView, ...]
    checkpoint: int | None
    changes: Changes
    to_mend: tuple[NamedFindingView, ...]
    overruled: tuple[str, ...]
    """Values kept without effect, because a more trusted source says otherwise."""
    again: str | None
    pending: bool
    """Whether something is left to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentHit(View):
    """A search hit. Records have an id; facts and turns have a position in the log."""

    # A selection of HitView: scores and offsets would cost an agent tokens and tell it nothing.
    kind: RecallKind
    position: int
    record: str
    text: str
    said: datetime | None
    speaker: str
    session: str
    is_current: bool
    is_whole: bool
    """False if it is a part of a longer turn."""
    also: tuple[int, ...]
    """Entries that say nearly the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult(RecallView):
    """The hits of a search, in reading order, and how much more matched."""

    hits: tuple[AgentHit, ...]  # type: ignore[assignment]  # a selection of their fields
    waiting: int
    """Facts that are in no record yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult(View):
    """The manifest, or types with their records; pass `next` as `after` to read on."""

    manifest: str
    types: tuple[TypeView, ...]
    records: tuple[FlatRecordView, ...]
    total: int
    next: int | None
    disputed: tuple[str, ...]
    """Records with disagreeing claims that wait for the user's decision."""
    unread: int
    waiting: int
    offered: tuple[str, ...]
    """Types of a domain that have no record yet, with their fields: they come with their first record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertsResult(AlertsView):
    """All active alerts, and constraints that gave no result, each of which is an alert, too."""

    said: int | None
    """The entry that acknowledges or snoozes, if this call did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEvidence(View):
    """The words that a claim depends on; null once they have been erased."""

    position: int
    fact: str | None
    words: str | None
    speaker: str
    said: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentClaim(View):
    """One claim about a field: its value, whose word it is, and the words themselves."""

    field: str
    value: Json
    stands: bool
    is_disputed: bool
    authority: str
    according_to: str
    unsure: str
    said: datetime
    held: str
    position: int
    evidence: tuple[AgentEvidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult(View):
    """A test that a constraint made: its text, the values it saw, and its result."""

    __test__ = False  # it is not a class of tests

    text: str
    values: dict[str, str]
    result: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainResult(View):
    """Why a record has its values, or why a constraint fired or not."""

    ended: EndView | None = None
    """How the record ended, if it is no longer true."""
    claims: tuple[AgentClaim, ...]
    reasons: tuple[str, ...] = ()
    """Why the constraint fired, a sentence for each alert; or why it did not."""
    tests: tuple[TestResult, ...]
    fired: tuple[AlertView, ...]
    unchecked: tuple[AlertView, ...] = ()
    """Alerts that a value of a record which the constraint reads is in none of its tables."""
    failure: str
    left_out: int
    """Tests that are not listed; `trace` lists them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectResult(View):
    """The entry of the correction, and what it changed."""

    position: int
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetResult(View):
    """What is forgotten, or would be: the entries, and what changes without them."""

    is_done: bool
    is_erased: bool
    position: int | None
    entries: tuple[EntryTextView, ...]
    left_out: int
    changes: Changes


def changes_result(memory: Memory, changes: list[Change]) -> Changes:
    """The changes of types, records and constraints. Those by packs are only counted: they say nothing of the user."""
    counted = [change for change in changes if change.kind != "alert"]
    own = [change for change in counted if not is_from_packs(change, memory.packs, memory.project())]
    return Changes(
        listed=change_views(own[:MOST_CHANGES]),
        from_packs=len(counted) - len(own),
        left_out=max(len(own) - MOST_CHANGES, 0),
    )


def record_result(record: Record) -> FlatRecordView:
    view = flat_record_view(record)
    return replace(view, cites=view.cites[:CITED])


def alert_result(project: Project, alert: Alert, now: datetime) -> AlertView:
    view = alert_view(project, alert, now)
    return replace(view, cites=tuple(sorted(view.cites))[:CITED])


def claim_results(explanation: Explanation) -> list[AgentClaim]:
    return [
        AgentClaim(
            field=explanation.field,
            value=dump_value(item.claim.value),
            stands=item.stands,
            is_disputed=explanation.disputed,
            authority=item.claim.authority,
            according_to=item.claim.according_to,
            unsure=item.claim.unsure,
            said=item.claim.said,
            held=_claim_period_text(item.claim.held),
            position=item.claim.position,
            evidence=tuple(
                AgentEvidence(
                    position=evidence.observation,
                    fact=evidence.fact_text,
                    words=None if evidence.words is None else evidence.quote or evidence.words,
                    speaker=evidence.speaker,
                    said=evidence.said,
                )
                for evidence in item.evidence
            ),
        )
        for item in explanation.claims
    ]


def _claim_period_text(held: Period) -> str:
    return held.start if held.start == held.end else f"{held.start or '…'} to {held.end or '…'}"


def alert_results(project: Project, now: datetime) -> tuple[AlertView, ...]:
    views = (alert_result(project, alert, now) for alert in project.standing())
    return tuple(sorted(views, key=lambda alert: alert.state != "standing"))
