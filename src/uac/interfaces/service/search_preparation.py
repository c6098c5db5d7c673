"""What the first search of a process would load, loaded before anybody waits for it."""

from datetime import UTC, datetime

from uac.log.stores import open_store
from uac.models.embedders import chosen_local_embedder
from uac.project import fold_entries
from uac.schema import Observation

__all__ = ["prepare_search"]

SAID = datetime(2026, 1, 1, tzinfo=UTC)


def prepare_search() -> None:
    """Loads numpy, the installed embedder and the words of English dates, by a search in a memory of one turn.

    An embedder or reranker on a server is not asked.
    """
    from uac.memory.recall_indexes import RecallIndexes
    from uac.recall.context import build_context

    log = open_store("memory:").log("nobody")
    log.append([Observation(text="We met at the lake yesterday.", said=SAID)])
    project = fold_entries(log.read())
    recall = RecallIndexes(chosen_local_embedder()).past(log, project)
    build_context("When did we meet at the lake?", project=project, log=log, recall=recall, tokens=1000, now=SAID)
