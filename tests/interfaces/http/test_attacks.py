"""What strangers, tenants and pages of other sites try, and what stays whole for everybody else."""

import json
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from support.http_limits import problem, turns
from support.http_service import LONG, Served, app_over, inside, make_key, serving
from uac.errors import Refused, Unavailable
from uac.interfaces.http import request_bodies
from uac.interfaces.http.auth import KEY
from uac.interfaces.http.middleware import ServiceLimits, ThreadQueue
from uac.interfaces.http.request_bodies import MOST_PARTS, SMALL, has_too_many_json_parts
from uac.interfaces.http.server import LARGEST_HEAD, make_server
from uac.interfaces.inspector import mount
from uac.interfaces.inspector.sessions import MOST_OF_KEY, Sessions
from uac.interfaces.service.api_keys import Keyring
from uac.interfaces.service.webhook_addresses import check_webhook_url
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore

OBSERVATIONS = "/v1/users/ana/observations"
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@contextmanager
def connected(served: Served, text: str) -> Iterator[socket.socket]:
    """A connection on which these bytes were sent."""
    port = int(served.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        connection.sendall(text.encode())
        yield connection


def heard(connection: socket.socket) -> str:
    """All that is said until the other side closes."""
    parts = []
    while part := connection.recv(10_000):
        parts.append(part)
    return b"".join(parts).decode()


def head(path: str, *headers: str) -> str:
    """The head of a request whose body does not come."""
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: x", "Content-Length: 1000", *headers, "", "{"])


# --- strangers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [OBSERVATIONS, "/v1/memories", "/v1/keys", "/nothing", "/inspectors", "/docs/x"])
@pytest.mark.parametrize("key", ["", f"Authorization: Bearer uac_0123456789ab_{'x' * 43}"])
def test_without_a_good_key_nothing_is_read_and_nothing_waits(path: str, key: str) -> None:
    read: list[str] = []

    async def receive() -> Message:
        read.append(path)
        return {"type": "http.disconnect"}

    told = anyio.run(asked, app_over(MemoryStore()), path, [line.split(": ") for line in [key] if line], receive)
    assert (told, read) == (401, [])


async def asked(app: FastAPI, path: str, headers: list[list[str]], receive: Receive) -> int:
    """The status of the answer to a request that is made in this very process."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    sent = [(name.lower().encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": sent, "scheme": "http"}
    await app(scope, receive, send)
    return statuses[0]


def test_bodies_that_do_not_come_take_no_places_if_there_is_no_key() -> None:
    with serving(app_over(MemoryStore(), limits=ServiceLimits(at_once=2))) as served, ExitStack() as strangers:
        for _ in range(5):
            waiting = strangers.enter_context(connected(served, head(OBSERVATIONS)))
            assert waiting.recv(12) == b"HTTP/1.1 401"
        assert served.client(served.key()).get("/v1/version").status_code == 200


def test_where_no_key_is_needed_strangers_together_leave_room_for_those_who_have_one() -> None:
    with serving(app_over(MemoryStore(), limits=ServiceLimits(at_once=4))) as served, ExitStack() as strangers:
        waiting = [strangers.enter_context(connected(served, head("/inspector/sign-in"))) for _ in range(4)]
        answered, _, _ = select.select(waiting, [], [], LONG)
        assert [connection.recv(12) for connection in answered] == [b"HTTP/1.1 429"]
        assert served.client(served.key()).get("/v1/version").status_code == 200


def test_only_named_proxies_are_believed_for_whom_they_ask() -> None:
    statuses = {}
    for proxies in ("", "10.9.8.7", "10.0.0.1"):
        server = make_server(app_over(MemoryStore(), limits=ServiceLimits(rate=0.01)), proxies=proxies)
        server.config.load()
        with TestClient(server.config.loaded_app, client=("10.9.8.7", 1)) as client:
            asking = ({"X-Forwarded-For": f"192.0.2.{number}"} for number in range(3))
            statuses[proxies] = [client.get("/openapi.json", headers=headers).status_code for headers in asking]
    assert statuses == {"": [200, 429, 429], "10.9.8.7": [200, 200, 200], "10.0.0.1": [200, 429, 429]}


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads of requests have to arrive at once."""
    monkeypatch.setattr("uac.interfaces.http.server.HEAD", 0.2)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("text", ["", "GET /healthz HTTP/1.1\r\nHost: lo"])
def test_a_connection_without_a_whole_head_is_closed(text: str) -> None:
    with serving() as served, connected(served, text) as silent:
        assert heard(silent) == ""


@pytest.mark.usefixtures("hasty")
def test_a_second_head_has_to_arrive_too_and_so_has_the_rest_of_a_body_that_nobody_reads() -> None:
    whole = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with serving() as served:
        with connected(served, f"{whole}{whole}GET /heal") as half:
            assert heard(half).count('{"status":"alive"}') == 2
        with connected(served, head(OBSERVATIONS)) as unread:
            assert heard(unread).startswith("HTTP/1.1 401")


@pytest.mark.usefixtures("hasty")
def test_a_body_may_take_longer_than_a_head() -> None:
    body = turns(100).decode()
    with serving() as served:
        more = (f"Authorization: Bearer {served.key()}", "Content-Type: application/json", "Connection: close")
        begun = head(OBSERVATIONS, *more).replace("1000", "100").removesuffix("{")
        with connected(served, begun + body[:50]) as slow, connected(served, "") as silent:
            assert heard(silent) == ""  # so the time for heads is over
            slow.sendall(body[50:].encode())
            assert heard(slow).endswith('{"positions":[1]}')


def test_a_request_whose_end_can_be_read_in_two_ways_is_refused_and_so_is_all_behind_it() -> None:
    both = "Content-Length: 5\r\nTransfer-Encoding: chunked"
    for path in (OBSERVATIONS, "/healthz"):
        hidden = "0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        with serving() as served, connected(served, f"POST {path} HTTP/1.1\r\nHost: x\r\n{both}\r\n\r\n{hidden}") as it:
            told = heard(it)
        assert (told[:12], told.count("HTTP/1.1")) == ("HTTP/1.1 400", 1)
        assert "Send one of them" in told


@pytest.mark.parametrize(
    "endless",
    [
        "GET /healthz HTTP/1.1\r\nHost: x\r\nX: ",
        "GET /",
        "POST /v1/users/ana/observations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ",
        "POST /v1/users/ana/observations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;x=",
    ],
)
def test_what_is_before_and_behind_a_body_has_a_limit(endless: str) -> None:
    with serving() as served, connected(served, endless) as it:
        sent = 0
        with suppress(ConnectionError):
            while sent < 100 * LARGEST_HEAD:
                it.sendall(b"x" * 10_000)
                sent += 10_000
        assert sent < 100 * LARGEST_HEAD


def test_what_follows_a_body_is_not_taken_for_a_header() -> None:
    with serving() as served:
        body = turns(40).decode()
        asked = head(
            OBSERVATIONS, f"Authorization: Bearer {served.key()}", "Content-Type: application/json", "Connection: close"
        )
        chunked = asked.replace("Content-Length: 1000", "Transfer-Encoding: chunked").removesuffix("{")
        with connected(served, f'{chunked}28\r\n{body}\r\n0\r\nIf-Match: W/"9-000000000000"\r\n\r\n') as it:
            assert heard(it).endswith('{"positions":[1]}')


# --- bodies that become large -------------------------------------------------------------------------------------


def test_of_what_is_wrong_with_a_request_a_few_lines_are_told_and_nothing_of_its_values() -> None:
    extra = {f"key{number:05d}": "SECRET" for number in range(10_000)}
    with inside(app_over(MemoryStore())) as client:
        answer = client.post(OBSERVATIONS, json={"turns": [{"text": "hello"}], **extra})
        reasons = [f"body.key{number:05d}: Extra inputs are not permitted" for number in range(20)]
        told = answer.json()
        assert (answer.status_code, told["reasons"]) == (422, [*reasons, "and 9980 more"])
        assert told["detail"] == "The request is not valid. Correct this: " + "; ".join(told["reasons"])
        long = client.post(OBSERVATIONS, json={"k" * 100_000: "SECRET"})
        assert (long.status_code, len(long.content) < 3000, "SECRET" in long.text) == (422, True, False)


def test_a_body_of_very_many_parts_is_refused_before_it_is_taken_apart() -> None:
    keys = ",".join(f'"k{number:07d}":1' for number in range(700_000))
    lists = "[]," * 3_000_000
    with inside(app_over(MemoryStore())) as client:
        for body in (f"{{{keys}}}", f'{{"turns":[{lists}[]]}}', "[" * 60_000):
            answer = client.post(OBSERVATIONS, content=body, headers={"Content-Type": "application/json"})
            assert problem(answer) == (413, "The body is too large. Send at most 50000 texts, commas and brackets.")


def test_as_many_turns_as_may_come_at_once_do_come() -> None:
    turn = {"text": '[{"a", \\"b\\"}]' * 20, "role": "user", "speaker": "Ana", "session": "s", "source": "chat"}
    whole = [{**turn, "said": "2026-03-02T09:00:00Z", "key": str(number)} for number in range(1000)]
    with inside(app_over(MemoryStore())) as client:
        assert client.post(OBSERVATIONS, json={"turns": whole}).json() == {"positions": [*range(1, 1001)]}


VALUES = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('a,"[{\\é')),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.sampled_from('a,"[{\\é')), inner),
)


@given(VALUES, st.integers(0, 12), st.booleans(), st.sampled_from(["utf-8", "utf-16"]))
def test_parts_are_counted_as_they_are(value: Any, most: int, is_ascii: bool, encoding: str) -> None:
    body = json.dumps(value, ensure_ascii=is_ascii).encode(encoding)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(request_bodies, "MOST_PARTS", most)
        found = has_too_many_json_parts(bytearray(body))
    assert found == (parts_of(value) > most) if encoding == "utf-8" else found >= (parts_of(value) > most)


def parts_of(value: Any) -> int:
    """The texts, commas and brackets that it is written with."""
    if isinstance(value, list | dict):
        inner = [*value.values(), *value] if isinstance(value, dict) else value
        return 1 + max(len(value) - 1, 0) + sum(map(parts_of, inner))
    return int(isinstance(value, str))


def test_only_conversations_and_files_may_be_long() -> None:
    record = json.dumps({"type": "health.Allergy", "fields": {"substance": "a" * SMALL}})
    table = json.dumps({"text": "city\n" + "Rome\n" * 200_000, "name": "a.csv", "format": "csv", "dry_run": True})
    with inside(app_over(MemoryStore()), path="/v1/users/ana") as client:
        headers = {"Content-Type": "application/json"}
        refused = client.post("/records", content=record, headers=headers)
        assert problem(refused) == (413, f"The body is too large. Send at most {SMALL} bytes.")
        assert client.post("/observations", content=turns(SMALL + 1000), headers=headers).status_code == 201
        assert client.post("/imports", content=table, headers=headers).json()["detail"].startswith("type is empty")
        assert MOST_PARTS < 200_000


# --- one tenant and the others --------------------------------------------------------------------------------------


def test_computations_of_one_tenant_keep_no_other_tenant_waiting() -> None:
    app = app_over(MemoryStore())
    with serving(app) as served:
        one, other = served.client(served.key(tenant="acme")), served.client(served.key(tenant="bolt"))
        for client, users in ((one, range(10)), (other, range(1))):
            for user in users:
                client.post(f"/v1/users/u{user}/observations", json={"turns": [{"text": "hello"}]})
        statuses: list[int] = []

        def compute(number: int) -> None:
            path = f"/v1/users/u{number % 10}/compute"
            statuses.append(one.post(path, json={"code": "1"}).status_code)

        asking = [threading.Thread(target=compute, args=(number,)) for number in range(70)]
        with ExitStack() as busy:  # the memories of the tenant do not answer meanwhile
            for user in range(10):
                busy.enter_context(app.state.service.memories.use_memory(f"acme/u{user}"))
            for thread in asking:
                thread.start()
            assert other.post("/v1/users/u0/compute", json={"code": "1 + 1"}).json()["value"] == 2
            assert other.get("/v1/users/u0/manifest").status_code == 200
            assert statuses == []
        for thread in asking:
            thread.join(LONG)
        assert statuses == [200] * 70


@pytest.mark.parametrize(("what", "running"), [("compute", [2, 2, 1]), ("recall", [1, 1, 1]), ("context", [1, 1, 1])])
def test_so_many_computations_and_searches_run_at_once(what: str, running: list[int]) -> None:
    async def at_once() -> tuple[list[str], list[str], dict[Any, Any]]:
        served: list[str] = []
        done = anyio.Event()

        async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
            served.append(scope["path"].split("/")[3] + scope[KEY].tenant)
            await done.wait()

        async def nothing(*_: object) -> Any: ...

        keyring = Keyring(MemoryStore().own(), lambda: NOW)
        keys = {tenant: keyring.create_key("k", tenant=tenant)[0] for tenant in "abc"}
        turns = ThreadQueue(app, ServiceLimits(computes=2, all_computes=5, each_user=2))
        async with anyio.create_task_group() as group:
            for key in keys.values():
                for user in ("x", "x", "y", "z"):
                    path = f"/v1/users/{user}/{what}"
                    scope = {"type": "http", "method": "POST", "path": path, KEY: key}
                    group.start_soon(turns, scope, nothing, nothing)
            await anyio.wait_all_tasks_blocked()
            first = [*served]
            scope = {"type": "http", "method": "GET", "path": "/v1/users/z/manifest", KEY: keys["a"]}
            group.start_soon(turns, scope, nothing, nothing)
            await anyio.wait_all_tasks_blocked()
            then = served[len(first) :]
            done.set()
        return first, then, turns._turns

    first, then, left = anyio.run(at_once)
    assert [sum(name.endswith(tenant) for name in first) for tenant in "abc"] == running
    assert (then, left) == (["za"], {})


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/users/ana/files/events", 404),
        ("GET", "/v1/users/ana/records/events", 404),
        ("GET", "/v1/events", 404),
        ("POST", "/v1/users/ana/events", 405),
        ("GET", "/v1/users/ana/events", 503),
    ],
)
def test_only_what_stays_open_is_a_stream(method: str, path: str, status: int) -> None:
    with inside(app_over(MemoryStore(), limits=ServiceLimits(streams=0))) as client:
        client.post(OBSERVATIONS, json={"turns": [{"text": "hello"}]})
        assert client.request(method, path).status_code == status


def test_an_administrator_of_one_user_learns_of_no_other() -> None:
    app = app_over(MemoryStore())
    with inside(app, make_key(app, tenant="a")) as client:
        for user in ("ana", "ben", "cleo"):
            client.post(f"/v1/users/{user}/observations", json={"turns": [{"text": "hello"}]})
        whole = client.get("/v1/users").json()["users"]
    for user, known in (("ben", [whole[1]]), ("zoe", [])):
        with inside(app, make_key(app, "admin", tenant="a", user=user)) as client:
            assert client.get("/v1/users", params={"limit": 1}).json() == {"users": known, "next": None}


def test_who_may_not_read_makes_no_hook_that_tells_it() -> None:
    app = app_over(MemoryStore())
    with inside(app, make_key(app, "admin", "write")) as client:
        answer = client.post("/v1/hooks", json={"url": "https://example.org/"})
        assert problem(answer) == (403, "This key may write, admin. This request needs the right to read.")
    with inside(app, make_key(app, "admin", "read")) as client:
        assert client.post("/v1/hooks", json={"url": "https://example.org/"}).status_code == 201


def test_whoever_signs_in_again_and_again_signs_nobody_else_out() -> None:
    keyring = Keyring(MemoryStore().own(), lambda: NOW)
    (_, one), (_, other) = keyring.create_key("one"), keyring.create_key("other")
    sessions = Sessions(keyring, lambda: NOW)
    kept = sessions.sign_in(other)
    assert kept is not None
    made = [sessions.sign_in(one) for _ in range(MOST_OF_KEY + 5)]
    found = [session is not None and sessions.find_session(session.id) is not None for session in made]
    assert found == [False] * 5 + [True] * MOST_OF_KEY
    assert sessions.find_session(kept.id) == kept


@pytest.mark.parametrize(
    "host",
    [
        "[::127.0.0.1]",
        "[::8.8.8.8]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b:1::7f00:1]",
        "[fec0::1]",
        "[2a00::5efe:127.0.0.1]",
        "[2a00::200:5efe:10.0.0.1]",
    ],
)
def test_no_hook_goes_to_an_address_behind_which_another_may_be_hidden(host: str) -> None:
    for private in (False, True):
        with pytest.raises(Refused, match="is not the address of a server"):
            check_webhook_url(f"https://{host}/", private=private)


def test_hooks_still_go_to_servers_and_where_that_is_allowed_to_this_machine() -> None:
    check_webhook_url("https://[2a00:1450:4001:81b::200e]/")
    check_webhook_url("https://[::1]/", private=True)


@pytest.mark.parametrize("user", ["%2E", "%2e%2E", "%FF", "an%C3a", "%EF%BF%BD"])
def test_ids_that_cannot_stand_in_an_address_are_nobodys(user: str) -> None:
    with serving() as served:
        more = f"Host: x\r\nAuthorization: Bearer {served.key()}\r\nConnection: close"
        with connected(served, f"GET /v1/users/{user}/log HTTP/1.1\r\n{more}\r\n\r\n") as asking:
            told = heard(asking)
        assert (told[:12], "cannot be part of a URL" in told) == ("HTTP/1.1 404", True)


# --- what is sent again -------------------------------------------------------------------------------------------


def test_turns_with_keys_of_their_own_that_come_again_with_an_old_tag_get_the_first_answer() -> None:
    def post(client: TestClient, tag: str, *texts: str) -> tuple[int, Any]:
        body = {"turns": [{"text": text, "key": f"key of {text}"} for text in texts]}
        answer = client.post(OBSERVATIONS, json=body, headers={"If-Match": tag})
        return answer.status_code, answer.json().get("positions")

    with inside(app_over(MemoryStore())) as client:
        tag = client.post(OBSERVATIONS, json={"turns": [{"text": "hello"}]}).headers["etag"]
        assert [post(client, tag, "one", "two") for _ in range(2)] == [(201, [2, 3])] * 2
        assert post(client, tag, "one", "three") == (412, None)
        assert len(client.get("/v1/users/ana/log").json()["entries"]) == 3


def test_what_is_not_the_same_twice_takes_no_key_for_being_sent_again() -> None:
    paths = app_over(MemoryStore()).openapi()["paths"]
    taking = {
        path.rpartition("/")[2]
        for path, item in paths.items()
        for parameter in item.get("post", {}).get("parameters", [])
        if parameter["name"] == "idempotency-key"
    }
    assert {"observations", "records", "corrections", "answers"} <= taking
    assert not {"ask", "learn", "memories", "search", "recall", "compute"} & taking


# --- the inspector ------------------------------------------------------------------------------------------------


class Broken(MemoryStore):
    """A store that is out of reach."""

    def log(self, user: str) -> Log:
        raise Unavailable(f"/secret/place/memory.db is locked, {user}")


def test_pages_do_not_say_where_the_store_is(caplog: pytest.LogCaptureFixture) -> None:
    app = app_over(Broken(), with_keys=False, hosts=("testserver",))
    mount(app, clock=lambda: NOW + timedelta(days=1))
    with TestClient(app) as client:
        answer = client.get("/inspector/users/ana")
    assert (answer.status_code, "/secret" in answer.text, "out of reach" in answer.text) == (503, False, True)
    assert "/secret/place/memory.db is locked" in caplog.text
