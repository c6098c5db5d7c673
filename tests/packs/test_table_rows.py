"""Rows of tables have an id, regions and a source, and alerts name the row that they depend on."""

from datetime import date

import pytest

from support.constraints import Clock
from uac.errors import Rejected
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import chosen_packs, installed_packs, table_rows
from uac.sandbox import shared_sandbox
from uac.schema.constraint_code import read_constraint
from uac.schema.constraints import Case, Constraint, Given, Knowledge

TABLES = [table for pack in installed_packs() for table in pack.knowledge]
DAYS = {pack.name: date.fromisoformat(pack.date) for pack in installed_packs()}
SOURCED = (
    "health.cautions health.cross_allergies health.doses health.foods health.interactions health.pregnancy"
    " household.age_limits household.toxic_to_pets"
).split()


@pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])
def test_the_version_of_a_table_is_not_its_date(table: Knowledge) -> None:
    assert table.version != table.date


@pytest.mark.parametrize("name", SOURCED)
def test_every_row_has_an_id_regions_and_a_source_of_its_own(name: str) -> None:
    (table,) = [table for table in TABLES if table.name == name]
    rows = {id_: row for id_, row in table_rows(table) if id_ not in ("no_medicine", "weekly")}
    assert [
        id_ for id_, row in rows.items() if not isinstance(row, dict) or not row.get("in") or not row.get("src")
    ] == []
    assert len([row for row in rows.values() if "id" in row]) == len(rows) > 10
    assert "unreviewed by a licensed person" in table.source
    assert "general knowledge" not in table.source


@pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])
def test_no_row_lacks_an_id_regions_a_source_a_day_of_review_or_a_reviewer(table: Knowledge) -> None:
    rows = [*table_rows(table)]
    ids = [id_ for id_, _ in rows]
    assert len({*ids}) == len(ids) > 5
    for id_, row in rows:
        assert isinstance(row, dict)
        assert row["id"] == id_
        assert row["in"]
        assert row["src"]
        assert date(2026, 11, 16) <= date.fromisoformat(row["reviewed_on"]) <= DAYS[table.name.partition(".")[0]]
        assert row["reviewer"] == "unreviewed by a licensed person"
    assert "unreviewed by a licensed person" in table.source
    assert "general knowledge" not in table.source


def test_one_origin_is_that_of_several_plain_values_or_of_all_the_others_of_a_section() -> None:
    about = {"in": "DE", "src": "a list", "reviewed_on": "2026-11-16", "reviewer": "nobody"}
    origins = [{"section": "names", "names": ["ibu"], **about}, {"section": "names", "name": "*", **about, "in": "US"}]
    table = Knowledge.of(
        {"names": {"ibu": ["ibuprofen"], "advil": ["ibuprofen"]}, "weekly": ["methotrexate"]},
        origins,
        name="acme.drugs",
        version="1",
        date="2026-11-16",
        source="a list",
        note="short",
    )
    assert [*table_rows(table)] == [
        ("names:ibu", {"id": "names:ibu", "section": "names", "name": "ibu", **about, "value": ["ibuprofen"]}),
        (
            "names:advil",
            {"id": "names:advil", "section": "names", "name": "advil", **about, "in": "US", "value": ["ibuprofen"]},
        ),
    ]


def remembering() -> Memory:
    return Memory(MemoryStore().log("ana"), packs=chosen_packs("all"), sandbox=shared_sandbox(), clock=Clock())


def test_an_alert_names_table_row_and_region_and_that_it_is_no_medical_advice() -> None:
    memory = remembering()
    memory.put("health.Medication", {"name": "isosorbide mononitrate"})
    memory.put("health.Medication", {"name": "sildenafil"})
    (alert,) = memory.alerts()
    versions = {table.name: table.version for table in TABLES}
    assert alert.tables == (
        f"health.drugs {versions['health.drugs']}",
        f"health.interactions {versions['health.interactions']} #nitrates-pde5-inhibitors (US UK EU)",
    )
    assert alert.message.endswith(" No medical advice.")
    assert alert.text == f"{alert.message} [by {', '.join(alert.tables)}]"


ODD = """def odd(user, now):
    \"\"\"A pet.\"\"\"
    return [info(f"{pet.name}.", pet, rows=[("health.drugs", {"id": "x"})]) for pet in user.household.pets]
"""


def test_a_rule_that_names_a_row_of_a_table_that_it_does_not_use_is_refused() -> None:
    memory = remembering()
    memory.put("household.Pet", {"name": "Max", "kind": "dog"})
    given = (Given(type="household.Pet", fields={"name": "Max", "kind": "dog"}),)
    cases = (
        Case(name="one", now="2026-01-10", given=given, fires=True),
        Case(name="none", now="2026-01-10", fires=False),
    )
    with pytest.raises(Rejected, match="names a row of a table which it does not use"):
        memory.adopt(Constraint(name="odd", code=ODD, cases=cases, origin="person"))


HEALTH = next(pack for pack in installed_packs() if pack.name == "health")


@pytest.mark.parametrize("constraint", HEALTH.constraints, ids=lambda each: str(each.name))
def test_every_rule_of_health_says_that_it_is_no_medical_advice(constraint: Constraint) -> None:
    notes = {table.name: table.note.partition(";")[0] for table in HEALTH.knowledge}
    from_tables = {notes.get(name, "") for name in read_constraint(constraint.name, constraint.code).knows}
    assert any(note.endswith("medical advice") for note in from_tables) or "No medical" in constraint.code


def test_a_plain_value_has_the_regions_of_its_origin_and_an_alert_names_both() -> None:
    origins = [
        {"section": "dishes", "name": "*", "in": "US UK"},
        {"section": "dishes", "names": ["laksa"], "in": "SG"},
    ]
    table = Knowledge.of({"dishes": {}}, origins, name="acme.d", version="1", date="2026-01-01", source="s", note="n")
    assert [table.regions_of(row) for row in ("dishes:hummus", "dishes:laksa", "places:bar", "x")] == [
        "US UK",
        "SG",
        "",
        "",
    ]
    clock = Clock()
    memory = Memory(
        MemoryStore(clock=clock).log("ana"), packs=chosen_packs("all"), sandbox=shared_sandbox(), clock=clock
    )
    memory.put("health.Allergy", {"substance": "sesame", "severity": "severe"})
    memory.put("food.Meal", {"what": "hummus", "day": str(clock().date())})
    (alert,) = [alert for alert in memory.alerts() if alert.constraint == "meal_suits_everyone"]
    (named,) = alert.tables
    assert named.partition(" #")[2] == "dishes:hummus (US UK EU)"
