"""A type, an application and answers, for the tests of the routes."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.constraints import case, constraint, given
from support.http_service import app_over, inside, make_key, new_tenant
from uac.log.stores.in_memory import MemoryStore

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


BOOK = {
    "domain": "reading",
    "name": "Book",
    "doc": "A book.",
    "key": ["title"],
    "fields": [{"name": "title", "type": "str"}, {"name": "pages", "type": "int | None", "policy": "ask"}],
}


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return app_over(MemoryStore(clock=lambda: MONDAY), clock=lambda: MONDAY)


@pytest.fixture
def tenant() -> str:
    return new_tenant()


def json_of(response: Any, status: int | None = None) -> Any:
    assert response.status_code == status if status else response.is_success, response.text
    return response.json()


def problem(response: Any) -> tuple[int, str, str]:
    assert response.headers["Content-Type"] == "application/problem+json", response.text
    found = response.json()
    assert found["status"] == response.status_code
    return found["status"], found["title"], found["detail"]


LONG_BOOK = constraint(
    "long_book",
    "return [info(f'{b.title} is long.', b) for b in user.reading.books if b.pages is not None and b.pages > 1000]",
    case("long", given("reading.Book", title="Ulysses", pages=1200), fires=True, says=("Ulysses",)),
    case("short", given("reading.Book", title="Emma", pages=400), fires=False),
    origin="model",
)


EMMA = {"type": "reading.Book", "fields": {"title": "Emma", "pages": 1400}}


@contextmanager
def user_of(app: FastAPI, tenant: str = "") -> Iterator[TestClient]:
    """A user with books, one of which raises an alert."""
    with inside(app, make_key(app, tenant=tenant), path="/v1/users/ana") as client:
        if client.get("/log").status_code == 404:
            json_of(client.post("/observations", json={"turns": [{"text": "I read If."}]}))
            patches = [{"op": "define", "type": BOOK}, {"op": "adopt", "constraint": msgspec.to_builtins(LONG_BOOK)}]
            json_of(client.post("/checkpoints", json={"patches": patches}))
            json_of(client.post("/records", json=EMMA))
            json_of(client.post("/records", json={"type": "reading.Book", "fields": {"title": "Dune"}}))
        yield client


CHANGES: dict[str, tuple[str, str, Any]] = {
    "observations": ("POST", "/observations", {"turns": [{"text": "And Persuasion."}, {"text": "Twice."}]}),
    "records": ("POST", "/records", {"type": "reading.Book", "fields": {"title": "Persuasion"}}),
    "types": ("POST", "/types", {"type": {**BOOK, "name": "Poem"}}),
    "checkpoints": ("POST", "/checkpoints", {"patches": [{"op": "put", "type": "reading.Book", "fields": {"title": "If"}, "cites": [1]}]}),
    "corrections": ("POST", "/corrections", {"record": "reading.Book:dune", "field": "pages", "value": 600}),
    "ends": ("POST", "/ends", {"record": "reading.Book:dune", "when": "2025"}),
    "drop": ("DELETE", "/records/reading.Book:dune?why=told+twice", None),
    "retractions": ("POST", "/retractions", {"record": "reading.Book:dune", "why": "a mistake"}),
    "acknowledge": ("POST", "/alerts/acknowledge", {"constraint": "long_book"}),
    "snooze": ("POST", "/alerts/snooze", {"constraint": "long_book", "until": "2999-01-01T00:00:00Z"}),
}  # fmt: skip


def ask(client: TestClient, what: str, headers: dict[str, str] | None = None) -> Any:
    method, path, body = CHANGES[what]
    return client.request(method, path, json=body, headers=headers)
