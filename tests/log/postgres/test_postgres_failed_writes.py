"""Every write, failing at its first, second, third … exchange with the server, is whole or absent."""

from collections.abc import Callable
from itertools import count
from typing import Any, Literal

import psycopg
import pytest
from psycopg.rows import TupleRow

from support.postgres_logs import empty, name_in
from support.postgres_server import Server
from uac.errors import StoreError
from uac.log.index import RecallKind
from uac.log.stores.postgres import PostgresStore
from uac.schema.entries import Entry
from uac.testing.recall import change_recall_index, passages_with_words, recall_passage
from uac.testing.store import entries_of, store_fact, store_turn

Mode = Literal["connection lost before", "reply lost", "statement failed"]


class Fault:
    """Breaks the nth exchange with the server, of all the connections it makes."""

    def __init__(self, server: Server, mode: Mode, at: int) -> None:
        self.server = server
        self.mode = mode
        self.at = at
        self.count = 0

    def connect(self, url: str) -> psycopg.Connection[TupleRow]:
        fault = self

        class Breaking(psycopg.Connection[TupleRow]):
            def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
                fault.count += 1
                if fault.count != fault.at:
                    return super().wait(gen, interval, timeout)
                if fault.mode == "statement failed":
                    self.pgconn.exec_(b"SELECT 1/0")  # from here on the server refuses all but ROLLBACK
                    return super().wait(gen, interval, timeout)
                reply = super().wait(gen, interval, timeout) if fault.mode == "reply lost" else None
                fault.server.cut(self)
                if fault.mode == "reply lost":
                    if self.pgconn.pipeline_status:
                        return reply  # psycopg is between two halves of an exchange: the next half fails
                    gen = self._exec_command(b"SELECT 1")
                return super().wait(gen, interval, timeout)

        return Breaking.connect(url, autocommit=True)


def append_batch(store: PostgresStore) -> None:
    store.log("ana").append([store_turn("three", key="k1"), store_turn("two", key="k0"), store_turn("four", key="k2")])


def append_first(store: PostgresStore) -> None:
    store.log("cleo").append([store_turn("I am Cleo", key="c")])


def erase_entries(store: PostgresStore) -> None:
    store.log("ana").erase([2], why="asked")


def erase_user(store: PostgresStore) -> None:
    store.erase("ben")


State = dict[str, tuple[list[Entry | None], dict[str, list[tuple[RecallKind, int]]]]]


def state_of(store: PostgresStore) -> State:
    """All that fresh logs and indexes find, and by words, after the chains have been verified."""
    logs = {user: store.log(user) for user in ("ana", "ben", "cleo")}
    assert [log.verify() for log in logs.values()] == [None, None, None]
    return {
        user: (entries_of(log), passages_with_words(log.index(), "one", "two", "ben")) for user, log in logs.items()
    }


def fill(server: Server, store: PostgresStore, url: str) -> None:
    empty(server, url)
    store.log("ana").append([store_turn("one"), store_turn("two", key="k0"), store_fact("Ana said two", 2, "two")])
    store.log("ben").append([store_turn("I am Ben")])
    change_recall_index(
        store.log("ana").index(),
        recall_passage(1, "one"),
        recall_passage(2, "two"),
        recall_passage(3, "two", kind="fact"),
    )
    change_recall_index(store.log("ben").index(), recall_passage(1, "ben"))


STEPS: dict[Mode, tuple[int, int]] = {
    "connection lost before": (1, 2),
    "reply lost": (1, 1),
    "statement failed": (2, 2),
}
"""The first step and how many further the next is, unless all tests run: each step fails in two of the modes."""


@pytest.mark.parametrize("mode", [*STEPS])
@pytest.mark.parametrize("write", [append_batch, append_first, erase_entries, erase_user])
def test_a_write_that_fails_at_any_step_is_whole_or_absent_and_can_be_repeated(
    server: Server,
    url: str,
    store: PostgresStore,
    write: Callable[[PostgresStore], None],
    mode: Mode,
    request: pytest.FixtureRequest,
) -> None:
    start, every = (1, 1) if request.config.getoption("--slow") else STEPS[mode]
    reader = PostgresStore(url, create=False)
    fill(server, store, url)
    before = state_of(reader)
    write(store)
    after = state_of(reader)
    seen = set()
    for step in count(start, every):
        fill(server, store, url)
        fault = Fault(server, mode, at=0)
        broken = PostgresStore(url, connect=fault.connect)
        fault.count, fault.at = 0, step
        failure = ""
        try:
            write(broken)
        except StoreError as error:
            failure = str(error)
        broken.close()
        state = state_of(reader)
        assert state in (before, after) if failure else state == after
        if failure and state == after:
            assert "may or may not be stored" in failure or "Run the same erase again" in failure
        seen.add((bool(failure), state == after))
        write(store)
        assert state_of(reader) == after
        assert server.execute("SELECT * FROM uac.unscrubbed", name_in(url)) == []
        if fault.count < step:
            break
    reader.close()
    assert (True, False) in seen
    assert (False, True) in seen
    if mode == "reply lost":
        assert (True, True) in seen


@pytest.mark.parametrize("mode", ["connection lost before", "reply lost", "statement failed"])
def test_a_creation_that_fails_at_any_step_leaves_nothing_or_a_store(
    server: Server, new_url: str, mode: Mode, request: pytest.FixtureRequest
) -> None:
    parts = "SELECT count(*) FILTER (WHERE relname ~ '^entries_..$'), count(*) > 0 FROM pg_class"
    parts += " WHERE relnamespace = to_regnamespace('uac')"
    every = 1 if request.config.getoption("--slow") else 4
    for step in count(1):
        fault = Fault(server, mode, at=step)
        try:
            PostgresStore(new_url, connect=fault.connect).close()
        except StoreError:
            found = server.execute(parts, name_in(new_url))
            assert found in ([(0, False)], [(16, True)])
            if found == [(0, False)] and step % every:
                continue
        store = PostgresStore(new_url)
        assert store.log("ana").append([store_turn("hello")]) == (1,)
        store.close()
        server.execute("DROP SCHEMA uac CASCADE", name_in(new_url))
        if fault.count < step:
            break
    assert step > 5
