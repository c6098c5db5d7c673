"""One run of learning: for some users, once or repeatedly, with what is shown of it."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any

from uac.conversation.learning import Cadence, Learned, Outcome
from uac.errors import Damaged, NoModel, Refused, RunError, UacError, Unavailable
from uac.interfaces.cli.alerts import AlertEvent, alert_changes_json, alert_changes_to_show, show_alert_changes
from uac.interfaces.cli.cost import cost_json, cost_line, cost_of_replies
from uac.interfaces.cli.options import CliContext
from uac.interfaces.cli.output import Output
from uac.interfaces.cli.project import project_change_json, show_project_changes
from uac.interfaces.service.learning_failures import clear_learning_failure, note_learning_failure
from uac.interfaces.views.learning import FactView
from uac.interfaces.views.view import build_view, view_json
from uac.memory.background import learn_in_turn
from uac.memory.memory import Memory
from uac.models import Budget, Models
from uac.models.budget import money_text
from uac.models.requests_and_replies import Request
from uac.packs import is_from_packs
from uac.project.diff import Change, diff
from uac.project.project import Project
from uac.schema.entries import Fact
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = [
    "LearnRun",
    "is_stuck_fact",
    "learned_facts_json",
    "pending_request_line",
    "show_facts",
    "show_learned_changes",
]

MOST_CHANGES = 50
CANNOT_SERVE, NO_ANSWER = 4, 7
OTHERS_LEARN = "another process is learning for this user ('uac watch' shows it)"


class LearnRun:
    """Learning for some users, once or repeatedly."""

    def __init__(self, context: CliContext, users: Sequence[str], models: Models, budget: Budget) -> None:
        self._context, self._out = context, context.out
        self._users, self._models, self._budget = users, models, budget
        self._stopped: dict[str, str] = {}  # why it last stopped, so that --watch reports it once
        for user in users:
            context.log(user)  # a mistyped name is refused before anything is spent

    def user_names(self) -> Sequence[str]:
        return self._users or [user.name for user in self._context.all_users()]

    def open_memory(self, user: str) -> closing[Memory]:
        return closing(self._context.memory_for_log(self._context.log(user)))

    def check_model(self) -> None:
        if self._models.names.keys() & {"extract", "checkpoint"}:
            return
        unread = waiting = 0
        for user in self.user_names():
            with self.open_memory(user) as memory:
                project = memory.project()
                unread += len({*project.progress.unread, *project.progress.again})
                waiting += len(project.waiting)
        left = f"{counted(unread, 'observation')} and {counted(waiting, 'fact')} wait"
        ways = "Set it ('uac setup model' finds one), or let an agent answer 'uac pending'."
        raise NoModel(f"No model is configured (UAC_MODEL): {left}. {ways}")

    def show_estimates(self) -> None:
        for user in self.user_names():
            with self.open_memory(user) as memory:
                _show_estimate(self._out, user, self._models, memory.pending(most=None))

    def retry_stuck(self) -> None:
        for user in self.user_names():
            with self.open_memory(user) as memory:
                stuck = memory.retry_stuck()
            if stuck and not self._out.as_json:
                self._out.line((user, "bold"), f": asking again about {counted(stuck, 'entry')}")

    def learn_once(self, cadence: Cadence | None = None) -> int:
        """Learn for each user in turn; the exit code. A user whose log is unavailable does not stop the others."""
        code = 0
        names = self.user_names()
        for number, user in enumerate(names, 1):
            try:
                with self.open_memory(user) as memory:
                    if self._learn_for_user(user, memory, cadence):
                        left = len(names) - number
                        if left and cadence is None:
                            self._out.note(f"{counted(left, 'user')} skipped: no model answers")
                        return NO_ANSWER
            except (Refused, Damaged, RunError, Unavailable) as error:
                if len(names) == 1 and cadence is None:
                    raise
                code = CANNOT_SERVE
                self._out.user_error(user, error)
        return code

    def _learn_for_user(self, user: str, memory: Memory, cadence: Cadence | None) -> bool:
        """Learn for one user. True if it ended because no model answers."""
        before, outcomes = memory.project(), list[Outcome]()
        error: UacError | None = None
        stopped = because = ""

        def on_reply(outcome: Outcome) -> None:
            outcomes.append(outcome)
            if self._out.errors_at_terminal:
                self._out.note(f"{user}: {_outcome_text(outcome)}")

        def learn() -> Learned:
            return memory.learn(
                self._models,
                budget=self._budget,
                cadence=cadence,
                judged="judge" in self._models.own,
                on_outcome=on_reply,
            )

        address = self._context.store().address
        try:
            learned = learn_in_turn(memory, learn)
            if learned is None:
                stopped = OTHERS_LEARN
            else:
                stopped, because = learned.stopped, learned.because
        except UacError as raised:  # the results of earlier replies are shown anyway
            error, stopped = raised, str(raised)
        if not stopped:
            clear_learning_failure(address, user)
        elif stopped != OTHERS_LEARN:
            note_learning_failure(address, user, stopped, self._context.now())
        is_news = stopped != self._stopped.get(user, "")
        self._stopped[user] = stopped
        if cadence is None or outcomes or (is_news and stopped):
            _show_learned(self._out, user, memory, before, outcomes, "" if error else stopped)
            sys.stdout.flush()  # the reader of a pipe wants it now
        if error is not None:
            raise error
        return because in ("no model", "unreachable", "no verdict")


def _outcome_text(outcome: Outcome) -> str:
    came = counted(len(outcome.facts), "fact") if outcome.request.step == "extract" else _accepted_text(outcome)
    mend = f", {len(outcome.findings)} to fix" if outcome.findings else ""
    reply = outcome.reply
    return f"{outcome.request.step}: {came}{mend} ({reply.model}, {reply.input_tokens} in, {reply.output_tokens} out)"


def _accepted_text(outcome: Outcome) -> str:
    return f"accepted, entry {outcome.checkpoint}" if outcome.checkpoint else "nothing accepted"


def _show_learned(
    out: Output, user: str, memory: Memory, before: Project, outcomes: Sequence[Outcome], stopped: str
) -> None:
    after = memory.project()
    facts = [position for outcome in outcomes for position in outcome.facts]
    changes = [change for change in diff(before, after) if change.kind != "alert"]
    alert_events = alert_changes_to_show(memory, before.position)
    stuck = {p: why for p, why in sorted(after.progress.stuck.items()) if before.progress.stuck.get(p) != why}
    spent = cost_of_replies(outcome.reply for outcome in outcomes)
    if out.as_json:
        out.json(
            {
                "user": user,
                "facts": learned_facts_json(memory, facts),
                "changes": [project_change_json(change) for change in changes],
                "alerts": alert_changes_json(alert_events),
                "stuck": {str(position): why for position, why in stuck.items()},
                "spent": cost_json(spent),
                "stopped": stopped,
            }
        )
        return
    out.line((user, "bold"), f": {counted(len(facts), 'fact')} taken; {cost_line(spent)}")
    show_facts(out, memory, facts)
    show_learned_changes(out, memory, changes, alert_events)
    for position, why in stuck.items():
        kind = "fact" if is_stuck_fact(after, position) else "observation"
        out.line((f"{position:>6}", "yellow"), f"  left waiting, {kind}: {mark_line_breaks(why)}")
    if stopped:
        out.line(("stopped", "yellow"), f": {mark_line_breaks(stopped)}")


def _show_estimate(out: Output, user: str, models: Models, requests: Sequence[Request]) -> None:
    """Print the first requests; later ones depend on the replies."""
    total, is_priced = Decimal(0), True
    for request in requests:
        estimate = models.estimate(request)
        total += estimate.cost or 0
        is_priced = is_priced and estimate.cost is not None
        if out.as_json:
            price = None if estimate.cost is None else str(estimate.cost)
            line = {"user": user, "id": request.id, "step": request.step, "model": models.names.get(request.step)}
            out.json({**line, "tokens": request.tokens, "reply_tokens": request.reply_tokens, "cost": price})
        else:
            price = "price unknown" if estimate.cost is None else f"at most {money_text(estimate.cost)}"
            out.line(
                (request.id, "cyan"),
                f"  {pending_request_line(request)}, reply up to {request.reply_tokens:,}; {price}",
            )
    if out.as_json:
        return
    tokens, replies = (sum(r.tokens for r in requests), sum(r.reply_tokens for r in requests))
    price = f"at most {money_text(total)}" if is_priced else "price unknown"
    out.line(
        (user, "bold"), f": {counted(len(requests), 'request')}, {tokens:,} tokens in, at most {replies:,} out, {price}"
    )
    if any(request.step == "extract" for request in requests):
        out.note("second readings, and requests to put facts into records, depend on the replies and are not counted")


def learned_facts_json(memory: Memory, positions: Iterable[int]) -> list[dict[str, Any]]:
    return [view_json(view) for view in _learned_fact_views(memory, positions)]


def _learned_fact_views(memory: Memory, positions: Iterable[int]) -> Iterator[FactView]:
    for position in positions:
        for stored in memory.log.read(position, position + 1):
            if isinstance(stored.entry, Fact):
                yield build_view(FactView, stored.entry, position=position)


def show_facts(out: Output, memory: Memory, positions: Iterable[int]) -> None:
    for fact in _learned_fact_views(memory, positions):
        unsure = f"  (unsure: {mark_line_breaks(fact.unsure)})" if fact.unsure else ""
        out.line((f"{fact.position:>6}", "cyan"), f"  {mark_line_breaks(fact.text)}{unsure}")


def show_learned_changes(
    out: Output, memory: Memory, changes: Sequence[Change], alert_events: Iterable[AlertEvent]
) -> None:
    """Each change, but only counts for types and constraints from packs: they say nothing about the user."""
    from_packs_only = [change for change in changes if is_from_packs(change, memory.packs, memory.project())]
    own = [change for change in changes if change not in from_packs_only]
    show_project_changes(out, own[:MOST_CHANGES])
    if len(own) > MOST_CHANGES:
        out.note(f"and {len(own) - MOST_CHANGES:,} more changes (uac diff shows them)")
    show_alert_changes(out, alert_events)
    if from_packs_only:
        types = sum(change.kind == "type" for change in from_packs_only)
        kinds = ((types, "type"), (len(from_packs_only) - types, "constraint"))
        out.note(f"packs added {' and '.join(counted(number, noun) for number, noun in kinds if number)}")


def is_stuck_fact(project: Project, position: int) -> bool:
    source = project.sources.get(position)
    return source is not None and source.is_fact


def pending_request_line(request: Request) -> str:
    if request.step == "extract":
        about = counted(len(request.answers), "turn")
    else:  # a repeated request shows only the remaining facts
        about = counted(len(json.loads(request.content)["facts"]), "fact")
    return f"{request.step:<10}  {about}, {counted(request.tokens, 'token')}"
