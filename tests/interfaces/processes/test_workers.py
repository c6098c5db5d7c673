"""`uac serve --workers`: several processes behind one port; what one of them does for all is taken over when it dies."""

import json
import signal
from pathlib import Path

import httpx2
import psutil  # type: ignore[import-untyped]  # it ships no types
import pytest
from click.testing import CliRunner

from support.http_process import uac_serve
from support.http_service import app_over, inside, make_key
from support.postgres_server import Server, wait_until
from support.service_processes import client_of, kill, worker_processes
from support.webhook_receiver import receiving
from uac.interfaces.cli import main
from uac.interfaces.http.middleware import ServiceLimits
from uac.log.stores import open_store

PENICILLIN = {"type": "health.Allergy", "fields": {"substance": "penicillin"}}
AMOXICILLIN = {"type": "health.Medication", "fields": {"name": "amoxicillin"}}


def test_processes_share_a_port_and_one_that_dies_is_replaced_and_its_work_taken_over(postgres: Server) -> None:
    """The one that is killed sends the webhooks, which another one does from then on."""
    url = postgres.new_database()
    with receiving() as receiver, uac_serve(url, "--workers", "2", "--no-learn", "--local-hooks") as served:
        (key,) = (line.removeprefix("key: ") for line in served.said if line.startswith("key: "))
        with client_of(served.address, key) as client:
            client.post("/v1/hooks", json={"url": receiver.url, "events": ["alert.raised"]})
            raise_alert(client, "ana")
            assert receiver.came.acquire(timeout=60)
            wait_until(lambda: has_delivery(client, "ana"), "the delivery is noted")
        workers = worker_processes(served.running)
        sender = process_in_role(postgres, url, "webhooks")
        assert sender in workers
        kill(sender)
        assert served.running.stderr is not None
        assert f"process {sender} of the service ended (-9)" in served.running.stderr.readline()
        assert len(worker_processes(served.running)) == 2
        with client_of(served.address, key) as client:
            raise_alert(client, "ben")
        assert receiver.came.acquire(timeout=60)
        assert [json.loads(body)["data"]["user"] for _headers, body in receiver.heard] == ["ana", "ben"]
        workers = worker_processes(served.running)
        assert served.end(signal.SIGTERM) == 0
        assert not any(map(is_running, workers))


def raise_alert(client: httpx2.Client, user: str) -> None:
    for body in (PENICILLIN, AMOXICILLIN):
        assert client.post(f"/v1/users/{user}/records", json=body).status_code == 201


def has_delivery(client: httpx2.Client, user: str) -> bool:
    entries: list[object] = client.get(f"/v1/users/{user}/log", params={"kind": "delivery"}).json()["entries"]
    return entries != []


def process_in_role(server: Server, url: str, role: str) -> int:
    """The process that holds the advisory lock of a role; connections are named after their process."""
    database = url.split("/")[3].partition("?")[0]
    ((name,),) = server.execute(
        "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'"
        f" AND datname = '{database}' AND objid::bigint = hashtext('{role}')::bigint & 4294967295"
    )
    return int(str(name).removeprefix("user-as-code "))


def is_running(process: int) -> bool:
    try:
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(postgres: Server) -> None:
    with uac_serve(postgres.new_database(), "--workers", "2", "--no-learn") as served:
        with httpx2.Client(base_url=served.address, trust_env=False, timeout=60) as client:
            assert client.get("/healthz").status_code == 200
        workers = worker_processes(served.running)
        served.running.kill()
        wait_until(lambda: not any(map(is_running, workers)), "the workers have ended")


@pytest.mark.slow
def test_a_hangup_replaces_the_processes_one_by_one(postgres: Server) -> None:
    with (
        uac_serve(postgres.new_database(), "--workers", "2", "--no-learn") as served,
        httpx2.Client(base_url=served.address, trust_env=False, timeout=60) as client,
    ):
        assert client.get("/readyz").status_code == 200
        before = worker_processes(served.running)
        served.running.send_signal(signal.SIGHUP)
        wait_until(lambda: not any(map(is_running, before)), "the former processes have ended")
        assert client.get("/readyz").status_code == 200
        assert len(worker_processes(served.running)) == 2


def test_several_processes_on_sqlite_are_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["serve", "--store", str(tmp_path / "memory.db"), "--workers", "2"])
    assert (result.exit_code, result.stdout) == (3, "")
    assert "--workers 2 needs a store on PostgreSQL" in result.stderr


def test_the_rate_of_a_key_counts_in_all_processes(postgres: Server) -> None:
    """No token comes back within the test. A process that counted alone would let as many pass again."""
    address = postgres.new_database()
    stores = [open_store(address), open_store(address)]
    limits = ServiceLimits(rate=1e-4, at_once=10)
    one, other = (app_over(store, limits=limits) for store in stores)
    key, unused = make_key(one), make_key(one)
    with inside(one, key) as here, inside(other, key) as there, inside(other, unused) as somebody_else:
        assert here.get("/v1/users").status_code == 200
        refused = there.get("/v1/users")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "10000")
        assert here.get("/v1/users").status_code == 429
        assert somebody_else.get("/v1/users").status_code == 200
    for store in stores:
        store.close()
