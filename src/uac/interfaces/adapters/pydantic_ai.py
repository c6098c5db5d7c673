"""Pydantic AI: a capability that adds context, tools and remembering to an agent. It needs `pydantic-ai-slim`."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from pydantic_ai import FunctionToolset, ModelRequestContext, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, TextPart, UserPromptPart
from pydantic_ai.run import AgentRunResult

from uac.interfaces.adapters.tools import DEFAULT_TOOLS, AgentTool
from uac.interfaces.adapters.turns import TOKENS, Message, TurnMemory
from uac.interfaces.client.transports import WaitingWire
from uac.interfaces.client.user import User
from uac.memory.memory import Memory

__all__ = ["UserMemory", "memory_toolset"]


@dataclass
class UserMemory(AbstractCapability[Any]):
    """The user's memory for an agent: `Agent(model, capabilities=[UserMemory(memory)])`.

    The context is sent as a message of its own before the prompt of a run; it is not in the message history. The
    conversation of a run is its session. `tools` names the memory's tools to give to the agent; by default none.
    """

    memory: Memory | User[WaitingWire]
    _: KW_ONLY
    tokens: int = TOKENS
    tools: tuple[str, ...] = ()
    learns: bool = True
    _turns: TurnMemory = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._turns = TurnMemory(self.memory, tokens=self.tokens, learns=self.learns)

    def get_toolset(self) -> FunctionToolset[Any] | None:
        return _toolset(self._turns.tools(self.tools)) if self.tools else None

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        said = [*_messages(request_context.messages)]
        context = await asyncio.to_thread(self._turns.before_turn, said, session=ctx.conversation_id or "")
        prompts = [place for place, sent in enumerate(request_context.messages) if _has_prompt(sent)]
        if context and prompts:
            request_context.messages = [
                *request_context.messages[: prompts[-1]],
                ModelRequest([UserPromptPart(context)]),
                *request_context.messages[prompts[-1] :],
            ]
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        said = [*_messages(result.new_messages())]
        await asyncio.to_thread(self._turns.after_turn, said, session=ctx.conversation_id or "")
        return result

    def close(self) -> None:
        """Stop learning in the background; the memory stays open."""
        self._turns.close()


def memory_toolset(memory: Memory, names: tuple[str, ...] = DEFAULT_TOOLS) -> FunctionToolset[Any]:
    """The memory's tools, for `Agent(toolsets=[…])`."""
    return _toolset(TurnMemory(memory, learns=False).tools(names))


def _toolset(tools: Sequence[AgentTool]) -> FunctionToolset[Any]:
    return FunctionToolset([_pydantic_tool(tool) for tool in tools])


def _pydantic_tool(tool: AgentTool) -> Tool[Any]:
    def run(**arguments: Any) -> str:
        return tool.call(arguments)

    return Tool.from_schema(run, tool.name, tool.description, tool.parameters)


def _has_prompt(sent: ModelMessage) -> bool:
    return isinstance(sent, ModelRequest) and any(isinstance(part, UserPromptPart) for part in sent.parts)


def _messages(history: Sequence[ModelMessage]) -> Iterator[Message]:
    """What the user and the assistant said; calls of tools and thoughts are left out."""
    for sent in history:
        for part in sent.parts:
            if isinstance(part, UserPromptPart):
                content = part.content if isinstance(part.content, str) else "\n".join(_texts(part.content))
                yield Message("user", content, said=part.timestamp)
            elif isinstance(part, TextPart):
                yield Message("assistant", part.content)


def _texts(content: Sequence[Any]) -> Iterator[str]:
    contents = (each if isinstance(each, str) else getattr(each, "content", None) for each in content)
    return (each for each in contents if isinstance(each, str))
