"""The first use of a part of the package in a process: it loads modules and tables, which are many lasting objects."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["first_use"]

SELDOM = 250_000
"""New objects between two collections of garbage: more than a first use makes."""


class _Collector:
    """The collector of this process, which is to run seldom while a first use is under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: set[str] = set()
        self._running = 0
        self._usual = 0

    def start(self, part: str) -> bool:
        """Whether it is the first use, for which `stop` must be called."""
        with self._lock:
            if part in self._seen:
                return False
            self._seen.add(part)
            if not self._running:
                self._usual = gc.get_threshold()[0]
                _set_threshold(max(self._usual, SELDOM) if self._usual else 0)
            self._running += 1
            return True

    def stop(self) -> None:
        with self._lock:
            self._running -= 1
            if not self._running:
                if not gc.get_freeze_count():  # that of the program would end
                    # Together they make all objects old ones, which a collection of new ones does not go through.
                    gc.freeze()
                    gc.unfreeze()
                _set_threshold(self._usual)


def _set_threshold(objects: int) -> None:
    gc.set_threshold(objects, *gc.get_threshold()[1:])


_COLLECTOR = _Collector()


@contextmanager
def first_use(part: str) -> Iterator[None]:
    """Collect garbage seldom during the first use of a part.

    What it loads stays, and as it grows the collector would go through it again and again: an eighth of the time until
    the first answer.
    """
    is_first = _COLLECTOR.start(part)
    try:
        yield
    finally:
        if is_first:
            _COLLECTOR.stop()
