"""Finds observations, facts and records by words, meaning, person and time, and builds the context for a question.

Comes in: a log, its project and a query. Goes out: ranked hits within a token budget, each with its reasons. The search
index is a cache in the store, which follows the log.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac.recall.context import Context, ContextPart, LeftOut
    from uac.recall.hits import Found, Hit
    from uac.recall.matches import CHANNELS, WEIGHTS, Channel
    from uac.recall.question_options import QuestionOptions
    from uac.recall.search import Filter, IndexProgress, OnRebuild, Recall, RecallKind, index_progress, read_filter
    from uac.recall.search_settings import SearchSettings

__all__ = [
    "CHANNELS",
    "WEIGHTS",
    "Channel",
    "Context",
    "ContextPart",
    "Filter",
    "Found",
    "Hit",
    "IndexProgress",
    "LeftOut",
    "OnRebuild",
    "QuestionOptions",
    "Recall",
    "RecallKind",
    "SearchSettings",
    "index_progress",
    "read_filter",
]


def __getattr__(name: str) -> object:
    """Imported on first use: a search builds no context."""
    if name in ("Context", "ContextPart", "LeftOut"):
        import uac.recall.context

        return getattr(uac.recall.context, name)
    if name == "SearchSettings":
        from uac.recall.search_settings import SearchSettings

        return SearchSettings
    if name == "WEIGHTS":
        from uac.recall.matches import WEIGHTS

        return WEIGHTS
    if name in __all__:
        import uac.recall.search

        return getattr(uac.recall.search, name)
    raise AttributeError(f"module 'uac.recall' has no attribute {name!r}")
