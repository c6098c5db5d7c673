"""Threads for requests: how many calls run at once, who waits, and who no longer counts."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial

import pytest

from uac.interfaces.http.request_threads import RequestThreads

LONG = 30.0  # seconds that no test waits
NAME: ContextVar[str] = ContextVar("name", default="")


def run_with_threads(test: Callable[[ThreadPoolExecutor], Awaitable[None]]) -> None:
    async def whole() -> None:
        with ThreadPoolExecutor(8) as threads:
            await test(threads)

    asyncio.run(whole())


def test_as_many_calls_run_at_once_as_there_are_places_and_the_others_follow_in_order() -> None:
    async def body(pool: ThreadPoolExecutor) -> None:
        threads, begun = RequestThreads(pool, at_once=2, patience=LONG), list[int]()
        ends = [threading.Event() for _number in range(5)]
        both = threading.Barrier(3)

        def call(number: int) -> int:
            begun.append(number)
            if number < 2:
                both.wait(LONG)
            assert ends[number].wait(LONG)
            return number

        tasks = [asyncio.create_task(threads.run(partial(call, number))) for number in range(5)]
        await asyncio.to_thread(both.wait, LONG)
        assert sorted(begun) == [0, 1]
        for number, task in enumerate(tasks):
            ends[number].set()
            assert await task == number
        assert begun[2:] == [2, 3, 4]

    run_with_threads(body)


def test_a_call_that_takes_long_gives_its_place_up() -> None:
    async def body(pool: ThreadPoolExecutor) -> None:
        threads, end = RequestThreads(pool, at_once=1, patience=0.0), threading.Event()
        slow = asyncio.create_task(threads.run(lambda: end.wait(LONG)))
        assert await threads.run(lambda: "served") == "served"
        end.set()
        assert await slow
        assert await threads.run(lambda: "again") == "again"

    run_with_threads(body)


def test_a_place_is_taken_once_by_a_call_that_gave_it_up() -> None:
    async def body(pool: ThreadPoolExecutor) -> None:
        threads = RequestThreads(pool, at_once=1, patience=0.0)
        for _number in range(3):
            await threads.run(lambda: None)
        assert threads._free == 1

    run_with_threads(body)


def test_a_request_that_is_cancelled_while_it_waits_takes_no_place() -> None:
    async def body(pool: ThreadPoolExecutor) -> None:
        threads, end = RequestThreads(pool, at_once=1, patience=LONG), threading.Event()
        first = asyncio.create_task(threads.run(lambda: end.wait(LONG)))
        gone = [asyncio.create_task(threads.run(lambda: pytest.fail("it ran"))) for _number in range(2)]
        await asyncio.sleep(0)
        gone[0].cancel()
        end.set()
        assert await first
        gone[1].cancel()  # which has just got the place
        assert [type(each) for each in await asyncio.gather(*gone, return_exceptions=True)] == [
            asyncio.CancelledError,
            asyncio.CancelledError,
        ]
        assert await threads.run(lambda: "next") == "next"
        assert threads._free == 1

    run_with_threads(body)


def test_an_error_of_a_call_is_raised_where_it_is_awaited_and_leaves_its_place() -> None:
    async def body(pool: ThreadPoolExecutor) -> None:
        threads = RequestThreads(pool, at_once=1, patience=LONG)
        with pytest.raises(ZeroDivisionError):
            await threads.run(lambda: 1 // 0)
        assert await threads.run(lambda: 1) == 1

    run_with_threads(body)


def test_a_call_sees_the_context_of_its_task() -> None:
    async def body(pool: ThreadPoolExecutor) -> None:
        NAME.set("ana")
        assert await RequestThreads(pool).run(NAME.get) == "ana"

    run_with_threads(body)
