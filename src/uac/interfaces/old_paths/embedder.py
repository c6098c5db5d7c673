"""Moved to `uac.models.embedder`."""

from uac.models.embedder import *  # noqa: F403
from uac.models.embedder import __all__  # noqa: F401
