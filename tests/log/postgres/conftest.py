"""The store on a PostgreSQL server that most tests of it use, and processes to use it from."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from support.postgres_logs import empty
from support.postgres_server import Server
from uac.log.stores.postgres import PostgresStore


@pytest.fixture
def store(server: Server, url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    empty(server, url)
    yield store
    store.close()


@pytest.fixture(scope="session")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as processes:
        yield processes
