"""The port to where foreign code runs: a separate process with no files, no network, no clock but the one given.

`uac.testing.SandboxContract` states what every sandbox must do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Protocol, TypeAlias

from uac.schema.diagnostics import Diagnostic

__all__ = ["Instance", "Limits", "Outcome", "Sandbox", "Session", "Value"]


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a dataclass of the foreign code, as data."""

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
"""What may pass between host and sandbox. Everything that comes back is checked to be this and nothing else."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take. Each limit is enforced; the last resort is killing the process."""

    seconds: float = 5.0
    memory_mb: int = 512
    output_chars: int = 100_000
    depth: int = 500
    result_items: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: the value of its last expression (else None), what it printed, how long it took."""

    value: Value
    printed: str
    seconds: float


class Session(Protocol):
    """One user's interpreter. Names defined by one run are there in the next, until close()."""

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> Outcome:
        """Run the code with `inputs` as global names; CodeError, LimitError or SandboxError if there is no result.

        After a LimitError or SandboxError the session is over: `alive` is False and its state is gone.
        """

    @property
    def alive(self) -> bool: ...

    def snapshot(self) -> bytes | None:
        """The session's state, signed, for Sandbox.restore; None where the engine cannot."""

    def close(self) -> None: ...


class Sandbox(Protocol):
    """An engine that runs foreign code."""

    @property
    def name(self) -> str: ...

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> Session:
        """A fresh interpreter whose clock stands still at `now` and whose randomness is seeded."""

    def restore(self, snapshot: bytes, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> Session:
        """A session as it was; SandboxError for bytes that this installation did not sign."""

    def unsupported(self, code: str) -> str | None:
        """The first construct of the code that this engine is known not to run; None if there is none."""

    def type_errors(self, code: str, stubs: str) -> tuple[tuple[int, str], ...]:
        """What a type checker says of the code: lines and messages. `stubs` are the names it finds there."""

    def findings(self) -> tuple[Diagnostic, ...]: ...

    def close(self) -> None: ...
