"""Alerts: the same log gives the same ones, nothing is told twice, and no constraint can stop another."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from support.alert_fixtures import MEDICINES, TRIPS, allergy, clock, memory, sandbox
from support.constraints import (
    ALLERGIES,
    ENDING,
    NOW,
    Clock,
    Counted,
    case,
    changes_of,
    check_laws,
    constraint,
    given,
    standing,
    told,
    watched,
    words_of,
)
from support.short_logs import Story, type_of
from uac.errors import Refused, Rejected
from uac.memory.memory import Memory
from uac.project.alerts import Alert
from uac.sandbox.port import Limits, Sandbox
from uac.schema.entries import AlertChange
from uac.schema.patches import Adopt, Approve, Put, Retire, Switch

__all__ = ["clock", "memory", "sandbox"]  # fixtures


# --- what a change of records does ------------------------------------------------------------------------------------


def test_a_record_raises_an_alert_and_its_end_clears_it(memory: Memory) -> None:
    head = memory.log.head().position
    record = allergy(memory, "nuts")
    (cited,) = memory.project().record(record).cites
    assert changes_of(memory, head) == [
        AlertChange(
            change="raised",
            constraint="allergies",
            subject="nuts",
            severity="critical",
            message="No nuts.",
            records=("health.Allergy:nuts",),
            cites=(cited,),
        )
    ]
    (alert,) = memory.alerts()
    assert alert == Alert(
        "allergies", "nuts", "critical", "No nuts.", (record,), (cited,), raised=memory.log.head().position, since=NOW
    )
    head = memory.log.head().position
    memory.end(record, "2026-01")
    assert told(memory, head) == [("cleared", "allergies", "nuts")]
    assert memory.alerts() == []


def test_a_run_that_finds_the_same_says_nothing(memory: Memory) -> None:
    allergy(memory, "nuts")
    head = memory.log.head().position
    allergy(memory, "nuts", severity="mild")
    assert told(memory, head) == []
    assert standing(memory) == [("allergies", "nuts")]


def test_another_message_is_an_update_and_not_a_new_alert(sandbox: Sandbox) -> None:
    shown = constraint("shown", "return [warning(f'{a.substance}: {a.severity}', a) for a in user.health.allergies]")
    memory = watched(shown, sandbox=sandbox)
    record = allergy(memory, "nuts")
    raised = memory.alerts()[0].raised
    memory.correct(record, "severity", "severe")
    assert told(memory) == [("raised", "shown", "nuts"), ("updated", "shown", "nuts")]
    (alert,) = memory.alerts()
    assert (alert.message, alert.raised, alert.since) == ("nuts: severe", raised, NOW)


def test_retracting_what_was_said_clears_the_alert_and_undoing_that_brings_it_back(memory: Memory) -> None:
    record = allergy(memory, "nuts")
    head = memory.log.head().position
    retraction = memory.retract([words_of(memory, record)], why="a joke")
    assert standing(memory) == []
    memory.retract([retraction], why="no joke")
    assert standing(memory) == [("allergies", "nuts")]
    assert told(memory, head) == [("cleared", "allergies", "nuts"), ("raised", "allergies", "nuts")]


def test_retracting_an_adoption_clears_its_alerts(memory: Memory) -> None:
    position = memory.adopt(MEDICINES)
    memory.put("health.Medication", {"name": "iron"})
    assert standing(memory) == [("medicines", "iron")]
    memory.retract([position], why="not wanted", reviewed=True)
    assert standing(memory) == []
    assert "medicines" not in memory.project().constraints


def test_retracting_an_acknowledgement_makes_the_alert_loud_again(memory: Memory) -> None:
    allergy(memory, "nuts")
    position = memory.acknowledge("allergies")
    assert [alert.state for alert in memory.alerts()] == ["acknowledged"]
    memory.retract([position], why="a slip")
    assert [alert.state for alert in memory.alerts()] == ["standing"]


def test_a_correction_of_the_key_moves_the_alert(memory: Memory) -> None:
    record = allergy(memory, "nuts")
    head = memory.log.head().position
    memory.correct(record, "substance", "walnuts")
    assert told(memory, head) == [("raised", "allergies", "walnuts"), ("cleared", "allergies", "nuts")]


def test_a_change_and_its_alerts_are_one_append(memory: Memory) -> None:
    head = memory.log.head().position
    allergy(memory, "nuts")
    kinds = [stored.kind for stored in memory.log.read(head + 1)]
    assert kinds == ["observation", "checkpoint", "alert_change"]


# --- only what is touched runs ----------------------------------------------------------------------------------------


def test_only_constraints_that_read_what_changed_are_run(sandbox: Sandbox, clock: Clock) -> None:
    counted = Counted(sandbox)
    memory = watched(ALLERGIES, MEDICINES, ENDING, TRIPS, sandbox=counted, clock=clock)
    counted.taken()
    runs: dict[str, list[str]] = {}

    def note(what: str) -> None:
        runs[what] = counted.taken()

    record = allergy(memory, "nuts")
    note("allergy")
    memory.put("health.Medication", {"name": "iron"})
    note("medication")
    memory.put("travel.Trip", {"city": "Rome", "start": "2026-05-01"})
    note("trip")
    memory.add("hello")
    note("words")
    memory.correct(record, "severity", "mild")
    note("correction")
    memory.acknowledge("allergies")
    note("acknowledged")
    memory.drop(record, why="no")
    note("drop")
    memory.checkpoint([Switch(constraint="trips", on=False)], reviewed=True)
    note("switched off")
    memory.put("travel.Trip", {"city": "Oslo", "start": "2026-06-01"})
    note("trip, off")
    memory.checkpoint([Switch(constraint="trips", on=True)], reviewed=True)
    note("switched on")
    memory.compute("len(travel.trips)")
    note("query")
    assert runs == {
        "allergy": ["allergies"],
        "medication": ["ending", "medicines"],
        "trip": ["trips"],
        "words": [],
        "correction": ["allergies"],
        "acknowledged": [],
        "drop": ["allergies"],
        "switched off": [],
        "trip, off": [],
        "switched on": ["trips"],
        "query": [],
    }


def test_a_retraction_runs_all_because_it_could_touch_anything(sandbox: Sandbox) -> None:
    counted = Counted(sandbox)
    memory = watched(ALLERGIES, TRIPS, sandbox=counted)
    record = allergy(memory, "nuts")
    counted.taken()
    memory.retract([words_of(memory, record)], why="no")
    assert counted.taken() == ["allergies", "trips"]


def test_a_tick_runs_only_those_whose_time_has_come(sandbox: Sandbox, clock: Clock) -> None:
    counted = Counted(sandbox)
    memory = watched(ALLERGIES, ENDING, TRIPS, sandbox=counted, clock=clock)
    memory.put("health.Medication", {"name": "iron", "until": "2026-02-01"})
    counted.taken()
    ran = {}
    for days in (1, 10, 17, 18, 19):
        memory.tick(NOW + timedelta(days=days))
        ran[days] = counted.taken()
    # It is run a day early too, because it may be that day elsewhere.
    assert ran == {1: [], 10: [], 17: [], 18: ["ending"], 19: ["ending"]}
    assert standing(memory) == [("ending", "iron")]


# --- time -------------------------------------------------------------------------------------------------------------


def test_time_raises_an_alert_and_lets_it_expire(memory: Memory) -> None:
    memory.put("health.Medication", {"name": "iron", "until": "2026-02-01"})
    assert standing(memory) == []
    raised = memory.tick(NOW.replace(month=1, day=29))
    assert [(change.change, change.subject) for change in raised] == [("raised", "iron")]
    assert memory.tick(NOW.replace(month=2, day=1)) == []
    expired = memory.tick(NOW.replace(month=2, day=2))
    assert expired == [
        AlertChange(change="expired", constraint="ending", subject="iron", severity="warning", cites=raised[0].cites)
    ]
    assert memory.alerts() == []


def test_what_a_change_of_records_ends_is_cleared_even_if_time_passed_too(memory: Memory, clock: Clock) -> None:
    record = memory.put("health.Medication", {"name": "iron", "until": "2026-01-12"})
    assert standing(memory) == [("ending", "iron")]
    head = memory.log.head().position
    clock.pass_days(1)
    memory.end(record, "2026-01")
    assert told(memory, head) == [("cleared", "ending", "iron")]


def test_a_tick_that_changes_nothing_is_not_written(memory: Memory) -> None:
    allergy(memory, "nuts")
    head = memory.log.head().position
    for hours in range(1, 5):
        assert memory.tick(NOW + timedelta(hours=hours)) == []
    assert memory.log.head().position == head


def test_time_does_not_run_backwards_and_needs_a_zone(memory: Memory) -> None:
    memory.tick(NOW)
    head = memory.log.head()
    with pytest.raises(Refused, match="before the last tick"):
        memory.tick(NOW - timedelta(seconds=1))
    with pytest.raises(Refused, match="without a time zone"):
        memory.tick(datetime(2027, 1, 1))  # noqa: DTZ001 - the point
    assert memory.log.head() == head


def test_a_write_brings_a_tick_along_only_if_the_last_is_an_hour_old(memory: Memory, clock: Clock) -> None:
    def ticks() -> int:
        return sum(stored.kind == "tick" for stored in memory.log.read())

    before = ticks()
    allergy(memory, "nuts")
    clock.now += timedelta(minutes=59)
    allergy(memory, "milk")
    assert ticks() == before
    clock.now += timedelta(minutes=1)
    allergy(memory, "soy")
    assert (ticks(), memory.project().now) == (before + 1, clock.now)


def test_a_constraint_that_reads_the_time_by_itself_is_run_on_every_tick(sandbox: Sandbox) -> None:
    hourly = constraint(
        "hourly",
        "return [info(f'{now.hour}', subject='hour')] if user.health.allergies else []",
    )
    memory = watched(hourly, sandbox=sandbox)
    allergy(memory, "nuts")
    for hour in (10, 11, 12):
        memory.tick(NOW.replace(hour=hour))
    assert [change.message for change in changes_of(memory)] == ["9", "10", "11", "12"]


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("def _is_late(moment):\n    return moment.hour > 9\n\n\n", "late = _is_late(now)"),
        ("", "late = now.hour > 9"),
        ("", "late = now.hour > 9\nif late:\n    look_again(now + timedelta(hours=9))"),
    ],
    ids=["a helper", "by itself", "a look that is asked for only once it fires"],
)
def test_a_constraint_that_reads_the_hour_is_run_before_the_hour_comes(
    sandbox: Sandbox, before: str, body: str
) -> None:
    late = f"{body}\nreturn [info('late', a) for a in user.health.allergies if late or a.substance == 'now']"
    cases = (case("now", given("health.Allergy", substance="now"), fires=True), case("none", fires=False))
    memory = watched(constraint("late", late, *cases, before=before), sandbox=sandbox)
    allergy(memory, "nuts")
    assert standing(memory) == []
    memory.tick(NOW.replace(hour=11))
    assert standing(memory) == [("late", "nuts")]


# --- acknowledged and snoozed -----------------------------------------------------------------------------------------


def test_an_acknowledged_alert_stays_so_through_updates_and_ticks(sandbox: Sandbox) -> None:
    shown = constraint("shown", "return [warning(f'{a.substance}: {a.severity}', a) for a in user.health.allergies]")
    memory = watched(shown, ENDING, sandbox=sandbox)
    record = allergy(memory, "nuts")
    memory.acknowledge("shown", why="I know")
    memory.correct(record, "severity", "severe")
    memory.tick(NOW + timedelta(days=30))
    (alert,) = memory.alerts()
    assert (alert.state, alert.why, alert.message) == ("acknowledged", "I know", "nuts: severe")
    assert alert.is_quiet(NOW)


def test_an_acknowledged_alert_that_cleared_and_comes_back_is_loud(memory: Memory) -> None:
    record = allergy(memory, "nuts")
    memory.acknowledge("allergies")
    memory.end(record, "2026-01")
    allergy(memory, "nuts")
    assert [alert.state for alert in memory.alerts()] == ["standing"]


def test_a_snoozed_alert_is_quiet_until_its_time_and_is_then_told_again_once(memory: Memory) -> None:
    allergy(memory, "nuts")
    until = NOW + timedelta(days=3)
    memory.snooze("allergies", "nuts", until=until, why="later")
    (alert,) = memory.alerts()
    assert (alert.state, alert.until, alert.is_quiet(NOW), alert.is_quiet(until)) == ("snoozed", until, True, False)
    assert memory.tick(until - timedelta(seconds=1)) == []
    woken = memory.tick(until)
    assert [(change.change, change.subject) for change in woken] == [("updated", "nuts")]
    assert [alert.state for alert in memory.alerts()] == ["standing"]
    assert memory.tick(until + timedelta(days=1)) == []


def test_a_snoozed_alert_that_clears_meanwhile_is_not_told_again(memory: Memory) -> None:
    record = allergy(memory, "nuts")
    memory.snooze("allergies", until=NOW + timedelta(days=3))
    memory.end(record, "2026-01")
    assert memory.tick(NOW + timedelta(days=4)) == []


def test_which_alert_is_meant_must_be_clear(memory: Memory) -> None:
    allergy(memory, "nuts")
    allergy(memory, "milk")
    with pytest.raises(Refused, match="Use one of these subjects: 'milk', 'nuts'"):
        memory.acknowledge("allergies")
    with pytest.raises(Refused, match="No single alert of"):
        memory.acknowledge("allergies", "soy")
    with pytest.raises(Refused, match="No alert of nobody is active"):
        memory.snooze("nobody", until=NOW)
    memory.acknowledge("allergies", "milk")
    assert {alert.subject: alert.state for alert in memory.alerts()} == {"nuts": "standing", "milk": "acknowledged"}


def test_a_snooze_needs_a_zone(memory: Memory) -> None:
    allergy(memory, "nuts")
    with pytest.raises(Refused, match="Add a time zone"):
        memory.snooze("allergies", until=datetime(2027, 1, 1))  # noqa: DTZ001 - the point


# --- failures ---------------------------------------------------------------------------------------------------------

TWICE = "if len(user.health.allergies) == 2:\n    {}\nreturn [warning(m.name, m) for m in user.health.medications]"


@pytest.fixture
def hurried(sandbox: Sandbox) -> Counted:
    """A sandbox whose runs may take little."""
    return Counted(sandbox, limits=Limits(seconds=0.5))


@pytest.mark.parametrize(
    ("fault", "why", "subject"),
    [
        ("raise ValueError('two')", "ValueError: two", "not checked: health.Allergy:milk"),
        (
            "return [warning(user.health.allergies[5].substance)]",
            "IndexError: list index out of range",
            "not checked: health.Allergy:milk",
        ),
        (
            "return [Alert('bad', '', 'x', [], None)]",
            "returned an alert of an unknown severity",
            "not checked",
        ),
        ("while True:\n        pass", "over the limit: The code was stopped after 0.5 seconds", "not checked"),
        ("x = 'a' * 10**10", "over the limit: The code took more than 512 MB", "not checked"),
    ],
)
def test_a_constraint_that_gives_no_result_is_a_finding_and_the_others_go_on(
    hurried: Counted, fault: str, why: str, subject: str
) -> None:
    memory = watched(ALLERGIES, constraint("broken", TWICE.format(fault)), sandbox=hurried)
    memory.put("health.Medication", {"name": "iron"})
    allergy(memory, "nuts")
    head = memory.log.head().position
    allergy(memory, "milk")
    assert told(memory, head) == [("raised", "allergies", "milk"), ("failed", "broken", subject)]
    assert memory.project().failures["broken"].startswith(why)
    assert ("broken", "iron") in standing(memory)  # what it found before still stands

    head = memory.log.head().position
    memory.put("travel.Trip", {"city": "Rome", "start": "2026-05-01"})
    memory.put("travel.Trip", {"city": "Oslo", "start": "2026-06-01"})
    assert told(memory, head) == []
    assert ("broken", "iron") in standing(memory)
    assert memory.project().failures["broken"].startswith(why)


def test_a_constraint_that_failed_recovers_when_its_records_do(hurried: Counted) -> None:
    memory = watched(ALLERGIES, constraint("broken", TWICE.format("raise ValueError")), sandbox=hurried)
    memory.put("health.Medication", {"name": "iron"})
    allergy(memory, "nuts")
    record = allergy(memory, "milk")
    assert memory.project().failures == {"broken": "ValueError: "}
    head = memory.log.head().position
    memory.drop(record, why="no")
    assert told(memory, head) == [
        ("cleared", "allergies", "milk"),
        ("cleared", "broken", "not checked: health.Allergy:milk"),
    ]
    assert memory.project().failures == {}


@pytest.mark.parametrize("fault", ["raise ValueError", "while True:\n        pass"])
def test_a_better_version_of_a_constraint_that_failed_runs_at_once(hurried: Counted, fault: str) -> None:
    memory = watched(ALLERGIES, constraint("broken", TWICE.format(fault)), sandbox=hurried)
    memory.put("health.Medication", {"name": "iron"})
    allergy(memory, "nuts")
    allergy(memory, "milk")
    memory.adopt(constraint("broken", "return [warning('Now!', m) for m in user.health.medications]"))
    assert memory.project().failures == {}
    assert [alert.message for alert in memory.alerts() if alert.constraint == "broken"] == ["Now!"]


def test_a_version_that_fails_in_the_same_way_is_refused_too(hurried: Counted) -> None:
    memory = watched(constraint("broken", TWICE.format("raise ValueError('two')")), sandbox=hurried)
    memory.put("health.Medication", {"name": "iron"})
    allergy(memory, "nuts")
    allergy(memory, "milk")
    with pytest.raises(Rejected, match="on the present state: ValueError: two"):
        memory.adopt(constraint("broken", "# again\n" + TWICE.format("raise ValueError('two')")))


def test_retiring_a_constraint_that_failed_ends_its_failure(hurried: Counted) -> None:
    for fault in ("raise ValueError", "while True:\n        pass"):
        memory = watched(constraint("broken", TWICE.format(fault)), sandbox=hurried)
        memory.put("health.Medication", {"name": "iron"})
        allergy(memory, "nuts")
        allergy(memory, "milk")
        assert "broken" in memory.project().failures
        memory.checkpoint([Retire(constraint="broken", why="broken")], reviewed=True)
        assert (dict(memory.project().failures), standing(memory)) == ({}, [])


# --- conflicts --------------------------------------------------------------------------------------------------------


def disputed() -> Story:
    story = Story()
    story.types(
        type_of("people.Person", key=["name"], name="str", born="date | None", policy={"born": "ask"}),
    )
    story.tell("people.Person", name="Mia", born="1990-01-01")
    story.tell("people.Person", name="Mia", born="1991-01-01")
    return story


def test_an_open_conflict_is_an_alert_until_somebody_says_which_claim_stands() -> None:
    story = disputed()
    (alert,) = story.memory.alerts()
    assert (alert.constraint, alert.subject, alert.severity, alert.records) == (
        "open_conflict",
        "people.Person:mia.born",
        "warning",
        ("people.Person:mia",),
    )
    assert "datetime.date(1990, 1, 1)" not in alert.message
    assert "1990-01-01" in alert.message
    assert "1991-01-01" in alert.message
    story.memory.correct("people.Person:mia", "born", date(1991, 1, 1))
    assert story.memory.alerts() == []
    assert story.refolded() == story.project


def test_a_snoozed_conflict_wakes_like_any_other_alert() -> None:
    story = disputed()
    until = story.memory.project().now
    assert until is not None
    until += timedelta(days=5)
    story.memory.snooze("open_conflict", until=until)
    assert [change.change for change in story.memory.tick(until)] == ["updated"]


# --- imports that are watched later -----------------------------------------------------------------------------------


def test_what_was_not_watched_is_made_up_for_by_a_look_or_the_next_tick(memory: Memory) -> None:
    for substance, makes_up in (("nuts", memory.look), ("milk", lambda: memory.tick(NOW + timedelta(hours=2)))):
        position = memory.add(f"no {substance}")
        memory.checkpoint(
            [Put(type="health.Allergy", fields={"substance": substance}, cites=(position,))], watched=False
        )
        assert ("allergies", substance) not in standing(memory)
        assert memory.project().unwatched == {"allergies", "ending"}
        assert [(change.change, change.subject) for change in makes_up()] == [("raised", substance)]
        assert memory.project().unwatched == frozenset()


def imported(memory: Memory, substance: str) -> None:
    """A record that came with an import, which runs no constraints."""
    position = memory.add(f"no {substance}")
    memory.checkpoint([Put(type="health.Allergy", fields={"substance": substance}, cites=(position,))], watched=False)


def idle_look(memory: Memory) -> None:
    assert memory.look() == []


def idle_tick(memory: Memory) -> None:
    assert memory.tick(NOW + timedelta(minutes=5)) == []


def refused_adoption(memory: Memory) -> None:
    position = memory.add("no pecans")
    picky = "return [info('x', a) for a in user.health.allergies if {'nuts': 1}[a.substance]]"
    with pytest.raises(Rejected, match="on the present state"):
        memory.checkpoint(
            [
                Put(type="health.Allergy", fields={"substance": "pecans"}, cites=(position,)),
                Adopt(constraint=constraint("picky", picky)),
            ],
            reviewed=True,
        )


@pytest.mark.parametrize("before", [idle_look, idle_tick, refused_adoption])
def test_constraints_never_run_on_objects_that_are_stale(sandbox: Sandbox, before: Callable[[Memory], None]) -> None:
    """What a run loaded that came to nothing is not taken for what the next write made."""
    timely = "return [info('x', a) for a in user.health.allergies if now.hour > 20 or a.substance == 'nuts']"
    memory = watched(ALLERGIES, constraint("timely", timely), sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts"})
    before(memory)
    imported(memory, "milk")
    memory.look()
    assert memory.compute("[a.substance for a in health.allergies]").value == ["nuts", "milk"]
    assert ("allergies", "milk") in standing(memory)
    check_laws(memory)


def test_a_query_never_sees_what_was_refused(memory: Memory) -> None:
    allergy(memory, "nuts")
    refused_adoption(memory)
    memory.acknowledge("allergies")
    assert memory.compute("[a.substance for a in health.allergies]").value == ["nuts"]


# --- trust ------------------------------------------------------------------------------------------------------------

MODELS = constraint("models", "return [critical(a.substance, a) for a in user.health.allergies]", origin="model")


@pytest.mark.parametrize(
    ("unreviewed", "before", "then"),
    [
        ("raise", [("critical", False)], [("critical", True)]),
        ("mark", [("warning", False)], [("critical", True)]),
        ("wait", [], [("critical", True)]),
    ],
)
def test_what_a_model_wrote_may_do_is_a_setting_until_a_person_approves_it(
    sandbox: Sandbox, unreviewed: Any, before: list[tuple[str, bool]], then: list[tuple[str, bool]]
) -> None:
    memory = watched(sandbox=sandbox, unreviewed=unreviewed)
    memory.checkpoint([Adopt(constraint=MODELS)])
    allergy(memory, "nuts")
    assert [(alert.severity, alert.is_reviewed) for alert in memory.alerts()] == before
    memory.checkpoint([Approve(constraint="models", who="Ana")], reviewed=True)
    assert [(alert.severity, alert.is_reviewed) for alert in memory.alerts()] == then


def test_what_a_person_approved_is_replaced_by_a_person_only(sandbox: Sandbox) -> None:
    memory = watched(sandbox=sandbox)
    memory.checkpoint([Adopt(constraint=MODELS)])
    memory.checkpoint([Approve(constraint="models")], reviewed=True)
    other = constraint("models", "return [critical('!', a) for a in user.health.allergies]", origin="model")
    with pytest.raises(Rejected, match=r"models was approved by a person\. Choose another name"):
        memory.checkpoint([Adopt(constraint=other)])
    memory.checkpoint([Adopt(constraint=other)], reviewed=True)
    allergy(memory, "nuts")
    assert [(alert.severity, alert.is_reviewed) for alert in memory.alerts()] == [("warning", False)]
