"""Many users' logs in one SQLite file, in WAL mode: safe with many threads and several processes."""

import os
import sqlite3
import threading
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from uac.errors import Full, NewerFormat, NoStore, NotAStore, ReadOnly, StoreError, Unavailable
from uac.log import EMPTY, Blank, Clock, Head, Log, Row, wall_clock
from uac.store import Finding, User, check_user, stamped

__all__ = ["SqliteStore"]

APPLICATION = 0x55614331  # 'UaC1', written into the file's header
SCHEMA = 1
PAGE = 1000  # rows fetched at a time: memory stays flat, and no read holds the journal for long
BUSY_SECONDS = 30.0

Connect = Callable[[str], sqlite3.Connection]


class SqliteStore:
    """Keeps logs in one SQLite file."""

    def __init__(
        self, path: Path, *, create: bool = True, clock: Clock = wall_clock, connect: Connect | None = None
    ) -> None:
        self.path = path
        self._clock = clock
        self._pool = _Pool(path, connect or _connect)
        if not path.exists():
            if not create:
                raise NoStore(f"there is no store at {path}")
            _create(path)
        _check_file(path)
        with self._pool.connection() as connection:
            _check_schema(connection, path)

    @property
    def address(self) -> str:
        return str(self.path)

    def log(self, user: str) -> Log:
        return Log(_Table(self._pool, check_user(user)), self._clock)

    def users(self, *, after: str = "", limit: int = 1000) -> tuple[User, ...]:
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT name, position, digest, at FROM users WHERE name > ? AND position > 0 ORDER BY name LIMIT ?",
                (after, limit),
            ).fetchall()
        return tuple(User(name, position, stamped(Head(position, digest, at))) for name, position, digest, at in rows)

    def erase(self, user: str) -> None:
        check_user(user)
        with self._pool.connection() as connection, _transaction(connection):
            connection.execute("DELETE FROM entries WHERE user = (SELECT id FROM users WHERE name = ?)", (user,))
            connection.execute("DELETE FROM erased WHERE user = (SELECT id FROM users WHERE name = ?)", (user,))
            connection.execute("DELETE FROM users WHERE name = ?", (user,))
        with self._pool.connection() as connection:
            # Deleting moves neighbours between pages; only a rewrite is sure to leave no copy behind.
            connection.execute("VACUUM")
            _truncate_journal(connection)

    def findings(self) -> tuple[Finding, ...]:
        return tuple(_findings(self.path, self._pool))

    def close(self) -> None:
        self._pool.close()


class _Pool:
    """Idle connections to one file. Each is used by one thread at a time, and never after a fork."""

    def __init__(self, path: Path, connect: Connect) -> None:
        self._path = path
        self._connect = connect
        self._idle: deque[sqlite3.Connection] = deque()
        self._process = os.getpid()
        self._closed = False
        self.write_lock = threading.Lock()

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise Unavailable(f"{self._path}: the store is closed")
        if self._process != os.getpid():
            self._idle, self._process, self.write_lock = deque(), os.getpid(), threading.Lock()
        with _translated(self._path):
            connection = self._idle.pop() if self._idle else self._connect(str(self._path))
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
        self._idle.append(connection)

    def close(self) -> None:
        self._closed = True
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()


class _Table:
    """One user's rows."""

    def __init__(self, pool: _Pool, user: str) -> None:
        self._pool = pool
        self._user = user

    def head(self) -> Head:
        with self._pool.connection() as connection:
            return _find_user(connection, self._user)[1]

    def read(self, start: int, stop: int | None) -> Iterator[Row]:
        last = (1 << 62) if stop is None else stop - 1
        position = start
        while position <= last:
            with self._pool.connection() as connection:
                rows = connection.execute(
                    "SELECT e.position, e.at, e.kind, e.form, e.body, e.salt, e.digest, e.key, c.commitment"
                    " FROM users AS u JOIN entries AS e ON e.user = u.id"
                    " LEFT JOIN erased AS c ON c.user = e.user AND c.position = e.position"
                    " WHERE u.name = ? AND e.position BETWEEN ? AND ? ORDER BY e.position LIMIT ?",
                    (self._user, position, last, PAGE),
                ).fetchall()
            yield from map(Row._make, rows)
            if len(rows) < PAGE:
                return
            position = rows[-1][0] + 1

    @contextmanager
    def writing(self) -> Iterator["_Writing"]:
        # The lock queues this process's threads in order; SQLite's own lock only polls.
        with self._pool.write_lock, self._pool.connection() as connection, _transaction(connection):
            user, head = _find_user(connection, self._user)
            yield _Writing(connection, self._user, user, head)

    def scrub(self) -> None:
        with self._pool.connection() as connection:
            _truncate_journal(connection)


class _Writing:
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
        self._connection.executemany(
            "INSERT INTO entries (user, position, at, kind, form, body, salt, digest, key)"
            f" VALUES ({self._user}, ?, ?, ?, ?, ?, ?, ?, ?)",
            [row[:8] for row in rows],
        )

    def blank(self, blanks: Sequence[Blank]) -> None:
        # The new values are as long as the old ones, so SQLite overwrites them in place and moves no neighbour.
        self._connection.executemany(
            "UPDATE entries SET body = ?, salt = ? WHERE user = ? AND position = ?",
            [(blank.body, blank.salt, self._user, blank.position) for blank in blanks],
        )
        self._connection.executemany(
            "INSERT INTO erased (user, position, commitment) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(self._user, blank.position, blank.commitment) for blank in blanks],
        )


def _find_user(connection: sqlite3.Connection, name: str) -> tuple[int | None, Head]:
    row = connection.execute("SELECT id, position, digest, at FROM users WHERE name = ?", (name,)).fetchone()
    return (row[0], Head(row[1], row[2], row[3])) if row else (None, EMPTY)


def _connect(path: str) -> sqlite3.Connection:
    # mode=rw never creates: a file that vanished must not come back empty.
    uri = f"{Path(path).absolute().as_uri()}?mode=rw"
    return configured(
        sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    )


def configured(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def _truncate_journal(connection: sqlite3.Connection) -> None:
    blocked = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if blocked:
        raise Unavailable(
            "the words are erased from the table, but another process is reading the journal that still holds them;"
            " run the same erase again when it has finished"
        )


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


def _create(path: Path) -> None:
    """Make the file whole under another name first, so that no crash and no race leaves half a store."""
    if not path.parent.is_dir():
        raise NoStore(f"cannot make a store at {path}: the folder {path.parent} does not exist")
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with _translated(path):
        try:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            connection = _connect(str(draft))
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(
                f"BEGIN; {_TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA}; COMMIT;"
            )
            connection.close()
            with suppress(FileExistsError):
                os.link(draft, path)
            _sync_folder(path.parent)
        except OSError as error:
            raise StoreError(f"cannot make a store at {path}: {error.strerror}") from error
        finally:
            for leftover in path.parent.glob(draft.name + "*"):
                leftover.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise NotAStore(f"{path} is a folder, needs a file")
    try:
        with path.open("rb") as file:
            magic = file.read(16)
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}") from error
    if magic != b"SQLite format 3\0":
        size = "empty" if not magic else "not a SQLite file"
        raise NotAStore(f"{path} is {size}: it may be damaged or something else; it was left as it is")


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise NotAStore(f"{path} is a SQLite file of another program; it was left as it is")
    if version > SCHEMA:
        raise NewerFormat(
            f"{path} has schema {version}; this version knows schemas up to {SCHEMA}: upgrade the package"
        )


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """SQLite's errors in this package's words."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise Full(f"{path}: no room is left on the disk; nothing was written") from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
            raise ReadOnly(
                f"{path} can be read but not written; check the permissions of the file and its folder"
            ) from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Unavailable(f"{path} was locked by another process for {BUSY_SECONDS:.0f} s; try again") from error
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise NotAStore(f"{path} is damaged or no SQLite file ({error}); it was left as it is") from error
        if code == sqlite3.SQLITE_CANTOPEN:
            raise Unavailable(
                f"{path} cannot be opened; check that it exists and that its folder can be written"
            ) from error
        raise StoreError(f"{path}: {error}") from error


def _findings(path: Path, pool: _Pool) -> Iterator[Finding]:
    with pool.connection() as connection:
        problems = [row[0] for row in connection.execute("PRAGMA quick_check")]
        if problems == ["ok"]:
            yield Finding("ok", "the file is whole (SQLite quick_check)")
        else:
            yield Finding("problem", f"the file is damaged: {problems[0]}", "restore it from a backup")
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        if mode == "wal":
            yield Finding("ok", "write-ahead log, synchronous FULL: an acknowledged append survives a power cut")
        else:
            yield Finding(
                "problem",
                f"the journal mode is {mode}, needs wal",
                f"sqlite3 '{path}' 'PRAGMA journal_mode = WAL'",
            )
    if path.stat().st_mode & 0o077:
        yield Finding("problem", "others on this machine can read the file", f"chmod 600 '{path}'")
    else:
        yield Finding("ok", "only its owner can read the file")
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        yield Finding("ok", "the file and its folder can be written")
    else:
        yield Finding("problem", "the file or its folder cannot be written", "check owner and permissions")
    system = os.statvfs(path)
    free = system.f_bavail * system.f_frsize
    if free < 100 * 1024 * 1024:
        yield Finding("problem", f"only {free // 1024**2} MB are free on its disk", "make room before it runs full")
    else:
        yield Finding("ok", f"{free // 1024**3} GB are free on its disk")
