"""Moved to `uac.log.store`."""

from uac.log.store import *  # noqa: F403
from uac.log.store import __all__  # noqa: F401
