"""Ordering of objects by their own methods (`__lt__` and the like), which Monty 1.4 does not call.

`ordering_edits` finds the comparisons of a code that may be of objects; they become calls of the functions that
`uac_order_maker` creates inside. Monty is given that function as text, so it keeps to the part of Python that it runs.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from uac.schema.syntax import tree_nodes

__all__ = ["ordering_edits", "uac_order_maker"]

_FUNCTIONS = {ast.Lt: "uac_lt(", ast.LtE: "uac_le(", ast.Gt: "uac_gt(", ast.GtE: "uac_ge("}
_OPERATOR = re.compile(rb"#[^\n]*|([<>]=?)")


def ordering_edits(tree: ast.AST, source: bytes, starts: list[int]) -> list[tuple[int, int, str]]:
    """What to replace, from one byte to another: `a < b` becomes `uac_lt(a , b)`, and a chain another call.

    `starts` are the places at which the lines begin.
    """
    edits: list[tuple[int, int, str]] = []
    for node in _ordering_nodes(tree):
        operands = [node.left, *node.comparators]
        is_chain = len(operands) > 2
        name = "uac_ordered(" if is_chain else _FUNCTIONS[type(node.ops[0])]
        start, end = _place(starts, node.lineno, node.col_offset), _place(starts, node.end_lineno, node.end_col_offset)
        edits.append((start, start, name))
        for left, right in pairwise(operands):
            begin = _place(starts, left.end_lineno, left.end_col_offset)
            found = _OPERATOR.finditer(source, begin, _place(starts, right.lineno, right.col_offset))
            operator = next(each for each in found if each[1])
            edits.append((*operator.span(), f", '{operator[1].decode()}', lambda:" if is_chain else ","))
        edits.append((end, end, ")"))
    return edits


def _place(starts: list[int], line: int | None, column: int | None) -> int:
    return starts[(line or 1) - 1] + (column or 0)


def _ordering_nodes(tree: ast.AST) -> Iterator[ast.Compare]:
    """Comparisons by order only, and without constants. Python 3.11 does not place what is in f-strings."""
    for node in tree_nodes(tree, without=(ast.JoinedStr,)):
        if isinstance(node, ast.Compare) and all(type(operator) in _FUNCTIONS for operator in node.ops):
            operands = [node.left, *node.comparators]
            is_plain = any(map(_is_never_object, operands))
            if not is_plain and (len(operands) == 2 or not any(map(_is_bound_here, operands))):
                yield node


_PLAIN_FUNCTIONS = frozenset({"as_date", "date", "datetime", "days_between", "float", "int", "len", "str", "timedelta"})
"""Functions whose result has an order of its own. Calls take twice the time of a comparison, so fewer are better."""


def _is_never_object(node: ast.expr) -> bool:
    match node:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _PLAIN_FUNCTIONS
    return False


def _is_bound_here(node: ast.expr) -> bool:
    """Whether it means another thing inside a lambda."""
    return any(isinstance(part, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom) for part in ast.walk(node))


def uac_order_maker() -> Any:  # noqa: PLR0915 - one function, so that Monty has no name of it but this
    """The four comparisons, a chain of them, and sorted(), min() and max() that use them."""
    # Foreign code may rebind the built-in names, so these functions keep their own.
    _sorted, _min, _max, _list, _tuple = sorted, min, max, list, tuple
    _len, _zip, _range, _isinstance, _getattr, _no = len, zip, range, isinstance, getattr, NotImplemented
    _TypeError = TypeError  # noqa: N806 - it is a class
    missing = ["missing"]

    def compare(left: Any, operator: str, right: Any) -> Any:
        """Compare by methods what has no order of its own; None if there is no such method."""
        lists = _isinstance(left, _list) and _isinstance(right, _list)
        if lists or (_isinstance(left, _tuple) and _isinstance(right, _tuple)):
            for mine, other in _zip(left, right):
                if mine != other:
                    return comparisons[operator](mine, other)
            return comparisons[operator](_len(left), _len(right))
        name, mirrored = methods[operator]
        for subject, method, argument in ((left, name, right), (right, mirrored, left)):
            function = _getattr(subject, method, None)
            answer = _no if function is None else function(argument)
            if answer is not _no:
                return answer
        return None

    def lt(left: Any, right: Any) -> Any:
        try:
            return left < right
        except _TypeError:
            answer = compare(left, "<", right)
            if answer is None:
                raise
            return answer

    def le(left: Any, right: Any) -> Any:
        try:
            return left <= right
        except _TypeError:
            answer = compare(left, "<=", right)
            if answer is None:
                raise
            return answer

    def gt(left: Any, right: Any) -> Any:
        try:
            return left > right
        except _TypeError:
            answer = compare(left, ">", right)
            if answer is None:
                raise
            return answer

    def ge(left: Any, right: Any) -> Any:
        try:
            return left >= right
        except _TypeError:
            answer = compare(left, ">=", right)
            if answer is None:
                raise
            return answer

    comparisons = {"<": lt, "<=": le, ">": gt, ">=": ge}
    methods = {
        "<": ("__lt__", "__gt__"),
        "<=": ("__le__", "__ge__"),
        ">": ("__gt__", "__lt__"),
        ">=": ("__ge__", "__le__"),
    }

    def ordered(left: Any, *rest: Any) -> Any:
        """A chain: each operator, and each operand as a function, so that no more are evaluated than needed."""
        answer: Any = True
        for place in _range(0, _len(rest), 2):
            right = rest[place + 1]()
            answer = comparisons[rest[place]](left, right)
            if not answer:
                return answer
            left = right
        return answer

    def merged(items: Any, reverse: Any) -> Any:
        """Pairs of a key and an item, sorted by key; equal ones stay in their order."""
        if _len(items) < 2:
            return items
        middle = _len(items) // 2
        left, right = merged(items[:middle], reverse), merged(items[middle:], reverse)
        made: list[Any] = []
        i = j = 0
        while i < _len(left) and j < _len(right):
            if lt(left[i][0], right[j][0]) if reverse else lt(right[j][0], left[i][0]):
                made.append(right[j])
                j += 1
            else:
                made.append(left[i])
                i += 1
        return made + left[i:] + right[j:]

    def sort(items: Any, *, key: Any = None, reverse: Any = False) -> Any:
        items = _list(items)
        try:
            return _sorted(items, key=key, reverse=reverse)
        except _TypeError:
            keyed = [(item if key is None else key(item), item) for item in items]
            return [pair[1] for pair in merged(keyed, reverse)]

    def best_maker(plain: Any, is_better: Any) -> Any:
        def best(*items: Any, key: Any = None, default: Any = missing) -> Any:
            values = _list(items[0]) if _len(items) == 1 else items
            if not values:
                return plain(*items) if default is missing else default
            try:
                return plain(values, key=key)
            except _TypeError:
                found = values[0]
                top = found if key is None else key(found)
                for value in values[1:]:
                    rank = value if key is None else key(value)
                    if is_better(rank, top):
                        found, top = value, rank
                return found

        return best

    return lt, le, gt, ge, ordered, sort, best_maker(_min, lt), best_maker(_max, gt)
