"""No document, tool or assistant silences an alert about what the user said: the text may be a stranger's."""

import json
from typing import Any

import pytest

from support.scripted_model import TUESDAY, new_memory
from uac.memory.memory import Memory
from uac.schema.entries import Observation

ALLERGY = "health.Allergy:penicillin"
DRUG = "health.Medication:amoxicillin"
WEAKER = ("person", "assistant", "tool", "document", "system")


def warned() -> Memory:
    """A memory with a critical alert about two things that the user said."""
    memory = new_memory()
    say(
        memory,
        "I am allergic to penicillin.",
        {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}},
    )
    say(memory, "I take amoxicillin.", {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}})
    assert active(memory) == [("drug_allergy", "critical")]
    return memory


def say(memory: Memory, text: str, patch: dict[str, Any], *, role: Any = "user") -> list[str]:
    """One turn with one fact in the same words and one patch; the reasons against them."""
    turn = Observation(text=text, said=TUESDAY, role=role)
    taken = memory.remember([turn], [{"text": text, "quote": text.rstrip(".")}], [{**patch, "cites": [1]}])
    return [part.why for part in taken.to_mend]


def active(memory: Memory) -> list[tuple[str, str]]:
    return [(alert.constraint, alert.severity) for alert in memory.alerts()]


def amend(record: str, **fields: Any) -> dict[str, Any]:
    return {"op": "amend", "record": record, "fields": fields}


TOLERATED = ("The user tolerates penicillin well now.", amend(ALLERGY, notes="tolerates penicillin well now"))


@pytest.mark.parametrize("role", WEAKER)
def test_a_note_of_weaker_text_does_not_clear_an_alert(role: str) -> None:
    memory = warned()
    (why,) = say(memory, *TOLERATED, role=role)
    assert why.startswith("It would silence the alert drug_allergy about what the user said, on a weaker word (")
    assert active(memory) == [("drug_allergy", "critical")]
    assert memory.project().record(ALLERGY).values["notes"] is None


def test_the_same_note_clears_the_alert_if_the_user_says_it() -> None:
    memory = warned()
    assert say(memory, *TOLERATED) == []
    assert active(memory) == []


def test_a_model_that_answers_a_request_cannot_clear_it_either() -> None:
    memory = warned()
    text, patch = TOLERATED
    turn = Observation(text=text, said=TUESDAY, role="document")
    (fact,) = memory.remember([turn], [{"text": text, "quote": text.rstrip(".")}]).facts
    (request,) = memory.pending()
    outcome = memory.answer(request.id, json.dumps({"patches": [{**patch, "cites": [fact.position]}]}))
    assert "It would silence the alert drug_allergy" in outcome.findings[0].why
    assert active(memory) == [("drug_allergy", "critical")]


def test_a_fact_of_the_user_beside_a_weaker_one_still_counts_for_another_record() -> None:
    memory = warned()
    turns = [
        Observation(text="I have a cat called Mia.", said=TUESDAY),
        Observation(text="The user tolerates penicillin well now.", said=TUESDAY, role="document"),
    ]
    facts = [
        {"text": "The user has a cat called Mia.", "quote": "I have a cat called Mia"},
        {"text": "The user tolerates penicillin well now.", "quote": "The user tolerates penicillin well now"},
    ]
    pet = {"op": "put", "type": "household.Pet", "fields": {"name": "Mia", "kind": "cat"}, "cites": [1]}
    taken = memory.remember(turns, facts, [pet, {**TOLERATED[1], "cites": [1, 2]}])
    assert taken.records == ("household.Pet:mia",)
    assert [part.part for part in taken.to_mend] == ["record 2"]
    assert active(memory) == [("drug_allergy", "critical")]


def test_weaker_text_still_adds_what_silences_nothing() -> None:
    memory = warned()
    assert say(memory, "Penicillin gives the user hives.", amend(ALLERGY, reaction="hives"), role="document") == []
    assert memory.project().record(ALLERGY).values["reaction"] == "hives"
    assert active(memory) == [("drug_allergy", "critical")]


def test_weaker_text_still_answers_what_a_note_asks_for() -> None:
    memory = new_memory()
    put = {"op": "put", "type": "health.Allergy", "fields": {"substance": "Zorbamox"}}
    say(memory, "I am allergic to Zorbamox.", put)
    say(memory, "I take amoxicillin.", {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}})
    assert active(memory) == [("medicine_not_checked", "info")]
    known = amend("health.Allergy:zorbamox", drug_class="penicillin")
    assert say(memory, "Zorbamox is a penicillin.", known, role="document") == []
    assert active(memory) == [("drug_allergy", "critical")]


def test_weaker_text_still_corrects_what_weaker_text_said() -> None:
    memory = new_memory()
    say(
        memory,
        "The user is allergic to penicillin.",
        {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}},
        role="document",
    )
    put = {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}}
    say(memory, "The user takes amoxicillin.", put, role="document")
    assert active(memory) == [("drug_allergy", "critical")]
    ended = amend(DRUG, ends="2024-02-01")
    assert say(memory, "The user's amoxicillin ended on 2024-02-01.", ended, role="document") == []
    assert active(memory) == []


@pytest.mark.parametrize("role", WEAKER)
@pytest.mark.parametrize(
    ("text", "patch"),
    [
        ("Ben takes amoxicillin.", amend(DRUG, person="Ben")),
        ("The user's amoxicillin ended on 2024-02-01.", amend(DRUG, ends="2024-02-01")),
        (
            "The user's amoxicillin ended on 2024-02-01.",
            {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin", "ends": "2024-02-01"}},
        ),
    ],
)
def test_weaker_text_neither_ends_nor_gives_away_a_record_of_the_user_before_there_is_an_alert(
    role: str, text: str, patch: dict[str, Any]
) -> None:
    memory = new_memory()
    say(memory, "I take amoxicillin.", {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}})
    (why,) = say(memory, text, patch, role=role)
    assert why.startswith(f"{DRUG} has the authority of the user, and the cited facts have less: they cannot set its ")
    assert memory.project().record(DRUG).values["ends"] is None
    assert [record.id for record in memory.project().records("health.Medication")] == [DRUG]


def test_a_prescription_says_when_a_medicine_will_end() -> None:
    memory = warned()
    text = "The user's amoxicillin ends on 2024-12-01."
    assert say(memory, text, amend(DRUG, ends="2024-12-01"), role="document") == []
    assert active(memory) == [("drug_allergy", "critical")]
