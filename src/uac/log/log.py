"""One user's append-only log: conditional appends, a chain of digests, prefixes, erasure.

`Log` holds all the rules. A store only keeps rows (`Rows`), so that there is one copy of the logic.

Each row carries `digest = sha256(previous digest · header · commitment)`, where
`commitment = sha256(salt · body)`. Erasing an entry destroys body and salt and keeps the commitment:
the chain still verifies, and without the salt the commitment says nothing about the words.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import MINYEAR, datetime
from typing import NamedTuple, Protocol

from uac.errors import AlreadyErased, Damaged, KeyReused, Moved, Refused
from uac.log.chain import Break, ChainCheck, body_commitment, chain_digest
from uac.log.clock import Clock, log_timestamp, wall_clock
from uac.log.copy_rows import copy_rows
from uac.log.index import IndexBlocks
from uac.log.retry_keys import observation_identity, observation_key, observation_key_digest, retry_key, retry_keys
from uac.log.rows import (
    EMPTY,
    Blank,
    Head,
    LockableRows,
    Row,
    Rows,
    Stored,
    Writing,
    decode_row,
    decode_rows,
    read_pages,
)
from uac.log.snapshots import (
    NO_SNAPSHOT,
    PastSnapshotRows,
    PastSnapshotWriting,
    Snapshot,
    SnapshotRows,
    SnapshotWriting,
    snapshots_to_keep,
)
from uac.schema.entries import (
    FORM,
    Authorship,
    Entry,
    Erased,
    Erasure,
    Membership,
    Receipt,
    check,
    cited_positions,
    encode,
    kind_of,
    redact_entry,
    with_fixed_offsets,
)
from uac.schema.word_caches import forget_cached_words

__all__ = [
    "EMPTY",
    "Appended",
    "Blank",
    "Break",
    "Clock",
    "Guard",
    "Head",
    "Log",
    "Prefix",
    "Row",
    "Rows",
    "Stored",
    "Writing",
    "read_pages",
    "retry_keys",
    "wall_clock",
]

SALT = 16


class Appended(NamedTuple):
    """An append: the position of each entry, the end of the log, and the rows that are new."""

    positions: tuple[int, ...]
    head: Head
    rows: tuple[Row, ...]

    def entries(self) -> list[Stored]:
        """The new entries, as the log gives them."""
        return [*map(decode_row, self.rows)]


class Log:
    """One user's log. Positions count from 1."""

    def __init__(self, rows: Rows, clock: Clock = wall_clock, guard: "Guard | None" = None) -> None:
        self._open_rows = rows
        self._clock = clock
        self._guard = guard

    def guarded(self, guard: "Guard") -> "Log":
        """The same log for somebody whose every access is checked first."""
        return Log(self._open_rows, self._clock, guard)

    @property
    def _rows(self) -> Rows:
        if self._guard is not None:
            self._guard.check_read()
        return self._open_rows

    def append(
        self, entries: Iterable[Entry], *, after: int | None = None, at: datetime | None = None
    ) -> tuple[int, ...]:
        """Store all entries or none, durably, and return their positions. `at` is their time; the clock's by default.

        With `after`, only if the log still ends there (else Moved). An observation whose key
        is already in the log is not stored again: its first position is returned. A key whose words
        were erased with the log, or the receipt of such a request, is refused (AlreadyErased).
        """
        return self.append_rows(entries, after=after, at=at).positions

    def append_with_head(
        self, entries: Iterable[Entry], *, after: int | None = None, at: datetime | None = None
    ) -> tuple[tuple[int, ...], Head]:
        """As `append`, with the end of the log as this write leaves it."""
        appended = self.append_rows(entries, after=after, at=at)
        return appended.positions, appended.head

    def append_rows(
        self, entries: Iterable[Entry], *, after: int | None = None, at: datetime | None = None
    ) -> "Appended":
        """As `append`, with what was stored and the end of the log as this write leaves it."""
        wanted = tuple(map(with_fixed_offsets, entries))
        if self._guard is not None:
            wanted = tuple(map(self._guard.attributed, wanted))
        if Erasure in map(type, wanted):
            raise Refused("erasure: A marker is written by erase() only. Call erase() instead.")
        keys = tuple(map(observation_key_digest, wanted))
        with self._rows.writing() as writing:
            if self._guard is not None:
                self._guard.check_append(writing.head)
            known: Mapping[bytes, int] = {}
            if any(keys):
                known = writing.find([key for key in keys if key])
                self._check_reused_keys(wanted, keys, known)
            if all(key in known for key in keys):
                return Appended(tuple(known[key] for key in keys if key), writing.head, ())
            if self.is_erased(entry for entry, key in zip(wanted, keys, strict=True) if key not in known):
                raise AlreadyErased
            head = writing.head
            if after is not None and after != head.position:
                raise Moved(after, head.position)
            fresh, positions = _assign_positions(wanted, keys, known, head.position)
            if self._guard is not None:
                signature = self._guard.signature(head.position + 1, head.position + len(fresh))
                fresh = (*fresh, (signature, None))
            rows = _chain_rows(fresh, head, at or self._clock())
            writing.insert(rows)
        end = Head(rows[-1].position, rows[-1].digest, rows[-1].at) if rows else head
        return Appended(positions, end, tuple(rows))

    def read(self, start: int = 1, stop: int | None = None) -> Iterator[Stored]:
        """The entries from position `start` up to but not including `stop`, in order, streamed."""
        return decode_rows(self._rows.read(start, stop), max(start, 1))

    def read_rows(self, start: int = 1, stop: int | None = None) -> Iterator[Row]:
        """As `read`, but the rows as the store has them: for copies that keep every digest."""
        return self._rows.read(start, stop)

    def copy_rows(self, rows: Iterable[Row], head: Head) -> int:
        """Make this log at least as long as another one, given by its rows from the first and its head, or Refused.

        In one transaction, and only if the rows verify (else Damaged). This log may be empty, a prefix of the other
        one, or longer than it; words that the other one has erased are erased here, too. Returns the number of new
        entries.
        """
        if self._guard is not None:
            raise Refused("copy: This log can be copied by the operator of the store only. Use 'uac restore'.")
        return copy_rows(self._rows, rows, head)

    def read_at(self, positions: Collection[int]) -> list[Stored]:
        """The entries at these positions, in order, in one go; positions outside of the log are left out."""
        return [decode_row(row) for row in self._rows.read_at(positions)] if positions else []

    def head(self) -> Head:
        if self._guard is not None:
            self._guard.refresh()
        return self._rows.head()

    def contains(self, position: int, digest: bytes) -> bool:
        """Whether the entry at a position has this digest. False if the user was erased and came back."""
        return _is_entry_in_log(self, position, digest)

    def is_erased(self, entries: Iterable[Entry]) -> bool:
        """Whether one of these has the key of an observation or a request whose words were erased."""
        keys = [key for entry in entries if (key := retry_key(entry))]
        return bool(keys) and self._rows.is_remembered(keys)

    def index(self) -> IndexBlocks:
        """The search index of this log; `recall` fills and reads it."""
        return self._rows.index()

    def snapshot(self, position: int | None = None) -> Snapshot:
        """The latest stored snapshot of the project, or the one at a position; `NO_SNAPSHOT` if there is none."""
        if position is None:
            return self._rows.snapshot() if isinstance(self._rows, SnapshotRows) else NO_SNAPSHOT
        return self._rows.snapshot_at(position) if isinstance(self._rows, PastSnapshotRows) else NO_SNAPSHOT

    def snapshot_positions(self) -> tuple[int, ...]:
        """Where there are snapshots, in order; empty if the store keeps only the latest."""
        return self._rows.snapshot_positions() if isinstance(self._rows, PastSnapshotRows) else ()

    def set_snapshot(self, snapshot: Snapshot, *, position: int, digest: bytes, read_until: int | None = None) -> bool:
        """Store a snapshot of the project at a position, whose entry has this digest. A few older ones stay.

        `read_until` is the end of the log when its entries were read; without it, that is the position. Returns False,
        and changes nothing, if words were erased since: they must not come back. Also if the log is no longer the
        same, or the store keeps no snapshots.
        """
        if not isinstance(self._rows, SnapshotRows):
            return False
        with self._rows.writing() as writing:
            if not position or not isinstance(writing, SnapshotWriting) or not self.contains(position, digest):
                return False
            read_until = position if read_until is None else read_until
            if any(row.kind == "erasure" for row in self._rows.read(read_until + 1, None)):
                return False
            if not snapshot.head or not isinstance(writing, PastSnapshotWriting):
                writing.set_snapshot(snapshot)
                return True
            size = {name: len(data) for name, data in snapshot.parts.items()}
            keep = snapshots_to_keep({**writing.snapshot_sizes(), position: size})
            if position in keep:
                writing.add_snapshot(position, snapshot, keep)
        return position in keep

    def drop_snapshot(self) -> None:
        """Remove all stored snapshots: one is damaged, or not to be trusted."""
        with self._rows.writing() as writing:
            if writing.head.position and isinstance(writing, SnapshotWriting):
                writing.set_snapshot(NO_SNAPSHOT)

    def try_lock(self) -> AbstractContextManager[bool]:
        """Whether this is the only worker on the log until the block ends; it keeps nobody from writing.

        A worker is what calls a model for the user: two at a time would pay for the same replies.
        """
        return self._rows.try_lock() if isinstance(self._rows, LockableRows) else nullcontext(True)

    def now(self) -> datetime:
        """The time that an entry would be stamped with."""
        return self._clock()

    def as_of(self, when: int | datetime) -> "Prefix":
        """The log up to that position or time, without later entries."""
        if isinstance(when, int):
            if not 0 <= when <= self.head().position:
                raise Refused(f"as_of: position {when} is not in the log. Use 0 to {self.head().position}.")
            return Prefix(self, when)
        if when.tzinfo is None:
            raise Refused(f"as_of: {when.isoformat()} has no time zone. Add one, such as +02:00 or Z.")
        low, high = 0, self.head().position
        try:
            limit = log_timestamp(when)
        except OverflowError:  # at an end of time: in UTC it is before all entries, or after them
            return Prefix(self, low if when.year == MINYEAR else high)
        while low < high:
            middle = (low + high + 1) // 2
            if self._row_at(middle).at <= limit:
                low = middle
            else:
                high = middle - 1
        return Prefix(self, low)

    def verify(self, *, progress: Callable[[int], None] = lambda _position: None) -> Break | None:
        """The first entry that was altered, removed or reordered; None if the whole chain holds."""
        head = self.head()
        check = ChainCheck()
        for row in self._rows.read(1, head.position + 1):
            if chain_break := check.add_row(row):
                return chain_break
            progress(row.position)
        position = check.head.position
        if position != head.position:
            return Break(position + 1, f"the log ends at {position}, but its head is {head.position}")
        if check.head != head:
            return Break(position, f"entry {position} does not match the head of the log")
        # Entries appended meanwhile are left to the next run, but they may have erased entries of this one.
        later = [
            row for index, row in enumerate(self._rows.read(position + 1, None)) if index == 0 or row.kind == "erasure"
        ]
        if later and self.head() == head:
            first = later[0].position
            return Break(first, f"entry {first} is after the head of the log: it was not appended")
        markers = [stored.entry for stored in map(decode_row, later) if isinstance(stored.entry, Erasure)]
        return check.check_erasures({erased.position for marker in markers for erased in marker.erased})

    def reach(self, positions: Iterable[int]) -> tuple[int, ...]:
        """The positions that erasing these would touch: these and their dependent entries."""
        return tuple(
            row.position
            for row, _entry, _left in self._erasure_reach(frozenset(positions), {}, self.head().position + 1)
        )

    def erase(self, positions: Iterable[int], *, why: str, parts: Mapping[int, Entry] | None = None) -> tuple[int, ...]:
        """Destroy the words at these positions and in all dependent entries; return the positions touched.

        Of the entries at the positions in `parts`, that part stays which is given there.
        Positions, times, kinds and digests stay, so the chain still verifies; a marker says when and why.
        The digest of a request's key stays, so that a late retry is recognised.
        """
        chosen = frozenset(positions)
        if not why.strip():
            raise Refused("erasure: why is empty. Give a reason.")
        with self._rows.writing() as writing:
            if self._guard is not None:
                self._guard.check_erase(writing.head)
            for position in {*chosen, *(parts or ())}:
                if not 0 < position <= writing.head.position:
                    raise Refused(f"erasure: There is no entry {position}. Use 1 to {writing.head.position}.")
            touched = list(self._erasure_reach(chosen, parts or {}, writing.head.position + 1))
            if touched:
                blanks = [_blank_row(row, left) for row, _entry, left in touched]
                erased = tuple(
                    Erased(
                        position=blank.position,
                        left=body_commitment(blank.salt, blank.body.encode()).hex() if blank.body.strip() else "",
                    )
                    for blank in blanks
                )
                writing.remember([key for _row, entry, _left in touched if (key := retry_key(entry))])
                writing.blank(blanks)
                if isinstance(writing, SnapshotWriting):
                    writing.drop_snapshot()
                writing.insert(_chain_rows([(Erasure(erased=erased, why=why), None)], writing.head, self._clock()))
        self._rows.scrub()
        forget_cached_words()
        return tuple(row.position for row, _entry, _left in touched)

    def _erasure_reach(
        self, chosen: frozenset[int], parts: Mapping[int, Entry], stop: int
    ) -> Iterator[tuple[Row, Entry, Entry | None]]:
        """The rows that lose words if the chosen ones do, with the entry and its redacted form."""
        gone = set(chosen)
        for row in self._rows.read(min({*chosen, *parts}, default=stop), stop):
            entry = decode_row(row).entry
            if entry is None:
                continue
            if isinstance(entry, Erasure):
                if row.position in chosen:
                    raise Refused(
                        f"erasure: entry {row.position} is the marker of an erasure. Leave it out: markers stay."
                    )
                continue
            left: Entry | None = None
            # A receipt has no words of its own, and identifies a late retry; a membership decides who may read. An
            # authorship goes with its entries only: without it, nobody would know whose they are.
            if isinstance(entry, Receipt | Membership | Authorship):
                gone.discard(row.position)
            if row.position not in gone:
                left = parts.get(row.position, entry)
                if not gone.isdisjoint(cited_positions(left)):
                    left = redact_entry(left, frozenset(gone))
                if left == entry:
                    continue
            if left is None:
                gone.add(row.position)
            yield row, entry, left

    def _row_at(self, position: int) -> Row:
        row = next(self._rows.read(position, position + 1), None)
        if row is None:
            raise Damaged(f"entry {position} is missing")
        return row

    def _check_reused_keys(
        self, entries: Sequence[Entry], keys: Sequence[bytes | None], known: Mapping[bytes, int]
    ) -> None:
        first: dict[bytes, Entry | None] = {}
        for entry, key in zip(entries, keys, strict=True):
            if key is None:
                continue
            if key not in first:
                first[key] = decode_row(self._row_at(known[key])).entry if key in known else entry
            original = first[key]
            # An erased original cannot be compared; a late retry must not bring its words back.
            if original is not None and observation_identity(original) != observation_identity(entry):
                place = f"position {known[key]}" if key in known else "this call"
                raise KeyReused(
                    f"observation: key {observation_key(entry)!r} was used at {place} for other words. Use a new key."
                )


class Guard(Protocol):
    """Decides for each access to a log whether it is allowed (else Refused), and signs what is written."""

    def refresh(self) -> None:
        """Called before the end of the log is read: the guard may write to it."""

    def check_read(self) -> None: ...
    def check_append(self, head: Head) -> None:
        """Called inside the transaction, with the end of the log."""

    def check_erase(self, head: Head) -> None:
        """As `check_append`."""

    def attributed(self, entry: Entry) -> Entry:
        """The entry with the name of its author, where it has a place for one."""

    def signature(self, first: int, last: int) -> Entry:
        """The entry that is appended after those at `first` to `last`."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """A log up to a position; it can be read, not written."""

    log: Log
    position: int

    def read(self, start: int = 1, stop: int | None = None) -> Iterator[Stored]:
        end = self.position + 1
        return self.log.read(start, end if stop is None else min(stop, end))

    def read_at(self, positions: Collection[int]) -> list[Stored]:
        return self.log.read_at([position for position in positions if position <= self.position])

    def contains(self, position: int, digest: bytes) -> bool:
        return _is_entry_in_log(self, position, digest)

    def head(self) -> Head:
        if self.position == 0:
            return EMPTY
        for last in self.log.read(self.position, self.position + 1):
            return Head(last.position, last.digest, log_timestamp(last.at))
        raise Damaged(f"entry {self.position} is missing")


def _is_entry_in_log(log: Log | Prefix, position: int, digest: bytes) -> bool:
    found = next(log.read(position, position + 1), None) if position else None
    return digest == (EMPTY.digest if not position else found.digest if found else b"")


def _assign_positions(
    entries: Sequence[Entry], keys: Sequence[bytes | None], known: Mapping[bytes, int], last: int
) -> tuple[Sequence[tuple[Entry, bytes | None]], tuple[int, ...]]:
    """The entries to store after `last`, each key once, and the resulting position of every entry."""
    if not any(keys):
        return tuple(zip(entries, keys, strict=True)), tuple(range(last + 1, last + 1 + len(entries)))
    fresh: list[tuple[Entry, bytes | None]] = []
    positions: list[int] = []
    places = dict(known)
    for entry, key in zip(entries, keys, strict=True):
        position = places.get(key) if key else None
        if position is None:
            fresh.append((entry, key))
            position = last + len(fresh)
            if key:
                places[key] = position
        positions.append(position)
    return fresh, tuple(positions)


def _chain_rows(entries: Sequence[tuple[Entry, bytes | None]], head: Head, now: datetime) -> list[Row]:
    """The rows that continue the chain from `head`. Time never runs backwards inside a log."""
    at = max(log_timestamp(now), head.at)
    moment = datetime.fromisoformat(at)
    rows: list[Row] = []
    digest = head.digest
    salts = os.urandom(SALT * len(entries))
    for index, (entry, key) in enumerate(entries):
        position = head.position + 1 + index
        check(entry, position=position, at=moment)
        kind, body, salt = kind_of(entry), encode(entry), salts[SALT * index : SALT * (index + 1)]
        digest = chain_digest(digest, position, at, kind, FORM, body_commitment(salt, body))
        rows.append(Row._make((position, at, kind, FORM, body.decode(), salt, digest, key, None)))
    return rows


def _blank_row(row: Row, left: Entry | None) -> Blank:
    # The row keeps its form, which the digest covers: a kind that redact_entry() keeps looks the same in every form.
    body = encode(left).decode() if left is not None else ""
    return Blank(row.position, body, os.urandom(SALT), row.commitment or body_commitment(row.salt, row.body.encode()))
