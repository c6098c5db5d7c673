"""Moved to `uac.models.model`."""

from uac.models.model import *  # noqa: F403
from uac.models.model import __all__  # noqa: F401
