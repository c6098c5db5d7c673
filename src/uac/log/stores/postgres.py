"""Many users' logs in one PostgreSQL database: for a server with many processes and many users."""

import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any, LiteralString

from uac.errors import NewerFormat, NoStore, NotAStore, ReadOnly, StoreError, Unavailable
from uac.log.clock import Clock, wall_clock
from uac.log.coordination import Coordination
from uac.log.index import IndexBlocks
from uac.log.log import Log
from uac.log.retry_keys import retry_keys
from uac.log.rows import EMPTY, Blank, Head, Row, UserEnd, read_pages
from uac.log.snapshots import Snapshot
from uac.log.staging import Staging
from uac.log.store import ERASED, OWN, User, check_end, check_user, erased_key, time_of_head
from uac.log.stores.postgres_coordination import PostgresCoordination
from uac.log.stores.postgres_index import (
    PostgresIndex,
    make_index_tables,
    replace_index_tables,
    unindex_positions,
    unindex_user,
)
from uac.log.stores.postgres_pool import (
    WAIT_SECONDS,
    Connect,
    Connection,
    PostgresPool,
    array_literal,
    connect,
    postgres_transaction,
)
from uac.log.stores.postgres_shared import (
    SHARED_PARTS,
    make_shared_tables,
    restore_body,
    share_bodies,
    shared_text_findings,
    unshare_entries,
    unshare_user,
)
from uac.log.stores.postgres_snapshots import (
    add_snapshot,
    drop_snapshot,
    make_snapshot_table,
    read_snapshot,
    read_snapshot_parts,
    read_user_ends,
    set_snapshot,
    snapshot_positions,
    snapshot_sizes,
)
from uac.log.stores.postgres_staging import PostgresStaging, drop_staged_files, mark_staging_for_scrub
from uac.log.stores.undo import UndoOnFailure
from uac.schema.diagnostics import Diagnostic
from uac.schema.word_caches import forget_cached_words

# isort: split
# After postgres_pool, whose error says how to install psycopg.
from psycopg import errors, sql

__all__ = ["PostgresStore"]

APPLICATION = "user-as-code"
PARTITIONS = 16
MIGRATION_LOCK = 0x55614331  # 'UaC1'
LEARNING = 0x55614332  # the class of the advisory locks of workers
FINISHING_SECONDS = 2  # how long finishing another process's erasure waits for locks; it is tried again later


class PostgresStore:
    """Keeps logs in the schema `uac` of one PostgreSQL database."""

    def __init__(self, url: str, *, create: bool = True, clock: Clock = wall_clock, connect: Connect = connect) -> None:
        self._clock = clock
        self._pool = PostgresPool(url, connect)
        with UndoOnFailure(self._pool.close):
            with self._pool.connection() as connection:
                _migrate_tables(connection, self.address, create=create)
            self.finish_erasures()

    @property
    def address(self) -> str:
        return self._pool.address

    def log(self, user: str) -> Log:
        return Log(_PostgresRows(self._pool, check_user(user)), self._clock)

    def own(self) -> Log:
        return Log(_PostgresRows(self._pool, OWN), self._clock)

    def users(self, *, after: str = "", limit: int = 1000) -> tuple[User, ...]:
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT name, position, digest, at FROM uac.users"
                " WHERE name > %s AND position > 0 ORDER BY name LIMIT %s",
                (max(after, OWN), limit),
            ).fetchall()
        return tuple(
            User(name, position, time_of_head(Head(position, digest, at))) for name, position, digest, at in rows
        )

    def read_ends(self, users: Sequence[str]) -> Sequence[UserEnd]:
        with self._pool.connection() as connection:
            return read_user_ends(connection, users)

    def read_logs(self, users: Sequence[str]) -> Mapping[str, Sequence[Row]]:
        found: dict[str, list[Row]] = {}
        with self._pool.connection() as connection:
            for name, *row in connection.execute(_SELECT_LOGS, ([*users],)).fetchall():
                found.setdefault(name, []).append(_whole_row(row))
        return found

    def read_parts(self, wanted: Mapping[str, Collection[bytes]]) -> Mapping[str, Mapping[bytes, bytes]]:
        with self._pool.connection() as connection:
            return read_snapshot_parts(connection, wanted)

    def erase(self, user: str, *, after: int | None = None) -> None:
        check_user(user)
        with self._pool.connection() as connection, postgres_transaction(connection, self.address):
            drop_staged_files(connection, user)
            # Locked first: a writer that is under way must not add entries behind the deletion.
            found = connection.execute(
                "SELECT id, position FROM uac.users WHERE name = %s FOR UPDATE", (user,)
            ).fetchone()
            check_end(Head(found[1], b"", "") if found else EMPTY, after)
            if found:
                keys = retry_keys(read_pages(partial(_select_page, connection, user), 1, None))
                _PostgresWriting(connection, user, found[0], EMPTY).remember(keys)
                _mark_for_scrub(connection, found[0])
                connection.execute("INSERT INTO uac.unscrubbed (relation) VALUES ('users')")
                unindex_user(connection, found[0])
                drop_snapshot(connection, found[0])
                unshare_user(connection, found[0])
                connection.execute('DELETE FROM uac.entries WHERE "user" = %s', found[:1])
                connection.execute("DELETE FROM uac.users WHERE id = %s", found[:1])
        _scrub_tables(self._pool)
        forget_cached_words()

    def erased_keys(self, *, after: bytes = b"", limit: int = 1000) -> tuple[bytes, ...]:
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT name FROM uac.users WHERE name > %s AND name < %s ORDER BY name LIMIT %s",
                (ERASED + after.hex(), OWN, limit),
            ).fetchall()
        return tuple(bytes.fromhex(name.removeprefix(ERASED)) for (name,) in rows)

    def add_erased_keys(self, digests: Collection[bytes]) -> None:
        with self._pool.connection() as connection, postgres_transaction(connection, self.address):
            _remember(connection, [ERASED + digest.hex() for digest in digests])

    def finish_erasures(self) -> bool:
        try:
            _scrub_tables(self._pool, FINISHING_SECONDS)
        except StoreError:  # another session still reads, or this role may not: findings() reports it
            return False
        return True

    def findings(self) -> tuple[Diagnostic, ...]:
        with self._pool.connection() as connection:
            return (*_server_findings(connection), *shared_text_findings(connection))

    def coordination(self) -> Coordination:
        return PostgresCoordination(self._pool)

    def staging(self) -> Staging:
        return PostgresStaging(self._pool)

    def close(self) -> None:
        self._pool.close()


class _PostgresRows:
    """One user's rows."""

    def __init__(self, pool: PostgresPool, user: str) -> None:
        self._pool = pool
        self._user = user
        self._writer = threading.local()
        self._index = PostgresIndex(pool, user)

    def head(self) -> Head:
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT position, digest, at FROM uac.users WHERE name = %s", (self._user,)
            ).fetchone()
        return Head(*row) if row else EMPTY

    def read(self, start: int, stop: int | None) -> Iterator[Row]:
        return read_pages(self._fetch_page, start, stop)

    def read_at(self, positions: Collection[int]) -> list[Row]:
        with self._reading_connection() as connection:
            wanted = array_literal(sorted(set(positions)))
            return _select_rows(connection, "position = ANY(%s::bigint[]) ORDER BY position", (self._user, wanted))

    def _fetch_page(self, first: int, last: int, limit: int) -> list[Row]:
        with self._reading_connection() as connection:
            return _select_page(connection, self._user, first, last, limit)

    def _reading_connection(self) -> AbstractContextManager[Connection]:
        # A writer that also reads must not wait for a second connection: all writers might hold their first.
        writer: Connection | None = getattr(self._writer, "connection", None)
        return nullcontext(writer) if writer else self._pool.connection()

    @contextmanager
    def writing(self) -> Iterator["_PostgresWriting"]:
        with (
            self._pool.connection() as connection,
            postgres_transaction(connection, self._pool.address, _LOCK_USER, (self._user,)) as rows,
        ):
            user, head = _locked_user(connection, self._user, rows)
            writing = _PostgresWriting(connection, self._user, user, head)
            self._writer.connection = connection
            try:
                yield writing
            finally:
                self._writer.connection = None
            if not writing.changed:
                connection.execute("ROLLBACK")  # a new user without an entry leaves no row

    def is_remembered(self, keys: Collection[bytes]) -> bool:
        names = [erased_key(self._user, key) for key in keys]
        with self._reading_connection() as connection:
            found = connection.execute("SELECT 1 FROM uac.users WHERE name = ANY(%s) LIMIT 1", (names,)).fetchone()
        return found is not None

    def scrub(self) -> None:
        _scrub_tables(self._pool)

    def index(self) -> IndexBlocks:
        return self._index

    @contextmanager
    def try_lock(self) -> Iterator[bool]:
        with self._pool.connection() as connection:  # the lock is the session's, so the connection is kept
            found = connection.execute(
                "SELECT pg_try_advisory_lock(%s, hashtext(%s))", (LEARNING, self._user)
            ).fetchone()
            is_mine = bool(found and found[0])
            try:
                yield is_mine
            finally:
                if is_mine:
                    connection.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", (LEARNING, self._user))

    def snapshot(self) -> Snapshot:
        with self._reading_connection() as connection:
            return read_snapshot(connection, self._user)

    def snapshot_positions(self) -> tuple[int, ...]:
        with self._reading_connection() as connection:
            return snapshot_positions(connection, self._user)

    def snapshot_at(self, position: int) -> Snapshot:
        with self._reading_connection() as connection:
            return read_snapshot(connection, self._user, position)


class _PostgresWriting:
    def __init__(self, connection: Connection, name: str, user: int, head: Head) -> None:
        self.head = head
        self.changed = False
        self._connection = connection
        self._name = name
        self._user = user

    def find(self, keys: Collection[bytes]) -> Mapping[bytes, int]:
        if not keys:
            return {}
        rows = self._connection.execute(
            'SELECT key, position FROM uac.entries WHERE "user" = %s AND key = ANY(%s)', (self._user, list(keys))
        )
        return dict(rows.fetchall())

    def remember(self, keys: Collection[bytes]) -> None:
        _remember(self._connection, [erased_key(self._name, key) for key in keys])

    def insert(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        self.changed = True
        last = rows[-1]
        stored = [(self._user, *row) for row in self._share_checkpoints(rows)]
        with self._connection.pipeline():  # both statements in one round trip
            self._connection.execute(
                "UPDATE uac.users SET position = %s, digest = %s, at = %s WHERE id = %s",
                (last.position, last.digest, last.at, self._user),
            )
            # Not COPY: when that fails, the server writes the line it was at into its log.
            self._connection.cursor().executemany(
                'INSERT INTO uac.entries ("user", position, at, kind, form, body, salt, digest, key, commitment)'
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                stored,
            )

    def _share_checkpoints(self, rows: Sequence[Row]) -> Sequence[Row]:
        bodies = [(row.position, row.body) for row in rows if row.kind == "checkpoint"]
        rests = iter(share_bodies(self._connection, self._user, bodies))
        return [row._replace(body=next(rests)) if row.kind == "checkpoint" else row for row in rows]

    def blank(self, blanks: Sequence[Blank]) -> None:
        self.changed = True
        _mark_for_scrub(self._connection, self._user)
        mark_staging_for_scrub(self._connection)
        rests = unshare_entries(self._connection, self._user, [(blank.position, blank.body) for blank in blanks])
        self._connection.cursor().executemany(
            'UPDATE uac.entries SET body = %s, salt = %s, commitment = %s WHERE "user" = %s AND position = %s',
            [
                (rest, blank.salt, blank.commitment, self._user, blank.position)
                for rest, blank in zip(rests, blanks, strict=True)
            ],
        )
        unindex_positions(self._connection, self._user, [blank.position for blank in blanks])

    def set_snapshot(self, snapshot: Snapshot) -> None:
        self.changed = True
        set_snapshot(self._connection, self._user, snapshot)

    def snapshot_sizes(self) -> Mapping[int, Mapping[bytes, int]]:
        return snapshot_sizes(self._connection, self._name)

    def add_snapshot(self, position: int, snapshot: Snapshot, keep: Collection[int]) -> None:
        self.changed = True
        add_snapshot(self._connection, self._user, self._name, position, snapshot, keep)

    def drop_snapshot(self) -> None:
        self.changed = True
        drop_snapshot(self._connection, self._user)


def _remember(connection: Connection, names: Collection[str]) -> None:
    connection.cursor().executemany(
        "INSERT INTO uac.users (name, position, digest, at) VALUES (%s, 0, '', '') ON CONFLICT DO NOTHING",
        [(name,) for name in sorted(names)],  # in order, or two erasures could deadlock
    )


def _select_page(connection: Connection, user: str, first: int, last: int, limit: int) -> list[Row]:
    return _select_rows(connection, "position BETWEEN %s AND %s ORDER BY position LIMIT %s", (user, first, last, limit))


def _select_rows(connection: Connection, where: LiteralString, values: Sequence[object]) -> list[Row]:
    """Rows with whole bodies; the first value is the name of the user."""
    rows = connection.execute(f"{_SELECT} AND {where}", values).fetchall()
    return [*map(_whole_row, rows)]


def _whole_row(row: Sequence[Any]) -> Row:
    return Row._make((*row[:4], restore_body(row[4], row[9]), *row[5:9]))


_COLUMNS: LiteralString = (
    f"e.position, e.at, e.kind, e.form, e.body, e.salt, e.digest, e.key, e.commitment, {SHARED_PARTS}"
)
_SELECT: LiteralString = (
    f'SELECT {_COLUMNS} FROM uac.entries AS e WHERE "user" = (SELECT id FROM uac.users WHERE name = %s)'
)
_SELECT_LOGS: LiteralString = (
    f'SELECT u.name, {_COLUMNS} FROM uac.users AS u JOIN uac.entries AS e ON e."user" = u.id'
    " WHERE u.name = ANY(%s) ORDER BY e.position"
)


_LOCK_USER: LiteralString = "SELECT id, position, digest, at FROM uac.users WHERE name = %s FOR UPDATE"


def _locked_user(connection: Connection, name: str, rows: Sequence[Sequence[Any]]) -> tuple[int, Head]:
    """The user's row, locked until the transaction ends. A new row is invisible to others until it is committed."""
    while not rows:
        connection.execute(
            "INSERT INTO uac.users (name, position, digest, at) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (name, EMPTY.position, EMPTY.digest, EMPTY.at),
        )
        rows = connection.execute(_LOCK_USER, (name,)).fetchall()
    return rows[0][0], Head(*rows[0][1:])


def _mark_for_scrub(connection: Connection, user: int) -> None:
    """Note, in the erasing transaction, which tables still hold the erased words: a crash must not hide them."""
    connection.execute(
        "INSERT INTO uac.unscrubbed (relation) SELECT relname FROM pg_class"
        ' WHERE oid = (SELECT tableoid FROM uac.entries WHERE "user" = %s LIMIT 1)',
        (user,),
    )


def _scrub_tables(pool: PostgresPool, patience: float | None = None) -> None:
    """Destroy the dead rows that an erasure left in tables, and the journal that wrote them."""
    patience = WAIT_SECONDS if patience is None else patience
    try:
        with pool.connection() as connection:
            rows = connection.execute("SELECT id, relation FROM uac.unscrubbed").fetchall()
            if not rows:
                return
            connection.execute(f"SET lock_timeout = '{patience}s'")  # behind a waiting VACUUM, all others wait
            try:
                for relation in sorted({row[1] for row in rows}):
                    _vacuum_table(connection, relation, patience)
            finally:
                if not connection.closed:
                    connection.execute("RESET lock_timeout")
            for statement in ("SELECT pg_switch_wal()", "CHECKPOINT"):
                with suppress(errors.InsufficientPrivilege):  # findings() reports it
                    connection.execute(statement)
            connection.execute("DELETE FROM uac.unscrubbed WHERE id = ANY(%s)", ([row[0] for row in rows],))
    except StoreError as error:
        raise type(error)(
            f"The words are erased from the log, but not yet destroyed in the server's files ({error})."
            " Run the same erase again."
        ) from error


def _vacuum_table(connection: Connection, relation: str, patience: float) -> None:
    """VACUUM FULL, again until no transaction is left that can still see the dead rows."""
    deadline = time.monotonic() + patience
    dead: list[int] = []

    def note(notice: errors.Diagnostic) -> None:
        # '3 dead row versions cannot be removed yet', in the language of the server
        if number := re.match(r"\d+", notice.message_detail or ""):
            dead.append(int(number[0]))

    connection.add_notice_handler(note)
    while True:
        dead.clear()
        connection.execute(sql.SQL("VACUUM (FULL, VERBOSE) {}").format(sql.Identifier("uac", relation)))
        if not dead:
            raise ReadOnly(f"this role may not VACUUM uac.{relation}. Erase as the owner of the table.")
        if not any(dead):
            break
        if time.monotonic() > deadline:
            raise Unavailable(
                f"A transaction of another session still sees the old rows of uac.{relation}. Try again later."
            )
        time.sleep(0.2)
    connection.remove_notice_handler(note)


def _migrate_tables(connection: Connection, address: str, *, create: bool) -> None:
    version = _schema_version(connection, address)
    if not version and not create:
        raise NoStore(
            f"There is no store at {address}: the database has no schema 'uac' yet. Add an entry to create it."
        )
    if version == len(MIGRATIONS):
        return
    with postgres_transaction(connection, address):
        # Several processes may open a new database at once: one makes the tables, the others wait for it.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
        for migrate in MIGRATIONS[_schema_version(connection, address) :]:
            migrate(connection)
        connection.execute("UPDATE uac.meta SET version = %s", (len(MIGRATIONS),))


def _schema_version(connection: Connection, address: str) -> int:
    """The version of the tables, 0 if there are none."""
    table = "SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('uac') LIMIT 1"
    if connection.execute(table).fetchone() is None:
        return 0
    try:
        found = connection.execute("SELECT application, version FROM uac.meta").fetchone()
    except (errors.UndefinedTable, errors.UndefinedColumn):
        found = None
    if found is None or found[0] != APPLICATION:
        raise NotAStore(
            f"{address} has a schema 'uac' of another program, which was not changed. Use another database."
        )
    version = int(found[1])
    if version > len(MIGRATIONS):
        raise NewerFormat(
            f"{address} has schema {version}, and this version reads schemas up to {len(MIGRATIONS)}."
            " Upgrade the package."
        )
    return version


def _make_log_tables(connection: Connection) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise NotAStore(
            f"The database has encoding {encoding}, not UTF8. Use CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0."
        )
    if connection.execute("SELECT to_regnamespace('uac')").fetchone() == (None,):
        connection.execute("CREATE SCHEMA uac")
    connection.execute(_TABLES)


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _make_log_tables,  # to version 1
    make_index_tables,  # to version 2
    replace_index_tables,  # to version 3, whose passages had a column less
    replace_index_tables,  # to version 4: blocks instead of passages
    make_shared_tables,  # to version 5
    make_snapshot_table,  # to version 6
)
"""`MIGRATIONS[n]` turns the tables of version n into those of version n + 1."""

_PARTITIONS = "".join(
    f"CREATE TABLE uac.entries_{n:02} PARTITION OF uac.entries FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {n});\n"
    for n in range(PARTITIONS)
)

# Half of each page of users is kept free, so that moving a head rewrites the row in place and touches no index.
# No statistics: ANALYZE would copy samples of the words into pg_statistic, where no erasure reaches them.
_TABLES = f"""
CREATE TABLE uac.meta (application text NOT NULL, version integer NOT NULL);
INSERT INTO uac.meta VALUES ('{APPLICATION}', 0);
CREATE TABLE uac.users (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  position bigint NOT NULL,
  digest bytea NOT NULL,
  at text NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE uac.entries (
  "user" bigint NOT NULL,
  position bigint NOT NULL,
  at text NOT NULL,
  kind text NOT NULL,
  form integer NOT NULL,
  body text NOT NULL,
  salt bytea NOT NULL,
  digest bytea NOT NULL,
  key bytea,
  commitment bytea,
  PRIMARY KEY ("user", position)
) PARTITION BY HASH ("user");
CREATE UNIQUE INDEX entries_by_key ON uac.entries ("user", key) WHERE key IS NOT NULL;
{_PARTITIONS}
CREATE TABLE uac.unscrubbed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, relation text NOT NULL);
ALTER TABLE uac.users ALTER name SET STATISTICS 0;
ALTER TABLE uac.entries ALTER body SET STATISTICS 0, ALTER salt SET STATISTICS 0, ALTER key SET STATISTICS 0;
"""


def _server_findings(connection: Connection) -> Iterator[Diagnostic]:
    settings: dict[str, str] = dict(connection.execute("SELECT name, setting FROM pg_settings").fetchall())
    version = settings["server_version"]
    if int(settings["server_version_num"]) >= 140000:
        yield Diagnostic("ok", f"PostgreSQL {version}, schema {len(MIGRATIONS)}")
    else:
        yield Diagnostic(
            "problem", f"PostgreSQL {version} is no longer maintained", "upgrade the server to 14 or later"
        )
    if settings["server_encoding"] != "UTF8":
        yield Diagnostic(
            "problem", f"the encoding is {settings['server_encoding']}, not UTF8", "move to a new database"
        )
    unsafe = [name for name in ("fsync", "full_page_writes") if settings[name] != "on"]
    for name in unsafe:
        yield Diagnostic("problem", f"{name} is off: a power cut may destroy the log", f"ALTER SYSTEM SET {name} = on")
    if not unsafe:
        yield Diagnostic(
            "ok", "fsync, full_page_writes and synchronous_commit: an acknowledged append survives a power cut"
        )
    if settings["transaction_read_only"] == "on":
        yield Diagnostic("note", "this server or role can only read", "write through the primary server")
    yield from _erasure_findings(connection, settings)


def _erasure_findings(connection: Connection, settings: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Settings that keep an erasure from destroying the words in every file of the server."""
    row = connection.execute(_ERASURE).fetchone()
    assert row is not None
    owner, unscrubbed, may_flush, copied = row
    doubts: list[Diagnostic] = []
    if not owner:
        doubts.append(
            Diagnostic(
                "problem",
                "this role does not own the tables, so it cannot destroy erased words",
                "erase as their owner",
            )
        )
    if unscrubbed:
        doubts.append(
            Diagnostic(
                "problem",
                "erased words are still in free pages: an erasure was interrupted",
                "run 'uac doctor' again as the owner of the tables when no old transaction is open",
            )
        )
    if not may_flush:
        remedy = "GRANT pg_checkpoint TO role; GRANT EXECUTE ON FUNCTION pg_switch_wal() TO role"
        doubts.append(Diagnostic("note", "erased words stay in the server's WAL until it is recycled", remedy))
    if settings["wal_recycle"] == "on" or settings["wal_keep_size"] != "0":
        remedy = "ALTER SYSTEM SET wal_recycle = off; ALTER SYSTEM SET wal_keep_size = 0"
        doubts.append(Diagnostic("note", "old WAL files are kept or used again, with erased words in them", remedy))
    if copied or settings["archive_mode"] != "off":
        remedy = "delete old archives and backups after a fixed time"
        doubts.append(Diagnostic("note", "the WAL is archived or replicated: copies of it keep erased words", remedy))
    spoken = settings["log_statement"] in ("mod", "all") or settings["log_min_duration_statement"] != "-1"
    if (spoken and settings["log_parameter_max_length"] != "0") or settings["log_parameter_max_length_on_error"] != "0":
        remedy = "ALTER SYSTEM SET log_parameter_max_length = 0, and log_parameter_max_length_on_error = 0"
        doubts.append(Diagnostic("note", "the server's own log may quote words, and no erasure reaches it", remedy))
    yield from doubts or [Diagnostic("ok", "an erasure leaves no words in tables, WAL, statistics or the server's log")]


_ERASURE = """
SELECT
  (SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class WHERE relnamespace = 'uac'::regnamespace),
  EXISTS (SELECT FROM uac.unscrubbed),
  has_function_privilege('pg_switch_wal()', 'EXECUTE') AND CASE
    WHEN to_regrole('pg_checkpoint') IS NULL THEN current_setting('is_superuser')::boolean
    ELSE pg_has_role(to_regrole('pg_checkpoint'), 'USAGE')
  END,
  EXISTS (SELECT FROM pg_replication_slots) OR EXISTS (SELECT FROM pg_stat_replication)
"""
