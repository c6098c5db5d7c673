"""Workers are killed with SIGKILL while they learn: every session is structured once, and paid once."""

import pytest

from support.postgres_server import Server
from uac_bench.bench_work import KilledRun, run_with_kills


def check(run: KilledRun) -> None:
    assert (run.lost, run.doubled, run.different_logs) == (0, 0, 0)
    assert run.calls_paid == run.calls_needed
    assert run.repeated_otherwise == 0
    assert run.calls_made == run.calls_needed + run.repeated_in_flight


def test_killed_workers_lose_and_double_nothing(postgres: Server) -> None:
    run = run_with_kills(postgres.new_database(), sessions=12, users=4, kills=3, patience=300)
    check(run)
    assert (run.kills, run.calls_needed) == (3, 16)


@pytest.mark.slow
@pytest.mark.parametrize("limited", [False, True])
def test_two_hundred_kills_lose_and_double_nothing(postgres: Server, limited: bool) -> None:
    run = run_with_kills(postgres.new_database(), sessions=2000, users=400, kills=200, limited=limited)
    check(run)
    assert (run.kills, run.calls_needed) == (200, 2400)


def test_callers_that_live_on_send_each_call_once_though_workers_are_killed(postgres: Server) -> None:
    run = run_with_kills(postgres.new_database(), sessions=12, users=4, kills=3, callers=1, patience=300)
    check(run)
    assert (run.kills, run.calls_made, run.calls_needed) == (3, 16, 16)
