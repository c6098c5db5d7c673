"""Which objects code made itself, and the first place where it could change another one."""

import ast

import pytest

from uac.schema.code_ownership import find_unowned_change


def change(code: str) -> str | None:
    """The code of the first place that could change a loaded object."""
    tree = ast.parse(code)
    found = find_unowned_change(tree, list(ast.walk(tree)))
    return None if found is None else ast.unparse(found)


@pytest.mark.parametrize(
    "code",
    [
        "import math, json",
        "from collections import Counter as C\nx = C()",
        "def f(x):\n    return x",
        "@dataclass\nclass A:\n    x: int",
        "@dataclass(frozen=True)\nclass A:\n    def __init__(self): pass",
        "x = []\nx.append(1)",
        "x: list = []\nx.append(1)",
        "(x := [])\nx.append(1)",
        "x = 0\nx += 1",
        "x = {}\nx['a'] = [trip]\nx['a'].append(trip)",
        "x = {}\nx['a'] = []\nx['a'] += [1]",
        "x = {m: [] for m in 'ab'}\nx['a'].append(1)",
        "x = [[] for _ in 'ab']\nx[0].append(1)",
        "x = defaultdict(lambda: [])\nx['a'].append(1)",
        "x = defaultdict(list)\nx['a'].append(1)",
        "x = {}\nx.setdefault('a', []).append(1)",
        "x = f'{y}'\nx += 'a'",
        "x = sum(y)\nx += 1",
        "x = collections.Counter()\nx.update(y)",
        "x.__class__.__name__",
    ],
)
def test_code_that_changes_only_its_own_objects_changes_nothing(code: str) -> None:
    assert change(code) is None


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("def sorted(x): return x", "def sorted(x):\n    return x"),
        ("import os.path", "import os.path"),
        ("from functools import wraps", "from functools import wraps"),
        ("def __getattr__(x): pass", "def __getattr__(x):\n    pass"),
        ("dataclass(Trip)", "dataclass"),
        ("x.__dict__", "x.__dict__"),
        ("x.setattr", "x.setattr"),
        ("__loader__", "__loader__"),
        ("x.city = 1", "x.city"),
        ("x[0] += [1]", "x[0] += [1]"),
        ("x += [1]", "x += [1]"),
        ("x[0] = 1", "x[0]"),
        ("match x:\n    case Trip(append=f):\n        f(1)", "Trip(append=f)"),
        ("match x:\n    case [*rest]:\n        rest.append(1)", "rest.append"),
        ("try:\n    y\nexcept E as x:\n    x.append(1)", "x.append"),
        ("with y as x:\n    x.append(1)", "x.append"),
        ("for x in y:\n    x.append(1)", "x.append"),
        ("x = sum([], y)\nx.clear()", "x.clear"),
        ("x = [y]\nx[0].append(1)", "x[0].append"),
        ("x = []\nx.append(y)\nx[0].append(1)", "x[0].append"),
        ("x = {}\nx.setdefault('a', y).append(1)", "x.setdefault('a', y).append"),
        ("def f():\n    knowledge = []\nknowledge.append(1)", "knowledge.append"),
        ("y().append(1)", "y().append"),
    ],
)
def test_the_first_place_that_could_change_a_loaded_object_is_found(code: str, where: str) -> None:
    assert change(code) == where
