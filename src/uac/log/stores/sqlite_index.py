"""One user's search index in a SQLite database: FTS5 for the words, blobs for the vectors.

All users share the tables. Each word is prefixed with the number of its user, so that a search never reads another
user's words, and its cost does not grow with the number of users.
"""

import json
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

from uac.errors import ReadOnly
from uac.log.index import (
    ANYTHING,
    KINDS,
    NO_INDEX,
    IndexHead,
    NewPassage,
    Passage,
    PassageFilter,
    PassagePosition,
    RecallKind,
    decode_index_head,
    encode_index_head,
    head_after,
)
from uac.log.stores.index_columns import COLUMNS, embedder_number, filter_sql, passage_from_row, passage_to_row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from uac.log.index import Vectors

__all__ = ["SCHEMA_WITH_INDEX", "SqliteIndex", "in_memory_index", "unindex_positions", "unindex_user"]

SCHEMA_WITH_INDEX = 3
"""The schema of a file once it has an index. A version that does not know the index would leave erased words in it."""
SLOTS = 1 << 36  # reserved for one user, contiguous, so that arrays can be indexed by them
RESCORED = 1000  # at least this many vectors, those whose signs agree most, are compared in full

Opening = Callable[[], AbstractContextManager[tuple[sqlite3.Connection, int]]]
"""Opens a connection, with the number of the user; 0 for a user without entries."""


class SqliteIndex:
    """One user's index. `writing` opens a transaction in which nobody else writes."""

    def __init__(self, reading: Opening, writing: Opening) -> None:
        self._reading = reading
        self._writing = writing
        self._has_tables = False
        self._signs: dict[tuple[RecallKind, str, int], _VectorSigns] = {}
        self._signs_user = 0  # the number of the user they belong to; it changes after an erasure

    def head(self) -> IndexHead:
        with suppress(ReadOnly):  # a file that was never searched; adding a passage reports it
            self._make_index_tables()
        with self._reading() as (connection, user):
            return _read_index_head(connection, user) if self._has_tables else NO_INDEX

    def change(
        self, before: IndexHead, after: IndexHead, *, add: Sequence[NewPassage], remove: Collection[int]
    ) -> bool:
        with self._writing() as (connection, user):
            if not user or _read_index_head(connection, user) != before or _has_erased_sources(connection, user, add):
                return False
            if remove:
                _remove_passages(connection, user, PassageFilter(slots=tuple(remove)))
            last = _last_slot(connection, user)
            for slot, (passage, terms) in enumerate(add, last + 1):
                connection.execute(_INSERT, (user, slot, *passage_to_row(passage), " ".join(terms)))
                connection.execute(
                    "INSERT INTO passage_words (rowid, terms) VALUES (?, ?)",
                    (slot, _prefixed_terms(user, passage.kind, terms)),
                )
            _set_index_head(connection, user, after, last + len(add))
        return True

    def clear(self) -> None:
        self._make_index_tables()
        with self._writing() as (connection, user):
            if _remove_passages(connection, user, ANYTHING):
                _merge_word_index(connection)
            if user:
                _set_index_head(connection, user, NO_INDEX, _last_slot(connection, user))

    def having(self, kind: RecallKind, terms: Iterable[str]) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        with self._reading() as (connection, user):
            for term in terms:
                wanted = f'"{_prefixed_terms(user, kind, [term])}"'
                rows = connection.execute("SELECT rowid FROM passage_words WHERE passage_words MATCH ?", (wanted,))
                if slots := [slot for (slot,) in rows]:
                    found[term] = slots
        return found

    def select(self, where: PassageFilter) -> Sequence[Passage]:
        condition, values = _sqlite_condition(where)
        with self._reading() as (connection, user):
            rows = connection.execute(f"SELECT {COLUMNS} FROM passages WHERE {condition}", [user, *values])
            return [passage_from_row(row) for row in rows]

    def slots(self, where: PassageFilter) -> Collection[int]:
        condition, values = _sqlite_condition(where)
        with self._reading() as (connection, user):
            rows = connection.execute(f"SELECT slot FROM passages WHERE {condition}", [user, *values])
            return {slot for (slot,) in rows}

    def placed(self, behind: int) -> Iterable[PassagePosition]:
        with self._reading() as (connection, user):
            rows = connection.execute(
                "SELECT slot, session, size FROM passages WHERE slot > ? AND slot < ? ORDER BY slot",
                (max(behind, user * SLOTS), (user + 1) * SLOTS),
            )
            return [PassagePosition._make(row) for row in rows]

    def can_compare(self) -> bool:
        try:
            import numpy  # noqa: F401 - not every platform has it
        except ImportError:
            return False
        return True

    def unembedded(self, embedder: str, most: int) -> Sequence[int]:
        with self._reading() as (connection, user):
            rows = connection.execute(
                "SELECT slot FROM passages AS p WHERE user = ? AND NOT EXISTS"
                " (SELECT 1 FROM vectors WHERE user = p.user AND embedder = ? AND kind = p.kind AND slot = p.slot)"
                " ORDER BY slot DESC LIMIT ?",
                (user, embedder_number(embedder), most),
            )
            return [slot for (slot,) in rows]

    def embedded(self, embedder: str) -> int:
        with self._reading() as (connection, user):
            row = connection.execute(
                "SELECT coalesce(sum(vectors), 0) FROM embedded WHERE user = ? AND embedder = ?",
                (user, embedder_number(embedder)),
            )
            return int(row.fetchone()[0])

    def keep(self, embedder: str, slots: Sequence[int], vectors: "Vectors") -> None:
        with self._writing() as (connection, user):
            number = embedder_number(embedder)
            kinds: list[str] = []
            for slot, vector in zip(slots, _sqlite_vector_blobs(vectors), strict=True):
                kept = connection.execute(
                    "INSERT INTO vectors (user, embedder, kind, slot, vector)"
                    " SELECT user, ?, kind, slot, ? FROM passages WHERE slot = ? AND user = ?"
                    " ON CONFLICT DO NOTHING RETURNING kind",
                    (number, vector, slot, user),
                ).fetchall()
                kinds += [row[0] for row in kept]
            _count_vectors(connection, user, [(number, kind) for kind in kinds], 1)

    def nearest(self, kind: RecallKind, embedder: str, vector: "Vectors", most: int) -> Sequence[int]:
        """Preselects by the signs of the numbers, which fit into memory for a million passages."""
        with self._reading() as (connection, user):
            if user != self._signs_user:
                self._signs, self._signs_user = {}, user
            signs = self._signs.setdefault((kind, embedder, vector.size), _VectorSigns())
            signs.update(connection, user, kind, embedder_number(embedder), vector.size)
            likely = signs.likely_slots(vector, max(RESCORED, 2 * most))
            close = _vector_closeness(connection, user, embedder_number(embedder), vector, likely)
        return sorted(close, key=lambda slot: (-close[slot], slot))[:most]

    def closeness(self, embedder: str, vector: "Vectors", slots: Sequence[int]) -> Mapping[int, float]:
        with self._reading() as (connection, user):
            return _vector_closeness(connection, user, embedder_number(embedder), vector, slots)

    def _make_index_tables(self) -> None:
        if self._has_tables:
            return
        with self._reading() as (connection, _user):
            schema = _index_schema_version(connection)
        if schema < SCHEMA_WITH_INDEX:
            with self._writing() as (connection, _user):
                _migrate_index(connection)
        self._has_tables = True


def in_memory_index() -> SqliteIndex:
    """An index in this process only."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    lock = threading.RLock()

    @contextmanager
    def opened() -> Iterator[tuple[sqlite3.Connection, int]]:
        with lock:
            yield connection, 1

    return SqliteIndex(opened, opened)


def unindex_positions(connection: sqlite3.Connection, user: int, positions: Collection[int]) -> None:
    """Remove the passages of entries, and all records, which may repeat their words.

    Their words are then in no table, nor in the merged index that FTS5 writes here.
    """
    if (
        not _has_index_tables(connection)
        or not connection.execute("SELECT 1 FROM indexes WHERE user = ?", (user,)).fetchone()
    ):
        return
    gone = _remove_passages(connection, user, PassageFilter(kinds=("record",)))
    gone += _remove_passages(connection, user, PassageFilter(positions=tuple(positions)))
    _merge_word_index(connection)  # even if nothing was removed: older segments may have words of replaced passages
    if gone:
        _set_index_head(
            connection, user, head_after(_read_index_head(connection, user), remove=gone), _last_slot(connection, user)
        )


def unindex_user(connection: sqlite3.Connection, user: int) -> None:
    if _has_index_tables(connection):
        _remove_passages(connection, user, ANYTHING)
        _merge_word_index(connection)  # even if nothing was removed: older segments may have words of replaced passages
        for table in ("vectors", "embedded", "indexes"):
            connection.execute(f"DELETE FROM {table} WHERE user = ?", (user,))


def _migrate_index(connection: sqlite3.Connection) -> None:
    schema = _index_schema_version(connection)  # another process may have migrated it just now
    for statement in MIGRATIONS.get(schema, ()):
        connection.execute(statement)


def _index_schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _has_index_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'passage_words'").fetchone() is not None


def _read_index_head(connection: sqlite3.Connection, user: int) -> IndexHead:
    row = connection.execute("SELECT head FROM indexes WHERE user = ?", (user,)).fetchone()
    return decode_index_head(row[0]) if row else NO_INDEX


def _last_slot(connection: sqlite3.Connection, user: int) -> int:
    row = connection.execute("SELECT last FROM indexes WHERE user = ?", (user,)).fetchone()
    return int(row[0]) if row else user * SLOTS


def _set_index_head(connection: sqlite3.Connection, user: int, head: IndexHead, last: int) -> None:
    connection.execute(
        "INSERT INTO indexes (user, head, last) VALUES (?, ?, ?)"
        " ON CONFLICT (user) DO UPDATE SET head = excluded.head, last = excluded.last",
        (user, encode_index_head(head), last),
    )


def _has_erased_sources(connection: sqlite3.Connection, user: int, add: Sequence[NewPassage]) -> bool:
    """Whether passages come from, or cite, entries that were erased after they were read."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'erased'").fetchone() is None:
        return False
    wanted = sorted({place for passage, _terms in add for place in (passage.position, *passage.cites)})
    found = connection.execute(
        "SELECT 1 FROM erased AS e JOIN entries AS l ON l.user = e.user AND l.position = e.position"
        f" WHERE e.user = ? AND l.body NOT GLOB '*[^ ]*' AND e.position {_AMONG}",
        (user, json.dumps(wanted)),
    )
    return found.fetchone() is not None


def _remove_passages(connection: sqlite3.Connection, user: int, where: PassageFilter) -> list[Passage]:
    condition, values = _sqlite_condition(where)
    rows = connection.execute(f"SELECT {COLUMNS}, terms FROM passages WHERE {condition}", (user, *values)).fetchall()
    connection.executemany(  # FTS5 has no copy of the text, so the words to remove are passed
        "INSERT INTO passage_words (passage_words, rowid, terms) VALUES ('delete', ?, ?)",
        [(row[0], _prefixed_terms(user, row[1], row[-1].split())) for row in rows],
    )
    connection.executemany("DELETE FROM passages WHERE slot = ?", [(row[0],) for row in rows])
    slots = json.dumps([row[0] for row in rows])
    for embedder, kind in connection.execute("SELECT embedder, kind FROM embedded WHERE user = ?", (user,)).fetchall():
        gone = connection.execute(
            "DELETE FROM vectors WHERE user = ? AND embedder = ? AND kind = ?"
            f" AND slot {_AMONG} RETURNING embedder, kind",
            (user, embedder, kind, slots),
        ).fetchall()
        _count_vectors(connection, user, gone, -1)
    return [passage_from_row(row[:-1]) for row in rows]


def _count_vectors(
    connection: sqlite3.Connection, user: int, changed: Iterable[tuple[int, str]], sign: Literal[1, -1]
) -> None:
    """Update the counts, so that no search has to count; `changes` invalidates signs cached in memory."""
    for (embedder, kind), count in Counter(changed).items():
        connection.execute(
            "INSERT INTO embedded (user, embedder, kind, vectors, changes) VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE"
            " SET vectors = vectors + excluded.vectors, changes = changes + 1",
            (user, embedder, kind, sign * count),
        )


def _merge_word_index(connection: sqlite3.Connection) -> None:
    """Rewrite the words as one segment: until then, removed words are still in older segments."""
    connection.execute("INSERT INTO passage_words (passage_words) VALUES ('optimize')")


def _sqlite_condition(where: PassageFilter) -> tuple[str, list[Any]]:
    """The condition that selects rows. Its first parameter is the user's number."""
    condition, values = filter_sql(where, mark="?", among=_sqlite_any_of)
    # SQLite prefers to scan all rows of a user over looking up a thousand slots; the plus prevents that.
    return f"{'+' if where.slots is not None else ''}user = ? AND {condition}", values


def _sqlite_any_of(column: str, wanted: Sequence[Any]) -> tuple[str, Any]:
    text = json.dumps(wanted)
    if "\\u0000" not in text:
        return f"{column} {_AMONG}", text
    # SQLite would end a text of JSON there
    safe = [value.replace("\ufffe", "\ufffe1").replace("\0", "\ufffe0") for value in wanted]
    return f"{column} IN (SELECT {_WITH_ZERO} FROM json_each(?))", json.dumps(safe)


_AMONG = "IN (SELECT value FROM json_each(?))"
_WITH_ZERO = "replace(replace(value, char(65534) || '0', char(0)), char(65534) || '1', char(65534))"


def _prefixed_terms(user: int, kind: RecallKind, terms: Iterable[str]) -> str:
    """The words as FTS5 stores them, prefixed to separate users and kinds."""
    return " ".join(f"{user}{kind[0]}_{_SIGN.sub('_', term)}" for term in terms)


_SIGN = re.compile(r"[\x00-/:-`{-\x7f]")
"""Characters at which FTS5 would end a word."""

_INSERT = f"INSERT INTO passages (user, {COLUMNS}, terms) VALUES ({', '.join('?' * (len(Passage._fields) + 2))})"

_AT_SCHEMA = f"PRAGMA user_version = {SCHEMA_WITH_INDEX}"

_TABLES = f"""
CREATE TABLE indexes (user INTEGER PRIMARY KEY, head BLOB NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE passages (
  slot INTEGER PRIMARY KEY,
  user INTEGER NOT NULL,
  kind TEXT NOT NULL,
  position INTEGER NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  record TEXT NOT NULL,
  session TEXT NOT NULL,
  said TEXT NOT NULL,
  since TEXT NOT NULL,
  until TEXT NOT NULL,
  speaker TEXT NOT NULL,
  role TEXT NOT NULL,
  authority TEXT NOT NULL,
  source TEXT NOT NULL,
  cites TEXT NOT NULL,
  language TEXT NOT NULL,
  size INTEGER NOT NULL,
  stamp TEXT NOT NULL,
  terms TEXT NOT NULL
) STRICT;
CREATE INDEX passages_by_position ON passages (user, position);
CREATE INDEX passages_by_record ON passages (user, record);
CREATE INDEX passages_by_day ON passages (user, since);
CREATE TABLE vectors (
  user INTEGER NOT NULL,
  embedder INTEGER NOT NULL,
  kind TEXT NOT NULL,
  slot INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (user, embedder, kind, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE embedded (
  user INTEGER NOT NULL,
  embedder INTEGER NOT NULL,
  kind TEXT NOT NULL,
  vectors INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  PRIMARY KEY (user, embedder, kind)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE passage_words USING fts5
  (terms, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '_'");
{_AT_SCHEMA}
"""

MIGRATIONS: Mapping[int, Sequence[str]] = {
    0: _TABLES.split(";\n"),  # an index in memory
    1: _TABLES.split(";\n"),  # a file without an index
    2: ["ALTER TABLE passages DROP COLUMN about", _AT_SCHEMA],
}
"""`MIGRATIONS[n]` turns a database of schema n into one of SCHEMA_WITH_INDEX."""


# A vector has length 1, so its direction is enough: a byte for each number, scaled so that the largest fills it.


def _sqlite_vector_blobs(vectors: "Vectors") -> Iterator[bytes]:
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-12)
    for row in np.rint(vectors * (127 / largest)).astype(np.int8):
        yield row.tobytes()


def _vector_closeness(
    connection: sqlite3.Connection, user: int, embedder: int, vector: "Vectors", slots: Sequence[int]
) -> dict[int, float]:
    import numpy as np

    rows = connection.execute(
        f"SELECT slot, vector FROM vectors WHERE user = ? AND embedder = ? AND kind {_AMONG} AND slot {_AMONG}"
        " AND length(vector) = ?",
        (user, embedder, json.dumps(KINDS), json.dumps(list(slots)), vector.size),
    ).fetchall()
    if not rows:
        return {}
    known = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(len(rows), -1).astype(np.float32)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", known, known)), 1e-9)
    close = (known @ np.asarray(vector, np.float32).reshape(-1)) / lengths
    return dict(zip((row[0] for row in rows), map(float, close), strict=True))


class _VectorSigns:
    """The signs of all vectors of one embedder and kind, one bit for each number, cached in memory."""

    def __init__(self) -> None:
        self._slots: NDArray[np.int64] | None = None
        self._signs: NDArray[np.uint8] | None = None
        self._state: tuple[int, int] | None = None

    def update(self, connection: sqlite3.Connection, user: int, kind: RecallKind, embedder: int, size: int) -> None:
        """Read the new vectors, or all of them if one was removed or inserted before the last."""
        wanted = (user, embedder, kind)
        state = connection.execute(
            "SELECT vectors, changes FROM embedded WHERE user = ? AND embedder = ? AND kind = ?", wanted
        ).fetchone()
        if self._slots is not None and state == self._state:
            return
        last = int(self._slots[-1]) if self._slots is not None and len(self._slots) else 0
        self._read_new(connection, (*wanted, last, size))
        if last and state is not None and self._slots is not None and len(self._slots) != state[0]:
            self._slots = self._signs = None
            self._read_new(connection, (*wanted, 0, size))
        self._state = state

    def _read_new(self, connection: sqlite3.Connection, wanted: tuple[int, int, str, int, int]) -> None:
        import numpy as np

        slots: list[int] = []
        signs: list[NDArray[np.uint8]] = []
        rows = connection.execute(
            "SELECT slot, vector FROM vectors WHERE user = ? AND embedder = ? AND kind = ? AND slot > ?"
            " AND length(vector) = ? ORDER BY slot",
            wanted,
        )
        while page := rows.fetchmany(10_000):
            slots += [row[0] for row in page]
            numbers = np.frombuffer(b"".join(row[1] for row in page), np.int8).reshape(len(page), -1)
            signs.append(np.packbits(numbers > 0, axis=1))
        known = [] if self._slots is None or self._signs is None else [(self._slots, self._signs)]
        self._slots = np.concatenate([*(pair[0] for pair in known), np.array(slots, np.int64)])
        self._signs = (
            np.concatenate([*(pair[1] for pair in known), *signs]) if known or signs else np.zeros((0, 0), np.uint8)
        )

    def likely_slots(self, vector: "Vectors", most: int) -> list[int]:
        """The slots whose signs agree most with those of a vector."""
        import numpy as np

        assert self._slots is not None
        assert self._signs is not None
        if len(self._slots) > most:
            wanted = np.packbits(np.asarray(vector).reshape(-1) > 0)
            apart = np.bitwise_count(self._signs ^ wanted).sum(axis=1, dtype=np.uint16)
            chosen = np.argpartition(apart, most)[:most]
            return [int(slot) for slot in self._slots[np.sort(chosen)]]
        return [int(slot) for slot in self._slots]
