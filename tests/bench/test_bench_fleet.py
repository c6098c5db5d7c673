"""uac-bench fleet measures a rule for many users beside a baseline."""

import json
from pathlib import Path

from click.testing import CliRunner

from uac.log.stores import open_store
from uac_bench.commands import bench_commands


def test_it_prints_the_speed_of_each_way_beside_the_baseline() -> None:
    result = CliRunner().invoke(bench_commands, ["fleet", "--users", "60", "--processes", "1", "--json"])
    assert result.exit_code == 0, result.output
    speeds = json.loads(result.stdout)["speeds"]
    assert [(each["what"], each["users"]) for each in speeds] == [
        ("baseline: compute, one by one", 60),
        ("cold, 1 process", 48),
        ("warm, 1 process", 48),
    ]
    assert all(each["rate"] > 0 for each in speeds)


def test_a_store_with_users_is_refused(tmp_path: Path) -> None:
    from uac.memory.memory import Memory

    path = str(tmp_path / "memory.db")
    Memory(open_store(path).log("ana")).add("Hello.")
    result = CliRunner().invoke(bench_commands, ["fleet", "--postgres", path])
    assert result.exit_code != 0
