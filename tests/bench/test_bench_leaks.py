"""uac-bench leaks: whatever a member does not share is read by nobody else."""

from pathlib import Path

import pytest

from support.postgres_server import Server
from uac_bench.bench_leaks import try_leaks


def test_more_than_a_thousand_attempts_read_nothing_that_is_not_shared(tmp_path: Path) -> None:
    tried, leaks, visible = try_leaks(tmp_path, attackers=("ben", "carl"))
    assert leaks == []
    assert sum(tried.values()) > 1000
    assert set(tried) == {"library", "command", "tool", "request", "file"}
    assert visible > 50  # so the ways work, and would show a leak


@pytest.mark.slow
def test_nothing_leaks_on_postgresql_either(tmp_path: Path, postgres: Server) -> None:
    _tried, leaks, visible = try_leaks(tmp_path, address=postgres.new_database())
    assert leaks == []
    assert visible > 50
