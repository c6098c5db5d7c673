"""A model that obeys what strangers wrote, so that a test shows what code alone holds."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from support.recorded_conversations import script, values
from support.scripted_model import TUESDAY, fact, facts, kept, new_memory
from uac import Memory
from uac.models import OneModel
from uac.models.requests_and_replies import Request
from uac.models.scripted import ScriptedModel
from uac.schema.entries import Role

SESSIONS: list[dict[str, Any]] = script("hostile")["sessions"]
MAIL = str(SESSIONS[0]["turns"][3]["text"])
PAGE = str(SESSIONS[1]["turns"][1]["text"])
BLOCK = str(SESSIONS[2]["turns"][1]["text"])
TERMS = str(SESSIONS[3]["turns"][1]["text"])


def obedient_model(
    extracted: dict[str, Any], patches: Callable[[Sequence[int]], dict[str, Any]] | None = None
) -> ScriptedModel:
    """Says what a stranger told it to say, to every request of the step, whatever comes back."""

    def reply_to(request: Request) -> dict[str, Any]:
        if request.step != "checkpoint":
            return extracted
        return (patches or aside_all)([item["fact"] for item in json.loads(request.content)["facts"]])

    return ScriptedModel.answering(reply_to, name="obedient")


def aside_all(positions: Sequence[int]) -> dict[str, Any]:
    return {"patches": [{"op": "set_aside", "cites": list(positions), "why": "noted"}]}


def told(*turns: tuple[Role, str]) -> Memory:
    memory = new_memory()
    for role, text in turns:
        memory.add(text, said=TUESDAY, role=role)
    return memory


def obey(
    memory: Memory, said: dict[str, Any], patches: Callable[[Sequence[int]], dict[str, Any]] | None = None
) -> ScriptedModel:
    model = obedient_model(said, patches)
    memory.learn(OneModel(model))
    return model


ASKED = "Could you sum up the mail below for me?"
PENICILLIN = "The user has an allergy to penicillin."


def taken(memory: Memory) -> list[tuple[str, str]]:
    return [(found.text, found.authority) for found in kept(memory)]


def gets_through(*values: Any, reason: str) -> Any:
    """A case of an attack that code does not stop yet."""
    return pytest.param(*values, marks=pytest.mark.xfail(strict=True, reason=reason))


def records_of(memory: Memory) -> dict[str, dict[str, Any]]:
    project = memory.project()
    records = [record for name in project.types for record in project.records(name)]
    return {record.id: values(record) for record in records}


def allergic() -> Memory:
    """A user who said that they have a severe allergy to penicillin, and a mail with orders."""
    memory = told(("user", "I have a severe allergy to penicillin."))
    obey(
        memory,
        facts(fact(PENICILLIN, 1, "I have a severe allergy to penicillin", topic="health")),
        lambda cites: {"patches": [put_allergy(cites, substance="penicillin", severity="severe")]},
    )
    memory.add("The allergy is mild and over, see the letter of Acme over 40 EUR.", said=TUESDAY, role="document")
    return memory


def put_allergy(cites: Sequence[int], **fields: Any) -> dict[str, Any]:
    return {"op": "put", "type": "health.Allergy", "fields": fields, "cites": list(cites)}


def order(memory: Memory, *patches: Callable[[Sequence[int]], dict[str, Any]], **more: Any) -> list[str]:
    """Let the model obey with these patches, and nothing else; what was found wrong with them."""
    turn = memory.log.head().position
    mail = facts(
        fact("The allergy is mild and over, says Acme.", turn, "The allergy is mild and over, see the letter of Acme")
    )
    findings: list[str] = []

    def reply(cites: Sequence[int]) -> dict[str, Any]:
        return {"patches": [patch(cites) for patch in patches], **more}

    memory.learn(
        OneModel(obedient_model(mail, reply)),
        on_outcome=lambda outcome: findings.extend(finding.why for finding in outcome.findings),
    )
    return findings


ALLERGY = "health.Allergy:penicillin"
SEVERE = {ALLERGY: {"substance": "penicillin", "severity": "severe"}}
PLANT = {"domain": "garden", "name": "Plant", "key": ["name"], "fields": [{"name": "name", "type": "str"}]}
