"""Tests of uac.conversation.relevant_types: which types a request shows, and how."""

import pytest

from uac.conversation.relevant_types import RelevantTypes, relevant_types, type_names
from uac.packs import installed_packs
from uac.project.project import EMPTY_PROJECT
from uac.schema.entries import Citation, Fact


def shown_for(*told: tuple[str, str]) -> RelevantTypes:
    """The types shown for facts, each with its topic."""
    facts = [
        Fact(text=text, about="user", topic=topic, authority="user", cites=(Citation(position=1, quote=text),))
        for topic, text in told
    ]
    return relevant_types(facts, EMPTY_PROJECT, installed_packs(), wanted=())


@pytest.mark.parametrize(
    ("topic", "text", "type_name"),
    [
        ("household", "The user's cat is called Turnip.", "household.Pet"),
        ("household", "Die Nutzerin hat einen Hund namens Momo.", "household.Pet"),
        ("household", "Bei Galaxus einen Saugroboter bestellt, 389.", "household.Purchase"),
        ("household", "Encargó las gafas y las compró en Óptica Ruiz.", "household.Purchase"),
        ("finance", "Netflix zieht jeden Monat 20.90 ab, das Abo läuft weiter.", "finance.Subscription"),
        ("travel", "We're off to St Ives for five nights.", "travel.Trip"),
        ("people", "La sœur de l'utilisateur s'appelle Anne.", "people.Person"),
        ("health", "Sono allergica alla penicillina.", "health.Allergy"),
        ("food", "我们在餐厅吃饭", "food.Booking"),
        ("finance", "Pożyczyłem bratu 500 zł.", "finance.Loan"),
        ("leisure", "Ik heb het boek gelezen.", "leisure.Title"),
        ("finance", "Der Helm von Halfords hat 134,50 € gekostet.", "household.Purchase"),
        ("finance", "Der Helm von Halfords hat 134,50 € gekostet.", "finance.Transaction"),
        ("other", "Dieser Bericht muss am Sonntag abgegeben sein.", "calendar.Deadline"),
        ("calendar", "Den Antrag habe ich heute eingereicht.", "calendar.Deadline"),
        ("calendar", "El lunes cenan fuera en Bistro Colette.", "food.Booking"),
    ],
)
def test_a_fact_meets_the_fields_of_its_type_in_the_language_of_the_user(topic: str, text: str, type_name: str) -> None:
    assert type_name in [type_.full_name for type_ in shown_for((topic, text)).types]


def test_types_that_may_fit_less_well_are_named_with_the_names_of_their_fields() -> None:
    shown = shown_for(("household", "Bought a bike."))
    assert shown.brief
    assert shown.brief <= {type_.full_name for type_ in shown.named}
    assert shown.brief.isdisjoint(type_.full_name for type_ in shown.types)
    reading = next(type_ for pack in installed_packs() for type_ in pack.types if type_.name == "MeterReading")
    assert type_names([reading]) == "household: MeterReading"
    assert type_names([reading], brief=["household.MeterReading"]) == (
        "household: MeterReading(meter, day, value, unit?, notes?)"
    )


def test_every_type_of_a_pack_has_words_and_every_word_a_type() -> None:
    for pack in installed_packs():
        assert set(pack.words) == {type_.name for type_ in pack.types}
