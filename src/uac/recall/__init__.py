"""Finds observations, facts and records by words, meaning, person and time, and builds the context for a question.

Comes in: a log, its project and a query. Goes out: ranked hits within a token budget, each with its reasons. The search
index is a cache in the store, which follows the log.
"""

from uac.recall.ablation import SEARCH_IDEAS, without_idea
from uac.recall.context import Context, ContextPart, LeftOut
from uac.recall.hits import Found, Hit
from uac.recall.matches import CHANNELS, WEIGHTS, Channel
from uac.recall.search import Filter, IndexProgress, OnRebuild, Recall, RecallKind, index_progress, read_filter

__all__ = [
    "CHANNELS",
    "SEARCH_IDEAS",
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
    "Recall",
    "RecallKind",
    "index_progress",
    "read_filter",
    "without_idea",
]
