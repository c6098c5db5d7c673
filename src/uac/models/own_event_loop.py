"""Runs a coroutine in an event loop of its own, from any thread, even inside a running loop."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["run_in_own_loop"]

T = TypeVar("T")


def run_in_own_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run in a new event loop; inside a running loop, in a new thread as well."""
    if not _is_in_event_loop():
        return _run_in_new_loop(work)
    with ThreadPoolExecutor(max_workers=1) as threads:
        return threads.submit(_run_in_new_loop, work).result()


def _is_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_in_new_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    # With its own factory, the runner does not change the thread's current loop.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work())
