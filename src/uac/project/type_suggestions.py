"""Suggests types for a mistyped name."""

from collections.abc import Collection
from difflib import SequenceMatcher

__all__ = ["similar_type_names"]

ALIKE = 0.6  # similarity from which on a name is suggested for another
MOST_MEANT = 3


def similar_type_names(name: str, known: Collection[str]) -> list[str]:
    """The names similar to this one, the closest first.

    Domain and type are compared separately: a shared domain does not make two names more alike.
    """
    domain, _dot, last = name.casefold().rpartition(".")

    def likeness(other: str) -> float:
        others, _dot, own = other.casefold().partition(".")
        if own == last:
            return 2.0 if others == domain else 1.0
        alike = SequenceMatcher(None, last, own).ratio()
        return alike if not domain or SequenceMatcher(None, domain, others).ratio() >= ALIKE else 0.0

    found = sorted((-likeness(other), other) for other in known)
    return [other for closeness, other in found if closeness <= -ALIKE][:MOST_MEANT]
