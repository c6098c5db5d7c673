"""LangChain and LangGraph: middleware that adds context and remembers, tools, and a store. It needs `langchain`."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from langchain.agents.middleware.types import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph.store.base import Item as StoreItem

from uac.errors import Refused
from uac.interfaces.adapters.items import Item, ItemLog
from uac.interfaces.adapters.tools import DEFAULT_TOOLS, AgentTool
from uac.interfaces.adapters.turns import TOKENS, Message, TurnMemory
from uac.interfaces.client.transports import WaitingWire
from uac.interfaces.client.user import User
from uac.memory.memory import Memory
from uac.schema.entries import Role

__all__ = ["MemoryMiddleware", "MemoryStore", "memory_tools"]

ROLES: dict[str, Role] = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}


class MemoryMiddleware(AgentMiddleware):
    """Adds the user's context before the last message of the user, and stores the turns when the agent is done.

    `create_agent(model, middleware=[MemoryMiddleware(memory)])`. The `thread_id` of a run is the session. Messages of
    tools are not stored. `tools` names the memory's tools to give to the agent; by default none.
    """

    def __init__(
        self,
        memory: Memory | User[WaitingWire],
        *,
        tokens: int = TOKENS,
        tools: tuple[str, ...] = (),
        learns: bool = True,
    ) -> None:
        super().__init__()
        self._turns = TurnMemory(memory, tokens=tokens, learns=learns)
        self.tools = [_langchain_tool(tool) for tool in self._turns.tools(tools)] if tools else []

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(_with_context(request, self._turns.before_turn(_read(request.messages), session=_session())))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        session = _session()
        context = await asyncio.to_thread(self._turns.before_turn, _read(request.messages), session=session)
        return await handler(_with_context(request, context))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:  # noqa: ARG002 - the hook's shape
        self._turns.after_turn(_spoken(state["messages"]), session=_session(), is_whole=True)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:  # noqa: ARG002
        await asyncio.to_thread(self._turns.after_turn, _spoken(state["messages"]), session=_session(), is_whole=True)

    def close(self) -> None:
        """Stop learning in the background; the memory stays open."""
        self._turns.close()


def memory_tools(memory: Memory, names: tuple[str, ...] = DEFAULT_TOOLS) -> list[BaseTool]:
    """The memory's tools, for an agent without the middleware."""
    return [_langchain_tool(tool) for tool in TurnMemory(memory, learns=False).tools(names)]


class MemoryStore(BaseStore):
    """LangGraph's long-term store in the logs of users: each item is a document in the log of its user.

    `open_memory` gives the memory of a user. The user is the label of the namespace at `user_at`: the first by default,
    as in `("ana", "memories")`. Items never expire. A search without a query lists the newest items first.
    """

    def __init__(self, open_memory: Callable[[str], Memory], *, user_at: int = 0) -> None:
        self._open_memory = open_memory
        self._user_at = user_at
        self._users: dict[str, ItemLog] = {}
        self._lock = threading.Lock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        with self._lock:
            return [self._run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, [*ops])

    def _run(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._items(op.namespace).get(op.namespace, op.key)
            return None if found is None else _store_item(found)
        if isinstance(op, PutOp):
            items = self._items(op.namespace)
            if op.value is not None:
                items.put(op.namespace, op.key, op.value)
            elif (old := items.get(op.namespace, op.key)) is not None:
                items.delete(old)
            return None
        if isinstance(op, SearchOp):
            return self._search(op)
        return self._namespaces(op)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        items, prefix = self._items(op.namespace_prefix), op.namespace_prefix
        found = items.search(op.query, prefix) if op.query else ((item, None) for item in items.items(prefix))
        wanted = [(item, score) for item, score in found if _matches(item.value, op.filter or {})]
        return [
            SearchItem(item.path, item.key, item.value, item.created, item.updated, score)
            for item, score in wanted[op.offset : op.offset + op.limit]
        ]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        """The namespaces of the users that the conditions name, or of those used so far."""
        named = [condition for condition in op.match_conditions or () if condition.match_type == "prefix"]
        users = [self._items(condition.path) for condition in named] or [*self._users.values()]
        paths = {item.path for items in users for item in items.items()}
        matching = {
            path[: op.max_depth] for path in paths if all(_is_match(each, path) for each in op.match_conditions or ())
        }
        return sorted(matching)[op.offset : op.offset + op.limit]

    def _items(self, namespace: tuple[str, ...]) -> ItemLog:
        try:
            user = namespace[self._user_at]
        except IndexError:
            user = ""
        if user in ("", "*"):
            raise Refused(f"The namespace {namespace!r} names no user. Put the user at place {self._user_at}.")
        if user not in self._users:
            self._users[user] = ItemLog(self._open_memory(user))
        return self._users[user]


def _langchain_tool(tool: AgentTool) -> BaseTool:
    def run(**arguments: Any) -> str:
        return tool.call(arguments)

    return StructuredTool.from_function(
        func=run, name=tool.name, description=tool.description, args_schema=tool.parameters, infer_schema=False
    )


def _session() -> str:
    """The thread of the run; "" outside of one."""
    try:
        return str(get_config().get("configurable", {}).get("thread_id") or "")
    except RuntimeError:
        return ""


def _with_context(request: ModelRequest[Any], context: str) -> ModelRequest[Any]:
    """The request with the context as a message of its own, before the last one of the user."""
    last = max((place for place, said in enumerate(request.messages) if said.type == "human"), default=None)
    if last is None or not context:
        return request
    messages = [*request.messages[:last], HumanMessage(context, name="memory"), *request.messages[last:]]
    return request.override(messages=messages)


def _read(messages: Sequence[AnyMessage]) -> list[Message]:
    return [
        Message(ROLES.get(said.type, "tool"), said.text, speaker=said.name or "", id=said.id or "") for said in messages
    ]


def _spoken(messages: Sequence[AnyMessage]) -> list[Message]:
    return [message for message in _read(messages) if message.role != "tool"]


def _store_item(item: Item) -> StoreItem:
    return StoreItem(
        value=item.value, key=item.key, namespace=item.path, created_at=item.created, updated_at=item.updated
    )


def _is_match(condition: MatchCondition, path: tuple[str, ...]) -> bool:
    wanted = condition.path
    part = path[: len(wanted)] if condition.match_type == "prefix" else path[-len(wanted) :]
    return len(part) == len(wanted) and all(want in ("*", label) for want, label in zip(wanted, part, strict=True))


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: bool(value == other),
    "$ne": lambda value, other: bool(value != other),
    "$gt": lambda value, other: bool(value > other),
    "$gte": lambda value, other: bool(value >= other),
    "$lt": lambda value, other: bool(value < other),
    "$lte": lambda value, other: bool(value <= other),
}


def _matches(value: Any, wanted: Any) -> bool:
    """Whether a value has what a filter asks for: equal fields, or comparisons such as `{"$gt": 4}`."""
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if unknown := [name for name in wanted if name.startswith("$") and name not in COMPARISONS]:
        raise Refused(f"The filter {unknown[0]!r} is unknown. Use one of {', '.join(COMPARISONS)}.")
    for name, other in wanted.items():
        if name in COMPARISONS:
            try:
                if not COMPARISONS[name](value, other):
                    return False
            except TypeError:  # a text is not greater than a number
                return False
        elif not isinstance(value, dict) or not _matches(value.get(name), other):
            return False
    return True
