"""Each answer is described once, in `uac.interfaces.views`: HTTP, the client, MCP and the command line all take it from there."""

import json
import subprocess
import sys
from collections.abc import Iterator
from inspect import getmembers
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from fastapi.routing import APIRoute, iter_route_contexts

from support.http_service import app_over
from support.paths import ROOT
from uac.interfaces.agent_tools.tool_catalog import TOOLS
from uac.interfaces.client import Client, User
from uac.interfaces.client.operation import operation, stream
from uac.interfaces.views.view import View
from uac.log.stores.in_memory import MemoryStore

WITH_MORE_FIELDS = '''
import importlib.util, json, os, sys

def edit(module, before, line):
    """Import the module as if its file had one more line."""
    spec = importlib.util.find_spec(module)
    text = open(spec.origin, encoding="utf-8").read()
    assert text.count(before) == 1
    made = sys.modules[module] = importlib.util.module_from_spec(spec)
    exec(compile(text.replace(before, f"{before}    {line}\\n"), spec.origin, "exec"), made.__dict__)

for module, before, line in json.loads(sys.argv[1]):
    edit(module, before, line)

from click.testing import CliRunner
from datetime import UTC, datetime
from starlette.testclient import TestClient
from support.http_service import app_over, make_key
from uac import Memory, open_store
from uac.interfaces.cli import main
from uac.interfaces.client import responses
from uac.interfaces.agent_tools.dispatcher import Dispatcher
import msgspec

store = open_store(os.environ["UAC_STORE"])
memory = Memory(store.log("ana"))
memory.put("health.Allergy", {"substance": "penicillin"})
memory.put("health.Medication", {"name": "amoxicillin"})
app = app_over(store)
http = TestClient(app, headers={"Authorization": f"Bearer {make_key(app)}"})
agent = Dispatcher(memory, lambda: datetime.now(UTC))

def sent(path, kind):
    body = http.get(f"/v1/users/ana/{path}").content
    return json.loads(body), msgspec.to_builtins(msgspec.json.decode(body, type=kind))

def printed(command):
    return json.loads(CliRunner().invoke(main, [command, "ana", "--json"], catch_exceptions=False).stdout.splitlines()[0])

page, decoded = sent("records", responses.RecordPage)
called = agent.call_tool("read", {"name": "health.Allergy"}, None).content
records = page["records"][0], decoded["records"][0], called["records"][0], printed("records")
page, decoded = sent("alerts", responses.Alerts)
called = agent.call_tool("alerts", {}, None).content
alerts = page["standing"][0], decoded["standing"][0], called["standing"][0], printed("alerts")
print(json.dumps({"records": records, "alerts": alerts}))
'''


MORE_FIELDS = {
    "records": ("class RecordView(View):\n", "order: tuple[int, int]"),
    "alerts": ("class AlertView(View):\n", "made: tuple[tuple[int, int] | None, ...]"),
}
"""By module, the line before the docstring of a view, and the field that is added after it."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    edits = []
    for module, (before, line) in MORE_FIELDS.items():
        docstring = (ROOT / f"src/uac/interfaces/views/{module}.py").read_text().split(before)[1].split("\n\n")[0]
        edits.append((f"uac.interfaces.views.{module}", f"{before}{docstring}\n\n", line))
    return run(WITH_MORE_FIELDS, json.dumps(edits), store=tmp_path_factory.mktemp("store") / "memory.db")


@pytest.mark.parametrize(("module", "field"), [("records", "order"), ("alerts", "made")])
def test_a_field_that_is_added_to_a_view_appears_in_http_client_mcp_and_command_line(
    module: str, field: str, answers: Any
) -> None:
    http, client, agent, command = answers[module]
    assert http[field] == client[field] == agent[field] == command[field]
    assert http[field]


def run(script: str, *arguments: str, store: Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={"PYTHONPATH": str(ROOT / "tests"), "UAC_STORE": str(store), "UAC_EMBEDDER": "none", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


OWN_FORM = ("/v1/memories", "/v1/search", "/healthz", "/readyz", "/v1/version")
"""Routes whose answers nobody else gives: those of mem0's own API, and the state of the service."""


def response_models() -> Iterator[tuple[str, Any]]:
    for context in iter_route_contexts(app_over(MemoryStore()).routes):
        if isinstance(context.route, APIRoute) and context.route.response_model is not None:
            yield context.route.path, context.route.response_model


def test_every_answer_of_http_is_a_view() -> None:
    models = dict(response_models())
    assert len(models) > 30
    others = {path for path, model in models.items() if not (isinstance(model, type) and issubclass(model, View))}
    assert {path for path in others if not path.startswith(OWN_FORM)} == set()


def test_every_answer_of_the_client_and_of_the_tools_is_a_view() -> None:
    defined = [
        each for owner in (User, Client) for _, each in getmembers(owner) if isinstance(each, operation | stream)
    ]
    answers = [get_type_hints(each.define)["return"].__args__[0] for each in defined]
    assert len(answers) > 30
    assert {answer for answer in answers if not issubclass(answer, View)} == {str, type(None)}
    assert all(issubclass(tool.gives, View) for tool in TOOLS)
