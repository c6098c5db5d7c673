"""uac-bench start measures every command next to Python alone, and the first use of every pack."""

import json

from click.testing import CliRunner

from uac_bench.bench_start import COMMANDS, PACK_RECORDS, PYTHON, bench_start


def test_every_command_is_compared_with_python_alone_and_every_pack_with_its_second_record() -> None:
    done = CliRunner().invoke(bench_start, ["--rounds", "1", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    costs = {each["command"]: each for each in found["commands"]}
    assert [*costs] == [PYTHON, *COMMANDS]
    assert costs[PYTHON]["ratio"] == 1
    assert all(each["ratio"] == each["least"] / costs[PYTHON]["least"] for each in costs.values())
    assert [each["pack"] for each in found["packs"]] == [*PACK_RECORDS]
    assert all(each["again"] > 0 and each["ratio"] == each["least"] / each["again"] for each in found["packs"])
