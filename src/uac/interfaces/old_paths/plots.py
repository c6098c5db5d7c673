"""Moved to `uac.display.plots`."""

from uac.display.plots import *  # noqa: F403
from uac.display.plots import __all__  # noqa: F401
