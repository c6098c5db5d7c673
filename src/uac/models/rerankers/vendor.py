"""A vendor's reranker, or one on your own server with the same API: POST …/rerank.

This module needs the extra `models`; `uac.models.rerankers` imports it only when such a reranker is opened.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec

from uac.errors import Refused
from uac.models.server import ModelServer, UnreadableAnswer
from uac.schema.safe_text import replace_lone_surrogates

__all__ = ["VendorReranker"]

BATCH = 32
"""Texts in one call: the limit of the strictest servers."""


@dataclass(frozen=True, slots=True)
class VendorReranker:
    """A remote reranker. Its model may read only the beginning of a long text."""

    server: ModelServer
    batch: int = field(default=BATCH, kw_only=True)

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise Refused(f"{self.server.model}: batch is {self.batch}. Use 1 or more.")

    @property
    def name(self) -> str:
        return self.server.model

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """An empty text is not sent, and ties with the worst; for an empty question, all texts tie."""
        question = replace_lone_surrogates(query).strip()
        sent = (
            {index: replace_lone_surrogates(text) for index, text in enumerate(texts) if text.strip()}
            if question
            else {}
        )
        given = dict(zip(sent, self._request_scores(question, list(sent.values())), strict=True))
        worst = min(given.values(), default=0.0)
        return [given.get(index, worst) for index in range(len(texts))]

    def _request_scores(self, query: str, texts: Sequence[str]) -> list[float]:
        found: list[float] = []
        with self.server.connect() as line:
            for start in range(0, len(texts), self.batch):
                part = texts[start : start + self.batch]
                body = {"model": self.server.model, "query": query, "documents": part}
                found += line.post("/rerank", body, partial(_parse_scores, count=len(part)), (query, *part))
        return found


class _ScoreItem(msgspec.Struct):
    index: int
    relevance_score: float


class _ScoreAnswer(msgspec.Struct):
    results: list[_ScoreItem]


def _parse_scores(answer: bytes, count: int) -> list[float]:
    """The scores in the order of the texts: the answer has the best first."""
    items = sorted(msgspec.json.decode(answer, type=_ScoreAnswer).results, key=lambda item: item.index)
    if [item.index for item in items] != list(range(count)):
        raise UnreadableAnswer(f"it has {len(items)} scores, or wrong indexes, for {count} texts")
    return [item.relevance_score for item in items]
