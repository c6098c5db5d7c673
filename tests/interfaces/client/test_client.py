"""The client: one definition of each operation, typed, for code that waits and code that awaits."""

import ast
import asyncio
import inspect
import json
import re
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, assert_type

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from support.http_service import Served, app_over, serving
from uac import errors
from uac.errors import CodeError, KeyReused, LimitError, Moved, Refused, Rejected, UacError
from uac.interfaces.client import AsyncClient, Client, ClientError, Patience, Turn, User, responses
from uac.interfaces.client.calls import Call, Got, Stream
from uac.interfaces.client.exchange import exchange
from uac.interfaces.client.operation import operation, stream
from uac.interfaces.client.response_errors import error_from_response
from uac.interfaces.client.retry import Pause
from uac.interfaces.client.stream_reader import StreamReader
from uac.interfaces.http.routes import events as events_served
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import AlertChange, Observation
from uac.schema.patches import Define, Put
from uac.schema.types import Field, Type

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
QUICK = Patience(timeout=300, tries=3, first_wait=0)
BOOK = Type(domain="reading", name="Book", key=("title",), fields=(Field(name="title", type="str"),))


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    store = MemoryStore(clock=lambda: NOW)
    with serving(app_over(store, clock=lambda: NOW)) as service:
        yield service


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.address, key=served.key(), patience=QUICK) as one:
        yield one


def test_a_client_that_waits_has_every_step_of_a_memory(client: Client) -> None:
    ben = client.user("ben")
    assert ben.add("I get hives from penicillin", key="m1") == responses.Kept(positions=(1,))
    assert ben.add_all([Turn(text="Dr. Chen gave me amoxicillin", said=NOW)]).positions == (2,)
    put = ben.put("health.Allergy", {"substance": "Penicillin", "reaction": "hives"})
    assert (put.record, put.is_repeated) == ("health.Allergy:penicillin", False)
    alerts = ben.put("health.Medication", {"name": "Amoxicillin"}).alerts
    assert [(alert.change, alert.constraint, alert.severity) for alert in alerts] == [
        ("raised", "drug_allergy", "critical")
    ]
    [alert] = ben.alerts().standing
    assert (alert.constraint, alert.state) == ("drug_allergy", "standing")
    ben.snooze("drug_allergy", until=NOW + timedelta(days=1), why="asking the doctor")
    ben.acknowledge("drug_allergy", why="it is known")
    assert [(each.state, each.why) for each in ben.alerts().standing] == [("acknowledged", "it is known")]
    assert ben.compute("[a.reaction for a in health.allergies]").value == ["hives"]
    assert "I get hives from penicillin" in [hit.text for hit in ben.recall("hives", kinds=["observation"]).hits]
    assert "penicillin" in ben.context("hives from penicillin", tokens=2000).text.lower()
    ben.correct("health.Allergy:penicillin", "reaction", "rash", why="it was never hives")
    explained = ben.explain("health.Allergy:penicillin", "reaction")
    assert (explained.value, [claim.authority for claim in explained.claims if claim.stands]) == (
        "rash",
        ["correction"],
    )
    assert ben.record("health.Allergy:penicillin").values["reaction"] == "rash"
    assert [record.record for record in ben.records("health.Medication").records] == ["health.Medication:amoxicillin"]
    assert ben.end("health.Medication:amoxicillin", "2026-03-01").changes != ()
    assert ben.drop("health.Medication:amoxicillin", why="a mistake").changes != ()
    assert "health" in ben.manifest().text
    assert ben.tick().changes == ()
    log = ben.log(kinds=["observation"], limit=1)
    assert [(entry.position, entry.kind) for entry in log.entries] == [(1, "observation")]
    assert log.next is not None
    assert [(each.user, each.entries) for each in client.users().users if each.user == "ben"] == [
        ("ben", ben.log(after=1, limit=1000).entries[-1].position)
    ]


def test_an_agent_answers_what_is_pending(client: Client) -> None:
    cleo = client.user("cleo")
    cleo.add("I fly to Lisbon next Friday.", said=NOW)
    [question] = cleo.pending().requests
    quoted = {"turn": 1, "quote": "I fly to Lisbon next Friday"}
    fact = {"text": "The user flies to Lisbon on 2026-03-07.", "about": "user", "topic": "travel", "cites": [quoted]}
    refused = cleo.answer(question.id, {"facts": [fact]})
    assert (refused.facts, refused.is_open) == ((), True)
    assert "2026-03-07 does not follow" in refused.to_mend[0].why
    [again] = cleo.pending().requests
    fact["text"] = "The user flies to Lisbon on 2026-03-06."
    answered = cleo.answer(again.id, json.dumps({"facts": [fact]}))
    assert [each.text for each in answered.facts] == ["The user flies to Lisbon on 2026-03-06."]


def test_an_administrator_makes_tries_and_removes_hooks(client: Client) -> None:
    made = client.make_hook("https://localhost:1/", events=["alert.raised"])
    assert client.hooks().hooks == (made.hook,)
    assert made.secret.startswith("whsec_")
    assert client.try_hook(made.hook.id) == responses.HookTest(
        is_received=False,
        status=0,
        why="hook: 127.0.0.1 is an address of an inner network, which is served only where --local (uac hooks add) and"
        " --local-hooks (uac serve) allow it",
    )
    client.remove_hook(made.hook.id)
    assert client.hooks().hooks == ()


def test_what_is_forgotten_is_told_before_and_after(client: Client) -> None:
    dora = client.user("dora")
    dora.add("My number is 555")
    dora.add("I like tea")
    told = dora.erase([1], why="asked", dry_run=True)
    assert (told.is_done, [each.text for each in told.entries]) == (False, ["My number is 555"])
    assert dora.erase([1], why="asked").is_done
    assert dora.log().entries[0].entry is None
    assert dora.retract([2], why="not so").last == 4


def test_a_client_in_an_event_loop_awaits_the_same_operations(served: Served) -> None:
    async def main() -> None:
        async with AsyncClient(served.address, key=served.key(), patience=QUICK) as client:
            eva = client.user("eva")
            kept = await asyncio.gather(*(eva.add(f"I read book {number}") for number in range(10)))
            assert sorted(each.positions[0] for each in kept) == list(range(1, 11))
            await eva.checkpoint([Define(type=BOOK), Put(type="reading.Book", fields={"title": "Emma"}, cites=(1,))])
            assert (await eva.compute("[b.title for b in reading.books]")).value == ["Emma"]
            assert "eva" in [each.user for each in (await client.users()).users]
            with pytest.raises(Refused, match="text is empty"):
                await eva.add(" ")

    asyncio.run(main())


async def types_are_known(client: Client, later: AsyncClient) -> None:
    """Read by the type checker alone."""
    ana, eva = client.user("ana"), later.user("eva")
    assert_type(ana.recall("tea", k=3), responses.Recalled)
    assert_type(await eva.recall("tea", k=3), responses.Recalled)
    assert_type(await later.users(), responses.UserPage)
    assert_type(ana.add("tea").positions, tuple[int, ...])
    assert_type(ana.put("reading.Book", {"title": "Emma"}).record, str)
    assert_type(ana.tag(), str)
    assert_type(ana.events(), Generator[responses.AlertEvent, None, None])
    assert_type(eva.events(), AsyncGenerator[responses.AlertEvent, None])
    assert_type(eva.entries(), AsyncGenerator[responses.Entry, None])
    assert_type(client.users(), responses.UserPage)
    ana.recall(3)  # type: ignore[arg-type] # a query is text
    ana.recall("tea", best=3)  # type: ignore[call-arg] # there is no such argument
    print(eva.recall("tea").hits)  # type: ignore[attr-defined] # it must be awaited first


def test_operations_show_their_arguments_and_say_what_they_do(client: Client) -> None:
    recall = client.user("ana").recall
    assert str(inspect.signature(recall)).startswith("(query: str, *, k: int | None = None, tokens: ")
    assert (recall.__doc__ or "").startswith("Search what was said")
    assert [name for name, each in OPERATIONS.items() if not each.define.__doc__] == []
    assert {name for name in dir(Client) if name in OPERATIONS} == {
        name for name in dir(AsyncClient) if name in OPERATIONS
    }


def test_ids_of_any_kind_reach_the_same_user(client: Client) -> None:
    for name in ("ana maria", "a?b#c&d=e", "100%", "ü", "a+b", "+49 170", "日本", "x" * 255):
        client.user(name).add(f"I am {name}")
        assert client.user(name).log().entries[0].entry == {
            **(client.user(name).log().entries[0].entry or {}),
            "text": f"I am {name}",
        }
        assert name in [each.user for each in client.users(limit=1000).users]


# --- errors ---------------------------------------------------------------------------------------------------------


def test_errors_are_those_of_the_library(client: Client) -> None:
    fay = client.user("fay")
    fay.add("hello")
    with pytest.raises(Refused, match="observation: text is empty"):
        fay.add(" ")
    with pytest.raises(Refused, match=r"turns\.0\.text"):
        fay.add("")
    with pytest.raises(Rejected) as rejected:
        fay.checkpoint([Put(type="reading.Book", fields={"title": "Emma"}, cites=(1,))])
    assert len(rejected.value.reasons) == 1
    assert "reading.Book" in rejected.value.reasons[0]
    with pytest.raises(CodeError) as failed:
        fay.compute("x = 1\ny = x / 0\ny")
    assert (failed.value.kind, failed.value.line) == ("ZeroDivisionError", 2)
    with pytest.raises(LimitError):
        fay.compute("[0] * 10**9")
    fay.add("tea", key="k")
    with pytest.raises(KeyReused):
        fay.add("coffee", key="k")


def test_what_goes_by_a_state_that_has_passed_is_moved(client: Client) -> None:
    gil = client.user("gil")
    gil.add("one")
    tag = gil.tag()
    gil.expecting(tag).add("two")
    with pytest.raises(Moved) as moved:
        gil.expecting(tag).add("three")
    assert (moved.value.expected, moved.value.found) == (1, 3)  # "two", and the receipt for it
    gil.expecting(gil.tag()).add("three")


def test_what_the_library_has_no_error_for_is_a_client_error(served: Served, client: Client) -> None:
    with pytest.raises(ClientError) as missing:
        client.user("nobody").manifest()
    assert (missing.value.status, missing.value.title) == (404, "Not Found")
    with Client(served.address) as stranger, pytest.raises(ClientError) as turned_away:
        stranger.users()
    assert turned_away.value.status == 401


ERRORS = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, UacError)]


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_each_error_of_the_library_comes_back_as_itself(kind: type[UacError]) -> None:
    problem = {"title": kind.__name__, "status": 422, "detail": "NameError: what", "reasons": ["a", "b"]}
    error = error_from_response(
        Got(412 if kind is Moved else 422, {"etag": 'W/"3-ab"'}, json.dumps(problem).encode()), '"1-cd"'
    )
    if kind.__name__ in ("UacError", "Repeated"):  # the service raises none of these
        assert isinstance(error, ClientError)
    else:
        assert type(error) is kind
        assert "what" in str(error) or kind in (Moved, Rejected)


def test_a_service_that_is_not_there_is_told_in_plain_words() -> None:
    with scripted([]) as gone:
        pass
    with Client(gone.address, patience=QUICK) as client:
        told = f"the service at {gone.address} cannot be reached: connection refused; tried 3 times"
        with pytest.raises(ClientError, match=f"^{re.escape(told)}$"):
            client.user("ana").manifest()
        with pytest.raises(ClientError, match=f"^{re.escape(told)}$"):
            next(client.user("ana").events())

    async def main() -> None:
        async with AsyncClient(gone.address, patience=QUICK) as client:
            with pytest.raises(ClientError, match=f"^{re.escape(told)}$"):
                await client.user("ana").manifest()

    asyncio.run(main())


def test_a_service_without_tls_is_told_from_one_that_is_not_there(served: Served) -> None:
    secure = served.address.replace("http:", "https:")
    with Client(secure, patience=QUICK) as client, pytest.raises(ClientError) as failed:
        client.users()
    assert str(failed.value) == (
        f"the service at {secure} cannot be reached: it does not speak TLS, needs http instead of https?; tried 3 times"
    )


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
def test_an_address_may_end_with_the_version_of_the_routes(served: Served, end: str) -> None:
    with Client(f"{served.address}{end}", key=served.key(tenant="versions"), patience=QUICK) as client:
        assert client.users() == responses.UserPage(users=(), next=None)


def test_types_coverage_conflicts_and_differences_can_be_read(client: Client) -> None:
    flo = client.user("flo")
    flo.add("I read Emma")
    flo.checkpoint([Define(type=BOOK), Put(type="reading.Book", fields={"title": "Emma"}, cites=(1,))])
    title = responses.FieldOfType(name="title", type="str", doc="", policy="latest")
    assert flo.types().types == (
        responses.Type(
            type="reading.Book",
            collection="reading.books",
            doc="",
            cardinality="many",
            key=("title",),
            fields=(title,),
            records=1,
        ),
    )
    assert flo.types(as_of=1) == responses.Types(types=())
    assert flo.coverage() == responses.Coverage(domains={}, waiting=0, unread=0, stuck={})
    assert flo.conflicts() == responses.Conflicts(conflicts=())
    assert [change.what for change in flo.diff(1, 2).changes] == ["reading.Book", "reading.Book:emma"]
    assert flo.diff(2).changes == ()


def test_an_address_or_key_that_cannot_be_one_is_refused() -> None:
    for address in ("127.0.0.1:8311", "ftp://example.org", "http://ana:secret@example.org", "http://x?y"):
        with pytest.raises(Refused):
            Client(address)
    with pytest.raises(Refused, match="the key has characters"):
        Client("http://127.0.0.1:1", key="a\nb")


# --- asking again ---------------------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """One request as it came in."""

    headers: dict[str, str]
    body: Any


class Script:
    """A server that gives prepared answers, byte by byte, and keeps what it was asked."""

    def __init__(self, answers: list[bytes]) -> None:
        self.answers = answers
        self.asked: list[Asked] = []
        self.address = ""


@contextmanager
def scripted(answers: list[bytes]) -> Iterator[Script]:
    script = Script(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.asked.append(Asked(headers, json.loads(body or b"null")))
            self.close_connection = True
            if script.answers:
                self.wfile.write(script.answers.pop(0))

        do_GET = do_POST  # noqa: N815 - the name that the library has

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library has
            """Nothing: tests read `asked`."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        script.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()


def reply(status: int, body: object, *headers: str) -> bytes:
    content = json.dumps(body).encode()
    # The server hangs up after each answer, and says so: else a client may still try the old connection.
    head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(content)}", "Content-Type: application/json"]
    head += ["Connection: close", *headers]
    return "\r\n".join([*head, "", ""]).encode() + content


BUSY = reply(503, {"title": "Unavailable", "status": 503, "detail": "the store is busy"}, "Retry-After: 0")


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


# --- events ---------------------------------------------------------------------------------------------------------


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


# --- what the service has -------------------------------------------------------------------------------------------

LACKING = {
    "GET /healthz",
    "GET /readyz",
    "GET /v1/version",
    "GET /v1/keys",
    "POST /v1/keys",
    "DELETE /v1/keys/{id}",
    "GET /v1/hooks/{hook}",
    "DELETE /v1/users/{user}",
    "GET /v1/users/{user}/alerts/history",
    "GET /v1/users/{user}/constraints",
    "GET /v1/users/{user}/constraints/{name}",
    "GET /v1/users/{user}/cost",
    "GET /v1/users/{user}/export",
    "GET /v1/users/{user}/files",
    "GET /v1/users/{user}/files/{path}",
    "GET /v1/users/{user}/log/{position}",
    "POST /v1/users/{user}/ask",
    "POST /v1/users/{user}/imports",
    "POST /v1/users/{user}/learn",
    "POST /v1/users/{user}/types",
    "POST /v1/users/{user}/verify",
    "GET /v1/memories",
    "POST /v1/memories",
    "DELETE /v1/memories",
    "GET /v1/memories/{memory_id}",
    "PUT /v1/memories/{memory_id}",
    "DELETE /v1/memories/{memory_id}",
    "GET /v1/memories/{memory_id}/history",
    "POST /v1/search",
}
"""Routes that the client has no operation for."""

SAMPLES: dict[str, Any] = {
    "add_all": {"turns": [Turn(text="x")]},
    "checkpoint": {"patches": [Define(type=BOOK)], "facts": [1], "by": "x"},
    "put": {"type_name": "reading.Book", "fields": {"title": "x"}, "said": NOW},
    "retract": {"positions": [1], "why": "x"},
    "erase": {"positions": [1], "why": "x"},
    "snooze": {"constraint": "x", "until": NOW},
    "answer": {"request": "x", "reply": {}},
    "recall": {"query": "x", "k": 1, "tokens": 1, "since": NOW.date(), "until": NOW.date(), "as_of": 1},
    "compute": {"code": "1", "as_of": NOW},
    "manifest": {"as_of": NOW},
    "records": {"type_name": "x", "after": "x", "as_of": 1},
    "log": {"kinds": ["fact"]},
    "events": {"after": 1, "seconds": 1.0},
    "entries": {"after": 1, "seconds": 1.0},
}
"""Arguments that leave nothing out; for all other operations, "x" for each that is needed."""


def asked_for(name: str, each: Any, owner: object) -> Call[Any] | Stream[Any]:
    needed = {
        parameter.name: "x"
        for parameter in list(inspect.signature(each.define).parameters.values())[1:]
        if parameter.default is inspect.Parameter.empty
    }
    found: Call[Any] | Stream[Any] = each.define(owner, **SAMPLES.get(name, needed))
    return found


OPERATIONS: dict[str, Any] = {
    name: each
    for owner in (User, Client)
    for name, each in inspect.getmembers(owner)
    if isinstance(each, operation | stream)
}


def route_of(call: Call[Any] | Stream[Any]) -> str:
    path = call.path.replace("USER", "{user}")
    for part in ("record", "field", "hook"):
        path = path.replace(f"/{part}s/x", f"/{part}s/{{{part}}}")
    return path


def test_each_operation_is_a_route_with_those_parameters_and_the_rest_is_known_to_be_lacking(served: Served) -> None:
    document = served.app.openapi()
    owner = User(None, "USER")
    mine: set[str] = set()
    for name, each in OPERATIONS.items():
        call = asked_for(name, each, owner)
        method = call.method if isinstance(call, Call) else "GET"
        path = route_of(call)
        assert method.lower() in document["paths"].get(path, {}), f"{name}: {method} {path}"
        route = document["paths"][path][method.lower()]
        parameters = {each["name"].lower(): each for each in route.get("parameters", [])}
        assert set(call.query) <= set(parameters), name
        if isinstance(call, Call):
            # Turns have keys of their own.
            assert (call.kind == "change" or name.startswith("add")) == ("idempotency-key" in parameters), name
            check_body(document, route, call, name)
        mine.add(f"{method} {path}")
    routes = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}
    assert routes - mine == LACKING


def check_body(document: Any, route: Any, call: Call[Any], name: str) -> None:
    if call.body is None:
        assert "requestBody" not in route, name
        return
    schema = route["requestBody"]["content"]["application/json"]["schema"]
    model = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    assert set(call.body) <= set(model["properties"]), name
    assert set(model.get("required", [])) <= set(call.body), name


def test_each_answer_has_the_fields_that_the_document_promises(served: Served) -> None:
    document = served.app.openapi()
    owner = User(None, "USER")
    for name, each in OPERATIONS.items():
        call = asked_for(name, each, owner)
        if isinstance(call, Stream) or name in ("tag", "remove_hook"):
            continue
        responses = document["paths"][route_of(call)][call.method.lower()]["responses"]
        good = next(each for code, each in responses.items() if code.startswith("2"))
        compare(document, good["content"]["application/json"]["schema"], call.answer, name)


def compare(document: Any, schema: Any, kind: Any, name: str) -> None:
    """Whether a value has the fields of a schema, and so on inside of it."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if not hasattr(kind, "__struct_fields__"):
        inner = [each for each in getattr(kind, "__args__", ()) if hasattr(each, "__struct_fields__")]
        for each in inner:
            items = [schema[part] for part in ("items", "additionalProperties") if part in schema]
            options = items or schema.get("anyOf", [])
            compare(document, next(option for option in options if "$ref" in option), each, name)
        return
    assert set(kind.__struct_fields__) == set(schema["properties"]), f"{name}: {kind.__name__}"
    hints = inspect.get_annotations(kind)
    for base in kind.__mro__[1:]:
        hints = {**inspect.get_annotations(base), **hints} if base.__module__ == responses.__name__ else hints
    for field_name, hint in hints.items():
        compare(document, schema["properties"][field_name], hint, f"{name}: {kind.__name__}.{field_name}")


def test_the_client_needs_nothing_of_the_service() -> None:
    code = "import sys, uac.interfaces.client; print(sorted({'fastapi', 'starlette', 'uvicorn', 'pydantic'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
    for path in Path(responses.__file__).parent.glob("*.py"):
        imported = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        assert not [node.module for node in imported if (node.module or "").startswith("uac.interfaces.http")]
