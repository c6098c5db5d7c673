"""Reads replies in learning: which facts and patches a reply gives, and which findings go back to the model."""

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from uac.constraints.dependent_patches import collections_read
from uac.constraints.review import PartialAcceptance
from uac.conversation.checks.readings import QuotedText
from uac.conversation.extract import ExtractedFacts, read_facts
from uac.conversation.learning_tasks import (
    UNSURE,
    LearningView,
    Task,
    fact_in_view,
    facts_at,
    facts_of_task_call,
    items_of_task_call,
    task_known_names,
)
from uac.conversation.propose import shown_records
from uac.conversation.proposed_patches import Proposal, read_patches
from uac.conversation.small_talk import is_small_talk, plain_statements
from uac.conversation.windows import Window, window_start
from uac.errors import Late
from uac.models.calls import call_author, model_call_of
from uac.models.requests_and_replies import Reply
from uac.packs import Pack
from uac.project.project import Project
from uac.project.type_changes import TypeChange
from uac.recall.hits import Hit
from uac.schema.entries import Fact, Finding, ModelCall
from uac.schema.patches import Adopt, Patch

__all__ = ["FactReply", "check_reply_in_time", "patch_reply_call", "read_fact_reply", "read_patch_reply"]

ATTEMPTS = 3
"""Attempts per request. After that, the unanswered entries are marked as stuck."""
MANY_MISSING = 2  # turns with sentences without a fact, for which a reply counts as incomplete
CONTINUED = 20  # replies to one request that go on where the last one ended


class FactReply(NamedTuple):
    """The facts that a reply gave, the call that is kept with them, and how many of them were echoes."""

    facts: tuple[Fact, ...]
    call: ModelCall
    echoes: int


def read_fact_reply(
    task: Task, window: Window, reply: Reply, view: LearningView, *, problem: str = "", asks_for_rest: bool = True
) -> FactReply:
    """Read the reply to a request about words; `problem` says what was wrong with it as a whole. With `asks_for_rest`,
    a reply that leaves out much of what the words say is not the last one."""

    def known(text: str) -> list[Fact]:
        hits = view.recall.search(text, k=5, kinds=["fact"], without=UNSURE)
        return facts_at(view.log, [hit.position for hit in hits])

    def is_said(name: str) -> bool:
        said = [(hit.role or hit.authority, hit.text) for hit in _earlier_words(view, name)]
        said += [(turn.observation.role, turn.observation.text) for turn in window.turns]
        spoken = (text for role, text in said if role in _SPOKEN)
        return any(re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) for text in spoken)

    def said_before(text: str) -> list[QuotedText]:
        own = [hit for hit in _earlier_words(view, text) if (hit.role or hit.authority) in _OWN_WORDS]
        return [QuotedText(hit.text, hit.said) for hit in own if hit.said and hit.position not in window.read]

    by, names = call_author(reply, task.request), task_known_names(view, window)
    taken = read_facts(reply.text, window, names=names, by=by, known=known, is_said=is_said, said_before=said_before)
    if problem:
        taken = _with_reply_problem(taken, problem, window)
    attempts = len(task.earlier) + 1
    earlier = [fact for call in task.earlier for fact in facts_of_task_call(view.log, call)]
    goes_on = taken.more and bool(taken.facts) and attempts < CONTINUED
    if asks_for_rest and taken.facts and not taken.findings and not goes_on and attempts < ATTEMPTS:
        taken = taken._replace(findings=_missing_facts(window, [*earlier, *taken.facts]))
    is_open = goes_on or (bool(taken.findings) and attempts < ATTEMPTS)
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


def _earlier_words(view: LearningView, text: str) -> Sequence[Hit]:
    """Turns and facts with such words; turns of this very write are not in the index yet."""
    return view.recall.search(text, k=5, kinds=["observation", "fact"], without=UNSURE)


_OWN_WORDS = frozenset({"user", "person", "correction"})
_SPOKEN = _OWN_WORDS | {"assistant"}


def read_patch_reply(task: Task, reply: Reply, view: LearningView, packs: Sequence[Pack]) -> Proposal:
    """Read the reply to a request about facts: the patches it proposes, and those that cannot be read."""
    return read_patches(
        reply.text,
        task.batch,
        project=view.project,
        packs=packs,
        earlier=partial(fact_in_view, view),
        request_records=shown_records(task.request, view.project),
        insists=bool(task.earlier),
        is_last=len(task.earlier) + 1 >= ATTEMPTS,
        given_before=[item for call in task.earlier for item in items_of_task_call(view.log, call)],
    )


def patch_reply_call(
    task: Task, reply: Reply, proposal: Proposal, accepted: PartialAcceptance, project: Project, *, problem: str = ""
) -> ModelCall:
    """The call that is kept with the patches that were accepted: its findings say what to fix in the others.

    A refused patch is asked for again even if its fact is in a record by now: it may state more than that record has.
    """
    patches = [proposal.patches[number - 1] for number in accepted.kept]
    # A change of types may cite a fact, but does not say what becomes of it.
    cited = {position for patch in patches if not isinstance(patch, TypeChange) for position in patch.cites}
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
    positions = left if not proposal.is_cut else tuple(p for p in batch if p in (*left, *proposal.loose))
    whole = [Finding(why=why, positions=positions) for why in (problem or proposal.problem or cut,) if why]
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
    repeated = progress.asked.get(request.answers)
    is_same = (repeated.calls if repeated else ()) == task.earlier
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


def _missing_facts(window: Window, facts: Sequence[Fact]) -> tuple[Finding, ...]:
    """A finding on the turns with sentences that no fact quotes though they have digits or a name, if these are a third
    of such sentences or more: then the model has read only a part. A careful one leaves out fewer."""
    quotes: dict[int, list[str]] = {}
    for fact in facts:
        for citation in fact.cites:
            quotes.setdefault(citation.position, []).append(citation.quote)
    stated: list[int] = []
    missing: list[int] = []
    for turn in window.turns:
        if not turn.is_new or turn.is_second or turn.observation.role not in ("user", "person"):
            continue
        text = turn.visible_text
        spans = [(at, at + len(quote)) for quote in quotes.get(turn.position, ()) if (at := text.find(quote)) >= 0]
        for start, end in plain_statements(text):
            stated.append(turn.position)
            if not any(first < end and last > start for first, last in spans):
                missing.append(turn.position)
    turns = tuple(dict.fromkeys(missing))
    if len(turns) < MANY_MISSING or 3 * len(missing) < len(stated):
        return ()
    listed = ", ".join(map(str, turns))
    return (
        Finding(
            why=f"Turns {listed} seem to say more than was noted. Give what is missing, if anything.", positions=turns
        ),
    )


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
