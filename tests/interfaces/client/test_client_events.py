"""Events read by the client: none is lost or repeated, wherever a stream breaks off."""

import asyncio
import json
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.client import BUSY, NOW, QUICK, scripted
from support.http_service import Served
from uac.interfaces.client import AsyncClient, Client, ClientError, Patience, responses
from uac.interfaces.client.calls import Stream
from uac.interfaces.client.stream_reader import StreamReader
from uac.interfaces.http.routes import events as events_served
from uac.schema.entries import AlertChange, Observation


def alert(subject: str) -> AlertChange:
    return AlertChange(change="raised", constraint="drug_allergy", subject=subject, message="no")


def test_events_come_as_they_happen_to_both_kinds_of_client(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_served, "POLL", 0.01)
    log = served.app.state.service.store.log("ida")
    log.append([Observation(text="hello", said=NOW), alert("a")])

    async def later() -> list[str]:
        async with AsyncClient(served.address, key=served.key("read"), patience=QUICK) as client:
            heard = []
            async with aclosing(client.user("ida").events(after=0)) as events:
                async for event in events:
                    heard.append(event.subject)
                    if len(heard) == 1:
                        log.append([alert("b")])
                    else:
                        break
            return heard

    with Client(served.address, key=served.key("read"), patience=QUICK) as client:
        ida = client.user("ida")
        assert [(event.subject, event.position) for event in ida.events(after=0, seconds=0)] == [("a", 2)]
        assert asyncio.run(later()) == ["a", "b"]
        assert [entry.kind for entry in ida.entries(after=0, seconds=0)] == [
            "observation",
            "alert_change",
            "alert_change",
        ]


def test_a_key_that_is_revoked_ends_events_with_the_reason(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_served, "POLL", 0.01)
    log = served.app.state.service.store.log("jan")
    log.append([alert("a")])
    key = served.key("read")
    with Client(served.address, key=key, patience=QUICK) as client:
        events = client.user("jan").events(after=0)
        assert next(events).subject == "a"
        served.app.state.service.keyring.revoke_key(key.split("_")[1])
        with pytest.raises(ClientError) as ended:
            next(events)
        assert ended.value.status == 401


def told(position: int) -> str:
    data = {
        "position": position,
        "at": "2026-03-02T09:00:00Z",
        "change": "raised",
        "constraint": "c",
        "subject": "s",
        "severity": "info",
        "message": "",
        "records": [],
        "cites": [],
        "until": None,
        "is_reviewed": True,
        "why": "",
    }
    return f"id: {position}\nevent: alert\ndata: {json.dumps(data)}\n\n"


@given(st.integers(0, 6), st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_a_stream_that_breaks_off_anywhere_loses_and_repeats_nothing(count: int, cuts: list[int], beats: bool) -> None:
    """The service is played by a list; each connection breaks off after so many characters."""
    followed = Stream("/", responses.AlertEvent, {})
    reader = StreamReader(followed, Patience(tries=1000))
    heard: list[int] = []
    for cut in [*cuts, 100_000]:
        start = int(reader.next_request().headers.get("Last-Event-ID", "0"))
        events = [told(position) for position in range(start + 1, count + 1)]
        text = (": still here\n\n" if beats else "").join([f"retry: 2000\nid: {start}\n\n", *events])
        received = text[:cut]
        for line in received.split("\n")[:-1]:  # a line that was cut is no line
            heard += [event.position for event in reader.read_line(line)]
        reader.wait_after_loss("cut")
    assert heard == list(range(1, count + 1))


def test_a_client_takes_a_stream_up_again_behind_the_last_event() -> None:
    head = b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    def chunk(text: str) -> bytes:
        return f"{len(text):x}\r\n{text}\r\n".encode()

    broken = head + chunk("id: 0\n\n" + told(1) + told(2)[:20])
    whole = head + chunk(told(2) + told(3))
    with scripted([broken, BUSY, whole]) as script, Client(script.address, patience=QUICK) as client:
        events = client.user("ana").events(after=0)
        assert [next(events).position for _ in range(3)] == [1, 2, 3]
    assert [asked.headers.get("last-event-id") for asked in script.asked[:3]] == [None, "1", "1"]
