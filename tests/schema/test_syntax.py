"""Trees of code, made by many threads at once."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from uac.schema import syntax
from uac.schema.syntax import expression_tree, module_tree

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
