"""On which terms something is written: behind the state that a client knows, and once for its key."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from support.http_routes import CHANGES, EMMA, ask, json_of, problem, user_of
from support.http_service import app_over, inside, make_key, new_tenant, serving
from uac import Memory
from uac.interfaces.http.memory_cache import MemoryCache
from uac.interfaces.http.user_context import Caller, Service, UserContext
from uac.interfaces.http.write_responses import write_once
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore
from uac.schema.patches import Define
from uac.schema.types import Field, Type

KEY = {"Idempotency-Key": "r-1"}
NAME = Field(name="name", type="str")


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return app_over(MemoryStore())


@pytest.fixture
def ana(app: FastAPI) -> Iterator[TestClient]:
    with user_of(app, new_tenant()) as client:
        yield client


def head(client: TestClient) -> str:
    return client.get("/manifest").headers["ETag"]


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_made_only_behind_the_state_that_the_client_knows(ana: TestClient, what: str) -> None:
    before = head(ana)
    json_of(ana.post("/observations", json={"turns": [{"text": "Somebody else was faster."}]}))
    after = head(ana)
    late = ask(ana, what, {"If-Match": before})
    assert (problem(late)[0], late.headers["ETag"], head(ana)) == (412, after, after)
    made = ask(ana, what, {"If-Match": after})
    json_of(made)
    assert made.headers["ETag"] == head(ana) != after


@pytest.mark.parametrize("what", ["erasures", "leave", "imports"])
def test_what_is_no_append_also_looks_at_the_state_that_the_client_knows(ana: TestClient, what: str) -> None:
    before = head(ana)
    json_of(ana.post("/observations", json={"turns": [{"text": "Somebody else was faster."}]}))
    asked: dict[str, tuple[str, str, Any]] = {
        "erasures": ("POST", "/erasures", {"positions": [1], "why": "asked by Ana"}),
        "leave": ("DELETE", "http://testserver/v1/users/ana", None),
        "imports": ("POST", "/imports", {"text": "a\n1\n", "name": "a.csv", "format": "csv", "type": "x.Y"}),
    }
    method, path, body = asked[what]
    assert problem(ana.request(method, path, json=body, headers={"If-Match": before}))[0] == 412
    assert ana.request(method, path, json=body, headers={"If-Match": head(ana)}).is_success


def test_any_state_is_good_for_a_star_but_there_must_be_one(ana: TestClient) -> None:
    json_of(ask(ana, "records", {"If-Match": "*"}))
    elsewhere = "http://testserver/v1/users/nobody/records"
    assert problem(ana.post(elsewhere, json=EMMA, headers={"If-Match": "*"}))[0] == 412


@pytest.mark.parametrize("what", CHANGES)
def test_the_same_request_twice_with_a_key_writes_once(ana: TestClient, what: str) -> None:
    first = ask(ana, what, KEY)
    after = head(ana)
    again = ask(ana, what, KEY)
    assert (again.status_code, head(ana)) == (first.status_code, after)
    assert json_of(again) == json_of(first) | ({"is_repeated": True} if what != "observations" else {})
    without = ask(ana, what)
    assert head(ana) != after or without.status_code in (404, 422)


@pytest.mark.parametrize("what", CHANGES)
def test_another_request_with_a_key_that_was_used_is_refused(ana: TestClient, what: str) -> None:
    other = {"type": "reading.Book", "fields": {"title": "Other"}}
    json_of(ana.post("/records", json=other, headers=KEY))
    after = head(ana)
    assert problem(ask(ana, what, KEY))[:2] == (409, "KeyReused")
    assert head(ana) == after


def test_a_request_that_comes_again_with_the_tag_of_the_first_time_is_repeated_not_outdated(ana: TestClient) -> None:
    terms = {"If-Match": head(ana), **KEY}
    first = json_of(ask(ana, "records", terms))
    assert json_of(ask(ana, "records", terms)) == first | {"is_repeated": True}


def test_a_request_that_was_refused_may_come_again_with_its_key(ana: TestClient) -> None:
    assert problem(ana.post("/records", json={"type": "reading.Book", "fields": {}}, headers=KEY))[0] == 422
    assert json_of(ask(ana, "records", KEY))["is_repeated"] is False


def test_keys_of_two_users_have_nothing_to_do_with_each_other(ana: TestClient) -> None:
    json_of(ask(ana, "observations", KEY))
    elsewhere = "http://testserver/v1/users/ben/observations"
    body = {"turns": [{"text": "I am Ben."}]}
    assert json_of(ana.post(elsewhere, json=body, headers=KEY)) == {"positions": [1]}


@pytest.mark.parametrize("what", ["observations", "records", "corrections", "retractions"])
def test_a_key_is_known_after_a_restart(tmp_path: Path, what: str) -> None:
    address = str(tmp_path / "memory.db")
    answers = []
    for _time in range(2):
        store = open_store(address)
        with user_of(app_over(store)) as client:
            answers.append((json_of(ask(client, what, KEY)), head(client)))
        store.close()
    (first, after), (again, still) = answers
    assert (again | {"is_repeated": False, "notes": []} if "is_repeated" in first else again, still) == (first, after)


@pytest.mark.parametrize("what", ["observations", "records", "corrections"])
def test_requests_with_one_key_that_come_at_once_to_two_services_write_once(tmp_path: Path, what: str) -> None:
    stores = [open_store(str(tmp_path / "memory.db")) for _service in range(2)]
    method, path, body = CHANGES[what]
    with user_of(app_over(stores[0])) as client:
        before = json_of(client.get("/manifest"))["position"]
    apps = [app_over(store) for store in stores]
    for app in apps:
        app.openapi()  # routes are made when they are first needed, and that silences warnings in all threads
    with serving(apps[0]) as one, serving(apps[1]) as two, ThreadPoolExecutor(8) as pool:
        clients = [served.client(one.key(), headers=KEY) for served in (one, two) * 4]
        sent = [pool.submit(client.request, method, f"/v1/users/ana{path}", json=body) for client in clients]
        answers = [json_of(each.result()) for each in sent]
    repeated = [answer.pop("is_repeated", False) for answer in answers]
    assert all(answer == answers[0] for answer in answers)
    assert repeated.count(False) == (8 if what == "observations" else 1)
    kinds = [stored.kind for stored in stores[1].log("ana").read(before + 1)]
    assert kinds.count("receipt") == 1
    assert stores[0].log("ana").verify() is None
    for store in stores:
        store.close()


def test_turns_with_keys_of_their_own_are_kept_once_each(ana: TestClient) -> None:
    turns = [{"text": "One.", "key": "m-1"}, {"text": "Two.", "key": "m-2"}]
    first = json_of(ana.post("/observations", json={"turns": turns}))
    more = json_of(ana.post("/observations", json={"turns": [*turns, {"text": "Three.", "key": "m-3"}]}))
    assert more["positions"][:2] == first["positions"]
    assert problem(ana.post("/observations", json={"turns": [{"text": "Other.", "key": "m-1"}]}))[:2] == (
        409,
        "KeyReused",
    )


def test_all_turns_are_kept_or_none(ana: TestClient) -> None:
    before = head(ana)
    turns = [{"text": "Fine."}, {"text": "Too soon.", "said": "2999-01-01T00:00:00Z"}]
    assert problem(ana.post("/observations", json={"turns": turns}))[:2] == (422, "Refused")
    assert head(ana) == before


Words = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: not text.isspace())


@settings(max_examples=25, deadline=None)
@given(words=st.lists(Words, min_size=1, max_size=4), again=st.integers(1, 3))
def test_what_was_said_is_kept_word_for_word_and_once(app: FastAPI, words: list[str], again: int) -> None:
    body = {"turns": [{"text": text} for text in words]}
    with inside(app, make_key(app, tenant=new_tenant()), path="/v1/users/ana") as client:
        answers = [json_of(client.post("/observations", json=body, headers=KEY)) for _time in range(again)]
        entries = json_of(client.get("/log", params={"kind": "observation"}))["entries"]
    assert answers == [{"positions": list(range(1, len(words) + 1))}] * again
    assert [entry["entry"]["text"] for entry in entries] == words


@pytest.mark.parametrize("key", ["", "r-1"])
def test_what_others_write_meanwhile_is_no_part_of_what_is_told(key: str) -> None:
    store = MemoryStore()
    other = Memory(store.log("ana"), packs=(), embedder=None)
    context = UserContext(
        Service(store, MemoryCache(lambda name: Memory(store.log(name), packs=(), embedder=None)), None),
        Caller(""),
        "ana",
        once=key,
        right="write",
    )

    def define(memory: Memory, name: str) -> None:
        memory.checkpoint([Define(type=Type(domain="pets", name=name, key=("name",), fields=(NAME,)))])

    def act(memory: Memory) -> None:
        define(other, "Cat")
        define(memory, "Dog")
        define(other, "Cow")

    written = write_once(context, "define Dog", act)
    assert (written.first, written.last) == (2, 2)
    assert [told.what for told in written.changes] == ["pets.Dog"]
    assert list(other.project().types) == ["pets.Cat", "pets.Dog", "pets.Cow"]
