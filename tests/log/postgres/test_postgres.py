"""The PostgreSQL store against a real server: the contract, and several writers at once."""

import os
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import chain

import pytest

from support.postgres_logs import empty, name_in, texts_of
from support.postgres_server import Server, wait_until
from uac.errors import Refused
from uac.log.log import EMPTY
from uac.log.store import Store
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.postgres_pool import CONNECTIONS
from uac.testing import StoreContract
from uac.testing.store import store_turn


class TestPostgres(StoreContract):
    @pytest.fixture
    def store(self, server: Server, url: str) -> Iterator[Store]:
        store = PostgresStore(url)
        empty(server, url)
        yield store
        store.close()


def append_some(url: str, writer: int) -> list[int]:
    """Runs in a process of its own."""
    store = PostgresStore(url)
    log = store.log("ana")
    positions = [log.append([store_turn(f"{writer}.{n}")])[0] for n in range(30)]
    store.close()
    return positions


def test_several_processes_append_without_loss_or_gap(new_url: str, processes: ProcessPoolExecutor) -> None:
    written = list(processes.map(append_some, [new_url] * 3, range(3)))
    store = PostgresStore(new_url, create=False)
    assert sorted(chain.from_iterable(written)) == list(range(1, 91))
    assert store.log("ana").verify() is None
    for writer, positions in enumerate(written):
        stored = {item.position: item.entry for item in store.log("ana").read()}
        assert [stored[position] for position in positions] == [store_turn(f"{writer}.{n}") for n in range(30)]
    store.close()


def test_a_new_database_may_be_opened_by_several_at_once(new_url: str) -> None:
    with ThreadPoolExecutor(5) as threads:
        stores = list(threads.map(PostgresStore, [new_url] * 5))
    for store in stores:
        store.log("ana").append([store_turn("hello")])
    assert stores[0].log("ana").head().position == 5
    for store in stores:
        store.close()


def test_more_retries_at_once_than_connections_do_not_wait_for_each_other(store: PostgresStore) -> None:
    users = [f"user {n}" for n in range(CONNECTIONS + 5)]
    for user in users:
        store.log(user).append([store_turn("hello", key="k")])
    start = threading.Barrier(len(users))

    def retry(user: str) -> tuple[int, ...]:
        start.wait()
        # A retry reads the first entry while it holds the lock on the log.
        return [store.log(user).append([store_turn("hello", key="k")]) for _ in range(5)][-1]

    with ThreadPoolExecutor(len(users)) as threads:
        assert list(threads.map(retry, users)) == [(1,)] * len(users)


def test_erasing_a_user_waits_for_the_append_that_is_under_way(server: Server, url: str, store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("one")])
    waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'"
    with ThreadPoolExecutor(1) as threads:
        with log._rows.writing() as writing:
            erased = threads.submit(store.erase, "ana")
            wait_until(lambda: bool(server.execute(waiting)), "the erasure waits")
            assert writing.head.position == 1
        erased.result()
    assert log.head() == EMPTY
    assert server.execute("SELECT count(*) FROM uac.entries", name_in(url)) == [(0,)]


def test_a_refused_or_empty_append_leaves_no_user_behind(server: Server, url: str, store: PostgresStore) -> None:
    with pytest.raises(Refused):
        store.log("ana").append([store_turn("")])
    assert store.log("ana").append([]) == ()
    assert server.execute("SELECT * FROM uac.users", name_in(url)) == []


def test_a_forked_process_makes_its_own_connections(store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("before")])
    with store._pool.connection() as connection:
        mine = connection.info.backend_pid
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons advise against fork
        child = os.fork()
    if child == 0:
        status = 1
        try:
            with store._pool.connection() as connection:
                status = 0 if connection.info.backend_pid != mine and log.append([store_turn("child")]) == (2,) else 1
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    with store._pool.connection() as connection:
        assert connection.info.backend_pid == mine
    log.append([store_turn("parent")])
    assert texts_of(log) == ["before", "child", "parent"]
