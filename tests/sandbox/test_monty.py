"""What is true of Monty only: its gaps are named, its workers are few, and it runs in a box."""

import ast
import socket
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from attacks.sandbox_escape_corpus import BOMBS, ESCAPES, PRIVATE

from support.sandboxes import NOW, QUICK
from uac.errors import CodeError, LimitError, Refused, SandboxError
from uac.sandbox import monty_gaps
from uac.sandbox.linux.child_command import can_confine_child, child_command
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import Limits, SandboxSession


def missing_samples() -> dict[str, str]:
    """A piece of code for everything that monty_gaps.py says Monty does not have."""
    samples = {f"module {name}": f"import {name}" for name in monty_gaps.MISSING_MODULES}
    samples |= {
        f"{module}.{name}": f"from {module} import {name}"
        for module, names in monty_gaps.MISSING_NAMES.items()
        for name in names
    }
    return samples | {
        "class inheritance": "class A(int):\n    pass",
        "decorators of methods (property, classmethod, staticmethod)": "class A:\n    @property\n    def x(self):\n        return 1",
        "class bodies with more than methods and variables": "class A:\n    class B:\n        pass",
        "the del statement": "x = 1\ndel x",
        "yield": "def f():\n    yield 1",
        "async for": "async def f():\n    async for x in y:\n        pass",
        "async with": "async def f():\n    async with y:\n        pass",
        "except*": "try:\n    pass\nexcept* ValueError:\n    pass",
        "from … import *": "from math import *",
        "dataclass(order=…)": "from dataclasses import dataclass\n@dataclass(order=True)\nclass A:\n    x: int",
    }


UNUSUAL = (
    "0;del x",
    "if 1:raise E",
    "x = 1\\\n;assert x, 'no'",
    "def f(): f'{(yield)}'",
    "def f(): x = f'{yield}'",
    "async def f(): return [x async\tfor x in y]",
    "try:0\nexcept*E:0",
    "é = 1\nclass\\\nA(é): pass",
    "from\\\nmath\\\nimport*",
)


def found_in(code: str) -> list[object]:
    """What is looked for in a tree."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # some attempts are Python when they are filled in
        return []
    return [*monty_gaps._missing_features(nodes), *filter(None, map(monty_gaps._raised_in_monty, nodes))]


def test_code_whose_tree_is_not_walked_has_nothing_to_find_in_it() -> None:
    codes = [*UNUSUAL, *(attempt.code for attempt in (*ESCAPES, *PRIVATE, *BOMBS))]
    assert [code for code in codes if found_in(code) and not monty_gaps._LOOKED_AT.search(code)] == []
    assert all(map(found_in, UNUSUAL))


@pytest.mark.parametrize(("what", "code"), sorted(missing_samples().items()))
def test_what_is_said_to_be_missing_in_monty_is_named_and_is_missing(
    monty: MontySandbox, in_monty: SandboxSession, what: str, code: str
) -> None:
    assert monty.unsupported(code) == what
    with pytest.raises(CodeError) as failed:
        in_monty.feed(code)  # type: ignore[attr-defined]  # past the check, to Monty itself
    assert failed.value.kind == "NotImplementedError"


@pytest.mark.parametrize(
    "method", ["__bool__", "__len__", "__lt__", "__ne__", "__getattr__", "__format__", "__iadd__", "__new__"]
)
def test_methods_that_monty_would_ignore_in_silence_are_named(monty: MontySandbox, method: str) -> None:
    code = f"class A:\n    def {method}(self, *other):\n        return 0"
    assert monty.unsupported(code) == f"the method {method}"


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("from datetime import date\ndate(2024, 1, 1).isocalendar()", "datetime.date.isocalendar"),
        ("list(map(str.upper, ['a']))", "str.upper"),
        ("(5).bit_length()", "int.bit_length"),
        (
            "from collections import defaultdict\nd = defaultdict(int)\nmax(['a'], key=d.get)",
            "collections.defaultdict.get",
        ),
        ("from collections import Counter\nlist(map(Counter('aab').get, 'ab'))", "Counter.get"),
        ("import datetime\ndatetime.UTC", "datetime.UTC"),
        ("issubclass(int, int)", "issubclass()"),
        ("object()", "object()"),
    ],
)
def test_a_gap_that_shows_when_running_is_named(in_monty: SandboxSession, code: str, what: str) -> None:
    with pytest.raises(CodeError, match="does not have") as failed:
        in_monty.run(code)
    assert failed.value.kind == "NotImplementedError"
    assert what in str(failed.value)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("class A:\n    pass\nA().x", "AttributeError"),
        ("'a'.uper()", "AttributeError"),
        ("().__class__", "AttributeError"),
        ("sume([1])", "NameError"),
        ("open_door()", "NameError"),
        ("import pandas", "ModuleNotFoundError"),
        ("from math import pie", "ImportError"),
        ("raise NotImplementedError('to do')", "NotImplementedError"),
    ],
)
def test_a_mistake_is_not_taken_for_a_gap(in_monty: SandboxSession, code: str, kind: str) -> None:
    with pytest.raises(CodeError) as failed:
        in_monty.run(code)
    assert failed.value.kind == kind
    assert "does not have" not in str(failed.value)


def test_a_pool_that_is_used_up_says_so() -> None:
    sandbox = MontySandbox(workers=1, wait=1.0)
    session = sandbox.session(now=NOW)
    with pytest.raises(SandboxError, match="No worker of Monty is free"):
        sandbox.session(now=NOW)
    session.close()
    sandbox.session(now=NOW).close()
    sandbox.close()


def test_a_worker_that_hit_a_limit_serves_nobody_else(monty: MontySandbox) -> None:
    session = monty.session(now=NOW, limits=QUICK)
    worker = session._checkout.worker_pid  # type: ignore[attr-defined]  # to see the process
    with pytest.raises(LimitError):
        session.run("x = 'x' * 10**10")
    following = monty.session(now=NOW)
    assert following._checkout.worker_pid != worker  # type: ignore[attr-defined]  # the same
    following.close()


def test_limits_beyond_those_of_the_pool_are_refused(monty: MontySandbox) -> None:
    with pytest.raises(Refused, match="at most 60 seconds and 4096 MB"):
        monty.session(now=NOW, limits=Limits(seconds=61))


def test_a_snapshot_is_good_for_those_who_have_the_key() -> None:
    first, second, stranger = (MontySandbox(key=key, boxed=False) for key in (b"k" * 32, b"k" * 32, b"x" * 32))
    session = first.session(now=NOW, seed=3)
    session.run("x = 42")
    snapshot = session.snapshot()
    assert snapshot is not None
    assert second.restore(snapshot, now=NOW, seed=3).run("x").value == 42
    with pytest.raises(SandboxError, match="not signed"):
        stranger.restore(snapshot, now=NOW, seed=3)
    with pytest.raises(SandboxError, match="clock"):
        first.restore(snapshot, now=NOW + timedelta(days=1), seed=3)
    for sandbox in (first, second, stranger):
        sandbox.close()


def test_limits_hold_in_a_restored_session(monty: MontySandbox) -> None:
    session = monty.session(now=NOW)
    snapshot = session.snapshot() or b""
    session.close()
    restored = monty.restore(snapshot, now=NOW, limits=QUICK)
    with pytest.raises(LimitError):
        restored.run("while True:\n    pass")
    assert not restored.alive


def boxed(*command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        child_command("box.run_boxed", "1024", *command), env={"SECRET": "1"}, capture_output=True, check=False
    )


needs_box = pytest.mark.skipif(
    not can_confine_child() or boxed("/bin/true").returncode != 0, reason="this system has no Landlock or no seccomp"
)


@needs_box
def test_monty_is_boxed_where_it_can_be(monty: MontySandbox) -> None:
    assert [finding.level for finding in monty.findings()] == ["ok"]


def test_monty_without_a_box_says_so() -> None:
    sandbox = MontySandbox(boxed=False)
    assert [finding.level for finding in sandbox.findings()] == ["note"]
    sandbox.close()


@needs_box
@pytest.mark.parametrize("way", ["read", "list", "write", "child", "network", "environment"])
def test_a_boxed_program_has_nothing(way: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    (tmp_path / "secret").write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = {
            "read": f"read x < {tmp_path}/secret && echo $x",
            "list": f"echo {tmp_path}/*et",
            "write": f"echo secret > {tmp_path}/new && echo $?",
            "child": "(echo secret) && echo secret",
            "network": f"echo secret > /dev/tcp/127.0.0.1/{port} && echo secret",
            "environment": "echo $SECRET",
        }
        result = boxed("/bin/bash", "-c", script[way])
    assert result.stdout.strip().removesuffix(b"/*et").removesuffix(str(tmp_path).encode()) == b""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret"]
