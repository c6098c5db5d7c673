"""Where foreign code runs. Two engines that pass `uac.testing.SandboxContract`, and a choice between them.

monty    Monty, an interpreter in Rust: every platform, a new session in a millisecond, a large part of Python
process  CPython confined by the Linux kernel: all of Python, native speed on large states
auto     Monty, and CPython for the code that Monty is known not to run
"""

import atexit
import os
from functools import cache

from uac.errors import SandboxError
from uac.sandbox.auto import AutoSandbox
from uac.sandbox.linux import start
from uac.sandbox.linux.parent import ProcessSandbox
from uac.sandbox.missing import MissingSandbox
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import Instance, Limits, Outcome, Sandbox, Session, Value

__all__ = [
    "Instance",
    "Limits",
    "MissingSandbox",
    "Outcome",
    "Sandbox",
    "Session",
    "Value",
    "available",
    "open_sandbox",
    "shared_sandbox",
]


def open_sandbox(name: str = "auto") -> Sandbox:
    """The sandbox of that name, ready; SandboxError if it cannot be had here."""
    match name:
        case "monty":
            return MontySandbox()
        case "process":
            return ProcessSandbox()
        case "auto" if "monty" in available():
            return AutoSandbox(MontySandbox(), ProcessSandbox)
        case "auto":
            return ProcessSandbox()
    raise SandboxError(f"there is no sandbox {name!r}; there are auto, {', '.join(available())}")


def shared_sandbox(name: str = "auto") -> Sandbox:
    """One sandbox for the whole process, opened when it is first needed and closed at the end."""
    return _shared(name, os.getpid())


@cache
def _shared(name: str, owner: int) -> Sandbox:
    """One for each process: two that share a worker after a fork would read each other's answers."""
    sandbox = open_sandbox(name)
    atexit.register(lambda: sandbox.close() if os.getpid() == owner else None)
    return sandbox


def available() -> tuple[str, ...]:
    """The engines that this installation has. Opening one may still fail; `uac doctor` tells why."""
    engines = []
    try:
        import pydantic_monty  # noqa: F401 - whether it is there
    except ImportError:
        pass
    else:
        engines.append("monty")
    if start.can_confine():
        engines.append("process")
    return tuple(engines)
