"""uac-bench first-alert plays the three ways to start, up to the alert."""

import json

from click.testing import CliRunner

from uac_bench.bench_first_alert import bench_first_alert


def test_each_way_ends_with_the_alert_and_its_commands_are_counted() -> None:
    done = CliRunner().invoke(bench_first_alert, ["--here", "--json"])
    assert done.exit_code == 0, done.output
    ways = {way["name"]: way for way in json.loads(done.stdout)["ways"]}
    assert {name: way["commands"] for name, way in ways.items()} == {"agent": 1, "key": 2, "nothing": 2}
    assert [step["command"] for step in ways["agent"]["steps"]] == ["uac setup cursor --user me", "remember"]


def test_one_way_can_be_chosen_and_each_step_is_announced() -> None:
    done = CliRunner().invoke(bench_first_alert, ["--here", "--way", "nothing"])
    assert done.exit_code == 0, done.output
    assert [line.split(":")[0] for line in done.stdout.splitlines() if ": 2 commands" in line] == ["nothing"]
    assert [line.removesuffix(" …") for line in done.stderr.splitlines()] == [
        "nothing: uac put me health.Allergy substance=Penicillin reaction=hives",
        "nothing: uac put me health.Medication name=Amoxicillin",
    ]
