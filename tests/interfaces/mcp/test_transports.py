"""The whole path, as a client goes it: over a pipe and over HTTP, with the official client."""

import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from support.mcp_client import KEY, LONG, UAC, Agent, environment, http_server, on_a_pipe, over_http, warm_uac
from support.scripted_model import allergy, fact, facts, put_allergy
from uac import Memory, open_store
from uac.schema.entries import Observation

Connected = Callable[[Path], AbstractAsyncContextManager[Agent]]


@asynccontextmanager
async def pipe(store: Path, **more: Any) -> AsyncIterator[Agent]:
    async with on_a_pipe(store, **more) as agent:
        yield agent


@asynccontextmanager
async def http(store: Path, **more: Any) -> AsyncIterator[Agent]:
    with http_server(store) as (address, _printed):
        async with over_http(address, **more) as agent:
            yield agent


@pytest.mark.parametrize("connected", [pipe, http])
def test_an_agent_remembers_structures_is_alerted_computes_corrects_and_forgets(
    connected: Connected, tmp_path: Path
) -> None:
    async def story() -> None:
        async with connected(tmp_path / "memory.db") as agent:
            await structured(agent)
            await alerted(agent)
            await computed_and_corrected(agent)
            await forgotten(agent)

    anyio.run(story)


async def structured(agent: Agent) -> None:
    turns = [
        {"text": "I'm allergic to penicillin.", "key": "1"},
        {"text": "Noted.", "role": "assistant"},
        {"text": "On 2024-04-02 I paid Bosch 300 EUR, and on 2024-05-03 I paid Ikea 450 EUR."},
    ]
    kept = await agent.call("remember", turns=turns, session="tuesday")
    assert (kept["positions"], kept["unread"], kept["facts"], kept["alerts"]) == ([1, 2, 3], 3, [], [])
    assert (await agent.call("remember", turns=turns[:1], session="tuesday"))["positions"] == [1]
    read, put = await agent.answer(
        facts(
            allergy(1),
            fact("The user paid Bosch 300 EUR on 2024-04-02.", 3, "On 2024-04-02 I paid Bosch 300 EUR"),
            fact("The user paid Ikea 450 EUR on 2024-05-03.", 3, "on 2024-05-03 I paid Ikea 450 EUR"),
        ),
        {
            "patches": [
                *put_allergy(4)["patches"],
                paid("Bosch", "300 EUR", "2024-04-02", 5),
                paid("Ikea", "450 EUR", "2024-05-03", 6),
            ]
        },
    )
    assert [kept["position"] for kept in read["facts"]] == [4, 5, 6]
    assert (read["to_mend"], read["pending"], put["to_mend"], put["pending"]) == ([], True, [], False)
    added = [change["what"] for change in put["changes"]["listed"] if change["kind"] == "record"]
    assert added == ["finance.Transaction:#9.1", "finance.Transaction:#9.2", "health.Allergy:penicillin"]


def paid(payee: str, amount: str, day: str, *cites: int) -> dict[str, Any]:
    fields = {"payee": payee, "amount": amount, "on": day}
    return {"op": "put", "type": "finance.Transaction", "fields": fields, "cites": list(cites)}


async def alerted(agent: Agent) -> None:
    kept = await agent.call("remember", turns=[{"text": "Dr. Chen just gave me amoxicillin."}])
    position = kept["positions"][0]
    words = fact("Dr. Chen gave the user amoxicillin.", position, "Dr. Chen just gave me amoxicillin", topic="health")
    (read,) = await agent.answer(facts(words))
    fields = {"name": "amoxicillin", "prescriber": "Dr. Chen"}
    cites = [read["facts"][0]["position"]]
    (put,) = await agent.answer(
        {"patches": [{"op": "put", "type": "health.Medication", "fields": fields, "cites": cites}]}
    )
    (rider,) = put["alerts"]
    assert (rider["constraint"], rider["severity"], rider["is_new"]) == ("drug_allergy", "critical", True)
    assert "penicillin" in rider["message"]
    (again,) = (await agent.call("read"))["alerts"]
    assert again["message"].rstrip("…") in rider["message"]
    noted = await agent.call("alerts", action="acknowledge", constraint="drug_allergy", why="Ana called Dr. Chen")
    assert [alert["state"] for alert in noted["standing"]] == ["acknowledged"]
    assert (await agent.call("read"))["alerts"] == []
    tested = await agent.call("explain", constraint="drug_allergy")
    assert [alert["constraint"] for alert in tested["fired"]] == ["drug_allergy"]


async def computed_and_corrected(agent: Agent) -> None:
    code = "total(t.amount for t in finance.transactions if t.on.year == 2024)"
    total = await agent.call("compute", code=code)
    assert (total["value"], total["is_complete"]) == ({"EUR": "750"}, True)
    ikea = (await agent.call("read", name="finance.Transaction"))["records"][1]["record"]
    corrected = await agent.call("correct", record=ikea, field="amount", value="400 EUR", why="Ana looked it up")
    assert corrected["changes"]["listed"] == [
        {"kind": "field", "change": "changed", "what": f"{ikea}.amount", "before": "450 EUR", "after": "400 EUR"}
    ]
    assert (await agent.call("compute", code=code))["value"] == {"EUR": "700"}
    explained = await agent.call("explain", record=ikea, field="amount")
    assert [(claim["value"], claim["stands"], claim["authority"]) for claim in explained["claims"]] == [
        ("450 EUR", False, "user"),
        ("400 EUR", True, "correction"),
    ]
    assert explained["claims"][0]["evidence"][0]["words"] == "on 2024-05-03 I paid Ikea 450 EUR"


async def forgotten(agent: Agent) -> None:
    preview = await agent.call("forget", record="health.Allergy:penicillin")
    assert (preview["is_done"], preview["position"]) == (False, None)
    assert preview["entries"][0] == {"position": 1, "kind": "observation", "text": "I'm allergic to penicillin."}
    gone = [change["what"] for change in preview["changes"]["listed"] if change["change"] == "removed"]
    assert gone == ["health.Allergy:penicillin"]
    assert (await agent.call("read", name="health.Allergy"))["total"] == 1
    done = await agent.call("forget", record="health.Allergy:penicillin", confirm=True)
    assert done["changes"] == preview["changes"]
    assert (await agent.call("read", name="health.Allergy"))["total"] == 0
    assert (await agent.call("alerts"))["standing"] == []
    back = await agent.call("forget", positions=[done["position"]], confirm=True)
    assert (await agent.call("read", name="health.Allergy"))["total"] == 1
    assert back["is_erased"] is False
    await agent.call("forget", record="health.Allergy:penicillin", erase=True, confirm=True, why="Ana asked")
    assert (await agent.call("recall", query="allergic to penicillin", kinds=["observation"]))["matched"] == 0


@pytest.mark.parametrize("connected", [pipe, http])
def test_a_client_that_listens_hears_of_changes_that_others_make(connected: Any, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    async def story() -> list[str]:
        async with connected(path) as agent, agent.client.listen(resource_subscriptions=["uac://manifest"]) as heard:
            add(path, "I moved to Oslo.")
            await agent.call("read")
            return [event.uri async for event in first(heard)]

    assert anyio.run(story) == ["uac://manifest"]


async def first(events: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for event in events:
        yield event
        return


@pytest.mark.parametrize("connected", [pipe, http])
@pytest.mark.filterwarnings("ignore:resources/subscribe")
def test_a_client_of_an_earlier_protocol_hears_of_what_it_subscribed_to(connected: Any, tmp_path: Path) -> None:
    async def story() -> tuple[str, str]:
        heard = anyio.Event()
        uris: list[str] = []

        async def hear(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                uris.append(str(message.params.uri))
                heard.set()

        async with connected(tmp_path / "memory.db", mode="legacy", message_handler=hear) as agent:
            await agent.client.subscribe_resource("uac://manifest")
            await agent.call("remember", turns=[{"text": "I moved to Oslo."}])
            await heard.wait()
            return agent.client.protocol_version, uris[0]

    version, uri = anyio.run(story)
    assert version < "2026"
    assert uri == "uac://manifest"


def add(store: Path, text: str) -> None:
    opened = open_store(str(store))
    Memory(opened.log("ana"), embedder=None).add(text)
    opened.close()


# --- the pipe ---------------------------------------------------------------------------------------------------------


def test_standard_output_carries_the_protocol_and_nothing_else(tmp_path: Path) -> None:
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "compute", "arguments": PRINTS}},
    ]
    process = subprocess.Popen(
        [*UAC, "mcp", "ana", "--store", str(tmp_path / "memory.db")],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(json.dumps(message) + "\n" for message in asked))
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _request in range(2)]
    rest, errors = process.communicate(timeout=LONG)
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["printed"] == "hello\n"
    assert (rest, errors, process.returncode) == ("", "", 0)


INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
FIRST = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
PRINTS = {"code": "print('hello')"}


def test_an_interrupt_ends_the_server_though_its_input_is_open(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*UAC, "mcp", "ana", "--store", str(tmp_path / "memory.db")],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(FIRST) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(LONG) == -signal.SIGINT


def test_a_memory_that_is_damaged_is_named_and_no_server_starts(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("this is no store")
    run = subprocess.run(
        [warm_uac(), "mcp", "ana", "--store", str(path)], env=environment(), capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (4, "")
    assert run.stderr.startswith("NotAStore: ")


def test_without_the_extra_the_command_names_it(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from uac.interfaces.cli import main; main(['mcp', 'ana'])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (
        3,
        "Refused: mcp is not installed. The MCP server needs it: pip install '.[mcp]'\n",
    )


# --- HTTP -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with http_server(tmp_path_factory.mktemp("store") / "memory.db", "--name", "memory.example") as (found, _printed):
        yield found


@pytest.mark.parametrize("key", ["", "wrong", KEY[:-1], f"{KEY}x", "ключ"])
def test_a_wrong_key_is_refused(address: str, key: str) -> None:
    sent = {**JSON, "Authorization": f"Bearer {key}".strip()}
    headers = [(name.encode(), value.encode()) for name, value in sent.items()]
    reply = httpx2.post(address, json=FIRST, headers=headers, timeout=LONG)
    assert (reply.status_code, reply.json()["error"]) == (401, "invalid_token")


def test_the_key_must_be_a_bearer_token_in_its_header(address: str) -> None:
    replies = [
        httpx2.post(f"{address}?key={KEY}", json=FIRST, headers=JSON, timeout=LONG),
        httpx2.post(address, json=FIRST, headers={**JSON, "Authorization": KEY}, timeout=LONG),
        httpx2.post(address, json=FIRST, headers={**JSON, "Cookie": f"key={KEY}"}, timeout=LONG),
        httpx2.get(address, headers=JSON, timeout=LONG),
        httpx2.delete(address, headers=JSON, timeout=LONG),
    ]
    assert [reply.status_code for reply in replies] == [401] * 5


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Host", "evil.example", 421),
        ("Host", "127.0.0.1.evil.example", 421),
        ("Origin", "https://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://127.0.0.1.evil.example", 403),
        ("Host", "memory.example", 200),
        ("Origin", "https://memory.example", 200),
    ],
)
def test_a_page_of_another_name_cannot_reach_the_server(address: str, name: str, value: str, status: int) -> None:
    reply = httpx2.post(
        address, json=FIRST, headers={**JSON, "Authorization": f"Bearer {KEY}", name: value}, timeout=LONG
    )
    assert reply.status_code == status


JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def test_without_a_key_in_the_settings_one_is_made_and_printed_once(tmp_path: Path) -> None:
    async def read(address: str, key: str) -> int:
        async with over_http(address, key=key) as agent:
            return len((await agent.client.list_tools()).tools)

    with http_server(tmp_path / "memory.db", key=None) as (address, printed):
        (line,) = printed
        assert line.startswith("key: ")
        key = line.removeprefix("key: ")
        assert len(key) == 43
        assert anyio.run(read, address, key) == 10


def test_a_short_key_and_a_taken_port_are_refused(tmp_path: Path, address: str) -> None:
    port = address.rpartition(":")[2].partition("/")[0]
    assert refused(tmp_path, "0", "short") == "Refused: The key has 5 characters. Use at least 16.\n"
    assert refused(tmp_path, port, KEY).startswith(f"Refused: Port {port} is in use, ")


def refused(folder: Path, port: str, key: str) -> str:
    run = subprocess.run(
        [warm_uac(), "mcp", "ana", "--store", str(folder / "memory.db"), "--http", "--port", port],
        env=environment(UAC_MCP_KEY=key),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (3, "")
    return run.stderr


def test_options_of_http_are_refused_without_it(tmp_path: Path) -> None:
    run = subprocess.run(
        [warm_uac(), "mcp", "ana", "--port", "1"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "require --http" in run.stderr


@contextmanager
def written(store: Path) -> Iterator[list[str]]:
    """What was said to ana, as the store has it."""
    opened = open_store(str(store), create=False)
    try:
        yield [s.entry.text for s in opened.log("ana").read() if isinstance(s.entry, Observation)]
    finally:
        opened.close()


def test_many_agents_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    texts = [f"turn {number}" for number in range(24)]

    async def say(address: str, mine: list[str]) -> None:
        async with over_http(address) as agent:
            for text in mine:
                await agent.call("remember", turns=[{"text": text}])

    async def story(address: str) -> None:
        async with anyio.create_task_group() as tasks:
            for place in range(4):
                tasks.start_soon(say, address, texts[place::4])

    with http_server(path) as (address, _printed):
        anyio.run(story, address)
    with written(path) as kept:
        assert sorted(kept) == sorted(texts)
