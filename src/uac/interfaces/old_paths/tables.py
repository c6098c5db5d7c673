"""Moved to `uac.display.tables`."""

from uac.display.tables import *  # noqa: F403
from uac.display.tables import __all__  # noqa: F401
