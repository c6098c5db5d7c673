"""One worker at a time for each user, in all stores; a worker that dies gives the lock back."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from uac.log.store import Store
from uac.log.stores import open_store
from uac_bench.faults.child_process import Child, Say

Opened = Callable[[], Store]


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Opens the same store again, as another process would."""
    address = str(tmp_path / "memory.db")
    if request.param == "postgres":
        address = request.getfixturevalue("new_url")
    return lambda: open_store(address)


def test_a_second_worker_of_one_user_has_to_wait_and_others_have_not(opened: Opened) -> None:
    with closing(opened()) as store, closing(opened()) as other:
        with store.log("ana").try_lock() as first, other.log("ana").try_lock() as second:
            with other.log("ben").try_lock() as third:
                assert (first, second, third) == (True, False, True)
            with other.log("ana").try_lock() as again:
                assert not again
        with other.log("ana").try_lock() as free:
            assert free


def test_the_store_in_memory_has_it_too() -> None:
    store = open_store("memory:")
    with store.log("ana").try_lock() as first, store.log("ana").try_lock() as second:
        assert (first, second) == (True, False)
    with store.log("ana").try_lock() as free:
        assert free


def test_a_worker_that_is_killed_gives_the_lock_back(opened: Opened) -> None:
    def work(say: Say) -> None:
        with closing(opened()) as store, store.log("ana").try_lock() as is_mine:
            say(str(is_mine))
            while True:
                pass

    with closing(opened()) as store:
        child = Child(work)
        assert child.line() == "True"
        with store.log("ana").try_lock() as is_mine:
            assert not is_mine
        child.kill()
        child.rest()
        for _ in range(100_000):  # a server notices a moment later
            with store.log("ana").try_lock() as is_mine:
                if is_mine:
                    return
        pytest.fail("the lock was never given back")


def test_a_folder_that_cannot_be_written_has_no_worker(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "memory.db")) as store:
        (tmp_path / "memory.db-lock").mkdir()
        with store.log("ana").try_lock() as is_mine:
            assert not is_mine
