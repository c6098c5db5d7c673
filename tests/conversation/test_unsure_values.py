"""What code can neither confirm nor refute is taken with a mark, which requests show and later words take away."""

import json
from typing import Any

from support.scripted_model import TUESDAY, fact, facts, heard, teach, whys
from uac import Memory
from uac.project.records import UnsureField

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
    shown = [item for item in json.loads(model.requests[1].content)["records"] if item["record"] == record]
    assert shown[0]["unsure"] == {"day": "code read no date"}
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
    (taken,) = [stored.entry for stored in memory.log.read(2, 3)]
    assert only_meal(memory).unsure == (UnsureField("day", taken.unsure),)
    assert taken.unsure
