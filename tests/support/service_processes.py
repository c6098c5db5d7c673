"""Real processes of the service on one PostgreSQL store, and one user as a client of one of them sees it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import psutil  # type: ignore[import-untyped]  # it ships no types

from support.histories import ALLERGY, MEDICATION, Seen
from support.http_process import Process, bearer, uac_serve
from support.http_service import LONG
from uac.interfaces.service.api_keys import RIGHTS, Keyring
from uac.log.clock import wall_clock
from uac.log.stores.postgres import PostgresStore

__all__ = ["HttpActor", "ServicePair", "client_of", "make_store_key", "service_pair", "worker_processes"]


@dataclass(frozen=True)
class ServicePair:
    """Two processes of the service, and a key to both."""

    url: str
    key: str
    first: Process
    second: Process

    def client(self, process: Process, path: str = "") -> httpx2.Client:
        return client_of(process.address, self.key, path)


@contextmanager
def service_pair(url: str, *options: str, **settings: str) -> Iterator[ServicePair]:
    key = make_store_key(url)
    with ExitStack() as stack:
        first, second = (stack.enter_context(uac_serve(url, *options, **settings)) for _ in range(2))
        yield ServicePair(url, key, first, second)


def make_store_key(url: str, **more: Any) -> str:
    """The text of a new key with all rights."""
    store = PostgresStore(url)
    _key, text = Keyring(store.own(), wall_clock).create_key("test", rights=RIGHTS, **more)
    store.close()
    return text


def client_of(address: str, key: str, path: str = "") -> httpx2.Client:
    return httpx2.Client(base_url=f"{address}{path}", headers=bearer(key), timeout=LONG, trust_env=False)


def worker_processes(parent: "subprocess.Popen[str]") -> list[int]:
    """The processes that serve, of a service with several."""
    children = psutil.Process(parent.pid).children()
    return [child.pid for child in children if "resource_tracker" not in " ".join(child.cmdline())]


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


class HttpActor:
    """One user, through one process of the service."""

    def __init__(self, client: httpx2.Client) -> None:
        self.client = client

    def _send(self, path: str, body: dict[str, Any], key: str = "") -> Any:
        response = self.client.post(path, json=body, headers={"Idempotency-Key": key} if key else {})
        assert response.status_code < 300, response.text
        return response.json()

    def _get(self, path: str, **query: Any) -> Any:
        response = self.client.get(path, params=query)
        assert response.status_code == 200, response.text
        return response.json()

    def add(self, text: str, key: str = "") -> int:
        (position,) = self._send("/observations", {"turns": [{"text": text}]}, key)["positions"]
        return int(position)

    def put(self, type_name: str, field: str, name: str, key: str = "") -> tuple[int, bool]:
        body = {"type": type_name, "fields": {field: name}, "words": f"{name} it is"}
        done = self._send("/records", body, key)
        return done["first"], done["is_repeated"]

    def correct(self, record: str, reaction: str) -> None:
        self._send("/corrections", {"record": record, "field": "reaction", "value": reaction})

    def retract(self, record: str) -> None:
        self._send("/retractions", {"record": record, "why": "wrong"})

    def erase(self, position: int) -> None:
        self._send("/erasures", {"positions": [position], "why": "asked"})

    def tick(self) -> None:
        self._send("/tick", {})

    def compute(self, code: str) -> Any:
        return self._send("/compute", {"code": code})["value"]

    def recall(self, query: str) -> list[str]:
        return [hit["text"] for hit in self._send("/recall", {"query": query, "k": 3})["hits"]]

    def reaction(self, record: str) -> str:
        return str(self._get(f"/records/{record}")["values"]["reaction"])

    def seen(self) -> Seen:
        entries = self._get("/log", limit=1000, kind="observation")["entries"]
        records = self._get("/records", limit=1000)["records"]
        values = [(record["type"], record["values"]) for record in records]
        return Seen(
            {entry["position"]: entry["entry"]["text"] for entry in entries if entry["entry"] is not None},
            {fields["substance"] for type_name, fields in values if type_name == ALLERGY},
            {fields["name"] for type_name, fields in values if type_name == MEDICATION},
            {f"{alert['constraint']}: {alert['subject']}" for alert in self._get("/alerts")["standing"]},
        )
