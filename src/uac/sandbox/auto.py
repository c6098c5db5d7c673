"""The default choice: Monty, and CPython for code that Monty is known not to run."""

import threading
from collections.abc import Callable, Mapping
from datetime import datetime

from uac.errors import CodeError, RunError, SandboxError
from uac.sandbox.port import Limits, RunOutcome, Sandbox, SandboxSession, Value
from uac.schema.diagnostics import Diagnostic

__all__ = ["AutoSandbox", "sandbox_for_many_records"]


class AutoSandbox:
    """Runs code in `first`; code that needs features it lacks goes to `second`, which is opened on demand."""

    name = "auto"

    def __init__(self, first: Sandbox, second: Callable[[], Sandbox]) -> None:
        self._first = first
        self._open_second = second
        self._second: Sandbox | None = None
        self._lock = threading.Lock()

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        def other() -> SandboxSession:
            return self._second_sandbox().session(now=now, seed=seed, limits=limits)

        return _AutoSession(self._first, self._first.session(now=now, seed=seed, limits=limits), other)

    def restore(self, snapshot: bytes, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        """A restored session cannot move to the other engine: its earlier runs are not in the snapshot."""
        return self._first.restore(snapshot, now=now, seed=seed, limits=limits)

    def _second_sandbox(self) -> Sandbox:
        with self._lock:
            if self._second is None:
                self._second = self._open_second()
            return self._second

    def for_many_records(self) -> Sandbox:
        """The second engine, which loads and reads records several times as fast; without one, this sandbox."""
        try:
            return self._second_sandbox()
        except SandboxError:
            return self

    @property
    def engine_version(self) -> str:
        """The version of the first engine; empty if it has none."""
        return str(getattr(self._first, "engine_version", ""))

    def unsupported(self, code: str) -> str | None:
        what = self._first.unsupported(code)
        if what is None:
            return None
        try:
            return self._second_sandbox().unsupported(code)
        except SandboxError:
            return what

    def type_errors(self, code: str, stubs: str) -> tuple[tuple[int, str], ...]:
        return self._first.type_errors(code, stubs)

    def findings(self) -> tuple[Diagnostic, ...]:
        try:
            return (*self._first.findings(), *self._second_sandbox().findings())
        except SandboxError as error:
            return (*self._first.findings(), Diagnostic("note", str(error), "code that Monty cannot run is refused"))

    def close(self) -> None:
        self._first.close()
        if self._second is not None:
            self._second.close()


def sandbox_for_many_records(sandbox: Sandbox) -> Sandbox:
    """The engine for code that reads many records; any sandbox but the default choice has just one."""
    return sandbox.for_many_records() if isinstance(sandbox, AutoSandbox) else sandbox


class _AutoSession:
    """Starts in the first engine. The first code that needs the second moves the session there permanently.

    The state moves by repeating all earlier runs with their inputs, in order, failures included. Runs depend only on
    their inputs, the clock and the seed, so they do the same again. This costs their time once, and the session keeps
    references to their inputs, which must not be changed while it lives.
    """

    def __init__(self, first: Sandbox, session: SandboxSession, other: Callable[[], SandboxSession]) -> None:
        self._first = first
        self._session = session
        self._second_sandbox = other
        self._moved = False
        self._runs: list[tuple[str, Mapping[str, Value]]] = []

    @property
    def alive(self) -> bool:
        return self._session.alive

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> RunOutcome:
        given = dict(inputs or {})
        if self._moved:
            return self._session.run(code, given)
        missing = self._first.unsupported(code) if self._session.alive else None
        if missing is None:
            try:
                outcome = self._session.run(code, given)
            except CodeError as error:
                if error.kind != "NotImplementedError":
                    self._runs.append((code, given))
                    raise
                lacking = error
            else:
                self._runs.append((code, given))
                return outcome
        else:
            lacking = CodeError(
                "NotImplementedError",
                f"The sandbox {self._first.name} does not have {missing}. Write the code without it.",
            )
        self._move_to_second(lacking)
        return self._session.run(code, given)

    def _move_to_second(self, lacking: CodeError) -> None:
        try:
            other = self._second_sandbox()
        except SandboxError:
            raise lacking from None
        self._session.close()
        self._session, self._moved = other, True
        for code, inputs in self._runs:
            try:
                other.run(code, inputs)
            except CodeError:
                continue  # it failed the first time too, and may have set names before that
            except RunError as error:  # the other engine may hit a limit
                other.close()
                raise SandboxError(f"The session cannot be moved to another engine: {error}") from None
        self._runs.clear()

    def snapshot(self) -> bytes | None:
        return self._session.snapshot()

    def close(self) -> None:
        self._session.close()
