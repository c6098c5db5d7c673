"""The tools that an agent has on one memory: their descriptions, arguments, results, and the dispatcher that runs them.

Comes in: a tool's name and arguments as an agent writes them. Goes out: text for the agent, and the same as JSON. No
protocol and no framework is known here: `mcp` serves these tools, and each of `adapters` hands them to its framework.
"""

from uac.interfaces.agent_tools.dispatcher import Dispatcher, ToolReply
from uac.interfaces.agent_tools.tool_catalog import INSTRUCTIONS, TOOLS, Tool
from uac.interfaces.agent_tools.tool_schema import tool_json_schema

__all__ = ["INSTRUCTIONS", "TOOLS", "Dispatcher", "Tool", "ToolReply", "tool_json_schema"]
