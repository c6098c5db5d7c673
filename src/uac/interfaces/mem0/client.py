"""mem0's `MemoryClient` over this service (`uac serve`): the same methods, arguments and shapes of results."""

import asyncio
import functools
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Concatenate, Literal, ParamSpec, Self, TypeVar
from urllib.parse import quote

from uac.errors import Refused
from uac.interfaces.client import Client
from uac.interfaces.client.calls import Call
from uac.interfaces.mem0.arguments import IDS, Invalid, read_limit, read_scope, read_text, split_filters
from uac.interfaces.mem0.filters import matches_filters

__all__ = ["AsyncMemoryClient", "MemoryClient"]

ADDRESS = "http://127.0.0.1:8311"
PAGE = 100
LARGEST_PAGE = 1000

Json = dict[str, Any]
Given = TypeVar("Given")
Arguments = ParamSpec("Arguments")


class MemoryClient:
    """A replacement for `mem0.MemoryClient`. `host` is the address of `uac serve`; without `api_key`, the key is
    $MEM0_API_KEY. A service without keys needs none. Thread-safe."""

    def __init__(self, api_key: str | None = None, host: str | None = None) -> None:
        self.host = host or ADDRESS
        try:
            self._client = Client(self.host, key=api_key or os.environ.get("MEM0_API_KEY", ""))
        except Refused as error:
            raise Invalid(str(error)) from None

    def add(self, /, messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], **options: Any) -> Json:
        """Store messages and let the service's model extract facts: {"results": [{"id", "memory", "event"}]}."""
        listed = [messages] if isinstance(messages, Mapping) else messages
        known = ("infer", "metadata", "expiration_date", "memory_type", "prompt", *IDS)
        return self._send("POST", "/v1/memories", body={"messages": listed, **_known("add", options, known)})

    def search(self, /, query: str, *, filters: Mapping[str, Any] | None = None, **options: Any) -> Json:
        """The memories that match best: {"results": […]}. The user is in the filters, as in mem0."""
        chosen = _known("search", options, ("top_k", "limit", "threshold", "rerank", *IDS))
        most = read_limit(chosen.pop("top_k", None), chosen.pop("limit", None))
        chosen.pop("rerank", None)  # a configured reranker is always used
        body = {"query": read_text("query", query), "filters": filters, **chosen}
        return self._send("POST", "/v1/search", body=body if most is None else {**body, "top_k": most}, is_safe=True)

    def get(self, memory_id: str) -> Json:
        return self._send("GET", _memory_path(memory_id))

    def get_all(
        self, /, *, filters: Mapping[str, Any] | None = None, page: int = 1, page_size: int = PAGE, **options: Any
    ) -> Json:
        """One page of memories, oldest first: {"count", "next", "previous", "results"}. `count` is that of all."""
        for name, number in (("page", page), ("page_size", page_size)):
            if number < 1:
                raise Invalid(f"{name} is {number!r}. Use a whole number from 1.")
        ids = _known("get_all", options, IDS)
        scope = read_scope(*(ids.get(name) for name in IDS), filters=filters)
        conditions = split_filters(filters).conditions
        wanted = [
            item
            for item in self._all_items({name: value for name, value in zip(IDS, scope, strict=True) if value})
            if all(matches_filters({**item, **(item["metadata"] or {})}, condition) for condition in conditions)
        ]
        start, stop = (page - 1) * page_size, page * page_size
        return {
            "count": len(wanted),
            "next": page + 1 if stop < len(wanted) else None,
            "previous": page - 1 if page > 1 else None,
            "results": wanted[start:stop],
        }

    def update(self, /, memory_id: str, **options: Any) -> Json:
        """Replace the text or the metadata of a memory, which keeps its id."""
        body = {name: value for name, value in _known("update", options, ("text", "metadata")).items() if value}
        if not body:
            raise Invalid("update: nothing to change. Give text or metadata.")
        return self._send("PUT", _memory_path(memory_id), body=body)

    def delete(self, memory_id: str, *, erase: bool = False) -> Json:
        """Retract a memory; with `erase`, destroy its words."""
        return self._send("DELETE", _memory_path(memory_id), query={"erase": erase})

    def delete_all(self, /, *, erase: bool = False, **options: Any) -> Json:
        """Retract all memories of a user, an agent or a run; with `erase`, destroy them."""
        ids = _known("delete_all", options, IDS)
        read_scope(*(ids.get(name) for name in IDS))
        return self._send("DELETE", "/v1/memories", query={**ids, "erase": erase})

    def history(self, memory_id: str) -> list[Json]:
        found: list[Json] = self._client.wire.send(Call("safe", "GET", f"{_memory_path(memory_id)}/history", list))
        return found

    def users(self) -> Json:
        """The users, agents and runs that have a log; the key needs the right to administer."""
        results: list[Json] = []
        after = ""
        while True:
            page = self._client.users(after=after, limit=LARGEST_PAGE)
            for user in page.users:
                kind, space, name = user.user.partition(" ")
                results.append({"type": kind, "name": name} if space else {"type": "user", "name": user.user})
            if page.next is None:
                return {"count": len(results), "results": results}
            after = page.next

    def delete_users(self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> Json:
        """Destroy the log of a user, an agent or a run. Unlike mem0, an id is needed."""
        self.delete_all(erase=True, user_id=user_id, agent_id=agent_id, run_id=run_id)
        return {"message": "Entity deleted successfully."}

    def batch_update(self, memories: Sequence[Mapping[str, Any]]) -> Json:
        for each in memories:
            self.update(each["memory_id"], **{name: value for name, value in each.items() if name != "memory_id"})
        return {"message": f"Successfully updated {len(memories)} memories"}

    def batch_delete(self, memories: Sequence[Mapping[str, Any]]) -> Json:
        for each in memories:
            self.delete(each["memory_id"])
        return {"message": f"Successfully deleted {len(memories)} memories"}

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _all_items(self, ids: Mapping[str, object]) -> Iterator[Json]:
        number = 1
        while True:
            found = self._send("GET", "/v1/memories", query={**ids, "top_k": LARGEST_PAGE, "page": number})["results"]
            yield from found
            if len(found) < LARGEST_PAGE:
                return
            number += 1

    def _send(
        self,
        method: Literal["GET", "POST", "PUT", "DELETE"],
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        is_safe: bool = False,
    ) -> Json:
        sent = {name: value for name, value in (query or {}).items() if value is not None}
        kind: Literal["safe", "once"] = "safe" if is_safe or method == "GET" else "once"
        answer: Json = self._client.wire.send(Call(kind, method, path, dict, query=sent, body=body))
        return answer


def _memory_path(memory_id: str) -> str:
    return f"/v1/memories/{quote(read_text('memory_id', memory_id), safe='')}"


def _known(verb: str, options: Mapping[str, Any], names: Sequence[str]) -> Json:
    """The options that are set; one that this service does not have is refused instead of ignored."""
    given = {name: value for name, value in options.items() if value is not None}
    if unknown := sorted(given.keys() - {*names}):
        raise Invalid(f"{verb}: {', '.join(unknown)} is not supported. Leave it out.")
    return given


def _run_in_thread(
    verb: Callable[Concatenate[MemoryClient, Arguments], Given],
) -> "Callable[Concatenate[AsyncMemoryClient, Arguments], Coroutine[Any, Any, Given]]":
    """The same method, run in a worker thread."""

    @functools.wraps(verb)
    async def run(client: "AsyncMemoryClient", /, *args: Arguments.args, **more: Arguments.kwargs) -> Given:
        return await asyncio.to_thread(verb, client.client, *args, **more)

    return run


class AsyncMemoryClient:
    """A replacement for `mem0.AsyncMemoryClient`: the methods of MemoryClient in worker threads."""

    def __init__(self, api_key: str | None = None, host: str | None = None) -> None:
        self.client = MemoryClient(api_key, host)

    add = _run_in_thread(MemoryClient.add)
    search = _run_in_thread(MemoryClient.search)
    get = _run_in_thread(MemoryClient.get)
    get_all = _run_in_thread(MemoryClient.get_all)
    update = _run_in_thread(MemoryClient.update)
    delete = _run_in_thread(MemoryClient.delete)
    delete_all = _run_in_thread(MemoryClient.delete_all)
    history = _run_in_thread(MemoryClient.history)
    users = _run_in_thread(MemoryClient.users)
    delete_users = _run_in_thread(MemoryClient.delete_users)
    batch_update = _run_in_thread(MemoryClient.batch_update)
    batch_delete = _run_in_thread(MemoryClient.batch_delete)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.client.close)
