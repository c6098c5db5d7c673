"""The rows of the tables that ship were held against a source, and a changed row loses its check."""

import json
from datetime import date
from pathlib import Path

import msgspec
import pytest

from support.cli import uac
from support.constraints import Clock
from uac.errors import Refused, Rejected
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import (
    UNCONFIRMED,
    VERDICTS,
    Pack,
    RowCheck,
    checked_rows,
    chosen_packs,
    installed_packs,
    load_pack,
    row_digest,
    table_rows,
)
from uac.packs.pack_diff import pack_changes, pack_of_project, version_of_pack
from uac.packs.row_checks import with_unconfirmed_rows
from uac.project.table_reviews import row_reference, unconfirmed_rows
from uac.sandbox import shared_sandbox
from uac.schema.constraints import Knowledge
from uac.schema.patches import Learn
from uac.schema.types import Json

TABLES = [(pack, table) for pack in installed_packs() for table in pack.knowledge]

ROW: dict[str, Json] = {"id": "a-1", "severity": "critical", "src": "label of A, 4", "reviewed_on": "2026-01-01"}
HEADER = "row\tdigest\tverdict\tsource\tread_on\tnote\n"


def checked_pack(folder: Path, lines: str) -> Pack:
    (folder / "checks").mkdir()
    (folder / "checks" / "rules.tsv").write_text(HEADER + lines, encoding="utf-8")
    (folder / "pack.toml").write_text('name = "acme"\nversion = "1"\ndate = "2026-01-01"\nsummary = "rules"\n')
    return load_pack(folder)


ABOUT = {"name": "acme.rules", "version": "1", "date": "2026-01-01", "source": "acme", "note": "short"}


def table_of(rows: Json, origins: Json = None) -> Knowledge:
    return Knowledge.of(rows, origins, **ABOUT)


@pytest.mark.parametrize(("pack", "table"), TABLES, ids=lambda each: str(each.name))
def test_every_row_has_a_check_that_belongs_to_its_content(pack: Pack, table: Knowledge) -> None:
    unchecked = checked_rows(pack.folder, table).unchecked
    assert not unchecked, "\n".join(["rows without a check, and their digests:", *map(str, unchecked.items())])


@pytest.mark.parametrize(("pack", "table"), TABLES, ids=lambda each: str(each.name))
def test_a_check_names_what_was_read_and_when(pack: Pack, table: Knowledge) -> None:
    for check in checked_rows(pack.folder, table).by_row.values():
        assert check.source or check.verdict in ("unfound", "ours"), check
        assert check.note or check.verdict != "partly", check
        assert date.fromisoformat(check.read_on) <= date.fromisoformat(pack.date), check


@pytest.mark.parametrize(("pack", "table"), TABLES, ids=lambda each: str(each.name))
def test_a_source_was_found_for_every_row_that_ships(pack: Pack, table: Knowledge) -> None:
    checks = checked_rows(pack.folder, table).by_row.values()
    assert [check.row for check in checks if check.verdict == "unfound"] == [], "read a source, or remove the row"
    assert [id_ for id_, row in table_rows(table) if "from memory" in str(row.get("src"))] == []


@pytest.mark.parametrize(("pack", "table"), TABLES, ids=lambda each: str(each.name))
def test_no_line_of_the_checks_is_about_a_row_that_is_gone(pack: Pack, table: Knowledge) -> None:
    path = pack.folder / "checks" / f"{table.name.partition('.')[2]}.tsv"
    rows = [line.partition("\t")[0] for line in path.read_text().splitlines()[1:]] if path.is_file() else []
    assert rows == [*dict.fromkeys(rows)]
    checks = checked_rows(pack.folder, table).by_row
    assert [row for row in rows if row not in checks] == []


def test_a_changed_row_loses_its_check_and_a_new_review_keeps_it(tmp_path: Path) -> None:
    pack = checked_pack(tmp_path, f"a-1\t{row_digest(ROW)}\tconfirmed\tlabel of A\t2026-02-01\t\n")
    check = RowCheck("a-1", row_digest(ROW), "confirmed", "label of A", "2026-02-01", "")
    assert checked_rows(pack.folder, table_of([ROW])).of_row("a-1") == check
    assert (
        checked_rows(pack.folder, table_of([ROW | {"reviewed_on": "2027-01-01", "reviewer": "Ada"}])).of_row("a-1")
        == check
    )
    for changed in ({"severity": "warning"}, {"src": "label of B, 4"}, {"drugs": ["b"]}):
        checked = checked_rows(pack.folder, table_of([ROW | changed]))
        assert checked.of_row("a-1") is None
        assert checked.unchecked == {"a-1": row_digest(ROW | changed)}


def test_one_line_checks_a_section_of_names_until_the_section_changes(tmp_path: Path) -> None:
    names: dict[str, Json] = {"aspirin": "acetylsalicylic acid", "advil": "ibuprofen"}
    origins: Json = [{"section": "names", "name": "*", "in": "US", "src": "labels"}]
    pack = checked_pack(tmp_path, f"names:*\t{row_digest(names)}\tpartly\tRxNorm\t2026-02-01\t1 of 2\n")
    checked = checked_rows(pack.folder, table_of({"names": names}, origins))
    assert checked.of_row("names:advil") == RowCheck(
        "names:*", row_digest(names), "partly", "RxNorm", "2026-02-01", "1 of 2"
    )
    assert [checked.count(verdict) for verdict in VERDICTS] == [0, 1, 0, 0]
    changed = checked_rows(pack.folder, table_of({"names": names | {"nurofen": "ibuprofen"}}, origins))
    assert sorted(changed.unchecked) == ["names:advil", "names:aspirin", "names:nurofen"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "a-1\t0\tsure\tlabel\t2026-02-01\t\n",
            "line 2: 'sure' is not a verdict. Use one of confirmed, partly, unfound, ours.",
        ),
        ("a-1\t0\tconfirmed\n", "line 2 has 3 columns. Write 6, with tabs between."),
    ],
)
def test_a_file_with_a_bad_line_is_refused(tmp_path: Path, line: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        checked_rows(checked_pack(tmp_path, line).folder, table_of([ROW]))
    assert str(refused.value).endswith(why)


def test_a_source_that_many_lines_name_has_a_key_and_a_key_without_a_source_is_refused(tmp_path: Path) -> None:
    pack = checked_pack(tmp_path, f"a-1\t{row_digest(ROW)}\tconfirmed\t@atc; label of A\t2026-02-01\t\n")
    sources = tmp_path / "checks" / "sources.tsv"
    with pytest.raises(Refused, match=r"line 2: no source has the key @atc\. Add it to sources\.tsv\."):
        checked_rows(pack.folder, table_of([ROW]))
    sources.write_text("key\tsource\n@atc\tWHO, index of 2026\n", encoding="utf-8")
    check = checked_rows(pack.folder, table_of([ROW])).of_row("a-1")
    assert check is not None
    assert check.source == "WHO, index of 2026; label of A"
    sources.write_text("key\tsource\n@atc\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"sources\.tsv: line 2 has 1 columns\. Write 2, with tabs between\."):
        checked_rows(pack.folder, table_of([ROW]))


@pytest.mark.parametrize(
    ("row", "verdict", "source"),
    [
        ("names:thomapyrin", "confirmed", "Fachinformation Thomapyrin"),
        ("names:anadin extra", "confirmed", "SmPC Anadin Extra"),
        ("names:delix", "confirmed", "Festbetragsarzneimittel"),
        ("names:lanitop", "partly", "BNF codes"),
        ("names:jatrosom", "confirmed", "MeSH"),
        ("names:asprin", "ours", ""),
        ("classes:dofetilide", "confirmed", "CredibleMeds"),
        ("classes:cilostazol", "partly", ""),
    ],
)
def test_each_name_and_each_ingredient_of_a_medicine_has_a_check_of_its_own(
    row: str, verdict: str, source: str
) -> None:
    pack, table = next((pack, table) for pack, table in TABLES if table.name == "health.drugs")
    check = checked_rows(pack.folder, table).of_row(row)
    assert check is not None
    assert (check.row, check.verdict, source in check.source) == (row, verdict, True)


def test_every_key_of_a_source_is_used() -> None:
    for folder in {pack.folder / "checks" for pack, _ in TABLES}:
        lines = (folder / "sources.tsv").read_text("utf-8").splitlines() if (folder / "sources.tsv").exists() else []
        texts = [path.read_text("utf-8") for path in folder.glob("*.tsv") if path.name != "sources.tsv"]
        keys = [line.partition("\t")[0] for line in lines[1:]]
        assert keys == [*dict.fromkeys(keys)]
        assert [key for key in keys if not any(key in text for text in texts)] == []


def test_pack_show_shows_the_check_of_a_row_and_counts_those_of_a_table() -> None:
    (shown,) = uac("pack", "show", "health", "--row", "nitrates-pde5-inhibitors", "--json").output.splitlines()
    check = json.loads(shown)["check"]
    assert (check["row"], check["verdict"]) == ("nitrates-pde5-inhibitors", "confirmed")
    assert (
        f"  check: confirmed, read on {check['read_on']}: {check['source']}"
        in uac("pack", "show", "health", "--row", "nitrates-pde5-inhibitors").output
    )
    tables = json.loads(uac("pack", "show", "health", "--json").output)["knowledge"]
    counts = {table["name"]: table["checks"] for table in tables}
    assert counts["health.interactions"]["unchecked"] == 0
    assert counts["health.interactions"]["confirmed"] > counts["health.interactions"]["unfound"]


def test_doctor_says_how_many_rows_a_source_confirms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_STORE", str(tmp_path / "memory.db"))
    uac("add", "ana", "hello")
    found = [json.loads(line)["what"] for line in uac("doctor", "--quick", "--json").output.splitlines()]
    (health,) = [what for what in found if what.startswith("rows of health against their sources: ")]
    assert [each.split()[-1] for each in health.partition(": ")[2].split(", ")] == [*VERDICTS, "unchecked"]


def test_a_page_that_no_editor_answers_for_confirms_nothing_alone() -> None:
    weak = ("droracle.ai", "blogspot", "wordpress")
    assert [
        f"{table.name} {check.row}: {check.source}"
        for pack, table in TABLES
        for check in checked_rows(pack.folder, table).by_row.values()
        if check.verdict == "confirmed" and all(any(each in part for each in weak) for part in check.source.split(";"))
    ] == []


@pytest.mark.parametrize(("pack", "table"), TABLES, ids=lambda each: str(each.name))
def test_a_table_knows_the_verdicts_of_the_rows_that_no_source_confirms(pack: Pack, table: Knowledge) -> None:
    checked = checked_rows(pack.folder, table)
    for id_, _ in table_rows(table):
        check = checked.of_row(id_)
        assert check is not None
        assert table.unconfirmed(id_) == (check.verdict if check.verdict in UNCONFIRMED else ""), id_


def test_a_row_that_lost_its_check_is_not_confirmed_and_a_pack_without_checks_says_nothing(tmp_path: Path) -> None:
    changed = table_of([ROW | {"severity": "warning"}])
    assert with_unconfirmed_rows(changed, tmp_path).unconfirmed("a-1") == ""
    pack = checked_pack(tmp_path, f"a-1\t{row_digest(ROW)}\tconfirmed\tlabel of A\t2026-02-01\t\n")
    assert with_unconfirmed_rows(table_of([ROW]), pack.folder).unconfirmed("a-1") == ""
    assert with_unconfirmed_rows(changed, pack.folder).unconfirmed("a-1") == "unfound"


def test_verdicts_count_for_what_a_person_signs_and_must_be_readable() -> None:
    table = table_of([ROW])
    marked = table.with_unconfirmed({"a-1": "partly", "names:*": "unfound"})
    assert [marked.unconfirmed(row) for row in ("a-1", "a-2", "names:advil")] == ["partly", "", "unfound"]
    assert (marked.digest != table.digest, marked.with_unconfirmed({}).digest) == (True, table.digest)
    broken = msgspec.structs.replace(table, packed_unconfirmed=Knowledge.of([1], **ABOUT).packed)
    with pytest.raises(Rejected, match="checks of a table cannot be read"):
        memory_of().checkpoint([Learn(knowledge=broken)], reviewed=True)


@pytest.mark.parametrize(
    ("regions", "verdict", "reference", "unconfirmed"),
    [
        ("US UK", "", " #a-1 (US UK)", ()),
        ("", "", " #a-1", ()),
        ("US UK", "partly", " #a-1 (US UK; partly confirmed)", ("acme.rules #a-1: partly confirmed",)),
        ("", "unfound", " #a-1 (not confirmed)", ("acme.rules #a-1: not confirmed",)),
    ],
)
def test_an_alert_names_a_row_with_its_regions_and_whether_a_source_confirms_it(
    regions: str, verdict: str, reference: str, unconfirmed: tuple[str, ...]
) -> None:
    assert row_reference("a-1", regions, verdict) == reference
    assert unconfirmed_rows(["acme.rules 1 #b (DE)" + reference, "acme.names 1"]) == unconfirmed


def memory_of(*names: str) -> Memory:
    clock = Clock()
    memory = Memory(
        MemoryStore(clock=clock).log("ana"), packs=chosen_packs("all"), sandbox=shared_sandbox(), clock=clock
    )
    for name in names:
        memory.put("health.Medication", {"name": name})
    return memory


def alert_tables(memory: Memory) -> list[str]:
    (alert,) = [alert for alert in memory.alerts() if alert.constraint == "drug_interaction"]
    return [table for table in alert.tables if table.startswith("health.interactions")]


def test_an_alert_says_that_its_row_is_not_confirmed_until_an_upgrade_brings_a_table_that_is() -> None:
    memory = memory_of("warfarin", "ibuprofen")
    (named,) = alert_tables(memory)
    row = named.partition(" #")[2].partition(" ")[0]
    table = next(table for _, table in TABLES if table.name == "health.interactions")
    assert (table.unconfirmed(row), named.count("confirmed")) == ("", 0)

    memory.checkpoint([Learn(knowledge=table.with_unconfirmed({row: "unfound"}))], reviewed=True)
    (marked,) = alert_tables(memory)
    assert marked == named.removesuffix(")") + "; not confirmed)"
    pack = next(pack for pack, each in TABLES if each is table)
    changes = pack_changes(pack_of_project(memory.project(), "health", "ana"), version_of_pack(pack))
    assert {change.row: change.details["unconfirmed"] for change in changes if row == change.row} == {
        row: ("unfound", None)
    }
    memory.upgrade()
    assert alert_tables(memory) == [named]
