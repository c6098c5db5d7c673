"""The names that workers and those who enqueue must agree on: queues, workflows, ids; and the refusals they share."""

from hashlib import sha256
from typing import Literal, get_args

from uac.errors import Refused

__all__ = [
    "APPLICATION",
    "QUEUES",
    "SHAPE",
    "SWEEP",
    "CallPlace",
    "QueueName",
    "check_work_store",
    "job_id",
    "missing_work_extra_error",
    "model_queue",
    "partition_of",
    "tenant_of",
]

APPLICATION = "user-as-code"
SHAPE = "work-1"
"""The version of the workflows' steps: a worker resumes what another one of the same shape began."""

QueueName = Literal["learn", "ticks", "webhooks", "index", "imports"]
QUEUES: tuple[QueueName, ...] = get_args(QueueName)
CallPlace = Literal["here", "elsewhere", "only"]
"""Who calls models: this worker, others, or this worker, which then does nothing else (a caller)."""
SWEEP = "sweep"  # the queue of the schedules, which every worker serves


def partition_of(user: str) -> str:
    """What stands for a user in ids and as the partition of a queue: jobs of one partition run one after another."""
    return sha256(user.encode()).hexdigest()[:24]


def job_id(workflow: str, user: str, occasion: str | int) -> str:
    """The id of a job. Enqueued twice for the same occasion, such as a position of the log, it runs once."""
    return f"{workflow}-{partition_of(user)}-{occasion}"


def tenant_of(user: str) -> str:
    """The tenant of a user's id in the store; users without one share the empty tenant."""
    tenant, slash, _rest = user.partition("/")
    return tenant if slash else ""


def model_queue(vendor: str) -> str:
    return f"model-{vendor}"


def check_work_store(address: str) -> str:
    """The address, or Refused: workers share their work through PostgreSQL."""
    if not address.startswith(("postgresql://", "postgres://")):
        raise Refused(
            "work: Workers need a PostgreSQL store (--store postgresql://… or UAC_STORE). With one SQLite file, "
            "'uac serve' and 'uac add' learn by themselves."
        )
    return address


def missing_work_extra_error(error: ImportError) -> Refused:
    package = (error.name or "").partition(".")[0]
    return Refused(f"{package} is not installed. Workers need it: pip install 'user-as-code[work]'")
