"""An agent of the Microsoft Agent Framework that knows its user. Give it any chat client of the framework."""

from agent_framework import Agent, SupportsChatGetResponse

from uac import Memory
from uac.interfaces.adapters.agent_framework import UserMemoryProvider


def agent_with_memory(client: SupportsChatGetResponse, memory: Memory) -> Agent:
    return Agent(client, context_providers=[UserMemoryProvider(memory, tools=("compute",))])
