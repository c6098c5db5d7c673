"""Connections to SQLite that fail at a chosen statement."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from uac.log.stores.sqlite_pool import set_pragmas

__all__ = ["Fault", "Mode", "opened"]

Mode = Literal["before", "after", "inside"]


class Fault:
    """Breaks the nth statement of all its connections before it runs, after it ran, or while it runs."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.count = 0
        self.at: int | None = None

    def arm(self, at: int | None) -> None:
        self.count, self.at = 0, at

    def hit(self, mode: Mode) -> bool:
        self.count += self.mode == mode
        return self.mode == mode and self.count == self.at

    @contextmanager
    def around(self) -> Iterator[None]:
        if self.hit("before"):
            raise sqlite3.OperationalError("broken on purpose")
        yield
        if self.hit("after"):
            raise sqlite3.OperationalError("broken on purpose")

    def connect(self, path: str) -> sqlite3.Connection:
        fault = self

        class Breaking(sqlite3.Connection):
            def execute(self, *arguments: Any) -> sqlite3.Cursor:
                with fault.around():
                    return super().execute(*arguments)

            def executemany(self, *arguments: Any) -> sqlite3.Cursor:
                with fault.around():
                    return super().executemany(*arguments)

            def executescript(self, *arguments: Any) -> sqlite3.Cursor:
                with fault.around():
                    return super().executescript(*arguments)

        connection = opened(path, factory=Breaking)
        # SQLite asks after every few steps of its machine whether it should stop.
        connection.set_progress_handler(lambda: fault.hit("inside"), 9)
        return set_pragmas(connection)


def opened(path: str, *, factory: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{path}?mode=rw", uri=True, isolation_level=None, check_same_thread=False, timeout=0.05, factory=factory
    )
