"""Moved to `uac.interfaces.inspector`."""

from uac.interfaces.inspector import *  # noqa: F403
from uac.interfaces.inspector import __all__  # noqa: F401
