"""An agent for tests: the official client, on a server inside this process, on a pipe or over HTTP."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from support.scripted_model import TUESDAY
from support.warm_start import warm_folder
from uac import Memory
from uac.interfaces.mcp import memory_server

KEY = "a-key-for-these-tests"
LONG = 300.0  # seconds after which a test that hangs fails
UAC = (sys.executable, "-m", "uac")
"""The command as a user starts it; `warm_uac()` starts at once."""

Given = TypeVar("Given")


def warm_uac() -> str:
    return str(warm_folder() / "uac")


class Told(Exception):
    """A tool that gave no result; its text says why."""


@dataclass(frozen=True)
class Agent:
    """Calls tools and gives what they give as JSON; what is no result is raised."""

    client: Client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        if result.is_error:
            raise Told(text_of(result))
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    async def text(self, tool: str, **arguments: Any) -> str:
        return text_of(await self.client.call_tool(tool, arguments))

    async def answer(self, *replies: dict[str, Any]) -> list[dict[str, Any]]:
        """Take one pending request after the other and answer it with the next reply."""
        outcomes = []
        for reply in replies:
            request = (await self.call("pending"))["requests"][0]
            outcomes.append(await self.call("answer", request=request["id"], reply=reply))
        return outcomes


def text_of(result: Any) -> str:
    (content,) = result.content
    text = content.text
    assert isinstance(text, str)
    return text


def with_agent(memory: Memory, script: Callable[[Agent], Awaitable[Given]], *, mode: str = "auto") -> Given:
    """What the script gives, played by an agent on a server in this process."""

    async def play() -> Given:
        with anyio.fail_after(LONG):
            async with Client(memory_server(memory, lambda: TUESDAY), mode=mode) as client:
                return await script(Agent(client))

    try:
        return anyio.run(play)
    finally:
        memory.close()


@asynccontextmanager
async def on_a_pipe(store: Path, *, mode: str = "auto", errors: Any = None, **more: Any) -> AsyncIterator[Agent]:
    server = StdioServerParameters(command=warm_uac(), args=["mcp", "ana", "--store", str(store)], env=environment())
    with anyio.fail_after(LONG):
        async with Client(stdio_client(server, errlog=errors or sys.stderr), mode=mode, **more) as client:
            yield Agent(client)


@asynccontextmanager
async def over_http(address: str, *, key: str = KEY, mode: str = "auto", **more: Any) -> AsyncIterator[Agent]:
    headers = {"Authorization": f"Bearer {key}"}
    with anyio.fail_after(LONG):
        async with (
            httpx2.AsyncClient(headers=headers, timeout=LONG) as http,
            Client(streamable_http_client(address, http_client=http), mode=mode, **more) as client,
        ):
            yield Agent(client)


@contextmanager
def http_server(store: Path, *options: str, key: str | None = KEY) -> Iterator[tuple[str, list[str]]]:
    """A server on a free port: its address, and what it had printed until it served."""
    command = (warm_uac(), "mcp", "ana", "--store", str(store), "--http", "--port", "0", *options)
    settings = environment() | ({} if key is None else {"UAC_MCP_KEY": key})
    with subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            printed: list[str] = []
            for line in process.stderr:
                if found := re.match(r"serving at (\S+)$", line):
                    yield found[1], printed
                    break
                printed.append(line.rstrip("\n"))
            else:
                raise AssertionError(f"the server did not start: {printed}")
        finally:
            process.terminate()
            rest, errors = process.communicate(timeout=LONG)
    assert rest == ""
    assert "Traceback" not in errors, errors


def environment(**more: str) -> dict[str, str]:
    kept = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "PYTHONPATH", "TMPDIR")
    known = {name: os.environ[name] for name in kept if name in os.environ}
    return {**known, "UAC_NOW": TUESDAY.isoformat(), "UAC_EMBEDDER": "none", **more}
