"""What code can neither confirm nor refute is taken with a mark, which requests show and later words take away."""

import json
from typing import Any

import pytest

from support.scripted_model import TUESDAY, fact, facts, heard, kept, teach, whys
from uac import Memory
from uac.project.records import UnsureField
from uac.project.render import render

DINNER = "We ate at Kobe Corner the day before the concert."
MEAL = "food.Booking"


def put(*cites: Any, **fields: Any) -> dict[str, Any]:
    return {"op": "put", "type": MEAL, "fields": fields, "cites": list(cites)}


def amend(record: str, *cites: Any, **fields: Any) -> dict[str, Any]:
    return {"op": "amend", "record": record, "fields": fields, "cites": list(cites)}


def patches(*items: dict[str, Any]) -> dict[str, Any]:
    return {"patches": list(items)}


def said(turn: int, text: str) -> dict[str, Any]:
    return facts(fact(text.replace("We ", "The user "), turn, text.rstrip(".")))


def dined(**fields: Any) -> Memory:
    memory = heard(DINNER)
    teach(memory, said(1, DINNER), patches(put(2, place="Kobe Corner", **fields)))
    return memory


def only_meal(memory: Memory) -> Any:
    (record,) = memory.project().records(MEAL)
    return record


def test_a_value_that_code_cannot_decide_is_taken_with_what_code_read() -> None:
    meal = only_meal(dined(day="2024-05-04"))
    assert str(meal.values["day"]) == "2024-05-04"
    assert meal.unsure == (UnsureField("day", "code read no date"),)


def test_a_model_cannot_mark_a_value_itself() -> None:
    memory = heard("We ate at Kobe Corner on 4 May 2024.")
    marked = {**put(2, place="Kobe Corner", day="2024-05-04"), "unsure": {"place": "the model says so"}}
    teach(memory, said(1, "We ate at Kobe Corner on 4 May 2024."), patches(marked))
    assert only_meal(memory).unsure == ()


def test_a_request_shows_the_mark_and_a_confirmation_takes_it_away() -> None:
    memory = dined(day="2024-05-04")
    record = only_meal(memory).id
    turn = memory.add("Yes, Kobe Corner was on the 4th of May.", said=TUESDAY)
    confirmed = facts(fact("The dinner at Kobe Corner was on the 4th of May.", turn, "Corner was on the 4th of May"))
    model, learned = teach(memory, confirmed, patches(amend(record, turn + 1, day="2024-05-04")))
    shown = json.loads(model.requests[1].content)["records"][record]
    assert shown["(unsure)"] == {"day": "code read no date"}
    assert whys(learned.outcomes) == [[], []]
    assert only_meal(memory).unsure == ()


def test_a_value_that_is_only_repeated_beside_another_one_keeps_its_mark() -> None:
    memory = dined(day="2024-05-04")
    record = only_meal(memory).id
    turn = memory.add("Dinner at Kobe Corner was 40 EUR.", said=TUESDAY)
    cost = facts(fact("The dinner at Kobe Corner was 40 EUR.", turn, "Kobe Corner was 40 EUR"))
    teach(memory, cost, patches(amend(record, turn + 1, day="2024-05-04", cost="40 EUR")))
    assert only_meal(memory).unsure == (UnsureField("day", "code read no date"),)


def test_a_value_is_no_more_certain_than_the_fact_that_states_it() -> None:
    memory = heard(DINNER)
    text = "The user ate at Kobe Corner on 4 May 2024."
    teach(memory, facts(fact(text, 1, DINNER.rstrip("."))), patches(put(2, place="Kobe Corner", day="2024-05-04")))
    (taken,) = kept(memory)
    assert only_meal(memory).unsure == (UnsureField("day", taken.unsure),)
    assert taken.unsure


# --- words that were not understood -----------------------------------------------------------------------------------

SAID = "day not understood, said as 'the day before the concert'"


def dined_some_day() -> Memory:
    return dined(day={"said_as": "the day before the concert"})


def test_a_model_may_say_that_it_does_not_understand_a_day_that_the_type_requires() -> None:
    memory = dined_some_day()
    meal = only_meal(memory)
    assert (meal.values["place"], meal.values["day"], meal.is_incomplete) == ("Kobe Corner", None, True)
    assert meal.unsure == (UnsureField("day", SAID),)
    assert (list(memory.project().waiting), list(memory.project().progress.stuck)) == ([], [])


def test_code_does_not_see_an_incomplete_record_and_an_alert_and_the_result_say_so() -> None:
    memory = dined_some_day()
    record = only_meal(memory).id
    result = memory.compute("[b.place for b in food.bookings]")
    assert (result.value, result.is_complete, result.reads[0].incomplete) == ([], False, 1)
    assert [(alert.constraint, alert.severity, alert.message) for alert in memory.project().standing()] == [
        (
            "incomplete_record",
            "info",
            f"{record} is left out of rules and sums. day: {SAID}. Say what was meant.",
        )
    ]
    files = render(memory.project())
    assert f"# left out: {record} (day: {SAID})\n" in files["domains/food/state.py"]
    assert "assert len(food.bookings) == 0" in files["tests/test_state.py"]


def test_a_later_word_completes_the_record_and_clears_its_alert() -> None:
    memory = dined_some_day()
    record = only_meal(memory).id
    turn = memory.add("Kobe Corner was on 4 May 2024.", said=TUESDAY)
    when = facts(fact("The dinner at Kobe Corner was on 4 May 2024.", turn, "Kobe Corner was on 4 May 2024"))
    teach(memory, when, patches(amend(record, turn + 1, day="2024-05-04")))
    meal = only_meal(memory)
    assert (meal.id, meal.unsure, meal.is_incomplete) == ("food.Booking:kobe corner|2024-05-04", (), False)
    assert memory.project().standing() == []
    assert memory.compute("[b.place for b in food.bookings]").value == ["Kobe Corner"]


@pytest.mark.parametrize(
    ("field", "words", "why"),
    [
        ("day", "a week ago", "day: the words of said_as are not in the quotes. Copy those that say when."),
        ("day", " ", "day: the words of said_as are not in the quotes. Copy those that say when."),
        ("cost", "concert", "cost: said_as is for dates and times. Give the value, or leave the field out."),
    ],
)
def test_said_as_holds_quoted_words_about_a_time(field: str, words: str, why: str) -> None:
    memory = heard(DINNER)
    wrong = patches(put(2, place="Kobe Corner", **{field: {"said_as": words}}))
    _model, learned = teach(memory, said(1, DINNER), wrong, patches(put(2, place="Kobe Corner", day="2024-05-04")))
    assert whys(learned.outcomes)[1] == [why]


def test_words_that_code_understands_are_no_said_as() -> None:
    words = "We ate at Kobe Corner on 4 May 2024."
    memory = heard(words)
    lazy = patches(put(2, place="Kobe Corner", day={"said_as": "on 4 May 2024"}))
    _model, learned = teach(memory, said(1, words), lazy, patches(put(2, place="Kobe Corner", day="2024-05-04")))
    assert whys(learned.outcomes)[1] == [
        "day: 'on 4 May 2024', said on Tuesday 2024-05-07, is 2024-05-04. Give that value."
    ]
    assert only_meal(memory).unsure == ()


def test_a_day_that_contradicts_the_words_three_times_is_kept_as_its_words() -> None:
    words = "We ate at Kobe Corner on 4 May 2024."
    memory = heard(words)
    _model, learned = teach(memory, said(1, words), *[patches(put(2, place="Kobe Corner", day="2024-06-09"))] * 3)
    assert [len(why) for why in whys(learned.outcomes)] == [0, 1, 1, 0]
    meal = only_meal(memory)
    assert meal.values["day"] is None
    assert meal.unsure[0].why.startswith("day not understood, said as '")
    assert "4 May 2024" in meal.unsure[0].why
    assert (list(memory.project().waiting), list(memory.project().progress.stuck)) == ([], [])


@pytest.mark.parametrize("role", ["assistant", "document", "tool"])
def test_outside_words_cannot_remove_what_the_user_said_by_not_being_understood(role: Any) -> None:
    words = "We ate at Kobe Corner on 4 May 2024."
    memory = heard(words)
    teach(memory, said(1, words), patches(put(2, place="Kobe Corner", day="2024-05-04")))
    before = only_meal(memory)
    text = "The booking at Kobe Corner moved to the day before the concert."
    turn = memory.add(text, said=TUESDAY, role=role)
    moved = amend(before.id, turn + 1, day={"said_as": "the day before the concert"})
    teach(memory, facts(fact(text, turn, text.rstrip("."))), patches(moved))
    after = only_meal(memory)
    assert (after.id, after.values, after.unsure, after.conflicts) == (before.id, before.values, (), ())


# --- amounts without a currency ---------------------------------------------------------------------------------------

LUNCH = "Lunch at Mia's Diner on 3 May 2024 was 12."


def lunched(cost: Any, *, earlier: str = "") -> Memory:
    memory = heard(*([earlier] if earlier else []))
    if earlier:
        teach(memory, said(1, earlier), patches(put(2, place="Kobe Corner", day="2024-05-04", cost="40 EUR")))
    turn = memory.add(LUNCH, said=TUESDAY)
    teach(memory, said(turn, LUNCH), patches(put(turn + 1, place="Mia's Diner", day="2024-05-03", cost=cost)))
    return memory


PAID_BEFORE = "We ate at Kobe Corner on 4 May 2024 for 40 EUR."


@pytest.mark.parametrize("cost", [12, "12", {"amount": 12}, "12 EUR"])
def test_an_amount_without_a_currency_takes_the_usual_one_and_is_marked(cost: Any) -> None:
    meal = lunched(cost, earlier=PAID_BEFORE).project().record("food.Booking:mia's diner|2024-05-03")
    assert str(meal.values["cost"]) == "12 EUR"
    assert meal.unsure == (UnsureField("cost", "currency assumed: EUR is the usual one"),)


def test_an_amount_without_a_currency_stays_open_if_there_is_no_usual_one() -> None:
    meal = only_meal(lunched("12"))
    assert (meal.values["cost"], meal.is_incomplete) == (None, False)
    assert meal.unsure == (UnsureField("cost", "currency not named, said as '12'"),)


def test_an_invented_currency_is_refused() -> None:
    memory = heard(PAID_BEFORE)
    teach(memory, said(1, PAID_BEFORE), patches(put(2, place="Kobe Corner", day="2024-05-04", cost="40 EUR")))
    turn = memory.add(LUNCH, said=TUESDAY)
    lunch = {"place": "Mia's Diner", "day": "2024-05-03"}
    _model, learned = teach(
        memory,
        said(turn, LUNCH),
        patches(put(turn + 1, **lunch, cost="12 USD")),
        patches(put(turn + 1, **lunch, cost="12")),
    )
    assert whys(learned.outcomes)[1] == [
        "cost: 12 USD does not follow from the quoted words, where code reads no currency."
    ]
    assert str(memory.project().record("food.Booking:mia's diner|2024-05-03").values["cost"]) == "12 EUR"
