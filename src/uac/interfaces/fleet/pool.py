"""Does the parts of a job on this machine: in this process, or in a pool of processes, each with its own sandbox."""

import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from itertools import islice

import msgspec

from uac.errors import StoreError
from uac.interfaces.fleet.jobs import Job, Part, PartWorker, run_part_in_process, use_process_for_parts
from uac.log.store import Store

__all__ = ["Parts", "in_order", "run_here", "run_in_pool"]

Parts = Iterable[tuple[int, Sequence[str]]]
"""The parts that are to be done: the number of each, and its users."""

MAX_BREAKS = 3
"""How often the pool may lose processes while no part is finished."""


def run_here(job: Job, parts: Parts, store: Store | None = None) -> Iterator[Part]:
    """The parts one after the other, in this process."""
    with closing(PartWorker(job, store)) as worker:
        for number, users in parts:
            yield worker.run(number, users)


def run_in_pool(job: Job, parts: Parts, processes: int) -> Iterator[Part]:
    """The parts as they are finished. If a process dies, its parts are done again by another."""
    encoded = msgspec.json.encode(job)
    waiting = iter(parts)
    again: list[tuple[int, Sequence[str]]] = []
    breaks = 0
    while True:
        running: dict[Future[Part], tuple[int, Sequence[str]]] = {}
        pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), use_process_for_parts)
        try:
            while True:
                room = 2 * processes - len(running)
                chosen = [*again[:room], *islice(waiting, max(room - len(again), 0))]
                del again[:room]
                for number, users in chosen:
                    running[pool.submit(run_part_in_process, encoded, number, users)] = (number, users)
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    part = future.result()
                    del running[future]
                    breaks = 0
                    yield part
        except BrokenProcessPool:
            breaks += 1
            if breaks > MAX_BREAKS:
                raise StoreError(
                    "The processes of the pool end before a part is done. Use fewer of them, or --processes 1."
                ) from None
            again = [*running.values(), *again]
        finally:
            pool.shutdown(cancel_futures=True)


def in_order(parts: Iterable[Part], numbers: Sequence[int]) -> Iterator[Part]:
    """The parts in the order of these numbers: each as soon as all before it are there."""
    found: dict[int, Part] = {}
    next_one = 0
    for part in parts:
        found[part.number] = part
        while next_one < len(numbers) and numbers[next_one] in found:
            yield found.pop(numbers[next_one])
            next_one += 1
