"""Durable work on a PostgreSQL store, as DBOS workflows: learning, ticks, webhooks, search indexes. Extra `work`.

Comes in: users with something to do, from the service, a command or the sweep. Goes out: entries of their logs, each
written once though workers die. `job_names.py` has queues and ids, `job_client.py` enqueues and reports, `jobs.py` is
what a job does to one user's memory, `job_workflows.py` the durable order of it, `sealed_replies.py` how a reply waits,
and `worker.py` the process that runs it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac.interfaces.work.job_client import JobClient
    from uac.interfaces.work.job_names import CallPlace, QueueName
    from uac.interfaces.work.jobs import Jobs
    from uac.interfaces.work.worker import CallLimits, WorkerOptions, run_worker

__all__ = ["CallLimits", "CallPlace", "JobClient", "Jobs", "QueueName", "WorkerOptions", "run_worker"]


def __getattr__(name: str) -> object:
    """Imported on first use: most need the extra."""
    if name == "JobClient":
        from uac.interfaces.work.job_client import JobClient

        return JobClient
    if name == "Jobs":
        from uac.interfaces.work.jobs import Jobs

        return Jobs
    if name in ("CallPlace", "QueueName"):
        from uac.interfaces.work import job_names

        return getattr(job_names, name)
    if name in __all__:
        from uac.interfaces.work import worker

        return getattr(worker, name)
    raise AttributeError(f"module 'uac.interfaces.work' has no attribute {name!r}")
