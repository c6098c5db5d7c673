"""The servers of the tests of the PostgreSQL store: one of each per process of tests."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from support.postgres_logs import empty
from support.postgres_server import Server, running_server
from uac.log.stores.postgres import PostgresStore


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running_server() as server:
        server.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        server.execute("CREATE ROLE writer LOGIN")
        server.execute("CREATE ROLE owner LOGIN")
        yield server


@pytest.fixture(scope="session")
def other_server() -> Iterator[Server]:
    """One with few files to search, that may be stopped and killed."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def url(server: Server) -> str:
    return server.new_database()


@pytest.fixture
def store(server: Server, url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    empty(server, url)
    yield store
    store.close()


@pytest.fixture
def new_url(server: Server) -> str:
    return server.new_database()


@pytest.fixture(scope="session")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as processes:
        yield processes
