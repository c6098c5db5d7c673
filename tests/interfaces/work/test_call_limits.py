"""The limits of 'uac work' hold for two workers together: model calls at a time, and per minute."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from support.fake_vendor_server import Act, loopback, of_model
from support.postgres_logs import name_in
from support.postgres_server import Server, wait_until
from uac.interfaces.work.job_client import JobClient, QueueState
from uac.interfaces.work.job_names import job_id
from uac.log.stores.postgres import PostgresStore
from uac.schema.entries import Observation

USERS = [f"{tenant}/{tenant}-{number}" for number in range(4) for tenant in ("north", "south")]


@dataclass
class Calls:
    """The calls that a model got, by tenant. While the gate is closed, none is answered."""

    gate: threading.Event = field(default_factory=threading.Event)
    users: set[str] = field(default_factory=set)
    under_way: list[str] = field(default_factory=list)
    most: int = 0
    most_of_tenant: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, body: Any, act: Act) -> bytes:
        found = re.search(r"(north|south)-\d", str(body))
        assert found
        tenant = found[1]
        with self.lock:
            self.users.add(f"{tenant}/{found[0]}")
            self.under_way.append(tenant)
            self.most = max(self.most, len(self.under_way))
            self.most_of_tenant = max(self.most_of_tenant, self.under_way.count(tenant))
        self.gate.wait(120)
        with self.lock:
            self.under_way.remove(tenant)
        return of_model(path, body, act)


def two_workers(url: str, calls: Calls, *limits: str) -> AbstractContextManager[JobClient]:
    return workers(url, calls, limits, limits)


@contextmanager
def workers(url: str, calls: Calls, *options: Sequence[str]) -> Iterator[JobClient]:
    """A worker for each set of options, whose model records its calls, and a job of each user, who said one thing."""
    with ExitStack() as stack:
        model = stack.enter_context(loopback(calls.answer))
        stack.callback(calls.gate.set)
        environment = {**os.environ, "UAC_STORE": url, "UAC_MODEL": "served", "UAC_MODEL_URL": f"{model.address}/v1"}
        for chosen in options:
            worker = subprocess.Popen(
                [sys.executable, "-m", "uac", "work", "--queues", "learn", "--concurrency", "8", *chosen],
                env=environment,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.callback(worker.communicate)
            stack.callback(worker.kill)
            assert worker.stderr is not None
            assert re.search("(learning with|calling) served", worker.stderr.readline())
        client = stack.enter_context(closing(JobClient(url)))
        with closing(PostgresStore(url)) as store:
            for user in USERS:
                said = Observation(text=f"I live in {user}.", said=datetime(2024, 5, 7, tzinfo=UTC))
                client.enqueue_user("learn", user, store.log(user).append([said])[-1])
        yield client


def call_queue(client: JobClient) -> QueueState:
    return next(queue for queue in client.state().queues if queue.queue.startswith("model-"))


def test_two_workers_have_no_more_calls_at_a_time_than_vendor_and_tenant_allow(postgres: Server) -> None:
    calls = Calls()
    with two_workers(postgres.new_database(), calls, "--vendor-calls", "3", "--tenant-calls", "2") as client:
        wait_until(lambda: len(calls.under_way) == 3, "as many calls as allowed are under way")
        wait_until(lambda: call_queue(client).waiting == len(USERS) - 3, "the others wait for their turn")
        calls.gate.set()
        wait_until(lambda: calls.users == set(USERS), "the model was asked about everybody")
    assert (calls.most, calls.most_of_tenant) == (3, 2)


@pytest.mark.parametrize(("limit", "rate", "parts"), [("--vendor-rate", 3, 1), ("--tenant-rate", 1, 2)])
def test_two_workers_start_no_more_calls_a_minute_than_the_rate(
    postgres: Server, limit: str, rate: int, parts: int
) -> None:
    """What counts is when DBOS started the calls: no minute has more than the rate."""
    url, calls = postgres.new_database(), Calls()
    calls.gate.set()
    with two_workers(url, calls, limit, str(rate)) as client:
        wait_until(lambda: call_queue(client).done >= rate * parts, "as many calls as allowed are answered")
        wait_until(lambda: call_queue(client).waiting > 0, "the others wait for the next minute")
        for number in range(3):  # jobs without a call pass by meanwhile: the queues are looked at
            client.enqueue_user("learn", f"silent-{number}", 1)
            wait_until(lambda number=number: is_done(postgres, url, f"silent-{number}"), "it passed")  # type: ignore[misc]  # its own default
        rows = postgres.execute(
            "SELECT queue_partition_key, started_at_epoch_ms FROM dbos.workflow_status"
            " WHERE name = 'call_model' AND started_at_epoch_ms IS NOT NULL ORDER BY 2",
            name_in(url),
        )
    tenants = {tenant for tenant, _at in rows} if parts > 1 else {None}
    assert len(tenants) == parts
    for tenant in tenants:
        times = [int(str(at)) for whose, at in rows if tenant in (None, whose)]
        assert len(times) >= rate
        windows = [(times[place], times[place + rate]) for place in range(len(times) - rate)]
        assert [later - first for first, later in windows if later - first < 60_000] == []


def test_a_caller_makes_the_calls_of_other_workers_within_its_limits(postgres: Server) -> None:
    calls = Calls()
    options = (("--calls", "elsewhere"), ("--calls", "only", "--vendor-calls", "3"))
    with workers(postgres.new_database(), calls, *options) as client:
        wait_until(lambda: len(calls.under_way) == 3, "as many calls as allowed are under way")
        wait_until(lambda: call_queue(client).waiting == len(USERS) - 3, "the others wait for their turn")
        calls.gate.set()
        wait_until(lambda: calls.users == set(USERS), "the model was asked about everybody")
        wait_until(lambda: learn_queue(client).running == 0, "everybody's words were learned")
        assert (learn_queue(client).done, learn_queue(client).failed, call_queue(client).failed) == (len(USERS), 0, 0)
    assert calls.most == 3


def learn_queue(client: JobClient) -> QueueState:
    return next(queue for queue in client.state().queues if queue.queue == "learn")


def is_done(server: Server, url: str, user: str) -> bool:
    found = server.execute(
        "SELECT count(*) FROM dbos.workflow_status WHERE name = 'learn' AND status = 'SUCCESS'"
        f" AND workflow_uuid = '{job_id('learn', user, 1)}'",
        name_in(url),
    )
    return found == [(1,)]
