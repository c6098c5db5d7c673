"""What was acknowledged survives when the server stops, restarts or is killed."""

import secrets
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import count

import pytest

from support.postgres_logs import texts_of
from support.postgres_server import Server, wait_until
from uac.errors import Unavailable
from uac.log.log import Log
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.postgres_pool import CONNECTIONS
from uac.testing.store import store_turn


def test_the_same_store_works_again_after_the_server_restarted(server: Server, store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("one")])
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(store._pool.connection())
    server.stop()
    with pytest.raises(Unavailable, match="cannot be reached"):
        log.append([store_turn("lost")])
    server.start()
    log.append([store_turn("two")])
    assert texts_of(log) == ["one", "two"]


Outcome = tuple[list[tuple[int, str]], str]


def append_until_lost(url: str, writer: int) -> Outcome:
    """Runs in a process of its own: what was acknowledged, and the text whose fate is not known."""
    acknowledged: list[tuple[int, str]] = []
    text = ""
    try:
        log = PostgresStore(url, create=False).log("ana")
        for n in count():
            text = f"{writer} {n} {secrets.token_hex(8)}"
            acknowledged += [(position, text) for position in log.append([store_turn(text, key=text)])]
    except Unavailable:
        pass
    return acknowledged, text


def kill_while_writing(server: Server, processes: ProcessPoolExecutor, rounds: int) -> None:
    url = server.new_database()
    store = PostgresStore(url)
    log = store.log("ana")
    for _ in range(rounds):
        before = texts_of(log)
        writers = [processes.submit(append_until_lost, url, writer) for writer in range(3)]
        target = len(before) + 1 + secrets.randbelow(100)
        wait_until(partial(has_grown, log, target), "the writers write")
        server.kill()
        outcomes = [writer.result() for writer in writers]
        server.start()
        check_outcomes(log, before, outcomes)
    store.close()


def has_grown(log: Log, target: int) -> bool:
    return log.head().position >= target


def check_outcomes(log: Log, before: list[str], outcomes: list[Outcome]) -> None:
    assert log.verify() is None
    texts = texts_of(log)
    assert texts[: len(before)] == before
    attempted = []
    for acknowledged, unknown in outcomes:
        assert [(position, texts[position - 1]) for position, _text in acknowledged] == acknowledged
        attempted += [text for _position, text in acknowledged]
        if unknown:
            log.append([store_turn(unknown, key=unknown)])
            attempted.append(unknown)
    assert sorted(texts_of(log)[len(before) :]) == sorted(attempted)


def test_what_was_acknowledged_survives_the_kill_of_the_server(
    other_server: Server, processes: ProcessPoolExecutor
) -> None:
    kill_while_writing(other_server, processes, rounds=2)


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_hundred_kills_of_the_server(
    other_server: Server, processes: ProcessPoolExecutor
) -> None:
    kill_while_writing(other_server, processes, rounds=100)
