"""Enqueues jobs, and shows and steers them, from any process with access to the database."""

import logging
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from uac.errors import Unavailable
from uac.interfaces.work.job_names import (
    APPLICATION,
    QUEUES,
    SWEEP,
    check_work_store,
    job_id,
    missing_work_extra_error,
    partition_of,
)

try:
    import psycopg
    from dbos import DBOSClient, DBOSPortableJSONSerializer, EnqueueOptions, StepInfo
    from sqlalchemy.exc import SQLAlchemyError
except ImportError as error:
    raise missing_work_extra_error(error) from None

__all__ = [
    "PAUSED",
    "SERIALIZER",
    "ImportTotals",
    "JobClient",
    "QueueState",
    "WorkState",
    "job_options",
    "prometheus_text",
]

SERIALIZER = DBOSPortableJSONSerializer()
"""JSON, not DBOS's default: reading a pickle runs what is in it."""

QUEUE_OF = {"tick": "ticks", "reindex": "index", "import": "imports"}
"""The queue of each workflow that is not named as its queue."""
FAILED = ("ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
PAUSED = 0  # jobs that one worker runs at a time, on a paused queue

logger = logging.getLogger(__name__)


class QueueState(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs of one queue. `done` are those that finished lately: finished jobs are removed after some time."""

    queue: str
    waiting: int = 0
    later: int = 0
    """Jobs whose time has not come: a retry, a batch of facts, a tick that a rule asked for."""
    running: int = 0
    done: int = 0
    failed: int = 0
    oldest: float = 0.0
    """Seconds since the oldest waiting job was enqueued."""
    concurrency: int = 0
    """Jobs that one worker runs at a time."""
    is_paused: bool = False


class ImportTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The files that are imported by workers, with those that finished lately."""

    files: int = 0
    unfinished: int = 0
    lines: int = 0
    done: int = 0
    """Lines that are in the log, or were left out or broken."""
    broken: int = 0


class WorkState(msgspec.Struct, frozen=True, kw_only=True):
    """What workers do at a moment."""

    at: datetime
    workers: int
    """Workers that are running a job now."""
    queues: tuple[QueueState, ...]
    imports: ImportTotals = ImportTotals()


@dataclass(slots=True)
class JobClient:
    """Jobs in the database of a store. Nothing is created there: the first `uac work` does that."""

    url: str
    _client: DBOSClient | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_work_store(self.url)

    def enqueue_user(self, workflow: str, user: str, occasion: str | int, *, delay: float = 0.0) -> None:
        """Enqueue a job of a user; a second one for the same occasion is none."""
        self._enqueue(job_options(workflow, user, occasion, delay=delay), user)

    def enqueue_import(self, user: str, file: str, parts: int) -> None:
        """Enqueue the import of a staged file, behind the user's earlier ones."""
        self._enqueue(job_options("import", user, file), user, file, parts)

    def _enqueue(self, options: EnqueueOptions, *arguments: str | int) -> None:
        try:
            self._connected().enqueue(options, *arguments)
        except (SQLAlchemyError, psycopg.Error) as error:
            raise Unavailable(
                f"work: The job could not be enqueued ({type(error).__name__}). Is a worker set up ('uac work')?"
            ) from None

    def state(self) -> WorkState:
        now = time.time()
        rows = self._select(
            "SELECT coalesce(queue_name, ''), status, count(*), min(created_at) FROM dbos.workflow_status"
            " WHERE coalesce(queue_name, '') NOT LIKE '\\_dbos%' GROUP BY 1, 2"
        )
        executors = self._select(
            "SELECT count(DISTINCT executor_id) FROM dbos.workflow_status WHERE status = 'PENDING'"
        )
        limits = {
            name: limit
            for name, limit in self._select("SELECT name, worker_concurrency FROM dbos.queues")
            if not name.startswith("_dbos")
        }
        by_queue: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in (*QUEUES, *limits)}
        for queue, status, count, oldest in rows:
            if queue:
                by_queue.setdefault(queue, {})[status] = (count, oldest)
        queues = tuple(_queue_state(name, found, limits.get(name), now) for name, found in by_queue.items())
        return WorkState(
            at=datetime.fromtimestamp(now, UTC),
            workers=int(executors[0][0]),
            queues=queues,
            imports=self._import_totals(),
        )

    def _import_totals(self) -> ImportTotals:
        if self._select("SELECT to_regclass('uac.staged_files')") == [(None,)]:
            return ImportTotals()
        row = self._select(
            "SELECT count(*), count(*) - count(finished), coalesce(sum(lines), 0), coalesce(sum(done), 0),"
            " coalesce(sum(broken), 0) FROM uac.staged_files WHERE parts IS NOT NULL"
        )[0]
        files, unfinished, lines, done, broken = map(int, row)
        return ImportTotals(files=files, unfinished=unfinished, lines=lines, done=done, broken=broken)

    def pause(self, queues: Collection[str] = ()) -> list[str]:
        """Let workers take no more jobs of these queues, or of all; running ones are finished."""
        return self._set_concurrency(queues, PAUSED)

    def resume(self, queues: Collection[str] = (), *, concurrency: int) -> list[str]:
        """Let workers take jobs again, `concurrency` at a time each."""
        return self._set_concurrency(queues, concurrency)

    def retry(self, users: Collection[str] = ()) -> int:
        """Run failed and postponed jobs now: those of these users, or of all. Returns how many there are."""
        wanted = {partition_of(user) for user in users}
        client = self._connected()
        found = client.list_workflows(
            status=[*FAILED, "DELAYED"], load_input=False, load_output=False, application_name=APPLICATION
        )
        chosen = [
            status for status in found if status.queue_name and (not wanted or status.queue_partition_key in wanted)
        ]
        for status in chosen:
            if status.status == "DELAYED":
                client.set_workflow_delay(status.workflow_id, delay_seconds=0)
            elif status.status == "ERROR":
                client.rewind_workflow(
                    status.workflow_id,
                    start_step=_failed_step(client.list_workflow_steps(status.workflow_id)),
                    queue_name=status.queue_name,
                    queue_partition_key=status.queue_partition_key,
                )
            else:
                client.resume_workflow(status.workflow_id, queue_name=status.queue_name)
        return len(chosen)

    def remove_finished(self, before: datetime, *, failed: bool = False) -> int:
        """Remove the jobs that were done, or failed, before a time, with all that DBOS stored of them."""
        client, removed = self._connected(), 0
        while found := client.list_workflows(
            status=[*FAILED] if failed else "SUCCESS",
            completed_before=before.isoformat(),
            load_input=False,
            load_output=False,
            application_name=APPLICATION,
            limit=500,
        ):
            client.delete_workflows([status.workflow_id for status in found])
            removed += len(found)
        return removed

    def close(self) -> None:
        if self._client is not None:
            self._client.destroy()
            self._client = None

    def _connected(self) -> DBOSClient:
        if self._client is None:
            self._client = DBOSClient(
                system_database_url=self.url,
                serializer=SERIALIZER,
                application_name=APPLICATION,
                lazy=True,
                retry_connection_errors=False,
            )
        return self._client

    def _select(self, statement: str) -> list[tuple[Any, ...]]:
        try:
            with psycopg.connect(self.url, autocommit=True, connect_timeout=5) as connection:
                return connection.execute(statement.encode()).fetchall()
        except psycopg.errors.UndefinedTable:
            raise Unavailable("work: No worker has run on this store yet. Start one with 'uac work'.") from None
        except psycopg.Error as error:
            raise Unavailable(
                f"work: The database cannot be reached ({type(error).__name__}). Check --store."
            ) from None

    def _set_concurrency(self, queues: Collection[str], value: int) -> list[str]:
        self.state()  # refuses a store without work, in our words
        client = self._connected()
        names = [queue.name for queue in client.list_queues() if not queues or queue.name in queues]
        for name in names:
            queue = client.retrieve_queue(name)
            assert queue is not None
            queue.set_worker_concurrency(1 if name == SWEEP and value else value)
        return sorted(names)


def job_options(workflow: str, user: str, occasion: str | int, *, delay: float = 0.0) -> EnqueueOptions:
    """How a job of a user is enqueued: in order with the others of this user."""
    options: dict[str, object] = {
        "workflow_name": workflow,
        "queue_name": QUEUE_OF.get(workflow, workflow),
        "workflow_id": job_id(workflow, user, occasion),
        "queue_partition_key": partition_of(user),
        "application_name": APPLICATION,
    }
    if delay > 0:
        options["delay_seconds"] = delay
    return cast("EnqueueOptions", options)


def _failed_step(steps: Collection[StepInfo]) -> int:
    """The step from which a failed job is repeated: the one that failed, or the next. Earlier replies stay paid."""
    failed = [step["function_id"] for step in steps if step["error"]]
    return max(failed) if failed else 1 + max((step["function_id"] for step in steps), default=0)


def _queue_state(name: str, found: Mapping[str, tuple[int, int]], limit: int | None, now: float) -> QueueState:
    waiting, oldest = found.get("ENQUEUED", (0, 0))
    return QueueState(
        queue=name,
        waiting=waiting,
        later=found.get("DELAYED", (0, 0))[0],
        running=found.get("PENDING", (0, 0))[0],
        done=found.get("SUCCESS", (0, 0))[0],
        failed=sum(found.get(status, (0, 0))[0] for status in FAILED),
        oldest=round(max(now - oldest / 1000, 0.0), 1) if waiting else 0.0,
        concurrency=limit or 0,
        is_paused=limit == PAUSED,
    )


def prometheus_text(state: WorkState) -> str:
    """The state in the text format of Prometheus; queues are the only labels."""
    lines: list[str] = []

    def gauge(name: str, about: str, values: Iterable[tuple[str, float]]) -> None:
        lines.extend([f"# HELP {name} {about}", f"# TYPE {name} gauge"])
        lines.extend(f"{name}{labels} {value:g}" for labels, value in values)

    gauge(
        "uac_work_jobs",
        "Jobs by queue and state; done ones are removed after a while.",
        (
            (f'{{queue="{queue.queue}",state="{state_name}"}}', getattr(queue, state_name))
            for queue in state.queues
            for state_name in ("waiting", "later", "running", "done", "failed")
        ),
    )
    gauge(
        "uac_work_oldest_waiting_seconds",
        "Age of the oldest waiting job.",
        ((f'{{queue="{queue.queue}"}}', queue.oldest) for queue in state.queues),
    )
    gauge(
        "uac_work_paused",
        "1 if the queue is paused.",
        ((f'{{queue="{queue.queue}"}}', float(queue.is_paused)) for queue in state.queues),
    )
    imports = state.imports
    gauge(
        "uac_work_import_lines",
        "Lines of files that are imported: all, done and broken; files that are done are removed after a while.",
        ((f'{{state="{name}"}}', float(getattr(imports, name))) for name in ("lines", "done", "broken")),
    )
    gauge("uac_work_unfinished_imports", "Files that are not yet imported.", [("", float(imports.unfinished))])
    gauge("uac_work_busy_workers", "Workers that are running a job.", [("", float(state.workers))])
    return "\n".join([*lines, ""])
