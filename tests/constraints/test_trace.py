"""why: the tests that a constraint made and the values it saw, whether it fired or not, and nothing is disturbed."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from support.constraints import ALLERGIES, ENDING, NOW, Counted, case, constraint, given, standing, told, watched
from support.short_logs import ALLERGY, Story
from uac.constraints.trace import Test as Made
from uac.constraints.trace import Why, trace_constraint
from uac.errors import LimitError, Refused, RunError
from uac.memory.memory import Memory
from uac.project.project import Adopted, Project
from uac.sandbox import available, shared_sandbox
from uac.sandbox.compute import Computer
from uac.sandbox.port import Limits, RunOutcome, Sandbox, SandboxSession, Value


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
        reasons=(
            (
                "ending fired because of health.Medication:iron (name iron, until 2026-01-12), as of 2026-01-10 09:00Z:"
                " iron ends on 2026-01-12."
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


# A trace of a project, without a memory


@pytest.fixture(scope="module")
def nuts() -> Project:
    """A project with one allergy and the time of a tick."""
    story = Story()
    story.types(ALLERGY)
    story.tell("health.Allergy", substance="nuts")
    return replace(story.project, now=NOW)


def with_rule(project: Project, body: str, *, before: str = "") -> Project:
    return replace(project, constraints={"rule": Adopted(constraint("rule", body, before=before), 1)})


def traced(project: Project, body: str, *, before: str = "", sandbox: Sandbox | None = None) -> Why:
    computer = Computer(sandbox or shared_sandbox(), trusted=True)
    return trace_constraint(with_rule(project, body, before=before), "rule", computer)


@pytest.mark.parametrize(
    ("test", "values", "result"),
    [
        ("n == 1", {"n": "1"}, True),
        ("n != 1", {"n": "1"}, False),
        ("n < 1", {"n": "1"}, False),
        ("n <= 1", {"n": "1"}, True),
        ("n > 1", {"n": "1"}, False),
        ("n >= 1", {"n": "1"}, True),
        ("n is None", {"n": "1"}, False),
        ("n is not None", {"n": "1"}, True),
        ("n in names", {"n": "1", "names": "['nuts']"}, False),
        ("n not in names", {"n": "1", "names": "['nuts']"}, True),
        ("0 < n < 2", {}, True),
        ("n", {"n": "1"}, True),
        ("isinstance(n, int)", {"n": "1"}, True),
        ("any([*names])", {}, True),
        ("sorted(names, key=len)", {"sorted(names, key=len)": "['nuts']"}, True),
        ("max(*names, 'a')", {"max(*names, 'a')": "nuts"}, True),
        ("names[0].startswith('n')", {}, True),
    ],
)
def test_a_test_is_recorded_with_the_values_of_its_parts(
    nuts: Project, test: str, values: dict[str, str], result: bool
) -> None:
    body = f"names = [a.substance for a in user.health.allergies]\nn = len(names)\nif {test}:\n    return [info('x', subject='x')]\nreturn []"
    why = traced(nuts, body)
    (made,) = why.tests
    shown = {name: value for name, value in made.values if name not in ("int", "[*names]")}
    assert (why.failure, made.line, made.text, shown, made.result) == ("", 5, test, values, result)


def test_a_constant_is_not_recorded_as_a_test(nuts: Project) -> None:
    assert traced(nuts, "while True:\n    return []").tests == ()


def test_the_tests_of_a_helper_are_marked_as_inner(nuts: Project) -> None:
    before = "def _is_long(text):\n    return 1 if len(text) > 3 else 0\n\n\n"
    why = traced(nuts, "return [info('x', a) for a in user.health.allergies if _is_long(a.substance)]", before=before)
    assert [(test.line, test.text, test.result, test.is_inner) for test in why.tests] == [
        (2, "len(text) > 3", True, True),
        (7, "_is_long(a.substance)", True, False),
    ]


def test_a_long_test_is_shortened(nuts: Project) -> None:
    many = ", ".join(f"'name {n}'" for n in range(30))
    (test,) = traced(nuts, f"return [info('x', a) for a in user.health.allergies if a.substance in [{many}]]").tests
    assert (len(test.text), test.text[-1], test.text[:23]) == (80, "…", "a.substance in ['name 0")


def test_without_a_tick_nothing_is_run(nuts: Project) -> None:
    why = traced(replace(nuts, now=None), "return [info('x', a) for a in user.health.allergies if a.severity]")
    assert (why.tests, why.failure, why.reads) == ((), "", (("health.allergies", 1),))


def test_the_refusal_says_if_there_is_no_constraint_at_all(nuts: Project) -> None:
    with pytest.raises(Refused, match=r"No constraint rule\. Use one of: none\."):
        trace_constraint(nuts, "rule", Computer(shared_sandbox()))


class Answering(Counted):
    """A sandbox whose traces have this outcome."""

    def __init__(self, outcome: Value | RunError) -> None:
        super().__init__(shared_sandbox())
        self.outcome = outcome

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        session = super().session(now=now, seed=seed, limits=limits)
        return _AnsweringSession(session, self.outcome)


class _AnsweringSession:
    def __init__(self, session: SandboxSession, outcome: Value | RunError) -> None:
        self._session = session
        self._outcome = outcome
        self.snapshot = session.snapshot
        self.close = session.close

    @property
    def alive(self) -> bool:
        return self._session.alive

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> RunOutcome:
        if not code.startswith("uac_results = "):
            return self._session.run(code, inputs)
        if isinstance(self._outcome, RunError):
            raise self._outcome
        return RunOutcome(self._outcome, "", 0.0)


SILENT = "return [info('x', a) for a in user.health.allergies if a.severity]"


@pytest.mark.parametrize(
    ("outcome", "failure"), [(LimitError("time", "took too long"), "took too long"), (None, "returned no result")]
)
def test_a_trace_that_gives_no_result_says_why(nuts: Project, outcome: Value | RunError, failure: str) -> None:
    why = traced(nuts, SILENT, sandbox=Answering(outcome))
    assert (why.tests, why.failure) == ((), failure)


def test_rows_that_are_not_tests_are_left_out(nuts: Project) -> None:
    rows: list[Value] = [None, [1, "x"], [3, "a.severity", [["a.severity", 7], "odd"], False], [True, 1, [], True]]
    assert traced(nuts, SILENT, sandbox=Answering(["", rows])).tests == (
        Made(3, "a.severity", (("a.severity", "7"),), False),
    )


def test_the_failure_of_the_last_run_takes_precedence(nuts: Project) -> None:
    project = replace(nuts, failures={"rule": "ValueError: earlier"})
    assert traced(project, SILENT).failure == "ValueError: earlier"
