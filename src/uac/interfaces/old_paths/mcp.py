"""Moved to `uac.interfaces.mcp`."""

from uac.interfaces.mcp import *  # noqa: F403
from uac.interfaces.mcp import __all__  # noqa: F401
