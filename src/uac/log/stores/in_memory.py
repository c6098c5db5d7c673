"""A store in this process's memory, for tests and short scripts. Closing it discards everything."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec

from uac.log.block_parts import BlockBytes, BlockGone, WholeBlock
from uac.log.clock import Clock, wall_clock
from uac.log.index import NO_INDEX, IndexBlocks, IndexChange, IndexHead
from uac.log.log import Log
from uac.log.retry_keys import retry_keys
from uac.log.rows import EMPTY, Blank, Head, Row
from uac.log.snapshots import NO_SNAPSHOT, Snapshot
from uac.log.store import ERASED, OWN, User, check_end, check_user, erased_key, time_of_head
from uac.schema.diagnostics import Diagnostic
from uac.schema.word_caches import forget_cached_words

__all__ = ["MemoryIndex", "MemoryStore"]


class MemoryStore:
    """Keeps logs in this process only."""

    address = "memory:"

    def __init__(self, *, clock: Clock = wall_clock) -> None:
        self._clock = clock
        self._tables: dict[str, _MemoryRows] = {}
        self._erased: set[str] = set()

    def log(self, user: str) -> Log:
        return Log(self._tables.setdefault(check_user(user), _MemoryRows(user, self._erased)), self._clock)

    def own(self) -> Log:
        return Log(self._tables.setdefault(OWN, _MemoryRows(OWN, self._erased)), self._clock)

    def users(self, *, after: str = "", limit: int = 1000) -> tuple[User, ...]:
        # dict() copies in one step, so that another thread may add a user meanwhile.
        heads = sorted((name, table.head()) for name, table in dict(self._tables).items())
        known = [User(name, head.position, time_of_head(head)) for name, head in heads if head.position]
        return tuple(user for user in known if user.name > max(after, OWN))[:limit]

    def erase(self, user: str, *, after: int | None = None) -> None:
        # Cleared, not replaced: open logs must see it, too.
        if table := self._tables.get(check_user(user)):
            table.clear(after)
            forget_cached_words()
        else:
            check_end(EMPTY, after)

    def erased_keys(self, *, after: bytes = b"", limit: int = 1000) -> tuple[bytes, ...]:
        digests = sorted(bytes.fromhex(name.removeprefix(ERASED)) for name in self._erased.copy())
        return tuple(digest for digest in digests if digest > after)[:limit]

    def add_erased_keys(self, digests: Collection[bytes]) -> None:
        self._erased.update(ERASED + digest.hex() for digest in digests)

    def finish_erasures(self) -> bool:
        return True

    def findings(self) -> tuple[Diagnostic, ...]:
        return (Diagnostic("note", "this store lives in memory: it is gone when the process ends"),)

    def close(self) -> None:
        self._tables.clear()
        self._erased.clear()


class _MemoryRows:
    """One user's rows, and the lock that makes writing them exclusive."""

    def __init__(self, user: str, erased: set[str]) -> None:
        self._user = user
        self._rows: list[Row] = []
        self._keys: dict[bytes, int] = {}
        self._erased = erased  # of all users
        self._lock = threading.RLock()
        self._worker = threading.Lock()
        self._index: IndexBlocks | None = None
        self._snapshots: Mapping[int, Snapshot] = {}
        """By position; 0 if it is not known."""

    def head(self) -> Head:
        with self._lock:
            if not self._rows:
                return EMPTY
            last = self._rows[-1]
            return Head(last.position, last.digest, last.at)

    def read(self, start: int, stop: int | None) -> Iterator[Row]:
        position = max(start, 1)
        while stop is None or position < stop:
            rows = self._rows  # another list once the user was erased
            if position > len(rows):
                return
            yield rows[position - 1]
            position += 1

    def read_at(self, positions: Collection[int]) -> list[Row]:
        rows = self._rows
        return [rows[position - 1] for position in sorted(set(positions)) if 0 < position <= len(rows)]

    @contextmanager
    def writing(self) -> Iterator["_MemoryWriting"]:
        with self._lock:
            writing = _MemoryWriting(self.head(), self._keys, self._snapshots)
            yield writing
            self._erased.update(erased_key(self._user, key) for key in writing.erased)
            self._rows.extend(writing.rows)
            self._keys.update((row.key, row.position) for row in writing.rows if row.key)
            for blank in writing.blanks:
                row = self._rows[blank.position - 1]
                self._rows[blank.position - 1] = row._replace(
                    body=blank.body, salt=blank.salt, commitment=blank.commitment
                )
            self._snapshots = writing.snapshots
            if writing.blanks:
                self._index = None  # rebuilt on next use, without the erased words

    @contextmanager
    def try_lock(self) -> Iterator[bool]:
        is_mine = self._worker.acquire(blocking=False)
        try:
            yield is_mine
        finally:
            if is_mine:
                self._worker.release()

    def is_remembered(self, keys: Collection[bytes]) -> bool:
        return any(erased_key(self._user, key) in self._erased for key in keys)

    def clear(self, after: int | None) -> None:
        """Drop all rows and everything derived from them."""
        with self._lock:
            check_end(self.head(), after)
            self._erased.update(erased_key(self._user, key) for key in retry_keys(self._rows))
            self._rows, self._keys, self._index, self._snapshots = [], {}, None, {}

    def scrub(self) -> None:
        """Nothing to do: the replaced rows are no longer referenced."""

    def index(self) -> IndexBlocks:
        with self._lock:
            if self._index is None:
                self._index = MemoryIndex()
            return self._index

    def snapshot(self) -> Snapshot:
        snapshots = self._snapshots
        return snapshots[max(snapshots)] if snapshots else NO_SNAPSHOT

    def snapshot_positions(self) -> tuple[int, ...]:
        return tuple(sorted(position for position in self._snapshots if position))

    def snapshot_at(self, position: int) -> Snapshot:
        return self._snapshots.get(position, NO_SNAPSHOT)


class MemoryIndex:
    """A search index in this process only."""

    def __init__(self) -> None:
        self._head = NO_INDEX
        self._blocks: dict[bytes, bytes] = {}
        self._lock = threading.Lock()

    def head(self) -> IndexHead:
        return self._head

    def read(self, digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        with self._lock:
            return {digest: self._blocks[digest] for digest in digests if digest in self._blocks}

    def open_blocks(self, digests: Collection[bytes]) -> Mapping[bytes, BlockBytes]:
        found = self.read(digests)
        if len(found) < len({*digests}):
            raise BlockGone
        return {digest: WholeBlock(data) for digest, data in found.items()}

    def change(self, before: IndexHead, change: IndexChange, *, sources: Collection[int] = ()) -> bool:
        del sources  # the owner replaces this index when entries are erased
        with self._lock:
            if self._head != before:
                return False
            for digest in change.remove:
                self._blocks.pop(digest, None)
            self._blocks.update(change.add)
            self._head = change.after
        return True

    def clear(self) -> None:
        with self._lock:
            self._head = msgspec.structs.replace(NO_INDEX, generation=self._head.generation + 1)
            self._blocks.clear()


class _MemoryWriting:
    def __init__(self, head: Head, keys: Mapping[bytes, int], snapshots: Mapping[int, Snapshot]) -> None:
        self.head = head
        self.rows: list[Row] = []
        self.blanks: list[Blank] = []
        self.erased: set[bytes] = set()
        self.snapshots = snapshots
        self._keys = keys

    def find(self, keys: Collection[bytes]) -> Mapping[bytes, int]:
        return {key: self._keys[key] for key in keys if key in self._keys}

    def insert(self, rows: Sequence[Row]) -> None:
        self.rows.extend(rows)

    def blank(self, blanks: Sequence[Blank]) -> None:
        self.blanks.extend(blanks)

    def remember(self, keys: Collection[bytes]) -> None:
        self.erased.update(keys)

    def set_snapshot(self, snapshot: Snapshot) -> None:
        self.snapshots = {0: snapshot}

    def drop_snapshot(self) -> None:
        self.snapshots = {}

    def snapshot_sizes(self) -> Mapping[int, Mapping[bytes, int]]:
        return {
            position: {name: len(data) for name, data in each.parts.items()}
            for position, each in self.snapshots.items()
            if position
        }

    def add_snapshot(self, position: int, snapshot: Snapshot, keep: Collection[int]) -> None:
        remaining = {each: stored for each, stored in self.snapshots.items() if each in keep}
        self.snapshots = {**remaining, position: snapshot}
