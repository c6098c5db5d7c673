"""The port for running foreign code: a separate process with no files, no network and no clock but the given one.

`uac.testing.SandboxContract` states what every sandbox must do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Protocol, TypeAlias

from uac.schema.diagnostics import Diagnostic

__all__ = ["Instance", "Limits", "RunOutcome", "Sandbox", "SandboxSession", "Value"]


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a foreign dataclass, as data."""

    type: str
    fields: "Mapping[str, Value]"


Value: TypeAlias = (
    bool
    | int
    | float
    | str
    | Decimal
    | date
    | datetime
    | time
    | timedelta
    | Instance
    | list["Value"]
    | tuple["Value", ...]
    | dict["Value", "Value"]
    | set["Value"]
    | None
)
"""The values that may pass between host and sandbox. Everything returned is checked to be one of these."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run. Each is enforced; the last resort is killing the process.

    `seconds` counts processor time, where the system reports it, so that a busy machine stops no honest code. A run
    that waits ends after `wall_seconds`: ten times as long, and at least a minute, unless it is given.
    """

    seconds: float = 5.0
    memory_mb: int = 512
    output_chars: int = 100_000
    depth: int = 500
    result_items: int = 1_000_000
    wall_seconds: float | None = None

    @property
    def most_wall_seconds(self) -> float:
        return max(10 * self.seconds, 60.0) if self.wall_seconds is None else self.wall_seconds


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The outcome of a run: the value of its last expression (or None), its output, and its duration."""

    value: Value
    printed: str
    seconds: float


class SandboxSession(Protocol):
    """One user's interpreter. Names defined by one run exist in the next, until close()."""

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> RunOutcome:
        """Run the code with `inputs` as global names; CodeError, LimitError or SandboxError if there is no result.

        After a LimitError or SandboxError the session is over: `alive` is False and its state is gone.
        """

    @property
    def alive(self) -> bool: ...

    def snapshot(self) -> bytes | None:
        """The session's state, signed, for Sandbox.restore; None if the engine has no snapshots."""

    def close(self) -> None: ...


class Sandbox(Protocol):
    """An engine that runs foreign code."""

    @property
    def name(self) -> str: ...

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        """A fresh interpreter with its clock frozen at `now` and its randomness seeded."""

    def restore(self, snapshot: bytes, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        """The session of a snapshot; SandboxError for bytes that this installation did not sign."""

    def unsupported(self, code: str) -> str | None:
        """The first construct in the code that this engine is known to lack; None if there is none."""

    def type_errors(self, code: str, stubs: str) -> tuple[tuple[int, str], ...]:
        """A type checker's findings: lines and messages. `stubs` declares the names that the code may use."""

    def findings(self) -> tuple[Diagnostic, ...]: ...

    def close(self) -> None: ...


# Former names, for sandboxes that were written against them.
Outcome = RunOutcome
Session = SandboxSession
