"""What foreign code could change, read from its tree with closed lists."""

import ast

import pytest

from uac.schema.code_effects import FRAMES, Effect, EffectKind, effect_of


def effect(code: str) -> Effect:
    tree = ast.parse(code)
    return effect_of(tree, list(ast.walk(tree)))


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("sum(t.cost for t in trips)", "nothing"),
        ("import math\nmath.sqrt(2)", "nothing"),
        ("from collections import Counter\nCounter(x).most_common(2)", "nothing"),
        ("json.dumps(math.pi)", "nothing"),
        ("type(x).__name__", "nothing"),
        ("type(x) == type(y)", "nothing"),
        ("getattr(x, 'city')", "nothing"),
        ("hasattr(x, 'city')", "nothing"),
        ("if (n := len(x)) > 2:\n    n", "nothing"),
        ("@dataclass\nclass Sum:\n    'Doc.'\n    total: int = 0", "nothing"),
        ("@dataclass(frozen=True)\nclass Sum:\n    pass", "nothing"),
        ("match x:\n    case {'a': b, **rest}:\n        rest", "nothing"),
        ("try:\n    x\nexcept ValueError as error:\n    pass", "nothing"),
        ("x[0] = 1", "containers"),
        ("x += 1", "containers"),
        ("del x[0]", "containers"),
        ("x.append(1)", "containers"),
        ("[x.update(y) for y in z]", "containers"),
        ("getattr(x, 'append')(1)", "containers"),
        ("match x:\n    case Trip(append=a):\n        a", "containers"),
        ("x.city = 1", "anything"),
        ("del x.city", "anything"),
        ("x.__class__", "anything"),
        ("x._hidden", "anything"),
        ("setattr(x, 'city', 1)", "anything"),
        ("getattr(x, name)", "anything"),
        ("getattr(*x, 'city')", "anything"),
        ("hasattr(*x, 'city')", "anything"),
        ("getattr", "anything"),
        ("getattr.x", "anything"),
        ("type(*x) == y", "anything"),
        ("type(x)()", "anything"),
        ("eval('1')", "anything"),
        ("global x", "anything"),
        ("def f():\n    yield 1", "anything"),
        ("def f():\n    yield from x", "anything"),
        ("async def f(): pass", "anything"),
        ("def f(x=(y := 1)): pass", "anything"),
        ("def uac_f(): pass", "anything"),
        ("lambda __x: 1", "anything"),
        ("import os", "anything"),
        ("import math as m, json as m", "anything"),
        ("def f():\n    import math", "anything"),
        ("m = math", "anything"),
        ("math.__loader__", "anything"),
        ("from . import math", "anything"),
        ("from os import path", "anything"),
        ("from dataclasses import dataclass as d", "anything"),
        ("from math import sqrt as __s", "anything"),
        ("class A: pass", "anything"),
        ("@dataclass\nclass A(B): pass", "anything"),
        ("@dataclass\nclass A:\n    x: int = f()", "anything"),
        ("@dataclass(A)\nclass B: pass", "anything"),
        ("@dataclass(**x)\nclass B: pass", "anything"),
        ("@other\nclass B: pass", "anything"),
        ("functools.dataclass(A)", "anything"),
        ("match x:\n    case [*__rest]:\n        1", "anything"),
        ("match x:\n    case __y:\n        1", "anything"),
    ],
)
def test_code_could_change_no_more_than_this(code: str, change: EffectKind) -> None:
    assert effect(code).change == change


@pytest.mark.parametrize("name", sorted(FRAMES))
def test_attributes_that_lead_to_the_interpreter_could_change_anything(name: str) -> None:
    assert effect(f"x.{name}").change == "anything"


def test_the_attributes_that_code_reaches_are_named_unless_places_take_them() -> None:
    code = "x.city\ngetattr(y, 'cost')\nmatch z:\n    case Trip(start=s):\n        s"
    assert effect(code).attributes == frozenset({"city", "cost", "start"})
    assert effect("match z:\n    case Trip(s):\n        s").attributes is None
