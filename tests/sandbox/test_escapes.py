"""Known ways out of a sandbox, tried for real: bait is laid out, and nothing may take it.

The larger corpus is kept outside the project (UAC_BENCH_DATA, or ../shared/bench); escapes.py holds our own.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from attacks.sandbox_escape_corpus import BOMBS, ESCAPES, PRIVATE, Escape

from support.paths import BENCH_DATA
from uac.errors import CodeError, LimitError, RunError
from uac.sandbox import available
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import Limits, Sandbox

_HOST_SECRET = "CANARYMEM-71c3"  # noqa: S105 - bait
"""What the host knows and no sandbox may."""

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUICK = Limits(seconds=0.3, memory_mb=256, depth=200, result_items=100_000)
"""For code that never ends."""
PATIENT = replace(QUICK, seconds=20)
"""For code that ends: also on a busy machine, it must not be stopped before it has."""

CORPUS = BENCH_DATA / "escapes.json"
OTHER_ENGINES = {"engine:pyodide": "Pyodide", "engine:wasi": "CPython in WASM"}

# What shows that bait was taken. The first words are the bait's own, the others are printed by the attempts.
SIGNS = re.compile(
    "CANARY(FILE|NAME|ENV|MEM|NET)|CANARYEXEC-42|MEMREAD-OK True|FORK-OK|VICTIM-VISIBLE|SYSCALL-OK|SHELLCODE-OK|UAFREAD-OK"
)
LEFT_BEHIND = re.compile("CANARYX")

ENGINES: dict[str, Callable[[], Sandbox]] = {
    "monty": MontySandbox,
    "monty, not boxed": lambda: MontySandbox(boxed=False),
    "process": ProcessSandbox,
    "process, the kernel alone": lambda: ProcessSandbox(without=("guard",)),
    "process, the filter alone": lambda: ProcessSandbox(without=("guard", "namespaces", "landlock")),
}
HARMLESS_TO_THE_KERNEL = {"mem_bufferedreader_uaf": "reads the memory of its own process, which holds its own data"}


@dataclass(frozen=True, slots=True)
class Bait:
    """Things worth taking, open to everybody: only the sandbox stands between them and the code."""

    folder: Path
    writable: Path
    listeners: tuple[socket.socket, ...]
    abstract: str
    victim: subprocess.Popen[bytes]

    def fill(self, code: str) -> str:
        places = {
            "FILE": self.folder / "file.txt",
            "DIR": self.folder,
            "WDIR": self.writable,
            "PORT": self.listeners[0].getsockname()[1],
            "USOCK": self.folder / "socket",
            "ASOCK": self.abstract,
            "VICTIM": self.victim.pid,
        }
        for name, place in places.items():
            code = code.replace("{" + name + "}", str(place))
        return code

    def taken(self) -> list[str]:
        """What happened to it since it was looked at last."""
        found = [f"file {path.name}" for path in self.writable.iterdir()]
        for listener in self.listeners:
            with contextlib.suppress(BlockingIOError):
                if listener.type is socket.SOCK_DGRAM:
                    listener.recv(100)
                else:
                    listener.accept()[0].close()
                found.append(f"connection to {listener.getsockname()!r}")
        if self.victim.poll() is not None:
            found.append("the victim is dead")
        return found


@pytest.fixture(scope="module")
def bait() -> Iterator[Bait]:
    with tempfile.TemporaryDirectory(prefix="uac-bait-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "file.txt").write_text("CANARYFILE-5e21")
        (folder / "CANARYNAME").touch()
        (folder / "writable").mkdir()
        (folder / "writable").chmod(0o777)
        abstract = f"uac-bait-{os.getpid()}"
        listeners = [stack.enter_context(socket.socket(family)) for family in (socket.AF_INET, *[socket.AF_UNIX] * 2)]
        listeners.append(stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)))
        listeners[0].bind(("127.0.0.1", 0))
        listeners[1].bind(str(folder / "socket"))
        (folder / "socket").chmod(0o777)
        listeners[2].bind("\0" + abstract)
        listeners[3].bind(listeners[0].getsockname())
        for listener in listeners:
            listener.setblocking(False)
            if listener.type is not socket.SOCK_DGRAM:
                listener.listen()
        nobody = 65534 if os.geteuid() == 0 else None
        victim = stack.enter_context(subprocess.Popen(["sleep", "1000"], user=nobody))
        stack.callback(victim.kill)
        yield Bait(folder, folder / "writable", tuple(listeners), abstract, victim)


SLOW = ("monty, not boxed", "process, the filter alone")


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.slow if name in SLOW else (), id=name) for name in ENGINES],
)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param.split(",")[0] not in available():
        pytest.skip(f"there is no {request.param} here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UAC_CANARY_ENV", "CANARYENV-9f04")
        sandbox = ENGINES[request.param]()
    yield sandbox
    sandbox.close()


def tried(sandbox: Sandbox, code: str) -> str:
    """Everything that reached the host when the code ran: the value, what was printed, the error."""
    session = sandbox.session(now=NOW, limits=PATIENT)
    try:
        outcome = session.run(code)
    except RunError as error:
        return f"{error}\n{error.printed}"
    else:
        return f"{outcome.value!r}\n{outcome.printed}"
    finally:
        session.close()


def corpus() -> list[object]:
    """The attempts of the corpus as test parameters; one that says why if it is not there."""
    if not CORPUS.exists():
        return [
            pytest.param(None, marks=pytest.mark.skip(reason=f"there is no {CORPUS}; set UAC_BENCH_DATA"), id="corpus")
        ]
    parameters: list[object] = []
    for attempt in json.loads(CORPUS.read_text()):
        other = OTHER_ENGINES.get(attempt["category"])
        marks = [pytest.mark.skip(reason=f"needs {other}, which we do not use")] if other else []
        escape = Escape(attempt["name"], attempt["code"], attempt.get("code2", ""))
        parameters.append(pytest.param(escape, marks=marks, id=escape.name))
    return parameters


def check(sandbox: Sandbox, bait: Bait, escape: Escape, *, kernel_alone: bool) -> None:
    seen = tried(sandbox, bait.fill(escape.code))
    if not (kernel_alone and escape.name in HARMLESS_TO_THE_KERNEL):
        assert SIGNS.search(seen) is None, seen[:2000]
    assert bait.taken() == []
    if escape.then:
        seen = tried(sandbox, bait.fill(escape.then))
        assert (SIGNS.search(seen) or LEFT_BEHIND.search(seen)) is None, seen[:2000]
        assert bait.taken() == []


@pytest.mark.parametrize("escape", corpus())
def test_no_attempt_of_the_corpus_takes_the_bait(
    sandbox: Sandbox, bait: Bait, escape: Escape, request: pytest.FixtureRequest
) -> None:
    check(sandbox, bait, escape, kernel_alone="alone" in request.node.callspec.params["sandbox"])


@pytest.mark.parametrize("escape", ESCAPES, ids=lambda escape: escape.name)
def test_no_attempt_of_ours_takes_the_bait(
    sandbox: Sandbox, bait: Bait, escape: Escape, request: pytest.FixtureRequest
) -> None:
    check(sandbox, bait, escape, kernel_alone="alone" in request.node.callspec.params["sandbox"])


@pytest.mark.parametrize("sandbox", ["monty", "process"], indirect=True)
@pytest.mark.parametrize("attempt", PRIVATE, ids=lambda attempt: attempt.name)
def test_no_attempt_reads_or_sets_what_belongs_to_the_interpreter(sandbox: Sandbox, attempt: Escape) -> None:
    assert "PRIVATE-OK" not in tried(sandbox, attempt.code)


@pytest.mark.parametrize("attempt", PRIVATE, ids=lambda attempt: attempt.name)
def test_without_a_sandbox_the_attempts_succeed(attempt: Escape) -> None:
    command = [sys.executable, "-S", "-c", attempt.code]
    assert "PRIVATE-OK" in subprocess.run(command, capture_output=True, text=True, check=False).stdout


ORDINARY = {
    "positional patterns of a dataclass": "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int\n"
    "def f(p):\n    match p:\n        case P(0, y) | P(y, 0):\n            return y\n        case int(n) | str(n):\n"
    "            return n\n        case P(x=a):\n            return a\n[f(p) for p in (P(0, 5), P(6, 0), P(7, 1), 8, 'z')]",
    "copies of objects": "import copy\nclass A:\n    def __init__(self):\n        self._x = [1]\n        self.y = {2}\n"
    "a = A()\nb, c = copy.copy(a), copy.deepcopy([a])[0]\n[b.y is a.y, c.y == a.y, c.y is a.y, type(c) is A]",
    "a frozen dataclass that sets its fields": "from dataclasses import dataclass, replace, asdict\n@dataclass(frozen=True)\n"
    "class A:\n    x: int\n    def __post_init__(self):\n        object.__setattr__(self, 'x', self.x + 1)\n"
    "[asdict(A(1)), asdict(replace(A(1), x=5))]",
    "operators": "class N:\n    __slots__ = ('n',)\n    def __init__(self, n):\n        self.n = n\n    def __iadd__(self, o):\n"
    "        self.n += o\n        return self\n    def __rtruediv__(self, o):\n        return o / self.n\n    __hash__ = None\n"
    "n = N(1)\nn += 3\n8 / n",
    "decorators": "import functools\ndef twice(f):\n    @functools.wraps(f)\n    def g(x):\n        return f(f(x))\n    return g\n"
    "@twice\ndef add(x):\n    return x + 1\n[add(1), add.__name__]",
}
EXPECTED = [
    [5, 6, 7, 8, "z"],
    [True, True, False, True],
    [{"x": 2}, {"x": 6}],
    2.0,
    [3, "add"],
]


@pytest.mark.parametrize("sandbox", ["process"], indirect=True)
@pytest.mark.parametrize(("code", "value"), [*zip(ORDINARY.values(), EXPECTED, strict=True)], ids=ORDINARY)
def test_ordinary_code_that_looks_like_these_attempts_runs(sandbox: Sandbox, code: str, value: object) -> None:
    session = sandbox.session(now=NOW, limits=PATIENT)
    assert session.run(code).value == value
    session.close()


@pytest.mark.parametrize("sandbox", ["monty", "process"], indirect=True)
@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_a_bomb_is_stopped_and_harms_nobody(sandbox: Sandbox, bomb: Escape) -> None:
    session = sandbox.session(now=NOW, limits=QUICK)
    try:
        with pytest.raises((LimitError, CodeError)):
            session.run(bomb.code)
    finally:
        session.close()
    assert tried(sandbox, "1 + 1") == "2\n"


@pytest.mark.parametrize(
    "code",
    [
        "print(open('{FILE}').read())",
        "import os\nprint(os.listdir('{DIR}'))",
        "import os\nprint(os.environ)",
        "import os\nos.kill({VICTIM}, 0)\nprint('VICTIM-VISIBLE')",
        "print('CANARYEXEC-%d' % (6 * 7))",
    ],
)
def test_without_a_sandbox_the_signs_are_seen(bait: Bait, code: str) -> None:
    """The tests above mean something only if the bait works."""
    environment = {"UAC_CANARY_ENV": "CANARYENV-9f04"}
    command = [sys.executable, "-S", "-c", bait.fill(code)]
    seen = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert SIGNS.search(seen) is not None


def test_what_happens_to_the_bait_is_seen(bait: Bait) -> None:
    with socket.create_connection(bait.listeners[0].getsockname()), socket.socket(socket.AF_UNIX) as unix:
        unix.connect(str(bait.folder / "socket"))
        with socket.socket(socket.AF_UNIX) as abstract:
            abstract.connect("\0" + bait.abstract)
    (bait.writable / "w").write_text("x")
    assert len(bait.taken()) == 4
    (bait.writable / "w").unlink()
    assert bait.taken() == []
