"""Finds what was said: index, ranking, hits, and the context for a question.

In comes a log with its project; `Recall.follow` cuts them into passages and indexes those. Out come hits with text
and scores (`Recall.find`), and what an agent should see for a question within a budget (`context.context`).
"""

from uac.recall.context import Context, ContextPart, LeftOut
from uac.recall.hits import Found, Hit
from uac.recall.ranking import CHANNELS, WEIGHTS, Channel
from uac.recall.search import Filter, IndexProgress, OnRebuild, Recall, index_progress, read_filter

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
    "Recall",
    "index_progress",
    "read_filter",
]
