"""An agent of the Claude Agent SDK that knows its user: ANTHROPIC_API_KEY=… python claude_agent.py "What do I eat?"."""

import asyncio
import sys
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

from uac import Memory, open_store
from uac.interfaces.adapters.claude_agent import memory_hooks, memory_server


async def reply(words: str, memory: Memory, **options: Any) -> str:
    tools = {"memory": memory_server(memory)}
    with_memory = ClaudeAgentOptions(hooks=memory_hooks(memory), mcp_servers=tools, **options)
    async for message in query(prompt=words, options=with_memory):
        if isinstance(message, ResultMessage):
            return message.result or ""
    return ""


if __name__ == "__main__":
    print(asyncio.run(reply(sys.argv[1], Memory(open_store("memory.db").log("me")))))
