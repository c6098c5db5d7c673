"""mem0's client against the service: what a program written for mem0's platform gets."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from support.http_service import Served, serving
from support.mem0 import no_settings, texts
from uac.errors import Refused
from uac.interfaces.client import ClientError
from uac.interfaces.mem0.arguments import Invalid
from uac.interfaces.mem0.client import AsyncMemoryClient, MemoryClient

CHAT = [{"role": "user", "content": "I play the violin"}, {"role": "assistant", "content": "Lovely!"}]


@pytest.fixture(scope="module")
def service() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.fixture
def client(service: Served, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryClient]:
    """A client of a tenant of its own."""
    no_settings(monkeypatch)
    tenant = f"t{abs(hash(request.node.name)) % 10**9}"
    with MemoryClient(api_key=service.key(tenant=tenant), host=service.address) as made:
        yield made


def test_a_memory_is_added_found_changed_and_deleted_over_http(client: MemoryClient) -> None:
    added = client.add(CHAT, user_id="ana", metadata={"topic": "music"})
    assert texts(added) == ["I play the violin"]
    memory_id = added["results"][0]["id"]
    assert client.get(memory_id)["metadata"] == {"topic": "music"}
    assert texts(client.search("violin", filters={"AND": [{"user_id": "ana"}]}, top_k=3)) == ["I play the violin"]
    assert client.update(memory_id, text="I play the viola") == {"message": "Memory updated successfully!"}
    assert [change["event"] for change in client.history(memory_id)] == ["ADD", "UPDATE"]
    assert client.delete(memory_id) == {"message": "Memory deleted successfully!"}
    assert client.get_all(filters={"user_id": "ana"})["results"] == []
    with pytest.raises(ClientError, match="No memory"):
        client.get(memory_id)


def test_pages_have_mem0s_shape_and_filters_are_those_of_the_library(client: MemoryClient) -> None:
    for number in range(5):
        client.add(f"note {number}", user_id="ana", infer=False, metadata={"odd": bool(number % 2)})
    first = client.get_all(filters={"user_id": "ana"}, page=1, page_size=2)
    assert {**first, "results": texts(first)} == {
        "count": 5,
        "next": 2,
        "previous": None,
        "results": ["note 0", "note 1"],
    }
    last = client.get_all(filters={"AND": [{"user_id": "ana"}]}, page=3, page_size=2)
    assert (last["count"], last["next"], last["previous"], texts(last)) == (5, None, 2, ["note 4"])
    odd = client.get_all(filters={"AND": [{"user_id": "ana"}, {"NOT": [{"odd": False}]}]})
    assert (odd["count"], texts(odd)) == (2, ["note 1", "note 3"])


def test_the_route_of_memories_has_pages(client: MemoryClient, service: Served) -> None:
    for number in range(5):
        client.add(f"note {number}", user_id="ana", infer=False)
    asked = service.client(client._client.wire._client.headers["authorization"].removeprefix("Bearer "))
    pages = [
        asked.get("/v1/memories", params={"user_id": "ana", "top_k": 2, "page": number}).json() for number in (1, 3, 4)
    ]
    assert [texts(page) for page in pages] == [["note 0", "note 1"], ["note 4"], []]


def test_users_are_listed_and_destroyed(client: MemoryClient) -> None:
    client.add("x", user_id="ana", infer=False)
    client.add("y", agent_id="bot", infer=False)
    assert client.users() == {
        "count": 2,
        "results": [{"type": "agent", "name": "bot"}, {"type": "user", "name": "ana"}],
    }
    assert client.delete_users(user_id="ana") == {"message": "Entity deleted successfully."}
    assert client.users()["results"] == [{"type": "agent", "name": "bot"}]


def test_several_memories_are_changed_and_deleted_at_once(client: MemoryClient) -> None:
    ids = [client.add(text, user_id="ana", infer=False)["results"][0]["id"] for text in ("a", "b")]
    client.batch_update([{"memory_id": ids[0], "text": "c"}, {"memory_id": ids[1], "metadata": {"k": 1}}])
    assert sorted(texts(client.get_all(user_id="ana"))) == ["b", "c"]
    assert client.batch_delete([{"memory_id": ids[0]}]) == {"message": "Successfully deleted 1 memories"}
    assert texts(client.get_all(user_id="ana")) == ["b"]
    assert client.delete_all(user_id="ana") == {"message": "Memories deleted successfully!"}


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda c: c.add("x", user_id="a", custom_categories=[]), "add: custom_categories is not supported"),
        (lambda c: c.search("x", filters={"OR": [{"user_id": "a"}]}), "whose memories"),
        (lambda c: c.get_all(), "whose memories"),
        (lambda c: c.get_all(user_id="a", page=0), "page is 0"),
        (lambda c: c.update("x"), "nothing to change"),
        (lambda c: c.get(" "), "memory_id is ' '"),
        (lambda c: c.delete_users(), "whose memories"),
    ],
)
def test_what_the_service_does_not_have_is_refused_and_not_ignored(client: MemoryClient, call: Any, why: str) -> None:
    with pytest.raises((Refused, ClientError), match=why):
        call(client)


def test_a_wrong_key_and_a_wrong_address_say_so(service: Served) -> None:
    with MemoryClient(api_key="uac_wrong", host=service.address) as client, pytest.raises(ClientError, match="key"):
        client.get_all(user_id="ana")
    with pytest.raises(Invalid, match="The address is"):
        MemoryClient(host="nowhere")


def test_the_asynchronous_client_has_the_same_methods(service: Served) -> None:
    async def main() -> list[str]:
        async with AsyncMemoryClient(api_key=service.key(tenant="asynchronous"), host=service.address) as client:
            await asyncio.gather(*(client.add(f"note {n}", user_id="ana", infer=False) for n in range(3)))
            return texts(await client.get_all(filters={"user_id": "ana"}))

    assert sorted(asyncio.run(main())) == ["note 0", "note 1", "note 2"]
    verbs = {name for name in vars(MemoryClient) if not name.startswith("_")} - {"close"}
    assert verbs <= vars(AsyncMemoryClient).keys()
