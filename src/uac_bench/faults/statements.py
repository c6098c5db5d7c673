"""Connections to SQLite that fail at a chosen statement."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from uac.log import set_pragmas

__all__ = ["FaultMode", "StatementFault", "open_connection"]

FaultMode = Literal["before", "after", "inside"]
"""When a statement fails: before it runs, after it ran, or while it runs."""


class StatementFault:
    """Breaks the nth statement of all its connections before it runs, after it ran, or while it runs."""

    def __init__(self, mode: FaultMode) -> None:
        self.mode = mode
        self.count = 0
        self.at: int | None = None

    def arm(self, at: int | None) -> None:
        """Break the statement of that number from now on, or none."""
        self.count, self.at = 0, at

    def hit(self, mode: FaultMode) -> bool:
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

        connection = open_connection(path, factory=Breaking)
        # SQLite asks after every few steps of its machine whether it should stop.
        connection.set_progress_handler(lambda: fault.hit("inside"), 9)
        return set_pragmas(connection)


def open_connection(path: str, *, factory: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{path}?mode=rw", uri=True, isolation_level=None, check_same_thread=False, timeout=0.05, factory=factory
    )
