"""Plain requests are answered with the bytes that the framework would send."""

import json
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.routing import Match
from starlette.testclient import TestClient

from support.http_routes import CHANGES, MONDAY, user_of
from support.http_service import app_over, make_key
from uac.interfaces.http.app import ROUTERS
from uac.interfaces.http.plain_requests import PlainRequests, PlainRoute, plain_routes
from uac.interfaces.service.api_keys import Keyring, Right
from uac.log.stores.in_memory import MemoryStore

ROUTES = plain_routes(route for router in ROUTERS for route in router.routes)

BODIES: dict[str, Any] = {
    **{path.removeprefix("/"): body for _method, path, body in CHANGES.values() if body is not None},
    "recall": {"query": "If", "k": 3},
    "context": {"question": "What did I read?", "tokens": 300},
    "compute": {"code": "len(reading.books)"},
    "remember": {"turns": [{"text": "I read Emma again."}], "facts": [], "records": []},
    "erasures": {"positions": [1], "why": "asked for"},
    "learn": {},
    "ask": {"question": "What did I read?"},
    "answers": {"request": "0" * 16, "reply": "{}"},
    "imports": {"name": "a.txt", "text": "hello"},
}
"""A body for each route that takes one, most of which are accepted."""

ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**70,
    1.5,
    float("nan"),
    "",
    "\ud800",
    "x" * 201,
    [],
    ["a"],
    {},
    {"a": 1},
    "2026-13-01",
    "now",
)


@st.composite
def bodies(draw: st.DrawFn, path: str) -> bytes:
    """The body of a route as it is, with one odd value, or not even JSON."""
    whole = BODIES.get(path, {})
    kind = draw(st.sampled_from(("right",) * 3 + ("odd", "more", "raw")))
    if kind == "raw":
        return draw(st.sampled_from((b"", b"{", b"[]", b"null", b'"\\ud800"', b"{}", b"\xff", b'{"k": 1e400}')))
    changed = dict(whole)
    if kind == "odd" and whole:
        changed[draw(st.sampled_from(sorted(whole)))] = draw(st.sampled_from(ODD))
    if kind == "more":
        changed[draw(st.sampled_from(("valid", "known", "as_of", "k", "colour")))] = draw(st.sampled_from(ODD))
    return json.dumps(changed).encode()


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    method, path = draw(st.sampled_from([*sorted(ROUTES), ("GET", "nothing"), ("PUT", "alerts"), ("HEAD", "alerts")]))
    user = draw(st.sampled_from(("ana",) * 12 + ("nobody", "..", "a" * 256, "ä", "%0a", "%ff", "a%2fb")))
    query = draw(st.sampled_from(("",) * 10 + ("?", "?limit=1", "?limit=x", "?valid=2026-01-01", "?known=1&as_of=1")))
    sent = {
        "content-type": draw(
            st.sampled_from(("application/json",) * 8 + ("application/json; charset=utf-8", "text/plain", "x", ""))
        ),
        "if-match": draw(st.sampled_from(("",) * 8 + ("*", 'W/"1-000000000000"', "ä"))),
        "if-none-match": draw(st.sampled_from(("",) * 4 + ("*", "x, *"))),
        "idempotency-key": draw(st.sampled_from(("",) * 6 + ("one", "two", "x" * 201))),
    }
    return {
        "method": method,
        "path": f"/v1/users/{user}/{path}{query}",
        "headers": {name: value.encode("latin-1") for name, value in sent.items() if value},
        "content": draw(bodies(path)) if method == "POST" else None,
        "key": draw(st.sampled_from(("all",) * 8 + ("read", "write", "other"))),
    }


_APPS: list[FastAPI] = []
_TENANTS = count(1)


def apps() -> list[FastAPI]:
    """Two applications: one that answers plain requests itself, and one that leaves all of them to the framework."""
    if not _APPS:
        _APPS.extend(app_over(MemoryStore(clock=lambda: MONDAY), clock=lambda: MONDAY) for _ in range(2))
        _APPS[1].router.middleware_stack = _APPS[1].router.app
    return _APPS


def answer(app: FastAPI, tenant: str, asked: dict[str, Any], client: TestClient) -> tuple[int, Any, bytes]:
    rights: dict[str, tuple[Right, ...]] = {"read": ("read",), "write": ("write",)}
    user = "ben" if asked["key"] == "other" else ""
    key = make_key(app, *rights.get(asked["key"], ()), tenant=tenant, user=user)
    headers = {**asked["headers"], "Authorization": f"Bearer {key}"}
    url = f"http://testserver{asked['path']}"
    answered = client.request(asked["method"], url, content=asked["content"], headers=headers)
    return answered.status_code, answered.headers.raw, answered.content


@pytest.fixture
def no_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests are functions of the entries, so that two equal logs have equal tags."""
    monkeypatch.setattr("uac.log.log.os.urandom", bytes)


@pytest.mark.usefixtures("no_salt")
def test_a_plain_request_is_answered_with_the_bytes_of_the_framework() -> None:
    @given(st.lists(requests(), min_size=25, max_size=50))
    @settings(max_examples=8, deadline=None)
    def answers_are_equal(asked: list[dict[str, Any]]) -> None:
        tenant = f"t{next(_TENANTS)}"
        with ExitStack() as stack:
            clients = [stack.enter_context(user_of(app, tenant)) for app in apps()]
            for one in asked:
                plain, framework = [
                    answer(app, tenant, one, client) for app, client in zip(apps(), clients, strict=True)
                ]
                assert plain == framework, one

    answers_are_equal()


def test_each_plain_route_is_the_one_that_the_framework_finds() -> None:
    app = apps()[1]
    for (method, path), plain in ROUTES.items():
        scope = {"type": "http", "method": method, "path": f"/v1/users/ana/{path}", "headers": [], "root_path": ""}
        found = [route for router in ROUTERS for route in router.routes if route.matches({**scope})[0] is Match.FULL]
        assert found[0] is plain.route
    assert app.router.middleware_stack == app.router.app


def test_plain_requests_do_not_reach_the_framework() -> None:
    seen: list[str] = []

    async def noted(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["path"])

    app = apps()[0]
    plain = app.router.middleware_stack
    assert isinstance(plain, PlainRequests)
    with user_of(app, f"t{next(_TENANTS)}") as client:
        before, plain._app = plain._app, noted
        try:
            assert client.get("/alerts").status_code == 200
            assert client.post("/observations", json={"turns": [{"text": "Hi."}]}).status_code == 201
            assert client.post("/compute", json={"code": "1"}).json()["value"] == 1
        finally:
            plain._app = before
    assert seen == []


def test_the_routes_that_agents_use_most_have_plain_requests() -> None:
    often = {("GET", "alerts"), ("POST", "observations"), ("POST", "recall"), ("POST", "context"), ("POST", "compute")}
    assert often <= ROUTES.keys()
    assert all(isinstance(route, PlainRoute) for route in ROUTES.values())


@pytest.mark.parametrize("body", [b'{"code": "1"}', b"{"])
def test_a_key_that_another_process_revoked_is_refused_before_the_body_is_looked_at(body: bytes) -> None:
    app = apps()[0]
    tenant = f"t{next(_TENANTS)}"
    with user_of(app, tenant) as client:
        key = make_key(app, tenant=tenant)
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        assert client.post("/compute", content=b'{"code": "1"}', headers=headers).status_code == 200
        Keyring(app.state.service.store.own(), lambda: MONDAY).revoke_key(key.split("_")[1])
        assert client.post("/compute", content=body, headers=headers).status_code == 401
