"""A worker: the process that runs jobs until a signal ends it, and takes over the jobs of workers that died.

Each worker holds a lock in the database for as long as its connection lives. A lock that can be taken belongs to a
worker that died, so its jobs are put back into their queues.
"""

import logging
import signal
import threading
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import FrameType
from typing import Any

from uac.errors import Unavailable
from uac.interfaces.work.job_client import PAUSED, SERIALIZER, JobClient
from uac.interfaces.work.job_names import (
    APPLICATION,
    QUEUES,
    SHAPE,
    SWEEP,
    CallPlace,
    QueueName,
    check_work_store,
    missing_work_extra_error,
    model_queue,
)
from uac.interfaces.work.jobs import Jobs

try:
    import psycopg
    from dbos import DBOS
    from sqlalchemy.exc import SQLAlchemyError

    from uac.interfaces.work.job_workflows import SCHEDULES, Running, set_running
except ImportError as error:
    raise missing_work_extra_error(error) from None

__all__ = ["CallLimits", "WorkerOptions", "run_worker", "vendors_of"]

WORKERS = 7_221_022
"""Marks the advisory locks of workers, among others in the database."""
DBOS_CONNECTIONS = 8
"""Connections of a worker for the states of its jobs. With DBOS's default of 20, few workers exhaust a server's 100."""
GRACE = 20
"""Seconds that running jobs have when the worker stops. What is left is resumed by another."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of model calls, for each vendor in all and for each tenant of it; None: none. Rates are per minute."""

    vendor_calls: int | None = None
    vendor_rate: int | None = None
    tenant_calls: int | None = None
    tenant_rate: int | None = None

    @property
    def is_set(self) -> bool:
        return any(value is not None for value in (self.vendor_calls, self.vendor_rate, *self.of_tenants))

    @property
    def of_tenants(self) -> tuple[int | None, int | None]:
        return self.tenant_calls, self.tenant_rate


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker runs."""

    queues: Collection[QueueName] = QUEUES
    concurrency: int = 4
    """Jobs of one queue at a time."""
    limits: CallLimits = CallLimits()
    calls: CallPlace = "here"
    vendors: Collection[str] = ()
    """The vendors of the configured models; each has a queue for its calls if they are limited or made elsewhere."""
    keep: timedelta = timedelta(hours=1)
    """How long finished jobs are kept, with their inputs."""
    poll: float = 0.5
    """Seconds between two looks into a queue."""
    recover: float = 5.0
    """Seconds between two looks for workers that died."""
    schedules: bool = True

    @property
    def served_queues(self) -> tuple[str, ...]:
        return () if self.calls == "only" else (*self.queues, SWEEP)

    @property
    def served_vendors(self) -> tuple[str, ...]:
        """The queues of vendors whose calls this worker makes; without limits, a job makes its calls itself."""
        serves = self.calls == "only" or (self.calls == "here" and self.limits.is_set)
        return tuple(map(model_queue, self.vendors)) if serves else ()


@dataclass(slots=True)
class _Stop:
    """Set by a signal."""

    event: threading.Event = field(default_factory=threading.Event)

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.event.set()


def run_worker(
    url: str,
    jobs: Jobs,
    options: WorkerOptions,
    *,
    on_ready: Callable[[str], None] = lambda _name: None,
    stop: threading.Event | None = None,
) -> None:
    """Run jobs until SIGTERM, SIGINT or `stop`; then finish the running ones, and return."""
    check_work_store(url)
    ending = _Stop() if stop is None else _Stop(stop)
    if stop is None:
        signal.signal(signal.SIGTERM, ending.on_signal)
        signal.signal(signal.SIGINT, ending.on_signal)
    name = f"worker-{uuid.uuid4().hex[:16]}"
    client = JobClient(url)
    try:
        with _worker_lock(url, name) as alive:
            jobs.start()
            set_running(Running(jobs, client, options.keep))
            _launch(url, name, options)
            try:
                on_ready(name)
                while not ending.event.wait(options.recover):
                    _recover_jobs_of_dead_workers(alive, name)
            finally:
                DBOS.destroy(workflow_completion_timeout_sec=GRACE)
    except psycopg.Error as error:
        raise Unavailable(
            f"work: The worker lost its database ({type(error).__name__}); others take over its jobs. Start it again."
        ) from None
    finally:
        client.close()
        jobs.close()


def _worker_lock(url: str, name: str) -> "psycopg.Connection[Any]":
    """A connection that holds the worker's lock. The server ends it within a minute if this machine vanishes."""
    try:
        connection = psycopg.connect(url, autocommit=True, connect_timeout=5, application_name=f"user-as-code {name}")
    except psycopg.Error as error:
        raise Unavailable(f"work: The database cannot be reached ({type(error).__name__}). Check --store.") from None
    for setting, value in (("idle", 10), ("interval", 5), ("count", 3)):
        connection.execute(f"SET tcp_keepalives_{setting} = {value}".encode())
    connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (WORKERS, name))
    return connection


def _launch(url: str, name: str, options: WorkerOptions) -> None:
    DBOS(
        config={
            "name": APPLICATION,
            "system_database_url": url,
            "application_version": SHAPE,
            "executor_id": name,
            "serializer": SERIALIZER,
            "log_level": "WARNING",
            "scheduler_polling_interval_sec": 5.0,
            "sys_db_pool_size": DBOS_CONNECTIONS,
        }
    )
    DBOS.listen_queues([*options.served_queues, *options.served_vendors])
    try:
        DBOS.launch()
    except SQLAlchemyError as error:
        raise Unavailable(
            f"work: DBOS cannot use the database ({type(error).__name__}). The role must be allowed to create a schema."
        ) from None
    paused = {queue.name for queue in DBOS.list_queues() if queue.worker_concurrency == PAUSED}
    for queue in options.served_queues:
        _register_queue(queue, paused, options)
    for queue in options.served_vendors:
        _register_vendor(queue, paused, options)
    if options.schedules and options.calls != "only":
        DBOS.apply_schedules(
            [
                {"schedule_name": schedule, "workflow_fn": workflow, "schedule": cron, "queue_name": SWEEP}
                for schedule, workflow, cron in SCHEDULES
            ]
        )


def _register_queue(queue: str, paused: Collection[str], options: WorkerOptions) -> None:
    concurrency = 1 if queue == SWEEP else options.concurrency
    DBOS.register_queue(
        queue,
        worker_concurrency=PAUSED if queue in paused else concurrency,
        partition_concurrency=None if queue == SWEEP else 1,
        polling_interval_sec=options.poll,
        on_conflict="always_update",
    )


def _register_vendor(queue: str, paused: Collection[str], options: WorkerOptions) -> None:
    limits = options.limits
    concurrency = min(options.concurrency, limits.vendor_calls or options.concurrency)
    DBOS.register_queue(
        queue,
        worker_concurrency=PAUSED if queue in paused else concurrency if options.calls == "only" else None,
        global_concurrency=limits.vendor_calls,
        limiter=_per_minute(limits.vendor_rate),
        partition_concurrency=limits.tenant_calls or limits.vendor_calls or 1_000,
        partition_limiter=_per_minute(limits.tenant_rate),
        polling_interval_sec=options.poll,
        on_conflict="always_update",
    )


def _per_minute(rate: int | None) -> Any:
    return None if rate is None else {"limit": rate, "period": 60.0}


def _recover_jobs_of_dead_workers(alive: "psycopg.Connection[Any]", name: str) -> None:
    """Put the jobs of workers whose locks are free back into their queues."""
    found = alive.execute("SELECT DISTINCT executor_id FROM dbos.workflow_status WHERE status = 'PENDING'").fetchall()
    for (other,) in found:
        if other == name or not other:
            continue
        row = alive.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (WORKERS, other)).fetchone()
        if row is None or not row[0]:
            continue
        try:
            handles = DBOS._recover_pending_workflows([other])  # noqa: SLF001 - the only way without DBOS's own server
            if handles:
                logger.warning("%d jobs of a worker that died are resumed", len(handles))
        finally:
            alive.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", (WORKERS, other))


def vendors_of(names: Mapping[Any, str]) -> list[str]:
    return sorted({name.partition(":")[0] for name in names.values()})
