"""Connections and transactions of PostgreSQL: no connection is used twice at once, and no commit is taken for granted."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import psycopg
import pytest

from support.postgres_server import Server
from uac.errors import StoreError, Unavailable
from uac.log.stores import postgres_pool
from uac.log.stores.postgres_pool import CONNECTIONS, Connection, PostgresPool, connect, postgres_transaction


@pytest.fixture(scope="module")
def url(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture
def pool(url: str) -> Iterator[PostgresPool]:
    pool = PostgresPool(url, connect)
    yield pool
    pool.close()


def backend(pool: PostgresPool) -> int:
    with pool.connection() as connection:
        return connection.info.backend_pid


def test_a_connection_is_used_again_and_two_at_once_are_two(pool: PostgresPool) -> None:
    first = backend(pool)
    with pool.connection() as connection:
        assert connection.info.backend_pid == first
        assert backend(pool) != first


def test_who_gets_no_connection_in_time_is_asked_to_try_again(
    pool: PostgresPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_pool, "WAIT_SECONDS", 0)
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(pool.connection())
        with pytest.raises(Unavailable, match=r"all 10 connections were in use for 0 s\. Try again\."):
            backend(pool)
    assert backend(pool)


def test_a_connection_that_is_left_in_a_transaction_is_not_used_again(pool: PostgresPool) -> None:
    first = backend(pool)
    with pool.connection() as connection:
        connection.execute("BEGIN")
    assert connection.closed
    assert backend(pool) != first


@pytest.mark.parametrize("by", ["client", "server"])
def test_an_idle_connection_that_was_closed_is_replaced(pool: PostgresPool, postgres: Server, by: str) -> None:
    with pool.connection() as connection:
        first = connection.info.backend_pid
    if by == "client":
        connection.close()
    else:
        postgres.cut(connection)
    assert backend(pool) != first


def test_a_pool_that_is_closed_meanwhile_leaves_no_connection_open(pool: PostgresPool) -> None:
    with pool.connection() as connection:
        pool.close()
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert connection.closed
    with pytest.raises(Unavailable, match=r"the store is closed\. Open it again\."):
        backend(pool)


@pytest.fixture
def table(postgres: Server, url: str) -> Iterator[str]:
    """A table whose values must differ when a transaction is committed."""
    database = url.split("/")[3].partition("?")[0]
    postgres.execute("CREATE TABLE numbers (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)", database)
    yield "numbers"
    postgres.execute("DROP TABLE numbers", database)


def numbers(pool: PostgresPool) -> list[tuple[object, ...]]:
    with pool.connection() as connection:
        return connection.execute("SELECT n FROM numbers ORDER BY n").fetchall()


Step = Callable[[Connection], object]


def transact(pool: PostgresPool, *steps: Step) -> None:
    with pool.connection() as connection, postgres_transaction(connection, pool.address):
        for step in steps:
            step(connection)


def inserting(*values: int) -> Step:
    return lambda connection: [connection.execute("INSERT INTO numbers VALUES (%s)", (value,)) for value in values]


def failing(connection: Connection) -> None:
    """A statement that fails, and nobody cares."""
    with suppress(psycopg.Error):
        connection.execute("SELECT 1 / 0")


def interrupting(_connection: Connection) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("table")
def test_a_transaction_is_stored_whole_or_not_at_all(pool: PostgresPool) -> None:
    transact(pool, inserting(1, 2))
    with pytest.raises(KeyboardInterrupt):
        transact(pool, inserting(3), interrupting)
    transact(pool, inserting(4), lambda connection: connection.execute("ROLLBACK"))  # it decided to store nothing
    assert numbers(pool) == [(1,), (2,)]


@pytest.mark.usefixtures("table")
def test_a_commit_that_the_server_turns_into_a_rollback_is_an_error(pool: PostgresPool) -> None:
    with pytest.raises(StoreError, match=r"the server answered ROLLBACK to COMMIT: nothing was stored\. Try again\."):
        transact(pool, inserting(1), failing)
    assert numbers(pool) == []


@pytest.mark.usefixtures("table")
def test_a_commit_that_the_server_refuses_is_an_error_with_its_reason(pool: PostgresPool) -> None:
    with pytest.raises(StoreError, match="duplicate key value violates unique constraint"):
        transact(pool, inserting(1, 1))
    assert numbers(pool) == []


@pytest.mark.usefixtures("table")
def test_a_connection_that_is_lost_while_committing_leaves_the_outcome_open(
    pool: PostgresPool, postgres: Server
) -> None:
    with pytest.raises(Unavailable, match="the entries may or may not be stored"):
        transact(pool, inserting(1), postgres.cut)
    assert numbers(pool) == []
