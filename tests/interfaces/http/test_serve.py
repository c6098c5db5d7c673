"""`uac serve`: how it starts, what it says, and how it ends; whether it is alive and ready."""

import json
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner, Result
from fastapi.testclient import TestClient

from support.http_process import bearer, uac_serve
from support.http_service import LONG, app_over, serving
from support.paths import TESTS
from uac import __version__, open_store
from uac.errors import SandboxError, Unavailable
from uac.interfaces.cli import main
from uac.interfaces.http.routes.health import FRESH, Readiness
from uac.interfaces.service.api_keys import Keyring
from uac.log.log import wall_clock
from uac.log.stores.in_memory import MemoryStore

OBSERVATIONS = "/v1/users/ana/observations"
HELLO = {"turns": [{"text": "hello"}]}


def started_at(address: str) -> list[str]:
    return [
        f"serving at {address}",
        f"inspector: {address}/inspector/ · routes: {address}/docs · Ctrl-C stops it",
        "not learning: no model is configured ('uac setup model' finds one), so words wait for an agent's reply",
    ]


def test_the_first_start_makes_a_key_tells_it_once_and_a_signal_ends_it_well(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with uac_serve(path) as first:
        key = first.said[0].removeprefix("key: ")
        with httpx2.Client(base_url=first.address, trust_env=False, timeout=LONG, headers=bearer(key)) as client:
            assert client.post(OBSERVATIONS, json=HELLO).json() == {"positions": [1]}
            assert client.get("/readyz").json() == {"status": "ready"}
            made = client.post("/v1/keys", json={"name": "x", "rights": ["erase"]})
            assert made.json()["detail"] == "This key has no right to erase. It can give only its own rights."
        assert first.end(signal.SIGTERM) == 0
        assert first.rest == ""
    assert sorted(file.name for file in tmp_path.iterdir()) == ["memory.db"]  # closed: no journal is left
    with uac_serve(path) as second:
        assert second.said == started_at(second.address)
        with httpx2.Client(base_url=second.address, trust_env=False, timeout=LONG, headers=bearer(key)) as client:
            assert client.post(OBSERVATIONS, json=HELLO).json() == {"positions": [2]}
        assert second.end(signal.SIGINT) == 0
        assert second.rest == ""


HANGING = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from support.http_service import app_over
from uac.interfaces.http import server
from uac.log.stores.in_memory import MemoryStore

app = app_over(MemoryStore(), with_keys=False)

@app.get("/hang/{how}")
def hang(how: str) -> None:
    print("hangs", flush=True)
    while how == "busily":
        pass
    threading.Event().wait()

server.CLOSING = 1
server.serve(app, host="127.0.0.1", port=0, on_listening=lambda address: print(address, flush=True), grace=1)
"""


@pytest.mark.parametrize("how", ["waiting", "busily"])
def test_a_signal_ends_the_process_even_if_a_request_never_ends(how: str) -> None:
    command = [sys.executable, "-c", HANGING, str(TESTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        try:
            assert running.stdout is not None
            host, _, port = running.stdout.readline().strip().removeprefix("http://").partition(":")
            with socket.create_connection((host, int(port))) as asking:
                asking.sendall(f"GET /hang/{how} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                assert running.stdout.readline() == "hangs\n"
                running.terminate()
                assert running.wait(LONG) == -signal.SIGALRM
        finally:
            running.kill()


def test_without_keys_everybody_on_this_machine_may_ask_by_its_own_names_only(tmp_path: Path) -> None:
    with uac_serve(tmp_path / "memory.db", "--no-keys", "--name", "memory.local") as process:
        assert process.said == started_at(process.address)
        with httpx2.Client(base_url=process.address, trust_env=False, timeout=LONG) as client:
            assert client.post(OBSERVATIONS, json=HELLO).status_code == 201
            assert client.get("/v1/version", headers={"Host": "memory.local"}).status_code == 200
            assert client.get("/v1/version", headers={"Host": "evil.example"}).status_code == 421
            assert client.get("/v1/version", headers={"Origin": "https://evil.example"}).status_code == 403
        assert process.end(signal.SIGTERM) == 0


def uac(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def test_what_would_be_open_to_everybody_is_refused_before_anything_is_made(store: Path) -> None:
    refused = uac("serve", "--no-keys", "--host", "192.0.2.1")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Refused: --no-keys would let everybody who reaches 192.0.2.1 do everything. Use --host 127.0.0.1.\n",
    )
    assert not store.exists()


def test_elsewhere_than_on_this_machine_no_key_is_printed(store: Path) -> None:
    refused = uac("serve", "--host", "192.0.2.1", "--port", "0")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Refused: No key exists, so nobody could use the service. Create one with 'uac keys create NAME'.\n",
    )
    assert Keyring(open_store(store).own(), wall_clock).all_keys() == ()


def test_a_port_that_is_taken_is_refused(store: Path) -> None:
    with serving() as served:
        port = served.address.rpartition(":")[2]
        refused = uac("serve", "--no-keys", "--port", port)
        assert (refused.exit_code, refused.stderr) == (
            3,
            f"Refused: Port {port} is in use, perhaps by another uac. --port 0 picks a free one.\n",
        )


def test_a_missing_package_is_named_with_what_installs_it(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "uac.interfaces.http", raising=False)
    for name in [name for name in sys.modules if name.startswith(("uac.interfaces.http.", "uac.interfaces.inspector"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    refused = uac("serve")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Refused: fastapi is not installed. The service needs it: pip install '.[serve]'\n",
    )


# --- how it ends --------------------------------------------------------------------------------------------------


def test_when_it_stops_requests_under_way_are_answered_and_new_ones_are_not_taken() -> None:
    app = app_over(MemoryStore())
    entered, opened = threading.Event(), threading.Event()

    def slow() -> str:
        entered.set()
        assert opened.wait(LONG)
        return "done"

    app.add_api_route("/slow", slow)
    answers: list[str] = []
    with serving(app) as served:
        client, other = served.client(served.key()), served.client()
        asking = threading.Thread(target=lambda: answers.append(client.get("/slow").json()))
        asking.start()
        assert entered.wait(LONG)
        stopping = threading.Thread(target=served.stop)
        stopping.start()
        while True:  # until it no longer listens
            try:
                other.get("/healthz")
            except httpx2.TransportError:
                break
        assert answers == []
        opened.set()
        asking.join(LONG)
        stopping.join(LONG)
    assert answers == ["done"]


def test_when_it_stops_streams_are_ended_at_once_and_whole() -> None:
    with serving(grace=int(LONG)) as served:
        client = served.client(served.key())
        client.post(OBSERVATIONS, json=HELLO)
        with client.stream("GET", "/v1/users/ana/events", params={"of": "log"}) as stream:
            parts = stream.iter_bytes()
            next(parts)
            served.stop()
            b"".join(parts)  # a stream that is cut off raises here


def test_when_it_stops_memories_are_closed_and_the_store_can_be() -> None:
    store = MemoryStore()
    with serving(app_over(store)) as served:
        client = served.client(served.key())
        client.post(OBSERVATIONS, json=HELLO)
        client.get("/v1/users/ana/alerts")
        opened = served.app.state.service.memories._opened
        assert list(opened) == ["ana"]
        served.stop()
        assert list(served.app.state.service.memories._opened) == []


# --- health -------------------------------------------------------------------------------------------------------


def test_health_needs_no_key_and_the_version_does() -> None:
    with serving() as served:
        stranger, client = served.client(), served.client(served.key("read"))
        assert stranger.get("/healthz").json() == {"status": "alive"}
        assert stranger.get("/readyz").json() == {"status": "ready"}
        assert stranger.get("/v1/version").status_code == 401
        assert client.get("/v1/version").json() == {"version": __version__, "api": "v1"}


def test_a_service_that_is_not_ready_says_which_part_and_not_more() -> None:
    def locked() -> None:
        raise Unavailable("/home/ana/memory.db is locked by ben")

    def missing() -> None:
        raise SandboxError("no")

    app = app_over(MemoryStore())
    now = 0.0
    parts = {"store": lambda: None, "sandbox": missing, "index": locked}
    app.state.readiness = Readiness(parts, lambda: now)
    with TestClient(app) as client:
        told = client.get("/readyz")
        assert (told.status_code, told.headers["retry-after"]) == (503, "5")
        assert told.json()["detail"] == "not ready: sandbox (SandboxError), index (Unavailable)"
        assert client.get("/healthz").status_code == 200
        parts |= {"sandbox": lambda: None, "index": lambda: None}
        assert client.get("/readyz").status_code == 503
        now = FRESH
        assert client.get("/readyz").status_code == 200


def test_asking_often_whether_it_is_ready_tries_the_parts_once() -> None:
    tries: list[int] = []
    readiness = Readiness({"store": lambda: tries.append(1)}, lambda: 0.0)
    threads = [threading.Thread(target=readiness.failing_checks) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tries == [1]


def test_the_document_of_the_routes_is_whole_json_for_everybody() -> None:
    with TestClient(app_over(MemoryStore())) as client:
        document = json.loads(client.get("/openapi.json").text)
        assert {"/healthz", "/readyz", "/v1/version", "/v1/keys", "/v1/keys/{id}"} <= set(document["paths"])
