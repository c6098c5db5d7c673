"""A vendor's embedder, or one on your own server with the same API: POST …/embeddings.

This module needs the extra `models` and numpy; `uac.models.embedders` imports it only when such an embedder is opened.
"""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from uac.errors import NoModel, Refused
from uac.log.index import Vectors
from uac.models.server import ModelServer, UnreadableAnswer
from uac.schema.safe_text import replace_lone_surrogates

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Prefixes", "VendorEmbedder"]

BATCH = 32
"""Texts in one call: the limit of the strictest servers."""

LONGEST_PIECE = 4000
"""Characters: below the vendors' limits, in any script. A longer text is sent in pieces."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Prefixes that some models expect before a question, and before a text that may answer it."""

    query: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class VendorEmbedder:
    """A remote embedder. The vector of a long text is the mean over its pieces, weighted by their length."""

    server: ModelServer
    shortened: int | None = field(default=None, kw_only=True)
    """The dimension to request from models that offer several; None: the model's own."""
    prefixes: Prefixes = field(default=Prefixes(), kw_only=True)
    batch: int = field(default=BATCH, kw_only=True)
    longest: int = field(default=LONGEST_PIECE, kw_only=True)
    _seen: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if min(self.batch, self.longest) < 1 or (self.shortened is not None and self.shortened < 1):
            raise Refused(f"{self.server.model}: batch, longest piece or dimension is below 1. Use 1 or more.")

    @property
    def name(self) -> str:
        """Includes everything that changes the numbers; the address too, as servers may run different precisions."""
        server = self.server
        parts = (server.model, server.url.rstrip("/"), self.shortened, self.prefixes, self.longest)
        digest = hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:12]
        return "-".join((server.model, *([str(self.shortened)] if self.shortened else []), digest))

    @property
    def is_near(self) -> bool:
        return False

    @property
    def dimension(self) -> int:
        """Known after the first answer; requests one if there was none yet."""
        if self.shortened is not None:
            return self.shortened
        if not self._seen:
            self._request_vectors(["dimension"])
        return self._seen["dimension"]

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        prefix = self.prefixes.query if query else self.prefixes.text
        cut = [self._split_long_text(text, prefix) for text in texts]
        sent = list(dict.fromkeys(itertools.chain.from_iterable(cut)))
        found = dict(zip(sent, self._request_vectors(sent), strict=True))
        vectors: Vectors = np.zeros((len(texts), self.dimension), np.float32)
        for index, pieces in enumerate(cut):
            for piece in pieces:
                vectors[index] += found[piece] * (len(piece) / sum(map(len, pieces)))
            if len(pieces) > 1:
                vectors[index] = _normalize_vendor_vector(vectors[index])
        return vectors

    def _split_long_text(self, text: str, prefix: str) -> list[str]:
        """No pieces for an empty text, which vendors refuse."""
        whole = replace_lone_surrogates(text).strip()
        pieces = (whole[start : start + self.longest] for start in range(0, len(whole), self.longest))
        return [prefix + piece for piece in pieces if piece.strip()]

    def _request_vectors(self, texts: Sequence[str]) -> "list[NDArray[np.float64]]":
        found: list[NDArray[np.float64]] = []
        with self.server.connect() as line:
            for start in range(0, len(texts), self.batch):
                part = texts[start : start + self.batch]
                body: dict[str, object] = {"model": self.server.model, "input": part, "encoding_format": "float"}
                if self.shortened is not None:
                    body["dimensions"] = self.shortened
                rows = line.post("/embeddings", body, partial(_parse_vectors, count=len(part)), part)
                self._check_dimension(rows.shape[1])
                found += map(_normalize_vendor_vector, rows)
        return found

    def _check_dimension(self, dimension: int) -> None:
        needed = self.shortened or self._seen.setdefault("dimension", dimension)
        if dimension != needed:
            raise NoModel(
                f"{self.server.model} gives vectors of {dimension} numbers, not {needed}. Check UAC_EMBEDDER_DIMENSION."
            )


class _EmbeddingItem(msgspec.Struct):
    index: int
    embedding: list[float]


class _EmbeddingAnswer(msgspec.Struct):
    data: list[_EmbeddingItem]


def _parse_vectors(answer: bytes, count: int) -> "NDArray[np.float64]":
    """The vectors in the order of the texts, which the answer need not keep."""
    items = sorted(msgspec.json.decode(answer, type=_EmbeddingAnswer).data, key=lambda item: item.index)
    if [item.index for item in items] != list(range(count)):
        raise UnreadableAnswer(f"it has {len(items)} vectors, or wrong indexes, for {count} texts")
    lengths = {len(item.embedding) for item in items}
    if len(lengths) != 1 or 0 in lengths:
        raise UnreadableAnswer("its vectors are empty or of different lengths")
    return np.array([item.embedding for item in items], np.float64)


def _normalize_vendor_vector(row: "NDArray[np.floating]") -> "NDArray[np.float64]":
    """The row scaled to length 1; divided by its largest number first, so that no square overflows or underflows."""
    exact = row.astype(np.float64)
    largest = np.abs(exact).max()
    if not largest:
        return exact
    exact /= largest
    exact /= np.sqrt(np.square(exact).sum())
    return exact
