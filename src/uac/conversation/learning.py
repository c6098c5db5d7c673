"""From conversation to records: what comes of a reply. Values in, entries out; `memory/learner.py` asks and writes.

Who answers does not matter: an agent with `pending` and `answer`, a vendor's model or recorded replies go the same way.
All state is in the log, so work can stop after any call and go on in another process.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import msgspec

from uac.constraints.review import PartialAcceptance
from uac.conversation.extract import ExtractedFacts, read_facts
from uac.conversation.open_requests import (
    UNSURE,
    LearningView,
    Task,
    batch_of,
    facts_at,
    facts_before,
    names_known,
    waiting_facts,
)
from uac.conversation.propose import FactInBatch, Proposal, read_patches
from uac.conversation.windows import Window, first_unread
from uac.errors import Late
from uac.log.log import Log
from uac.models.calls import call_author, model_call_of
from uac.models.requests_and_replies import Reply, Request
from uac.packs import Pack
from uac.project.project import Project
from uac.project.type_changes import TypeChange
from uac.schema.entries import AlertChange, Fact, Finding, ModelCall

__all__ = [
    "Cadence",
    "FactReply",
    "Learned",
    "Outcome",
    "check_open",
    "is_due",
    "is_urgent",
    "patch_call",
    "read_fact_reply",
    "read_patch_reply",
    "stuck_calls",
    "unjudged_facts",
]

ATTEMPTS = 3
"""How often a model is asked for the same thing before what it could not answer for is left waiting."""
CONTINUED = 20  # replies to one request that go on where the last one ended
URGENT = frozenset({"health", "finance", "travel", "calendar"})


class Cadence(NamedTuple):
    """When facts are put into records: when there are so many, when one waits so long, or when one matters now."""

    facts: int = 20
    minutes: int = 30


class Outcome(NamedTuple):
    """What came of one reply."""

    request: Request
    reply: Reply
    facts: tuple[int, ...] = ()
    """Where the facts stand that were taken from it."""
    checkpoint: int = 0
    """Where the checkpoint stands that was made of it; 0 if there is none."""
    findings: tuple[Finding, ...] = ()
    is_open: bool = False
    """Whether the same is to be asked again, to mend what the findings say."""
    echoes: int = 0
    alerts: tuple[AlertChange, ...] = ()


class Learned(NamedTuple):
    """What a run of the loop did, and why it stopped before its end, if it did."""

    outcomes: tuple[Outcome, ...] = ()
    stopped: str = ""
    because: Literal["", "no model", "budget", "unreachable", "no verdict"] = ""

    def __repr__(self) -> str:
        stopped = f", stopped: {self.stopped}" if self.stopped else ""
        return f"<Learned: {len(self.outcomes)} replies, {self.facts} facts{stopped}>"

    @property
    def facts(self) -> int:
        return sum(len(outcome.facts) for outcome in self.outcomes)


class FactReply(NamedTuple):
    """The facts that a reply gave, the call that is kept with them, and how many of them were echoes."""

    facts: tuple[Fact, ...]
    call: ModelCall
    echoes: int


def read_fact_reply(task: Task, window: Window, reply: Reply, view: LearningView, *, problem: str = "") -> FactReply:
    """Read the reply to a request about words; `problem` says what was wrong with it as a whole."""

    def known(text: str) -> list[Fact]:
        hits = view.recall.search(text, k=5, kinds=["fact"], without=UNSURE)
        return facts_at(view.log, [hit.position for hit in hits])

    by, names = call_author(reply, task.request), names_known(view.log, view.project)
    taken = read_facts(reply.text, window, names=names, by=by, known=known)
    if problem:
        taken = _with_problem(taken, problem, window)
    attempts = len(task.earlier) + 1
    goes_on = taken.more and bool(taken.facts) and attempts < CONTINUED
    is_open = goes_on or (bool(taken.findings) and attempts < ATTEMPTS)
    earlier = [fact for call in task.earlier for fact in facts_before(view.log, call)]
    stuck = {position for finding in taken.findings for position in finding.positions}
    empty = [p for p in _turns_without_facts(window, [*earlier, *taken.facts]) if p not in stuck]
    call = model_call_of(
        reply,
        task.request,
        through=window.through,
        empty=() if is_open or window.is_second else tuple(empty),
        findings=taken.findings,
        is_open=is_open,
    )
    return FactReply(tuple(taken.facts), call, taken.echoes)


def read_patch_reply(task: Task, reply: Reply, view: LearningView, packs: Sequence[Pack]) -> Proposal:
    """Read the reply to a request about facts: the patches it proposes, and those that cannot be read."""

    def earlier(position: int) -> FactInBatch | None:
        is_fact = position in view.project.sources and view.project.sources[position].is_fact
        return next(iter(batch_of(view, [position])), None) if is_fact else None

    return read_patches(
        reply.text, task.batch, project=view.project, packs=packs, earlier=earlier, insists=bool(task.earlier)
    )


def patch_call(
    task: Task, reply: Reply, proposal: Proposal, accepted: PartialAcceptance, *, problem: str = ""
) -> ModelCall:
    """The call that is kept with the patches that were accepted: its findings say what to fix in the others."""
    kept = [proposal.patches[number - 1] for number in accepted.kept]
    # A change of types may cite a fact, but does not say what becomes of it.
    cited = {position for patch in kept if not isinstance(patch, TypeChange) for position in patch.cites}
    left = tuple(item.position for item in task.batch if item.position not in cited)
    findings = _patch_findings(proposal, accepted, left, problem)
    is_open = bool(findings) and bool(left) and len(task.earlier) + 1 < ATTEMPTS
    return model_call_of(reply, task.request, findings=findings, is_open=is_open)


def _patch_findings(
    proposal: Proposal, accepted: PartialAcceptance, left: tuple[int, ...], problem: str
) -> tuple[Finding, ...]:
    """What is wrong with a reply, each with the facts that are left waiting by it."""
    whole = [Finding(why=why, positions=left) for why in (problem or proposal.problem,) if why]
    refused = [
        Finding(why=why, positions=proposal.patches[number - 1].cites, part=proposal.parts[number - 1])
        for number, why in accepted.refused
    ]
    findings = [
        msgspec.structs.replace(finding, positions=_cites_within(finding.positions, left))
        for finding in (*whole, *proposal.refused, *refused)
    ]
    named = {position for finding in findings for position in finding.positions}
    if forgotten := tuple(position for position in left if position not in named):
        listed = ", ".join(map(str, forgotten))
        findings.append(Finding(why=f"facts {listed} are neither used nor set aside", positions=forgotten))
    return tuple(findings)


def stuck_calls(project: Project, log: Log) -> list[int]:
    """Where the calls are that asked about what is stuck now; without them it is asked again."""
    stuck = project.progress.stuck
    return [
        stored.position
        for stored in log.read(min(stuck, default=project.position + 1))
        if isinstance(stored.entry, ModelCall)
        and stored.entry.step in ("extract", "checkpoint")
        and stored.position not in project.gone
        and any(position in stuck for position in stored.entry.answers)
    ]


def is_due(view: LearningView, cadence: Cadence, now: datetime | None) -> bool:
    """Whether waiting facts are to be put into records now."""
    batch = batch_of(view, waiting_facts(view.project), whole=True)
    if len(batch) >= cadence.facts or is_urgent([item.fact for item in batch]):
        return True
    return now is not None and any(now - item.said >= timedelta(minutes=cadence.minutes) for item in batch)


def is_urgent(facts: Collection[Fact]) -> bool:
    return any(fact.topic in URGENT for fact in facts)


def check_open(task: Task, project: Project) -> None:
    """Refuse a reply that comes too late: somebody else has answered, or words that it may quote are gone."""
    request, progress = task.request, project.progress
    asked = progress.asked.get(request.answers)
    is_same = (asked.calls if asked else ()) == task.earlier
    is_open = is_same and (bool(task.earlier) or _is_unasked(task, project))
    if not is_open or any(p not in project.sources or p in project.gone for p in request.read):
        raise Late(f"request {request.id} has been answered meanwhile; 'uac pending' shows what is open")


def _is_unasked(task: Task, project: Project) -> bool:
    """Whether all that a first request is about still waits as it did, and is in no other question."""
    progress, answers = project.progress, task.request.answers
    if any(not set(answers).isdisjoint(other) for other in progress.asked):
        return False
    if task.window is None:
        return all(position in project.waiting and position not in progress.stuck for position in answers)
    if task.window.is_second:
        return all(position in progress.again for position in answers)
    return all(
        turn.position in progress.unread and turn.start == first_unread(progress, turn.position)
        for turn in task.window.turns
        if turn.is_new
    )


def _with_problem(taken: ExtractedFacts, problem: str, window: Window) -> ExtractedFacts:
    findings = (Finding(why=problem, positions=window.answers), *(f for f in taken.findings if f.part))
    return taken._replace(findings=findings, more=True)


def _turns_without_facts(window: Window, facts: Sequence[Fact]) -> tuple[int, ...]:
    """The turns that gave no fact and say enough to be looked at once more."""
    fruitful = {citation.position for fact in facts for citation in fact.cites}
    return tuple(
        turn.position
        for turn in window.turns
        if turn.is_new
        and turn.position not in fruitful
        and not turn.start  # the end of a turn that was read in slices: it is too long to be shown whole
        and turn.observation.role != "assistant"
        and not (window.through and turn.position == window.answers[-1])
        and _says_something(turn.visible_text)
    )


def _says_something(words: str) -> bool:
    return len(words.split()) > 3 or any(character.isdigit() for character in words) or len(words) > 24


def _cites_within(cites: Collection[int], left: Sequence[int]) -> tuple[int, ...]:
    return tuple(position for position in left if position in cites)


def unjudged_facts(batch: Sequence[FactInBatch], project: Project) -> list[FactInBatch]:
    return [item for item in batch if item.position not in project.progress.judged]
