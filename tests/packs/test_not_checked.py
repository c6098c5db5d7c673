"""A value that no table has: the rules cannot compare it, and say so once."""

from support.constraints import Clock, standing
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import chosen_packs, offered_constraints
from uac.sandbox import shared_sandbox

TEXT = (
    "Not checked: Zubrolin is not in the table of medicines. Nobody compared it with allergies, conditions, foods or other"
    " medicines, so silence about it is no all-clear. Tell me its active ingredients as they are on the pack, or ask a"
    " pharmacist. No medical advice."
)


def remembering(packs: str = "all") -> Memory:
    return Memory(MemoryStore().log("ana"), packs=chosen_packs(packs), sandbox=shared_sandbox(), clock=Clock())


def test_a_medicine_that_no_table_has_is_reported_once_in_alerts_context_and_why() -> None:
    memory = remembering()
    memory.put("health.Medication", {"name": "Zubrolin"})
    memory.put("health.Medication", {"name": "diazepam"})
    memory.put("health.Condition", {"name": "asthma"})
    assert [(alert.severity, alert.constraint, alert.subject, alert.message) for alert in memory.alerts()] == [
        ("info", "medicine_not_checked", "zubrolin", TEXT)
    ]
    assert memory.context("what do I take?").text.count(TEXT) == 1
    assert [alert.message for alert in memory.why("drug_interaction").unchecked] == [TEXT]
    assert [alert.message for alert in memory.why("drug_condition").unchecked] == [TEXT]
    assert memory.why("medicine_not_checked").unchecked == ()


def test_the_report_ends_when_the_ingredients_are_known_or_the_medicine_has_ended() -> None:
    memory = remembering()
    memory.put("health.Medication", {"name": "Zubrolin"})
    memory.put("health.Medication", {"name": "Zubrolin", "ingredients": ["ibuprofen"]})
    memory.put("health.Medication", {"name": "warfarin"})
    assert standing(memory) == [("drug_interaction", "zubrolin / warfarin")]


def test_a_constraint_whose_table_is_in_no_chosen_pack_stays_on_offer_with_the_reason() -> None:
    memory = remembering("household,people,food")
    memory.put("household.Pet", {"name": "Max", "kind": "dog", "reaches": ["Nurofen"]})
    offers = {offer.name: offer.why_not for offer in offered_constraints(chosen_packs("household"), memory.project())}
    assert offers["medicine_for_pet"] == "Type health.Medication does not exist."
    assert standing(memory) == []


MISSPELT = {
    "metphormin": "metformin",
    "levotyroxne": "levothyroxine",
    "rivaroxabna": "rivaroxaban",
    "clopidogrle": "clopidogrel",
    "xlortalidone": "",
    "zubrolin": "",
}


def test_a_misspelt_name_is_asked_about_if_one_is_near_and_never_guessed() -> None:
    memory = remembering()
    memory.put("health.Medication", {"name": "warfarin", "person": "Ben"})
    for name in MISSPELT:
        memory.put("health.Medication", {"name": name})
    asked = {
        alert.subject: alert.message.partition(" Did you mean ")[2].partition("?")[0]
        for alert in memory.alerts()
        if alert.constraint == "medicine_not_checked"
    }
    assert asked == MISSPELT
    assert {alert.constraint for alert in memory.alerts()} == {"medicine_not_checked"}
