"""The texts that logs in one PostgreSQL database share: each is stored once, and dropped with its last entry."""

from collections.abc import Iterator, Sequence
from typing import LiteralString

from uac.log.shared_texts import SharedText, join_body, pack_text, split_body, unpack_text
from uac.log.stores.postgres_pool import Connection
from uac.schema.diagnostics import Diagnostic

__all__ = [
    "SHARED_PARTS",
    "make_shared_tables",
    "restore_body",
    "share_bodies",
    "shared_text_findings",
    "unshare_entries",
    "unshare_user",
]

LOCK = 0x55614332  # 'UaC2'; held by those that share texts (together), and by one that drops them (alone)

SHARED_PARTS: LiteralString = """
CASE WHEN e.kind = 'checkpoint' THEN ARRAY(
  SELECT int8send(p.place) || t.digest || t.packed
  FROM uac.shared_parts AS p LEFT JOIN uac.shared_texts AS t ON t.id = p.text
  WHERE p."user" = e."user" AND p.position = e.position ORDER BY p.place
) END
"""
"""A column of the entries `e`: place, digest and packed text of each part, read in the same statement as the body."""


def restore_body(rest: str, parts: Sequence[bytes | None] | None) -> str:
    """The whole body of an entry, from its row and its column SHARED_PARTS."""
    if not parts:
        return rest
    return join_body(rest, [_read_part(bytes(part)) if part else (0, None) for part in parts])


def _read_part(part: bytes) -> tuple[int, str | None]:
    return int.from_bytes(part[:8], "big"), unpack_text(part[8:40], part[40:])


def share_bodies(connection: Connection, user: int, bodies: Sequence[tuple[int, str]]) -> list[str]:
    """Store the texts that the bodies share with other logs, and return the rests. Needs a transaction."""
    rests: list[str] = []
    parts: list[tuple[int, SharedText]] = []
    for position, body in bodies:
        rest, shared = split_body(body)
        rests.append(rest)
        parts += [(position, each) for each in shared]
    if parts:
        connection.execute("SELECT pg_advisory_xact_lock_shared(%s)", (LOCK,))
        texts = {each.digest: each.text for _position, each in parts}
        known = _find_texts(connection, [*texts])
        # In order, or two transactions could deadlock.
        new = [(digest, pack_text(texts[digest])) for digest in sorted(texts.keys() - known.keys())]
        connection.cursor().executemany(
            "INSERT INTO uac.shared_texts (digest, packed) VALUES (%s, %s) ON CONFLICT DO NOTHING", new
        )
        known |= _find_texts(connection, [digest for digest, _packed in new])
        connection.cursor().executemany(
            'INSERT INTO uac.shared_parts ("user", position, place, text) VALUES (%s, %s, %s, %s)',
            [(user, position, each.place, known[each.digest]) for position, each in parts],
        )
    return rests


def unshare_entries(connection: Connection, user: int, bodies: Sequence[tuple[int, str]]) -> list[str]:
    """Share the new bodies of entries instead of the old ones, and return the rests. Needs a transaction."""
    positions = [position for position, _body in bodies]
    chosen = '"user" = %s AND position = ANY(%s::bigint[])'
    found = connection.execute(f"SELECT 1 FROM uac.shared_parts WHERE {chosen} LIMIT 1".encode(), (user, positions))
    if found.fetchone() is None:
        return share_bodies(connection, user, bodies)
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
    connection.execute(f"DELETE FROM uac.shared_parts WHERE {chosen}".encode(), (user, positions))
    rests = share_bodies(connection, user, bodies)
    _drop_unused_texts(connection)
    return rests


def unshare_user(connection: Connection, user: int) -> None:
    """Drop what only this user's entries had. Needs a transaction."""
    found = connection.execute('SELECT 1 FROM uac.shared_parts WHERE "user" = %s LIMIT 1', (user,)).fetchone()
    if found is not None:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        connection.execute('DELETE FROM uac.shared_parts WHERE "user" = %s', (user,))
        _drop_unused_texts(connection)


def shared_text_findings(connection: Connection) -> Iterator[Diagnostic]:
    rows = connection.execute("SELECT digest, packed FROM uac.shared_texts").fetchall()
    damaged = sum(unpack_text(bytes(digest), bytes(packed)) is None for digest, packed in rows)
    missing = connection.execute(
        "SELECT count(DISTINCT text) FROM uac.shared_parts WHERE text NOT IN (SELECT id FROM uac.shared_texts)"
    ).fetchone()
    if number := damaged + (missing[0] if missing else 0):
        what = f"texts that entries of several users share are damaged or missing: {number}"
        yield Diagnostic("problem", what, "restore the database from a backup")


def make_shared_tables(connection: Connection) -> None:
    connection.execute(_TABLES)


def _find_texts(connection: Connection, digests: Sequence[bytes]) -> dict[bytes, int]:
    rows = connection.execute("SELECT digest, id FROM uac.shared_texts WHERE digest = ANY(%s)", ([*digests],))
    return {bytes(digest): number for digest, number in rows.fetchall()}


def _drop_unused_texts(connection: Connection) -> None:
    dropped = connection.execute(
        "DELETE FROM uac.shared_texts AS t WHERE NOT EXISTS (SELECT FROM uac.shared_parts AS p WHERE p.text = t.id)"
    )
    if dropped.rowcount:
        connection.execute("INSERT INTO uac.unscrubbed (relation) VALUES ('shared_texts')")


# No statistics: ANALYZE would copy samples of the texts into pg_statistic, where no erasure reaches them.
# No compression of texts: they are compressed.
_TABLES = """
CREATE TABLE uac.shared_texts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest bytea NOT NULL UNIQUE,
  packed bytea NOT NULL
);
CREATE TABLE uac.shared_parts (
  "user" bigint NOT NULL,
  position bigint NOT NULL,
  place bigint NOT NULL,
  text bigint NOT NULL,
  PRIMARY KEY ("user", position, place)
);
CREATE INDEX shared_parts_by_text ON uac.shared_parts (text);
ALTER TABLE uac.shared_texts ALTER packed SET STATISTICS 0, ALTER packed SET STORAGE EXTERNAL,
  ALTER digest SET STATISTICS 0;
"""
