"""Suggests types and records for a mistyped name."""

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher, get_close_matches

__all__ = ["similar_constraints", "similar_record_ids", "similar_type_names"]

ALIKE = 0.6  # similarity from which on a name is suggested for another
MOST_MEANT = 3
MOST_COMPARED = 2000  # ids of a type: comparing more takes longer than the command


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


def similar_constraints(name: str, known: Collection[str], active: Collection[tuple[str, str]]) -> list[str]:
    """The constraints that a wrong name may mean: those with an active alert about it, else those named alike.

    `active` has the constraint and the subject of each active alert.
    """
    about = sorted({constraint for constraint, subject in active if name and name.casefold() in subject.casefold()})
    return (about or get_close_matches(name, sorted(known), MOST_MEANT, ALIKE))[:MOST_MEANT]


def similar_record_ids(record_id: str, known: Mapping[str, Collection[str]]) -> list[str]:
    """The ids similar to this one, of the known ids by type: the same key in any type, else in its own type a key with
    a part in common (`travel.Trip:bali` for `travel.Trip:bali|2027-01-05`), or a similar one.

    A type that is mistyped or left out does not matter if the key is right.
    """
    type_name, colon, key = record_id.partition(":")
    key = (key if colon else record_id).casefold()
    if same := sorted(found for name, ids in known.items() if (found := f"{name}:{key}") in ids and found != record_id):
        return same[:MOST_MEANT]
    own = known.get(type_name, ())
    if len(own) > MOST_COMPARED:
        return []
    parts = set(key.split("|"))
    if shared := sorted(found for found in own if not parts.isdisjoint(found.partition(":")[2].split("|"))):
        return shared[:MOST_MEANT]
    keys = sorted(found.partition(":")[2] for found in own)
    return [f"{type_name}:{near}" for near in get_close_matches(key, keys, n=MOST_MEANT, cutoff=0.75)]
