"""Moved to `uac.project.export`."""

from uac.project.export import *  # noqa: F403
from uac.project.export import __all__  # noqa: F401
