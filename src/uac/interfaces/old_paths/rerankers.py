"""Moved to `uac.models.rerankers`."""

from uac.models.rerankers import *  # noqa: F403
from uac.models.rerankers import __all__  # noqa: F401
