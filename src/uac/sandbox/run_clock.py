"""The time that a run may take: `Limits.seconds` of its worker's processor, and a longer time by the wall clock.

On a busy machine a worker waits for the processor, so only the processor's time is the same everywhere. It is read from
outside the worker, where foreign code cannot change it. Only Linux reports it; elsewhere the wall clock alone counts.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from uac.errors import LimitError
from uac.sandbox.port import Limits
from uac.sandbox.run_errors import limit_error

__all__ = ["RunClock", "WorkerWatch", "cpu_seconds", "enforceable_limits"]

SHORTEST = 0.01
"""Seconds between two looks at a worker at least."""


def cpu_seconds(pid: int | None) -> float | None:
    """The processor time that a process has used; None if it has ended or this system does not report it."""
    if sys.platform != "linux" or not pid:
        return None
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the kernel's name for that clock: see clock_getcpuclockid(3)
    except OSError:
        return None


def enforceable_limits(limits: Limits, pid: int | None) -> Limits:
    """The limits, with `seconds` by the wall clock if the processor time of the process cannot be read."""
    return limits if cpu_seconds(pid) is not None else replace(limits, wall_seconds=limits.seconds)


class RunClock:
    """The time left for a run that starts now. `more` seconds are added to both limits."""

    def __init__(self, pid: int | None, limits: Limits, *, more: float = 0.0) -> None:
        self._pid = pid
        self._limits = enforceable_limits(limits, pid)
        used = cpu_seconds(pid)
        self._cpu_end = None if used is None else used + limits.seconds + more
        self._wall_end = time.monotonic() + self._limits.most_wall_seconds + more

    def next_check(self) -> float:
        """Seconds within which no limit can be exceeded; LimitError if one has been."""
        left = self._wall_end - time.monotonic()
        if left <= 0:
            raise limit_error("wall", self._limits)
        used = cpu_seconds(self._pid)
        if self._cpu_end is None or used is None:
            return left
        if used >= self._cpu_end:
            raise limit_error("time", self._limits)
        return min(left, max(self._cpu_end - used, SHORTEST))


class _WatchedRun:
    def __init__(self, pid: int, clock: RunClock) -> None:
        self.pid = pid
        self.clock = clock
        self.error: LimitError | None = None


class WorkerWatch:
    """Kills workers whose runs exceed their time, for engines that block their caller. One thread watches all."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._runs: list[_WatchedRun] = []
        self._next_look = 0.0
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, pid: int | None, limits: Limits) -> Iterator[Callable[[], LimitError | None]]:
        """Watch a run during the block. Gives a function that returns the reason if the worker was killed."""
        if pid is None or cpu_seconds(pid) is None:
            yield lambda: None
            return
        run = _WatchedRun(pid, RunClock(pid, limits))
        try:
            self._start_watching(run)
            yield lambda: run.error
        finally:
            with self._changed:
                self._runs.remove(run)

    def _start_watching(self, run: _WatchedRun) -> None:
        with self._changed:
            self._runs.append(run)
            if self._thread is None or not self._thread.is_alive():  # it does not survive a fork
                self._thread = threading.Thread(target=self._look_at_runs, name="uac sandbox watch", daemon=True)
                self._thread.start()
            elif time.monotonic() + run.clock.next_check() < self._next_look:
                self._changed.notify()

    def _look_at_runs(self) -> None:
        with self._changed:
            while self._thread is not None:
                wait = min([left for run in self._runs if (left := _look_at_run(run)) is not None], default=None)
                self._next_look = time.monotonic() + (float("inf") if wait is None else wait)
                self._changed.wait(wait)

    def close(self) -> None:
        with self._changed:
            self._thread = None
            self._changed.notify()


def _look_at_run(run: _WatchedRun) -> float | None:
    """Seconds until the next look at the run; None if it needs none, because its worker was killed."""
    if run.error is not None:
        return None
    try:
        return run.clock.next_check()
    except LimitError as error:
        run.error = error
        with contextlib.suppress(ProcessLookupError):
            os.kill(run.pid, signal.SIGKILL)
        return None
