"""The process sandbox: CPython in a process that the Linux kernel confines to pure computation.

Layers, from the outside in: another user and other namespaces (no network, no files, no processes), Landlock, a filter
of system calls, resource limits, and a language layer. The filter and the limits are required, the others are used
where the system has them. One nursery process per sandbox has the standard library loaded and forks a worker for each
session.
"""

import contextlib
import io
import json
import os
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uac.errors import CodeError, Refused, RunError, SandboxError
from uac.sandbox.decode import MAX_REPLY, decode_result
from uac.sandbox.inputs import check_run_inputs, encode_inputs
from uac.sandbox.linux.child_command import can_confine_child, child_command
from uac.sandbox.port import Limits, RunOutcome, SandboxSession, Value
from uac.sandbox.run_clock import RunClock
from uac.sandbox.run_errors import MAX_TEXT, clean_run_text, code_error, limit_error
from uac.schema.diagnostics import Diagnostic

if TYPE_CHECKING:
    from uac.sandbox.monty import MontySandbox

__all__ = ["ProcessSandbox"]

ESSENTIAL = ("seccomp", "rlimits")
LAYERS = ("namespaces", "an empty root", "Landlock", *ESSENTIAL)

GRACE = 0.25
"""Seconds beyond the time limit after which a worker that has not stopped is killed."""

BYTES_A_SECOND = 5_000_000
"""Minimum transfer speed of inputs; the limits of time are extended accordingly."""

PATIENCE = 120.0
"""Seconds that starting and ending a process may take on a busy machine."""


class ProcessSandbox:
    """The hardened CPython worker. `without` disables layers, to test the others; `python` is another interpreter."""

    name = "process"
    has_bare_objects = True
    """Whether an object can be created without its attributes, so that only some of them are loaded."""

    def __init__(self, *, python: str = sys.executable, without: tuple[str, ...] = ()) -> None:
        if not can_confine_child():
            raise SandboxError("The process sandbox runs only on Linux on x86_64 or aarch64. Use monty here.")
        self._python = python
        self._without = without
        self._lock = threading.Lock()
        self._sessions: weakref.WeakSet[_ProcessSession] = weakref.WeakSet()
        self._checker: MontySandbox | None = None
        self._nursery: _NurseryProcess | None = _NurseryProcess(python, without)
        missing = [layer for layer in ESSENTIAL if layer not in self._nursery.layers]
        if missing:
            self.close()
            raise SandboxError(
                f"The process sandbox cannot be confined here: {' and '.join(missing)} is missing. Run 'uac doctor'."
            )

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        if now.tzinfo is None:
            raise Refused("now: has no time zone. Add one.")
        limits = limits or Limits()
        settings = {
            "now": now.isoformat(),
            "seed": seed,
            "memory": limits.memory_mb << 20,
            "limits": {
                "seconds": limits.seconds,
                "output_chars": limits.output_chars,
                "depth": limits.depth,
                "result_items": limits.result_items,
                "text": MAX_TEXT,
            },
        }
        with self._lock:
            if self._nursery is None:
                raise SandboxError("The process sandbox is closed. Open a new one.")
            if self._nursery.has_ended():
                self._nursery.close()
                self._nursery = _NurseryProcess(self._python, self._without)
            nursery = self._nursery
        session = _ProcessSession(nursery, *nursery.spawn(settings), limits)
        self._sessions.add(session)
        return session

    def restore(self, snapshot: bytes, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:  # noqa: ARG002 - the port's
        raise SandboxError("The process sandbox has no snapshots. Use monty for them.")

    def unsupported(self, code: str) -> str | None:  # noqa: ARG002 - it is CPython: nothing is known to be missing
        return None

    def type_errors(self, code: str, stubs: str) -> tuple[tuple[int, str], ...]:
        """CPython has no type checker; Monty's is used, if it is installed."""
        from uac.sandbox.monty import MontySandbox

        with self._lock:
            if self._nursery is None:
                raise SandboxError("The process sandbox is closed. Open a new one.")
            if self._checker is None:
                self._checker = MontySandbox()
            checker = self._checker
        return checker.type_errors(code, stubs)

    def findings(self) -> tuple[Diagnostic, ...]:
        layers = self._nursery.layers if self._nursery else []
        findings = [Diagnostic("ok", f"process sandbox: confined by {', '.join(layers)}")]
        for layer in LAYERS:
            if layer not in layers:
                findings.append(Diagnostic("note", f"process sandbox: {layer} is missing", _REMEDIES.get(layer, "")))
        return tuple(findings)

    def close(self) -> None:
        """Also ends all sessions, after their current runs."""
        for session in [*self._sessions]:
            session.close()
        with self._lock:
            if self._nursery is not None:
                self._nursery.close()
            if self._checker is not None:
                self._checker.close()
            self._nursery = self._checker = None


_REMEDIES = {
    "namespaces": "allow unprivileged user namespaces (sysctl user.max_user_namespaces)",
    "an empty root": "allow mounts in user namespaces (on Ubuntu: kernel.apparmor_restrict_unprivileged_userns=0)",
    "Landlock": "use Linux 5.13 or newer with landlock among its security modules",
}


class _NurseryProcess:
    """The host's side of the process that forks workers."""

    def __init__(self, python: str, without: tuple[str, ...]) -> None:
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(PATIENCE)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                child_command("worker.run_nursery", str(theirs.fileno()), ",".join(without), python=python),
                env={"PYTHONHASHSEED": "0", "TZ": "UTC"},
                cwd="/",
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the host's terminal is not meant for it
            )
        try:
            self.layers: list[str] = self._receive()[0]["layers"]
        except SandboxError:
            self.close()
            raise

    def spawn(self, settings: dict[str, Any]) -> tuple[socket.socket, int, io.FileIO]:
        """A new worker: our end of its socket, its process id inside, and a handle of the process."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._control, [json.dumps({"spawn": settings}).encode()], [theirs.fileno()])
                answer, handles = self._receive()
            except (OSError, SandboxError):
                ours.close()
                raise SandboxError("The process sandbox cannot start a worker. Try again.") from None
        return ours, int(answer["pid"]), io.FileIO(handles[0])

    def reap(self, pid: int) -> int:
        """The wait status of a worker that has ended."""
        with self._lock:
            self._control.send(json.dumps({"reap": pid}).encode())
            return int(self._receive()[0]["status"])

    def _receive(self) -> tuple[dict[str, Any], list[int]]:
        try:
            answer, handles, _flags, _address = socket.recv_fds(self._control, 65536, 1)
        except OSError as error:
            raise SandboxError(f"The process sandbox does not answer: {error}. Try again.") from None
        if not answer:
            raise SandboxError(f"The process sandbox ended: {self._error_output()}. Try again.")
        return json.loads(answer), handles

    def _error_output(self) -> str:
        try:
            words = self._process.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired:
            return "no reason given"
        return clean_run_text(words.decode("utf-8", "replace").strip()[-500:], 500) or "no reason given"

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def close(self) -> None:
        self._control.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()


class _ProcessSession:
    def __init__(
        self, nursery: _NurseryProcess, stream: socket.socket, pid: int, handle: io.FileIO, limits: Limits
    ) -> None:
        self._nursery = nursery
        self._stream = stream
        self._pid = pid
        self._handle = handle
        self._host_pid = _host_pid(handle.fileno())
        self._limits = limits
        self._lock = threading.Lock()
        self.alive = True

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> RunOutcome:
        with self._lock:
            if not self.alive:
                raise SandboxError("The session is over. Open a new one.")
            check_run_inputs(code, inputs or {})
            started = time.perf_counter()
            try:
                value, printed = self._request(code, encode_inputs(inputs or {}))
            except CodeError:
                raise
            except RunError:
                self._end_process()
                raise
            return RunOutcome(value, printed, time.perf_counter() - started)

    def _request(self, code: str, inputs: bytes) -> tuple[Value, str]:
        ticket = secrets.token_hex(8)
        request = json.dumps({"id": ticket, "code": code}).encode()
        transfer = (len(request) + len(inputs)) / BYTES_A_SECOND
        clock = RunClock(self._host_pid, self._limits, more=GRACE + transfer)
        try:
            self._send(b"".join(struct.pack(">I", len(part)) + part for part in (request, inputs)), clock)
            header = self._receive(clock, 100_000 + 12 * self._limits.output_chars)  # a character is 12 bytes at most
            packed = self._receive(clock, MAX_REPLY)
        except OSError:
            raise self._end_error(clock) from None
        return self._read_reply(header, packed, ticket)

    def _send(self, content: bytes, clock: RunClock) -> None:
        rest = memoryview(content)
        while rest:
            self._stream.settimeout(clock.next_check())
            with contextlib.suppress(TimeoutError):
                rest = rest[self._stream.send(rest) :]

    def _receive(self, clock: RunClock, most: int) -> bytearray:
        (length,) = struct.unpack(">I", self._receive_exactly(4, clock))
        if length > most:
            raise limit_error("size", self._limits)
        return self._receive_exactly(length, clock)

    def _receive_exactly(self, length: int, clock: RunClock) -> bytearray:
        received = bytearray()
        while len(received) < length:
            self._stream.settimeout(clock.next_check())
            try:
                part = self._stream.recv(min(length - len(received), 1 << 20))
            except TimeoutError:
                continue
            if not part:
                raise ConnectionError
            received += part
        return received

    def _read_reply(self, header: bytearray, packed: bytearray, ticket: str) -> tuple[Value, str]:
        try:
            answer = json.loads(header)
        except (ValueError, RecursionError):
            answer = None
        match answer:
            case {"id": identity, "printed": str(text), **rest} if identity == ticket:
                printed = clean_run_text(text[: self._limits.output_chars], self._limits.output_chars)
            case _:
                raise SandboxError("The sandbox's reply is malformed. Its session was ended; try again.")
        match rest:
            case {"error": [str(kind), str(message), int(line)]}:
                raise code_error(kind, message, line, printed)
            case {"limit": ("time" | "memory" | "output" | "depth") as limit}:
                raise limit_error(limit, self._limits, printed)
        try:
            return decode_result(bytes(packed), self._limits), printed
        except RunError as error:
            error.printed = printed
            raise

    def _end_error(self, clock: RunClock) -> RunError:
        """The error for a worker that ended without an answer, by its signal."""
        with contextlib.suppress(SandboxError, OSError):
            while not self._has_ended(clock.next_check()):  # it may have closed its socket and go on
                pass
            status = self._nursery.reap(self._pid)
            self._pid = 0
            if os.WIFSIGNALED(status):
                limit = {signal.SIGSEGV: "depth", signal.SIGABRT: "memory", signal.SIGKILL: "memory"}
                number = signal.Signals(os.WTERMSIG(status))
                if number in limit:
                    return limit_error(limit[number], self._limits)
                return SandboxError(f"The code ended its interpreter by {number.name}. Change the code.")
        return SandboxError("The code ended its interpreter without a result. Change the code.")

    def snapshot(self) -> bytes | None:
        return None

    def close(self) -> None:
        with self._lock:
            self._end_process()

    def _end_process(self) -> None:
        if not self.alive:
            return
        self.alive = False
        self._stream.close()
        with contextlib.suppress(OSError, SandboxError):
            signal.pidfd_send_signal(self._handle.fileno(), signal.SIGKILL)
            if self._pid and self._has_ended(PATIENCE):
                self._nursery.reap(self._pid)
        self._handle.close()

    def _has_ended(self, seconds: float) -> bool:
        """Whether the worker ends within `seconds`."""
        poll = select.poll()
        poll.register(self._handle)
        return bool(poll.poll(seconds * 1000))


def _host_pid(handle: int) -> int | None:
    """The id of a worker outside its namespace, by a handle of its process; None if this system does not say."""
    try:
        text = Path(f"/proc/self/fdinfo/{handle}").read_text(encoding="ascii")
    except OSError:
        return None
    ids = [int(line.removeprefix("Pid:")) for line in text.splitlines() if line.startswith("Pid:")]
    return ids[0] if ids and ids[0] > 0 else None
