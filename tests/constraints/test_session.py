"""A session of constraints: each is defined once, runs on objects of its own, and a spoiled session is replaced."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from support.constraints import MEDICATION, NOW, Counted, constraint
from support.short_logs import ALLERGY, Story
from uac.constraints.failing_records import Narrowed
from uac.constraints.session import ConstraintSession
from uac.errors import CodeError, LimitError, RunError, SandboxError
from uac.project.project import Adopted, Project
from uac.sandbox import shared_sandbox
from uac.sandbox.compute import Computer
from uac.sandbox.port import Limits, RunOutcome, SandboxSession, Value
from uac.schema.constraints import Constraint, Knowledge

FOUR = constraint("four", "return [info(str(12 // (len(m.name) - 4)), m) for m in user.health.medications]")
COUNT = constraint("count", "return [info(str(len(user.health.medications)), subject='all')]")
SOON = constraint("soon", "return [info('x', m) for m in user.health.medications if due_within(m.until, now, 3)]")
TABLE = Knowledge.of({"iron": "ferrum"}, name="health.latin", version="1", date="2026-01-01", source="a book", note="")
LATIN = constraint("latin", "return [info(knowledge('health.latin').get('iron', ''), subject='iron')]")


class Watched(Counted):
    """A sandbox that notes the code of every run and may change the outcome of a run."""

    def __init__(self) -> None:
        super().__init__(shared_sandbox())
        self.sessions = 0
        self.codes: list[str] = []
        self.outcome: Callable[[str], Value | RunError] | None = None

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        self.sessions += 1
        return _WatchedSession(super().session(now=now, seed=seed, limits=limits), self)

    def fail(self, *errors: RunError, when: str = "uac_look(") -> None:
        """Let the next runs of code that starts so fail with these errors."""
        left = [*errors]
        self.outcome = lambda code: left.pop(0) if left and code.startswith(when) else KEEP

    def answer(self, value: Value) -> None:
        self.outcome = lambda code: value if code.startswith("uac_look(") else KEEP


KEEP = "the outcome of the sandbox"


class _WatchedSession:
    def __init__(self, session: SandboxSession, watched: Watched) -> None:
        self._session = session
        self._watched = watched
        self.snapshot = session.snapshot
        self.close = session.close

    @property
    def alive(self) -> bool:
        return self._session.alive

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> RunOutcome:
        self._watched.codes.append(code)
        outcome = self._watched.outcome(code) if self._watched.outcome else KEEP
        if isinstance(outcome, RunError):
            raise outcome
        return self._session.run(code, inputs) if outcome is KEEP else RunOutcome(outcome, "", 0.0)


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def session(watched: Watched) -> ConstraintSession:
    return ConstraintSession(Computer(watched, trusted=True))


@pytest.fixture(scope="module")
def story() -> Story:
    story = Story()
    story.types(ALLERGY, MEDICATION)
    story.tell("health.Medication", name="aspirin", until="2026-01-20")
    story.tell("health.Medication", name="iron", until="2026-01-12")
    return story


@pytest.fixture
def project(story: Story) -> Project:
    return with_constraints(story.project, FOUR, COUNT, SOON, LATIN)


def with_constraints(project: Project, *constraints: Constraint) -> Project:
    adopted = {constraint.name: Adopted(constraint, 1) for constraint in constraints}
    return replace(project, constraints=adopted, knowledge={TABLE.name: TABLE})


def definitions(watched: Watched, name: str) -> int:
    return sum(code.count(f"def user_of__{name}(") for code in watched.codes)


def test_each_constraint_has_a_row_with_its_error_its_alerts_and_when_to_run_again(
    session: ConstraintSession, project: Project
) -> None:
    four, count, soon, latin = session.look(project, ["four", "count", "soon", "latin"], NOW)
    assert isinstance(four, list)
    assert str(four[1]).startswith("ZeroDivisionError")
    assert [four[0], four[2:]] == ["four", [[], []]]
    assert count == ["count", "", [["info", "all", "2", [], None]], []]
    assert soon == ["soon", "", [["info", "", "x", ["health.Medication:iron"], None]], cast("Any", soon)[3]]
    assert cast("Any", soon)[3] != []
    assert latin == ["latin", "", [["info", "iron", "ferrum", [], None]], []]


def test_a_constraint_is_defined_once_and_again_when_its_code_changes(
    session: ConstraintSession, watched: Watched, project: Project
) -> None:
    assert session.look(project, ["count"], NOW) == session.look(project, ["count"], NOW + timedelta(hours=1))
    assert (definitions(watched, "count"), watched.sessions) == (1, 1)
    other = constraint("count", "return [info('changed', subject='all')]")
    changed = replace(project, constraints={**project.constraints, "count": Adopted(other, 2)})
    assert session.look(changed, ["count"], NOW) == [["count", "", [["info", "all", "changed", [], None]], []]]
    assert definitions(watched, "count") == 2


def test_a_table_is_loaded_once_and_again_when_it_changes(
    session: ConstraintSession, watched: Watched, project: Project
) -> None:
    session.look(project, ["latin"], NOW)
    session.look(project, ["latin", "count"], NOW)
    assert sum(code.startswith("uac_tables.update") for code in watched.codes) == 1
    newer = Knowledge.of({"iron": "Fe"}, name=TABLE.name, version="2", date="2026-02-01", source="a book", note="")
    changed = replace(project, knowledge={newer.name: newer})
    assert session.look(changed, ["latin"], NOW) == [["latin", "", [["info", "iron", "Fe", [], None]], []]]


def test_a_constraint_that_changes_its_lists_changes_them_for_no_other(
    session: ConstraintSession, story: Story
) -> None:
    takes = constraint(
        "takes", "mine = list(user.health.medications)\nmine.clear()\nreturn [info(str(len(mine)), subject='x')]"
    )
    project = with_constraints(story.project, takes, COUNT)
    assert project.constraints["takes"].reading.effect.change != "nothing"
    for _ in range(2):
        assert session.look(project, ["takes", "count"], NOW) == [
            ["takes", "", [["info", "x", "0", [], None]], []],
            ["count", "", [["info", "all", "2", [], None]], []],
        ]


def test_a_constraint_can_run_in_a_session_that_is_used_once(
    session: ConstraintSession, watched: Watched, project: Project
) -> None:
    alone = session.look_alone(project, "count", NOW)
    assert alone == session.look(project, ["count"], NOW)
    assert watched.sessions == 2
    session.look_alone(project, "count", NOW)
    assert (watched.sessions, definitions(watched, "count")) == (3, 3)


@pytest.mark.parametrize("error", [SandboxError("gone"), LimitError("memory", "full")])
def test_a_session_that_earlier_runs_may_have_spoiled_is_replaced_and_the_run_repeated(
    session: ConstraintSession, watched: Watched, project: Project, error: RunError
) -> None:
    before = session.look(project, ["count"], NOW)
    watched.fail(error)
    assert session.look(project, ["count"], NOW) == before
    assert (watched.sessions, definitions(watched, "count")) == (2, 2)


def test_a_run_that_fails_for_its_own_reasons_is_not_repeated(
    session: ConstraintSession, watched: Watched, project: Project
) -> None:
    session.look(project, ["count"], NOW)
    watched.fail(CodeError("ValueError", "own fault"))
    with pytest.raises(CodeError, match="own fault"):
        session.look(project, ["count"], NOW)
    watched.fail(LimitError("time", "too slow"))
    with pytest.raises(LimitError, match="too slow"):
        session.look(project, ["count"], NOW)


def test_the_first_run_of_a_session_is_not_repeated(
    session: ConstraintSession, watched: Watched, project: Project
) -> None:
    watched.fail(SandboxError("gone"))
    with pytest.raises(SandboxError, match="gone"):
        session.look(project, ["count"], NOW)


def test_loading_is_tried_twice_because_the_machine_may_have_been_busy(
    session: ConstraintSession, watched: Watched, project: Project
) -> None:
    slow = LimitError("time", "busy")
    watched.fail(slow, when="")
    assert session.look(project, ["count"], NOW) == [["count", "", [["info", "all", "2", [], None]], []]]
    watched.fail(slow, slow, when="")
    with pytest.raises(LimitError, match="busy"):
        ConstraintSession(Computer(watched)).ready(project, ["count"], NOW)


@pytest.mark.parametrize("value", [None, "count", [], [["count", "", [], []]] * 2])
def test_an_answer_without_a_row_for_each_constraint_is_an_error(
    session: ConstraintSession, watched: Watched, project: Project, value: Value
) -> None:
    watched.answer(value)
    with pytest.raises(LimitError, match=r"The constraints returned no results\. Let them return lists of alerts\."):
        session.look(project, ["count"], NOW)
    with pytest.raises(LimitError, match=r"The constraint returned no result\. Let it return a list of alerts\."):
        session.look_alone(project, "count", NOW)


def test_the_records_that_make_a_constraint_fail_are_found_in_the_same_session(
    session: ConstraintSession, watched: Watched, project: Project
) -> None:
    session.look(project, ["four", "count"], NOW)
    assert session.narrow(project, "four", NOW, ()) == Narrowed(
        {"health.Medication:iron": "name"}, [["info", "", "4", ["health.Medication:aspirin"], None]], []
    )
    assert session.look(project, ["count"], NOW) == [["count", "", [["info", "all", "2", [], None]], []]]
    assert (watched.sessions, definitions(watched, "four")) == (1, 1)
