"""Moved to `uac.sandbox`."""

from uac.sandbox import *  # noqa: F403
from uac.sandbox import __all__  # noqa: F401
