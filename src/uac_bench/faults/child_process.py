"""Forked processes that report lines to the one that forked them."""

import os
import signal
import traceback
from collections.abc import Callable

__all__ = ["Child", "Say"]

Say = Callable[[str], None]


class Child:
    """A forked process that says lines. What it fails with is its last words."""

    def __init__(self, work: Callable[[Say], None], *, seconds: float = 60) -> None:
        reading, writing = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds)
                work(lambda line: [os.write(writing, line.encode() + b"\n")].clear())
            except BaseException:  # noqa: BLE001 - the parent reads it
                os.write(writing, traceback.format_exc().encode())
            finally:
                os._exit(0)
        os.close(writing)
        self.pipe = os.fdopen(reading)

    def line(self) -> str:
        return self.pipe.readline().rstrip("\n")

    def rest(self) -> list[str]:
        """All further lines; returns when the process has ended."""
        with self.pipe:
            lines = self.pipe.read().splitlines()
        os.waitpid(self.process, 0)
        return lines

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)
