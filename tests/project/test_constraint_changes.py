"""Patches of constraints change the draft, or are refused and change nothing."""

from datetime import UTC, datetime

import msgspec
import pytest

from support.constraints import ALLERGIES, CASES, NUTS, TYPES, case, constraint, given
from support.short_logs import Story
from uac.errors import Refused
from uac.project.constraint_changes import ConstraintChange, change_constraints
from uac.project.draft import Draft
from uac.project.forgetting import project_without
from uac.project.project import EMPTY_PROJECT, Project
from uac.schema.constraints import Constraint, Knowledge
from uac.schema.patches import Adopt, Approve, Learn, Retire, Switch

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
BY_MODEL = msgspec.structs.replace(ALLERGIES, origin="model")
DRUGS = Knowledge.of(
    {"aspirin": "nsaid"}, name="health.drugs", version="1", date="2026-01-01", source="a list", note=""
)


@pytest.fixture
def empty() -> Project:
    story = Story()
    story.types(*TYPES)
    return story.project


def changed(project: Project, *patches: ConstraintChange) -> Project:
    draft = Draft(project)
    for patch in patches:
        change_constraints(draft, patch, project.position + 1, NOON)
    return draft.freeze(project.position + 1)


def test_an_adopted_constraint_is_reviewed_unless_a_model_wrote_it(empty: Project) -> None:
    for written, is_reviewed in ((ALLERGIES, True), (BY_MODEL, False)):
        adopted = changed(empty, Adopt(constraint=written)).constraints["allergies"]
        assert (adopted.constraint, adopted.is_on, adopted.is_reviewed) == (written, True, is_reviewed)


def test_a_model_may_be_approved_once(empty: Project) -> None:
    approved = changed(empty, Adopt(constraint=BY_MODEL), Approve(constraint="allergies"))
    assert approved.constraints["allergies"].is_reviewed
    with pytest.raises(Refused, match="allergies"):
        changed(approved, Approve(constraint="allergies"))


def test_switching_off_and_on_again_changes_nothing(empty: Project) -> None:
    adopted = changed(empty, Adopt(constraint=ALLERGIES))
    off = changed(adopted, Switch(constraint="allergies", on=False))
    assert not off.constraints["allergies"].is_on
    assert changed(off, Switch(constraint="allergies", on=True)).constraints == adopted.constraints


def test_the_name_of_a_retired_constraint_is_remembered_unless_a_model_wrote_it(empty: Project) -> None:
    for written, remembered in ((ALLERGIES, ["allergies"]), (BY_MODEL, [])):
        retired = changed(empty, Adopt(constraint=written), Retire(constraint="allergies", why="wrong"))
        assert (list(retired.constraints), list(retired.retired)) == ([], remembered)


def test_a_retired_constraint_can_be_adopted_again(empty: Project) -> None:
    again = changed(
        empty, Adopt(constraint=ALLERGIES), Retire(constraint="allergies", why="wrong"), Adopt(constraint=ALLERGIES)
    )
    assert (list(again.constraints), again.retired) == (["allergies"], frozenset())


def test_knowledge_is_kept_by_its_name_and_read_by_constraints(empty: Project) -> None:
    looking = constraint(
        "drugs", "return [info(d) for d in knowledge('health.drugs') if user.health.allergies]", *CASES
    )
    with pytest.raises(Refused, match=r"health.drugs"):
        changed(empty, Adopt(constraint=looking))
    learned = changed(empty, Learn(knowledge=DRUGS), Adopt(constraint=looking))
    assert (list(learned.knowledge), list(learned.constraints)) == (["health.drugs"], ["drugs"])


def broken(**changes: object) -> Adopt:
    return Adopt(constraint=msgspec.structs.replace(ALLERGIES, **changes))


@pytest.mark.parametrize(
    ("patch", "named"),
    [
        (Switch(constraint="other", on=True), "other"),
        (Retire(constraint="allergies", why=" "), "why"),
        (Adopt(constraint=BY_MODEL), "allergies"),
        (broken(pack="health"), "pack"),
        (broken(cases=CASES[:1]), "silent"),
        (broken(cases=CASES[1:]), "fires"),
        (broken(cases=CASES * 1000), "cases"),
        (broken(cases=(case("odd", given("health.Allergy", substance=7), fires=True), CASES[1])), "odd"),
        (broken(cases=(case("late", NUTS, fires=True, now="soon"), CASES[1])), "late|soon"),
        (Learn(knowledge=msgspec.structs.replace(DRUGS, name="drugs")), "drugs"),
        (Learn(knowledge=msgspec.structs.replace(DRUGS, packed="no table")), "."),
    ],
)
def test_a_refused_patch_changes_nothing(empty: Project, patch: ConstraintChange, named: str) -> None:
    before = changed(empty, Adopt(constraint=ALLERGIES))
    draft = Draft(before)
    with pytest.raises(Refused, match=named):
        change_constraints(draft, patch, before.position + 1, NOON)
    assert draft.freeze(before.position) == before


def test_a_constraint_over_types_that_do_not_exist_is_refused(empty: Project) -> None:
    strange: Constraint = constraint("boats", "return [info(b.name, b) for b in user.sea.boats]")
    with pytest.raises(Refused, match="boats"):
        changed(empty, Adopt(constraint=strange))


def test_cases_are_checked_once_for_a_log_and_again_for_another_log(empty: Project) -> None:
    adopted = changed(empty, Adopt(constraint=ALLERGIES))
    later = changed(adopted, Retire(constraint="allergies", why="wrong"), Adopt(constraint=ALLERGIES))
    assert adopted.checked_cases is later.checked_cases
    assert later.checked_cases is not None
    assert len(later.checked_cases) == 1
    other = changed(Project(types=empty.types, tables=empty.tables), Adopt(constraint=ALLERGIES))
    assert other.checked_cases is not adopted.checked_cases
    assert EMPTY_PROJECT.checked_cases is None


def test_folding_a_log_again_after_a_retraction_keeps_the_checked_cases() -> None:
    story = Story()
    story.types(*TYPES)
    said = story.said("I am allergic to nuts")
    before = changed(story.project, Adopt(constraint=ALLERGIES))
    assert before.checked_cases is not None
    assert (
        project_without(before, [said], why="wrong", now=datetime(2026, 3, 1, tzinfo=UTC)).checked_cases
        is before.checked_cases
    )
