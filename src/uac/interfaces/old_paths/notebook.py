"""Moved to `uac.display.notebook`."""

from uac.display.notebook import *  # noqa: F403
from uac.display.notebook import __all__  # noqa: F401
