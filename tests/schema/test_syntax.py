"""Trees of code, made by many threads at once."""

import ast
import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from uac.schema import syntax
from uac.schema.syntax import expression_tree, module_tree, tree_nodes

CODE = Path(syntax.__file__).read_text() * 5


class Slow:
    """Garbage in a circle, whose end takes a while: the collector lets another thread go on meanwhile."""

    def __init__(self) -> None:
        self.circle = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that take turns as often as they can, and a collector that always finds something."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50, 2, 2)
    yield
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty")
def test_many_threads_make_trees_at_once_and_none_fails() -> None:
    def make(_number: int) -> int:
        _garbage = [Slow() for _ in range(20)]
        return len(module_tree(CODE).body)

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(make, range(60))) == {len(module_tree(CODE).body)}


def test_an_expression_has_one_value() -> None:
    assert type(expression_tree("list[str] | None").body).__name__ == "BinOp"
    with pytest.raises(SyntaxError):
        expression_tree("x = 1")


MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
ODD = """
match x:
    case None | {"a": 1, **rest} | Point(1, y=2) | [*_] as z:
        def f(a: int, /, b=1, *c, d, e=2, **g) -> str: return f"{a!r:>{b}}"
    case _:
        lambda: {**x, 1: 2}, (yield), x[1:2:3], -x if x < 1 <= 2 else not x, (y := 1), {a for a in x if a}
global q
async def h():
    async with a as b, c: await [i async for i in b]
    try: raise E from e
    except* (E, F) as g: del x[0]
"""


@pytest.mark.parametrize("code", [CODE, ODD, *(["type A[T: int] = list[T]"] if sys.version_info >= (3, 12) else [])])
def test_the_nodes_of_a_tree_are_those_of_ast_walk_in_its_order_without_the_marks(code: str) -> None:
    tree = ast.parse(code)
    walked = [node for node in ast.walk(tree) if not isinstance(node, MARKS)]
    assert [*map(id, tree_nodes(tree))] == [*map(id, walked)]
    left_out = {id(part) for node in walked if isinstance(node, ast.Call) for part in ast.walk(node)}
    assert [*map(id, tree_nodes(tree, without=(ast.Call,)))] == [
        id(node) for node in walked if id(node) not in left_out
    ]
