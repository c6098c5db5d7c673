"""From conversation to records: which questions are open, what comes of a reply, and the loop that asks a model.

Who answers does not matter: an agent with `pending` and `answer`, a vendor's model or recorded replies go the same way.
All state is in the log, so work can stop after any call and go on in another process.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from uac.constraints.review import Sifted
from uac.conversation.extract import ExtractedFacts, read_facts
from uac.conversation.judge import judge_request, read_verdicts
from uac.conversation.open_requests import (
    UNSURE,
    Task,
    View,
    batch_of,
    facts_at,
    facts_before,
    names_known,
    open_tasks,
    waiting_facts,
)
from uac.conversation.propose import FactInBatch, read_patches
from uac.conversation.windows import Window, first_unread
from uac.errors import Late, Refused, Unanswered, Unreachable
from uac.log.log import Log
from uac.models import NO_BUDGET, Budget, ModelsFor, over_budget
from uac.models.calls import call_of, signature, today
from uac.models.requests import Reply, Request
from uac.packs import Pack
from uac.project.project import Project
from uac.project.type_changes import TypeChange
from uac.recall.search import Recall
from uac.schema.entries import AlertChange, Entry, Fact, Finding, ModelCall
from uac.schema.patches import Patch

__all__ = ["Cadence", "Learned", "Learning", "Mind", "Outcome"]

ATTEMPTS = 3
"""How often a model is asked for the same thing before what it could not answer for is left waiting."""
CONTINUED = 20  # replies to one request that go on where the last one ended
URGENT = frozenset({"health", "finance", "travel", "calendar"})


class Mind(Protocol):
    """What learning needs of a memory."""

    log: Log

    @property
    def packs(self) -> Sequence[Pack]: ...
    def project(self) -> Project: ...
    def project_as_of(self, when: int | datetime) -> Project: ...
    def recall_index(self, *, vectors: int | None = None) -> Recall: ...
    def write(self, prepare: Callable[[Project], list[Entry]]) -> tuple[int, ...]: ...
    def accept_part(
        self, patches: Sequence[Patch], *, by: str, also: Callable[[Project, Sifted], Sequence[Entry]]
    ) -> tuple[int, Sifted]: ...
    def retract(self, positions: Iterable[int], *, why: str) -> int: ...
    def history(self, after: int = 0) -> Iterator[tuple[Any, AlertChange]]: ...


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


class Learning:
    """Turns what was said into facts and records, one checked reply at a time."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind

    def pending(self, *, most: int | None = 10) -> list[Request]:
        """The requests that wait for an answer, at most so many: words to read first, then facts for records."""
        return [task.request for task in islice(open_tasks(self._view(), self._mind.packs), most)]

    def answer(self, request_id: str, reply: Reply) -> Outcome:
        """Take a reply to a pending request: what holds is kept, and the findings say what to mend."""
        task = self._find(request_id)
        if not reply.input_tokens:  # who counts no tokens has read them all the same
            reply = msgspec.structs.replace(reply, input_tokens=task.request.tokens)
        return self._take(task, reply)

    def retry(self, *, why: str = "what is stuck is asked about once more") -> int:
        """Ask anew about all that is stuck, as if nobody had been asked yet; how many entries that is."""
        stuck = self._mind.project().progress.stuck
        calls = [
            stored.position
            for stored in self._mind.log.read(min(stuck, default=self._mind.log.head().position + 1))
            if isinstance(stored.entry, ModelCall)
            and stored.entry.step in ("extract", "checkpoint")
            and stored.position not in self._mind.project().gone
            and any(position in stuck for position in stored.entry.answers)
        ]
        if calls:
            self._mind.retract(calls, why=why)
        return len(stuck)

    def learn(
        self,
        models: ModelsFor,
        *,
        budget: Budget = NO_BUDGET,
        cadence: Cadence | None = None,
        judged: bool = False,
        now: datetime | None = None,
        told: Callable[[Outcome], None] = lambda _outcome: None,
    ) -> Learned:
        """Ask models until nothing is open, a budget is reached or one is out of reach. With a cadence, facts wait
        until it is time to put them into records; with `judged`, a second reader looks at each fact first."""
        outcomes: list[Outcome] = []
        matters_now = False
        while True:
            view, asked = self._view(), 0
            for task in open_tasks(view, self._mind.packs, records_first=matters_now):
                is_for_records, matters_now = task.request.step == "checkpoint", False
                if is_for_records and cadence and not self._is_due(view, cadence, now or view.project.now):
                    break
                if is_for_records and judged and (unjudged := _unjudged(task.batch, view.project)):
                    stop = self._judge(unjudged, models, budget)
                    if stop:
                        return stop._replace(outcomes=tuple(outcomes))
                    asked += 1
                    break  # what is left of the batch depends on the verdicts
                outcome = self._ask(task, models, budget)
                if isinstance(outcome, Learned):
                    return outcome._replace(outcomes=tuple(outcomes))
                asked += 1
                if outcome is None:
                    break  # somebody else has answered: look again at what is open
                outcomes.append(outcome)
                told(outcome)
                matters_now = cadence is not None and self._matters_now(outcome.facts)
                if is_for_records or matters_now:
                    break  # what the next batch is shown depends on this one
            if not asked:
                return Learned(tuple(outcomes))

    def _matters_now(self, positions: Sequence[int]) -> bool:
        return any(fact.topic in URGENT for fact in facts_at(self._mind.log, positions))

    def _ask(self, task: Task, models: ModelsFor, budget: Budget) -> Outcome | Learned | None:
        """What came of asking; why nobody could be asked; None if the reply came too late."""
        said = self._said(task.request, models, budget)
        if isinstance(said, Learned):
            return said
        reply, problem = said
        try:
            return self._take(task, reply, problem=problem)
        except Late:
            late = call_of(reply, msgspec.structs.replace(task.request, answers=(), read=()))
            self._mind.write(lambda _project: [msgspec.structs.replace(late, reply="")])  # it was paid all the same
            return None

    def _said(self, request: Request, models: ModelsFor, budget: Budget) -> tuple[Reply, str] | Learned:
        """What a model says, and what was wrong with that as a whole; or why nobody could be asked."""
        model = models.for_step(request.step)
        if model is None:
            return Learned(stopped=f"no model is configured for {request.step}", because="no model")
        progress = self._mind.project().progress
        spent_today = progress.spent_in_all(day=today(self._mind.log))
        if stop := over_budget(budget, models.estimate(request), spent_today, progress.spent_in_all()):
            return Learned(stopped=stop, because="budget")
        try:
            return model.ask(request), ""
        except Unanswered as error:
            return Reply(text=error.text, model=model.name, input_tokens=request.tokens), str(error)
        except Unreachable as error:
            return Learned(stopped=str(error), because="unreachable")

    def _judge(self, batch: Sequence[FactInBatch], models: ModelsFor, budget: Budget) -> Learned | None:
        """Let a second reader look at new facts; those that do not hold are set aside. Why it could not, if so."""
        request = judge_request(batch, position=self._mind.project().position)
        said = self._said(request, models, budget)
        if isinstance(said, Learned):
            return said
        reply, _problem = said
        call = call_of(reply, request)

        def also(project: Project, _sifted: Sifted) -> Sequence[Entry]:
            is_there = all(position in project.sources for position in request.read)
            gone = msgspec.structs.replace(call, reply="", read=(), findings=())
            return [call if is_there else gone]  # it was paid all the same

        try:
            denied = read_verdicts(reply.text, batch)
        except Refused as error:
            why = f"the second reader gave no verdict, and the facts wait: {error}"
            call = msgspec.structs.replace(call, findings=(Finding(why=str(error)),))
            self._mind.accept_part((), by=signature(reply, request), also=also)
            return Learned(stopped=why, because="no verdict")
        self._mind.accept_part(denied, by=signature(reply, request), also=also)
        return None

    # --- which questions are open ---------------------------------------------------------------------------------

    def _view(self) -> View:
        return View(self._mind.log, self._mind.project(), self._index())

    def _index(self) -> Recall:
        return self._mind.recall_index(vectors=0)  # whatever is asked goes by words: a request depends on the log alone

    def _view_at(self, position: int) -> View:
        if position == self._mind.project().position:
            return self._view()
        log, project = self._mind.log.as_of(position), self._mind.project_as_of(position)
        recall = Recall()
        recall.follow(log, project)
        return View(log, project, recall)

    def _find(self, request_id: str) -> Task:
        """The pending request of that id, made again from the log as it stood then: later words do not change it."""
        place, _dash, _hash = request_id.partition("-")
        head = self._mind.log.head().position
        if not re.fullmatch("[0-9]{1,18}", place) or not 0 < int(place) <= head:
            raise Refused(f"request {request_id!r} is not pending, needs an id that 'uac pending' shows")
        for task in open_tasks(self._view_at(int(place)), self._mind.packs):
            if task.request.id == request_id:
                return task
        raise Refused(f"request {request_id!r} is not pending, needs an id that 'uac pending' shows")

    def _is_due(self, view: View, cadence: Cadence, now: datetime | None) -> bool:
        batch = batch_of(view, waiting_facts(view.project), whole=True)
        if len(batch) >= cadence.facts or any(item.fact.topic in URGENT for item in batch):
            return True
        return now is not None and any(now - item.said >= timedelta(minutes=cadence.minutes) for item in batch)

    # --- what comes of a reply ------------------------------------------------------------------------------------

    def _take(self, task: Task, reply: Reply, *, problem: str = "") -> Outcome:
        if task.window is not None:
            return self._take_facts(task, task.window, reply, problem)
        return self._take_patches(task, reply, problem)

    def _take_facts(self, task: Task, window: Window, reply: Reply, problem: str) -> Outcome:
        by = signature(reply, task.request)
        recall = self._index()

        def known(text: str) -> list[Fact]:
            hits = recall.search(text, k=5, kinds=["fact"], without=UNSURE)
            return facts_at(self._mind.log, [hit.position for hit in hits])

        taken = read_facts(
            reply.text, window, names=names_known(self._mind.log, self._mind.project()), by=by, known=known
        )
        if problem:
            taken = _with_problem(taken, problem, window)
        attempts = len(task.earlier) + 1
        goes_on = taken.more and bool(taken.facts) and attempts < CONTINUED
        is_open = goes_on or (bool(taken.findings) and attempts < ATTEMPTS)
        earlier = [fact for call in task.earlier for fact in facts_before(self._mind.log, call)]
        stuck = {position for finding in taken.findings for position in finding.positions}
        empty = [p for p in _empty(window, [*earlier, *taken.facts]) if p not in stuck]
        call = call_of(
            reply,
            task.request,
            through=window.through,
            empty=() if is_open or window.is_second else tuple(empty),
            findings=taken.findings,
            is_open=is_open,
        )
        before = 0

        def prepare(project: Project) -> list[Entry]:
            nonlocal before
            before = project.position
            _check_open(task, project)
            return [*taken.facts, call]

        self._mind.write(prepare)
        positions = tuple(range(before + 1, before + 1 + len(taken.facts)))
        return Outcome(task.request, reply, positions, 0, taken.findings, is_open, taken.echoes)

    def _take_patches(self, task: Task, reply: Reply, problem: str) -> Outcome:
        attempts = len(task.earlier) + 1
        view = self._view()

        def earlier(position: int) -> FactInBatch | None:
            is_fact = position in view.project.sources and view.project.sources[position].is_fact
            return next(iter(batch_of(view, [position])), None) if is_fact else None

        proposal = read_patches(
            reply.text,
            task.batch,
            project=view.project,
            packs=self._mind.packs,
            earlier=earlier,
            insists=attempts > 1,
        )
        made: list[ModelCall] = []

        def also(project: Project, sifted: Sifted) -> Sequence[Entry]:
            _check_open(task, project)
            kept = [proposal.patches[number - 1] for number in sifted.kept]
            # A change of types may rest on a fact, but does not say what becomes of it.
            cited = {position for patch in kept if not isinstance(patch, TypeChange) for position in patch.cites}
            left = tuple(item.position for item in task.batch if item.position not in cited)
            findings = [Finding(why=why, positions=left) for why in (problem or proposal.problem,) if why]
            findings += proposal.refused
            findings += [
                Finding(why=why, positions=proposal.patches[number - 1].cites, part=proposal.parts[number - 1])
                for number, why in sifted.refused
            ]
            findings = [msgspec.structs.replace(f, positions=_within(f.positions, left)) for f in findings]
            named = {position for finding in findings for position in finding.positions}
            forgotten = tuple(position for position in left if position not in named)
            if forgotten:
                listed = ", ".join(map(str, forgotten))
                findings.append(Finding(why=f"facts {listed} are neither used nor set aside", positions=forgotten))
            is_open = bool(findings) and bool(left) and attempts < ATTEMPTS
            made[:] = [call_of(reply, task.request, findings=tuple(findings), is_open=is_open)]
            return made

        before = self._mind.log.head().position
        position, _sifted = self._mind.accept_part(proposal.patches, by=signature(reply, task.request), also=also)
        alerts = tuple(change for _stored, change in self._mind.history(before))
        call = made[0]
        return Outcome(task.request, reply, (), position, call.findings, call.is_open, 0, alerts)


# --- replies ----------------------------------------------------------------------------------------------------------


def _check_open(task: Task, project: Project) -> None:
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


def _empty(window: Window, facts: Sequence[Fact]) -> tuple[int, ...]:
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
        and _says_something(turn.words)
    )


def _says_something(words: str) -> bool:
    return len(words.split()) > 3 or any(character.isdigit() for character in words) or len(words) > 24


def _within(cites: Collection[int], left: Sequence[int]) -> tuple[int, ...]:
    return tuple(position for position in left if position in cites)


def _unjudged(batch: Sequence[FactInBatch], project: Project) -> list[FactInBatch]:
    return [item for item in batch if item.position not in project.progress.judged]
