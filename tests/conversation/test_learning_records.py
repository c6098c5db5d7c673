"""From facts to records and constraints: what is accepted, what is sent back, and what need not wait."""

import json
from datetime import timedelta
from typing import Any

import pytest

from support.scripted_model import (
    NOTHING,
    TUESDAY,
    allergy,
    aside,
    fact,
    facts,
    heard,
    new_memory,
    put_allergy,
    teach,
    whys,
)
from uac.conversation.learning import Cadence
from uac.models import OneModel
from uac.models.requests_and_replies import Request
from uac.models.scripted import ScriptedModel

ALLERGY = allergy(1)


def test_patches_that_hold_are_accepted_and_only_the_others_are_asked_again() -> None:
    memory = heard("I'm allergic to penicillin. I take cetirizine since March.")
    taken = facts(ALLERGY, fact("The user takes cetirizine.", 1, "I take cetirizine", topic="health"))
    bad = {"op": "put", "type": "health.Medication", "fields": {"title": "cetirizine"}, "cites": [3]}
    good = {"op": "put", "type": "health.Medication", "fields": {"name": "cetirizine"}, "cites": [3]}
    model, learned = teach(memory, taken, {"patches": [*put_allergy(2)["patches"], bad]}, {"patches": [good]})
    assert "health.Medication has no field title" in whys(learned.outcomes)[1][0]
    assert model.contents[2]["refused"][0]["patch"] == bad
    assert [item["fact"] for item in model.contents[2]["facts"]] == [3]
    assert memory.project().count("health.Allergy") == memory.project().count("health.Medication") == 1


def test_patches_for_one_fact_stand_or_fall_together() -> None:
    memory = heard("I'm allergic to penicillin.")
    teach(memory, facts(ALLERGY), put_allergy(2))
    memory.add("It's not penicillin, it is latex that I react to.", said=TUESDAY + timedelta(days=1))
    turn = memory.log.head().position
    correction = fact(
        "The user reacts to latex, not to penicillin.", turn, "It's not penicillin, it is latex", corrects=True
    )
    drop = {"op": "drop", "record": "health.Allergy:penicillin", "why": "it is latex", "cites": [turn + 1]}
    bad = {"op": "put", "type": "health.Allergy", "fields": {"material": "latex"}, "cites": [turn + 1]}
    model = ScriptedModel(facts(correction), {"patches": [drop, bad]})
    with pytest.raises(AssertionError, match="No reply is left"):
        memory.learn(OneModel(model))
    assert memory.project().count("health.Allergy") == 1


def test_facts_that_a_reply_forgets_are_asked_about_again() -> None:
    memory = heard("I have a cat. I have a dog.")
    both = facts(fact("The user has a cat.", 1, "I have a cat"), fact("The user has a dog.", 1, "I have a dog"))
    model, learned = teach(memory, both, aside(2), aside(3))
    assert whys(learned.outcomes)[1] == ["facts 3 are neither used nor set aside"]
    assert [item["fact"] for item in model.contents[2]["facts"]] == [3]


def test_after_three_attempts_the_rest_of_the_batch_waits_and_the_accepted_part_stays() -> None:
    memory = heard("I have a cat. I have a dog.")
    both = facts(fact("The user has a cat.", 1, "I have a cat"), fact("The user has a dog.", 1, "I have a dog"))
    bad = {"patches": [{"op": "put", "type": "pets.Dog", "fields": {"name": "Rex"}, "cites": [3]}]}
    teach(memory, both, {"patches": [*aside(2)["patches"], *bad["patches"]]}, bad, bad)
    state = memory.project()
    assert list(state.waiting) == [3]
    assert list(state.progress.stuck) == [3]
    assert list(state.aside) == [2]
    assert memory.pending() == []


def test_a_value_that_no_fact_states_is_refused() -> None:
    memory = heard("I weigh 70 kilos today.")
    weight = fact(
        "The user weighs 70 kilos.",
        1,
        "I weigh 70 kilos today",
        when="today",
        start="2024-05-07",
        end="2024-05-07",
        topic="health",
    )
    wrong = {
        "op": "put",
        "type": "health.Measurement",
        "fields": {"what": "weight", "day": "2024-05-07", "value": 75, "unit": "kg"},
        "cites": [2],
    }
    right = {**wrong, "fields": {**wrong["fields"], "value": 70}}  # type: ignore[dict-item]  # a plain dict of JSON
    _model, learned = teach(memory, facts(weight), {"patches": [wrong]}, {"patches": [right]})
    assert "75" in whys(learned.outcomes)[1][0]
    assert memory.project().records("health.Measurement")[0].values["value"] == 70


def test_a_rule_that_the_user_states_becomes_a_constraint_with_its_cases() -> None:
    memory = heard("Never let me own more than 2 plants. I bought a fig.")
    taken = facts(
        fact("The user never wants more than 2 plants.", 1, "Never let me own more than 2 plants"),
        fact("The user bought a fig.", 1, "I bought a fig"),
    )
    define = {
        "op": "define",
        "type": {"domain": "garden", "name": "Plant", "key": ["name"], "fields": [{"name": "name", "type": "str"}]},
    }
    put = {"op": "put", "type": "garden.Plant", "fields": {"name": "fig"}, "cites": [3]}
    code = (
        'def plants_limit(user, now):\n    """The user never wants more than 2 plants."""\n    plants = user.garden.plants\n'
        '    if len(plants) > 2:\n        return [warning(f"There are {len(plants)} plants.", *plants)]\n    return []\n\n\n'
        'CASES = [\n    fires("three", date(2024, 5, 1), garden.Plant(name="a"), garden.Plant(name="b"), garden.Plant(name="c")),\n'
        '    silent("two", date(2024, 5, 1), garden.Plant(name="a"), garden.Plant(name="b")),\n]\n'
    )
    rule = {"name": "plants_limit", "cites": [2], "file": code}
    teach(memory, taken, {"patches": [define, put], "constraints": [rule]})
    adopted = memory.project().constraints["plants_limit"]
    assert (adopted.constraint.origin, adopted.is_reviewed) == ("model", False)
    assert list(memory.project().waiting) == []
    for name in ("rose", "yucca"):
        memory.put("garden.Plant", {"name": name})
    assert [alert.constraint for alert in memory.alerts()] == ["plants_limit"]


def test_a_constraint_that_is_refused_does_not_hold_up_the_records() -> None:
    memory = heard("Never let me own more than 2 plants. I'm allergic to penicillin.")
    taken = facts(
        fact("The user never wants more than 2 plants.", 1, "Never let me own more than 2 plants"),
        fact("The user is allergic to penicillin.", 1, "I'm allergic to penicillin", topic="health"),
    )
    rule = {"name": "plants_limit", "cites": [2], "file": "import os\nCASES = []\n"}
    _model, learned = teach(memory, taken, {**put_allergy(3), "constraints": [rule]}, aside(2))
    assert len(whys(learned.outcomes)[1]) == 1
    assert memory.project().count("health.Allergy") == 1


def test_an_event_told_twice_is_sent_back_once_and_amended() -> None:
    memory = heard("I paid 40 EUR to Fressnapf on 2024-05-02.")
    paid = fact(
        "The user paid 40 EUR to Fressnapf on 2024-05-02.",
        1,
        "I paid 40 EUR to Fressnapf on 2024-05-02",
        topic="finance",
    )
    fields = {"payee": "Fressnapf", "amount": "40 EUR", "on": "2024-05-02"}
    teach(
        memory, facts(paid), {"patches": [{"op": "put", "type": "finance.Transaction", "fields": fields, "cites": [2]}]}
    )
    memory.add("As I said, I paid 40 EUR to Fressnapf on 2024-05-02.", said=TUESDAY)
    turn = memory.log.head().position
    again = fact(
        "The user paid 40 EUR to Fressnapf on 2024-05-02.",
        turn,
        "I paid 40 EUR to Fressnapf on 2024-05-02",
        topic="finance",
    )
    put = {"op": "put", "type": "finance.Transaction", "fields": fields, "cites": [turn + 1]}
    (record,) = memory.project().records("finance.Transaction")
    amend = {"op": "amend", "record": record.id, "fields": {"amount": "40 EUR"}, "cites": [turn + 1]}
    model, learned = teach(memory, facts(again), {"patches": [put]}, {"patches": [amend]})
    assert next(iter(model.contents[1]["records"])) == record.id
    assert "is much the same" in whys(learned.outcomes)[1][0]
    assert memory.project().count("finance.Transaction") == 1


def test_facts_that_matter_now_do_not_wait_for_the_cadence_and_others_do() -> None:
    memory = heard("I like the colour green.")
    green = fact("The user likes the colour green.", 1, "I like the colour green", topic="other")
    model = ScriptedModel(facts(green))
    memory.learn(OneModel(model), cadence=Cadence(facts=5, minutes=60))
    assert list(memory.project().waiting) == [2]
    memory.add("I'm allergic to penicillin.", said=TUESDAY)
    turn = memory.log.head().position
    model = ScriptedModel(facts(allergy(turn)), {"patches": [*put_allergy(turn + 1)["patches"], *aside(2)["patches"]]})
    memory.learn(OneModel(model), cadence=Cadence(facts=5, minutes=60))
    assert list(memory.project().waiting) == []


def test_a_deadline_that_moves_to_an_earlier_day_has_moved() -> None:
    memory = heard("My tax return is due on June 28.")
    due = fact(
        "The tax return is due on 2024-06-28.",
        1,
        "My tax return is due on June 28",
        when="June 28",
        start="2024-06-28",
        end="2024-06-28",
        topic="calendar",
    )
    put = {
        "op": "put",
        "type": "calendar.Deadline",
        "fields": {"what": "tax return", "due": "2024-06-28"},
        "cites": [2],
    }
    teach(memory, facts(due), {"patches": [put]})
    memory.add("They moved the deadline for the tax return to June 10.", said=TUESDAY + timedelta(hours=3))
    turn = memory.log.head().position
    moved = fact(
        "The deadline for the tax return moved to 2024-06-10.",
        turn,
        "They moved the deadline for the tax return to June 10",
        when="June 10",
        start="2024-06-10",
        end="2024-06-10",
        topic="calendar",
    )
    amend = {
        "op": "amend",
        "record": "calendar.Deadline:tax return",
        "fields": {"due": "2024-06-10"},
        "cites": [turn + 1],
    }
    teach(memory, facts(moved), {"patches": [amend]})
    assert str(memory.project().record("calendar.Deadline:tax return").values["due"]) == "2024-06-10"


def test_alerts_of_facts_that_matter_now_do_not_wait_until_all_words_have_been_read() -> None:
    memory = new_memory()
    memory.put("health.Medication", {"name": "Amoxicillin"})
    for number, session in enumerate(("one", "two")):
        memory.add(
            "I'm allergic to penicillin." if not number else "I like the colour green.", said=TUESDAY, session=session
        )
    first = memory.log.head().position - 1
    model = ScriptedModel(
        facts(fact("The user is allergic to penicillin.", first, "I'm allergic to penicillin", topic="health")),
        put_allergy(first + 2),
        NOTHING,
    )
    memory.learn(OneModel(model), cadence=Cadence(facts=50, minutes=600))
    assert model.steps == ["extract", "checkpoint", "extract"]
    assert [alert.constraint for alert in memory.alerts()] == ["drug_allergy"]


def test_a_constraint_with_a_wrong_value_in_its_cases_is_a_finding_and_no_crash() -> None:
    memory = heard("Never let me spend more than 300 EUR.")
    rule = {
        "name": "spending",
        "cites": [2],
        "file": 'def spending(user, now):\n    """No more than 300 EUR."""\n    return []\n\n\nCASES = [fires("a", date(2024, 5, 1), finance.Transaction(payee="x", amount=Money("3o0", "EUR"), on=date(2024, 5, 1)))]\n',
    }
    taken = facts(
        fact(
            "The user never wants to spend more than 300 EUR.",
            1,
            "Never let me spend more than 300 EUR",
            topic="finance",
        )
    )
    _model, learned = teach(memory, taken, {"patches": [], "constraints": [rule]}, aside(2))
    assert "Money(…)" in whys(learned.outcomes)[1][0]


def test_an_appointment_that_is_moved_to_another_day_keeps_its_hour() -> None:
    memory = heard("Lunch with Jonas is moved to Friday.")
    memory.put("calendar.Appointment", {"what": "lunch with Jonas", "starts": "2024-05-09T12:00:00+00:00"})
    lunch = memory.project().records("calendar.Appointment")[0].id
    moved = fact("Lunch with Jonas is moved to 2024-05-10.", 1, "Lunch with Jonas is moved to Friday")

    def amend(request: Request) -> dict[str, Any]:
        if request.step == "extract":
            return facts(moved)
        number = json.loads(request.content)["facts"][0]["fact"]
        fields = {"starts": "2024-05-10T12:00:00+00:00"}
        return {"patches": [{"op": "amend", "record": lunch, "fields": fields, "cites": [number]}]}

    learned = memory.learn(OneModel(ScriptedModel.answering(amend)))
    assert whys(learned.outcomes) == [[], []]
    assert [record.id for record in memory.project().records("calendar.Appointment")] == [
        "calendar.Appointment:lunch with jonas|2024-05-10t12:00:00+00:00"
    ]


def test_now_in_a_request_is_the_time_of_its_last_fact_and_not_of_the_clock() -> None:
    memory = new_memory(clock=lambda: TUESDAY + timedelta(days=900))
    memory.add("I'm allergic to penicillin.", said=TUESDAY)
    model, _learned = teach(memory, facts(ALLERGY), put_allergy(2))
    assert model.contents[1]["now"] == TUESDAY.isoformat(timespec="minutes")


def test_a_list_that_changed_is_shown_with_what_it_was() -> None:
    memory = heard("Lunch with Jonas and Mia is on Friday at noon.")
    lunch = {"what": "lunch", "starts": "2024-05-10T12:00:00+00:00", "who": ["Jonas", "Mia"]}
    record = memory.put("calendar.Appointment", lunch)
    memory.correct(record, "who", ["Jonas", "Ben"])
    told = fact("Lunch with Jonas is on Friday.", 1, "Lunch with Jonas and Mia is on Friday", topic="calendar")
    model, _learned = teach(memory, facts(told), aside(memory.log.head().position + 1))
    assert model.contents[1]["records"][record]["(earlier)"] == {"who": "['Jonas', 'Mia']"}
