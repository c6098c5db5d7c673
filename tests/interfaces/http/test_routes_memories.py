"""The routes of mem0's server: the shapes that people know, over the same logs."""

import hashlib
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.http_routes import app, json_of, problem, tenant
from support.http_service import inside, make_key

__all__ = ["app", "tenant"]  # fixtures

TEA = {"messages": [{"role": "user", "content": "I like green tea."}], "user_id": "ana", "metadata": {"shop": 7}}


@pytest.fixture
def client(app: FastAPI, tenant: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.delenv("UAC_MODEL", raising=False)
    with inside(app, make_key(app, tenant=tenant), path="/v1") as client:
        yield client


def added(client: TestClient, **more: object) -> str:
    (one,) = json_of(client.post("/memories", json={**TEA, **more}))["results"]
    return str(one["id"])


def test_what_is_added_is_listed_found_and_read(client: TestClient) -> None:
    (one,) = json_of(client.post("/memories", json=TEA))["results"]
    assert one == {"id": one["id"], "memory": "I like green tea.", "event": "ADD", "actor_id": None, "role": "user"}
    item = {
        "id": one["id"],
        "memory": "I like green tea.",
        "hash": hashlib.md5(b"I like green tea.", usedforsecurity=False).hexdigest(),
        "metadata": {"shop": 7},
        "created_at": "2026-03-02T09:00:00+00:00",
        "updated_at": "2026-03-02T09:00:00+00:00",
        "user_id": "ana",
        "role": "user",
    }
    assert json_of(client.get(f"/memories/{one['id']}")) == {**item, "score": None}
    assert json_of(client.get("/memories", params={"user_id": "ana"})) == {"results": [item]}
    (found,) = json_of(client.post("/search", json={"query": "tea", "user_id": "ana"}))["results"]
    assert found == {**item, "score": found["score"]}
    assert 0 < found["score"] <= 1
    assert json_of(client.post("/search", json={"query": "tea", "filters": {"user_id": "ana", "shop": 8}})) == {
        "results": []
    }


def test_a_memory_is_an_observation_of_the_users_own_log(client: TestClient) -> None:
    added(client)
    (entry,) = json_of(client.get("/users/ana/log"))["entries"]
    assert entry["entry"]["text"] == "I like green tea."
    json_of(client.post("/users/ana/observations", json={"turns": [{"text": "And cake."}]}))
    memories = json_of(client.get("/memories", params={"user_id": "ana"}))["results"]
    assert [one["memory"] for one in memories] == ["I like green tea.", "And cake."]


def test_a_memory_keeps_its_id_and_its_history(client: TestClient) -> None:
    number = added(client)
    assert json_of(client.put(f"/memories/{number}", json={"text": "I like black tea."})) == {
        "message": "Memory updated successfully!"
    }
    assert json_of(client.get(f"/memories/{number}"))["memory"] == "I like black tea."
    assert json_of(client.delete(f"/memories/{number}")) == {"message": "Memory deleted successfully!"}
    history = json_of(client.get(f"/memories/{number}/history"))
    assert [(line["event"], line["old_memory"], line["new_memory"]) for line in history] == [
        ("ADD", None, "I like green tea."),
        ("UPDATE", "I like green tea.", "I like black tea."),
        ("DELETE", "I like black tea.", None),
    ]
    for response in (client.get(f"/memories/{number}"), client.delete(f"/memories/{number}")):
        assert problem(response)[0] == 404
    assert problem(client.put(f"/memories/{number}", json={"text": "x"}))[0] == 404


def test_all_memories_of_a_user_are_deleted(client: TestClient) -> None:
    added(client)
    assert json_of(client.delete("/memories", params={"user_id": "ana"})) == {
        "message": "Memories deleted successfully!"
    }
    assert json_of(client.get("/memories", params={"user_id": "ana"})) == {"results": []}
    assert json_of(client.get("/users/ana/log/1"))["entry"]["text"] == "I like green tea."


def test_to_destroy_words_takes_the_right_to_erase(client: TestClient, app: FastAPI, tenant: str) -> None:
    number = added(client)
    writer = {"Authorization": f"Bearer {make_key(app, 'read', 'write', tenant=tenant)}"}
    assert problem(client.delete(f"/memories/{number}", params={"erase": True}, headers=writer))[0] == 403
    json_of(client.delete(f"/memories/{number}", params={"erase": True}))
    assert json_of(client.get("/users/ana/log/1"))["entry"] is None


@pytest.mark.parametrize("number", ["x", "AAAAAAAAAAAAAAAA.1.YW5h", "AAAAAAAAAAAAAAAA.1.YS9i", "%00", "a.b.c"])
def test_an_id_that_names_nothing_is_not_found(client: TestClient, number: str) -> None:
    added(client)
    assert problem(client.get(f"/memories/{number}"))[0] == 404
    assert problem(client.get(f"/memories/{number}/history"))[0] == 404


def test_whose_memories_they_are_must_be_said(client: TestClient) -> None:
    assert problem(client.get("/memories"))[:2] == (422, "Invalid")
    assert problem(client.post("/memories", json={"messages": "x"}))[:2] == (422, "Invalid")
    assert problem(client.post("/search", json={"query": "x", "user_id": "a b"}))[:2] == (422, "Invalid")
    assert problem(client.post("/memories", json={"messages": "x", "user_id": "a/b"}))[0] == 404


def test_a_key_of_one_user_reaches_no_other_by_any_id(client: TestClient, app: FastAPI, tenant: str) -> None:
    number = added(client)
    ben = {"Authorization": f"Bearer {make_key(app, tenant=tenant, user='ben')}"}
    json_of(client.post("/memories", json={**TEA, "user_id": "ben"}, headers=ben))
    for query in ({"user_id": "ana"}, {"agent_id": "x"}, {"run_id": "x"}):
        assert problem(client.get("/memories", params=query, headers=ben))[0] == 403
        assert problem(client.post("/search", json={"query": "tea", "filters": query}, headers=ben))[0] == 403
    assert problem(client.get(f"/memories/{number}", headers=ben))[0] == 403
    assert problem(client.delete(f"/memories/{number}", headers=ben))[0] == 403


def test_agents_and_runs_narrow_a_user_down_or_have_logs_of_their_own(client: TestClient) -> None:
    added(client, agent_id="shop"), added(client, run_id="r1")
    assert len(json_of(client.get("/memories", params={"user_id": "ana", "agent_id": "shop"}))["results"]) == 1
    assert json_of(client.get("/memories", params={"agent_id": "shop"})) == {"results": []}
