"""One user's append-only log, chained by digests, and the stores that keep logs and their search indexes.

Comes in: entries to append, conditional on a position. Goes out: stored entries in order, and proof that none was
changed. All rules are in `log.py`; a store only keeps rows. SQLite, PostgreSQL and an in-memory store pass
`uac.testing`.
"""

from typing import TYPE_CHECKING

from uac.log.clock import Clock, wall_clock
from uac.log.index import Vectors
from uac.log.log import Break, Guard, Log, Prefix
from uac.log.rows import Head, Row, Rows, Stored, Writing
from uac.log.staging import PartResult, StagedFile, Staging, StagingStore
from uac.log.store import GROUP, Store, User, check_user

if TYPE_CHECKING:
    from uac.log.stores.postgres import PostgresStore
    from uac.log.stores.sqlite import SqliteStore
    from uac.log.stores.sqlite_pool import set_pragmas

__all__ = [
    "GROUP",
    "Break",
    "Clock",
    "Guard",
    "Head",
    "Log",
    "PartResult",
    "PostgresStore",
    "Prefix",
    "Row",
    "Rows",
    "SqliteStore",
    "StagedFile",
    "Staging",
    "StagingStore",
    "Store",
    "Stored",
    "User",
    "Vectors",
    "Writing",
    "check_user",
    "set_pragmas",
    "wall_clock",
]


def __getattr__(name: str) -> object:
    """Imported on first use: a process opens one kind of store, and only PostgreSQL needs its driver."""
    if name == "PostgresStore":
        from uac.log.stores.postgres import PostgresStore

        return PostgresStore
    if name == "SqliteStore":
        from uac.log.stores.sqlite import SqliteStore

        return SqliteStore
    if name == "set_pragmas":
        from uac.log.stores.sqlite_pool import set_pragmas

        return set_pragmas
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
