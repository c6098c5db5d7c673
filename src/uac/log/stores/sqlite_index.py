"""One user's search index in a SQLite database: a head, and blocks of bytes. All users share the tables."""

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, suppress

import msgspec

from uac.errors import ReadOnly
from uac.log.block_parts import BlockBytes, BlockGone, BlockSpan, WholeBlock
from uac.log.index import NO_INDEX, IndexChange, IndexHead, decode_index_head, encode_index_head
from uac.log.stores.sqlite_pool import read_transaction

__all__ = ["SCHEMA_WITH_INDEX", "SqliteIndex", "make_index_tables", "unindex_positions", "unindex_user"]

SCHEMA_WITH_INDEX = 4
"""The schema of a file once it has an index. A version that does not know the index would leave erased words in it."""

LARGE_BLOCK = 1 << 20  # bytes; smaller blocks are read whole

Connecting = Callable[[], AbstractContextManager[sqlite3.Connection]]
Opening = Callable[[], AbstractContextManager[tuple[sqlite3.Connection, int]]]
"""Opens a connection, with the number of the user; 0 for a user without entries."""


class SqliteIndex:
    """One user's index. `writing` opens a transaction in which nobody else writes."""

    def __init__(self, connection: Connecting, reading: Opening, writing: Opening) -> None:
        self._connection = connection
        self._reading = reading
        self._writing = writing
        self._has_tables = False

    def head(self) -> IndexHead:
        with suppress(ReadOnly):  # a file that was never searched; adding a block reports it
            self._make_index_tables()
        with self._reading() as (connection, user):
            return _read_index_head(connection, user) if self._has_tables else NO_INDEX

    def read(self, digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        with self._reading() as (connection, user):
            return _read_blocks(connection, user, digests) if self._has_tables else {}

    def open_blocks(self, digests: Collection[bytes]) -> Mapping[bytes, BlockBytes]:
        with self._reading() as (connection, user):
            sizes = {
                digest: connection.execute(f"SELECT length(data) {_BLOCK}", (user, digest)).fetchone()
                for digest in digests
            }
            if None in sizes.values():
                raise BlockGone
            small = _read_blocks(connection, user, [digest for digest in sizes if sizes[digest][0] < LARGE_BLOCK])
        return {
            digest: WholeBlock(small[digest]) if digest in small else _SqliteBlock(self._connection, user, digest)
            for digest in sizes
        }

    def change(self, before: IndexHead, change: IndexChange, *, sources: Collection[int] = ()) -> bool:
        self._make_index_tables()
        with self._writing() as (connection, user):
            if not user or _read_index_head(connection, user) != before or _is_any_erased(connection, user, sources):
                return False
            _apply_change(connection, user, change)
        return True

    def clear(self) -> None:
        self._make_index_tables()
        with self._writing() as (connection, user):
            if user:
                generation = _read_index_head(connection, user).generation + 1
                connection.execute("DELETE FROM index_blocks WHERE user = ?", (user,))
                _set_index_head(connection, user, msgspec.structs.replace(NO_INDEX, generation=generation))

    def _make_index_tables(self) -> None:
        if self._has_tables:
            return
        with self._reading() as (connection, _user):
            schema = _index_schema_version(connection)
        if schema < SCHEMA_WITH_INDEX:
            with self._writing() as (connection, _user):
                make_index_tables(connection)
        self._has_tables = True


class _SqliteBlock:
    """A block in the file."""

    is_far = False  # its pages are a chain: what is before a span is gone through as well

    def __init__(self, connection: Connecting, user: int, digest: bytes) -> None:
        self._connection = connection
        self._key = (user, digest)

    def expect(self, spans: Sequence[BlockSpan]) -> None:
        """Nothing is to be done: a read has no round trip."""

    def read(self, spans: Sequence[BlockSpan]) -> list[bytes]:
        with self._connection() as connection, read_transaction(connection):
            found = _read_spans(connection, *self._key, spans)
        if found is None:
            raise BlockGone
        return found


def _read_spans(
    connection: sqlite3.Connection, user: int, digest: bytes, spans: Sequence[BlockSpan]
) -> list[bytes] | None:
    """Bytes of a block, without a second copy of all of it, as a SELECT would make; None if it is gone.

    Needs a transaction: another row may get the number of one that is deleted.
    """
    row = connection.execute(f"SELECT rowid {_BLOCK}", (user, digest)).fetchone()
    if row is None:
        return None
    found: list[bytes] = []
    with connection.blobopen("index_blocks", "data", row[0], readonly=True) as data:
        for start, stop in spans:
            data.seek(start)
            found.append(data.read(stop - start))
    return found


_BLOCK = "FROM index_blocks WHERE user = ? AND digest = ?"


def make_index_tables(connection: sqlite3.Connection) -> None:
    """Make the tables unless another process did it meanwhile. Needs a transaction."""
    for statement in MIGRATIONS.get(_index_schema_version(connection), ()):
        connection.execute(statement)


def unindex_positions(connection: sqlite3.Connection, user: int, positions: Collection[int]) -> None:
    """Take the words of entries, and all records, which may repeat them, out of the index."""
    if _index_schema_version(connection) >= SCHEMA_WITH_INDEX:
        head = _read_index_head(connection, user)
        if head.blocks:
            from uac.log.index_blocks import blank_positions  # needs numpy

            change = blank_positions(head, lambda digests: _read_blocks(connection, user, digests), positions)
            _apply_change(connection, user, change)
    else:
        _drop_old_index(connection)


def unindex_user(connection: sqlite3.Connection, user: int) -> None:
    if _index_schema_version(connection) >= SCHEMA_WITH_INDEX:
        for table in ("index_blocks", "indexes"):
            connection.execute(f"DELETE FROM {table} WHERE user = ?", (user,))
    else:
        _drop_old_index(connection)


def _drop_old_index(connection: sqlite3.Connection) -> None:
    """Drop the tables of an earlier version, which this one cannot take words out of. A search makes them anew."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'passages'").fetchone() is not None:
        for statement in MIGRATIONS[_index_schema_version(connection)]:
            connection.execute(statement)


def _index_schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _read_index_head(connection: sqlite3.Connection, user: int) -> IndexHead:
    row = connection.execute("SELECT head FROM indexes WHERE user = ?", (user,)).fetchone()
    return decode_index_head(row[0]) if row else NO_INDEX


def _set_index_head(connection: sqlite3.Connection, user: int, head: IndexHead) -> None:
    connection.execute(
        "INSERT INTO indexes (user, head) VALUES (?, ?) ON CONFLICT (user) DO UPDATE SET head = excluded.head",
        (user, encode_index_head(head)),
    )


def _read_blocks(connection: sqlite3.Connection, user: int, digests: Collection[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for digest in digests:
        row = connection.execute(f"SELECT data {_BLOCK}", (user, digest)).fetchone()
        if row:
            found[digest] = row[0]
    return found


def _apply_change(connection: sqlite3.Connection, user: int, change: IndexChange) -> None:
    connection.executemany(
        "DELETE FROM index_blocks WHERE user = ? AND digest = ?", [(user, digest) for digest in change.remove]
    )
    connection.executemany(
        "INSERT INTO index_blocks (user, digest, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(user, digest, data) for digest, data in change.add.items()],
    )
    _set_index_head(connection, user, change.after)


def _is_any_erased(connection: sqlite3.Connection, user: int, positions: Collection[int]) -> bool:
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'erased'").fetchone() is None:
        return False
    found = connection.execute(
        "SELECT 1 FROM erased AS e JOIN entries AS l ON l.user = e.user AND l.position = e.position"
        " WHERE e.user = ? AND l.body NOT GLOB '*[^ ]*' AND e.position IN (SELECT value FROM json_each(?))",
        (user, json.dumps(sorted(positions))),
    )
    return found.fetchone() is not None


_NEW_TABLES = (
    "CREATE TABLE indexes (user INTEGER PRIMARY KEY, head BLOB NOT NULL) STRICT",
    "CREATE TABLE index_blocks (user INTEGER NOT NULL, digest BLOB NOT NULL, data BLOB NOT NULL) STRICT",
    "CREATE UNIQUE INDEX index_blocks_by_digest ON index_blocks (user, digest)",
    f"PRAGMA user_version = {SCHEMA_WITH_INDEX}",
)
_OLD_TABLES = tuple(
    f"DROP TABLE IF EXISTS {name}" for name in ("indexes", "passages", "vectors", "embedded", "passage_words")
)

MIGRATIONS: Mapping[int, Sequence[str]] = {
    1: _NEW_TABLES,  # a file without an index
    2: (*_OLD_TABLES, *_NEW_TABLES),
    3: (*_OLD_TABLES, *_NEW_TABLES),
}
"""`MIGRATIONS[n]` turns a database of schema n into one of SCHEMA_WITH_INDEX. An older index is made anew."""
