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
    aspirin: ácido acetilsalicílico, acide acétylsalicylique, acido acetilsalicilico
    valproic acid: ácido valproico, acide valproïque, Valproinsäure, Valproinsaeure, Natriumvalproat
    ursodeoxycholic acid: ácido ursodesoxicólico, acido ursodesossicolico, Ursodesoxycholsäure
    tranexamic acid: ácido tranexámico, Tranexamsäure
    lithium: carbonato de litio, Lithiumcarbonat
    acenocoumarol: acenocumarol, acénocoumarol
    amitriptyline: amitriptilina
    dexamethasone: dexametasona, Dexamethason
    fentanyl: fentanilo
    methylphenidate: metilfenidato
    mycophenolate: micofenolato, Mycophenolatmofetil
    clopidogrel: Clopidogrelhydrogensulfat
    dabigatran: dabigatrán, Dabigatranetexilat
    tiotropium: Tiotropiumbromid
    hyoscine butylbromide: Butylscopolaminiumbromid
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


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Isosorbidmononitrat 20 mg", "Sildenafil"),
        ("mononitrato de isosorbida", "sildenafilo"),
        ("Glyceroltrinitrat", "Tadalafil"),
        ("nitroglicerina", "tadalafilo"),
        ("Kaliumchlorid", "Spironolacton"),
        ("cloruro de potasio", "espironolactona"),
        ("Eisen-II-sulfat", "Levothyroxin"),
        ("sulfato ferroso", "levotiroxina"),
        ("ácido acetilsalicílico", "warfarina"),
    ],
)
def test_two_medicines_in_one_language_are_compared(name: str, other: str) -> None:
    memory = remembering()
    memory.put("health.Medication", {"name": name})
    memory.put("health.Medication", {"name": other})
    assert [rule for rule, _subject in standing(memory)] == ["drug_interaction"]


@pytest.mark.parametrize("name", ["ácido fólico", "acide folique", "Folsäure", "Eisen", "hierro", "Zinksulfat"])
def test_a_supplement_in_another_language_is_known(name: str) -> None:
    memory = remembering()
    memory.put("health.Medication", {"name": name})
    assert standing(memory) == []


@pytest.mark.parametrize("allergy", ["penicilina", "pénicilline", "penicillina", "Penicillin"])
@pytest.mark.parametrize("medicine", ["amoxicilina", "amoxicilline", "amoxicillina"])
def test_an_allergy_and_a_medicine_meet_in_any_of_these_languages(allergy: str, medicine: str) -> None:
    memory = remembering()
    memory.put("health.Allergy", {"substance": allergy})
    memory.put("health.Medication", {"name": medicine})
    assert [rule for rule, _subject in standing(memory)] == ["drug_allergy"]


@pytest.mark.parametrize(
    "word",
    [
        "sardine",
        "margarine",
        "mandarine",
        "avocado",
        "tangerine",
        "vaseline",
        "Reise",
        "eiserner Wille",
        "acido",
        "Säure",
    ],
)
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
