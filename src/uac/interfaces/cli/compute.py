"""uac compute: run Python over the project."""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from uac.errors import Refused
from uac.interfaces.cli.options import (
    CliContext,
    Moment,
    clock_options,
    common_options,
    user_argument,
)
from uac.interfaces.cli.unread_notes import note_unread_at_terminal
from uac.project.clocks import Clocks
from uac.project.project import Project
from uac.sandbox.compute import Computer, Result, computed_text
from uac.sandbox.port import Limits

__all__ = ["compute"]


@click.command(context_settings={"ignore_unknown_options": True})
@user_argument()
@click.argument("code", required=False)
@click.option("--file", type=click.Path(path_type=Path), help="Read the code from a file ('-': standard input).")
@click.option(
    "--now",
    type=Moment(),
    help="The value of `now`, ISO 8601 with a time zone.  [default: $UAC_NOW, else the log's last tick, else now]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.05, max=3600),
    default=5.0,
    show_default=True,
    help="The limit of processor time.",
)
@click.option(
    "--memory",
    "memory_mb",
    type=click.IntRange(min=16),
    default=512,
    show_default=True,
    help="The memory limit, in MB.",
)
@click.option(
    "--engine", type=click.Choice(["auto", "monty", "process"]), default="auto", show_default=True, help="The sandbox."
)
@clock_options
@common_options
def compute(
    context: CliContext,
    *,
    user: str,
    code: str | None,
    file: Path | None,
    now: datetime | None,
    seconds: float,
    memory_mb: int,
    engine: str,
    clocks: Clocks,
) -> None:
    """Run Python CODE over USER's project, in the sandbox, and print the value of its last expression.

    Domains are names (travel.trips), `now` is the time, and Counter, group_by, mean, median, month_of, quarter_of and
    total (money by currency) are available. Money adds, compares and sums with money of its currency. Ended records
    are in travel.former_trips; end_of(record) says when and why, and history(record, "price") lists a field's values.

    \b
      uac compute ana "len([t for t in travel.trips if t.departs and t.departs.year == 2026])"
      uac compute ana "total(t.cost for t in travel.trips)" --json
      uac compute ana "len(travel.trips)" --told 2026-03-01
    """
    from uac.sandbox import open_sandbox

    if now is not None and now.tzinfo is None:
        raise Refused(f"--now: {now.isoformat()} has no time zone. Add one such as +02:00 or Z.")
    text = _read_code(code, file)
    if not text.strip():
        raise Refused("The code is empty. Give an expression such as len(travel.trips).")
    memory = context.memory(user)
    if now is None and os.environ.get("UAC_NOW"):
        now = context.now()
    project = memory.project_at(clocks)
    later = () if clocks.is_present else memory.project().owners()
    sandbox = open_sandbox(engine)
    computer = Computer(sandbox, limits=Limits(seconds=seconds, memory_mb=memory_mb))
    try:
        result = computer.run(
            project,
            text,
            now=now,
            later=later,
            unplaced=memory.unplaced_facts,
            offered=memory.pack_domains,
        )
    finally:
        computer.close()
        sandbox.close()
    note_unread_at_terminal(context.out, project)
    if context.out.as_json:
        context.out.json(_compute_result_json(result, project))
        return
    if result.printed:
        context.out.line(result.printed.rstrip("\n"))
    if result.value is not None:
        context.out.line((computed_text(result.value), "bold"))
    for read in result.reads:
        if not read.is_complete:
            where = ", see 'uac coverage'" if read.facts else ", see 'uac conflicts'" if read.conflicts else ""
            context.out.note(f"{read.collection} may be incomplete: {read.lacks}{where}")


def _compute_result_json(result: Result, project: Project) -> dict[str, Any]:
    from uac.interfaces.views.search import compute_view  # only for JSON
    from uac.interfaces.views.view import view_json

    view = compute_view(result, len(project.progress.unread))
    more = {"complete": view.is_complete, "seconds": round(result.seconds, 6), "engine": result.engine}
    return {**view_json(view), **more}


def _read_code(code: str | None, file: Path | None) -> str:
    if (code is None) == (file is None):
        raise click.UsageError("Give either CODE or --file.")
    if file is None:
        assert code is not None
        return sys.stdin.read() if code == "-" else code
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"--file: {file} cannot be read: {error.strerror}. Check its path and permissions.") from None
    except UnicodeDecodeError as error:
        raise Refused(f"--file: {file}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None
