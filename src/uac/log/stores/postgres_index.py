"""One user's search index in a PostgreSQL database: full-text search for the words, pgvector for the vectors.

All users share the tables, which are partitioned by user like the entries. Each word is prefixed with the number of its
user and its kind of passage, so that the cost of a search does not grow with the number of users.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from uac.log.index import (
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
from uac.log.stores.postgres_pool import Connection, PostgresPool, postgres_transaction
from uac.schema.diagnostics import Diagnostic

# isort: split
# After postgres_pool, whose error says how to install psycopg.
from psycopg import DatabaseError

if TYPE_CHECKING:
    from uac.log.index import Vectors

__all__ = [
    "PostgresIndex",
    "drop_about_column",
    "make_index_tables",
    "unindex_positions",
    "unindex_user",
    "vector_finding",
]

PARTS = 16

# No condition on the user: the words include it, and the planner might prefer to read all of the user's rows.
HAVING = """
SELECT t.number, p.slots FROM unnest(%s::text[]) WITH ORDINALITY AS t (word, number), LATERAL
  (SELECT array_agg(slot) AS slots FROM {passages} WHERE words @@ t.word::tsquery) AS p
WHERE p.slots IS NOT NULL
"""


class PostgresIndex:
    """One user's index. Without the extension pgvector it stores no vectors; everything else works."""

    def __init__(self, pool: PostgresPool, user: str) -> None:
        self._pool = pool
        self._user = user
        self._keeps_vectors = False

    def head(self) -> IndexHead:
        with self._reading_partition() as part:
            return part.head

    def change(
        self, before: IndexHead, after: IndexHead, *, add: Sequence[NewPassage], remove: Collection[int]
    ) -> bool:
        with self._writing_partition() as part:
            if part is None or part.head != before or _has_erased_sources(part, [entered.passage for entered in add]):
                return False
            _remove_passages(part, "slot = ANY(%s::bigint[])", _array_literal(sorted(remove)))
            _insert_passages(part, add)
            _set_index_head(part, after, part.slots + len(add))
        return True

    def clear(self) -> None:
        with self._writing_partition() as part:
            if part is not None:
                _remove_passages(part, "TRUE")
                _set_index_head(part, NO_INDEX, part.slots)

    def having(self, kind: RecallKind, terms: Iterable[str]) -> Mapping[str, Sequence[int]]:
        wanted = tuple(dict.fromkeys(terms))
        with self._reading_partition() as part:
            rows = part.rows(HAVING, [_tsquery_word(word) for word in _prefixed_terms(part.user, kind, wanted)])
        return {wanted[number - 1]: slots for number, slots in rows}

    def select(self, where: PassageFilter) -> Sequence[Passage]:
        with self._reading_partition() as part:
            return [_passage_from_postgres(row) for row in _select_passages(part, COLUMNS, where)]

    def slots(self, where: PassageFilter) -> Collection[int]:
        with self._reading_partition() as part:
            return {slot for (slot,) in _select_passages(part, "slot", where)}

    def placed(self, behind: int) -> Iterable[PassagePosition]:
        with self._reading_partition() as part:
            rows = part.rows(
                'SELECT slot, session, size FROM {passages} WHERE "user" = %s AND slot > %s ORDER BY slot',
                part.user,
                behind,
            )
        return [PassagePosition(slot, _ESCAPED.sub(_unescape_index_nul, session), size) for slot, session, size in rows]

    def can_compare(self) -> bool:
        if not self._keeps_vectors:
            with self._pool.connection() as connection:
                self._keeps_vectors = _has_vector_table(connection) or _make_vector_table_late(
                    connection, self._pool.address
                )
        return self._keeps_vectors

    def unembedded(self, embedder: str, most: int) -> Sequence[int]:
        with self._reading_partition() as part:
            rows = part.vector_rows(
                'SELECT slot FROM {passages} AS p WHERE "user" = %s AND NOT EXISTS'
                ' (SELECT FROM {vectors} WHERE "user" = p."user" AND embedder = %s AND slot = p.slot)'
                " ORDER BY slot DESC LIMIT %s",
                part.user,
                embedder_number(embedder),
                most,
            )
        return [slot for (slot,) in rows]

    def embedded(self, embedder: str) -> int:
        with self._reading_partition() as part:
            rows = part.vector_rows(
                'SELECT count(*) FROM {vectors} WHERE "user" = %s AND embedder = %s',
                part.user,
                embedder_number(embedder),
            )
        return sum(count for (count,) in rows)

    def keep(self, embedder: str, slots: Sequence[int], vectors: "Vectors") -> None:
        texts = [_vector_text(vector) for vector in vectors]
        with self._writing_partition() as part:
            if part is not None:
                part.vector_rows(
                    'INSERT INTO {vectors} ("user", embedder, slot, kind, vector)'
                    ' SELECT p."user", %s, p.slot, p.kind, v.numbers::{halfvec}'
                    " FROM unnest(%s::bigint[], %s::text[]) AS v (slot, numbers)"
                    ' JOIN {passages} AS p ON p."user" = %s AND p.slot = v.slot'
                    " ON CONFLICT DO NOTHING",
                    embedder_number(embedder),
                    _array_literal(slots),
                    texts,
                    part.user,
                )

    def nearest(self, kind: RecallKind, embedder: str, vector: "Vectors", most: int) -> Sequence[int]:
        with self._reading_partition() as part:
            rows = _vector_distances(part, embedder, vector, "kind = %s ORDER BY apart, slot LIMIT %s", kind, most)
        return [slot for slot, _apart in rows]

    def closeness(self, embedder: str, vector: "Vectors", slots: Sequence[int]) -> Mapping[int, float]:
        with self._reading_partition() as part:
            rows = _vector_distances(part, embedder, vector, "slot = ANY(%s::bigint[])", _array_literal(slots))
        return {slot: 1 - apart for slot, apart in rows}

    @contextmanager
    def _reading_partition(self) -> Iterator["_PostgresPartition"]:
        with self._pool.connection() as connection:
            yield _find_partition(connection, _BY_NAME, self._user) or _PostgresPartition(connection)

    @contextmanager
    def _writing_partition(self) -> Iterator["_PostgresPartition | None"]:
        """The user's partition, locked against other writers until the block ends. None for a user without entries.

        Only the row of the index is locked, not that of the log: appends need not wait for a change of the index.
        """
        with self._pool.connection() as connection:
            if _find_partition(connection, _BY_NAME, self._user) is None:
                with postgres_transaction(connection, self._pool.address):
                    # Waits for a process that erases the user, and then finds no row.
                    connection.execute(_NEW_INDEX, (encode_index_head(NO_INDEX), self._user))
            with postgres_transaction(connection, self._pool.address):
                yield _find_partition(connection, f"{_BY_NAME} FOR UPDATE", self._user)


class _PostgresPartition(NamedTuple):
    """The partition of the tables that holds a user's rows, and the state of the index. User 0 has no rows."""

    connection: Connection
    user: int = 0
    number: str = "00"
    head: IndexHead = NO_INDEX
    slots: int = 0
    """The last slot in use."""
    schema: str | None = None
    """Where the type of the vectors is; None if there is no table for them."""

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        named = statement.format(
            passages=f"uac.passages_{self.number}",
            vectors=f"uac.vectors_{self.number}",
            indexes=f"uac.indexes_{self.number}",
            halfvec=f"{self.schema}.halfvec",
            apart=f"OPERATOR({self.schema}.<=>)",
            schema=self.schema,
        )
        cursor = self.connection.execute(named.encode(), values, binary=True)
        return cursor.fetchall() if cursor.description else []

    def vector_rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.rows(statement, *values) if self.schema else []


_FIND = """
SELECT i."user", right(i.tableoid::regclass::text, 2), i.head, i.slots, (
  SELECT quote_ident(n.nspname) FROM pg_attribute AS a
  JOIN pg_type AS t ON t.oid = a.atttypid JOIN pg_namespace AS n ON n.oid = t.typnamespace
  WHERE a.attrelid = to_regclass('uac.vectors') AND a.attname = 'vector'
) FROM uac.indexes AS i WHERE i."user" = """
_BY_NAME = f"{_FIND} (SELECT id FROM uac.users WHERE name = %s)"
_BY_NUMBER = f"{_FIND} %s"
_NEW_INDEX = """
INSERT INTO uac.indexes ("user", slots, head) SELECT id, 0, %s FROM uac.users WHERE name = %s FOR KEY SHARE
ON CONFLICT DO NOTHING
"""


def _find_partition(connection: Connection, statement: str, user: str | int) -> _PostgresPartition | None:
    row = connection.execute(statement.encode(), (user,)).fetchone()
    return _PostgresPartition(connection, row[0], row[1], decode_index_head(row[2]), *row[3:]) if row else None


def unindex_positions(connection: Connection, user: int, positions: Collection[int]) -> None:
    """Remove the passages of entries, and all records, which may repeat their words; mark the tables for scrubbing.

    They are marked even if nothing is removed: dead rows may hold the words of passages replaced earlier.
    """
    part = _find_partition(connection, f"{_BY_NUMBER} FOR UPDATE", user)
    if part is not None:
        gone = _remove_passages(part, "(kind = 'record' OR position = ANY(%s::bigint[]))", _array_literal(positions))
        _set_index_head(part, head_after(part.head, remove=gone), part.slots)
        _mark_index_for_scrub(part)


def unindex_user(connection: Connection, user: int) -> None:
    part = _find_partition(connection, f"{_BY_NUMBER} FOR UPDATE", user)
    if part is not None:
        _remove_passages(part, "TRUE")
        part.rows('DELETE FROM {indexes} WHERE "user" = %s', user)
        _mark_index_for_scrub(part)


def _mark_index_for_scrub(part: _PostgresPartition) -> None:
    # The table of the vectors may be missing; one that has lost its column with the extension still has the bytes.
    part.rows(
        "INSERT INTO uac.unscrubbed (relation) SELECT relname FROM pg_class"
        " WHERE relnamespace = 'uac'::regnamespace AND relname = ANY(%s)",
        [f"{name}_{part.number}" for name in ("indexes", "passages", "vectors")],
    )


def _set_index_head(part: _PostgresPartition, head: IndexHead, slots: int) -> None:
    part.rows('UPDATE {indexes} SET head = %s, slots = %s WHERE "user" = %s', encode_index_head(head), slots, part.user)


def _has_erased_sources(part: _PostgresPartition, passages: Sequence[Passage]) -> bool:
    """Whether passages come from entries that were erased after they were read."""
    positions = {position for passage in passages for position in (passage.position, *passage.cites)}
    return bool(
        part.rows(
            'SELECT 1 FROM uac.entries WHERE "user" = %s AND position = ANY(%s::bigint[])'
            " AND commitment IS NOT NULL AND btrim(body) = '' LIMIT 1",
            part.user,
            _array_literal(positions),
        )
    )


def _insert_passages(part: _PostgresPartition, add: Sequence[NewPassage]) -> None:
    statement = (
        f'INSERT INTO uac.passages_{part.number} ("user", words, {COLUMNS})'
        f" VALUES (%s, array_to_tsvector(%s::text[]), {', '.join(['%s'] * len(Passage._fields))})"
    )
    rows = [
        (
            part.user,
            _prefixed_terms(part.user, passage.kind, terms),
            slot,
            *map(_escape_index_nul, passage_to_row(passage)),
        )
        for slot, (passage, terms) in enumerate(add, part.slots + 1)
    ]
    part.connection.cursor().executemany(statement.encode(), rows)


def _remove_passages(part: _PostgresPartition, condition: str, *values: Any) -> list[Passage]:
    rows = part.rows(
        f'DELETE FROM {{passages}} WHERE "user" = %s AND {condition} RETURNING {COLUMNS}', part.user, *values
    )
    slots = _array_literal(row[0] for row in rows)
    part.vector_rows('DELETE FROM {vectors} WHERE "user" = %s AND slot = ANY(%s::bigint[])', part.user, slots)
    return [_passage_from_postgres(row) for row in rows]


def _select_passages(part: _PostgresPartition, columns: str, where: PassageFilter) -> list[tuple[Any, ...]]:
    condition, values = filter_sql(where, mark="%s", among=_postgres_any_of)
    return part.rows(f'SELECT {columns} FROM {{passages}} WHERE "user" = %s AND {condition}', part.user, *values)


def _postgres_any_of(column: str, wanted: Sequence[Any]) -> tuple[str, Any]:
    if column in _NUMBERS:
        return f"{column} = ANY(%s::bigint[])", _array_literal(wanted)
    return f"{column} = ANY(%s::text[])", list(map(_escape_index_nul, wanted))


_NUMBERS = frozenset({"slot", "position"})


def _array_literal(numbers: Iterable[int]) -> str:
    """An array as text, which is faster than an array of the driver."""
    return f"{{{','.join(map(str, numbers))}}}"


def _vector_distances(
    part: _PostgresPartition, embedder: str, vector: "Vectors", condition: str, *values: Any
) -> list[tuple[Any, ...]]:
    """Slots with their distance: 0 for the same direction, 1 for a vector of zeros, which has no direction."""
    numbers = vector.reshape(-1)
    return part.vector_rows(
        "SELECT slot, coalesce(nullif(vector {apart} %s::{halfvec}, 'NaN'), 1) AS apart FROM {vectors}"
        ' WHERE "user" = %s AND embedder = %s AND {schema}.vector_dims(vector) = %s AND ' + condition,
        _vector_text(numbers),
        part.user,
        embedder_number(embedder),
        len(numbers),
        *values,
    )


def _vector_text(vector: "Vectors") -> str:
    """A vector as text. Only its direction matters: integers are short, and up to 2047 halfvec stores them exactly."""
    scale = 2047 / max(float(abs(vector).max()), 1e-12)
    return str((vector * scale).round().astype("int16").tolist())


def _prefixed_terms(user: int, kind: RecallKind, terms: Iterable[str]) -> list[str]:
    return [f"{user}{kind[0]}_{_escape_index_nul(term)}" for term in terms]


def _tsquery_word(word: str) -> str:
    """A word as a tsquery that matches exactly this word, whatever characters it contains."""
    doubled = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


# A text of PostgreSQL has no NUL, but a name or a session may.


def _escape_index_nul(value: Any) -> Any:
    return value.replace("\\", "\\\\").replace("\0", "\\0") if isinstance(value, str) else value


def _passage_from_postgres(row: Sequence[Any]) -> Passage:
    if any("\\" in row[column] for column in _FREE):
        row = [_ESCAPED.sub(_unescape_index_nul, value) if isinstance(value, str) else value for value in row]
    return passage_from_row(row)


_FREE = tuple(Passage._fields.index(name) for name in ("record", "session", "speaker", "source", "stamp"))


def _unescape_index_nul(escaped: "re.Match[str]") -> str:
    return "\0" if escaped[0] == "\\0" else "\\"


_ESCAPED = re.compile(r"\\[\\0]")


def make_index_tables(connection: Connection) -> None:
    connection.execute(_TABLES)
    available = connection.execute(
        "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' AND installed_version IS NULL"
    )
    if available.fetchone():
        _try_index_statements(connection, "CREATE EXTENSION vector")
    _make_vector_table(connection)


def drop_about_column(connection: Connection) -> None:
    """Drop the column `about`, which nothing read."""
    connection.execute("ALTER TABLE uac.passages DROP COLUMN IF EXISTS about")


def vector_finding(connection: Connection) -> Diagnostic:
    if _has_vector_table(connection) or _pgvector_schema(connection):
        return Diagnostic("ok", "vectors can be stored (pgvector): recall also searches by meaning")
    available = connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone()
    return Diagnostic(
        "note",
        "vectors cannot be stored: recall searches by words, names and times, not by meaning",
        ("" if available else "install pgvector 0.7 or later on the server; ")
        + "as a superuser: CREATE EXTENSION vector; with an older one: ALTER EXTENSION vector UPDATE",
    )


def _make_vector_table_late(connection: Connection, address: str) -> bool:
    """Make the table if the extension was installed after the other tables were made."""
    writable = connection.execute(
        "SELECT has_schema_privilege('uac', 'CREATE') AND NOT current_setting('transaction_read_only')::boolean"
    )
    if writable.fetchone() != (True,) or not _pgvector_schema(connection):
        return False
    with postgres_transaction(connection, address):
        _make_vector_table(connection)
    return _has_vector_table(connection)


def _make_vector_table(connection: Connection) -> None:
    if schema := _pgvector_schema(connection):
        _try_index_statements(connection, _VECTORS.format(schema=schema))


def _try_index_statements(connection: Connection, statements: str) -> bool:
    """Run the statements in a savepoint. Returns False, with nothing changed, if the server refuses them."""
    connection.execute("SAVEPOINT trying")
    try:
        connection.execute(statements.encode())
    except DatabaseError:
        connection.execute("ROLLBACK TO trying")
        return False
    connection.execute("RELEASE trying")
    return True


def _pgvector_schema(connection: Connection) -> str | None:
    """The schema of the extension, if it is installed, has the type, and this role may use it."""
    row = connection.execute(
        "SELECT quote_ident(n.nspname) FROM pg_extension AS e"
        " JOIN pg_type AS t ON t.typnamespace = e.extnamespace AND t.typname = 'halfvec'"
        " JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
        " AND has_schema_privilege(n.oid, 'USAGE')"
    ).fetchone()
    return row[0] if row else None


def _has_vector_table(connection: Connection) -> bool:
    found = connection.execute(
        "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('uac.vectors') AND attname = 'vector'"
    )
    return found.fetchone() is not None


def _index_partitions_sql(name: str, settings: str = "") -> str:
    return "".join(
        f"CREATE TABLE uac.{name}_{n:02} PARTITION OF uac.{name} FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {n})"
        f"{settings};\n"
        for n in range(PARTS)
    )


# New words wait in a list that every search reads, so it is short; without it, writing takes twice as long.
# No statistics: ANALYZE would copy samples of the words into pg_statistic, where no erasure reaches them.
_TABLES = f"""
CREATE TABLE uac.indexes (
  "user" bigint NOT NULL PRIMARY KEY,
  slots bigint NOT NULL,
  head bytea NOT NULL
) PARTITION BY HASH ("user");
{_index_partitions_sql("indexes")}
CREATE TABLE uac.passages (
  "user" bigint NOT NULL,
  slot bigint NOT NULL,
  position bigint NOT NULL,
  start integer NOT NULL,
  stop integer NOT NULL,
  size integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  record text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  said text COLLATE "C" NOT NULL,
  since text COLLATE "C" NOT NULL,
  until text COLLATE "C" NOT NULL,
  speaker text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  authority text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  cites text COLLATE "C" NOT NULL,
  language text COLLATE "C" NOT NULL,
  stamp text COLLATE "C" NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY ("user", slot)
) PARTITION BY HASH ("user");
CREATE INDEX passages_by_position ON uac.passages ("user", position);
CREATE INDEX passages_by_record ON uac.passages ("user", record);
CREATE INDEX passages_by_day ON uac.passages ("user", since);
CREATE INDEX passages_by_word ON uac.passages USING gin (words) WITH (gin_pending_list_limit = 512);
{_index_partitions_sql("passages")}
ALTER TABLE uac.indexes ALTER head SET STATISTICS 0;
ALTER TABLE uac.passages ALTER record SET STATISTICS 0, ALTER session SET STATISTICS 0, ALTER speaker SET STATISTICS 0,
  ALTER source SET STATISTICS 0, ALTER stamp SET STATISTICS 0,
  ALTER words SET STATISTICS 0;
"""

# Vectors of any length, because embedders differ. Stored in the row even if long, because a search reads all of them.
# Dropped first: a table left over from a removed extension has no vectors.
_VECTORS = f"""
DROP TABLE IF EXISTS uac.vectors;
CREATE TABLE uac.vectors (
  "user" bigint NOT NULL,
  embedder bigint NOT NULL,
  slot bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  vector {{schema}}.halfvec NOT NULL,
  PRIMARY KEY ("user", embedder, slot)
) PARTITION BY HASH ("user");
{_index_partitions_sql("vectors", " WITH (toast_tuple_target = 8160)")}
ALTER TABLE uac.vectors ALTER vector SET STATISTICS 0;
"""
