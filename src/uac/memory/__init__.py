"""One user's memory: the facade that programs use, and the one way in which everything is written.

Comes in: observations, replies of models, records and corrections. Goes out: what the caller asked for, after the
change and its alerts were appended together. `Background` learns in a thread.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac.memory.background import Background
    from uac.memory.memory import Memory

__all__ = ["Background", "Memory"]


def __getattr__(name: str) -> object:
    """Imported on first use: storing an observation needs neither."""
    if name == "Background":
        from uac.memory.background import Background

        return Background
    if name == "Memory":
        from uac.memory.memory import Memory

        return Memory
    raise AttributeError(f"module 'uac.memory' has no attribute {name!r}")
