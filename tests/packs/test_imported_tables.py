"""Tables of one's own take the place of a pack's: constraints run on them, and a signature is for one version."""

from pathlib import Path

import msgspec
import pytest

from support.packs import PACKS, remembering
from uac.errors import Refused, Rejected
from uac.importing import TableAbout, read_table_file
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import table_rows
from uac.project.fold import fold_entries
from uac.project.table_reviews import UNREVIEWED, table_review, table_reviews
from uac.schema.constraints import Case, Constraint, Given, Knowledge
from uac.schema.patches import Learn, Patch, Sign

LICENSED = Path(__file__).parent / "licensed"
HEALTH = next(pack for pack in PACKS if pack.name == "health")
TABLES = {table.name: table for table in HEALTH.knowledge}
INTERACTIONS, DRUGS = TABLES["health.interactions"], TABLES["health.drugs"]
RXNORM = read_table_file(
    LICENSED / "rxnorm_like.csv",
    DRUGS,
    about=TableAbout(version="2026-11"),
    keep=("class_names", "titles", "misspelt", "german", "romance"),
    columns={"RXCUI": "id", "STR": "name", "ingredient": "value", "SAB": "source"},
).table
DMD = read_table_file(
    LICENSED / "dmd_like.jsonl", DRUGS, about=TableAbout(version="week 46"), keep=("german", "romance")
).table
ABDA = read_table_file(LICENSED / "abda_like.csv", INTERACTIONS, about=TableAbout(version="2026/11")).table


def learn(memory: Memory, table: Knowledge) -> int:
    return memory.checkpoint([Learn(knowledge=table)], by="test", reviewed=True)


def sign(memory: Memory, name: str, *, who: str = "Dr. Ada Weiss", why: str = "checked row by row") -> int:
    digest = memory.project().knowledge[name].digest
    return memory.checkpoint([Sign(table=name, digest=digest, who=who, why=why)], reviewed=True)


def found(memory: Memory) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(alert.constraint, alert.severity, alert.tables) for alert in memory.alerts() if alert.severity != "info"]


def test_an_imported_table_replaces_the_pack_s_and_alerts_name_its_row_and_region() -> None:
    memory = remembering(HEALTH)
    for name in ("warfarin", "ibuprofen"):
        memory.put("health.Medication", {"name": name})
    drugs = f"health.drugs {DRUGS.version}"
    assert [tables[0] for _rule, _severity, tables in found(memory)] == [drugs]
    learn(memory, ABDA)
    assert found(memory) == [("drug_interaction", "critical", (drugs, "health.interactions 2026/11 #int-4711 (DE)"))]
    (alert,) = [alert for alert in memory.alerts() if alert.severity == "critical"]
    assert "warfarin und ibuprofen zusammen erhöhen das Blutungsrisiko" in alert.message
    assert alert.message.endswith(" No medical advice.")


def test_a_rule_that_is_adopted_later_runs_on_the_imported_tables() -> None:
    memory = remembering(HEALTH)
    learn(memory, RXNORM)
    for name in ("Zorvaline 20 mg oral tablet", "Calmadrin"):
        memory.put("health.Medication", {"name": name})
    assert ("drug_interaction", "critical") in [each[:2] for each in found(memory)]
    assert memory.project().knowledge["health.drugs"] == RXNORM
    assert memory.project().knowledge["health.interactions"] == INTERACTIONS


def test_names_of_an_imported_product_file_are_recognised_in_any_case() -> None:
    memory = remembering(HEALTH)
    learn(memory, DMD)
    memory.put("health.Medication", {"name": "HEARTWELL 5 mg"})
    memory.put("health.Allergy", {"substance": "testapril"})
    assert [rule for rule, severity, _tables in found(memory) if severity == "critical"] == ["drug_allergy"]


def test_the_rows_of_an_imported_table_keep_their_source_and_review() -> None:
    rows = dict(table_rows(DMD))
    assert rows["amp-7"] == {
        "section": "names",
        "name": "heartwell",
        "id": "amp-7",
        "in": "UK",
        "src": "Made-up UK product file, week 46",
        "reviewed_on": "2026-11-09",
        "reviewer": "R. Hale, MPharm",
        "value": ["testapril"],
    }
    of_the_pack = {"salts", "letters"}
    assert {*rows} == {"vtm-1-name", "vmp-1", "amp-7", "vtm-1", "cls-1", "ttl-1", "mis-1", *of_the_pack}
    assert dict(table_rows(ABDA))["int-4711"]["expires"] == "2027-05-15"


def test_a_log_with_imported_tables_and_signatures_replays_to_the_same_project() -> None:
    memory = remembering(HEALTH)
    memory.put("health.Medication", {"name": "warfarin"})
    learn(memory, ABDA)
    sign(memory, "health.interactions")
    again = fold_entries(memory.log.read())
    assert again == memory.project()
    assert again.knowledge["health.interactions"] == ABDA


def test_an_upgrade_leaves_an_imported_table_alone_and_upgrades_the_others() -> None:
    memory = remembering(HEALTH)
    memory.put("health.Medication", {"name": "warfarin"})
    older = msgspec.structs.replace(DRUGS, version="2020.1")
    memory.checkpoint([Learn(knowledge=older), Learn(knowledge=ABDA)], reviewed=True)
    assert memory.upgrade() == (Learn(knowledge=DRUGS),)
    assert memory.project().knowledge["health.interactions"] == ABDA


def test_retracting_an_import_brings_the_pack_s_table_and_its_alerts_back() -> None:
    memory = remembering(HEALTH)
    for name in ("warfarin", "aspirin"):
        memory.put("health.Medication", {"name": name})
    before = found(memory)
    position = learn(memory, ABDA)
    assert found(memory) == []
    memory.retract([position], why="wrong file", reviewed=True)
    assert found(memory) == before != []


def test_an_imported_table_on_which_a_rule_cannot_run_is_refused() -> None:
    memory = remembering(HEALTH)
    memory.put("health.Medication", {"name": "warfarin"})
    broken = Knowledge.imported([{"id": "x"}], [], name="health.interactions", version="1", date="", source="", note="")
    with pytest.raises(Rejected, match="drug_interaction"):
        learn(memory, broken)
    assert memory.project().knowledge["health.interactions"] == INTERACTIONS


OWN = """def own(user, now):
    \"\"\"A medicine of the table.\"\"\"
    rows = knowledge("health.interactions")
    return [info(one.name, one) for one in user.health.medications if [row for row in rows if one.name in row["a"]]]
"""


def test_the_cases_of_a_constraint_that_is_not_a_pack_s_must_hold_with_an_imported_table() -> None:
    memory = remembering(HEALTH)
    memory.put("health.Medication", {"name": "warfarin"})
    cases = (
        Case(
            name="one",
            now="2026-01-10",
            given=(Given(type="health.Medication", fields={"name": "phenelzine"}),),
            fires=True,
        ),
        Case(name="none", now="2026-01-10", fires=False),
    )
    learn(memory, ABDA)
    with pytest.raises(Rejected, match="should fire, but stays silent"):
        memory.adopt(Constraint(name="own", code=OWN, cases=cases, origin="person"))


def test_a_signature_names_who_answers_for_a_table_until_the_table_changes() -> None:
    memory = remembering(HEALTH)
    memory.put("health.Medication", {"name": "warfarin"})
    learn(memory, ABDA)
    assert table_review(memory.project(), "health.interactions") == UNREVIEWED
    position = sign(memory, "health.interactions")
    signed = memory.project().signatures["health.interactions"]
    assert (signed.digest, signed.who, signed.position) == (ABDA.digest, "Dr. Ada Weiss", position)
    day = signed.at.date().isoformat()
    assert table_reviews(memory.project(), ("health.drugs 1", "health.interactions 2 #x", "health.doses 1")) == (
        "health.drugs, health.doses: unreviewed by a licensed person",
        f"health.interactions: signed by Dr. Ada Weiss on {day}: checked row by row",
    )
    learn(memory, ABDA)  # the same table
    assert "health.interactions" in memory.project().signatures
    learn(memory, INTERACTIONS)
    assert dict(memory.project().signatures) == {}


def test_a_retracted_import_takes_its_signature_along() -> None:
    memory = remembering(HEALTH)
    memory.put("health.Medication", {"name": "warfarin"})
    position = learn(memory, ABDA)
    sign(memory, "health.interactions")
    memory.retract([position], why="wrong file", reviewed=True)
    assert dict(memory.project().signatures) == {}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"digest": "0" * 64}, "Review that version, and sign its digest"),
        ({"who": " "}, "who or why is empty"),
        ({"why": ""}, "who or why is empty"),
        ({"table": "health.none"}, "There is no table 'health.none'"),
    ],
)
def test_a_signature_that_does_not_say_who_what_and_why_is_refused(changed: dict[str, str], reason: str) -> None:
    memory = remembering(HEALTH)
    memory.put("health.Medication", {"name": "warfarin"})
    good = Sign(table="health.drugs", digest=DRUGS.digest, who="Ada", why="checked")
    with pytest.raises(Rejected, match=reason):
        memory.checkpoint([msgspec.structs.replace(good, **changed)], reviewed=True)


@pytest.mark.parametrize(
    "patch",
    [Learn(knowledge=ABDA), Sign(table="health.drugs", digest=DRUGS.digest, who="Dr. Who", why="trust me")],
    ids=["import", "sign"],
)
def test_a_model_can_neither_import_nor_sign_a_table_nor_retract_either(patch: Patch) -> None:
    memory = remembering(HEALTH)
    memory.put("health.Medication", {"name": "warfarin"})
    with pytest.raises(Rejected, match="Only a person can do this"):
        memory.checkpoint([patch], by="model")
    position = memory.checkpoint([patch], reviewed=True)
    with pytest.raises(Refused, match="Only a person can retract it"):
        memory.retract([position], why="please")


def test_the_digest_of_a_table_does_not_depend_on_how_it_is_packed() -> None:
    import base64
    import zlib

    loose = base64.b64encode(zlib.compress(msgspec.json.encode(DRUGS.table), 1)).decode()
    assert msgspec.structs.replace(DRUGS, packed=loose).digest == DRUGS.digest
    assert msgspec.structs.replace(DRUGS, version="x").digest != DRUGS.digest
    assert msgspec.structs.replace(DMD, packed_origins="").digest != DMD.digest


def test_two_users_of_a_store_have_their_own_tables() -> None:
    store = MemoryStore()
    ana, ben = (Memory(store.log(name), packs=(HEALTH,), sandbox=remembering().sandbox) for name in ("ana", "ben"))
    for memory in (ana, ben):
        memory.put("health.Medication", {"name": "warfarin"})
    learn(ana, ABDA)
    assert ben.project().knowledge["health.interactions"] == INTERACTIONS
