"""Which rows of a pack's tables were held against a source, and what the source says: `checks/TABLE.tsv` of the pack.

The files are for those who maintain and audit a pack: no constraint reads them, and none goes into a user's log. A
check belongs to the content of its row: a changed row loses it. One line may check a section of names (`names:*`).
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from uac.errors import Refused
from uac.packs.files import Pack
from uac.packs.table_rows import table_rows
from uac.schema.constraints import Knowledge
from uac.schema.types import Json

__all__ = ["VERDICTS", "CheckedRows", "RowCheck", "Verdict", "checked_rows", "row_digest"]

Verdict: TypeAlias = Literal["confirmed", "partly", "unfound"]
"""The source says it; it says a part of it, and the note says which; no source was at hand."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

_COLUMNS = ("row", "digest", "verdict", "source", "read_on", "note")
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


def checked_rows(pack: Pack, table: Knowledge) -> CheckedRows:
    """The checks that ship with the pack, for the table as a user has it: other rows are unchecked."""
    path = pack.folder / "checks" / f"{table.name.partition('.')[2]}.tsv"
    written = {check.row: check for check in _read_checks(path)} if path.is_file() else {}
    by_row: dict[str, RowCheck] = {}
    for section, part in table.table.items() if isinstance(table.table, dict) else ():
        found = written.get(f"{section}:*")
        if found is not None and found.digest == row_digest(part):
            by_row[found.row] = found
    sections: dict[str, str] = {}
    unchecked: dict[str, str] = {}
    for id_, row in table_rows(table):
        digest, found = row_digest(row), written.get(id_)
        section = f"{id_.partition(':')[0]}:*"
        if found is not None and found.digest == digest:
            by_row[id_] = found
        elif section in by_row:
            sections[id_] = section
        else:
            unchecked[id_] = digest
    return CheckedRows(by_row, sections, unchecked)


def row_digest(row: Json) -> str:
    """The first 12 hex digits of the SHA-256 of a row as canonical JSON, without the day and name of its review."""
    content = {k: v for k, v in row.items() if k not in _UNCHECKED_COLUMNS} if isinstance(row, dict) else row
    canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def _read_checks(path: Path) -> Iterator[RowCheck]:
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    if tuple(header.split("\t")) != _COLUMNS:
        raise Refused(f"{path}: line 1 is not the header. Write {', '.join(_COLUMNS)}, with tabs between.")
    for number, line in enumerate(lines, 2):
        values = line.split("\t")
        if len(values) != len(_COLUMNS):
            raise Refused(f"{path}: line {number} has {len(values)} columns. Write {len(_COLUMNS)}, with tabs between.")
        row, digest, verdict, source, read_on, note = values
        known = next((each for each in VERDICTS if each == verdict), None)
        if known is None:
            raise Refused(f"{path}: line {number}: {verdict!r} is not a verdict. Use one of {', '.join(VERDICTS)}.")
        yield RowCheck(row, digest, known, source, read_on, note)
