"""The service for tests: the application on a free port of this machine, in a thread, and keys to it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any

import httpx2
from fastapi import FastAPI
from starlette.testclient import TestClient

from uac import Memory
from uac.interfaces.http import make_app
from uac.interfaces.http.server import make_server
from uac.interfaces.http.webhook_delivery import WebhookSender
from uac.interfaces.http.webhook_post import post_webhook
from uac.interfaces.service.api_keys import RIGHTS, Keyring, Right
from uac.interfaces.service.listening import bind_socket
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore

LONG = 300.0  # seconds after which a test that hangs fails


@dataclass(frozen=True)
class Served:
    """A service that runs, and how to ask it."""

    address: str
    app: FastAPI
    stop: Callable[[], None]
    """Begin to stop, as a signal would, and wait until it has."""
    _clients: list[httpx2.Client] = field(default_factory=list, repr=False)

    def key(self, *rights: Right, tenant: str = "", user: str = "", **more: Any) -> str:
        """The text of a new key; with all rights if none are named."""
        return make_key(self.app, *rights, tenant=tenant, user=user, **more)

    def client(self, key: str = "", headers: dict[str, str] | None = None, **more: Any) -> httpx2.Client:
        """A client that sends the key with each request; it is closed with the service."""
        sent = {**(headers or {}), **({"Authorization": f"Bearer {key}"} if key else {})}
        client = httpx2.Client(base_url=self.address, headers=sent, timeout=LONG, trust_env=False, **more)
        self._clients.append(client)
        return client


@contextmanager
def serving(app: FastAPI | None = None, *, grace: int = 5) -> Iterator[Served]:
    """The application on a free port; without one, a fresh one over an empty store."""
    app = app or app_over(MemoryStore())
    server = make_server(app, grace=grace)
    listening = bind_socket("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})

    def stop() -> None:
        server.should_exit = True
        thread.join(LONG)
        assert not thread.is_alive()

    # The socket listens already, so a request waits until the server takes it.
    served = Served(f"http://127.0.0.1:{listening.getsockname()[1]}", app, stop)
    thread.start()
    try:
        yield served
    finally:
        for client in served._clients:
            client.close()
        stop()
        listening.close()


_TENANTS = count(1)


def new_tenant() -> str:
    """A tenant that no other test has: tests that share an application see nothing of each other."""
    return f"t{next(_TENANTS)}"


@contextmanager
def inside(app: FastAPI, key: str = "", path: str = "") -> Iterator[TestClient]:
    """A client of the application in this process, with no socket between; addresses begin with `path`."""
    headers = {"Authorization": f"Bearer {key or make_key(app)}"}
    with TestClient(app, base_url=f"http://testserver{path}", headers=headers, raise_server_exceptions=False) as client:
        yield client


def app_over(store: Store, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC), **more: Any) -> FastAPI:
    """The application over a store, with no embedder, so that nothing is loaded; its hooks stay on this machine."""
    app = make_app(
        store, make_memory=lambda name: Memory(store.log(name), embedder=None, clock=clock), clock=clock, **more
    )
    hooks, rules = app.state.webhook_sender.hooks, app.state.webhook_sender.rules
    here = partial(post_webhook, resolve=_only_here)
    app.state.webhook_sender = WebhookSender(store, hooks, app.state.service.notifier, clock, rules, here)
    return app


async def _only_here(host: str, _port: int) -> list[str]:
    if host not in ("localhost", "127.0.0.1"):
        raise OSError("tests send nothing to others")
    return ["127.0.0.1"]


def make_key(app: FastAPI, *rights: Right, tenant: str = "", user: str = "", **more: Any) -> str:
    keyring: Keyring | None = app.state.service.keyring
    assert keyring is not None
    return keyring.create_key("test", tenant=tenant, user=user, rights=rights or RIGHTS, **more)[1]
