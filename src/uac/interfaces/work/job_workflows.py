"""The jobs as DBOS workflows: which pieces run in which order, and what is enqueued after them.

DBOS stores the result of each step. A worker that dies is replaced by another, which runs the workflow again from its
beginning: steps with a stored result are skipped, so a model is not called again for a reply that was stored. What a
workflow does between steps must therefore depend on results of steps alone.

For one user, jobs of a queue run one after another (a partition of the queue with concurrency 1).
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from dbos import DBOS, EnqueueOptions
from dbos._core import StepOptions

from uac.errors import UacError, Unavailable
from uac.interfaces.work.job_client import JobClient, job_options
from uac.interfaces.work.job_names import APPLICATION, model_queue, tenant_of
from uac.interfaces.work.jobs import LOCK_WAIT, RECENT, FollowUp, Jobs, Planned, SealedReply, is_temporary, job_failure
from uac.memory.memory import Memory

__all__ = ["SCHEDULES", "Running", "set_running"]

T = TypeVar("T")

RETRY_SECONDS, LONGEST_RETRY_SECONDS = 30.0, 3600.0
# Eight minutes and a half: a server that restarts is back by then.
STEP_ATTEMPTS, STEP_WAIT, STEP_BACKOFF = 10, 1.0, 2.0
RESULT_SECONDS = 0.1  # between two looks for a reply that another workflow waits for
KEEP_FAILED = timedelta(days=7)
PAGE = 200  # users whom one job lets time pass for


class Running:
    """What the workflows of this process use; finished jobs are kept for `keep`."""

    def __init__(self, jobs: Jobs, client: JobClient, keep: timedelta) -> None:
        self.jobs, self.client, self.keep = jobs, client, keep


_running: list[Running] = []


def set_running(running: Running) -> None:
    """Set what workflows use; before DBOS is launched, because recovery may start one at once."""
    _running[:] = [running]


def _step(name: str, act: Callable[[], T]) -> T:
    """Run a piece as a step, repeated with backoff while the store is away."""

    def guarded() -> T:
        with _plain_errors():
            return act()

    options: StepOptions = {
        "name": name,
        "retries_allowed": True,
        "max_attempts": STEP_ATTEMPTS,
        "interval_seconds": STEP_WAIT,
        "backoff_rate": STEP_BACKOFF,
        "should_retry": is_temporary,
    }
    return DBOS.run_step(options, guarded)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Errors lose their text, which DBOS would store: see JobFailed."""
    try:
        yield
    except UacError as error:
        if is_temporary(error):
            raise ConnectionError(type(error).__name__) from None
        raise job_failure(error) from None


@DBOS.workflow(name="learn")
def learn(user: str, attempt: int = 0) -> dict[str, Any]:
    """Ask and write until no request of the user is due."""
    running = _running[0]
    with _plain_errors(), running.jobs.memory(user) as memory:
        calls, stopped, planned = _learn_alone(running.jobs, user, memory)
        running.jobs.note_learning(user, stopped)
    if stopped:
        _later("learn", user, min(RETRY_SECONDS * 2.0**attempt, LONGEST_RETRY_SECONDS), attempt + 1)
        return {"calls": calls, "stopped": stopped}
    if planned["wait"]:
        _later("learn", user, planned["wait"])
    _follow_up(user, planned["then"], changed=calls > 0)
    return {"calls": calls, "stopped": ""}


def _learn_alone(jobs: Jobs, user: str, memory: Memory) -> tuple[int, str, Planned]:
    """Learn while nobody else does for this user: neither `uac learn` nor a worker that seemed dead."""
    found: tuple[int, str, Planned] | None = None
    while found is None:
        with suppress(Unavailable), memory.log.try_lock() as is_mine:  # while the store is away, DBOS waits, too
            if is_mine:
                found = _learn_calls(jobs, user, memory)
        if found is None:
            time.sleep(LOCK_WAIT)
    return found


def _learn_calls(jobs: Jobs, user: str, memory: Memory) -> tuple[int, str, Planned]:
    """The number of calls, why they stopped, and the last plan."""
    calls, urgent = 0, False
    while True:
        planned = _step("plan", partial(jobs.plan, memory, urgent=urgent))
        if not planned["id"]:
            return calls, "", planned
        ask = partial(jobs.ask, memory, planned["id"])
        reply = _ask_in_queue(user, planned) if planned["queue"] else _step("ask", ask)
        if reply["stopped"]:
            return calls, reply["stopped"], planned
        calls += 1
        urgent, stopped = _step("take", partial(jobs.take, memory, planned["id"], reply["sealed"]))
        if stopped:
            return calls, stopped, planned


def _ask_in_queue(user: str, planned: Planned) -> SealedReply:
    """The reply, from a workflow in the vendor's queue: it starts when the limits of vendor and tenant allow it."""
    options: EnqueueOptions = {
        "workflow_name": "call_model",
        "queue_name": model_queue(planned["queue"]),
        "workflow_id": f"call-{DBOS.workflow_id}-{planned['id']}",
        "queue_partition_key": tenant_of(user) or "-",
        "application_name": APPLICATION,
    }
    call = DBOS.enqueue_workflow_with_options(options, user, planned["id"])
    found: SealedReply = call.get_result(polling_interval_sec=RESULT_SECONDS)
    return found


@DBOS.workflow(name="call_model")
def call_model(user: str, request_id: str) -> SealedReply:
    """One call of a model, within the limits of its vendor's queue."""
    jobs = _running[0].jobs

    def ask() -> SealedReply:
        with jobs.memory(user) as memory:
            return jobs.ask(memory, request_id)

    return _step("ask", ask)


@DBOS.workflow(name="tick")
def tick(user: str) -> int:
    """Let time pass for a user at the time that a rule asked for."""
    running = _running[0]
    ticked = _step("tick", lambda: running.jobs.tick(user))
    _follow_up(user, ticked["then"], changed=ticked["changes"] > 0)
    return ticked["changes"]


@DBOS.workflow(name="tick_page")
def tick_page(after: str, hour: str) -> int:
    """Let time pass for a page of users, and enqueue the next page."""
    running = _running[0]
    names = _step("page", lambda: running.jobs.users_page(after, PAGE))
    for name in names:
        ticked = _step("tick", partial(running.jobs.tick, name))
        _follow_up(name, ticked["then"], changed=ticked["changes"] > 0)
    if len(names) == PAGE:
        _enqueue_page(names[-1], hour)
    return len(names)


@DBOS.workflow(name="webhooks")
def webhooks(user: str, attempt: int = 0) -> bool:
    """Send a user's alert changes, in order. What does not arrive is tried again later."""
    running = _running[0]
    is_done = _step("deliver", lambda: running.jobs.deliver(user))
    if not is_done:
        _later("webhooks", user, min(5.0 * 2.0**attempt, LONGEST_RETRY_SECONDS), attempt + 1)
    return is_done


@DBOS.workflow(name="index")
def index(user: str) -> None:
    """Embed what has no vector of the current embedder."""
    running = _running[0]
    left, before = _step("embed", lambda: running.jobs.embed(user)), -1
    while left and left != before:
        left, before = _step("embed", lambda: running.jobs.embed(user)), left


@DBOS.workflow(name="reindex")
def reindex(user: str) -> None:
    """Rebuild a user's search index from the log."""
    running = _running[0]
    _step("reindex", lambda: running.jobs.reindex(user))


@DBOS.workflow(name="import")
def import_file(user: str, file: str, parts: int) -> int:
    """Write a staged file part by part. If a step is repeated, the store knows that the part was written."""
    running = _running[0]
    with _plain_errors(), running.jobs.staged_import(user, file) as job:
        began = _step("begin", job.begin)
        for number in range(1, parts + 1):
            if not _step("write", partial(job.write_part, began, number)):
                return number - 1
        then = _step("finish", partial(running.jobs.finish_import, job))
    if then["position"]:
        _follow_up(user, then, changed=True)
        DBOS.enqueue_workflow_with_options(job_options("learn", user, then["position"]), user)
    return parts


@DBOS.workflow(name="hourly")
def hourly(scheduled: datetime, _context: Any) -> None:
    """Let time pass for everybody."""
    _enqueue_page("", _moment(scheduled).isoformat())


@DBOS.workflow(name="sweep")
def sweep(scheduled: datetime, _context: Any) -> int:
    """Enqueue what nobody enqueued: text that was stored when the database of jobs was away, or by a plain client.

    It also enqueues staged files and removes finished jobs.
    """
    running = _running[0]

    def enqueue() -> int:
        count = 0
        with_hooks = running.jobs.has_webhooks()
        for user, position in running.jobs.changed_users(_moment(scheduled) - RECENT):
            # Either finds out when a rule wants to run again, and enqueues a tick for that time.
            running.client.enqueue_user("tick" if running.jobs.models is None else "learn", user, position)
            if with_hooks:
                running.client.enqueue_user("webhooks", user, position)
            count += 1
        running.jobs.sweep_imports(running.client.enqueue_import, keep=running.keep, keep_failed=KEEP_FAILED)
        running.client.remove_finished(datetime.now(UTC) - running.keep)
        running.client.remove_finished(datetime.now(UTC) - KEEP_FAILED, failed=True)
        return count

    return _step("sweep", enqueue)


SCHEDULES: tuple[tuple[str, Callable[[datetime, Any], Any], str], ...] = (
    ("hourly", hourly, "0 * * * *"),
    ("sweep", sweep, "* * * * *"),
)
"""The name, the workflow and the cron line of each schedule."""


def _follow_up(user: str, then: FollowUp, *, changed: bool) -> None:
    """Enqueue what a change of a user's log asks for."""
    if then["tick"]:
        delay = (datetime.fromisoformat(then["tick"]) - datetime.now(UTC)).total_seconds()
        DBOS.enqueue_workflow_with_options(job_options("tick", user, then["tick"], delay=max(delay, 1.0)), user)
    if changed and then["webhooks"]:
        DBOS.enqueue_workflow_with_options(job_options("webhooks", user, then["position"]), user)
    if changed and then["index"]:
        DBOS.enqueue_workflow_with_options(job_options("index", user, then["position"]), user)


def _later(workflow: str, user: str, delay: float, attempt: int = 0) -> None:
    """Run a job of the user after `delay` seconds; those that fall into the same minute are one."""
    minute = _step("minute", lambda: int((time.time() + delay) // 60))
    DBOS.enqueue_workflow_with_options(job_options(workflow, user, f"at-{minute}", delay=delay), user, attempt)


def _enqueue_page(after: str, hour: str) -> None:
    DBOS.enqueue_workflow_with_options(
        {
            "workflow_name": "tick_page",
            "queue_name": "ticks",
            "workflow_id": job_options("tick_page", after, hour)["workflow_id"],
            "queue_partition_key": "everybody",
            "application_name": APPLICATION,
        },
        after,
        hour,
    )


def _moment(scheduled: datetime | str) -> datetime:
    """A scheduled time, which JSON has turned into text."""
    moment = datetime.fromisoformat(scheduled) if isinstance(scheduled, str) else scheduled
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
