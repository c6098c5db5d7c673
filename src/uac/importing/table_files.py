"""A table of one's own, from a CSV or JSONL file, in the place of a pack's table.

Every line is one row: an id, where it holds and who says so, and the columns of the table that it replaces. A file is
taken whole or not at all.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from uac.errors import Refused
from uac.importing.csv_files import CsvRows
from uac.importing.files import BadLine, RecordFile, Skipped, SourceLine
from uac.importing.json_files import JsonObjects
from uac.packs.table_shapes import (
    ORIGIN,
    ColumnShape,
    Section,
    ValueKind,
    is_plain_section,
    name_in_form,
    table_sections,
)
from uac.schema.constraints import MAX_TABLE, Knowledge
from uac.schema.safe_text import counted, shorten, visible
from uac.schema.types import Json

__all__ = ["ImportedTable", "TableAbout", "read_table_file", "table_columns"]

MOST_PROBLEMS = 20
DAYS = ("reviewed_on", "expires")
DAY = "a day, YYYY-MM-DD"
LONGEST_CELL = 2_000
EXAMPLES: Mapping[ValueKind, str] = {
    "text": "a text",
    "number": "a number",
    "yes or no": "yes or no",
    "list": "one or more texts, separated by | in CSV",
    "lists": "a JSON list of lists",
    "object": "a JSON object",
}


class TableAbout(NamedTuple):
    """What a person says about the whole table; what is empty is derived from its rows."""

    version: str = ""
    source: str = ""
    note: str = ""


NOTHING_SAID = TableAbout()


@dataclass(frozen=True, slots=True)
class ImportedTable:
    """The table of a file, the number of its rows, and the sections that were kept from the pack's table."""

    table: Knowledge
    rows: int
    kept: tuple[str, ...] = ()


def table_columns(table: Knowledge) -> list[tuple[str, str, str, bool]]:
    """The columns of a file that replaces the table: section, column, what it holds, and whether it is required."""
    found: list[tuple[str, str, str, bool]] = []
    for section in table_sections(table):
        found += [
            (section.name, name, DAY if name in DAYS else _needed_value(column), column.is_required)
            for name, column in _section_columns(section).items()
        ]
    return found


def read_table_file(
    path: Path,
    replaced: Knowledge,
    *,
    about: TableAbout = NOTHING_SAID,
    keep: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> ImportedTable:
    """The table in the file, or Refused with line, column and what was needed.

    `keep` names sections that stay as the pack has them; `columns` has our name for each column named otherwise.
    """
    reading = _TableReading({section.name: section for section in table_sections(replaced)}, columns or {})
    for wanted in keep:
        if not wanted or wanted not in reading.sections:
            names = ", ".join(reading.sections) if "" not in reading.sections else "none"
            raise Refused(f"{replaced.name} has no section {wanted!r}. Its sections are: {names}.")
    for item in _table_file(path).read(lambda _size: None):
        match item:
            case SourceLine():
                reading.read_line(item)
            case BadLine():
                reading.problems.append(f"line {item.number} {item.why}")
            case Skipped():
                pass
    _refuse_problems(path, reading.problems)
    for name in reading.sections:
        if name not in reading.found and name not in keep:
            reading.problems.append(
                f"there is no row of section {name}. Add its rows, or keep those of the pack."
                if name
                else "there is no row. Add at least one."
            )
        elif name in reading.found and name in keep:
            reading.problems.append(f"section {name} has rows in the file. Remove them, or do not keep the pack's.")
    _refuse_problems(path, reading.problems)
    return _table_of_reading(path, reading, replaced, about, keep)


@dataclass(slots=True)
class _TableReading:
    """The rows that were read so far, by section, and what is wrong with the file."""

    sections: Mapping[str, Section]
    renamed: Mapping[str, str]
    found: dict[str, list[tuple[str, dict[str, Json]]]] = field(default_factory=dict)
    """For each section its rows: the name of the row, and its cells."""
    problems: list[str] = field(default_factory=list)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    """The line of each id, and of each name in a section."""

    def read_line(self, line: SourceLine) -> None:
        try:
            self._take_line(line)
        except Refused as error:
            self.problems.append(f"line {line.number}, {error}")

    def _take_line(self, line: SourceLine) -> None:
        cells = {self.renamed.get(name, name): value for name, value in line.cells.items()}
        if len(cells) < len(line.cells):
            raise Refused("column names: two columns have the same name once renamed. Rename only one of them.")
        section = self._section_of_line(cells)
        shapes = _section_columns(section)
        cells = _joined_objects(cells, shapes)
        unknown = [name for name, value in cells.items() if name not in shapes and not _is_empty(value)]
        if unknown:
            raise Refused(f"column {unknown[0]}: the table has no such column. Use {', '.join(shapes)}.")
        row: dict[str, Json] = {}
        for name, shape in shapes.items():
            if name != "section" and (value := _cell_value(name, cells.get(name), shape)) is not None:
                row[name] = value
        _check_dates(row)
        name = name_in_form(str(row.pop(section.name_column, "")), section.names)
        self._note_line(("id", str(row["id"])), line.number)
        if name:
            self._note_line((f"{section.name_column} {section.name}", name), line.number)
        self.found.setdefault(section.name, []).append((name, row))

    def _section_of_line(self, cells: Mapping[str, Json]) -> Section:
        if "" in self.sections:
            return self.sections[""]
        name = cells.get("section")
        if not isinstance(name, str) or name not in self.sections:
            raise Refused(
                f"column section: {_shown_cell(name)} is not a section. Use one of: {', '.join(self.sections)}."
            )
        return self.sections[name]

    def _note_line(self, key: tuple[str, str], number: int) -> None:
        first = self.lines.setdefault(key, number)
        if first != number:
            raise Refused(f"column {key[0].partition(' ')[0]}: {key[1]!r} is already in line {first}. Use each once.")


def _section_columns(section: Section) -> dict[str, ColumnShape]:
    """All columns of a line of this section, in the order of the documentation."""
    text = ColumnShape(frozenset({"text"}))
    columns = {"section": text} if section.name else {}
    columns["id"] = text
    columns |= {section.name_column: text} if section.name_column else {}
    columns |= section.columns
    optional = ColumnShape(frozenset({"text"}), is_required=False)
    return columns | {name: optional if name == "expires" else text for name in ORIGIN}


def _joined_objects(cells: Mapping[str, Json], shapes: Mapping[str, ColumnShape]) -> dict[str, Json]:
    """The cells, with inner objects, which the reader of JSON takes apart, whole again."""
    joined: dict[str, Json] = {}
    for name, value in cells.items():
        parent, _dot, member = name.partition(".")
        if member and "object" in shapes.get(parent, ColumnShape(frozenset())).kinds:
            joined.setdefault(parent, {})[member] = value
        else:
            joined[name] = value
    return joined


def _is_empty(value: Json) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def _cell_value(name: str, value: Json, shape: ColumnShape) -> Json:
    """The value of a cell as the table has it; None if it is empty and need not be there."""
    if _is_empty(value) and not (value == [] and "list" in shape.kinds):
        if shape.may_be_empty and "object" in shape.kinds:
            return {}  # the reader of JSON takes objects apart, so that an empty one leaves no cell
        if shape.may_be_empty and value is not None:
            return [] if "list" in shape.kinds else ""
        if shape.is_required:
            raise Refused(f"column {name}: it is empty. Give {_needed_value(shape)}.")
        return None
    parsed = _parsed_cell(value, shape)
    if parsed is None or not _is_safe(parsed):
        hidden = "has a hidden character, a line break or is too long" if parsed is not None else "does not fit"
        raise Refused(f"column {name}: {_shown_cell(value)} {hidden}. Give {_needed_value(shape)}.")
    if shape.has_numbers and isinstance(parsed, list):
        parsed = [_read_number(each) for each in parsed]
        if None in parsed:
            raise Refused(f"column {name}: {_shown_cell(value)} does not fit. Give one or more numbers.")
    if shape.is_lower and isinstance(parsed, list):
        parsed = [each.lower() if isinstance(each, str) else each for each in parsed]
    return parsed


def _parsed_cell(value: Json, shape: ColumnShape) -> Json:
    """The value in one of the kinds of the column, or None."""
    for kind in ("yes or no", "number", "object", "lists", "list", "text"):
        if kind in shape.kinds and (parsed := _READERS[kind](value)) is not None:
            return parsed if not shape.choices or parsed in shape.choices else None
    return None


def _read_yes_or_no(value: Json) -> Json:
    if isinstance(value, str):
        return {"yes": True, "true": True, "no": False, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _read_number(value: Json) -> Json:
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"-?\d{1,15}", text, re.ASCII):
            return int(text)
        return float(text) if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text, re.ASCII) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _read_object(value: Json) -> Json:
    value = _read_json(value)
    return value if isinstance(value, dict) else None


def _read_lists(value: Json) -> Json:
    value = _read_json(value)
    return value if isinstance(value, list) and all(map(_is_plain_list, value)) else None


def _read_json(value: Json) -> Json:
    """The value of a cell that holds JSON as text, or as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _read_list(value: Json) -> Json:
    if isinstance(value, str):
        return [part.strip() for part in value.split("|") if part.strip()]
    return value if _is_plain_list(value) else None


def _is_plain_list(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(each, str | int | float) for each in value)


def _read_text(value: Json) -> Json:
    return value.strip() if isinstance(value, str) else None


_READERS: Mapping[ValueKind, Callable[[Json], Json]] = {
    "text": _read_text,
    "number": _read_number,
    "yes or no": _read_yes_or_no,
    "list": _read_list,
    "lists": _read_lists,
    "object": _read_object,
}


def _is_safe(value: Json) -> bool:
    """Whether every text in the value is short, on one line and fully visible: it becomes part of messages."""
    match value:
        case str():
            return len(value) <= LONGEST_CELL and visible(value) == value
        case list():
            return all(map(_is_safe, value))
        case dict():
            return all(_is_safe(name) and _is_safe(each) for name, each in value.items())
        case _:
            return True


def _check_dates(row: Mapping[str, Json]) -> None:
    days: dict[str, date] = {}
    for name in DAYS:
        text = str(row.get(name, ""))
        try:
            if text:
                days[name] = date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else date.min
        except ValueError:
            days[name] = date.min
        if days.get(name) == date.min:
            raise Refused(f"column {name}: {_shown_cell(text)} is not {DAY}. Correct it.")
    if "expires" in days and days["expires"] < days["reviewed_on"]:
        raise Refused(f"column expires: {row['expires']} is before reviewed_on. Give a later day.")


def _needed_value(shape: ColumnShape) -> str:
    if shape.choices:
        return f"one of {', '.join(shape.choices)}"
    return " or ".join(EXAMPLES[kind] for kind in EXAMPLES if kind in shape.kinds)


def _shown_cell(value: Json) -> str:
    return shorten(visible(json.dumps(value, ensure_ascii=False)), 60)


def _table_file(path: Path) -> RecordFile:
    match path.suffix.lower():
        case ".csv" | ".tsv":
            return CsvRows(path)
        case ".jsonl" | ".ndjson":
            return JsonObjects(path, is_lines=True, noun="line")
        case _:
            raise Refused(f"{path.name} has an unknown extension. Use a .csv or a .jsonl file.")


def _refuse_problems(path: Path, problems: Sequence[str]) -> None:
    if len(problems) == 1:
        raise Refused(f"{path.name}: {problems[0]} Nothing was imported.")
    if problems:
        more = [f"and {len(problems) - MOST_PROBLEMS:,} more"] if len(problems) > MOST_PROBLEMS else []
        lines = "".join(f"\n  {text}" for text in [*problems[:MOST_PROBLEMS], *more])
        raise Refused(
            f"{path.name}: {counted(len(problems), 'problem')}, and nothing was imported. Correct them:{lines}"
        )


def _table_of_reading(
    path: Path, reading: _TableReading, replaced: Knowledge, about: TableAbout, keep: Sequence[str]
) -> ImportedTable:
    parts: dict[str, Json] = {}
    origins: list[Json] = []
    for name, section in reading.sections.items():
        if name in keep:
            assert isinstance(replaced.table, dict)
            parts[name] = replaced.table[name]
            continue
        found = reading.found[name]
        parts[name] = _section_part(section, found)
        origins += _plain_origins(section, found) if is_plain_section(section) else []
    table = parts.get("", parts)
    content = json.dumps([table, origins], ensure_ascii=False, separators=(",", ":")).encode()
    if len(content) > MAX_TABLE:
        raise Refused(f"{path.name}: the table has {len(content):,} bytes. Bring it below {MAX_TABLE:,}.")
    rows = [row for each in reading.found.values() for _name, row in each]
    sources = sorted({str(row["source"]) for row in rows})
    limits = replaced.note.partition(";")[0].strip()
    knowledge = Knowledge.imported(
        table,
        origins,
        name=replaced.name,
        version=about.version or f"sha-{sha256(content).hexdigest()[:12]}",
        date=max(str(row["reviewed_on"]) for row in rows),
        source=about.source or (sources[0] if len(sources) == 1 else "several; each row names its own"),
        note=about.note or f"{limits}; imported, {counted(len(rows), 'row')}",
    )
    kept = tuple(name for name in reading.sections if name in keep)
    return ImportedTable(knowledge, len(rows), kept)


def _section_part(section: Section, rows: Sequence[tuple[str, dict[str, Json]]]) -> Json:
    match section.kind:
        case "rows":
            return [_stored_row(row) for _name, row in rows]
        case "named rows":
            return {name: _stored_row(row) for name, row in rows}
        case "named values":
            return {name: row["value"] for name, row in rows}
        case "names":
            return [name for name, _row in rows]
        case "value":
            return rows[-1][1]["value"]


def _stored_row(row: Mapping[str, Json]) -> dict[str, Json]:
    return {ORIGIN.get(name, name): value for name, value in row.items()}


def _plain_origins(section: Section, rows: Sequence[tuple[str, dict[str, Json]]]) -> Iterator[Json]:
    for name, row in rows:
        about = {"section": section.name, "name": name, **_stored_row(row)}
        yield {column: value for column, value in about.items() if column != "value" and value != ""}
