"""The vectors of passages in memory: how close each is to a question's, and which are closest.

The vectors stay in the bytes of their blocks; only what is compared for all rows is copied.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from uac.log.index import BlockName, Vectors
from uac.log.index_blocks import NO_ROW, VectorBlock, vector_signs
from uac.recall.growing_array import GrowingArray

__all__ = ["RESCORED", "VectorTable"]

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.int64]
Scores: TypeAlias = NDArray[np.float64]

USUAL_COUNT = 50  # vectors after which half of what they have in common is taken away
NONE = -1  # in place of a vector's place
RESCORED = 1000  # at least this many vectors, those whose signs agree most, are compared in full


class VectorTable:
    """The vectors of one kind of passages, and their signs: one bit for each number, to find the likely ones fast."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.read = 0
        """How many vectors of the index were read."""
        self._parts: list[tuple[int, NDArray[np.int8]]] = []
        """Vectors of the sequence, each part with the place of its first one."""
        self._places = GrowingArray("i4")
        """The place of each row's vector in the sequence."""
        self._has_vector = GrowingArray("?")
        self._lengths = GrowingArray("f4")
        self._signs = [GrowingArray("u8") for _word in range(-(-dimension // 64))]
        self._sum, self._lengths_sum, self._count = np.zeros(dimension, np.int64), 0, 0

    def has_vectors(self, count: int) -> Mask:
        """Which of the first rows have one."""
        self._grow(count)
        return self._has_vector.values[:count]

    def add_block(self, name: BlockName, block: VectorBlock) -> None:
        """Add the vectors of a block that are new; it may be one that earlier blocks were merged into."""
        skip, places = self.read - name.start, np.arange(self.read, name.stop)
        is_kept = block.rows[skip:] != NO_ROW
        rows, lengths = block.rows[skip:][is_kept], block.lengths[skip:][is_kept]
        self._parts = [part for part in self._parts if part[0] < name.start] + [(name.start, block.vectors)]
        self.read = name.stop
        if len(rows):
            self._grow(int(rows.max()) + 1)
            self._places.values[rows] = places[is_kept]
            self._has_vector.values[rows] = True
            self._lengths.values[rows] = lengths
            for signs, words in zip(self._signs, block.signs, strict=True):
                signs.values[rows] = words[skip:][is_kept]
            self._sum += block.vectors[skip:].sum(axis=0, dtype=np.int64) if skip else block.sum
            self._lengths_sum += int(np.rint(lengths).astype(np.int64).sum())
            self._count += len(rows)

    @property
    def centre(self) -> "NDArray[np.float32]":
        """What the vectors have in common: about their mean, which says nothing. Shorter if there are few."""
        share = self._count / (self._count + USUAL_COUNT)
        mean: NDArray[np.float32] = (share * self._sum / max(self._lengths_sum, 1)).astype(np.float32)
        return mean

    def nearest_rows(self, vector: Vectors, among: Mask, most: int) -> tuple[Rows, Scores]:
        """The rows with the closest vectors, and how close each is; the closest first."""
        is_candidate = among & self.has_vectors(len(among))
        rows = self._likely_rows(vector, is_candidate, max(RESCORED, 2 * most))
        close = self.closeness(vector, rows)
        if len(rows) > most:  # all that are as close as the last one, so that the rows decide between equal ones
            likely = close >= np.partition(close, len(close) - most)[len(close) - most]
            rows, close = rows[likely], close[likely]
        order = np.lexsort((rows, -close))[:most]
        return rows[order], close[order]

    def _likely_rows(self, vector: Vectors, is_candidate: Mask, most: int) -> Rows:
        """The candidates whose signs agree most with the vector's, in order; of equal ones the oldest."""
        if np.count_nonzero(is_candidate) <= most:
            return np.flatnonzero(is_candidate)
        apart = np.zeros(len(is_candidate), np.uint16)
        for signs, wanted in zip(self._signs, vector_signs(vector.reshape(1, -1)), strict=True):
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
        wanted /= max(float(np.sqrt(wanted @ wanted)), 1e-9)
        known = self._vectors_of(rows).astype(np.float32)
        lengths = self._lengths.values[rows]
        scales = 1 / np.maximum(lengths, 1e-9)
        apart = np.sqrt(np.maximum(1 + centre @ centre - 2 * scales * (known @ centre), 1e-9))  # from the centre
        close: Scores = (((known @ wanted) * scales - centre @ wanted) / apart).astype(np.float64)
        close = close.round(6)  # equal vectors are equally close, whichever row they are in
        close[lengths == 0] = 0.0
        return close

    def _vectors_of(self, rows: Rows) -> "NDArray[np.int8]":
        """The vector of each row; zeros for a row without."""
        places = np.where(self._has_vector.values[rows], self._places.values[rows], NONE)
        found = np.zeros((len(rows), self.dimension), np.int8)
        for start, vectors in self._parts:
            own = np.flatnonzero((places >= start) & (places < start + len(vectors)))
            if len(own):
                found[own] = vectors.take(places[own] - start, axis=0)
        return found

    def _grow(self, count: int) -> None:
        for array in (self._places, self._has_vector, self._lengths, *self._signs):
            array.grow(count)
