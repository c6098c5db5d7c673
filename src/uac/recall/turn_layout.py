"""How long the passages of an index are, and which turns stand beside each other: held in memory, 14 bytes for each.

With it, a search can say for every turn how many of the question's words it and the turns around it have.
"""

from array import array
from collections.abc import Collection, Iterable, Mapping

from uac.log.index import IndexHead, IndexRows, Placed

__all__ = ["AROUND", "Layout"]

AROUND: Mapping[int, float] = {-1: 0.8, 1: 0.56, -2: 0.3, 2: 0.3}
"""What a word counts that stands so many turns away, against one in the turn itself."""
USUAL_AROUND = 1 + sum(AROUND.values())
LONG = 60  # words; a longer passage speaks for itself
K1, B = 1.2, 0.75  # how soon more of a word counts no more, and how much long texts are held back
MOST = 65535
FARTHEST = 1 << 32  # from the first slot to the last of one index; beyond that stands the index of another user number


class Layout:
    """Slots are counted from the first one; 0 stands for no neighbour, so those are counted from 1."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._first = self._last = self._count = 0
        self._sizes, self._before, self._after = array("H"), array("I"), array("I")
        self._lengths = array("f")
        self._sessions: dict[str, int] = {}

    def follow(self, index: IndexRows, head: IndexHead) -> None:
        """Bring it up to date with an index. What was taken out of that, unseen, is noticed by the count."""
        rows = list(index.placed(self._last))
        is_same = not rows or not self._sizes or rows[-1].slot - self._first < FARTHEST
        if is_same:
            self._add(rows)
        if not is_same or self._count != head.total:
            self._forget()
            self._add(index.placed(0))

    def drop(self, slots: Iterable[int]) -> None:
        """Take out passages that stand in no session, as records do."""
        for slot in slots:
            place = slot - self._first
            if 0 <= place < len(self._sizes):
                self._sizes[place], self._lengths[place] = 0, 0.0
                self._count -= 1

    def neighbours(self, slot: int, before: int, after: int) -> list[int]:
        """The slots around one in its session, in order."""
        found: list[int] = []
        for links, most in ((self._before, before), (self._after, after)):
            place = slot - self._first
            for _step in range(most):
                place = links[place] - 1 if 0 <= place < len(links) else -1
                if place < 0:
                    break
                found.append(place + self._first)
        return sorted(found)

    def worded(
        self, groups: Iterable[tuple[float, Collection[int]]], usual: float, *, uses_around: bool
    ) -> dict[int, float]:
        """BM25 of all passages that have one of the words, or stand beside one that has.

        `groups` are the words: how rare each is, and which passages have it. `usual` is how long a passage is.
        """
        lengths = self._lengths if uses_around else self._sizes
        least, per_word = K1 * (1 - B), K1 * B / (usual * (USUAL_AROUND if uses_around else 1))
        scores: dict[int, float] = {}
        for rarity, slots in groups:
            for place, often in self._often(slots, uses_around=uses_around).items():
                score = rarity * often / (often + least + per_word * lengths[place])
                scores[place] = scores.get(place, 0.0) + score
        return {place + self._first: score for place, score in scores.items()}

    def _often(self, slots: Collection[int], *, uses_around: bool) -> dict[int, float]:
        """How often passages have a word, those around them counted for less."""
        first, sizes = self._first, self._sizes
        often = dict.fromkeys([slot - first for slot in slots if 0 <= slot - first < len(sizes)], 1.0)
        if not uses_around:
            return often
        for links, one, two in (
            (self._before, AROUND[1], AROUND[2]),  # what stands before a word has it after itself
            (self._after, AROUND[-1], AROUND[-2]),
        ):
            for slot in slots:
                place = slot - first
                if not 0 <= place < len(links) or not (beside := links[place]):
                    continue
                if sizes[beside - 1] <= LONG:
                    often[beside - 1] = often.get(beside - 1, 0.0) + one
                if (beside := links[beside - 1]) and sizes[beside - 1] <= LONG:
                    often[beside - 1] = often.get(beside - 1, 0.0) + two
        return often

    def _add(self, rows: Iterable[Placed]) -> None:
        for slot, session, size in rows:
            if not self._sizes:
                self._first = slot
            place = slot - self._first
            missing = place + 1 - len(self._sizes)  # more than one where passages were taken out
            for numbers in (self._sizes, self._before, self._after):
                numbers.extend([0] * missing)
            self._lengths.extend([0.0] * missing)
            self._sizes[place], self._lengths[place] = min(size, MOST), size
            if session:
                last = self._sessions.get(session)
                if last is not None:
                    self._before[place], self._after[last] = last + 1, place + 1
                    for changed in (place, last, self._before[last] - 1):
                        if changed >= 0:
                            self._lengths[changed] = self._length(changed)
                self._sessions[session] = place
            self._count += 1
            self._last = slot

    def _length(self, place: int) -> float:
        """How long a passage is with what is around it, that counted for less."""
        length: float = self._sizes[place]
        if length <= LONG:
            for links, one, two in ((self._before, AROUND[-1], AROUND[-2]), (self._after, AROUND[1], AROUND[2])):
                if beside := links[place]:
                    length += one * self._sizes[beside - 1]
                    if beside := links[beside - 1]:
                        length += two * self._sizes[beside - 1]
        return length
