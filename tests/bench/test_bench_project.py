"""The command `uac-bench project`, run for real but small. What it measures is never asserted: machines differ."""

import json
from itertools import islice, pairwise
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from uac.sandbox import available
from uac_bench.bench_project import ProjectLatency, ProjectReport, ProjectStep, bench_project
from uac_bench.measure import in_turns, percentile_95
from uac_bench.purchases import QUERIES, TYPE, copy_purchases, endless_purchases, purchase_fields

STEPS = ["open", "add a fact", "project() after it", "checkpoint of one put", "project() after that"]


def bench(*arguments: str) -> str:
    result = CliRunner().invoke(bench_project, ["--quick", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bench")
    report: dict[str, Any] = json.loads(bench("--json", "--folder", str(folder)))
    assert f"databases in {folder}" in report["notes"][0]
    assert list(folder.iterdir()) == []
    return report


@pytest.fixture(scope="module")
def engines(report: dict[str, Any]) -> list[str]:
    """Those of this machine that could be opened, and the choice between them."""
    return [
        name
        for name in (*available(), "auto")
        if not any(f"{name} is not measured" in note for note in report["notes"])
    ]


def test_every_query_is_measured_cold_and_warm_in_every_engine_at_every_size(
    report: dict[str, Any], engines: list[str]
) -> None:
    assert report["sizes"] == [20, 200]
    assert [(each["records"], each["query"], each["state"], each["engine"]) for each in report["compute"]] == [
        (records, query, state, engine)
        for records in (20, 200)
        for query in ("tiny", "sum", "group by")
        for state in ("cold", "warm")
        for engine in engines
    ]
    for each in report["compute"]:
        assert 0 < each["p50"] <= each["p95"]
        assert each["ratio"] == each["p50"] / each["plain"]


def test_reading_folding_and_rendering_are_measured_with_their_growth(report: dict[str, Any]) -> None:
    costs = report["costs"]
    opening = ("read", "fold", "read and fold", "store a snapshot", "open from it", "read its records")
    steps = (*opening, "store older ones", "as of an earlier time", "retract a late entry", "render")
    assert [(each["what"], each["records"]) for each in costs] == [(what, size) for what in steps for size in (20, 200)]
    for small, large in pairwise(costs):
        if small["what"] == large["what"]:
            assert small["seconds_tenfold"] is None
            assert large["seconds_tenfold"] == pytest.approx(large["seconds"] / small["seconds"])
            if small["what"] == "fold":
                assert (small["bytes"], large["bytes"], large["bytes_tenfold"]) == (None, None, None)
            elif small["bytes"] and large["bytes"]:
                assert large["bytes_tenfold"] == pytest.approx(large["bytes"] / small["bytes"])


def test_one_more_fact_is_compared_for_few_and_many_records_and_the_goal_is_judged(
    report: dict[str, Any], engines: list[str]
) -> None:
    computing = [f"compute after that, {name}" for name in engines]
    assert [each["what"] for each in report["steps"]] == [*STEPS, *computing, "one fact in all"]
    assert [each["at_most"] for each in report["steps"]] == [None] * (len(STEPS) + len(computing)) + [2.0]
    for each in report["steps"]:
        assert each["ratio"] == each["many"] / each["few"]
        assert each["grows"] == (each["ratio"] > 2)
        assert each["met"] == (None if each["at_most"] is None else each["ratio"] <= 2)


def test_people_see_the_three_tables_what_grows_and_whether_the_goal_is_met(
    report: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = msgspec.convert(report, ProjectReport)
    monkeypatch.setattr("uac_bench.bench_project.measure_project", lambda *_: measured)
    text = bench()
    rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    assert [row[0] for row in rows] == [
        *["compute"] * len(report["compute"]),
        *["cost"] * len(report["costs"]),
        *["step"] * len(report["steps"]),
    ]
    assert rows[-1][-1] in ("at most 2: met", "at most 2: not met")
    assert "Grows with history:" in text
    assert "Goal, one fact in all within 2 times:" in text
    assert "This was a quick run" in text


def test_a_folder_that_is_not_there_is_refused() -> None:
    result = CliRunner().invoke(bench_project, ["--folder", "/nowhere"])
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_ratios_are_to_plain_python_and_to_the_user_with_few_records() -> None:
    latency = ProjectLatency(records=500, query="sum", engine="monty", state="warm", p50=0.006, p95=0.009, plain=0.002)
    assert latency.ratio == pytest.approx(3)
    steps = [ProjectStep(what="open", few=1, many=many, at_most=2.0) for many in (1, 2, 3)]
    assert [(step.ratio, step.grows, step.met) for step in steps] == [
        (1, False, True),
        (2, False, True),
        (3, True, False),
    ]


def test_contestants_take_turns_and_what_comes_after_is_not_theirs() -> None:
    happened: list[str] = []
    seconds = in_turns(
        [lambda: happened.append("ours"), lambda: happened.append("theirs")],
        rounds=2,
        after=lambda: happened.append("after"),
    )
    assert happened == ["ours", "after", "theirs", "after"] * 2
    assert [len(taken) for taken in seconds] == [2, 2]


def test_p95_is_the_longest_of_few_and_leaves_out_one_in_twenty_of_many() -> None:
    assert percentile_95([3, 1, 2]) == 3
    assert percentile_95(range(1, 21)) == 19
    assert percentile_95(range(1, 101)) == 95


def test_purchases_repeat_themselves_by_their_seed_and_have_the_fields_of_their_type() -> None:
    bought = list(islice(endless_purchases(), 100))
    assert bought == list(islice(endless_purchases(), 100)) == copy_purchases(bought)
    assert bought != list(islice(endless_purchases(seed=2), 100))
    assert [*purchase_fields(bought[0])] == [field.name for field in TYPE.fields]


def test_the_plain_queries_add_up() -> None:
    bought = list(islice(endless_purchases(), 100))
    assert QUERIES["tiny"][1](bought) == 2
    assert QUERIES["sum"][1](bought) == sum(each.quantity for each in bought)
    assert QUERIES["group by"][1](bought) == {
        channel: sum(each.cost.amount for each in bought if each.channel == channel)
        for channel in ("shop", "online", "market")
    }
