"""The engines of this installation: opens one by name, or the one that the process shares."""

import atexit
import os
from functools import cache

from uac.errors import SandboxError
from uac.sandbox.auto import AutoSandbox
from uac.sandbox.linux.child_command import can_confine_child
from uac.sandbox.port import Sandbox

__all__ = ["available_engines", "open_sandbox", "shared_sandbox"]


def open_sandbox(name: str = "auto") -> Sandbox:
    """The sandbox of that name, ready to use; SandboxError if it is not available_engines here."""
    match name:
        case "monty":
            return _open_monty()
        case "process":
            return _open_process()
        case "auto" if "monty" in available_engines():
            return AutoSandbox(_open_monty(), _open_process)
        case "auto":
            return _open_process()
    raise SandboxError(f"No sandbox {name!r}. Use one of auto, {', '.join(available_engines())}.")


def _open_monty() -> Sandbox:
    from uac.sandbox.monty import MontySandbox  # an engine is imported when it is opened

    return MontySandbox()


def _open_process() -> Sandbox:
    from uac.sandbox.linux.process_sandbox import ProcessSandbox

    return ProcessSandbox()


def shared_sandbox(name: str = "auto") -> Sandbox:
    """One sandbox for the whole process, opened on first use and closed at exit."""
    return _shared_engine(name, os.getpid())


@cache
def _shared_engine(name: str, owner: int) -> Sandbox:
    """One per process: two processes that share a worker after a fork would read each other's answers."""
    sandbox = open_sandbox(name)
    atexit.register(lambda: sandbox.close() if os.getpid() == owner else None)
    return sandbox


def available_engines() -> tuple[str, ...]:
    """The engines of this installation. Opening one may still fail; `uac doctor` says why."""
    engines = []
    try:
        import pydantic_monty  # noqa: F401 - checks that it is installed
    except ImportError:
        pass
    else:
        engines.append("monty")
    if can_confine_child():
        engines.append("process")
    return tuple(engines)
