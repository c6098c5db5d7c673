"""LlamaIndex: a memory block and tools. It needs `llama-index-core`."""

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.tools import BaseTool, ToolMetadata, ToolOutput

from uac.interfaces.adapters.tools import DEFAULT_TOOLS, AgentTool
from uac.interfaces.adapters.turns import TOKENS, Message, TurnMemory
from uac.interfaces.client.transports import WaitingWire
from uac.interfaces.client.user import User
from uac.memory.memory import Memory
from uac.schema.entries import Role

__all__ = ["UserMemoryBlock", "memory_tools"]

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class UserMemoryBlock(BaseMemoryBlock[str]):
    """The user's context as a block: `Memory.from_defaults(session_id="1", memory_blocks=[UserMemoryBlock(memory)])`.

    Each time that the block is read, what was said so far is stored: LlamaIndex itself passes on only the messages that
    no longer fit its own history. So an answer is stored with the turn that follows it.
    """

    _turns: TurnMemory = PrivateAttr()

    def __init__(
        self, memory: Memory | User[WaitingWire], *, tokens: int = TOKENS, learns: bool = True, **fields: Any
    ) -> None:
        super().__init__(**{"name": "user_memory", **fields})
        self._turns = TurnMemory(memory, tokens=tokens, learns=learns)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said, session = _read(messages or []), str(block_kwargs.get("session_id") or "")
        context = await asyncio.to_thread(self._turns.before_turn, said, session=session)
        await asyncio.to_thread(self._turns.after_turn, said, session=session, is_whole=True)
        return context

    async def _aput(self, messages: list[ChatMessage]) -> None:
        session = str(messages[0].additional_kwargs.get("session_id") or "") if messages else ""
        await asyncio.to_thread(self._turns.after_turn, _read(messages), session=session, is_whole=True)

    def close(self) -> None:
        """Stop learning in the background; the memory stays open."""
        self._turns.close()


def memory_tools(memory: Memory, names: tuple[str, ...] = DEFAULT_TOOLS) -> list[BaseTool]:
    """The memory's tools, for `FunctionAgent(tools=…)`."""
    return [_MemoryTool(tool) for tool in TurnMemory(memory, learns=False).tools(names)]


class _MemoryTool(BaseTool):
    def __init__(self, tool: AgentTool) -> None:
        self._tool = tool
        self._metadata = _Metadata(tool)

    @property
    def metadata(self) -> ToolMetadata:
        return self._metadata

    def __call__(self, *_positional: Any, **arguments: Any) -> ToolOutput:
        text = self._tool.call(arguments)
        return ToolOutput(content=text, tool_name=self._tool.name, raw_input=arguments, raw_output=text)


class _Metadata(ToolMetadata):
    """The description of a tool, with our own schema of its arguments."""

    def __init__(self, tool: AgentTool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._parameters = tool.parameters

    def get_parameters_dict(self) -> dict[str, Any]:
        return self._parameters


def _read(messages: list[ChatMessage]) -> list[Message]:
    """What the user and the assistant said; results of tools are left out."""
    said = [Message(ROLES.get(message.role.value, "tool"), message.content or "") for message in messages]
    return [message for message in said if message.role != "tool"]
