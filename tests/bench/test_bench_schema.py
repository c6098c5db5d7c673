"""uac-bench schema and ablation: nothing breaks unseen, and each part is compared with its absence."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from uac_bench import main
from uac_bench.runs import load_runs


def test_no_rule_breaks_without_a_word_when_its_types_change(tmp_path: Path) -> None:
    run = CliRunner().invoke(main, ["schema", "--rules", "4", "--seed", "3", "--json", "--out", str(tmp_path)])
    found = json.loads(run.stdout)
    assert (found["unseen"], found["replay_differs"], run.exit_code) == ([], [], 0)
    changes = {kind: sum(outcomes.values()) for kind, outcomes in found["changes"].items()}
    assert changes["rename"] == changes["retire"] == changes["add"] == 4
    assert found["changes"]["add"]["alert stays"] == 4  # one more field is harmless
    assert sum(outcomes["refused"] for outcomes in found["changes"].values()) > 0
    assert len(load_runs(tmp_path)[0].items) == sum(changes.values())


@pytest.mark.slow
def test_each_part_is_compared_with_its_absence(tmp_path: Path) -> None:
    CliRunner().invoke(main, ["ablation", "--records", "200", "--out", str(tmp_path)], catch_exceptions=False)
    (run,) = load_runs(tmp_path)
    worth = {row[0]: float(row[4].rstrip("%")) for row in run.tables[0].rows}
    assert worth["typed state"] > 0
    assert worth["grounding checks"] > 50
    assert worth["second look"] > 5
    assert {"constraints", "channel words", "channel meaning"} <= set(worth)
