"""Moved to `uac.log.stores`."""

from uac.log.stores import *  # noqa: F403
from uac.log.stores import __all__  # noqa: F401
