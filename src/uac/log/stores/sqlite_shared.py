"""The texts that logs in one SQLite file share: each is stored once, and dropped with the last entry that has it."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from uac.log.rows import Row
from uac.log.shared_texts import join_body, pack_text, split_body, unpack_text
from uac.log.stores.sqlite_index import make_index_tables
from uac.schema.diagnostics import Diagnostic

__all__ = [
    "SCHEMA_WITH_SHARED_TEXTS",
    "in_order_of_pages",
    "join_rows",
    "make_shared_tables",
    "share_body",
    "shared_text_findings",
    "unshare_entries",
    "unshare_user",
]

SCHEMA_WITH_SHARED_TEXTS = 5
"""The schema of a file once it has shared texts. A version that does not know them would read entries without them."""

PAGE_HEADER = 8  # bytes of a page before its rows
ROW_OVERHEAD = 48  # bytes of a row beside its packed text: digest, sizes, its place in the page

_TABLES = f"""
CREATE TABLE shared_texts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE, packed BLOB NOT NULL
) STRICT;
CREATE TABLE shared_parts (
  user INTEGER NOT NULL, position INTEGER NOT NULL, place INTEGER NOT NULL,
  text INTEGER NOT NULL REFERENCES shared_texts,
  PRIMARY KEY (user, position, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_parts_by_text ON shared_parts (text);
PRAGMA user_version = {SCHEMA_WITH_SHARED_TEXTS}
"""


def make_shared_tables(connection: sqlite3.Connection) -> None:
    """Make the tables if there are none. Needs a transaction."""
    if not _has_shared_tables(connection):
        make_index_tables(connection)  # one number for the schema: shared texts come after the index
        for statement in _TABLES.split(";"):  # executescript() would end the transaction
            connection.execute(statement)


def share_body(connection: sqlite3.Connection, user: int, position: int, body: str) -> str:
    """Store the texts that the body shares with other logs, and return the rest. Needs a transaction."""
    rest, shared = split_body(body)
    if not shared:
        return rest
    make_shared_tables(connection)
    new = {text.digest: pack_text(text.text) for text in shared if not _has_text(connection, text.digest)}
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    connection.executemany(
        "INSERT INTO shared_texts (digest, packed) VALUES (?, ?)",
        [(digest, new[digest]) for digest in in_order_of_pages(new, page)],
    )
    connection.executemany(
        "INSERT INTO shared_parts (user, position, place, text) SELECT ?, ?, ?, id FROM shared_texts WHERE digest = ?",
        [(user, position, text.place, text.digest) for text in shared],
    )
    return rest


def unshare_entries(connection: sqlite3.Connection, user: int, bodies: Sequence[tuple[int, str]]) -> list[str]:
    """Share the new bodies of entries instead of the old ones, and return the rests. Needs a transaction."""
    if not _has_shared_tables(connection):
        return [share_body(connection, user, position, body) for position, body in bodies]
    connection.executemany(
        "DELETE FROM shared_parts WHERE user = ? AND position = ?", [(user, position) for position, _body in bodies]
    )
    rests = [share_body(connection, user, position, body) for position, body in bodies]
    _drop_unused_texts(connection)
    return rests


def unshare_user(connection: sqlite3.Connection, user: int) -> None:
    """Drop what only this user's entries had. Needs a transaction."""
    if _has_shared_tables(connection):
        connection.execute("DELETE FROM shared_parts WHERE user = ?", (user,))
        _drop_unused_texts(connection)


def join_rows(connection: sqlite3.Connection, user: str, rows: Sequence[Row]) -> list[Row]:
    """These rows with whole bodies. Needs the transaction that read them: an erasure changes both."""
    positions = {row.position for row in rows if row.kind == "checkpoint"}
    if not positions or not _has_shared_tables(connection):
        return list(rows)
    found = connection.execute(
        "SELECT p.position, p.place, t.digest, t.packed FROM users AS u JOIN shared_parts AS p ON p.user = u.id"
        " LEFT JOIN shared_texts AS t ON t.id = p.text WHERE u.name = ? AND p.position BETWEEN ? AND ?"
        " ORDER BY p.position, p.place",
        (user, min(positions), max(positions)),
    ).fetchall()
    texts = {
        position: [(place, unpack_text(digest, packed) if digest else None) for _, place, digest, packed in parts]
        for position, parts in groupby(found, itemgetter(0))
        if position in positions
    }
    return [
        row._replace(body=join_body(row.body, texts[row.position])) if row.position in texts else row for row in rows
    ]


def shared_text_findings(connection: sqlite3.Connection) -> Iterator[Diagnostic]:
    if not _has_shared_tables(connection):
        return
    rows = connection.execute("SELECT digest, packed FROM shared_texts")
    damaged = sum(unpack_text(digest, packed) is None for digest, packed in rows)
    (missing,) = connection.execute(
        "SELECT count(DISTINCT text) FROM shared_parts WHERE text NOT IN (SELECT id FROM shared_texts)"
    ).fetchone()
    if damaged or missing:
        what = f"texts that entries of several users share are damaged or missing: {damaged + missing}"
        yield Diagnostic("problem", what, "restore the file from a backup")


def _has_text(connection: sqlite3.Connection, digest: bytes) -> bool:
    return connection.execute("SELECT 1 FROM shared_texts WHERE digest = ?", (digest,)).fetchone() is not None


def in_order_of_pages(packed: Mapping[bytes, bytes], page: int) -> Iterator[bytes]:
    """The digests, so ordered that their rows fill the pages of the file.

    SQLite appends a row to the last page, or begins another page if it does not fit. So the largest row that still fits
    is always the next; for all packs that saves an eighth of the file.
    """
    waiting = sorted(packed, key=lambda digest: _bytes_in_page(len(packed[digest]), page), reverse=True)
    room = 0
    while waiting:
        digest = next((one for one in waiting if _bytes_in_page(len(packed[one]), page) <= room), waiting[0])
        size = _bytes_in_page(len(packed[digest]), page)
        room = (room if size <= room else page - PAGE_HEADER) - size
        waiting.remove(digest)
        yield digest


def _bytes_in_page(packed: int, page: int) -> int:
    """The bytes of a row in the page that it shares; the rest of a long row is in pages of its own."""
    payload = packed + ROW_OVERHEAD
    most, least = page - 35, (page - 12) * 32 // 255 - 23
    if payload <= most:
        return payload
    local = least + (payload - least) % (page - 4)
    return local if local <= most else least


def _drop_unused_texts(connection: sqlite3.Connection) -> None:
    connection.execute(
        "DELETE FROM shared_texts WHERE NOT EXISTS (SELECT 1 FROM shared_parts WHERE text = shared_texts.id)"
    )


def _has_shared_tables(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] >= SCHEMA_WITH_SHARED_TEXTS)
