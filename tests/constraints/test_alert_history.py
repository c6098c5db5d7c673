"""Alerts and the log: erasure, crashes, several writers, delivery, and the laws that hold whatever happened."""

import shutil
import sqlite3
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st

from support.alert_fixtures import allergy, clock, memory, sandbox
from support.constraints import (
    ALLERGIES,
    ENDING,
    NOW,
    Clock,
    changes_of,
    check_laws,
    constraint,
    entries,
    standing,
    told,
    watched,
    words_left,
    words_of,
)
from uac.constraints.runner import Watch
from uac.errors import Refused, StoreError
from uac.log.log import Stored
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.project.alert_changes import CompletedRun, FoundAlert, alert_changes, apply_alert_change
from uac.project.alerts import Alerts
from uac.project.fold import fold_entries
from uac.project.project import Project
from uac.sandbox import shared_sandbox
from uac.sandbox.compute import Computer
from uac.sandbox.port import Sandbox
from uac.schema.entries import AlertChange, Checkpoint, Correction, Entry, NextRun, Retraction, Tick
from uac.schema.patches import Put
from uac.schema.persistent_map import Map
from uac_bench.faults.statements import FaultMode, StatementFault

__all__ = ["clock", "memory", "sandbox"]  # fixtures


# --- erasure ----------------------------------------------------------------------------------------------------------


def test_erasing_what_was_said_erases_the_words_of_its_alerts(memory: Memory) -> None:
    record = allergy(memory, "secretword")
    allergy(memory, "nuts")
    assert words_left(memory, "secretword")
    memory.log.erase([words_of(memory, record)], why="asked")
    assert words_left(memory, "secretword") == []
    assert standing(memory) == [("allergies", "nuts")]
    assert memory.project().unwatched == {"allergies", "ending"}
    assert memory.log.verify() is None
    memory.look()
    assert (memory.project().unwatched, standing(memory)) == (frozenset(), [("allergies", "nuts")])


@pytest.mark.parametrize("how", ["acknowledged", "snoozed", "ended", "expired"])
def test_erasing_erases_every_later_change_of_the_alert(memory: Memory, how: str) -> None:
    record = memory.put("health.Medication", {"name": "secretword", "until": "2026-01-12"})
    position = words_of(memory, record)
    match how:
        case "acknowledged":
            memory.acknowledge("ending", why="secretword is fine")
        case "snoozed":
            memory.snooze("ending", until=NOW + timedelta(days=1), why="secretword is fine")
        case "ended":
            memory.end(record, "2026-01")
        case _:
            memory.tick(NOW + timedelta(days=9))
    memory.log.erase([position], why="asked")
    left = [entry for entry in words_left(memory, "secretword") if isinstance(entry, AlertChange)]
    assert left == []


def test_erasing_erases_the_words_that_a_failure_repeats(sandbox: Sandbox) -> None:
    known = "known = {'nuts': 1}\nreturn [info(str(known[a.substance]), a) for a in user.health.allergies]"
    memory = watched(constraint("looks_up", known), sandbox=sandbox)
    record = allergy(memory, "secretword")
    assert "secretword" in memory.project().failures["looks_up"]
    memory.log.erase([words_of(memory, record)], why="asked")
    assert words_left(memory, "secretword") == []


def test_erasing_erases_words_of_records_that_an_alert_tells_but_does_not_name(sandbox: Sandbox) -> None:
    body = "return [warning(f'{m.name}, {a.substance}', m) for m in user.health.medications for a in user.health.allergies]"
    memory = watched(constraint("both", body), sandbox=sandbox)
    memory.put("health.Medication", {"name": "iron"})
    record = allergy(memory, "secretword")
    memory.log.erase([words_of(memory, record)], why="asked")
    assert words_left(memory, "secretword") == []


def test_erasing_an_alert_that_was_raised_leaves_its_update_standing(sandbox: Sandbox) -> None:
    shown = constraint("shown", "return [warning(f'{a.severity}', a, subject='all') for a in user.health.allergies]")
    memory = watched(shown, sandbox=sandbox)
    first = allergy(memory, "nuts", severity="mild")
    allergy(memory, "milk", severity="severe")
    memory.log.erase([words_of(memory, first)], why="asked")
    memory.look()
    assert [(alert.subject, alert.message) for alert in memory.alerts()] == [("all", "severe")]
    assert fold_entries(entries(memory)) == memory.project()


# --- writers and crashes ----------------------------------------------------------------------------------------------


def test_two_writers_on_one_log_neither_lose_nor_double_alerts(tmp_path: Path, sandbox: Sandbox) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    one = watched(ALLERGIES, ENDING, sandbox=sandbox, log=store.log("ana"))
    two = watched(sandbox=sandbox, log=SqliteStore(tmp_path / "memory.db").log("ana"))
    for number in range(6):
        allergy((one, two)[number % 2], f"s{number % 4}")
        (two, one)[number % 2].put("health.Medication", {"name": f"m{number}", "until": "2026-01-11"})
    two.end("health.Allergy:s0", "2026-01")
    expected = {("allergies", f"s{n}") for n in (1, 2, 3)} | {("ending", f"m{n}") for n in range(6)}
    assert set(standing(one)) == set(standing(two)) == expected
    check_laws(one)


def test_a_writer_who_comes_second_sees_what_the_first_wrote(tmp_path: Path, sandbox: Sandbox) -> None:
    """The log moves between fold and append, and the second writer begins again."""
    path = tmp_path / "memory.db"
    one = watched(ALLERGIES, sandbox=sandbox, log=SqliteStore(path).log("ana"))
    moved = False

    def clock() -> datetime:
        nonlocal moved
        if not moved:
            moved = True
            allergy(one, "nuts")
        return NOW

    two = Memory(SqliteStore(path).log("ana"), packs=(), sandbox=sandbox, clock=clock)
    allergy(two, "milk")
    assert standing(two) == standing(one) == [("allergies", "nuts"), ("allergies", "milk")]
    assert told(one) == [("raised", "allergies", "nuts"), ("raised", "allergies", "milk")]
    check_laws(one)


@pytest.mark.parametrize("mode", ["before", "after", "inside"])
def test_a_write_that_fails_anywhere_leaves_the_change_with_its_alerts_or_neither(
    tmp_path: Path, sandbox: Sandbox, mode: FaultMode
) -> None:
    origin, path = tmp_path / "origin.db", tmp_path / "memory.db"
    store = SqliteStore(origin)
    first = watched(ALLERGIES, sandbox=sandbox, log=store.log("ana"))
    before = [stored.entry for stored in entries(first)]
    store.close()
    failures = 0
    while True:
        shutil.copy(origin, path)
        fault = StatementFault(mode)
        broken = SqliteStore(path, connect=fault.connect)
        memory = watched(sandbox=sandbox, log=broken.log("ana"))
        memory.project()
        fault.arm(failures + 1)
        try:
            memory.put("health.Allergy", {"substance": "nuts"})
        except (StoreError, sqlite3.Error):
            failures += 1
        else:
            break
        finally:
            fault.arm(None)
            broken.close()
        fresh = SqliteStore(path, create=False)
        after_it = watched(sandbox=sandbox, log=fresh.log("ana"))
        kinds = [stored.kind for stored in entries(after_it)[len(before) :]]
        assert kinds in ([], ["observation", "checkpoint", "alert_change"])
        allergy(after_it, "nuts")
        assert told(after_it) == [("raised", "allergies", "nuts")]
        check_laws(after_it)
        fresh.close()
        for extra in tmp_path.glob("memory.db-*"):
            extra.unlink()
    assert failures > 2


# --- delivery ---------------------------------------------------------------------------------------------------------


def test_every_change_is_delivered_once_and_the_log_says_so(memory: Memory) -> None:
    allergy(memory, "nuts")
    memory.acknowledge("allergies")
    sent: list[AlertChange] = []
    assert memory.deliver("phone", lambda _stored, change: sent.append(change)) == 2
    assert sent == changes_of(memory)
    assert memory.deliver("phone", lambda _stored, change: sent.append(change)) == 0
    allergy(memory, "milk")
    assert memory.deliver("phone", lambda _stored, change: sent.append(change)) == 1
    assert sent == changes_of(memory)
    assert memory.deliver("mail", lambda _stored, _change: None) == 3
    assert set(memory.project().delivered) == {"phone", "mail"}


@pytest.mark.parametrize("fails_at", [1, 2, 3, 4, 5])
def test_a_sender_that_fails_gets_the_rest_next_time_and_nothing_is_lost(memory: Memory, fails_at: int) -> None:
    for substance in ("a", "b", "c", "d"):
        allergy(memory, substance)
    received: list[str] = []
    calls = 0

    def send(_stored: Stored, change: AlertChange) -> None:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise ConnectionError("broken on purpose")
        received.append(change.subject)

    try:
        memory.deliver("phone", send)
    except ConnectionError:
        assert received == ["a", "b", "c", "d"][: fails_at - 1]
        memory.deliver("phone", send)
    assert received == ["a", "b", "c", "d"]


def test_a_process_that_dies_before_it_notes_the_delivery_sends_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    allergy(memory, "a")
    received: list[str] = []

    def dies(_prepare: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as crash:
        crash.setattr(memory._writer, "append", dies)
        with pytest.raises(KeyboardInterrupt):
            memory.deliver("phone", lambda _stored, change: received.append(change.subject))
    memory.deliver("phone", lambda _stored, change: received.append(change.subject))
    assert received == ["a", "a"]


def test_a_receiver_without_a_name_is_refused_before_anything_is_sent(memory: Memory) -> None:
    allergy(memory, "a")
    sent: list[AlertChange] = []
    with pytest.raises(Refused):
        memory.deliver(" ", lambda _stored, change: sent.append(change))
    assert sent == []


# --- laws -------------------------------------------------------------------------------------------------------------

WATCHED = Checkpoint | Correction | Retraction | Tick


def is_derived(entry: Entry | None) -> bool:
    """Whether an entry is what constraints gave, and not what somebody said."""
    match entry:
        case AlertChange():
            return entry.change not in ("acknowledged", "snoozed")
        case NextRun():
            return True
    return False


def is_unwatched(entry: Entry) -> bool:
    return isinstance(entry, Checkpoint) and entry.is_unwatched


def check_rederived(memory: Memory, ends: list[int], sandbox: Sandbox) -> None:
    """Each write is run again without what it gave: it must give the same. `ends` are where the writes begin and end."""
    stored = entries(memory)
    watch = Watch(Computer(sandbox), Computer(sandbox))
    for start, end in pairwise(ends):
        batch = stored[start:end]
        said = [each for each in batch if not is_derived(each.entry)]
        given_then = [each.entry for each in batch[len(said) :]]
        if any(isinstance(each.entry, WATCHED) and not is_unwatched(each.entry) for each in said):
            project = fold_entries(stored[: start + len(said)])
            if project.now is not None:
                again = watch.after(project, [each.entry for each in said if each.entry is not None])
                assert again == given_then


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("allergy"), st.sampled_from("abc")),
        st.tuples(st.just("medication"), st.sampled_from(["2026-01-11", "2026-01-20", "2026-02-01"])),
        st.tuples(st.just("end"), st.integers(0, 5)),
        st.tuples(st.just("correct"), st.sampled_from(["mild", "severe"])),
        st.tuples(st.just("tick"), st.integers(0, 12)),
        st.tuples(st.just("acknowledge"), st.integers(0, 5)),
        st.tuples(st.just("snooze"), st.integers(1, 5)),
        st.tuples(st.just("retract"), st.integers(0, 20)),
        st.tuples(st.just("unwatched"), st.sampled_from("xy")),
        st.tuples(st.just("look"), st.just(0)),
    ),
    max_size=12,
)


def do(memory: Memory, clock: Clock, step: tuple[str, Any]) -> None:
    """One step of a story; a step that does not apply is refused, which is fine."""
    what, value = step
    records = [record for name in memory.project().tables for record in memory.project().records(name)]
    alerts = memory.alerts()
    match what:
        case "allergy":
            allergy(memory, value)
        case "medication":
            memory.put("health.Medication", {"name": "iron", "until": value})
        case "end" if records:
            memory.end(records[value % len(records)].id, "2026-01")
        case "correct" if memory.project().records("health.Allergy"):
            memory.correct(memory.project().records("health.Allergy")[0].id, "severity", value)
        case "tick":
            clock.pass_days(value)
            memory.tick()
        case "acknowledge" if alerts:
            alert = alerts[value % len(alerts)]
            memory.acknowledge(alert.constraint, alert.subject)
        case "snooze" if alerts:
            memory.snooze(alerts[0].constraint, alerts[0].subject, until=clock.now + timedelta(days=value))
        case "retract":
            words = [
                each.position for each in entries(memory) if each.kind in ("observation", "retraction", "correction")
            ]
            free = [position for position in words if position not in memory.project().gone]
            if free:
                memory.retract([free[value % len(free)]], why="property")
        case "unwatched":
            position = memory.add(f"no {value}")
            memory.checkpoint(
                [Put(type="health.Allergy", fields={"substance": value}, cites=(position,))], watched=False
            )
        case "look":
            memory.look()
        case _:
            pass


def expected_alerts(project: Project) -> set[tuple[str, str]]:
    """What must stand, worked out by hand from the records."""
    assert project.now is not None
    today = project.now.date()
    found = {("allergies", record.key) for record in project.collected("health.allergies")}
    for record in project.collected("health.medications"):
        until = record.values["until"]
        if isinstance(until, date) and 0 <= (until - today).days <= 3:
            found.add(("ending", record.key))
    return found


@settings(max_examples=40, deadline=None)
@examples(STEPS)
def test_the_same_log_gives_the_same_alerts_whatever_happened(steps: list[tuple[str, Any]]) -> None:
    sandbox, clock = shared_sandbox(), Clock()
    memory = watched(ALLERGIES, ENDING, sandbox=sandbox, clock=clock)
    ends = [memory.log.head().position]
    for step in steps:
        do(memory, clock, step)
        ends.append(memory.log.head().position)
    clock.pass_days(1)
    memory.tick()
    memory.look()
    if memory.project().now == clock.now:
        assert set(standing(memory)) == expected_alerts(memory.project())
    check_laws(memory)
    check_rederived(memory, ends, sandbox)
    memory.close()


# --- the pure part ----------------------------------------------------------------------------------------------------

FOUND = st.lists(
    st.builds(FoundAlert, st.sampled_from("abc"), st.sampled_from(["critical", "info"]), st.sampled_from(["x", "y"])),
    max_size=4,
    unique_by=lambda found: found.subject,
)


@settings(max_examples=100, deadline=None)
@examples(FOUND, FOUND)
def test_changes_bring_the_standing_alerts_to_what_was_found_and_then_there_are_none(
    first: list[FoundAlert], second: list[FoundAlert]
) -> None:
    alerts: Alerts = Map()

    def found(result: list[FoundAlert]) -> list[AlertChange]:
        return alert_changes(
            alerts, {"c": CompletedRun(tuple(result))}, failures={}, unreviewed=frozenset(), timely=frozenset(), now=NOW
        )

    for position, result in enumerate((first, second), 1):
        for change in found(result):
            alerts = apply_alert_change(alerts, change, position=position, now=NOW)
        assert {(a.subject, a.severity, a.message) for a in alerts.values()} == {
            (f.subject, f.severity, f.message) for f in result
        }
        assert found(result) == []
