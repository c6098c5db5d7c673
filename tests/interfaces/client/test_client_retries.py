"""Retries of the client: what is sent again, with which key, and when it gives up."""

from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from support.client import BUSY, NOW, QUICK, reply, scripted
from support.http_service import app_over, serving
from uac import errors
from uac.errors import Refused
from uac.interfaces.client import Client, ClientError, Patience
from uac.interfaces.client.calls import Call, Got
from uac.interfaces.client.exchange import exchange
from uac.interfaces.client.retry import Pause
from uac.log.stores.in_memory import MemoryStore


def test_a_change_is_sent_again_with_the_same_key_and_another_change_has_another() -> None:
    kept = reply(201, {"positions": [1]})
    written = reply(200, {"first": 2, "last": 2, "changes": [], "alerts": []})
    with scripted([BUSY, b"", kept, kept]) as script, Client(script.address, patience=QUICK) as client:
        assert client.user("ana").add("hello").positions == (1,)
        client.user("ana").add("hello")
    keys = [asked.body["turns"][0]["key"] for asked in script.asked]
    assert keys[0] == keys[1] == keys[2] != keys[3]
    with scripted([b"", BUSY, written, written]) as script, Client(script.address, patience=QUICK) as client:
        assert client.user("ana").correct("reading.Book:emma", "title", "Emma").last == 2
        client.user("ana").correct("reading.Book:emma", "title", "Emma")
    keys = [asked.headers["idempotency-key"] for asked in script.asked]
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_tries_end_and_the_last_error_is_told() -> None:
    with scripted([BUSY] * 3) as script, Client(script.address, patience=QUICK) as client:
        with pytest.raises(errors.Unavailable, match="the store is busy"):
            client.user("ana").manifest()
        assert len(script.asked) == 3


def test_what_is_refused_is_not_asked_again() -> None:
    refused = reply(422, {"title": "Refused", "status": 422, "detail": "no"})
    with scripted([refused]) as script, Client(script.address, patience=QUICK) as client:
        with pytest.raises(Refused, match="no"):
            client.user("ana").add("hello")
        assert len(script.asked) == 1


def test_an_answer_in_another_form_is_no_answer() -> None:
    for answer in (reply(200, {"txt": 1}), reply(200, "page"), b"HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\n<>"):
        with (
            scripted([answer]) as script,
            Client(script.address, patience=QUICK) as client,
            pytest.raises(ClientError, match="The service answered in an unknown form"),
        ):
            client.user("ana").manifest()


def test_no_redirect_is_followed() -> None:
    with scripted([]) as elsewhere, scripted([reply(307, {}, f"Location: {elsewhere.address}")]) as script:
        with Client(script.address, key="uac_secret", patience=QUICK) as client, pytest.raises(ClientError):
            client.user("ana").manifest()
        assert elsewhere.asked == []


class Forgetful:
    """In front of the service: carries a change out, and tells the client that it got no answer."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.state = app.state
        self.forgotten = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or self.forgotten:
            await self.app(scope, receive, send)
            return
        self.forgotten += 1

        async def swallow(_message: Any) -> None:
            pass

        await self.app(scope, receive, swallow)
        await send({"type": "http.response.start", "status": 502, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


def test_a_change_whose_answer_was_lost_is_made_once() -> None:
    store = MemoryStore(clock=lambda: NOW)
    app: Any = Forgetful(app_over(store, clock=lambda: NOW, with_keys=False))
    with serving(app) as served, Client(served.address, patience=QUICK) as client:
        hal = client.user("hal")
        put = hal.put("health.Allergy", {"substance": "Penicillin"})
        assert (app.forgotten, put.record, put.is_repeated) == (1, "health.Allergy:penicillin", True)
        assert len(hal.log(kinds=["observation"]).entries) == 1
        app.forgotten = 0
        hal.add("hello")
        assert [(each.entry or {})["text"] for each in hal.log(kinds=["observation"]).entries][1:] == ["hello"]


@given(st.lists(st.sampled_from([200, 404, 429, 500, 502, 503]), min_size=1, max_size=6), st.integers(1, 4))
def test_asking_ends_with_the_first_status_that_will_not_pass_or_with_the_last_try(
    statuses: list[int], tries: int
) -> None:
    call = Call("safe", "GET", "/", dict)
    said = exchange(call, Patience(tries=tries))
    asked = 0
    step: Any = next(said)
    try:
        while True:
            if isinstance(step, Pause):
                step = next(said)
                continue
            got = Got(statuses[min(asked, len(statuses) - 1)], {}, b"{}")
            asked += 1
            step = said.send(got)
    except StopIteration:
        ended = 200
    except ClientError as error:
        ended = error.status
    seen = [statuses[min(index, len(statuses) - 1)] for index in range(tries)]
    lasting = [index for index, status in enumerate(seen) if status not in (429, 502, 503)]
    expected = lasting[0] if lasting else tries - 1
    assert (asked, ended) == (expected + 1, seen[expected])
