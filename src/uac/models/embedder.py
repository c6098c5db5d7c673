"""The port for embedders: texts as vectors, so that what means the same lies close together.

This module does without numpy, which not every platform has: only embedders themselves need it.
"""

from collections.abc import Sequence
from typing import Protocol

from uac.log.index import Vectors

__all__ = ["Embedder"]


class Embedder(Protocol):
    """Whoever turns texts into vectors. It raises ModelError if it cannot: Unreachable if trying again may help."""

    @property
    def name(self) -> str:
        """Tells vectors apart: two embedders that could give other numbers for a text have other names."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def is_near(self) -> bool:
        """Whether it runs in this process, so that a search may wait for thousands of texts."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One row for each text, in their order. A text has the same row alone and among others.

        `query` says that the texts are questions; some embedders put those elsewhere than what answers them.
        """
        ...
