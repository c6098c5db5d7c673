"""What the runs with killed workers share: the processes, waiting for them, and the entries that are compared."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from uac import Entry, Store, Tick
from uac.errors import Unavailable

if TYPE_CHECKING:  # it needs the extra `work`
    from uac.interfaces.work import JobClient

__all__ = ["PATIENCE", "entries_without_ticks", "is_done", "is_set_up", "wait_for", "worker_processes"]

PATIENCE = 3600.0
"""Seconds that a run may take."""


@contextmanager
def worker_processes(
    url: str, *arguments: str, count: int
) -> Iterator[tuple[list["subprocess.Popen[bytes]"], Callable[[], "subprocess.Popen[bytes]"]]]:
    """Workers of the bench, and what starts another one. Those in the list are killed at the end."""

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "uac_bench.work_process", *arguments],
            env={**os.environ, "UAC_STORE": url},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    running = [start() for _worker in range(count)]
    try:
        yield running, start
    finally:
        for process in running:
            process.kill()
            process.wait()


def wait_for(condition: Callable[[], bool], started: float, patience: float) -> None:
    while not condition():
        if time.monotonic() - started > patience:
            raise Unavailable(f"No worker was ready within {patience:.0f} s.")
        time.sleep(0.05)


def is_set_up(client: "JobClient") -> bool:
    try:
        return any(queue.concurrency for queue in client.state().queues)
    except Unavailable:
        return False


def is_done(client: "JobClient") -> bool:
    return not any(queue.waiting or queue.running or queue.later for queue in client.state().queues)


def entries_without_ticks(store: Store, name: str) -> list[Entry]:
    """What is in a log, without ticks: they hold the time of day."""
    return [s.entry for s in store.log(name).read() if s.entry is not None and not isinstance(s.entry, Tick)]
