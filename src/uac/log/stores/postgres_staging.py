"""Files that wait in a PostgreSQL database until a worker has written them to a log.

Parts are encrypted (AES-256-GCM), each with a key in a small table of its own. When a part is done, or the user is
erased, its key is deleted; an erasure also rewrites that table, so that the words cannot be read from free pages, from
the parts' table or from a copy of it.
"""

import json
import os
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, LiteralString

import msgspec

from uac.errors import Refused
from uac.log.staging import PartResult, StagedFile
from uac.log.stores.postgres_pool import Connection, PostgresPool, postgres_transaction

__all__ = ["PostgresStaging", "drop_staged_files", "mark_staging_for_scrub"]

TABLES_LOCK = 0x55614335
NONCE = 12
HEADER = 0
"""The number of the key of the header and the result; parts begin with 1."""
INCOMPLETE = timedelta(days=1)
"""After this time a file whose staging was not completed is removed."""


class PostgresStaging:
    """The files of one database. The tables are made when the first file is staged; the version of the store stays."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    def add(self, user: str, name: str, header: bytes, parts: Iterable[tuple[int, bytes]]) -> StagedFile:
        id_, lines, count = uuid.uuid4().hex, 0, 0
        with self._pool.connection() as connection:
            _make_tables(connection, self._pool.address)
            with self._transaction(connection):
                key = os.urandom(32)
                about = json.dumps({"name": name, "result": asdict(PartResult()), "problem": ""}).encode()
                connection.execute(
                    'INSERT INTO uac.staged_files (id, "user", header, about) VALUES (%s, %s, %s, %s)',
                    (id_, user, _seal(key, header), _seal(key, about)),
                )
                _add_key(connection, id_, HEADER, key)
        for lines_of_part, part in parts:
            count, lines = count + 1, lines + lines_of_part
            with self._pool.connection() as connection, self._transaction(connection):
                key = os.urandom(32)
                connection.execute(
                    "INSERT INTO uac.staged_parts (file, part, sealed) VALUES (%s, %s, %s)",
                    (id_, count, _seal(key, part)),
                )
                _add_key(connection, id_, count, key)
        with self._pool.connection() as connection:
            connection.execute(
                "UPDATE uac.staged_files SET lines = %s, parts = %s WHERE id = %s AND parts IS NULL",
                (lines, count, id_),
            )
        return self._file(id_)

    def header(self, id_: str) -> bytes | None:
        with self._reading() as connection:
            row = connection and connection.execute(f"{_SELECT} WHERE f.id = %s", (id_,)).fetchone()
        return _open(row[7], row[8]) if row else None

    def write_part(self, id_: str, part: int, write: Callable[[bytes], PartResult]) -> bool:
        with self._pool.connection() as connection, self._transaction(connection):
            row = connection.execute(f"{_SELECT} WHERE f.id = %s FOR UPDATE OF f", (id_,)).fetchone()
            if row is None:
                return False
            found = connection.execute(
                "SELECT k.key, p.sealed FROM uac.staged_keys AS k JOIN uac.staged_parts AS p USING (file, part)"
                " WHERE k.file = %s AND k.part = %s",
                (id_, part),
            ).fetchone()
            if found is None:  # done: the worker died before it could say so
                return True
            result = write(_open(*found))
            self._set_about(connection, row, _staged_file(row).result + result, "")
            for table in ("staged_keys", "staged_parts"):
                connection.execute(f"DELETE FROM uac.{table} WHERE file = %s AND part = %s".encode(), (id_, part))
        return True

    def finish(self, id_: str, problem: str = "") -> None:
        with self._pool.connection() as connection, self._transaction(connection):
            row = connection.execute(f"{_SELECT} WHERE f.id = %s FOR UPDATE OF f", (id_,)).fetchone()
            if row is not None:
                self._set_about(connection, row, _staged_file(row).result, problem)
                connection.execute("UPDATE uac.staged_files SET finished = clock_timestamp() WHERE id = %s", (id_,))

    def files(self, users: Collection[str] = ()) -> tuple[StagedFile, ...]:
        with self._reading() as connection:
            if connection is None:
                return ()
            of_users: LiteralString = 'AND f."user" = ANY(%s)' if users else "AND %s::text[] IS NOT NULL"
            rows = connection.execute(
                f"{_SELECT} WHERE f.parts IS NOT NULL {of_users} ORDER BY f.staged, f.id", ([*users],)
            ).fetchall()
        return tuple(map(_staged_file, rows))

    def remove_of(self, user: str) -> int:
        return self._delete('"user" = %s', user)

    def remove_finished(self, before: datetime, *, failed_before: datetime) -> int:
        done = "finished < CASE WHEN is_failed THEN %s ELSE %s END"
        return self._delete(
            f"{done} OR (parts IS NULL AND staged < clock_timestamp() - %s)", failed_before, before, INCOMPLETE
        )

    def _delete(self, where: LiteralString, *values: object) -> int:
        with self._reading() as connection:
            if connection is None:
                return 0
            return connection.execute(f"DELETE FROM uac.staged_files WHERE {where}", values).rowcount

    def _file(self, id_: str) -> StagedFile:
        with self._pool.connection() as connection:
            row = connection.execute(f"{_SELECT} WHERE f.id = %s", (id_,)).fetchone()
        if row is None:
            raise Refused(
                "import: The user was erased while the file was read. Import it again if that is still wanted."
            )
        return _staged_file(row)

    def _set_about(self, connection: Connection, row: tuple[Any, ...], result: PartResult, problem: str) -> None:
        about = json.dumps({"name": _staged_file(row).name, "result": asdict(result), "problem": problem}).encode()
        connection.execute(
            "UPDATE uac.staged_files SET about = %s, done = %s, broken = %s, is_failed = %s, finished = NULL"
            " WHERE id = %s",
            (_seal(row[7], about), result.lines, result.broken_lines, bool(problem), row[0]),
        )

    @contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        """A connection; None if no file was ever staged."""
        with self._pool.connection() as connection:
            yield connection if _has_tables(connection) else None

    def _transaction(self, connection: Connection) -> Any:
        return postgres_transaction(connection, self._pool.address)


def drop_staged_files(connection: Connection, user: str) -> None:
    """Remove the files of a user who is being erased. Before the user's row is locked: a worker that writes a part has
    the row of the file, and needs that of the user."""
    if _has_tables(connection):
        connection.execute('DELETE FROM uac.staged_files WHERE "user" = %s', (user,))
        mark_staging_for_scrub(connection)


def mark_staging_for_scrub(connection: Connection) -> None:
    """Note that keys of parts may be in free pages: such a part may hold the words that are erased from the log."""
    if _has_tables(connection):
        connection.execute("INSERT INTO uac.unscrubbed (relation) VALUES ('staged_files'), ('staged_keys')")


def _has_tables(connection: Connection) -> bool:
    return connection.execute("SELECT to_regclass('uac.staged_keys') IS NOT NULL").fetchone() == (True,)


def _make_tables(connection: Connection, address: str) -> None:
    if _has_tables(connection):
        return
    with postgres_transaction(connection, address):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (TABLES_LOCK,))
        connection.execute(_TABLES)


def _add_key(connection: Connection, id_: str, part: int, key: bytes) -> None:
    connection.execute("INSERT INTO uac.staged_keys (file, part, key) VALUES (%s, %s, %s)", (id_, part, key))


def _staged_file(row: tuple[Any, ...]) -> StagedFile:
    id_, user, lines, parts, staged, finished, about, key, _header = row
    plain = json.loads(_open(key, about))
    result = msgspec.convert(plain["result"], PartResult)
    return StagedFile(id_, user, plain["name"], lines or 0, parts or 0, staged, finished, result, plain["problem"])


_SELECT: LiteralString = (
    'SELECT f.id, f."user", f.lines, f.parts, f.staged, f.finished, f.about, k.key, f.header'
    " FROM uac.staged_files AS f JOIN uac.staged_keys AS k ON k.file = f.id AND k.part = 0"
)

# No statistics: ANALYZE would copy keys into pg_statistic, where no erasure reaches them.
_TABLES = """
CREATE TABLE IF NOT EXISTS uac.staged_files (
  id text PRIMARY KEY,
  "user" text COLLATE "C" NOT NULL,
  staged timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished timestamptz,
  lines bigint,
  parts integer,
  done bigint NOT NULL DEFAULT 0,
  broken bigint NOT NULL DEFAULT 0,
  is_failed boolean NOT NULL DEFAULT false,
  header bytea NOT NULL,
  about bytea NOT NULL
);
CREATE INDEX IF NOT EXISTS staged_files_by_user ON uac.staged_files ("user");
CREATE TABLE IF NOT EXISTS uac.staged_keys (
  file text NOT NULL REFERENCES uac.staged_files ON DELETE CASCADE,
  part integer NOT NULL,
  key bytea NOT NULL,
  PRIMARY KEY (file, part)
);
CREATE TABLE IF NOT EXISTS uac.staged_parts (
  file text NOT NULL REFERENCES uac.staged_files ON DELETE CASCADE,
  part integer NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (file, part)
);
ALTER TABLE uac.staged_files ALTER "user" SET STATISTICS 0, ALTER header SET STATISTICS 0, ALTER about SET STATISTICS 0;
ALTER TABLE uac.staged_keys ALTER key SET STATISTICS 0;
ALTER TABLE uac.staged_parts ALTER sealed SET STATISTICS 0, ALTER sealed SET STORAGE EXTERNAL;
"""


def _seal(key: bytes, plain: bytes) -> bytes:
    nonce = os.urandom(NONCE)
    return nonce + bytes(_cipher(key).encrypt(nonce, plain, None))


def _open(key: bytes, sealed: bytes) -> bytes:
    return bytes(_cipher(key).decrypt(sealed[:NONCE], sealed[NONCE:], None))


def _cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise Refused(
            "cryptography is not installed. Imports in the background need it: pip install 'user-as-code[work]'"
        ) from None
    return AESGCM(key)
