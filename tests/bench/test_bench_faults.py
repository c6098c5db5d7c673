"""uac-bench faults and speed: thin commands over what exists."""

import json
from pathlib import Path

from click.testing import CliRunner

from uac.log.stores.sqlite import SqliteStore
from uac_bench import main
from uac_bench.bench_faults import WRITES, broken_writes
from uac_bench.bench_speed import speed_rows
from uac_bench.runs import BenchRun, BenchTable, load_runs


def test_every_write_broken_anywhere_leaves_the_log_as_before_or_complete(tmp_path: Path) -> None:
    ended = CliRunner().invoke(main, ["faults", "--json", "--out", str(tmp_path)], catch_exceptions=False)
    assert ended.exit_code == 0
    counts = json.loads(ended.stdout)
    assert list(counts) == list(WRITES)
    assert all(found["as before"] > 4 and found["complete"] > 0 and "broken" not in found for found in counts.values())
    (run,) = load_runs(tmp_path)
    assert {item.verdict for item in run.items} == {"right"}


def test_a_write_in_two_parts_is_found_broken(tmp_path: Path) -> None:
    def two_appends(store: SqliteStore) -> None:
        WRITES["append a user's first entry"](store)
        WRITES["append entries"](store)

    found = {item.given for item in broken_writes("two", two_appends, "before", tmp_path)}
    assert "broken" in found


def test_speed_puts_every_figure_of_a_suite_into_one_row() -> None:
    table = BenchTable(title="", columns=("what", "p50", "goal"), rows=(("read", "3 ms", ""), ("write", "4 ms", "met")))
    run = BenchRun(suite="log", command="", about="", code="", tables=(table,))
    assert list(speed_rows(run)) == [("log", "read", "p50 3 ms"), ("log", "write", "p50 4 ms, goal met")]


def test_speed_runs_a_suite_and_prints_one_table(tmp_path: Path) -> None:
    arguments = ["speed", "--quick", "--only", "log", "--json", "--out", str(tmp_path)]
    ended = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert {row[0] for row in json.loads(ended.stdout)["figures"]} == {"log"}
    assert [run.suite for run in load_runs(tmp_path)] == ["speed"]
    refused = CliRunner().invoke(main, ["speed", "--only", "nothing"])
    assert (refused.exit_code, "Use one of log" in refused.stderr) == (2, True)
