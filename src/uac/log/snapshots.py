"""The port of snapshots: the bytes of a user's project at a position, beside the log.

A snapshot is a cache. What its bytes mean is known to `uac.project.snapshot`; a store only keeps them. A store may do
without: then the log is folded whenever it is opened.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

__all__ = ["NO_SNAPSHOT", "Snapshot", "SnapshotRows", "SnapshotWriting"]


class Snapshot(NamedTuple):
    """A head, and parts by name. Parts of the same name have the same bytes."""

    head: bytes = b""
    parts: Mapping[bytes, bytes] = {}


NO_SNAPSHOT = Snapshot()


@runtime_checkable
class SnapshotRows(Protocol):
    """What `Rows` have if their store keeps snapshots."""

    def snapshot(self) -> Snapshot:
        """The head and all parts, as one transaction left them; `NO_SNAPSHOT` if there is none."""


@runtime_checkable
class SnapshotWriting(Protocol):
    """What `Writing` has if the store keeps snapshots: part of the same transaction as everything else in it."""

    def set_snapshot(self, snapshot: Snapshot) -> None:
        """Replace the snapshot. Parts that are stored already need not be written again; all others go."""

    def drop_snapshot(self) -> None:
        """Remove it. The next `scrub` destroys its bytes, and those of parts that were replaced before."""
