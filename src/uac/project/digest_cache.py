"""A bounded memory of what has been checked, by digest."""

import threading
from collections import OrderedDict
from hashlib import sha256

import msgspec

__all__ = ["DigestCache"]


class DigestCache:
    """Remembers the SHA-256 digests of at most `limit` checked values; the longest unused is forgotten first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._digests: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, value: object) -> bool:
        digest = _value_digest(value)
        with self._lock:
            if digest not in self._digests:
                return False
            self._digests.move_to_end(digest)
            return True

    def __len__(self) -> int:
        return len(self._digests)

    def add(self, value: object) -> None:
        """Remember a value; whatever its result depends on must be part of it."""
        with self._lock:
            self._digests[_value_digest(value)] = None
            while len(self._digests) > self._limit:
                self._digests.popitem(last=False)


def _value_digest(value: object) -> bytes:
    return sha256(msgspec.json.encode(value)).digest()
