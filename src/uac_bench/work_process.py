"""A worker for the bench, which kills it: `python -m uac_bench.work_process PORT`; UAC_STORE has the store.

With `--imports` in place of the port of a model, it imports files and does not learn.
"""

import os
import sys

from uac import Memory, OneModel, open_store
from uac.interfaces.work import CallLimits, Jobs, QueueName, WorkerOptions, run_worker
from uac.log import wall_clock
from uac.models import NO_BUDGET
from uac_bench.work_model import CallingModel

__all__ = ["main"]


def main(url: str, port: int | None, *, is_limited: bool) -> None:
    jobs = Jobs(
        open_store=lambda: open_store(url, create=False),
        make_memory=lambda log: Memory(log, embedder=None),
        models=None if port is None else OneModel(CallingModel(port)),
        budget=NO_BUDGET,
        clock=wall_clock,
        vendor_of=lambda _step: "loopback",
        is_limited=is_limited,
        cadence=None,
    )
    limits = CallLimits(vendor_calls=8) if is_limited else CallLimits()
    queues: tuple[QueueName, ...] = ("imports",) if port is None else ("learn",)
    options = WorkerOptions(queues=queues, limits=limits, vendors=("loopback",), poll=0.1, recover=0.5, schedules=False)
    run_worker(url, jobs, options)


if __name__ == "__main__":
    main(
        os.environ["UAC_STORE"],
        None if "--imports" in sys.argv else int(sys.argv[1]),
        is_limited="--limited" in sys.argv,
    )
