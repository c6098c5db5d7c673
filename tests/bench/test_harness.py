"""What all suites share: runs that are kept and continued, and the comparison of systems."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from uac_bench import main
from uac_bench.commands import bench_commands
from uac_bench.harness import SuiteRun, comparison_rows, curve_points, run_command
from uac_bench.runs import BenchItem, CurvePoint, Verdict, load_runs


def item(number: int, verdict: Verdict, system: str = "user-as-code", group: str = "") -> BenchItem:
    return BenchItem(id=str(number), system=system, verdict=verdict, group=group)


def test_every_suite_can_be_kept() -> None:
    kept = [name for name, command in bench_commands.commands.items() if "--out" not in _options(command)]
    assert [name for name in kept if name != "report"] == []


def _options(command: click.Command) -> list[str]:
    return [option for parameter in command.params for option in parameter.opts]


def test_a_comparison_has_intervals_and_the_paired_test_against_ours() -> None:
    items = [item(number, "right") for number in range(10)]
    items += [item(number, "wrong" if number < 6 else "right", "other") for number in range(9)]
    items += [item(9, "failed", "other")]  # a failure counts as wrong
    assert comparison_rows(items, "user-as-code") == [
        ("user-as-code", "10/10", "100.0%", "72.2% to 100.0%", ""),
        ("other", "3/10", "30.0%", "10.8% to 60.3%", "0.0156"),
    ]


def test_a_curve_has_a_point_with_its_interval_at_each_place() -> None:
    items = [item(number, "right", group="100") for number in range(10)]
    items += [item(number, "wrong", group="1000") for number in range(10, 20)]
    assert curve_points(items, lambda each: float(each.group)) == {
        "user-as-code": (
            CurvePoint(100, 1.0, pytest.approx(0.7225, abs=1e-4), 1.0),  # type: ignore[arg-type] # compared as numbers
            CurvePoint(1000, 0.0, 0.0, pytest.approx(0.2775, abs=1e-4)),  # type: ignore[arg-type] # the same
        )
    }


def test_a_suite_that_is_run_again_measures_only_the_missing_items(tmp_path: Path) -> None:
    measured: list[str] = []

    def measure(name: str) -> BenchItem:
        measured.append(name)
        return item(int(name), "right")

    first = SuiteRun("small", "A test.", tmp_path, as_json=True)
    first.once("user-as-code", "1", lambda: measure("1"))
    second = SuiteRun("small", "A test.", tmp_path, as_json=True)
    for name in ("1", "2"):
        second.once("user-as-code", name, lambda name=name: measure(name))  # type: ignore[misc] # bound in the loop
    second.finish()
    assert measured == ["1", "2"]
    assert [each.id for each in load_runs(tmp_path)[0].items] == ["1", "2"]


def double(number: int) -> int:
    return 2 * number


def test_parts_are_measured_in_their_order_by_one_process_or_several() -> None:
    numbers = {str(number): number for number in range(3)}
    found = [
        SuiteRun("small", "A test.", None, as_json=True).measure("numbers", double, numbers, int, jobs=jobs)
        for jobs in (1, 2)
    ]
    assert found == [{"0": 0, "1": 2, "2": 4}] * 2


def test_parts_without_a_result_or_with_a_failed_item_are_measured_again(tmp_path: Path) -> None:
    measured: list[str] = []

    def started() -> dict[str, str]:
        suite = SuiteRun("small", "A test.", tmp_path, as_json=True)

        def measure(name: str) -> str | None:
            measured.append(name)
            suite.record(item(len(measured), "failed" if name == "failed" else "right"))
            return None if name == "waits" else name

        return suite.measure("parts", measure, {name: name for name in ("whole", "waits", "failed")}, str)

    assert started() == {"whole": "whole", "failed": "failed"}
    assert started() == {"whole": "whole", "failed": "failed"}
    assert measured == ["whole", "waits", "failed", "waits", "failed"]


def test_a_run_with_other_options_starts_again_unless_they_change_nothing_that_is_measured(tmp_path: Path) -> None:
    measured: list[int] = []

    @click.command("small")
    @click.option("--size", type=int)
    @click.option("--verbose", is_flag=True)
    def small(size: int, verbose: bool) -> None:
        suite = SuiteRun("small", "A test.", tmp_path, as_json=not verbose)

        def measure(each: int) -> int:
            measured.append(each)
            return each

        suite.measure("sizes", measure, {"only": size}, int)

    for arguments in (["--size", "1"], ["--size", "1", "--verbose"], ["--size", "2"]):
        CliRunner().invoke(small, arguments, catch_exceptions=False)
    assert measured == [1, 2]


def test_a_kept_run_names_its_command_without_paths_and_its_data_by_digest(tmp_path: Path) -> None:
    corpus = tmp_path / "mine.jsonl"
    sentence = {
        "id": "1",
        "lang": "en",
        "said": "2026-03-03",
        "text": "I flew on 2 March.",
        "field": "date",
        "kind": "date",
        "right": ["2026-03-02"],
        "wrong": ["2026-03-05"],
        "half": "develop",
    }
    corpus.write_text(json.dumps(sentence) + "\n")
    arguments = ["dates", "--corpus", str(corpus), "--half", "develop", "--out", str(tmp_path / "runs")]
    CliRunner().invoke(main, arguments, catch_exceptions=False)
    (run,) = load_runs(tmp_path / "runs")
    assert (run.suite, run.command) == ("dates", "uac-bench dates --half develop --corpus CORPUS")
    assert list(run.data) == ["mine.jsonl"]
    assert run.tables[0].rows[0][:2] == ("develop", "1 (100.0%)")
    assert str(tmp_path) not in (tmp_path / "runs" / "dates.json").read_text()


def test_tables_are_kept_and_not_printed_with_json(tmp_path: Path) -> None:
    arguments = ["dates", "--half", "develop", "--json", "--out", str(tmp_path)]
    printed = CliRunner().invoke(main, arguments, catch_exceptions=False).stdout
    assert "develop" in json.loads(printed)
    assert load_runs(tmp_path)[0].tables


def test_an_address_with_a_password_is_not_kept() -> None:
    written: list[str] = []

    @click.command("small")
    @click.option("--postgres")
    def small(postgres: str) -> None:
        written.append(run_command())

    CliRunner().invoke(small, ["--postgres", "postgresql://ana:secret@host/db"], catch_exceptions=False)
    assert written == ["uac-bench small --postgres POSTGRES"]
