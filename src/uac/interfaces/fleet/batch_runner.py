"""Runs batches in sessions of the sandbox that are used for many users. No session holds a user's data after a run."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from uac.errors import RunError, SandboxError
from uac.interfaces.fleet.batch_code import BATCH, CALL, BatchPlan
from uac.sandbox import Limits, Sandbox, SandboxSession, Value, available_engines, shared_sandbox
from uac.sandbox.compute import PRELUDE, QUERY_PRELUDE
from uac.sandbox.loading import run_code

__all__ = ["BatchRunner"]

MAX_RUNS = 200
"""Batches in one session; then it is replaced, because an engine may keep something of every run."""
MAX_SESSIONS = 8


class BatchRunner:
    """Runs batches for one process. `engine` is the sandbox for them; by default the one that runs the code."""

    def __init__(self, now: datetime, limits: Limits, engine: str = "auto") -> None:
        self._now = now
        self._limits = limits
        self._engine = engine
        self._sessions: list[_BatchSession] = []

    def run(self, plan: BatchPlan, users: Sequence[list[Value]]) -> list[Value | None]:
        """For the rows of each user what the program returned, in a list of one; None for a user to be run alone.

        A batch that exceeds a limit is run alone user by user: a limit is that of one user, whoever else is asked.
        """
        try:
            session = self._session(plan)
            value = session.run({BATCH: [*users]})
        except RunError:
            self._drop(plan)
            return [None] * len(users)
        if session.runs >= MAX_RUNS:
            self._drop(plan)
        return _batch_results(value, len(users))

    def _session(self, plan: BatchPlan) -> "_BatchSession":
        found = next((each for each in self._sessions if each.plan is plan), None) or next(
            (each for each in self._sessions if each.is_for(plan)), None
        )
        if found is None:
            if len(self._sessions) >= MAX_SESSIONS:
                self._sessions.pop(0).close()
            found = _BatchSession(plan, self._open_session(plan))
            self._sessions.append(found)
        return found

    def _open_session(self, plan: BatchPlan) -> SandboxSession:
        session = self._sandbox_for(plan).session(now=self._now, limits=self._limits)
        try:
            # Code that changes nothing shares the tables; any other gets a copy of one each time that it asks for it.
            session.run(PRELUDE if plan.may_share_tables else QUERY_PRELUDE, {"now": self._now})
            run_code(session, plan.pieces)
            tables: dict[Value, Value] = {name: known.table for name, known in plan.tables.items()}
            if tables:
                session.run("uac_tables.update(tables__0)", {"tables__0": tables})
        except RunError:
            session.close()
            raise
        return session

    def _sandbox_for(self, plan: BatchPlan) -> Sandbox:
        """CPython in a confined process, which takes many rows fastest; elsewhere Monty, if it can run the code."""
        engines = available_engines()
        if not engines:
            raise SandboxError("No sandbox is available here. Run 'uac doctor'.")
        sandbox = shared_sandbox(engines[-1] if self._engine == "auto" else self._engine)
        if missing := next(filter(None, map(sandbox.unsupported, plan.pieces)), None):
            raise SandboxError(f"The sandbox {sandbox.name} does not have {missing}.")  # users are run alone
        return sandbox

    def _drop(self, plan: BatchPlan) -> None:
        for each in [each for each in self._sessions if each.is_for(plan)]:
            self._sessions.remove(each)
            each.close()

    def close(self) -> None:
        while self._sessions:
            self._sessions.pop().close()


class _BatchSession:
    def __init__(self, plan: BatchPlan, session: SandboxSession) -> None:
        self.plan = plan
        self.runs = 0
        self._session = session

    def is_for(self, plan: BatchPlan) -> bool:
        mine = self.plan
        return (mine.pieces, mine.effect, mine.tables) == (plan.pieces, plan.effect, plan.tables)

    def run(self, inputs: dict[str, Value]) -> Value:
        self.runs += 1
        return self._session.run(CALL, inputs).value

    def close(self) -> None:
        with suppress(RunError):
            self._session.close()


def _batch_results(value: Value, count: int) -> list[Value | None]:
    """The results of a batch, which come from the sandbox and are checked: anything unexpected is run alone."""
    if not isinstance(value, list) or len(value) != count:
        return [None] * count
    return [[row[1]] if isinstance(row, list) and len(row) == 2 and row[0] == 1 else None for row in value]
