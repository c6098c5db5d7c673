"""A Pydantic AI agent that knows its user: python pydantic_agent.py MODEL, such as anthropic:claude-sonnet-4-5."""

import sys

from pydantic_ai import Agent
from pydantic_ai.models import Model

from uac import Memory, open_store
from uac.interfaces.adapters.pydantic_ai import UserMemory


def agent_with_memory(model: Model | str, memory: Memory) -> Agent:
    return Agent(model, capabilities=[UserMemory(memory, tools=("compute", "remember"))])


if __name__ == "__main__":
    agent = agent_with_memory(sys.argv[1], Memory(open_store("memory.db").log("me")))
    while words := input("you: "):
        print("agent:", agent.run_sync(words, conversation_id="terminal").output)
