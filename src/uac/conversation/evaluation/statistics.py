"""How far a share of right answers can be trusted, and whether two runs over the same questions differ."""

from math import comb, sqrt
from typing import NamedTuple

__all__ = ["Share", "mcnemar", "wilson"]

Z_95 = 1.959963984540054


class Share(NamedTuple):
    """A share, and its 95 % interval."""

    right: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.right / self.of if self.of else 0.0


def wilson(right: int, of: int) -> Share:
    """Wilson's 95 % interval, which stays within 0 and 1 and is honest about small numbers."""
    if not of:
        return Share(0, 0, 0.0, 1.0)
    share, z2 = right / of, Z_95**2
    middle = share + z2 / (2 * of)
    spread = Z_95 * sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    low, high = ((middle + sign * spread) / (1 + z2 / of) for sign in (-1, 1))
    return Share(right, of, max(0.0, low) if right else 0.0, min(1.0, high) if right < of else 1.0)


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test, from the questions that only one of two runs got right."""
    differing = only_first + only_second
    tail = sum(comb(differing, count) for count in range(min(only_first, only_second) + 1))
    return min(1.0, tail / 2.0 ** (differing - 1))
