"""One user's append-only log, chained by digests, and the stores that keep logs and their search indexes.

Comes in: entries to append, conditional on a position. Goes out: stored entries in order, and proof that none was
changed. All rules are in `log.py`; a store only keeps rows. SQLite, PostgreSQL and an in-memory store pass
`uac.testing`.
"""

from uac.log.clock import Clock, wall_clock
from uac.log.index import Vectors
from uac.log.log import Break, Guard, Log, Prefix
from uac.log.rows import Head, Row, Rows, Stored, Writing
from uac.log.staging import PartResult, StagedFile, Staging, StagingStore
from uac.log.store import GROUP, Store, User, check_user

__all__ = [
    "GROUP",
    "Break",
    "Clock",
    "Guard",
    "Head",
    "Log",
    "PartResult",
    "Prefix",
    "Row",
    "Rows",
    "StagedFile",
    "Staging",
    "StagingStore",
    "Store",
    "Stored",
    "User",
    "Vectors",
    "Writing",
    "check_user",
    "wall_clock",
]
