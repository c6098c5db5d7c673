"""Moved to `uac.interfaces.mem0.memory`."""

from uac.interfaces.mem0.memory import *  # noqa: F403
from uac.interfaces.mem0.memory import __all__  # noqa: F401
