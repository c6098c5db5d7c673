"""Many users' logs in one SQLite file, in WAL mode: safe with many threads and several processes."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

from uac.errors import NoStore, StoreError, Unavailable
from uac.log.clock import Clock, wall_clock
from uac.log.index import IndexBlocks
from uac.log.log import Log
from uac.log.retry_keys import retry_keys
from uac.log.rows import EMPTY, Blank, Head, Row, UserEnd, read_pages
from uac.log.snapshots import NO_SNAPSHOT, Snapshot
from uac.log.store import ERASED, OWN, User, check_end, check_user, erased_key, time_of_head
from uac.log.stores.file_locks import try_file_lock
from uac.log.stores.sqlite_erasure import SCRUB_DUE, scrub_file, unfinished_erasures
from uac.log.stores.sqlite_file import check_header, check_schema, create_file, file_findings
from uac.log.stores.sqlite_index import SqliteIndex, unindex_positions, unindex_user
from uac.log.stores.sqlite_pool import (
    BUSY_SECONDS,
    Connect,
    SqlitePool,
    connect_file,
    immediate_transaction,
    read_transaction,
)
from uac.log.stores.sqlite_shared import join_rows, share_body, unshare_entries, unshare_user
from uac.log.stores.sqlite_snapshots import (
    add_snapshot,
    drop_snapshot,
    read_snapshot,
    read_snapshot_parts,
    read_user_ends,
    set_snapshot,
    snapshot_positions,
    snapshot_sizes,
)
from uac.schema.diagnostics import Diagnostic
from uac.schema.word_caches import forget_cached_words

__all__ = ["SqliteStore"]

GROUP = 25  # rows written by one statement: a tenth faster than one by one
FINISHING_SECONDS = 2  # how long finishing another process's erasure waits for locks; it is tried again later


class SqliteStore:
    """Keeps logs in one SQLite file."""

    def __init__(
        self, path: Path, *, create: bool = True, clock: Clock = wall_clock, connect: Connect | None = None
    ) -> None:
        self.path = path
        self._clock = clock
        connect = connect or connect_file
        self._pool = SqlitePool(path.absolute(), connect)
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            if not create:
                raise NoStore(f"There is no store at {path}. Check the path, or add an entry to create it.") from None
            create_file(path, connect)
        except OSError as error:
            raise Unavailable(
                f"{path} cannot be reached: {error.strerror}. Check the path and its permissions."
            ) from error
        check_header(path)
        with self._pool.connection() as connection:
            check_schema(connection, path)
            self._was_interrupted = bool(unfinished_erasures(connection))
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

    def read_ends(self, users: Sequence[str]) -> Sequence[UserEnd]:
        with self._pool.connection() as connection:
            return read_user_ends(connection, users)

    def read_parts(self, wanted: Mapping[str, Collection[bytes]]) -> Mapping[str, Mapping[bytes, bytes]]:
        with self._pool.connection() as connection:
            return read_snapshot_parts(connection, wanted)

    def erase(self, user: str, *, after: int | None = None) -> None:
        check_user(user)
        with self._pool.write_lock, self._pool.connection() as connection, immediate_transaction(connection):
            number, head = _find_user(connection, user)
            check_end(head, after)
            if number is not None:
                keys = retry_keys(read_pages(partial(_select_page, connection, user), 1, None))
                _SqliteWriting(connection, user, number, head).remember(keys)
                unindex_user(connection, number)
                drop_snapshot(connection, number)
                unshare_user(connection, number)
                connection.execute("DELETE FROM entries WHERE user = ?", (number,))
                connection.execute("DELETE FROM erased WHERE user = ?", (number,))
                connection.execute("DELETE FROM users WHERE id = ?", (number,))
            connection.execute(SCRUB_DUE)
        with self._pool.write_lock, self._pool.connection() as connection:
            scrub_file(connection)
        forget_cached_words()

    def erased_keys(self, *, after: bytes = b"", limit: int = 1000) -> tuple[bytes, ...]:
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT name FROM users WHERE name > ? AND name < ? ORDER BY name LIMIT ?",
                (ERASED + after.hex(), OWN, limit),
            ).fetchall()
        return tuple(bytes.fromhex(name.removeprefix(ERASED)) for (name,) in rows)

    def add_erased_keys(self, digests: Collection[bytes]) -> None:
        with self._pool.write_lock, self._pool.connection() as connection, immediate_transaction(connection):
            connection.executemany(_REMEMBER, [(ERASED + digest.hex(),) for digest in digests])

    def finish_erasures(self) -> bool:
        try:
            with self._pool.connection() as connection:
                if not unfinished_erasures(connection):
                    return True
            with self._pool.write_lock, self._pool.connection() as connection:
                connection.execute(f"PRAGMA busy_timeout = {FINISHING_SECONDS * 1000}")
                scrub_file(connection)
                connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
        except StoreError:  # in use, full or read-only: findings() reports it
            return False
        return True

    def findings(self) -> tuple[Diagnostic, ...]:
        return (*file_findings(self.path, self._pool), self._erasure_finding())

    def _erasure_finding(self) -> Diagnostic:
        with self._pool.connection() as connection:
            is_due = bool(unfinished_erasures(connection))
        if is_due:
            remedy = "run 'uac doctor' again when no other program reads the file, and with as much free disk as it has"
            return Diagnostic("problem", "an erasure was interrupted: erased words may be left in free pages", remedy)
        if self._was_interrupted:
            return Diagnostic("note", "an erasure had been interrupted; opening the store has finished it")
        return Diagnostic("ok", "no erasure is unfinished")

    def close(self) -> None:
        self._pool.close()


class _SqliteRows:
    """One user's rows."""

    def __init__(self, pool: SqlitePool, user: str) -> None:
        self._pool = pool
        self._user = user
        self._index = SqliteIndex(pool.connection, self._reading_index, self._writing_index)

    def head(self) -> Head:
        with self._pool.connection() as connection:
            return _find_user(connection, self._user)[1]

    def read(self, start: int, stop: int | None) -> Iterator[Row]:
        return read_pages(self._fetch_page, start, stop)

    def read_at(self, positions: Collection[int]) -> list[Row]:
        wanted = "e.position IN (SELECT value FROM json_each(?)) ORDER BY e.position"
        with self._pool.connection() as connection:
            return _select_rows(connection, wanted, (self._user, json.dumps(sorted(set(positions)))))

    def _fetch_page(self, first: int, last: int, limit: int) -> list[Row]:
        with self._pool.connection() as connection:
            return _select_page(connection, self._user, first, last, limit)

    @contextmanager
    def writing(self) -> Iterator["_SqliteWriting"]:
        # The lock queues this process's threads in order; SQLite's own lock only polls.
        with self._pool.write_lock, self._pool.connection() as connection, immediate_transaction(connection):
            user, head = _find_user(connection, self._user)
            yield _SqliteWriting(connection, self._user, user, head)

    def is_remembered(self, keys: Collection[bytes]) -> bool:
        with self._pool.connection() as connection:
            return any(_find_user(connection, erased_key(self._user, key))[0] is not None for key in keys)

    def scrub(self) -> None:
        with self._pool.write_lock, self._pool.connection() as connection:
            scrub_file(connection)

    def index(self) -> IndexBlocks:
        return self._index

    def try_lock(self) -> AbstractContextManager[bool]:
        return try_file_lock(self._pool.lock_file, self._user)

    def snapshot(self) -> Snapshot:
        with self._pool.connection() as connection, read_transaction(connection):
            user = _find_user(connection, self._user)[0]
            return NO_SNAPSHOT if user is None else read_snapshot(connection, user)

    def snapshot_positions(self) -> tuple[int, ...]:
        with self._pool.connection() as connection, read_transaction(connection):
            user = _find_user(connection, self._user)[0]
            return () if user is None else snapshot_positions(connection, user)

    def snapshot_at(self, position: int) -> Snapshot:
        with self._pool.connection() as connection, read_transaction(connection):
            user = _find_user(connection, self._user)[0]
            return NO_SNAPSHOT if user is None else read_snapshot(connection, user, position)

    @contextmanager
    def _reading_index(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._pool.connection() as connection:
            yield connection, _find_user(connection, self._user)[0] or 0

    @contextmanager
    def _writing_index(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._pool.write_lock, self._pool.connection() as connection, immediate_transaction(connection):
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
        self._connection.executemany(_REMEMBER, [(erased_key(self._name, key),) for key in keys])

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
        assert self._user is not None
        values = [
            (self._user, *row[:4], share_body(self._connection, self._user, row.position, row.body), *row[5:8])
            if row.kind == "checkpoint"
            else (self._user, *row[:8])
            for row in rows
        ]
        rest = len(values) % GROUP
        for start in range(0, len(values) - rest, GROUP):
            self._connection.execute(_INSERT_GROUP, tuple(chain.from_iterable(values[start : start + GROUP])))
        self._connection.executemany(_INSERT, values[len(values) - rest :])
        if erased := [(self._user, row.position, row.commitment) for row in rows if row.commitment is not None]:
            self._connection.executemany(_ERASED, erased)

    def blank(self, blanks: Sequence[Blank]) -> None:
        assert self._user is not None
        rests = unshare_entries(self._connection, self._user, [(blank.position, blank.body) for blank in blanks])
        self._connection.executemany(
            "UPDATE entries SET body = ?, salt = ? WHERE user = ? AND position = ?",
            [(rest, blank.salt, self._user, blank.position) for rest, blank in zip(rests, blanks, strict=True)],
        )
        self._connection.executemany(_ERASED, [(self._user, blank.position, blank.commitment) for blank in blanks])
        unindex_positions(self._connection, self._user, [blank.position for blank in blanks])
        self._connection.execute(SCRUB_DUE)

    def set_snapshot(self, snapshot: Snapshot) -> None:
        assert self._user is not None
        set_snapshot(self._connection, self._user, snapshot)

    def snapshot_sizes(self) -> Mapping[int, Mapping[bytes, int]]:
        return {} if self._user is None else snapshot_sizes(self._connection, self._user)

    def add_snapshot(self, position: int, snapshot: Snapshot, keep: Collection[int]) -> None:
        assert self._user is not None
        add_snapshot(self._connection, self._user, position, snapshot, keep)

    def drop_snapshot(self) -> None:
        if self._user is not None:
            drop_snapshot(self._connection, self._user)


_REMEMBER = "INSERT INTO users (name, position, digest, at) VALUES (?, 0, x'', '') ON CONFLICT DO NOTHING"
_ERASED = "INSERT INTO erased (user, position, commitment) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_INSERT = (
    "INSERT INTO entries (user, position, at, kind, form, body, salt, digest, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_GROUP = _INSERT + ", (?, ?, ?, ?, ?, ?, ?, ?, ?)" * (GROUP - 1)


def _select_page(connection: sqlite3.Connection, user: str, first: int, last: int, limit: int) -> list[Row]:
    return _select_rows(
        connection, "e.position BETWEEN ? AND ? ORDER BY e.position LIMIT ?", (user, first, last, limit)
    )


def _select_rows(connection: sqlite3.Connection, where: str, values: tuple[str | int, ...]) -> list[Row]:
    """Rows with whole bodies; the first value is the name of the user."""
    with read_transaction(connection):
        rows = connection.execute(f"{_SELECT} AND {where}", values).fetchall()
        return join_rows(connection, str(values[0]), [Row._make(row) for row in rows])


_SELECT = (
    "SELECT e.position, e.at, e.kind, e.form, e.body, e.salt, e.digest, e.key, c.commitment"
    " FROM users AS u JOIN entries AS e ON e.user = u.id"
    " LEFT JOIN erased AS c ON c.user = e.user AND c.position = e.position"
    " WHERE u.name = ?"
)


def _find_user(connection: sqlite3.Connection, name: str) -> tuple[int | None, Head]:
    row = connection.execute("SELECT id, position, digest, at FROM users WHERE name = ?", (name,)).fetchone()
    return (row[0], Head(row[1], row[2], row[3])) if row else (None, EMPTY)
