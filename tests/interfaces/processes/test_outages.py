"""Processes of the service and the database server end while clients write: nothing acknowledged is lost or doubled."""

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from support.checked_histories import CHECKED
from support.histories import check_log
from support.http_process import Process, uac_serve
from support.postgres_server import Server, running_server, wait_until
from support.service_load import ServiceLoad
from support.service_processes import client_of, kill, make_store_key, worker_processes
from uac import Memory
from uac.log.stores.postgres import PostgresStore
from uac.schema.entries import Observation


def check_acknowledged(url: str, load: ServiceLoad) -> None:
    """Each text that was acknowledged is in the log once, where it was said to be, and nothing else is."""
    store = PostgresStore(url)
    for user, acknowledged in load.acknowledged.items():
        memory = Memory(store.log(user), embedder=None)
        check_log(memory.log, memory)
        stored = [(each.entry.text, each.position) for each in memory.log.read() if isinstance(each.entry, Observation)]
        assert sorted(stored) == sorted(acknowledged.items())
        memory.close()
    store.close()


def kill_workers_while_writing(url: str, kills: int) -> None:
    chance = random.Random(kills)
    key = make_store_key(url)
    with uac_serve(url, "--workers", "2", "--no-learn", "--rate", "0") as served:
        assert served.running.stderr is not None
        with ServiceLoad([served.address], key, ["ana", "ben"]) as load:
            for number in range(kills):
                target = load.count + chance.randrange(5, 60)
                wait_until(lambda target=target: load.count >= target, "clients write")  # type: ignore[misc]  # its default is its own
                kill(chance.choice(worker_processes(served.running)))
                while "of the service ended (-9)" not in served.running.stderr.readline():
                    pass
                CHECKED.append("a process killed while two write")
                assert number < kills
            target = load.count + 20
            wait_until(lambda: load.count >= target, "clients write again")
        check_acknowledged(url, load)


def test_what_was_acknowledged_is_kept_once_though_a_process_is_killed(postgres: Server) -> None:
    kill_workers_while_writing(postgres.new_database(), kills=1)


@pytest.mark.slow
def test_what_was_acknowledged_is_kept_once_though_processes_are_killed_forty_times(postgres: Server) -> None:
    kill_workers_while_writing(postgres.new_database(), kills=40)


@pytest.fixture
def own_server() -> Iterator[Server]:
    """One that may be stopped."""
    with running_server() as server:
        yield server


@contextmanager
def reading_errors(served: Process) -> Iterator[None]:
    """Read what the process prints: it logs each failure, and would wait when the pipe is full."""
    assert served.running.stderr is not None
    reading = threading.Thread(target=served.running.stderr.read)
    reading.start()
    try:
        yield
    finally:
        served.running.kill()
        reading.join()


def restart_server_while_writing(server: Server, restarts: int) -> None:
    url = server.new_database()
    key = make_store_key(url)
    with (
        uac_serve(url, "--no-learn", "--rate", "0") as served,
        reading_errors(served),
        client_of(served.address, key) as client,
    ):
        with ServiceLoad([served.address], key, ["ana", "ben"]) as load:
            for number in range(restarts):
                target = load.count + 30
                wait_until(lambda target=target: load.count >= target, "clients write")  # type: ignore[misc]  # its default is its own
                (server.kill if number % 2 else server.stop)()
                down = client.get("/v1/users/ana/alerts")
                assert (down.status_code, down.json()["title"], down.headers["retry-after"]) == (
                    503,
                    "Unavailable",
                    "1",
                )
                assert client.get("/healthz").status_code == 200
                server.start()
                CHECKED.append("a server restarted under load")
            target = load.count + 30
            wait_until(lambda: load.count >= target, "clients write again")
        assert (load.statuses, load.failures) == ({503}, 0)
        check_acknowledged(url, load)
        # What processes share works again, too.
        with client.stream("GET", "/v1/users/ana/events", params={"of": "log"}) as events:
            lines = events.iter_lines()
            assert next(lines) == "retry: 2000"
            store = PostgresStore(url)
            coordination = store.coordination()
            memory = Memory(store.log("ana"), embedder=None)
            memory.add("from elsewhere")
            coordination.announce_changes(["ana"])
            event = next(line for line in lines if line.startswith("data: "))
            assert json.loads(event.removeprefix("data: "))["entry"]["text"] == "from elsewhere"
            memory.close()
            coordination.close()
            store.close()
        assert served.running.poll() is None


def test_the_service_survives_a_restart_of_the_database_server_and_loses_nothing(own_server: Server) -> None:
    restart_server_while_writing(own_server, restarts=1)


@pytest.mark.slow
def test_the_service_survives_twenty_restarts_and_crashes_of_the_database_server(own_server: Server) -> None:
    restart_server_while_writing(own_server, restarts=20)
