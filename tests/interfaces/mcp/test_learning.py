"""The server learns by itself from words that an agent stores without facts, if a model is configured."""

import json
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from support.fake_vendor_server import fails, loopback, no_proxy, well
from support.mcp_client import LONG, Agent, environment, warm_uac
from support.scripted_model import allergy, put_allergy
from uac import Memory, open_store

SENTENCE = "I'm allergic to penicillin."


def play(store: Path, address: str, data: Path, until: str) -> None:
    """An agent stores a sentence, and goes on until the memory has what it waits for."""
    settings = environment(UAC_MODEL="local", UAC_MODEL_URL=f"{address}/v1", XDG_DATA_HOME=str(data))
    server = StdioServerParameters(command=warm_uac(), args=["mcp", "ana", "--store", str(store)], env=settings)

    async def run() -> None:
        with anyio.fail_after(LONG):
            async with Client(stdio_client(server)) as client:
                agent = Agent(client)
                await agent.call("remember", turns=[{"text": SENTENCE}])
                while until not in await agent.text("read", name="health") and not list(data.rglob("learning/*.json")):
                    await agent.call("alerts")

    anyio.run(run)


def test_words_without_facts_become_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_proxy(monkeypatch)
    with loopback() as model:
        model.will(well(json.dumps({"facts": [allergy(1)]})), well(json.dumps(put_allergy(2))))
        play(tmp_path / "memory.db", model.address, tmp_path / "data", "health.Allergy:penicillin")
    with closing(open_store(tmp_path / "memory.db")) as store:
        assert [record.id for record in Memory(store.log("ana")).project().records("health.Allergy")] == [
            "health.Allergy:penicillin"
        ]


def test_what_stops_it_is_noted_and_the_server_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_proxy(monkeypatch)
    with loopback() as model:
        model.will(*[fails(401, "no such key")] * 50)
        play(tmp_path / "memory.db", model.address, tmp_path / "data", "never")
    (note,) = (tmp_path / "data" / "uac" / "learning").iterdir()
    assert "key" in json.loads(note.read_bytes())["why"]
