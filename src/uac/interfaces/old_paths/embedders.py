"""Moved to `uac.models.embedders`."""

from uac.models.embedders import *  # noqa: F403
from uac.models.embedders import __all__  # noqa: F401
