"""A constraint as a file: the function, and below it CASES. The file is read as a tree, never run.

CASES = [
    fires("amoxicillin", date(2025, 1, 8), health.Allergy(substance="penicillin"), says=["penicillin"]),
    silent("nothing taken", date(2025, 1, 8), ended(health.Allergy(substance="nuts"), "2020")),
]
"""

import ast
from datetime import UTC, date, datetime
from typing import Any

from uac.errors import CodeError, LimitError, Refused
from uac.schema.code_analysis import parse
from uac.schema.constraints import MAX_CASES, Case, Constraint, Given, Origin
from uac.schema.literals import plain_value
from uac.schema.types import Json, dump_value

__all__ = ["parse_constraint"]


def parse_constraint(text: str, name: str, *, origin: Origin, pack: str = "") -> Constraint:
    """The constraint that a file holds, or Refused with the line."""
    try:
        text, tree = parse(text)
    except (CodeError, LimitError) as error:
        raise Refused(f"{name}: {error}") from None
    if not tree.body or not _is_cases(tree.body[-1]):
        raise Refused(f"{name}: needs CASES = [fires(…), silent(…)] at its end")
    last = tree.body[-1]
    assert isinstance(last, ast.Assign)
    lines = text.split("\n")
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.level == 1 or node.module == "domains"):
            lines[node.lineno - 1] = ""  # as an exported file has them, where it runs with nothing installed
    first = next((number for number, line in enumerate(lines) if line and not line.startswith("#")), 0)
    code = "\n".join(lines[first : last.lineno - 1]).strip("\n") + "\n"
    match last.value:
        case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) <= MAX_CASES:
            try:
                cases = tuple(_case(item) for item in items)
            except Refused as error:
                raise Refused(f"{name}: {error}") from None
        case _:
            raise Refused(f"{name}: line {last.lineno}: CASES needs a list of at most {MAX_CASES} cases")
    return Constraint(name=name, code=code, cases=cases, origin=origin, pack=pack)


def _is_cases(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id="CASES")]):
            return True
    return False


def _case(node: ast.expr) -> Case:
    match node:
        case ast.Call(
            func=ast.Name(id="fires" | "silent" as kind), args=[ast.Constant(value=str() as name), when, *given]
        ):
            moment = plain_value(when)
            if not isinstance(moment, date):
                raise Refused(f"line {when.lineno}: needs date(…) or datetime(…) after the name of a case")
            says = _says(node, kind)
            return Case(
                name=name,
                now=_json(moment),
                fires=kind == "fires",
                given=tuple(_given(item) for item in given),
                says=says,
            )
    raise Refused(f"line {node.lineno}: needs fires(name, now, record, …, says=[…]) or silent(name, now, record, …)")


def _says(node: ast.Call, kind: str) -> tuple[str, ...]:
    says: Any = ()
    for keyword in node.keywords:
        if keyword.arg != "says" or kind == "silent":
            raise Refused(f"line {node.lineno}: {keyword.arg}: only fires() takes says=[…], and nothing else")
        says = plain_value(keyword.value)
    if not isinstance(says, tuple) or not all(isinstance(text, str) for text in says):
        raise Refused(f"line {node.lineno}: says needs a list of texts")
    return says


def _given(node: ast.expr) -> Given:
    match node:
        case ast.Call(func=ast.Name(id="ended"), args=[record, ast.Constant(value=str() as when)], keywords=[]):
            given = _given(record)
            return Given(type=given.type, fields=given.fields, ended=when)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=domain), attr=name), args=[]):
            fields = {keyword.arg: _json(plain_value(keyword.value)) for keyword in node.keywords if keyword.arg}
            if len(fields) != len(node.keywords):
                raise Refused(f"line {node.lineno}: needs each field of {domain}.{name} once, written out")
            return Given(type=f"{domain}.{name}", fields=fields)
    raise Refused(f"line {node.lineno}: needs a record such as health.Allergy(substance='penicillin')")


def _json(value: Any) -> Json:
    """The value as JSON; a time without a zone is in UTC."""
    if isinstance(value, datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    return [_json(item) for item in value] if isinstance(value, tuple) else dump_value(value)
