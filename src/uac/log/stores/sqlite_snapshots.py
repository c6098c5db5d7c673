"""Snapshots of users' projects in a SQLite database: a head, and parts by name. All users share the table."""

import sqlite3

from uac.log.snapshots import Snapshot
from uac.log.stores.sqlite_shared import make_shared_tables

__all__ = ["SCHEMA_WITH_SNAPSHOTS", "drop_snapshot", "read_snapshot", "set_snapshot"]

SCHEMA_WITH_SNAPSHOTS = 6
"""The schema of a file once it has a snapshot. A version that does not know it would leave erased words in it."""

_TABLE = (
    "CREATE TABLE snapshots (user INTEGER NOT NULL, name BLOB NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY (user, name)) STRICT"
)
_HEAD = b""  # the name of the head; those of parts are longer


def read_snapshot(connection: sqlite3.Connection, user: int) -> Snapshot:
    if not _has_snapshots(connection):
        return Snapshot()
    parts = dict(connection.execute("SELECT name, data FROM snapshots WHERE user = ?", (user,)).fetchall())
    return Snapshot(parts.pop(_HEAD, b""), parts)


def set_snapshot(connection: sqlite3.Connection, user: int, snapshot: Snapshot) -> None:
    """Replace the snapshot. Needs a transaction."""
    if not _has_snapshots(connection):
        make_shared_tables(connection)  # one number for the schema: snapshots come after shared texts
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version = {SCHEMA_WITH_SNAPSHOTS}")
    stored = {row[0] for row in connection.execute("SELECT name FROM snapshots WHERE user = ?", (user,))}
    wanted = snapshot.parts.keys()
    connection.executemany(
        "DELETE FROM snapshots WHERE user = ? AND name = ?", [(user, name) for name in sorted(stored - wanted)]
    )
    connection.executemany(
        "INSERT INTO snapshots (user, name, data) VALUES (?, ?, ?)",
        [(user, _HEAD, snapshot.head), *((user, name, snapshot.parts[name]) for name in sorted(wanted - stored))],
    )


def drop_snapshot(connection: sqlite3.Connection, user: int) -> None:
    if _has_snapshots(connection):
        connection.execute("DELETE FROM snapshots WHERE user = ?", (user,))


def _has_snapshots(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] >= SCHEMA_WITH_SNAPSHOTS)
