"""Every kept run can be made again by the tool, from the command that it names."""

from pathlib import Path

import click
import pytest

from tools.renew_benchmarks import DATA_FOLDERS, KEPT, Renewal, planned_renewals
from uac_bench.commands import bench_commands
from uac_bench.runs import BenchRun, load_runs

RUNS = load_runs(KEPT)


def planned(folder: Path, run: BenchRun) -> Renewal:
    for name in DATA_FOLDERS:
        (folder / name).mkdir()
    (only,) = planned_renewals(
        (run,), folder, {"POSTGRES": "postgresql://localhost/empty", "ENVIRONMENTS": str(folder)}
    )
    return only


@pytest.mark.parametrize("run", RUNS, ids=[run.suite for run in RUNS])
def test_the_command_of_every_kept_run_is_one_that_uac_bench_accepts(run: BenchRun, tmp_path: Path) -> None:
    renewal = planned(tmp_path, run)
    command = bench_commands.commands[renewal.words[0]]
    with command.make_context(renewal.words[0], [*renewal.words[1:], "--out", str(tmp_path / "runs")]) as context:
        assert isinstance(context, click.Context)
    assert renewal.why_not == ""


def test_a_run_without_its_data_or_server_is_left_with_the_reason() -> None:
    found = {each.suite: each.why_not for each in planned_renewals(RUNS, None, {})}
    assert (found["analytical"], found["faults"], found["dates"]) == ("needs --data", "needs --postgres", "")


def test_a_run_that_a_model_answered_is_left_alone() -> None:
    run = BenchRun(
        suite="alerts-model", command="uac-bench alerts --model NAME", about="", code="", model="vendor:name"
    )
    assert [each.why_not for each in planned_renewals((run,), None, {})] == ["a model answered"]


@pytest.mark.parametrize(
    ("suite", "folder"),
    [("analytical", "analytical"), ("alerts", "alerts"), ("recall-locomo", "locomo"), ("recall-beam", "beam")],
)
def test_each_suite_gets_the_folder_of_its_own_set(suite: str, folder: str, tmp_path: Path) -> None:
    run = BenchRun(suite=suite, command="uac-bench recall --data DATA", about="", code="")
    assert planned(tmp_path, run).words[-1] == str(tmp_path / folder)
