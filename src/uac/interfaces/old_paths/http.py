"""Moved to `uac.interfaces.http`."""

from uac.interfaces.http import *  # noqa: F403
from uac.interfaces.http import __all__  # noqa: F401
