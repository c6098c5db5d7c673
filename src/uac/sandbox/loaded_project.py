"""A project loaded into one session, with the records of just the types that code has asked for."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from uac.errors import LimitError, RunError, SandboxError
from uac.project.project import Project
from uac.project.runtime import source
from uac.sandbox.loading import (
    LoadedType,
    load_domains,
    load_names,
    load_types,
    loaded_counts,
    reload_plan,
    send_records,
)
from uac.sandbox.port import Limits, Sandbox, SandboxSession

__all__ = ["PRELUDE", "QUERY_PRELUDE", "LoadedProject"]

MAX_RUNS = 500  # then the session is replaced, because an engine may keep something of every run
PRELUDE = "".join(
    [
        source("prelude.py"),
        *(source(name).partition("# --- below: what is loaded\n")[2] for name in ("rule_runner.py", "past.py")),
    ]
)
"""What a session contains before the user's types: the names for code, and the runner of constraints."""

QUERY_PRELUDE = f"{PRELUDE}\nknowledge = uac_knowledge"
"""The same for queries."""

_OTHERS: list[SandboxSession] = []
"""Sessions inherited from the parent by a fork: kept alive, because releasing one would end it in the parent."""


class LoadedProject:
    """A session that holds one user's project. Only changes are sent, and no state is ever stale.

    Code gets copies of tables, unless it is `trusted`: reviewed by a person.
    """

    def __init__(self, sandbox: Callable[[], Sandbox], limits: Limits, *, trusted: bool) -> None:
        self._open_sandbox = sandbox
        self._limits = limits
        self._trusted = trusted
        self._owner = os.getpid()
        self._session: SandboxSession | None = None
        self._runs = 0
        self._was_new = True  # whether the last run was the first of its session
        self._snapshot: bytes | None = None
        self._loaded: Project | None = None
        self._now: datetime | None = None
        self._clock: datetime | None = None
        self._types: dict[str, LoadedType] = {}

    @property
    def session(self) -> SandboxSession | None:
        """The open session, if there is one."""
        return self._session

    def ready(
        self,
        project: Project,
        now: datetime,
        types: Collection[str],
        *,
        asks_clock: bool = False,
        names: Mapping[str, frozenset[str]] | None = None,
    ) -> SandboxSession:
        """A session with exactly this project at this time, as far as these types go.

        Its clock is set once; the name `now` can be updated. Objects of a type in `names` have at least these
        attributes, those of others all.
        """
        if self._snapshot is not None and self._clock is not None:
            self._session = self._open_sandbox().restore(self._snapshot, now=self._clock, limits=self._limits)
            self._snapshot = None
        is_current = self._session is not None and (self._clock == now or not asks_clock)
        if self._session is None or not is_current or not self._try_update(self._session, project, now):
            self.drop()
            self._session = self.open(project, now)
            self._loaded, self._now, self._clock = project, now, now
            self._types = {}
        try:
            self._load_lacking(self._session, project, types, names or {})
        except RunError:
            self.drop()
            raise
        return self._session

    def _load_lacking(
        self, session: SandboxSession, project: Project, types: Collection[str], names: Mapping[str, frozenset[str]]
    ) -> None:
        """Load the types that are not loaded, and the attributes that loaded objects lack."""
        new = {*types} - self._types.keys()
        for name in sorted({*types} - new):
            if (loaded := self._types[name]).lacks(names.get(name)):
                self._types[name] = load_names(session, project, project.types[name], loaded, names.get(name))
        bare = names if getattr(self._open_sandbox(), "has_bare_objects", False) else {}
        self._types |= load_types(session, project, new, bare)

    def has_all_names(self, types: Collection[str]) -> bool:
        """Whether the loaded objects of these types have all of their attributes."""
        return all(self._types[name].names is None for name in types)

    def open(self, project: Project, now: datetime) -> SandboxSession:
        """A new session with the project's types and without records."""
        session = self._open_sandbox().session(now=now, limits=self._limits)
        try:
            session.run(PRELUDE if self._trusted else QUERY_PRELUDE, {"now": now})
            load_domains(session, project)
        except RunError:
            session.close()
            raise
        return session

    def done(self) -> None:
        """Count a run; drop the session if it has run too often or is over."""
        self._runs += 1
        self._was_new = self._runs == 1
        if self._session is not None and (not self._session.alive or self._runs >= MAX_RUNS):
            self.drop()

    def may_have_spoiled(self, error: RunError) -> bool:
        """Whether the last run may have failed because of earlier runs in its session, so that a retry may help.

        Garbage may fill the memory, or a move to the other engine may fail. The retry gets a new session.
        """
        is_theirs = isinstance(error, SandboxError) or (isinstance(error, LimitError) and error.limit == "memory")
        if self._was_new or not is_theirs:
            return False
        self.drop()
        return True

    def follow(self, expected: Project, project: Project) -> None:
        """Treat the loaded project `expected` as `project`, which has the same values."""
        if self._loaded is expected:
            self._loaded = project

    @contextmanager
    def stand_ins(self, project: Project, changed: Project, records: Collection[str]) -> Iterator[None]:
        """For a while, the loaded objects of these records have their values in `changed` instead of in `project`."""
        session = self._session
        assert session is not None
        assert self._loaded is project
        try:
            send_records(session, changed, records, self._types)
            yield
            if self._session is session:
                send_records(session, project, records, self._types)
        except BaseException:
            self.drop()  # nobody else may see them
            raise

    def park(self) -> None:
        """Release the process and keep the loaded state as a signed snapshot, if the engine has snapshots."""
        if self._session is not None:
            self._snapshot = self._session.snapshot()
            self._session.close()
            self._session = None

    def drop(self) -> None:
        """Drop the session; the next run loads the project again."""
        if self._session is not None:
            self._session.close()
        self._session = self._loaded = self._snapshot = None
        self._runs = 0

    def __del__(self) -> None:
        # A session is a process. It is released by the process that opened it.
        if self._owner == os.getpid():
            self.drop()
        elif self._session is not None:
            _OTHERS.append(self._session)

    def _try_update(self, session: SandboxSession, project: Project, now: datetime) -> bool:
        """Bring the session up to date; False if the project must be loaded again."""
        if self._loaded is None:
            return False
        try:
            if self._loaded is not project and not self._send_changes(session, self._loaded, project):
                return False
            if self._now != now:
                session.run("now = now__0", {"now__0": now})
        except RunError:
            return False
        self._loaded, self._now = project, now
        return True

    def _send_changes(self, session: SandboxSession, before: Project, project: Project) -> bool:
        plan = reload_plan(before, project, self._types)
        if plan is None:
            return False
        self._types |= load_types(session, project, plan.types, {name: self._types[name].names for name in plan.types})
        send_records(session, project, plan.records, self._types)
        return True

    def counts(self, project: Project) -> dict[str, int]:
        """The number of records in each loaded collection."""
        return loaded_counts(project, self._types)
