"""Google's Agent Development Kit: a memory service and tools. It needs `google-adk`."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from uac.errors import Refused
from uac.interfaces.adapters.locks import memory_lock
from uac.interfaces.adapters.tools import DEFAULT_TOOLS, AgentTool
from uac.interfaces.adapters.turns import TOKENS, Message, TurnMemory
from uac.memory.memory import Memory

__all__ = ["UserMemoryService", "memory_tools"]


class UserMemoryService(BaseMemoryService):
    """The memories of all users of a runner: `Runner(…, memory_service=UserMemoryService(open_memory))`.

    `open_memory` gives the memory of a user; `app_name` is not part of it, so apps that share users share what they
    know. A search returns one entry: the context for the query, with alerts first. It is what ADK's own
    `preload_memory` puts before the user's message.
    """

    def __init__(self, open_memory: Callable[[str], Memory], *, tokens: int = TOKENS, learns: bool = True) -> None:
        self._open_memory = open_memory
        self._tokens = tokens
        self._learns = learns
        self._users: dict[str, tuple[Memory, TurnMemory]] = {}
        self._lock = threading.Lock()

    async def add_session_to_memory(self, session: Session) -> None:
        await asyncio.to_thread(self._add_events, session.user_id, session.events, session.id)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,  # noqa: ARG002 - the service's shape
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002
    ) -> None:
        await asyncio.to_thread(self._add_events, user_id, events, session_id or "")

    async def add_memory(
        self,
        *,
        app_name: str,  # noqa: ARG002
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002
    ) -> None:
        """Store texts that did not come from a session: the user's own if their author is "user", else documents."""
        said = [
            Message("user" if entry.author == "user" else "document", _text(entry.content), id=entry.id or "")
            for entry in memories
        ]
        await asyncio.to_thread(self._user(user_id)[1].after_turn, said)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:  # noqa: ARG002
        context = await asyncio.to_thread(self._user(user_id)[1].before_turn, [Message("user", query)])
        if not context:
            return SearchMemoryResponse()
        content = types.Content(role="user", parts=[types.Part.from_text(text=context)])
        return SearchMemoryResponse(memories=[MemoryEntry(content=content)])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:  # noqa: ARG002
        raise Refused("A search returns a context, not single memories. Use Memory.retract or log.erase to delete.")

    def close(self) -> None:
        """Stop learning in the background; the memories stay open."""
        with self._lock:
            for _memory, turns in self._users.values():
                turns.close()

    def _add_events(self, user: str, events: Sequence[Event], session: str) -> None:
        said = [_message(event) for event in events if not event.partial]
        self._user(user)[1].after_turn([message for message in said if message.text], session=session)

    def _user(self, name: str) -> tuple[Memory, TurnMemory]:
        with self._lock:
            if name not in self._users:
                memory = self._open_memory(name)
                with memory_lock(memory):
                    self._users[name] = memory, TurnMemory(memory, tokens=self._tokens, learns=self._learns)
            return self._users[name]


def memory_tools(memory: Memory, names: tuple[str, ...] = DEFAULT_TOOLS) -> list[BaseTool]:
    """The tools on one user's memory, for `Agent(tools=…)`."""
    return [_MemoryTool(tool) for tool in TurnMemory(memory, learns=False).tools(names)]


class _MemoryTool(BaseTool):
    def __init__(self, tool: AgentTool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool = tool

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._tool.parameters
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> str:  # noqa: ARG002
        return await asyncio.to_thread(self._tool.call, args)


def _message(event: Event) -> Message:
    is_user = event.author == "user"
    said = datetime.fromtimestamp(event.timestamp, UTC)
    speaker = "" if is_user else event.author
    return Message("user" if is_user else "assistant", _text(event.content), speaker=speaker, id=event.id, said=said)


def _text(content: types.Content | None) -> str:
    parts = (content.parts if content is not None else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)
