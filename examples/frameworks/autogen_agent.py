"""An AutoGen agent that knows its user. Give it any model client of AutoGen."""

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ChatCompletionClient

from uac import Memory
from uac.interfaces.adapters.autogen import UserMemory


def agent_with_memory(client: ChatCompletionClient, memory: Memory, session: str) -> AssistantAgent:
    return AssistantAgent("assistant", client, memory=[UserMemory(memory, session=session)])
