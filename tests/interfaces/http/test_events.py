"""Server-sent events: what happens in a log, as it happens, to whoever may read it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from support.http_service import LONG, Served, app_over, make_key, serving
from uac.interfaces.http.routes import events
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import AlertChange, Entry, Observation

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)

Event = tuple[int, str, Any]


def said(text: str) -> Observation:
    return Observation(text=text, said=NOW)


def raised(subject: str, *cites: int) -> AlertChange:
    return AlertChange(
        change="raised",
        constraint="drug_allergy",
        subject=subject,
        severity="critical",
        message=f"{subject} is a penicillin",
        records=("health.Medication:1",),
        cites=cites,
    )


def parsed(lines: Iterator[str]) -> Iterator[Event]:
    """The events of a stream: id, name and data. What has no data is no event, as the standard says."""
    found: dict[str, str] = {}
    for line in lines:
        if not line:
            if "data" in found:
                yield int(found["id"]), found["event"], json.loads(found["data"])
            found = {}
            continue
        name, _, value = line.partition(":")
        found[name] = value.removeprefix(" ")


@contextmanager
def streamed(client: httpx2.Client, path: str, last: str = "") -> Iterator[Iterator[str]]:
    headers = {"Last-Event-ID": last} if last else {}
    with client.stream("GET", path, headers=headers) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["Content-Type"].startswith("text/event-stream")
        lines = response.iter_lines()
        assert next(lines) == "retry: 2000"
        yield lines


def until(is_so: Callable[[], bool]) -> None:
    waited = threading.Event()
    for _ in range(int(LONG * 100)):
        if is_so():
            return
        waited.wait(0.01)
    raise AssertionError("it did not come to that")


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(clock=lambda: NOW)


@pytest.fixture
def served(store: MemoryStore) -> Iterator[Served]:
    with serving(app_over(store, clock=lambda: NOW)) as service:
        yield service


def test_an_alert_is_told_with_its_message_and_evidence_and_other_entries_are_not(
    served: Served, store: MemoryStore
) -> None:
    store.log("ana").append([said("I am allergic to penicillin"), raised("amoxicillin", 1), said("thanks")])
    with streamed(served.client(served.key("read")), "/v1/users/ana/events?after=0&seconds=0") as lines:
        assert list(parsed(lines)) == [
            (
                2,
                "alert",
                {
                    "position": 2,
                    "at": "2026-03-02T09:00:00Z",
                    "change": "raised",
                    "constraint": "drug_allergy",
                    "subject": "amoxicillin",
                    "severity": "critical",
                    "message": "amoxicillin is a penicillin",
                    "records": ["health.Medication:1"],
                    "cites": [1],
                    "until": None,
                    "is_reviewed": True,
                    "why": "",
                },
            )
        ]


def test_a_write_over_http_is_told_at_once_to_a_stream_of_the_log(
    served: Served, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "POLL", LONG)  # only the write itself can wake the stream
    store.log("ana").append([said("before")])
    client = served.client(served.key())
    with streamed(client, "/v1/users/ana/events?of=log") as lines:
        client.post("/v1/users/ana/observations", json={"turns": [{"text": "I fly to Lisbon"}]}).raise_for_status()
        position, name, data = next(parsed(lines))
    assert (position, name, data["kind"], data["entry"]["text"]) == (2, "entry", "observation", "I fly to Lisbon")


def test_what_another_process_writes_is_told_too(
    served: Served, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "POLL", 0.01)
    store.log("ana").append([said("before")])
    with streamed(served.client(served.key("read")), "/v1/users/ana/events") as lines:
        assert next(lines) == "id: 1"
        store.log("ana").append([said("more"), raised("amoxicillin")])
        assert [position for position, _, _ in [next(parsed(lines))]] == [3]


ENTRIES = st.lists(st.sampled_from(["said", "raised"]), max_size=12)


@settings(max_examples=20, deadline=None)
@given(parts=st.lists(ENTRIES, min_size=1, max_size=5), taken=st.lists(st.integers(0, 6), min_size=5, max_size=5))
def test_a_client_that_leaves_and_comes_again_misses_nothing_and_hears_nothing_twice(
    parts: list[list[str]], taken: list[int]
) -> None:
    store = MemoryStore(clock=lambda: NOW)
    app = app_over(store, clock=lambda: NOW)
    client = TestClient(app, headers={"Authorization": f"Bearer {make_key(app, 'read')}"})
    log = store.log("ana")
    log.append([said("first")])
    heard: list[int] = []
    last = "0"
    for part, most in [*zip(parts, taken, strict=False), ([], 1000)]:
        entries: list[Entry] = [raised("amoxicillin") if each == "raised" else said("more") for each in part]
        if entries:
            log.append(entries)
        text = client.get("/v1/users/ana/events?seconds=0", headers={"Last-Event-ID": last}).text
        told = [position for position, _, _ in parsed(iter(text.split("\n")))][:most]
        heard += told
        last = str(told[-1]) if told else last
    assert heard == [stored.position for stored in log.read() if isinstance(stored.entry, AlertChange)]


def test_a_client_that_has_heard_nothing_yet_knows_from_where_to_go_on(served: Served, store: MemoryStore) -> None:
    store.log("ana").append([said("one"), raised("amoxicillin")])
    client = served.client(served.key("read"))
    with streamed(client, "/v1/users/ana/events?seconds=0") as lines:
        assert list(lines) == ["id: 2", ""]
    store.log("ana").append([raised("ampicillin")])
    with streamed(client, "/v1/users/ana/events?seconds=0", last="2") as lines:
        assert [position for position, _, _ in parsed(lines)] == [3]


def test_a_quiet_stream_has_a_heartbeat_that_says_how_far_it_is(
    served: Served, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "POLL", 0.01)
    monkeypatch.setattr(events, "HEARTBEAT", 0.0)
    store.log("ana").append([said("one"), said("two")])
    with streamed(served.client(served.key("read")), "/v1/users/ana/events?after=0") as lines:
        assert [next(lines) for _ in range(5)] == ["id: 0", "", ": still here", "id: 2", ""]


def test_a_stream_ends_when_its_key_is_revoked(
    served: Served, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "POLL", 0.01)
    store.log("ana").append([said("one")])
    key = served.key("read")
    with streamed(served.client(key), "/v1/users/ana/events") as lines:
        served.app.state.service.keyring.revoke_key(key.split("_")[1])
        assert list(parsed(lines)) == []
    assert served.client(key).get("/v1/users/ana/events").status_code == 401


def test_a_stream_ends_when_its_key_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "POLL", 0.01)
    now = [NOW]
    store = MemoryStore(clock=lambda: now[0])
    store.log("ana").append([said("one")])
    with serving(app_over(store, clock=lambda: now[0])) as served:
        key = served.key("read", expires=NOW + timedelta(hours=1))
        with streamed(served.client(key), "/v1/users/ana/events") as lines:
            now[0] += timedelta(hours=2)
            assert list(parsed(lines)) == []


def test_a_stream_ends_when_the_user_is_erased(
    served: Served, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "POLL", 0.01)
    store.log("ana").append([said("one")])
    client = served.client(served.key("read"))
    with streamed(client, "/v1/users/ana/events") as lines:
        store.erase("ana")
        assert list(parsed(lines)) == []
    assert client.get("/v1/users/ana/events").status_code == 404


def test_streams_end_when_the_service_stops(served: Served, store: MemoryStore) -> None:
    store.log("ana").append([said("one")])
    with streamed(served.client(served.key("read")), "/v1/users/ana/events") as lines:
        served.stop()
        assert list(parsed(lines)) == []


def test_a_stream_is_over_when_the_client_has_gone(served: Served, store: MemoryStore) -> None:
    store.log("ana").append([said("one")])
    with streamed(served.client(served.key("read")), "/v1/users/ana/events") as lines:
        next(lines)
        assert len(served.app.state.streams) == 1
    until(lambda: len(served.app.state.streams) == 0)
    assert served.app.state.service.notifier._listeners.keys() == {""}  # the sender alone


def test_a_client_that_does_not_read_costs_one_page_and_is_dropped_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "STALLED", 0.05)
    store = MemoryStore(clock=lambda: NOW)
    store.log("ana").append([said("x" * 10_000) for _ in range(500)])
    app = app_over(store, with_keys=False)
    handed: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if not handed:
            return {"type": "http.request", "body": b"", "more_body": False}
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Any) -> None:
        handed.append(message)
        if len(handed) == 3:  # the first page of the log; the client takes nothing more
            await anyio.sleep_forever()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/v1/users/ana/events",
        "raw_path": b"/v1/users/ana/events",
        "query_string": b"of=log&after=0",
        "headers": [(b"host", b"127.0.0.1")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    anyio.run(app, scope, receive, send)
    assert [message["type"] for message in handed] == ["http.response.start"] + ["http.response.body"] * 2
    assert events.PAGE <= len(handed[2]["body"]) < events.PAGE + 20_000


def test_an_id_that_is_none_of_the_log_is_refused(served: Served, store: MemoryStore) -> None:
    store.log("ana").append([said("one")])
    client = served.client(served.key("read"))
    for last, told in (("7", "No entry 7"), ("seven", "Send the id of an event")):
        answer = client.get("/v1/users/ana/events", headers={"Last-Event-ID": last})
        assert (answer.status_code, answer.json()["title"]) == (422, "Refused")
        assert told in answer.json()["detail"]


def test_a_stream_needs_the_right_to_read_that_user(served: Served, store: MemoryStore) -> None:
    store.log("ana").append([said("one")])
    assert served.client().get("/v1/users/ana/events").status_code == 401
    assert served.client(served.key("write")).get("/v1/users/ana/events").status_code == 403
    assert served.client(served.key("read", user="ben")).get("/v1/users/ana/events").status_code == 403
    assert served.client(served.key("read", tenant="acme")).get("/v1/users/ana/events").status_code == 404
