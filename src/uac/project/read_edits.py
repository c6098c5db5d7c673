"""A person's edits of values in an exported folder, read back as corrections. The files are parsed, never run."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from uac.errors import Refused
from uac.project.project import Project, Record
from uac.project.render_constraints import render_constraints
from uac.schema.literals import plain_value
from uac.schema.syntax import module_tree
from uac.schema.types import Json, Type, parse_type
from uac.schema.values import Typed, dump_value, parse_value

__all__ = ["Edit", "position_before_edits", "read_edits"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One value that a person changed: `value` is JSON, as a correction takes it."""

    record: str
    field: str
    before: Typed
    after: Typed
    value: Json


def position_before_edits(folder: Path) -> int:
    """The position of the log at which the folder was exported."""
    manifest = folder / "manifest.py"
    found = (
        re.search(r"^POSITION = (\d{1,18})$", _read_exported_file(manifest), re.MULTILINE)
        if manifest.is_file()
        else None
    )
    if not found:
        raise Refused(
            f"adopt: {folder} is not an exported project. Use a folder that 'uac export' wrote, with its manifest.py."
        )
    return int(found[1])


def read_edits(project: Project, folder: Path) -> list[Edit]:
    """The values that differ from the project as it was exported. Only values can be edited, not records or types."""
    found: list[Edit] = []
    _check_constraints_unedited(project, folder)
    for domain in project.domains:
        lists = _collection_calls(folder / "domains" / domain)
        for type_ in project.types_of(domain):
            records = project.complete_records(type_.full_name)
            for name, chosen in (
                (type_.collected_as, [record for record in records if record.ended is None]),
                (type_.former, [record for record in records if record.ended is not None]),
            ):
                objects = lists.get(name)
                if objects is None:
                    raise Refused(f"adopt: {domain}/state.py has no {name}. Keep the list that was exported.")
                if len(objects) != len(chosen):
                    raise Refused(
                        f"adopt: {domain}.{name} has {len(objects)} records, and was exported with {len(chosen)}. Only "
                        "values can be edited here: use 'uac put' to add a record and 'uac retract' to remove one."
                    )
                for record, call in zip(chosen, objects, strict=True):
                    found += _record_edits(type_, record, call)
    return found


def _check_constraints_unedited(project: Project, folder: Path) -> None:
    """Refuse a folder whose constraints were edited: a constraint is added by its own command, with its cases."""
    for name, text in render_constraints(project).items():
        path = folder / name
        if name.startswith("constraints/") and path.is_file() and _read_exported_file(path) != text:
            raise Refused(f"adopt: {name} was edited. Use 'uac constraints add USER {path}', then export again.")


def _record_edits(type_: Type, record: Record, call: ast.Call) -> list[Edit]:
    found: list[Edit] = []
    if _edited_class(call.func) != type_.name or call.args:
        raise Refused(
            f"adopt: line {call.lineno}: {record.id} is not written as a record. Write {type_.name}(field=value, …)."
        )
    for keyword in call.keywords:
        part = type_.field(keyword.arg or "")
        if part is None:
            raise Refused(
                f"adopt: line {call.lineno}: {type_.full_name} has no field {keyword.arg!r}."
                " Use the fields that were exported."
            )
        try:
            value = plain_value(keyword.value)
            after = parse_value(dump_value(value), parse_type(part.type))
        except Refused as error:
            raise Refused(f"adopt: {error}") from None
        except RecursionError:
            raise Refused(
                f"adopt: line {keyword.value.lineno}: {record.id}: {part.name} is nested too deep. Use a flatter value."
            ) from None
        except ValueError as error:
            raise Refused(f"adopt: line {keyword.value.lineno}: {record.id}: {part.name} {error}") from None
        if isinstance(after, str) and not isinstance(value, str):
            raise Refused(
                f"adopt: line {keyword.value.lineno}: {record.id}: {part.name} is not a text. Write it in quotes."
            )
        before = record.values.get(part.name)
        if after != before and not (after == () and before is None):
            found.append(Edit(record.id, part.name, before, after, dump_value(after)))
    missing = [part.name for part in type_.fields if part.name not in {keyword.arg for keyword in call.keywords}]
    if missing:
        raise Refused(f"adopt: line {call.lineno}: {record.id}: {missing[0]} is missing. Give a value, or None.")
    if sum(edit.field in type_.key for edit in found) > 1:
        raise Refused(
            f"adopt: line {call.lineno}: {record.id}: more than one field of its key changed. Change one at a time."
        )
    # A change of the key gives the record another id, so it comes last.
    return sorted(found, key=lambda edit: edit.field in type_.key)


def _collection_calls(folder: Path) -> dict[str, list[ast.Call]]:
    """The calls that make the objects of each collection of a domain, in order."""
    state = folder / "state.py"
    parts: dict[str, list[ast.Call]] = {}
    for path in [*sorted(folder.glob("state_*.py")), state]:
        try:
            tree = module_tree(_read_exported_file(path))
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            raise Refused(f"adopt: {path.name} of {folder.name} cannot be read: {error}") from None
        for node in tree.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                parts[node.target.id] = _record_calls(node.value, parts, path)
    return parts


def _read_exported_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refused(f"adopt: {path.name} of {path.parent.name} cannot be read: {error}") from None


def _record_calls(value: ast.expr | None, parts: Mapping[str, list[ast.Call]], path: Path) -> list[ast.Call]:
    match value:
        case ast.Call():
            return [value]
        case ast.Constant(value=None):
            return []
        case ast.List(elts=items):
            calls: list[ast.Call] = []
            for item in items:
                if isinstance(item, ast.Call):
                    calls.append(item)
                elif isinstance(item, ast.Starred) and isinstance(item.value, ast.Name) and item.value.id in parts:
                    calls += parts[item.value.id]
                else:
                    raise Refused(
                        f"adopt: {path.name}:{item.lineno}: This is not a record. Write it as Trip(field=value)."
                    )
            return calls
    raise Refused(f"adopt: {path.name} has something other than lists of records. Keep the lists that were exported.")


def _edited_class(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
