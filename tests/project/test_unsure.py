"""Values that code could neither confirm nor refute: they are taken, the mark stays with them, and a later claim takes
it away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.short_logs import Story, type_of
from uac.errors import Rejected
from uac.project.claims import claim_trust
from uac.project.records import UnsureField
from uac.project.render import render
from uac.project.render_manifest import render_manifest
from uac.schema.entries import Authority, plain_fields
from uac.schema.patches import Amend, Put, RetypeField

MEAL = type_of(
    "food.Meal", cardinality="event", key=["place", "day"], place="str", day="date | None", cost="Money | None"
)
READ = "code read no date"
SAID = "day not understood, said as 'am Tag drauf'"


def eaten(story: Story, *, day: str | None = "2026-01-09", unsure: str = READ, authority: Authority = "user") -> str:
    story.types(MEAL)
    cited = story.fact("We ate at Nove am Tag drauf.", authority=authority)
    fields = {"place": "Nove"} if day is None else {"place": "Nove", "day": day}
    story.change(Put(type="food.Meal", fields=fields, unsure={"day": unsure} if unsure else {}, cites=(cited,)))
    return story.project.used[cited][0]


def amended(story: Story, record: str, *, day: str | None, unsure: str = "", authority: Authority = "user") -> str:
    cited = story.fact(f"It was {day or 'am Tag drauf'}.", authority=authority)
    fields = {} if day is None else {"day": day}
    story.change(Amend(record=record, fields=fields, unsure={"day": unsure} if unsure else {}, cites=(cited,)))
    return story.project.used[cited][-1]


def test_a_marked_value_is_the_current_value_and_says_what_code_read() -> None:
    story = Story()
    meal = eaten(story)
    assert str(story.values(meal)["day"]) == "2026-01-09"
    assert story.project.record(meal).unsure == (UnsureField("day", READ),)
    assert list(story.project.unsure) == [meal]
    explained = story.memory.explain(meal, "day")
    assert (explained.unsure, [item.claim.unsure for item in explained.claims]) == (READ, [READ])
    assert "UNSURE = 1  # records with values that are not certain" in render_manifest(story.project)
    assert story.refolded() == story.project


def test_a_project_without_marks_is_rendered_as_before() -> None:
    story = Story()
    eaten(story, unsure="")
    assert "UNSURE" not in render_manifest(story.project)
    entry = story.entries()[-1].entry
    assert entry is not None
    assert "unsure" not in plain_fields(entry)["patches"][0]


@pytest.mark.parametrize("day", ["2026-01-09", "2026-01-10"])
def test_a_confirmation_or_a_correction_takes_the_mark_away(day: str) -> None:
    story = Story()
    record = amended(story, eaten(story), day=day)
    assert record == f"food.Meal:nove|{day}"
    assert story.project.record(record).unsure == ()
    assert list(story.project.unsure) == []
    corrected = Story()
    meal = eaten(corrected)
    corrected.memory.correct(meal, "day", day)
    assert corrected.project.record(f"food.Meal:nove|{day}").unsure == ()


def test_the_same_value_told_again_with_doubt_stays_certain() -> None:
    story = Story()
    record = amended(story, eaten(story, unsure=""), day="2026-01-09", unsure=READ)
    assert story.project.record(record).unsure == ()


def test_an_assistant_cannot_confirm_what_the_user_said() -> None:
    story = Story()
    record = amended(story, eaten(story), day="2026-01-09", authority="assistant")
    assert story.project.record(record).unsure == (UnsureField("day", READ),)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["2026-01-09", "2026-01-10", None]),
            st.booleans(),
            st.sampled_from(["user", "document", "assistant"]),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_no_mark_survives_a_later_certain_claim_of_a_source_as_trusted(
    told: list[tuple[str | None, bool, Authority]],
) -> None:
    story = Story()
    story.types(type_of("food.Meal", key=["place"], place="str", day="date | None"))
    record = story.tell("food.Meal", place="Nove")
    for day, is_unsure, authority in told:
        amended(story, record, day=day, unsure=READ if is_unsure or day is None else "", authority=authority)
    valued = [(day, authority) for day, _unsure, authority in told if day is not None]
    strongest = max((claim_trust(authority) for _day, authority in valued), default=0)
    sure = amended(story, record, day="2026-01-11")
    assert story.project.record(sure).unsure == ()
    assert str(story.values(sure)["day"]) == "2026-01-11"
    assert claim_trust("user") >= strongest
    assert story.refolded() == story.project


# --- words that were not understood -----------------------------------------------------------------------------------


def test_a_field_whose_words_were_not_understood_has_no_value_and_says_so() -> None:
    story = Story()
    meal = eaten(story, day=None, unsure=SAID)
    record = story.project.record(meal)
    assert (record.values["day"], record.unsure, record.is_incomplete) == (None, (UnsureField("day", SAID),), False)
    assert render(story.project)  # an optional field without a value is like any other
    assert story.refolded() == story.project


def test_two_records_whose_days_were_not_understood_are_not_taken_for_one() -> None:
    story = Story()
    first = eaten(story, day=None, unsure=SAID)
    second = eaten(story, day=None, unsure="day not understood, said as 'the other day'")
    assert first != second
    assert story.project.count("food.Meal") == 2


def test_an_amended_day_gives_the_record_its_key_and_takes_the_mark_away() -> None:
    story = Story()
    meal = eaten(story, day=None, unsure=SAID)
    record = amended(story, meal, day="2026-01-09")
    assert record == "food.Meal:nove|2026-01-09"
    assert (story.project.record(record).unsure, list(story.project.unsure)) == ((), [])


def test_another_key_field_can_change_while_the_day_is_not_understood() -> None:
    story = Story()
    meal = eaten(story, day=None, unsure=SAID)
    story.change(Amend(record=meal, fields={"place": "Osteria Nove"}, cites=(story.fact("It is Osteria Nove."),)))
    assert story.values(meal)["place"] == "Osteria Nove"


@pytest.mark.parametrize("authority", ["user", "document", "assistant", "tool", "inferred"])
def test_words_that_were_not_understood_never_remove_a_value(authority: Authority) -> None:
    story = Story()
    meal = eaten(story, unsure="")
    after = amended(story, meal, day=None, unsure=SAID, authority=authority)
    record = story.project.record(meal)
    assert (after, str(record.values["day"]), record.conflicts) == (meal, "2026-01-09", ())
    assert record.unsure == ((UnsureField("day", SAID),) if authority == "user" else ())
    assert [item.claim.unsure for item in story.memory.explain(meal, "day").claims] == ["", SAID]


def test_a_mark_names_a_field_of_the_type() -> None:
    story = Story()
    story.types(MEAL)
    unknown = Put(type="food.Meal", fields={"place": "Nove"}, unsure={"when": READ}, cites=(story.fact("We ate."),))
    with pytest.raises(Rejected, match=r"unsure names when\. Use fields of food\.Meal: place, day, cost\."):
        story.change(unknown)


def test_a_field_is_retyped_with_the_words_that_were_not_understood() -> None:
    story = Story()
    meal = eaten(story, day=None, unsure=SAID)
    story.change(RetypeField(type="food.Meal", field="cost", to="str | None", convert="text"))
    assert story.project.record(meal).unsure == (UnsureField("day", SAID),)
