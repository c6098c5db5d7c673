"""Users who are erased as a whole and come back: whoever had their memory open goes on with the new log alone."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from starlette.testclient import TestClient

from support.http_service import app_over, inside
from support.postgres_logs import empty_store
from support.postgres_server import Server
from uac import Memory
from uac.log.store import Store
from uac.log.stores import open_store
from uac.models.embedders import chosen_embedder

How = Literal["marked", "nothing left"]
HOW: tuple[How, ...] = ("marked", "nothing left")
KINDS = ["sqlite", "postgres", "memory"]


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    match request.param:
        case "sqlite":
            return str(tmp_path / "memory.db")
        case "postgres":
            postgres: Server = request.getfixturevalue("postgres")
            return empty_store(postgres)
    return "memory:"


def erase(store: Store, how: How) -> None:
    if how == "nothing left":
        store.erase("ana")
    else:
        log = store.log("ana")
        log.erase([stored.position for stored in log.read()], why="asked by Ana")


def say(memory: Memory, texts: list[str]) -> None:
    for text in texts:
        memory.add(text, session="garden")


def texts_of(memory: Memory, query: str = "rose", **more: Any) -> list[str]:
    return sorted(hit.text for hit in memory.recall(query, **more))


OLD = [f"I planted rose {number}, which is an old one." for number in range(6)]
LONG = " It was red and tall and smelled of apples and of rain."


@pytest.mark.parametrize("count", [1, 6, 9])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("address", KINDS, indirect=True)
def test_a_user_who_comes_back_is_searched_as_by_somebody_who_never_knew_the_old_log(
    address: str, how: How, count: int
) -> None:
    new = [f"My new rose is number {number}.{LONG * (number // 2)}" for number in range(count)]
    with closing(open_store(address)) as store, closing(Memory(store.log("ana"), embedder=None)) as memory:
        say(memory, OLD)
        memory.put("health.Allergy", {"substance": "penicillin"})
        assert texts_of(memory) == OLD
        assert texts_of(memory, as_of=3) == OLD[:3]
        erase(store, how)
        say(memory, new)
        with closing(Memory(store.log("ana"), embedder=None)) as fresh:
            for query in ("rose", "apples", "which is an old one", "penicillin"):
                assert memory.recall(query) == fresh.recall(query)
            assert texts_of(memory) == sorted(new)
            assert memory.context("rose") == fresh.context("rose")
            assert memory.pending() == fresh.pending()
            head = store.log("ana").head().position
            assert texts_of(memory, as_of=head) == sorted(new)
            assert (memory.project().tables, memory.alerts()) == (fresh.project().tables, [])
        assert store.log("ana").verify() is None


@pytest.mark.parametrize("address", ["sqlite", "postgres"], indirect=True)
def test_another_process_may_have_indexed_the_new_log_first(address: str) -> None:
    new = [f"My new rose is number {number}.{LONG * (number // 2)}" for number in range(6)]
    with (
        closing(open_store(address)) as store,
        closing(open_store(address)) as elsewhere,
        closing(Memory(store.log("ana"), embedder=None)) as memory,
        closing(Memory(elsewhere.log("ana"), embedder=None)) as other,
    ):
        say(memory, OLD)
        assert texts_of(memory) == OLD
        elsewhere.erase("ana")
        say(other, new)
        assert texts_of(other) == sorted(new)
        assert memory.recall("rose") == other.recall("rose")


def test_the_meaning_of_the_new_words_is_compared_and_of_the_old_ones_is_not(tmp_path: Path) -> None:
    if (embedder := chosen_embedder()) is None:
        pytest.skip("no embedder is installed")
    with (
        closing(open_store(tmp_path / "memory.db")) as store,
        closing(Memory(store.log("ana"), embedder=embedder)) as memory,
    ):
        say(memory, ["The car is in the garage.", "My doctor is on holiday."])
        memory.recall("automobile")
        store.erase("ana")
        say(memory, ["My physician moved away.", "The vehicle was sold."])
        (hit, *_others) = memory.recall("automobile", without=["words"])
        assert hit.text == "The vehicle was sold."
        assert "meaning" in hit.channels


@pytest.mark.parametrize("address", ["memory"], indirect=True)
def test_a_log_in_memory_that_somebody_holds_is_empty_once_its_user_was_erased(address: str) -> None:
    with closing(open_store(address)) as store:
        log = store.log("ana")
        memory = Memory(log, embedder=None)
        say(memory, OLD)
        reading = log.read()
        assert next(reading).position == 1
        store.erase("ana")
        assert list(reading) == []
        assert (log.head().position, texts_of(memory), store.users()) == (0, [], ())
        memory.add("I am back.")
        assert [user.entries for user in store.users()] == [1]


# --- the service ----------------------------------------------------------------------------------------------------


def by_route(client: TestClient, _address: str) -> None:
    assert client.delete("http://testserver/v1/users/ana").status_code == 204


def by_positions(client: TestClient, _address: str) -> None:
    asked = {"positions": list(range(1, len(OLD) + 1)), "why": "asked by Ana"}
    assert client.post("/erasures", json=asked).status_code == 200


def by_command(*options: str) -> Callable[[TestClient, str], None]:
    def run(_client: TestClient, address: str) -> None:
        command = [sys.executable, "-m", "uac", "erase", "ana", "--all", *options, "--yes", "--store", address]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")

    return run


ERASERS = {
    "route": by_route,
    "positions": by_positions,
    "command that leaves nothing": by_command("--leave-nothing"),
    "command that leaves markers": by_command("--why", "asked by Ana"),
}


# A store in memory has no second process.
@pytest.mark.parametrize(
    ("address", "eraser"),
    [(kind, eraser) for kind in KINDS for eraser in ERASERS if kind != "memory" or "command" not in eraser],
    indirect=["address"],
)
def test_the_service_finds_what_a_user_says_who_was_erased_beside_it_or_by_it(address: str, eraser: str) -> None:
    with closing(open_store(address)) as store, inside(app_over(store), path="/v1/users/ana") as client:
        turns = {"turns": [{"text": text, "session": "garden"} for text in OLD]}
        assert client.post("/observations", json=turns).status_code == 201
        assert len(client.post("/recall", json={"query": "rose"}).json()["hits"]) == 6
        ERASERS[eraser](client, address)
        assert client.post("/observations", json={"turns": [{"text": "My new rose is white."}]}).status_code == 201
        found = client.post("/recall", json={"query": "rose"})
        assert (found.status_code, [hit["text"] for hit in found.json()["hits"]]) == (200, ["My new rose is white."])
        shown = client.post("/context", json={"question": "rose"})
        assert shown.status_code == 200
        assert "white" in shown.text
        assert "old one" not in shown.text
        pending = client.get("/pending")
        assert pending.status_code == 200
        assert "white" in pending.text
        assert "old one" not in pending.text
