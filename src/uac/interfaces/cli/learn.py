"""uac pending, answer, learn: turn observations into facts and records."""

import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from uac.conversation.learning import Cadence, Outcome
from uac.errors import Damaged, NoModel, Refused, RunError, UacError, Unavailable
from uac.interfaces.cli.alerts import AlertEvent, alert_changes_json, alert_changes_to_show, show_alert_changes
from uac.interfaces.cli.cost import cost_json, cost_line, cost_of_replies, money_text
from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.interfaces.cli.output import Output
from uac.interfaces.cli.project import project_change_json, show_project_changes
from uac.interfaces.views.learning import FactView, agent_request_view, named_reply_finding_views
from uac.interfaces.views.view import build_view, view_json
from uac.memory.memory import Memory
from uac.models import Budget, Models, chosen_models, parse_budget
from uac.models.calls import call_part_label
from uac.models.requests_and_replies import Request
from uac.packs import is_from_packs
from uac.project.diff import Change, diff
from uac.project.project import Project
from uac.schema.entries import Fact
from uac.schema.safe_text import counted, mark_line_breaks, visible

__all__ = ["answer", "learn", "pending"]

MOST_CHANGES = 50
CANNOT_SERVE, NO_ANSWER = 4, 7


@click.command()
@user_argument()
@click.option(
    "--most", type=click.IntRange(min=1), default=10, show_default=True, help="Show at most this number of requests."
)
@common_options
def pending(context: CliContext, *, user: str, most: int) -> None:
    """Show the next requests to a model, or to an agent in its place, about USER.

    First text to read, then facts to put into records. With --json each line is a complete request: "instructions",
    "input", and the "schema" of the reply, which 'uac answer' accepts.

    \b
      uac pending ana
      uac pending ana --most 1 --json > request.json
    """
    memory = context.memory(user)
    requests = memory.pending(most=most + 1)
    for request in requests[:most]:
        if context.out.as_json:
            context.out.json(view_json(agent_request_view(request)))
        else:
            context.out.line((request.id, "cyan"), f"  {_pending_request_line(request)}")
    if not requests:
        context.out.note("nothing is pending")
    elif not context.out.as_json:
        more = f"more than {most} are pending (--most shows more); " if len(requests) > most else ""
        context.out.note(
            f"{more}'uac pending {user} --json' prints complete requests, 'uac answer {user} ID FILE' accepts a reply"
        )
    _note_learning_stuck(context.out, user, memory.project())


@click.command()
@user_argument()
@click.argument("request", required=False)
@click.argument("file", required=False)
@click.option(
    "--model", default="agent", show_default=True, help="The name of the model or agent, kept with the reply."
)
@common_options
def answer(context: CliContext, *, user: str, request: str | None, file: str | None, model: str) -> None:
    """Accept the reply to a pending REQUEST of USER from FILE, or from standard input.

    REQUEST is an id printed by 'uac pending'; it is optional if only one request is pending. Valid parts are stored;
    the others are listed with the reason and asked again. The exit code is 0 if everything was accepted, else 1.

    \b
      uac answer ana 12-0f3a5c7e9b1d2f46 reply.json
      my-agent < request.json | uac answer ana
    """
    if file is None and request is not None and not _is_pending_request_id(request):
        request, file = None, request
    if not model.strip():
        raise click.UsageError("--model is empty. Omit it, or give the name of the model or agent.")
    reply = _read_reply(file)
    memory = context.memory(user)
    before = memory.project()
    outcome = memory.answer(request or _only_request(memory, user), reply, model=model)
    changes = [change for change in diff(before, memory.project()) if change.kind != "alert"]
    alert_events = alert_changes_to_show(memory, before.position)
    again = _request_to_answer_again(memory, outcome)
    if context.out.as_json:
        context.out.json({"user": user, **_outcome_json(memory, outcome, changes, alert_events), "again": again})
    else:
        _show_outcome(context.out, user, memory, outcome, changes, alert_events)
        _show_repeated_request(context.out, user, outcome, again)
    if outcome.findings:
        click.get_current_context().exit(1)


@click.command()
@user_argument(required=False, many=True)
@click.option("--all", "everybody", is_flag=True, help="All users of the store.")
@click.option(
    "--dry-run", is_flag=True, help="Show the first requests with their tokens and cost, without asking a model."
)
@click.option("--retry", is_flag=True, help="Ask again about stuck entries ('uac coverage' lists them).")
@click.option(
    "--watch", type=click.FloatRange(min=0.1), metavar="SECONDS", help="Repeat at this interval, until Ctrl-C."
)
@click.option(
    "--facts",
    type=click.IntRange(min=1),
    help="With --watch: make records when this number of facts is waiting.  [default: 20]",
)
@click.option(
    "--minutes", type=click.IntRange(min=0), help="With --watch: … or when a fact has waited this long.  [default: 30]"
)
@common_options
def learn(
    context: CliContext,
    *,
    users: tuple[str, ...],
    everybody: bool,
    dry_run: bool,
    retry: bool,
    watch: float | None,
    facts: int | None,
    minutes: int | None,
) -> None:
    """Let the configured model (UAC_MODEL) extract facts from what USERS said, and put them into records.

    It stops when nothing is left, when a budget is reached (UAC_BUDGET_CALL, UAC_BUDGET_DAY, UAC_BUDGET_USER) or when
    the model is unreachable. Finished work is stored, and the next run continues from there. With --watch, facts on
    health, money, travel and dates become records at once, and others when --facts of them are waiting or after
    --minutes. The exit code is 7 if no model is configured or it gave no answer.

    \b
      uac learn ana
      uac learn --all --dry-run
      uac learn --all --watch 30
    """
    if everybody == bool(users):
        raise click.UsageError("Give either USERS or --all.")
    if watch is None and not (facts is None and minutes is None):
        raise click.UsageError("--facts and --minutes require --watch. Add it, or drop them.")
    if dry_run and (watch is not None or retry):
        raise click.UsageError("--dry-run changes nothing. Drop --watch and --retry, or drop --dry-run.")
    run = _LearnCommand(context, users, chosen_models(), parse_budget(os.environ))
    if dry_run:
        run.show_estimates()
        return
    if retry:
        run.retry_stuck()
    run.check_model()
    if watch is None:
        click.get_current_context().exit(run.learn_once())
    default = Cadence()
    cadence = Cadence(default.facts if facts is None else facts, default.minutes if minutes is None else minutes)
    try:
        while True:
            run.learn_once(cadence)
            time.sleep(watch)
    except KeyboardInterrupt:
        return


# --- pending and answer -----------------------------------------------------------------------------------------------


def _pending_request_line(request: Request) -> str:
    if request.step == "extract":
        about = counted(len(request.answers), "turn")
    else:  # a repeated request shows only the remaining facts
        about = counted(len(json.loads(request.content)["facts"]), "fact")
    return f"{request.step:<10}  {about}, {counted(request.tokens, 'token')}"


def _note_learning_stuck(out: Output, user: str, project: Project) -> None:
    stuck = project.progress.stuck
    if stuck:
        facts = sum(_is_stuck_fact(project, position) for position in stuck)
        kinds = ((len(stuck) - facts, "observation"), (facts, "fact"))
        counts = " and ".join(counted(number, noun) for number, noun in kinds if number)
        out.note(f"{counts} stuck: a model could not process them ('uac coverage {user}' shows why)")


def _is_stuck_fact(project: Project, position: int) -> bool:
    source = project.sources.get(position)
    return source is not None and source.is_fact


def _is_pending_request_id(text: str) -> bool:
    return re.fullmatch(r"\d+-[0-9a-f]{16}", text) is not None


def _read_reply(file: str | None) -> str:
    if file is None and sys.stdin.isatty():
        raise click.UsageError("No reply was given. Pass FILE, or the reply on standard input.")
    where = "standard input" if file in (None, "-") else str(file)
    try:
        text = sys.stdin.buffer.read() if file in (None, "-") else Path(str(file)).read_bytes()
        reply = text.decode()
    except OSError as error:
        raise Refused(f"{where} cannot be read: {error.strerror}. Check its path and permissions.") from None
    except UnicodeDecodeError as error:
        raise Refused(f"{where}: byte {error.start} is not UTF-8. Save the text as UTF-8.") from None
    if not reply.strip():
        raise Refused(f"{where}: the reply is empty. Follow the instructions of the request.")
    return reply


def _only_request(memory: Memory, user: str) -> str:
    requests = memory.pending()
    if not requests:
        raise Refused(f"Nothing is pending for {user}. There is no request to answer.")
    if len(requests) > 1:
        listed = ", ".join(request.id for request in requests)
        raise Refused(f"Several requests are pending. Name one of these ids: {listed}.")
    return requests[0].id


def _request_to_answer_again(memory: Memory, outcome: Outcome) -> str | None:
    """The id of the repeated request; None if it is not repeated, or only after new text has been read."""
    if not outcome.is_open:
        return None
    repeated = (outcome.request.step, outcome.request.answers)
    requests = memory.pending(most=len(memory.project().progress.asked) + 1)
    return next((request.id for request in requests if (request.step, request.answers) == repeated), None)


def _outcome_json(
    memory: Memory, outcome: Outcome, changes: Sequence[Change], alert_events: Iterable[AlertEvent]
) -> dict[str, Any]:
    return {
        "request": outcome.request.id,
        "step": outcome.request.step,
        "facts": _learned_facts_json(memory, outcome.facts),
        "echoes": outcome.echoes,
        "position": outcome.checkpoint or None,
        "changes": [project_change_json(change) for change in changes],
        "alerts": alert_changes_json(alert_events),
        "findings": [view_json(view) for view in named_reply_finding_views(outcome)],
        "overruled": list(outcome.overruled),
        "is_open": outcome.is_open,
    }


def _learned_facts_json(memory: Memory, positions: Iterable[int]) -> list[dict[str, Any]]:
    return [view_json(view) for view in _learned_fact_views(memory, positions)]


def _learned_fact_views(memory: Memory, positions: Iterable[int]) -> Iterator[FactView]:
    for position in positions:
        for stored in memory.log.read(position, position + 1):
            if isinstance(stored.entry, Fact):
                yield build_view(FactView, stored.entry, position=position)


def _show_outcome(
    out: Output,
    user: str,
    memory: Memory,
    outcome: Outcome,
    changes: Sequence[Change],
    alert_events: Iterable[AlertEvent],
) -> None:
    if outcome.request.step == "extract":
        headline = f"{counted(len(outcome.facts), 'fact')} taken"
    else:
        headline = f"accepted, entry {outcome.checkpoint}" if outcome.checkpoint else "no patch was accepted"
    out.line((user, "bold"), f": {headline}")
    _show_facts(out, memory, outcome.facts)
    _show_learned_changes(out, memory, changes, alert_events)
    if outcome.echoes:
        out.note(f"{counted(outcome.echoes, 'fact')} left out: an assistant only repeated what was known")
    for sentence in outcome.overruled:
        out.line(("no effect", "yellow"), f": {mark_line_breaks(sentence)}")
    for finding in outcome.findings:
        out.line(
            ("to fix", "yellow"),
            f": {call_part_label(finding, outcome.request, outcome.reply)}: {mark_line_breaks(finding.why)}",
        )


def _show_facts(out: Output, memory: Memory, positions: Iterable[int]) -> None:
    for fact in _learned_fact_views(memory, positions):
        unsure = f"  (unsure: {mark_line_breaks(fact.unsure)})" if fact.unsure else ""
        out.line((f"{fact.position:>6}", "cyan"), f"  {mark_line_breaks(fact.text)}{unsure}")


def _show_learned_changes(
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


def _show_repeated_request(out: Output, user: str, outcome: Outcome, again: str | None) -> None:
    if again:
        out.line(f"asked again as {again}" if outcome.findings else f"continues as {again}")
    elif outcome.is_open:
        out.line("asked again after the new text has been read")
    elif outcome.findings:
        out.line(f"not asked again ('uac coverage {user}' lists stuck entries, 'uac learn {user} --retry' asks again)")


# --- learn ------------------------------------------------------------------------------------------------------------


class _LearnCommand:
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
        raise NoModel(f"No model is configured (UAC_MODEL): {left}. Set it, or let an agent answer 'uac pending'.")

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
                _show_learning_error(self._out, user, error)
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

        try:
            learned = memory.learn(
                self._models,
                budget=self._budget,
                cadence=cadence,
                judged="judge" in self._models.own,
                on_outcome=on_reply,
            )
            stopped, because = learned.stopped, learned.because
        except UacError as raised:  # the results of earlier replies are shown anyway
            error, stopped = raised, str(raised)
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
                "facts": _learned_facts_json(memory, facts),
                "changes": [project_change_json(change) for change in changes],
                "alerts": alert_changes_json(alert_events),
                "stuck": {str(position): why for position, why in stuck.items()},
                "spent": cost_json(spent),
                "stopped": stopped,
            }
        )
        return
    out.line((user, "bold"), f": {counted(len(facts), 'fact')} taken; {cost_line(spent)}")
    _show_facts(out, memory, facts)
    _show_learned_changes(out, memory, changes, alert_events)
    for position, why in stuck.items():
        kind = "fact" if _is_stuck_fact(after, position) else "observation"
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
                f"  {_pending_request_line(request)}, reply up to {request.reply_tokens:,}; {price}",
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


def _show_learning_error(out: Output, user: str, error: UacError) -> None:
    name = type(error).__name__
    if out.as_json:
        click.echo(json.dumps({"user": user, "error": name, "message": str(error)}, ensure_ascii=False), err=True)
    else:
        click.echo(click.style(f"{name}: ", fg="red") + visible(f"{user}: {error}", lines=True), err=True)
