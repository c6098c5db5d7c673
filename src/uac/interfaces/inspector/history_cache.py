"""The project at earlier positions, folded and rendered once for everyone who steps through the same history."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from uac.errors import StoreError, UacError
from uac.log.log import EMPTY, Log
from uac.memory.snapshots import project_from_snapshot
from uac.project.fold import fold_entries
from uac.project.history import newest_first
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.render import render
from uac.project.snapshot import is_damaged
from uac.schema.entries import Checkpoint, Correction, Entry, Erasure, Retraction

__all__ = ["HistoryCache", "Step", "history_steps"]

PROJECTS = 48  # cached at once; neighbours share most of their content
RENDERED = 16
CHARACTERS = 20_000_000  # of all cached rendered files together
MILESTONES = 8  # projects cached on the way to a position


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the project. `through` is the position of the last alert change it caused."""

    position: int
    through: int
    at: datetime
    entry: Entry


def history_steps(project: Project) -> list[Step]:
    """All changes of types, records and constraints that led to the project, oldest first."""
    steps: list[Step] = []
    low = high = 0
    for position, at, entry in newest_first(project.history):
        if isinstance(entry, Checkpoint | Correction | Retraction | Erasure):
            steps.append(Step(position, high if low == position + 1 else position, at, entry))
        else:  # appended with it: alerts, and the cost of a model's call
            low, high = position, high if low == position + 1 else position
    return steps[::-1]


@dataclass(slots=True)
class _CachedProject:
    """A project folded from a log, and the position up to which the log was checked for erasures."""

    digest: bytes
    checked_through: int
    project: Project
    files: Mapping[str, str] | None = None


class HistoryCache:
    """A small cache. It never returns text that has been erased from the log."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._projects: OrderedDict[tuple[str, int], _CachedProject] = OrderedDict()

    def project_at(self, name: str, log: Log, position: int, next_positions: Iterable[int] = ()) -> Project:
        """The project at a position, of the user stored as `name`.

        `next_positions` are likely to be requested next: some of them are cached on the way, so that the next step
        folds only the entries in between.
        """
        head = self._drop_stale_projects(name, log)
        with self._lock:
            behind = [at for owner, at in self._projects if owner == name and at <= position]
            base = self._projects[name, max(behind)].project if behind else EMPTY_PROJECT
        if is_damaged(base):  # a row of its snapshot could not be read
            self._drop_user(name)
            with suppress(StoreError):
                log.drop_snapshot()
            base = EMPTY_PROJECT
        if not base.position and (stored := project_from_snapshot(log.as_of(position))) is not None:
            base = stored
            self._store_project(name, base, head)
        stops = [*_positions_to_cache([at for at in next_positions if base.position < at < position]), position]
        for first, last in pairwise([base.position, *stops]):
            if first < last:
                base = fold_entries(log.read(first + 1, last + 1), base)
                self._store_project(name, base, head)
        self._mark_recently_used(name, position)
        self._drop_stale_projects(name, log)  # text may have been erased while this was folded
        return base

    def project_files(self, name: str, project: Project) -> Mapping[str, str]:
        """The rendered files of one of the user's projects."""
        with self._lock:
            cached = self._projects.get((name, project.position))
            if cached is not None and cached.files is not None and cached.digest == project.digest:
                return cached.files
        files = render(project)
        self._store_project(name, project, project.position, files)
        return files

    def drop_erased(self, name: str, log: Log) -> None:
        """Called after a write: if text was erased, drop its projects now and not at the next request."""
        if not self.cached_positions(name):
            return
        try:
            self._drop_stale_projects(name, log)
        except UacError:  # if the log cannot be checked, nothing stays cached
            self._drop_user(name)

    def cached_positions(self, name: str) -> tuple[int, ...]:
        """The positions of the user with a cached project."""
        with self._lock:
            return tuple(sorted(at for owner, at in self._projects if owner == name))

    def _drop_user(self, name: str) -> None:
        with self._lock:
            for key in [key for key in self._projects if key[0] == name]:
                del self._projects[key]

    def _store_project(
        self, name: str, project: Project, checked_through: int, files: Mapping[str, str] | None = None
    ) -> None:
        key = (name, project.position)
        with self._lock:
            known = self._projects.get(key)
            if known is not None and known.digest == project.digest:
                known.files = files or known.files
            elif project.position:
                self._projects[key] = _CachedProject(project.digest, checked_through, project, files)
            self._evict_oldest()

    def _mark_recently_used(self, name: str, position: int) -> None:
        with self._lock:
            if (name, position) in self._projects:
                self._projects.move_to_end((name, position))

    def _evict_oldest(self) -> None:
        while len(self._projects) > PROJECTS:
            self._projects.popitem(last=False)
        room = CHARACTERS
        for place, cached in enumerate(
            cached for cached in reversed(self._projects.values()) if cached.files is not None
        ):
            room -= sum(map(len, (cached.files or {}).values()))
            if place >= RENDERED or (place and room < 0):
                cached.files = None

    def _drop_stale_projects(self, name: str, log: Log) -> int:
        """Drop the user's projects if text was erased, or the user was erased and recreated. Returns the log's end."""
        with self._lock:
            mine = {at: cached for (owner, at), cached in self._projects.items() if owner == name}
        head = log.head().position
        if not mine:
            return head
        checked_through, last = min(cached.checked_through for cached in mine.values()), max(mine)
        # The digest covers all earlier entries.
        is_same = last <= head and _cache_digest_at(log, last) == mine[last].digest
        if not is_same or any(stored.kind == "erasure" for stored in log.read(checked_through + 1, head + 1)):
            self._drop_user(name)
        for cached in mine.values():
            cached.checked_through = head
        return head


def _cache_digest_at(log: Log, position: int) -> bytes:
    return next((stored.digest for stored in log.read(position, position + 1)), EMPTY.digest)


def _positions_to_cache(positions: list[int]) -> Iterator[int]:
    """A few of the positions, evenly spaced."""
    ordered = sorted(set(positions))
    every = max(len(ordered) // MILESTONES, 1)
    yield from ordered[::every]
