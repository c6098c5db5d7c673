"""docs/guides/mcp.md: every configuration starts as it stands there, and every tool is in the table."""

import json
import re
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from support.mcp_client import KEY, LONG, environment, http_server
from support.paths import ROOT
from support.warm_start import warm_folder
from uac.interfaces.agent_tools.tool_catalog import TOOLS
from uac.interfaces.agent_tools.tool_schema import tool_json_schema
from uac.text.token_count import count_tokens

TEXT = (ROOT / "docs" / "guides" / "mcp.md").read_text()
BLOCKS = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)]
SERVERS = [server for block in BLOCKS for server in (block.get("mcpServers") or block["servers"]).values()]
NAMES = [tool.name for tool in TOOLS]


async def names_at(server: Any) -> list[str]:
    with anyio.fail_after(LONG):
        async with Client(server) as client:
            return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize("server", [server for server in SERVERS if "command" in server])
def test_the_command_of_a_configuration_serves_the_tools(server: dict[str, Any], tmp_path: Path) -> None:
    settings = environment(UAC_STORE=str(tmp_path / "memory.db"))
    settings["PATH"] = f"{warm_folder()}:{settings['PATH']}"
    command = StdioServerParameters(command=server["command"], args=server["args"], env=settings)
    assert anyio.run(names_at, command) == NAMES


@pytest.mark.parametrize("server", [server for server in SERVERS if "url" in server])
def test_the_address_of_a_configuration_with_its_headers_serves_the_tools(
    server: dict[str, Any], tmp_path: Path
) -> None:
    headers = {name: re.sub(r"\$\{[^}]+\}", KEY, value) for name, value in server["headers"].items()}

    async def names(address: str) -> list[str]:
        async with httpx2.AsyncClient(headers=headers, timeout=LONG) as http:
            return await names_at(streamable_http_client(address, http_client=http))

    with http_server(tmp_path / "memory.db") as (address, _printed):
        port = address.rpartition(":")[2].partition("/")[0]
        assert anyio.run(names, server["url"].replace("8321", port)) == NAMES


def test_configurations_for_both_transports_are_there() -> None:
    assert [("command" in server, "url" in server) for server in SERVERS] == [
        (True, False),
        (True, False),
        (False, True),
    ]


def test_the_table_of_tools_is_whole() -> None:
    assert re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE) == NAMES


def test_descriptions_and_arguments_of_the_tools_take_some_five_thousand_tokens() -> None:
    told = [
        {"name": tool.name, "description": tool.description, "takes": tool_json_schema(tool.takes)} for tool in TOOLS
    ]
    assert "some 5,000 tokens" in TEXT
    assert round(count_tokens(json.dumps(told)), -3) == 5000
