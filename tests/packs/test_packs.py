"""Packs: every constraint that ships proves itself, and what a pack offers comes in when it is first used."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.constraints import Clock, standing
from support.paths import ROOT
from support.short_logs import type_of
from uac.constraints.proof import proof_type_errors
from uac.constraints.try_pack import try_pack, try_pack_project
from uac.errors import Refused
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import (
    chosen_packs,
    installed_packs,
    is_from_packs,
    load_pack,
    needed_patches,
    offered_constraints,
    upgrade_patches,
)
from uac.packs.files import Pack
from uac.packs.template import write_template
from uac.project.apply_patches import check_patches
from uac.project.diff import Change
from uac.project.project import EMPTY_PROJECT, Adopted
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Sandbox
from uac.schema.constraint_code import Reading, read_constraint
from uac.schema.constraints import Case, Constraint, Given, Knowledge
from uac.schema.entries import Checkpoint
from uac.schema.patches import AddField, Adopt, ChangeKey, Define, Learn, Retire, RetypeField
from uac.schema.types import Field, Type

PACKS = installed_packs()
SHIPPED = [(pack, constraint) for pack in PACKS for constraint in pack.constraints]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return shared_sandbox()


def remembering(*packs: Pack) -> Memory:
    return Memory(MemoryStore().log("ana"), packs=packs, sandbox=shared_sandbox(), clock=Clock())


# --- those that ship --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pack", "constraint"), SHIPPED, ids=[f"{pack.name}-{constraint.name}" for pack, constraint in SHIPPED]
)
def test_every_constraint_that_ships_passes_the_door_the_type_checker_and_its_cases(
    pack: Pack, constraint: Constraint, sandbox: Sandbox
) -> None:
    one = only(pack, constraint)
    proofs = list(try_pack(one, sandbox=sandbox))
    assert [proof for proof in proofs if proof.why] == []
    assert [proof.case for proof in proofs] == [case.name for case in constraint.cases]


def only(pack: Pack, constraint: Constraint) -> Pack:
    """The pack with this constraint only."""
    return replace(pack, sources={constraint.name: pack.sources[constraint.name]})


def test_the_packs_that_were_promised_ship() -> None:
    assert {"calendar", "finance", "food", "health", "household", "leisure", "people", "travel"} <= {
        pack.name for pack in PACKS
    }


def test_no_two_constraints_or_types_or_tables_have_one_name() -> None:
    for names in (
        [constraint.name for _pack, constraint in SHIPPED],
        [type_.full_name for pack in PACKS for type_ in pack.types],
        [table.name for pack in PACKS for table in pack.knowledge],
        [f"{type_.domain}.{type_.collected_as}" for pack in PACKS for type_ in pack.types],
    ):
        assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("pack", PACKS, ids=[pack.name for pack in PACKS])
def test_every_pack_is_documented_and_names_all_its_constraints_and_tables(pack: Pack) -> None:
    pages = [path for path in (DOCS / "packs" / f"{pack.name}.md", pack.folder / "README.md") if path.is_file()]
    assert len(pages) == 1
    page = pages[0].read_text(encoding="utf-8")
    names = [*pack.sources, *(table.name.rpartition(".")[2] for table in pack.knowledge)]
    missing = [name for name in names if name not in page]
    assert missing == []


@pytest.mark.parametrize("pack", PACKS, ids=[pack.name for pack in PACKS])
def test_every_part_of_a_pack_says_what_it_is(pack: Pack) -> None:
    assert (pack.version, pack.date[:2], bool(pack.summary)) == (pack.version, "20", True)
    for constraint in pack.constraints:
        assert constraint.origin == "pack"
        assert constraint.pack == f"{pack.name} {pack.version}"
        assert read_constraint(constraint.name, constraint.code).doc.endswith(".")
        assert {case.fires for case in constraint.cases} == {True, False}
        names = [case.name for case in constraint.cases]
        assert sorted(set(names)) == sorted(names), constraint.name
    for type_ in pack.types:
        assert (type_.domain, bool(type_.doc)) == (pack.name, True)


TABLES = [table for pack in PACKS for table in pack.knowledge]


@pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])
def test_every_table_says_where_it_is_from_and_what_it_does_not_cover(table: Knowledge) -> None:
    assert all(text.strip() for text in (table.name, table.version, table.date, table.source, table.note))
    assert table.date[:4].isdigit()
    assert table.table
    readers = [constraint for _pack, constraint in SHIPPED if table.name in read_of(constraint).knows]
    assert readers, "nobody looks anything up in it"


def read_of(constraint: Constraint) -> Reading:
    return read_constraint(constraint.name, constraint.code)


@pytest.mark.parametrize("pack", PACKS, ids=[pack.name for pack in PACKS])
def test_every_constraint_that_ships_stays_silent_for_a_user_who_has_nothing(pack: Pack, sandbox: Sandbox) -> None:
    project = try_pack_project(pack)
    assert proof_type_errors(project, pack.constraints, sandbox) == []
    memory = Memory(MemoryStore().log("ana"), packs=(), sandbox=sandbox, clock=Clock())
    for each in PACKS:
        memory.checkpoint(
            [*(Learn(knowledge=t) for t in each.knowledge), *(Define(type=t) for t in each.types)], reviewed=True
        )
    memory.checkpoint([Adopt(constraint=constraint) for constraint in pack.constraints], reviewed=True)
    assert (memory.alerts(), dict(memory.project().failures)) == ([], {})
    memory.close()


# --- a small pack -----------------------------------------------------------------------------------------------------


@pytest.fixture
def legal(tmp_path: Path) -> Pack:
    """The pack that the template gives."""
    write_template(tmp_path / "legal")
    return load_pack(tmp_path / "legal")


CONTRACT = {"name": "Hosting", "review_by": "2026-01-20"}


def test_the_template_passes_its_own_test(legal: Pack, sandbox: Sandbox) -> None:
    proofs = list(try_pack(legal, sandbox=sandbox))
    assert [(proof.case, proof.why) for proof in proofs] == [
        ("thirty days ahead", ""),
        ("thirty-one days ahead", ""),
        ("the contract has ended", ""),
    ]


@pytest.mark.parametrize("name", ["Legal", "class", "user", "my-pack", "health.x", "1st", "critical", "now"])
def test_the_template_needs_a_name_that_a_domain_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused):
        write_template(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_template_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "legal").mkdir()
    (tmp_path / "legal" / "mine.txt").write_text("mine")
    with pytest.raises(Refused, match=r"is not empty\. Choose a new folder\."):
        write_template(tmp_path / "legal")
    assert [path.name for path in (tmp_path / "legal").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("place", "change", "why"),
    [
        ("pack.toml", lambda _text: "", "pack.toml: name is missing. Add it as a text."),
        ("pack.toml", lambda _text: "name = [", "pack.toml: "),
        ("types.py", lambda text: text + "\nimport os\n", "legal/types.py:14: Only classes are allowed."),
        ("types.py", lambda text: text.replace('@many("name")', "@print"), "Class Contract has no cardinality. Put @many(key, …), @one or @event above it."),
        ("types.py", lambda text: text.replace("date | None", "object"), "legal/types.py"),
        ("types.py", lambda text: text.replace("signed: date | None", "signed: date = None"), "Not a field. Write `name: type`"),
        ("types.py", lambda _text: "class (", "types.py: "),
        ("knowledge/rules.json", lambda _text: "{}", "legal/knowledge/rules.json: "),
        ("knowledge/rules.json", lambda text: text.replace("what they do not cover", ""), "legal/knowledge/rules.json: a key is missing, unknown or empty. Give name, version, date, source, note as texts, and table."),
        ("constraints/legal_contract_review.py", lambda _text: "x = 1\n", "legal/constraints/legal_contract_review.py: legal_contract_review: The cases are missing."),
        ("constraints/legal_contract_review.py", lambda text: text.replace("user.legal.contracts", "user"), "legal/constraints/legal_contract_review.py: line 8: user is used as a value"),
    ],
)  # fmt: skip
def test_a_pack_that_is_wrong_is_refused_with_its_file(
    tmp_path: Path, place: str, change: Callable[[str], str], why: str
) -> None:
    write_template(tmp_path / "legal")
    path = tmp_path / "legal" / place
    path.write_text(change(path.read_text()))
    with pytest.raises(Refused) as refused:
        list(try_pack(load_pack(tmp_path / "legal")))
    assert why in str(refused.value)


def test_a_folder_without_a_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"is not a pack\. Add a pack\.toml with name, version, date and summary\."):
        load_pack(tmp_path)


def test_a_wrong_case_and_a_wrong_type_of_a_pack_are_told_by_its_test(tmp_path: Path, sandbox: Sandbox) -> None:
    write_template(tmp_path / "legal")
    path = tmp_path / "legal" / "constraints" / "legal_contract_review.py"
    text = path.read_text()
    path.write_text(text.replace('silent(\n        "thirty-one', 'fires(\n        "thirty-one'))
    proofs = [proof for proof in try_pack(load_pack(tmp_path / "legal"), sandbox=sandbox) if proof.why]
    assert [(proof.case, proof.why) for proof in proofs] == [("thirty-one days ahead", "should fire, but stays silent")]
    path.write_text(text.replace("contract.name", "contract.title"))
    proofs = [proof for proof in try_pack(load_pack(tmp_path / "legal"), sandbox=sandbox) if proof.why]
    assert proofs[0].case == "types"
    assert "has no attribute title" in proofs[0].why


# --- when it comes in -------------------------------------------------------------------------------------------------


def test_types_tables_and_constraints_of_a_pack_are_adopted_when_first_used(legal: Pack) -> None:
    memory = remembering(legal)
    assert memory.project() == EMPTY_PROJECT
    assert [(offer.name, offer.why_not) for offer in memory.offers()] == [("legal_contract_review", "")]
    memory.put("legal.Contract", CONTRACT)
    (brought,) = [
        stored.entry
        for stored in memory.log.read()
        if isinstance(stored.entry, Checkpoint) and stored.entry.by == "packs"
    ]
    assert brought.patches == (
        Learn(knowledge=legal.knowledge[0]),
        Define(type=legal.types[0]),
        Adopt(constraint=legal.constraints[0]),
    )
    assert (standing(memory), memory.offers()) == ([("legal_contract_review", "hosting")], [])
    head = memory.log.head().position
    memory.put("legal.Contract", {"name": "Lease", "review_by": "2030-01-01"})
    assert [stored.kind for stored in memory.log.read(head + 1)] == ["observation", "checkpoint"]


def test_records_that_are_refused_bring_nothing_along(legal: Pack) -> None:
    memory = remembering(legal)
    with pytest.raises(Refused):
        memory.put("legal.Contract", {"name": "Hosting", "review_by": "soon"})
    assert memory.log.head().position == 0


def own_type(**fields: Any) -> Type:
    return type_of("legal.Contract", key=["name"], **fields)


@pytest.mark.parametrize(
    ("own", "why"),
    [
        (
            own_type(name="str", review_by="date"),
            "legal.Contract does not have the field signed: date | None. Add it to use the constraint.",
        ),
        (
            own_type(name="str", signed="date | None", review_by="str", limits="list[str]"),
            "legal.Contract does not have the field review_by: date. Add it to use the constraint.",
        ),
        (
            type_of(
                "legal.Contract",
                cardinality="event",
                name="str",
                signed="date | None",
                review_by="date",
                limits="list[str]",
            ),
            "legal.Contract has a different key, cardinality or collection in the pack.",
        ),
    ],
)
def test_a_type_of_the_users_own_that_does_not_serve_leaves_the_constraint_on_offer_with_the_reason(
    legal: Pack, own: Type, why: str
) -> None:
    memory = remembering(legal)
    memory.checkpoint([Define(type=own)])
    memory.put("legal.Contract", {"name": "Hosting", "review_by": "2026-01-20"})
    assert dict(memory.project().constraints) == {}
    assert [(offer.name, offer.why_not) for offer in memory.offers()] == [("legal_contract_review", why)]


def test_a_type_that_the_user_extended_serves(legal: Pack) -> None:
    memory = remembering(legal)
    memory.checkpoint(
        [
            Define(
                type=own_type(name="str", signed="date | None", review_by="date", limits="list[str]", fee="int | None")
            )
        ]
    )
    memory.put("legal.Contract", {**CONTRACT, "fee": 3})
    assert standing(memory) == [("legal_contract_review", "hosting")]


def test_a_type_can_be_extended_after_it_came_from_a_pack(legal: Pack) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    memory.checkpoint([AddField(type="legal.Contract", field=Field(name="fee", type="int | None"))])
    memory.put("legal.Contract", {"name": "Lease", "review_by": "2026-01-21", "fee": 3})
    assert [subject for _name, subject in standing(memory)] == ["hosting", "lease"]
    assert memory.upgrade() == ()


def test_a_retired_constraint_does_not_come_back_by_itself(legal: Pack) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    memory.checkpoint([Retire(constraint="legal_contract_review", why="not for me")], reviewed=True)
    memory.put("legal.Contract", {"name": "Lease", "review_by": "2026-01-21"})
    assert (standing(memory), memory.upgrade()) == ([], ())
    assert [(offer.name, offer.why_not) for offer in memory.offers()] == [
        ("legal_contract_review", "It was retired. Retract that entry to bring it back.")
    ]
    memory.adopt(legal.constraints[0])
    assert [subject for _name, subject in standing(memory)] == ["hosting", "lease"]


def test_no_packs_means_that_their_types_are_not_there() -> None:
    memory = remembering()
    with pytest.raises(Refused, match=r"There is no type health\.Allergy"):
        memory.put("health.Allergy", {"substance": "nuts"})


def test_a_constraint_that_cannot_be_proved_here_stays_away_and_the_record_comes_in(tmp_path: Path) -> None:
    write_template(tmp_path / "legal")
    path = tmp_path / "legal" / "constraints" / "legal_contract_review.py"
    path.write_text(path.read_text().replace('silent(\n        "thirty-one', 'fires(\n        "thirty-one'))
    memory = remembering(load_pack(tmp_path / "legal"))
    assert memory.put("legal.Contract", CONTRACT) == "legal.Contract:hosting"
    assert dict(memory.project().constraints) == {}


# --- upgrades ---------------------------------------------------------------------------------------------------------


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
    assert standing(again) == [("drug_allergy", "amoxicillin|theo / penicillin|theo")]


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


# --- which packs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "names"),
    [("all", None), ("", None), ("none", []), ("health", ["health"]), (" travel , health ", ["health", "travel"])],
)
def test_a_setting_says_which_packs_are_on_offer(
    monkeypatch: pytest.MonkeyPatch, setting: str, names: list[str] | None
) -> None:
    monkeypatch.setenv("UAC_PACKS", setting)
    everything = [pack.name for pack in PACKS]
    assert [pack.name for pack in chosen_packs()] == (everything if names is None else names)
    monkeypatch.delenv("UAC_PACKS")
    assert [pack.name for pack in chosen_packs()] == everything


def test_a_pack_that_is_not_installed_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_PACKS", "health,astrology")
    with pytest.raises(
        Refused, match=r"UAC_PACKS names 'astrology', which is not installed\. Set it to all, none or some of:"
    ):
        chosen_packs()


# --- packs of others --------------------------------------------------------------------------------------------------


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder like site-packages in which nothing is installed yet."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    installed_packs.cache_clear()
    yield folder
    installed_packs.cache_clear()


def install(site: Path, package: str, point: str) -> Path:
    """A package with a pack, as an installer leaves it: running it would be noticed."""
    write_template(site / package)
    (site / package / "__init__.py").write_text("raise AssertionError('the pack was run')\n")
    about = site / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[uac.packs]\n{package} = {point}\n")
    return site / package


def test_a_pack_of_another_package_is_found_and_works_and_is_never_run(site: Path) -> None:
    folder = install(site, "legal", "legal")
    found = {pack.name: pack for pack in installed_packs()}
    assert found["legal"] == load_pack(folder)
    assert set(found) == {pack.name for pack in PACKS} | {"legal"}
    assert "legal" not in sys.modules
    memory = Memory(MemoryStore().log("ana"), sandbox=shared_sandbox(), clock=Clock())
    memory.put("legal.Contract", CONTRACT)
    assert standing(memory) == [("legal_contract_review", "hosting")]


@pytest.mark.parametrize("point", ["nowhere_to_be_found", "legal.inner", "legal:pack", "os"])
def test_an_entry_point_that_names_no_package_is_refused(site: Path, point: str) -> None:
    install(site, "legal", point)
    with pytest.raises(
        Refused, match=r"Entry point legal = .* of uac\.packs is not a package\. Name the pack's package\."
    ):
        installed_packs()


def test_two_packs_with_one_name_are_refused(site: Path) -> None:
    folder = install(site, "legal", "legal")
    (folder / "pack.toml").write_text((folder / "pack.toml").read_text().replace('"legal"', '"health"'))
    with pytest.raises(Refused, match="health exists twice in the installed packs"):
        installed_packs()


def test_a_pack_cannot_bring_the_type_or_table_of_another(site: Path) -> None:
    folder = install(site, "legal", "legal")
    rules = folder / "knowledge" / "rules.json"
    rules.write_text(rules.read_text().replace("legal.rules", TABLES[0].name))
    rule = folder / "constraints" / "legal_contract_review.py"
    rule.write_text(rule.read_text().replace("legal.rules", TABLES[0].name))
    with pytest.raises(Refused, match=r"Name it legal\.rules\."):
        _ = load_pack(folder).knowledge


def test_what_is_needed_depends_on_what_is_used_only(legal: Pack) -> None:
    assert needed_patches((*PACKS, legal), EMPTY_PROJECT, {"people.Nobody"}) == ()
    patches = needed_patches((*PACKS, legal), EMPTY_PROJECT, {"legal.Contract"})
    assert len(patches) == 3
    assert not isinstance(check_patches(EMPTY_PROJECT, patches), tuple)
    assert offered_constraints((legal,), EMPTY_PROJECT)[0].constraint == legal.constraints[0]


def test_a_chain_that_is_written_over_several_lines_is_seen_by_a_pack_too(tmp_path: Path) -> None:
    write_template(tmp_path / "legal")
    path = tmp_path / "legal" / "constraints" / "legal_contract_review.py"
    path.write_text(
        path.read_text().replace("in user.legal.contracts:", "in (\n        user.legal\n        .contracts\n    ):")
    )
    memory = remembering(load_pack(tmp_path / "legal"))
    memory.put("legal.Contract", CONTRACT)
    assert standing(memory) == [("legal_contract_review", "hosting")]


def test_a_broken_file_of_a_pack_does_not_keep_the_users_records_out(tmp_path: Path) -> None:
    write_template(tmp_path / "legal")
    (tmp_path / "legal" / "constraints" / "legal_other.py").write_text("user.legal.contracts is no constraint\n")
    memory = remembering(load_pack(tmp_path / "legal"))
    memory.put("legal.Contract", CONTRACT)
    assert standing(memory) == [("legal_contract_review", "hosting")]


def test_a_broken_file_of_a_pack_is_offered_with_its_reason(tmp_path: Path) -> None:
    write_template(tmp_path / "legal")
    (tmp_path / "legal" / "constraints" / "legal_other.py").write_text("nothing\n")
    offers = {offer.name: offer for offer in offered_constraints([load_pack(tmp_path / "legal")], EMPTY_PROJECT)}
    assert offers["legal_contract_review"].why_not == ""
    assert offers["legal_other"].constraint is None
    assert offers["legal_other"].why_not.startswith("legal/constraints/legal_other.py: ")


def test_a_broken_pack_of_another_package_is_skipped_with_a_warning(site: Path) -> None:
    folder = install(site, "legal", "legal")
    (folder / "pack.toml").write_text("name = 5\n")
    with pytest.warns(UserWarning, match=r"A pack is skipped: .*pack\.toml: name is missing"):
        assert {pack.name for pack in installed_packs()} == {pack.name for pack in PACKS}


@pytest.mark.parametrize(
    ("change", "is_from"),
    [
        (Change("type", "added", "legal.Contract"), True),
        (Change("type", "added", "notes.Note"), False),
        (Change("type", "removed", "legal.Contract"), False),
        (Change("constraint", "added", "legal_contract_review"), True),
        (Change("constraint", "added", "unknown"), False),
        (Change("record", "added", "legal.Contract:hosting"), False),
    ],
)
def test_an_added_type_or_constraint_is_known_to_come_from_a_pack(legal: Pack, change: Change, is_from: bool) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    assert is_from_packs(change, [legal], memory.project()) == is_from
