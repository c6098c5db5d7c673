"""uac-bench speed: the figures of several suites in one table."""

import json
from pathlib import Path

from click.testing import CliRunner

from uac_bench import main
from uac_bench.bench_speed import speed_rows
from uac_bench.runs import BenchRun, BenchTable, load_runs


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
