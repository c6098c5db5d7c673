"""uac-bench alerts: how scenarios are played and judged, on a made-up club; and the real suite, if its data is there."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from support.bench_data import bench_data
from uac.interfaces.cli.output import Output
from uac.packs import Pack, load_pack
from uac.sandbox import shared_sandbox
from uac.schema import Amend, End, Json, Put
from uac_bench import main
from uac_bench.alert_cases import AlertCase, CaseSession, ExpectedAlert, read_recorded_scores
from uac_bench.alert_playing import AlertVerdict, Played, judge_case, play_case
from uac_bench.alert_speed import AlertScale, measure_alert_speed
from uac_bench.scenarios import Scenario, Step, load_scenarios

PACK = {
    "pack.toml": 'name = "club"\nversion = "1"\ndate = "2026-01-01"\nsummary = "A club."\n',
    "types.py": '''\
@many("name")
class Member:
    """A membership."""

    name: str
    paid_until: date


@event()
class Visit:
    """A visit to the club."""

    day: date
    hours: int | None
''',
    "constraints/unpaid_visit.py": '''\
def unpaid_visit(user, now):
    """A visit after the last day that is paid for."""
    return [
        warning(f"{m.name} is paid until {m.paid_until}, but the visit is on {v.day}. Renew it.", m, v)
        for m in user.club.members
        for v in user.club.visits
        if v.day > m.paid_until
    ]


CASES = [
    fires("after", date(2026, 1, 1), club.Member(name="gym", paid_until=date(2026, 1, 5)), club.Visit(day=date(2026, 1, 6))),
    silent("on the day", date(2026, 1, 1), club.Member(name="gym", paid_until=date(2026, 1, 5)), club.Visit(day=date(2026, 1, 5))),
]
''',
    "constraints/long_visit.py": '''\
def long_visit(user, now):
    """A visit of more than nine hours; exactly nine break it."""
    return [info(f"{v.hours} hours on {v.day}", v) for v in user.club.visits if v.hours is not None and 9 // (v.hours - 9) >= 0]


CASES = [
    fires("ten", date(2026, 1, 1), club.Visit(day=date(2026, 1, 6), hours=10)),
    silent("two", date(2026, 1, 1), club.Visit(day=date(2026, 1, 6), hours=2)),
]
''',
    "constraints/paid_no_more.py": '''\
def paid_no_more(user, now):
    """A membership that is over."""
    return [info(f"{m.name} was paid until {m.paid_until}", m) for m in user.club.members if is_past(m.paid_until, now)]


CASES = [
    fires("over", date(2026, 1, 6), club.Member(name="gym", paid_until=date(2026, 1, 5))),
    silent("the last day", date(2026, 1, 5), club.Member(name="gym", paid_until=date(2026, 1, 5))),
]
''',
}


def put(type_name: str, **fields: Json) -> Put:
    return Put(type=type_name, fields=fields)


RUBRIC = {"both": ["2026-03-31.*2026-04-02", "2026-04-02.*2026-03-31"], "action": ["pay again", "renew"]}
MEMBER = put("club.Member", name="Gym", paid_until="2026-03-31")
VISIT = put("club.Visit", day="2026-04-02")


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pack, ...]:
    folder = tmp_path_factory.mktemp("packs") / "club"
    for name, text in PACK.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return (load_pack(folder),)


def case(
    days: Sequence[str] = ("2026-03-01", "2026-03-10"), rubric: dict[str, tuple[str, ...]] | None = None
) -> AlertCase:
    """A scenario of the suite's form with a session on each day; the last is the trigger."""
    sessions = tuple(CaseSession(str(number), day, f"Something I say on {day}.") for number, day in enumerate(days, 1))
    return AlertCase("club_01", "standard", sessions, sessions[-1].session_id, ExpectedAlert("critical"), rubric)


def verdict(packs: tuple[Pack, ...], scenario: Scenario, played: AlertCase | None = None) -> AlertVerdict:
    played = played or case()
    return judge_case(played, scenario, play_case(played, scenario, packs, shared_sandbox()))


def constraints(*groups: Any) -> list[list[str]]:
    return [[alert.constraint for alert in group] for group in groups]


# -- the suite ---------------------------------------------------------------------------------------------------------


def test_a_session_is_at_noon_unless_it_says_a_time() -> None:
    moments = [CaseSession("1", text, "").moment.isoformat() for text in ("2026-03-01", "2026-03-01T09:15:00-04:00")]
    assert moments == ["2026-03-01T12:00:00+00:00", "2026-03-01T09:15:00-04:00"]


# -- playing and judging -----------------------------------------------------------------------------------------------


def test_an_alert_in_the_trigger_session_that_matches_every_group_has_fired(packs: tuple[Pack, ...]) -> None:
    judged = verdict(packs, Scenario({1: [MEMBER], 2: [VISIT]}, RUBRIC))
    assert (judged.status, judged.matched_severities, judged.gold) == ("fired", "warning", "critical")
    assert constraints(judged.matched, judged.early, judged.others) == [["unpaid_visit"], [], []]
    assert judged.matched[0].message == "Gym is paid until 2026-03-31, but the visit is on 2026-04-02. Renew it."


def test_the_rubric_of_the_suite_goes_before_ours(packs: tuple[Pack, ...]) -> None:
    judged = verdict(
        packs, Scenario({1: [MEMBER], 2: [VISIT]}, RUBRIC), case(rubric={"who": ("gym",), "where": ("oslo",)})
    )
    assert (judged.status, judged.suites, judged.lacks) == ("missed", ("standard", "frozen"), ("where",))


def test_one_message_must_match_all_groups(packs: tuple[Pack, ...]) -> None:
    rubric = {"hours": ["10 hours"], "paid": ["paid until"]}
    judged = verdict(packs, Scenario({1: [MEMBER], 2: [put("club.Visit", day="2026-04-02", hours=10)]}, rubric))
    assert (judged.status, judged.lacks) == ("missed", ("hours",))


def test_an_alert_before_the_trigger_is_early_even_if_it_stands_there(packs: tuple[Pack, ...]) -> None:
    judged = verdict(packs, Scenario({1: [MEMBER, VISIT]}, RUBRIC))
    assert judged.status == "early"
    assert constraints(judged.early, judged.matched) == [["unpaid_visit"], ["unpaid_visit"]]


def test_time_that_passes_up_to_a_session_belongs_to_it(packs: tuple[Pack, ...]) -> None:
    scenario = Scenario({1: [MEMBER]}, {"over": ["was paid until"]})
    assert verdict(packs, scenario, case(["2026-03-01", "2026-04-01"])).status == "fired"
    assert verdict(packs, scenario, case(["2026-03-01", "2026-04-01", "2026-04-02"])).status == "early"


def test_sessions_may_lie_in_the_future_of_whoever_plays_them(packs: tuple[Pack, ...]) -> None:
    member = put("club.Member", name="Gym", paid_until="2198-03-31")
    scenario = Scenario({1: [member]}, {"over": ["was paid until"]})
    assert verdict(packs, scenario, case(["2198-03-01", "2198-04-01"])).status == "fired"


def test_another_constraint_beside_is_spurious_unless_the_argument_names_it(packs: tuple[Pack, ...]) -> None:
    steps: dict[int, list[Step]] = {1: [MEMBER], 2: [put("club.Visit", day="2026-04-02", hours=10)]}
    blamed = verdict(packs, Scenario(steps, RUBRIC, argument="a long_visits is not it"))
    defended = verdict(packs, Scenario(steps, RUBRIC, argument="long_visit is right, too."))
    assert (blamed.status, defended.status) == ("fired", "fired")
    assert constraints(blamed.others, blamed.spurious) == [["long_visit"], ["long_visit"]]
    assert constraints(defended.others, defended.spurious) == [["long_visit"], []]


def test_an_alert_that_lacks_a_group_is_missed_and_spurious(packs: tuple[Pack, ...]) -> None:
    judged = verdict(packs, Scenario({1: [MEMBER], 2: [VISIT]}, {"both": ["2026-04-02"], "oslo": ["oslo"]}))
    assert (judged.status, judged.lacks) == ("missed", ("oslo",))
    assert constraints(judged.spurious) == [["unpaid_visit"]]


def test_silence_is_right_where_it_is_expected_and_only_there(packs: tuple[Pack, ...]) -> None:
    quiet = {1: [MEMBER], 2: [put("club.Visit", day="2026-03-31")]}
    loud = {1: [MEMBER], 2: [VISIT]}
    assert verdict(packs, Scenario(quiet, expects_silence=True)).status == "silent"
    assert verdict(packs, Scenario(loud, expects_silence=True)).status == "missed"
    assert verdict(packs, Scenario(quiet, RUBRIC)).status == "missed"
    assert verdict(packs, Scenario(quiet, uncovered="no pack knows")).status == "uncovered"
    assert verdict(packs, Scenario(loud, RUBRIC, uncovered="or does it?")).status == "fired"


def test_records_are_amended_and_ended_by_key_or_by_number(packs: tuple[Pack, ...]) -> None:
    renewed: dict[int, list[Step]] = {
        1: [MEMBER],
        2: [Amend(record="club.Member:gym", fields={"paid_until": "2026-12-31"}), VISIT],
    }
    cancelled: dict[int, list[Step]] = {1: [VISIT], 2: [End(record="club.Visit:#1", when="2026-03-10"), MEMBER]}
    for sessions in (renewed, cancelled):
        assert verdict(packs, Scenario(sessions, expects_silence=True)).status == "silent"


@pytest.mark.parametrize(
    ("scenario", "why"),
    [
        (Scenario({1: [put("club.Member", name="Gym")]}, RUBRIC), "session 1: "),
        (Scenario({1: [End(record="club.Visit:#1", when="2026-03-10")]}, RUBRIC), "session 1: "),
        (Scenario({7: [MEMBER]}, RUBRIC), "no session 7"),
        (Scenario({1: [MEMBER]}), "no rubric"),
        (
            Scenario({1: [put("club.Visit", day="2026-04-02", hours=9)]}, RUBRIC),
            "The rule long_visit could not check club.Visit:",
        ),
    ],
)
def test_what_cannot_be_played_is_broken_and_says_why(packs: tuple[Pack, ...], scenario: Scenario, why: str) -> None:
    judged = verdict(packs, scenario)
    assert judged.status == "broken"
    assert why in " ".join(judged.broken)


def test_a_scenario_that_nobody_wrote_is_missed() -> None:
    judged = judge_case(case(), None, Played(()))
    assert (judged.status, judged.broken) == ("missed", ("nobody has written its records yet",))


# -- the command -------------------------------------------------------------------------------------------------------


def invoke(
    folder: Path, monkeypatch: pytest.MonkeyPatch, packs: tuple[Pack, ...], scenario: Scenario, *arguments: str
) -> Result:
    sessions = [
        {"session_id": each.session_id, "timestamp": each.timestamp, "user_text": each.user_text}
        for each in case().sessions
    ]
    told = {"id": "club_01", "suite": "standard", "sessions": sessions, "trigger_session_id": "2", "v21_rubric": None}
    data = {"meta": {}, "scenarios": [{**told, "expected_alert": {"severity": "critical"}}]}
    (folder / "scenarios.json").write_text(json.dumps(data))
    module = sys.modules["uac_bench.bench_alerts"]  # as an attribute of the package, the name is the command's
    monkeypatch.setattr(module, "load_scenarios", lambda: {"club_01": scenario})
    monkeypatch.setattr(module, "chosen_packs", lambda _names: packs)
    return CliRunner().invoke(main, ["alerts", "--data", str(folder), *arguments])


def test_the_command_counts_by_suite_and_succeeds_if_nothing_is_early_or_spurious(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packs: tuple[Pack, ...]
) -> None:
    result = invoke(tmp_path, monkeypatch, packs, Scenario({1: [MEMBER], 2: [VISIT]}, RUBRIC), "--verbose")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1] == "part\tscenarios\tfired\tmissed\tuncovered\tsilent\tearly\tspurious\tbroken"
    assert lines[2] == "standard\t1\t1\t0\t0\t0\t0\t0\t0"
    assert "club_01\tfired\twarning/critical\tunpaid_visit\t" in lines
    assert (
        "  club_01 says: warning unpaid_visit: Gym is paid until 2026-03-31, but the visit is on 2026-04-02. Renew it."
        in lines
    )


def test_the_command_fails_and_shows_every_message_if_an_alert_is_spurious(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packs: tuple[Pack, ...]
) -> None:
    scenario = Scenario({1: [MEMBER], 2: [put("club.Visit", day="2026-04-02", hours=10)]}, RUBRIC)
    result = invoke(tmp_path, monkeypatch, packs, scenario)
    assert result.exit_code == 1
    assert "  club_01 SPURIOUS: info long_visit: 10 hours on 2026-04-02\n" in result.stdout
    found = json.loads(invoke(tmp_path, monkeypatch, packs, scenario, "--json").stdout)
    assert [(suite["suite"], suite["fired"], suite["spurious"]) for suite in found["suites"]] == [
        ("standard", 1, 1),
        ("hard", 0, 0),
        ("frozen", 0, 0),
    ]
    assert found["speed"] is None


def test_a_scenario_that_is_not_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packs: tuple[Pack, ...]
) -> None:
    result = invoke(tmp_path, monkeypatch, packs, Scenario({}), "--only", "club_99")
    assert (result.exit_code, "No scenario 'club_99'" in result.stderr) == (2, True)


def test_baselines_are_read_from_the_data_or_named_with_their_source(tmp_path: Path) -> None:
    runs = {"v3": {"model": "m", "uac_passed": 3, "uac_total": 4, "baselines_passed": {"full_context": 2}}}
    (tmp_path / "recorded_programs.json").write_text(json.dumps({"runs": runs}))
    assert [(each.system, each.passed, each.of) for each in read_recorded_scores(tmp_path)] == [
        ("v3 (m), tuned on these", 3, 4),
        ("full context", 2, 4),
    ]
    assert {each.source for each in read_recorded_scores(tmp_path / "nothing")} == {"the README of the evaluation data"}


# -- speed -------------------------------------------------------------------------------------------------------------


def test_a_put_runs_one_constraint_and_ticks_raise_what_is_due() -> None:
    speed = measure_alert_speed(AlertScale.for_size(records=100, users=10), Output(as_json=True))
    assert [(wait.constraints, wait.ran) for wait in speed.waits] == [
        (0, 0),
        (10, 1),
        (0, 0),
        (10, 1),
        (10, 1),
        (100, 1),
    ]
    assert [(ticked.users, ticked.changes) for ticked in speed.ticks[:3]] == [(9, 0), (10, 1), (10, 20)]
    for wait in speed.waits:
        assert 0 < wait.p50 <= wait.p99 <= wait.longest


def test_speed_is_measured_without_scenarios_and_nothing_is_not_a_run() -> None:
    result = CliRunner().invoke(main, ["alerts", "--speed", "--records", "100", "--users", "10", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["suites"], found["recorded"], found["scenarios"]) == ([], [], [])
    assert any(note.startswith("Goal on a quiet machine, p50 at most 3 ms") for note in found["speed"]["notes"])
    refused = CliRunner().invoke(main, ["alerts"])
    assert (refused.exit_code, "Give --data FOLDER, --controls, or --speed" in refused.output) == (2, True)


# -- the real suite ----------------------------------------------------------------------------------------------------


def test_the_suite_has_no_early_and_no_spurious_alert_and_every_scenario_can_be_played() -> None:
    folder = bench_data("alerts")
    result = CliRunner().invoke(main, ["alerts", "--data", str(folder), "--json"])
    found = json.loads(result.stdout)
    wrong = {
        each["id"]: (each["early"], each["spurious"], each["broken"])
        for each in found["scenarios"]
        if each["early"] or each["spurious"] or each["broken"]
    }
    assert (wrong, result.exit_code) == ({}, 0)
    assert [(suite["suite"], suite["scenarios"]) for suite in found["suites"]] == [
        ("standard", 40),
        ("hard", 20),
        ("frozen", 17),
    ]


def test_every_scenario_of_the_suite_is_written_down() -> None:
    data = json.loads((bench_data("alerts") / "scenarios.json").read_text())
    assert sorted(load_scenarios()) == sorted(each["id"] for each in data["scenarios"])


def test_every_rule_of_the_packs_has_a_control_whose_near_miss_is_silent_and_whose_danger_is_not() -> None:
    run = CliRunner().invoke(main, ["alerts", "--controls", "--json"])
    found = json.loads(run.stdout)
    assert (found["uncontrolled"], found["wrong"], run.exit_code) == ([], [], 0)
    assert found["controls"] >= found["rules"] > 70
