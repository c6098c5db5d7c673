"""One call in a thread for all tasks that wait for it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import anyio

from uac.errors import StoreError
from uac.interfaces.http.request_threads import run_in_thread

__all__ = ["SharedCall"]


class SharedCall:
    """Calls a function in a thread of its own. Tasks that come while it runs share the next call.

    So each task waits for a call that began after the task came, and sees everything that was written before.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="uac-shared")
        self._turn = anyio.Lock(fast_acquire=True)  # not bound to the event loop in which it is first used
        self._begun = 0
        self._ended = 0
        """The number of the last call that ended; one whose task is cancelled does not count, and is made again."""
        self._error: StoreError | None = None

    async def wait(self) -> None:
        """Return after a call that begins after now; raise the StoreError of that call."""
        wanted = self._begun + 1
        async with self._turn:
            if self._ended < wanted:
                self._begun += 1
                try:
                    await run_in_thread(self._thread, self._call)
                except StoreError as error:
                    self._error = error
                else:
                    self._error = None
                self._ended = self._begun
            if self._error is not None:
                raise self._error
