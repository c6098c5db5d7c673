"""A receiver of hooks on this machine, a sender that brings messages to it, and time that passes when it is told to."""

import base64
import hashlib
import hmac
import json
import ssl
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anyio
import pytest

from uac.interfaces.http.notify import ChangeNotifier
from uac.interfaces.http.webhook_delivery import Rules, WebhookSender
from uac.interfaces.http.webhook_post import WebhookMessage
from uac.interfaces.service.webhooks import Hook, Hooks
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import AlertChange

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


def sender_of(store: Store, clock: Clock, rules: Rules = HERE, **more: Any) -> WebhookSender:
    return WebhookSender(store, Hooks(store.own(), clock), ChangeNotifier(), clock, rules, **more)


def look(sender: WebhookSender) -> None:
    anyio.run(sender.poll_once)


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


MESSAGE = WebhookMessage("msg_1", b"{}")


def hook_to(url: str) -> Hook:
    secret = "whsec_" + base64.b64encode(bytes(32)).decode()
    return Hook(id="1", url=url, secret=secret, made=START, through=START)
