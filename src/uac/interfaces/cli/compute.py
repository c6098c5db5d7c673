"""uac compute, export, adopt: run Python over the project, export it to a folder, read edits back."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from uac.errors import Refused
from uac.interfaces.cli.alerts import alert_changes_since, show_alert_changes
from uac.interfaces.cli.options import CliContext, Moment, common_options, user_argument
from uac.interfaces.cli.project import as_of_option, parse_as_of
from uac.interfaces.cli.unread_notes import note_unread_at_terminal
from uac.interfaces.views.search import compute_view
from uac.interfaces.views.view import view_json
from uac.memory.memory import Memory
from uac.project.export import Exported, check_origin, export_git
from uac.project.export import export as export_folder
from uac.project.project import Project
from uac.project.read_edits import Edit, exported_position, read_edits
from uac.sandbox.compute import Computer, Result, value_text
from uac.sandbox.port import Limits
from uac.schema.safe_text import counted

__all__ = ["adopt", "compute", "export"]


@click.command(context_settings={"ignore_unknown_options": True})
@user_argument()
@click.argument("code", required=False)
@click.option("--file", type=click.Path(path_type=Path), help="Read the code from a file ('-': standard input).")
@click.option(
    "--now",
    type=Moment(),
    help="The value of `now`, ISO 8601 with a time zone.  [default: the log's last tick, else now]",
)
@click.option(
    "--seconds", type=click.FloatRange(min=0.05, max=3600), default=5.0, show_default=True, help="The time limit."
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
@as_of_option
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
    as_of: str | None,
) -> None:
    """Run Python CODE over USER's project, in the sandbox, and print the value of its last expression.

    Domains are names (travel.trips), `now` is the time, and Counter, group_by, mean, median, month_of, quarter_of and
    total (money by currency) are available.

    \b
      uac compute ana "len([t for t in travel.trips if t.start.year == 2026])"
      uac compute ana "total(t.cost for t in travel.trips)" --json
    """
    from uac.sandbox import open_sandbox

    if now is not None and now.tzinfo is None:
        raise Refused(f"--now: {now.isoformat()} has no time zone. Add one such as +02:00 or Z.")
    memory = context.memory(user)
    project = memory.project() if as_of is None else memory.project_as_of(parse_as_of(as_of))
    sandbox = open_sandbox(engine)
    computer = Computer(sandbox, limits=Limits(seconds=seconds, memory_mb=memory_mb))
    try:
        result = computer.run(project, _read_code(code, file), now=now)
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
        context.out.line((value_text(result.value), "bold"))
    for read in result.reads:
        if not read.is_complete:
            missing = f"{read.waiting} facts waiting, {read.aside} set aside"
            context.out.note(f"{read.collection} may be incomplete: {missing}")


@click.command()
@user_argument()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--git", is_flag=True, help="Write a git repository with one commit per checkpoint.")
@click.option("--force", is_flag=True, help="Overwrite edits that were not adopted; they are lost.")
@as_of_option
@common_options
def export(context: CliContext, *, user: str, folder: Path, git: bool, force: bool, as_of: str | None) -> None:
    """Write USER's project to FOLDER as Python that runs without any package.

    \b
      uac export ana ana-project
      cd ana-project && python -c "from domains import travel; print(len(travel.trips))"
    """
    memory = context.memory(user)
    check_origin(memory.log, folder)
    if not force:
        _check_unedited(memory, folder)
    done: Exported
    if git:
        log = memory.log if as_of is None else memory.log.as_of(parse_as_of(as_of))
        done = export_git(log.read(), folder)
    else:
        done = export_folder(memory.project() if as_of is None else memory.project_as_of(parse_as_of(as_of)), folder)
    if context.out.as_json:
        counts = {"written": done.written, "removed": done.removed, "commits": done.commits}
        context.out.json({"user": user, "folder": str(folder), **counts})
    else:
        commits = f", {counted(done.commits, 'commit')}" if git else ""
        context.out.line(
            (user, "bold"), f": {folder}: {counted(done.written, 'file')} written, {done.removed} removed{commits}"
        )


@click.command()
@user_argument()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--why", default="edited by hand", show_default=True, help="The reason, kept with the corrections.")
@click.option("--dry-run", is_flag=True, help="Show the corrections without writing them.")
@common_options
def adopt(context: CliContext, *, user: str, folder: Path, why: str, dry_run: bool) -> None:
    """Turn edited values in an exported FOLDER into corrections. The files are parsed, never run."""
    memory = context.memory(user)
    before = memory.project().position
    check_origin(memory.log, folder)
    changed = [
        edit
        for edit in read_edits(memory.project_as_of(exported_position(folder)), folder)
        if _is_edit_new(memory, edit)
    ]
    for edit in changed:
        if not dry_run:
            memory.correct(edit.record, edit.field, edit.value, why=why)
        if context.out.as_json:
            context.out.json({"record": edit.record, "field": edit.field, "value": edit.value})
        else:
            context.out.line((f"~ {edit.record}.{edit.field}", "yellow"), f": {edit.before} → {edit.after}")
    if not changed and not context.out.as_json:
        context.out.note("nothing was edited, or all edits were already adopted")
    show_alert_changes(context.out, alert_changes_since(memory, before))


def _is_edit_new(memory: Memory, edit: Edit) -> bool:
    """Whether the edit is still new. Refused if the value has changed elsewhere in the meantime."""
    present = memory.project().record(edit.record).values.get(edit.field)
    if present not in (edit.before, edit.after):
        raise Refused(
            f"adopt: {edit.record}.{edit.field} was exported as {edit.before}, edited to {edit.after}, and is {present}"
            " by now; export anew, or use 'uac correct'"
        )
    return present != edit.after


def _check_unedited(memory: Memory, folder: Path) -> None:
    if not (folder / "manifest.py").is_file():
        return
    pending = [
        edit
        for edit in read_edits(memory.project_as_of(exported_position(folder)), folder)
        if _is_edit_new(memory, edit)
    ]
    if pending:
        raise Refused(
            f"export: {folder} has edits that were not adopted ({len(pending)}, such as {pending[0].record}."
            f"{pending[0].field}); run 'uac adopt' first, or use --force to discard them"
        )


def _compute_result_json(result: Result, project: Project) -> dict[str, Any]:
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
        return sys.stdin.read() if str(file) == "-" else file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"--file: {file} cannot be read: {error}") from None
