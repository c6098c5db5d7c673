"""uac pending, answer, learn: turn observations into facts and records."""

import os
import re
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from uac.conversation.learning import Cadence, Outcome
from uac.errors import Refused
from uac.interfaces.cli.alerts import AlertEvent, alert_changes_json, alert_changes_to_show
from uac.interfaces.cli.learn_runs import (
    LearnRun,
    is_stuck_fact,
    learned_facts_json,
    pending_request_line,
    show_facts,
    show_learned_changes,
)
from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.interfaces.cli.output import Output
from uac.interfaces.cli.project import project_change_json
from uac.interfaces.views.learning import agent_request_view, named_reply_finding_views
from uac.interfaces.views.view import view_json
from uac.memory.memory import Memory
from uac.models import chosen_models, parse_budget
from uac.models.calls import call_part_label
from uac.project.diff import Change, diff
from uac.project.project import Project
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = ["answer", "learn", "pending"]

LONGEST_SECONDS = 3600
"""After which a worker in the background ends, whatever it waits for; its lock goes with it."""


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
            context.out.line((request.id, "cyan"), f"  {pending_request_line(request)}")
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
@click.option("--detached", is_flag=True, hidden=True, help="Run as the worker that 'uac add' starts.")
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
    detached: bool,
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
    if detached and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS)
    run = LearnRun(context, users, chosen_models(), parse_budget(os.environ))
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


def _note_learning_stuck(out: Output, user: str, project: Project) -> None:
    stuck = project.progress.stuck
    if stuck:
        facts = sum(is_stuck_fact(project, position) for position in stuck)
        kinds = ((len(stuck) - facts, "observation"), (facts, "fact"))
        counts = " and ".join(counted(number, noun) for number, noun in kinds if number)
        out.note(f"{counts} stuck: a model could not process them ('uac coverage {user}' shows why)")


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
        "facts": learned_facts_json(memory, outcome.facts),
        "echoes": outcome.echoes,
        "position": outcome.checkpoint or None,
        "changes": [project_change_json(change) for change in changes],
        "alerts": alert_changes_json(alert_events),
        "findings": [view_json(view) for view in named_reply_finding_views(outcome)],
        "overruled": list(outcome.overruled),
        "is_open": outcome.is_open,
    }


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
    show_facts(out, memory, outcome.facts)
    show_learned_changes(out, memory, changes, alert_events)
    if outcome.echoes:
        out.note(f"{counted(outcome.echoes, 'fact')} left out: an assistant only repeated what was known")
    for sentence in outcome.overruled:
        out.line(("no effect", "yellow"), f": {mark_line_breaks(sentence)}")
    for finding in outcome.findings:
        out.line(
            ("to fix", "yellow"),
            f": {call_part_label(finding, outcome.request, outcome.reply)}: {mark_line_breaks(finding.why)}",
        )


def _show_repeated_request(out: Output, user: str, outcome: Outcome, again: str | None) -> None:
    if again:
        out.line(f"asked again as {again}" if outcome.findings else f"continues as {again}")
    elif outcome.is_open:
        out.line("asked again after the new text has been read")
    elif outcome.findings:
        out.line(f"not asked again ('uac coverage {user}' lists stuck entries, 'uac learn {user} --retry' asks again)")
