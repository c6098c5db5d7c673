"""The project on other clocks than the present: what was true, told or known then."""

from collections import OrderedDict
from threading import Lock

from uac.log.log import Log
from uac.project.clocks import Clocks
from uac.project.fold import fold_entries
from uac.project.project import Project
from uac.project.told_fold import fold_told

__all__ = ["PastProjects"]

MAX_PAST_PROJECTS = 8


class PastProjects:
    """Folds the project for other clocks, and keeps the last few of one state of the log."""

    def __init__(self) -> None:
        self._projects: OrderedDict[Clocks, Project] = OrderedDict()
        self._digest = b""
        self._lock = Lock()

    def at(self, clocks: Clocks, log: Log, present: Project) -> Project:
        """The project on these clocks; `present` is that at the end of the log."""
        if clocks.is_present:
            return present
        with self._lock:
            if self._digest != present.digest:
                self._projects.clear()
                self._digest = present.digest
            if clocks in self._projects:
                self._projects.move_to_end(clocks)
                return self._projects[clocks]
        project = self._fold_at(clocks, log, present)
        with self._lock:
            if self._digest == present.digest:
                self._projects[clocks] = project
                while len(self._projects) > MAX_PAST_PROJECTS:
                    self._projects.popitem(last=False)
        return project

    def _fold_at(self, clocks: Clocks, log: Log, present: Project) -> Project:
        """Each clock on top of the one before it: known, then told, then valid."""
        if clocks.valid is not None:
            return self.at(Clocks(told=clocks.told, known=clocks.known), log, present).at(valid=clocks.valid)
        if clocks.told is not None:
            return fold_told(self.at(Clocks(known=clocks.known), log, present), clocks.told)
        assert clocks.known is not None
        return fold_entries(log.as_of(clocks.known).read())
