"""uac-bench leaks: whatever a member does not share is read by nobody else."""

from pathlib import Path

import pytest

from support.postgres_server import Server
from uac_bench.bench_leaks import try_leaks
from uac_bench.harness import SuiteRun
from uac_bench.runs import BenchItem


def tried(folder: Path, *, address: str = "", attackers: tuple[str, ...] = ()) -> tuple[BenchItem, ...]:
    """The items of all attempts."""
    suite = SuiteRun("leaks", "A test.", None, as_json=True)
    try_leaks(suite, folder, address=address, attackers=attackers)
    return suite.items


def test_more_than_a_thousand_attempts_read_nothing_that_is_not_shared(tmp_path: Path) -> None:
    items = tried(tmp_path, attackers=("ben", "carl"))
    assert [item for item in items if item.verdict != "right"] == []
    assert len(items) > 1000
    assert {item.group for item in items} == {"library", "command", "tool", "request", "file"}
    assert sum(bool(item.given) for item in items) > 50  # so the ways work, and would show a leak


@pytest.mark.slow
def test_nothing_leaks_on_postgresql_either(tmp_path: Path, postgres: Server) -> None:
    items = tried(tmp_path, address=postgres.new_database())
    assert [item for item in items if item.verdict != "right"] == []
    assert sum(bool(item.given) for item in items) > 50
