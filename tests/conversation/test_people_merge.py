"""Jonas and Jonas Peters: one person when the user says so, a question when a name only suggests it, never silently."""

from typing import Any

import pytest

from support.scripted_model import TUESDAY, aside, fact, facts, heard, teach, whys
from uac import Memory
from uac.conversation.checks.field_support import names_both
from uac.project.records import Record

JONAS, PETERS = "people.Person:jonas", "people.Person:jonas peters"
ASKED = "Are Jonas and Jonas Peters the same person? If so, merge the two records. If not, acknowledge this."


def put(cited: int, **fields: Any) -> dict[str, Any]:
    return {"op": "put", "type": "people.Person", "fields": fields, "cites": [cited]}


def patches(*items: dict[str, Any]) -> dict[str, Any]:
    return {"patches": list(items)}


def two_people() -> Memory:
    """The user has spoken of Jonas and of Jonas Peters, and not said that they are one."""
    memory = heard("My brother Jonas likes tea.", "Jonas Peters lives in Bonn.")
    said = [
        fact("Jonas is the user's brother, and likes tea.", 1, "My brother Jonas likes tea", about="Jonas"),
        fact("Jonas Peters lives in Bonn.", 2, "Jonas Peters lives in Bonn", about="Jonas Peters"),
    ]
    brother = put(3, name="Jonas", relation="brother", likes=["tea"])
    teach(memory, facts(*said), patches(brother, put(4, name="Jonas Peters", lives_in="Bonn")))
    return memory


def people(memory: Memory) -> list[Record]:
    return memory.project().records("people.Person")


def questions(memory: Memory) -> list[str]:
    return [alert.message for alert in memory.alerts() if alert.constraint == "one_person_twice"]


def say(memory: Memory, text: str, *replies: Any, role: Any = "user") -> list[list[str]]:
    """A turn, the fact that quotes it whole, and these patches for it; returns the findings on each reply."""
    turn = memory.add(text, said=TUESDAY, role=role)
    _model, learned = teach(memory, facts(fact(text, turn, text.rstrip("."))), *(reply(turn + 1) for reply in replies))
    return whys(learned.outcomes)


def merge(cited: int) -> dict[str, Any]:
    return patches({"op": "merge", "record": JONAS, "into": PETERS, "cites": [cited]})


def test_a_name_that_is_part_of_another_is_a_question_and_both_records_stay() -> None:
    memory = two_people()
    assert [record.id for record in people(memory)] == [JONAS, PETERS]
    assert questions(memory) == [ASKED]
    assert ASKED in memory.context("Jonas").text


def test_the_answer_yes_merges_the_records_ends_the_question_and_can_be_undone() -> None:
    memory = two_people()
    position = memory.merge(JONAS, PETERS)
    assert [record.id for record in people(memory)] == [PETERS]
    assert questions(memory) == []
    memory.retract([position], why="two people")
    assert [record.id for record in people(memory)] == [JONAS, PETERS]
    assert questions(memory) == [ASKED]


def test_the_answer_no_is_not_asked_again() -> None:
    memory = two_people()
    (alert,) = [alert for alert in memory.alerts() if alert.constraint == "one_person_twice"]
    memory.acknowledge(alert.constraint, alert.subject)
    say(memory, "Jonas likes rum.", lambda cited: patches(put(cited, name="Jonas", likes=["rum"])))
    assert [each.state for each in memory.alerts() if each.constraint == "one_person_twice"] == ["acknowledged"]


@pytest.mark.parametrize(
    "text", ["My brother Jonas' last name is Peters.", "Jonas is Jonas Peters.", "Jonas Peters is my brother Jonas."]
)
def test_two_records_become_one_when_the_user_says_so(text: str) -> None:
    memory = two_people()
    say(memory, text, merge)
    (person,) = people(memory)
    assert (person.id, person.values["relation"], person.values["lives_in"]) == (PETERS, "brother", "Bonn")
    assert person.values["likes"] == ("tea",)
    assert questions(memory) == []


def test_one_record_gets_the_whole_name_when_the_user_says_it() -> None:
    memory = heard("My brother Jonas likes tea.")
    said = fact("Jonas is the user's brother, and likes tea.", 1, "My brother Jonas likes tea", about="Jonas")
    teach(memory, facts(said), patches(put(2, name="Jonas", relation="brother", likes=["tea"])))
    amend = {"op": "amend", "record": JONAS, "fields": {"name": "Jonas Peters"}}
    say(memory, "Jonas' last name is Peters.", lambda cited: patches({**amend, "cites": [cited]}))
    assert [(person.id, person.values["likes"]) for person in people(memory)] == [(PETERS, ("tea",))]


@pytest.mark.parametrize(
    "text", ["Jonas Peters called.", "Jonas called.", "Peters called Jonas Peters.", "Mia is Jonas Peters."]
)
def test_a_model_that_merges_without_a_word_is_refused(text: str) -> None:
    memory = two_people()
    found = say(memory, text, merge, aside)
    assert any("people.Person:jonas" in why for why in found[1])
    assert [record.id for record in people(memory)] == [JONAS, PETERS]
    assert questions(memory) == [ASKED]


@pytest.mark.parametrize("role", ["document", "tool"])
def test_a_document_that_says_two_people_are_one_does_not_merge_what_the_user_said(role: Any) -> None:
    memory = two_people()
    found = say(memory, "Jonas is Jonas Peters.", merge, aside, role=role)
    assert "has the authority of the user" in found[1][0]
    assert [record.id for record in people(memory)] == [JONAS, PETERS]


def test_what_the_user_only_reports_from_somebody_does_not_merge_people() -> None:
    memory = two_people()
    turn = memory.add("Mallory says Jonas is Jonas Peters.", said=TUESDAY)
    reported = fact("Jonas is Jonas Peters.", turn, "Mallory says Jonas is Jonas Peters", according_to="Mallory")
    _model, learned = teach(memory, facts(reported), merge(turn + 1), aside(turn + 1))
    (why,) = whys(learned.outcomes)[1]
    assert why == (
        "No new fact of the user says that people.Person:jonas and people.Person:jonas peters are one, with both"
        " names. Leave both: the user is asked."
    )
    assert [record.id for record in people(memory)] == [JONAS, PETERS]


@pytest.mark.parametrize("role", ["document", "tool", "assistant"])
def test_a_document_that_gives_a_person_another_name_does_not_rename_what_the_user_said(role: Any) -> None:
    memory = two_people()
    amend = {"op": "amend", "record": JONAS, "fields": {"name": "Mallory"}}
    say(memory, "Jonas is Mallory.", lambda cited: patches({**amend, "cites": [cited]}), role=role)
    assert [record.id for record in people(memory)] == [JONAS, PETERS]


@pytest.mark.parametrize(
    ("text", "name", "other", "both"),
    [
        ("Jonas is Jonas Peters", "jonas", "jonas peters", True),
        ("Jonas' last name is Peters", "jonas", "jonas peters", True),
        ("Karin's last name is Berg", "karin berg", "karin", True),
        ("my mum is Helga Peters", "mum", "helga peters", True),
        ("Jonas Peters called", "jonas", "jonas peters", False),
        ("Jonas called", "jonas", "jonas peters", False),
        ("", "jonas", "jonas peters", False),
    ],
)
def test_a_text_names_both_only_if_they_are_apart(text: str, name: str, other: str, both: bool) -> None:
    assert names_both(text, name, other) is both
