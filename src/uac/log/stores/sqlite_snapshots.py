"""Snapshots of users' projects in a SQLite database: heads, and parts by name. All users share the table.

Under an empty name lies the head of the latest snapshot, and under each position (`position_key`) the head and the list
of parts of the one there. A version that keeps only the latest knows neither lists nor positions: it reads the head,
and removes all else when it stores or drops a snapshot.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence

from uac.log.rows import Head, UserEnd
from uac.log.snapshots import (
    KEY_BYTES,
    NO_SNAPSHOT,
    Snapshot,
    pack_part_list,
    position_key,
    unpack_part_list,
)
from uac.log.stores.sqlite_shared import make_shared_tables

__all__ = [
    "SCHEMA_WITH_SNAPSHOTS",
    "add_snapshot",
    "drop_snapshot",
    "read_snapshot",
    "read_snapshot_parts",
    "read_user_ends",
    "set_snapshot",
    "snapshot_positions",
    "snapshot_sizes",
]

SCHEMA_WITH_SNAPSHOTS = 6
"""The schema of a file once it has a snapshot. A version that does not know it would leave erased words in it."""

_TABLE = (
    "CREATE TABLE snapshots (user INTEGER NOT NULL, name BLOB NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY (user, name)) STRICT"
)
_HEAD = b""  # the name of the head; those of positions and of parts are longer
_MANY = 500  # names in one statement


def snapshot_positions(connection: sqlite3.Connection, user: int) -> tuple[int, ...]:
    if not _has_snapshots(connection):
        return ()
    found = connection.execute(
        "SELECT name FROM snapshots WHERE user = ? AND length(name) = ? ORDER BY name", (user, KEY_BYTES)
    )
    return tuple(int.from_bytes(name, "big") for (name,) in found)


def read_snapshot(connection: sqlite3.Connection, user: int, position: int | None = None) -> Snapshot:
    """The snapshot at a position, or the latest one. Needs a transaction."""
    positions = snapshot_positions(connection, user)
    if position is not None and position not in positions:
        return NO_SNAPSHOT
    if not positions:  # none, or that of a version that keeps only one
        if not _has_snapshots(connection):
            return NO_SNAPSHOT
        parts = dict(connection.execute("SELECT name, data FROM snapshots WHERE user = ?", (user,)).fetchall())
        return Snapshot(parts.pop(_HEAD, b""), parts)
    key = position_key(positions[-1] if position is None else position)
    head, names = unpack_part_list(_select_parts(connection, user, [key])[key])
    return Snapshot(head, _select_parts(connection, user, names))


def _select_parts(connection: sqlite3.Connection, user: int, names: Iterable[bytes]) -> dict[bytes, bytes]:
    wanted = [*names]
    found: dict[bytes, bytes] = {}
    for start in range(0, len(wanted), _MANY):
        some = wanted[start : start + _MANY]
        marks = ", ".join("?" * len(some))
        found.update(
            connection.execute(f"SELECT name, data FROM snapshots WHERE user = ? AND name IN ({marks})", (user, *some))
        )
    return found


def read_user_ends(connection: sqlite3.Connection, users: Sequence[str]) -> list[UserEnd]:
    has_snapshots = _has_snapshots(connection)
    head = "(SELECT data FROM snapshots WHERE user = u.id AND name = x'')" if has_snapshots else "NULL"
    rows = connection.execute(
        f"SELECT u.name, u.position, u.digest, u.at, {head} FROM users AS u"
        " WHERE u.name IN (SELECT value FROM json_each(?)) AND u.position > 0",
        (json.dumps([*users]),),
    ).fetchall()
    return [UserEnd(name, Head(position, digest, at), data or b"") for name, position, digest, at, data in rows]


def read_snapshot_parts(
    connection: sqlite3.Connection, wanted: Mapping[str, Collection[bytes]]
) -> dict[str, dict[bytes, bytes]]:
    if not _has_snapshots(connection):
        return {}
    found: dict[str, dict[bytes, bytes]] = {}
    for user, names in wanted.items():
        marks = ", ".join("?" * len(names))
        rows = connection.execute(
            "SELECT name, data FROM snapshots WHERE user = (SELECT id FROM users WHERE name = ?)"
            f" AND name IN ({marks})",
            (user, *names),
        )
        found[user] = dict(rows.fetchall())
    return found


def set_snapshot(connection: sqlite3.Connection, user: int, snapshot: Snapshot) -> None:
    """Replace all snapshots by one whose position is not known. Needs a transaction."""
    _make_table(connection)
    _replace_rows(connection, user, {_HEAD: snapshot.head}, snapshot.parts, ())


def add_snapshot(
    connection: sqlite3.Connection, user: int, position: int, snapshot: Snapshot, keep: Collection[int]
) -> None:
    """Store a snapshot at a position; of the others those at `keep` stay. Needs a transaction."""
    _make_table(connection)
    lists = _select_parts(connection, user, [position_key(each) for each in keep if each != position])
    lists[position_key(position)] = pack_part_list(snapshot.head, snapshot.parts)
    latest = unpack_part_list(lists[max(lists)])[0]
    needed = {name for data in lists.values() for name in unpack_part_list(data)[1]}
    _replace_rows(connection, user, {_HEAD: latest, **lists}, snapshot.parts, needed)


def _replace_rows(
    connection: sqlite3.Connection,
    user: int,
    heads: Mapping[bytes, bytes],
    parts: Mapping[bytes, bytes],
    needed: Collection[bytes],
) -> None:
    """Write the heads and those parts that are not stored; parts that are neither new nor to be kept go."""
    stored = {row[0] for row in connection.execute("SELECT name FROM snapshots WHERE user = ?", (user,))}
    connection.executemany(
        "DELETE FROM snapshots WHERE user = ? AND name = ?",
        [(user, name) for name in sorted(stored - parts.keys() - set(needed))],
    )
    fresh = {name: parts[name] for name in sorted(parts.keys() - stored)}
    connection.executemany(
        "INSERT INTO snapshots (user, name, data) VALUES (?, ?, ?)",
        [(user, name, data) for name, data in {**heads, **fresh}.items()],
    )


def snapshot_sizes(connection: sqlite3.Connection, user: int) -> dict[int, dict[bytes, int]]:
    if not (positions := snapshot_positions(connection, user)):
        return {}
    sizes = dict(connection.execute("SELECT name, length(data) FROM snapshots WHERE user = ?", (user,)).fetchall())
    lists = _select_parts(connection, user, map(position_key, positions))
    return {
        position: {name: sizes.get(name, 0) for name in unpack_part_list(lists[position_key(position)])[1]}
        for position in positions
    }


def drop_snapshot(connection: sqlite3.Connection, user: int) -> None:
    if _has_snapshots(connection):
        connection.execute("DELETE FROM snapshots WHERE user = ?", (user,))


def _make_table(connection: sqlite3.Connection) -> None:
    if not _has_snapshots(connection):
        make_shared_tables(connection)  # one number for the schema: snapshots come after shared texts
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version = {SCHEMA_WITH_SNAPSHOTS}")


def _has_snapshots(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] >= SCHEMA_WITH_SNAPSHOTS)
