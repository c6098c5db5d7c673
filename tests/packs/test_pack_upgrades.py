"""An upgrade brings what a pack has now, and leaves alone what the user wrote."""

import base64
import zlib
from dataclasses import replace
from pathlib import Path

import msgspec

from support.constraints import Clock, standing
from support.packs import CONTRACT, PACKS, remembering
from uac.memory.memory import Memory
from uac.packs import (
    load_pack,
    offered_constraints,
    upgrade_patches,
)
from uac.packs.files import Pack
from uac.packs.template import write_template
from uac.project.project import Adopted
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Case, Constraint, Given
from uac.schema.patches import AddField, Adopt, ChangeKey, Define, Learn, RetypeField
from uac.schema.types import Field, Type


def test_an_upgrade_brings_tables_fields_and_constraints_to_what_the_pack_has(legal: Pack, tmp_path: Path) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    folder = tmp_path / "newer" / "legal"
    write_template(folder)
    rules = folder / "knowledge" / "rules.json"
    rules.write_text(rules.read_text().replace('"version": "1"', '"version": "2"').replace("30", "5"))
    types = folder / "types.py"
    types.write_text(types.read_text() + "    party: str | None\n    size: int\n")
    rule = folder / "constraints" / "legal_contract_review.py"
    text = rule.read_text().replace("date(2026, 5, 2)", "date(2026, 5, 28)").replace("30 days", "4 days")
    rule.write_text(text.replace("must be reviewed by", "wants a review by"))
    newer = load_pack(folder)
    assert upgrade_patches((newer,), memory.project()) == (
        Learn(knowledge=newer.knowledge[0]),
        AddField(type="legal.Contract", field=Field(name="party", type="str | None")),
        Adopt(constraint=newer.constraints[0]),
    )
    again = Memory(memory.log, packs=(newer,), sandbox=memory.sandbox, clock=Clock())
    assert len(again.upgrade()) == 3
    assert (standing(again), again.upgrade()) == ([], ())


def test_an_upgrade_leaves_alone_what_a_person_or_a_model_wrote(legal: Pack) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    mine = msgspec.structs.replace(legal.constraints[0], origin="person", pack="")
    memory.adopt(mine)
    assert memory.upgrade() == ()
    assert memory.project().constraints["legal_contract_review"].constraint == mine


def test_a_table_that_another_machine_compressed_to_other_bytes_is_not_upgraded(legal: Pack) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    (table,) = legal.knowledge
    packed = base64.b64encode(zlib.compress(msgspec.json.encode(table.table), 0)).decode()
    assert packed != table.packed
    memory.checkpoint([Learn(knowledge=msgspec.structs.replace(table, packed=packed))], reviewed=True)
    assert memory.project().knowledge["legal.rules"].packed == packed
    assert memory.upgrade() == ()


def earlier(type_: Type) -> Type:
    """A type of a pack as it was before persons and before trips and tasks without a day."""
    relaxed = {"travel.Trip": "departs", "calendar.Deadline": "due"}.get(type_.full_name)
    fields = [
        msgspec.structs.replace(part, type="date") if part.name == relaxed else part
        for part in type_.fields
        if part.name != "person" or type_.domain != "health"
    ]
    return msgspec.structs.replace(type_, fields=tuple(fields), key=tuple(k for k in type_.key if k != "person"))


EARLIER = {
    "health.Allergy": {"substance": "Penicillin"},
    "health.Medication": {"name": "Advil"},
    "health.Condition": {"name": "asthma"},
    "health.Visit": {"what": "eye exam", "day": "2026-01-05"},
    "travel.Trip": {"destination": "Rome", "departs": "2026-05-01"},
    "calendar.Deadline": {"what": "taxes", "due": "2026-05-31"},
}


def with_earlier_types() -> Memory:
    memory = remembering()
    types = {type_.full_name: type_ for pack in PACKS for type_ in pack.types}
    memory.checkpoint([Define(type=earlier(types[name])) for name in EARLIER], reviewed=True)
    for name, fields in EARLIER.items():
        memory.put(name, fields)
    return memory


def test_an_upgrade_tells_persons_apart_and_asks_for_fewer_dates_and_records_keep_their_ids() -> None:
    memory = with_earlier_types()
    before = {name: [record.id for record in memory.project().records(name)] for name in EARLIER}
    again = Memory(memory.log, packs=PACKS, sandbox=memory.sandbox, clock=Clock())
    patches = again.upgrade()
    changed = [type(patch) for patch in patches if not isinstance(patch, AddField)]
    assert changed == [RetypeField, ChangeKey, ChangeKey, ChangeKey, ChangeKey, RetypeField]
    assert {name: [record.id for record in again.project().records(name)] for name in EARLIER} == before
    assert again.upgrade() == ()
    assert (
        again.put("health.Allergy", {"substance": "penicillin", "person": "Theo"}) == "health.Allergy:penicillin|theo"
    )
    assert again.put("travel.Trip", {"destination": "Oslo", "state": "idea"}) == "travel.Trip:oslo"
    again.put("health.Medication", {"name": "amoxicillin", "person": "Theo"})
    assert standing(again) == [
        ("drug_allergy", "amoxicillin|theo / penicillin|theo"),
        ("drug_condition", "advil / asthma"),
    ]


def test_an_upgrade_changes_the_types_of_all_packs_before_any_constraint() -> None:
    memory = with_earlier_types()
    again = Memory(memory.log, packs=PACKS, sandbox=memory.sandbox, clock=Clock())
    rule = next(each for pack in PACKS for each in pack.constraints if each.name == "meal_suits_everyone")
    types = [type_ for pack in PACKS for type_ in pack.types if type_.domain in ("food", "people")]
    old = msgspec.structs.replace(rule, pack="food 2", cases=tuple(case for case in rule.cases if not case.given[1:]))
    adopted = Adopted(old, position=1)
    project = again.project()
    project = replace(
        project,
        types={**project.types, **{type_.full_name: type_ for type_ in types}},
        constraints={**project.constraints, rule.name: adopted},
    )
    kinds = [type(patch) for patch in upgrade_patches(PACKS, project)]
    assert kinds[-1] is Adopt
    assert Adopt not in kinds[:-1]


def test_an_upgrade_leaves_a_field_required_that_a_constraint_of_the_user_may_rely_on(sandbox: Sandbox) -> None:
    memory = with_earlier_types()
    code = """def soon(user, now):
    \"\"\"A trip is near.\"\"\"
    return [info(f"{trip.destination} is near.", trip) for trip in user.travel.trips if (trip.departs - as_date(now)).days < 9]
"""
    cases = (
        Case(
            name="near", now="2026-04-30", given=(Given(type="travel.Trip", fields=EARLIER["travel.Trip"]),), fires=True
        ),
        Case(
            name="far", now="2026-01-30", given=(Given(type="travel.Trip", fields=EARLIER["travel.Trip"]),), fires=False
        ),
    )
    memory.adopt(Constraint(name="soon", code=code, cases=cases, origin="person"))
    again = Memory(memory.log, packs=PACKS, sandbox=sandbox, clock=Clock())
    again.upgrade()
    types = again.project().types
    kept = [(name, part.type) for name in ("travel.Trip", "calendar.Deadline") for part in types[name].fields[:3]]
    assert ("travel.Trip", "date") in kept
    assert ("calendar.Deadline", "date | None") in kept
    offers = {offer.name: offer.why_not for offer in offered_constraints(PACKS, again.project())}
    assert offers["trip_overlap"] == ""
