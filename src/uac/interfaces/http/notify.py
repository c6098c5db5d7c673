"""Notification of writes, here or in another process, so that those who wait for changes rarely need to poll."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import anyio

__all__ = ["ChangeNotifier", "Wakeup"]

EVERYBODY = ""  # no user has this id


class ChangeNotifier:
    """Notifies listeners that a user's log may have grown. A listener must be quick and thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, list[Callable[[str], None]]] = {}
        self._relay: Callable[[str], None] | None = None

    def notify_user_changed(self, name: str) -> None:
        """Notify that the log with this id in the store may have grown, by a write of this process."""
        if self._relay is not None:
            self._relay(name)
        self.notify_changed_elsewhere(name)

    def notify_changed_elsewhere(self, name: str) -> None:
        """The same for a write of another process, which is not passed on."""
        for listener in self._listeners_for(name):
            listener(name)

    @contextmanager
    def relay(self, relay: Callable[[str], None]) -> Iterator[None]:
        """Pass writes of this process on to others until the block ends."""
        self._relay = relay
        try:
            yield
        finally:
            self._relay = None

    @contextmanager
    def listen(self, listener: Callable[[str], None], name: str = EVERYBODY) -> Iterator[None]:
        """Listen for one user, or for all, until the block ends."""
        with self._lock:
            self._listeners.setdefault(name, []).append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners[name].remove(listener)
                if not self._listeners[name]:
                    del self._listeners[name]

    def _listeners_for(self, name: str) -> list[Callable[[str], None]]:
        with self._lock:
            return [*self._listeners.get(name, ()), *self._listeners.get(EVERYBODY, ())]


class Wakeup:
    """Wakes a waiting task in the event loop that it was made in. `wake` may be called in any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    def wake(self, _name: str = "") -> None:
        with suppress(RuntimeError):  # the loop has ended, and its waiters with it
            self._loop.call_soon_threadsafe(self._woken.set)

    async def wait(self, seconds: float) -> None:
        """Wait until `wake` is called, at most `seconds`."""
        with anyio.move_on_after(seconds):
            await self._woken.wait()
        self._woken.clear()
