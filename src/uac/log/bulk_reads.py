"""Reads the ends and snapshots of many users' logs at once: what asking everybody needs of a store.

A store may do without. Then each user's log is read on its own, which gives the same and takes longer.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from uac.log.rows import UserEnd
from uac.log.store import Store

__all__ = ["BulkReads", "read_ends", "read_parts"]


@runtime_checkable
class BulkReads(Protocol):
    """What a store has if it can read many users in one statement."""

    def read_ends(self, users: Sequence[str]) -> Sequence[UserEnd]:
        """The ends of these users' logs, in any order. Users without an entry are left out."""

    def read_parts(self, wanted: Mapping[str, Collection[bytes]]) -> Mapping[str, Mapping[bytes, bytes]]:
        """These parts of the users' snapshots. Those that are no longer stored are left out."""


def read_ends(store: Store, users: Sequence[str]) -> list[UserEnd]:
    """The ends of these users' logs, in their order; users without an entry are left out."""
    if isinstance(store, BulkReads):
        found = {end.user: end for end in store.read_ends(users)}
        return [found[user] for user in users if user in found]
    logs = ((user, store.log(user)) for user in users)
    ends = [UserEnd(user, log.head(), log.snapshot().head) for user, log in logs]
    return [end for end in ends if end.head.position]


def read_parts(store: Store, wanted: Mapping[str, Collection[bytes]]) -> Mapping[str, Mapping[bytes, bytes]]:
    """These parts of the users' snapshots; those that are no longer stored are left out."""
    if isinstance(store, BulkReads):
        return store.read_parts(wanted)
    found: dict[str, Mapping[bytes, bytes]] = {}
    for user, names in wanted.items():
        parts = store.log(user).snapshot().parts
        found[user] = {name: parts[name] for name in names if name in parts}
    return found
