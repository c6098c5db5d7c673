"""Every suite of `uac-bench`: shows progress, keeps an item for each result, and continues a run that was killed."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from support.bench_samples import alerts_sample, analytical_sample, locomo_sample, realmem_sample
from uac.interfaces.cli import Output
from uac_bench import harness, main
from uac_bench.commands import bench_commands
from uac_bench.runs import BenchRun, Recorder, load_runs

QUICK: dict[str, tuple[str, ...]] = {
    "alerts": ("alerts", "--data", "DATA"),
    "analytical": ("analytical", "--data", "DATA"),
    "dates": ("dates", "--half", "fresh4", "--half", "fresh3"),
    "faults": ("faults", "--most", "1", "--only", "append", "--rounds", "0"),
    "growth": ("growth", "--size", "50"),
    "peers": ("peers", "--only", "newest first", "--only", "user-as-code"),
    "recall, LOCOMO": ("recall", "--data", "DATA", "--budgets", "1000"),
    "recall, chats": ("recall", "--data", "DATA", "--budgets", "1000"),
    "schema": ("schema", "--rules", "2", "--each", "2"),
    "time": ("time", "--users", "2", "--sessions", "3", "--each", "2"),
}
SLOW: dict[str, tuple[str, ...]] = {
    "ablation": ("ablation", "--records", "100"),
    "alerts, controls": ("alerts", "--controls"),
    "conversations": ("conversations", "--users", "2", "--sessions", "2"),
    "conversations, completeness": ("conversations", "--completeness", "--users", "2", "--sessions", "2"),
    "conversations, one call": ("conversations", "--one-call", "--users", "2", "--sessions", "2"),
    "conversations, weak": ("conversations", "--weak", "--sessions", "2"),
    "cost": ("cost", "--sessions", "20"),
    "knowledge": ("knowledge", "--half", "fresh3"),
    "leaks": ("leaks",),
}
SAMPLES: dict[str, Callable[[Path], Path]] = {
    "alerts": alerts_sample,
    "analytical": analytical_sample,
    "recall, LOCOMO": locomo_sample,
    "recall, chats": realmem_sample,
}
ANSWERED = {"answers"}
"""Suites that need a model: continued in test_bench_models.py, where each run waits for replies."""
TIMED = {"first-alert", "fleet", "install", "log", "project", "serve", "soak", "speed", "start", "work"}
"""Suites of times and load: the contestants of one run take turns, so half of it means nothing. They have tables."""
NO_RUN = {"all", "report"}
FIGURES_DIFFER = {"cost"}
"""Its tables have times."""


class Killed(BaseException):
    """Ends a run at once, as a signal would."""


def test_every_command_is_a_suite_of_items_or_one_of_times() -> None:
    by_item = {arguments[0] for arguments in (QUICK | SLOW).values()} | ANSWERED
    assert by_item.isdisjoint(TIMED)
    assert by_item | TIMED | NO_RUN == set(bench_commands.commands)


def run_suite(arguments: tuple[str, ...], data: Path, folder: Path) -> tuple[BenchRun, ...]:
    words = [str(data) if word == "DATA" else word for word in arguments]
    ended = CliRunner().invoke(main, [*words, "--out", str(folder)], catch_exceptions=False)
    assert ended.exit_code in (0, 1), ended.output  # 1: a goal is missed with so little
    return load_runs(folder)


def check_suite(name: str, arguments: tuple[str, ...], tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
    """Run the suite whole, kill it halfway, and run it again: it must measure only the rest, and give the same run."""
    written, bars = list[str](), list[str]()
    most = [10**9]
    append, progress = Recorder._append, Output.progress

    def counting_append(self: Recorder, line: str) -> None:
        append(self, line)
        written.append(line)
        if len(written) >= most[0]:
            raise Killed

    def noted_progress(self: Output, label: str, total: int | None) -> object:
        bars.append(label)
        return progress(self, label, total)

    patch.setattr(harness, "code_revision", lambda: "abc")
    patch.setattr(Recorder, "_append", counting_append)
    patch.setattr(Output, "progress", noted_progress)
    data = SAMPLES[name](tmp_path / "data") if name in SAMPLES else tmp_path
    (whole,) = run_suite(arguments, data, tmp_path / "whole")
    assert bars, "it shows no progress"
    assert whole.items, "it keeps no items"
    assert whole.code
    assert whole.command
    assert whole.data or name not in SAMPLES

    all_lines = len(written)
    written.clear()
    most[0] = all_lines // 2 + 1
    with pytest.raises(Killed):
        run_suite(arguments, data, tmp_path / "killed")
    assert load_runs(tmp_path / "killed") == ()
    written.clear()
    most[0] = 10**9
    (continued,) = run_suite(arguments, data, tmp_path / "killed")
    assert len(written) < all_lines, "it measured everything again"
    assert continued.items == whole.items
    if name not in FIGURES_DIFFER:
        assert msgspec.json.encode(continued) == msgspec.json.encode(whole)


@pytest.mark.parametrize("name", QUICK)
def test_a_suite_that_is_killed_halfway_continues_and_gives_the_same_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_suite(name, QUICK[name], tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_a_long_suite_that_is_killed_halfway_continues_and_gives_the_same_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_suite(name, SLOW[name], tmp_path, monkeypatch)


def test_the_help_has_the_whole_first_sentence_of_each_suite() -> None:
    shown = CliRunner().invoke(bench_commands, ["--help"]).stdout.partition("Commands:")[2]
    assert [line for line in shown.splitlines() if line.endswith("...")] == []
