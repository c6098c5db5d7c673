"""why: the tests that a constraint made and the values it saw, whether it fired or not, and nothing is disturbed."""

from datetime import timedelta

import pytest

from support.constraints import ALLERGIES, ENDING, NOW, case, constraint, given, standing, told, watched
from uac.constraints.trace import Test as Made
from uac.constraints.trace import Why
from uac.errors import Refused
from uac.memory.memory import Memory
from uac.sandbox import available, shared_sandbox
from uac.sandbox.port import Sandbox


@pytest.fixture(scope="module", params=available())
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return shared_sandbox(request.param)


@pytest.fixture
def memory(sandbox: Sandbox) -> Memory:
    return watched(ALLERGIES, ENDING, sandbox=sandbox)


def test_a_constraint_that_fired_shows_the_values_that_it_saw(memory: Memory) -> None:
    memory.put("health.Medication", {"name": "iron", "until": "2026-01-12"})
    told_why = memory.why("ending")
    assert told_why == Why(
        constraint=memory.project().constraints["ending"],
        reads=(("health.medications", 1),),
        now=NOW,
        alerts=tuple(memory.alerts()),
        failure="",
        again=memory.project().looks.get("ending"),
        tests=(
            Made(6, "m.until is not None", (("m.until", "2026-01-12"),), True),
            Made(
                6,
                "due_within(m.until, now, 3)",
                (("m.until", "2026-01-12"), ("now", "2026-01-10 09:00:00+00:00")),
                True,
            ),
        ),
    )
    assert [alert.subject for alert in told_why.alerts] == ["iron"]


def test_a_constraint_that_stayed_silent_shows_what_stopped_it(memory: Memory) -> None:
    memory.put("health.Medication", {"name": "iron"})
    memory.put("health.Medication", {"name": "zinc", "until": "2026-06-01"})
    told_why = memory.why("ending")
    assert (told_why.alerts, told_why.failure, told_why.reads) == ((), "", (("health.medications", 2),))
    assert [(test.text, test.values[0], test.result) for test in told_why.tests] == [
        ("m.until is not None", ("m.until", "None"), False),
        ("m.until is not None", ("m.until", "2026-06-01"), True),
        ("due_within(m.until, now, 3)", ("m.until", "2026-06-01"), False),
    ]
    assert told_why.again is not None


def test_equal_tests_are_shown_once_with_their_number(sandbox: Sandbox) -> None:
    body = "return [info(a.substance, a) for a in user.health.allergies if a.severity == 'mild']"
    mild = case("mild", given("health.Allergy", substance="x", severity="mild"), fires=True)
    memory = watched(constraint("mild", body, mild, case("none", fires=False)), sandbox=sandbox)
    for substance, severity in (("a", None), ("b", None), ("c", "mild")):
        memory.put("health.Allergy", {"substance": substance, "severity": severity})
    assert memory.why("mild").tests == (
        Made(3, "a.severity == 'mild'", (("a.severity", "None"),), False, 2),
        Made(3, "a.severity == 'mild'", (("a.severity", "mild"),), True, 1),
    )


@pytest.mark.parametrize(
    ("body", "tests"),
    [
        (
            "found = []\nfor a in user.health.allergies:\n    if len(a.substance) > 3 and not a.severity:\n        found.append(info('x', a))\nreturn found",
            [
                Made(5, "len(a.substance) > 3", (("len(a.substance)", "4"),), True),
                Made(5, "a.severity", (("a.severity", "None"),), False),
            ],
        ),
        (
            "level = 1 if user.health.allergies else 0\nreturn [info('x', subject='x')] * level",
            [Made(3, "user.health.allergies", (), True)],
        ),
        (
            "left = len(user.health.allergies)\nwhile left > 0:\n    left = left - 1\nreturn [info('x', a) for a in user.health.allergies]",
            [Made(4, "left > 0", (("left", "1"),), True), Made(4, "left > 0", (("left", "0"),), False)],
        ),
    ],
)
def test_every_kind_of_test_is_shown_with_its_line(sandbox: Sandbox, body: str, tests: list[Made]) -> None:
    nuts = case("nuts", given("health.Allergy", substance="nuts"), fires=True)
    memory = watched(constraint("rule", body, nuts, case("none", fires=False)), sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts"})
    shown = [
        Made(test.line, test.text, () if test.text == "user.health.allergies" else test.values, test.result, test.times)
        for test in memory.why("rule").tests
    ]
    assert shown == tests


def test_asking_why_changes_nothing(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.put("health.Medication", {"name": "iron", "until": "2026-01-12"})
    head, before = memory.log.head(), memory.project()
    first = memory.why("ending")
    assert memory.why("ending") == first
    assert memory.why("allergies").tests == ()
    assert (memory.log.head(), memory.project()) == (head, before)
    memory.put("health.Allergy", {"substance": "milk"})
    memory.put("health.Medication", {"name": "zinc", "until": "2026-01-11"})
    assert standing(memory) == [
        ("allergies", "nuts"),
        ("allergies", "milk"),
        ("ending", "iron"),
        ("ending", "zinc"),
    ]
    assert [change for change, _constraint, _subject in told(memory)] == ["raised"] * 4
    assert memory.project().failures == {}


def test_a_constraint_that_was_not_asked_for_is_refused_with_those_that_are_there(memory: Memory) -> None:
    with pytest.raises(Refused, match=r"No constraint nobody\. Use one of: allergies, ending"):
        memory.why("nobody")


def test_a_constraint_that_fails_says_so_and_shows_what_it_saw_before(sandbox: Sandbox) -> None:
    body = "if len(user.health.allergies) > 1:\n    raise ValueError('two')\nreturn [info(a.substance, a) for a in user.health.allergies]"
    nuts = case("nuts", given("health.Allergy", substance="nuts"), fires=True)
    memory = watched(constraint("rule", body, nuts, case("none", fires=False)), sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.put("health.Allergy", {"substance": "milk"})
    told_why = memory.why("rule")
    assert (told_why.failure, [(test.text, test.result) for test in told_why.tests]) == (
        "ValueError: two",
        [("len(user.health.allergies) > 1", True)],
    )


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "names = [a.substance for a in user.health.allergies]\nif len(names) > 0 and names.pop() == 'nuts':\n    return [info('x', subject='x')]\nreturn []",
            id="takes from a list of its own",
        ),
        pytest.param(
            "rare = [a for a in user.health.allergies if a.substance == 'rare']\nif 0 < len(rare) < len(rare[0].substance):\n    return []\nreturn [info('x', a) for a in user.health.allergies]",
            id="a chain that stops early",
        ),
        pytest.param(
            "if (n := len(user.health.allergies)) == 1 and n > 0:\n    return [info('x', subject='x')]\nreturn []",
            id="names a value on the way",
        ),
    ],
)
def test_writing_a_test_down_does_not_change_how_it_comes_out(sandbox: Sandbox, body: str) -> None:
    nuts = case("nuts", given("health.Allergy", substance="nuts"), fires=True)
    memory = watched(constraint("rule", body, nuts, case("none", fires=False)), sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts"})
    assert [alert.constraint for alert in memory.alerts()] == ["rule"]
    told_why = memory.why("rule")
    assert told_why.failure == ""
    assert told_why.tests[-1].result is ("rare" not in body)


def test_many_tests_are_cut_and_the_rest_is_counted(sandbox: Sandbox) -> None:
    body = "return [info('x', subject='x') for a in user.health.allergies for n in range(300) if n == 299]"
    nuts = case("nuts", given("health.Allergy", substance="nuts"), fires=True)
    memory = watched(constraint("rule", body, nuts, case("none", fires=False)), sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts"})
    told_why = memory.why("rule")
    assert (len(told_why.tests), told_why.left_out) == (200, 100)


def test_long_values_are_shortened(sandbox: Sandbox) -> None:
    nuts = case("nuts", given("health.Allergy", substance="nuts"), fires=True)
    body = "return [info('x', a) for a in user.health.allergies if a.substance != 'milk']"
    memory = watched(constraint("rule", body, nuts, case("none", fires=False)), sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "x" * 200})
    (test,) = memory.why("rule").tests
    assert test.values == (("a.substance", "x" * 79 + "…"),)


def test_why_knows_the_time_of_the_last_tick(memory: Memory) -> None:
    memory.put("health.Medication", {"name": "iron", "until": "2026-02-01"})
    later = NOW + timedelta(days=20)
    memory.tick(later)
    assert memory.why("ending").now == later
