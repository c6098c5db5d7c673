"""Reads replies in learning: which facts and patches a reply gives, and which findings go back to the model."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from uac.constraints.dependent_patches import collections_read
from uac.constraints.review import PartialAcceptance
from uac.conversation.extract import ExtractedFacts, read_facts
from uac.conversation.learning_tasks import (
    UNSURE,
    LearningView,
    Task,
    facts_at,
    facts_of_task_call,
    task_batch,
    task_known_names,
)
from uac.conversation.propose import FactInBatch, shown_records
from uac.conversation.proposed_patches import Proposal, read_patches
from uac.conversation.small_talk import is_small_talk
from uac.conversation.windows import Window, window_start
from uac.errors import Late
from uac.models.calls import call_author, model_call_of
from uac.models.requests_and_replies import Reply
from uac.packs import Pack
from uac.project.project import Project
from uac.project.type_changes import TypeChange
from uac.schema.entries import Fact, Finding, ModelCall
from uac.schema.patches import Adopt, Patch

__all__ = ["FactReply", "check_reply_in_time", "patch_reply_call", "read_fact_reply", "read_patch_reply"]

ATTEMPTS = 3
"""Attempts per request. After that, the unanswered entries are marked as stuck."""
CONTINUED = 20  # replies to one request that go on where the last one ended


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

    def is_said(name: str) -> bool:
        hits = view.recall.search(name, k=5, kinds=["observation"], without=UNSURE)
        said = [(hit.role, hit.text) for hit in hits]  # turns of this very write are not in the index yet
        said += [(turn.observation.role, turn.observation.text) for turn in window.turns]
        spoken = (text for role, text in said if role in ("user", "person", "assistant"))
        return any(re.search(rf"\b{re.escape(name)}\b", text) for text in spoken)

    by, names = call_author(reply, task.request), task_known_names(view.log, view.project)
    taken = read_facts(reply.text, window, names=names, by=by, known=known, is_said=is_said)
    if problem:
        taken = _with_reply_problem(taken, problem, window)
    attempts = len(task.earlier) + 1
    goes_on = taken.more and bool(taken.facts) and attempts < CONTINUED
    is_open = goes_on or (bool(taken.findings) and attempts < ATTEMPTS)
    earlier = [fact for call in task.earlier for fact in facts_of_task_call(view.log, call)]
    stuck = {position for finding in taken.findings for position in finding.positions}
    empty = [p for p in _turns_without_facts(window, [*earlier, *taken.facts]) if p not in stuck]
    call = model_call_of(
        reply,
        task.request,
        through=window.through,
        empty=() if is_open else tuple(empty),
        findings=taken.findings,
        is_open=is_open,
    )
    return FactReply(tuple(taken.facts), call, taken.echoes)


def read_patch_reply(task: Task, reply: Reply, view: LearningView, packs: Sequence[Pack]) -> Proposal:
    """Read the reply to a request about facts: the patches it proposes, and those that cannot be read."""

    def earlier(position: int) -> FactInBatch | None:
        is_fact = position in view.project.sources and view.project.sources[position].is_fact
        return next(iter(task_batch(view, [position])), None) if is_fact else None

    return read_patches(
        reply.text,
        task.batch,
        project=view.project,
        packs=packs,
        earlier=earlier,
        shown=shown_records(task.request, view.project),
        insists=bool(task.earlier),
        is_last=len(task.earlier) + 1 >= ATTEMPTS,
    )


def patch_reply_call(
    task: Task, reply: Reply, proposal: Proposal, accepted: PartialAcceptance, project: Project, *, problem: str = ""
) -> ModelCall:
    """The call that is kept with the patches that were accepted: its findings say what to fix in the others.

    A refused patch is asked for again even if its fact is in a record by now: it may state more than that record has.
    """
    kept = [proposal.patches[number - 1] for number in accepted.kept]
    # A change of types may cite a fact, but does not say what becomes of it.
    cited = {position for patch in kept if not isinstance(patch, TypeChange) for position in patch.cites}
    batch = [item.position for item in task.batch]
    left = tuple(position for position in batch if position not in cited and position in project.waiting)
    findings = _patch_reply_findings(proposal, accepted, project, batch, left, problem)
    attempts = len(task.earlier) + 1
    goes_on = proposal.is_cut and bool(cited.intersection(batch)) and attempts < CONTINUED
    is_open = any(finding.positions for finding in findings) and (goes_on or attempts < ATTEMPTS)
    return model_call_of(reply, task.request, findings=findings, is_open=is_open)


def _patch_reply_findings(
    proposal: Proposal,
    accepted: PartialAcceptance,
    project: Project,
    batch: Sequence[int],
    left: tuple[int, ...],
    problem: str,
) -> tuple[Finding, ...]:
    """What is wrong with a reply, each with the facts of the batch that it concerns. `left` are in no record."""
    cut = "The reply ends early. Give the patches for the facts shown." if proposal.is_cut else ""
    asked = left if not proposal.is_cut else tuple(p for p in batch if p in (*left, *proposal.loose))
    whole = [Finding(why=why, positions=asked) for why in (problem or proposal.problem or cut,) if why]
    refused = [
        Finding(
            why=why,
            positions=proposal.patches[number - 1].cites,
            part=proposal.parts[number - 1],
            needs=_missing_collections(proposal.patches[number - 1], project),
        )
        for number, why in accepted.refused
    ]
    findings = [
        msgspec.structs.replace(finding, positions=tuple(p for p in batch if p in finding.positions))
        for finding in (*whole, *proposal.refused, *refused)
    ]
    named = {position for finding in findings for position in finding.positions}
    if forgotten := tuple(position for position in left if position not in named):
        listed = ", ".join(map(str, forgotten))
        findings.append(Finding(why=f"facts {listed} are neither used nor set aside", positions=forgotten))
    return tuple(findings)


def _missing_collections(patch: Patch, project: Project) -> tuple[str, ...]:
    """The collections that a constraint reads and that no type has."""
    if not isinstance(patch, Adopt):
        return ()
    return tuple(sorted({*collections_read(patch)} - project.owners().keys()))


def check_reply_in_time(task: Task, project: Project) -> None:
    """Refuse a late reply: another one was accepted, or text that it may quote was erased."""
    request, progress = task.request, project.progress
    asked = progress.asked.get(request.answers)
    is_same = (asked.calls if asked else ()) == task.earlier
    is_open = is_same and (bool(task.earlier) or _awaits_first_reply(task, project))
    if not is_open or any(p not in project.sources or p in project.gone for p in request.read):
        raise Late(f"Request {request.id} has been answered meanwhile. 'uac pending' lists the open ones.")


def _awaits_first_reply(task: Task, project: Project) -> bool:
    """Whether all that a first request is about still waits as it did, and is in no other question."""
    progress, answers = project.progress, task.request.answers
    if any(not set(answers).isdisjoint(other) for other in progress.asked):
        return False
    if task.window is None:
        return all(position in project.waiting and position not in progress.stuck for position in answers)
    return all(
        turn.position in progress.again
        if turn.is_second
        else turn.position in progress.unread and turn.start == window_start(progress, turn.position)
        for turn in task.window.turns
        if turn.is_new
    )


def _with_reply_problem(taken: ExtractedFacts, problem: str, window: Window) -> ExtractedFacts:
    findings = (Finding(why=problem, positions=window.answers), *(f for f in taken.findings if f.part))
    return taken._replace(findings=findings, more=True)


def _turns_without_facts(window: Window, facts: Sequence[Fact]) -> tuple[int, ...]:
    """The turns that gave no fact and say enough to be looked at once more."""
    fruitful = {citation.position for fact in facts for citation in fact.cites}
    return tuple(
        turn.position
        for turn in window.turns
        if turn.is_new
        and not turn.is_second
        and turn.position not in fruitful
        and not turn.start  # the end of a turn that was read in slices: it is too long to be shown whole
        and turn.observation.role not in ("assistant", "tool")
        and not (window.through and turn.position == window.answers[-1])
        and not is_small_talk(turn.visible_text)
    )
