"""Backups of a store, and moves of users between stores: logs are copied row by row and keep every digest.

Indexes and snapshots are caches and stay behind. Nobody is kept from writing: of each log, the prefix up to its head at
one moment is copied. A copy that an erasure has changed halfway starts again.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO, Literal

from uac.errors import Damaged, Moved, Refused, Unavailable
from uac.log.backup_file import BackupReader, BackupWriter, Header, LogStart
from uac.log.copy_rows import check_rows
from uac.log.log import Log
from uac.log.rows import EMPTY, Head, Row
from uac.log.store import OWN, ErasedKeys, Store
from uac.log.stores.undo import UndoOnFailure

__all__ = ["Backup", "LogCopy", "Progress", "check_backup", "move_user", "restore_backup", "write_backup"]

ATTEMPTS = 20
"""How often the copy of one log starts again if words of it are erased meanwhile."""

Progress = Callable[[str, int], None]
"""Called with the name of a log and a number of entries that were copied or checked."""

State = Literal["new", "continued", "unchanged", "different"]


@dataclass(frozen=True, slots=True)
class LogCopy:
    """A log in a backup: `user` is "" for the store's own log. `state` is how it relates to the log in a store.

    *new*: the store has none. *continued*: the store has a prefix of it. *unchanged*: the store has all of it, and
    maybe more. *different*: the store has another log of that user.
    """

    user: str
    head: Head
    state: State = "new"


@dataclass(frozen=True, slots=True)
class Backup:
    """What is in a backup. `damaged` names the logs that do not verify in the store, and are not in it."""

    created: str
    logs: tuple[LogCopy, ...]
    erased_keys: int = 0
    damaged: tuple[tuple[str, str], ...] = ()

    @property
    def entries(self) -> int:
        return sum(log.head.position for log in self.logs)


def ignore_progress(_name: str, _entries: int) -> None: ...


def write_backup(
    store: Store,
    path: Path,
    *,
    created: datetime,
    users: Collection[str] = (),
    passphrase: str = "",
    replace: bool = False,
    progress: Progress = ignore_progress,
) -> Backup:
    """Write all logs of the store, and its own log, or only those of some users, into a file. It appears when whole.

    With a passphrase, it is encrypted. All words that were in the log when this is called are in it.
    """
    if path.exists() and not replace:
        raise Refused(f"backup: {path} exists. Use another name, or --force to replace it.")
    names = sorted(set(users)) if users else [OWN, *_all_users(store)]
    for name in users:
        if not store.log(name).head().position:
            raise Refused(f"backup: user {name!r} has no log in {store.address}. 'uac users' lists the users.")
    try:
        descriptor, part = mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".part")
        with os.fdopen(descriptor, "wb") as file, UndoOnFailure(Path(part).unlink):
            header = Header(created.isoformat(timespec="seconds"), len(names))
            writer = BackupWriter(file, header, passphrase=passphrase)
            backup = _write_logs(store, names, writer, header.created, progress)
            writer.finish()
            file.flush()
            os.fsync(file.fileno())
            Path(part).replace(path)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be written: {error.strerror}. Check the folder and its free space."
        ) from error
    return backup


def check_backup(
    path: Path,
    *,
    passphrase: str = "",
    store: Store | None = None,
    users: Collection[str] = (),
    progress: Progress = ignore_progress,
) -> Backup:
    """Verify a whole file: its checksum and every chain. With a store, also how each log relates to the one there."""
    with _open(path) as file:
        reader = BackupReader(file, passphrase=passphrase)
        copies: list[LogCopy] = []
        for start, rows in reader.logs():
            head = _log_of(store, start.name).head() if store is not None else EMPTY
            state = _compare(start, rows, store, head, progress)
            if not users or start.name in users:
                copies.append(LogCopy(_user_of(start), start.head, state))
        erased = sum(map(len, reader.erased_keys()))
    if missing := sorted(set(users) - {copy.user for copy in copies}):
        raise Refused(f"backup: user {missing[0]!r} is not in {path}. 'uac restore --check' lists the users in it.")
    return Backup(reader.header.created, tuple(copies), erased)


def restore_backup(
    store: Store,
    path: Path,
    *,
    passphrase: str = "",
    users: Collection[str] = (),
    progress: Progress = ignore_progress,
) -> Backup:
    """Add the logs in a file to a store: all of them with the store's own log, or only those of some users.

    The whole file is verified first, and nothing is written if the store has another log of one of the users. Each log
    is one transaction, so a restore that was interrupted is repeated and adds what is missing.
    """
    backup = check_backup(path, passphrase=passphrase, store=store, users=users, progress=progress)
    if different := [copy.user for copy in backup.logs if copy.state == "different"]:
        what = ", ".join(repr(user) if user else "the store's own log (keys and webhooks)" for user in different[:5])
        raise Refused(
            f"restore: {store.address} has other logs than the backup: {what}. Nothing was written."
            " Restore into another store, or name other users with --user."
        )
    with _open(path) as file:
        reader = BackupReader(file, passphrase=passphrase)
        for start, rows in reader.logs():
            if not users or start.name in users:
                _log_of(store, start.name).copy_rows(_counted(start.name, rows, progress), start.head)
        for digests in reader.erased_keys():
            if isinstance(store, ErasedKeys):
                store.add_erased_keys(digests)
    return backup


def move_user(
    source: Store, target: Store, user: str, *, keep: bool = False, progress: Progress = ignore_progress
) -> Head:
    """Copy a user's log to another store, verify it there, and erase it here unless `keep`; returns its head.

    Entries that are added meanwhile are copied, too: the log is erased only at the position that was copied.
    """
    _check_other_store(source, target)
    log, copied = source.log(user), target.log(user)
    with log.try_lock() as is_mine, copied.try_lock() as is_free:
        if not (is_mine and is_free):
            raise Unavailable(f"A worker learns from {user!r}, or both addresses are of one store. Try again later.")
        for _attempt in range(ATTEMPTS):
            head = log.head()
            if not head.position:
                raise Refused(f"move: user {user!r} has no log in {source.address}. 'uac users' lists the users.")
            try:
                copied.copy_rows(_counted(user, log.read_rows(1, head.position + 1), progress), head)
            except Damaged:
                if log.head() == head:
                    raise
                continue  # an erasure has changed rows meanwhile
            _copy_erased_keys(source, target)
            if chain_break := copied.verify():
                raise Damaged(f"{user}: {chain_break.problem} (in {target.address}). {source.address} is unchanged.")
            if keep:
                return head
            with suppress(Moved):
                source.erase(user, after=head.position)
                return head
    raise Unavailable(f"{user!r} is written all the time. The copy is whole; stop the writers and move again.")


def _write_logs(store: Store, names: Iterable[str], writer: BackupWriter, created: str, progress: Progress) -> Backup:
    logs: list[LogCopy] = []
    damaged: list[tuple[str, str]] = []
    for name in names:
        try:
            if (head := _write_log(_log_of(store, name), name, writer, progress)).position:
                logs.append(LogCopy("" if name == OWN else name, head))
        except Damaged as error:
            damaged.append(("" if name == OWN else name, str(error)))
    # After the logs: a user who is erased meanwhile is in one of them, or leaves keys here.
    erased = 0
    for digests in _erased_keys(store):
        writer.write_erased_keys(digests)
        erased += len(digests)
    return Backup(created, tuple(logs), erased, tuple(damaged))


def _write_log(log: Log, name: str, writer: BackupWriter, progress: Progress) -> Head:
    """Write a log up to its present head, which is returned; nothing if the user was erased."""
    for _attempt in range(ATTEMPTS):
        head = log.head()
        rows = check_rows(_counted(name, log.read_rows(1, head.position + 1), progress), head)
        try:
            if head.position:
                writer.write_log(name, head, rows)
        except Damaged:
            if log.head() == head:
                raise
            continue  # an erasure has changed rows meanwhile
        return head
    raise Damaged(f"words of {name!r} were erased again and again during the backup")


def _compare(start: LogStart, rows: Iterable[Row], store: Store | None, present: Head, progress: Progress) -> State:
    """How a log in a backup relates to the one in the store, after all its rows were verified."""
    state: State = "continued" if present.position else "new"
    label = f"The backup was altered: {_user_of(start) or 'the own log of the store'}: "
    for row in check_rows(_counted(start.name, rows, progress), start.head, label=label):
        if row.position == present.position and row.digest != present.digest:
            state = "different"
    if store is not None and present.position >= start.position:
        is_in_store = _log_of(store, start.name).contains(start.position, start.digest)
        state = "unchanged" if is_in_store else "different"
    return state


def _counted(name: str, rows: Iterable[Row], progress: Progress) -> Iterator[Row]:
    for row in rows:
        progress(name, 1)
        yield row


def _log_of(store: Store, name: str) -> Log:
    return store.own() if name == OWN else store.log(name)


def _user_of(start: LogStart) -> str:
    return "" if start.name == OWN else start.name


def _all_users(store: Store) -> list[str]:
    names: list[str] = []
    while page := store.users(after=names[-1] if names else ""):
        names += [user.name for user in page]
    return names


def _erased_keys(store: Store) -> Iterator[tuple[bytes, ...]]:
    last = b""
    while isinstance(store, ErasedKeys) and (digests := store.erased_keys(after=last)):
        yield digests
        last = digests[-1]


def _copy_erased_keys(source: Store, target: Store) -> None:
    """Those of all users: which of the digests are of this user cannot be seen, and must not be."""
    for digests in _erased_keys(source):
        if isinstance(target, ErasedKeys):
            target.add_erased_keys(digests)


def _check_other_store(source: Store, target: Store) -> None:
    is_same = source is target or source.address == target.address != "memory:"
    with suppress(OSError, ValueError):  # a database, which has no file
        is_same = is_same or Path(source.address).samefile(target.address)
    if is_same:
        raise Refused(f"move: {target.address} is the same store. Name another one with --to.")


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise Refused(f"backup: {path} cannot be read: {error.strerror}. Check the path.") from None
