"""Hooks: alert changes reach those who asked for them, signed, in order, at least once, and only where they may go."""

import base64
import hashlib
import hmac
import json
import ssl
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from serving import LONG, app_over, serving
from uac.cli import main
from uac.entries import AlertChange, Delivery, Observation
from uac.errors import Refused
from uac.hooks import HOOK_EVENTS, Hook, Hooks, check_address, check_url
from uac.http import delivering, posting
from uac.http.delivering import Courier, Rules, wait
from uac.http.news import News
from uac.http.posting import Message, Sent, post, resolve
from uac.store import Store
from uac.stores import open_store
from uac.stores.memory import MemoryStore

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Clock:
    """Time that passes when it is told to; each look is a little later than the one before."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)


@dataclass
class Receiver:
    """Answers with the statuses of `plan`, then with 204, and keeps what was posted."""

    port: int
    plan: deque[int] = field(default_factory=deque)
    heard: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    came: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    location: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/alerts"

    @property
    def subjects(self) -> list[str]:
        return [json.loads(body)["data"]["subject"] for _headers, body in self.heard]


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    mine: Receiver

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            mine.heard.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(mine.plan.popleft() if mine.plan else 204)
            self.send_header("Location", mine.location)
            self.send_header("Content-Length", "0")
            self.end_headers()
            mine.came.release()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library has
            """Nothing: tests read `heard`."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Clients that do not trust it hang up."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        mine = Receiver(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield mine
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> MemoryStore:
    return MemoryStore(clock=clock)


HERE = Rules(private=True)


def courier_of(store: Store, clock: Clock, rules: Rules = HERE, **more: Any) -> Courier:
    return Courier(store, Hooks(store.own(), clock), News(), clock, rules, **more)


def look(courier: Courier) -> None:
    anyio.run(courier.look)


def raise_alerts(store: Store, user: str, *subjects: str, change: Any = "raised") -> None:
    store.log(user).append(
        [
            AlertChange(change=change, constraint="drug_allergy", subject=subject, severity="critical", message="no")
            for subject in subjects
        ]
    )


def is_signed(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Written from the text of the standard, apart from our own code."""
    content = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    key = base64.b64decode(secret.split("_", 1)[1])
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{expected}"


def test_a_change_is_posted_as_a_signed_message(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    courier = courier_of(store, clock)
    hook = courier.hooks.create(receiver.url, tenant="acme", private=True)
    store.log("acme/ana").append([Observation(text="I take amoxicillin", said=START)])
    store.log("acme/ana").append(
        [AlertChange(change="raised", constraint="drug_allergy", subject="amoxicillin", message="stop", cites=(1,))]
    )
    look(courier)
    [(headers, body)] = receiver.heard
    assert is_signed(hook.secret, headers, body)
    assert not is_signed(hook.secret, headers, body + b" ")
    assert abs(int(headers["webhook-timestamp"]) - clock.now.timestamp()) < 2
    assert headers["content-type"] == "application/json"
    told = json.loads(body)
    at = told["timestamp"]
    assert told == {
        "type": "alert.raised",
        "timestamp": at,
        "data": {
            "user": "ana",
            "position": 2,
            "at": at,
            "change": "raised",
            "constraint": "drug_allergy",
            "subject": "amoxicillin",
            "severity": "info",
            "message": "stop",
            "records": [],
            "cites": [1],
            "until": None,
            "is_reviewed": True,
            "why": "",
        },
    }
    assert [each.entry for each in store.log("acme/ana").read(3)] == [Delivery(to=hook.to, through=2)]


def test_what_fails_is_sent_again_later_and_the_order_is_kept(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    courier = courier_of(store, clock)
    courier.hooks.create(receiver.url, private=True)
    raise_alerts(store, "ana", "a", "b", "c")
    receiver.plan.extend([204, 500, 503])
    look(courier)
    assert receiver.subjects == ["a", "b"]
    look(courier)  # too early
    assert receiver.subjects == ["a", "b"]
    clock.wait(seconds=5)
    look(courier)
    clock.wait(seconds=10)
    look(courier)
    assert receiver.subjects == ["a", "b", "b", "b", "c"]
    ids = [headers["webhook-id"] for headers, _body in receiver.heard]
    assert ids[1] == ids[2] == ids[3]
    assert len(set(ids)) == 3
    look(courier)
    assert len(receiver.heard) == 5


def test_a_restart_in_the_middle_loses_nothing_and_repeats_nothing(
    tmp_path: Path, clock: Clock, receiver: Receiver
) -> None:
    receiver.plan.extend([204, 500])
    for _process in range(2):
        store = open_store(tmp_path / "memory.db", clock=clock)
        courier = courier_of(store, clock)
        if not courier.hooks.hooks():
            courier.hooks.create(receiver.url, private=True)
            raise_alerts(store, "ana", "a", "b", "c")
        look(courier)
        store.close()
    assert receiver.subjects == ["a", "b", "b", "c"]


class Crash(BaseException):
    """The process dies: nothing that handles faults may handle this."""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["write", "well", "fails", "dies", "restart", "late"]), max_size=40))
def test_whatever_happens_each_change_arrives_in_order_and_only_ends_of_processes_repeat_any(acts: list[str]) -> None:
    clock = Clock()
    store = MemoryStore(clock=clock)
    arrived: list[str] = []
    plan: deque[str] = deque()

    async def post(_hook: Hook, message: Message, *, now: datetime, private: bool) -> Sent:
        act = plan.popleft() if plan else "well"
        if act == "fails":
            return Sent(500, "answered 500")
        arrived.append(json.loads(message.body)["data"]["subject"])
        if act == "dies":
            raise Crash
        return Sent(204)

    courier = courier_of(store, clock, post=post)
    courier.hooks.create("https://example.org/")
    written = deaths = 0
    for act in [*acts, "late", "late"]:
        match act:
            case "write":
                raise_alerts(store, "ana", str(written))
                written += 1
            case "restart":
                courier = courier_of(store, clock, post=post)
            case "late":
                clock.wait(hours=2)
                try:
                    look(courier)
                except* Crash:
                    deaths += 1
                    courier = courier_of(store, clock, post=post)
            case _:
                plan.append(act)
    plan.clear()
    clock.wait(hours=2)
    look(courier)
    assert list(dict.fromkeys(arrived)) == [str(number) for number in range(written)]
    assert len(arrived) <= written + deaths


def test_a_hook_hears_of_its_own_tenant_and_user_only_and_of_nothing_before_it_was_made(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    raise_alerts(store, "acme/ana", "before")
    courier = courier_of(store, clock)
    courier.hooks.create(receiver.url + "?acme", tenant="acme", private=True)
    courier.hooks.create(receiver.url + "?ben", tenant="acme", user="ben", private=True)
    courier.hooks.create(receiver.url + "?nobody", private=True)
    courier.hooks.create(receiver.url + "?other", tenant="acm", private=True)
    for user in ("acme/ana", "acme/ben", "acmf/ana", "acm", "zoe"):
        raise_alerts(store, user, user)
    look(courier)
    assert sorted(receiver.subjects) == ["acm", "acme/ana", "acme/ben", "acme/ben", "zoe"]


def test_only_the_events_that_were_asked_for_are_sent(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    courier = courier_of(store, clock)
    courier.hooks.create(receiver.url, events=["alert.cleared"], private=True)
    raise_alerts(store, "ana", "a")
    raise_alerts(store, "ana", "a", change="cleared")
    raise_alerts(store, "ana", "b")
    look(courier)
    assert [json.loads(body)["type"] for _headers, body in receiver.heard] == ["alert.cleared"]


def test_one_user_whose_message_is_refused_does_not_hold_up_the_others(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    courier = courier_of(store, clock)
    courier.hooks.create(receiver.url, private=True)
    for user in ("ana", "ben", "cleo"):
        raise_alerts(store, user, user)
    receiver.plan.append(400)
    look(courier)
    assert receiver.subjects == ["ana", "ben", "cleo"]
    clock.wait(seconds=10)
    look(courier)
    assert receiver.subjects == ["ana", "ben", "cleo", "ana"]


def test_a_fault_of_our_own_in_one_hooks_turn_is_logged_and_ends_nothing_else(
    store: MemoryStore, clock: Clock, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails_for_one(hook: Hook, told: Message, *, now: datetime, private: bool) -> Sent:
        if hook.user == "ana":
            raise ZeroDivisionError("a fault")
        return await post(hook, told, now=now, private=private)

    courier = courier_of(store, clock, post=fails_for_one)
    for user in ("ana", "ben"):
        courier.hooks.create(receiver.url, user=user, private=True)
        raise_alerts(store, user, user)
    look(courier)
    assert receiver.subjects == ["ben"]
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_a_receiver_that_is_down_is_tried_once_and_not_once_for_each_user(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    courier = courier_of(store, clock)
    courier.hooks.create(receiver.url, private=True)
    for number in range(20):
        raise_alerts(store, f"user{number}", str(number))
    receiver.plan.append(503)
    look(courier)
    assert len(receiver.heard) == 1


def test_a_hook_that_fails_is_told_of_then_given_up_and_comes_back_with_a_test(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    courier = courier_of(store, clock, Rules(private=True, patience=timedelta(days=3)))
    hook = courier.hooks.create(receiver.url, private=True)
    raise_alerts(store, "ana", "a", "b")
    receiver.plan.extend([500] * 1000)
    states = []
    while (found := courier.hooks.find(hook.id)) and found.state != "given up":
        states.append((found.state, found.why))
        look(courier)
        clock.wait(hours=1)
    assert found is not None
    told = [("well", ""), *[("well", "answered 500")] * 2, *[("failing", "answered 500")] * (len(states) - 3)]
    assert states == told
    assert 72 <= len(states) <= 80
    tried = len(receiver.heard)
    clock.wait(days=30)
    courier = courier_of(store, clock)  # also after a restart
    look(courier)
    assert len(receiver.heard) == tried
    assert not anyio.run(courier.test, found).is_received
    assert courier.hooks.find(hook.id) == found
    receiver.plan.clear()
    assert anyio.run(courier.test, found) == Sent(204)
    receiver.heard.clear()
    look(courier)
    assert receiver.subjects == ["a", "b"]
    again = courier.hooks.find(hook.id)
    assert again is not None
    assert (again.state, again.why) == ("well", "")


def test_a_hook_that_fails_and_then_works_is_well_again(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    courier = courier_of(store, clock)
    hook = courier.hooks.create(receiver.url, private=True)
    raise_alerts(store, "ana", "a")
    receiver.plan.extend([500, 500, 500])
    states = []
    for _ in range(4):
        look(courier)
        clock.wait(hours=1)
        states.append(getattr(courier.hooks.find(hook.id), "state", ""))
    assert states == ["well", "well", "failing", "well"]


def test_a_receiver_that_says_it_is_gone_is_given_up_at_once(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    courier = courier_of(store, clock)
    hook = courier.hooks.create(receiver.url, private=True)
    raise_alerts(store, "ana", "a")
    receiver.plan.append(410)
    look(courier)
    assert getattr(courier.hooks.find(hook.id), "state", "") == "given up"


def test_two_processes_may_deliver_and_what_both_send_has_one_id(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    first, second = courier_of(store, clock), courier_of(store, clock)
    first.hooks.create(receiver.url, private=True)

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(first.look)
            group.start_soon(second.look)

    raise_alerts(store, "ana", "a", "b", "c")
    anyio.run(both)
    ids = [headers["webhook-id"] for headers, _body in receiver.heard]
    assert len(set(ids)) == 3
    heard = len(ids)
    look(first)
    look(second)
    assert len(receiver.heard) == heard


def test_users_with_nothing_new_are_not_looked_at(clock: Clock) -> None:
    read: list[str] = []

    class Counting(MemoryStore):
        def log(self, user: str) -> Any:
            read.append(user)
            return super().log(user)

    store = Counting(clock=clock)
    for number in range(2500):
        store.log(f"user{number:04}").append([Observation(text="hello", said=clock.now)])
    clock.wait(hours=1)

    async def post(_hook: Hook, _message: Message, *, now: datetime, private: bool) -> Sent:
        return Sent(204)

    courier = courier_of(store, clock, post=post)
    courier.hooks.create("https://example.org/")
    raise_alerts(store, "user1700", "a")
    read.clear()
    look(courier)
    assert set(read) == {"user1700"}
    clock.wait(hours=1)
    look(courier)
    read.clear()
    look(courier)
    assert read == []


# --- where messages may go ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "http://127.0.0.1/",
        "https://127.0.0.1/",
        "https://10.1.2.3/",
        "https://192.168.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[fd00::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:0a00:0001::]/",
        "https://0.0.0.0/",
        "https://100.64.0.1/",
        "https://224.0.0.1/",
        "https://ana:secret@example.org/",
        "https://example.org/#part",
        "https:///nobody",
        "ftp://example.org/",
        "https://example.org:99999/",
        "https://example.org/\n",
        "https://exa mple.org/",
        "https://[::1/",
        "",
    ],
)
def test_an_address_that_is_not_plainly_outside_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="hook: "):
        check_url(url)


def test_an_address_outside_is_fine() -> None:
    for url in ("https://example.org/alerts?x=1", "https://1.1.1.1:8443/", "https://[2606:4700::1111]/"):
        check_url(url)


def test_with_private_hooks_this_network_is_fine_but_no_metadata_service_and_no_plain_http_beyond_this_machine() -> (
    None
):
    for url in ("http://127.0.0.1:1/", "http://localhost/", "http://[::1]/", "https://10.0.0.1/"):
        check_url(url, private=True)
    for url in ("http://10.0.0.1/", "http://example.org/", "https://169.254.169.254/", "https://[fe80::1]/"):
        with pytest.raises(Refused):
            check_url(url, private=True)


@given(st.ip_addresses())
def test_what_is_no_global_address_is_refused_as_such_and_inside_of_ipv6(address: Any) -> None:
    if not address.is_global:
        with pytest.raises(Refused):
            check_address(str(address))
    elif address.version == 4 and not address.is_multicast:
        check_address(str(address))
        check_address(f"::ffff:{address}")
    if address.version == 4 and not address.is_global:
        with pytest.raises(Refused):
            check_address(f"::ffff:{address}")


MESSAGE = Message("msg_1", b"{}")


def hook_to(url: str) -> Hook:
    secret = "whsec_" + base64.b64encode(bytes(32)).decode()
    return Hook(id="1", url=url, secret=secret, made=START, through=START)


def test_a_name_that_leads_to_an_inner_address_is_refused_when_it_is_called(receiver: Receiver) -> None:
    async def rebound(_host: str, _port: int) -> Sequence[str]:
        return ["1.1.1.1", "127.0.0.1"]  # one of them is enough

    url = f"https://localhost:{receiver.port}/"
    for names in (resolve, rebound):
        sent = anyio.run(partial(post, hook_to(url), MESSAGE, now=START, resolve=names))
        assert (sent.status, "inner network" in sent.why) == (0, True)
    assert receiver.heard == []


@settings(max_examples=200, deadline=None)
@given(host=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=80))
def test_whatever_an_address_looks_like_it_is_refused_or_tried_and_nothing_breaks(host: str) -> None:
    async def nowhere(name: str, _port: int) -> Sequence[str]:
        name.encode("idna")  # what a resolver does first
        return []

    try:
        check_url(f"https://{host}/")
    except Refused:
        return
    sent = anyio.run(partial(post, hook_to(f"https://{host}/"), MESSAGE, now=START, resolve=nowhere))
    assert sent == Sent(0, "the host has no address")


def test_no_redirect_is_followed(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    with receiving() as elsewhere:
        receiver.location = elsewhere.url
        receiver.plan.extend([301, 302, 307, 308])
        for status in (301, 302, 307, 308):
            sent = anyio.run(partial(post, hook_to(receiver.url), MESSAGE, now=START, private=True))
            assert sent == Sent(status, f"answered with a redirect ({status}), which is not followed")
        assert elsewhere.heard == []


def test_a_receiver_that_says_nothing_or_only_little_by_little_is_left_after_a_while() -> None:
    async def main() -> list[Sent]:
        async def silent(stream: anyio.abc.SocketStream) -> None:
            async with stream:
                await anyio.sleep_forever()

        async def dripping(stream: anyio.abc.SocketStream) -> None:
            async with stream:
                while True:
                    await stream.send(b"H")
                    await anyio.sleep(0.01)

        outcomes = []
        for handler in (silent, dripping):
            listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
            [one] = listener.listeners
            port = one.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610 - no database
            async with listener, anyio.create_task_group() as group:
                group.start_soon(listener.serve, handler)
                hook = hook_to(f"http://127.0.0.1:{port}/")
                outcomes.append(await post(hook, MESSAGE, now=START, private=True, timeout=0.2))
                group.cancel_scope.cancel()
        return outcomes

    silent, dripping = anyio.run(main)
    assert silent == Sent(0, "no answer within 0.2 s")
    assert dripping.status == 0


def test_the_certificate_must_be_that_of_the_name_though_the_checked_address_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=tmp_path, check=True, capture_output=True)

    openssl(
        *"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=hooks.test".split(),
        *"-addext subjectAltName=DNS:hooks.test -keyout key.pem -out cert.pem".split(),
    )
    mine = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    mine.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    trusting = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    monkeypatch.setattr(posting, "certificates", lambda: trusting)

    async def names(_host: str, _port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    with receiving(mine) as receiver:
        for host, expected in (
            ("hooks.test", Sent(204)),
            ("other.test", Sent(0, "its certificate is not good, or it does not speak TLS")),
        ):
            hook = hook_to(f"https://{host}:{receiver.port}/")
            assert anyio.run(partial(post, hook, MESSAGE, now=START, private=True, resolve=names)) == expected
        assert [headers["host"] for headers, _body in receiver.heard] == [f"hooks.test:{receiver.port}"]


@given(tries=st.integers(1, 10_000), chance=st.floats(0, 1))
def test_waits_double_up_to_a_limit_and_vary_by_half(tries: int, chance: float) -> None:
    rules = Rules(first_wait=5, longest_wait=3600)
    full = min(5 * 2 ** (tries - 1), 3600)
    assert full / 2 <= wait(tries, rules, chance) <= full


# --- how they are kept ----------------------------------------------------------------------------------------------


def test_hooks_are_kept_in_the_store_and_a_removed_one_leaves_no_secret(tmp_path: Path, clock: Clock) -> None:
    store = open_store(tmp_path / "memory.db", clock=clock)
    hooks = Hooks(store.own(), clock)
    first, second = hooks.create("https://example.org/a"), hooks.create("https://example.org/b", tenant="acme")
    elsewhere = Hooks(store.own(), clock)
    assert elsewhere.hooks() == (first, second)
    hooks.turn(second.id, "failing", "answered 500")
    hooks.remove(first.id)
    [kept] = elsewhere.hooks()
    assert (kept.id, kept.state, kept.why) == (second.id, "failing", "answered 500")
    assert store.own().verify() is None
    store.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert first.secret.encode() not in held
    assert second.secret.encode() in held
    assert first.secret not in repr(first)
    with pytest.raises(Refused, match="there is no hook"):
        hooks_of(tmp_path, clock).remove(first.id)


def hooks_of(folder: Path, clock: Clock) -> Hooks:
    return Hooks(open_store(folder / "memory.db", clock=clock).own(), clock)


def test_a_tenant_has_so_many_hooks_and_no_more(store: MemoryStore, clock: Clock) -> None:
    hooks = Hooks(store.own(), clock)
    for _ in range(50):
        hooks.create("https://example.org/", tenant="acme")
    with pytest.raises(Refused, match="there are 50 already"):
        hooks.create("https://example.org/", tenant="acme")
    hooks.create("https://example.org/")


# --- over HTTP ------------------------------------------------------------------------------------------------------


def test_a_record_put_over_http_raises_an_alert_that_arrives_at_the_hook(receiver: Receiver) -> None:
    store = MemoryStore()
    with serving(app_over(store, hook_rules=Rules(private=True, every=LONG))) as served:
        client = served.client(served.key())
        made = client.post("/v1/hooks", json={"url": receiver.url, "events": ["alert.raised"]})
        assert made.status_code == 201
        hook, secret = made.json()["hook"], made.json()["secret"]
        assert hook == {
            "id": hook["id"],
            "url": receiver.url,
            "user": "",
            "events": ["alert.raised"],
            "made": hook["made"],
            "state": "well",
            "since": None,
            "why": "",
            "tries": 0,
            "again": None,
            "blocked": "",
        }
        tested = client.post(f"/v1/hooks/{hook['id']}/test").json()
        assert tested == {"is_received": True, "status": 204, "why": ""}
        for type_name, fields in (
            ("health.Allergy", {"substance": "Penicillin"}),
            ("health.Medication", {"name": "Amoxicillin"}),
        ):
            client.post("/v1/users/ben/records", json={"type": type_name, "fields": fields}).raise_for_status()
        for _message in range(2):
            assert receiver.came.acquire(timeout=LONG)
        (_, test), (headers, body) = receiver.heard
        assert json.loads(test)["type"] == "test"
        assert is_signed(secret, headers, body)
        told = json.loads(body)
        assert (told["type"], told["data"]["user"], told["data"]["constraint"]) == (
            "alert.raised",
            "ben",
            "drug_allergy",
        )
        assert client.get("/v1/hooks").json() == {"hooks": [hook]}
        assert client.delete(f"/v1/hooks/{hook['id']}").status_code == 204
        assert client.get("/v1/hooks").json() == {"hooks": []}


def test_what_another_process_writes_arrives_too_and_so_does_what_waited_before_the_service_started(
    receiver: Receiver,
) -> None:
    store = MemoryStore()
    Hooks(store.own(), lambda: datetime.now(UTC)).create(receiver.url, private=True)  # as a command would
    raise_alerts(store, "ana", "before")
    with serving(app_over(store, hook_rules=Rules(private=True, every=0.01))):
        assert receiver.came.acquire(timeout=LONG)
        raise_alerts(store, "ana", "after")
        assert receiver.came.acquire(timeout=LONG)
    assert receiver.subjects == ["before", "after"]


def test_a_turn_that_is_over_before_all_is_sent_is_followed_by_another(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivering, "TURN", 0.05)
    store = MemoryStore()
    Hooks(store.own(), lambda: datetime.now(UTC)).create(receiver.url, private=True)
    subjects = [str(number) for number in range(100)]
    raise_alerts(store, "ana", *subjects)
    with serving(app_over(store, hook_rules=Rules(private=True, every=LONG))):
        for _message in subjects:
            assert receiver.came.acquire(timeout=LONG)
    assert list(dict.fromkeys(receiver.subjects)) == subjects


def test_a_service_that_is_killed_while_it_sends_loses_nothing(tmp_path: Path, receiver: Receiver) -> None:
    path = tmp_path / "memory.db"
    store = open_store(path)
    Hooks(store.own(), lambda: datetime.now(UTC)).create(receiver.url, private=True)
    subjects = [str(number) for number in range(50)]
    raise_alerts(store, "ana", *subjects)
    store.close()
    command = [sys.executable, "-m", "uac", "serve", "--port", "0", "--no-keys", "--local-hooks", "--store", str(path)]
    for messages in (27, 24):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as service:
            for _message in range(messages):
                assert receiver.came.acquire(timeout=LONG)
            if messages == 24:  # some of them for the second time
                while receiver.subjects[-1] != subjects[-1]:
                    assert receiver.came.acquire(timeout=LONG)
            service.kill()
    assert list(dict.fromkeys(receiver.subjects)) == subjects


def test_a_service_that_sends_nothing_leaves_hooks_to_another_one(receiver: Receiver) -> None:
    store = MemoryStore()
    with serving(app_over(store, hook_rules=Rules(private=True, every=0.01), with_hooks=False)) as served:
        client = served.client(served.key())
        client.post("/v1/hooks", json={"url": receiver.url}).raise_for_status()
        raise_alerts(store, "ana", "a")
        with serving(app_over(store, hook_rules=Rules(private=True, every=0.01))):
            assert receiver.came.acquire(timeout=LONG)
    assert receiver.subjects == ["a"]


def test_hooks_need_the_right_to_administer_and_stay_in_their_tenant() -> None:
    with serving(app_over(MemoryStore())) as served:
        admin, other = served.client(served.key()), served.client(served.key(tenant="acme"))
        bound = served.client(served.key(user="ana"))
        url = "https://example.org/"
        made = admin.post("/v1/hooks", json={"url": url}).json()["hook"]
        assert made["events"] == list(HOOK_EVENTS)
        assert served.client(served.key("read", "write", "erase")).get("/v1/hooks").status_code == 403
        assert served.client().get("/v1/hooks").status_code == 401
        for client in (other, bound):
            assert client.get("/v1/hooks").json() == {"hooks": []}
            for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/test")):
                assert client.request(method, f"/v1/hooks/{made['id']}{path}").status_code == 404
        assert bound.post("/v1/hooks", json={"url": url}).status_code == 403
        assert bound.post("/v1/hooks", json={"url": url, "user": "ana"}).status_code == 201
        refused = admin.post("/v1/hooks", json={"url": "https://127.0.0.1/"})
        assert (refused.status_code, refused.json()["title"]) == (422, "Refused")
        assert len(admin.get("/v1/hooks").json()["hooks"]) == 2


# --- as commands ----------------------------------------------------------------------------------------------------


def test_hooks_are_made_listed_and_removed_with_commands(tmp_path: Path) -> None:
    def uac(*arguments: str) -> Any:
        done = CliRunner().invoke(main, ["hooks", *arguments, "--store", str(tmp_path / "memory.db"), "--json"])
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    [made] = uac("add", "https://example.org/alerts", "--tenant", "acme", "--event", "alert.raised")
    [listed] = uac("list")
    assert listed == {
        "id": made["id"],
        "url": "https://example.org/alerts",
        "made": made["made"],
        "tenant": "acme",
        "user": "",
        "events": ["alert.raised"],
        "state": "well",
        "since": None,
        "why": "",
        "tries": 0,
        "again": None,
    }
    assert made == {**listed, "secret": made["secret"]}
    assert uac("remove", made["id"]) == [listed]
    assert uac("list") == []
