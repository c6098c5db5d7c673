"""The size of each passage and which turns are neighbours, held in memory at 14 bytes per passage.

With it, a search can score every turn by the question's words in it and in the turns around it.
"""

from array import array
from collections.abc import Collection, Iterable, Mapping

from uac.log.index import IndexHead, IndexRows, PassagePosition

__all__ = ["NEIGHBOUR_WEIGHTS", "TurnLayout"]

NEIGHBOUR_WEIGHTS: Mapping[int, float] = {-1: 0.8, 1: 0.56, -2: 0.3, 2: 0.3}
"""Weight of a word in a neighbouring turn, by distance, relative to a word in the turn itself."""
NEIGHBOURHOOD_WEIGHT = 1 + sum(NEIGHBOUR_WEIGHTS.values())
LONG_PASSAGE = 60  # words; a longer passage gets nothing from its neighbours
K1, B = 1.2, 0.75  # BM25: saturation of a term's count, and penalty for long texts
MAX_SIZE = 65535
MAX_SPAN = 1 << 32  # from the first slot to the last of one index; a wider span means the index of another user number


class TurnLayout:
    """Offsets are slots relative to the first one. Links are offsets plus 1, because 0 means no neighbour."""

    def __init__(self) -> None:
        self._reset_layout()

    def _reset_layout(self) -> None:
        self._first = self._last = self._count = 0
        self._sizes, self._before, self._after = array("H"), array("I"), array("I")
        self._lengths = array("f")
        self._sessions: dict[str, int] = {}

    def follow(self, index: IndexRows, head: IndexHead) -> None:
        """Catch up with an index. A count that differs means that passages were removed, and causes a reload."""
        rows = list(index.placed(self._last))
        is_same = not rows or not self._sizes or rows[-1].slot - self._first < MAX_SPAN
        if is_same:
            self._add_turns(rows)
        if not is_same or self._count != head.total:
            self._reset_layout()
            self._add_turns(index.placed(0))

    def drop(self, slots: Iterable[int]) -> None:
        """Remove passages without a session, such as records."""
        for slot in slots:
            offset = slot - self._first
            if 0 <= offset < len(self._sizes):
                self._sizes[offset], self._lengths[offset] = 0, 0.0
                self._count -= 1

    def neighbours(self, slot: int, before: int, after: int) -> list[int]:
        """The slots around one in its session, in order."""
        found: list[int] = []
        for links, limit in ((self._before, before), (self._after, after)):
            offset = slot - self._first
            for _step in range(limit):
                offset = links[offset] - 1 if 0 <= offset < len(links) else -1
                if offset < 0:
                    break
                found.append(offset + self._first)
        return sorted(found)

    def bm25_scores(
        self, groups: Iterable[tuple[float, Collection[int]]], average_size: float, *, with_neighbours: bool
    ) -> dict[int, float]:
        """BM25 of all passages that have one of the words, or are neighbours of one that has.

        `groups` are the words: how rare each is, and the slots that have it. `average_size` is in words per passage.
        """
        lengths = self._lengths if with_neighbours else self._sizes
        least, per_word = K1 * (1 - B), K1 * B / (average_size * (NEIGHBOURHOOD_WEIGHT if with_neighbours else 1))
        scores: dict[int, float] = {}
        for rarity, slots in groups:
            for offset, counts in self._term_counts(slots, with_neighbours=with_neighbours).items():
                score = rarity * counts / (counts + least + per_word * lengths[offset])
                scores[offset] = scores.get(offset, 0.0) + score
        return {offset + self._first: score for offset, score in scores.items()}

    def _term_counts(self, slots: Collection[int], *, with_neighbours: bool) -> dict[int, float]:
        """How often passages have a word; occurrences in neighbours count for less."""
        first, sizes = self._first, self._sizes
        counts = dict.fromkeys([slot - first for slot in slots if 0 <= slot - first < len(sizes)], 1.0)
        if not with_neighbours:
            return counts
        for links, one, two in (
            (self._before, NEIGHBOUR_WEIGHTS[1], NEIGHBOUR_WEIGHTS[2]),  # the turn before sees the word one turn later
            (self._after, NEIGHBOUR_WEIGHTS[-1], NEIGHBOUR_WEIGHTS[-2]),
        ):
            for slot in slots:
                offset = slot - first
                if not 0 <= offset < len(links) or not (neighbour := links[offset]):
                    continue
                if sizes[neighbour - 1] <= LONG_PASSAGE:
                    counts[neighbour - 1] = counts.get(neighbour - 1, 0.0) + one
                if (neighbour := links[neighbour - 1]) and sizes[neighbour - 1] <= LONG_PASSAGE:
                    counts[neighbour - 1] = counts.get(neighbour - 1, 0.0) + two
        return counts

    def _add_turns(self, rows: Iterable[PassagePosition]) -> None:
        for slot, session, size in rows:
            if not self._sizes:
                self._first = slot
            offset = slot - self._first
            missing = offset + 1 - len(self._sizes)  # more than one if passages were removed
            for numbers in (self._sizes, self._before, self._after):
                numbers.extend([0] * missing)
            self._lengths.extend([0.0] * missing)
            self._sizes[offset], self._lengths[offset] = min(size, MAX_SIZE), size
            if session:
                last = self._sessions.get(session)
                if last is not None:
                    self._before[offset], self._after[last] = last + 1, offset + 1
                    for changed in (offset, last, self._before[last] - 1):
                        if changed >= 0:
                            self._lengths[changed] = self._weighted_length(changed)
                self._sessions[session] = offset
            self._count += 1
            self._last = slot

    def _weighted_length(self, offset: int) -> float:
        """The passage's size plus its neighbours', which count for less."""
        length: float = self._sizes[offset]
        if length <= LONG_PASSAGE:
            for links, one, two in (
                (self._before, NEIGHBOUR_WEIGHTS[-1], NEIGHBOUR_WEIGHTS[-2]),
                (self._after, NEIGHBOUR_WEIGHTS[1], NEIGHBOUR_WEIGHTS[2]),
            ):
                if neighbour := links[offset]:
                    length += one * self._sizes[neighbour - 1]
                    if neighbour := links[neighbour - 1]:
                        length += two * self._sizes[neighbour - 1]
        return length
