"""The MCP server: one user's memory as tools, resources and notifications. It needs the extra `mcp`."""

from uac.interfaces.mcp.http import serve_memory
from uac.interfaces.mcp.server import memory_server, serve_stdio

__all__ = ["memory_server", "serve_memory", "serve_stdio"]
