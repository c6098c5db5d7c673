"""The MCP server: one user's memory as tools, resources and notifications. It needs the extra `mcp`."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from uac.interfaces.mcp.dispatcher import Dispatcher
from uac.interfaces.mcp.http import serve_http
from uac.interfaces.mcp.server import EVERY, build_server
from uac.memory.memory import Memory

__all__ = ["memory_server", "serve_memory", "serve_stdio"]


def memory_server(memory: Memory, clock: Callable[[], datetime], *, every: float = EVERY) -> Server[Any]:
    """The server of one memory; `clock` gives the time of a call."""
    return build_server(Dispatcher(memory, clock), every=every)


def serve_stdio(memory: Memory, clock: Callable[[], datetime]) -> None:
    """Serve on standard input and output until the client closes them. Nothing else is written to standard output."""
    server = memory_server(memory, clock)

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)


def serve_memory(
    memory: Memory,
    clock: Callable[[], datetime],
    *,
    host: str,
    port: int,
    key: str,
    names: Sequence[str] = (),
    on_listening: Callable[[str], None] = lambda _address: None,
    told: Callable[[str], None] | None = None,
) -> None:
    """Serve over HTTP until a signal stops it. `on_listening` gets the address; `told` is its older name."""
    server, listening = memory_server(memory, clock), told or on_listening
    serve_http(server, host=host, port=port, key=key, names=names, on_listening=listening)
