"""The project on other clocks than the present: what was true, told or known then."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from threading import Lock
from typing import TypeAlias

from uac.errors import StoreError
from uac.log.log import Log, Prefix
from uac.memory.snapshots import fold_log, keep_past_project
from uac.project.clocks import Clocks
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.snapshot import is_damaged
from uac.project.told_fold import fold_told

__all__ = ["PastProjects"]

MAX_PAST_PROJECTS = 16

_Key: TypeAlias = tuple[Clocks, date | None]
"""The clocks, and without a valid day the one on which the project is looked at; None: as it was folded."""


class PastProjects:
    """Folds the project for other clocks, and keeps the last few of one state of the log."""

    def __init__(self) -> None:
        self._projects: OrderedDict[_Key, Project] = OrderedDict()
        self._digest = b""
        self._lock = Lock()

    def at(self, clocks: Clocks, log: Log, present: Project, *, today: date) -> Project:
        """The project on these clocks; `present` is that at the end of the log.

        Each clock on top of the one before it: known, then told, then valid. Without a valid day, it is the state at
        the end of that time, or of today: what is over by its own last day is former.
        """
        self._drop_damaged(log)
        if clocks.valid is not None:
            return self._kept(
                (clocks, None), present, lambda: self._folded(clocks, log, present).at(valid=clocks.valid or today)
            )
        folded = self._folded(clocks, log, present)
        day = min(clocks.told or today, _known_day(clocks, log) or today, today)
        return self._kept((clocks, day), present, lambda: folded.with_own_ends(day))

    def _folded(self, clocks: Clocks, log: Log, present: Project) -> Project:
        """What was told and known on these clocks, on whichever day it was true."""
        if clocks.told is not None:
            told, known = clocks.told, Clocks(known=clocks.known)
            fold = lambda: fold_told(self._folded(known, log, present), told)  # noqa: E731
            return self._kept((Clocks(told=told, known=clocks.known), None), present, fold)
        if (then := clocks.known) is not None:
            return self._kept((Clocks(known=then), None), present, lambda: self._fold_past(log, then, present))
        return present

    def _fold_past(self, log: Log, then: int | datetime, present: Project) -> Project:
        """The project as of then. If that took long, a snapshot of it is stored for the next process that asks."""
        end, past = log.head().position, log.as_of(then)
        project = fold_log(past, self._nearest(past, present))
        keep_past_project(log, project, read_until=end)
        return project

    def _drop_damaged(self, log: Log) -> None:
        """Whoever met a row that could not be read was promised that the log is folded the next time."""
        with self._lock:
            if not any(map(is_damaged, self._projects.values())):
                return
            self._projects.clear()
        with suppress(StoreError):
            log.drop_snapshot()

    def _nearest(self, past: Prefix, present: Project) -> Project:
        """The latest project that was folded for an earlier time; an empty one if there is none."""
        with self._lock:
            folded = [each for key, each in self._projects.items() if key == (Clocks(known=key[0].known), None)]
            same = folded if self._digest == present.digest else []
        end = past.head().position
        return max((each for each in same if each.position <= end), key=_position, default=EMPTY_PROJECT)

    def _kept(self, key: _Key, present: Project, make: Callable[[], Project]) -> Project:
        with self._lock:
            if self._digest != present.digest:
                self._projects.clear()
                self._digest = present.digest
            if key in self._projects:
                self._projects.move_to_end(key)
                return self._projects[key]
        project = make()
        with self._lock:
            if self._digest == present.digest:
                self._projects[key] = project
                while len(self._projects) > MAX_PAST_PROJECTS:
                    self._projects.popitem(last=False)
        return project


def _position(project: Project) -> int:
    return project.position


def _known_day(clocks: Clocks, log: Log) -> date | None:
    """The day of the last entry that was known; None for the present, and before the first entry."""
    if clocks.known is None:
        return None
    if isinstance(clocks.known, datetime):
        return clocks.known.date()
    at = log.as_of(clocks.known).head().at
    return date.fromisoformat(at[:10]) if at else None
