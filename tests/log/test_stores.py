"""The stores that need no server pass the contract; test_postgres.py has the third."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.testing import StoreContract


class TestMemory(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = MemoryStore()
        yield store
        store.close()


class TestSqlite(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore(tmp_path / "memory.db")
        yield store
        store.close()
