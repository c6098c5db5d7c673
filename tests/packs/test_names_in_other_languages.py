"""Medicines and places are known by their names in other languages: rules find what a user calls by another name."""

import pytest

from support.constraints import Clock, standing
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import chosen_packs
from uac.sandbox import shared_sandbox

MEDICINES = """
    levothyroxine: levotiroxina, lévothyroxine, Levothyroxin
    erythromycin: eritromicina, érythromycine
    phenytoin: fenitoína, phénytoïne, fenitoina
    hydrochlorothiazide: hidroclorotiazida, idroclorotiazide
    methotrexate: metotrexato, méthotrexate, metotressato
    spironolactone: espironolactona, spironolattone
    naproxen: naproxeno, naproxène, naprossene
    morphine: morfina
    gentamicin: gentamicina
    furosemide: furosemida, furosémide
    tamoxifen: tamoxifeno, tamoxifène
"""
NAMES = [
    (name.strip(), line.split(":")[0].strip())
    for line in MEDICINES.strip().splitlines()
    for name in line.split(":")[1].split(",")
]


def remembering() -> Memory:
    return Memory(MemoryStore().log("ana"), packs=chosen_packs("all"), sandbox=shared_sandbox(), clock=Clock())


@pytest.mark.parametrize(("name", "english"), NAMES)
def test_a_medicine_in_another_language_has_the_same_ingredient(name: str, english: str) -> None:
    memory = remembering()
    memory.put("health.Medication", {"name": name, "form": "tablet"})
    memory.put("health.Medication", {"name": english})
    assert "duplicate_ingredient" in [rule for rule, _subject in standing(memory)]


@pytest.mark.parametrize("allergy", ["penicilina", "pénicilline", "penicillina", "Penicillin"])
@pytest.mark.parametrize("medicine", ["amoxicilina", "amoxicilline", "amoxicillina"])
def test_an_allergy_and_a_medicine_meet_in_any_of_these_languages(allergy: str, medicine: str) -> None:
    memory = remembering()
    memory.put("health.Allergy", {"substance": allergy})
    memory.put("health.Medication", {"name": medicine})
    assert [rule for rule, _subject in standing(memory)] == ["drug_allergy"]


@pytest.mark.parametrize("word", ["sardine", "margarine", "mandarine", "avocado", "tangerine", "vaseline"])
def test_everyday_words_are_no_medicines(word: str) -> None:
    memory = remembering()
    memory.put("health.Medication", {"name": word})
    assert [rule for rule, _subject in standing(memory)] == ["medicine_not_checked"]


@pytest.mark.parametrize("city", ["Lisbon", "Lisboa", "Lissabon", "Lisbonne", "Lisbona"])
def test_two_trips_at_a_time_are_noticed_whatever_the_city_is_called(city: str) -> None:
    memory = remembering()
    memory.put("travel.Trip", {"destination": city, "departs": "2026-03-10", "returns": "2026-03-14"})
    memory.put("travel.Trip", {"destination": "Wien", "departs": "2026-03-12", "returns": "2026-03-16"})
    assert "trip_overlap" in [rule for rule, _subject in standing(memory)]
