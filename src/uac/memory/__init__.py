"""One user's memory: the facade that programs use, and the one way in which everything is written.

Comes in: observations, replies of models, records and corrections. Goes out: what the caller asked for, after the
change and its alerts were appended together. `Background` learns in a thread.
"""

from uac.memory.background import Background
from uac.memory.memory import Memory

__all__ = ["Background", "Memory"]
