"""Values at the ends of what there is, through every door: a result or a clear error, never a failure of ours."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from support.browser import app_with_inspector, reader, sent
from support.http_service import make_key
from support.mcp_client import Agent, text_of, with_agent
from support.scripted_model import TUESDAY, new_memory
from uac.display.tables import table
from uac.errors import Refused, RunError
from uac.interfaces.cli import main
from uac.interfaces.mem0.memory import Memory as Mem0
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore
from uac.schema.values import nests_deeper

_NEST = "x = {0}\nfor _ in range({1}):\n    x = {2}\nx"
_CLASS = "from dataclasses import dataclass\n@dataclass\nclass {0}:\n    {1}\n{2}"
_TIMES = "from datetime import date, datetime, time, timedelta, timezone\n"
_DECIMALS = "from decimal import Decimal\n"

RESULTS = {
    "a list 100 deep": _NEST.format("1", 99, "[x]"),
    "a list 300 deep": _NEST.format("1", 300, "[x]"),
    "a dict 300 deep": _NEST.format("1", 300, "{{'a': x}}").replace("{{", "{").replace("}}", "}"),
    "a key 300 deep": _NEST.format("1", 300, "(x,)") + "\n{x: 1}",
    "objects 150 deep": _CLASS.format("A", "x: object", _NEST.format("1", 150, "A(x)")),
    "a class Money without an amount": _CLASS.format("Money", "x: int", "Money(1)"),
    "a list of a class Money without an amount": _CLASS.format("Money", "amount: int", "[Money(1), {'a': Money(2)}]"),
    "money of lists": _CLASS.format("Money", "amount: object\n    currency: object", "[Money([1, {2: 3}], None)]"),
    "money that is no number": _DECIMALS
    + "[['a', Money(Decimal('NaN'), 'EUR')], ['b', Money(Decimal('1E+9000'), '')]]",
    "a number of 5,000 digits": "10**5000",
    "numbers of 4,000 digits": "[['a', 10**4000], ['b', -(10**4000)]]",
    "keys and sets of numbers of 4,000 digits": "{10**4000: {10**4000, 1}}",
    "decimals": _DECIMALS + "[Decimal(n) for n in ('NaN', 'Infinity', '-Infinity', '1E+9999', '1E-9999', '-0')]",
    "rows of decimals": _DECIMALS + "[[1, Decimal('NaN')], [2, Decimal('1E+9999')], [3, float('inf')]]",
    "floats": "[[str(i), x] for i, x in enumerate((float('nan'), float('inf'), -float('inf'), 1e308, 1e308, 5e-324))]",
    "sets and keys of odd floats": "[{float('nan'), float('inf'), 1}, {float('nan'): 1, -float('inf'): 2}]",
    "the ends of time": _TIMES
    + "[datetime.max, datetime.min, timedelta.max, timedelta.min, date.max, date.min, time.max, time.min]",
    "rows and keys at the ends of time": _TIMES + "[{date.max: 1, date.min: 2}, [[date.max, 1], [date.min, 2]]]",
    "times that UTC does not have": _TIMES + "[[datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))), 1],\n"
    "    [datetime(9999, 12, 31, tzinfo=timezone(-timedelta(hours=14))), 2]]",
    "durations": _TIMES + "[['a', timedelta.max], ['b', timedelta(days=-5)]]",
    "months that are none": "[['2024-13', 1], ['0000-00', 2]]",
    "a set of everything": "{1, 'a', None, (1, 'b'), 2.5, True}",
    "keys of everything": "{1: 1, '2': 2, None: 3, (1,): 4}",
    "an object of nothing": _CLASS.format("A", "pass", "[A()]"),
    "characters that steer": "['\\x00\\x1b[31m\\u202e\\u2028', {'\\x00': 1}]",
    "what is no data": "[1j, b'x', len]",
}
# Monty does not run `statistics`, so that the other engine is taken for it.
EVERY = [
    pytest.param(start + code, id=f"{name}{engine}")
    for name, code in RESULTS.items()
    for start, engine in (("", ""), ("import statistics\n", ", process"))
]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = app_with_inspector(MemoryStore())
    with ExitStack() as stack:
        key = make_key(app)
        client = stack.enter_context(reader(app, key))
        client.headers["Authorization"] = f"Bearer {key}"
        said = client.post("/v1/users/ana/observations", json={"turns": [{"text": "hello"}]})
        assert said.status_code == 201
        yield client


def is_answered(response: Any) -> bool:
    """A result, or an error that says what is wrong."""
    return response.status_code in (200, 201) or (
        400 <= response.status_code < 500 and "unexpected" not in response.text
    )


@pytest.mark.parametrize("code", EVERY)
def test_the_service_and_its_pages_answer_whatever_code_returns(client: TestClient, code: str) -> None:
    answer = client.post("/v1/users/ana/compute", json={"code": code})
    assert answer.status_code in (200, 422), answer.text
    for shape in ("", "line", "bars", "month", "category"):
        page = "/inspector/users/ana/compute"
        shown = sent(client, page, page, code=code, shape=shape)
        assert shown.status_code == answer.status_code, shown.text


def test_tools_answer_whatever_code_returns() -> None:
    async def script(agent: Agent) -> list[str]:
        calls = [await agent.client.call_tool("compute", {"code": code}) for code in RESULTS.values()]
        return [text_of(call).splitlines()[0] for call in calls if call.is_error]

    errors = with_agent(new_memory(), script)
    assert {error.partition(":")[0] for error in errors} == {"CodeError", "LimitError"}


@pytest.mark.parametrize("name", ["a list 300 deep", "a class Money without an amount", "a number of 5,000 digits"])
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_the_command_line_answers_whatever_code_returns(tmp_path: Path, name: str, options: list[str]) -> None:
    store = ["--store", str(tmp_path / "memory.db")]
    runner = CliRunner()
    assert runner.invoke(main, ["add", "ana", "hello", *store]).exit_code == 0
    for start in ("", "import statistics\n"):
        code = start + RESULTS[name]
        done = runner.invoke(main, ["compute", "ana", code, *options, *store], catch_exceptions=False)
        assert done.exit_code in (0, 6), done.output


def test_a_result_that_nests_too_deeply_is_told_to_be_flatter() -> None:
    memory = new_memory()
    for start in ("", "import statistics\n"):
        with pytest.raises(RunError, match=r"^The result nests more than 100 deep\. Return flatter data\.$"):
            memory.compute(start + RESULTS["a list 300 deep"])
    memory.close()


@pytest.mark.parametrize(
    "rows",
    [[{1000 * i + j: j for j in range(20)} for i in range(20)], [[0] * 100_000, *([1] for _ in range(100_000))]],
    ids=["rows that have no column in common", "one long row and many short ones"],
)
def test_rows_that_would_fill_a_vast_table_are_shown_in_one_column(rows: list[object]) -> None:
    made = table(rows)
    assert made.columns == ("value",)
    assert len(made) == len(rows)


# --- times ------------------------------------------------------------------------------------------------------------

ENDS = (
    "0001-01-01T00:00:00+14:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "9999-12-31T23:59:59-14:00",
    "2026-01-01T00:00:00+23:59",
)


@pytest.mark.parametrize("end", ENDS)
def test_the_service_answers_for_every_time_in_every_place_that_takes_one(client: TestClient, end: str) -> None:
    document = client.get("/openapi.json").json()
    asked = 0
    for path, operations in document["paths"].items():
        operation = operations.get("get")
        if operation is None or "{user}" not in path or "events" in path:
            continue
        address = path.replace("{user}", "ana").replace("{record}", "a.B:c").replace("{position}", "1")
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query":
                answer = client.get(address.replace("{", "").replace("}", ""), params={parameter["name"]: end})
                assert is_answered(answer), (path, parameter["name"], answer.text)
                asked += 1
    assert asked > 20
    for route, body in (("compute", {"code": "1"}), ("recall", {"query": "hello"})):
        answer = client.post(f"/v1/users/ana/{route}", json={**body, "as_of": end})
        assert answer.status_code == 200, answer.text


def test_the_ends_of_time_are_before_and_after_all_entries() -> None:
    memory = new_memory()
    memory.add("hello", said=TUESDAY)
    positions = {end: memory.project_as_of(msgspec.convert(end, type=type(TUESDAY))).position for end in ENDS}
    assert positions == dict(zip(ENDS, (0, 0, 1, 1, 1), strict=True))


@pytest.mark.parametrize("end", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_words_said_at_a_time_that_utc_does_not_have_are_refused(end: str) -> None:
    memory = new_memory()
    with pytest.raises(Refused, match=r"^observation: said .* Use a time"):
        memory.add("hello", said=msgspec.convert(end, type=type(TUESDAY)))
    assert memory.project().position == 0


@pytest.mark.parametrize("end", [*ENDS, "0001-01-01T00:00:00+23:59:59.999999"])
def test_the_command_line_answers_for_every_time(tmp_path: Path, end: str) -> None:
    store = ["--store", str(tmp_path / "memory.db")]
    runner = CliRunner()
    assert runner.invoke(main, ["add", "ana", "hello", *store]).exit_code == 0
    commands = (
        *(["compute", "ana", "now", "--now", end], ["compute", "ana", "1", "--as-of", end]),
        *(["manifest", "ana", "--as-of", end], ["recall", "ana", "hello", "--as-of", end], ["diff", "ana", end]),
        *(["tick", "ana", "--at", end], ["add", "ana", "hello", "--at", end]),
    )
    for command in commands:
        done = runner.invoke(main, [*command, *store], catch_exceptions=False)
        assert done.exit_code in (0, 2, 3, 6), (command, done.output)


# --- nesting ----------------------------------------------------------------------------------------------------------


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    return opening * depth + "1" + closing * depth


def bodies(document: dict[str, Any], depth: int) -> Iterator[tuple[str, str, str]]:
    """Method, address and body for each field of each route, with the rest of the body as in the examples."""
    shapes = document["components"]["schemas"]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            shape = shapes.get(content.get("schema", {}).get("$ref", "").rpartition("/")[2], {})
            address = path.replace("{user}", "ana").replace("{record}", "a.B:c").replace("{", "").replace("}", "")
            given = {
                name: part["examples"][0]
                for name, part in shape.get("properties", {}).items()
                if name in shape.get("required", []) and part.get("examples")
            }
            for name in shape.get("properties", {}):
                for opening, closing in (("[", "]"), ('{"a":', "}")):
                    body = json.dumps({**given, name: "HERE"}).replace('"HERE"', nested(depth, opening, closing))
                    yield method, address, body


@pytest.mark.parametrize("depth", [90, 120, 300, 900, 3000])
def test_the_service_answers_for_every_body_however_deep(client: TestClient, depth: int) -> None:
    document = client.get("/openapi.json").json()
    asked = 0
    for method, address, body in bodies(document, depth):
        answer = client.request(method, address, content=body, headers={"Content-Type": "application/json"})
        assert is_answered(answer) or answer.status_code == 501, (method, address, body[:100], answer.text)
        if depth > 100:
            assert answer.json()["detail"] == "The body nests more than 100 levels deep. Send a flatter one."
        asked += 1
    assert asked > 50


def test_brackets_inside_of_texts_do_not_nest(client: TestClient) -> None:
    text = '[{"' * 500 + "\\" * 3
    answer = client.post("/v1/users/ana/observations", json={"turns": [{"text": text}]})
    assert answer.status_code == 201


def test_metadata_that_is_kept_can_be_read(client: TestClient) -> None:
    messages = [{"role": "user", "content": "I like figs."}]
    for depth, status in ((90, 200), (900, 422)):
        body = json.dumps({"messages": messages, "user_id": "ben", "metadata": {"a": "HERE"}})
        content = body.replace('"HERE"', nested(depth))
        added = client.post("/v1/memories", content=content, headers={"Content-Type": "application/json"})
        assert added.status_code == status, added.text
    listed = client.get("/v1/memories", params={"user_id": "ben"})
    assert listed.status_code == 200
    assert [memory["metadata"] for memory in listed.json()["results"]] == [{"a": json.loads(nested(90))}]


def test_metadata_that_is_too_deep_is_refused_by_the_library_too(tmp_path: Path) -> None:
    memory = Mem0(store=open_store(str(tmp_path / "memory.db"), create=True))
    with pytest.raises(Exception, match="metadata nests more than 100 deep"):
        memory.add("I like figs.", user_id="ben", metadata={"a": json.loads(nested(300))})
    memory.close()


def test_tools_answer_however_deep_their_arguments_are() -> None:
    async def script(agent: Agent) -> list[str]:
        deep = json.loads(nested(150))
        calls = (
            ("correct", {"record": "a.B:c", "field": "x", "value": deep, "why": "x"}),
            ("answer", {"reply": {"facts": deep}}),
            ("compute", {"code": deep}),
        )
        return [text_of(await agent.client.call_tool(name, arguments)).splitlines()[0] for name, arguments in calls]

    refused = "Refused: The arguments nest more than 100 levels deep. Send flatter ones."
    assert with_agent(new_memory(), script) == [refused] * 3


def test_how_deep_a_value_nests_is_counted_by_lists_and_objects() -> None:
    values: tuple[Any, ...] = (1, [], [[1]], [[{}]], {"a": {"b": [1]}})
    assert [nests_deeper(value, 2) for value in values] == [False, False, False, True, True]
