"""Moved to `uac.memory.background`."""

from uac.memory.background import *  # noqa: F403
from uac.memory.background import __all__  # noqa: F401
