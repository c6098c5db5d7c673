"""Finds observations, facts and records by words, meaning, person and time, and builds the context for a question.

Comes in: a log, its project and a query. Goes out: ranked hits within a token budget, each with its reasons. The search
index is a cache in the store, which follows the log.
"""

from uac.recall.context import Context
from uac.recall.search import CHANNELS, Channel, Filter, Found, Hit, Recall, RecallKind

__all__ = ["CHANNELS", "Channel", "Context", "Filter", "Found", "Hit", "Recall", "RecallKind"]
