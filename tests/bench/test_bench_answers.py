"""Suites that let a model answer: by files, and by a vendor's API on this machine."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from support.bench_samples import longmemeval_sample, reply_to_file
from support.fake_vendor_server import loopback, no_proxy, well
from uac_bench import main
from uac_bench.bench_all import planned_suites
from uac_bench.bench_answers import ALONE
from uac_bench.harness import OURS
from uac_bench.runs import BenchRun, load_runs


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two questions in the format of LongMemEval, of which one cannot be answered."""
    return longmemeval_sample(tmp_path / "data")


def answers(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["answers", "--data", str(data), *arguments], catch_exceptions=False)


def verdicts(run: BenchRun, system: str) -> dict[str, str]:
    return {item.id: item.verdict for item in run.items if item.system == system}


def test_anybody_can_answer_through_files_and_recorded_replies_repeat_the_run(data: Path, tmp_path: Path) -> None:
    exchange, runs = tmp_path / "exchange", tmp_path / "runs"
    arguments = ("--exchange", str(exchange), "--out", str(runs))
    for _round in range(4):  # an answer may take several requests
        ended = answers(data, *arguments)
        if ended.exit_code != 7:
            break
        for request in exchange.glob("*.request.md"):
            reply_to_file(request)
    assert ended.exit_code == 0
    (run,) = load_runs(runs)
    assert verdicts(run, OURS) == {"q1/0": "right", "q2_abs/0": "right"}
    assert verdicts(run, ALONE) == {"q1/0": "wrong", "q2_abs/0": "right"}
    assert verdicts(run, "BM25 (SQLite FTS5)") == {"q1/0": "right", "q2_abs/0": "right"}
    assert (run.model, run.is_live) == ("exchange", False)
    assert {"ask", "alone", "grade", "answer_from_context"} == set(run.prompts)
    answers(data, *arguments)
    (again,) = load_runs(runs)
    assert again.items == run.items


def test_a_reply_that_cannot_be_read_is_a_failure_and_no_text(data: Path, tmp_path: Path) -> None:
    exchange, runs = tmp_path / "exchange", tmp_path / "runs"
    answers(data, "--exchange", str(exchange), "--questions", "1")
    for request in exchange.glob("*.request.md"):
        Path(str(request).replace(".request.md", ".reply.txt")).write_text("I am sorry, I cannot.")
    answers(data, "--exchange", str(exchange), "--questions", "1", "--out", str(runs))
    (run,) = load_runs(runs)
    failed = [item for item in run.items if item.verdict == "failed"]
    assert failed
    assert all(item.given == "" and item.why for item in failed)


def test_all_asks_a_live_model_within_the_budget_and_says_that_it_was_live(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_proxy(monkeypatch)
    arguments = ["all", "--data", str(data.parent), "--only", "answers", "--model", "served", "--out", str(tmp_path)]
    with loopback() as server:
        monkeypatch.setenv("UAC_MODEL_URL", f"{server.address}/v1")
        monkeypatch.setenv("UAC_MODEL_KEY", "a-key")
        server.will(*[well(json.dumps({"answer": "", "known": False, "records": [], "quotes": []}))] * 40)
        CliRunner().invoke(main, [*arguments, "--budget", "2000 tokens"], catch_exceptions=False)
        asked = len(server.asked)
    (run,) = load_runs(tmp_path)
    assert (run.model, run.is_live) == ("served", True)
    assert 0 < asked < 12  # the budget ends the run early
    assert any(item.verdict == "failed" and "budget" in item.why.lower() for item in run.items)


def test_without_a_model_all_runs_every_suite_that_needs_none(data: Path) -> None:
    planned = {each.arguments[0] for each in planned_suites(data.parent, quick=True, with_model=False)}
    assert planned >= {"growth", "alerts", "schema", "ablation", "conversations", "time", "cost", "peers", "recall"}
    assert "answers" not in planned


def test_all_keeps_the_runs_and_names_a_suite_that_missed_its_goal(tmp_path: Path) -> None:
    arguments = ["all", "--quick", "--only", "dates", "--out", str(tmp_path)]
    ended = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert ended.exit_code == 0
    assert "1 of 1 suites ended well" in ended.stdout
    assert [run.suite for run in load_runs(tmp_path)] == ["dates"]


def test_a_user_can_be_learned_by_a_model_through_files(tmp_path: Path) -> None:
    arguments = ["conversations", "--users", "1", "--sessions", "2", "--exchange", str(tmp_path / "exchange")]
    ended = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert ended.exit_code == 7
    assert list((tmp_path / "exchange").glob("extract-*.request.md"))
