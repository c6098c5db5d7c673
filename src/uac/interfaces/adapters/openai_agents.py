"""The OpenAI Agents SDK: a session in the user's log, context for every model call, and tools.

It needs `openai-agents`.
"""

import asyncio
import json
import secrets
from collections.abc import Mapping
from typing import Any, cast

from agents import FunctionTool, Tool, TResponseInputItem
from agents.memory import SessionSettings
from agents.run_config import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from uac.interfaces.adapters.items import ItemLog
from uac.interfaces.adapters.locks import memory_lock
from uac.interfaces.adapters.tools import DEFAULT_TOOLS, AgentTool
from uac.interfaces.adapters.turns import TOKENS, Message, TurnMemory
from uac.memory.memory import Memory
from uac.schema.entries import Role

__all__ = ["MemorySession", "memory_tools"]

PATH = "openai-agents"
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class MemorySession:
    """The history of one conversation in the user's log, for `Runner.run(agent, words, session=…)`.

    Messages are turns that memory learns from. With `run_config=RunConfig(call_model_input_filter=session.add_context)`
    every model call also gets the context: alerts first, then what memory knows from all conversations.
    """

    def __init__(self, memory: Memory, session_id: str, *, tokens: int = TOKENS, learns: bool = True) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = None
        self._turns = TurnMemory(memory, tokens=tokens, learns=learns)
        self._items = ItemLog(memory)
        self._lock = memory_lock(memory)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        return await asyncio.to_thread(self._read_items, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        await asyncio.to_thread(self._add_items, items)

    async def pop_item(self) -> TResponseInputItem | None:
        return await asyncio.to_thread(self._pop_item)

    async def clear_session(self) -> None:
        """Retract all items of this conversation. They no longer count, and stay in the log until they are erased."""
        await asyncio.to_thread(self._clear)

    async def add_context(self, data: CallModelData[Any]) -> ModelInputData:
        """The input of a model call, with the user's context before the last message of the user."""
        given = data.model_data
        messages = [_read_message(cast("Mapping[str, Any]", item)) for item in given.input]
        context = await asyncio.to_thread(self._turns.before_turn, messages, session=self.session_id)
        last = max((place for place, message in enumerate(messages) if message.role == "user"), default=None)
        if last is None or not context:
            return given
        said = cast("TResponseInputItem", {"role": "user", "content": context})
        return ModelInputData(input=[*given.input[:last], said, *given.input[last:]], instructions=given.instructions)

    def close(self) -> None:
        """Stop learning in the background; the memory stays open."""
        self._turns.close()

    def _read_items(self, limit: int | None) -> list[TResponseInputItem]:
        with self._lock:
            newest_first = [item.value for item in self._items.items((PATH, self.session_id))]
        return cast("list[TResponseInputItem]", newest_first[:limit][::-1])

    def _add_items(self, items: list[TResponseInputItem]) -> None:
        with self._lock:
            for item in items:
                value = dict(cast("Mapping[str, Any]", item))
                message = _read_message(value)
                self._items.put(
                    (PATH, self.session_id),
                    secrets.token_hex(8),
                    value,
                    text=message.text,
                    role=message.role,
                    session=self.session_id,
                )
        self._turns.learn()

    def _pop_item(self) -> TResponseInputItem | None:
        with self._lock:
            last = next(self._items.items((PATH, self.session_id)), None)
            if last is None:
                return None
            self._items.delete(last)
        return cast("TResponseInputItem", last.value)

    def _clear(self) -> None:
        with self._lock:
            self._items.delete(*self._items.items((PATH, self.session_id)))


def memory_tools(memory: Memory, names: tuple[str, ...] = DEFAULT_TOOLS) -> list[Tool]:
    """The memory's tools, for `Agent(tools=…)`."""
    return [_function_tool(tool) for tool in TurnMemory(memory, learns=False).tools(names)]


def _function_tool(tool: AgentTool) -> FunctionTool:
    async def run(_context: ToolContext[Any], arguments: str) -> str:
        try:
            given = json.loads(arguments or "{}")
        except json.JSONDecodeError as error:
            return f"The arguments of {tool.name} are not JSON: {error}. Send an object."
        return await asyncio.to_thread(tool.call, given)

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=run,
        strict_json_schema=False,
    )


def _read_message(item: Mapping[str, Any]) -> Message:
    """An item as a message; calls, their results and reasoning are the work of a tool."""
    content = item.get("content")
    parts = (
        [content]
        if isinstance(content, str)
        else [part.get("text") for part in content or () if isinstance(part, dict)]
    )
    text = "\n".join(part for part in parts if isinstance(part, str))
    if item.get("type", "message") != "message":
        described = " ".join(str(item[name]) for name in ("name", "arguments", "output") if item.get(name))
        return Message("tool", described or str(item.get("type")))
    return Message(ROLES.get(str(item.get("role")), "tool"), text or "(no text)")
