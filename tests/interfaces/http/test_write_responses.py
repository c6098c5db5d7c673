"""What the service tells people who begin: why a request was not understood, which routes there are, what was asked."""

import html
import re
import shlex
import signal
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from support.http_process import bearer, uac_serve
from support.http_service import LONG, app_over, inside, make_key
from support.openapi_document import operations
from support.page_loads import loads_of_page
from uac.errors import Unavailable
from uac.interfaces.http.docs_page import POLICY, STYLE
from uac.interfaces.inspector import mount
from uac.interfaces.service.api_keys import Keyring
from uac.log.stores.in_memory import MemoryStore

OBSERVATIONS = "/v1/users/ana/observations"
NO_KEY = "A key is needed. Send Authorization: Bearer uac_…"
WRONG_KEY = "This key is not valid here: it is mistyped, expired or revoked. Use another key."


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return app_over(MemoryStore())


# --- keys -----------------------------------------------------------------------------------------------------------


def test_a_key_that_opens_nothing_is_told_from_none_and_not_why(app: FastAPI) -> None:
    now = datetime.now(UTC)
    keyring: Keyring = app.state.service.keyring
    revoked, text = keyring.create_key("gone")
    keyring.revoke_key(revoked.id)
    past = Keyring(app.state.service.store.own(), lambda: now - timedelta(days=2))
    _key, expired = past.create_key("old", expires=now - timedelta(days=1))
    good = make_key(app)
    told = {
        "": NO_KEY,
        "Basic YTpi": NO_KEY,
        good: NO_KEY,  # the word Bearer is missing
        "Bearer ": NO_KEY,
        f"Bearer {text}": WRONG_KEY,
        f"Bearer {expired}": WRONG_KEY,
        f"Bearer {good[:-1]}": WRONG_KEY,
        "Bearer nonsense": WRONG_KEY,
    }
    with TestClient(app) as client:
        answers = {sent: client.get("/v1/version", headers={"Authorization": sent}) for sent in told}
    assert {sent: answer.json()["detail"] for sent, answer in answers.items()} == told
    assert {(answer.status_code, answer.headers["www-authenticate"]) for answer in answers.values()} == {
        (401, "Bearer")
    }


# --- bodies and addresses -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content_type", "told"),
    [
        (
            "application/x-www-form-urlencoded",
            "the body says Content-Type: application/x-www-form-urlencoded. Send Content-Type: application/json.",
        ),
        ("text/plain", "the body says Content-Type: text/plain. Send Content-Type: application/json."),
        ("", "the body has no Content-Type. Send Content-Type: application/json."),
    ],
)
def test_json_that_is_not_sent_as_json_is_answered_with_the_header_it_needs(
    app: FastAPI, content_type: str, told: str
) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    with inside(app) as client:
        answer = client.post(OBSERVATIONS, content='{"turns": [{"text": "hello"}]}', headers=headers)
    assert answer.json() == {
        "title": "Malformed",
        "status": 422,
        "detail": f"The request is not valid. Correct this: {told}",
        "reasons": [told],
    }


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"turns": [{"text": "hello"}', "the body is not valid JSON: Expecting ',' delimiter at character 29"),
        ("{turns: 1}", "the body is not valid JSON: Expecting property name enclosed in double quotes at character 2"),
        ('["a"]', "body: Input should be a valid dictionary or object to extract fields from"),
    ],
)
def test_a_body_that_is_no_json_is_told_with_the_place_where_it_ends_to_be(app: FastAPI, body: str, told: str) -> None:
    with inside(app) as client:
        answer = client.post(OBSERVATIONS, content=body, headers={"Content-Type": "application/json"})
    assert answer.json()["reasons"] == [told]


def test_an_address_where_nothing_is_leads_to_all_that_there_are(app: FastAPI) -> None:
    with inside(app) as client:
        answer = client.get("/v1/user/ana/alerts")
        assert answer.json() == {
            "title": "Not Found",
            "status": 404,
            "detail": "There is nothing at this address. /openapi.json lists all addresses, and /docs shows them.",
            "reasons": [],
        }
        assert client.get("/v1/users/nobody/alerts").json()["detail"] == (
            "User 'nobody' has no memory yet. POST …/observations starts one."
        )


# --- the page of all routes -----------------------------------------------------------------------------------------


class Parsed(HTMLParser):
    """The page as a browser reads it: its elements, and the text of each `pre`."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _value in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name == "href"]


def page_of(app: FastAPI, host: str = "testserver") -> httpx2.Response:
    with TestClient(app) as client:
        return client.get("/docs", headers={"Host": host})


def test_the_page_of_all_routes_needs_no_key_runs_no_script_and_asks_no_other_host(app: FastAPI) -> None:
    page = page_of(app)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"] == POLICY
    assert "default-src 'none'" in POLICY
    assert f"<style>{STYLE}</style>" in page.text
    assert loads_of_page(page.text) == []
    parsed = Parsed()
    parsed.feed(page.text)
    assert parsed.tags.isdisjoint({"script", "link", "img", "form", "iframe", "object"})
    assert parsed.attributes <= {"lang", "charset", "name", "content", "href", "id", "scope", "class", "tabindex"} | {
        "aria-label"
    }


def test_the_page_has_every_operation_once_and_its_links_lead_there(app: FastAPI) -> None:
    text = page_of(app).text
    shown = [html.unescape(found) for found in re.findall(r"<h3[^>]*><code>(.*?)</code>", text)]
    assert sorted(shown) == sorted(map(str, operations(app)))
    parsed = Parsed()
    parsed.feed(text)
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert parsed.links == ["openapi.json", *(f"#{place}" for place in parsed.ids)]


def test_each_operation_is_shown_with_its_words_parameters_and_a_line_for_the_shell(app: FastAPI) -> None:
    found = re.findall(r"<article>(<h3[^>]*><code>(.*?)</code>.*?)</article>", page_of(app).text, re.DOTALL)
    articles = {html.unescape(name): article for article, name in found}
    for operation in operations(app):
        article = articles[str(operation)]
        told = html.unescape(re.sub(r"<[^>]+>", "", article))
        assert operation.told["description"].replace("`", "") in told
        names = [*operation.names("path"), *operation.names("query"), *operation.names("header")]
        for name in (*names, *operation.body.get("properties", {})):
            assert f"<code>{name}</code>" in article, (str(operation), name)
        line = html.unescape(re.findall(r"<pre[^>]*><code>(.*?)</code>", article, re.DOTALL)[0])
        words = shlex.split(line)
        asked = operation.request({})
        assert words[0] == "curl"
        assert ("@key.txt" in words) is not operation.is_open
        assert any(word.startswith("http://testserver/") for word in words)
        if "json" in asked:
            assert words[-2] == "--json"


def test_the_lines_for_the_shell_are_requests_that_the_service_understands() -> None:
    app = app_over(MemoryStore())
    lines = [
        html.unescape(found) for found in re.findall(r"<pre[^>]*><code>(.*?)</code>", page_of(app).text, re.DOTALL)
    ]
    with inside(app) as client:
        client.post(OBSERVATIONS, json={"turns": [{"text": "I get hives from penicillin."}]})
        for line in lines:
            words = shlex.split(line)[1:]
            if any(word.endswith(("/events", "/ask", "/learn")) for word in words):
                continue
            answer = asked(client, words)
            assert '"Malformed"' not in answer.text, (line, answer.text)
            assert answer.status_code not in (401, 403, 405, 500), (line, answer.text)


def asked(client: TestClient, words: list[str]) -> httpx2.Response:
    """What curl would ask for with these arguments."""
    given = dict(pairwise(words))
    address = next(word for word in words if word.startswith("http://"))
    body = given.get("--json")
    return client.request(
        given.get("-X", "GET" if body is None else "POST"),
        address.removeprefix("http://testserver"),
        content=body,
        headers={"Content-Type": "application/json"} if body is not None else {},
    )


@settings(deadline=None, max_examples=40)
@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30))
def test_whatever_a_client_calls_the_host_nothing_of_it_becomes_markup_or_a_command(host: str) -> None:
    page = page_of(APP, host)
    if page.status_code != 200:
        return
    [line] = re.findall(r"<code>(curl \S+)/healthz</code>", page.text)
    assert re.fullmatch(r"curl https?://[A-Za-z0-9.:\[\]/_-]+", html.unescape(line))


APP = app_over(MemoryStore())


# --- what was asked -------------------------------------------------------------------------------------------------


def test_an_access_log_has_method_route_status_and_time_and_nothing_of_users() -> None:
    told: list[str] = []
    app = app_over(MemoryStore(), access_log=told.append)
    mount(app)
    with inside(app) as client:
        client.post("/v1/users/canary/observations?x=canary", json={"turns": [{"text": "canary"}]})
        client.get("/v1/users/canary/records/canary.Canary:canary")
        client.get("/inspector/users/canary", follow_redirects=False)
        client.get("/inspector/static/inspector.css")
        client.get("/canary")
        client.request("CANARY", "/healthz")
        client.get("/v1/version", headers={"Authorization": "Bearer canary"})
    assert [re.sub(r"\d+\.\d ms$", "… ms", line) for line in told] == [
        "POST /v1/users/{user}/observations 201 … ms",
        "GET /v1/users/{user}/records/{record:record_id} 404 … ms",
        "GET /inspector/users/{user} 303 … ms",
        "GET /inspector/static 200 … ms",
        "GET - 404 … ms",
        "? /healthz 405 … ms",
        "GET - 401 … ms",
    ]
    assert "canary" not in "".join(told).lower()


def test_an_access_log_has_the_failures_of_the_service_too() -> None:
    told: list[str] = []
    app = app_over(MemoryStore(), access_log=told.append)

    @app.get("/v1/fails/{how}")
    def fails(how: str) -> None:
        raise RuntimeError if how == "unexpectedly" else Unavailable("the store is locked")

    with inside(app) as client:
        statuses = [client.get(f"/v1/fails/{how}").status_code for how in ("unexpectedly", "now")]
    assert statuses == [500, 503]
    assert [re.sub(r"\d+\.\d ms$", "… ms", line) for line in told] == [
        "GET /v1/fails/{how} 500 … ms",
        "GET /v1/fails/{how} 503 … ms",
    ]


def test_the_service_says_what_was_asked_only_if_it_is_told_to(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    for options, expected in (([], ""), (["--access-log"], r"GET /v1/version 200 \d+\.\d ms\n")):
        with uac_serve(path, "--no-keys", *options) as process:
            with httpx2.Client(base_url=process.address, trust_env=False, timeout=LONG, headers=bearer("x")) as client:
                assert client.get("/v1/version").status_code == 200
            assert process.end(signal.SIGTERM) == 0
            assert re.fullmatch(expected, process.rest)
