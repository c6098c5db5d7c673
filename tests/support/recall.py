"""A log, its project and a search that follows both, for the tests of recall; and embedders that do as they are told."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from uac.errors import Unreachable
from uac.log.index import Vectors
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.models.embedder import Embedder
from uac.models.reranker import Reranker
from uac.project.fold import fold_entries
from uac.project.project import EMPTY_PROJECT
from uac.recall.search import Filter, Found, Recall
from uac.schema.entries import Authority, Checkpoint, Citation, Entry, Fact, Observation, Role
from uac.schema.patches import Put
from uac.schema.periods import Period
from uac.text.search_terms import terms_of

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
EVERYTHING = Filter()


class World:
    """Turns are a minute apart, from `START` on; each session is a conversation of its own."""

    def __init__(
        self, log: Log | None = None, *, embedder: Embedder | None = None, reranker: Reranker | None = None
    ) -> None:
        self._minutes = 0
        self.log = log if log is not None else MemoryStore(clock=lambda: START + timedelta(days=30)).log("ana")
        self.project = EMPTY_PROJECT
        self.recall = Recall(embedder=embedder, reranker=reranker)

    def add(self, entry: Entry) -> int:
        (position,) = self.log.append([entry])
        return position

    def say(
        self,
        text: str,
        *,
        role: Role = "user",
        speaker: str = "",
        session: str = "s",
        source: str = "",
        on: datetime = START,
    ) -> int:
        said = on + timedelta(minutes=self._minutes)
        self._minutes += 1
        return self.add(Observation(text=text, said=said, role=role, speaker=speaker, session=session, source=source))

    def fact(
        self,
        text: str,
        *cited: int,
        about: str = "Ana",
        authority: Authority = "user",
        held: Period | None = None,
    ) -> int:
        cites = tuple(Citation(position=position, quote="words") for position in cited)
        return self.add(Fact(text=text, about=about, authority=authority, cites=cites, held=held or Period()))

    def put(self, substance: str, severity: str, *cited: int) -> int:
        return self.put_record("health.Allergy", {"substance": substance, "severity": severity}, *cited)

    def put_record(self, type_name: str, fields: Mapping[str, str], *cited: int) -> int:
        return self.add(Checkpoint(patches=(Put(type=type_name, fields=dict(fields), cites=cited),)))

    def follow(self) -> Recall:
        self.project = fold_entries(self.log.read(self.project.position + 1), self.project)
        self.recall.follow(self.log, self.project)
        return self.recall

    def find(
        self,
        query: str,
        only: Filter = EVERYTHING,
        *,
        k: int | None = 20,
        tokens: int | None = None,
        now: datetime | None = None,
    ) -> Found:
        return self.follow().find(query, only, k=k, tokens=tokens, now=now)

    def found(self, query: str, only: Filter = EVERYTHING, *, now: datetime | None = None) -> list[int | str]:
        """Positions, or ids of records, best first."""
        return [hit.record or hit.position for hit in self.find(query, only, now=now).hits]


class Meanings:
    """An embedder for which words mean what a table says: one number for each meaning, and for each other word."""

    is_near = True

    def __init__(self, name: str = "meanings", dimension: int = 1024, **same: str) -> None:
        self.name, self.dimension = name, dimension
        self.embedded: list[str] = []
        self._meaning = {word: meaning for meaning, words in same.items() for word in words.split()}

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        if not query:
            self.embedded += texts
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for term in terms_of(text):
                meaning = self._meaning.get(term, term)
                row[int.from_bytes(hashlib.sha256(meaning.encode()).digest()[:4], "big") % self.dimension] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, 1e-9)
        return vectors


class Failing:
    """An embedder out of reach: for all it is asked, or for questions only."""

    name, dimension, is_near = "failing", 1024, True

    def __init__(self, *, only_questions: bool = False) -> None:
        self._only_questions = only_questions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        if query or not self._only_questions:
            raise Unreachable("the embedder does not answer")
        return Meanings().embed(texts)


class Preferring:
    """A reranker for which a text is as good as the place of the first of these words that it has."""

    name = "preferring"

    def __init__(self, *words: str) -> None:
        self._words = words

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return [-float(next((n for n, word in enumerate(self._words) if word in text), 99)) for text in texts]
