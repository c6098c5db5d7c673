"""An array that grows at its end, and the distinct values of an array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GrowingArray", "distinct"]

INTEGERS = ("i1", "i2", "i4", "i8")  # signed, so that differences are right as long as their form holds them


class GrowingArray:
    """An array with room at its end, so that adding to it does not copy what is there.

    With `widens`, it has integers, and gets the next wider form when one is added that needs it.
    """

    def __init__(self, form: str, *, widens: bool = False) -> None:
        self._room = np.zeros(16, form)
        self._count = 0
        self._widens = widens

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> NDArray[Any]:
        return self._room[: self._count]

    def extend(self, values: NDArray[Any]) -> None:
        if self._widens and len(values):
            self._widen(int(values.min()), int(values.max()))
        self.grow(self._count + len(values))
        self._room[self._count - len(values) : self._count] = values

    def grow(self, count: int) -> None:
        """Make it at least so long, with zeros."""
        if count > len(self._room):
            self.make_room(count)
        self._count = max(count, self._count)

    def make_room(self, count: int) -> None:
        """Make room for so many values, and an eighth more, which takes no memory until it is used."""
        if count > len(self._room):
            larger = np.zeros(count + count // 8, self._room.dtype)
            larger[: self._count] = self._room[: self._count]
            self._room = larger

    def _widen(self, least: int, most: int) -> None:
        for form in INTEGERS:
            limits = np.iinfo(form)
            if limits.min <= least and most <= limits.max:
                if limits.max > np.iinfo(self._room.dtype).max:
                    self._room = self._room.astype(form)
                return


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values in order, each once: as `np.unique`, which loads all of numpy's masked arrays on its first call."""
    ordered = np.sort(values, kind="stable")  # linear if it is made of few sorted parts, as it mostly is
    is_first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
