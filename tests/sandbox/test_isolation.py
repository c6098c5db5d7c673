"""One reader's code never changes what another reader, or a rule, sees; what cleared an alert wrongly heals."""

from collections.abc import Iterator

import pytest
from attacks.mutation_programs import (
    ALIASES,
    LEFTOVERS,
    LISTS,
    OTHERS,
    RECORD_CHANGES,
    Program,
    Target,
    programs,
    sample,
)

from support.constraints import ALLERGIES, Clock, constraint, standing, watched
from uac.errors import Refused, Rejected
from uac.memory.memory import Memory
from uac.sandbox import available, shared_sandbox
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Knowledge
from uac.schema.entries import AlertChange
from uac.schema.patches import Adopt, Learn, Retire


@pytest.fixture(scope="module", params=available())
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    target = Target(shared_sandbox(request.param))
    yield target
    target.memory.close()


def check_all(target: Target, attempts: list[Program]) -> None:
    passed = []
    for attempt in attempts:
        if not target.withstands(attempt.code):
            passed.append(attempt)
            target.restore()
    assert passed == []


def test_no_program_changes_what_others_see(target: Target) -> None:
    check_all(target, sample(12, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_thousands_of_programs_change_nothing_either(target: Target, seed: int) -> None:
    check_all(target, sample(1000, seed=seed))


def test_the_generator_knows_every_kind_of_program() -> None:
    kinds = {program.kind for program in programs()}
    assert kinds == {"list", "record", "other"}
    assert len({program.code for program in programs()}) > 15_000
    assert min(map(len, (ALIASES, LISTS, RECORD_CHANGES, OTHERS))) >= 8


@pytest.mark.parametrize(("first", "later"), LEFTOVERS)
def test_a_query_leaves_nothing_for_a_later_one(target: Target, first: str, later: str) -> None:
    try:
        assert target.forgets(first, later)
    finally:
        target.restore()


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("health.allergies.clear()\nlen(health.allergies)", 0),
        ("travel.journeys[0].tags.append('new')\ntravel.journeys[0].tags", ["b", "a", "new"]),
        ("health.allergies[0].substance = 'changed'\n[a.substance for a in health.allergies]", ["changed", "milk"]),
        ("health.allergies = []\nlen(user.health.allergies)", 0),
        ("people.profile.names[0] = 'Zoe'\npeople.profile.names", ["Zoe", "Anna"]),
        ("for j in travel.journeys:\n    j.tags.sort()\n[j.tags for j in travel.journeys]", [["a", "b"], ["c"]]),
        ("class Point:\n    def __init__(self, x):\n        self.x = x\nPoint(len(health.allergies)).x", 2),
    ],
)
def test_a_query_that_changes_things_works_and_is_gone_afterwards(target: Target, code: str, value: object) -> None:
    assert target.memory.compute(code).value == value
    assert target.seen() == target.before
    assert target.memory.compute(code).value == value


def test_random_numbers_do_not_depend_on_who_asked_before(target: Target) -> None:
    code = "import random\nrandom.random()"
    assert len({target.memory.compute(code).value for _time in range(3)}) == 1


# --- constraints ------------------------------------------------------------------------------------------------------

SILENT = "return [warning(m.name, m) for m in user.health.medications]"


@pytest.fixture(scope="module", params=available())
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return shared_sandbox(request.param)


def adopted(memory: Memory, body: str) -> bool:
    try:
        memory.checkpoint([Adopt(constraint=constraint("hostile", f"{body}\n{SILENT}", origin="model"))])
    except (Refused, Rejected):
        return False
    return True


def test_an_unreviewed_rule_changes_nothing_for_the_others(sandbox: Sandbox) -> None:
    target = Target(sandbox)
    memory = target.memory
    aliases = [alias for alias in ALIASES if "class" not in alias and "import" not in alias and "group_by" not in alias]
    let_in = 0
    for alias in aliases:
        if adopted(memory, f"{alias.format('user.health.allergies')}\nx.clear()"):
            let_in += 1
            memory.put("health.Medication", {"name": "milk"})
            assert ("allergies", "nuts") in standing(memory)
            memory.drop("health.Medication:milk", why="only a test")
            memory.checkpoint([Retire(constraint="hostile", why="only a test")], reviewed=True)
    memory.tick()
    assert let_in > 0  # or this test tells nothing
    assert target.seen() == target.before
    memory.close()


LOOKS_UP = "return [warning('in the table', m) for m in user.health.medications if m.name in knowledge('test.table')]"


def test_an_unreviewed_rule_cannot_empty_a_table(sandbox: Sandbox) -> None:
    memory = watched(sandbox=sandbox, clock=Clock())
    table = Knowledge.of({"nuts": {"a": 1}}, name="test.table", version="1", date="2026-01-01", source="us", note="-")
    memory.checkpoint([Learn(knowledge=table)], reviewed=True)
    memory.adopt(constraint("looks_up", LOOKS_UP))
    emptying = "args = json.loads('[[]]') + [knowledge('test.table')]\nx = sum(*args)\nx.clear()"
    assert adopted(memory, emptying)
    memory.put("health.Medication", {"name": "nuts"})
    memory.put("health.Medication", {"name": "iron"})
    assert ("looks_up", "nuts") in standing(memory)
    assert "looks_up" not in memory.project().failures
    memory.close()


# --- healing ----------------------------------------------------------------------------------------------------------


def test_an_alert_that_was_cleared_by_mistake_comes_back_at_the_next_tick_of_any_process() -> None:
    clock = Clock()
    memory = watched(ALLERGIES, clock=clock)
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.log.append([AlertChange(change="cleared", constraint="allergies", subject="nuts", severity="critical")])
    assert standing(memory) == []
    other = watched(log=memory.log, clock=clock)
    other.tick(clock.pass_days(1))
    assert standing(other) == [("allergies", "nuts")]


def test_an_alert_that_was_cleared_rightly_is_looked_at_once_more_and_then_left_alone() -> None:
    clock = Clock()
    memory = watched(ALLERGIES, clock=clock)
    record = memory.put("health.Allergy", {"substance": "nuts"})
    memory.drop(record, why="a mistake")
    assert memory.project().rechecks == {"allergies"}
    memory.tick(clock.pass_days(1))
    assert memory.project().rechecks == frozenset()
    head = memory.log.head()
    memory.tick(clock.pass_days(1))
    assert (memory.log.head(), standing(memory)) == (head, [])
