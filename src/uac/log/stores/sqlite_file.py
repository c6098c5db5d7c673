"""The file of a SQLite store: its tables, how it is created, and whether a file is one."""

import errno
import os
import sqlite3
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from uac.errors import Full, NewerFormat, NoStore, NotAStore, ReadOnly, StoreError, Unavailable
from uac.log.stores.sqlite_pool import Connect, SqlitePool, is_open_here, translate_sqlite_errors
from uac.log.stores.sqlite_shared import shared_text_findings
from uac.log.stores.sqlite_snapshots import SCHEMA_WITH_SNAPSHOTS
from uac.schema.diagnostics import Diagnostic

__all__ = ["check_header", "check_schema", "create_file", "file_findings"]

APPLICATION = 0x55614331  # 'UaC1', written into the file's header
SCHEMA = 1  # of a new file; it gets other tables, and another number, with the first search or shared text

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


def create_file(path: Path, connect: Connect) -> None:
    """Make the complete file under another name first, so that no crash and no race leaves half a store."""
    if not path.parent.is_dir():
        raise NoStore(f"cannot make a store at {path}: the folder {path.parent} does not exist. Make the folder first.")
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with translate_sqlite_errors(path):
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
                with suppress(OSError):  # a file system that may only be read refuses this, too
                    draft.with_name(draft.name + ending).unlink()


def _sync_database_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_header(path: Path) -> None:
    """Check the header's bytes first: opening another program's file with SQLite may already change it.

    Not if this process has the file open: closing it would drop the locks that its connections hold.
    """
    if is_open_here(path):
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


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    _check_schema_version(connection.execute("PRAGMA user_version").fetchone()[0], path)


def _check_schema_version(version: int, path: Path) -> None:
    if version > SCHEMA_WITH_SNAPSHOTS:
        raise NewerFormat(
            f"{path} has schema {version}, and this version reads schemas up to {SCHEMA_WITH_SNAPSHOTS}."
            " Upgrade the package."
        )


def file_findings(path: Path, pool: SqlitePool) -> Iterator[Diagnostic]:
    with pool.connection() as connection:
        problems = [row[0] for row in connection.execute("PRAGMA quick_check")]
        if problems == ["ok"]:
            yield Diagnostic("ok", "the file is whole (SQLite quick_check)")
        else:
            yield Diagnostic("problem", f"the file is damaged: {problems[0]}", "restore it from a backup")
        yield from shared_text_findings(connection)
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
