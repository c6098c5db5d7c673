"""Many users' logs in one SQLite file, in WAL mode: safe with many threads and several processes."""

import errno
import os
import sqlite3
import threading
import time
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path

from uac.errors import Full, NewerFormat, NoStore, NotAStore, ReadOnly, StoreError, Unavailable
from uac.log.clock import Clock, wall_clock
from uac.log.index import IndexBlocks
from uac.log.log import Log
from uac.log.retry_keys import retry_keys
from uac.log.rows import EMPTY, Blank, Head, Row, read_pages
from uac.log.store import OWN, User, check_user, erased_key, time_of_head
from uac.log.stores.sqlite_index import SCHEMA_WITH_INDEX, SqliteIndex, unindex_positions, unindex_user
from uac.schema.diagnostics import Diagnostic

__all__ = ["SqliteStore"]

APPLICATION = 0x55614331  # 'UaC1', written into the file's header
SCHEMA = 1  # of a new file; it gets an index, and another number, with the first search
GROUP = 25  # rows written by one statement: a tenth faster than one by one
BUSY_SECONDS = 30.0
RETRY_SECONDS = 0.02
FINISHING_SECONDS = 2  # how long finishing another process's erasure waits for locks; it is tried again later

Connect = Callable[[str], sqlite3.Connection]


class SqliteStore:
    """Keeps logs in one SQLite file."""

    def __init__(
        self, path: Path, *, create: bool = True, clock: Clock = wall_clock, connect: Connect | None = None
    ) -> None:
        self.path = path
        self._clock = clock
        connect = connect or _connect_file
        self._pool = _SqlitePool(path.absolute(), connect)
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            if not create:
                raise NoStore(f"There is no store at {path}. Check the path, or add an entry to create it.") from None
            _create_file(path, connect)
        except OSError as error:
            raise Unavailable(
                f"{path} cannot be reached: {error.strerror}. Check the path and its permissions."
            ) from error
        _check_header(path)
        with self._pool.connection() as connection:
            _check_schema(connection, path)
            self._was_interrupted = bool(_unfinished_erasures(connection))
        if self._was_interrupted:
            self.finish_erasures()

    @property
    def address(self) -> str:
        return str(self.path)

    def log(self, user: str) -> Log:
        return Log(_SqliteRows(self._pool, check_user(user)), self._clock)

    def own(self) -> Log:
        return Log(_SqliteRows(self._pool, OWN), self._clock)

    def users(self, *, after: str = "", limit: int = 1000) -> tuple[User, ...]:
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT name, position, digest, at FROM users WHERE name > ? AND position > 0 ORDER BY name LIMIT ?",
                (max(after, OWN), limit),
            ).fetchall()
        return tuple(
            User(name, position, time_of_head(Head(position, digest, at))) for name, position, digest, at in rows
        )

    def erase(self, user: str) -> None:
        check_user(user)
        with self._pool.write_lock, self._pool.connection() as connection, _immediate_transaction(connection):
            number, head = _find_user(connection, user)
            if number is not None:
                keys = retry_keys(read_pages(partial(_select_page, connection, user), 1, None))
                _SqliteWriting(connection, user, number, head).remember(keys)
                unindex_user(connection, number)
                connection.execute("DELETE FROM entries WHERE user = ?", (number,))
                connection.execute("DELETE FROM erased WHERE user = ?", (number,))
                connection.execute("DELETE FROM users WHERE id = ?", (number,))
            connection.execute(_SCRUB_DUE)
        with self._pool.write_lock, self._pool.connection() as connection:
            _scrub_file(connection)

    def finish_erasures(self) -> bool:
        try:
            with self._pool.connection() as connection:
                if not _unfinished_erasures(connection):
                    return True
            with self._pool.write_lock, self._pool.connection() as connection:
                connection.execute(f"PRAGMA busy_timeout = {FINISHING_SECONDS * 1000}")
                _scrub_file(connection)
                connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
        except StoreError:  # in use, full or read-only: findings() reports it
            return False
        return True

    def findings(self) -> tuple[Diagnostic, ...]:
        return (*_file_findings(self.path, self._pool), self._erasure_finding())

    def _erasure_finding(self) -> Diagnostic:
        with self._pool.connection() as connection:
            is_due = bool(_unfinished_erasures(connection))
        if is_due:
            remedy = "run 'uac doctor' again when no other program reads the file, and with as much free disk as it has"
            return Diagnostic("problem", "an erasure was interrupted: erased words may be left in free pages", remedy)
        if self._was_interrupted:
            return Diagnostic("note", "an erasure had been interrupted; opening the store has finished it")
        return Diagnostic("ok", "no erasure is unfinished")

    def close(self) -> None:
        self._pool.close()


class _SqlitePool:
    """Idle connections to one file. Each is used by one thread at a time, and never after a fork."""

    def __init__(self, path: Path, connect: Connect) -> None:
        self._path = path
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
        with _translate_errors(self._path):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect(str(self._path))
            self.file = self.file or _file_identity(self._path)
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
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
_POOLS: list["weakref.ref[_SqlitePool]"] = []


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


class _SqliteRows:
    """One user's rows."""

    def __init__(self, pool: _SqlitePool, user: str) -> None:
        self._pool = pool
        self._user = user
        self._index = SqliteIndex(self._reading_index, self._writing_index)

    def head(self) -> Head:
        with self._pool.connection() as connection:
            return _find_user(connection, self._user)[1]

    def read(self, start: int, stop: int | None) -> Iterator[Row]:
        return read_pages(self._fetch_page, start, stop)

    def _fetch_page(self, first: int, last: int, limit: int) -> list[Row]:
        with self._pool.connection() as connection:
            return _select_page(connection, self._user, first, last, limit)

    @contextmanager
    def writing(self) -> Iterator["_SqliteWriting"]:
        # The lock queues this process's threads in order; SQLite's own lock only polls.
        with self._pool.write_lock, self._pool.connection() as connection, _immediate_transaction(connection):
            user, head = _find_user(connection, self._user)
            yield _SqliteWriting(connection, self._user, user, head)

    def is_remembered(self, keys: Collection[bytes]) -> bool:
        with self._pool.connection() as connection:
            return any(_find_user(connection, erased_key(self._user, key))[0] is not None for key in keys)

    def scrub(self) -> None:
        with self._pool.write_lock, self._pool.connection() as connection:
            _scrub_file(connection)

    def index(self) -> IndexBlocks:
        return self._index

    @contextmanager
    def _reading_index(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._pool.connection() as connection:
            yield connection, _find_user(connection, self._user)[0] or 0

    @contextmanager
    def _writing_index(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._pool.write_lock, self._pool.connection() as connection, _immediate_transaction(connection):
            yield connection, _find_user(connection, self._user)[0] or 0


class _SqliteWriting:
    def __init__(self, connection: sqlite3.Connection, name: str, user: int | None, head: Head) -> None:
        self.head = head
        self._connection = connection
        self._name = name
        self._user = user

    def find(self, keys: Collection[bytes]) -> Mapping[bytes, int]:
        found: dict[bytes, int] = {}
        for key in keys:
            row = self._connection.execute(
                "SELECT position FROM entries WHERE user = ? AND key = ?", (self._user, key)
            ).fetchone()
            if row:
                found[key] = row[0]
        return found

    def remember(self, keys: Collection[bytes]) -> None:
        self._connection.executemany(
            "INSERT INTO users (name, position, digest, at) VALUES (?, 0, x'', '') ON CONFLICT DO NOTHING",
            [(erased_key(self._name, key),) for key in keys],
        )

    def insert(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        last = rows[-1]
        if self._user is None:
            self._user = self._connection.execute(
                "INSERT INTO users (name, position, digest, at) VALUES (?, ?, ?, ?)",
                (self._name, last.position, last.digest, last.at),
            ).lastrowid
        else:
            self._connection.execute(
                "UPDATE users SET position = ?, digest = ?, at = ? WHERE id = ?",
                (last.position, last.digest, last.at, self._user),
            )
        values = [(self._user, *row[:8]) for row in rows]
        rest = len(values) % GROUP
        for start in range(0, len(values) - rest, GROUP):
            self._connection.execute(_INSERT_GROUP, tuple(chain.from_iterable(values[start : start + GROUP])))
        self._connection.executemany(_INSERT, values[len(values) - rest :])

    def blank(self, blanks: Sequence[Blank]) -> None:
        self._connection.executemany(
            "UPDATE entries SET body = ?, salt = ? WHERE user = ? AND position = ?",
            [(blank.body, blank.salt, self._user, blank.position) for blank in blanks],
        )
        self._connection.executemany(
            "INSERT INTO erased (user, position, commitment) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(self._user, blank.position, blank.commitment) for blank in blanks],
        )
        if self._user is not None:
            unindex_positions(self._connection, self._user, [blank.position for blank in blanks])
        self._connection.execute(_SCRUB_DUE)


_INSERT = (
    "INSERT INTO entries (user, position, at, kind, form, body, salt, digest, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_GROUP = _INSERT + ", (?, ?, ?, ?, ?, ?, ?, ?, ?)" * (GROUP - 1)


def _select_page(connection: sqlite3.Connection, user: str, first: int, last: int, limit: int) -> list[Row]:
    rows = connection.execute(
        "SELECT e.position, e.at, e.kind, e.form, e.body, e.salt, e.digest, e.key, c.commitment"
        " FROM users AS u JOIN entries AS e ON e.user = u.id"
        " LEFT JOIN erased AS c ON c.user = e.user AND c.position = e.position"
        " WHERE u.name = ? AND e.position BETWEEN ? AND ? ORDER BY e.position LIMIT ?",
        (user, first, last, limit),
    ).fetchall()
    return [Row._make(row) for row in rows]


def _find_user(connection: sqlite3.Connection, name: str) -> tuple[int | None, Head]:
    row = connection.execute("SELECT id, position, digest, at FROM users WHERE name = ?", (name,)).fetchone()
    return (row[0], Head(row[1], row[2], row[3])) if row else (None, EMPTY)


def _connect_file(path: str) -> sqlite3.Connection:
    # mode=rw never creates: a file that vanished must not come back empty.
    uri = f"{Path(path).absolute().as_uri()}?mode=rw"
    return set_pragmas(
        sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    )


def set_pragmas(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _immediate_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


# Shortening and deleting rows moves their neighbours between pages and leaves copies of those behind; only a rewrite
# is sure to leave none. A row of user 0 marks an unfinished erasure, so that the next process to open the file finishes
# one that was killed. Each has its own number: finishing one must not remove the mark of another that began meanwhile.
_SCRUB_DUE = "INSERT INTO erased (user, position, commitment) VALUES (0, random() & 0x7fffffffffffffff, x'')"
_REWRITTEN = b"rewritten"

# Versions before this one wrote spaces over erased rows, as many as there were bytes.
_SHORTEN = """
UPDATE entries SET body = '' WHERE body != '' AND body NOT GLOB '*[^ ]*' AND id IN
  (SELECT e.id FROM erased AS c JOIN entries AS e ON e.user = c.user AND e.position = c.position)
"""


def _unfinished_erasures(connection: sqlite3.Connection) -> dict[int, bytes]:
    """The erasures whose words may be left in the file or its journal, and the state of each."""
    return dict(connection.execute("SELECT position, commitment FROM erased WHERE user = 0").fetchall())


def _scrub_file(connection: sqlite3.Connection) -> None:
    """Rewrite the file and empty its journal. A step is noted once it is done, so an interrupted one is repeated."""
    try:
        due = _unfinished_erasures(connection)
        numbers = [(number,) for number in due]
        if any(state != _REWRITTEN for state in due.values()):
            connection.execute(_SHORTEN)
            connection.execute("VACUUM")
            connection.executemany(
                f"UPDATE erased SET commitment = x'{_REWRITTEN.hex()}' WHERE user = 0 AND position = ?", numbers
            )
        is_empty = _empty_journal(connection, due)
        if is_empty:
            connection.executemany("DELETE FROM erased WHERE user = 0 AND position = ?", numbers)
    except sqlite3.Error as error:
        raise Unavailable(
            f"The words are erased from the table, but copies may be left in the file or its journal ({error})."
            " Run the same erase again."
        ) from error
    if not is_empty:
        raise Unavailable(
            "The words are erased from the table, but another process is reading the journal that still holds them."
            " Run the same erase again when it has finished."
        )


def _empty_journal(connection: sqlite3.Connection, due: Collection[int]) -> bool:
    """Move the journal into the file and truncate it; False if a reader blocked it for too long.

    SQLite waits for readers, but not for another process that also empties the journal: that is retried here.
    """
    deadline = time.monotonic() + connection.execute("PRAGMA busy_timeout").fetchone()[0] / 1000
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if due and _unfinished_erasures(connection).keys().isdisjoint(due):  # the other one has finished these
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(RETRY_SECONDS)
    return True


_TABLES = """
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  position INTEGER NOT NULL,
  digest BLOB NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  user INTEGER NOT NULL REFERENCES users,
  position INTEGER NOT NULL,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  form INTEGER NOT NULL,
  body TEXT NOT NULL,
  salt BLOB NOT NULL,
  digest BLOB NOT NULL,
  key BLOB,
  UNIQUE (user, position)
) STRICT;
CREATE UNIQUE INDEX entries_by_key ON entries (user, key) WHERE key IS NOT NULL;
CREATE TABLE erased (
  user INTEGER NOT NULL,
  position INTEGER NOT NULL,
  commitment BLOB NOT NULL,
  PRIMARY KEY (user, position)
) STRICT, WITHOUT ROWID;
"""


_KINDS_OF_FAILURE: Mapping[int | None, type[StoreError]] = {
    errno.EACCES: ReadOnly,
    errno.EPERM: ReadOnly,
    errno.EROFS: ReadOnly,
    errno.ENOSPC: Full,
    errno.EDQUOT: Full,
}


def _create_file(path: Path, connect: Connect) -> None:
    """Make the complete file under another name first, so that no crash and no race leaves half a store."""
    if not path.parent.is_dir():
        raise NoStore(f"cannot make a store at {path}: the folder {path.parent} does not exist. Make the folder first.")
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with _translate_errors(path):
        try:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            with closing(connect(str(draft))) as connection:
                connection.executescript(
                    f"BEGIN; {_TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA}; COMMIT;"
                )
                # Last, so that all else is in the file itself: close() may fail to move a WAL there without an error.
                connection.execute("PRAGMA journal_mode = WAL")
            with suppress(FileExistsError):
                os.link(draft, path)
            _sync_database_folder(path.parent)
        except OSError as error:
            kind = _KINDS_OF_FAILURE.get(error.errno, StoreError)
            raise kind(
                f"cannot make a store at {path}: {error.strerror}. Check the folder, its permissions and free space."
            ) from error
        finally:
            for ending in ("", "-journal", "-wal", "-shm"):
                draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _sync_database_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_header(path: Path) -> None:
    """Check the header's bytes first: opening another program's file with SQLite may already change it.

    Not if this process has the file open: closing it would drop the locks that its connections hold.
    """
    pools = filter(None, [reference() for reference in tuple(_POOLS)])
    if _file_identity(path) in [pool.file for pool in pools if pool.file and pool.is_open]:
        return
    if path.is_dir():
        raise NotAStore(f"{path} is a folder. Use a file.")
    if path.exists() and not path.is_file():
        raise NotAStore(f"{path} is a device, a pipe or a socket. Use a file.")
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}. Check that it exists and its permissions."
        ) from error
    if header[:16] != b"SQLite format 3\0" or len(header) < 100:
        size = "empty" if not header else "not a whole SQLite file"
        raise NotAStore(
            f"{path} is {size}: it may be damaged or another program's. It was not changed: use another path."
        )
    if int.from_bytes(header[68:72], "big") != APPLICATION:
        raise NotAStore(f"{path} is a SQLite file of another program, which was not changed. Use another path.")
    _check_schema_version(int.from_bytes(header[60:64], "big"), path)


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    _check_schema_version(connection.execute("PRAGMA user_version").fetchone()[0], path)


def _check_schema_version(version: int, path: Path) -> None:
    if version > SCHEMA_WITH_INDEX:
        raise NewerFormat(
            f"{path} has schema {version}, and this version reads schemas up to {SCHEMA_WITH_INDEX}."
            " Upgrade the package."
        )


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
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


def _file_findings(path: Path, pool: _SqlitePool) -> Iterator[Diagnostic]:
    with pool.connection() as connection:
        problems = [row[0] for row in connection.execute("PRAGMA quick_check")]
        if problems == ["ok"]:
            yield Diagnostic("ok", "the file is whole (SQLite quick_check)")
        else:
            yield Diagnostic("problem", f"the file is damaged: {problems[0]}", "restore it from a backup")
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        if mode == "wal":
            yield Diagnostic("ok", "write-ahead log, synchronous FULL: an acknowledged append survives a power cut")
        else:
            yield Diagnostic(
                "problem",
                f"the journal mode is {mode}, not wal",
                f"sqlite3 '{path}' 'PRAGMA journal_mode = WAL'",
            )
    if path.stat().st_mode & 0o077:
        yield Diagnostic("problem", "others on this machine can read the file", f"chmod 600 '{path}'")
    else:
        yield Diagnostic("ok", "only its owner can read the file")
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        yield Diagnostic("ok", "the file and its folder can be written")
    else:
        yield Diagnostic("problem", "the file or its folder cannot be written", "check owner and permissions")
    system = os.statvfs(path)
    free = system.f_bavail * system.f_frsize
    if free < 100 * 1024 * 1024:
        yield Diagnostic("problem", f"only {free // 1024**2} MB are free on its disk", "make room before it runs full")
    else:
        yield Diagnostic("ok", f"{free // 1024**3} GB are free on its disk")
