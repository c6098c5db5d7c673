"""uac-bench start measures every command next to Python alone."""

import json

from click.testing import CliRunner

from uac_bench.bench_start import COMMANDS, PYTHON, bench_start


def test_every_command_is_compared_with_python_alone() -> None:
    done = CliRunner().invoke(bench_start, ["--rounds", "1", "--json"])
    assert done.exit_code == 0, done.output
    costs = {each["command"]: each for each in json.loads(done.stdout)["commands"]}
    assert [*costs] == [PYTHON, *COMMANDS]
    assert costs[PYTHON]["ratio"] == 1
    assert all(each["ratio"] == each["least"] / costs[PYTHON]["least"] for each in costs.values())
