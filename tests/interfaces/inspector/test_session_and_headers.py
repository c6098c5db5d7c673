"""The frame of the inspector: who gets in, what they may see, which forms are taken, and what every answer says."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from click.testing import CliRunner
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.browser import NOW, Lives, app_with_inspector, life, reader, sent
from support.http_service import LONG, inside, make_key
from uac import Observation
from uac.interfaces.cli import main
from uac.interfaces.http.user_context import Caller
from uac.interfaces.inspector import Invitation
from uac.interfaces.inspector.sessions import LASTS, MOST, Sessions
from uac.interfaces.service.api_keys import Keyring, Right
from uac.log.stores import open_store

START = "/inspector/users"


@pytest.fixture(scope="module")
def lives() -> Lives:
    lives = Lives()
    life(lives)
    life(lives, "acme/ana")
    life(lives, "acme/bo")
    return lives


@pytest.fixture(scope="module")
def app(lives: Lives) -> FastAPI:
    return app_with_inspector(lives.store)


@pytest.fixture
def anybody(app: FastAPI) -> Iterator[TestClient]:
    with reader(app) as client:
        yield client


# --- signing in -------------------------------------------------------------------------------------------------------


def test_whoever_is_not_signed_in_is_led_to_the_form_and_back_to_where_they_were_going(
    app: FastAPI, anybody: TestClient
) -> None:
    wanted = "/inspector/users/ana/records?type=travel.Trip"
    answer = anybody.get(wanted)
    assert (answer.url.path, answer.url.params["then"]) == ("/inspector/sign-in", wanted)
    answer = sent(anybody, "/inspector/sign-in", "/inspector/sign-in", key=make_key(app), then=wanted)
    assert str(answer.url) == f"http://127.0.0.1{wanted}"


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "/inspector/users\\..", "javascript:1", "/v1/users"],
)
def test_signing_in_leads_to_no_other_site(app: FastAPI, anybody: TestClient, elsewhere: str) -> None:
    answer = sent(anybody, "/inspector/sign-in", "/inspector/sign-in", key=make_key(app), then=elsewhere)
    assert str(answer.url) == f"http://127.0.0.1{START}"


def test_a_key_that_opens_nothing_is_told_so_and_is_not_in_the_answer(anybody: TestClient) -> None:
    answer = sent(anybody, "/inspector/sign-in", "/inspector/sign-in", key="uac_000000000000_" + "x" * 43)
    assert answer.status_code == 401
    assert "This key opens nothing" in answer.text
    assert "x" * 43 not in answer.text


def test_a_key_that_may_not_read_gets_no_session(app: FastAPI, anybody: TestClient) -> None:
    answer = sent(anybody, "/inspector/sign-in", "/inspector/sign-in", key=make_key(app, "write"))
    assert (answer.status_code, "may not read" in answer.text) == (403, True)
    assert anybody.get(START).url.path == "/inspector/sign-in"


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites_and_holds_no_key(app: FastAPI) -> None:
    key = make_key(app)
    for scheme in ("http", "https"):
        with TestClient(app, base_url=f"{scheme}://127.0.0.1", headers={"Origin": f"{scheme}://127.0.0.1"}) as client:
            before = client.get("/inspector/sign-in").headers["set-cookie"]
            token = _token(client.get("/inspector/sign-in").text)
            fields = {"form_token": token, "key": key}
            after = client.post("/inspector/sign-in", data=fields, follow_redirects=False).headers["set-cookie"]
        name, number, *flags = re.split("=|; ", after, maxsplit=2)
        expected = "HttpOnly; Max-Age=43200; Path=/inspector; SameSite=strict"
        assert (name, flags) == ("uac_inspector_0", [expected + ("; Secure" if scheme == "https" else "")])
        assert number not in before, "a new sign-in has a new number"
        assert key.split("_", 2)[2] not in after


def test_signing_out_ends_the_session_in_the_server(app: FastAPI) -> None:
    with reader(app, make_key(app)) as client:
        cookie = client.cookies.get("uac_inspector_0", path="/inspector")
        assert cookie is not None
        assert sent(client, START, "/inspector/sign-out").url.path == "/inspector/sign-in"
        client.cookies.set("uac_inspector_0", cookie, path="/inspector")
        assert client.get(START).url.path == "/inspector/sign-in"


def test_revoking_the_key_ends_the_session_at_once(app: FastAPI) -> None:
    keyring: Keyring = app.state.service.keyring
    made, text = keyring.create_key("short", rights=("read", "admin"))
    with reader(app, text) as client:
        assert client.get(START).url.path == START
        keyring.revoke_key(made.id)
        assert client.get(START).url.path == "/inspector/sign-in"


def test_a_session_lasts_twelve_hours_and_there_are_not_too_many() -> None:
    now = [NOW]
    sessions = Sessions(None, lambda: now[0])
    first = sessions.start_without_key()
    now[0] = NOW + LASTS - timedelta(seconds=1)
    assert sessions.find_session(first.id) == first
    now[0] = NOW + LASTS
    assert sessions.find_session(first.id) is None
    many = [sessions.start_without_key() for _number in range(MOST + 1)]
    assert [sessions.find_session(many[0].id), sessions.find_session(many[1].id)] == [None, many[1]]


def test_without_keys_everybody_is_let_in(lives: Lives) -> None:
    app = app_with_inspector(lives.store, with_keys=False)
    with reader(app) as client:
        assert client.get("/").url.path == START
        assert "Sign out" not in client.get(START).text


@pytest.mark.parametrize("invitation", [None, Invitation("t" * 32, Caller(""))], ids=["keys", "address"])
def test_the_address_without_its_slash_leads_to_the_start(lives: Lives, invitation: Invitation | None) -> None:
    with reader(app_with_inspector(lives.store, invitation=invitation)) as client:
        answer = client.get("/inspector", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/inspector/")


# --- the one-time address ---------------------------------------------------------------------------------------------


def test_the_one_time_address_lets_one_in_once(lives: Lives) -> None:
    app = app_with_inspector(lives.store, invitation=Invitation("t" * 32, Caller("", user="ana")))
    with reader(app) as first, reader(app) as second:
        assert first.get("/inspector/enter?token=wrong").status_code == 401
        assert first.get("/inspector/enter").status_code == 401
        assert "You are in" in first.get(f"/inspector/enter?token={'t' * 32}").text
        assert first.get("/inspector/").url.path == "/inspector/users/ana"
        assert first.get(f"/inspector/enter?token={'t' * 32}").url.path == "/inspector/users/ana"
        refused = second.get(f"/inspector/enter?token={'t' * 32}")
        assert (refused.status_code, "was used before" in refused.text, "`" in refused.text) == (401, True, False)
        assert second.get("/inspector/users/ana").url.path == "/inspector/sign-in"


def test_who_only_looks_whether_the_address_is_there_does_not_use_it_up(lives: Lives) -> None:
    app = app_with_inspector(lives.store, invitation=Invitation("t" * 32, Caller("", user="ana")))
    with reader(app) as curious, reader(app) as invited:
        looked = curious.head(f"/inspector/enter?token={'t' * 32}")
        assert (looked.status_code, "set-cookie" in looked.headers) == (200, False)
        assert curious.get("/inspector/users/ana").url.path == "/inspector/sign-in"
        assert "You are in" in invited.get(f"/inspector/enter?token={'t' * 32}").text


def test_who_came_by_an_address_for_one_user_is_told_of_no_key(lives: Lives) -> None:
    app = app_with_inspector(lives.store, invitation=Invitation("t" * 32, Caller("", "acme", "bo")))
    with reader(app) as client:
        client.get(f"/inspector/enter?token={'t' * 32}")
        refused = client.get("/inspector/users/ana")
    assert refused.status_code == 403
    assert "This session is for the user &#39;bo&#39; only" in refused.text


def test_where_the_way_in_is_an_address_no_key_is_taken(lives: Lives) -> None:
    app = app_with_inspector(lives.store, invitation=Invitation("t" * 32, Caller("")))
    with reader(app) as client:
        assert sent(client, "/inspector/sign-in", "/inspector/sign-in", key=make_key(app)).status_code == 403
        assert 'name="key"' not in client.get("/inspector/sign-in").text


def test_uac_inspect_serves_this_machine_and_prints_the_address(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    with closing(open_store(path)) as store:
        store.log("ana").append([Observation(text="hello", said=datetime.now(UTC))])
    command = [sys.executable, "-m", "uac", "inspect", "ana", "--store", path, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        address: str = json.loads(running.stdout.readline())["address"]
        with httpx2.Client(trust_env=False, follow_redirects=True, timeout=LONG) as client:
            assert client.get(address, headers={"Host": "evil.example"}).status_code == 421
            assert "You are in" in client.get(address).text
            assert client.get(address).url.path == "/inspector/users/ana"
            assert client.get(address.replace("/inspector/enter", "/v1/users")).status_code == 401
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=LONG)
    assert running.returncode == 0


def test_uac_inspect_knows_whom_there_is_nothing_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_STORE", str(tmp_path / "memory.db"))
    with closing(open_store(tmp_path / "memory.db")):
        pass
    for arguments, told in (
        (["nobody"], "user 'nobody' has no log"),
        (["bo", "--tenant", "acme"], "user 'acme/bo' has no log"),
        (["a/b"], "contains a slash"),
        (["--tenant", "A b"], "'A b' is not a valid name"),
    ):
        result = CliRunner().invoke(main, ["inspect", *arguments])
        assert (result.exit_code, told in result.stderr) == (3, True), result.output


# --- what a key reaches -----------------------------------------------------------------------------------------------


def test_a_key_for_one_user_lands_there_and_sees_nobody_else(app: FastAPI) -> None:
    with reader(app, make_key(app, tenant="acme", user="bo")) as client:
        assert client.get("/inspector/").url.path == "/inspector/users/bo"
        assert client.get(START).url.path == "/inspector/users/bo"
        refused = client.get("/inspector/users/ana")
        assert (refused.status_code, "for the user &#39;bo&#39; only" in refused.text) == (403, True)


@pytest.mark.parametrize(
    ("rights", "only", "user"),
    [
        (("read",), "", "ana"),
        (("read",), "bo", "bo"),
        (("read",), "bo", "ana"),
        (("write",), "", "ana"),
        (("admin",), "", "ana"),
        (("read",), "", "nobody"),
        (("read",), "", "acme/ana"),
        (("read",), "", "a\u2028b"),
    ],
)
def test_a_page_refuses_whom_the_http_service_refuses(
    app: FastAPI, rights: tuple[Right, ...], only: str, user: str
) -> None:
    key = make_key(app, *rights, tenant="acme", user=only)
    name = quote(user, safe="")
    with reader(app) as browser, inside(app, key) as client:
        sent(browser, "/inspector/sign-in", "/inspector/sign-in", key=key)
        page, answer = browser.get(f"/inspector/users/{name}"), client.get(f"/v1/users/{name}/records")
    is_signed_in = page.url.path != "/inspector/sign-in"  # no key without the right to read signs in
    assert (page.status_code if is_signed_in else 403) == answer.status_code
    assert (answer.status_code == 200) == ("read" in rights and user in (("ana", "bo") if not only else (only,)))


def test_the_users_of_another_tenant_are_not_listed_and_not_found(app: FastAPI) -> None:
    with reader(app, make_key(app, tenant="acme")) as acme, reader(app, make_key(app)) as nobody:
        assert _users(acme) == ["ana", "bo"]
        assert _users(nobody) == ["ana"]
        assert nobody.get("/inspector/users/bo").status_code == 404
        assert nobody.get("/inspector/users/acme%2Fbo").status_code == 404


def test_a_key_that_may_not_list_users_opens_them_by_id(app: FastAPI) -> None:
    with reader(app, make_key(app, "read", tenant="acme")) as client:
        assert _users(client) == []
        assert client.get(f"{START}?q=bo").url.path == "/inspector/users/bo"


def test_users_are_searched_in_any_case_and_paged(lives: Lives) -> None:
    lives = Lives()
    for number in range(120):
        lives.store.log(f"user {number:03}").append(_words(lives))
        lives.store.log(f"other/user {number:03}").append(_words(lives))
    with reader(app_with_inspector(lives.store, with_keys=False)) as client:
        assert _users(client, "?q=ER%2011") == [f"user {number}" for number in range(110, 120)]
        seen, path = [], START
        while path:
            text = client.get(path).text
            seen.append(len(_rows(text)))
            found = re.search(r'rel="next" href="([^"]+)"', text)
            path = found[1].replace("&amp;", "&") if found else ""
        assert seen == [50, 50, 20]


# --- forms and headers ------------------------------------------------------------------------------------------------


def _token(text: str) -> str:
    return text.partition('name="form_token" value="')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://127.0.0.1"}, 303),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}, 303),
        ({}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1234"}, 403),
        ({"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_a_form_is_taken_only_from_a_page_of_ours(app: FastAPI, headers: dict[str, str], status: int) -> None:
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        token = _token(client.get("/inspector/sign-in").text)
        fields = {"form_token": token, "key": make_key(app)}
        assert client.post("/inspector/sign-in", data=fields, headers=headers).status_code == status


def test_a_form_with_another_session_s_token_is_not_taken(app: FastAPI) -> None:
    with reader(app, make_key(app)) as one, reader(app, make_key(app)) as other:
        token = _token(other.get(START).text)
        for wrong in (token, "", "ü", token[:-1]):
            assert one.post("/inspector/sign-out", data={"form_token": wrong}).status_code == 403
        assert one.get(START).url.path == START


def test_a_form_that_is_too_large_or_no_text_is_refused(app: FastAPI, anybody: TestClient) -> None:
    anybody.get("/inspector/sign-in")
    assert anybody.post("/inspector/sign-in", content=b"key=" + b"x" * 1_100_000).status_code == 413
    assert anybody.post("/inspector/sign-in", content=b"key=\xff").status_code == 422


def test_every_answer_forbids_what_our_pages_do_not_need(app: FastAPI) -> None:
    static = re.compile(r'(?:src|href)="(/inspector/static/[^"]+)"')
    with reader(app, make_key(app)) as client:
        files = static.findall(client.get(START).text)
        assert [path.partition("?")[0].rpartition("/")[2] for path in files] == [
            *("icon.svg", "inspector.css", "inspector.js", "icon.svg")
        ]
        for path in (START, "/inspector/users/nobody", "/inspector/nowhere", "/inspector/sign-in", *files):
            headers = client.get(path, follow_redirects=False).headers
            assert {name: headers.get(name) for name in SAFE} == SAFE
            kept = "public, max-age=31536000, immutable" if "/static/" in path else "no-store"
            assert headers["cache-control"] == kept


SAFE = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


def test_what_is_not_there_is_told_on_a_page(app: FastAPI) -> None:
    with reader(app, make_key(app)) as client:
        for path, status, told in (
            ("/inspector/users/nobody", 404, "User &#39;nobody&#39; has no memory yet."),
            ("/inspector/users/ana/records?type=travel.Cat", 422, "No type &#39;travel.Cat&#39;"),
            ("/inspector/users/ana/records/one?id=travel.Trip:none", 404, "No record"),
            ("/inspector/users/ana/code?at=soon", 422, "at is &#39;soon&#39;. Use a number"),
            ("/inspector/users/ana/code?day=soon", 422, "day is &#39;soon&#39;. Use a date"),
            ("/inspector/nowhere", 404, "There is no such page."),
        ):
            answer = client.get(path)
            assert (answer.status_code, told in answer.text, "<html" in answer.text) == (status, True, True), path


def _words(lives: Lives) -> list[Observation]:
    return [Observation(text="hello", said=lives.now)]


def _users(client: TestClient, query: str = "") -> list[str]:
    return _rows(client.get(f"{START}{query}").text)


def _rows(text: str) -> list[str]:
    return re.findall(r'<tr data-row><th scope="row"><a [^>]*><bdi>(.*?)</bdi>', text)
