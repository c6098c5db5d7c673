"""AutoGen: its memory protocol, and tools. It needs `autogen-core`; agents come from `autogen-agentchat`."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from autogen_core import CancellationToken
from autogen_core.memory import Memory as AutogenMemory
from autogen_core.memory import MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, LLMMessage, UserMessage
from pydantic import BaseModel

from uac.errors import Refused
from uac.interfaces.adapters.turns import TOKENS, Message, TurnMemory
from uac.interfaces.client.transports import WaitingWire
from uac.interfaces.client.user import User
from uac.memory.memory import Memory

__all__ = ["UserMemory"]


class UserMemory(AutogenMemory):
    """The user's memory for an agent: `AssistantAgent(…, memory=[UserMemory(memory, session="1")])`.

    Before each answer the context is added to the model context, as a message of the source "memory", and what was
    said so far is stored. So an answer is stored with the turn that follows it.
    """

    component_config_schema = BaseModel
    component_provider_override = "uac.interfaces.adapters.autogen.UserMemory"

    def __init__(
        self, memory: Memory | User[WaitingWire], *, session: str = "", tokens: int = TOKENS, learns: bool = True
    ) -> None:
        self._turns = TurnMemory(memory, tokens=tokens, learns=learns)
        self._session = session

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        said = [read for message in await model_context.get_messages() if (read := _read(message)) is not None]
        context = await asyncio.to_thread(self._turns.before_turn, said, session=self._session)
        await asyncio.to_thread(self._turns.after_turn, said, session=self._session, is_whole=True)
        if not context:
            return UpdateContextResult(memories=MemoryQueryResult(results=[]))
        await model_context.add_message(UserMessage(content=context, source="memory"))
        return UpdateContextResult(memories=MemoryQueryResult(results=[_content(context)]))

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,  # noqa: ARG002 - the protocol's shape
        **kwargs: Any,  # noqa: ARG002
    ) -> MemoryQueryResult:
        """The context for a query, as one result."""
        text = query if isinstance(query, str) else _text(query)
        context = await asyncio.to_thread(self._turns.before_turn, [Message("user", text)], session=self._session)
        return MemoryQueryResult(results=[_content(context)] if context else [])

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:  # noqa: ARG002
        """Store a text or a JSON value as a document."""
        message = Message("document", _text(content))
        await asyncio.to_thread(self._turns.after_turn, [message], session=self._session)

    async def clear(self) -> None:
        raise Refused("A log is not cleared in passing. Use log.erase, or store.erase for the whole user.")

    async def close(self) -> None:
        """Stop learning in the background; the memory stays open."""
        self._turns.close()


def _read(message: LLMMessage) -> Message | None:
    """What the user and the assistant said; calls and results of tools are left out."""
    if isinstance(message, UserMessage) and isinstance(message.content, str):
        return Message("user", message.content)
    if isinstance(message, AssistantMessage) and isinstance(message.content, str):
        return Message("assistant", message.content, speaker=message.source)
    return None


def _content(text: str) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.TEXT)


def _text(content: MemoryContent) -> str:
    if isinstance(content.content, str):
        return content.content
    if isinstance(content.content, Mapping):
        return json.dumps(content.content, ensure_ascii=False)
    raise Refused(f"A memory of the type {content.mime_type} has no text. Use a text or a JSON value.")
