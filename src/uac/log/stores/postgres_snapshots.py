"""Snapshots of users' projects in a PostgreSQL database: heads, and parts by name. Partitioned like the entries.

The rows are those of `sqlite_snapshots`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing

from uac.log.rows import Head, UserEnd
from uac.log.snapshots import (
    KEY_BYTES,
    NO_SNAPSHOT,
    Snapshot,
    pack_part_list,
    position_key,
    unpack_part_list,
)
from uac.log.stores.postgres_pool import Connection

__all__ = [
    "add_snapshot",
    "drop_snapshot",
    "make_snapshot_table",
    "read_snapshot",
    "read_snapshot_parts",
    "read_user_ends",
    "set_snapshot",
    "snapshot_positions",
    "snapshot_sizes",
]

PARTS = 16  # as many as the entries have, so that a user's rows are in the partitions of the same number
_HEAD = b""  # the name of the head; those of positions and of parts are longer
_ATTEMPTS = 3


def snapshot_positions(connection: Connection, user: str) -> tuple[int, ...]:
    rows = connection.execute(
        f"SELECT name FROM {_ROWS} AND octet_length(name) = %s ORDER BY name", (user, KEY_BYTES), binary=True
    )
    return tuple(int.from_bytes(bytes(name), "big") for (name,) in rows.fetchall())


def read_snapshot(connection: Connection, user: str, position: int | None = None) -> Snapshot:
    """The snapshot at a position, or the latest one.

    The list of parts and the parts are two statements. A part that is missing was replaced in between by another
    process, so they are read again; if it is missing still, it is damage.
    """
    snapshot, is_whole = NO_SNAPSHOT, False
    for _ in range(_ATTEMPTS):
        snapshot, is_whole = _read_once(connection, user, position)
        if is_whole:
            break
    return snapshot


def _read_once(connection: Connection, user: str, position: int | None) -> tuple[Snapshot, bool]:
    which = "octet_length(name) = %s" if position is None else "name = %s"
    found = connection.execute(
        f"SELECT data FROM {_ROWS} AND {which} ORDER BY name DESC LIMIT 1".encode(),
        (user, KEY_BYTES if position is None else position_key(position)),
        binary=True,
    ).fetchone()
    if found is None and position is not None:
        return NO_SNAPSHOT, True
    if found is None:  # none, or that of a version that keeps only one
        rows = connection.execute(f"SELECT name, data FROM {_ROWS}", (user,), binary=True)
        parts = {bytes(name): bytes(data) for name, data in rows.fetchall()}
        return Snapshot(parts.pop(_HEAD, b""), parts), True
    head, names = unpack_part_list(bytes(found[0]))
    parts = _select_parts(connection, user, names)
    return Snapshot(head, parts), len(parts) == len(names)


def _select_parts(connection: Connection, user: str, names: Iterable[bytes]) -> dict[bytes, bytes]:
    query = f"SELECT name, data FROM {_ROWS} AND name = ANY(%s)".encode()
    with closing(connection.cursor(binary=True)) as cursor:  # row by row: a whole answer would be in memory twice
        return {bytes(name): bytes(data) for name, data in cursor.stream(query, (user, [*names]))}


def read_user_ends(connection: Connection, users: Sequence[str]) -> list[UserEnd]:
    rows = connection.execute(
        "SELECT u.name, u.position, u.digest, u.at, s.data FROM uac.users AS u"
        ' LEFT JOIN uac.snapshots AS s ON s."user" = u.id AND s.name = %s'
        " WHERE u.name = ANY(%s) AND u.position > 0",
        (_HEAD, [*users]),
        binary=True,
    ).fetchall()
    return [UserEnd(row[0], Head(row[1], bytes(row[2]), row[3]), bytes(row[4] or b"")) for row in rows]


def read_snapshot_parts(
    connection: Connection, wanted: Mapping[str, Collection[bytes]]
) -> dict[str, dict[bytes, bytes]]:
    pairs = [(user, name) for user, names in wanted.items() for name in names]
    rows = connection.execute(
        "SELECT w.name, s.name, s.data FROM unnest(%s::text[], %s::bytea[]) AS w (name, part)"
        ' JOIN uac.users AS u ON u.name = w.name JOIN uac.snapshots AS s ON s."user" = u.id AND s.name = w.part',
        ([user for user, _name in pairs], [name for _user, name in pairs]),
        binary=True,
    )
    found: dict[str, dict[bytes, bytes]] = {}
    for user, name, data in rows.fetchall():
        found.setdefault(user, {})[bytes(name)] = bytes(data)
    return found


def set_snapshot(connection: Connection, user: int, snapshot: Snapshot) -> None:
    """Replace all snapshots by one whose position is not known. Needs a transaction that has locked the user."""
    _replace_rows(connection, user, {_HEAD: snapshot.head}, snapshot.parts, ())


def add_snapshot(
    connection: Connection, user: int, name: str, position: int, snapshot: Snapshot, keep: Collection[int]
) -> None:
    """Store a snapshot at a position; of the others those at `keep` stay. Needs a transaction that has locked the
    user."""
    lists = _select_parts(connection, name, [position_key(each) for each in keep if each != position])
    lists[position_key(position)] = pack_part_list(snapshot.head, snapshot.parts)
    latest = unpack_part_list(lists[max(lists)])[0]
    needed = {part for data in lists.values() for part in unpack_part_list(data)[1]}
    _replace_rows(connection, user, {_HEAD: latest, **lists}, snapshot.parts, needed)


def _replace_rows(
    connection: Connection,
    user: int,
    heads: Mapping[bytes, bytes],
    parts: Mapping[bytes, bytes],
    needed: Collection[bytes],
) -> None:
    """Write the heads and those parts that are not stored; parts that are neither new nor to be kept go."""
    rows = connection.execute('SELECT name FROM uac.snapshots WHERE "user" = %s', (user,)).fetchall()
    stored = {bytes(row[0]) for row in rows}
    connection.execute(
        'DELETE FROM uac.snapshots WHERE "user" = %s AND name = ANY(%s)',
        (user, sorted(stored - parts.keys() - set(needed))),
    )
    fresh = {name: parts[name] for name in sorted(parts.keys() - stored)}
    connection.cursor().executemany(
        'INSERT INTO uac.snapshots ("user", name, data) VALUES (%s, %s, %s)',
        [(user, name, data) for name, data in {**heads, **fresh}.items()],
    )


def snapshot_sizes(connection: Connection, user: str) -> dict[int, dict[bytes, int]]:
    if not (positions := snapshot_positions(connection, user)):
        return {}
    rows = connection.execute(f"SELECT name, octet_length(data) FROM {_ROWS}", (user,)).fetchall()
    sizes = {bytes(name): int(size) for name, size in rows}
    lists = _select_parts(connection, user, map(position_key, positions))
    return {
        position: {name: sizes.get(name, 0) for name in unpack_part_list(lists[position_key(position)])[1]}
        for position in positions
    }


def drop_snapshot(connection: Connection, user: int) -> None:
    """Remove it, and mark its table even if nothing was removed: dead rows may hold the words of replaced parts."""
    connection.execute('DELETE FROM uac.snapshots WHERE "user" = %s', (user,))
    connection.execute(
        "INSERT INTO uac.unscrubbed (relation) SELECT replace(relname, 'entries', 'snapshots') FROM pg_class"
        ' WHERE oid = (SELECT tableoid FROM uac.entries WHERE "user" = %s LIMIT 1)',
        (user,),
    )


_ROWS = 'uac.snapshots WHERE "user" = (SELECT id FROM uac.users WHERE name = %s)'


def make_snapshot_table(connection: Connection) -> None:
    connection.execute(_TABLE)


_PARTITIONS = "".join(
    f"CREATE TABLE uac.snapshots_{n:02} PARTITION OF uac.snapshots FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {n});\n"
    for n in range(PARTS)
)

# No statistics: ANALYZE would copy samples of the words into pg_statistic, where no erasure reaches them.
# No compression of parts: reading them would take twice as long.
_TABLE = f"""
CREATE TABLE uac.snapshots (
  "user" bigint NOT NULL,
  name bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY ("user", name)
) PARTITION BY HASH ("user");
{_PARTITIONS}
ALTER TABLE uac.snapshots ALTER data SET STATISTICS 0, ALTER data SET STORAGE EXTERNAL, ALTER name SET STATISTICS 0;
"""
