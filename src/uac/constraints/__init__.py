"""Decides which patches a project accepts, and runs, proves and explains constraints.

Comes in: a project, patches or new entries, and a sandbox. Goes out: accepted patches with what packs contribute,
reasons for refusal, and the alert changes that the new state of the project causes.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac.constraints.runner import due_constraints
    from uac.constraints.trace import Why

__all__ = ["Why", "due_constraints"]


def __getattr__(name: str) -> object:
    """Imported on first use: most writes trace nothing."""
    if name == "Why":
        from uac.constraints.trace import Why

        return Why
    if name == "due_constraints":
        from uac.constraints.runner import due_constraints

        return due_constraints
    raise AttributeError(f"module 'uac.constraints' has no attribute {name!r}")
