"""The search indexes of one user's log: one that follows the log, and one of other clocks."""

from collections.abc import Callable
from typing import Literal

from uac.errors import Moved, Unavailable
from uac.log.log import Log
from uac.models.embedder import Embedder
from uac.models.embedders import chosen_embedder
from uac.models.rerankers import chosen_reranker
from uac.project.project import Project
from uac.recall.search import IndexProgress, OnRebuild, Recall, index_progress

__all__ = ["RecallIndexes"]

INDEX_ATTEMPTS = 5  # attempts to index a log while entries are erased


class RecallIndexes:
    """Opens each index, and the embedder, on first use."""

    def __init__(self, embedder: Embedder | Literal["chosen"] | None) -> None:
        self._embedder: Embedder | Literal["chosen"] | None = embedder
        self._recall: Recall | None = None
        self._recall_then: Recall | None = None

    @property
    def embedder(self) -> Embedder | None:
        if self._embedder == "chosen":
            self._embedder = chosen_embedder()
        return self._embedder

    @property
    def is_open(self) -> bool:
        """Whether an index is in memory."""
        return self._recall is not None

    def forget(self) -> None:
        """Let go of the indexes; they are opened again when they are needed."""
        self._recall = self._recall_then = None

    def current(self, log: Log, read_project: Callable[[], Project], *, vectors: int | None) -> Recall:
        """The up-to-date index, with at most `vectors` new vectors; None: as many as a search can wait for."""
        recall = self._open_recall()
        for _attempt in range(INDEX_ATTEMPTS):
            try:
                recall.follow(log, read_project(), vectors=vectors)
            except Moved:  # entries were erased meanwhile
                continue
            return recall
        raise Unavailable("The log keeps changing while it is indexed. Try again.")

    def past(self, log: Log, project: Project) -> Recall:
        """A search over a project of other clocks. Its index is in memory only, and is reused for the next question."""
        recall = self._recall_then if self._recall_then is not None else Recall(embedder=self.embedder)
        recall.follow(log.as_of(project.position), project)
        self._recall_then = recall
        return recall

    def rebuild(self, log: Log, project: Project, on_progress: OnRebuild) -> IndexProgress:
        """Rebuild the index from the log, with vectors of the current embedder only."""
        self._open_recall().rebuild(log, project, on_progress=on_progress)
        return index_progress(log, self.embedder)

    def _open_recall(self) -> Recall:
        if self._recall is None:
            self._recall = Recall(embedder=self.embedder, reranker=chosen_reranker())
        return self._recall
