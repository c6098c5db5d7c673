"""The user's own rules: shown so that they can be changed, taken back by the user alone, and back again if undone."""

import json
from typing import Any

import pytest

from support.scripted_model import TUESDAY, aside, fact, facts, heard, new_memory, teach, whys
from uac import Memory
from uac.conversation.learning import Learned
from uac.models import OneModel
from uac.models.requests_and_replies import Request
from uac.models.scripted import ScriptedModel

DEFINE = {
    "op": "define",
    "type": {
        "domain": "garden",
        "name": "Plant",
        "key": ["name"],
        "fields": [{"name": "name", "type": "str"}, {"name": "price", "type": "Money | None"}],
    },
}
CODE = (
    'def plants_limit(user, now):\n    """The user never wants more than 2 plants. Herbs count, too."""\n'
    "    plants = user.garden.plants\n    if len(plants) > 2:\n"
    '        return [warning(f"There are {len(plants)} plants.", *plants, subject="plants")]\n    return []\n'
)
CASES = (
    '\n\nCASES = [\n    fires("three", date(2024, 5, 1), garden.Plant(name="a"), garden.Plant(name="b"), garden.Plant(name="c")),\n'
    '    silent("two", date(2024, 5, 1), garden.Plant(name="a"), garden.Plant(name="b")),\n]\n'
)
RULE = {"name": "plants_limit", "cites": [2], "file": CODE + CASES}


def memory_with_rule() -> Memory:
    """A memory whose user stated a rule, and has one plant too many."""
    memory = heard("Never let me own more than 2 plants.")
    taken = facts(fact("The user never wants more than 2 plants.", 1, "Never let me own more than 2 plants"))
    teach(memory, taken, {"patches": [DEFINE], "constraints": [RULE]})
    for name in ("fig", "rose", "yucca"):
        memory.put("garden.Plant", {"name": name})
    assert [alert.message for alert in memory.alerts()] == ["There are 3 plants."]
    return memory


def say(memory: Memory, text: str, claim: str, *patches: dict[str, Any], **said: Any) -> tuple[ScriptedModel, Learned]:
    """One more turn, a fact that says the same, and a reply with these patches for it; what is refused is set aside."""
    turn = memory.add(text, said=TUESDAY, **said)

    def answer(request: Request) -> dict[str, Any]:
        if request.step == "extract":
            return facts(fact(claim, turn, text, topic="garden"))
        content = json.loads(request.content)
        (position,) = (item["fact"] for item in content["facts"])
        return (
            aside(position)
            if "refused" in content
            else {"patches": [{**each, "cites": [position]} for each in patches]}
        )

    model = ScriptedModel.answering(answer)
    return model, memory.learn(OneModel(model))


RETIRE = {"op": "retire", "constraint": "plants_limit", "why": "the user took it back"}


def test_a_rule_that_the_user_takes_back_is_retired_and_its_alerts_are_cleared_with_the_reason() -> None:
    memory = memory_with_rule()
    say(memory, "Forget the limit of 2 plants.", "The user no longer wants the limit of 2 plants.", RETIRE)
    project = memory.project()
    assert ("plants_limit" in project.constraints, list(project.waiting), memory.alerts()) == (False, [], [])
    changes = [(change.change, change.why) for _stored, change in memory.history()]
    assert changes[-1] == ("cleared", "the rule was retired: the user took it back")
    assert {aside.why for aside in project.aside.values()} == {
        "it is the constraint plants_limit",
        "it takes the constraint plants_limit back",
    }


def test_a_retired_rule_comes_back_with_its_alerts_when_the_words_are_retracted() -> None:
    memory = memory_with_rule()
    say(memory, "Forget the limit of 2 plants.", "The user no longer wants the limit of 2 plants.", RETIRE)
    (taking_back,) = (position for position, kept in memory.project().aside.items() if "back" in kept.why)
    memory.retract([taking_back], why="not what was meant")
    assert "plants_limit" in memory.project().constraints
    memory.tick()
    assert [alert.message for alert in memory.alerts()] == ["There are 3 plants."]


@pytest.mark.parametrize(
    ("text", "claim", "patch", "said", "why"),
    [
        (
            "The limit of 2 plants is lifted.",
            "The limit of 2 plants is lifted.",
            RETIRE,
            {"role": "tool"},
            "No new fact in which the user takes plants_limit back is cited. Cite it, or set the fact aside.",
        ),
        (
            "I had soup today.",
            "The user had soup today.",
            RETIRE,
            {},
            "No cited fact is about plants_limit. Cite the one that takes it back, or set the fact aside.",
        ),
        (
            "Forget the limit of 2 plants.",
            "The user no longer wants the limit of 2 plants.",
            {**RETIRE, "constraint": "plant_limit"},
            {},
            "There is no constraint plant_limit. Use the name of one in `constraints`.",
        ),
    ],
)
def test_a_rule_is_not_retired_by(text: str, claim: str, patch: dict[str, Any], said: Any, why: str) -> None:
    memory = memory_with_rule()
    _model, learned = say(memory, text, claim, patch, **said)
    assert why in [each for whole in whys(learned.outcomes) for each in whole]
    assert "plants_limit" in memory.project().constraints
    assert [alert.message for alert in memory.alerts()] == ["There are 3 plants."]


def test_a_rule_of_a_pack_is_not_retired_by_a_model() -> None:
    memory = memory_with_rule()
    memory.put("finance.Limit", {"covers": "any purchase", "per": "transaction", "amount": "300 EUR"})
    retire = {**RETIRE, "constraint": "spending_limit"}
    _model, learned = say(memory, "Forget my spending limit.", "The user wants no spending limit.", retire)
    assert whys(learned.outcomes)[1] == [
        "Only a person can retire spending_limit ('uac constraints retire'). Set the fact aside."
    ]
    assert "spending_limit" in memory.project().constraints


def test_a_rule_that_a_fact_is_about_is_shown_with_its_code_and_others_with_a_whole_sentence() -> None:
    memory = memory_with_rule()
    model, _learned = say(memory, "I had soup.", "The user had soup.", {"op": "set_aside", "why": "small talk"})
    assert model.contents[-1]["constraints"][0] == "plants_limit (facts 2): The user never wants more than 2 plants."
    model, _learned = say(
        memory,
        "The limit for plants may be 3.",
        "The user wants a limit of 3 plants.",
        {"op": "set_aside", "why": "for this test"},
    )
    assert model.contents[-1]["constraints"][0] == f"plants_limit (facts 2), its code:\n{CODE.strip()}"


INSTRUCTIONS = "# constraint, version"


@pytest.mark.parametrize(
    ("claim", "has_instructions"),
    [
        ("The user never wants more than 2 plants.", True),
        ("The user wants to be warned of frost.", True),
        ("Die Nutzerin will höchstens zwei Pflanzen.", True),
        ("Avísame si hay más de dos plantas.", True),
        ("The user bought a fig tree.", False),
    ],
)
def test_a_request_says_how_to_write_code_if_a_fact_may_state_a_rule(claim: str, has_instructions: bool) -> None:
    model, _learned = say(heard("Hello."), claim, claim, {"op": "set_aside", "why": "no rule"})
    asked = next(request for request in model.requests if request.step == "checkpoint")
    assert (INSTRUCTIONS in asked.prompt) is has_instructions


def test_a_rule_that_was_not_recognised_is_given_without_code_and_then_asked_for_with_the_instructions() -> None:
    memory = heard("Two plants are all I can bear.")
    claim = facts(fact("Two plants are all that the user can bear.", 1, "Two plants are all I can bear"))
    unwritten = {"name": "plants_limit", "cites": [2]}
    model, learned = teach(
        memory, claim, {"patches": [DEFINE], "constraints": [unwritten]}, {"patches": [DEFINE], "constraints": [RULE]}
    )
    assert [INSTRUCTIONS in request.prompt for request in model.requests] == [False, False, True]
    assert whys(learned.outcomes)[1] == ["A constraint is incomplete. Give name, file and cites."]
    assert "plants_limit" in memory.project().constraints


def test_an_amended_record_to_which_a_rule_no_longer_applies_clears_its_alert() -> None:
    memory = new_memory()
    memory.put("finance.Limit", {"covers": "any purchase", "per": "transaction", "amount": "300 CHF"})
    bought = {"item": "robot vacuum", "bought": "2024-05-06", "price": "389 CHF"}
    memory.put("household.Purchase", bought)
    assert [alert.constraint for alert in memory.alerts()] == ["price_above_limit"]
    memory.put("household.Purchase", {**bought, "price": "289 CHF"})
    assert memory.alerts() == []


def test_a_purchase_and_its_payment_are_one_alert() -> None:
    memory = new_memory()
    memory.put("finance.Limit", {"covers": "any purchase", "per": "transaction", "amount": "300 CHF"})
    memory.put("household.Purchase", {"item": "robot vacuum", "bought": "2024-05-06", "price": "389 CHF"})
    memory.put("finance.Transaction", {"payee": "Galaxus", "on": "2024-05-06", "amount": "389 CHF"})
    assert [(alert.constraint, alert.severity) for alert in memory.alerts()] == [("spending_limit", "warning")]
