"""Memory inside agent frameworks: one module for each framework, and the core that they share.

Comes in: the messages of a framework's conversation. Goes out: context before a turn, and tools for the agent. A module
named after a framework needs that framework installed; `turns` and `tools` need nothing.
"""

from typing import TYPE_CHECKING

from uac.interfaces.adapters.turns import Message, TurnMemory

if TYPE_CHECKING:
    from uac.interfaces.adapters.tools import AgentTool, agent_tools

__all__ = ["AgentTool", "Message", "TurnMemory", "agent_tools"]


def __getattr__(name: str) -> object:
    """Imported on first use: a hook needs no tools, and their import takes longer than its answer."""
    if name in ("AgentTool", "agent_tools"):
        from uac.interfaces.adapters import tools

        return getattr(tools, name)
    raise AttributeError(f"module 'uac.interfaces.adapters' has no attribute {name!r}")
