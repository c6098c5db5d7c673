"""Constraints as files: who wrote them, their code, their cases."""

from datetime import UTC, datetime

import msgspec
import pytest

from support.constraints import CASES, TYPES, case, constraint, given
from support.short_logs import Story
from uac.project.constraint_changes import change_constraints
from uac.project.draft import Draft
from uac.project.project import Project
from uac.project.render_constraints import render_constraint, render_constraints
from uac.schema.constraints import Case, Constraint
from uac.schema.patches import Adopt, Switch

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NUTS = constraint("nuts", "return [info(a.substance, a) for a in user.health.allergies]", *CASES)


def adopted(*constraints: Constraint, off: tuple[str, ...] = ()) -> Project:
    story = Story()
    story.types(*TYPES)
    draft = Draft(story.project)
    for each in constraints:
        change_constraints(draft, Adopt(constraint=each), story.project.position + 1, NOON)
    for name in off:
        change_constraints(draft, Switch(constraint=name, on=False), story.project.position + 1, NOON)
    return draft.freeze(story.project.position + 1)


def test_a_file_has_its_author_its_code_and_its_cases() -> None:
    project = adopted(NUTS)
    assert render_constraint(project, project.constraints["nuts"]) == (
        """\
# written by a person, reviewed
from domains import health
from ._given import *  # noqa: F403


def nuts(user, now):
    \"\"\"Looks for something.\"\"\"
    return [info(a.substance, a) for a in user.health.allergies]


CASES = [
    fires(
        "both",
        date(2026, 1, 10),
        health.Allergy(substance="nuts"),
        health.Medication(name="nuts", until=date(2026, 1, 12)),
    ),
    silent(
        "nothing",
        date(2026, 1, 10),
    ),
]
"""
    )


def test_a_constraint_that_nobody_reviewed_is_shown_and_not_run() -> None:
    by_model = msgspec.structs.replace(NUTS, origin="model")
    files = render_constraints(
        adopted(by_model, msgspec.structs.replace(NUTS, name="nuts", origin="model"), off=("nuts",))
    )
    assert sorted(files) == [
        "constraints/__init__.py",
        "constraints/_given.py",
        "constraints/nuts.py.txt",
        "tests/test_constraints.py",
    ]
    assert files["constraints/nuts.py.txt"].startswith("# written by a model, not reviewed yet, switched off\n")
    assert "nuts" not in files["tests/test_constraints.py"]


def test_without_constraints_there_is_only_an_empty_package() -> None:
    assert list(render_constraints(adopted())) == ["constraints/__init__.py"]


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (case("at noon", fires=True, now="2026-01-10T12:00:00+00:00"), "datetime(2026, 1, 10, 12, 0, tzinfo="),
        (case("said", fires=True, says=("nuts",)), 'says=["nuts"]'),
        (Case(name="past", now="2026-01-10", fires=True, given=(msgspec.structs.replace(given("health.Allergy", substance="nuts"), ended="2025"),)), 'ended(health.Allergy(substance="nuts"), "2025")'),
    ],
)  # fmt: skip
def test_a_case_is_written_as_it_would_be_typed(one: Case, line: str) -> None:
    written = msgspec.structs.replace(NUTS, cases=(one, CASES[1]))
    project = adopted(written)
    assert line in render_constraint(project, project.constraints["nuts"])


def test_values_of_a_type_that_has_changed_are_written_as_they_are() -> None:
    project = adopted(NUTS)
    changed = msgspec.structs.replace(
        NUTS,
        cases=(
            case(
                "old",
                given("gone.Type", tags=["a", {"b": 1}], n=1),
                given("health.Medication", name="x", until="soon"),
                fires=True,
            ),
        ),
    )
    shown = render_constraint(project, project.constraints["nuts"]._replace(constraint=changed))
    assert "gone.Type(tags=" in shown
    assert 'until="soon"' in shown
