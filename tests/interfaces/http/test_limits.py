"""What clients may use of the service: bodies, requests a second, requests at once; and the headers of every answer."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from support.http_limits import problem, turns
from support.http_service import LONG, Served, app_over, make_key, serving
from uac.errors import Unavailable
from uac.interfaces.http.key_check import MOST_BUCKETS, TokenBuckets
from uac.interfaces.http.middleware import ServiceLimits
from uac.interfaces.http.problems import SAFE
from uac.log.log import Head
from uac.log.stores.in_memory import MemoryStore

OBSERVATIONS = "/v1/users/ana/observations"


# --- bodies -------------------------------------------------------------------------------------------------------


def in_parts(body: bytes) -> Iterator[bytes]:
    yield from (body[start : start + 100] for start in range(0, len(body), 100))


def whole(body: bytes) -> bytes:
    return body


@pytest.mark.parametrize("sent", [whole, in_parts])
def test_a_body_is_read_up_to_the_limit_and_refused_beyond_it_also_without_a_length(
    sent: Callable[[bytes], Any],
) -> None:
    with serving(app_over(MemoryStore(), limits=ServiceLimits(body=1000))) as served:
        client = served.client(served.key(), headers={"Content-Type": "application/json"})
        assert client.post(OBSERVATIONS, content=sent(turns(1000))).status_code == 201
        refused = client.post(OBSERVATIONS, content=sent(turns(1001)))
        assert problem(refused) == (413, "The body is too large. Send at most 1000 bytes.")
        assert client.post(OBSERVATIONS, content=sent(turns(900))).json() == {"positions": [2]}


def test_a_body_that_does_not_arrive_is_not_waited_for() -> None:
    with serving(app_over(MemoryStore(), limits=ServiceLimits(patience=0.2))) as served:
        head = f"POST {OBSERVATIONS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {served.key()}\r\n"
        told = raw(served, f'{head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"turns"')
        assert told.startswith("HTTP/1.1 408 ")
        assert "The body did not arrive within 0.2 s" in told


def test_nothing_of_a_body_is_read_if_it_is_announced_as_too_long() -> None:
    with serving(app_over(MemoryStore(), limits=ServiceLimits(body=1000))) as served:
        head = f"POST {OBSERVATIONS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {served.key()}\r\n"
        told = raw(served, f"{head}Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n")
        assert told.startswith("HTTP/1.1 413 ")  # and not 100, which would ask for the body


def raw(served: Served, text: str) -> str:
    """What is answered to these very bytes, up to its end."""
    port = int(served.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        connection.sendall(text.encode())
        received = b""
        while b"}" not in received:
            part = connection.recv(10_000)
            assert part, received
            received += part
        return received.decode()


# --- requests a second --------------------------------------------------------------------------------------------


@given(
    st.floats(0.1, 50),
    st.floats(1, 100),
    st.lists(st.tuples(st.floats(0, 3), st.sampled_from("ab")), max_size=200),
)
def test_in_any_span_of_time_a_client_gets_at_most_its_rate_and_what_it_had_saved(
    rate: float, most: float, asked: list[tuple[float, str]]
) -> None:
    buckets, now = TokenBuckets(rate, most), 0.0
    granted: dict[str, list[float]] = {"a": [], "b": []}
    for pause, who in asked:
        now += pause
        wait = buckets.take_token(who, now)
        if wait:
            assert wait <= 1 / rate + 1e-6
        else:
            granted[who].append(now)
    for times in granted.values():
        for first in range(len(times)):
            for last in range(first, len(times)):
                assert last - first + 1 <= most + rate * (times[last] - times[first]) + 1e-6


@given(st.floats(0.1, 50), st.integers(1, 50))
def test_whoever_waits_as_long_as_told_is_let_in(rate: float, tries: int) -> None:
    buckets, now = TokenBuckets(rate, 1), 0.0
    for _try in range(tries):
        wait = buckets.take_token("a", now)
        now += wait + 1e-9
        assert not wait or not buckets.take_token("a", now)


def test_what_is_known_of_clients_stays_small_however_many_there_are() -> None:
    buckets = TokenBuckets(1, 2)
    for number in range(MOST_BUCKETS + 500):
        buckets.take_token(str(number), float(number))
    assert len(buckets) == MOST_BUCKETS


def test_each_key_has_its_own_share_and_is_told_when_to_come_again() -> None:
    app = app_over(MemoryStore(), limits=ServiceLimits(rate=0.01))  # so that none comes back while the test runs
    with TestClient(app) as client:
        one, two = ({"Authorization": f"Bearer {make_key(app)}"} for _ in range(2))
        assert client.get("/v1/version", headers=one).status_code == 200
        refused = client.get("/v1/version", headers=one)
        assert problem(refused) == (429, "Too many requests. Try again in 100 s.")
        assert refused.headers["retry-after"] == "100"
        assert client.get("/v1/version", headers=two).status_code == 200


def test_requests_without_a_good_key_share_what_their_address_has() -> None:
    app = app_over(MemoryStore(), limits=ServiceLimits(rate=0.01))
    good = {"Authorization": f"Bearer {make_key(app)}"}
    with TestClient(app, client=("2001:db8::1", 1)) as here, TestClient(app, client=("2001:db8::2", 1)) as neighbour:
        guess = {"Authorization": "Bearer uac_0123456789ab_" + "x" * 43}
        assert here.get("/v1/version", headers=guess).status_code == 401
        assert [client.get("/v1/version").status_code for client in (here, neighbour)] == [429, 429]
        assert here.get("/v1/version", headers=good).status_code == 200
    with TestClient(app, client=("2001:db8:0:1::1", 1)) as elsewhere:
        assert elsewhere.get("/v1/version").status_code == 401


def test_probes_are_answered_whatever_the_rate() -> None:
    with TestClient(app_over(MemoryStore(), limits=ServiceLimits(rate=0.01))) as client:
        assert [client.get(path).status_code for path in ("/healthz", "/readyz") * 3] == [200] * 6


# --- requests at once ---------------------------------------------------------------------------------------------


class Gate:
    """Routes that answer when they are told to: a request that takes long, and a stream."""

    def __init__(self, app: FastAPI) -> None:
        self.entered = threading.Semaphore(0)
        self.opened = threading.Event()
        app.add_api_route("/slow", self.slow)

    def slow(self) -> str:
        self.entered.release()
        assert self.opened.wait(LONG)
        return "done"


@contextmanager
def busy(served: Served, gate: Gate, number: int, *, key: str) -> Iterator[list[int]]:
    """So many requests under way; when the block ends, they finish, and their statuses are known."""
    statuses: list[int] = []
    client = served.client(key)
    threads = [threading.Thread(target=lambda: statuses.append(client.get("/slow").status_code)) for _ in range(number)]
    for thread in threads:
        thread.start()
        assert gate.entered.acquire(timeout=LONG)
    try:
        yield statuses
    finally:
        gate.opened.set()
        for thread in threads:
            thread.join(LONG)


def test_beyond_so_many_requests_at_once_others_are_told_to_come_again_and_probes_still_answer() -> None:
    app = app_over(MemoryStore(), limits=ServiceLimits(at_once=3, share=1))
    gate = Gate(app)
    with serving(app) as served:
        client = served.client(served.key())
        with busy(served, gate, 3, key=served.key(tenant="acme")) as statuses:
            refused = client.get("/v1/version")
            assert problem(refused) == (503, "3 requests are running. Try again in a second.")
            assert refused.headers["retry-after"] == "1"
            assert client.get("/healthz").status_code == 200
        assert statuses == [200, 200, 200]
        assert client.get("/v1/version").status_code == 200


def test_streams_do_not_take_the_places_of_requests_and_have_a_limit_of_their_own() -> None:
    with (
        serving(app_over(MemoryStore(), limits=ServiceLimits(at_once=2, streams=50, share=1))) as served,
        ExitStack() as streams,
    ):
        client = served.client(served.key())
        client.post(OBSERVATIONS, json={"turns": [{"text": "hello"}]})
        for _ in range(50):
            reading = streams.enter_context(client.stream("GET", "/v1/users/ana/events", params={"of": "log"}))
            assert reading.status_code == 200
        refused = client.get("/v1/users/ana/events")
        assert problem(refused) == (503, "50 streams are running. Try again in a second.")
        assert client.get("/v1/version").status_code == 200


def test_one_tenant_leaves_room_for_others_however_many_keys_it_has() -> None:
    app = app_over(MemoryStore(), limits=ServiceLimits(at_once=4))
    gate = Gate(app)
    with serving(app) as served:
        one, another, other = served.key(tenant="acme"), served.key(tenant="acme"), served.key(tenant="bolt")
        with busy(served, gate, 3, key=one) as statuses:
            refused = [served.client(key).get("/v1/version") for key in (one, another)]
            told = (429, "3 requests of this tenant are running. Try again in 1 s.")
            assert [problem(answer) for answer in refused] == [told, told]
            assert served.client(other).get("/v1/version").status_code == 200
        assert statuses == [200, 200, 200]
        assert served.client(another).get("/v1/version").status_code == 200


def test_a_request_that_is_served_finds_a_thread_however_many_others_wait_in_theirs() -> None:
    app = app_over(MemoryStore(), limits=ServiceLimits(at_once=60, share=0.98))
    gate = Gate(app)
    with serving(app) as served:
        with busy(served, gate, 58, key=served.key(tenant="acme")) as statuses:
            assert served.client(served.key(tenant="bolt")).get("/v1/users").status_code == 200
            assert served.client().get("/readyz").status_code == 200
        assert statuses == [200] * 58


def test_requests_that_wait_for_one_user_do_not_keep_others_from_being_served() -> None:
    with serving(app_over(MemoryStore(), limits=ServiceLimits(each_user=2))) as served:
        clients = [served.client(key) for key in (served.key(), served.key(tenant="acme"))]
        for client in clients:
            client.post(OBSERVATIONS, json={"turns": [{"text": "hello"}]})
        answers: list[int] = []

        def ask() -> None:
            answers.append(clients[0].get("/v1/users/ana/manifest").status_code)

        asking = [threading.Thread(target=ask) for _ in range(60)]  # more than there are threads
        with served.app.state.service.memories.use_memory("ana"):
            for thread in asking:
                thread.start()
            assert clients[1].get("/v1/users/ana/manifest").status_code == 200
            assert clients[0].get("/v1/version").status_code == 200
            assert answers == []
        for thread in asking:
            thread.join(LONG)
        assert answers == [200] * 60


# --- where requests come from, and what answers carry ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost:8311"}, 200),
        ({"Host": "LOCALHOST"}, 200),
        ({"Host": "[::1]:8311"}, 200),
        ({"Host": "[::1]"}, 200),
        ({"Host": "localhost:8311", "Origin": "http://localhost:8311"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example:8311"}, 421),
        ({"Host": ""}, 421),
        ({"Host": "localhost", "Origin": "https://evil.example"}, 403),
        ({"Host": "localhost", "Origin": "null"}, 403),
        ({"Host": "localhost:8311", "Origin": "http://127.0.0.1:8311"}, 200),
        ({"Host": "localhost", "Origin": "http://localhost:80"}, 200),
        ({"Host": "localhost:8311", "Origin": "http://localhost:3000"}, 403),
        ({"Host": "localhost:8311", "Origin": "http://localhost"}, 403),
        ({"Host": "localhost", "Origin": "https://localhost"}, 403),
    ],
)
def test_only_own_names_and_own_pages_are_answered_where_names_are_given(headers: dict[str, str], status: int) -> None:
    app = app_over(MemoryStore(), with_keys=False, hosts=("localhost", "127.0.0.1", "[::1]"))
    with TestClient(app) as client:
        answer = client.get("/v1/version", headers=headers)
        assert answer.status_code == status
        assert status == 200 or problem(answer)[0] == status
        assert client.get("/healthz", headers=headers).status_code == 200


def test_where_keys_are_needed_a_proxy_may_hide_the_port_that_pages_are_seen_at() -> None:
    app = app_over(MemoryStore(), hosts=("memory.example",))
    headers = {"Host": "memory.example", "Origin": "https://memory.example:8443"}
    with TestClient(app, headers={"Authorization": f"Bearer {make_key(app)}"}) as client:
        assert client.get("/v1/version", headers=headers).status_code == 200


def test_every_answer_says_that_it_is_not_to_be_kept_sniffed_framed_or_embedded() -> None:
    app = app_over(MemoryStore())
    app.add_api_route("/broken", lambda: 1 / 0)
    with serving(app) as served:
        client = served.client(served.key())
        client.post(OBSERVATIONS, json={"turns": [{"text": "hello"}]})
        tag = client.post(OBSERVATIONS, json={"turns": [{"text": "again"}]}).headers["etag"]
        answers = [
            client.get("/healthz"),
            client.get("/v1/users/ana/log"),
            client.get("/v1/users/ana/log", headers={"If-None-Match": tag}),
            client.get("/nothing"),
            client.post("/v1/keys", json={}),
            client.get("/broken"),
            served.client().get("/v1/keys"),
        ]
        assert [answer.status_code for answer in answers] == [200, 200, 304, 404, 422, 500, 401]
        for answer in answers:
            assert {name: answer.headers[name] for name in SAFE} == SAFE
            assert "server" not in answer.headers


class Locked:
    """A log that cannot be reached any more."""

    def head(self) -> Head:
        raise Unavailable("/secret/place/memory.db is locked")


def test_a_store_out_of_reach_is_told_without_saying_where_it_is(caplog: pytest.LogCaptureFixture) -> None:
    app = app_over(MemoryStore())
    headers = {"Authorization": f"Bearer {make_key(app)}"}
    app.state.service.keyring._own = Locked()
    with TestClient(app) as client:
        answer = client.get("/v1/version", headers=headers)
    assert problem(answer) == (
        503,
        "The store is locked, stopped or out of reach; trying again may help. The service's own output has the details.",
    )
    assert answer.headers["retry-after"] == "1"
    assert "/secret/place/memory.db is locked" in caplog.text
