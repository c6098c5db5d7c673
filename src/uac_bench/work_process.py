"""A worker for the bench, which kills it: `python -m uac_bench.work_process PORT`; UAC_STORE has the store.

`elsewhere` or `only` after the port says who calls the model, as for `uac work --calls`. With `--imports` in place of
the port of a model, it imports files and does not learn.
"""

import os
import sys

from uac import Memory, OneModel, open_store
from uac.interfaces.work import CallLimits, CallPlace, Jobs, QueueName, WorkerOptions, run_worker
from uac.log import wall_clock
from uac.models import NO_BUDGET
from uac_bench.work_model import CallingModel

__all__ = ["main"]

PLACES: tuple[CallPlace, ...] = ("here", "elsewhere", "only")


def main(url: str, port: int | None, calls: CallPlace, *, is_limited: bool) -> None:
    jobs = Jobs(
        open_store=lambda: open_store(url, create=False),
        make_memory=lambda log: Memory(log, embedder=None),
        models=None if port is None else OneModel(CallingModel(port)),
        budget=NO_BUDGET,
        clock=wall_clock,
        vendor_of=lambda _step: "loopback",
        is_queued=is_limited or calls != "here",
        cadence=None,
    )
    queues: tuple[QueueName, ...] = ("imports",) if port is None else ("learn",)
    options = WorkerOptions(
        queues=queues,
        limits=CallLimits(vendor_calls=8) if is_limited else CallLimits(),
        calls=calls,
        concurrency=8 if calls == "only" else 4,
        vendors=("loopback",),
        poll=0.1,
        recover=0.5,
        schedules=False,
    )
    run_worker(url, jobs, options)


if __name__ == "__main__":
    main(
        os.environ["UAC_STORE"],
        None if "--imports" in sys.argv else int(sys.argv[1]),
        next((place for place in PLACES if place in sys.argv), PLACES[0]),
        is_limited="--limited" in sys.argv,
    )
