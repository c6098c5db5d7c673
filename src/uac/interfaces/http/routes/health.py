"""Whether the service is alive and ready. Anybody may ask; nothing of users is in the answers."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from uac import __version__
from uac.errors import UacError
from uac.interfaces.http.auth import Known
from uac.log.store import Store
from uac.project.project import EMPTY_PROJECT
from uac.sandbox import shared_sandbox
from uac.sandbox.compute import Computer

__all__ = ["Readiness", "readiness_checks", "router"]

router = APIRouter(tags=["service"])

FRESH = 5.0
"""Seconds for which a result is cached, so that frequent requests by strangers cost nothing."""


class Alive(BaseModel):
    """The process answers."""

    status: Literal["alive"] = "alive"


class Ready(BaseModel):
    """All parts work."""

    status: Literal["ready"] = "ready"


class Version(BaseModel):
    """The version of the service."""

    version: str = Field(description="The version of the package.", examples=["0.1.0"])
    api: Literal["v1"] = Field(default="v1", description="The version of the routes.")


@router.get("/healthz")
async def healthz() -> Alive:
    """Whether the process answers at all; if it does not, restart it."""
    return Alive()


@router.get("/readyz")
def readyz(request: Request) -> Ready:
    """Whether requests can be served: the store answers and the sandbox starts. 503 names the part that does not."""
    readiness: Readiness = request.app.state.readiness
    if broken := readiness.failing_checks():
        raise HTTPException(503, f"not ready: {', '.join(broken)}", {"Retry-After": "5"})
    return Ready()


@router.get("/v1/version")
async def version(_caller: Known) -> Version:
    """Which version of the service this is."""
    return Version(version=__version__)


class Readiness:
    """Tries the parts that requests need, one caller at a time."""

    def __init__(self, parts: Mapping[str, Callable[[], object]], clock: Callable[[], float] = time.monotonic) -> None:
        self._parts = parts
        self._clock = clock
        self._lock = threading.Lock()
        self._found: tuple[str, ...] = ()
        self._until = float("-inf")

    def failing_checks(self) -> tuple[str, ...]:
        """The parts that do not work, each with the kind of its error; the message might reveal too much."""
        with self._lock:
            if self._clock() >= self._until:
                self._found = tuple(
                    f"{name} ({kind})" for name, part in self._parts.items() if (kind := _readiness_error(part))
                )
                self._until = self._clock() + FRESH
            return self._found


def _readiness_error(part: Callable[[], object]) -> str:
    try:
        part()
    except UacError as error:
        return type(error).__name__
    return ""


def readiness_checks(store: Store) -> Mapping[str, Callable[[], object]]:
    return {"store": lambda: store.own().head(), "sandbox": _check_sandbox_readiness}


def _check_sandbox_readiness() -> None:
    computer = Computer(shared_sandbox())
    try:
        computer.run(EMPTY_PROJECT, "1 + 1")
    finally:
        computer.close()
