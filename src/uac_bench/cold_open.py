"""How long it takes to open a user whom no process has open: the first request, from a snapshot, and without one."""

from collections.abc import Callable, Sequence
from contextlib import closing
from statistics import median
from time import perf_counter, process_time

import msgspec

from uac import open_store
from uac.memory import fold_log
from uac.project import Project, fold_entries
from uac_bench.measure import time_call

__all__ = ["ColdOpen", "cold_open_lines", "measure_cold_opens", "user_of_size"]

ROUNDS = 7
HEADS = 200


class ColdOpen(msgspec.Struct, frozen=True, kw_only=True):
    """A user with a number of records. Times are medians, in seconds; the first request is one, the head the least."""

    records: int
    entries: int
    first_request: float
    head: float
    """Of reading the end of the log, as every request does, to see what other processes wrote."""
    snapshot: float
    snapshot_cpu: float
    fold: float
    fold_cpu: float


def user_of_size(records: int) -> str:
    return f"cold-{records}"


def measure_cold_opens(
    address: str, sizes: Sequence[int], time_first_request: Callable[[str], float]
) -> tuple[ColdOpen, ...]:
    """Users of these sizes must be in the store. `time_first_request` asks a service that has not opened them."""
    found = []
    for records in sizes:
        first = time_first_request(user_of_size(records))
        with closing(open_store(address, create=False)) as store:
            log = store.log(user_of_size(records))
            head = min(time_call(log.head) for _round in range(HEADS))
            snapshot, snapshot_cpu = _time_open(lambda log=log: fold_log(log))  # type: ignore[misc]  # its default is its own
            fold, fold_cpu = _time_open(lambda log=log: fold_entries(log.read()))  # type: ignore[misc]  # the same
            found.append(
                ColdOpen(
                    records=records,
                    entries=log.head().position,
                    first_request=first,
                    head=head,
                    snapshot=snapshot,
                    snapshot_cpu=snapshot_cpu,
                    fold=fold,
                    fold_cpu=fold_cpu,
                )
            )
    return tuple(found)


def _time_open(open_project: Callable[[], Project]) -> tuple[float, float]:
    """The medians of the time and of the processor time."""
    times, cpus = [], []
    for _round in range(ROUNDS):
        start, cpu = perf_counter(), process_time()
        open_project()
        times.append(perf_counter() - start)
        cpus.append(process_time() - cpu)
    return median(times), median(cpus)


def cold_open_lines(opened: Sequence[ColdOpen]) -> list[str]:
    return [
        f"cold open, {each.records:,} records ({each.entries:,} entries): first request {_ms(each.first_request)};"
        f" from a snapshot {_ms(each.snapshot)} (CPU {_ms(each.snapshot_cpu)});"
        f" folded {_ms(each.fold)} (CPU {_ms(each.fold_cpu)}); the end of its log {each.head * 1000:.2f} ms"
        for each in opened
    ]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms"
