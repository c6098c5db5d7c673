"""A log of form 1 stays as it is in the store: it verifies, gives the same alerts, and goes on in form 2."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.constraints import CASES, Clock, Counted, case, constraint, given, standing, watched
from support.form_1_logs import copied_as_form_1
from uac.log.log import Break, Log
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Limits
from uac.schema.constraints import Knowledge
from uac.schema.entries import AlertChange
from uac.schema.patches import Adopt, Learn

TABLE = Knowledge.of(
    {"nuts": ["walnut"]}, name="health.drugs", version="3", date="2026-01-01", source="a book", note="not complete"
)
LOOKS_UP = """\
found = []
for m in user.health.medications:
    for a in user.health.allergies:
        if m.name in knowledge("health.drugs").get(a.substance, []):
            found.append(critical(f"{m.name} has {a.substance}.", m, a))
return found"""
WALNUT = case(
    "walnut", given("health.Allergy", substance="nuts"), given("health.Medication", name="walnut"), fires=True
)
ENDLESS = "while len(user.health.allergies) > 1:\n    pass\nreturn [info('x', a) for a in user.health.allergies]"
FAILS = "return [critical(str(1 / (len(m.name) - 4)), m) for m in user.health.medications]"
FAILS_CASE = case("five", given("health.Medication", name="seven"), fires=True)


def memory_over(log: Log, clock: Clock) -> Memory:
    return watched(log=log, clock=clock, sandbox=Counted(shared_sandbox(), limits=Limits(seconds=0.5)))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Alerts with tables, one that is capped, a rule that fails for a record, one that exceeds a limit."""
    path = tmp_path_factory.mktemp("filled") / "memory.db"
    store = SqliteStore(path, clock=Clock())
    memory = memory_over(store.log("today"), Clock())
    memory.checkpoint(
        [Learn(knowledge=TABLE), Adopt(constraint=constraint("rule", LOOKS_UP, WALNUT, CASES[1]))], reviewed=True
    )
    memory.checkpoint([Adopt(constraint=constraint("model", LOOKS_UP, WALNUT, CASES[1], origin="model"))])
    memory.adopt(constraint("endless", ENDLESS))
    memory.adopt(constraint("fails", FAILS, FAILS_CASE, CASES[1]))
    memory.put("health.Medication", {"name": "iron"})
    memory.put("health.Medication", {"name": "walnut"})
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.acknowledge("fails", "not checked: health.Medication:iron")
    memory.put("health.Allergy", {"substance": "milk"})
    memory.close()
    store.close()
    return path


@pytest.fixture
def store(filled: Path, tmp_path: Path, clock: Clock) -> Iterator[SqliteStore]:
    store = SqliteStore(Path(shutil.copy(filled, tmp_path / "memory.db")), clock=clock)
    yield store
    store.close()


@pytest.fixture
def today(store: SqliteStore, clock: Clock) -> Memory:
    return memory_over(store.log("today"), clock)


@pytest.fixture
def old(today: Memory, store: SqliteStore) -> Log:
    return copied_as_form_1(today.log, store.log("old"))


def test_an_old_log_verifies_and_folds_to_the_same_alerts(today: Memory, old: Log, clock: Clock) -> None:
    assert old.verify() is None
    new, project = today.project(), memory_over(old, clock).project()
    assert project.alerts == new.alerts
    assert (project.failures, project.looks, project.rechecks) == (new.failures, new.looks, new.rechecks)
    assert {alert.tables for alert in project.alerts.values()} == {("health.drugs 3",), ()}
    assert {alert.reason for alert in project.alerts.values() if alert.is_failure} == {"", "limit"}
    assert [stored.entry for stored in old.read()] == [stored.entry for stored in today.log.read()]


def test_an_old_log_goes_on_without_an_alert_that_is_raised_or_updated_again(
    today: Memory, old: Log, clock: Clock
) -> None:
    memory = memory_over(old, clock)
    known = standing(memory)
    clock.pass_days(2)  # the rule that exceeded a limit is due
    memory.tick()
    memory.put("health.Medication", {"name": "zinc"})
    changes = [stored.entry for stored in old.read(today.log.head().position + 1)]
    assert [entry for entry in changes if isinstance(entry, AlertChange) and entry.change != "failed"] == []
    assert {*known} < {*standing(memory)}
    assert {row.form for row in old._rows.read(1, None)} == {1, 2}
    assert old.verify() is None


def test_the_stored_bodies_of_an_old_log_are_not_rewritten_by_reading_it(old: Log, clock: Clock) -> None:
    before = list(old._rows.read(1, None))
    memory_over(old, clock).project()
    assert list(old._rows.read(1, None)) == before
    assert any(" [by health.drugs 3]" in row.body for row in before)
    assert any("over the limit: " in row.body for row in before)


def test_an_old_log_still_verifies_after_an_erasure(old: Log) -> None:
    put = next(stored.position for stored in old.read() if stored.kind == "observation")
    assert old.erase([put], why="asked")
    assert old.verify() is None


def test_a_change_of_an_old_alert_is_still_found(old: Log, tmp_path: Path) -> None:
    row = next(row for row in old._rows.read(1, None) if " [by health.drugs 3]" in row.body)
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        connection.execute(
            "UPDATE entries SET body = replace(body, 'health.drugs 3', 'health.drugs 4') WHERE position = ?"
            " AND user = (SELECT id FROM users WHERE name = 'old')",
            (row.position,),
        )
    connection.close()
    problem = f"entry {row.position} does not match its digest: it was altered or moved"
    assert old.verify() == Break(row.position, problem)
