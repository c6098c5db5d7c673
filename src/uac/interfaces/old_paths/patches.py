"""Moved to `uac.schema.patches`."""

from uac.schema.patches import *  # noqa: F403
from uac.schema.patches import __all__  # noqa: F401
