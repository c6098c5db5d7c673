"""Reads the ends and snapshots of many users' logs at once: what asking everybody needs of a store.

A store may do without. Then each user's log is read on its own, which gives the same and takes longer.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Protocol, runtime_checkable

from uac.log.rows import Row, UserEnd
from uac.log.store import Store

__all__ = ["BulkLogs", "BulkReads", "read_ends", "read_logs", "read_parts"]

MAX_ROWS = 10_000
"""Rows that are read at once, but for those of one log."""


@runtime_checkable
class BulkReads(Protocol):
    """What a store has if it can read many users in one statement."""

    def read_ends(self, users: Sequence[str]) -> Sequence[UserEnd]:
        """The ends of these users' logs, in any order. Users without an entry are left out."""

    def read_parts(self, wanted: Mapping[str, Collection[bytes]]) -> Mapping[str, Mapping[bytes, bytes]]:
        """These parts of the users' snapshots. Those that are no longer stored are left out."""


@runtime_checkable
class BulkLogs(Protocol):
    """What a store has if reading many logs in one statement is faster than one by one."""

    def read_logs(self, users: Sequence[str]) -> Mapping[str, Sequence[Row]]:
        """All rows of these users' logs, in the order of their positions. Users without an entry are left out."""


def read_ends(store: Store, users: Sequence[str]) -> list[UserEnd]:
    """The ends of these users' logs, in their order; users without an entry are left out."""
    if isinstance(store, BulkReads):
        found = {end.user: end for end in store.read_ends(users)}
        return [found[user] for user in users if user in found]
    logs = ((user, store.log(user)) for user in users)
    ends = [UserEnd(user, log.head(), log.snapshot().head) for user, log in logs]
    return [end for end in ends if end.head.position]


def read_logs(store: Store, ends: Sequence[UserEnd]) -> Iterator[tuple[str, Sequence[Row]]]:
    """The rows of the logs that have these ends, in their order: only as many at once as memory has room for."""
    if not isinstance(store, BulkLogs):
        yield from ((end.user, [*store.log(end.user).read_rows()]) for end in ends)
        return
    waiting = [*ends]
    while waiting:
        total = accumulate(end.head.position for end in waiting)
        count = max(sum(rows <= MAX_ROWS for rows in total), 1)
        users = [end.user for end in waiting[:count]]
        found = store.read_logs(users)
        yield from ((user, found.get(user, ())) for user in users)
        del waiting[:count]


def read_parts(store: Store, wanted: Mapping[str, Collection[bytes]]) -> Mapping[str, Mapping[bytes, bytes]]:
    """These parts of the users' snapshots; those that are no longer stored are left out."""
    if isinstance(store, BulkReads):
        return store.read_parts(wanted)
    found: dict[str, Mapping[bytes, bytes]] = {}
    for user, names in wanted.items():
        parts = store.log(user).snapshot().parts
        found[user] = {name: parts[name] for name in names if name in parts}
    return found
