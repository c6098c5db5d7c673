"""Persistent maps: a changed copy shares what did not change.

`immutables` has them in C, and no wheel for Python 3.14. There `BucketMap` takes its place, so that nothing has to be
compiled to install this package: the same methods in plain Python.
"""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

__all__ = ["BucketMap", "BucketMapMutation", "Map", "MapMutation"]

K = TypeVar("K")
V = TypeVar("V")

_MISSING: Final[Any] = object()


class BucketMap(Mapping[K, V]):
    """About as many dicts as each of them has items, and keys distributed over them by their hash.

    A change copies the list of dicts and one dict: at 100,000 items that is a few microseconds.
    """

    __slots__ = ("_buckets", "_count")

    def __init__(self, given: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._buckets: list[dict[K, V]] = [dict(given)]
        self._count = len(self._buckets[0])
        if self._count > 1:
            self._buckets = _spread(self._buckets, self._count)

    def __getitem__(self, key: K) -> V:
        return self._buckets[hash(key) & (len(self._buckets) - 1)][key]

    def get(self, key: Any, default: Any = None) -> Any:
        return self._buckets[hash(key) & (len(self._buckets) - 1)].get(key, default)

    def __contains__(self, key: object) -> bool:
        return key in self._buckets[hash(key) & (len(self._buckets) - 1)]

    def __iter__(self) -> Iterator[K]:
        return chain.from_iterable(self._buckets)

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BucketMap):
            return NotImplemented  # another kind of mapping compares itself
        return len(self) == len(other) and dict(self.items()) == dict(other.items())

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}({dict(self.items())!r})>"

    def items(self) -> ItemsView[K, V]:
        return _BucketItems(self)

    def values(self) -> ValuesView[V]:
        return _BucketValues(self)

    def pairs(self) -> Iterator[tuple[K, V]]:
        return chain.from_iterable(map(dict.items, self._buckets))

    def set(self, key: K, value: V) -> "BucketMap[K, V]":
        return self.update({key: value})

    def delete(self, key: K) -> "BucketMap[K, V]":
        mutation = self.mutate()
        del mutation[key]
        return mutation.finish()

    def update(self, given: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> "BucketMap[K, V]":
        mutation = self.mutate()
        mutation.update(given)
        return mutation.finish()

    def mutate(self) -> "BucketMapMutation[K, V]":
        return BucketMapMutation(self._buckets, self._count)

    @classmethod
    def of_buckets(cls, buckets: list[dict[K, V]], count: int) -> "BucketMap[K, V]":
        """The map with these dicts, which nobody changes from now on."""
        made: BucketMap[K, V] = cls()
        made._buckets, made._count = buckets, count
        return made


class _BucketItems(ItemsView[K, V]):
    _mapping: BucketMap[K, V]

    def __iter__(self) -> Iterator[tuple[K, V]]:
        return self._mapping.pairs()


class _BucketValues(ValuesView[V]):
    _mapping: BucketMap[Any, V]

    def __iter__(self) -> Iterator[V]:
        return (value for _key, value in self._mapping.pairs())


class BucketMapMutation(Mapping[K, V]):
    """A map that is being changed, until `finish`: each dict is copied when it is first changed."""

    __slots__ = ("_buckets", "_count", "_own")

    def __init__(self, buckets: list[dict[K, V]], count: int) -> None:
        self._buckets = buckets
        self._count = count
        self._own: set[int] | None = None
        """The dicts that are copies; None if the list itself is not yet one."""

    def __getitem__(self, key: K) -> V:
        return self._buckets[hash(key) & (len(self._buckets) - 1)][key]

    def get(self, key: Any, default: Any = None) -> Any:
        return self._buckets[hash(key) & (len(self._buckets) - 1)].get(key, default)

    def __contains__(self, key: object) -> bool:
        return key in self._buckets[hash(key) & (len(self._buckets) - 1)]

    def __iter__(self) -> Iterator[K]:
        raise TypeError("A mutation cannot be iterated. Call finish() first.")

    def __len__(self) -> int:
        return self._count

    def __setitem__(self, key: K, value: V) -> None:
        bucket = self._own_bucket(key)
        before = len(bucket)
        bucket[key] = value
        self._count += len(bucket) - before
        if self._count > len(self._buckets) ** 2:
            self._buckets = _spread(self._buckets, self._count)
            self._own = {*range(len(self._buckets))}

    def set(self, key: K, value: V) -> None:
        self[key] = value

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        del self._own_bucket(key)[key]
        self._count -= 1

    def pop(self, key: K, default: Any = _MISSING) -> Any:
        value = self.get(key, _MISSING)
        if value is not _MISSING:
            del self[key]
            return value
        if default is _MISSING:
            raise KeyError(key)
        return default

    def update(self, given: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        for key, value in dict(given).items():
            self[key] = value

    def finish(self) -> BucketMap[K, V]:
        self._own = None
        return BucketMap.of_buckets(self._buckets, self._count)

    def _own_bucket(self, key: K) -> dict[K, V]:
        """The dict of the key, as a copy that may be changed."""
        if self._own is None:
            self._buckets, self._own = self._buckets.copy(), set()
        number = hash(key) & (len(self._buckets) - 1)
        if number not in self._own:
            self._own.add(number)
            self._buckets[number] = self._buckets[number].copy()
        return self._buckets[number]


def _spread(buckets: list[dict[K, V]], count: int) -> list[dict[K, V]]:
    """The items in four times as many dicts, or in as many as they need; the old dicts stay as they are."""
    wanted = len(buckets)
    while count > wanted**2:
        wanted *= 4
    spread: list[dict[K, V]] = [{} for _ in range(wanted)]
    for key, value in chain.from_iterable(map(dict.items, buckets)):
        spread[hash(key) & (wanted - 1)][key] = value
    return spread


if TYPE_CHECKING:
    from immutables import Map, MapMutation
else:
    try:
        from immutables import Map, MapMutation
    except ImportError:
        Map, MapMutation = BucketMap, BucketMapMutation
