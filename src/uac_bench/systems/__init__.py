"""The contestants behind one small interface: what each is given, and what it finds for a question.

Comes in: texts in their order, with who said them and when. Goes out: the places of the texts that a contestant would
show for a question, best first. All contestants that need vectors get the same embedder. Where a
peer needs a model, the same scripted stand-in answers for all; what a live one would do is not measured, and `about`
says so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from uac_bench.runs import System

__all__ = ["CannotRun", "Contestant", "NotInstalled", "Retriever", "StoredText"]


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text that a contestant remembers."""

    text: str
    said: datetime
    role: str = "user"
    session: str = ""


class NotInstalled(Exception):
    """A peer's package is missing. It is reported, and the others are measured."""


class CannotRun(NotInstalled):
    """A peer is installed and stopped with an error. It is reported with its message, and the others are measured."""


class Retriever(Protocol):
    """A memory of one user. `search` gives the places of the texts in the best `most` passages, best first.

    A passage is a text, or a chunk of several."""

    def add(self, texts: Sequence[StoredText]) -> None: ...

    def search(self, question: str, most: int) -> Sequence[int]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Contestant:
    """A system and how to open an empty memory of it; `open` raises NotInstalled if a package is missing."""

    name: str
    about: str
    open: Callable[[], Retriever]
    package: str = ""
    """The distribution whose version is reported; empty for what is rebuilt here."""
    largest: int = 1_000_000
    """The most texts that it is given in a benchmark: some take minutes for more."""
    is_ours: bool = False

    def system(self, versions: Mapping[str, str]) -> System:
        return System(self.name, versions.get(self.package, ""), self.about, self.is_ours)
