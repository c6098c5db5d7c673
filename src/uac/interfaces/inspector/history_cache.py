"""The project as it stood at earlier positions, folded and rendered once for all who step through the same time."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from uac.errors import UacError
from uac.log.log import EMPTY, Log
from uac.project.fold import project as fold
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.render import render
from uac.schema.entries import Checkpoint, Correction, Entry, Erasure, Retraction

__all__ = ["Past", "Step", "steps"]

PROJECTS = 48  # kept at once; neighbours share most of what they hold
RENDERED = 16
CHARACTERS = 20_000_000  # of all that is kept rendered
MILESTONES = 8  # between which a step is folded


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the project. `through` is where the alerts that followed from it end."""

    position: int
    through: int
    at: datetime
    entry: Entry


def steps(project: Project) -> list[Step]:
    """All changes of types, records and constraints that led to the project, oldest first."""
    found: list[Step] = []
    history, low, high = project.history, 0, 0
    while history is not None:
        (position, at, entry), history = history
        if isinstance(entry, Checkpoint | Correction | Retraction | Erasure):
            found.append(Step(position, high if low == position + 1 else position, at, entry))
        else:  # what was appended with it: alerts, and what a model's call cost
            low, high = position, high if low == position + 1 else position
    return found[::-1]


@dataclass(slots=True)
class _Kept:
    """What was folded from one log, and up to where the log was looked through for erasures."""

    digest: bytes
    looked: int
    project: Project
    files: Mapping[str, str] | None = None


class Past:
    """A small cache. It never gives what the log no longer says: erased words are not shown from it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int], _Kept] = OrderedDict()

    def project(self, name: str, log: Log, position: int, near: Iterable[int] = ()) -> Project:
        """The project of the user kept under `name` as it stood at a position.

        `near` are positions that will be asked for next: some of them are kept on the way, so that the next step
        folds only what lies between.
        """
        head = self._drop_stale(name, log)
        with self._lock:
            behind = [at for owner, at in self._kept if owner == name and at <= position]
            base = self._kept[name, max(behind)].project if behind else EMPTY_PROJECT
        stops = [*_milestones([at for at in near if base.position < at < position]), position]
        for first, last in pairwise([base.position, *stops]):
            if first < last:
                base = fold(log.read(first + 1, last + 1), base)
                self._keep(name, base, head)
        self._touch(name, position)
        self._drop_stale(name, log)  # words may have been erased while this was folded
        return base

    def files(self, name: str, project: Project) -> Mapping[str, str]:
        """The rendered files of one of the user's projects."""
        with self._lock:
            kept = self._kept.get((name, project.position))
            if kept is not None and kept.files is not None and kept.digest == project.digest:
                return kept.files
        files = render(project)
        self._keep(name, project, project.position, files)
        return files

    def heard(self, name: str, log: Log) -> None:
        """Something was written for the user: if words were erased, they are let go of now, not when next asked for."""
        try:
            self._drop_stale(name, log)
        except UacError:  # what cannot be looked up is not kept either
            self._forget(name)

    def kept(self, name: str) -> tuple[int, ...]:
        """The positions of the user of which something is kept."""
        with self._lock:
            return tuple(sorted(at for owner, at in self._kept if owner == name))

    def _forget(self, name: str) -> None:
        with self._lock:
            for key in [key for key in self._kept if key[0] == name]:
                del self._kept[key]

    def _keep(self, name: str, project: Project, looked: int, files: Mapping[str, str] | None = None) -> None:
        key = (name, project.position)
        with self._lock:
            known = self._kept.get(key)
            if known is not None and known.digest == project.digest:
                known.files = files or known.files
            elif project.position:
                self._kept[key] = _Kept(project.digest, looked, project, files)
            self._trim()

    def _touch(self, name: str, position: int) -> None:
        with self._lock:
            if (name, position) in self._kept:
                self._kept.move_to_end((name, position))

    def _trim(self) -> None:
        while len(self._kept) > PROJECTS:
            self._kept.popitem(last=False)
        room = CHARACTERS
        for place, kept in enumerate(kept for kept in reversed(self._kept.values()) if kept.files is not None):
            room -= sum(map(len, (kept.files or {}).values()))
            if place >= RENDERED or (place and room < 0):
                kept.files = None

    def _drop_stale(self, name: str, log: Log) -> int:
        """Forget what was folded before words were erased, or of a user who was erased and came back; the log's end."""
        with self._lock:
            mine = {at: kept for (owner, at), kept in self._kept.items() if owner == name}
        head = log.head().position
        if not mine:
            return head
        looked, last = min(kept.looked for kept in mine.values()), max(mine)
        is_same = last <= head and _digest_at(log, last) == mine[last].digest  # and so is all that stands before it
        if not is_same or any(stored.kind == "erasure" for stored in log.read(looked + 1, head + 1)):
            self._forget(name)
        for kept in mine.values():
            kept.looked = head
        return head


def _digest_at(log: Log, position: int) -> bytes:
    return next((stored.digest for stored in log.read(position, position + 1)), EMPTY.digest)


def _milestones(positions: list[int]) -> Iterator[int]:
    """A few of the positions, evenly spread."""
    ordered = sorted(set(positions))
    every = max(len(ordered) // MILESTONES, 1)
    yield from ordered[::every]
