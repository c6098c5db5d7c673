"""Numbers that a query contains itself: `len(health.allergies) * 1000000` reads records, but none contains a million.

Arithmetic needs small numbers and unit sizes, dates need years, and numbers that are only compared select records. Any
other number in the code must be known from elsewhere; otherwise the result of the code supports no answer.
"""

import ast
import re
from collections.abc import Iterator
from decimal import Decimal

from uac.schema.syntax import module_tree

__all__ = ["invented_numbers"]

MAX_SMALL = 100
UNIT_SIZES = frozenset(map(Decimal, (360, 365, 366, 1440, 3600, 86400)))
"""Days in a year; minutes in a day; seconds in an hour and in a day."""
YEARS = (1900, 2100)
DATE_CALLS = frozenset({"date", "datetime", "timedelta", "time", "fromisoformat", "replace", "strptime", "round"})


def invented_numbers(code: str) -> list[str]:
    """The numbers in the code, as written, that could produce its result without any record."""
    found: dict[str, None] = {}
    nodes: list[ast.AST] = [module_tree(code)]
    while nodes:  # not recursive: a long sum is a deep tree
        node = nodes.pop()
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in DATE_CALLS:
                pass
            case ast.Constant():
                found.update(dict.fromkeys(_constant_numbers(node)))
            case ast.BinOp(left=ast.Constant(value=int() | float() as base), op=ast.Pow() | ast.LShift()):
                found[f"{base} to a power"] = None
            case _:
                children = ast.iter_child_nodes(node)
                nodes += [each for each in children if not _is_compared_constant(node, each)]
    return sorted(found)


def _constant_numbers(constant: ast.Constant) -> Iterator[str]:
    match constant.value:
        case bool():
            return
        case int() | float() as number:
            if number and not _is_ordinary_constant(abs(Decimal(str(number)))):
                yield str(number)
        case str() as text:
            yield from (digits for digits in re.findall(r"\d{3,}", text) if not _is_ordinary_constant(Decimal(digits)))


def _is_compared_constant(node: ast.AST, child: ast.AST) -> bool:
    """Whether a number is only compared, looked up or divided by, and so does not make up the result."""
    if not isinstance(child, ast.Constant):
        return False
    match node:
        case ast.Compare() | ast.Subscript() | ast.Slice():
            return True
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=right):
            return right is child
        case _:
            return False


def _is_ordinary_constant(number: Decimal) -> bool:
    """Whether it is a small number, a unit size or a year."""
    return 0 < number <= MAX_SMALL or number in UNIT_SIZES or YEARS[0] <= number <= YEARS[1]
