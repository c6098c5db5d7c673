"""Words, facts and records in one call and one write: what `add` and two replies do, planned on the project ahead.

The turns are always stored. Facts and records go the way of replies to requests (`conversation/learning_replies.py`),
so that the same code checks them, and what is refused stays open for `pending`, or for another call.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import msgspec

from uac.constraints.acceptance import Plan, plan_partial_acceptance
from uac.constraints.ahead import Ahead, AheadStart
from uac.constraints.review import PartialAcceptance
from uac.conversation.extract import FACTS_SCHEMA
from uac.conversation.learning_replies import patch_reply_call, read_fact_reply, read_patch_reply
from uac.conversation.learning_tasks import LearningView, Task, repeated_extract_task, task_batch, unsettled_facts
from uac.conversation.one_call import (
    GivenReply,
    cited_facts,
    fact_places,
    facts_reply,
    patches_reply,
    with_own_reasons,
    without_positions,
)
from uac.conversation.prompts import prompt_text
from uac.conversation.propose import PATCHES_SCHEMA, FactInBatch
from uac.conversation.windows import Window, WindowTurn, context_turns
from uac.errors import AlreadyErased, KeyReused, Moved, Refused, Repeated, RunError
from uac.log.log import Log
from uac.memory.observing import keep_observations
from uac.memory.writer import Writer
from uac.models.calls import call_author
from uac.models.requests_and_replies import Reply, Request, Step
from uac.project.diff import diff
from uac.project.overruled import overruled_claims
from uac.project.project import Project
from uac.recall.search import Recall
from uac.schema.entries import AlertChange, Checkpoint, Entry, Fact, Finding, ModelCall, Observation
from uac.text.token_count import count_tokens

__all__ = ["PartToMend", "RememberCall", "Remembered", "RememberedFact", "Remembering", "read_remembered"]

MOST_FACTS = 100  # in one call; each is compared with all words of the call
MOST_CHECKED = 50_000  # characters of turns in one call from which facts are taken


class RememberCall(NamedTuple):
    """One call: new turns, or the positions of stored ones; and what an agent made of them, if it did."""

    turns: tuple[Observation, ...] = ()
    observations: tuple[int, ...] = ()
    facts: Any = None
    records: Any = None
    constraints: Any = None
    model: str = "agent"

    @property
    def has_records(self) -> bool:
        return self.records is not None or self.constraints is not None

    @property
    def fact_count(self) -> int:
        return len(self.facts) if isinstance(self.facts, list) else 0

    @property
    def identity(self) -> str:
        """The call as text that is the same for the same call; a retry may carry another time."""
        turns = [(turn.text, turn.role, turn.speaker, turn.session, turn.source) for turn in self.turns]
        return json.dumps([turns, *self[1:]], default=str, sort_keys=True)


class RememberedFact(NamedTuple):
    """A fact that was taken: its number in the call, and where it is stored."""

    number: int
    position: int
    text: str
    unsure: str = ""


class PartToMend(NamedTuple):
    """A part of a call that was refused, such as 'fact 2' or 'record 1', and why; "" if it is about all."""

    part: str
    why: str
    positions: tuple[int, ...] = ()


class Remembered(NamedTuple):
    """What came of one call."""

    positions: tuple[int, ...]
    """The turns."""
    facts: tuple[RememberedFact, ...] = ()
    records: tuple[str, ...] = ()
    """The ids of the records that the call made or changed."""
    checkpoint: int = 0
    to_mend: tuple[PartToMend, ...] = ()
    alerts: tuple[AlertChange, ...] = ()
    overruled: tuple[str, ...] = ()
    """Values that were kept without effect, because a more trusted source says otherwise."""
    is_repeated: bool = False
    """Whether an earlier call with the same key did all this."""


class Remembering:
    """Takes words, facts and records in one write."""

    def __init__(self, writer: Writer, recall: Callable[[], Recall]) -> None:
        self._writer = writer
        self._recall = recall

    def remember(self, call: RememberCall) -> Remembered:
        """Store the turns, and the valid ones of the facts and records."""
        if bool(call.turns) == bool(call.observations):
            raise Refused("Both or neither of words and observations are given. Give one of them.")
        log = self._writer.log
        if any(turn.key for turn in call.turns):  # perhaps stored before: only the log knows where
            positions = keep_observations(log, *call.turns)
            if call.facts is None and not call.has_records:
                return Remembered(positions)
            call = call._replace(turns=(), observations=positions)
        try:
            written = self._writer.write(partial(self._plan_call, call), watched=call.has_records)
        except (Moved, KeyReused, Repeated, AlreadyErased):
            raise
        except (Refused, RunError) as error:
            if not call.turns:
                raise
            words = self._writer.append(lambda _project: call.turns)  # whatever is wrong with the rest
            return Remembered(words.positions, to_mend=(PartToMend("", str(error)),))
        last = max(written.positions, default=written.before.position)
        changed = read_remembered(call, log, written.before, written.after, last)
        return changed._replace(alerts=tuple(written.alerts))

    # --- the plan -------------------------------------------------------------------------------------------------

    def _plan_call(self, call: RememberCall, start: AheadStart) -> Plan:
        if call.facts is None and not call.has_records:
            return Plan(entries=call.turns)
        quiet = replace(start, brings_tick=False)
        ahead = quiet.ahead(call.turns)
        log, recall = self._writer.log, cache(self._recall)
        if call.facts is not None:
            taken = self._plan_facts(call, LearningView(log, ahead.project, recall), start.project.position)
            ahead = quiet.ahead((*ahead.entries, *taken))
        if not call.has_records:
            return Plan(entries=ahead.entries, ahead=ahead)
        return self._plan_records(call, start, ahead, LearningView(log, ahead.project, recall))

    def _plan_facts(self, call: RememberCall, view: LearningView, before: int) -> list[Entry]:
        """The accepted facts, and the call that they came with."""
        positions = _turn_positions(call, before)
        turns = [_turn_ahead(call, view, before, position) for position in positions]
        _check_amount(call, turns)
        task = _facts_task(turns, view)
        window = task.window
        assert window is not None
        numbered = {turn.position: turn for turn in turns}
        given = facts_reply(call.facts, turns, [turn for turn in window.turns if turn.position not in numbered])
        reply = _reply_of(given, call)
        taken = read_fact_reply(task, window, reply, view, asks_for_rest=False)
        return [
            *taken.facts,
            msgspec.structs.replace(taken.call, findings=with_own_reasons(taken.call.findings, given.wrong)),
        ]

    def _plan_records(self, call: RememberCall, start: AheadStart, ahead: Ahead, view: LearningView) -> Plan:
        project, first = view.project, start.project.position + 1
        fresh = {first + index: entry for index, entry in enumerate(ahead.entries)}
        facts = {position: entry for position, entry in fresh.items() if isinstance(entry, Fact)}
        refused = [finding for entry in ahead.entries if isinstance(entry, ModelCall) for finding in entry.findings]
        places = fact_places(call.facts, facts | _facts_about(self._writer.log, start.project, call))
        given = patches_reply(call.records, call.constraints, count=call.fact_count, places=places, refused=refused)
        task = _records_task(facts, cited_facts(given.text), view)
        reply = _reply_of(given, call)
        proposal = read_patch_reply(task, reply, view, self._writer.packs)
        proposal = proposal._replace(refused=with_own_reasons(proposal.refused, given.wrong))

        def follow_up(accepted: PartialAcceptance) -> Sequence[Entry]:
            return [patch_reply_call(task, reply, proposal, accepted, project)]

        plan = plan_partial_acceptance(
            replace(start, project=project),
            self._writer.with_field_cites(project, proposal.patches, ahead=fresh),
            self._writer.resources,
            by=call_author(reply, task.request),
            follow_up=follow_up,
            unfit=proposal.unfit,
        )
        whole = None if plan.ahead is None else plan.ahead._replace(entries=(*ahead.entries, *plan.ahead.entries))
        return plan._replace(entries=(*ahead.entries, *plan.entries), ahead=whole)


def _turn_positions(call: RememberCall, before: int) -> tuple[int, ...]:
    return call.observations or tuple(range(before + 1, before + 1 + len(call.turns)))


def _turn_ahead(call: RememberCall, view: LearningView, before: int, position: int) -> WindowTurn:
    """A turn of the call, whole: one that is about to be stored, or one of the log."""
    if call.turns:
        observation = call.turns[position - before - 1]
    else:
        stored = next(iter(view.log.read(position, position + 1)), None) if position > 0 else None
        if stored is None or not isinstance(stored.entry, Observation) or position in view.project.gone:
            raise Refused(f"observations has {position}, which is not a stored turn. Use positions that remember gave.")
        observation = stored.entry
    return WindowTurn(position, observation, 0, len(observation.text), is_new=position in view.project.progress.unread)


def _check_amount(call: RememberCall, turns: Sequence[WindowTurn]) -> None:
    length = sum(len(turn.observation.text) for turn in turns)
    if call.fact_count > MOST_FACTS or length > MOST_CHECKED:
        raise Refused(
            f"One call takes {MOST_FACTS} facts about {MOST_CHECKED:,} characters; these are {call.fact_count} about"
            f" {length:,}. Give facts about fewer turns at a time, as observations;"
            " pending asks about a long turn in parts."
        )


def _facts_task(turns: Sequence[WindowTurn], view: LearningView) -> Task:
    """What the facts of a call answer: an open request about these turns, or the turns themselves."""
    positions, progress = {turn.position for turn in turns}, view.project.progress
    open_ = [
        (key, repeated)
        for key, repeated in sorted(progress.asked.items())
        if repeated.step == "extract" and not positions.isdisjoint(key)
    ]
    if len(open_) > 1:
        listed = " and ".join(str(list(key)) for key, _asked in open_)
        raise Refused(f"The turns belong to several open requests. Give observations of one of them: {listed}.")
    earlier: tuple[int, ...] = ()
    if open_:
        task = repeated_extract_task(view, open_[0][1])
        assert task.window is not None
        asked_turns = {turn.position for turn in task.window.turns}
        others = [turn._replace(is_new=False) for turn in turns if turn.position not in asked_turns]
        window = task.window._replace(turns=tuple(sorted((*task.window.turns, *others))))
        earlier = task.earlier
    else:
        is_read = not any(turn.is_new for turn in turns)
        own = [turn._replace(is_new=True, is_second=True) for turn in turns] if is_read else turns
        before = [
            turn for turn in context_turns(view.log, turns[0], gone=view.project.gone) if turn.position not in positions
        ]
        window = Window((*before, *sorted(own)))
    request = _request_in_place("extract", view.project.position, window.answers, window.read)
    return Task(request, window, earlier=earlier)


def _records_task(facts: Mapping[int, Fact], cited: set[int], view: LearningView) -> Task:
    """What the records of a call answer: its facts, the waiting ones that they cite, and open requests about those."""
    project = view.project
    open_ = [
        (key, repeated)
        for key, repeated in sorted(project.progress.asked.items())
        if repeated.step == "checkpoint" and not cited.isdisjoint(key)
    ]
    unsettled = {position for key, repeated in open_ for position in unsettled_facts(view, key, repeated)}
    waiting = {position for position in cited if position in project.waiting}
    positions = sorted({*facts, *unsettled, *waiting})
    earlier = [item for p in positions if p not in facts for item in task_batch(view, [p])]
    fresh = [FactInBatch(p, fact, project.sources[p].said) for p, fact in facts.items()]
    batch = tuple(sorted((*earlier, *fresh), key=lambda item: item.position))
    answers = tuple(sorted({*positions, *(position for key, _asked in open_ for position in key)}))
    calls = tuple(sorted(position for _key, repeated in open_ for position in repeated.calls))
    request = _request_in_place("checkpoint", project.position, answers, answers)
    return Task(request, None, batch, calls)


def _request_in_place(step: Step, position: int, answers: tuple[int, ...], read: tuple[int, ...]) -> Request:
    """The request that nobody had to make: the agent answered it together with the words."""
    return Request(
        step=step,
        prompt=prompt_text("remember"),
        content=json.dumps({"entries": read}),
        schema=FACTS_SCHEMA if step == "extract" else PATCHES_SCHEMA,
        position=position,
        answers=answers,
        read=read,
    )


def _reply_of(given: GivenReply, call: RememberCall) -> Reply:
    return Reply(text=given.text, model=call.model, output_tokens=count_tokens(given.text))


def _facts_about(log: Log, project: Project, call: RememberCall) -> dict[int, Fact]:
    """The stored facts that cite the turns of a call; none if the turns are new."""
    turns = set(call.observations)
    found: dict[int, Fact] = {}
    for stored in log.read(min(turns)) if turns else ():
        entry = stored.entry
        if isinstance(entry, Fact) and not turns.isdisjoint(cite.position for cite in entry.cites):
            found |= {stored.position: entry} if stored.position not in project.gone else {}
    return found


# --- the result -------------------------------------------------------------------------------------------------------


def read_remembered(call: RememberCall, log: Log, before: Project, after: Project, last: int) -> Remembered:
    """What a call wrote after `before`, up to the entry at `last`: a function of the call and the log."""
    stored = [(each.position, each.entry) for each in log.read(before.position + 1, last + 1)]
    turns = call.observations or tuple(position for position, entry in stored if isinstance(entry, Observation))
    facts = {position: entry for position, entry in stored if isinstance(entry, Fact)}
    places = fact_places(call.facts, facts)
    checkpoint = max((position for position, entry in stored if isinstance(entry, Checkpoint)), default=0)
    return Remembered(
        turns,
        facts=tuple(
            RememberedFact(number, position, facts[position].text, facts[position].unsure)
            for number, position in places.items()
        ),
        records=_records_of(before, after, [entry for _position, entry in stored]),
        checkpoint=checkpoint,
        to_mend=tuple(
            _part_to_mend(finding, entry, call, turns)
            for _position, entry in stored
            if isinstance(entry, ModelCall)
            for finding in entry.findings
        ),
        alerts=tuple(entry for _position, entry in stored if isinstance(entry, AlertChange)),
        overruled=overruled_claims(after, checkpoint),
    )


def _records_of(before: Project, after: Project, entries: Sequence[Entry | None]) -> tuple[str, ...]:
    """The records that a write changed, and those that depend on the facts it cites."""
    changed = {
        change.what if change.kind == "record" else change.what.rpartition(".")[0]
        for change in diff(before, after)
        if change.kind in ("record", "field")
    }
    checkpoints = [entry for entry in entries if isinstance(entry, Checkpoint) and entry.by != "packs"]
    cited = {position for each in checkpoints for patch in each.patches for position in patch.cites}
    return tuple(sorted(changed.union(*(after.used.get(position, ()) for position in cited))))


def _part_to_mend(finding: Finding, made: ModelCall, call: RememberCall, turns: Sequence[int]) -> PartToMend:
    return PartToMend(_part_label(finding.part, made, call), without_positions(finding.why, turns), finding.positions)


def _part_label(part: int, made: ModelCall, call: RememberCall) -> str:
    if not part:
        return ""
    if made.step == "extract":
        return f"fact {part}"
    records = len(call.records) if isinstance(call.records, list) else 0
    return f"record {part}" if part <= records else f"constraint {part - records}"
