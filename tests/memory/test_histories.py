"""Random histories of one user with two memories over one store, against a plain oracle, on every store.

Both memories add, learn, put, correct, retract, erase, tick, compute, recall, are closed and opened again, and send
requests again that the other one has made, while the clock is set forward and back.
"""

import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from support.examples import histories
from support.histories import JumpingClock, MemoryActor, check_log
from support.history_machine import SIDES, HistoryMachine
from support.postgres_server import Server
from uac.log.log import Log
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.sqlite import SqliteStore

USERS = count(1)


class MemoryMachine(HistoryMachine):
    """Two memories, each over a store of its own at one place."""

    def open_stores(self, clock: JumpingClock) -> list[Store]:
        raise NotImplementedError

    def open_sides(self) -> tuple[MemoryActor, MemoryActor]:
        self.clock = JumpingClock()
        self.stores = self.open_stores(self.clock)
        self.user = f"ana-{next(USERS)}"
        first, second = (MemoryActor(self.log_opener(store), self.clock) for store in self.stores)
        self.memories = (first, second)
        return self.memories

    def log_opener(self, store: Store) -> Callable[[], Log]:
        return lambda: store.log(self.user)

    @rule(side=SIDES)
    def learn(self, side: int) -> None:
        self.act(side)
        self.memories[side].learn()
        self.oracle.learn()

    @rule(side=SIDES)
    def restart(self, side: int) -> None:
        self.memories[side].restart()

    @rule(hours=st.integers(-2000, 2000))
    def set_the_clock(self, hours: int) -> None:
        self.clock.jump(hours)

    def teardown(self) -> None:
        for side in self.memories:
            check_log(side.memory.log, side.memory)
            side.memory.close()
        super().teardown()


class InMemoryMachine(MemoryMachine):
    kind = "in memory"

    def open_stores(self, clock: JumpingClock) -> list[Store]:
        return [MemoryStore(clock=clock)] * 2


class SqliteMachine(MemoryMachine):
    kind = "SQLite"

    def open_stores(self, clock: JumpingClock) -> list[Store]:
        self.folder = tempfile.TemporaryDirectory()
        return [SqliteStore(Path(self.folder.name) / "memory.db", clock=clock) for _ in range(2)]

    def teardown(self) -> None:
        super().teardown()
        for store in self.stores:
            store.close()
        self.folder.cleanup()


def test_random_histories_on_a_store_in_memory() -> None:
    run_histories(InMemoryMachine, 10)


def test_random_histories_on_sqlite() -> None:
    run_histories(SqliteMachine, 8)


@pytest.fixture(scope="session")
def address(postgres: Server) -> str:
    return postgres.new_database()


def test_random_histories_on_postgresql(address: str) -> None:
    class PostgresMachine(MemoryMachine):
        kind = "PostgreSQL"

        def open_stores(self, clock: JumpingClock) -> list[Store]:
            return [PostgresStore(address, clock=clock) for _ in range(2)]

        def teardown(self) -> None:
            super().teardown()
            for store in self.stores:
                store.close()

    run_histories(PostgresMachine, 6)


def run_histories(machine: type[HistoryMachine], few: int) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=histories(few), stateful_step_count=15))
