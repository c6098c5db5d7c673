"""uac fleet: ask all users the same, and roll out a rule."""

import json
import os
import random
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import click
import msgspec

from uac.errors import Refused
from uac.interfaces.cli.click_groups import Group
from uac.interfaces.cli.fleet_rollout import adopt_for_users, roll_back_for_users, watch_users
from uac.interfaces.cli.fleet_runs import (
    FleetRun,
    PlaceOptions,
    UserOptions,
    count_answers,
    out_option,
    place_options,
    read_answer,
    read_program_file,
    rule_job,
    selection_options,
    settings_of,
    show_error,
    show_json_answer,
)
from uac.interfaces.cli.options import CliContext, Moment, common_options
from uac.interfaces.cli.output import Output
from uac.interfaces.fleet.aggregates import Aggregate, AggregateKind, Report, aggregate, check_aggregate, contribution
from uac.interfaces.fleet.jobs import PartWorker
from uac.interfaces.fleet.partition import UserAnswer
from uac.interfaces.fleet.program import Program
from uac.interfaces.fleet.run import sample_users
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = ["fleet"]


@click.group(cls=Group)
def fleet() -> None:
    """Ask all users the same: a query or a rule for everybody, reports, and the rollout of a rule."""


for rollout_command in (adopt_for_users, watch_users, roll_back_for_users):
    fleet.add_command(rollout_command)


@fleet.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@selection_options
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Dry run: ask N users, and estimate the rest.")
@click.option(
    "--price", type=click.FloatRange(min=0), metavar="PRICE", help="Of one core for an hour, for the estimate."
)
@click.option("--all", "shows_all", is_flag=True, help="Also print users with an empty answer.")
@click.option(
    "--now", type=Moment(), help="The time that code sees, ISO 8601 with a zone.  [default: $UAC_NOW, else now]"
)
@click.option("--aggregate", "kind", type=click.Choice(["count", "sum", "mean"]), help="Report over all users instead.")
@click.option("--bounds", type=(float, float), metavar="LOW HIGH", help="What one user may add to a sum or a mean.")
@click.option("--minimum", type=int, default=10, show_default=True, help="The fewest users in a row of a report.")
@click.option("--epsilon", type=float, help="Add Laplace noise to a report; a smaller number means more noise.")
@click.option("--seed", type=int, help="Of the noise, for tests: whoever knows it can subtract the noise.")
@click.option(
    "--seconds", type=click.FloatRange(min=0.05, max=60), default=5.0, show_default=True, help="For one user."
)
@click.option("--memory", "memory_mb", type=click.IntRange(min=64), default=512, show_default=True, help="In MB.")
@click.option(
    "--engine", type=click.Choice(["auto", "monty", "process"]), default="auto", help="The sandbox for batches."
)
@click.option("--keep-snapshots", is_flag=True, help="Store a snapshot of each folded log: the next run is faster.")
@click.option("--ray", default="", metavar="ADDRESS", help="Use the Ray cluster there ('local': start one here).")
@place_options
@out_option
@common_options
def run_for_users(
    context: CliContext,
    *,
    file: Path,
    users: UserOptions,
    sample: int | None,
    price: float | None,
    shows_all: bool,
    now: datetime | None,
    kind: AggregateKind | None,
    bounds: tuple[float, float] | None,
    minimum: int,
    epsilon: float | None,
    seed: int | None,
    seconds: float,
    memory_mb: int,
    engine: str,
    keep_snapshots: bool,
    ray: str,
    where: PlaceOptions,
    out: Path | None,
) -> None:
    """Run the query or the constraint in FILE for every user, in the sandbox, and print each answer.

    A file that has CASES is a constraint, as `uac constraints add` takes it; nothing is adopted. Any other file is a
    query, as `uac compute` takes it. A user without the types that it reads is counted, not an error; an error of one
    user is printed, and the run goes on. The exit code is 1 if there was one.

    \b
      uac fleet run recalled.py
      uac fleet run recalled.py --sample 100
      uac fleet run recalled.py --out recalled-run --processes 8 --json > recalled.jsonl
      uac fleet run spending.py --aggregate mean --bounds 0 5000
    """
    program = read_program_file(file)
    measure = None
    if kind is not None:
        measure = Aggregate(kind, minimum, bounds, epsilon)
        check_aggregate(measure)
    elif bounds is not None or epsilon is not None or seed is not None:
        raise click.UsageError("--bounds, --epsilon and --seed belong to --aggregate.")
    question = settings_of(
        context, program, now, seconds=seconds, memory_mb=memory_mb, engine=engine, keeps_snapshots=keep_snapshots
    )
    place = where.place(context.address, default=os.cpu_count() or 1, ray=ray)
    chosen = users.selection(is_report=measure is not None)
    terms = repr(measure) if measure is not None else ""
    run = FleetRun(context, rule_job(context, question), chosen, place, where.size, None if sample else out, terms)
    run.prepare()
    if sample is not None:
        _run_sample(run, sample, price, measure)
    elif measure is not None:
        seeded = random.Random(seed)  # noqa: S311 - only with a seed, for tests
        _report(run, measure, random.SystemRandom() if seed is None else seeded)
    else:
        _answer(run, program, shows_all=shows_all)


@fleet.command("try")
@click.argument("file", type=click.Path(path_type=Path))
@selection_options
@click.option("--now", type=Moment(), help="The time that the rule sees.  [default: $UAC_NOW, else now]")
@place_options
@out_option
@common_options
def try_for_users(
    context: CliContext,
    *,
    file: Path,
    users: UserOptions,
    now: datetime | None,
    where: PlaceOptions,
    out: Path | None,
) -> None:
    """Try the constraint in FILE on every user in the shadow: print what it would raise, and write nothing.

    \b
      uac fleet try lease_notice.py
      uac fleet adopt lease_notice.py --percent 10
    """
    program = read_program_file(file)
    if program.kind != "constraint":
        raise Refused(f"{file} is not a constraint. Add CASES, as `uac constraints add` needs them.")
    place = where.place(context.address, default=os.cpu_count() or 1)
    job = rule_job(context, settings_of(context, program, now))
    run = FleetRun(context, job, users.selection(), place, where.size, out)
    run.prepare()
    _answer(run, program, shows_all=False)


# --- answers ----------------------------------------------------------------------------------------------------------


def _answer(run: FleetRun, program: Program, *, shows_all: bool) -> None:
    out, counts = run.context.out, Counter[str]()
    for line in run.lines(f"{program.name}: users"):
        answer = read_answer(line)
        _count(counts, answer)
        if out.as_json:
            show_json_answer(line)
        elif "error" in answer:
            show_error(answer)
        else:
            _show_answer(out, answer, shows_all=shows_all)
    out.note(_summary(run, program, counts))
    if counts["errors"]:
        click.get_current_context().exit(1)


def _count(counts: Counter[str], answer: UserAnswer) -> None:
    count_answers(counts, answer)
    alerts = answer.get("alerts")
    if isinstance(alerts, list):
        counts["firing"] += bool(alerts)
        counts["failing"] += "failures" in answer
        for alert in alerts:
            assert isinstance(alert, dict)
            counts[f"severity {alert['severity']}"] += 1
    elif answer.get("value") not in (None, [], {}, ""):
        counts["answers"] += 1


def _show_answer(out: Output, answer: UserAnswer, *, shows_all: bool) -> None:
    user = (f"{answer['user']}: ", "bold")
    if "absent" in answer:
        if shows_all:
            out.line(user, (f"has no {answer['absent']}", "dim"))
        return
    if "alerts" not in answer:
        if printed := str(answer.get("printed", "")).rstrip("\n"):
            out.line(user, mark_line_breaks(printed))
        if shows_all or answer["value"] not in (None, [], {}, ""):
            out.line(user, _value_text(answer["value"]))
        return
    alerts = answer["alerts"]
    assert isinstance(alerts, list)
    for alert in alerts:
        assert isinstance(alert, dict)
        text = mark_line_breaks(f"{alert['subject']}: {alert['message']}")
        out.line(user, (f"{alert['severity']}, ", "yellow"), text)
    failures = answer.get("failures", [])
    assert isinstance(failures, list)
    for failure in failures:
        assert isinstance(failure, dict)
        where = f" on {failure['record']}" if "record" in failure else ""
        out.line(user, (f"cannot run{where}: ", "red"), mark_line_breaks(str(failure["why"])))
    if shows_all and not alerts and not failures:
        out.line(user, ("silent", "dim"))


def _value_text(value: object) -> str:
    return mark_line_breaks(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _summary(run: FleetRun, program: Program, counts: Counter[str]) -> str:
    parts = [counted(counts["users"], "user")]
    if program.kind == "constraint":
        severities = [f"{counts[f'severity {name}']} {name}" for name in ("critical", "warning", "info")]
        found = ", ".join(each for each in severities if not each.startswith("0 "))
        parts.append(f"would fire for {counts['firing']}{f' ({found})' if found else ''}")
        parts += [f"cannot run for {counts['failing']}"] if counts["failing"] else []
    else:
        parts.append(f"{counts['answers']} with an answer")
    parts += [f"{counts['absent']} without the types that it reads"] if counts["absent"] else []
    parts += [counted(counts["errors"], "error")] if counts["errors"] else []
    speed = f"; {run.seconds:.1f} s" if run.seconds else "; from an earlier run"
    return ", ".join(parts) + speed


# --- a dry run --------------------------------------------------------------------------------------------------------


def _run_sample(run: FleetRun, size: int, price: float | None, measure: Aggregate | None) -> None:
    """Ask some users in this process, and estimate the time and the cost of all from theirs."""
    out = run.context.out
    users = sample_users(run.users, size)
    worker = PartWorker(run.job, run.context.store())
    counts: Counter[str] = Counter()
    try:
        worker.run(0, users[:1])  # what is opened once does not count for each user
        started = time.perf_counter()
        part = worker.run(0, users)
        seconds = time.perf_counter() - started
    finally:
        worker.close()
    for line in part.lines.splitlines(keepends=True):
        answer = read_answer(line)
        _count(counts, answer)
        if measure is not None:
            continue  # a report over a sample would be about fewer users than its minimum
        if out.as_json:
            show_json_answer(line)
        elif "error" in answer:
            show_error(answer)
        else:
            _show_answer(out, answer, shows_all=True)
    core_seconds = seconds / max(len(users), 1) * len(run.users)
    cost = f", {price * core_seconds / 3600:,.4f} at {price:g} for a core hour" if price is not None else ""
    out.note(
        f"sample: {counted(len(users), 'user')} in {seconds:.2f} s, {part.folded} of them folded from their logs; "
        f"{counted(counts['errors'], 'error')}"
    )
    out.note(
        f"estimate: {counted(len(run.users), 'user')} take {core_seconds:,.1f} s of one core"
        f" ({core_seconds / run.place.processes:,.1f} s on {run.place.processes}){cost}; no model is called"
    )


# --- reports ----------------------------------------------------------------------------------------------------------


def _report(run: FleetRun, measure: Aggregate, source: random.Random) -> None:
    """The report of a run. With a folder it is made once: asking again would average the noise out."""
    file = run.folder.folder / "report.json" if run.folder else None
    if file is not None and file.exists():
        report = msgspec.json.decode(file.read_bytes(), type=Report)
    else:
        contributions = [contribution(answer, measure) for answer in run.answers("report: users")]
        report = aggregate(contributions, measure, source.random)
        if file is not None and run.folder is not None:
            run.folder.keep_report(msgspec.json.encode(report))
    _show_report(run.context.out, report, measure)


def _show_report(out: Output, report: Report, measure: Aggregate) -> None:
    for row in report.rows:
        if out.as_json:
            more = {} if row.value is None else {measure.kind: row.value}
            out.json({"group": row.group, "kind": row.kind, "users": row.users, **more, "groups": row.groups})
        else:
            value = "" if row.value is None else f"  {measure.kind} {row.value:,.10g}"
            joined = f"  ({row.groups} groups, joined because one of them is small)" if row.groups > 1 else ""
            out.line((row.group, "bold"), f"  {counted(row.users, 'user')}{value}", (joined, "dim"))
    if not report.rows:
        out.note(f"fewer than {report.minimum} users: nothing is shown")
    noise = "" if report.epsilon is None else f", with Laplace noise (epsilon {report.epsilon:g})"
    out.note(f"each row is about {report.minimum} users or more{noise}")
