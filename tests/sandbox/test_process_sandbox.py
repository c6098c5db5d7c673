"""What is true of the process sandbox only: all of Python, its layers, and a wire that cannot be forged."""

import os
import select
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import pytest

from support.sandboxes import NOW, QUICK, needs_process
from uac.errors import CodeError, LimitError, Refused, SandboxError
from uac.sandbox import available
from uac.sandbox.linux import allowed_python
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.sandbox.port import SandboxSession, Value


@pytest.fixture(scope="module")
def kernel_alone() -> Iterator[ProcessSandbox]:
    """Without the language layer, so that code can reach its own end of the wire."""
    if "process" not in available():
        pytest.skip("the process sandbox needs Linux")
    sandbox = ProcessSandbox(without=("guard",))
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("class A:\n    def f(self):\n        return 1\nclass B(A):\n    pass\nB().f()", 1),
        ("import enum\nclass C(enum.Enum):\n    RED = 'r'\n[C.RED]", ["r"]),
        ("import statistics\nstatistics.median([3, 1, 2])", 2),
        ("def g():\n    yield 1\n    yield 2\ng()", [1, 2]),
        ("class A:\n    @property\n    def x(self):\n        return 5\nA().x", 5),
        ("from datetime import datetime\ndatetime.strptime('1 Feb 2024', '%d %b %Y')", datetime(2024, 2, 1)),  # noqa: DTZ001
        ("import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: int\ndataclasses.asdict(A(1))", {"x": 1}),
        ("from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\nP(3)", (3,)),
        ("'{0[0]:>4}|{name!r}'.format([7], name='x')", "   7|'x'"),
        ("'{a}'.format_map({'a': 1})", "1"),
        ("str.format('{}-{}', 1, 2)", "1-2"),
        (
            "from operator import attrgetter, methodcaller\n[attrgetter('real')(5), methodcaller('upper')('x')]",
            [5, "X"],
        ),
        ("__name__", "__main__"),
        ("from __future__ import annotations\nfrom math import *\nfloor(pi)", 3),
        ("import re\nre.sub(r'(\\d+)', lambda m: m.group(1) * 2, 'a1')", "a11"),
        ("from collections.abc import Mapping\nisinstance({}, Mapping)", True),
        ("import collections\ncollections.abc.Mapping is not None", True),
        (
            "class T:\n    def __init__(self):\n        self._x = 1\n    def x(self):\n        return self._x\nT().x()",
            1,
        ),
    ],
)
def test_the_process_runs_all_of_python(in_process: SandboxSession, code: str, value: Value) -> None:
    assert in_process.run(code).value == value


@pytest.mark.parametrize("module", allowed_python.MODULES)
def test_no_allowed_module_shows_another(in_process: SandboxSession, module: str) -> None:
    code = f"import {module} as m\n[n for n, v in {{n: getattr(m, n) for n in m.__all__}}.items() if type(v).__name__ == 'module']"
    code = code.replace("m.__all__", "['time', 'sleep']") if module == "time" else code
    assert in_process.run(code).value in ([], ["abc"])


@pytest.mark.parametrize(
    ("code", "kind", "what"),
    [
        ("x = 1\nx.__class__", "AttributeError", "attribute __class__"),
        ("x = 1\nx._private", "AttributeError", "attribute _private"),
        ("x = 1\nx.gi_frame.f_back", "AttributeError", "attribute f_back"),
        ("match 1:\n    case object(__class__=c):\n        pass", "AttributeError", "attribute __class__"),
        ("x = 1\n__import__('os')", "NameError", "name __import__"),
        ("x = 1\nopen('file')", "NameError", "name 'open'"),
        ("x = 1\nimport os", "ModuleNotFoundError", "No module named 'os'"),
        ("x = 1\nfrom os import path", "ModuleNotFoundError", "No module named 'os'"),
        ("x = 1\nfrom . import x", "ModuleNotFoundError", "No module"),
        ("x = 1\nfrom statistics import sys", "ImportError", "cannot import name 'sys'"),
    ],
)
def test_the_language_layer_says_what_is_not_there_and_where(
    in_process: SandboxSession, code: str, kind: str, what: str
) -> None:
    with pytest.raises(CodeError, match=what) as failed:
        in_process.run(code)
    assert (failed.value.kind, failed.value.line) == (kind, 2)


@needs_process
def test_without_an_essential_layer_nothing_starts() -> None:
    with pytest.raises(SandboxError, match="seccomp and rlimits is missing"):
        ProcessSandbox(without=("seccomp",))


@needs_process
def test_a_missing_layer_is_a_finding() -> None:
    sandbox = ProcessSandbox(without=("namespaces", "landlock"))
    notes = [finding.what for finding in sandbox.findings() if finding.level == "note"]
    assert notes == [f"process sandbox: {layer} is missing" for layer in ("namespaces", "an empty root", "Landlock")]
    session = sandbox.session(now=NOW)
    assert session.run("1 + 1").value == 2
    session.close()
    sandbox.close()


def test_an_answer_with_a_header_too_long_is_not_read(kernel_alone: ProcessSandbox) -> None:
    session = kernel_alone.session(now=NOW, limits=QUICK)
    with pytest.raises(LimitError):
        session.run(FRAME + "os.write(0, struct.pack('>I', 50_000_000))\nwhile True:\n    pass")
    assert not session.alive


@needs_process
def test_another_interpreter_that_does_not_start_is_an_error() -> None:
    with pytest.raises(SandboxError, match="ended"):
        ProcessSandbox(python="/bin/false")


def test_a_number_too_long_to_send_is_refused(process: ProcessSandbox) -> None:
    session = process.session(now=NOW)
    with pytest.raises(Refused, match="4300 digits"):
        session.run("1", {"x": 10**5000})
    session.close()


FRAME = "import json, os, struct\ndef frame(b):\n    return struct.pack('>I', len(b)) + b\n"
FORGERIES = {
    "an exit": "os._exit(0)",
    "an exit after half a frame": "os.write(0, b'\\0\\0\\1')\nos._exit(0)",
    "another ticket": "os.write(0, frame(json.dumps({'id': 'x', 'printed': ''}).encode()) + frame(b'{\"value\": 1}'))",
    "no ticket": "os.write(0, frame(b'{}') + frame(b'{\"value\": 1}'))",
    "no JSON": "os.write(0, frame(b'hello') + frame(b'world'))",
    "nested JSON": "os.write(0, frame(b'[' * 100000) + frame(b''))",
    "a frame of four gigabytes": "os.write(0, b'\\xff\\xff\\xff\\xff' * 100)",
    "silence": "os.write(0, struct.pack('>I', 1000))\nwhile True:\n    pass",
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_answer_ends_the_session(kernel_alone: ProcessSandbox, name: str) -> None:
    # One of them computes until its limit and is silent then: the host waits for the rest of its answer.
    session = kernel_alone.session(now=NOW, limits=replace(QUICK, wall_seconds=10 * QUICK.seconds))
    with pytest.raises((SandboxError, LimitError)):
        session.run(FRAME + FORGERIES[name])
    assert not session.alive
    following = kernel_alone.session(now=NOW)
    assert following.run("1 + 1").value == 2
    following.close()


def test_an_answer_left_over_from_the_run_before_is_not_taken(kernel_alone: ProcessSandbox) -> None:
    """The code finds its own ticket, answers in the worker's place, and leaves the worker's answer in the pipe."""
    session = kernel_alone.session(now=NOW)
    code = (
        FRAME + "import sys\nf = sys._getframe()\nwhile 'request' not in f.f_locals:\n    f = f.f_back\n"
        "ticket = f.f_locals['request']['id']\n"
        "os.write(0, frame(json.dumps({'id': ticket, 'printed': ''}).encode()) + frame(b'{\"value\": 1}'))\n"
    )
    assert session.run(code).value == 1
    with pytest.raises(SandboxError, match="malformed"):
        session.run("2")
    assert not session.alive


@pytest.mark.parametrize(
    "code",
    [
        "import signal\nsignal.setitimer(signal.ITIMER_PROF, 0)\nwhile True:\n    pass",
        "import signal\nsignal.signal(signal.SIGPROF, signal.SIG_IGN)\nwhile True:\n    pass",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f():\n    return f()\nf()",
        "import ctypes\nctypes.string_at(0)",
        "import mmap\nx = [mmap.mmap(-1, 10**8) for _ in range(10**6)]",
        "import os\nwhile True:\n    os.fork()",
        "import threading\nwhile True:\n    threading.Thread(target=print).start()",
    ],
)
def test_limits_hold_without_the_language_layer(kernel_alone: ProcessSandbox, code: str) -> None:
    session = kernel_alone.session(now=NOW, limits=QUICK)
    with pytest.raises((LimitError, CodeError)):
        session.run(code)
    session.close()
    following = kernel_alone.session(now=NOW)
    assert following.run("1 + 1").value == 2
    following.close()


@needs_process
def test_a_nursery_that_died_is_replaced() -> None:
    sandbox = ProcessSandbox()
    session = sandbox.session(now=NOW)
    assert sandbox._nursery is not None
    sandbox._nursery._process.kill()
    sandbox._nursery._process.wait()
    with pytest.raises((SandboxError, LimitError)):
        # The kernel ends the worker soon after, not at once.
        session.run("while True:\n    pass")
    following = sandbox.session(now=NOW)
    assert following.run("1 + 1").value == 2
    following.close()
    sandbox.close()


@needs_process
def test_a_closed_session_leaves_no_process() -> None:
    sandbox = ProcessSandbox()
    session = sandbox.session(now=NOW)
    worker = os.dup(session._handle.fileno())  # type: ignore[attr-defined]  # a handle of the process
    session.close()
    assert select.select([worker], [], [], 0)[0] == [worker]
    os.close(worker)
    nursery = sandbox._nursery
    assert nursery is not None
    sandbox.close()
    assert nursery.has_ended()
    with pytest.raises(SandboxError, match="closed"):
        sandbox.session(now=NOW)
