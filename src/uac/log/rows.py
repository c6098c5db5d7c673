"""The port that a store implements for one user's log: rows, and one transaction on them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from uac.errors import Damaged, NewerFormat
from uac.log.index import IndexBlocks
from uac.log.shared_texts import DAMAGED_BODY
from uac.schema.entries import Entry, Kind, decode

__all__ = [
    "EMPTY",
    "Blank",
    "Head",
    "LockableRows",
    "Row",
    "Rows",
    "Stored",
    "UserEnd",
    "Writing",
    "decode_row",
    "decode_rows",
    "read_pages",
]


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a log: how many entries, the last digest, and when it was written."""

    position: int
    digest: bytes
    at: str


class UserEnd(NamedTuple):
    """The end of one user's log, and the head of the stored snapshot; b"" if there is none."""

    user: str
    head: Head
    snapshot: bytes


EMPTY = Head(0, bytes(32), "")
FIRST_PAGE = 32
MAX_PAGE = 1000
PAGE_CHARACTERS = 4_000_000


class Stored(msgspec.Struct, frozen=True, gc=False):
    """An entry with its position in the log. `entry` is None once its words were erased."""

    position: int
    at: datetime
    kind: Kind
    entry: Entry | None
    digest: bytes


class Row(NamedTuple):
    """An entry as a row of a store. Erasing words sets `commitment` and renews `salt`."""

    position: int
    at: str
    kind: Kind
    form: int
    body: str
    salt: bytes
    digest: bytes
    key: bytes | None = None
    commitment: bytes | None = None


class Blank(NamedTuple):
    """Replaces a row whose words are erased. The body is empty if nothing stays, so that its length reveals nothing."""

    position: int
    body: str
    salt: bytes
    commitment: bytes


class Writing(Protocol):
    """One transaction on one user's rows; no other writer of that user is inside at the same time."""

    @property
    def head(self) -> Head: ...
    def find(self, keys: Collection[bytes]) -> Mapping[bytes, int]: ...
    def insert(self, rows: Sequence[Row]) -> None:
        """Add these rows after the head. A copied log also has rows whose words were erased, with `commitment`."""

    def blank(self, blanks: Sequence[Blank]) -> None:
        """Replace rows that exist already."""

    def remember(self, keys: Collection[bytes]) -> None:
        """Store the keys of erased requests. They outlive the log: `Store.erase` leaves them, and nothing else."""


class Rows(Protocol):
    """One user's log in a store."""

    def head(self) -> Head: ...
    def read(self, start: int, stop: int | None) -> Iterator[Row]: ...
    def read_at(self, positions: Collection[int]) -> Sequence[Row]:
        """The rows at these positions, in order; those that do not exist are left out."""

    def writing(self) -> AbstractContextManager[Writing]: ...
    def is_remembered(self, keys: Collection[bytes]) -> bool:
        """Whether one of these keys belongs to an erased request of this user."""

    def scrub(self) -> None:
        """Destroy the copies of blanked rows in free pages, journals and caches."""

    def index(self) -> IndexBlocks:
        """The search index of this log. Blanking rows removes their words from it in the same transaction."""


@runtime_checkable
class LockableRows(Protocol):
    """What `Rows` have if their store can tell workers apart."""

    def try_lock(self) -> AbstractContextManager[bool]:
        """Whether no other worker has the lock; it is held until the block ends, or until the process dies."""


def read_pages(fetch: Callable[[int, int, int], Sequence[Row]], start: int, stop: int | None) -> Iterator[Row]:
    """Rows page by page, for stores: memory stays flat however large single rows are, and no read stays open.

    `fetch(first, last, limit)` gives rows of those positions in order, at most `limit`.
    """
    last = (1 << 62) if stop is None else stop - 1
    position, limit = start, FIRST_PAGE
    while position <= last:
        rows = fetch(position, last, limit)
        yield from rows
        if len(rows) < limit:
            return
        position = rows[-1].position + 1
        average = sum(len(row.body) for row in rows) // len(rows) + 1
        limit = max(1, min(limit * 8, MAX_PAGE, PAGE_CHARACTERS // average))


def decode_rows(rows: Iterable[Row], start: int = 1) -> Iterator[Stored]:
    """The entries of these rows, which must be those from position `start` on; else Damaged."""
    for position, row in enumerate(rows, start):
        if row.position != position:
            raise Damaged(f"entry {position} is missing")
        yield decode_row(row)


def decode_row(row: Row) -> Stored:
    blank = not row.body.strip()
    if row.body == DAMAGED_BODY:
        raise Damaged(f"entry {row.position} is damaged: a text that it shares with other logs is not what it was")
    if blank and row.commitment is None:
        raise Damaged(f"entry {row.position} is blank, but was not erased")
    try:
        entry = None if blank else decode(row.body, row.form)
        return Stored(row.position, datetime.fromisoformat(row.at), row.kind, entry, row.digest)
    except (Damaged, ValueError) as error:
        raise Damaged(f"entry {row.position}: {error}") from None
    except NewerFormat as error:
        raise NewerFormat(f"entry {row.position}: {error}") from None
