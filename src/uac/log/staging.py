"""The port of staging: files that wait in the store until a worker has written them to a log."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

__all__ = ["PartResult", "StagedFile", "Staging", "StagingStore", "remove_staged_files"]

MOST_BROKEN = 100
"""Broken lines that are kept with their reasons; further ones are counted."""


@dataclass(frozen=True, slots=True)
class PartResult:
    """What became of some lines of a file."""

    lines: int = 0
    stored: int = 0
    already: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    """Lines that were skipped without being errors, by what they are."""
    broken: tuple[tuple[int, str], ...] = ()
    """Lines that gave nothing, with the reasons: the first 100."""
    broken_lines: int = 0

    def __add__(self, other: "PartResult") -> "PartResult":
        names = {**self.left_out, **other.left_out}
        return PartResult(
            self.lines + other.lines,
            self.stored + other.stored,
            self.already + other.already,
            {name: self.left_out.get(name, 0) + other.left_out.get(name, 0) for name in names},
            (*self.broken, *other.broken)[:MOST_BROKEN],
            self.broken_lines + other.broken_lines,
        )


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file on its way to a user's log. Each line is either in a part that waits, or done."""

    id: str
    user: str
    name: str
    lines: int
    """Lines of the whole file."""
    parts: int
    staged: datetime
    finished: datetime | None
    result: PartResult
    """What became of the lines that are done."""
    problem: str = ""
    """Why the import failed; `finished` is when."""


class Staging(Protocol):
    """Files that wait. Each part is encrypted with a key of its own, which goes when the part is done; erasing the user
    destroys all keys. So their words can be read as long as they are not in the log, and not after an erasure."""

    def add(self, user: str, name: str, header: bytes, parts: Iterable[tuple[int, bytes]]) -> StagedFile:
        """Stage a file: what its parts have in common, and the parts, each with the number of its lines."""

    def header(self, id_: str) -> bytes | None:
        """What the parts have in common; None if the user was erased meanwhile."""

    def write_part(self, id_: str, part: int, write: Callable[[bytes], PartResult]) -> bool:
        """Write a part, unless that was done, and remove it; the results are added once.

        An erasure of the user waits for it. Returns False if the user was erased.
        """

    def finish(self, id_: str, problem: str = "") -> None:
        """Note that all parts are done, or why the import failed. A part that is written later takes it back."""

    def files(self, users: Collection[str] = ()) -> tuple[StagedFile, ...]:
        """The files of these users, or of all; the oldest first. Finished ones are there until they are removed."""

    def remove_of(self, user: str) -> int:
        """Remove all files of a user, and return their number. What was written of them is in the log."""

    def remove_finished(self, before: datetime, *, failed_before: datetime) -> int:
        """Remove files that were done, or failed, before a time; and those of which staging was never completed."""


@runtime_checkable
class StagingStore(Protocol):
    """What a store has if files can wait in it."""

    def staging(self) -> Staging: ...


def remove_staged_files(store: object, user: str) -> int:
    """Remove the files of a user that wait in a store, if any can; returns how many there were."""
    return store.staging().remove_of(user) if isinstance(store, StagingStore) else 0
