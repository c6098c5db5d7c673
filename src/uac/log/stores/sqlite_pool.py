"""Access to one SQLite file: its connections, transactions and errors, and what a fork does to them."""

import os
import sqlite3
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from uac.errors import Full, NotAStore, ReadOnly, StoreError, Unavailable
from uac.log.stores.undo import UndoOnFailure

__all__ = [
    "BUSY_SECONDS",
    "Connect",
    "SqlitePool",
    "connect_file",
    "immediate_transaction",
    "is_open_here",
    "read_transaction",
    "set_pragmas",
    "translate_sqlite_errors",
]

BUSY_SECONDS = 30.0

Connect = Callable[[str], sqlite3.Connection]


class SqlitePool:
    """Idle connections to one file. Each is used by one thread at a time, and never after a fork."""

    def __init__(self, path: Path, connect: Connect) -> None:
        self._path = path
        self.lock_file = path.with_name(f"{path.name}-lock")
        self._connect = connect
        self._idle: deque[sqlite3.Connection] = deque()
        self.file: tuple[int, int] | None = None
        self._closed = threading.Event()
        self.write_lock = threading.RLock()
        with _FORKING:
            _POOLS.append(weakref.ref(self, _POOLS.remove))

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        if self._closed.is_set():
            raise Unavailable(f"{self._path}: the store is closed. Open it again.")
        if self.file and self.file != _file_identity(self._path):
            raise Unavailable(f"{self._path} was removed or replaced while it was open. Open the store again.")
        with translate_sqlite_errors(self._path):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect(str(self._path))
            self.file = self.file or _file_identity(self._path)
            with UndoOnFailure(connection.close):
                yield connection
        self._idle.append(connection)
        if self._closed.is_set():  # by another thread, meanwhile
            self.close_idle()

    @property
    def is_open(self) -> bool:
        return not self._closed.is_set()

    def close_idle(self) -> None:
        """Close the idle connections; the next use opens new ones."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def close(self) -> None:
        self._closed.set()
        self.close_idle()


def _file_identity(path: Path) -> tuple[int, int] | None:
    """Identifies the file at a path: an open connection would keep writing to a removed one, losing the words."""
    try:
        status = os.stat(path)  # noqa: PTH116 - twice as fast as Path.stat, and on the way of every append
    except OSError:
        return None
    return status.st_dev, status.st_ino


# SQLite counts its locks per process and does not notice a fork: a child that inherits open connections
# believes it holds locks it does not hold, and loses what it appends. So none is open while a process forks.
_FORKING = threading.RLock()
_POOLS: list["weakref.ref[SqlitePool]"] = []


def _lock_sqlite_before_fork() -> None:
    _FORKING.acquire()
    for pool in filter(None, [reference() for reference in tuple(_POOLS)]):
        pool.write_lock.acquire()
        pool.close_idle()


def _unlock_sqlite_after_fork() -> None:
    for pool in filter(None, [reference() for reference in tuple(_POOLS)]):
        pool.write_lock.release()
    _FORKING.release()


os.register_at_fork(
    before=_lock_sqlite_before_fork, after_in_parent=_unlock_sqlite_after_fork, after_in_child=_unlock_sqlite_after_fork
)


def is_open_here(path: Path) -> bool:
    """Whether this process has the file open through some path."""
    pools = filter(None, [reference() for reference in tuple(_POOLS)])
    return _file_identity(path) in [pool.file for pool in pools if pool.file and pool.is_open]


def connect_file(path: str) -> sqlite3.Connection:
    # mode=rw never creates: a file that vanished must not come back empty.
    uri = f"{Path(path).absolute().as_uri()}?mode=rw"
    return set_pragmas(
        sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    )


def set_pragmas(connection: sqlite3.Connection) -> sqlite3.Connection:
    with UndoOnFailure(connection.close):
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
    return connection


@contextmanager
def immediate_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    with UndoOnFailure(partial(_roll_back, connection)):
        yield
        connection.execute("COMMIT")


@contextmanager
def read_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All reads of the block see one state of the file. Inside another transaction, they see that one's."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    with UndoOnFailure(partial(_roll_back, connection)):
        yield
        connection.execute("COMMIT")


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


@contextmanager
def translate_sqlite_errors(path: Path) -> Iterator[None]:
    """Raise errors of SQLite as errors of this package."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise Full(f"{path}: no room is left on the disk. Nothing was written: make room first.") from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
            raise ReadOnly(
                f"{path} can be read but not written. Check the permissions of the file and its folder."
            ) from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Unavailable(f"{path} was locked by another process for {BUSY_SECONDS:.0f} s. Try again.") from error
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise NotAStore(
                f"{path} is damaged or not a SQLite file ({error}). It was not changed:"
                " restore a backup, or use another path."
            ) from error
        if code == sqlite3.SQLITE_CANTOPEN:
            raise Unavailable(
                f"{path} cannot be opened. Check that it exists and that its folder can be written."
            ) from error
        raise StoreError(f"{path}: {error}") from error
