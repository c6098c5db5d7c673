"""Opens a project from its stored snapshot and the entries after it, and stores another one after enough change.

A snapshot is a cache: without one, or if it is damaged or of another form, the log is folded from its start.
"""

from contextlib import suppress
from typing import Literal

import msgspec

from uac.errors import Damaged, StoreError
from uac.log.log import Head, Log, Prefix
from uac.log.snapshots import MAX_SNAPSHOTS, Snapshot
from uac.project.fold import fold_entries, fold_whole_log
from uac.project.history import StoredHistory
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.snapshot import (
    SnapshotHead,
    decode_head,
    decode_project,
    encode_project,
    is_damaged,
    is_newer_snapshot,
)
from uac.schema.entries import Erasure, Retraction
from uac.schema.word_caches import forget_cached_words

__all__ = [
    "ProjectSnapshots",
    "SnapshotState",
    "check_snapshot",
    "fold_log",
    "keep_past_project",
    "project_from_snapshot",
]

SnapshotState = Literal["none", "right", "unusable", "wrong"]

LEAST_ENTRIES = 500
LEAST_SHARE = 32
"""A snapshot is stored once there are this many entries behind the last one, and once they are the 32nd part of the
log: so opening folds few entries, and storing stays cheap beside writing them."""
LEAST_ADOPTED = 8
"""Or when a project is opened that has so many more constraints: folding one takes as long as tens of turns."""
LONG_LOG = 5000
"""From this many entries on, folding from the start does not keep the history in memory: it takes more than records."""


def fold_log(log: Log | Prefix, known: Project = EMPTY_PROJECT) -> Project:
    """The project of a log, or of a log up to a position, from the nearest snapshot or from `known`, an earlier project
    of the same log. Nothing is written."""
    stored = project_from_snapshot(log)
    base = known if stored is None or stored.position < known.position else stored
    return _fold_rest(log, base)


def keep_past_project(log: Log, past: Project, *, read_until: int) -> None:
    """Store a snapshot of an earlier project if its nearest one is far, so that it is not folded again.

    `read_until` is the end of the log when its entries were read. Nothing depends on it: see `follow`.
    """
    positions = log.snapshot_positions()
    nearest = max((each for each in positions if each <= past.position), default=0)
    is_far = past.position - nearest >= max(LEAST_ENTRIES, read_until // MAX_SNAPSHOTS)
    if not is_far or not positions or len(positions) >= MAX_SNAPSHOTS or past.position > positions[-1]:
        return
    with suppress(StoreError, msgspec.MsgspecError, OverflowError):
        if is_newer_snapshot(log.snapshot()):
            return
        log.set_snapshot(encode_project(past), position=past.position, digest=past.digest, read_until=read_until)


def project_from_snapshot(log: Log | Prefix) -> Project | None:
    """The project of the latest snapshot that is stored for this log; None if there is none that can be used."""
    if isinstance(log, Prefix):
        found = _nearest_snapshot(log.log, log.position)
        if found is not None or log.log.snapshot_positions():
            return found
    try:  # a store may keep the latest only
        return _read_snapshot(log)
    except Damaged:
        return None


def _nearest_snapshot(log: Log, last: int) -> Project | None:
    """The project of the nearest snapshot at or before a position that can be used."""
    for position in reversed(log.snapshot_positions()):
        if position <= last:
            with suppress(Damaged):
                if (found := _read_snapshot(log, position)) is not None:
                    return found
    return None


def check_snapshot(log: Log) -> SnapshotState:
    """Whether the stored snapshots are what the log gives; if one is wrong, all are dropped."""
    if not log.snapshot().head:
        return "none"
    folded, has_usable = EMPTY_PROJECT, False
    for position in log.snapshot_positions() or (None,):
        try:
            stored = _read_snapshot(log, position)
        except Damaged:
            stored = None
        if stored is None:
            continue
        has_usable = True
        folded = fold_entries(log.read(folded.position + 1, stored.position + 1), folded)
        if not _is_equal(stored, folded):
            log.drop_snapshot()
            return "wrong"
    return "right" if has_usable else "unusable"


def _is_equal(stored: Project, folded: Project) -> bool:
    try:
        return stored == folded
    except Damaged:
        return False


class ProjectSnapshots:
    """The stored snapshot of one user's project."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._position = 0
        """Of the last snapshot that was stored, or was to be stored: a store that cannot is not asked each time."""
        self._followed = 0
        """Up to here the entries were searched for erasures, which drop the snapshot."""
        self._is_trusted = True

    def open_project(self, end: Head | None = None) -> Project:
        """The project at the end of the log. If that takes long, a snapshot is stored, and the project is its.

        `end` is the end of the log if it was just read.
        """
        base = self._stored_project(end) or EMPTY_PROJECT
        self._position = self._followed = base.position
        project = base if _is_at(end, base) else _fold_rest(self._log, base)
        snapshot = self.follow(project, is_opened=True)
        head = None if snapshot is None else decode_head(snapshot)
        # It takes a tenth of the memory, and what the fold has made is free again.
        return project if snapshot is None or head is None else _decode(self._log, head, snapshot)

    def _stored_project(self, end: Head | None) -> Project | None:
        try:
            return _read_snapshot(self._log, end=end) if self._is_trusted else None
        except Damaged:
            self._drop_snapshot()
            return None

    def follow(self, project: Project, *, is_opened: bool = False) -> Snapshot | None:
        """Store a snapshot of the project at the end of the log if one is due; returns it if it was stored.
        `is_opened` means that the entries behind the last one were just folded.

        Nothing depends on it: a store that is full, locked or read-only keeps the one it has.
        """
        first = self._follow_changes(project)
        has_many = project.position - self._position >= max(LEAST_ENTRIES, project.position // LEAST_SHARE)
        has_many = has_many or project.position - first >= LEAST_ENTRIES
        if not has_many and not (is_opened and self._adopted_since(project) >= LEAST_ADOPTED):
            return None
        self._position = project.position
        with suppress(StoreError, msgspec.MsgspecError, OverflowError):
            if is_newer_snapshot(self._log.snapshot()):
                return None
            snapshot = encode_project(project)
            if self._log.set_snapshot(snapshot, position=project.position, digest=project.digest):
                return snapshot
        return None

    def _adopted_since(self, project: Project) -> int:
        """How many constraints were adopted behind the last snapshot."""
        return sum(adopted.position > self._position for adopted in project.constraints.values())

    def _follow_changes(self, project: Project) -> int:
        """Look for erasures in the new entries. Returns the first position before them that they retract: whoever opens
        the last snapshot would fold all that came after that position again."""
        first, node = project.position, project.history
        while isinstance(node, tuple) and node[0].position > self._followed:
            if isinstance(node[0].entry, Erasure):
                self._position = 0
                forget_cached_words()  # another process may have erased them
            elif isinstance(node[0].entry, Retraction):
                first = min((first, *(each for each in node[0].entry.positions if each <= self._position)))
            node = node[1]
        self._followed = project.position
        return first

    def is_damaged(self, project: Project) -> bool:
        """Whether a part of the project could not be read from its snapshot, which is dropped then."""
        if not is_damaged(project):
            return False
        self._is_trusted = False
        self._drop_snapshot()
        return True

    def _drop_snapshot(self) -> None:
        """So that the next one is written whole: parts that are stored are not written again."""
        with suppress(StoreError):
            self._log.drop_snapshot()


def _fold_rest(log: Log | Prefix, base: Project) -> Project:
    """The project of the log, continued from `base`."""
    if not base.position and log.head().position >= LONG_LOG:
        return fold_whole_log(log)
    return fold_entries(log.read(base.position + 1), base)


def _read_snapshot(log: Log | Prefix, position: int | None = None, *, end: Head | None = None) -> Project | None:
    whole = log.log if isinstance(log, Prefix) else log
    snapshot = whole.snapshot(position)
    head = decode_head(snapshot)
    if head is None or not (_is_at(end, head) or log.contains(head.position, head.digest)):
        return None
    return _decode(whole, head, snapshot)


def _is_at(end: Head | None, stored: SnapshotHead | Project) -> bool:
    """Whether it is what a log gives up to its end, so that neither has to be read."""
    return end is not None and (end.position, end.digest) == (stored.position, stored.digest)


def _decode(log: Log, head: SnapshotHead, snapshot: Snapshot) -> Project:
    before = lambda position: _nearest_snapshot(log, position - 1)  # noqa: E731
    return decode_project(head, snapshot, StoredHistory(head.position, head.digest, log.read, before))
