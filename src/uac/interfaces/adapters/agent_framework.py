"""Microsoft Agent Framework: a context provider. It needs `agent-framework-core`."""

import asyncio
from collections.abc import Sequence
from typing import Any

from agent_framework import AgentSession, ContextProvider, FunctionTool, SessionContext, SupportsAgentRun
from agent_framework import Message as ChatMessage

from uac.interfaces.adapters.tools import DEFAULT_TOOLS, AgentTool
from uac.interfaces.adapters.turns import TOKENS, Message, TurnMemory
from uac.interfaces.client.transports import WaitingWire
from uac.interfaces.client.user import User
from uac.memory.memory import Memory
from uac.schema.entries import Role

__all__ = ["UserMemoryProvider", "memory_tools"]

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


class UserMemoryProvider(ContextProvider):
    """The user's memory for an agent: `Agent(client, context_providers=[UserMemoryProvider(memory)])`.

    The context is a message before those of the user; the session of a run is the session. `tools` names the memory's
    tools to give to the agent; by default none.
    """

    def __init__(
        self,
        memory: Memory | User[WaitingWire],
        *,
        source_id: str = "user_memory",
        tokens: int = TOKENS,
        tools: tuple[str, ...] = (),
        learns: bool = True,
    ) -> None:
        super().__init__(source_id)
        self._turns = TurnMemory(memory, tokens=tokens, learns=learns)
        self._tools = [_function_tool(tool) for tool in self._turns.tools(tools)] if tools else []

    async def before_run(
        self,
        *,
        agent: SupportsAgentRun,  # noqa: ARG002 - the provider's shape
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002
    ) -> None:
        said = _read(context.input_messages)
        text = await asyncio.to_thread(self._turns.before_turn, said, session=session.session_id)
        if text:
            context.extend_messages(self, [ChatMessage("user", [text])])
        if self._tools:
            context.extend_tools(self.source_id, self._tools)

    async def after_run(
        self,
        *,
        agent: SupportsAgentRun,  # noqa: ARG002
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002
    ) -> None:
        answers = context.response.messages if context.response is not None else []
        said = _read([*context.input_messages, *answers])
        await asyncio.to_thread(self._turns.after_turn, said, session=session.session_id)

    def close(self) -> None:
        """Stop learning in the background; the memory stays open."""
        self._turns.close()


def memory_tools(memory: Memory, names: tuple[str, ...] = DEFAULT_TOOLS) -> list[FunctionTool]:
    """The memory's tools, for `Agent(tools=…)`."""
    return [_function_tool(tool) for tool in TurnMemory(memory, learns=False).tools(names)]


def _function_tool(tool: AgentTool) -> FunctionTool:
    def run(**arguments: Any) -> str:
        return tool.call(arguments)

    return FunctionTool(name=tool.name, description=tool.description, func=run, input_model=tool.parameters)


def _read(messages: Sequence[ChatMessage]) -> list[Message]:
    """What the user and the assistant said; results of tools are left out."""
    said = [
        Message(ROLES.get(str(sent.role), "tool"), sent.text, speaker=sent.author_name or "", id=sent.message_id or "")
        for sent in messages
    ]
    return [message for message in said if message.role != "tool"]
