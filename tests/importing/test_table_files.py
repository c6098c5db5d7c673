"""A file of rows becomes a table of a pack's shape, or is refused with line, column and what was needed."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.packs import TABLES as PACK_TABLES
from uac.errors import Refused
from uac.importing import TableAbout, read_table_file, table_columns
from uac.packs import table_rows
from uac.packs.table_shapes import ORIGIN, is_plain_section, table_sections
from uac.schema.constraints import Knowledge
from uac.schema.types import Json

TABLES = {table.name: table for table in PACK_TABLES}
INTERACTIONS, DRUGS = TABLES["health.interactions"], TABLES["health.drugs"]
HEADER = "id,severity,a,b,effect,advice,regions,source,reviewed_on,reviewer,expires"
GOOD = "x1,critical,warfarin,ibuprofen|naproxen,it bleeds,Ask.,DE,a list,2026-11-01,Dr. Berg,2027-01-01"


def written(folder: Path, *lines: str, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_row_has_the_values_that_the_table_s_own_rows_have(tmp_path: Path) -> None:
    imported = read_table_file(written(tmp_path, HEADER, GOOD), INTERACTIONS)
    assert imported.table.table == [
        {
            "id": "x1",
            "severity": "critical",
            "a": ["warfarin"],
            "b": ["ibuprofen", "naproxen"],
            "effect": "it bleeds",
            "advice": "Ask.",
            "in": "DE",
            "src": "a list",
            "reviewed_on": "2026-11-01",
            "reviewer": "Dr. Berg",
            "expires": "2027-01-01",
        }
    ]
    table = imported.table
    assert (table.name, table.date, table.source, table.is_imported) == (
        "health.interactions",
        "2026-11-01",
        "a list",
        True,
    )
    assert table.note == "no medical advice; imported, 1 row"
    assert (imported.rows, imported.kept) == (1, ())


def test_the_same_rows_give_the_same_table_and_other_rows_another_version(tmp_path: Path) -> None:
    first = read_table_file(written(tmp_path, HEADER, GOOD), INTERACTIONS).table
    again = read_table_file(written(tmp_path, HEADER, GOOD, "", name="again.csv"), INTERACTIONS).table
    other = read_table_file(written(tmp_path, HEADER, GOOD.replace("DE", "AT"), name="o.csv"), INTERACTIONS).table
    assert first == again
    assert first.version.startswith("sha-")
    assert first.version != other.version
    about = TableAbout(version="9", source="us", note="no legal advice")
    named = read_table_file(written(tmp_path, HEADER, GOOD), INTERACTIONS, about=about).table
    assert (named.version, named.source, named.note) == ("9", "us", "no legal advice")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            GOOD.replace("critical", "fatal"),
            'column severity: "fatal" does not fit. Give one of critical, warning, info',
        ),
        (GOOD.replace("x1", ""), "column id: it is empty. Give a text."),
        (GOOD.replace(",DE,", ",,"), "column regions: it is empty."),
        (GOOD.replace("a list", " "), "column source: it is empty."),
        (GOOD.replace("Dr. Berg", ""), "column reviewer: it is empty."),
        (GOOD.replace("2026-11-01", "1.11.2026"), 'column reviewed_on: "1.11.2026" is not a day, YYYY-MM-DD.'),
        (GOOD.replace("2026-11-01", "2026-02-30"), 'column reviewed_on: "2026-02-30" is not a day'),
        (GOOD.replace("2027-01-01", "2026-10-01"), "column expires: 2026-10-01 is before reviewed_on."),
        (GOOD.replace("it bleeds", "it\u202e bleeds"), "column effect: "),
        (GOOD.replace("it bleeds", "x" * 2001), "column effect: "),
        (GOOD + ",more", "has 12 cells. Give it 11, like the header."),
    ],
)
def test_a_bad_row_is_refused_with_its_line_its_column_and_what_was_needed(
    tmp_path: Path, line: str, reason: str
) -> None:
    path = written(tmp_path, HEADER, GOOD.replace("x1", "x0"), line)
    with pytest.raises(Refused) as refused:
        read_table_file(path, INTERACTIONS)
    assert str(refused.value).startswith("rows.csv: line 3")
    assert reason in str(refused.value)
    assert str(refused.value).endswith("Nothing was imported.")


def test_all_bad_rows_are_reported_at_once(tmp_path: Path) -> None:
    lines = [GOOD.replace("x1", f"x{number}").replace("critical", "grave") for number in range(25)]
    with pytest.raises(Refused) as refused:
        read_table_file(written(tmp_path, HEADER, *lines), INTERACTIONS)
    first, *rest = str(refused.value).splitlines()
    assert first == "rows.csv: 25 problems, and nothing was imported. Correct them:"
    assert [line[:9] for line in rest[:2]] == ["  line 2,", "  line 3,"]
    assert (len(rest), rest[-1]) == (21, "  and 5 more")


def test_an_id_stands_once_and_so_does_a_name(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"line 3, column id: 'x1' is already in line 2\."):
        read_table_file(written(tmp_path, HEADER, GOOD, GOOD), INTERACTIONS)
    row = '{"section":"names","id":"%s","name":"%s","value":["z"],"regions":"US","source":"s","reviewed_on":"2026-01-01","reviewer":"r"}'
    path = written(tmp_path, row % ("1", "Zorva-Line"), row % ("2", "zorva LINE"), name="rows.jsonl")
    with pytest.raises(Refused, match=r"line 2, column name: 'zorva line' is already in line 1\."):
        read_table_file(path, DRUGS, keep=("classes", "class_names", "titles", "misspelt", "german", "romance"))


def test_sections_that_the_file_lacks_are_refused_unless_they_are_kept(tmp_path: Path) -> None:
    row = '{"section":"names","id":"1","name":"Zed","value":["z"],"regions":"US","source":"s","reviewed_on":"2026-01-01","reviewer":"r"}'
    path = written(tmp_path, row, name="rows.jsonl")
    with pytest.raises(Refused, match=r"there is no row of section classes\. Add its rows, or keep those of the pack"):
        read_table_file(path, DRUGS, keep=("titles", "class_names", "misspelt", "german", "romance"))
    imported = read_table_file(path, DRUGS, keep=("classes", "titles", "class_names", "misspelt", "german", "romance"))
    assert imported.kept == ("classes", "class_names", "titles", "misspelt", "german", "romance")
    assert imported.table.table == {**DRUGS.table, "names": {"zed": ["z"]}}
    with pytest.raises(Refused, match=r"section names has rows in the file\."):
        read_table_file(
            path, DRUGS, keep=("names", "classes", "titles", "class_names", "misspelt", "german", "romance")
        )
    with pytest.raises(Refused, match=r"health\.drugs has no section 'doses'\. Its sections are: names, classes"):
        read_table_file(path, DRUGS, keep=("doses",))


@pytest.mark.parametrize(
    ("name", "lines", "reason"),
    [
        ("rows.xlsx", ("x",), r"rows\.xlsx has an unknown extension\. Use a \.csv or a \.jsonl file\."),
        ("rows.csv", (HEADER,), r"there is no row\. Add at least one\."),
        ("rows.csv", (HEADER.replace("advice", "hint"), GOOD), r"column hint: the table has no such column\. Use id,"),
        ("rows.jsonl", ("[]",), r"line 1 is a list\. Use an object\."),
        ("rows.jsonl", ('{"section": "x"}',), r'column section: "x" is not a section\. Use one of: names, classes'),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, name: str, lines: tuple[str, ...], reason: str) -> None:
    replaced = DRUGS if "section" in lines[0] else INTERACTIONS
    with pytest.raises(Refused, match=reason):
        read_table_file(written(tmp_path, *lines, name=name), replaced)


def test_columns_with_other_names_are_renamed(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER.replace("id,severity", "NR,Grad"), GOOD)
    assert read_table_file(path, INTERACTIONS, columns={"NR": "id", "Grad": "severity"}).rows == 1
    with pytest.raises(Refused, match="two columns have the same name once renamed"):
        read_table_file(path, INTERACTIONS, columns={"NR": "id", "Grad": "id"})


def test_the_columns_of_a_table_are_listed_with_what_they_hold() -> None:
    listed = {column: (holds, needed) for _section, column, holds, needed in table_columns(INTERACTIONS)}
    assert listed["severity"] == ("one of critical, warning, info", True)
    assert listed["a_days"] == ("a number", False)
    assert listed["reviewed_on"] == ("a day, YYYY-MM-DD", True)
    assert [*listed][-5:] == [*ORIGIN]
    assert {section for section, *_rest in table_columns(DRUGS)} >= {"names", "classes"}


def rows_of(table: Knowledge) -> list[dict[str, Json]]:
    """The rows of a table as a file has them, with made-up sources."""
    about = {"regions": "US", "source": "s", "reviewed_on": "2026-01-01", "reviewer": "r"}
    stored = {value: name for name, value in ORIGIN.items()}
    rows: list[dict[str, Json]] = []
    for section in table_sections(table):
        part = table.table[section.name] if section.name else table.table
        entries = [*part.items()] if isinstance(part, dict) else [("", each) for each in part]
        for name, value in entries:
            row = {"section": section.name, "id": f"{section.name}-{len(rows)}", **about}
            if is_plain_section(section):
                row |= {"name": value} if section.kind == "names" else {"name": name, "value": value}
            else:
                row |= {
                    section.name_column: name,
                    **{stored.get(key, key): each for key, each in value.items()},
                    **about,
                }
                row |= {"id": f"{section.name}-{len(rows)}"}
            rows.append({key: each for key, each in row.items() if each != "" or key not in ("name", "section")})
    return rows


def without_origin(part: Json) -> Json:
    """The table without ids, sources and reviews."""
    if isinstance(part, dict):
        left = {"id", *ORIGIN.values()}
        return {name: without_origin(value) for name, value in part.items() if name not in left}
    return [without_origin(each) for each in part] if isinstance(part, list) else part


@pytest.mark.parametrize("name", sorted(TABLES))
def test_the_rows_of_a_pack_s_own_table_can_be_exported_and_imported(name: str, tmp_path: Path) -> None:
    table = TABLES[name]
    lines = [msgspec.json.encode(row).decode() for row in rows_of(table)]
    imported = read_table_file(written(tmp_path, *lines, name="rows.jsonl"), table).table
    assert without_origin(imported.table) == without_origin(table.table)
    assert len(dict(table_rows(imported))) == len(lines)


CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["critical", "2026-01-01", "a|b"]
)


@settings(max_examples=150, deadline=None)
@given(cells=st.lists(CELLS, min_size=11, max_size=11))
def test_any_cells_give_a_table_or_a_refusal(cells: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    row = dict(zip(HEADER.split(","), cells, strict=True))
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(msgspec.json.encode(row) + b"\n")
    try:
        imported = read_table_file(path, INTERACTIONS)
    except Refused:
        return
    ((id_, stored),) = table_rows(imported.table)
    assert (id_, stored["severity"]) == (row["id"].strip(), row["severity"].strip())
