"""What one process of several does for all, and how they count together."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count
from time import monotonic

import anyio
import pytest
from anyio.to_thread import run_sync

from support.postgres_logs import name_in
from support.postgres_server import Server
from support.webhook_receiver import Clock, Receiver, clock, look, raise_alerts, receiver, sender_of
from uac.interfaces.http.process_group import open_coordination, run_in_role
from uac.interfaces.http.shared_rates import SharedRates
from uac.log.coordination import Coordination
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.postgres_coordination import PostgresCoordination

__all__ = ["clock", "receiver"]

KEYS = count(1)


@pytest.fixture
def pair(postgres: Server) -> Iterator[tuple[PostgresCoordination, PostgresCoordination]]:
    with closing(PostgresStore(postgres.new_database())) as store:
        pair = PostgresCoordination(store._pool), PostgresCoordination(store._pool)
        yield pair
        for each in pair:
            each.close()


def test_work_runs_in_one_process_and_another_takes_over_when_it_loses_its_role(
    postgres: Server, pair: tuple[PostgresCoordination, PostgresCoordination]
) -> None:
    running: list[str] = []

    async def main() -> None:
        changed = anyio.Event()

        async def work(name: str) -> None:
            nonlocal changed
            running.append(name)
            changed.set()
            try:
                await anyio.sleep_forever()
            finally:
                running.remove(name)

        async def start(name: str, coordination: Coordination) -> None:
            await run_in_role(coordination, "webhooks", lambda: work(name), every=0.01)

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(start, "first", pair[0])
                await changed.wait()
                group.start_soon(start, "second", pair[1])
                assert not await run_sync(pair[1].hold_role, "webhooks")
                assert running == ["first"]
                assert pair[0]._locking is not None
                changed = anyio.Event()
                postgres.cut(pair[0]._locking)
                await changed.wait()
                while len(running) > 1:  # until the first has noticed, too
                    await anyio.sleep(0.01)
                assert len(running) == 1
                group.cancel_scope.cancel()

    anyio.run(main)
    assert running == []


def test_without_coordination_work_just_runs() -> None:
    ran: list[bool] = []

    async def work() -> None:
        ran.append(True)

    anyio.run(run_in_role, None, "webhooks", work)
    assert ran == [True]
    assert open_coordination(MemoryStore()) is None


def test_a_database_role_that_may_make_no_tables_serves_alone(
    postgres: Server, caplog: pytest.LogCaptureFixture
) -> None:
    url = postgres.new_database()
    PostgresStore(url).close()
    postgres.execute("CREATE ROLE alone LOGIN")
    postgres.execute("GRANT USAGE ON SCHEMA uac TO alone", name_in(url))
    postgres.execute("GRANT ALL ON ALL TABLES IN SCHEMA uac TO alone", name_in(url))
    with closing(PostgresStore(url.replace("postgres@", "alone@"), create=False)) as store:
        assert open_coordination(store) is None
    assert "nothing is shared with other processes of the service" in caplog.text


def test_requests_at_once_get_the_tokens_of_a_bucket_and_no_more(
    pair: tuple[PostgresCoordination, PostgresCoordination],
) -> None:
    """Both processes ask for 80 requests in one moment. The bucket holds 40, and 20 come back a second."""
    granted: list[bool] = []

    async def main() -> float:
        started = monotonic()
        rates = [SharedRates(each, 20.0) for each in pair]

        async def ask(number: int) -> None:
            granted.append(not await rates[number % 2].take_token("key", 0.0))

        async with anyio.create_task_group() as group:
            for number in range(160):
                group.start_soon(ask, number)
        return monotonic() - started

    took = anyio.run(main)
    assert 40 <= granted.count(True) <= 40 + 20 * took + 1


def test_tokens_that_a_process_took_and_did_not_use_are_not_used_later(
    pair: tuple[PostgresCoordination, PostgresCoordination],
) -> None:
    async def main() -> list[bool]:
        rates = SharedRates(pair[0], 1e-3)  # a bucket of one token, and none comes back
        return [not await rates.take_token(key, now) for key, now in (("a", 0.0), ("a", 0.5), ("a", 900.0), ("b", 0.0))]

    assert anyio.run(main) == [True, False, False, True]


def test_a_test_message_that_another_process_sent_ends_the_pause_of_a_failing_webhook(
    receiver: Receiver, clock: Clock
) -> None:
    store = MemoryStore(clock=clock)
    sending, other = sender_of(store, clock), sender_of(store, clock)
    hook = sending.hooks.create_webhook(receiver.url, private=True)
    raise_alerts(store, "ana", "peanuts")
    receiver.plan.append(500)
    look(sending)
    look(sending)  # it pauses
    assert receiver.subjects == ["peanuts"]
    assert anyio.run(other.send_test, other.hooks.find_webhook(hook.id) or hook).is_received
    look(sending)
    bodies = [body for _headers, body in receiver.heard]
    assert [b'"test"' in body for body in bodies] == [False, True, False]
