"""uac fleet adopt, watch and rollback: the rollout of a rule, step by step."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from uac.errors import Refused
from uac.interfaces.cli.fleet_runs import (
    FleetRun,
    PlaceOptions,
    UserOptions,
    count_answers,
    place_options,
    read_answer,
    read_program_file,
    rule_job,
    selection_options,
    show_error,
    show_json_answer,
)
from uac.interfaces.cli.options import CliContext, common_options, unreviewed_setting
from uac.interfaces.fleet.jobs import RuleChange
from uac.interfaces.fleet.partition import UserAnswer
from uac.interfaces.fleet.run import Selection
from uac.schema.constraints import Constraint
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = ["adopt_for_users", "roll_back_for_users", "watch_users"]


@click.command("adopt")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--all", "everybody", is_flag=True, help="For all users.")
@click.option(
    "--percent",
    type=click.FloatRange(min=0, max=100),
    help="For this share of the users, chosen by their ids; a larger share contains a smaller one.",
)
@selection_options
@place_options
@common_options
def adopt_for_users(
    context: CliContext,
    *,
    file: Path,
    everybody: bool,
    percent: float | None,
    users: UserOptions,
    where: PlaceOptions,
) -> None:
    """Adopt the constraint in FILE for users: its cases are run for each of them, and each log records it.

    A user who has it already, has switched it off, or has retired a rule of that name is left alone. So the same
    command goes on where it was interrupted, and nobody adopts a rule twice.

    \b
      uac fleet adopt lease_notice.py --percent 10
      uac fleet adopt lease_notice.py --all
    """
    if not (everybody or percent is not None or users.patterns or users.listed):
        raise click.UsageError("Say for whom: --all, --percent, --users or --users-from.")
    constraint = _read_rule(file)
    chosen = users.selection(percent=100.0 if percent is None else percent, rule=constraint.name)
    task = RuleChange("adopt", constraint.name, constraint, unreviewed=unreviewed_setting())
    _run_step(context, task, chosen, where, ("adopted", "already adopted"))


@click.command("watch")
@click.argument("rule")
@selection_options
@place_options
@common_options
def watch_users(
    context: CliContext,
    *,
    rule: str,
    users: UserOptions,
    where: PlaceOptions,
) -> None:
    """Show what RULE has raised for the users who have it, how much of it is acknowledged, and where it fails.

    \b
      uac fleet watch lease_notice
    """
    task = RuleChange("watch", rule, unreviewed=unreviewed_setting())
    _run_step(context, task, users.selection(), where, ("on", "off"))


@click.command("rollback")
@click.argument("rule")
@click.option("--why", required=True, help="The reason, kept in each log.")
@selection_options
@place_options
@common_options
def roll_back_for_users(
    context: CliContext,
    *,
    rule: str,
    why: str,
    users: UserOptions,
    where: PlaceOptions,
) -> None:
    """Take back RULE for every user for whom `uac fleet adopt` adopted it. Its alerts are cleared.

    The version that a user had before is active again. A rule that users added themselves is left alone. The same
    command goes on where it was interrupted.

    \b
      uac fleet rollback lease_notice --why "too many false alarms"
    """
    task = RuleChange("rollback", rule, why=why, unreviewed=unreviewed_setting())
    _run_step(context, task, users.selection(), where, ("rolled back",))


def _read_rule(file: Path) -> Constraint:
    program = read_program_file(file)
    if program.constraint is None:
        raise Refused(f"{file} is not a constraint. Add CASES, as `uac constraints add` needs them.")
    return program.constraint


def _run_step(
    context: CliContext,
    task: RuleChange,
    chosen: Selection,
    where: PlaceOptions,
    counted_states: Sequence[str],
) -> None:
    """Take one step for all chosen users. Only one process can write to a SQLite file, so it is one by default."""
    default = (os.cpu_count() or 1) if context.address.startswith("postgres") else 1
    place = where.place(context.address, default=default)
    run = FleetRun(context, rule_job(context, task), chosen, place, min(where.size, 50))
    run.prepare()
    states: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for line in run.lines(f"{task.name}: users"):
        answer = read_answer(line)
        count_answers(counts, answer)
        _count_step(states, counts, answer)
        if context.out.as_json:
            show_json_answer(line)
        elif "error" in answer:
            show_error(answer)
        elif task.step == "watch":
            _show_watched(context, answer)
        elif answer["state"] not in (*counted_states, "not adopted"):
            context.out.line((f"{answer['user']}: ", "bold"), f"{answer['state']}; nothing was changed")
    _note_step(context, task, states, counts)
    if counts["errors"]:
        click.get_current_context().exit(1)


def _count_step(states: Counter[str], counts: Counter[str], answer: UserAnswer) -> None:
    if "state" in answer:
        states[str(answer["state"])] += 1
    alerts = answer.get("alerts", [])
    assert isinstance(alerts, list)
    counts["firing"] += bool(alerts)
    counts["failing"] += "failing" in answer
    for alert in alerts:
        assert isinstance(alert, dict)
        counts[f"severity {alert['severity']}"] += 1
        counts[f"state {alert['state']}"] += 1


def _show_watched(context: CliContext, answer: UserAnswer) -> None:
    user = (f"{answer['user']}: ", "bold")
    alerts = answer.get("alerts", [])
    assert isinstance(alerts, list)
    for alert in alerts:
        assert isinstance(alert, dict)
        text = mark_line_breaks(str(alert["subject"]))
        context.out.line(user, (f"{alert['severity']}, {alert['state']}: ", "yellow"), text)
    if "failing" in answer:
        context.out.line(user, ("fails: ", "red"), mark_line_breaks(str(answer["failing"])))


def _note_step(context: CliContext, task: RuleChange, states: Counter[str], counts: Counter[str]) -> None:
    parts = [f"{number} {state}" for state, number in sorted(states.items())]
    parts += [counted(counts["errors"], "error")] if counts["errors"] else []
    found = [f"{counts[f'severity {name}']} {name}" for name in ("critical", "warning", "info")]
    raised = ", ".join(each for each in found if not each.startswith("0 "))
    alerts = f"; alerts for {counted(counts['firing'], 'user')}: {raised}" if raised else ""
    quiet = ", ".join(
        f"{counts[f'state {name}']} {name}" for name in ("acknowledged", "snoozed") if counts[f"state {name}"]
    )
    failing = f"; fails for {counted(counts['failing'], 'user')}" if counts["failing"] else ""
    text = f"{', '.join(parts) or 'no users'}{alerts}{f' ({quiet})' if quiet else ''}{failing}"
    context.out.line((task.name, "bold"), f": {text}") if not context.out.as_json else context.out.note(text)
