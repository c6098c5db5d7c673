"""How spans of blocks are received: those that lie behind each other as one run, long runs in pieces."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from uac.log.block_parts import ALIGNMENT, BlockSpan

__all__ = ["Run", "SpanBytes"]


class Run(NamedTuple):
    """Bytes of a block."""

    number: int
    """That of the SpanBytes which they are for."""
    start: int
    stop: int
    at: int
    """Its place there."""

    @property
    def length(self) -> int:
        return self.stop - self.start

    def pieces(self, most: int) -> "Iterator[Run]":
        """The run in pieces of at most so many bytes."""
        for start in range(self.start, self.stop, most):
            yield Run(self.number, start, min(start + most, self.stop), self.at + start - self.start)


class SpanBytes:
    """Room for spans of one block, which is filled run by run."""

    def __init__(self, number: int, spans: Sequence[BlockSpan]) -> None:
        self._spans = spans
        joined: list[BlockSpan] = []
        for start, stop in sorted(spans):
            if joined and start < joined[-1][1] + ALIGNMENT:  # parts of a block have less than that between them
                joined[-1] = joined[-1][0], max(stop, joined[-1][1])
            else:
                joined.append((start, stop))
        *places, end = accumulate((stop - start for start, stop in joined), initial=0)
        self.runs = [Run(number, start, stop, at) for (start, stop), at in zip(joined, places, strict=True)]
        self._data = memoryview(bytearray(end))

    def put(self, run: Run, data: "bytes | memoryview") -> None:
        self._data[run.at : run.at + run.length] = data

    def spans(self) -> list[memoryview]:
        """The bytes of each span, in the order in which they were asked for."""
        starts = [run.start for run in self.runs]
        found: list[memoryview] = []
        for start, stop in self._spans:
            run = self.runs[bisect_right(starts, start) - 1]
            at = run.at + start - run.start
            found.append(self._data[at : at + stop - start])
        return found
