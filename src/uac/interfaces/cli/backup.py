"""uac backup, restore, move: copy the logs of a store to a file, from a file, and to another store."""

import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import click

from uac.errors import Refused
from uac.interfaces.cli.completion import complete_user_names
from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.interfaces.cli.output import ProgressBar
from uac.log.backup_file import is_encrypted
from uac.log.backups import Backup, LogCopy, Progress, check_backup, move_user, restore_backup, write_backup
from uac.log.rows import Head
from uac.log.stores import open_store
from uac.schema.safe_text import counted

__all__ = ["backup", "move", "restore"]

_users_option = click.option(
    "--user",
    "users",
    multiple=True,
    metavar="USER",
    shell_complete=complete_user_names,
    help="Only this user; may be repeated. The keys and webhooks of the service are left out.",
)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_users_option
@click.option(
    "--encrypt", is_flag=True, help="Encrypt with a passphrase: $UAC_BACKUP_PASSPHRASE, or typed at the terminal."
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@common_options
def backup(context: CliContext, *, file: Path, users: tuple[str, ...], encrypt: bool, force: bool) -> None:
    """Write the logs of all users, and the keys and webhooks of the service, to FILE.

    Programs may go on writing: of each log, all that was stored before the command began is in the file. Every chain
    is verified on the way; the exit code is 1 if a log is broken, which is then left out. The search index is not in
    the file, and is built again when it is needed.

    A backup keeps words that are erased later: delete old backups after an erasure.

    \b
      uac backup memory.backup --encrypt
      uac restore memory.backup --check
    """
    store = context.store()
    passphrase = _passphrase(confirm=True) if encrypt else ""
    total = sum(user.entries for user in context.all_users() if not users or user.name in users)
    with context.out.progress("backup", total) as bar:
        written = write_backup(
            store,
            file,
            created=context.now(),
            users=users,
            passphrase=passphrase,
            replace=force,
            progress=_advance(bar),
        )
    for user, problem in written.damaged:
        context.out.note(f"{user or 'the own log of the store'} is not in the backup: {problem}")
    size = file.stat().st_size
    if context.out.as_json:
        damaged = [{"user": user, "problem": problem} for user, problem in written.damaged]
        context.out.json(
            {"file": str(file), "bytes": size, "encrypted": encrypt, "damaged": damaged, **_summary(written)}
        )
    else:
        context.out.line((str(file), "bold"), f": {_totals(written)}, {size:,} bytes{', encrypted' if encrypt else ''}")
    sys.exit(1 if written.damaged else 0)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_users_option
@click.option("--check", is_flag=True, help="Verify FILE and list the logs in it; no store is used.")
@click.option("--dry-run", is_flag=True, help="Verify FILE and show what would be restored.")
@common_options
def restore(context: CliContext, *, file: Path, users: tuple[str, ...], check: bool, dry_run: bool) -> None:
    """Add the logs in FILE to the store, with the same positions, times and digests.

    The whole file is verified before anything is written. A user who exists must have the same log, or the beginning
    of it, which is then continued; nothing is written if one has another log. So a restore that was interrupted can be
    repeated, and words that were erased in the store stay erased. A user who was erased with --leave-nothing comes
    back.

    \b
      uac restore memory.backup --check
      uac restore memory.backup --store postgresql://localhost/memory
    """
    passphrase = _passphrase() if _is_file_encrypted(file) else ""
    if check:
        with _progress(context, file) as bar:
            found = check_backup(file, passphrase=passphrase, users=users, progress=_advance(bar))
    else:
        store = context.store(create=not dry_run)
        with _progress(context, file) as bar:
            work = check_backup if dry_run else restore_backup
            found = work(store=store, path=file, passphrase=passphrase, users=users, progress=_advance(bar))
    for copy in found.logs:
        _show_log(context, copy, "" if check else copy.state)
    if context.out.as_json:
        context.out.json({"file": str(file), **_summary(found)})
    else:
        done = "verified" if check or dry_run else "restored"
        context.out.line((str(file), "bold"), f": {_totals(found)}, of {found.created}, ", (done, "green"))
    sys.exit(1 if any(copy.state == "different" for copy in found.logs) else 0)


@click.command()
@user_argument()
@click.option("--to", "target", required=True, metavar="URL", help="The other store: a path or postgresql://…")
@click.option("--keep", is_flag=True, help="Copy only: do not erase the user here.")
@common_options
def move(context: CliContext, *, user: str, target: str, keep: bool) -> None:
    """Move USER to another store, with the same positions, times and digests.

    The log is copied and verified there, and then erased here, with the id. Entries that are written meanwhile are
    copied, too. Programs that go on writing to the old store start a new log there.

    \b
      uac move ana --to postgresql://localhost/memory
      uac move ana --to other.db --keep
    """
    context.check_operator("move a log")
    log = context.log(user)
    other = open_store(target, clock=context.now)
    click.get_current_context().call_on_close(other.close)
    with context.out.progress(user, log.head().position) as bar:
        head = move_user(context.store(), other, user, keep=keep, progress=_advance(bar))
    if context.out.as_json:
        context.out.json({"user": user, "to": other.address, "kept": keep, **_head_json(head)})
    else:
        done = "copied" if keep else "moved"
        context.out.line((user, "bold"), f": {done} to {other.address}, {_head_text(head)}")


def _passphrase(*, confirm: bool = False) -> str:
    if passphrase := os.environ.get("UAC_BACKUP_PASSPHRASE"):
        return passphrase
    if not sys.stdin.isatty():
        raise click.UsageError(
            "The passphrase is missing. Set UAC_BACKUP_PASSPHRASE, or run the command at a terminal."
        )
    typed: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
    return typed


def _is_file_encrypted(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return is_encrypted(file)
    except OSError as error:
        raise Refused(f"backup: {path} cannot be read: {error.strerror}. Check the path.") from None


def _advance(bar: ProgressBar) -> Progress:
    return lambda _name, _entries: bar.advance()


def _progress(context: CliContext, file: Path) -> AbstractContextManager[ProgressBar]:
    """A bar without an end: how many entries a file has is known when it has been read."""
    return context.out.progress(file.name, None)


def _show_log(context: CliContext, copy: LogCopy, state: str) -> None:
    if context.out.as_json:
        context.out.json({"user": copy.user, **_head_json(copy.head), **({"state": state} if state else {})})
        return
    name = (copy.user, "bold") if copy.user else ("keys and webhooks", "dim")
    context.out.line(name, f": {_head_text(copy.head)}{f', {state}' if state else ''}")


def _summary(found: Backup) -> dict[str, object]:
    users = sum(bool(copy.user) for copy in found.logs)
    return {"created": found.created, "users": users, "entries": found.entries, "erased_keys": found.erased_keys}


def _totals(found: Backup) -> str:
    users = sum(bool(copy.user) for copy in found.logs)
    return f"{counted(users, 'user')}, {counted(found.entries, 'entry')}"


def _head_json(head: Head) -> dict[str, object]:
    return {"entries": head.position, "head": head.digest.hex()}


def _head_text(head: Head) -> str:
    return f"{counted(head.position, 'entry')}, head {head.position}:{head.digest.hex()}"
