"""A rule that cannot run is an alert, as severe as the rule, and it still runs for every record that it can cope with."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.constraints import NUTS, Clock, case, constraint, standing, watched
from support.constraints import given as record
from support.form_1_logs import append_form_1
from uac.memory.memory import Memory
from uac.project.alerts import Alert
from uac.sandbox import available, shared_sandbox
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Case, Constraint
from uac.schema.entries import Tick
from uac.schema.patches import Adopt

FOUR = "return [critical(f'{m.name} has {12 // (len(m.name) - 4)}', m) for m in user.health.medications]"
"""Fails for a name of four letters, and for no other."""


def cases() -> tuple[Case, ...]:
    iron = record("health.Medication", name="aspirin")
    return case("one", iron, fires=True), case("none", fires=False)


def rule(body: str = FOUR, name: str = "four") -> Constraint:
    return constraint(name, body, *cases())


@pytest.fixture(scope="module", params=available())
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return shared_sandbox(request.param)


def medications(memory: Memory, *names: str) -> None:
    for name in names:
        memory.put("health.Medication", {"name": name})


def failures(memory: Memory) -> list[Alert]:
    return [alert for alert in memory.alerts() if alert.is_failure]


def test_one_bad_record_does_not_silence_a_rule_for_the_others(sandbox: Sandbox) -> None:
    memory = watched(rule(), sandbox=sandbox)
    medications(memory, "aspirin", "iron", "ibuprofen")
    assert standing(memory) == [
        ("four", "aspirin"),
        ("four", "not checked: health.Medication:iron"),
        ("four", "ibuprofen"),
    ]


def test_the_alert_names_rule_record_and_field_and_is_as_severe_as_the_rule(sandbox: Sandbox) -> None:
    memory = watched(rule(), sandbox=sandbox)
    medications(memory, "iron")
    (alert,) = failures(memory)
    assert (alert.severity, alert.constraint, alert.records) == ("critical", "four", ("health.Medication:iron",))
    assert alert.message.startswith(
        "The rule four could not check health.Medication:iron (field name): ZeroDivisionError:"
    )
    assert {*alert.cites} == memory.project().record("health.Medication:iron").cites


def test_the_alert_is_gone_when_the_record_is_and_the_rule_runs_for_all_again() -> None:
    memory = watched(rule())
    medications(memory, "iron", "aspirin")
    memory.drop("health.Medication:iron", why="a mistake")
    assert standing(memory) == [("four", "aspirin")]
    assert memory.project().failures == {}


def test_an_earlier_alert_about_a_record_stays_while_it_cannot_be_checked() -> None:
    until = (
        "return [warning(f'{m.name} {100 // (m.until.year - 2030)}', m) for m in user.health.medications if m.until]"
    )
    silent = case("none", fires=False)
    memory = watched(constraint("until", until, *(given_until(), silent)))
    medication = memory.put("health.Medication", {"name": "iron", "until": "2029-01-01"})
    assert standing(memory) == [("until", "iron")]
    memory.correct(medication, "until", "2030-01-01")
    assert standing(memory) == [("until", "iron"), ("until", "not checked: health.Medication:iron")]
    memory.correct(medication, "until", "2031-01-01")
    assert standing(memory) == [("until", "iron")]


def given_until() -> Case:
    return case("one", record("health.Medication", name="iron", until="2029-01-01"), fires=True)


def test_a_rule_that_fails_for_every_record_is_one_alert_for_the_whole_rule() -> None:
    ratio = "ratio = len(user.health.medications) // len(user.health.allergies)"
    body = f"{ratio}\nreturn [info(str(ratio))] if ratio else []"
    iron = record("health.Medication", name="iron")
    memory = watched()
    memory.put("health.Allergy", {"substance": "milk"})
    memory.adopt(constraint("ratio", body, case("one", iron, NUTS, fires=True), case("none", NUTS, fires=False)))
    memory.drop("health.Allergy:milk", why="a mistake")
    (alert,) = failures(memory)
    assert (alert.subject, alert.severity) == ("not checked", "info")
    assert alert.message.startswith("The rule ratio could not run, so what it watches for is not checked: ZeroDivision")
    memory.put("health.Allergy", {"substance": "nuts"})
    assert failures(memory) == []


def test_the_failure_of_an_unreviewed_rule_is_capped_like_its_alerts() -> None:
    memory = watched()
    medications(memory, "aspirin")
    memory.checkpoint([Adopt(constraint=constraint("four", FOUR, *cases(), origin="model"))])
    medications(memory, "iron")
    (alert,) = failures(memory)
    assert (alert.severity, alert.capped_from, alert.is_reviewed) == ("warning", "critical", False)


def test_a_failure_in_a_log_of_an_earlier_version_is_an_alert_and_is_cleared_as_it_was_then() -> None:
    memory = watched()
    memory.log.append([Tick(now=Clock()())])
    append_form_1(
        memory.log, [{"kind": "alert_change", "change": "failed", "constraint": "four", "message": "IndexError"}]
    )
    assert standing(memory) == [("four", "not checked")]
    assert memory.project().failures == {"four": "IndexError"}
    append_form_1(memory.log, [{"kind": "alert_change", "change": "cleared", "constraint": "four"}])
    assert (standing(memory), dict(memory.project().failures)) == ([], {})


def test_an_acknowledged_failure_stays_acknowledged_while_it_is_the_same() -> None:
    memory = watched(rule())
    medications(memory, "iron")
    memory.acknowledge("four", "not checked: health.Medication:iron")
    medications(memory, "aspirin")
    (alert,) = failures(memory)
    assert alert.state == "acknowledged"


def test_a_record_that_was_mended_is_checked_again_though_another_one_fails() -> None:
    body = "return [critical(f'{9 // (m.until.year - 2030)}', m) for m in user.health.medications if m.until]"
    one = case("one", record("health.Medication", name="iron", until="2029-01-01"), fires=True)
    memory = watched(constraint("until", body, one, case("none", fires=False)))
    for name in ("iron", "zinc"):
        memory.put("health.Medication", {"name": name, "until": "2030-01-01"})
    memory.correct("health.Medication:iron", "until", "2031-01-01")
    assert standing(memory) == [("until", "not checked: health.Medication:zinc"), ("until", "iron")]
    memory.put("health.Medication", {"name": "lead", "until": "2030-02-01"})
    memory.correct("health.Medication:zinc", "until", "2031-01-01")
    assert {alert.subject for alert in failures(memory)} == {"not checked: health.Medication:lead"}


def test_a_failure_is_written_once() -> None:
    memory = watched(rule())
    medications(memory, "iron", "aspirin", "ibuprofen")
    assert [change.change for _stored, change in memory.history()] == ["failed", "raised", "raised"]


names = st.lists(st.text("abcdefg", min_size=1, max_size=7), unique=True, min_size=1, max_size=24)


@given(names)
@settings(max_examples=25, deadline=None)
def test_just_the_records_that_a_rule_fails_for_are_left_out(chosen: list[str]) -> None:
    memory = watched(rule())
    medications(memory, *chosen)
    bad = {name for name in chosen if len(name) == 4}
    told = {alert.subject for alert in memory.alerts()}
    if len(bad) > 20:
        assert "not checked" in told
    else:
        assert told == {f"not checked: health.Medication:{n}" if n in bad else n for n in chosen}
    memory.close()


def test_of_two_records_that_fail_together_the_newer_one_is_named() -> None:
    body = "return [info(str(1 // (len(m.name) - len(a.substance))), m, a) for m in user.health.medications for a in user.health.allergies]"
    both = case("both", record("health.Medication", name="a"), NUTS, fires=True)
    memory = watched(constraint("pairs_up", body, both, case("none", fires=False)))
    memory.put("health.Allergy", {"substance": "milk"})
    medications(memory, "aspirin")
    assert failures(memory) == []
    medications(memory, "iron")
    assert [alert.records for alert in failures(memory)] == [("health.Medication:iron",)]
    memory.put("health.Allergy", {"substance": "walnuts"})
    assert {alert.records for alert in failures(memory)} <= {
        ("health.Medication:iron",),
        ("health.Medication:aspirin",),
        ("health.Allergy:walnuts",),
    }
    assert failures(memory) != []
