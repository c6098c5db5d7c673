"""The port for rerankers: those who read a question together with each text that may answer it."""

from collections.abc import Sequence
from typing import Protocol

__all__ = ["Reranker"]


class Reranker(Protocol):
    """Scores how well texts answer a question. Raises ModelError on failure: Unreachable if a retry may help."""

    @property
    def name(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One score for each text, in their order. More is better; scores of different rerankers are not comparable."""
        ...
