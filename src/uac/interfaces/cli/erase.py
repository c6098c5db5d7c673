"""uac erase: permanently destroy text."""

import sys

import click

from uac.errors import Refused
from uac.interfaces.cli.alerts import AlertEvent, alert_changes_json, alert_changes_to_show, show_alert_changes
from uac.interfaces.cli.log import entry_json, log_entry_line
from uac.interfaces.cli.options import CliContext, Positions, common_options, user_argument
from uac.interfaces.service.learning_failures import clear_learning_failure
from uac.interfaces.service.tenants import split_user_id
from uac.log.log import Log
from uac.log.staging import remove_staged_files
from uac.log.store import GROUP
from uac.schema.safe_text import counted

__all__ = ["erase"]


@click.command()
@user_argument()
@click.argument("positions", nargs=-1, type=Positions())
@click.option("--all", "everything", is_flag=True, help="Erase every entry of the user.")
@click.option("--leave-nothing", is_flag=True, help="With --all: also remove the chain and the user's id.")
@click.option("--why", help="The reason, kept in the erasure entry; required unless --leave-nothing.")
@click.option("--dry-run", is_flag=True, help="Show what would be erased, without erasing it.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common_options
def erase(
    context: CliContext,
    *,
    user: str,
    positions: tuple[range, ...],
    everything: bool,
    leave_nothing: bool,
    why: str | None,
    dry_run: bool,
    yes: bool,
) -> None:
    """Destroy the text at POSITIONS of USER's log, and in every entry that depends on it.

    Positions, times and digests stay, so that the log still verifies; an entry records when and why.
    This cannot be undone. Backups and copies outside the store are not affected. Copies in groups that USER shares
    records with are erased, too; with --all also everything that USER said in groups, and the memberships end.

    \b
      uac erase ana 3 5-8 --why "asked by Ana" --dry-run
      uac erase ana --all --leave-nothing --yes
    """
    if everything == bool(positions):
        raise click.UsageError("Give either POSITIONS or --all.")
    if leave_nothing and not everything:
        raise click.UsageError("--leave-nothing requires --all. Add it, or drop --leave-nothing.")
    if why is None and not leave_nothing and not dry_run:
        raise click.UsageError("--why is missing. Give the reason; it stays in the log.")
    if everything and not dry_run:
        context.check_admin(user)
    if everything and yes and not dry_run and remove_staged_files(context.store(), user):
        context.out.note("files that waited to be imported are removed")
        if not context.store().log(user).head().position:
            return
    log = context.log(user)
    chosen = _all_erasable_positions(log) if everything else _chosen_positions(log, positions)
    reached = log.reach(chosen)
    if dry_run:
        _show_entries_to_erase(context, log, reached)
        return
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("Erasing cannot be undone. Give --yes to erase without confirmation.")
        _show_entries_to_erase(context, log, reached)
        click.confirm(f"Permanently destroy the text of {counted(len(reached), 'entry')}?", abort=True, err=True)
    tenant, own_id = split_user_id(user)
    if everything:
        remove_staged_files(context.store(), user)
    if everything and not own_id.startswith(GROUP):
        context.groups(tenant).erase_member(own_id)  # first: if it fails, it can be repeated
    if leave_nothing:
        context.store().erase(user)
        clear_learning_failure(context.store().address, user)
        _show_erasure(context, user, reached, left=False)
        return
    assert why is not None
    memory = context.memory(user)
    before = log.head().position
    reached = log.erase(chosen, why=why)
    try:
        memory.look()  # the remaining records may give other alerts
        for group in context.groups_of(user):
            group.withdraw(own_id)  # copies of erased records are erased, too
    finally:  # the text is destroyed, whatever the constraints do
        _show_erasure(context, user, reached, alert_changes_to_show(memory, before))


def _show_erasure(
    context: CliContext,
    user: str,
    reached: tuple[int, ...],
    alert_events: tuple[AlertEvent, ...] = (),
    *,
    left: bool = True,
) -> None:
    if context.out.as_json:
        context.out.json(
            {"user": user, "erased": list(reached), "left": left, "alerts": alert_changes_json(alert_events)}
        )
        return
    context.out.line((user, "bold"), f": the text of {counted(len(reached), 'entry')} is destroyed")
    show_alert_changes(context.out, alert_events)


def _all_erasable_positions(log: Log) -> set[int]:
    """Every entry except earlier erasures, which stay."""
    return {stored.position for stored in log.read() if stored.kind != "erasure"}


def _chosen_positions(log: Log, positions: tuple[range, ...]) -> set[int]:
    end = log.head().position
    for chosen in positions:
        if chosen.start < 1 or chosen.stop - 1 > end:
            last = chosen.stop - 1
            missing = f"entry {last}" if chosen.start == last else f"entries {chosen.start} to {last}"
            raise Refused(f"No {missing}. The log has entries 1 to {end}.")
    return {position for chosen in positions for position in chosen}


def _show_entries_to_erase(context: CliContext, log: Log, reached: tuple[int, ...]) -> None:
    for position in reached:
        stored = next(log.read(position))
        if context.out.as_json:
            context.out.json(entry_json(stored))
        else:
            context.out.line((f"{position:>6}", "cyan"), f"  {log_entry_line(stored.entry)}")
