"""The servers of the tests of the PostgreSQL store: one of each per process of tests."""

from collections.abc import Iterator

import pytest

from support.postgres_server import Server, running_server


@pytest.fixture(scope="session")
def server(postgres: Server) -> Server:
    """The server of all tests, with roles of its own for these."""
    postgres.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    for role in ("owner", "reader", "writer"):
        postgres.execute(f"CREATE ROLE {role} LOGIN")
    return postgres


@pytest.fixture(scope="session")
def other_server() -> Iterator[Server]:
    """One with few files to search, that may be stopped and killed."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def url(server: Server) -> str:
    return server.new_database()


@pytest.fixture
def new_url(server: Server) -> str:
    return server.new_database()
