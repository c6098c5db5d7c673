"""Snapshots of users' projects in a PostgreSQL database: a head, and parts by name. Partitioned like the entries."""

from uac.log.snapshots import Snapshot
from uac.log.stores.postgres_pool import Connection

__all__ = ["drop_snapshot", "make_snapshot_table", "read_snapshot", "set_snapshot"]

PARTS = 16  # as many as the entries have, so that a user's rows are in the partitions of the same number
_HEAD = b""  # the name of the head; those of parts are longer


def read_snapshot(connection: Connection, user: str) -> Snapshot:
    rows = connection.execute(
        'SELECT name, data FROM uac.snapshots WHERE "user" = (SELECT id FROM uac.users WHERE name = %s)',
        (user,),
        binary=True,
    )
    parts = {bytes(name): bytes(data) for name, data in rows.fetchall()}
    return Snapshot(parts.pop(_HEAD, b""), parts)


def set_snapshot(connection: Connection, user: int, snapshot: Snapshot) -> None:
    """Replace the snapshot. Needs a transaction that has locked the user."""
    rows = connection.execute('SELECT name FROM uac.snapshots WHERE "user" = %s', (user,)).fetchall()
    stored, wanted = {bytes(row[0]) for row in rows}, snapshot.parts.keys()
    connection.execute(
        'DELETE FROM uac.snapshots WHERE "user" = %s AND name = ANY(%s)', (user, sorted(stored - wanted))
    )
    connection.cursor().executemany(
        'INSERT INTO uac.snapshots ("user", name, data) VALUES (%s, %s, %s)',
        [(user, _HEAD, snapshot.head), *((user, name, snapshot.parts[name]) for name in sorted(wanted - stored))],
    )


def drop_snapshot(connection: Connection, user: int) -> None:
    """Remove it, and mark its table even if nothing was removed: dead rows may hold the words of replaced parts."""
    connection.execute('DELETE FROM uac.snapshots WHERE "user" = %s', (user,))
    connection.execute(
        "INSERT INTO uac.unscrubbed (relation) SELECT replace(relname, 'entries', 'snapshots') FROM pg_class"
        ' WHERE oid = (SELECT tableoid FROM uac.entries WHERE "user" = %s LIMIT 1)',
        (user,),
    )


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
