"""The port for embedders: texts as vectors, close together if their meanings are.

This module does not need numpy, which not every platform has; only the embedders do.
"""

from collections.abc import Sequence
from typing import Protocol

from uac.log.index import Vectors

__all__ = ["Embedder"]


class Embedder(Protocol):
    """Turns texts into vectors. Raises ModelError on failure: Unreachable if a retry may help."""

    @property
    def name(self) -> str:
        """Identifies vectors: embedders that may give different numbers for a text have different names."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def is_near(self) -> bool:
        """Whether it runs in this process, and so fast that a search may wait for thousands of texts."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One row for each text, in their order. A text has the same row alone and among others.

        `query` marks the texts as questions, which some embedders treat differently.
        """
        ...
