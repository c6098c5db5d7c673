"""Moved to `uac.models.reranker`."""

from uac.models.reranker import *  # noqa: F403
from uac.models.reranker import __all__  # noqa: F401
