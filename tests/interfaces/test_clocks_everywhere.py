"""The three clocks at every door: each takes all of them and gives the answer of the library, or says why it does not."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from functools import partial
from inspect import getmembers, isfunction, signature
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from support.browser import reader, sent
from support.http_service import app_over, inside, make_key
from support.inspector_client import words
from support.short_logs import type_of
from uac import Clocks, Memory, open_store
from uac.errors import Refused
from uac.interfaces.agent_tools.dispatcher import Dispatcher
from uac.interfaces.agent_tools.tool_catalog import TOOLS
from uac.interfaces.cli import main
from uac.interfaces.client import User
from uac.interfaces.client.operation import operation
from uac.interfaces.inspector import mount
from uac.log.stores.in_memory import MemoryStore
from uac.schema.patches import Define

THREE = {"valid", "told", "known"}

# --- which doors take them --------------------------------------------------------------------------------------------

COMMANDS = {"compute", "records", "context", "explain", "diff", "recall", "manifest", "conflicts"}
OTHER_COMMANDS = {
    "they write": "add put correct end drop merge import define migrate checkpoint retract adopt ack snooze tick pack "
    "remember answer learn reindex erase",
    "it asks all users about the present": "fleet",
    "a model chooses the clocks of each step": "ask eval",
    "the log itself, or what is to be done with it now": "backup restore move log users group inspect watch pending cost coverage verify doctor",
    "alerts and constraints are those of the present; --history has the time of each": "alerts why constraints",
    "it takes --known: its folder is edited and adopted at a position": "export",
    "they run or prepare services": "serve work mcp agent-hook setup keys hooks completion",
}

ROUTES = {
    *("manifest", "files", "files/{path}", "export", "types", "coverage", "conflicts", "diff", "records"),
    *("records/{record}", "records/{record}/fields/{field}", "alerts", "constraints", "recall", "context", "compute"),
}
OTHER_ROUTES = {
    "the log itself, or what is to be done with it now": "log log/{position} events pending cost groups imports",
    "it is the history": "alerts/history",
    "a constraint is explained by running it on the present": "constraints/{name}",
    "a model chooses the clocks of each step": "ask",
}

TOOLS_WITH_CLOCKS = {"compute", "read", "recall", "explain"}
OTHER_TOOLS = {"they write": "remember answer correct forget", "what is to be done now": "pending alerts"}

METHODS = {"project_at", "compute", "explain", "render", "manifest", "recall", "recall_at", "context", "table", "plot"}
"""And diff, whose two ends are clocks each."""


def all_of(reasons: Mapping[str, str]) -> set[str]:
    return {name for names in reasons.values() for name in names.split()}


def test_every_command_that_reads_takes_the_clocks_or_says_why_not() -> None:
    helps = {name: CliRunner().invoke(main, [name, "--help"]).stdout for name in main.commands}
    taking = {name for name, text in helps.items() if all(f"--{clock}" in text for clock in THREE)}
    assert taking == COMMANDS
    assert set(helps) - taking == all_of(OTHER_COMMANDS)


def test_every_route_that_reads_takes_the_clocks_or_says_why_not() -> None:
    document = app_over(MemoryStore()).openapi()
    about = {path.removeprefix("/v1/users/{user}/"): ways for path, ways in document["paths"].items()}
    about = {path: ways for path, ways in about.items() if not path.startswith("/")}
    queries = {"recall", "context", "compute", "ask"}
    reading = {path: ways["post" if path in queries else "get"] for path, ways in about.items() if is_read(path, ways)}

    def names_in(way: Mapping[str, Any]) -> set[str]:
        body = way.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        schema = document["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2], {})
        return {each["name"] for each in way.get("parameters", ())} | set(schema.get("properties", ()))

    taking = {path for path, way in reading.items() if names_in(way) >= THREE}
    assert taking == ROUTES
    assert set(reading) - taking == all_of(OTHER_ROUTES)


def is_read(path: str, ways: Mapping[str, Any]) -> bool:
    return "get" in ways or path in ("recall", "context", "compute", "ask")


def test_every_tool_and_method_that_reads_takes_the_clocks_or_says_why_not() -> None:
    taking = {tool.name for tool in TOOLS if set(tool.takes.__struct_fields__) >= THREE}
    assert (taking, {tool.name for tool in TOOLS} - taking) == (TOOLS_WITH_CLOCKS, all_of(OTHER_TOOLS))
    methods = {name for name, each in getmembers(Memory, isfunction) if "clocks" in signature(each).parameters}
    assert methods == METHODS
    assert "Clocks" in str(signature(Memory.diff).parameters["before"].annotation)
    calls = {name for name in dir(User) if "clocks" in signature_of_call(name)}
    named = {"explain", "record"}  # `/records/{record}/fields/{field}` and `/records/{record}`
    files = {"files", "export", "constraints"}  # the client has no call for them
    assert calls == {route for route in ROUTES if "{" not in route} - files | named


def signature_of_call(name: str) -> set[str]:
    call = vars(User).get(name)
    return set(signature(call.define).parameters) if isinstance(call, operation) else set()


# --- what they answer -------------------------------------------------------------------------------------------------

SUBSCRIPTION = type_of("media.Subscription", key=["name"], name="str", started="date | None")
TOLD = (("Boats", date(2024, 6, 1), "2024-06-03"), ("Films", date(2024, 1, 10), "2024-01-12"))
MARCH = "2024-03-01"
CODE = "[s.name for s in media.subscriptions]"

Door = Callable[[dict[str, str]], set[str]]


class Doors:
    """One memory behind every door. A door gives the names of the subscriptions that it shows on some clocks."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        address = str(folder / "memory.db")
        monkeypatch.setenv("UAC_STORE", address)
        self.store = open_store(address)
        self.memory = Memory(self.store.log("ana"), packs=(), embedder=None)
        self.memory.checkpoint([Define(type=SUBSCRIPTION)])
        for name, started, said in (*TOLD, ("Music", date(2024, 2, 1), "2024-05-03")):
            moment = datetime.fromisoformat(said).replace(tzinfo=UTC)
            self.memory.put("media.Subscription", {"name": name, "started": started}, said=moment)
            if name == "Boats":
                self.first = str(self.memory.log.head().position)
        app = app_over(self.store)
        mount(app)
        self.app, self.key = app, make_key(app)
        self.agent = Dispatcher(self.memory, lambda: datetime.now(UTC))

    def library(self, call: str, clocks: dict[str, str]) -> set[str]:
        given = parse(clocks)
        match call:
            case "compute":
                return shown(self.memory.compute(CODE, clocks=given).value)
            case "explain":
                return {name for name in NAMES if self._explains(name, given)}
            case "diff":
                return shown(self.memory.diff(Clocks(known=1), given))
            case "recall":
                return shown([hit.text for hit in self.memory.recall("Boats Films Music", clocks=given).hits])
            case "context":
                return shown(self.memory.context("Boats, Films, Music?", clocks=given).text)
            case "table":
                return shown(self.memory.table("media.Subscription", clocks=given).rows)
            case _:
                return shown(self.memory.render(clocks=given))

    def _explains(self, name: str, clocks: Clocks) -> bool:
        try:
            return bool(self.memory.explain(f"media.Subscription:{name.lower()}", "name", clocks=clocks).claims)
        except Refused:
            return False

    def command(self, *command: str, clocks: dict[str, str]) -> set[str]:
        options = [part for clock, when in clocks.items() for part in (f"--{clock}", when)]
        result = CliRunner().invoke(main, [command[0], "ana", *command[1:], "--json", *options])
        return shown([json.loads(line) for line in result.stdout.splitlines()] if result.exit_code == 0 else "")

    def route(self, path: str, *, clocks: dict[str, str], body: dict[str, Any] | None = None) -> set[str]:
        with inside(self.app, self.key, "/v1/users/ana") as client:
            if body is None:
                return shown(client.get(f"/{path}", params=clocks).json())
            numbers = {"known": int(clocks["known"])} if "known" in clocks else {}
            found = client.post(f"/{path}", json={**body, **clocks, **numbers})
        return shown({name: value for name, value in found.json().items() if name not in ("question", "query")})

    def tool(self, name: str, /, *, clocks: dict[str, str], **arguments: Any) -> set[str]:
        return shown(self.agent.call_tool(name, {**arguments, **clocks}, None).content)

    def page(self, path: str, *, clocks: dict[str, str]) -> set[str]:
        query = "".join(f"&{clock}={when}" for clock, when in clocks.items())
        return shown(self._page(lambda client: client.get(f"{ANA}/{path}{query}").text))

    def console(self, clocks: dict[str, str]) -> set[str]:
        return shown(
            self._page(lambda client: sent(client, f"{ANA}/compute", f"{ANA}/compute", code=CODE, **clocks).text)
        )

    def _page(self, read: Callable[[TestClient], str]) -> str:
        with reader(self.app, self.key) as client:
            return words(read(client))


ANA = "/inspector/users/ana"
NAMES = ("Boats", "Films", "Music")


def shown(answer: object) -> set[str]:
    return {name for name in NAMES if name.casefold() in str(answer).casefold()}


def parse(clocks: dict[str, str]) -> Clocks:
    days = {name: date.fromisoformat(clocks[name]) for name in ("valid", "told") if name in clocks}
    return Clocks(**days, known=int(clocks["known"]) if "known" in clocks else None)


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = Doors(tmp_path_factory.mktemp("clocks"), monkeypatch)
        yield made
        made.memory.close()
        made.store.close()


def each_door(doors: Doors) -> dict[str, Door]:
    query = {"query": "Boats Films Music"}
    question = {"question": "Boats, Films, Music?"}
    library = ("compute", "explain", "diff", "recall", "context", "table", "render")
    return {
        **{f"library {call}": partial(doors.library, call) for call in library},
        "uac compute": lambda clocks: doors.command("compute", CODE, clocks=clocks),
        "uac records": lambda clocks: doors.command("records", clocks=clocks),
        "GET records": lambda clocks: doors.route("records", clocks=clocks),
        "POST compute": lambda clocks: doors.route("compute", body={"code": CODE}, clocks=clocks),
        "POST recall": lambda clocks: doors.route("recall", body=query, clocks=clocks),
        "POST context": lambda clocks: doors.route("context", body=question, clocks=clocks),
        "tool compute": lambda clocks: doors.tool("compute", code=CODE, clocks=clocks),
        "tool read": lambda clocks: doors.tool("read", name="media", clocks=clocks),
        "tool recall": lambda clocks: doors.tool("recall", **query, clocks=clocks),
        "inspector records": lambda clocks: doors.page("records?type=media.Subscription", clocks=clocks),
        "inspector compute": doors.console,
    }


def expected_names(first: str) -> list[tuple[dict[str, str], set[str]]]:
    """By hand: Boats began and were mentioned in June, and learned first; Music began in February, and was mentioned in
    May."""
    return [
        ({}, {"Boats", "Films", "Music"}),
        ({"valid": MARCH}, {"Films", "Music"}),
        ({"told": MARCH}, {"Films"}),
        ({"known": first}, {"Boats"}),
        ({"valid": MARCH, "told": MARCH}, {"Films"}),
        ({"valid": MARCH, "known": first}, set()),
        ({"told": "2024-06-03", "known": first}, {"Boats"}),
    ]


def test_every_door_gives_the_same_answer_on_every_clock(doors: Doors) -> None:
    turns = ("recall", "context")  # on the valid clock, words that were said are found all the same
    wrong = [
        (name, clocks, found, names)
        for name, door in each_door(doors).items()
        for clocks, names in expected_names(doors.first)
        if not (name.endswith(turns) and "valid" in clocks) and (found := door(clocks)) != names
    ]
    assert wrong == []
