"""The Claude Agent SDK: hooks that add context and remember, and tools in the same process.

It needs `claude-agent-sdk`. For Claude Code itself there is a plugin in integrations/claude-code.
"""

import asyncio
from typing import Any

from claude_agent_sdk import HookMatcher, McpSdkServerConfig, SdkMcpTool, create_sdk_mcp_server
from claude_agent_sdk.types import HookContext, HookEvent, HookInput, HookJSONOutput

from uac.interfaces.adapters.claude_hooks import answer_hook
from uac.interfaces.adapters.tools import DEFAULT_TOOLS, AgentTool
from uac.interfaces.adapters.turns import TOKENS, TurnMemory
from uac.interfaces.client.transports import WaitingWire
from uac.interfaces.client.user import User
from uac.memory.memory import Memory

__all__ = ["memory_hooks", "memory_server"]


def memory_hooks(
    memory: Memory | User[WaitingWire], *, tokens: int = TOKENS, learns: bool = True
) -> dict[HookEvent, list[HookMatcher]]:
    """Context with every prompt, and remembering: `ClaudeAgentOptions(hooks=memory_hooks(memory))`."""
    turns = TurnMemory(memory, tokens=tokens, learns=learns)

    async def answer(event: HookInput, _tool_use_id: str | None, _context: HookContext) -> HookJSONOutput:
        output: HookJSONOutput = await asyncio.to_thread(answer_hook, turns, event)  # type: ignore[assignment] # plain JSON
        return output

    return {"UserPromptSubmit": [HookMatcher(hooks=[answer])], "Stop": [HookMatcher(hooks=[answer])]}


def memory_server(memory: Memory, names: tuple[str, ...] = DEFAULT_TOOLS) -> McpSdkServerConfig:
    """The memory's tools: `ClaudeAgentOptions(mcp_servers={"memory": memory_server(memory)})`."""
    tools = TurnMemory(memory, learns=False).tools(names)
    return create_sdk_mcp_server("memory", tools=[_sdk_tool(tool) for tool in tools])


def _sdk_tool(tool: AgentTool) -> SdkMcpTool[Any]:
    async def run(arguments: dict[str, Any]) -> dict[str, Any]:
        text = await asyncio.to_thread(tool.call, arguments)
        return {"content": [{"type": "text", "text": text}]}

    return SdkMcpTool(name=tool.name, description=tool.description, input_schema=tool.parameters, handler=run)
