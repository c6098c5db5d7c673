"""The language layer of the process sandbox, without its process: which names code may use."""

import ast
import copy
import dataclasses
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from uac.sandbox.linux.allowed_python import MODULES, NotAllowed, allowed_modules, check_allowed_code, safe_builtins


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Runs code as a worker does and returns its `x`; copying is restored afterwards."""
    monkeypatch.setattr(copy, "_reconstruct", vars(copy)["_reconstruct"])
    monkeypatch.setattr(dataclasses, "fields", dataclasses.fields)
    for name in MODULES:  # a worker loads them before it is confined
        import_module(name)
    builtins = safe_builtins(allowed_modules(ModuleType("time")))

    def run(code: str) -> Any:
        tree = ast.parse(code)
        check_allowed_code(tree)
        names: dict[str, Any] = {"__builtins__": builtins, "__name__": "sandboxed"}
        exec(compile(tree, "code", "exec"), names)  # noqa: S102 - code of this test
        return names["x"]

    return run


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("x = sum(range(4))", 6),
        ("import math\nx = math.floor(2.5)", 2),
        ("import collections.abc\nx = collections.abc.Sized.__name__", "Sized"),
        ("from collections import Counter\nx = Counter('aab')['a']", 2),
        ("from __future__ import annotations\nx = 1", 1),
        ("x = '{} {a}'.format(1, a=2)", "1 2"),
        ("x = '{0.real}'.format(3)", "3"),
        ("x = '{a}'.format_map({'a': 1})", "1"),
        ("x = str.format('{}', 1)", "1"),
        ("x = getattr('{}', 'format')(5)", "5"),
        ("x = getattr(1, 'real'), getattr(1, 'nothing', 7)", (1, 7)),
        ("x = hasattr(1, 'real'), hasattr(1, '__globals__'), hasattr(1, 'nothing')", (True, False, False)),
        ("class A:\n    pass\na = A()\nsetattr(a, 'b', 1)\nx = vars(a)\ndelattr(a, 'b')", {"b": 1}),
        ("class A:\n    pass\na = A()\na.__setattr__('b', 2)\nx = a.b\na.__delattr__('b')", 2),
        ("class A:\n    def __init__(self):\n        self._b = 3\n    def b(self):\n        return self._b\nx = A().b()", 3),
        ("from operator import attrgetter\nx = attrgetter('real')(2), attrgetter('real', 'imag')(2)", (2, (2, 0))),
        ("from operator import methodcaller\nx = methodcaller('upper')('a')", "A"),
        ("from functools import wraps\ndef f():\n    'Doc.'\n@wraps(f)\ndef g():\n    pass\nx = g.__doc__", "Doc."),
        ("from dataclasses import dataclass, replace, fields\n@dataclass\nclass A:\n    b: int\nx = replace(A(1), b=2).b, fields(A)[0].name", (2, "b")),
        ("import copy\nclass A:\n    b = 1\nx = copy.deepcopy(A()).b", 1),
        ("match {'a': 1, 'b': 2}:\n    case {'a': y, **rest}:\n        x = rest", {"b": 2}),
        ("from dataclasses import dataclass\n@dataclass\nclass A:\n    b: int\nmatch A(4):\n    case A(b):\n        x = b", 4),
        ("match [1, 2]:\n    case [first, *x]:\n        pass", [2]),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    x = str(error)", "division by zero"),
        ("def f():\n    global y\n    y = 1\nf()\nx = y", 1),
    ],
)  # fmt: skip
def test_plain_code_runs_as_in_python(run: Callable[[str], Any], code: str, value: Any) -> None:
    assert run(code) == value


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("x = ().__class__", "AttributeError"),
        ("x = y._hidden", "AttributeError"),
        ("x = (i for i in ()).gi_frame", "AttributeError"),
        ("x = __loader__", "NameError"),
        ("y.__class__ = 1", "AttributeError"),
        ("def __import__(): pass", "NameError"),
        ("import math as __builtins__", "NameError"),
        ("lambda __class__: 1", "NameError"),
        ("match y:\n    case A(__class__=x):\n        pass", "AttributeError"),
        ("match y:\n    case {**__dict__}:\n        pass", "NameError"),
    ],
)
def test_a_private_name_is_refused_with_its_line(run: Callable[[str], Any], code: str, kind: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        run(code)
    message, found, line = refused.value.args
    assert message.endswith(" is not available in the sandbox")
    assert (found, line > 0) == (kind, True)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import os", ModuleNotFoundError),
        ("from . import math", ModuleNotFoundError),
        ("x = open", NameError),
        ("x = getattr(1, '__class__')", AttributeError),
        ("x = getattr(1, 5)", TypeError),
        ("setattr(object, '__match_args__', 1)", AttributeError),
        ("x = '{0.__class__}'.format(1)", AttributeError),
        ("class A:\n    pass\nA().__setattr__('__class__', int)", AttributeError),
        ("x = vars(int)", TypeError),
        ("import operator\nx = operator.attrgetter('real.__class__')(1)", AttributeError),
        ("import functools\nfunctools.update_wrapper(len, len, ['__globals__'])", AttributeError),
        ("import statistics\nx = statistics.sys", AttributeError),
        ("from enum import EnumType\nclass A(metaclass=EnumType):\n    pass\nmatch 1:\n    case A(y):\n        pass", TypeError),
    ],
)  # fmt: skip
def test_a_way_around_the_names_is_refused_when_it_is_tried(
    run: Callable[[str], Any], code: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        run(code)


def test_a_class_that_decides_how_it_is_copied_is_refused(run: Callable[[str], Any]) -> None:
    assert run("import copy\nx = copy.copy")([1]) == [1]

    class Odd:
        def __reduce_ex__(self, _protocol: Any) -> Any:
            return (Odd, (), {"a": 1})

    with pytest.raises(TypeError, match="Odd says how it is copied"):
        copy.copy(Odd())


def test_every_allowed_module_has_public_names_only(run: Callable[[str], Any]) -> None:
    proxies = allowed_modules(ModuleType("time"))
    assert set(proxies) == set(MODULES)
    hidden = [
        f"{name}.{member}"
        for name, proxy in proxies.items()
        for member, value in vars(proxy).items()
        if isinstance(value, ModuleType) and (name, member) != ("collections", "abc")
    ]
    assert hidden == []
