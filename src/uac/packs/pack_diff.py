"""What changed in the tables and constraints of a pack between two versions: of a log, a folder, or installed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from uac.errors import Refused
from uac.packs.files import Pack, load_pack
from uac.packs.table_shapes import table_sections
from uac.project.project import Project
from uac.schema.constraint_files import parse_constraint
from uac.schema.constraints import Constraint, Knowledge
from uac.schema.types import Json

__all__ = ["PackChange", "PackVersion", "pack_changes", "pack_of_folder", "pack_of_project", "version_of_pack"]


class PackVersion(NamedTuple):
    """The tables and constraints of a pack, as one log, folder or package has them."""

    label: str
    tables: Mapping[str, Knowledge]
    constraints: Mapping[str, Constraint]


@dataclass(frozen=True, slots=True)
class PackChange:
    """One difference: a table, a row of one (by its id), or a constraint."""

    kind: Literal["table", "row", "constraint"]
    change: Literal["added", "removed", "changed"]
    what: str
    row: str = ""
    details: Mapping[str, tuple[Json, Json]] = field(default_factory=dict)
    """What has another value, before and after: columns of a row, the version of a table, the code of a constraint."""


def version_of_pack(pack: Pack) -> PackVersion:
    """What an installed pack, or one in a folder, has."""
    tables = {table.name: table for table in pack.knowledge}
    return PackVersion(f"{pack.name} {pack.version}", tables, {each.name: each for each in pack.constraints})


def pack_of_project(project: Project, name: str, label: str) -> PackVersion:
    """What a log has of the pack: its tables, imported ones too, and the constraints that the pack brought."""
    tables = {each: table for each, table in project.knowledge.items() if each.startswith(f"{name}.")}
    adopted = (each.constraint for each in project.constraints.values())
    return PackVersion(label, tables, {each.name: each for each in adopted if each.pack.partition(" ")[0] == name})


def pack_of_folder(folder: Path, name: str) -> PackVersion:
    """What a folder has of the pack: a pack with its pack.toml, or a project that `uac export` wrote."""
    if (folder / "pack.toml").is_file():
        return version_of_pack(load_pack(folder))
    if not (folder / "manifest.py").is_file():
        raise Refused(
            f"{folder} is neither a pack nor an exported project. Name a folder with pack.toml or manifest.py."
        )
    tables: dict[str, Knowledge] = {}
    for path in sorted((folder / "constraints" / "knowledge").glob(f"{name}.*.json")):
        try:
            table = msgspec.json.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError) as error:
            raise Refused(f"{path} cannot be read: {error}. Export the project again.") from None
        tables[path.stem] = Knowledge.of(table, name=path.stem, version="", date="", source="", note="")
    constraints: dict[str, Constraint] = {}
    for path in sorted((folder / "constraints").glob("[a-z]*.py")):
        text = path.read_text(encoding="utf-8")
        if text.startswith(f"# written by the pack {name} "):
            constraints[path.stem] = parse_constraint(_without_preamble(text), path.stem, origin="pack")
    return PackVersion(str(folder), tables, constraints)


def _without_preamble(text: str) -> str:
    """The file of an exported constraint without its author and its imports."""
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines) if line and not line.startswith(("# ", "from ")))
    return "\n".join(lines[start:])


def pack_changes(before: PackVersion, after: PackVersion) -> list[PackChange]:
    """What `after` has that `before` has not, and the other way round: tables, their rows, constraints, by name."""
    changes: list[PackChange] = []
    for name in sorted({*before.tables, *after.tables}):
        changes += _table_changes(name, before.tables.get(name), after.tables.get(name))
    for name in sorted({*before.constraints, *after.constraints}):
        changes += _constraint_changes(name, before.constraints.get(name), after.constraints.get(name))
    return changes


def _table_changes(name: str, old: Knowledge | None, new: Knowledge | None) -> Iterator[PackChange]:
    if old is None or new is None:
        version = (old.version if old else None, new.version if new else None)
        yield PackChange("table", "added" if old is None else "removed", name, details={"version": version})
        return
    parts = ("version", "date", "source", "note", "is_imported") if old.version and new.version else ()  # not exported
    pairs = {part: (getattr(old, part), getattr(new, part)) for part in parts}
    about = {part: pair for part, pair in pairs.items() if pair[0] != pair[1]}
    rows = [*_row_changes(name, old, new, with_verdicts=bool(parts))]
    if about or rows:
        yield PackChange("table", "changed", name, details=about)
    yield from rows


def _row_changes(name: str, old: Knowledge, new: Knowledge, *, with_verdicts: bool) -> Iterator[PackChange]:
    olds, news = _rows_by_id(old), _rows_by_id(new)
    for id_ in sorted({*olds, *news}):
        if id_ not in olds or id_ not in news:
            yield PackChange("row", "removed" if id_ in olds else "added", name, id_)
            continue
        details = _changed_columns(olds[id_], news[id_])
        details |= _changed_verdict(old, new, id_) if with_verdicts else {}
        if details:
            yield PackChange("row", "changed", name, id_, details)


def _changed_columns(old: Json, new: Json) -> dict[str, tuple[Json, Json]]:
    if old == new:
        return {}
    if not isinstance(old, dict) or not isinstance(new, dict):
        return {"value": (old, new)}
    return {name: (old.get(name), new.get(name)) for name in [*old, *new] if old.get(name) != new.get(name)}


def _changed_verdict(old: Knowledge, new: Knowledge, row: str) -> dict[str, tuple[Json, Json]]:
    """What a source says of the row; nothing if one confirms it, or if it is our own wording."""
    verdicts = (old.unconfirmed(row) or None, new.unconfirmed(row) or None)
    return {"unconfirmed": verdicts} if verdicts[0] != verdicts[1] else {}


def _rows_by_id(table: Knowledge) -> dict[str, Json]:
    """The rows by their ids; those without one by section and name, those without a name by their content."""
    rows: dict[str, Json] = {}
    for section in table_sections(table):
        part = table.table[section.name] if section.name else table.table
        place = f"{section.name}: " if section.name else ""
        if section.kind == "value":
            rows[section.name] = part
            continue
        for name, row in part.items() if isinstance(part, dict) else [("", each) for each in part]:
            if isinstance(row, dict) and "id" in row:
                rows[str(row["id"])] = row
            else:
                rows[f"{place}{name or (row if isinstance(row, str) else msgspec.json.encode(row).decode())}"] = row
    return rows


def _constraint_changes(name: str, old: Constraint | None, new: Constraint | None) -> Iterator[PackChange]:
    if old is None or new is None:
        yield PackChange("constraint", "added" if old is None else "removed", name)
        return
    details: dict[str, tuple[Json, Json]] = {}
    if old.code.strip() != new.code.strip():
        details["code"] = (_line_count(old.code), _line_count(new.code))
    if old.cases != new.cases:
        details["cases"] = ([case.name for case in old.cases], [case.name for case in new.cases])
    if details:
        yield PackChange("constraint", "changed", name, details=details)


def _line_count(code: str) -> int:
    return len(code.strip().splitlines())
