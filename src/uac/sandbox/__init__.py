"""Runs code that we did not write: the port, the engines, and compute over a project.

Comes in: constraints and queries as text, and a project to load. Goes out: values, printed text and errors, decoded as
hostile input. Both engines pass `uac.testing.SandboxContract`.

monty    Monty, an interpreter in Rust: every platform, a new session in a millisecond, a large part of Python
process  CPython confined by the Linux kernel: all of Python, native speed on large states
auto     Monty, and CPython for the code that Monty is known not to run
"""

import atexit
import os
from functools import cache

from uac.errors import SandboxError
from uac.sandbox.auto import AutoSandbox
from uac.sandbox.linux.child_command import can_confine_child
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.sandbox.missing import MissingSandbox
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import Instance, Limits, RunOutcome, Sandbox, SandboxSession, Value

__all__ = [
    "Instance",
    "Limits",
    "MissingSandbox",
    "RunOutcome",
    "Sandbox",
    "SandboxSession",
    "Value",
    "available",
    "open_sandbox",
    "shared_sandbox",
]


def open_sandbox(name: str = "auto") -> Sandbox:
    """The sandbox of that name, ready to use; SandboxError if it is not available here."""
    match name:
        case "monty":
            return MontySandbox()
        case "process":
            return ProcessSandbox()
        case "auto" if "monty" in available():
            return AutoSandbox(MontySandbox(), ProcessSandbox)
        case "auto":
            return ProcessSandbox()
    raise SandboxError(f"No sandbox {name!r}. Use one of auto, {', '.join(available())}.")


def shared_sandbox(name: str = "auto") -> Sandbox:
    """One sandbox for the whole process, opened on first use and closed at exit."""
    return _shared_in_process(name, os.getpid())


@cache
def _shared_in_process(name: str, owner: int) -> Sandbox:
    """One per process: two processes that share a worker after a fork would read each other's answers."""
    sandbox = open_sandbox(name)
    atexit.register(lambda: sandbox.close() if os.getpid() == owner else None)
    return sandbox


def available() -> tuple[str, ...]:
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
