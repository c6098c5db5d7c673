"""The port of snapshots: the bytes of a user's project at a position, beside the log.

A snapshot is a cache. What its bytes mean is known to `uac.project.snapshot`; a store only keeps them. A store may do
without: then the log is folded whenever it is opened. It may also keep the latest one only.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

__all__ = [
    "KEY_BYTES",
    "MAX_SNAPSHOTS",
    "NO_SNAPSHOT",
    "PastSnapshotRows",
    "PastSnapshotWriting",
    "Snapshot",
    "SnapshotRows",
    "SnapshotWriting",
    "pack_part_list",
    "position_key",
    "snapshots_to_keep",
    "unpack_part_list",
]

MAX_SNAPSHOTS = 9
"""The latest and eight older ones: a project of an earlier time folds about a ninth of the log, a fifth at most."""

NAME_BYTES = 32
KEY_BYTES = 8


class Snapshot(NamedTuple):
    """A head, and parts by name, which has 32 bytes. Parts of the same name have the same bytes."""

    head: bytes = b""
    parts: Mapping[bytes, bytes] = {}


NO_SNAPSHOT = Snapshot()


@runtime_checkable
class SnapshotRows(Protocol):
    """What `Rows` have if their store keeps snapshots."""

    def snapshot(self) -> Snapshot:
        """The head and all parts of the latest one, as one transaction left them; `NO_SNAPSHOT` if there is none."""


@runtime_checkable
class SnapshotWriting(Protocol):
    """What `Writing` has if the store keeps snapshots: part of the same transaction as everything else in it."""

    def set_snapshot(self, snapshot: Snapshot) -> None:
        """Replace all snapshots. Parts that are stored already need not be written again; all others go."""

    def drop_snapshot(self) -> None:
        """Remove all of them. The next `scrub` destroys their bytes, and those of parts that were replaced before."""


@runtime_checkable
class PastSnapshotRows(Protocol):
    """What `Rows` have if their store keeps several snapshots, each at a position; the latest is the highest."""

    def snapshot_positions(self) -> tuple[int, ...]:
        """Where there are snapshots, in order."""

    def snapshot_at(self, position: int) -> Snapshot:
        """As `snapshot`, of the one at a position."""


@runtime_checkable
class PastSnapshotWriting(Protocol):
    """What `Writing` has if the store keeps several snapshots."""

    def snapshot_sizes(self) -> Mapping[int, Mapping[bytes, int]]:
        """The bytes of each part of each snapshot, by position and name; without one whose position is not known."""

    def add_snapshot(self, position: int, snapshot: Snapshot, keep: Collection[int]) -> None:
        """Store a snapshot at a position. Of the others those at `keep` stay; parts that none has any more go."""


def snapshots_to_keep(sizes: Mapping[int, Mapping[bytes, int]]) -> frozenset[int]:
    """The snapshots to keep: the latest, and older ones spread evenly over the log, as many as are allowed.

    Older ones together take at most as many bytes as the latest, beside the parts that they have in common with it.
    """
    positions = sorted(sizes)
    while len(positions) > 1 and (len(positions) > MAX_SNAPSHOTS or not _are_small(sizes, positions)):
        gaps = [after - before for before, after in zip([0, *positions], positions[1:], strict=False)]
        positions.pop(gaps.index(min(gaps)))  # the one whose neighbours are closest to each other
    return frozenset(positions)


def _are_small(sizes: Mapping[int, Mapping[bytes, int]], positions: list[int]) -> bool:
    latest = sizes[positions[-1]]
    older = {name: size for position in positions[:-1] for name, size in sizes[position].items() if name not in latest}
    return sum(older.values()) <= sum(latest.values())


def position_key(position: int) -> bytes:
    """The name under which a store may keep the head and the list of parts: shorter than the name of a part."""
    return position.to_bytes(KEY_BYTES, "big")


def pack_part_list(head: bytes, names: Iterable[bytes]) -> bytes:
    """A head and the names of its parts, in order, so that a store can tell which part belongs to which snapshot."""
    return b"".join((len(head).to_bytes(4, "big"), head, *sorted(names)))


def unpack_part_list(data: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    end = 4 + int.from_bytes(data[:4], "big")
    return data[4:end], tuple(data[at : at + NAME_BYTES] for at in range(end, len(data), NAME_BYTES))
