"""Threads for requests: few at a time, so that they do not take the interpreter from each other."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import TypeVar

__all__ = ["RequestThreads", "run_in_thread"]

T = TypeVar("T")

MOST_AT_ONCE = 3
"""Calls that run at once: while some wait for the disk, another one computes. With sixteen, each takes twice as much
processor time, because they wait for the interpreter after every statement."""

PATIENCE = 0.02
"""Seconds after which a call no longer counts: it waits for something, and others are not to wait for it."""


class RequestThreads:
    """Runs calls in threads, in the order in which they come."""

    def __init__(self, threads: Executor, *, at_once: int = MOST_AT_ONCE, patience: float = PATIENCE) -> None:
        self._threads = threads
        self._patience = patience
        self._free = at_once
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def run(self, call: Callable[[], T]) -> T:
        """The result of the call, in the context of this task."""
        loop = asyncio.get_running_loop()
        await self._take_place(loop)
        place = _Place(self._leave_place)
        timer = loop.call_later(self._patience, place.leave)
        try:
            return await run_in_thread(self._threads, partial(copy_context().run, call))
        finally:
            timer.cancel()
            place.leave()

    async def _take_place(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._free:
            self._free -= 1
            return
        turn = loop.create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave_place()
            raise

    def _leave_place(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


async def run_in_thread(threads: Executor, call: Callable[[], T]) -> T:
    """What `run_in_executor` does, in half the time: one future is waited for, and nothing is copied to it."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    running = threads.submit(call)
    try:
        running.add_done_callback(lambda _running: _wake(loop, ended))
        await ended
    finally:
        running.cancel()  # unless it has begun
    return running.result()


class _Place:
    """A call's place, which it leaves once."""

    __slots__ = ("_leave",)

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave: Callable[[], None] | None = leave

    def leave(self) -> None:
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()


def _wake(loop: asyncio.AbstractEventLoop, ended: asyncio.Future[None]) -> None:
    with suppress(RuntimeError):  # the loop has ended, and its tasks with it
        loop.call_soon_threadsafe(_set_ended, ended)


def _set_ended(ended: asyncio.Future[None]) -> None:
    if not ended.done():
        ended.set_result(None)
