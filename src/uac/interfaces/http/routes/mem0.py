"""The routes of mem0's server, over the same logs. Users are named in the body or the query."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from uac.interfaces.http.auth import Known, authorize_user
from uac.interfaces.http.fields import Flag, Input, Output
from uac.interfaces.http.problems import Forbidden, NotFound
from uac.interfaces.http.user_context import Caller, Service, UserContext
from uac.interfaces.mem0.arguments import read_scope
from uac.interfaces.mem0.memories import parse_memory_id
from uac.interfaces.mem0.memory import Memory
from uac.interfaces.service.api_keys import Right
from uac.interfaces.service.tenant_store import TenantStore
from uac.log.log import Clock
from uac.log.store import Store
from uac.memory.groups import group_name

__all__ = ["Mem0Service", "router"]

router = APIRouter(prefix="/v1", tags=["memories"])

OPEN = 32  # tenants whose memories are kept open; the one that was not asked for longest goes first

Id = Annotated[str, Field(min_length=1, max_length=200)]
UserId = Annotated[Id | None, Query(description="The user.", examples=["ana"])]
AgentId = Annotated[Id | None, Query(description="The agent.", examples=["support"])]
RunId = Annotated[Id | None, Query(description="The conversation.", examples=["2026-03-02"])]
MemoryId = Annotated[str, Path(description="The id of a memory.", examples=["n4bQgYhMfWWaL-qg.1.YW5h"])]
Most = Annotated[int, Field(ge=1, le=1000)]


class Mem0Service:
    """The memories of mem0's interface, one object for each tenant."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Memory] = OrderedDict()

    def memory_for_tenant(self, tenant: str) -> Memory:
        with self._lock:
            memory = self._open.get(tenant) or Memory(store=TenantStore(self._store, tenant), clock=self._clock)
            self._open[tenant] = memory
            self._open.move_to_end(tenant)
            oldest = self._open.popitem(last=False)[1] if len(self._open) > OPEN else None
        if oldest is not None:
            oldest.close()
        return memory

    def close_all(self) -> None:
        with self._lock:
            opened, self._open = [*self._open.values()], OrderedDict()
        for memory in opened:
            memory.close()


class ScopeInput(Input):
    """The scope of the memories; at least one id is needed."""

    user_id: Id | None = Field(default=None, examples=["ana"])
    agent_id: Id | None = Field(default=None, examples=["support"])
    run_id: Id | None = Field(default=None, examples=["2026-03-02"])


class AddInput(ScopeInput):
    """What was said."""

    messages: str | list[dict[str, Any]] = Field(
        description="Text, or messages with role and content.",
        examples=[[{"role": "user", "content": "I get hives from penicillin."}]],
    )
    metadata: dict[str, Any] | None = Field(default=None, examples=[{"channel": "mail"}])
    infer: Flag = Field(default=True, description="Whether a model, if there is one, extracts facts from it.")
    expiration_date: str | None = Field(
        default=None, max_length=40, description="The last day it is shown.", examples=["2026-12-31"]
    )
    memory_type: None = Field(default=None, description="Procedural memories are not made here.")
    prompt: str | None = Field(default=None, description="Accepted, and ignored.")


class SearchInput(ScopeInput):
    """What is searched for."""

    query: str = Field(min_length=1, max_length=20_000, examples=["What am I allergic to?"])
    filters: dict[str, Any] | None = Field(default=None, examples=[{"channel": "mail"}])
    top_k: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(default=20)
    threshold: float | None = Field(default=None, ge=0, le=1, strict=True, examples=[0.1])


class UpdateInput(Input):
    """A new text for a memory, which keeps its id."""

    text: str | None = Field(default=None, min_length=1, examples=["I get a rash from penicillin."])
    metadata: dict[str, Any] | None = Field(default=None, examples=[{"channel": "mail"}])


class ItemView(Output):
    """A memory. Fields that do not apply are absent."""

    id: str = Field(examples=["n4bQgYhMfWWaL-qg.1.YW5h"])
    memory: str = Field(examples=["I get hives from penicillin."])
    hash: str = Field(examples=["1bc29b36f623ba82aaf6724fd3b16718"])
    metadata: dict[str, Any] | None = Field(examples=[{"channel": "mail"}])
    created_at: str = Field(examples=["2026-03-02T09:00:00+00:00"])
    updated_at: str = Field(examples=["2026-03-02T09:00:00+00:00"])
    score: float | None = Field(default=None, examples=[0.8])
    user_id: str | None = Field(default=None, examples=["ana"])
    agent_id: str | None = Field(default=None, examples=["support"])
    run_id: str | None = Field(default=None, examples=["2026-03-02"])
    actor_id: str | None = Field(default=None, examples=["Ana"])
    role: str | None = Field(default=None, examples=["user"])
    attributed_to: str | None = Field(default=None, examples=["user"])
    expiration_date: str | None = Field(default=None, examples=["2026-12-31"])


class ItemsView(Output):
    """Memories."""

    results: list[ItemView]


class AddedItemView(Output):
    """A memory that was added."""

    id: str = Field(examples=["n4bQgYhMfWWaL-qg.1.YW5h"])
    memory: str = Field(examples=["I get hives from penicillin."])
    event: str = Field(examples=["ADD"])
    actor_id: str | None = Field(default=None, examples=["Ana"])
    role: str | None = Field(default=None, examples=["user"])


class AddedItemsView(Output):
    """The memories that were added."""

    results: list[AddedItemView]


class ItemHistoryView(Output):
    """One line of a memory's history."""

    id: str = Field(examples=["n4bQgYhMfWWaL-qg.1.YW5h"])
    memory_id: str = Field(examples=["n4bQgYhMfWWaL-qg.1.YW5h"])
    old_memory: str | None = Field(examples=[None])
    new_memory: str | None = Field(examples=["I get hives from penicillin."])
    event: str = Field(examples=["ADD"])
    created_at: str = Field(examples=["2026-03-02T09:00:00+00:00"])
    updated_at: str = Field(examples=["2026-03-02T09:00:00+00:00"])
    is_deleted: bool
    actor_id: str | None = Field(examples=[None])
    role: str | None = Field(examples=["user"])


class MessageView(Output):
    """A message that describes what was done."""

    message: str = Field(examples=["Memory deleted successfully!"])


@router.post("/memories", name="add", response_model_exclude_unset=True)
def add_memories(request: Request, caller: Known, body: AddInput) -> AddedItemsView:
    """Store turns, and let the configured model extract facts from them; without one, each turn is a memory."""
    context = _context_by_ids(request, caller, "write", body.user_id, body.agent_id, body.run_id)
    with _mem0_memory_to_change(request, context) as memory:
        return AddedItemsView.model_validate(memory.add(body.messages, **body.model_dump(exclude={"messages"})))


@router.get("/memories", name="listed", response_model_exclude_unset=True)
def list_memories(
    request: Request,
    caller: Known,
    user_id: UserId = None,
    agent_id: AgentId = None,
    run_id: RunId = None,
    top_k: Annotated[Most, Query(description="At most this many.")] = 100,
    page: Annotated[int, Query(ge=1, le=1_000_000, description="Which page of this many, from 1.")] = 1,
) -> ItemsView:
    """Memories, oldest first."""
    context = _context_by_ids(request, caller, "read", user_id, agent_id, run_id)
    memory = _mem0_memory(request, context)
    found = memory.get_all(user_id=user_id, agent_id=agent_id, run_id=run_id, top_k=page * top_k)
    return ItemsView.model_validate({"results": found["results"][(page - 1) * top_k :]})


@router.post("/search", name="search", response_model_exclude_unset=True)
def search_memories(request: Request, caller: Known, body: SearchInput) -> ItemsView:
    """The memories that match best, with a score up to 1."""
    context = _context_by_ids(request, caller, "read", body.user_id, body.agent_id, body.run_id, body.filters)
    return ItemsView.model_validate(_mem0_memory(request, context).search(**body.model_dump()))


@router.get("/memories/{memory_id}", name="one", response_model_exclude_unset=True)
def get_memory(request: Request, caller: Known, memory_id: MemoryId) -> ItemView:
    """One memory."""
    found = _mem0_memory(request, _context_by_memory_id(request, caller, "read", memory_id)).get(memory_id)
    if found is None:
        raise _no_such_memory(memory_id)
    return ItemView.model_validate(found)


@router.put("/memories/{memory_id}", name="update")
def update_memory(request: Request, caller: Known, memory_id: MemoryId, body: UpdateInput) -> MessageView:
    """Give a memory a new text under the same id; the old one stays in its history."""
    with _mem0_memory_to_change(request, _context_by_memory_id(request, caller, "write", memory_id)) as memory:
        if memory.get(memory_id) is None:
            raise _no_such_memory(memory_id)
        return MessageView.model_validate(memory.update(memory_id, body.text, body.metadata))


@router.delete("/memories/{memory_id}", name="delete")
def delete_memory(
    request: Request,
    caller: Known,
    memory_id: MemoryId,
    erase: Annotated[bool, Query(description="Destroy its words; needs the right to erase.")] = False,
) -> MessageView:
    """Retract a memory: it is no longer found, but its history remains."""
    with _mem0_memory_to_change(
        request, _context_by_memory_id(request, caller, "erase" if erase else "write", memory_id)
    ) as memory:
        if memory.get(memory_id) is None:
            raise _no_such_memory(memory_id)
        return MessageView.model_validate(memory.delete(memory_id, erase=erase))


@router.delete("/memories", name="delete_all")
def delete_memories(
    request: Request,
    caller: Known,
    user_id: UserId = None,
    agent_id: AgentId = None,
    run_id: RunId = None,
    erase: Annotated[bool, Query(description="Destroy the words; needs the right to erase.")] = False,
) -> MessageView:
    """Retract all memories of a user, an agent or a run."""
    context = _context_by_ids(request, caller, "erase" if erase else "write", user_id, agent_id, run_id)
    with _mem0_memory_to_change(request, context) as memory:
        return MessageView.model_validate(memory.delete_all(user_id, agent_id, run_id, erase=erase))


@router.get("/memories/{memory_id}/history", name="history")
def memory_history(request: Request, caller: Known, memory_id: MemoryId) -> list[ItemHistoryView]:
    """The history of a memory, oldest first."""
    found = _mem0_memory(request, _context_by_memory_id(request, caller, "read", memory_id)).history(memory_id)
    if not found:
        raise _no_such_memory(memory_id)
    return [ItemHistoryView.model_validate(change) for change in found]


def _context_by_ids(
    request: Request,
    caller: Caller,
    right: Right,
    user_id: str | None,
    agent_id: str | None,
    run_id: str | None,
    filters: dict[str, Any] | None = None,
) -> UserContext:
    """The user context for these ids, if the caller has the right."""
    caller.check_right(right)
    scope = read_scope(user_id, agent_id, run_id, filters=filters)
    return _authorize_mem0_user(request, caller, scope.log_name, right)


def _context_by_memory_id(request: Request, caller: Caller, right: Right, memory_id: str) -> UserContext:
    caller.check_right(right)
    named = parse_memory_id(memory_id)
    if named is None:
        raise _no_such_memory(memory_id)
    return _authorize_mem0_user(request, caller, named.name, right)


def _authorize_mem0_user(request: Request, caller: Caller, user: str, right: Right) -> UserContext:
    service: Service = request.app.state.service
    context = authorize_user(service, caller, user, right)
    # Writing to a group that does not exist is refused by `group`: a user must not take its name.
    if group_name(user) and (context.member or context.group() is not None):
        raise Forbidden("These routes do not serve groups. Use those under /v1/users/group:….")
    return context


def _mem0_memory(request: Request, context: UserContext) -> Memory:
    mem0_service: Mem0Service = request.app.state.mem0_service
    return mem0_service.memory_for_tenant(context.caller.tenant)


@contextmanager
def _mem0_memory_to_change(request: Request, context: UserContext) -> Iterator[Memory]:
    """As `_mem0_memory`, for a change; those who follow the log are notified."""
    yield _mem0_memory(request, context)
    context.service.notifier.notify_user_changed(context.store_user_id)


def _no_such_memory(memory_id: str) -> NotFound:
    return NotFound(f"No memory {memory_id!r}. GET /v1/memories lists the memories.")
