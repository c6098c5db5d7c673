"""Memory inside agent frameworks: one module for each framework, and the core that they share.

Comes in: the messages of a framework's conversation. Goes out: context before a turn, and tools for the agent. A module
named after a framework needs that framework installed; `turns` and `tools` need nothing.
"""

from uac.interfaces.adapters.tools import AgentTool, agent_tools
from uac.interfaces.adapters.turns import Message, TurnMemory

__all__ = ["AgentTool", "Message", "TurnMemory", "agent_tools"]
