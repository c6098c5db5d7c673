"""uac-bench analytical: the scorer is strict, and the suite is answered whole."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from support.bench_data import bench_data
from uac_bench import main
from uac_bench.scorers import is_right_value


@pytest.mark.parametrize(
    ("kind", "given", "acceptable", "right"),
    [
        ("int", 5, [5], True),
        ("int", 5.0, [5], False),
        ("int", None, [5], False),
        ("float", 100.9, [100], True),
        ("float", 101.1, [100], False),
        ("string", "Paris", ["paris"], True),
        ("string", "Paris or Rome", ["Paris"], False),
        ("string", "", [""], False),
        ("string", "b", ["a", "b"], True),
        ("set", ["b", "a"], [["a", "b"]], True),
        ("set", ["a"], [["a", "b"]], False),
        ("set", [], [[]], True),
        ("set", None, [[]], False),
    ],
)
def test_the_scorer_is_strict(kind: str, given: Any, acceptable: list[Any], right: bool) -> None:
    assert is_right_value(kind, given, acceptable) is right


def test_every_case_of_the_suite_is_answered_right() -> None:
    folder = bench_data("analytical")
    run = CliRunner().invoke(
        main, ["analytical", "--data", str(folder), "--no-programs", "--json"], catch_exceptions=False
    )
    result = json.loads(run.stdout)
    assert (result["right"], result["cases"], result["wrong"]) == (100, 100, [])


def test_recorded_programs_give_the_same_output_in_the_sandbox() -> None:
    folder = bench_data("analytical")
    run = CliRunner().invoke(
        main, ["analytical", "--data", str(folder), "--cases", "4", "--json"], catch_exceptions=False
    )
    assert json.loads(run.stdout)["programs"]["auto"] == {"same output": 4}
