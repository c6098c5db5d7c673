"""The packs that ship: every constraint proves itself, and every part says what it is."""

from dataclasses import replace

import pytest

from support.constraints import Clock
from support.packs import PACKS, TABLES
from support.paths import ROOT
from uac.constraints.proof import proof_type_errors
from uac.constraints.try_pack import try_pack, try_pack_project
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs.files import Pack
from uac.sandbox.port import Sandbox
from uac.schema.constraint_code import Reading, read_constraint
from uac.schema.constraints import Constraint, Knowledge
from uac.schema.patches import Adopt, Define, Learn

SHIPPED = [(pack, constraint) for pack in PACKS for constraint in pack.constraints]
DOCS = ROOT / "docs"


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
