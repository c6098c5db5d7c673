"""The port for rerankers: those who read a question together with each text that may answer it."""

from collections.abc import Sequence
from typing import Protocol

__all__ = ["Reranker"]


class Reranker(Protocol):
    """Whoever says how well texts answer a question. It raises ModelError if it cannot: Unreachable if trying again
    may help."""

    @property
    def name(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One for each text, in their order. More is better; only scores of one reranker can be compared."""
        ...
