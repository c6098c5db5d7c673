"""Clients that write to a service without rest, send again what was not answered, and say what was acknowledged."""

import threading
from dataclasses import dataclass, field
from itertools import count

import httpx2

from support.http_process import bearer

__all__ = ["ServiceLoad"]

PAUSE = 0.02  # seconds after a refusal


@dataclass
class ServiceLoad:
    """Each client writes for all users in turn: words, and records, each with a key of its own.

    A request that fails is sent again with the same key until it is answered with success.
    """

    addresses: list[str]
    key: str
    users: list[str]
    clients: int = 3
    acknowledged: dict[str, dict[str, int]] = field(default_factory=dict)
    """By user, the position of each text that was acknowledged."""
    statuses: set[int] = field(default_factory=set)
    """What was answered beside success."""
    failures: int = 0
    """Requests without an answer."""

    def __post_init__(self) -> None:
        self._lock, self._stop = threading.Lock(), threading.Event()
        self.acknowledged = {user: {} for user in self.users}
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(self.clients)]

    def __enter__(self) -> "ServiceLoad":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @property
    def count(self) -> int:
        with self._lock:
            return sum(len(texts) for texts in self.acknowledged.values())

    def _write(self, client: int) -> None:
        with httpx2.Client(headers=bearer(self.key), trust_env=False, timeout=60) as http:
            number = 0
            while not self._stop.is_set():
                number += 1
                user, text = self.users[number % len(self.users)], f"word {client} {number}"
                self._send_until_done(http, user, text, is_record=number % 5 == 0, first=client + number)

    def _send_until_done(self, http: httpx2.Client, user: str, text: str, *, is_record: bool, first: int) -> None:
        body = {"type": "health.Allergy", "fields": {"substance": text}, "words": text}
        path, sent = ("records", body) if is_record else ("observations", {"turns": [{"text": text}]})
        for attempt in count(first):
            address = self.addresses[attempt % len(self.addresses)]
            try:
                answer = http.post(
                    f"{address}/v1/users/{user}/{path}", json=sent, headers={"Idempotency-Key": f"key {text}"}
                )
            except httpx2.HTTPError:
                with self._lock:
                    self.failures += 1
                continue
            if answer.status_code == 201:
                said = answer.json()
                with self._lock:
                    self.acknowledged[user][text] = said["first"] if is_record else said["positions"][0]
                return
            with self._lock:
                self.statuses.add(answer.status_code)
            self._stop.wait(PAUSE)  # a service that is away needs its processor to come back
