"""One lock for each memory: several adapters in several threads may share a memory, which serves one call at a time."""

import threading
from weakref import WeakKeyDictionary

__all__ = ["memory_lock"]

_LOCKS: WeakKeyDictionary[object, threading.RLock] = WeakKeyDictionary()
_GUARD = threading.Lock()


def memory_lock(memory: object) -> threading.RLock:
    """The lock to hold while this memory is used."""
    with _GUARD:
        return _LOCKS.setdefault(memory, threading.RLock())
