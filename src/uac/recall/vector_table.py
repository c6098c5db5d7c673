"""The vectors of passages in memory: how close each is to a question's, and which are closest.

The vectors stay where their blocks are; only what is compared for all rows is loaded.
Products are made row by row (`vecdot`): a product with a matrix would wake the threads of numpy's library, which then
wait in a loop and take another processor for longer than the product itself.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from uac.log.index import BlockName, Vectors
from uac.log.index_blocks import NO_ROW, Integers, VectorBlock, vector_signs
from uac.recall.growing_array import GrowingArray

__all__ = ["RESCORED", "Compared", "VectorTable"]

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.int64]
Scores: TypeAlias = NDArray[np.float64]

USUAL_COUNT = 50  # vectors after which half of what they have in common is taken away
AT_ONCE = 512  # vectors compared at a time, in four times the memory that they are kept in
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
        self._parts: list[tuple[int, VectorBlock]] = []
        """The blocks of the sequence, each with the place of its first vector."""
        self._places = GrowingArray("i4")
        """The place of each row's vector in the sequence, from 1; 0 if it has none."""
        self._lengths = GrowingArray("f4")
        self._signs = [GrowingArray("u8") for _word in range(-(-dimension // 64))]
        self._sum, self._lengths_sum, self._count = np.zeros(dimension, np.int64), 0, 0
        self._centre = np.zeros(dimension, np.float32)

    def has_vectors(self, count: int) -> Mask:
        """Which of the first rows have one."""
        self._grow(count)
        has_vectors: Mask = self._places.values[:count] > 0
        return has_vectors

    def add_block(self, name: BlockName, block: VectorBlock) -> Integers:
        """Add the vectors of a block that are new, which may be one that earlier blocks were merged into.

        Returns their rows.
        """
        skip, places = self.read - name.start, np.arange(self.read + 1, name.stop + 1)
        known = block.outlines()
        is_kept = known.rows[skip:] != NO_ROW
        rows: Integers = known.rows[skip:][is_kept]
        lengths = known.lengths[skip:][is_kept]
        self._parts = [part for part in self._parts if part[0] < name.start] + [(name.start, block)]
        self.read = name.stop
        if len(rows):
            self._grow(int(rows.max()) + 1)
            self._places.values[rows] = places[is_kept]
            self._lengths.values[rows] = lengths
            for signs, words in zip(self._signs, known.signs, strict=True):
                signs.values[rows] = words[skip:][is_kept]
            self._sum += block.vectors[skip:].sum(axis=0, dtype=np.int64) if skip else known.sum
            self._lengths_sum += _whole_lengths(lengths)
            self._count += len(rows)
            self._find_centre()
        return rows

    def remove_rows(self, rows: Rows) -> None:
        """Forget the vectors of these rows: an index that was made without them has the same centre."""
        self._grow(int(rows.max(initial=-1)) + 1)
        rows = rows[self._places.values[rows] > 0]
        if len(rows):
            self._sum -= self._vectors_of(rows).sum(axis=0, dtype=np.int64)
            self._lengths_sum -= _whole_lengths(self._lengths.values[rows])
            self._count -= len(rows)
            self._places.values[rows] = 0
            self._lengths.values[rows] = 0
            self._find_centre()

    def _find_centre(self) -> None:
        share = self._count / (self._count + USUAL_COUNT)
        self._centre = (share * self._sum / max(self._lengths_sum, 1)).astype(np.float32)

    @property
    def centre(self) -> "NDArray[np.float32]":
        """What the vectors have in common: about their mean, which says nothing. Shorter if there are few."""
        return self._centre

    def compare(self, vector: Vectors, among: Mask, most: int, *, is_centred: bool = True) -> Compared:
        """Compare the rows that are likely to be close, and find the closest."""
        is_candidate = among & self.has_vectors(len(among))
        rows = self._likely_rows(vector, is_candidate, max(RESCORED, 2 * most))
        close = self.closeness(vector, rows, is_centred=is_centred)
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
        for signs, wanted in zip(self._signs, vector_signs(vector.reshape(1, -1)), strict=True):
            apart += np.bitwise_count(signs.values[: len(apart)] ^ wanted)
        apart[~is_candidate] = 64 * len(self._signs) + 1
        within = np.cumsum(np.bincount(apart))
        limit = int(np.searchsorted(within, most))  # the distance of the last one
        equal = np.flatnonzero(apart == limit)[: most - int(within[limit - 1] if limit else 0)]
        return np.sort(np.concatenate([np.flatnonzero(apart < limit), equal]))

    def closeness(self, vector: Vectors, rows: Rows, *, is_centred: bool = True) -> Scores:
        """How close the vector of each row is, apart from what all have in common; 0 for a row without."""
        self._grow(int(rows.max(initial=-1)) + 1)
        centre = self.centre if is_centred else np.zeros_like(self.centre)
        wanted = np.asarray(vector, np.float32).reshape(-1) - centre
        wanted /= max(_length(wanted), 1e-9)
        self._expect(rows)
        products = np.empty((2, len(rows)), np.float32)
        for start in range(0, len(rows), AT_ONCE):
            known = self._vectors_of(rows[start : start + AT_ONCE]).astype(np.float32)
            products[:, start : start + AT_ONCE] = np.vecdot(known, centre), np.vecdot(known, wanted)
        lengths = self._lengths.values[rows]
        scales = 1 / np.maximum(lengths, 1e-9)
        apart = 1 + np.vecdot(centre, centre) - 2 * scales * products[0]
        apart = np.sqrt(np.maximum(apart, 1e-9))  # from the centre
        close: Scores = ((products[1] * scales - np.vecdot(centre, wanted)) / apart).astype(np.float64)
        close = close.round(6)  # equal vectors are equally close, whichever row they are in
        close[lengths == 0] = 0.0
        return close

    def moved_towards(self, vector: Vectors, rows: Rows, weights: Scores, weight: float) -> Vectors:
        """The vector, moved towards the weighted mean of these rows' vectors; all apart from what all have in common.

        `weight` is that of the mean, relative to the vector.
        """
        scales = np.maximum(weights, 0.0) / np.maximum(self._lengths.values[rows], 1e-9)
        mean = (scales[:, None] * (self._vectors_of(rows) - self._lengths.values[rows, None] * self.centre)).sum(axis=0)
        own = np.asarray(vector, np.float32).reshape(-1) - self.centre
        mixed = own / max(_length(own), 1e-9) + weight * mean / max(_length(mean), 1e-9)
        moved: Vectors = (mixed / max(_length(mixed), 1e-9) + self.centre).astype(np.float32).reshape(1, -1)
        return moved

    def _expect(self, rows: Rows) -> None:
        """Let the blocks read these rows' vectors together, even if they are taken in several steps."""
        if any(block.is_far for _start, block in self._parts):
            for _own, block, numbers in self._places_of(rows):
                block.expect(numbers)

    def _vectors_of(self, rows: Rows) -> "NDArray[np.int8]":
        """The vector of each row; zeros for a row without."""
        found = np.zeros((len(rows), self.dimension), np.int8)
        for own, block, numbers in self._places_of(rows):
            found[own] = block.take(numbers)
        return found

    def _places_of(self, rows: Rows) -> Iterator[tuple[Rows, VectorBlock, Integers]]:
        """Each block that has some of these rows, which of them, and their numbers in it."""
        places = self._places.values[rows] - 1
        for start, block in self._parts:
            own = np.flatnonzero((places >= start) & (places < start + block.count))
            if len(own):
                yield own, block, places[own] - start

    def _grow(self, count: int) -> None:
        if count <= len(self._places):
            return
        for array in (self._places, self._lengths, *self._signs):
            array.grow(count)


def _length(vector: "NDArray[np.floating[Any]]") -> float:
    return math.sqrt(np.vecdot(vector, vector))


def _whole_lengths(lengths: "NDArray[np.float32]") -> int:
    """Their sum in whole numbers: the order in which vectors are added and removed must not matter."""
    return int(np.rint(lengths).astype(np.int64).sum())
