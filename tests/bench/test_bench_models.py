"""Each suite that lets a model answer, on a small set in its format: by recorded replies, and live within a budget."""

import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from click.testing import CliRunner, Result

from support.bench_samples import (
    alerts_sample,
    analytical_sample,
    beam_sample,
    locomo_sample,
    longmemeval_sample,
    reader_reply,
    realmem_sample,
    reply_to_file,
)
from support.fake_vendor_server import Act, loopback, no_proxy, of_model, well
from uac.models import price
from uac_bench import main
from uac_bench.bench_all import planned_suites
from uac_bench.conversations.lives import Life
from uac_bench.conversations.replay import Score
from uac_bench.harness import OURS
from uac_bench.runs import BenchRun, load_runs

MODEL = "openai-chat:gpt-4o"


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def answered_by_files(suite: str, data: Path, folder: Path) -> BenchRun:
    """The run after the reader has answered all requests through files."""
    exchange, runs = folder / "exchange", folder / "runs"
    for _round in range(6):
        ended = bench(suite, "--data", str(data), "--exchange", str(exchange), "--out", str(runs))
        if ended.exit_code == 0:
            break
        assert ended.exit_code == 7
        for request in exchange.glob("*.request.md"):
            reply_to_file(request)
    assert ended.exit_code == 0
    (run,) = load_runs(runs)
    assert (run.model, run.is_live) == ("exchange", False)
    return run


@pytest.mark.parametrize(
    ("sample", "suite", "verdicts"),
    [
        (longmemeval_sample, "answers-longmemeval", ["right", "right"]),
        (beam_sample, "answers-beam", ["right", "right"]),
        (realmem_sample, "answers-realmem", ["right"]),
        (locomo_sample, "answers-locomo", ["right", "wrong"]),
    ],
)
def test_questions_of_every_format_are_answered_from_recorded_replies(
    tmp_path: Path, sample: Callable[[Path], Path], suite: str, verdicts: list[str]
) -> None:
    run = answered_by_files("answers", sample(tmp_path / "data"), tmp_path)
    assert run.suite == suite
    assert [item.verdict for item in run.items if item.system == OURS] == verdicts
    assert len({item.system for item in run.items}) > 3


def test_aggregates_are_computed_by_a_model_from_recorded_replies_and_scored_strictly(tmp_path: Path) -> None:
    run = answered_by_files("analytical", analytical_sample(tmp_path / "data"), tmp_path)
    assert {item.id: (item.verdict, item.given) for item in run.items} == {
        "count": ("right", "2"),
        "wrong": ("wrong", "2"),
    }


def test_dangers_are_learned_from_recorded_replies_and_detection_time_and_false_alarms_are_judged_apart(
    tmp_path: Path,
) -> None:
    run = answered_by_files("alerts", alerts_sample(tmp_path / "data"), tmp_path)
    assert run.suite == "alerts-model"
    assert {item.id: (item.verdict, item.why) for item in run.items} == {
        "seen/detected": ("right", ""),
        "seen/in the due session": ("right", ""),
        "seen/no false alarm": ("right", ""),
        "missed/detected": ("wrong", "no alert"),
        "missed/in the due session": ("wrong", "never raised"),
        "missed/no false alarm": ("right", ""),
        "other/detected": ("wrong", "the best message lacks cat"),
        "other/in the due session": ("wrong", "never raised"),
        "other/no false alarm": ("wrong", "session 3: drug_allergy"),
    }


def test_a_user_is_learned_from_recorded_replies_and_what_was_not_learned_is_wrong(tmp_path: Path) -> None:
    exchange, runs = tmp_path / "exchange", tmp_path / "runs"
    arguments = ("conversations", "--users", "1", "--sessions", "2", "--exchange", str(exchange), "--out", str(runs))
    for _round in range(40):
        if bench(*arguments).exit_code != 7:
            break
        for request in exchange.glob("*.request.md"):
            Path(str(request).replace(".request.md", ".reply.txt")).write_text('{"facts": []}')
    (run,) = load_runs(runs)
    assert (run.suite, run.model) == ("conversations-model", "exchange")
    assert "wrong" in {item.verdict for item in run.items}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set for every suite that needs a model."""
    folder = tmp_path_factory.mktemp("data")
    for sample in (analytical_sample, alerts_sample, locomo_sample, longmemeval_sample, beam_sample, realmem_sample):
        sample(folder)
    return folder


class LiveRun(NamedTuple):
    ended: Result
    runs: Path
    calls: int
    """The calls that the vendor got."""


@pytest.fixture(scope="module")
def whole(data: Path, tmp_path_factory: pytest.TempPathFactory) -> LiveRun:
    """A run whose budget pays for everything."""
    runs = tmp_path_factory.mktemp("live") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        return LiveRun(*live_run(data, runs, "5 USD", patch))


def vendor_reply(path: str, body: Any, _act: Act) -> bytes:
    """A vendor's answer in the form of its API, with what the reader replies."""
    return of_model(path, body, well(reader_reply("\n".join(str(each["content"]) for each in body["messages"]))))


ONLY = ("--only", "analytical", "--only", "answers")


def live_run(data: Path, runs: Path, budget: str, monkeypatch: pytest.MonkeyPatch) -> LiveRun:
    """A run of some suites with a model of the price list."""
    no_proxy(monkeypatch)
    with loopback(vendor_reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        ended = bench("all", "--data", str(data), "--model", MODEL, "--budget", budget, "--out", str(runs), *ONLY)
        return LiveRun(ended, runs, len(server.asked))


def test_a_run_with_a_model_has_every_suite_that_needs_one_and_then_all_others_in_short(data: Path) -> None:
    planned = list(planned_suites(data, quick=False, with_model=True))
    asked = [(each.arguments[0], Path(each.data).name) for each in planned if each.asks_model]
    sets = [("answers", name) for name in ("locomo", "longmemeval", "beam", "realmem")]
    assert asked == [("analytical", "analytical"), ("alerts", "alerts"), ("conversations", ""), *sets]
    assert planned[len(asked) :] == list(planned_suites(data, quick=True, with_model=False))
    assert len({each.title for each in planned}) == len(planned)


def test_a_run_within_its_budget_in_usd_says_what_it_cost_and_that_it_was_live(whole: LiveRun, tmp_path: Path) -> None:
    ended, folder, calls = whole
    assert ended.exit_code == 0, ended.output
    call = price(MODEL, 120, 30)
    assert call is not None
    assert f"{calls} calls, {calls * 150:,} tokens, {(calls * call).normalize():f} USD" in ended.stdout
    runs = load_runs(folder)
    assert [run.suite for run in runs] == [
        "analytical-model",
        "analytical",
        "answers-beam",
        "answers-locomo",
        "answers-longmemeval",
        "answers-realmem",
    ]
    live = [run for run in runs if run.suite != "analytical"]
    assert {(run.model, run.is_live) for run in live} == {(MODEL, True)}
    assert [(run.model, run.is_live) for run in runs if run not in live] == [("", False)]
    costs = [row for run in live[1:] for table in run.tables for row in table.rows if row[0] == "calls"]
    assert 0 < sum(int(count) for _calls, count in costs) < calls  # each has its own, and analytical the rest
    made = bench("report", str(folder), "--out", str(tmp_path / "page"))
    assert made.exit_code == 0
    page = (tmp_path / "page" / "index.html").read_text()
    assert "Figures from live models" in page
    assert f"live model: {MODEL}" in page


def test_a_budget_in_usd_is_never_exceeded_and_the_items_beyond_it_are_failed(
    data: Path, whole: LiveRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = Decimal("0.12")  # a fifth of it pays for some calls
    ended, runs, calls = live_run(data, tmp_path / "runs", f"{budget} USD", monkeypatch)
    call = price(MODEL, 120, 30)
    assert call is not None
    assert 0 < calls < whole.calls
    assert calls * call <= budget
    paid, cut = (
        {(run.suite, item.system, item.id): item for run in load_runs(folder) for item in run.items}
        for folder in (whole.runs, runs)
    )
    assert {item.verdict for item in paid.values()} == {"right", "wrong"}
    assert list(cut) == list(paid)
    failed = [item for item in cut.values() if item.verdict == "failed"]
    assert failed
    assert all(item.given == "" and "would be exceeded" in item.why for item in failed)
    assert ended.exit_code == 0
    answered = {suite for (suite, _system, _id), item in cut.items() if item.verdict != "failed"}
    assert answered == {suite for suite, _system, _id in cut}  # each has its part of the budget


def test_suites_of_a_live_run_that_have_ended_are_not_paid_for_again_when_it_is_continued(
    data: Path, whole: LiveRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["uac_bench.bench_all"]
    run_suite, ran = module.run_suite, list[str]()

    def stop_at_third(context: Any, arguments: Any, models: Any) -> str:
        ran.append(Path(arguments[arguments.index("--data") + 1]).name if "--data" in arguments else arguments[0])
        if len(ran) == 3:
            raise KeyboardInterrupt
        return cast("str", run_suite(context, arguments, models))

    with monkeypatch.context() as patch:
        patch.setattr(module, "run_suite", stop_at_third)
        before = live_run(data, tmp_path / "runs", "5 USD", patch)
        after = live_run(data, tmp_path / "runs", "5 USD", patch)
    sets = ["analytical", "locomo", "longmemeval"]
    assert ran == [*sets, "longmemeval", "beam", "realmem", "analytical", "report"]
    assert before.calls + after.calls == whole.calls
    assert after.ended.stdout.splitlines()[-2:] == [
        line.replace(str(whole.runs), str(after.runs)) for line in whole.ended.stdout.splitlines()[-2:]
    ]


def silent_reply(path: str, body: Any, _act: Act) -> bytes:
    """A vendor's answer of a model that notes nothing and knows nothing."""
    request = "\n".join(str(each["content"]) for each in body["messages"])
    nothing = (
        '{"facts": []}' if "# extract" in request else '{"answer": "", "known": false, "records": [], "quotes": []}'
    )
    return of_model(path, body, well(nothing))


def test_users_that_the_budget_no_longer_pays_for_have_failed_items_and_the_others_keep_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_proxy(monkeypatch)
    arguments = ("conversations", "--users", "3", "--sessions", "2", "--model", MODEL)
    runs = {}
    with loopback(silent_reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        for name, budget in (("whole", "9000000 tokens"), ("cut", "12000 tokens")):
            ended = bench(*arguments, "--budget", budget, "--out", str(tmp_path / name))
            assert ended.exit_code == 0
            (runs[name],) = load_runs(tmp_path / name)
    whole, cut = ({item.id: item for item in runs[name].items} for name in ("whole", "cut"))
    assert list(cut) == list(whole)
    failed = {name.partition("/")[0] for name, item in cut.items() if item.verdict == "failed"}
    assert "user 3" in failed
    assert "user 1" not in failed
    assert all("budget" in item.why for item in cut.values() if item.verdict == "failed")
    assert all(item == whole[name] for name, item in cut.items() if name.startswith("user 1/"))


def test_an_interrupted_run_of_conversations_continues_after_the_last_user_who_was_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["uac_bench.bench_conversations"]  # as an attribute of the package, the name is the command's
    replay, played = module.replay, list[str]()

    def stop_at_second(life: Life, model_of: Any) -> Score:
        played.append(life.language)
        if len(played) == 2:
            raise KeyboardInterrupt
        return cast("Score", replay(life, model_of))

    monkeypatch.setattr(module, "replay", stop_at_second)
    arguments = ("conversations", "--users", "2", "--sessions", "2", "--out", str(tmp_path / "runs"))
    assert CliRunner().invoke(main, arguments).exit_code == 1
    assert bench(*arguments).exit_code == 0
    assert played == ["en", "de", "de"]
    (run,) = load_runs(tmp_path / "runs")
    assert {item.id.partition("/")[0] for item in run.items} == {"user 1", "user 2"}
    assert {item.system for item in run.items} == {OURS}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "served", "--budget", "5 USD"), "The price of served is unknown. Give --budget in tokens"),
        (("--model", MODEL, "--budget", "5 euros"), "--budget is '5 euros'. Use tokens or money"),
        (("--exchange", "folder", "--budget", "5 USD"), "An exchange has no price"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused_before_the_first_call(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.delenv("UAC_PRICE", raising=False)
    ended = bench("all", "--data", str(data), *arguments, "--out", str(tmp_path / "runs"))
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())
    assert not (tmp_path / "runs").exists()
