"""The entries that shaped a project, newest first: needed to fold it again without some of them, and to show them."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple, TypeAlias

import msgspec

from uac.errors import Moved
from uac.log.log import Stored
from uac.schema.entries import (
    AlertChange,
    Checkpoint,
    Correction,
    Delivery,
    Erasure,
    ModelCall,
    NextRun,
    Receipt,
    Retraction,
    Tick,
)

__all__ = ["History", "HistoryEntry", "StoredHistory", "history_entry", "newest_first", "sort_history"]


class HistoryEntry(NamedTuple):
    """An entry that shaped the project, kept so that the log can be folded again without it."""

    position: int
    at: datetime
    entry: (
        Checkpoint | Correction | Retraction | Tick | AlertChange | NextRun | Delivery | Receipt | Erasure | ModelCall
    )


class StoredHistory:
    """The history of a project that was opened from a snapshot. It is read from the log when it is first needed.

    `digest` is that of the entry at `position`, the last one that `read` gives.
    """

    __slots__ = ("_entries", "_read", "digest", "position")

    def __init__(self, position: int, digest: bytes, read: Callable[[], Iterable[Stored]]) -> None:
        self.position = position
        self.digest = digest
        self._read = read
        self._entries: list[HistoryEntry] | None = None

    def entries(self) -> list[HistoryEntry]:
        """The entries, oldest first, without those that were erased since. Moved if the log is now another one."""
        if self._entries is not None:
            return self._entries
        found: list[HistoryEntry] = []
        position, digest = 0, b""
        for stored in self._read():
            position, digest = stored.position, stored.digest
            if (happened := history_entry(stored)) is not None:
                found.append(happened)
        if (position, digest) != (self.position, self.digest):
            raise Moved(self.position, position)
        self._entries = found
        return found


History: TypeAlias = "tuple[HistoryEntry, History] | StoredHistory | None"
"""Newest first, as nested pairs: adding one costs the same however long it is."""


def history_entry(stored: Stored) -> HistoryEntry | None:
    """What a project keeps of an entry for its history; None if it keeps nothing."""
    match stored.entry:
        case ModelCall() as entry:  # a project keeps the outcome, not the reply
            return HistoryEntry(stored.position, stored.at, msgspec.structs.replace(entry, reply=""))
        case (
            Checkpoint()
            | Correction()
            | Retraction()
            | Tick()
            | AlertChange()
            | NextRun()
            | Delivery()
            | Receipt()
            | Erasure() as entry
        ):
            return HistoryEntry(stored.position, stored.at, entry)
        case _:
            return None


def newest_first(history: History) -> Iterator[HistoryEntry]:
    while history is not None:
        if isinstance(history, StoredHistory):
            yield from reversed(history.entries())
            return
        happened, history = history
        yield happened


def sort_history(history: History) -> list[HistoryEntry]:
    """The entries, oldest first."""
    return [*newest_first(history)][::-1]
