"""Several rankings of passages as one: by rank, because scores for different queries cannot be compared."""

from collections.abc import Sequence
from copy import copy
from typing import overload

import numpy as np

from uac.log.index import KINDS, RecallKind
from uac.recall.matches import PassageMatch
from uac.recall.ranking import KIND_SHIFT, RankedPassages

__all__ = ["FusedPassages"]

RANK_OFFSET = 20  # how little the very first ranks differ


class FusedPassages(Sequence[PassageMatch]):
    """The passages of several rankings. A passage scores `1 / (RANK_OFFSET + rank)` in each that has it."""

    def __init__(self, rankings: Sequence[RankedPassages], names: Sequence[str], weights: Sequence[float]) -> None:
        self._rankings, self._names = rankings, names
        keys = np.concatenate([ranking.keys() for ranking in rankings])
        places = np.concatenate([np.arange(len(ranking)) for ranking in rankings])
        sources = np.repeat(np.arange(len(rankings)), [len(ranking) for ranking in rankings])
        added = np.asarray(weights, np.float64)[sources] * RANK_OFFSET / (RANK_OFFSET + places)
        found, numbers = np.unique(keys, return_inverse=True)
        shares = np.zeros((len(rankings), len(found)))
        shares[sources, numbers] = added
        self._places = np.full((len(rankings), len(found)), -1)
        self._places[sources, numbers] = places
        self._shares = shares / max(float(sum(weights)), 1e-9)
        self._keys = found
        self._order = np.lexsort((found, -self._shares.sum(axis=0)))

    def of_kind(self, kind: RecallKind) -> "FusedPassages":
        """Those of one kind, in the same order."""
        part = copy(self)
        part._order = self._order[self._keys[self._order] >> KIND_SHIFT == KINDS.index(kind)]  # noqa: SLF001 - its own copy
        return part

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, place: int) -> PassageMatch: ...
    @overload
    def __getitem__(self, place: slice) -> list[PassageMatch]: ...
    def __getitem__(self, place: int | slice) -> PassageMatch | list[PassageMatch]:
        if isinstance(place, slice):
            return [self._match(int(number)) for number in self._order[place]]
        return self._match(int(self._order[place]))

    def _match(self, number: int) -> PassageMatch:
        source = int(self._places[:, number].argmax())
        passage = self._rankings[source][int(self._places[source, number])].passage
        shares = zip(self._names, self._shares[:, number].tolist(), strict=True)
        return PassageMatch(passage, {name: share for name, share in shares if share > 0})
