"""What an error of a query says: types as they are called, and names that could have been meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.short_logs import Story, type_of
from uac.errors import CodeError
from uac.project.project import Project
from uac.sandbox.error_hints import name_hint, without_loaded_names

NO_DOSE = "Its dose is None in health.Medication:clavix."
NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,12}", fullmatch=True)


@pytest.fixture(scope="module")
def project() -> Project:
    return _story().project


def _story() -> Story:
    story = Story()
    story.types(
        type_of("travel.Trip", cardinality="event", destination="str", start="date", cost="Money | None"),
        type_of("health.Medication", key=["name"], name="str", dose="str | None"),
        type_of("finance.Income", cardinality="event", amount="Money", city="str | None"),
    )
    story.tell("travel.Trip", destination="Oslo", start="2026-01-01", cost="3.00 EUR")
    story.tell("health.Medication", name="Clavix")
    return story


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "[m.nme for m in health.medications]",
            "'health.Medication' object has no attribute 'nme'. Did you mean name?",
        ),
        (
            "[t.city for t in travel.trips]",
            "'travel.Trip' object has no attribute 'city'. It has: destination, start, cost.",
        ),
        ("travel.tripz", "'travel' object has no attribute 'tripz'. Did you mean travel.trips?"),
        ("travel.Tripp", "'travel' object has no attribute 'Tripp'. Did you mean travel.Trip?"),
        ("user.travle", "'user' object has no attribute 'travle'. Did you mean user.travel?"),
        ("trips", "name 'trips' is not defined. Did you mean travel.trips?"),
        ("nwo", "name 'nwo' is not defined. Did you mean now?"),
        ("zebras", "name 'zebras' is not defined. There is: health.medications, travel.trips."),
        ("travel.trips[0].cost.amuont", "'Money' object has no attribute 'amuont'. Did you mean amount?"),
        ("travel.trips.cost", "'list' object has no attribute 'cost'"),
        ("travel.trips[0] + 1", "unsupported operand type(s) for +: 'travel.Trip' and 'int'"),
        ("1 / 0", "division by zero"),
        (
            "sum(m.dose for m in health.medications)",
            f"sum: 1 of 1 values are None. Leave them out with 'if … is not None'. {NO_DOSE}",
        ),
        (
            "for i in user.health.medications:\n    i.dose + 1\nsum(i.name for i in health.medications if i.dose)",
            "unsupported operand type(s) for +: 'NoneType' and 'int'. " + NO_DOSE,
        ),
        (
            "[m.dose.upper() for m in health.medications]",
            "'NoneType' object has no attribute 'upper'. Its dose is None in health.Medication:clavix.",
        ),
        ("None + 1", "unsupported operand type(s) for +: 'NoneType' and 'int'"),
    ],
)
def test_an_error_says_what_could_have_been_meant_of_the_type_concerned(code: str, told: str) -> None:
    with pytest.raises(CodeError) as failed:
        _story().memory.compute(code)
    assert str(failed.value).partition(": ")[2] == f"{failed.value.kind}: {told}"


def test_many_records_without_a_value_are_counted() -> None:
    story = _story()
    for name in ("Aspirin", "Ibuprofen", "Zinc"):
        story.tell("health.Medication", name=name)
    with pytest.raises(CodeError) as failed:
        story.memory.compute("mean([m.dose for m in health.medications])")
    names = ", ".join(f"health.Medication:{name}" for name in ("clavix", "aspirin", "ibuprofen"))
    assert str(failed.value).endswith(f"Its dose is None in {names} and 1 more.")


@given(owner=st.sampled_from(["travel.Trip", "health", "user", "Money", "list", "other.Type"]), name=NAMES)
def test_what_just_failed_is_never_proposed(project: Project, owner: str, name: str) -> None:
    for message in (f"'{owner}' object has no attribute '{name}'", f"name '{name}' is not defined"):
        proposed = name_hint(message, project).partition("Did you mean ")[2].rstrip("?").split(" or ")
        assert name not in proposed


@given(st.text())
def test_a_message_without_our_names_stays_as_it_is(project: Project, text: str) -> None:
    bare = text.replace("__", "")
    assert without_loaded_names(bare, project) == bare


def test_flat_names_are_told_as_they_are_written(project: Project) -> None:
    told = without_loaded_names(
        "travel__Trip.__init__() of travel__domain and user__all, not my__own or __x__", project
    )
    assert told == "travel.Trip() of travel and user, not my__own or __x__"
