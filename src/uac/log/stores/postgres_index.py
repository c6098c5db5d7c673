"""One user's search index in a PostgreSQL database: a head, and blocks of bytes.

All users share the tables, which are partitioned by user like the entries.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import msgspec

from uac.log.block_parts import FIRST_BYTES, BlockBytes, BlockGone, BlockSpan, WholeBlock
from uac.log.index import NO_INDEX, IndexChange, IndexHead, decode_index_head, encode_index_head
from uac.log.stores.postgres_pool import Connection, PostgresPool, array_literal, array_of_bytes, postgres_transaction
from uac.log.stores.span_runs import Run, SpanBytes

__all__ = ["PostgresIndex", "make_index_tables", "replace_index_tables", "unindex_positions", "unindex_user"]

PARTS = 16
LARGE_BLOCK = 1 << 19  # bytes; smaller blocks are read whole
PIECE = 1 << 17  # bytes received at a time: a connection keeps room for the largest row that it has received
MANY = 128  # runs that are received as one row, if they are shorter than PIECE / MANY on average


class PostgresIndex:
    """One user's index."""

    def __init__(self, pool: PostgresPool, user: str) -> None:
        self._pool = pool
        self._user = user
        self._place = (0, "00")
        """The user's number, and that of the partition, when the head was last read. Neither is given to others."""

    def head(self) -> IndexHead:
        with self._reading_partition() as part:
            self._place = part.user, part.number
            return part.head

    def read(self, digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        with self._reading_partition() as part:
            return part.read_blocks(digests)

    def open_blocks(self, digests: Collection[bytes]) -> Mapping[bytes, BlockBytes]:
        if not self._place[0]:
            self.head()
        with self._pool.connection() as connection:
            found = _PostgresPartition(connection, *self._place).open_blocks(digests)
        if len(found) < len({*digests}):
            raise BlockGone
        together = _BlockReads(self._pool, self._place)
        return {
            block.digest: _PostgresBlock(together, block) if block.is_large else WholeBlock(block.data)
            for block in found
        }

    def change(self, before: IndexHead, change: IndexChange, *, sources: Collection[int] = ()) -> bool:
        with self._writing_partition() as part:
            if part is None or part.head != before or part.is_any_erased(sources):
                return False
            part.apply_change(change)
        return True

    def clear(self) -> None:
        with self._writing_partition() as part:
            if part is not None:
                part.rows('DELETE FROM {blocks} WHERE "user" = %s', part.user)
                part.set_head(msgspec.structs.replace(NO_INDEX, generation=part.head.generation + 1))

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


class _PostgresBlock:
    """A large block in the database."""

    is_far = True

    def __init__(self, together: "_BlockReads", block: "_FoundBlock") -> None:
        self._together = together
        self._digest, self._size = block.digest, block.size
        self._first: memoryview | None = memoryview(block.data)
        """Its first bytes, until they are read."""

    def expect(self, spans: Sequence[BlockSpan]) -> None:
        self._together.expect(self._wanted(spans))

    def read(self, spans: Sequence[BlockSpan]) -> Sequence[memoryview]:
        if self._first is not None and all(stop <= len(self._first) for _start, stop in spans):
            found = [self._first[start:stop] for start, stop in spans]
            self._first = None
            return found
        return self._together.read(self._wanted(spans))

    def _wanted(self, spans: Sequence[BlockSpan]) -> "_Wanted":
        return _Wanted(self._digest, tuple((min(start, self._size), min(stop, self._size)) for start, stop in spans))


class _Wanted(NamedTuple):
    """Spans of a block."""

    digest: bytes
    spans: tuple[BlockSpan, ...]


class _BlockReads:
    """Reads of blocks that were opened together: what is expected of several of them takes one round trip."""

    def __init__(self, pool: PostgresPool, place: tuple[int, str]) -> None:
        self._pool = pool
        self._place = place
        self._expected: dict[_Wanted, None] = {}
        self._received: dict[_Wanted, Sequence[memoryview]] = {}

    def expect(self, wanted: _Wanted) -> None:
        if wanted not in self._received:
            self._expected[wanted] = None

    def read(self, wanted: _Wanted) -> Sequence[memoryview]:
        found = self._received.pop(wanted, None)
        if found is not None:
            return found
        every = [wanted]
        if wanted in self._expected:
            every, self._expected = [*self._expected], {}
            self._received.clear()  # what a failed search left unread: its block may be erased by now
        with self._pool.connection() as connection:
            read = _PostgresPartition(connection, *self._place).read_spans(every)
        received = dict(zip(every, read, strict=True))
        own = received.pop(wanted)
        self._received |= received
        return own


class _FoundBlock(NamedTuple):
    digest: bytes
    size: int
    data: bytes
    """All bytes; of a large block the first ones."""

    @property
    def is_large(self) -> bool:
        return self.size >= LARGE_BLOCK


class _PostgresPartition(NamedTuple):
    """The partition of the tables that holds a user's rows, and the head of the index. User 0 has no rows."""

    connection: Connection
    user: int = 0
    number: str = "00"
    head: IndexHead = NO_INDEX

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        cursor = self.connection.execute(self._named(statement), values, binary=True)
        return cursor.fetchall() if cursor.description else []

    def _named(self, statement: str) -> bytes:
        return statement.format(blocks=f"uac.index_blocks_{self.number}", indexes=f"uac.indexes_{self.number}").encode()

    def read_blocks(self, digests: Collection[bytes]) -> dict[bytes, bytes]:
        return {
            block.digest: self._read_whole(block) if block.is_large else block.data
            for block in self.open_blocks(digests)
        }

    def open_blocks(self, digests: Collection[bytes]) -> list[_FoundBlock]:
        """The blocks with these digests, of large ones only their first bytes."""
        return [
            _FoundBlock(*row) for row in self.rows(_OPEN, LARGE_BLOCK, FIRST_BYTES, self.user, array_of_bytes(digests))
        ]

    def _read_whole(self, block: _FoundBlock) -> bytes:
        ((data,),) = self.read_spans([_Wanted(block.digest, ((0, block.size),))])
        return bytes(data)

    def read_spans(self, wanted: Sequence[_Wanted]) -> list[list[memoryview]]:
        """Bytes of blocks, without the copies of all of them that a result and its connection would keep."""
        read = [SpanBytes(number, each.spans) for number, each in enumerate(wanted)]
        runs = [run for each in read for run in each.runs]
        digests = [each.digest for each in wanted]
        if sum(run.length for run in runs) <= PIECE * len(runs) // MANY:
            self._read_joined(digests, runs, read)
        else:
            self._read_pieces(digests, [piece for run in runs for piece in run.pieces(PIECE)], read)
        return [each.spans() for each in read]

    def _read_joined(self, digests: Sequence[bytes], runs: Sequence[Run], read: Sequence[SpanBytes]) -> None:
        """Many short runs: a row for each would take longer than its bytes."""
        rows = self.rows(_JOINED, MANY, *self._span_values(digests, runs))
        data, done = memoryview(b"".join(joined for (joined,) in rows)), 0
        if len(data) < sum(run.length for run in runs):
            raise BlockGone
        for run in runs:
            read[run.number].put(run, data[done : done + run.length])
            done += run.length

    def _read_pieces(self, digests: Sequence[bytes], pieces: Sequence[Run], read: Sequence[SpanBytes]) -> None:
        count = 0
        with closing(self.connection.cursor(binary=True)) as cursor:
            for number, data in cursor.stream(self._named(_PIECES), self._span_values(digests, pieces)):
                piece = pieces[number - 1]
                read[piece.number].put(piece, data)
                count += 1
        if count < len(pieces):
            raise BlockGone

    def _span_values(self, digests: Sequence[bytes], runs: Sequence[Run]) -> tuple[object, ...]:
        numbers = {digest: number for number, digest in enumerate(dict.fromkeys(digests))}
        blocks = array_literal(numbers[digests[run.number]] for run in runs)
        starts, lengths = array_literal(run.start for run in runs), array_literal(run.length for run in runs)
        return blocks, starts, lengths, array_of_bytes(numbers), self.user, array_of_bytes(numbers)

    def apply_change(self, change: IndexChange) -> None:
        self.rows('DELETE FROM {blocks} WHERE "user" = %s AND digest = ANY(%s)', self.user, [*change.remove])
        for digest, data in change.add.items():
            self.rows(
                'INSERT INTO {blocks} ("user", digest, data) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING',
                self.user,
                digest,
                data,
            )
        self.set_head(change.after)

    def set_head(self, head: IndexHead) -> None:
        self.rows('UPDATE {indexes} SET head = %s WHERE "user" = %s', encode_index_head(head), self.user)

    def is_any_erased(self, positions: Collection[int]) -> bool:
        return bool(
            self.rows(
                'SELECT 1 FROM uac.entries WHERE "user" = %s AND position = ANY(%s::bigint[])'
                " AND commitment IS NOT NULL AND btrim(body) = '' LIMIT 1",
                self.user,
                sorted(positions),
            )
        )

    def mark_for_scrub(self) -> None:
        """Mark the tables even if nothing was removed: dead rows may hold the words of blocks replaced earlier."""
        for name in ("indexes", "index_blocks"):
            self.rows("INSERT INTO uac.unscrubbed (relation) VALUES (%s)", f"{name}_{self.number}")


_OPEN = """
SELECT digest, octet_length(data), CASE WHEN octet_length(data) < %s THEN data ELSE substring(data FOR %s) END
FROM {blocks} WHERE "user" = %s AND digest = ANY(%s::bytea[])
"""
_BLOCKS = """
(SELECT array_position(%s::bytea[], digest) - 1 AS block, data FROM {blocks}
 WHERE "user" = %s AND digest = ANY(%s::bytea[])) AS b
"""
_PIECES = f"""
SELECT piece.number, substring(b.data FROM piece.first + 1 FOR piece.length)
FROM unnest(%s::int[], %s::int[], %s::int[]) WITH ORDINALITY AS piece (block, first, length, number)
JOIN {_BLOCKS} ON b.block = piece.block
"""
_JOINED = f"""
SELECT string_agg(substring(b.data FROM run.first + 1 FOR run.length), ''::bytea ORDER BY run.number)
FROM (SELECT *, (number - 1) / %s AS row
      FROM unnest(%s::int[], %s::int[], %s::int[]) WITH ORDINALITY AS every (block, first, length, number)) AS run
JOIN {_BLOCKS} ON b.block = run.block
GROUP BY run.row ORDER BY run.row
"""
_FIND = 'SELECT i."user", right(i.tableoid::regclass::text, 2), i.head FROM uac.indexes AS i WHERE i."user" = '
_BY_NAME = f"{_FIND} (SELECT id FROM uac.users WHERE name = %s)"
_BY_NUMBER = f"{_FIND} %s"
_NEW_INDEX = """
INSERT INTO uac.indexes ("user", head) SELECT id, %s FROM uac.users WHERE name = %s FOR KEY SHARE
ON CONFLICT DO NOTHING
"""


def _find_partition(connection: Connection, statement: str, user: str | int) -> _PostgresPartition | None:
    row = connection.execute(statement.encode(), (user,)).fetchone()
    return _PostgresPartition(connection, row[0], row[1], decode_index_head(row[2])) if row else None


def unindex_positions(connection: Connection, user: int, positions: Collection[int]) -> None:
    """Take the words of entries, and all records, which may repeat them, out of the index."""
    part = _find_partition(connection, f"{_BY_NUMBER} FOR UPDATE", user)
    if part is not None:
        from uac.log.index_blocks import blank_positions  # needs numpy

        part.apply_change(blank_positions(part.head, part.read_blocks, positions))
        part.mark_for_scrub()


def unindex_user(connection: Connection, user: int) -> None:
    part = _find_partition(connection, f"{_BY_NUMBER} FOR UPDATE", user)
    if part is not None:
        for table in ("{blocks}", "{indexes}"):
            part.rows(f'DELETE FROM {table} WHERE "user" = %s', user)
        part.mark_for_scrub()


def make_index_tables(connection: Connection) -> None:
    connection.execute(_TABLES)


def replace_index_tables(connection: Connection) -> None:
    """Replace the tables of an earlier version. The next search of a user makes the index anew."""
    if connection.execute("SELECT to_regclass('uac.passages')").fetchone() != (None,):
        connection.execute("DROP TABLE IF EXISTS uac.vectors, uac.passages, uac.indexes")
        connection.execute(_TABLES)
        # An erasure that is still to be finished goes on with a table that exists.
        connection.execute("UPDATE uac.unscrubbed SET relation = 'indexes_00' WHERE relation ~ '^(vectors|passages)_'")


def _index_partitions_sql(name: str) -> str:
    return "".join(
        f"CREATE TABLE uac.{name}_{n:02} PARTITION OF uac.{name} FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {n});\n"
        for n in range(PARTS)
    )


# No statistics: ANALYZE would copy samples of the words into pg_statistic, where no erasure reaches them.
# No compression of blocks: reading them would take twice as long.
_TABLES = f"""
CREATE TABLE uac.indexes ("user" bigint NOT NULL PRIMARY KEY, head bytea NOT NULL) PARTITION BY HASH ("user");
CREATE TABLE uac.index_blocks (
  "user" bigint NOT NULL,
  digest bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY ("user", digest)
) PARTITION BY HASH ("user");
{_index_partitions_sql("indexes")}
{_index_partitions_sql("index_blocks")}
ALTER TABLE uac.indexes ALTER head SET STATISTICS 0;
ALTER TABLE uac.index_blocks ALTER data SET STATISTICS 0, ALTER data SET STORAGE EXTERNAL,
  ALTER digest SET STATISTICS 0;
"""
