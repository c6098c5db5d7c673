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

__all__ = [
    "History",
    "HistoryEntry",
    "StoredHistory",
    "history_after",
    "history_entry",
    "nearest_project",
    "newest_first",
    "sort_history",
]


class HistoryEntry(NamedTuple):
    """An entry that shaped the project, kept so that the log can be folded again without it."""

    position: int
    at: datetime
    entry: (
        Checkpoint | Correction | Retraction | Tick | AlertChange | NextRun | Delivery | Receipt | Erasure | ModelCall
    )


class StoredHistory:
    """The history of a project that was opened from a snapshot. It is read from the log when it is first needed.

    `read` gives the entries of the log from a position up to but not including another one; `digest` is that of the
    entry at `position`. `project_before` gives the project of the nearest stored snapshot before a position, or None: a
    project has a history, so its type cannot be named here.
    """

    __slots__ = ("_read", "_tail", "digest", "position", "project_before")

    def __init__(
        self,
        position: int,
        digest: bytes,
        read: Callable[[int, int], Iterable[Stored]],
        project_before: Callable[[int], object] = lambda _position: None,
    ) -> None:
        self.position = position
        self.digest = digest
        self.project_before = project_before
        self._read = read
        self._tail: tuple[int, list[HistoryEntry]] = (position, [])
        """A position, and the entries after it that were read: one value, because threads share a project."""

    def entries(self) -> list[HistoryEntry]:
        """The entries, oldest first, without those that were erased since. Moved if the log is now another one."""
        return self.entries_after(0)

    def entries_after(self, position: int) -> list[HistoryEntry]:
        """As `entries`, but only those after a position: no others are read."""
        start, entries = self._tail
        if position < start:
            entries = self._read_after(position)
            self._tail = (position, entries)
            return entries
        return entries if position == start else [each for each in entries if each.position > position]

    def _read_after(self, start: int) -> list[HistoryEntry]:
        found: list[HistoryEntry] = []
        position, digest = 0, b""
        for stored in self._read(start + 1, self.position + 1):
            position, digest = stored.position, stored.digest
            if (happened := history_entry(stored)) is not None:
                found.append(happened)
        if (position, digest) != (self.position, self.digest):
            raise Moved(self.position, position)
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


def history_after(history: History, position: int) -> list[HistoryEntry]:
    """The entries after a position, oldest first."""
    found: list[HistoryEntry] = []
    while isinstance(history, tuple) and history[0].position > position:
        found.append(history[0])
        history = history[1]
    if isinstance(history, StoredHistory):
        found += reversed(history.entries_after(position))
    return found[::-1]


def nearest_project(history: History, position: int) -> object:
    """The project of the nearest stored snapshot before a position; None if the history knows of none."""
    while isinstance(history, tuple):
        history = history[1]
    return None if history is None else history.project_before(position)
