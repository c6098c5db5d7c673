"""The tools of the MCP server as plain functions, for frameworks that call functions."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from uac.errors import Refused
from uac.interfaces.adapters.locks import memory_lock
from uac.interfaces.agent_tools import INSTRUCTIONS, TOOLS, Dispatcher, tool_json_schema
from uac.memory.memory import Memory

__all__ = ["DEFAULT_TOOLS", "INSTRUCTIONS", "AgentTool", "agent_tools"]

DEFAULT_TOOLS = ("remember", "recall", "compute", "alerts")
"""The tools that an agent needs most; fewer tools are used better."""


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool for an agent. `call` takes the arguments as a mapping and returns text, also for a refusal."""

    name: str
    description: str
    parameters: dict[str, Any]
    """The arguments, as a JSON schema."""
    call: Callable[[dict[str, Any]], str]


def agent_tools(
    memory: Memory,
    names: tuple[str, ...] = DEFAULT_TOOLS,
    *,
    session: str = "",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[AgentTool]:
    """The named tools on one memory. Alerts come with every reply; those that a `session` has seen are shortened."""
    known = {tool.name: tool for tool in TOOLS}
    if unknown := [name for name in names if name not in known]:
        raise Refused(f"No tool {', '.join(unknown)}. The tools are {', '.join(known)}.")
    dispatcher, lock = Dispatcher(memory, clock), memory_lock(memory)

    def caller(name: str) -> Callable[[dict[str, Any]], str]:
        def call(arguments: dict[str, Any]) -> str:
            with lock:
                return dispatcher.call_tool(name, arguments, session or None).text

        return call

    return [
        AgentTool(name, known[name].description, tool_json_schema(known[name].takes), caller(name)) for name in names
    ]
