"""uac pack import, restore and sign: tables of one's own in the place of a pack's, and who answers for a table."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from uac.errors import Refused, Rejected
from uac.importing.table_files import ImportedTable, TableAbout, read_table_file
from uac.interfaces.cli.alerts import alert_changes_json, alert_changes_to_show, show_alert_changes
from uac.interfaces.cli.completion import complete_pack_names, complete_table_names, complete_user_names
from uac.interfaces.cli.options import CliContext, Command, common_options
from uac.memory.memory import Memory
from uac.packs import Pack, installed_packs
from uac.schema.constraints import Knowledge
from uac.schema.patches import Learn, Patch, Sign
from uac.schema.safe_text import counted

__all__ = ["find_pack", "find_pack_table", "import_table", "restore_table", "sign_table"]


def _table_arguments(command: Command) -> Command:
    """Adds the arguments PACK and TABLE."""
    table = click.argument("table", shell_complete=complete_table_names)
    return click.argument("pack", shell_complete=complete_pack_names)(table(command))


def _user_options(command: Any) -> Any:
    one = click.option(
        "--user", "users", multiple=True, shell_complete=complete_user_names, help="A user; can be given several times."
    )
    return one(click.option("--all", "everybody", is_flag=True, help="All users of the store.")(command))


@click.command("import")
@_table_arguments
@click.argument("file", type=click.Path(path_type=Path))
@_user_options
@click.option("--version", default="", help="The version of the table; by default a digest of its rows.")
@click.option("--source", default="", help="Who publishes the table; by default the source of its rows.")
@click.option("--note", default="", help="Its limits; 'no … advice' as its first words ends every message.")
@click.option("--keep", multiple=True, metavar="SECTION", help="Keep this section of the pack's table; repeatable.")
@click.option(
    "--column", "columns", multiple=True, metavar="THEIRS=OURS", help="The file's name for a column; repeatable."
)
@click.option("--dry-run", is_flag=True, help="Only check the file. Nothing is written.")
@click.option("--by", default="uac pack", show_default=True, help="The author of the change, kept in the log.")
@common_options
def import_table(
    context: CliContext,
    *,
    pack: str,
    table: str,
    file: Path,
    users: tuple[str, ...],
    everybody: bool,
    version: str,
    source: str,
    note: str,
    keep: tuple[str, ...],
    columns: tuple[str, ...],
    dry_run: bool,
    by: str,
) -> None:
    """Import the rows of FILE (.csv or .jsonl) in the place of TABLE of PACK, such as licensed data of your own.

    Each line is a row with id, regions, source, reviewed_on, reviewer, perhaps expires, and the columns that
    `uac pack show PACK --table TABLE` lists. A file with a bad row is refused. The rows are kept in each
    user's log, and the constraints run on them at once.

    \b
      uac pack import health interactions abda.csv --user ana --version 2026-11
    """
    replaced = find_pack_table(pack, table)
    imported = read_table_file(
        file, replaced, about=TableAbout(version, source, note), keep=keep, columns=_column_names(columns)
    )
    if dry_run:
        _show_checked_table(context, imported)
        return
    undo = f"undo it: uac pack restore {pack} {table}"
    what = f"{imported.table.name} {imported.table.version}, {counted(imported.rows, 'row')}"

    def patches(memory: Memory) -> tuple[list[Patch], str]:
        if memory.project().knowledge.get(imported.table.name) == imported.table:
            return [], f"{imported.table.name} {imported.table.version} is there already"
        return [Learn(knowledge=imported.table)], f"imported {what}"

    if _change_tables(context, users, everybody, patches, by=by) and not context.out.as_json:
        context.out.note(undo + (" --all" if everybody else "".join(f" --user {user}" for user in users)))


@click.command("restore")
@_table_arguments
@_user_options
@click.option("--by", default="uac pack", show_default=True, help="The author of the change, kept in the log.")
@common_options
def restore_table(
    context: CliContext, *, pack: str, table: str, users: tuple[str, ...], everybody: bool, by: str
) -> None:
    """Put TABLE of the installed PACK back in the place of an imported one."""
    restored = find_pack_table(pack, table)

    def patches(memory: Memory) -> tuple[list[Patch], str]:
        current = memory.project().knowledge.get(restored.name)
        if current is None or not current.is_imported:
            return [], f"{restored.name} is not an imported table"
        return [Learn(knowledge=restored)], f"restored {restored.name} {restored.version}"

    _change_tables(context, users, everybody, patches, by=by)


@click.command("sign")
@_table_arguments
@_user_options
@click.option("--by", required=True, help="Your name and licence, kept in the log and shown with alerts.")
@click.option("--why", required=True, help="The reason, such as what the table was checked against.")
@click.option("--digest", default="", help="Sign only if the table has this SHA-256, as `uac pack show` prints it.")
@common_options
def sign_table(
    context: CliContext,
    *,
    pack: str,
    table: str,
    users: tuple[str, ...],
    everybody: bool,
    by: str,
    why: str,
    digest: str,
) -> None:
    """Sign TABLE of PACK as the user has it: you have reviewed its rows and answer for them.

    Alerts and `uac pack show PACK --user USER` then name you. A signature is for one version of a table, by its
    digest: a table that is imported or upgraded is unsigned again. The log keeps every signature.

    \b
      uac pack sign health interactions --user ana --by "Dr. Ada Weiss, pharmacist" --why "checked row by row"
    """
    name = find_pack_table(pack, table).name

    def patches(memory: Memory) -> tuple[list[Patch], str]:
        current = memory.project().knowledge.get(name)
        if current is None:
            raise Refused(f"{name} is not in this memory yet. It comes with the first record that needs it.")
        signed = memory.project().signatures.get(name)
        if signed is not None and (signed.who, signed.why) == (by, why) and digest in ("", signed.digest):
            return [], f"{name} {current.version} is signed by {by} already"
        patch = Sign(table=name, digest=digest or current.digest, who=by, why=why)
        return [patch], f"{name} {current.version} is signed by {by} (sha256 {current.digest})"

    _change_tables(context, users, everybody, patches, by=by)


def find_pack(name: str) -> Pack:
    found = next((each for each in installed_packs() if each.name == name), None)
    if found is None:
        raise Refused(f"No pack {name!r}. Installed packs: {', '.join(each.name for each in installed_packs())}.")
    return found


def find_pack_table(pack: str, table: str) -> Knowledge:
    """The table of an installed pack, by its name with or without the pack's."""
    found = find_pack(pack)
    name = f"{pack}.{table.removeprefix(f'{pack}.')}"
    chosen = next((each for each in found.knowledge if each.name == name), None)
    if chosen is None:
        known = ", ".join(each.name.partition(".")[2] for each in found.knowledge) or "none"
        raise Refused(f"Pack {pack} has no table {table!r}. Its tables are: {known}.")
    return chosen


def _column_names(columns: tuple[str, ...]) -> dict[str, str]:
    names: dict[str, str] = {}
    for each in columns:
        theirs, sign, ours = each.partition("=")
        if not sign or not theirs or not ours:
            raise click.UsageError(f"--column: {each!r} is not THEIRS=OURS. Write a name on both sides.")
        names[theirs] = ours
    return names


def _show_checked_table(context: CliContext, imported: ImportedTable) -> None:
    table = imported.table
    if context.out.as_json:
        about = {"table": table.name, "version": table.version, "date": table.date, "source": table.source}
        context.out.json(about | {"rows": imported.rows, "kept": imported.kept, "digest": table.digest})
        return
    kept = f"; kept from the pack: {', '.join(imported.kept)}" if imported.kept else ""
    context.out.line((f"{table.name} {table.version}", "bold"), f": {counted(imported.rows, 'row')}{kept}")


def _change_tables(
    context: CliContext,
    users: tuple[str, ...],
    everybody: bool,
    patches: Callable[[Memory], tuple[list[Patch], str]],
    *,
    by: str,
) -> int:
    """Make the change for each user and print it with its alerts; returns how many users were changed.

    With --all, a user whose constraints cannot use the table is reported, and the exit code is 1.
    """
    if bool(users) == everybody:
        raise click.UsageError("Give either --user or --all.")
    changed = failed = 0
    for user, memory in _memories(context, users, everybody):
        before = memory.project().position
        try:
            made, what = patches(memory)
            position = memory.checkpoint(made, by=by, reviewed=True) if made else 0
        except Refused as error:
            if not everybody:
                raise
            failed += 1
            reasons = "; ".join(error.reasons) if isinstance(error, Rejected) else str(error)
            context.out.note(f"{user}: not changed: {reasons}")
            continue
        changed += bool(made)
        alert_events = alert_changes_to_show(memory, before)
        if context.out.as_json:
            alerts = alert_changes_json(alert_events)
            context.out.json({"user": user, "position": position, "what": what, "alerts": alerts})
            continue
        context.out.line((user, "bold"), f": {what}" + (f", entry {position}" if position else ""))
        show_alert_changes(context.out, alert_events)
    if failed:
        click.get_current_context().exit(1)
    return changed


def _memories(context: CliContext, users: tuple[str, ...], everybody: bool) -> Iterator[tuple[str, Memory]]:
    for name in [user.name for user in context.all_users()] if everybody else users:
        with closing(context.memory_for_log(context.log(name))) as memory:
            yield name, memory
