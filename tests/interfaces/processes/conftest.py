"""Two processes of the service, which the tests of this folder share: each test has a tenant or users of its own."""

from collections.abc import Iterator

import pytest

from support.postgres_server import Server
from support.service_processes import ServicePair, service_pair


@pytest.fixture(scope="session")
def pair(postgres: Server) -> Iterator[ServicePair]:
    with service_pair(postgres.new_database(), "--rate", "0", "--local-hooks", "--no-learn") as pair:
        yield pair
