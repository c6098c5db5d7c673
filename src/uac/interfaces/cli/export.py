"""uac export, adopt: write the project to a folder, and read edits of the folder back."""

from pathlib import Path

import click

from uac.errors import Refused
from uac.interfaces.cli.alerts import alert_changes_to_show, show_alert_changes
from uac.interfaces.cli.options import CliContext, as_of_option, common_options, read_clock_options, user_argument
from uac.memory.memory import Memory
from uac.project.clocks import Clocks
from uac.project.export import Exported, check_origin, export_git
from uac.project.export import export as export_folder
from uac.project.read_edits import Edit, position_before_edits, read_edits
from uac.schema.safe_text import counted

__all__ = ["adopt_exported_edits", "export"]


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
      uac export ana ana-project && python3 ana-project
      cd ana-project && python -c "from domains import travel; print(len(travel.trips))"
    """
    clocks = read_clock_options(known=as_of)
    memory = context.memory(user)
    check_origin(memory.log, folder)
    if not force:
        _check_export_unedited(memory, folder)
    try:
        done = _write_export(memory, folder, clocks, git=git)
    except OSError as error:
        where = error.filename or folder
        raise Refused(f"export: {where} cannot be written: {error.strerror}. Check its path and permissions.") from None
    if context.out.as_json:
        counts = {"written": done.written, "removed": done.removed, "commits": done.commits}
        context.out.json({"user": user, "folder": str(folder), **counts})
    else:
        commits = f", {counted(done.commits, 'commit')}" if git else ""
        context.out.line(
            (user, "bold"), f": {folder}: {counted(done.written, 'file')} written, {done.removed} removed{commits}"
        )


def _write_export(memory: Memory, folder: Path, clocks: Clocks, *, git: bool) -> Exported:
    if git:
        log = memory.log if clocks.known is None else memory.log.as_of(clocks.known)
        return export_git(log.read(), folder)
    # As it was stated, so that edits can be read back whenever that is.
    return export_folder(memory.project() if clocks.known is None else memory.project_as_of(clocks.known), folder)


@click.command("adopt")
@user_argument()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--why", default="edited by hand", show_default=True, help="The reason, kept with the corrections.")
@click.option("--dry-run", is_flag=True, help="Show the corrections without writing them.")
@common_options
def adopt_exported_edits(context: CliContext, *, user: str, folder: Path, why: str, dry_run: bool) -> None:
    """Turn edited values in an exported FOLDER into corrections. The files are parsed, never run."""
    memory = context.memory(user)
    before = memory.project().position
    check_origin(memory.log, folder)
    changed = [
        edit
        for edit in read_edits(memory.project_as_of(position_before_edits(folder)), folder)
        if _is_exported_edit_new(memory, edit)
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
    show_alert_changes(context.out, alert_changes_to_show(memory, before))


def _is_exported_edit_new(memory: Memory, edit: Edit) -> bool:
    """Whether the edit is still new. Refused if the value has changed elsewhere in the meantime."""
    present = memory.project().record(edit.record).values.get(edit.field)
    if present not in (edit.before, edit.after):
        raise Refused(
            f"adopt: {edit.record}.{edit.field} was exported as {edit.before}, edited to {edit.after}, and is {present}"
            " now. Export again, or use 'uac correct'."
        )
    return present != edit.after


def _check_export_unedited(memory: Memory, folder: Path) -> None:
    if not (folder / "manifest.py").is_file():
        return
    pending = [
        edit
        for edit in read_edits(memory.project_as_of(position_before_edits(folder)), folder)
        if _is_exported_edit_new(memory, edit)
    ]
    if pending:
        raise Refused(
            f"export: {folder} has edits that were not adopted ({len(pending)}, such as {pending[0].record}."
            f"{pending[0].field}). Run 'uac adopt' first, or use --force to discard them."
        )
