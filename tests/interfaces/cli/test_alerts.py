"""The commands of constraints and alerts, run as people run them."""

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from support.cli import interruptible
from uac.interfaces.cli import main
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.schema.patches import Put

LEASE = '''\
def lease_notice(user, now):
    """The notice of a lease must be given within thirty days."""
    found = []
    for lease in user.home.leases:
        if due_within(lease.notice, now, 30):
            left = days_until(lease.notice, now)
            raised = critical if left <= 7 else warning
            found.append(raised(f"Give notice for {lease.address}, {left} days are left.", lease))
    return found


CASES = [
    fires(
        "ten days before",
        date(2026, 5, 22),
        home.Lease(address="Elm 1", notice=date(2026, 6, 1), note="a"),
    ),
    silent(
        "two months before",
        date(2026, 4, 1),
        home.Lease(address="Elm 1", notice=date(2026, 6, 1)),
    ),
]
'''

SHORT = '''\
def short_address(user, now):
    """An address that is only a number."""
    return [info(f"{10 // (len(a.address) - 4)}\\ncritical", a) for a in user.home.leases if len(a.address) < 5]


CASES = [
    fires("a number", date(2026, 5, 22), home.Lease(address="123", notice=date(2026, 6, 1))),
    silent("a street", date(2026, 5, 22), home.Lease(address="Elm 1", notice=date(2026, 6, 1))),
]
'''

ELM = "Give notice for Elm 1, 12 days are left."
RAISED = f"raised warning lease_notice / elm 1: {ELM}\n"
OAK = ("put", "ana", "home.Lease", "address=Oak 2", "notice=2026-05-22")
STANDING = [
    f"warning   lease_notice / elm 1: {ELM}",
    "          since 2026-05-20 12:00Z; cites home.Lease:elm 1; entry 2",
]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ana has a lease whose notice is two months away, and the constraint that watches it."""
    settings = {"UAC_STORE": str(tmp_path / "memory.db"), "UAC_PACKS": "none", "UAC_NOW": "2026-04-01T12:00Z"}
    for name, value in {**settings, "UAC_ZONE": "", "UAC_UNREVIEWED": ""}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    Path("lease_notice.py").write_text(LEASE)
    Path("short_address.py").write_text(SHORT)
    settle("ana")
    return tmp_path / "memory.db"


def settle(user: str) -> None:
    ok("define", user, "home.Lease", "address:str", "notice:date", "note:str | None", "--key", "address")
    ok("put", user, "home.Lease", "address=Elm 1", "notice=2026-06-01")
    assert ok("constraints", "add", user, "lease_notice.py") == f"{user}: lease_notice is adopted, entry 4\n"


def uac(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)


def ok(*arguments: str, stdin: str | None = None) -> str:
    result = uac(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def told(*arguments: str) -> list[Any]:
    return [json.loads(line) for line in ok(*arguments, "--json").splitlines()]


def at(day: str) -> str:
    return ok("tick", "ana", "--yes", "--now", f"{day}T12:00Z")


def changes(*arguments: str) -> list[tuple[str, str, str]]:
    return [(change["change"], change["severity"], change["subject"]) for change in told(*arguments)[0]["alerts"]]


def head() -> int:
    return int(told("users")[0]["entries"])


def test_time_that_passes_raises_an_alert_which_is_listed_with_what_it_rests_on() -> None:
    assert uac("alerts", "ana").output == "no active alerts\n"
    assert at("2026-05-20") == f"ana: {RAISED}1 user, 1 with changes: 1 raised, 0 cleared\n"
    assert uac("alerts", "ana").output.splitlines() == STANDING
    (raised,), (alert,) = told("alerts", "ana", "--history"), told("alerts", "ana")
    assert (raised.pop("change"), raised.pop("at")[:2]) == ("raised", "20")
    more = {"user": "ana", "raised": raised.pop("position"), "since": "2026-05-20T12:00:00Z", "state": "standing"}
    assert alert == raised | more
    assert (alert["message"], alert["records"], alert["cites"]) == (ELM, ["home.Lease:elm 1"], [2])


def test_the_most_severe_comes_first_and_what_was_acknowledged_last() -> None:
    at("2026-05-20")
    ok(*OAK)
    assert [alert["subject"] for alert in told("alerts", "ana")] == ["oak 2", "elm 1"]
    assert [alert["subject"] for alert in told("alerts", "ana", "--severity", "critical")] == ["oak 2"]
    assert uac("alerts", "ana", "--check").exit_code == 1
    shown = ok("ack", "ana", "lease_notice", "oak 2", "--why", "Eva knows")
    assert shown.startswith("ana: acknowledged lease_notice / oak 2: Eva knows, entry ")
    assert [alert["state"] for alert in told("alerts", "ana")] == ["standing", "acknowledged"]
    assert "  (acknowledged: Eva knows)\n" in ok("alerts", "ana", "--check")


def test_retracting_an_acknowledgement_makes_the_alert_loud_again() -> None:
    at("2026-05-30")
    assert uac("ack", "ana", "lease_notice").stderr == f'to undo it: uac retract ana {head()} --why "…"\n'
    assert uac("alerts", "ana", "--check").exit_code == 0
    ok("retract", "ana", str(head()), "--why", "a slip")
    assert uac("alerts", "ana", "--check").exit_code == 1


def test_a_snoozed_alert_is_quiet_until_its_time_and_is_then_told_again() -> None:
    at("2026-05-30")
    (snoozed,) = told("snooze", "ana", "lease_notice", "--until", "2026-05-31T18:00Z", "--why", "tomorrow")
    assert (snoozed["change"], snoozed["until"], snoozed["position"]) == ("snoozed", "2026-05-31T18:00:00Z", head())
    assert "  (snoozed until 2026-05-31 18:00Z: tomorrow)" in ok("alerts", "ana", "--check")
    ok("tick", "ana", "--yes", "--now", "2026-05-31T18:00Z")
    assert [alert["state"] for alert in told("alerts", "ana")] == ["standing"]
    assert told("snooze", "ana", "lease_notice", "--days", "2")[0]["until"] == "2026-06-02T18:00:00Z"


def test_the_history_has_every_change_with_its_position() -> None:
    at("2026-05-20")
    at("2026-05-30")
    ok("ack", "ana", "lease_notice")
    ok("drop", "ana", "home.Lease:elm 1", "--why", "told twice")
    found = told("alerts", "ana", "--history")
    assert [change["change"] for change in found] == ["raised", "updated", "acknowledged", "cleared"]
    assert found[-1]["position"] == told("log", "ana", "--kind", "alert_change")[-1]["position"]
    assert told("alerts", "ana", "--history", "--limit", "1") == found[-1:]
    assert told("alerts", "ana", "--history", "--severity", "critical") == found[1:]
    assert ok("alerts", "ana", "--history").splitlines()[-1].endswith("Z  cleared lease_notice / elm 1")


def test_watching_shows_changes_as_they_come_until_it_is_interrupted() -> None:
    at("2026-05-20")
    watcher = subprocess.Popen(
        interruptible("alerts", "ana", "--watch", "--json"),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watcher.stdout is not None
    assert json.loads(watcher.stdout.readline())["state"] == "standing"
    ok("end", "ana", "home.Lease:elm 1", "2026-05-20")
    assert json.loads(watcher.stdout.readline())["change"] == "cleared"
    watcher.send_signal(signal.SIGINT)
    assert watcher.wait(timeout=300) == 0
    watcher.stdout.close()


def test_a_constraint_that_fails_is_a_finding_and_its_words_stay_on_one_line() -> None:
    ok("constraints", "add", "ana", "short_address.py")
    shown = ok("put", "ana", "home.Lease", "address=12", "notice=2027-01-01")
    assert "raised info short_address / 12: -5 ⏎ critical\n" in shown
    assert changes("put", "ana", "home.Lease", "address=1234", "notice=2027-01-01") == [
        ("failed", "info", "not checked: home.Lease:1234")
    ]
    shown = ok("alerts", "ana", "--severity", "info")
    assert (
        "info      short_address / not checked: home.Lease:1234: The rule short_address could not check home.Lease:1234"
        " (field address): ZeroDivisionError: division by zero. It is checked for all other records."
        " Correct this record, or drop it.\n" in shown
    )
    assert [each["is_failure"] for each in told("alerts", "ana") if "is_failure" in each] == [True]
    assert "cleared short_address / not checked: home.Lease:1234: it gives results again\n" in ok(
        "drop", "ana", "home.Lease:1234", "--why", "none"
    )


def test_constraints_that_were_not_run_are_noted(store: Path) -> None:
    at("2026-05-20")
    with closing(SqliteStore(store, create=False)) as opened:
        memory = Memory(opened.log("ana"))
        fields = {"address": "Oak 2", "notice": "2026-05-22"}
        memory.checkpoint([Put(type="home.Lease", fields=fields, cites=(2,))], watched=False)
    assert "1 constraint not run since records were imported or erased" in uac("alerts", "ana").stderr
    assert told("alerts", "ana")[-1] == {"user": "ana", "constraint": "lease_notice", "state": "unwatched"}
    assert uac("alerts", "ana", "--check").exit_code == 1
    assert "lease_notice  not run yet, " in ok("constraints", "list", "ana")
    assert "raised critical lease_notice / oak 2" in at("2026-05-20")


def test_alerts_say_when_the_constraints_have_not_seen_the_present(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_NOW", "2026-04-03T12:00Z")
    note = "the constraints last saw the time 2026-04-01 12:00Z; 'uac tick ana' advances it"
    assert note in uac("alerts", "ana").stderr


def test_all_users_are_ticked_and_one_that_cannot_be_does_not_stop_the_others() -> None:
    settle("ben")
    settle("cem")
    ok("tick", "ben", "--yes", "--now", "2026-08-01T12:00Z")
    result = uac("tick", "--yes", "--now", "2026-05-20T12:00Z")
    summary = "3 users, 2 with changes: 2 raised, 0 cleared; 1 could not be ticked\n"
    assert (result.exit_code, result.stdout) == (4, f"ana: {RAISED}cem: {RAISED}{summary}")
    assert result.stderr.startswith(
        "Refused: ben: now is 2026-05-20T12:00:00+00:00, before the last tick. Use 2026-08-01"
    )
    again = uac("tick", "ana", "cem", "nobody", "--yes", "--now", "2026-05-20T12:00Z", "--json")
    assert (again.exit_code, json.loads(again.stderr)["user"]) == (4, "nobody")
    counts = {"changed": 0, "raised": 0, "updated": 0, "cleared": 0, "failed": 0, "mended": 0, "errors": 1}
    assert json.loads(again.stdout) == {"users": 3, **counts}
    assert uac("tick", "ben", "--yes", "--now", "2026-05-20T12:00Z").exit_code == 3


def test_a_tick_that_changes_nothing_writes_nothing() -> None:
    before = head()
    assert at("2026-04-02") == "1 user, 0 with changes: 0 raised, 0 cleared\n"
    assert head() == before


def test_the_zone_decides_which_day_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_ZONE", "Europe/Berlin")
    settle("ben")
    assert "0 raised" in ok("tick", "--yes", "--now", "2026-05-01T23:30Z", "--zone", "UTC")
    assert "ben: raised warning" in ok("tick", "ben", "--yes", "--now", "2026-05-02T01:30")
    assert ok("alerts", "ben").splitlines()[1].startswith("          since 2026-05-02 01:30+02:00; ")


def test_every_write_tells_the_alerts_that_came_and_went_with_it() -> None:
    at("2026-05-20")
    came, went = ("raised", "critical", "oak 2"), ("cleared", "critical", "oak 2")
    oak, put = "home.Lease:oak 2", told(*OAK)[0]
    assert (put["record"], [c["change"] for c in put["alerts"]]) == (oak, ["raised"])
    assert changes("retract", "ana", str(put["position"]), "--why", "a slip") == [went]
    assert changes(*OAK) == [came]
    assert changes("correct", "ana", oak, "notice", "2027-05-22") == [went]
    assert changes("correct", "ana", oak, "notice", "2026-05-22") == [came]
    assert changes("end", "ana", oak, "2026-05-20") == [went]
    assert changes("put", "ana", "home.Lease", "address=Oak 2", "notice=2026-05-23")[-1:] == [came]
    assert changes("drop", "ana", oak, "--why", "told twice") == [went]
    fields = {"address": "Oak 2", "notice": "2026-05-22"}
    Path("oak.json").write_text(json.dumps([{"op": "put", "type": "home.Lease", "fields": fields, "cites": [2]}]))
    assert changes("checkpoint", "ana", "oak.json") == [came]


def test_people_see_the_alerts_below_what_was_written() -> None:
    at("2026-05-20")
    raised = "raised critical lease_notice / oak 2: Give notice for Oak 2, 2 days are left."
    assert ok(*OAK) == f"ana: home.Lease:oak 2\n{raised}\n"
    shown = ok("correct", "ana", "home.Lease:oak 2", "notice", "2027-05-22").splitlines()
    assert shown[1:] == ["~ home.Lease:oak 2.notice: 2026-05-22 → 2027-05-22", "cleared lease_notice / oak 2"]


def test_an_import_runs_the_constraints_at_its_end() -> None:
    at("2026-05-20")
    Path("leases.csv").write_text("address,notice\nOak 2,2026-05-22\n")
    assert changes("import", "ana", "leases.csv", "--as", "home.Lease") == [("raised", "critical", "oak 2")]


def test_an_erasure_runs_the_constraints_on_what_is_left() -> None:
    at("2026-05-20")
    assert changes("erase", "ana", "3", "--why", "asked", "--yes") == [("cleared", "warning", "elm 1")]


def test_constraints_are_listed_switched_and_retired() -> None:
    at("2026-05-20")
    assert ok("constraints", "list", "ana") == "lease_notice  on, person, 1 alert  reads home.leases\n"
    assert ok("constraints", "disable", "ana", "lease_notice").splitlines()[1:] == ["cleared lease_notice / elm 1"]
    assert ok("constraints", "list", "ana") == "lease_notice  off, person  reads home.leases\n"
    assert ok("constraints", "enable", "ana", "lease_notice").splitlines()[1:] == [RAISED.strip()]
    assert len(changes("constraints", "retire", "ana", "lease_notice", "--why", "moved")) == 1
    assert uac("constraints", "list", "ana").stderr == "no constraints yet (--offers shows those of packs)\n"


def test_a_constraint_is_shown_as_the_file_that_was_added() -> None:
    assert uac("constraints", "show", "ana", "lease_notice").stdout == LEASE
    (shown,) = told("constraints", "show", "ana", "lease_notice")
    assert (shown["file"], [case["fires"] for case in shown["cases"]]) == (LEASE, [True, False])


def test_cases_are_run_against_the_types_that_the_user_has_by_now() -> None:
    assert ok("constraints", "test", "ana") == "ana: 1 constraint, 2 cases, none failed\n"
    ok("migrate", "ana", "-", stdin='[{"op": "rename_field", "type": "home.Lease", "field": "note", "to": "remark"}]')
    result = uac("constraints", "test", "ana", "lease_notice")
    assert result.exit_code == 1
    assert result.stdout.startswith("FAILED  lease_notice / ten days before: home.Lease: ")
    assert result.stdout.endswith("ana: 1 constraint, 2 cases, 1 failed\n")


@pytest.mark.parametrize(
    ("setting", "severity", "state"),
    [("raise", "critical", "on"), ("mark", "warning", "on"), ("wait", "", "waits for approval")],
)
def test_what_a_model_wrote_is_held_back_until_a_person_approves_it(
    monkeypatch: pytest.MonkeyPatch, setting: str, severity: str, state: str
) -> None:
    monkeypatch.setenv("UAC_UNREVIEWED", setting)
    ok("constraints", "retire", "ana", "lease_notice", "--why", "a model writes a better one")
    at("2026-05-30")
    ok("put", "ana", "home.Lease", "address=Oak 2", "notice=2026-05-31")
    monkeypatch.setenv("UAC_NOW", "2026-05-30T12:00Z")
    added = told("constraints", "add", "ana", "lease_notice.py", "--origin", "model", "--by", "a model")[0]
    found = [(change["severity"], change["is_reviewed"]) for change in added["alerts"]]
    assert found == ([(severity, False)] * 2 if severity else [])
    assert f"lease_notice  {state}, model, not reviewed" in ok("constraints", "list", "ana")
    ok("constraints", "approve", "ana", "lease_notice", "--by", "Eva")
    assert [(alert["severity"], alert["is_reviewed"]) for alert in told("alerts", "ana")] == [("critical", True)] * 2
    assert "lease_notice  on, model, approved" in ok("constraints", "list", "ana")


def test_why_is_one_sentence_with_the_values_and_trace_lists_the_tests() -> None:
    (silent,) = told("why", "ana", "lease_notice")
    assert (silent["alerts"], silent["failure"], silent["reads"]) == ([], "", {"home.leases": 1})
    assert [(test["line"], test["result"]) for test in silent["tests"]] == [(5, False)]
    assert silent["reasons"] == [
        (
            "lease_notice did not fire: it looked at home.Lease:elm 1 (address Elm 1, notice 2026-06-01); its last test,"
            " `due_within(lease.notice, now, 30)` in line 5, was false (lease.notice = 2026-06-01,"
            " now = 2026-04-01 12:00:00+00:00)."
        )
    ]
    at("2026-05-20")
    reason = [
        (
            "lease_notice fired because of home.Lease:elm 1 (address Elm 1, notice 2026-06-01), as of 2026-05-20 12:00Z:"
            " Give notice for Elm 1, 12 days are left."
        ),
        *STANDING[1:],
    ]
    assert ok("why", "ana", "lease_notice").splitlines() == reason
    shown = ok("why", "ana", "lease_notice", "--trace").splitlines()
    assert [line for line in shown if "runs again" not in line] == [
        *reason,
        "lease_notice: The notice of a lease must be given within thirty days.",
        "  on; origin: person; entry 4",
        "  reads home.leases (1 record)",
        "  saw the time 2026-05-20 12:00Z",
        "  line   5  due_within(lease.notice, now, 30)  → True",
        "            lease.notice = 2026-06-01, now = 2026-05-20 12:00:00+00:00",
        "  line   7  left <= 7  → False",
        "            left = 12",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["alerts", "nobody"], 3, "user 'nobody' has no log"),
        (["alerts", "ana", "--limit", "3"], 2, "--limit requires --history"),
        (["ack", "ana", "lease_notice"], 3, "No alert of lease_notice is active."),
        (["snooze", "ana", "lease_notice"], 2, "Give either --until or --days."),
        (["snooze", "ana", "lease_notice", "--until", "2026-06-01"], 3, "has no time zone"),
        (["snooze", "ana", "lease_notice", "--until", "2026-03-01T00:00Z"], 3, "is past. Use a time after"),
        (["tick", "--now", "2026-06-01"], 3, "--now: 2026-06-01T00:00:00 has no time zone"),
        (["tick", "--zone", "Mars"], 3, "--zone: 'Mars' is not a time zone"),
        (["why", "ana", "lease"], 3, "No constraint lease"),
        (["why", "ana", "open_conflict"], 3, "is built in"),
        (["constraints", "show", "ana", "lease"], 3, "No constraint lease. Existing constraints: lease_notice"),
        (["constraints", "enable", "ana", "lease_notice"], 3, "lease_notice is already on"),
        (["constraints", "approve", "ana", "lease_notice"], 3, "was approved before"),
        (["constraints", "add", "ana", "missing.py"], 3, "missing.py cannot be read"),
        (["constraints", "add", "ana", "lease_notice.py", "--origin", "model"], 3, "was written by a person"),
    ],
)
def test_bad_input_gets_one_clear_line_and_changes_nothing(arguments: list[str], code: int, complaint: str) -> None:
    before = head()
    result = uac(*arguments)
    assert (result.exit_code, complaint in result.stderr) == (code, True), result.stderr
    assert head() == before


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("UAC_NOW=soon", "UAC_NOW: 'soon' is not a valid time"),
        (
            "UAC_NOW=2026-05-01T12:00",
            "has no time zone. Write 2026-05-01T12:00:00Z or 2026-05-01T12:00:00+02:00, or set UAC_ZONE",
        ),
        ("UAC_ZONE=Mars", "UAC_ZONE: 'Mars' is not a time zone"),
        ("UAC_UNREVIEWED=never", "UAC_UNREVIEWED is 'never'. Set it to one of raise, mark, wait"),
    ],
)
def test_a_wrong_setting_is_refused(monkeypatch: pytest.MonkeyPatch, setting: str, complaint: str) -> None:
    monkeypatch.setenv(*setting.split("="))
    result = uac(*OAK)
    assert (result.exit_code, complaint in result.stderr) == (3, True), result.stderr


def test_completion_knows_the_constraints() -> None:
    words = {"COMP_WORDS": "uac why ana l", "COMP_CWORD": "3", "_UAC_COMPLETE": "bash_complete"}
    shown = subprocess.check_output([sys.executable, "-m", "uac"], env={**os.environ, **words}, text=True)
    assert shown == "plain,lease_notice\n"


def test_packs_bring_constraints_that_watch_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_PACKS", "health")
    ok("put", "ana", "health.Allergy", "substance=Penicillin")
    found = changes("put", "ana", "health.Medication", "name=Amoxicillin")
    assert ("raised", "critical", "amoxicillin / penicillin") in found
    offered = {each["name"] for each in told("constraints", "list", "ana", "--offers") if each["state"] == "on offer"}
    assert "drug_allergy" not in offered


def test_a_tick_into_the_future_needs_a_dry_run_or_a_yes() -> None:
    end = told("log", "ana")[-1]["position"]
    refused = uac("tick", "ana", "--now", "2026-05-20T12:00Z")
    assert refused.exit_code == 3
    assert "2026-05-20 12:00Z is in the future, and time never goes back. Use --dry-run" in refused.stderr
    foreseen = ok("tick", "ana", "--now", "2026-05-20T12:00Z", "--dry-run")
    assert "ana: would be raised warning lease_notice / elm 1" in foreseen
    assert told("log", "ana")[-1]["position"] == end
    assert "ana: raised warning lease_notice" in ok("tick", "ana", "--now", "2026-05-20T12:00Z", "--yes")
    past = uac("tick", "ana", "--now", "2026-05-19T12:00Z", "--dry-run")
    assert (past.exit_code, "is before the last tick. Use 2026-05-20 12:00Z or later." in past.stderr) == (3, True)


def test_the_given_time_dates_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_NOW", "2026-04-07T12:00Z")
    ok("add", "eve", "I sold my car.")
    ok("put", "ana", "home.Lease", "address=Oak 2", "notice=2026-12-31")
    lines = [*told("log", "eve"), *told("log", "ana")]
    new = [line for line in lines if line["at"] == "2026-04-07T12:00:00+00:00"]
    assert {line["entry"]["said"] for line in new if line["kind"] == "observation"} == {"2026-04-07T12:00:00Z"}
    assert {line["entry"]["now"] for line in new if line["kind"] == "tick"} == {"2026-04-07T12:00:00Z"}
    assert "2026-04-07 12:00:00Z" in ok("users")
    assert "2026-04-07" in ok("compute", "ana", "now.date().isoformat()")


def test_the_constraint_in_the_help_is_adopted_as_it_stands() -> None:
    shown = ok("constraints", "add", "--help")
    file = dedent("    " + shown[shown.index("def pet_vet") : shown.index("uac define")].rstrip())
    Path("pet_vet.py").write_text(file)
    ok("define", "ben", "pets.Pet", "name:str", "seen:date | None", "--key", "name")
    assert ok("constraints", "add", "ben", "pet_vet.py") == "ben: pet_vet is adopted, entry 2\n"


def test_a_day_without_a_time_is_refused_with_a_time_that_is_accepted() -> None:
    refused = uac("add", "ben", "hi", "--said", "2025-01-10").stderr
    proposed = refused.partition("Write ")[2].partition(" or ")[0]
    assert proposed == "2025-01-10T00:00:00Z"
    assert ok("add", "ben", "hi", "--said", proposed) == "ben: kept at 1\n"
