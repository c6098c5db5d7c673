"""The vectors of passages in memory: how close each is to a question's, and which are closest."""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from uac.log.index import BlockName, Vectors
from uac.log.index_blocks import NO_ROW, VectorBlock
from uac.recall.growing_array import GrowingArray

__all__ = ["RESCORED", "Compared", "VectorTable"]

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.int64]
Scores: TypeAlias = NDArray[np.float64]

USUAL_COUNT = 50  # vectors after which half of what they have in common is taken away
RESCORED = 1000  # at least this many vectors, those whose signs agree most, are compared in full


class Compared(NamedTuple):
    """Rows whose vectors were compared with a question's, in order, and how close each is."""

    rows: Rows
    close: Scores
    nearest: Rows
    """The closest of them, the closest first."""


class VectorTable:
    """The vectors of one kind of passages, and their signs: one bit for each number, to find the likely ones fast."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.read = 0
        """How many vectors of the index were read."""
        self._vectors = GrowingArray("i1", dimension)
        self._lengths = GrowingArray("f4")
        self._signs = [GrowingArray("u8") for _word in range(-(-dimension // 64))]
        self._has_vector = GrowingArray("?")
        self._sum, self._lengths_sum, self._count = np.zeros(dimension, np.int64), 0, 0
        self._centre = np.zeros(dimension, np.float32)

    def has_vectors(self, count: int) -> Mask:
        """Which of the first rows have one."""
        self._grow(count)
        return self._has_vector.values[:count]

    def add_block(self, name: BlockName, block: VectorBlock) -> None:
        rows, vectors = block.rows[self.read - name.start :], block.vectors[self.read - name.start :]
        self.read = name.stop
        is_kept = rows != NO_ROW
        rows, vectors = rows[is_kept], vectors[is_kept]
        if len(rows):
            self._grow(int(rows.max()) + 1)
            self._vectors.values[rows] = vectors
            self._lengths.values[rows] = _vector_lengths(vectors)
            for signs, words in zip(self._signs, _vector_signs(vectors), strict=True):
                signs.values[rows] = words
            self._has_vector.values[rows] = True
            # Whole numbers: the order in which vectors are added must not matter.
            self._sum += vectors.sum(axis=0, dtype=np.int64)
            self._lengths_sum += int(np.rint(self._lengths.values[rows]).astype(np.int64).sum())
            self._count += len(rows)
            share = self._count / (self._count + USUAL_COUNT)
            self._centre = (share * self._sum / max(self._lengths_sum, 1)).astype(np.float32)

    @property
    def centre(self) -> "NDArray[np.float32]":
        """What the vectors have in common: about their mean, which says nothing. Shorter if there are few."""
        return self._centre

    def compare(self, vector: Vectors, among: Mask, most: int) -> Compared:
        """Compare the rows that are likely to be close, and find the closest."""
        is_candidate = among & self.has_vectors(len(among))
        rows = self._likely_rows(vector, is_candidate, max(RESCORED, 2 * most))
        close = self.closeness(vector, rows)
        likely, apart = rows, -close
        if len(rows) > most:  # all that are as close as the last one, so that the rows decide between equal ones
            is_likely = apart <= np.partition(apart, most - 1)[most - 1]
            likely, apart = rows[is_likely], apart[is_likely]
        return Compared(rows, close, likely[apart.argsort(kind="stable")[:most]])

    def _likely_rows(self, vector: Vectors, is_candidate: Mask, most: int) -> Rows:
        """The candidates whose signs agree most with the vector's, in order; of equal ones the oldest."""
        if np.count_nonzero(is_candidate) <= most:
            return np.flatnonzero(is_candidate)
        apart = np.zeros(len(is_candidate), np.uint16)
        for signs, wanted in zip(self._signs, _vector_signs(vector.reshape(1, -1)), strict=True):
            apart += np.bitwise_count(signs.values[: len(apart)] ^ wanted)
        apart[~is_candidate] = 64 * len(self._signs) + 1
        within = np.cumsum(np.bincount(apart))
        limit = int(np.searchsorted(within, most))  # the distance of the last one
        equal = np.flatnonzero(apart == limit)[: most - int(within[limit - 1] if limit else 0)]
        return np.sort(np.concatenate([np.flatnonzero(apart < limit), equal]))

    def closeness(self, vector: Vectors, rows: Rows) -> Scores:
        """How close the vector of each row is, apart from what all have in common; 0 for a row without."""
        self._grow(int(rows.max(initial=-1)) + 1)
        centre = self.centre
        wanted = np.asarray(vector, np.float32).reshape(-1) - centre
        wanted /= max(math.sqrt(wanted @ wanted), 1e-9)
        known = self._vectors.values.take(rows, axis=0).astype(np.float32)
        lengths = self._lengths.values[rows]
        scales = 1 / np.maximum(lengths, 1e-9)
        apart = np.sqrt(np.maximum(1 + centre @ centre - 2 * scales * (known @ centre), 1e-9))  # from the centre
        close: Scores = (((known @ wanted) * scales - centre @ wanted) / apart).astype(np.float64)
        close = close.round(6)  # equal vectors are equally close, whichever row they are in
        close[lengths == 0] = 0.0
        return close

    def _grow(self, count: int) -> None:
        if count <= len(self._has_vector):
            return
        for array in (self._vectors, self._lengths, *self._signs, self._has_vector):
            array.grow(count)


def _vector_lengths(vectors: "NDArray[Any]") -> "NDArray[np.float32]":
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.int32)
    lengths: NDArray[np.float32] = np.sqrt(squares).astype(np.float32)
    return lengths


def _vector_signs(vectors: "NDArray[Any]") -> "NDArray[np.uint64]":
    """The signs of each vector as bits. The first axis is the number of the word of 64 bits, the second the vector."""
    bits = np.packbits(vectors > 0, axis=1)
    room = np.zeros((len(vectors), 8 * -(-vectors.shape[1] // 64)), np.uint8)
    room[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(room.view(np.uint64).T)
