"""A worker on a real PostgreSQL server: what is enqueued is done once and in order, and what stops is tried again."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from starlette.testclient import TestClient

from support.postgres_logs import name_in
from support.postgres_server import Server, wait_until
from support.scripted_model import calls, kept
from support.webhook_receiver import Receiver, receiving
from uac import Memory
from uac.errors import Damaged, NoModel, Unavailable, Unreachable
from uac.interfaces.http import make_app
from uac.interfaces.http.notify import ChangeNotifier
from uac.interfaces.http.webhook_delivery import Rules, WebhookSender
from uac.interfaces.inspector import mount
from uac.interfaces.service.tenant_store import TenantStore
from uac.interfaces.service.webhooks import Hooks
from uac.interfaces.work import job_workflows
from uac.interfaces.work.job_client import JobClient, QueueState, prometheus_text
from uac.interfaces.work.job_enqueuer import JobEnqueuer
from uac.interfaces.work.job_names import job_id
from uac.interfaces.work.jobs import Jobs
from uac.interfaces.work.worker import CallLimits, WorkerOptions, run_worker
from uac.log import wall_clock
from uac.log.log import Log
from uac.log.stores.postgres import PostgresStore
from uac.memory.groups import Groups
from uac.models import NO_BUDGET, OneModel
from uac.models.requests_and_replies import Reply, Request
from uac.schema.entries import Observation
from uac_bench.work_model import LocalModel, session_text

SAID = datetime(2024, 5, 7, 18, 30, tzinfo=UTC)


class Model(LocalModel):
    """Answers, unless it is away; counts who is asked at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = self.is_broken = False
        self.meeting: threading.Barrier | None = None
        """Calls wait here until as many are under way."""
        self.most_at_once = self._under_way = 0
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Reply:
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            return self._ask(request)
        finally:
            with self._lock:
                self._under_way -= 1

    def _ask(self, request: Request) -> Reply:
        if self.meeting is not None:
            self.meeting.wait(60)
        if self.is_away:
            raise Unreachable("the model is away")
        if self.is_broken:
            raise NoModel("the key is wrong")
        return super().ask(request)


@dataclass
class Working:
    """A worker in a thread, its store, and what it is given."""

    url: str
    store: PostgresStore
    client: JobClient
    model: Model
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def database(self) -> str:
        return name_in(self.url)

    def memory(self, user: str) -> Memory:
        return open_memory(self.store.log(user))

    def say(self, user: str, *numbers: int) -> int:
        said = [
            Observation(text=session_text(n), said=SAID + timedelta(minutes=n % 1000), session=str(n)) for n in numbers
        ]
        return self.store.log(user).append(said)[-1]

    def queue(self, name: str) -> QueueState:
        return next(queue for queue in self.client.state().queues if queue.queue == name)

    def wait(self) -> None:
        """Until no job waits or runs; those that are due later stay."""
        wait_until(lambda: not any(q.waiting or q.running for q in self.client.state().queues), "the work is done")


DAMAGED: list[str] = []
"""While it has a name, no worker can open a memory."""

AWAY: list[str] = []
"""Why the store cannot be reached, for each of the next tries."""


def open_memory(log: Log) -> Memory:
    if DAMAGED and threading.current_thread().name.startswith("dbos"):
        raise Damaged("the entry 'I read Voyage 61' is damaged")
    if AWAY and threading.current_thread().name.startswith("dbos"):
        raise Unavailable(AWAY.pop())
    return Memory(log, embedder=None)


@pytest.fixture(scope="module")
def working(postgres: Server) -> Iterator[Working]:
    url = postgres.new_database()
    store, model = PostgresStore(url), Model()

    def make_sender(store: PostgresStore) -> WebhookSender:
        hooks = Hooks(store.own(), wall_clock)
        return WebhookSender(store, hooks, ChangeNotifier(), wall_clock, Rules(private=True))

    jobs = Jobs(
        open_store=lambda: PostgresStore(url),
        make_memory=open_memory,
        models=OneModel(model),
        budget=NO_BUDGET,
        clock=wall_clock,
        vendor_of=lambda _step: "loopback",
        is_queued=True,
        cadence=None,
        make_sender=make_sender,  # type: ignore[arg-type]  # it gets the stores that `open_store` opens
    )
    options = WorkerOptions(poll=0.05, limits=CallLimits(vendor_calls=2, tenant_calls=1), vendors=("loopback",))
    ready, run = threading.Event(), Working(url, store, JobClient(url), model)
    thread = threading.Thread(
        target=run_worker,
        args=(url, jobs, options),
        kwargs={"on_ready": lambda _name: ready.set(), "stop": run.stop},
    )
    thread.start()
    wait_until(lambda: ready.is_set() or not thread.is_alive(), "the worker is ready")
    assert ready.is_set()
    yield run
    run.stop.set()
    thread.join()
    run.client.close()
    store.close()


def test_a_user_s_sessions_become_facts_and_records_in_order(working: Working) -> None:
    position = working.say("acme/ana", 1, 2, 3)
    working.client.enqueue_user("learn", "acme/ana", position)
    working.wait()
    memory = working.memory("acme/ana")
    assert [fact.text for fact in kept(memory)] == [f"The user read the book Voyage {n}." for n in (1, 2, 3)]
    assert [call.step for call in calls(memory)] == ["extract", "extract", "extract", "checkpoint"]
    assert not memory.project().waiting


def test_a_job_that_is_enqueued_twice_for_one_position_runs_once(working: Working, postgres: Server) -> None:
    position = working.say("ben", 4)
    for _time in range(3):
        working.client.enqueue_user("learn", "ben", position)
    working.wait()
    # Of this position: the sweep of every minute may enqueue the one after it.
    ran = f"SELECT count(*) FROM dbos.workflow_status WHERE workflow_uuid = '{job_id('learn', 'ben', position)}'"
    assert postgres.execute(f"{ran} AND status = 'SUCCESS'", working.database) == [(1,)]
    assert len(calls(working.memory("ben"))) == 2


def test_users_of_two_tenants_are_learned_at_the_same_time(working: Working) -> None:
    working.model.meeting = threading.Barrier(2)  # a call alone would wait until it breaks
    for user, number in (("north/lea", 11), ("south/max", 12)):
        working.client.enqueue_user("learn", user, working.say(user, number))
    working.wait()
    working.model.meeting = None
    assert [len(calls(working.memory(user))) for user in ("north/lea", "south/max")] == [2, 2]


def test_a_tenant_has_no_more_calls_at_a_time_than_its_limit(working: Working) -> None:
    working.model.most_at_once = 0
    users = [f"west/{name}" for name in ("nina", "olaf", "pia")]
    for number, user in enumerate(users, 13):
        working.client.enqueue_user("learn", user, working.say(user, number))
    working.wait()
    assert [len(calls(working.memory(user))) for user in users] == [2, 2, 2]
    assert working.model.most_at_once == 1


def test_words_that_nobody_enqueued_are_found_by_the_sweep(working: Working) -> None:
    working.say("carla", 5)
    working.client._connected().trigger_schedule("sweep")
    wait_until(lambda: len(calls(working.memory("carla"))) == 2, "the sweep has found them")
    working.wait()


def test_a_model_that_is_away_postpones_the_job_and_retry_runs_it_now(working: Working) -> None:
    position = working.say("dora", 6)
    working.model.is_away = True
    working.client.enqueue_user("learn", "dora", position)
    working.wait()
    assert working.queue("learn").later == 1
    assert kept(working.memory("dora")) == []
    working.model.is_away = False
    assert working.client.retry(["nobody"]) == 0
    assert working.client.retry(["dora"]) == 1
    wait_until(lambda: len(calls(working.memory("dora"))) == 2, "the job has run")
    working.wait()
    assert working.queue("learn").later == 0


def test_a_model_that_rejects_its_key_postpones_the_job_and_the_status_tells_nobody_s_words(working: Working) -> None:
    position = working.say("dirk", 60)
    working.model.is_broken = True
    working.client.enqueue_user("learn", "dirk", position)
    working.wait()
    working.model.is_broken = False
    assert (working.queue("learn").later, working.queue("learn").failed) == (1, 0)
    working.client.retry(["dirk"])
    wait_until(lambda: len(calls(working.memory("dirk"))) == 2, "the job has run")
    working.wait()


def test_a_failed_job_is_retried_and_stores_the_kind_of_its_error_alone(working: Working, postgres: Server) -> None:
    position = working.say("doris", 61)
    DAMAGED.append("doris")
    working.client.enqueue_user("learn", "doris", position)
    working.wait()
    DAMAGED.clear()
    assert working.queue("learn").failed == 1
    errors = postgres.execute("SELECT error FROM dbos.workflow_output WHERE error IS NOT NULL", working.database)
    assert "Damaged" in str(errors)
    assert "Voyage" not in str(errors)
    assert working.client.retry(["doris"]) == 1
    working.wait()
    assert [call.step for call in calls(working.memory("doris"))] == ["extract", "checkpoint"]
    assert working.queue("learn").failed == 0


def test_a_store_that_is_away_for_minutes_fails_no_job(working: Working, monkeypatch: pytest.MonkeyPatch) -> None:
    position, failures = working.say("dina", 62), job_workflows.STEP_ATTEMPTS - 1
    waits = [job_workflows.STEP_WAIT * job_workflows.STEP_BACKOFF**attempt for attempt in range(failures)]
    assert sum(waits) > 5 * 60
    monkeypatch.setattr(job_workflows, "STEP_WAIT", 0.0)
    AWAY[:] = ["the server restarts"] * failures
    working.client.enqueue_user("tick", "dina", position)
    working.wait()
    assert (AWAY, working.queue("ticks").failed) == ([], 0)


def test_a_paused_queue_keeps_its_jobs_until_it_is_resumed(working: Working) -> None:
    assert working.client.pause(["learn"]) == ["learn"]
    users = (f"emil {number}" for number in count(1))
    said: list[str] = []

    def a_job_waits() -> bool:
        """Whether a new job still waits when the next queue has done one. A worker reads the pause with each poll."""
        user = next(users)
        said.append(user)
        position = working.say(user, 7)
        working.client.enqueue_user("learn", user, position)
        done = working.queue("ticks").done
        working.client.enqueue_user("tick", user, "while paused")
        wait_until(lambda: working.queue("ticks").done > done, "another queue has done a job")
        return working.queue("learn").waiting == 1

    wait_until(a_job_waits, "a job of the paused queue waits")
    assert working.queue("learn").is_paused
    assert 'uac_work_paused{queue="learn"} 1' in prometheus_text(working.client.state())
    assert working.client.resume(["learn"], concurrency=4) == ["learn"]
    working.wait()
    assert [len(calls(working.memory(user))) for user in said] == [2] * len(said)


def test_a_user_who_was_erased_meanwhile_is_left_alone(working: Working) -> None:
    working.client.pause(["learn"])
    position = working.say("fritz", 8)
    working.client.enqueue_user("learn", "fritz", position)
    working.store.erase("fritz")
    working.client.resume(["learn"], concurrency=4)
    working.wait()
    assert working.store.log("fritz").head().position == 0


def test_a_reply_in_the_database_of_jobs_holds_no_words(working: Working, postgres: Server) -> None:
    position = working.say("gina", 424_242)
    working.client.enqueue_user("learn", "gina", position)
    working.wait()
    stored = postgres.execute("SELECT output, error FROM dbos.operation_outputs", working.database)
    stored += postgres.execute("SELECT * FROM dbos.workflow_status", working.database)
    assert len(stored) > 5
    assert "424242" not in json.dumps(stored, default=str)


def test_a_snoozed_alert_gets_its_tick_at_the_time_it_wakes(working: Working) -> None:
    memory = working.memory("hugo")
    memory.put("health.Allergy", {"substance": "penicillin"})
    memory.put("health.Medication", {"name": "amoxicillin"})
    alert = memory.alerts()[0]
    memory.snooze(alert.constraint, alert.subject, until=datetime.now(UTC) + timedelta(seconds=2))
    working.client.enqueue_user("tick", "hugo", "now")
    wait_until(lambda: memory.alerts()[0].state == "standing", "a tick has come when the snooze ended")
    working.wait()


def test_a_group_is_brought_up_to_date_when_time_passes_for_it(working: Working) -> None:
    shared = "sorted(allergy.substance for allergy in health.allergies)"
    ida = working.memory("acme/ida")
    ida.put("health.Allergy", {"substance": "peanuts"})
    with closing(Groups(TenantStore(working.store, "acme"), open_memory=open_memory).create("team", "ida")) as group:
        group.share("ida", "health.Allergy.substance")
    ida.put("health.Allergy", {"substance": "shellfish"})
    with closing(working.memory("acme/group:team")) as team:
        assert team.compute(shared).value == ["peanuts"]
        working.client.enqueue_user("tick", "acme/group:team", "now")
        working.wait()
        assert team.compute(shared).value == ["peanuts", "shellfish"]


def test_a_webhook_gets_each_change_once_and_a_failed_one_again(working: Working) -> None:
    hooks = Hooks(working.store.own(), wall_clock)
    with receiving() as receiver:
        hook = hooks.create_webhook(receiver.url, user="ina", private=True)
        receiver.plan.append(503)
        memory = working.memory("ina")
        memory.put("health.Allergy", {"substance": "penicillin"})
        memory.put("health.Medication", {"name": "amoxicillin"})
        position = memory.log.head().position
        working.client.enqueue_user("webhooks", "ina", position)
        wait_until(lambda: working.queue("webhooks").later == 1, "the failed delivery is postponed")
        wait_until(lambda: len(received(receiver)) == 2, "it is sent again")
        working.wait()
        first, second = received(receiver)
        assert first == second, "the message that failed has the same id when it is sent again"
        working.client.enqueue_user("webhooks", "ina", position + 1)
        working.wait()
        assert len(received(receiver)) == 2
        hooks.remove_webhook(hook.id)


def received(receiver: Receiver) -> list[str]:
    return [{name.lower(): value for name, value in headers.items()}["webhook-id"] for headers, _body in receiver.heard]


def test_a_search_index_is_rebuilt_by_a_job(working: Working) -> None:
    position = working.say("jana", 9)
    working.client.enqueue_user("reindex", "jana", position)
    working.wait()
    assert working.queue("index").done >= 1
    assert [hit.position for hit in working.memory("jana").recall("Voyage")] == [1]


def test_a_service_enqueues_jobs_for_the_users_that_it_writes_to(working: Working) -> None:
    app = make_app(
        working.store,
        make_memory=lambda name: open_memory(working.store.log(name)),
        clock=wall_clock,
        with_keys=False,
        with_hooks=False,
        make_learner=JobEnqueuer(working.client, working.store).bind,
    )
    mount(app, work=working.client.state)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        hooks = Hooks(working.store.own(), wall_clock)
        hook, before = hooks.create_webhook("https://example.org/alerts", user="kim"), working.queue("webhooks").done
        turn = {"text": session_text(77), "said": SAID.isoformat()}
        client.post("/v1/users/kim/observations", json={"turns": [turn]}).raise_for_status()
        wait_until(lambda: len(calls(working.memory("kim"))) == 2, "a worker has learned")
        wait_until(lambda: working.queue("webhooks").done > before, "a worker has looked for messages")
        working.wait()
        hooks.remove_webhook(hook.id)
        page = client.get("/inspector/work")
    assert page.status_code == 200
    assert "<h1>Work</h1>" in page.text
    assert ">learn</th>" in page.text


def test_a_service_without_workers_shows_how_to_get_them(working: Working) -> None:
    app = make_app(
        working.store,
        make_memory=lambda name: open_memory(working.store.log(name)),
        clock=wall_clock,
        with_keys=False,
        with_hooks=False,
    )
    mount(app)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert "Set UAC_LEARN=work on a PostgreSQL store." in client.get("/inspector/work").text


def test_finished_jobs_are_removed_with_all_that_was_stored_of_them(working: Working, postgres: Server) -> None:
    working.client.enqueue_user("learn", "gone", working.say("gone", 91))
    working.wait()
    assert working.client.remove_finished(datetime.now(UTC) + timedelta(minutes=1)) > 0
    assert postgres.execute("SELECT count(*) FROM dbos.operation_outputs", working.database) == [(0,)]


def test_a_store_without_workers_says_so(postgres: Server) -> None:
    client = JobClient(postgres.new_database())
    with pytest.raises(Unavailable, match="No worker has run on this store yet"):
        client.state()
    with pytest.raises(Unavailable, match="could not be enqueued"):
        client.enqueue_user("learn", "ana", 1)
    client.close()
