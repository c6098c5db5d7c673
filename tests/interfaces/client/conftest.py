"""One service for all tests of the client, and a client of it."""

from collections.abc import Iterator

import pytest

from support.client import NOW, QUICK
from support.http_service import Served, app_over, serving
from uac.interfaces.client import Client
from uac.log.stores.in_memory import MemoryStore


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    store = MemoryStore(clock=lambda: NOW)
    with serving(app_over(store, clock=lambda: NOW)) as service:
        yield service


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.address, key=served.key(), patience=QUICK) as one:
        yield one
