"""A constraint as a file: the function, and CASES below it. The file is read as a tree, never run.

CASES = [
    fires("amoxicillin", date(2025, 1, 8), health.Allergy(substance="penicillin"), says=["penicillin"]),
    silent("nothing taken", date(2025, 1, 8), ended(health.Allergy(substance="nuts"), "2020")),
]
"""

import ast
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from uac.errors import CodeError, LimitError, Refused
from uac.schema.constraints import MAX_CASES, Case, Constraint, Given, Origin
from uac.schema.helper_files import NO_HELPERS, Helper, Helpers
from uac.schema.literals import plain_value
from uac.schema.shipped_analysis import shipped_analysis
from uac.schema.syntax import bound_names, normal_line_ends, parse_code, tree_nodes
from uac.schema.types import Json
from uac.schema.values import dump_value

__all__ = ["ConstraintFile", "SourceLine", "analyse_constraint_file", "parse_constraint", "source_lines"]

HELPERS = "helpers.py"


class SourceLine(NamedTuple):
    """Where a line of a constraint's code comes from: the constraint's own file (""), or helpers.py."""

    file: str
    number: int


def parse_constraint(
    text: str, name: str, *, origin: Origin, pack: str = "", helpers: Helpers = NO_HELPERS
) -> Constraint:
    """The constraint that a file holds, or Refused with the line.

    The helpers that it imports from its pack (`from ..helpers import _name`) become part of its code.
    """
    stored = shipped_analysis("file", ConstraintFile, text, helpers.text) if pack else None
    try:
        file = stored or analyse_constraint_file(text, helpers)
    except Refused as error:
        raise Refused(f"{name}: {error}") from None
    code = "".join(f"{line}\n" for line, _source in _code_lines(file, text, helpers))
    return Constraint(name=name, code=code, cases=file.cases, origin=origin, pack=pack)


def source_lines(text: str, helpers: Helpers = NO_HELPERS) -> list[SourceLine]:
    """Where each line of the code comes from that parse_constraint makes of a file."""
    return [source for _line, source in _code_lines(analyse_constraint_file(text, helpers), text, helpers)]


class ConstraintFile(NamedTuple):
    """What a file holds: where its code is, which helpers belong to it, and its cases."""

    first: int
    """The index of the first line of the code."""
    end: int
    """The index behind its last line."""
    blank: tuple[int, ...]
    """The indexes of the lines that are not part of the code: imports of helpers."""
    helpers: tuple[str, ...]
    """The names of the helpers that it imports and of those that they use."""
    cases: tuple[Case, ...]


def analyse_constraint_file(text: str, helpers: Helpers) -> ConstraintFile:
    """The parts of the file, or Refused with the line."""
    try:
        text, tree = parse_code(text)
    except (CodeError, LimitError) as error:
        raise Refused(str(error)) from None
    match tree.body[-1:]:
        case [ast.Assign(targets=[ast.Name(id="CASES")], value=cases) as last]:
            pass
        case _:
            raise Refused("The cases are missing. Add CASES = [fires(…), silent(…)] at the end.")
    lines = text.split("\n")
    blank: list[int] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.level or node.module == "domains"):
            # An exported file imports what it needs to run with nothing installed; a pack's file, its helpers.
            blank += range(node.lineno - 1, node.end_lineno or node.lineno)
    code = ["" if number in blank else line for number, line in enumerate(lines)]
    first = next((number for number, line in enumerate(code) if line and not line.startswith("#")), 0)
    end = last.lineno - 1
    while end > first and not code[end - 1]:
        end -= 1
    used = tuple(helper.name for helper in _imported_helpers(tree, helpers))
    return ConstraintFile(first, end, tuple(blank), used, _read_cases(cases))


def _code_lines(file: ConstraintFile, text: str, helpers: Helpers) -> Iterator[tuple[str, SourceLine]]:
    """The lines of the code, the helpers below the constraint's own."""
    lines = normal_line_ends(text).split("\n")
    for number in range(file.first, file.end):
        yield "" if number in file.blank else lines[number], SourceLine("", number + 1)
    yield from _source_lines_of_helpers([helpers.by_name[name] for name in file.helpers])


def _source_lines_of_helpers(used: Sequence[Helper]) -> Iterator[tuple[str, SourceLine]]:
    for helper in used:
        yield from [("", SourceLine(HELPERS, helper.line))] * 2
        for number, line in enumerate(helper.text.split("\n"), helper.line):
            yield line, SourceLine(HELPERS, number)


def _imported_helpers(tree: ast.Module, helpers: Helpers) -> tuple[Helper, ...]:
    """The helpers that a constraint imports, and those that they use."""
    names: list[str] = []
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or node.level != 2:
            continue
        if not helpers.by_name:
            raise Refused(f"line {node.lineno}: Only a pack with a {HELPERS} can import. Copy the functions in here.")
        for alias in node.names:
            if node.module != "helpers" or alias.asname or alias.name not in helpers.by_name:
                known = ", ".join(helpers.by_name)
                raise Refused(
                    f"line {node.lineno}: {HELPERS} does not have {ast.unparse(alias)!r}."
                    f" Write `from ..helpers import …` with some of: {known}."
                )
            names.append(alias.name)
    used = helpers.needed_by(names)
    taken = {helper.name for helper in used}
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) and (both := taken.intersection(_constraint_file_names(node))):
            raise Refused(f"line {node.lineno}: {min(both)} is a helper of the pack too. Rename it here.")
    read = (
        {part.id for node in tree.body[:-1] for part in tree_nodes(node) if isinstance(part, ast.Name)} if names else ()
    )
    if unused := [name for name in names if name not in read]:
        raise Refused(f"line 1: {unused[0]} is imported and not used. Remove it from the import.")
    return used


def _constraint_file_names(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name for part in (node, *targets) for name in bound_names(part)]


def _read_cases(node: ast.expr) -> tuple[Case, ...]:
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) <= MAX_CASES:
            return tuple(_read_case(item) for item in items)
    raise Refused(f"line {node.lineno}: CASES is not a list of at most {MAX_CASES} cases. Write one.")


def _read_case(node: ast.expr) -> Case:
    match node:
        case ast.Call(
            func=ast.Name(id="fires" | "silent" as kind), args=[ast.Constant(value=str() as name), when, *given]
        ):
            moment = plain_value(when)
            if not isinstance(moment, date):
                raise Refused(f"line {when.lineno}: A case has no time. Write date(…) or datetime(…) after its name.")
            says = _expected_messages(node, kind)
            return Case(
                name=name,
                now=_constraint_file_json(moment),
                fires=kind == "fires",
                given=tuple(_read_given(item) for item in given),
                says=says,
            )
    raise Refused(
        f"line {node.lineno}: Not a case. Write fires(name, now, record, …, says=[…]) or silent(name, now, record, …)."
    )


def _expected_messages(node: ast.Call, kind: str) -> tuple[str, ...]:
    says: Any = ()
    for keyword in node.keywords:
        if keyword.arg != "says" or kind == "silent":
            raise Refused(f"line {node.lineno}: {keyword.arg} is not allowed here. Only fires() takes says=[…].")
        says = plain_value(keyword.value)
    if not isinstance(says, tuple) or not all(isinstance(text, str) for text in says):
        raise Refused(f"line {node.lineno}: says is not a list of texts. Write says=['…'].")
    return says


def _read_given(node: ast.expr) -> Given:
    match node:
        case ast.Call(func=ast.Name(id="ended"), args=[record, ast.Constant(value=str() as when)], keywords=[]):
            given = _read_given(record)
            return Given(type=given.type, fields=given.fields, ended=when)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=domain), attr=name), args=[]):
            fields = {
                keyword.arg: _constraint_file_json(plain_value(keyword.value))
                for keyword in node.keywords
                if keyword.arg
            }
            if len(fields) != len(node.keywords):
                raise Refused(
                    f"line {node.lineno}: The fields of {domain}.{name} are not plain. Write each once, by name."
                )
            return Given(type=f"{domain}.{name}", fields=fields)
    raise Refused(f"line {node.lineno}: Not a record. Write one such as health.Allergy(substance='penicillin').")


def _constraint_file_json(value: Any) -> Json:
    """The value as JSON; a time without a zone is in UTC."""
    if isinstance(value, datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    if isinstance(value, tuple):
        return [_constraint_file_json(item) for item in value]
    return dump_value(value, in_seconds=True)
