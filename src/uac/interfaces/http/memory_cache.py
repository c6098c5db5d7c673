"""The open memories of the service: one for each user, used by one request at a time, up to a limit."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from uac.memory.memory import Memory

__all__ = ["MemoryCache"]


class _Open:
    """One user's memory, how many requests use it, their lock, and whether it may have an interpreter."""

    __slots__ = ("is_awake", "lock", "memory", "users")

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.lock = threading.Lock()
        self.users = 0
        self.is_awake = False


class MemoryCache:
    """Opens memories by the user's id in the store. Beyond `most`, the least recently used are closed.

    Of those that nobody uses, `awake` keep their interpreter: each has a process of its own, and there are not many.
    """

    def __init__(self, make: Callable[[str], Memory], *, most: int = 200, awake: int = 48) -> None:
        self._make = make
        self._most = most
        self._awake = awake
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, _Open] = OrderedDict()

    @contextmanager
    def use_memory(self, name: str) -> Iterator[Memory]:
        """The memory of a user, for this thread alone until the block ends."""
        with self._lock:
            place = self._opened.get(name) or self._opened.setdefault(name, _Open(self._make(name)))
            self._opened.move_to_end(name)
            place.users += 1
            place.is_awake = True
        try:
            with place.lock:
                yield place.memory
        finally:
            with self._lock:
                place.users -= 1
                idle = [name for name, one in self._opened.items() if not one.users]
                closed = [self._opened.pop(name) for name in idle[: max(len(self._opened) - self._most, 0)]]
                closed += self._memories_over_limit()
            for one in closed:
                if one.lock.acquire(blocking=False):  # else it is in use again
                    one.memory.close()
                    one.lock.release()

    def _memories_over_limit(self) -> list[_Open]:
        """The memories that must give their interpreter back, least recently used first."""
        awake = [one for one in self._opened.values() if one.is_awake and not one.users]
        tired = awake[: max(len(awake) - self._awake, 0)]
        for one in tired:
            one.is_awake = False
        return tired

    @contextmanager
    def separate_memory(self, name: str) -> Iterator[Memory]:
        """A second memory of the user: other requests do not wait while a model is called."""
        memory = self._make(name)
        try:
            yield memory
        finally:
            memory.close()

    def drop_user(self, name: str) -> None:
        """Close the memory of a user who was erased."""
        with self._lock:
            place = self._opened.get(name)
            if place is None or place.users:
                return
            del self._opened[name]
        place.memory.close()

    def close_all(self) -> None:
        with self._lock:
            opened, self._opened = self._opened, OrderedDict()
        for place in opened.values():
            with place.lock:
                place.memory.close()
