"""Every write, failing at its first, second, third … exchange with the server, is whole or absent."""

from collections.abc import Callable
from itertools import count

import pytest

from support.postgres_logs import empty, name_in
from support.postgres_server import Server
from uac.errors import StoreError
from uac.log.index import RecallKind
from uac.log.stores.postgres import PostgresStore
from uac.schema.entries import Entry
from uac.testing.recall import change_recall_index, passages_with_words, recall_passage
from uac.testing.store import entries_of, store_turn
from uac_bench.faults.exchanges import ExchangeFault, ExchangeMode
from uac_bench.faults.write_paths import append_batch, append_first, erase_entries, erase_user, fill_store

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
    fill_store(store)
    change_recall_index(
        store.log("ana").index(),
        recall_passage(1, "one"),
        recall_passage(2, "two"),
        recall_passage(3, "two", kind="fact"),
    )
    change_recall_index(store.log("ben").index(), recall_passage(1, "ben"))


STEPS: dict[ExchangeMode, tuple[int, int]] = {
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
    mode: ExchangeMode,
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
        fault = ExchangeFault(server.cut, mode)
        broken = PostgresStore(url, connect=fault.connect)
        fault.arm(step)
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
    server: Server, new_url: str, mode: ExchangeMode, request: pytest.FixtureRequest
) -> None:
    parts = "SELECT count(*) FILTER (WHERE relname ~ '^entries_..$'), count(*) > 0 FROM pg_class"
    parts += " WHERE relnamespace = to_regnamespace('uac')"
    every = 1 if request.config.getoption("--slow") else 4
    for step in count(1):
        fault = ExchangeFault(server.cut, mode)
        fault.arm(step)
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
