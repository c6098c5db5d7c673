"""Moved to `uac.interfaces.client`."""

from uac.interfaces.client import *  # noqa: F403
from uac.interfaces.client import __all__  # noqa: F401
