"""A request that is sent again after everything of its user was erased: it is refused, and brings no word back."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from support.http_routes import CHANGES, ask, json_of, problem, user_of
from support.http_service import app_over, serving
from support.postgres_logs import empty_store
from support.postgres_server import Server
from uac import Memory
from uac.errors import AlreadyErased, Repeated
from uac.interfaces.cli import main
from uac.interfaces.client import Client
from uac.log.log import Log
from uac.log.store import Store
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import Receipt
from uac.testing.store import store_turn

KEY = {"Idempotency-Key": "r-1"}


@pytest.fixture(params=["sqlite", "memory", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    match request.param:
        case "sqlite":
            address = str(tmp_path / "memory.db")
        case "postgres":
            postgres: Server = request.getfixturevalue("postgres")
            address = empty_store(postgres)
        case _:
            address = "memory:"
    with closing(open_store(address)) as store:
        yield store


def positions_of(log: Log) -> list[int]:
    return [stored.position for stored in log.read() if stored.kind != "erasure"]


def leave_markers(store: Store) -> None:
    store.log("ana").erase(positions_of(store.log("ana")), why="asked by Ana")


def leave_nothing(store: Store) -> None:
    store.erase("ana")


def both(store: Store) -> None:
    leave_markers(store)
    store.erase("ana")


ERASERS: dict[str, Callable[[Store], None]] = {
    "markers left": leave_markers,
    "nothing left": leave_nothing,
    "one after the other": both,
}


@pytest.mark.parametrize("erase", ERASERS)
@pytest.mark.parametrize("what", CHANGES)
def test_no_route_repeats_a_request_whose_user_was_erased(what: str, erase: str) -> None:
    store = MemoryStore()
    with user_of(app_over(store)) as ana:
        json_of(ask(ana, what, KEY))
        ERASERS[erase](store)
        before = [*store.log("ana").read()]
        late = ask(ana, what, KEY)
        # What changes something that is there has nowhere to go if its user has no entry.
        creates = what in ("observations", "records", "types", "checkpoints")
        assert problem(late)[0] == (410 if creates or erase == "markers left" else 404)
        assert [*store.log("ana").read()] == before


@pytest.mark.parametrize("erase", ERASERS)
def test_a_late_client_is_told_that_it_was_erased_and_a_new_key_writes(store: Store, erase: str) -> None:
    body = {"turns": [{"text": "My secret is a rose."}]}
    keyed = {"turns": [{"text": "So is this.", "key": "message-7"}]}
    with user_of(app_over(store)) as ana:
        for _try in range(2):  # by the key of the request, and those of the turns
            json_of(ana.post("/observations", json=body, headers=KEY))
            json_of(ana.post("/observations", json=keyed, headers={"Idempotency-Key": "r-2"}))
        ERASERS[erase](store)
        late = ana.post("/observations", json=body, headers=KEY)
        detail = (
            "This key was used before, and what was written with it has been erased; it is not written again."
            " To store it anyway, send it with a new key."
        )
        assert problem(late) == (410, "AlreadyErased", detail)
        assert ana.post("/observations", json=keyed).status_code == (201 if erase == "markers left" else 410)
        assert texts_in(store) == []
        json_of(
            ana.post("/observations", json={"turns": [{"text": "Hello again."}]}, headers={"Idempotency-Key": "r-3"})
        )
        again = ana.post(
            "/observations", json={"turns": [{"text": "Hello again."}]}, headers={"Idempotency-Key": "r-3"}
        )
        assert again.status_code == 201
        assert problem(ana.post("/observations", json=body, headers=KEY))[0] == 410
        assert texts_in(store) == ["Hello again."]
        assert store.log("ana").verify() is None


def texts_in(store: Store) -> list[str]:
    return [stored.entry.text for stored in store.log("ana").read() if stored.kind == "observation" and stored.entry]  # type: ignore[union-attr]  # observations have text


@pytest.mark.parametrize("erase", ERASERS)
def test_a_key_of_long_ago_is_known_although_a_thousand_came_after_it(store: Store, erase: str) -> None:
    log = store.log("ana")
    with closing(Memory(log, embedder=None)) as memory:
        with memory.once("old", "say"):
            memory.write(lambda _project: [store_turn("My secret is a rose.")])
        log.append([Receipt(key=str(number), request="q", first=1, last=1) for number in range(1001)])
        ERASERS[erase](store)
        with pytest.raises(AlreadyErased), memory.once("old", "say"):
            memory.write(lambda _project: [store_turn("My secret is a rose.")])
        with memory.once("new", "say"):
            memory.write(lambda _project: [store_turn("Hello again.")])
        with pytest.raises(Repeated), memory.once("new", "say"):
            memory.write(lambda _project: [store_turn("Hello again.")])
        assert texts_in(store) == ["Hello again."]


def test_an_erased_row_holds_nothing_that_tells_how_long_it_was(store: Store) -> None:
    log = store.log("ana")
    log.append([store_turn("short"), store_turn("much longer " * 1000), store_turn("keep me")])
    log.erase([1, 2], why="asked by Ana")
    assert [row.body for row in log._rows.read(1, 3)] == ["", ""]
    assert log.verify() is None


def test_a_request_of_which_something_is_left_is_repeated_as_before(store: Store) -> None:
    with user_of(app_over(store)) as ana:
        body = {"turns": [{"text": "My secret is a rose."}, {"text": "It is raining."}]}
        first = json_of(ana.post("/observations", json=body, headers=KEY))
        json_of(ana.post("/erasures", json={"positions": first["positions"][:1], "why": "asked by Ana"}))
        assert json_of(ana.post("/observations", json=body, headers=KEY)) == first


def test_a_request_that_races_with_the_erasure_of_its_user_is_not_written_twice(store: Store) -> None:
    """The first try is written and erased while the second one, which saw nothing of either, is under way."""
    log = store.log("ana")
    with closing(Memory(log, embedder=None)) as first, closing(Memory(log, embedder=None)) as second:

        def meanwhile(_project: Any) -> list[Any]:
            if not done:
                done.append(True)
                with first.once("r-1", "say"):
                    first.write(lambda _project: [store_turn("My secret is a rose.")])
                store.erase("ana")
            return [store_turn("My secret is a rose.")]

        done: list[bool] = []
        with pytest.raises(AlreadyErased), second.once("r-1", "say"):
            second.write(meanwhile)
        assert log.head().position == 0


def test_the_file_holds_neither_the_key_nor_the_id_nor_the_words(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(open_store(path)) as store, user_of(app_over(store), tenant="quince") as ana:
        body = {"turns": [{"text": "My secret is a rose.", "key": "medlar-key"}, {"text": "And a fig."}]}
        json_of(ana.post("/observations", json=body, headers={"Idempotency-Key": "tamarind-key"}))
        json_of(ana.post("/records", json={"type": "reading.Book", "fields": {"title": "Fig"}}, headers=KEY))
        assert ana.delete("http://testserver/v1/users/ana").status_code == 204
        assert problem(ana.post("/observations", json=body))[0] == 410
        held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        words = [b"rose", b"fig", b"medlar", b"tamarind", b"quince/ana"]
        assert [word for word in words if word in held] == []


def test_the_command_that_erases_everything_is_followed_by_a_refusal_in_the_client(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with (
        closing(open_store(path)) as store,
        serving(app_over(store)) as served,
        Client(served.address, key=served.key()) as client,
    ):
        ana = client.user("ana")
        ana.add("My secret is a rose.", key="message-1")
        done = CliRunner().invoke(main, ["erase", "ana", "--all", "--leave-nothing", "--yes", "--store", str(path)])
        assert done.exit_code == 0, done.output
        with pytest.raises(AlreadyErased):
            ana.add("My secret is a rose.", key="message-1")
        ana.add("My secret is a rose.", key="message-2")
