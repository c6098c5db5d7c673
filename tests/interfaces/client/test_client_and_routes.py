"""The client has an operation for each route of the service, with its parameters and its answer."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.client import BOOK, NOW
from support.http_service import Served
from uac.interfaces.client import AsyncClient, Client, Turn, User, responses
from uac.interfaces.client.calls import Call, Stream
from uac.interfaces.client.operation import operation, stream
from uac.schema.patches import Define

LACKING = {
    "GET /healthz",
    "GET /readyz",
    "GET /v1/version",
    "GET /v1/keys",
    "POST /v1/keys",
    "DELETE /v1/keys/{id}",
    "GET /v1/hooks/{hook}",
    "DELETE /v1/users/{user}",
    "GET /v1/users/{user}/alerts/history",
    "GET /v1/users/{user}/constraints",
    "GET /v1/users/{user}/cost",
    "GET /v1/users/{user}/export",
    "GET /v1/users/{user}/files",
    "GET /v1/users/{user}/files/{path}",
    "GET /v1/users/{user}/log/{position}",
    "POST /v1/users/{user}/ask",
    "GET /v1/users/{user}/imports",
    "POST /v1/users/{user}/imports",
    "POST /v1/users/{user}/imports/background",
    "POST /v1/users/{user}/learn",
    "POST /v1/users/{user}/types",
    "POST /v1/users/{user}/verify",
    "GET /v1/memories",
    "POST /v1/memories",
    "DELETE /v1/memories",
    "GET /v1/memories/{memory_id}",
    "PUT /v1/memories/{memory_id}",
    "DELETE /v1/memories/{memory_id}",
    "GET /v1/memories/{memory_id}/history",
    "POST /v1/search",
}
"""Routes that the client has no operation for."""

SAMPLES: dict[str, Any] = {
    "add_all": {"turns": [Turn(text="x")]},
    "checkpoint": {"patches": [Define(type=BOOK)], "facts": [1], "by": "x"},
    "put": {"type_name": "reading.Book", "fields": {"title": "x"}, "said": NOW},
    "retract": {"positions": [1], "why": "x"},
    "erase": {"positions": [1], "why": "x"},
    "snooze": {"constraint": "x", "until": NOW},
    "answer": {"request": "x", "reply": {}},
    "recall": {"query": "x", "k": 1, "tokens": 1, "since": NOW.date(), "until": NOW.date(), "as_of": 1},
    "compute": {"code": "1", "as_of": NOW},
    "manifest": {"as_of": NOW},
    "records": {"type_name": "x", "after": "x", "told": NOW.date(), "valid": NOW.date(), "known": 1},
    "log": {"kinds": ["fact"]},
    "set_shares": {"group": "x", "shares": ["x"]},
    "events": {"after": 1, "seconds": 1.0},
    "entries": {"after": 1, "seconds": 1.0},
}
"""Arguments that leave nothing out; for all other operations, "x" for each that is needed."""


def asked_for(name: str, each: Any, owner: object) -> Call[Any] | Stream[Any]:
    needed = {
        parameter.name: "x"
        for parameter in list(inspect.signature(each.define).parameters.values())[1:]
        if parameter.default is inspect.Parameter.empty and parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
    found: Call[Any] | Stream[Any] = each.define(owner, **SAMPLES.get(name, needed))
    return found


OPERATIONS: dict[str, Any] = {
    name: each
    for owner in (User, Client)
    for name, each in inspect.getmembers(owner)
    if isinstance(each, operation | stream)
}


def route_of(call: Call[Any] | Stream[Any]) -> str:
    path = call.path.replace("USER", "{user}")
    for part in ("record", "field", "hook"):
        path = path.replace(f"/{part}s/x", f"/{part}s/{{{part}}}")
    for before, after in (
        ("groups/x", "groups/{group}"),
        ("members/x", "members/{member}"),
        ("shares/x", "shares/{group}"),
    ):
        path = path.replace(before, after)
    return path.replace("/constraints/x", "/constraints/{name}")


def test_operations_show_their_arguments_and_say_what_they_do(client: Client) -> None:
    recall = client.user("ana").recall
    assert str(inspect.signature(recall)).startswith("(query: str, *, k: int | None = None, tokens: ")
    assert (recall.__doc__ or "").startswith("Search what was said")
    assert [name for name, each in OPERATIONS.items() if not each.define.__doc__] == []
    assert {name for name in dir(Client) if name in OPERATIONS} == {
        name for name in dir(AsyncClient) if name in OPERATIONS
    }


def test_each_operation_is_a_route_with_those_parameters_and_the_rest_is_known_to_be_lacking(served: Served) -> None:
    document = served.app.openapi()
    owner = User(None, "USER")
    mine: set[str] = set()
    for name, each in OPERATIONS.items():
        call = asked_for(name, each, owner)
        method = call.method if isinstance(call, Call) else "GET"
        path = route_of(call)
        assert method.lower() in document["paths"].get(path, {}), f"{name}: {method} {path}"
        route = document["paths"][path][method.lower()]
        parameters = {each["name"].lower(): each for each in route.get("parameters", [])}
        assert set(call.query) <= set(parameters), name
        if isinstance(call, Call):
            # Turns have keys of their own.
            assert (call.kind == "change" or name.startswith("add")) == ("idempotency-key" in parameters), name
            check_body(document, route, call, name)
        mine.add(f"{method} {path}")
    routes = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}
    assert routes - mine == LACKING


def check_body(document: Any, route: Any, call: Call[Any], name: str) -> None:
    if call.body is None:
        assert "requestBody" not in route, name
        return
    schema = route["requestBody"]["content"]["application/json"]["schema"]
    model = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    assert set(call.body) <= set(model["properties"]), name
    assert set(model.get("required", [])) <= set(call.body), name


def test_each_answer_has_the_fields_that_the_document_promises(served: Served) -> None:
    document = served.app.openapi()
    owner = User(None, "USER")
    for name, each in OPERATIONS.items():
        call = asked_for(name, each, owner)
        if isinstance(call, Stream) or name in ("tag", "remove_hook", "remove_member"):
            continue
        responses = document["paths"][route_of(call)][call.method.lower()]["responses"]
        good = next(each for code, each in responses.items() if code.startswith("2"))
        compare(document, good["content"]["application/json"]["schema"], call.answer, name)


def compare(document: Any, schema: Any, kind: Any, name: str) -> None:
    """Whether a value has the fields of a schema, and so on inside of it."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if not hasattr(kind, "__struct_fields__"):
        inner = [each for each in getattr(kind, "__args__", ()) if hasattr(each, "__struct_fields__")]
        for each in inner:
            items = [schema[part] for part in ("items", "additionalProperties") if part in schema]
            options = items or schema.get("anyOf", [])
            compare(document, next(option for option in options if "$ref" in option), each, name)
        return
    assert set(kind.__struct_fields__) == set(schema["properties"]), f"{name}: {kind.__name__}"
    hints = inspect.get_annotations(kind)
    for base in kind.__mro__[1:]:
        hints = {**inspect.get_annotations(base), **hints} if base.__module__ == responses.__name__ else hints
    for field_name, hint in hints.items():
        compare(document, schema["properties"][field_name], hint, f"{name}: {kind.__name__}.{field_name}")


def test_the_client_needs_nothing_of_the_service() -> None:
    code = "import sys, uac.interfaces.client; print(sorted({'fastapi', 'starlette', 'uvicorn', 'pydantic'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
    for path in Path(responses.__file__).parent.glob("*.py"):
        imported = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        assert not [node.module for node in imported if (node.module or "").startswith("uac.interfaces.http")]
