"""Who waits for news: a write in this process wakes them at once, so they need to look by themselves only rarely."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import anyio

__all__ = ["ChangeNotifier", "Wakeup"]

EVERYBODY = ""  # no user has this id


class ChangeNotifier:
    """Tells listeners that a user's log may have grown. What a listener does must be quick and safe in any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, list[Callable[[str], None]]] = {}

    def notify(self, name: str) -> None:
        """The log that the store keeps under this id may have grown."""
        for listener in self._of(name):
            listener(name)

    @contextmanager
    def listening(self, listener: Callable[[str], None], name: str = EVERYBODY) -> Iterator[None]:
        """Hear of one user, or of everybody, until the block ends."""
        with self._lock:
            self._listeners.setdefault(name, []).append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners[name].remove(listener)
                if not self._listeners[name]:
                    del self._listeners[name]

    def _of(self, name: str) -> list[Callable[[str], None]]:
        with self._lock:
            return [*self._listeners.get(name, ()), *self._listeners.get(EVERYBODY, ())]


class Wakeup:
    """Wakes who waits in the event loop that it was made in. It may be rung in any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    def wake(self, _name: str = "") -> None:
        with suppress(RuntimeError):  # the loop has ended, and whoever waited there with it
            self._loop.call_soon_threadsafe(self._woken.set)

    async def wait(self, seconds: float) -> None:
        """Until it is rung, but no longer than this."""
        with anyio.move_on_after(seconds):
            await self._woken.wait()
        self._woken.clear()
