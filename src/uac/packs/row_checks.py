"""Which rows of a pack's tables were held against a source, and what the source says: `checks/TABLE.tsv` of the pack.

The files are for those who maintain and audit a pack: no constraint reads them. Only the rows that no source confirms
go into a user's log, with their table, so that alerts say so. A check belongs to the content of its row: a changed row
loses it. One line may check a section of names (`names:*`). A source that many lines name has a key (`@atc`), and
`checks/sources.tsv` says what it is.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec

from uac.errors import Refused
from uac.packs.table_rows import table_rows
from uac.schema.constraints import Knowledge
from uac.schema.types import Json

__all__ = [
    "UNCONFIRMED",
    "VERDICTS",
    "CheckedRows",
    "RowCheck",
    "Verdict",
    "checked_rows",
    "path_of_checks",
    "row_digest",
    "with_unconfirmed_rows",
]

Verdict: TypeAlias = Literal["confirmed", "partly", "unfound", "ours"]
"""The source says it; it says a part of it, and the note says which; no source was found; our own wording or reading
of words, with nothing to look up."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
UNCONFIRMED: tuple[Verdict, ...] = ("partly", "unfound")
"""Alerts that depend on a row with such a verdict say so."""

_COLUMNS = ("row", "digest", "verdict", "source", "read_on", "note")
_SOURCE_COLUMNS = ("key", "source")
_UNCHECKED_COLUMNS = ("reviewed_on", "reviewer")


@dataclass(frozen=True, slots=True)
class RowCheck:
    """One line of a file of checks. `read_on` is an ISO date."""

    row: str
    digest: str
    verdict: Verdict
    source: str
    read_on: str
    note: str


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """A table with the checks that belong to its rows as they are now."""

    by_row: Mapping[str, RowCheck]
    """By the id of the row, or of its section: `names:*`."""
    sections: Mapping[str, str]
    """The section of each row that its section's check covers."""
    unchecked: Mapping[str, str]
    """The digests of the rows without a check, by id."""

    def of_row(self, id_: str) -> RowCheck | None:
        return self.by_row.get(id_) or self.by_row.get(self.sections.get(id_, ""))

    def count(self, verdict: Verdict) -> int:
        """The lines with this verdict; a section counts once."""
        return sum(check.verdict == verdict for check in self.by_row.values())


def checked_rows(folder: Path, table: Knowledge) -> CheckedRows:
    """The checks that ship with the pack in `folder`, for the table as a user has it: other rows are unchecked."""
    path = path_of_checks(folder, table.name)
    written = {check.row: check for check in _read_checks(path)} if path.is_file() else {}
    by_row: dict[str, RowCheck] = {}
    for section, part in table.table.items() if isinstance(table.table, dict) else ():
        found = written.get(f"{section}:*")
        if found is not None and found.digest == row_digest(part):
            by_row[found.row] = found
    sections: dict[str, str] = {}
    unchecked: dict[str, str] = {}
    for id_, row in table_rows(table):
        section = f"{id_.partition(':')[0]}:*"
        found = written.get(id_)
        if found is not None and found.digest == row_digest(row):
            by_row[id_] = found
        elif section in by_row:
            sections[id_] = section
        else:
            unchecked[id_] = row_digest(row)
    return CheckedRows(by_row, sections, unchecked)


def with_unconfirmed_rows(table: Knowledge, folder: Path) -> Knowledge:
    """The table with what the checks say of the rows that no source confirms; a pack without checks says nothing."""
    if not path_of_checks(folder, table.name).is_file():
        return table
    checked = checked_rows(folder, table)
    rows = {check.row: check.verdict for check in checked.by_row.values() if check.verdict in UNCONFIRMED}
    return table.with_unconfirmed(rows | dict.fromkeys(checked.unchecked, "unfound"))


def row_digest(row: Json) -> str:
    """The first 12 hex digits of the SHA-256 of a row as canonical JSON, without the day and name of its review."""
    content = {k: v for k, v in row.items() if k not in _UNCHECKED_COLUMNS} if isinstance(row, dict) else row
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()[:12]


def path_of_checks(folder: Path, table: str) -> Path:
    """The file of the checks of the table with this full name."""
    return folder / "checks" / f"{table.partition('.')[2]}.tsv"


def _read_checks(path: Path) -> Iterator[RowCheck]:
    sources = dict(_read_lines(path.with_name("sources.tsv"), _SOURCE_COLUMNS))
    for number, values in enumerate(_read_lines(path, _COLUMNS), 2):
        row, digest, verdict, source, read_on, note = values
        known = next((each for each in VERDICTS if each == verdict), None)
        if known is None:
            raise Refused(f"{path}: line {number}: {verdict!r} is not a verdict. Use one of {', '.join(VERDICTS)}.")
        parts = source.split("; ")
        if missing := [part for part in parts if part.startswith("@") and part not in sources]:
            raise Refused(f"{path}: line {number}: no source has the key {missing[0]}. Add it to sources.tsv.")
        yield RowCheck(row, digest, known, "; ".join(sources.get(part, part) for part in parts), read_on, note)


def _read_lines(path: Path, columns: Sequence[str]) -> Iterator[list[str]]:
    """The lines of a file with these columns, without the header; a file that does not exist has none."""
    header, *lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else ["\t".join(columns)]
    if header.split("\t") != [*columns]:
        raise Refused(f"{path}: line 1 is not the header. Write {', '.join(columns)}, with tabs between.")
    for number, line in enumerate(lines, 2):
        values = line.split("\t")
        if len(values) != len(columns):
            raise Refused(f"{path}: line {number} has {len(values)} columns. Write {len(columns)}, with tabs between.")
        yield values
