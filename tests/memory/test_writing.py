"""The way of a write: each entry is folded once, and the project that was folded ahead is the new project."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from support.constraints import ALLERGIES, Clock, case, constraint, given, watched
from support.scripted_model import fact, facts, heard
from uac import Memory
from uac.errors import KeyReused, Rejected, Repeated
from uac.log.log import Appended, Log, Stored
from uac.project.fold import Fold, fold_entries
from uac.schema.entries import AlertChange, Entry, Observation

SENTENCE = "I am allergic to penicillin. Dr. Chen gave me amoxicillin yesterday."


@dataclass
class Counted:
    """How many folds were begun, and which entries went into them."""

    folds: int = 0
    positions: list[int] = field(default_factory=list)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    found = Counted()
    begin, add = Fold.__init__, Fold.add

    def begun(self: Fold, *args: Any, **more: Any) -> None:
        found.folds += 1
        begin(self, *args, **more)

    def added(self: Fold, stored: Stored) -> None:
        found.positions.append(stored.position)
        add(self, stored)

    monkeypatch.setattr(Fold, "__init__", begun)
    monkeypatch.setattr(Fold, "add", added)
    return found


def test_an_accepted_reply_folds_each_of_its_entries_once_in_at_most_two_folds(counted: Counted) -> None:
    memory = heard(SENTENCE)
    (request,) = memory.pending()
    told = facts(
        fact("The user is allergic to penicillin.", 1, "I am allergic to penicillin"),
        fact("Dr. Chen gave the user amoxicillin.", 1, "Dr. Chen gave me amoxicillin"),
    )
    first, second = memory.answer(request.id, json.dumps(told)).facts
    (request,) = memory.pending()
    patches = [
        {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [first]},
        {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}, "cites": [second]},
    ]
    before = memory.log.head().position
    counted.folds, counted.positions = 0, []
    outcome = memory.answer(request.id, json.dumps({"patches": patches}))
    assert [(change.constraint, change.subject) for change in outcome.alerts if change.change == "raised"] == [
        ("drug_allergy", "amoxicillin / penicillin")
    ]
    assert counted.folds <= 2
    assert counted.positions == list(range(before + 1, memory.log.head().position + 1))
    project = memory.project()
    assert counted.folds <= 2  # it was folded ahead, and is not read back
    assert project == fold_entries(memory.log.read())
    memory.close()


def test_the_project_after_a_write_is_the_one_that_the_log_gives(counted: Counted) -> None:
    memory = watched(ALLERGIES, clock=Clock())
    record = memory.put("health.Allergy", {"substance": "nuts"})
    memory.correct(record, "severity", "mild")
    memory.end(record, "2026-01")
    counted.folds = 0
    assert memory.project() == fold_entries(memory.log.read())
    assert counted.folds == 1  # that of the comparison
    memory.retract([memory.log.head().position], why="a test")
    assert memory.project() == fold_entries(memory.log.read())
    memory.close()


class Meddled(Log):
    """A log that somebody else appends to right after every conditional append."""

    def append_rows(self, entries: Any, **terms: Any) -> Appended:
        appended = super().append_rows(entries, **terms)
        super().append_rows([Observation(text="and then", said=self.now())])
        return appended


def test_entries_that_somebody_else_appended_meanwhile_are_folded_on_top() -> None:
    memory = watched(ALLERGIES)
    log = Meddled(memory.log._rows, memory.log._clock)
    other = watched(log=log, clock=Clock())
    other.put("health.Allergy", {"substance": "nuts"})
    assert other.project() == fold_entries(memory.log.read())
    assert [alert.subject for alert in other.alerts()] == ["nuts"]
    other.close()
    memory.close()


class Postdated(Log):
    """A log that stamps entries with its own time, whatever it is given."""

    def append_rows(self, entries: Any, **terms: Any) -> Appended:
        terms.pop("at", None)
        return super().append_rows(entries, **terms)


def test_a_project_is_folded_again_if_the_log_holds_something_else_than_was_folded() -> None:
    memory = watched(ALLERGIES)
    other = watched(log=Postdated(memory.log._rows, memory.log._clock), clock=Clock())
    other.put("health.Allergy", {"substance": "nuts"})
    assert other.project() == fold_entries(memory.log.read())
    other.close()
    memory.close()


def entries_of(memory: Memory) -> Iterator[Entry | None]:
    return (stored.entry for stored in memory.log.read())


def test_terms_that_overlap_bind_their_own_writes() -> None:
    memory, other = watched(ALLERGIES), watched(ALLERGIES)
    with memory.once("outer", "two") as outer:
        with other.once("elsewhere", "one") as elsewhere:
            memory.put("health.Allergy", {"substance": "nuts"})
            assert (outer.is_fulfilled, elsewhere.is_fulfilled) == (True, False)
            other.put("health.Allergy", {"substance": "nuts"})
        with memory.once("inner", "one") as inner:
            memory.put("health.Allergy", {"substance": "milk"})
    assert [terms.first > 0 for terms in (outer, inner, elsewhere)] == [True, True, True]
    for each, key in ((memory, "outer"), (memory, "inner"), (other, "elsewhere")):
        with pytest.raises((Repeated, KeyReused)), each.once(key, "two"):
            pass
    assert sum(isinstance(entry, AlertChange) for entry in entries_of(memory)) == 2
    memory.close()
    other.close()


def test_terms_left_unused_inside_others_bind_nothing() -> None:
    memory = watched(ALLERGIES)
    with memory.once("outer", "put") as outer:
        with memory.once("inner", "nothing") as inner:
            pass
        memory.put("health.Allergy", {"substance": "nuts"})
    assert (outer.is_fulfilled, inner.is_fulfilled) == (True, False)
    memory.close()


def test_a_constraint_that_fails_on_the_present_state_is_not_adopted_by_a_person() -> None:
    memory = watched()
    memory.put("health.Allergy", {"substance": "nuts"})
    before = memory.log.head()
    cases = (
        case("nothing", fires=False),
        case("nuts", given("health.Allergy", substance="milk"), fires=True),
    )
    broken = constraint(
        "broken", "return [info(str(1 / len(a.substance.replace('nuts', '')))) for a in user.health.allergies]", *cases
    )
    with pytest.raises(Rejected, match=r"broken: .*ZeroDivisionError"):
        memory.adopt(broken)
    assert memory.log.head() == before
    memory.close()


class Forestalled(Log):
    """A log to which somebody else appends once, right before a conditional append."""

    forestalled = 0

    def append_rows(self, entries: Any, **terms: Any) -> Appended:
        if not self.forestalled:
            self.forestalled = 1
            super().append_rows([Observation(text="and before", said=self.now())])
        return super().append_rows(entries, **terms)


def test_a_write_that_others_forestall_is_planned_again() -> None:
    memory = watched(ALLERGIES)
    first = memory.log.head().position + 1
    other = watched(log=Forestalled(memory.log._rows, memory.log._clock), clock=Clock())
    record = other.put("health.Allergy", {"substance": "nuts"})
    texts = [stored.entry.text for stored in other.log.read(first) if isinstance(stored.entry, Observation)]
    assert texts == ["and before", "health.Allergy: substance = nuts"]
    assert other.project().record(record).cites == {first + 1}
    other.close()
    memory.close()
