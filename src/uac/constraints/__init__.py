"""Decides which patches a project accepts, and runs, proves and explains constraints.

Comes in: a project, patches or new entries, and a sandbox. Goes out: accepted patches with what packs contribute,
reasons for refusal, and the alert changes that the new state of the project causes.
"""

from uac.constraints.runner import due_constraints
from uac.constraints.trace import Why

__all__ = ["Why", "due_constraints"]
