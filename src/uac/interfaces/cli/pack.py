"""uac pack: list packs, test and create your own, upgrade users, and bring in tables of your own."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click

from uac.constraints.try_pack import try_pack
from uac.errors import Refused, Rejected
from uac.importing.table_files import table_columns
from uac.interfaces.cli.alerts import alert_changes_json, alert_changes_to_show, show_alert_changes
from uac.interfaces.cli.click_groups import Group
from uac.interfaces.cli.completion import complete_pack_names, complete_table_names, complete_user_names
from uac.interfaces.cli.options import CliContext, common_options
from uac.interfaces.cli.pack_cases import try_cases
from uac.interfaces.cli.pack_tables import find_pack, find_pack_table, import_table, restore_table, sign_table
from uac.interfaces.cli.pack_versions import diff_packs
from uac.packs import (
    VERDICTS,
    CheckedRows,
    Pack,
    RowCheck,
    checked_rows,
    chosen_packs,
    installed_packs,
    load_pack,
    table_rows,
)
from uac.packs.table_shapes import ORIGIN
from uac.packs.template import write_template
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.table_reviews import table_review
from uac.schema.constraints import Knowledge
from uac.schema.patches import describe_patch
from uac.schema.safe_text import counted

__all__ = ["pack"]

ROW_LABELS = {stored: column for column, stored in ORIGIN.items()}


@click.group(cls=Group)
def pack() -> None:
    """Packs: ready-made domains with types, constraints, cases and tables, available to every user."""


pack.add_command(diff_packs)
pack.add_command(import_table)
pack.add_command(restore_table)
pack.add_command(sign_table)
pack.add_command(try_cases)


@pack.command("list")
@common_options
def list_packs(context: CliContext) -> None:
    """List the installed packs; $UAC_PACKS chooses among them."""
    chosen = {each.name for each in chosen_packs()}
    for each in installed_packs():
        if context.out.as_json:
            context.out.json(_pack_json(each) | {"on": each.name in chosen})
            continue
        off = "" if each.name in chosen else "  (off: UAC_PACKS)"
        counts = f"{counted(len(each.types), 'type')}, {counted(len(each.constraints), 'constraint')}"
        context.out.line((f"{each.name} {each.version}", "bold"), f"  {counts}: {each.summary}{off}")


@pack.command("show")
@click.argument("name", shell_complete=complete_pack_names)
@click.option(
    "--row", default="", metavar="ID", help="Only the rows of its tables with this id or name, as an alert names them."
)
@click.option(
    "--table",
    default="",
    shell_complete=complete_table_names,
    help="Only this table: its columns, as a file for `uac pack import` has them.",
)
@click.option(
    "--user", default="", shell_complete=complete_user_names, help="The tables as this user has them, and who signed."
)
@common_options
def show_pack(context: CliContext, *, name: str, row: str, table: str, user: str) -> None:
    """Show the types (with their fields), constraints and tables of the pack NAME, or one row of a table.

    \b
      uac pack show health --row nitrates-pde5-inhibitors
      uac pack show health --table interactions
    """
    chosen = find_pack(name)
    project = context.memory(user).project() if user else EMPTY_PROJECT
    tables = [project.knowledge.get(each.name, each) for each in chosen.knowledge]
    if table:
        _show_table_columns(context, find_pack_table(name, table))
    elif row:
        _show_table_rows(context, chosen, project, tables, row)
    elif context.out.as_json:
        context.out.json(_pack_json(chosen) | {"knowledge": [_table_json(chosen, project, each) for each in tables]})
    else:
        _show_pack_parts(context, chosen)
        for each in tables:
            imported = "imported " if each.is_imported else ""
            context.out.line(
                f"  {each.name} {each.version} ({imported}{each.date})  ", (f"{each.note}; {each.source}", "dim")
            )
            context.out.line((f"      {table_review(project, each.name)}; sha256 {each.digest}", "dim"))
            context.out.line((f"      against sources: {_counts_in_words(checked_rows(chosen.folder, each))}", "dim"))


def _show_pack_parts(context: CliContext, chosen: Pack) -> None:
    context.out.line((f"{chosen.name} {chosen.version}", "bold"), f" ({chosen.date}): {chosen.summary}")
    for type_ in chosen.types:
        key = f", key {', '.join(type_.key)}" if type_.key else ""
        context.out.line(f"  {type_.full_name}  ", (f"{type_.cardinality}{key}: {type_.doc}", "dim"))
        for part in type_.fields:
            context.out.line(f"      {part.name}: {part.type}", (f"  {part.doc}" if part.doc else "", "dim"))
    for constraint in chosen.constraints:
        context.out.line(f"  {constraint.name}  ", (_pack_constraint_doc(constraint.code, constraint.name), "dim"))


def _show_table_columns(context: CliContext, table: Knowledge) -> None:
    columns = table_columns(table)
    if context.out.as_json:
        names = ("section", "column", "holds", "required")
        context.out.json({"table": table.name, "columns": [dict(zip(names, each, strict=True)) for each in columns]})
        return
    context.out.line(
        (table.name, "bold"), f": the columns of a file for 'uac pack import {table.name.replace('.', ' ')}'"
    )
    for section, column, holds, is_required in columns:
        place = f"{section}: " if section else ""
        context.out.line(f"  {place}{column}", (f"  {holds}{'' if is_required else ' (may be empty)'}", "dim"))


def _show_table_rows(
    context: CliContext, chosen: Pack, project: Project, tables: Sequence[Knowledge], row: str
) -> None:
    found = [(table, one) for table in tables for id_, one in table_rows(table) if id_ == row.removeprefix("#")]
    if not found:
        raise Refused(f"No row {row!r} in the tables of {chosen.name}. Use an id that an alert names, such as #ID.")
    for table, one in found:
        review = table_review(project, table.name)
        check = checked_rows(chosen.folder, table).of_row(row.removeprefix("#"))
        if context.out.as_json:
            about = {"table": table.name, "version": table.version, "date": table.date, "source": table.source}
            context.out.json(about | {"review": review, "row": one, "check": check and asdict(check)})
            continue
        context.out.line((f"{table.name} {table.version}", "bold"), f" ({table.date})  ", (table.source, "dim"))
        context.out.line((f"  {review}", "dim"))
        for name, value in one.items() if isinstance(one, dict) else [("value", one)]:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            context.out.line(f"  {ROW_LABELS.get(name, name)}: {text}")
        if check is None:
            context.out.line("  check: not held against a source as it is now")
        else:
            note = f" ({check.note})" if check.note else ""
            context.out.line(f"  check: {check.verdict}, {_check_in_words(check)}{note}")


@pack.command("test")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-k", "only", default="", metavar="TEXT", help="Only constraints whose name contains TEXT.")
@common_options
def test_pack(context: CliContext, *, folder: Path, only: str) -> None:
    """Test the pack in FOLDER: its files are read, its types checked, and all cases run in the sandbox.

    Types of the other installed packs are available, too. The exit code is 1 if something fails.
    """
    loaded = load_pack(folder)
    failures = 0
    for proof in try_pack(loaded, only=only):
        failures += bool(proof.why)
        if context.out.as_json:
            context.out.json(
                {"constraint": proof.constraint, "case": proof.case, "ok": not proof.why, "why": proof.why}
            )
        elif proof.why:
            context.out.line(("FAILED  ", "red"), f"{proof.constraint} / {proof.case}: {proof.why}")
    if not context.out.as_json:
        cases = sum(len(each.cases) for each in loaded.constraints)
        summary = f"{counted(len(loaded.types), 'type')}, {counted(len(loaded.constraints), 'constraint')}"
        context.out.line((loaded.name, "bold"), f": {summary}, {counted(cases, 'case')}, {failures or 'none'} failed")
    if failures:
        raise SystemExit(1)


@pack.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@common_options
def new_pack(context: CliContext, *, folder: Path) -> None:
    """Write a small pack to FOLDER, to start from. Its name is the folder's."""
    for path in write_template(folder):
        context.out.line(f"wrote {path}")
    context.out.note(f"try it: uac pack test {folder}")


@pack.command("upgrade")
@click.argument("users", nargs=-1)
@common_options
def upgrade_packs(context: CliContext, *, users: tuple[str, ...]) -> None:
    """Upgrade the types, tables and constraints of USERS (default: all) to the installed pack versions.

    The log keeps constraints and tables as they were adopted, so that the same log gives the same alerts. An upgrade
    is a checkpoint like any other, and can be retracted.
    """
    for name in users or tuple(user.name for user in context.all_users()):
        with closing(context.memory_for_log(context.log(name))) as memory:
            before = memory.project().position
            try:
                patches = memory.upgrade()
            except Rejected as error:
                if len(users) == 1:
                    raise
                context.out.note(f"{name}: not upgraded: {'; '.join(error.reasons)}")
                continue
            alert_events = alert_changes_to_show(memory, before)
        if context.out.as_json:
            context.out.json({"user": name, "patches": len(patches), "alerts": alert_changes_json(alert_events)})
        elif patches or users:
            what = ", ".join(describe_patch(patch) for patch in patches) or "nothing to upgrade"
            context.out.line((name, "bold"), f": {what}")
            show_alert_changes(context.out, alert_events)


def _pack_json(pack_: Pack) -> dict[str, object]:
    return {
        "name": pack_.name,
        "version": pack_.version,
        "date": pack_.date,
        "summary": pack_.summary,
        "types": [type_.full_name for type_ in pack_.types],
        "constraints": [each.name for each in pack_.constraints],
        "knowledge": [{"name": t.name, "version": t.version, "date": t.date, "note": t.note} for t in pack_.knowledge],
    }


def _table_json(pack_: Pack, project: Project, table: Knowledge) -> dict[str, object]:
    about = {"name": table.name, "version": table.version, "date": table.date, "note": table.note}
    review = {"review": table_review(project, table.name), "imported": table.is_imported, "digest": table.digest}
    return about | {"source": table.source} | review | {"checks": _check_counts(checked_rows(pack_.folder, table))}


def _check_counts(checked: CheckedRows) -> dict[str, int]:
    return {**{verdict: checked.count(verdict) for verdict in VERDICTS}, "unchecked": len(checked.unchecked)}


def _check_in_words(check: RowCheck) -> str:
    if check.verdict == "ours":
        return "our own wording or reading: nothing to look up"
    return f"read on {check.read_on}: {check.source}" if check.source else f"looked for on {check.read_on}"


def _counts_in_words(checked: CheckedRows) -> str:
    return ", ".join(f"{count:,} {verdict}" for verdict, count in _check_counts(checked).items())


def _pack_constraint_doc(code: str, name: str) -> str:
    from uac.schema.constraint_code import read_constraint

    return read_constraint(name, code).doc
