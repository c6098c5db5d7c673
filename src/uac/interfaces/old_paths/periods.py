"""Moved to `uac.schema.periods`."""

from uac.schema.periods import *  # noqa: F403
from uac.schema.periods import __all__  # noqa: F401
