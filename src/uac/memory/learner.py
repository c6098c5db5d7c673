"""The learning loop: sends open requests to a model, and writes the valid parts of its replies."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from itertools import islice

import msgspec

from uac.constraints.review import PartialAcceptance
from uac.conversation.judge import judge_request, read_verdicts, unjudged_facts
from uac.conversation.learning import Cadence, Learned, Outcome, is_learning_due, is_learning_urgent, stuck_calls
from uac.conversation.learning_replies import check_reply_in_time, patch_reply_call, read_fact_reply, read_patch_reply
from uac.conversation.learning_tasks import LearningView, Task, facts_at, open_tasks
from uac.conversation.propose import FactInBatch
from uac.conversation.windows import Window
from uac.errors import Late, Refused, Unanswered, Unreachable
from uac.memory.snapshots import fold_log
from uac.memory.writer import Writer
from uac.models import NO_BUDGET, Budget, ModelsFor, over_budget
from uac.models.budget import budget_day
from uac.models.calls import call_author, model_call_of
from uac.models.requests_and_replies import Reply, Request
from uac.project.overruled import overruled_claims
from uac.project.project import Project
from uac.recall.search import Recall
from uac.schema.entries import Entry, Finding, ModelCall

__all__ = ["Learner"]


class Learner:
    """Turns observations into facts and records, one checked reply at a time.

    `recall` is the index up to date; requests use words alone, so that they depend on the log and nothing else.
    """

    def __init__(self, writer: Writer, recall: Callable[[], Recall]) -> None:
        self._writer = writer
        self._log = writer.log
        self._recall = recall

    def pending(self, *, limit: int | None = 10) -> list[Request]:
        """At most `limit` open requests: turns to read first, then facts for records."""
        return [task.request for task in islice(open_tasks(self._learning_view(), self._writer.packs), limit)]

    def answer(self, request_id: str, reply: Reply) -> Outcome:
        """Take a reply to a pending request: valid parts are stored, and the findings say what to fix."""
        task = self._find_task(request_id)
        if not reply.input_tokens:  # agents report no token counts: use our estimate
            reply = msgspec.structs.replace(reply, input_tokens=task.request.tokens)
        return self._take_reply(task, reply)

    def stuck_calls(self) -> list[int]:
        """The positions of the calls that requested the stuck entries."""
        return stuck_calls(self._writer.project(), self._log)

    def learn(
        self,
        models: ModelsFor,
        *,
        budget: Budget = NO_BUDGET,
        cadence: Cadence | None = None,
        judged: bool = False,
        now: datetime | None = None,
        on_outcome: Callable[[Outcome], None] = lambda _outcome: None,
    ) -> Learned:
        """Send requests until none is open, a budget is reached or a model is unreachable. With a cadence, facts wait
        for their batch; with `judged`, a second model checks each fact first."""
        outcomes: list[Outcome] = []
        matters_now = False
        while True:
            view, requests = self._learning_view(), 0
            for task in open_tasks(view, self._writer.packs, records_first=matters_now):
                is_for_records, matters_now = task.request.step == "checkpoint", False
                if not _is_task_due(task, view, cadence, now):
                    break
                if is_for_records and judged and (unread := unjudged_facts(task.batch, view.project)):
                    stop = self._judge_batch(unread, models, budget)
                    if stop:
                        return stop._replace(outcomes=tuple(outcomes))
                    requests += 1
                    break  # the rest of the batch depends on the verdicts
                outcome = self._ask_task(task, models, budget)
                if isinstance(outcome, Learned):
                    return outcome._replace(outcomes=tuple(outcomes))
                requests += 1
                if outcome is None:
                    break  # another process has answered: list the open requests again
                outcomes.append(outcome)
                on_outcome(outcome)
                matters_now = cadence is not None and is_learning_urgent(facts_at(self._log, outcome.facts))
                if is_for_records or matters_now:
                    break  # the next batch depends on this one
            if not requests:
                return Learned(tuple(outcomes))

    # --- the loop in steps: another program keeps the reply between two of them -----------------------------------

    def next_request(
        self, *, cadence: Cadence | None = None, judged: bool = False, now: datetime | None = None, urgent: bool = False
    ) -> Request | None:
        """The request that `learn` would send next; None if none is due. `urgent` puts facts before unread words."""
        view = self._learning_view()
        task = next(open_tasks(view, self._writer.packs, records_first=urgent), None)
        if task is None or not _is_task_due(task, view, cadence, now):
            return None
        unread = unjudged_facts(task.batch, view.project) if judged and task.request.step == "checkpoint" else ()
        return judge_request(unread, position=view.project.position) if unread else task.request

    def request_of(self, request_id: str) -> Request | None:
        """The request of that id, built again from the log of its time; None if its words were erased."""
        found = self._find_step(request_id)
        return found[0] if found else None

    def take_once(self, request_id: str, reply: Reply, *, problem: str = "") -> Outcome | Learned | None:
        """Write what a reply gives, unless the log has it already: a caller that crashed may take it again.

        None also if another reply came first, in which case the cost is noted; or if the words were erased. Learned
        says why the next request would be the same.
        """
        found = self._find_step(request_id)
        if found is None or self._is_call_written(found[0]):
            return None
        request, task = found
        if request.step == "judge":
            return self._take_verdicts([item for item in task.batch if item.position in request.read], request, reply)
        return self._take_in_time(task, reply, problem)

    def is_urgent(self, outcome: Outcome | Learned | None) -> bool:
        """Whether facts of an outcome are to be put into records before more words are read."""
        return isinstance(outcome, Outcome) and is_learning_urgent(facts_at(self._log, outcome.facts))

    def _find_step(self, request_id: str) -> tuple[Request, Task] | None:
        position, _dash, _hash = request_id.partition("-")
        if not 0 < int(position) <= self._log.head().position:
            return None
        view = self.view_at(int(position))
        for task in open_tasks(view, self._writer.packs, records_first=True):
            if task.request.id == request_id:
                return task.request, task
            if task.request.step == "checkpoint" and (unread := unjudged_facts(task.batch, view.project)):
                judging = judge_request(unread, position=view.project.position)
                if judging.id == request_id:
                    return judging, task
        return None

    def _is_call_written(self, request: Request) -> bool:
        later = (stored.entry for stored in self._log.read(request.position + 1))
        return any(isinstance(entry, ModelCall) and entry.request_hash == request.hash for entry in later)

    # --- asking ---------------------------------------------------------------------------------------------------

    def _ask_task(self, task: Task, models: ModelsFor, budget: Budget) -> Outcome | Learned | None:
        """The outcome of a request; or why no model could be called; None if the reply came too late."""
        reply = self.request_reply(task.request, models, budget)
        return reply if isinstance(reply, Learned) else self._take_in_time(task, *reply)

    def _take_in_time(self, task: Task, reply: Reply, problem: str) -> Outcome | None:
        try:
            return self._take_reply(task, reply, problem=problem)
        except Late:
            late = model_call_of(reply, msgspec.structs.replace(task.request, answers=(), read=()))
            self._writer.append(lambda _project: [msgspec.structs.replace(late, reply="")])  # its cost counts anyway
            return None

    def request_reply(self, request: Request, models: ModelsFor, budget: Budget) -> tuple[Reply, str] | Learned:
        """A model's reply, and the problem with the whole of it; or why no model could be called."""
        model = models.for_step(request.step)
        if model is None:
            return Learned(stopped=f"no model is configured for {request.step}", because="no model")
        progress = self._writer.project().progress
        spent_today = progress.spent_in_all(day=budget_day(self._log))
        if stop := over_budget(budget, models.estimate(request), spent_today, progress.spent_in_all()):
            return Learned(stopped=stop, because="budget")
        try:
            return model.ask(request), ""
        except Unanswered as error:
            return Reply(text=error.text, model=model.name, input_tokens=request.tokens), str(error)
        except Unreachable as error:
            return Learned(stopped=str(error), because="unreachable")

    def _judge_batch(self, batch: Sequence[FactInBatch], models: ModelsFor, budget: Budget) -> Learned | None:
        """Let a second model check new facts, and set the wrong ones aside. Returns why it could not, if so."""
        request = judge_request(batch, position=self._writer.project().position)
        found = self.request_reply(request, models, budget)
        if isinstance(found, Learned):
            return found
        return self._take_verdicts(batch, request, found[0])

    def _take_verdicts(self, batch: Sequence[FactInBatch], request: Request, reply: Reply) -> Learned | None:
        """Write a second reader's verdicts. Returns why there are none, if so."""
        call, problem = model_call_of(reply, request), ""
        try:
            denied = read_verdicts(reply.text, batch)
        except Refused as error:
            denied, problem = [], str(error)
            call = msgspec.structs.replace(call, findings=(Finding(why=problem),))

        def follow_up(project: Project) -> Callable[[PartialAcceptance], Sequence[Entry]]:
            is_there = all(position in project.sources for position in request.read)
            gone = msgspec.structs.replace(call, reply="", read=(), findings=())  # its cost counts anyway
            return lambda _accepted: [call if is_there else gone]

        self._writer.accept_part(denied, by=call_author(reply, request), follow_up=follow_up)
        if not problem:
            return None
        why = f"the second reader gave no verdict, and the facts wait: {problem}"
        return Learned(stopped=why, because="no verdict")

    # --- open requests --------------------------------------------------------------------------------------------

    def _learning_view(self) -> LearningView:
        return LearningView(self._log, self._writer.project(), cache(self._recall))

    def view_at(self, position: int) -> LearningView:
        """The memory as it was at a position."""
        if position == self._writer.project().position:
            return self._learning_view()
        log = self._log.as_of(position)
        project = fold_log(log)

        @cache
        def open_recall() -> Recall:
            recall = Recall()
            recall.follow(log, project)
            return recall

        return LearningView(log, project, open_recall)

    def _find_task(self, request_id: str) -> Task:
        """The pending request of that id, built again from the log of its time: later entries do not change it."""
        position, _dash, _hash = request_id.partition("-")
        if re.fullmatch("[0-9]{1,18}", position) and 0 < int(position) <= self._log.head().position:
            for task in open_tasks(self.view_at(int(position)), self._writer.packs):
                if task.request.id == request_id:
                    return task
        raise Refused(f"Request {request_id!r} is not pending. Use an id that 'uac pending' shows.")

    # --- replies --------------------------------------------------------------------------------------------------

    def _take_reply(self, task: Task, reply: Reply, *, problem: str = "") -> Outcome:
        if task.window is not None:
            return self._take_facts(task, task.window, reply, problem)
        return self._take_patches(task, reply, problem)

    def _take_facts(self, task: Task, window: Window, reply: Reply, problem: str) -> Outcome:
        taken = read_fact_reply(task, window, reply, self._learning_view(), problem=problem)

        def prepare(project: Project) -> Sequence[Entry]:
            check_reply_in_time(task, project)
            return [*taken.facts, taken.call]

        positions = self._writer.append(prepare).positions[:-1]
        return Outcome(task.request, reply, positions, 0, taken.call.findings, taken.call.is_open, taken.echoes)

    def _take_patches(self, task: Task, reply: Reply, problem: str) -> Outcome:
        proposal = read_patch_reply(task, reply, self._learning_view(), self._writer.packs)

        def follow_up(project: Project) -> Callable[[PartialAcceptance], Sequence[Entry]]:
            check_reply_in_time(task, project)
            return lambda accepted: [patch_reply_call(task, reply, proposal, accepted, project, problem=problem)]

        by = call_author(reply, task.request)
        written = self._writer.accept_part(proposal.patches, by=by, follow_up=follow_up, unfit=proposal.unfit)
        call = written.plan.entries[-1]
        assert isinstance(call, ModelCall)
        checkpoint = written.positions[-2] if written.plan.accepted.kept else 0  # the call comes right after it
        alerts = tuple(written.alerts)
        overruled = overruled_claims(written.after, checkpoint)
        return Outcome(task.request, reply, (), checkpoint, call.findings, call.is_open, 0, alerts, overruled)


def _is_task_due(task: Task, view: LearningView, cadence: Cadence | None, now: datetime | None) -> bool:
    """Whether a task is to be asked now: words at once, facts for records when their batch is due."""
    if task.request.step != "checkpoint" or not cadence:
        return True
    return is_learning_due(view, cadence, now or view.project.now)
