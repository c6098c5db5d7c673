"""The user's own word keeps its weight beside a cited assistant, and a weaker word without effect is reported."""

from datetime import timedelta
from typing import Any

from support.hostile_conversation import obey, told
from support.scripted_model import TUESDAY, fact, facts, heard, kept, teach
from uac.conversation.learning import Outcome
from uac.memory.memory import Memory


def put(type_name: str, *cites: int, **fields: Any) -> dict[str, Any]:
    return {"patches": [{"op": "put", "type": type_name, "fields": fields, "cites": list(cites)}]}


def amend(record: str, *cites: int, **fields: Any) -> dict[str, Any]:
    return {"patches": [{"op": "amend", "record": record, "fields": fields, "cites": list(cites)}]}


def memory_with_a_price() -> Memory:
    memory = heard("Supplier Otto charges 40 EUR.")
    told_price = fact("The supplier Otto charges 40 EUR.", 1, "Supplier Otto charges 40 EUR")
    teach(memory, facts(told_price), put("household.Supplier", 2, name="Otto", price="40 EUR"))
    return memory


def after_the_word_of(role: str, memory: Memory) -> Outcome:
    position = memory.add("Otto charges 50 EUR.", said=TUESDAY + timedelta(hours=1), role=role)  # type: ignore[arg-type]
    said = facts(fact("Otto charges 50 EUR.", position, "Otto charges 50 EUR"))
    _model, learned = teach(memory, said, amend("household.Supplier:otto", position + 1, price="50 EUR"))
    return learned.outcomes[-1]


def test_a_name_said_before_does_not_make_the_users_word_the_assistants() -> None:
    memory = told(
        ("user", "I have a call with Kate Brennan on Friday."),
        ("assistant", "Understood: Kate Marsh is Dan's sister, Kate Brennan your editor."),
        ("user", "Bramble have moved us again! To Saturday at half ten, and on Zoom this time."),
    )
    moved = "Bramble moved the call with Kate Brennan to Saturday at 10:30 on Zoom."
    cites = [
        {"turn": 3, "quote": "Bramble have moved us again! To Saturday at half ten, and on Zoom"},
        {"turn": 2, "quote": "Kate Brennan your editor"},
    ]
    obey(memory, facts({"text": moved, "about": "user", "cites": cites}))
    assert [(each.text, each.authority) for each in kept(memory)] == [(moved, "user")]


def test_a_number_that_only_the_assistant_said_stays_the_assistants_word() -> None:
    memory = told(("assistant", "The fee is 4,900 pounds."), ("user", "Hannah raised the fee for the book."))
    raised = "Hannah raised the fee for the book to 4,900 pounds."
    cites = [{"turn": 2, "quote": "Hannah raised the fee for the book"}, {"turn": 1, "quote": "4,900 pounds"}]
    obey(memory, facts({"text": raised, "about": "user", "cites": cites}))
    assert [each.authority for each in kept(memory)] == ["assistant"]


def test_an_assistants_sentence_is_added_only_for_a_word_that_is_missing() -> None:
    memory = told(
        ("user", "I have cancelled Adobe."),
        ("assistant", "That saves you 56.98 pounds a month."),
        ("user", "We're off to St Ives on Friday."),
    )
    obey(memory, facts(fact("The user goes to St Ives on 2024-05-11.", 3, "We're off to St Ives on Friday")))
    assert all(cite.position != 2 for each in kept(memory) for cite in each.cites)


def test_a_weaker_word_that_changes_nothing_is_reported() -> None:
    memory = memory_with_a_price()
    assert after_the_word_of("assistant", memory).overruled == (
        "household.Supplier:otto.price stays 40 EUR (user): 50 EUR is the word of the assistant.",
    )


def test_a_word_that_stands_or_is_an_open_conflict_is_not_reported_as_without_effect() -> None:
    assert after_the_word_of("user", memory_with_a_price()).overruled == ()
    memory = memory_with_a_price()
    assert after_the_word_of("document", memory).overruled == ()
    assert [conflict.field for conflict in memory.project().conflicts] == ["price"]
