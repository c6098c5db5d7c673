"""Why a constraint fired, or did not: it is run once more, with every test it makes recorded.

The function's syntax tree is changed so that each test reports its values; the code still runs only in the sandbox.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from uac.constraints.reasons import Test, alert_reason, silence_reason
from uac.constraints.runner import constraint_run_time
from uac.errors import Refused, RunError
from uac.project.alerts import UNCHECKED, Alert
from uac.project.project import Adopted, Project
from uac.project.type_suggestions import similar_constraints
from uac.sandbox.compute import Computer
from uac.sandbox.error_hints import loaded_names, with_type_names
from uac.sandbox.loading import LOADED, load_tables
from uac.sandbox.port import Value
from uac.schema.code_wrapping import wrap_in_function
from uac.schema.constraint_code import constraint_function_name
from uac.schema.safe_text import shorten
from uac.schema.syntax import parse_code

__all__ = ["Test", "Why", "trace_constraint"]

MOST_TESTS = 200
MOST_TEXT = 80

RECORDER = """
uac_tests: list[object] = []

def uac_test(line, text, names, values, result):
    shown = [[name, uac_short(value)] for name, value in zip(names, values) if name]
    if len(uac_tests) < 5000:
        uac_tests.append([line, text, shown, bool(result)])
    return result

def uac_short(value):
    text = str(value)
    return text if len(text) <= 80 else text[:79] + "…"

def uac_truth(line, text, value):
    return uac_test(line, text, ["" if value is True or value is False else text], [value], value)

def uac_called(line, text, names, function, values):
    return uac_test(line, text, names, values, function(*values))

def uac_compared(line, text, names, sign, left, right):
    if sign == "==":
        result = left == right
    elif sign == "!=":
        result = left != right
    elif sign == "<":
        result = left < right
    elif sign == "<=":
        result = left <= right
    elif sign == ">":
        result = left > right
    elif sign == ">=":
        result = left >= right
    elif sign == "is":
        result = left is right
    elif sign == "is not":
        result = left is not right
    elif sign == "in":
        result = left in right
    else:
        result = left not in right
    return uac_test(line, text, names, [left, right], result)
"""


@dataclass(frozen=True, slots=True)
class Why:
    """The collections a constraint reads, its alerts, and the tests that led to them."""

    constraint: Adopted
    reads: tuple[tuple[str, int], ...]
    """Collections, each with its number of records."""
    now: datetime | None
    alerts: tuple[Alert, ...]
    failure: str
    again: datetime | None
    tests: tuple[Test, ...]
    left_out: int = 0
    """The number of tests that are not listed."""
    unchecked: tuple[Alert, ...] = ()
    """Alerts of other constraints about records that this one reads and did not find in its tables."""
    reasons: tuple[str, ...] = ()
    """For each alert a sentence with the reason and the values; without alerts, one that says why there is none."""


def trace_constraint(project: Project, name: str, computer: Computer) -> Why:
    """Run the constraint on the current project and report the values it saw."""
    adopted = project.constraints.get(name)
    if adopted is None:
        near = similar_constraints(name, project.constraints, project.alerts)
        known = ", ".join(sorted(project.constraints)) or "none"
        remedy = f"Did you mean {' or '.join(near)}?" if near else f"Use one of: {known}."
        raise Refused(f"No constraint {name}. {remedy}")
    tests, failure = _run_traced(project, adopted, computer)
    failure = project.failures.get(name, failure)
    alerts = tuple(alert for alert in project.standing() if alert.constraint == name)
    unchecked = tuple(alert for alert in project.standing() if _is_unchecked_for(alert, adopted, project))
    return Why(
        constraint=adopted,
        reads=tuple((collection, len(project.collected(collection))) for collection in adopted.reading.reads),
        now=project.now,
        alerts=alerts,
        failure=failure,
        again=project.looks.get(name),
        tests=tuple(tests[:MOST_TESTS]),
        left_out=max(len(tests) - MOST_TESTS, 0),
        unchecked=unchecked,
        reasons=tuple(alert_reason(project, alert) for alert in alerts)
        or (silence_reason(project, adopted, tests, failure=failure, unchecked=unchecked),),
    )


def _is_unchecked_for(alert: Alert, adopted: Adopted, project: Project) -> bool:
    """Whether the alert is about a value of a table that this constraint uses, in a record that it reads."""
    if alert.constraint == adopted.constraint.name or UNCHECKED not in alert.message:
        return False
    tables = {table.partition(" ")[0] for table in alert.tables}
    owners = project.owners()
    read = {owners[collection] for collection in adopted.reading.reads if collection in owners}
    return not tables.isdisjoint(adopted.reading.knows) and any(
        record.partition(":")[0] in read for record in alert.records
    )


def _run_traced(project: Project, adopted: Adopted, computer: Computer) -> tuple[list[Test], str]:
    if project.now is None:
        return [], ""
    called = constraint_function_name(adopted.constraint.name)
    try:
        with computer.alone(project, constraint_run_time(project)) as session:
            session.run(RECORDER)
            load_tables(session, project, adopted.reading.knows)
            session.run(_recording_code(adopted))
            look = f"uac_results = uac_look([('', {called}, None)], {LOADED}user, now)"
            rows = session.run(f"{look}\n[uac_results[0][1], uac_tests]").value
    except RunError as error:
        return [], str(error)
    match rows:
        case [str() as failure, list() as seen]:
            return _group_tests(seen, _traced_lines(adopted), loaded_names(project)), failure
    return [], "returned no result"


def _traced_lines(adopted: Adopted) -> range:
    """The lines of the constraint's own function."""
    _, tree = parse_code(adopted.constraint.code)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == adopted.constraint.name:
            return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return range(0)


def _group_tests(rows: list[Value], own: range, names: Mapping[str, str]) -> list[Test]:
    """Equal tests once, with their count, in the order of the lines. Types have the names that people know."""
    counts: dict[Test, int] = {}
    for row in rows:
        match row:
            case [int() as line, str() as text, list() as operands, bool() as result]:
                values = tuple(
                    (str(pair[0]), with_type_names(str(pair[1]), names)) for pair in operands if isinstance(pair, list)
                )
                test = Test(line, text, values, result)
                counts[test] = counts.get(test, 0) + 1
            case _:
                pass
    tests = [replace(test, times=times, is_inner=test.line not in own) for test, times in counts.items()]
    return sorted(tests, key=lambda test: test.line)


def _recording_code(adopted: Adopted) -> str:
    name = adopted.constraint.name
    _, tree = parse_code(adopted.constraint.code)
    texts = {id(node): ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.expr)}
    changed = ast.fix_missing_locations(_Recording(texts).visit(tree))
    body, whole = parse_code(f"{ast.unparse(changed)}\n{name}(user, now)")
    return wrap_in_function(body, whole, constraint_function_name(name), "user, now")


class _Recording(ast.NodeTransformer):
    """Wraps every test: if, while, conditional expressions, and the conditions of comprehensions."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._texts = texts  # as written: inner tests are wrapped before outer ones

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = self._record_test(node.test)
        return node

    visit_While = visit_IfExp = visit_If  # noqa: N815 - ast finds them by these names

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [self._record_test(test) for test in node.ifs]
        return node

    def _record_test(self, test: ast.expr) -> ast.expr:
        """The test wrapped in a recorder that evaluates each part once and in order: `a and b` as two tests."""
        match test:
            case ast.BoolOp(values=parts):
                test.values = [self._record_test(part) for part in parts]
                return test
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                test.operand = self._record_test(operand)
                return test
            case ast.Constant():
                return test
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._recorder_call(
                    "uac_compared",
                    test,
                    self._value_names([left, right]),
                    ast.Constant(value=_SIGNS[type(op)]),
                    left,
                    right,
                )
            case ast.Call(func=ast.Name() as function, args=arguments, keywords=[]) if not any(
                isinstance(argument, ast.Starred) for argument in arguments
            ):
                return self._recorder_call(
                    "uac_called", test, self._value_names(arguments), function, ast.List(elts=arguments, ctx=ast.Load())
                )
        return self._recorder_call("uac_truth", test, test)

    def _recorder_call(self, recorder: str, test: ast.expr, *arguments: ast.expr) -> ast.expr:
        text = self._texts.get(id(test)) or ast.unparse(test)
        label = shorten(text, MOST_TEXT - 1)
        place = [ast.Constant(value=getattr(test, "lineno", 0)), ast.Constant(value=label)]
        return ast.Call(func=ast.Name(id=recorder, ctx=ast.Load()), args=[*place, *arguments], keywords=[])

    def _value_names(self, parts: Sequence[ast.expr]) -> ast.expr:
        """The names of the values; a literal needs none, because the text shows it."""
        names = [
            "" if isinstance(part, ast.Constant) else self._texts.get(id(part)) or ast.unparse(part) for part in parts
        ]
        return ast.List(elts=[ast.Constant(value=name) for name in names], ctx=ast.Load())


_SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
