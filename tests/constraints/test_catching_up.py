"""What reviews of watching found: each of these was wrong once."""

import gc
import os
import signal
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest

from support.constraints import ALLERGIES, CASES, ENDING, Clock, Counted, case, constraint, given, standing, watched
from uac.errors import Refused, Rejected, SandboxError
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import installed_packs
from uac.project.export import export
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Limits, Sandbox
from uac.schema.constraint_code import read_constraint
from uac.schema.patches import Adopt, Approve, Define, Retire, Switch
from uac.schema.types import Field

# Python warns of forks beside threads; here one is made on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

BERLIN_WINTER, BERLIN_SUMMER = timezone(timedelta(hours=1)), timezone(timedelta(hours=2))


def test_what_no_person_has_read_is_exported_as_text_and_not_run(tmp_path: Path) -> None:
    memory = watched(ALLERGIES)
    memory.checkpoint(
        [
            Adopt(
                constraint=constraint(
                    "proposed", "return [info('x', a) for a in user.health.allergies]", origin="model"
                )
            )
        ]
    )
    export(memory.project(), tmp_path)
    assert (tmp_path / "constraints" / "proposed.py.txt").is_file()
    assert not (tmp_path / "constraints" / "proposed.py").exists()
    assert "proposed" not in (tmp_path / "tests" / "test_constraints.py").read_text()
    memory.checkpoint([Approve(constraint="proposed")], reviewed=True)
    export(memory.project(), tmp_path)
    assert (tmp_path / "constraints" / "proposed.py").is_file()
    assert not (tmp_path / "constraints" / "proposed.py.txt").exists()


def test_the_cases_of_packs_run_in_an_exported_folder_with_plain_python(tmp_path: Path) -> None:
    memory = Memory(MemoryStore().log("ana"), clock=Clock())
    memory.put("calendar.Appointment", {"what": "Dentist", "starts": "2026-02-01T10:00:00+00:00"})
    memory.put("household.Pet", {"name": "Rex", "kind": "dog"})
    export(memory.project(), tmp_path)
    code = (
        "import tests.test_constraints as t\nfor name in dir(t):\n    if name.startswith('test_'): getattr(t, name)()"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_type_with_one_more_field_that_is_needed_still_has_the_constraints_of_its_pack() -> None:
    pack = next(pack for pack in installed_packs() if pack.name == "health")
    offered = next(type_ for type_ in pack.types if type_.name == "Medication")
    own = type(offered)(
        **{name: getattr(offered, name) for name in offered.__struct_fields__ if name != "fields"},
        fields=(*offered.fields, Field(name="shelf", type="str")),
    )
    memory = Memory(MemoryStore().log("ana"), packs=[pack], clock=Clock())
    memory.checkpoint([Define(type=own)])
    memory.put("health.Allergy", {"substance": "Penicillin"})
    memory.put("health.Medication", {"name": "Amoxicillin", "shelf": "left"})
    assert ("drug_allergy", "critical") in [(alert.constraint, alert.severity) for alert in memory.alerts()]


def test_a_day_comes_when_it_comes_where_the_user_is_by_then() -> None:
    winter, summer = datetime(2026, 1, 10, 9, tzinfo=BERLIN_WINTER), datetime(2026, 6, 29, 0, 30, tzinfo=BERLIN_SUMMER)
    clock = Clock(winter)
    memory = watched(ENDING, clock=clock)
    memory.put("health.Medication", {"name": "iron", "until": "2026-07-02"})
    clock.now = summer
    memory.tick()
    assert standing(memory) == [("ending", "iron")]


def test_what_waited_for_approval_is_run_once_it_need_not_wait() -> None:
    log = MemoryStore().log("ana")
    waiting = watched(log=log, unreviewed="wait")
    waiting.put("health.Allergy", {"substance": "nuts"})
    waiting.checkpoint([Adopt(constraint=msgspec.structs.replace(ALLERGIES, origin="model"))])
    assert standing(waiting) == []
    bold = watched(log=log, unreviewed="raise")
    bold.look()
    assert standing(bold) == [("allergies", "nuts")]


def test_ticks_that_write_nothing_do_not_load_the_records_again() -> None:
    clock = Clock()
    memory = watched(
        constraint(
            "by_hand",
            "return [info('late', m) for m in user.health.medications if now.hour > 22]",
            case("late", given("health.Medication", name="x"), fires=True, now="2026-01-10T23:30+00:00"),
            case("early", given("health.Medication", name="x"), fires=False),
        ),
        clock=clock,
    )
    memory.put("health.Medication", {"name": "iron"})
    rules = memory._interpreters._rules
    assert rules is not None
    sessions = rules.sessions
    assert len(sessions) == 1
    for _ in range(3):
        clock.now += timedelta(hours=2)
        memory.tick()
    memory.put("health.Medication", {"name": "zinc"})
    assert rules.sessions == sessions


def test_two_records_of_one_key_and_two_types_are_two_alerts() -> None:
    both = constraint(
        "both_kinds",
        "return [warning(a.substance, a) for a in user.health.allergies] + [warning(m.name, m) for m in user.health.medications]",
    )
    memory = watched(both)
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.put("health.Medication", {"name": "nuts"})
    assert sorted(standing(memory)) == [
        ("both_kinds", "health.Allergy:nuts"),
        ("both_kinds", "health.Medication:nuts"),
    ]


def test_a_model_cannot_retire_or_switch_off_what_a_person_approved() -> None:
    memory = watched()
    memory.checkpoint(
        [Adopt(constraint=constraint("rule", "return [info('x', a) for a in user.health.allergies]", origin="model"))]
    )
    memory.checkpoint([Approve(constraint="rule")], reviewed=True)
    for patch in (Retire(constraint="rule", why="x"), Switch(constraint="rule", on=False)):
        with pytest.raises(Rejected, match=r"rule was approved\. Only a person can change it"):
            memory.checkpoint([patch])


def test_an_alert_rests_on_no_other_record_because_that_has_the_same_words() -> None:
    rule = constraint("sweets", "return [warning(f'{a.substance} for {a.severity}', a) for a in user.health.allergies]")
    memory = watched(rule)
    first = memory.put("health.Allergy", {"substance": "chocolate", "severity": "Rex and Bo"})
    second = memory.put("health.Allergy", {"substance": "dark chocolate", "severity": "Rex and Bo"})
    cites = {alert.subject: set(alert.cites) for alert in memory.alerts()}
    assert cites["dark chocolate"] == set(memory.project().record(second).cites)
    assert cites["chocolate"] == set(memory.project().record(first).cites)


def test_one_that_never_ends_is_named_at_once_and_the_others_are_not_run_one_by_one() -> None:
    counted = Counted(shared_sandbox(), limits=Limits(seconds=0.5))
    endless = constraint(
        "endless",
        "while len(user.health.allergies) > 1:\n    pass\nreturn [info('x', a) for a in user.health.allergies]",
    )
    memory = watched(ALLERGIES, endless, sandbox=counted)
    memory.put("health.Allergy", {"substance": "nuts"})
    counted.ran.clear()
    memory.put("health.Allergy", {"substance": "milk"})
    assert list(memory.project().failures) == ["endless"]
    assert ("allergies", "milk") in standing(memory)


def test_it_is_tried_again_after_a_day() -> None:
    clock = Clock()
    endless = constraint(
        "endless",
        "while len(user.health.allergies) > 1:\n    pass\nreturn [info('x', a) for a in user.health.allergies]",
    )
    memory = watched(endless, sandbox=Counted(shared_sandbox(), limits=Limits(seconds=0.5)), clock=clock)
    memory.put("health.Allergy", {"substance": "nuts"})
    record = memory.put("health.Allergy", {"substance": "milk"})
    assert "endless" in memory.project().failures
    memory.drop(record, why="a slip")
    assert "endless" in memory.project().failures
    clock.pass_days(2)
    memory.tick()
    assert dict(memory.project().failures) == {}


def test_code_that_is_slow_to_look_through_is_refused_or_read_at_once() -> None:
    name = "rule"
    code = constraint(name, "return []", before="#" * 9_000 + "\n").code
    assert read_constraint(name, code).reads == ()
    with pytest.raises(Refused, match="nested deeper"):
        read_constraint(name, constraint(name, "x = " + "[" * 60 + "]" * 60 + "\nreturn []").code)


def test_cases_are_bounded() -> None:
    many = tuple(given("health.Allergy", substance=f"a{n}") for n in range(1_001))
    with pytest.raises(Rejected, match=r"1,001 records\. Give at most 1,000"):
        watched(constraint("rule", "return []", case("many", *many, fires=True), CASES[1]))


def test_months_of_daily_ticks_raise_update_and_let_go_and_an_idle_user_is_left_alone() -> None:
    clock = Clock()
    memory = watched(ENDING, clock=clock)
    memory.put("health.Medication", {"name": "iron", "until": "2026-03-01"})
    seen: dict[date, list[str]] = {}
    for _ in range(120):
        clock.pass_days(1)
        if changes := memory.tick():
            seen[clock.now.date()] = [change.change for change in changes]
    assert seen == {date(2026, 2, 26): ["raised"], date(2026, 3, 2): ["expired"]}
    position = memory.log.head().position
    for _ in range(60):
        clock.pass_days(1)
        memory.tick()
    assert memory.log.head().position == position
    assert clock.now.tzinfo is UTC


def test_where_no_sandbox_can_be_had_words_and_records_are_kept_and_constraints_say_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = MemoryStore().log("ana")
    watched(ALLERGIES, log=log).close()

    def missing() -> Sandbox:
        raise SandboxError("no sandbox here")

    monkeypatch.setattr("uac.memory.interpreters.shared_sandbox", missing)
    memory = Memory(log, clock=Clock())
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.put("household.Pet", {"name": "Rex", "kind": "dog"})
    assert memory.project().failures["allergies"] == "nothing could be loaded: no sandbox here"
    assert [record.id for record in memory.project().records("household.Pet")] == ["household.Pet:rex"]
    monkeypatch.undo()
    memory.look()
    assert ("allergies", "nuts") in standing(memory)
    assert dict(memory.project().failures) == {}


def test_a_forked_process_keeps_words_says_why_it_cannot_watch_and_leaves_the_other_alone() -> None:
    memory, other = watched(ALLERGIES, sandbox=None), watched(ALLERGIES)
    memory._interpreters._given_sandbox = None
    memory.put("health.Allergy", {"substance": "nuts"})
    other.put("health.Allergy", {"substance": "nuts"})
    child = os.fork()
    if child == 0:
        signal.alarm(300)  # a child that hangs is ended, which the parent sees
        del other
        gc.collect()
        memory.put("health.Allergy", {"substance": "soy"})
        told = memory.project().failures.get("allergies", "")
        os._exit(0 if "before this process was forked" in told else 1)
    assert os.waitpid(child, 0)[1] == 0
    for each in (memory, other):
        each.put("health.Allergy", {"substance": "milk"})
        assert standing(each) == [("allergies", "nuts"), ("allergies", "milk")]
        assert dict(each.project().failures) == {}
