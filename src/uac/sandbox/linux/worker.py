"""The child side of the process sandbox: a nursery that forks one confined worker per session.

The nursery loads the modules that foreign code may import, isolates itself from the host and then waits for commands on
its control socket. A worker drops its last rights and serves runs on its own socket until that closes. Standard library
only; this is the one module of the package that runs text as code, and it never runs in the host.
"""

import __future__

import ast
import copy
import dataclasses
import functools
import gc
import io
import json
import os
import random
import resource
import signal
import socket
import statistics
import struct
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from uac.sandbox.linux import allowed_python, frozen_clock, kernel
from uac.sandbox.pack_value import uac_pack_maker

__all__ = ["run_nursery"]

_FLAGS = __future__.annotations.compiler_flag if sys.version_info >= (3, 14) else 0
"""From 3.14 on, a NamedTuple would make a function to read its annotations, which the sandbox forbids."""

OUR_FRAMES = 40
"""Stack frames below foreign code, and room for the reply."""

SHORT_CODE = 10_000
KEPT_PROGRAMS = 32


def run_nursery(arguments: list[str]) -> None:
    """Serve the control socket. Arguments: its file descriptor, and the layers to disable, for tests."""
    control = socket.socket(fileno=int(arguments[0]))
    without = frozenset(arguments[1].split(","))
    modules = _load_modules()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    layers = _apply_worker_layers(control, without)
    if _can_confine_worker(without):
        layers += ["seccomp", "rlimits"]
    control.send(json.dumps({"layers": layers}).encode())
    worker = _Worker(modules, without)
    gc.collect()
    gc.freeze()
    _WorkerNursery(control, worker, pages * resource.getpagesize()).serve()


def _load_modules() -> dict[str, ModuleType]:
    """Import everything that foreign code, or the standard library on its behalf, needs: later there are no files."""
    for name in (
        *allowed_python.MODULES,
        "_strptime",
        "locale",
        "traceback",
        "linecache",
        "encodings.idna",
    ):
        __import__(name)
    # Some modules import more on first use.
    random.seed("text")
    datetime.strptime("2024 +0000", "%Y %z").strftime("%A")
    functools.singledispatch(copy.deepcopy)(dataclasses.make_dataclass("A", ["x"])(1))
    statistics.NormalDist().samples(1, seed=1)
    frozen_clock.freeze_clock()
    return allowed_python.allowed_modules(frozen_clock.frozen_time())


def _apply_worker_layers(control: socket.socket, without: frozenset[str]) -> list[str]:
    """Apply the layers that can be applied before a fork, and return their names. Failures are tolerated."""
    os.closerange(3, control.fileno())
    os.closerange(control.fileno() + 1, 1024)
    sys.path.clear()
    layers: list[str] = []
    _try_worker_layer(layers, "nobody", kernel.drop_root)
    if "namespaces" not in without:
        _try_worker_layer(layers, "namespaces", kernel.enter_namespaces)
        _enter_worker_namespace(control)
        if "namespaces" in layers:  # otherwise the mounts would be the host's
            _try_worker_layer(layers, "an empty root", kernel.empty_root)
        _try_worker_layer(layers, "no capabilities", kernel.drop_capabilities)
    kernel.no_new_privileges()
    if "landlock" not in without:
        _try_worker_layer(layers, "Landlock", kernel.landlock)
    return layers


def _try_worker_layer(layers: list[str], name: str, layer: Callable[[], object]) -> None:
    try:
        if layer() is not False:
            layers.append(name)
    except OSError:
        pass  # the host reports the missing layers


def _enter_worker_namespace(control: socket.socket) -> None:
    """Continue in a child, because only a child is inside the new process namespace; this process waits for it."""
    child = os.fork()
    if child:
        control.close()
        os.waitpid(child, 0)
        os._exit(0)
    kernel.set_death_signal()


def _can_confine_worker(without: frozenset[str]) -> bool:
    """Whether a worker can be confined here, tested by one that does nothing else."""
    child = os.fork()
    if child == 0:
        try:
            _confine_worker(1 << 31, without)
        except OSError:
            os._exit(1)
        os._exit(0 if os.getppid() < 0 else 1)  # a call that only fails if the filter works
    return os.waitpid(child, 0)[1] == 0


def _confine_worker(memory: int, without: frozenset[str]) -> None:
    kernel.set_death_signal()
    kernel.limit_resources(memory)
    if "seccomp" not in without:
        kernel.allow_only_syscalls(kernel.WORKER_CALLS)


class _WorkerNursery:
    """Serves three commands: spawn a worker on a socket, report how a worker ended, and stop."""

    def __init__(self, control: socket.socket, worker: "_Worker", used: int) -> None:
        self.control = control
        self.worker = worker
        self.used = used

    def serve(self) -> None:
        while True:
            order, sockets, _flags, _address = socket.recv_fds(self.control, 65536, 1)
            if not order:
                os._exit(0)  # the host is gone; ending process 1 ends every worker
            request = json.loads(order)
            if "spawn" in request:
                self.spawn(request["spawn"], sockets[0])
            else:
                status = os.waitpid(request["reap"], 0)[1]  # the host asks after it has seen the end
                self.control.send(json.dumps({"status": status}).encode())

    def spawn(self, settings: dict[str, Any], stream: int) -> None:
        child = os.fork()
        if child == 0:
            try:
                self.control.close()
                os.dup2(stream, 0)
                os.closerange(1, 64)
                settings["memory"] += self.used
                self.worker.start(settings)
                self.worker.serve()
            finally:
                os._exit(70)
        os.close(stream)
        handle = os.pidfd_open(child)
        socket.send_fds(self.control, [json.dumps({"pid": child}).encode()], [handle])
        os.close(handle)


class _TimeUp(BaseException):
    """The run exceeded its time. Foreign code may catch this, and is then killed by the host."""


class _OutputFull(BaseException):
    """The run printed more than allowed."""


class _OutputBuffer(io.TextIOBase):
    """Receives print(): at most `most` characters."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.left = most
        self.parts: list[str] = []

    def write(self, text: str) -> int:
        if self.left >= 0:
            self.parts.append(text[: self.left])
            self.left -= len(text)
        if self.left < 0:
            raise _OutputFull
        return len(text)


class _Program(NamedTuple):
    """Compiled code: without its last expression, that expression (if any), and its line."""

    file: str
    body: CodeType
    last: CodeType | None
    line: int


class _Worker:
    """One session: a namespace, and a socket for runs and replies, each a length followed by JSON.

    Created once, in the nursery, and started in each child, which has its own copy of everything.
    """

    def __init__(self, modules: dict[str, ModuleType], without: frozenset[str]) -> None:
        self.without = without
        self.guarded = "guard" not in without
        self.names = _foreign_namespace(modules if self.guarded else None)
        self.pack = uac_pack_maker()
        self.spare = bytearray(1 << 18)  # released when memory runs out, so that a reply is possible
        self.limits: dict[str, Any] = {}
        self.running = False
        self.late = False
        self.value_line = 0
        self.runs = 0
        self.programs: dict[str, _Program] = {}
        """The last short programs by their text: rules run again and again."""

    def start(self, settings: dict[str, Any]) -> None:
        self.limits = settings["limits"]
        frozen_clock.set_frozen_clock(datetime.fromisoformat(settings["now"]), settings["seed"])
        signal.signal(signal.SIGPROF, self.alarm)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.setrecursionlimit(self.limits["depth"] + OUR_FRAMES)
        gc.set_threshold(50_000, 20, 20)
        _confine_worker(settings["memory"], self.without)
        if self.guarded:
            allowed_python.deny_audit_events()

    def serve(self) -> None:
        while True:
            request = json.loads(_read_frame())
            header, value = self.run(request["code"], _read_frame())
            header["id"] = request["id"]
            _write_frames(json.dumps(header).encode(), value)

    def alarm(self, _signal: int, _frame: FrameType | None) -> None:
        if self.running:
            self.late = True  # Python drops exceptions in a destructor, and foreign code may catch it
            raise _TimeUp

    def run(self, code: str, inputs: bytes) -> tuple[dict[str, Any], bytes]:
        """The reply: a header with `printed` and possibly `error` or `limit`, and the packed value."""
        self.runs += 1
        self.value_line = 0
        sys.stdout = sys.stderr = printed = _OutputBuffer(self.limits["output_chars"])
        header: dict[str, Any] = {}
        value = b""
        known = self.programs.get(code)
        file = f"<run {self.runs}>" if known is None else known.file
        try:
            signal.setitimer(signal.ITIMER_PROF, self.limits["seconds"], 0.05)
            self.running = True
            value = self.execute(known or self.compile(code, file), inputs)
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, and the worker must answer
            self.running = False
            self.spare.clear()
            header = _error_header(error, file, self.value_line)
        finally:
            self.running = False
            signal.setitimer(signal.ITIMER_PROF, 0)
        if self.late:
            header = {"limit": "time"}
        if printed.left < 0:
            header = {"limit": "output"}
        header["printed"] = "".join(printed.parts)
        return header, value

    def execute(self, program: "_Program", inputs: bytes) -> bytes:
        """Run the program and pack the value of its last expression."""
        gc.disable()  # collecting among a million new values takes longer than creating them
        self.names.update(json.loads(inputs, object_hook=_unpack_tagged))
        gc.enable()
        exec(program.body, self.names)  # noqa: S102 - the worker's purpose
        if program.last is None:
            return self.pack_result(None)
        result = eval(program.last, self.names)  # noqa: S307 - the same
        self.value_line = program.line
        return self.pack_result(result)

    def compile(self, code: str, file: str) -> "_Program":
        """The checked program, which is kept if it is short."""
        try:
            tree = ast.parse(code, file)
            if self.guarded:
                allowed_python.check_allowed_code(tree)
            value, line = None, 0
            if tree.body and isinstance(last := tree.body[-1], ast.Expr):
                tree.body.pop()
                value, line = compile(ast.Expression(last.value), file, "eval", _FLAGS, dont_inherit=True), last.lineno
            program = _Program(file, compile(tree, file, "exec", _FLAGS, dont_inherit=True), value, line)
        except (RecursionError, MemoryError):
            raise SyntaxError("The code is too deeply nested. Split it into statements.") from None
        if len(code) <= SHORT_CODE:
            self.programs[code] = program
            if len(self.programs) > KEPT_PROGRAMS:
                del self.programs[next(iter(self.programs))]
        return program

    def pack_result(self, result: object) -> bytes:
        limits = self.limits
        sys.setrecursionlimit(limits["depth"] * 4 + 200)
        try:
            return json.dumps(self.pack(result, limits["result_items"], limits["depth"], limits["text"])).encode()
        finally:
            sys.setrecursionlimit(limits["depth"] + OUR_FRAMES)


def _foreign_namespace(modules: dict[str, ModuleType] | None) -> dict[str, Any]:
    """The namespace of foreign code, which replaces __main__."""
    main_module = ModuleType("__main__")
    sys.modules["__main__"] = main_module
    names = vars(main_module)
    if modules is not None:
        names["__builtins__"] = allowed_python.safe_builtins(modules)
    return names


_LIMITS = ((_TimeUp, "time"), (MemoryError, "memory"), (RecursionError, "depth"), (_OutputFull, "output"))


def _error_header(error: BaseException, file: str, line: int) -> dict[str, Any]:
    """The header for a failed run; `line` is that of the last expression, if packing its value failed."""
    kind = type(error)  # not isinstance, which would ask the foreign object for its class
    for limited, limit in _LIMITS:
        if issubclass(kind, limited):
            return {"limit": limit}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        if issubclass(kind, allowed_python.NotAllowed):
            message, name, place = error.args
            return {"error": [name, message, place]}
        if isinstance(error, SyntaxError) and error.filename == file:
            return {"error": [kind.__name__, str(error.msg)[:2000], int(error.lineno or 0)]}
        return {"error": [str(kind.__name__)[:200], str(error)[:2000], line]}
    except BaseException:  # noqa: BLE001 - the text of a foreign error is foreign code
        return {"error": ["Exception", "the text of the error cannot be read", line]}


def _unpack_worker_rows(columns: list[tuple[str, list[Any]]]) -> list[list[Any]]:
    made = []
    for tag, column in columns:
        unpack = _UNPACKERS.get(tag)
        made.append([None if item is None else unpack(item) for item in column] if unpack else column)
    return [[*row] for row in zip(*made, strict=True)]


_UNPACKERS: dict[str, Callable[[Any], Any]] = {
    "t": tuple,
    "s": set,
    "m": dict,
    "d": date.fromisoformat,
    "dt": datetime.fromisoformat,
    "tm": time.fromisoformat,
    "td": lambda parts: timedelta(*parts),
    "n": Decimal,
    "r": _unpack_worker_rows,
}


def _unpack_tagged(tagged: dict[str, Any]) -> Any:
    ((tag, content),) = tagged.items()
    return _UNPACKERS[tag](content)


def _read_frame() -> bytes:
    (length,) = struct.unpack(">I", _read_exactly(4))
    return _read_exactly(length)


def _read_exactly(length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        part = os.read(0, min(length - len(parts), 1 << 20))
        if not part:
            os._exit(0)  # the host closed the session
        parts += part
    return bytes(parts)


def _write_frames(*contents: bytes) -> None:
    rest = memoryview(b"".join(struct.pack(">I", len(content)) + content for content in contents))
    while rest:
        rest = rest[os.write(0, rest) :]
