"""Both engines, and the choice between them, pass the contract; then what is true of one only."""

import json
import os
import select
import socket
import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import CodeError, LimitError, Refused, RunError, SandboxError
from uac.sandbox import available, decode, monty_gaps, open_sandbox
from uac.sandbox import inputs as run_inputs
from uac.sandbox.auto import AutoSandbox
from uac.sandbox.linux import allowed_python
from uac.sandbox.linux.child_command import can_confine_child, child_command
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import Instance, Limits, Sandbox, SandboxSession, Value
from uac.testing import SandboxContract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUICK = Limits(seconds=0.5, memory_mb=256)

needs_process = pytest.mark.skipif("process" not in available(), reason="the process sandbox needs Linux")


class TestMonty(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls) -> Iterator[Sandbox]:
        sandbox = open_sandbox("monty")
        yield sandbox
        sandbox.close()


@needs_process
class TestProcess(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls) -> Iterator[Sandbox]:
        sandbox = open_sandbox("process")
        yield sandbox
        sandbox.close()


class TestAuto(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls) -> Iterator[Sandbox]:
        sandbox = open_sandbox("auto")
        yield sandbox
        sandbox.close()


def test_the_engines_have_names() -> None:
    assert set(available()) <= {"monty", "process"}
    with pytest.raises(SandboxError, match="No sandbox 'pyodide'"):
        open_sandbox("pyodide")


@pytest.mark.parametrize("name", [*available(), "auto"])
def test_closing_a_sandbox_ends_its_sessions(name: str) -> None:
    sandbox = open_sandbox(name)
    session = sandbox.session(now=NOW)
    session.run("x = 1")
    sandbox.close()
    assert not session.alive
    with pytest.raises(SandboxError, match="over"):
        session.run("x")


# --- Monty ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def monty() -> Iterator[MontySandbox]:
    sandbox = MontySandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def in_monty(monty: MontySandbox) -> Iterator[SandboxSession]:
    session = monty.session(now=NOW)
    yield session
    session.close()


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


# --- the process ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def process() -> Iterator[ProcessSandbox]:
    if "process" not in available():
        pytest.skip("the process sandbox needs Linux")
    sandbox = ProcessSandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def in_process(process: ProcessSandbox) -> Iterator[SandboxSession]:
    session = process.session(now=NOW)
    yield session
    session.close()


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
    session = kernel_alone.session(now=NOW, limits=QUICK)
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
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True:\n    pass",
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True:\n    pass",
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


def test_warnings_of_the_compiler_are_not_printed(in_process: SandboxSession, in_monty: SandboxSession) -> None:
    for session in (in_process, in_monty):
        assert session.run("import re\nlen(re.findall('\\d', 'a1'))").printed == ""


# --- the choice -------------------------------------------------------------------------------------------------------


@pytest.fixture
def auto(monty: MontySandbox, process: ProcessSandbox) -> Iterator[SandboxSession]:
    session = AutoSandbox(monty, lambda: process).session(now=NOW, seed=5)
    yield session
    session.close()


INHERITS = "class Base:\n    pass\nclass Child(Base):\n    x = 1\n"


def test_a_session_stays_with_monty_while_it_can(auto: SandboxSession) -> None:
    auto.run("x = 1")
    with pytest.raises(CodeError):
        auto.run("1 / 0")
    assert auto.snapshot() is not None


def test_code_that_monty_lacks_runs_in_the_process_with_all_names(auto: SandboxSession) -> None:
    auto.run("x = [n for n in rows]\nprint('once')", {"rows": [1, 2, 3]})
    with pytest.raises(CodeError):
        auto.run("y = 10\n1 / 0")
    outcome = auto.run(INHERITS + "print('now')\nsum(x) + y + Child.x")
    assert (outcome.value, outcome.printed) == (17, "now\n")
    assert auto.snapshot() is None
    assert auto.run("sum(x)").value == 6


def test_a_gap_found_while_running_moves_the_session_too(auto: SandboxSession) -> None:
    auto.run("from datetime import date\nday = date(2024, 12, 30)\ncount = 0")
    assert auto.run("count = count + 1\nday.isocalendar().week").value == 1
    assert auto.run("count").value == 1


def test_chance_goes_on_after_a_move_as_before(auto: SandboxSession, process: ProcessSandbox) -> None:
    auto.run("import random\nfirst = random.random()")
    auto.run(INHERITS)
    alone = process.session(now=NOW, seed=5)
    code = "import random\nrandom.random()"
    alone.run(code)
    assert auto.run(code).value == alone.run(code).value
    alone.close()


def test_an_error_after_the_move_is_that_of_python(auto: SandboxSession) -> None:
    with pytest.raises(CodeError) as failed:
        auto.run(INHERITS + "raise KeyError('x')")
    assert (failed.value.kind, failed.value.line) == ("KeyError", 5)


def test_without_a_second_engine_the_construct_is_named(monty: MontySandbox) -> None:
    def none() -> Sandbox:
        raise SandboxError("there is no process sandbox here")

    sandbox = AutoSandbox(monty, none)
    assert sandbox.unsupported(INHERITS) == "class inheritance"
    session = sandbox.session(now=NOW)
    session.run("x = 1")
    with pytest.raises(CodeError, match="does not have class inheritance") as failed:
        session.run(INHERITS)
    assert failed.value.kind == "NotImplementedError"
    assert session.run("x").value == 1
    assert [finding.level for finding in sandbox.findings()][-1] == "note"
    session.close()


# --- the wire ---------------------------------------------------------------------------------------------------------

trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["t", "s", "m", "d", "dt", "tm", "td", "n", "x", "?", ""]), inner, max_size=2)
    ),
    max_leaves=20,
)


@given(tree=trees)
def test_whatever_a_worker_sends_is_a_value_or_an_error_of_ours(tree: object) -> None:
    try:
        value = decode.decode_result(json.dumps({"value": tree}).encode(), QUICK)
    except RunError:
        return
    run_inputs.check_input_values({} if _holds_instance(value) else {"x": value})


def _holds_instance(value: Value) -> bool:
    match value:
        case Instance():
            return True
        case dict():
            return any(_holds_instance(item) for item in value.values())
        case list() | tuple():
            return any(_holds_instance(item) for item in value)
    return False


@given(packed=st.binary(max_size=50) | st.text(max_size=50))
def test_bytes_that_are_no_reply_are_an_error_of_ours(packed: bytes | str) -> None:
    with pytest.raises(RunError):
        decode.decode_result(packed, QUICK)


@pytest.mark.parametrize(
    ("tree", "error"),
    [
        ({"d": "2024-13-01"}, SandboxError),
        ({"d": 5}, SandboxError),
        ({"n": "one"}, SandboxError),
        ({"n": "sNaN"}, CodeError),
        ({"n": "1E+999999999"}, CodeError),
        ({"n": "1" * 6000}, CodeError),
        ({"td": [10**12, 0, 0]}, SandboxError),
        ({"td": [1.5, 0, 0]}, SandboxError),
        ({"td": [True, 0, 0]}, SandboxError),
        ({"m": [["a"]]}, SandboxError),
        ({"m": {"a": 1}}, SandboxError),
        ({"m": [[[], 1]]}, CodeError),
        ({"s": [{"x": ["A", []]}]}, CodeError),
        ({"s": [{"t": [[]]}]}, CodeError),
        ({"x": [1, []]}, SandboxError),
        ({"x": ["A", [[1, 2]]]}, SandboxError),
        ({"a": 1, "b": 2}, SandboxError),
        ({}, SandboxError),
        ("\ud800", CodeError),
        ({"x": ["\ud800", []]}, CodeError),
        ([0] * 2000, LimitError),
    ],
)
def test_a_hostile_reply_is_refused(tree: object, error: type[RunError]) -> None:
    with pytest.raises(error):
        decode.decode_result(json.dumps({"value": tree}), Limits(result_items=1000))


def test_nesting_has_an_end() -> None:
    def nested(depth: int) -> str:
        return '{"value": ' + "[" * depth + "]" * depth + "}"

    assert decode.decode_result(nested(100), Limits(depth=500)) is not None
    for depth, limit, most in ((101, 500, 100), (51, 50, 50), (100_000, 500, 100)):
        with pytest.raises(LimitError, match=rf"^The result nests more than {most} deep\. Return flatter data\.$"):
            decode.decode_result(nested(depth), Limits(depth=limit))


def test_a_reply_that_would_fill_the_host_is_not_even_read() -> None:
    with pytest.raises(LimitError, match="more than"):
        decode.decode_result('{"value": [' + "[]," * 1_000_000 + "[]]}", Limits(result_items=1000))


def test_values_are_packed_as_described() -> None:
    inputs: dict[str, Value] = {"x": [1, (2,), {3}, {"a": Decimal("1.50")}, date(2024, 1, 2), timedelta(1, 2, 3)]}
    assert json.loads(run_inputs.encode_inputs(inputs)) == {
        "m": [["x", [1, {"t": [2]}, {"s": [3]}, {"m": [["a", {"n": "1.50"}]]}, {"d": "2024-01-02"}, {"td": [1, 2, 3]}]]]
    }
