"""Placeholder if no sandbox is available: it runs nothing and says why, so that memory still stores text."""

from datetime import datetime
from typing import NoReturn

from uac.errors import SandboxError
from uac.sandbox.port import Limits
from uac.schema.diagnostics import Diagnostic

__all__ = ["MissingSandbox"]


class MissingSandbox:
    """A sandbox that refuses every run, with the reason."""

    name = "none"

    def __init__(self, why: str) -> None:
        self._why = why

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> NoReturn:  # noqa: ARG002 - the port's
        raise SandboxError(self._why)

    def restore(self, snapshot: bytes, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> NoReturn:  # noqa: ARG002 - the port's
        raise SandboxError(self._why)

    def unsupported(self, code: str) -> str | None:  # noqa: ARG002 - the port's
        return self._why

    def type_errors(self, code: str, stubs: str) -> NoReturn:  # noqa: ARG002 - the port's
        raise SandboxError(self._why)

    def findings(self) -> tuple[Diagnostic, ...]:
        return (Diagnostic("problem", self._why),)

    def close(self) -> None:
        pass
