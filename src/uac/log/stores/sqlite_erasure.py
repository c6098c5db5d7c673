"""Erasing words from a SQLite file: from its free pages and its journal, too."""

import sqlite3
import time
from collections.abc import Collection

from uac.errors import Unavailable

__all__ = ["SCRUB_DUE", "scrub_file", "unfinished_erasures"]

RETRY_SECONDS = 0.02

# Shortening and deleting rows moves their neighbours between pages and leaves copies of those behind; only a rewrite
# is sure to leave none. A row of user 0 marks an unfinished erasure, so that the next process to open the file finishes
# one that was killed. Each has its own number: finishing one must not remove the mark of another that began meanwhile.
SCRUB_DUE = "INSERT INTO erased (user, position, commitment) VALUES (0, random() & 0x7fffffffffffffff, x'')"
_REWRITTEN = b"rewritten"

# Versions before this one wrote spaces over erased rows, as many as there were bytes.
_SHORTEN = """
UPDATE entries SET body = '' WHERE body != '' AND body NOT GLOB '*[^ ]*' AND id IN
  (SELECT e.id FROM erased AS c JOIN entries AS e ON e.user = c.user AND e.position = c.position)
"""


def unfinished_erasures(connection: sqlite3.Connection) -> dict[int, bytes]:
    """The erasures whose words may be left in the file or its journal, and the state of each."""
    return dict(connection.execute("SELECT position, commitment FROM erased WHERE user = 0").fetchall())


def scrub_file(connection: sqlite3.Connection) -> None:
    """Rewrite the file and empty its journal. A step is noted once it is done, so an interrupted one is repeated."""
    try:
        due = unfinished_erasures(connection)
        numbers = [(number,) for number in due]
        if any(state != _REWRITTEN for state in due.values()):
            connection.execute(_SHORTEN)
            connection.execute("VACUUM")
            connection.executemany(
                f"UPDATE erased SET commitment = x'{_REWRITTEN.hex()}' WHERE user = 0 AND position = ?", numbers
            )
        is_empty = _empty_journal(connection, due)
        if is_empty:
            connection.executemany("DELETE FROM erased WHERE user = 0 AND position = ?", numbers)
    except sqlite3.Error as error:
        raise Unavailable(
            f"The words are erased from the table, but copies may be left in the file or its journal ({error})."
            " Run the same erase again."
        ) from error
    if not is_empty:
        raise Unavailable(
            "The words are erased from the table, but another process is reading the journal that still holds them."
            " Run the same erase again when it has finished."
        )


def _empty_journal(connection: sqlite3.Connection, due: Collection[int]) -> bool:
    """Move the journal into the file and truncate it; False if a reader blocked it for too long.

    SQLite waits for readers, but not for another process that also empties the journal: that is retried here.
    """
    deadline = time.monotonic() + connection.execute("PRAGMA busy_timeout").fetchone()[0] / 1000
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if due and unfinished_erasures(connection).keys().isdisjoint(due):  # the other one has finished these
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(RETRY_SECONDS)
    return True
