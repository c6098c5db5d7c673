"""Runs code that we did not write: the port, the engines, and compute over a project.

Comes in: constraints and queries as text, and a project to load. Goes out: values, printed text and errors, decoded as
hostile input. Both engines pass `uac.testing.SandboxContract`.

monty    Monty, an interpreter in Rust: every platform, a new session in a millisecond, a large part of Python
process  CPython confined by the Linux kernel: all of Python, native speed on large states
auto     Monty, and CPython for the code that Monty is known not to run
"""

from uac.sandbox.engines import available_engines, open_sandbox, shared_sandbox
from uac.sandbox.missing import MissingSandbox
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
    "available_engines",
    "open_sandbox",
    "shared_sandbox",
]

available = available_engines  # its former name
