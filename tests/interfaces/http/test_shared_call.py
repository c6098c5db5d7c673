"""Calls that tasks share: few of them, and each task sees what was written before it came."""

import asyncio
import threading

from hypothesis import given
from hypothesis import strategies as st

from support.http_service import LONG
from uac.errors import StoreError
from uac.interfaces.http.shared_call import SharedCall


class Shelf:
    """A number that is written here, and read in the calls."""

    def __init__(self) -> None:
        self.written = 0
        self.read = 0
        self.calls = 0
        self.failing: set[int] = set()

    def call(self) -> None:
        self.calls += 1
        if self.calls in self.failing:
            raise StoreError(f"call {self.calls}")
        self.read = self.written


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_each_task_sees_what_was_written_before_it_came(pauses: list[int]) -> None:
    shelf = Shelf()
    shared = SharedCall(shelf.call)

    async def come(pause: int) -> bool:
        for _step in range(pause):
            await asyncio.sleep(0)
        shelf.written += 1
        own = shelf.written
        await shared.wait()
        return shelf.read >= own

    async def all_come() -> list[bool]:
        return await asyncio.gather(*map(come, pauses))

    assert all(asyncio.run(all_come()))
    assert shelf.calls <= len(pauses)


def test_those_who_come_while_a_call_runs_share_the_next_one() -> None:
    shelf = Shelf()
    shared = SharedCall(shelf.call)

    async def all_come() -> None:
        await asyncio.gather(*(shared.wait() for _ in range(50)))

    asyncio.run(all_come())
    assert shelf.calls == 2


def test_an_error_reaches_all_who_waited_for_that_call_and_nobody_else() -> None:
    shelf = Shelf()
    shelf.failing = {2}
    shared = SharedCall(shelf.call)

    async def all_come() -> list[BaseException | None]:
        return await asyncio.gather(*(shared.wait() for _ in range(3)), return_exceptions=True)

    first, *others = asyncio.run(all_come())
    assert (first, [str(error) for error in others]) == (None, ["call 2"] * 2)
    assert asyncio.run(all_come()) == [None, None, None]


def test_a_call_whose_task_is_cancelled_is_made_again_for_those_who_share_it() -> None:
    called, may_end = threading.Semaphore(0), threading.Semaphore(0)

    def call() -> None:
        called.release()
        assert may_end.acquire(timeout=LONG)

    shared = SharedCall(call)

    async def interrupted() -> None:
        first, second, third = (asyncio.create_task(shared.wait()) for _ in range(3))
        assert await asyncio.to_thread(called.acquire, timeout=LONG)
        may_end.release()
        await first
        assert await asyncio.to_thread(called.acquire, timeout=LONG)  # now the second one's call runs
        second.cancel()
        may_end.release()
        assert await asyncio.to_thread(called.acquire, timeout=LONG)  # and now the third one's
        may_end.release()
        await third

    asyncio.run(interrupted())
