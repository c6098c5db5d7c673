"""The open memories of the service: one for each user, used by one request at a time, up to a weight."""

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from uac.memory.memory import Memory

__all__ = ["CACHE_BYTES", "MEMBER", "MemoryCache"]

MEMBER = "\n"
"""Separates the id of a group from that of a member in the names of open memories; neither contains it."""

CACHE_BYTES = 2**30
"""The estimated bytes of the open memories."""

LARGE = 32 * 2**20  # estimated bytes of a memory that would make each full collection of garbage a pause for all


class _Open:
    """One user's memory, how many requests use it, their lock, and what it weighs."""

    __slots__ = ("lock", "memory", "name", "users", "weight")

    def __init__(self, name: str, memory: Memory) -> None:
        self.name = name
        self.memory = memory
        self.lock = threading.Lock()
        self.users = 0
        self.weight = 0


class MemoryCache:
    """Opens memories by the user's id in the store.

    If together they weigh more than `most_bytes`, the least recently used are forgotten, but those in use and the one
    used last stay, however large. Of those that nobody uses, `awake` keep their interpreter: each has a process of its
    own, and there are not many.
    """

    def __init__(self, make: Callable[[str], Memory], *, most_bytes: int = CACHE_BYTES, awake: int = 48) -> None:
        self._make = make
        self._most_bytes = most_bytes
        self._most_awake = awake
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, _Open] = OrderedDict()
        self._awake: OrderedDict[str, _Open] = OrderedDict()
        self._weight = 0

    @contextmanager
    def use_memory(self, name: str) -> Iterator[Memory]:
        """The memory of a user, for this thread alone until the block ends."""
        with self._lock:
            place = self._opened.get(name) or self._opened.setdefault(name, _Open(name, self._make(name)))
            self._opened.move_to_end(name)
            self._awake[name] = place
            self._awake.move_to_end(name)
            place.users += 1
        weight = place.weight
        try:
            with place.lock:
                yield place.memory
                weight = place.memory.weight()
        finally:
            with self._lock:
                place.users -= 1
                has_grown = weight - place.weight >= LARGE
                if self._opened.get(name) is place:
                    self._weight += weight - place.weight
                place.weight = weight
                forgotten, tired = self._beyond_weight(), self._beyond_interpreters()
            for one in forgotten:
                one.memory.forget_caches()  # nobody has it, and nothing of it waits for a collection
            for one in tired:
                if one.lock.acquire(blocking=False):  # else it is in use again
                    one.memory.close()
                    one.lock.release()
            _spare_collections(has_grown=has_grown, has_shrunk=any(one.weight >= LARGE for one in forgotten))

    def _beyond_weight(self) -> list[_Open]:
        """Take out the memories that are too much, least recently used first."""
        forgotten: list[_Open] = []
        if self._weight > self._most_bytes:
            for one in list(self._opened.values())[:-1]:
                if not one.users:
                    self._take_out(one)
                    forgotten.append(one)
                if self._weight <= self._most_bytes:
                    break
        return forgotten

    def _beyond_interpreters(self) -> list[_Open]:
        """The memories that must give their interpreter back, least recently used first."""
        idle = [one for one in self._awake.values() if not one.users]
        tired = idle[: max(len(idle) - self._most_awake, 0)]
        for one in tired:
            del self._awake[one.name]
        return tired

    def _take_out(self, place: _Open) -> None:
        del self._opened[place.name]
        self._awake.pop(place.name, None)
        self._weight -= place.weight

    @contextmanager
    def separate_memory(self, name: str) -> Iterator[Memory]:
        """A second memory of the user: other requests do not wait while a model is called."""
        memory = self._make(name)
        try:
            yield memory
        finally:
            memory.close()

    def open_count(self) -> int:
        """How many memories are open."""
        return len(self._opened)

    def weight(self) -> int:
        """The estimated bytes of the open memories."""
        return self._weight

    def drop_user(self, name: str) -> None:
        """Close the memories of a user who was erased, or of a group, for which each member has one."""
        with self._lock:
            dropped = [
                place
                for place in self._opened.values()
                if not place.users and (place.name == name or place.name.startswith(f"{name}{MEMBER}"))
            ]
            for place in dropped:
                self._take_out(place)
        for place in dropped:
            place.memory.close()

    def close_all(self) -> None:
        with self._lock:
            opened, self._opened = self._opened, OrderedDict()
            self._awake.clear()
            self._weight = 0
        for place in opened.values():
            with place.lock:
                place.memory.close()


def _spare_collections(*, has_grown: bool, has_shrunk: bool) -> None:
    """Keep the objects of large memories out of the collection of garbage, which stops all threads while it looks at
    them. They are freed without it; the garbage that was kept with them is collected when a large memory goes."""
    if has_shrunk:
        gc.unfreeze()
        gc.collect()
    elif has_grown:
        gc.collect(1)
    if has_shrunk or has_grown:
        gc.freeze()
