"""Runs each write path with its 1st, 2nd, 3rd … operation failing: is the log as before, or complete?"""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from uac import Entry, Log, Store
from uac.errors import Damaged, Refused, StoreError, UacError
from uac.log import SqliteStore
from uac_bench.faults.statements import FaultMode, StatementFault
from uac_bench.faults.write_paths import FaultUsers, WritePath, fault_clock

__all__ = ["FailedWrite", "FaultTarget", "PostgresTarget", "SqliteTarget", "fail_everywhere", "tear_rows"]

Left = Literal["as before", "complete", "torn"]
LogStates = list[tuple[str, list[Entry | None]]]
"""For each user what is wrong with the chain, '' if nothing is, and the entries."""


class WriteFault(Protocol):
    """Counts operations, and breaks the one that it is armed for."""

    count: int

    def arm(self, at: int | None) -> None: ...


class FaultTarget(Protocol):
    """A kind of store that can be broken."""

    @property
    def name(self) -> str: ...

    @property
    def modes(self) -> Sequence[str]:
        """The ways in which an operation can fail."""

    def begin(self, path: WritePath) -> FaultUsers:
        """Prepare the store for one attempt, and name its users."""

    def open_broken(self, mode: str) -> tuple[Store, WriteFault]: ...

    def look(self, users: FaultUsers) -> LogStates:
        """What somebody finds who did not write."""


class FailedWrite(NamedTuple):
    """What became of a write one of whose operations failed; `why` says what is wrong, '' if nothing is."""

    operation: int
    operations: int
    """How many the write has."""
    is_reported: bool
    """Whether the caller got an error; some failures are made up for."""
    left: Left
    why: str


def fail_everywhere(target: FaultTarget, path: WritePath, mode: str, *, most: int) -> Iterator[FailedWrite]:
    """One failed write for each operation, or for `most` of them, evenly spread. The first is not broken: it counts."""
    users = target.begin(path)
    before = target.look(users)
    store, fault = target.open_broken(mode)
    with closing(store):
        fault.arm(None)
        path.write(store, users)
        operations = fault.count
    complete = target.look(users)
    step = max(1, -(-operations // most))
    for operation in range(1, operations + 1, step):
        users = target.begin(path)
        store, fault = target.open_broken(mode)
        with closing(store):
            fault.arm(operation)
            error = _error_of(path, store, users)
            fault.arm(None)
            state = target.look(users)
            left: Left = "as before" if state == before else "complete" if state == complete else "torn"
            why = _wrong(error, left, before == complete)
            if not why and (left == "as before" or path.is_repeatable):
                again = _error_of(path, store, users)
                if again is not None or target.look(users) != complete:
                    why = f"the write could not be repeated: {again or 'the log differs'}"
        yield FailedWrite(operation, operations, error is not None, left, why)


def _error_of(path: WritePath, store: Store, users: FaultUsers) -> Exception | None:
    try:
        path.write(store, users)
    except (UacError, sqlite3.Error) as error:
        return error
    return None


def _wrong(error: Exception | None, left: Left, is_no_change: bool) -> str:
    if left == "torn":
        return "the log is neither as before nor complete"
    if error is None:
        return "" if left == "complete" or is_no_change else "nothing was reported, and nothing is stored"
    return "" if isinstance(error, StoreError) else f"{type(error).__name__} instead of an error of the store: {error}"


def _state(log: Log) -> tuple[str, list[Entry | None]]:
    try:
        return str(log.verify() or ""), [stored.entry for stored in log.read()]
    except Damaged as error:
        return str(error), []


class SqliteTarget:
    """A file for each attempt, copied from one that is prepared once for each path."""

    name = "SQLite"
    modes: tuple[FaultMode, ...] = ("before", "after", "inside")

    def __init__(self, folder: Path) -> None:
        self._origin, self._path = folder / "origin.db", folder / "memory.db"
        self._prepared: WritePath | None = None

    def begin(self, path: WritePath) -> FaultUsers:
        if self._prepared is not path:
            self._origin.unlink(missing_ok=True)
            with closing(SqliteStore(self._origin, clock=fault_clock)) as store:
                path.prepare(store, FaultUsers())
            self._prepared = path
        for ending in ("-wal", "-shm"):
            Path(f"{self._path}{ending}").unlink(missing_ok=True)
        shutil.copy(self._origin, self._path)
        return FaultUsers()

    def open_broken(self, mode: str) -> tuple[Store, WriteFault]:
        fault = StatementFault(next(each for each in self.modes if each == mode))
        return SqliteStore(self._path, clock=fault_clock, connect=fault.connect), fault

    def look(self, users: FaultUsers) -> LogStates:
        with closing(SqliteStore(self._path, create=False, clock=fault_clock)) as store:
            return [_state(store.log(user)) for user in users]


class PostgresTarget:
    """Three new users for each attempt, in one database."""

    name = "PostgreSQL"

    def __init__(self, url: str) -> None:
        from uac.log import PostgresStore
        from uac_bench.faults.exchanges import EXCHANGE_MODES

        self._url = url
        self.modes = EXCHANGE_MODES
        self._numbers = count(1)
        self._whole = PostgresStore(url, clock=fault_clock)
        if self._whole.users(limit=1):
            self._whole.close()
            raise Refused("--postgres: The database has users. Use an empty one.")

    def begin(self, path: WritePath) -> FaultUsers:
        number = next(self._numbers)
        users = FaultUsers(f"ana {number}", f"ben {number}", f"cleo {number}")
        path.prepare(self._whole, users)
        return users

    def open_broken(self, mode: str) -> tuple[Store, WriteFault]:
        from uac.log import PostgresStore
        from uac_bench.faults.exchanges import ExchangeFault, end_backend

        fault = ExchangeFault(partial(end_backend, self._url), next(each for each in self.modes if each == mode))
        return PostgresStore(self._url, clock=fault_clock, connect=fault.connect), fault

    def look(self, users: FaultUsers) -> LogStates:
        return [_state(self._whole.log(user)) for user in users]

    def close(self) -> None:
        self._whole.close()


def tear_rows(folder: Path) -> Iterator[FailedWrite]:
    """A control that must be torn: three rows in plain SQLite without a transaction, each statement failing once."""
    for operation in (1, 2, 3):
        path = folder / f"control-{operation}.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("CREATE TABLE entries (text TEXT)")
        fault = StatementFault("before")
        with closing(fault.connect(str(path))) as connection:
            fault.arm(operation)
            try:
                for text in ("one", "two", "three"):
                    connection.execute("INSERT INTO entries VALUES (?)", (text,))
            except sqlite3.OperationalError:
                fault.arm(None)
            stored = connection.execute("SELECT count(*) FROM entries").fetchone()[0]
        left: Left = {0: "as before", 3: "complete"}.get(stored, "torn")  # type: ignore[assignment]  # of a literal
        yield FailedWrite(operation, 3, True, left, f"{stored} of 3 rows are stored" if left == "torn" else "")
