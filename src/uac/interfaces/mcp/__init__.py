"""The MCP server: one user's memory as tools, resources and notifications. It needs the extra `mcp`.

Each transport is imported when it is first used: standard input needs no HTTP server.
"""

from typing import TYPE_CHECKING, Any

from uac.interfaces.mcp.server import memory_server, serve_stdio

if TYPE_CHECKING:
    from uac.interfaces.mcp.http import serve_memory

__all__ = ["memory_server", "serve_memory", "serve_stdio"]


def __getattr__(name: str) -> Any:
    if name != "serve_memory":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from uac.interfaces.mcp.http import serve_memory

    return serve_memory
