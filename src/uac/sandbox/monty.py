"""The default sandbox: Monty, a Python interpreter in Rust that knows no files, no network and no clock.

Its workers are processes in a pool, confined as well where Linux allows it. A value leaves a worker as text that is
measured as it arrives (see pack_value.py), never as Monty's own return value.
"""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import shlex
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uac.errors import CodeError, Refused, RunError, SandboxError
from uac.sandbox import monty_gaps
from uac.sandbox.decode import MAX_REPLY, decode_result, max_result_nesting
from uac.sandbox.inputs import MAX_CODE, check_input_values, check_run_inputs
from uac.sandbox.linux.child_command import can_confine_child, child_command
from uac.sandbox.port import Limits, RunOutcome, SandboxSession, Value
from uac.sandbox.run_clock import WorkerWatch, enforceable_limits
from uac.sandbox.run_errors import MAX_TEXT, clean_run_text, code_error, limit_error
from uac.schema.diagnostics import Diagnostic

if TYPE_CHECKING:
    import pydantic_monty

__all__ = ["MontySandbox"]

_OWNERS: set[int] = set()
"""Ids of the processes that have opened Monty; a forked process inherits those of its parent."""

SNAPSHOT = b"uac monty snapshot 1\n"

CHECKING = Limits(seconds=10.0)
"""Limits of time for type checking, which takes minutes for some code."""

GRACE = 0.5
"""Seconds beyond the limit by the wall clock after which a worker that has not stopped is killed."""

# Python's round() uses the exact decimal value of a float, Monty's the rounded one: round(2.675, 2).
_ROUND = """
def uac_round_maker():
    plain, real, infinite = round, float, float('inf')
    def exact(number, ndigits=None):
        if ndigits is None:
            return plain(number)
        if type(number) is not real or ndigits < 0 or number != number or number in (infinite, -infinite):
            return plain(number, ndigits)
        return real(f'{number:.{ndigits}f}')
    return exact
round = uac_round_maker()
"""

# Monty passes the whole text of an error to the host, however long.
_CUT = """
def uac_cut_maker():
    text, kind, size, is_a, errors, plain = str, type, len, isinstance, BaseException, ValueError
    def cut(error):
        words = text(error)
        if size(words) <= 4000:
            return error
        short = words[:2000] + ' … (' + text(size(words)) + ' characters in all)'
        if not is_a(error, errors):
            return short
        try:
            return kind(error)(short)
        except Exception:
            return plain(short)
    return cut
uac_cut = uac_cut_maker()
"""


class MontySandbox:
    """Monty in a pool of at most `workers` processes, one per open session; a new one waits `wait` seconds.

    No session may ask for more than `seconds` per run or `memory_mb`. `key` signs snapshots; without one they are valid
    for this object only.
    """

    name = "monty"

    def __init__(
        self,
        *,
        key: bytes | None = None,
        workers: int = 64,
        seconds: float = 60.0,
        memory_mb: int = 4096,
        wait: float = 10.0,
        boxed: bool = True,
    ) -> None:
        try:
            import pydantic_monty
        except ImportError:
            raise SandboxError("Monty is not installed. Install it with: pip install pydantic-monty==1.4.0") from None
        if _OWNERS and os.getpid() not in _OWNERS:  # its threads do not survive a fork, so it would hang
            raise SandboxError("Monty was opened before this process was forked. Open it only after forking.")
        _OWNERS.add(os.getpid())
        self._monty = pydantic_monty
        self._key = key or secrets.token_bytes(32)
        self._workers = workers
        self._wait = wait
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._sessions: weakref.WeakSet[_MontySession] = weakref.WeakSet()
        self._folder = tempfile.TemporaryDirectory(prefix="uac-monty-", ignore_cleanup_errors=True)
        self._why_unboxed = ""
        self._checkers: pydantic_monty.Monty | None = None
        self._watch = WorkerWatch()
        try:
            self._pool = self._open_pool(boxed=boxed, seconds=Limits(seconds).most_wall_seconds + 10.0)
        except SandboxError:
            self._folder.cleanup()
            raise

    # --- the pool ---------------------------------------------------------------------------------------------------

    def _open_pool(self, *, boxed: bool, seconds: float) -> "pydantic_monty.Monty":
        """The pool, with the best available way to start a worker: confined, with an empty environment, or plain."""
        binary = _monty_binary()
        if not boxed:
            self._why_unboxed = "it was not asked for"
        elif not can_confine_child():
            self._why_unboxed = "boxes need Linux on x86_64 or aarch64"
        else:
            try:
                return self._start_pool(
                    self._write_starter("boxed", child_command("box.run_boxed", str(self._memory_mb + 1024), binary)),
                    seconds,
                )
            except SandboxError as error:
                self._why_unboxed = str(error)
        if os.name == "posix":
            with contextlib.suppress(SandboxError):
                return self._start_pool(self._write_starter("plain", [binary]), seconds)
        return self._start_pool(binary, seconds)

    def _write_starter(self, name: str, command: list[str]) -> str:
        """A program that runs the command with an empty environment."""
        starter = Path(self._folder.name) / name
        starter.write_text(f'#!/bin/sh\nexec env -i {shlex.join(command)} "$@"\n')
        starter.chmod(0o700)
        return str(starter)

    def _start_pool(self, program: str, seconds: float) -> "pydantic_monty.Monty":
        """A pool whose first worker has answered."""
        pool = self._monty.Monty(
            binary_path=program,
            max_processes=self._workers,
            checkout_timeout=self._wait,
            request_timeout=seconds,
            feed_duration_limit_grace=GRACE,
            max_checkouts_per_worker=1000,
        )
        try:
            pool.__enter__()
            with pool.checkout() as session:
                session.feed_run("None")
        except (self._monty.MontyError, RuntimeError, TimeoutError) as error:
            pool.__exit__(None, None, None)
            raise SandboxError(f"Monty does not start: {error}") from None
        return pool

    # --- the port ---------------------------------------------------------------------------------------------------

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        session = self._checkout_session(now, seed, limits or Limits())
        try:
            session.feed(_PRELUDE)
        except RunError as error:
            session.close()
            raise SandboxError(f"Monty does not start within the limits: {error}") from None
        return session

    def restore(self, snapshot: bytes, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        about, state = self._open_snapshot(snapshot)
        if about != _clock_and_seed(now, seed):  # Monty stores them in the state and accepts no others
            raise SandboxError(
                f"The snapshot's clock and seed are {about}. Restore it with these, not {_clock_and_seed(now, seed)}."
            )
        session = self._checkout_session(now, seed, limits or Limits())
        try:
            session.load_state(state)
        except SandboxError:
            session.close()
            raise
        return session

    def _checkout_session(self, now: datetime, seed: int, limits: Limits) -> "_MontySession":
        if now.tzinfo is None:
            raise Refused("now: has no time zone. Add one.")
        if limits.seconds > self._seconds or limits.memory_mb > self._memory_mb:
            raise Refused(f"The limits are too high. Use at most {self._seconds:g} seconds and {self._memory_mb} MB.")
        limits = enforceable_limits(limits, os.getpid())
        checkout = self._pool.checkout(
            limits={
                "max_feed_duration_secs": limits.most_wall_seconds,  # Monty counts the wall clock only
                "max_memory": limits.memory_mb << 20,
                "max_recursion_depth": limits.depth,
                "max_suspensions": 1000,
                "max_total_sleep_secs": 0.0,
            },
            os_policy={"datetime": now, "sleep": "zero", "random_start": {"seed": seed}},
            assert_message_annotations=False,
        )
        try:
            checkout.__enter__()
        except (self._monty.MontyError, RuntimeError, TimeoutError) as error:
            raise SandboxError(
                f"No worker of Monty is free: {error}. Try again, or open it with more workers."
            ) from None
        session = _MontySession(self._monty, checkout, self._watch, self._sign, limits, _clock_and_seed(now, seed))
        self._sessions.add(session)
        return session

    def _sign(self, about: str, state: bytes) -> bytes:
        header = json.dumps([self._monty.__version__, about]).encode()
        body = len(header).to_bytes(4, "big") + header + state
        return SNAPSHOT + hmac.digest(self._key, SNAPSHOT + body, hashlib.sha256) + body

    def _open_snapshot(self, snapshot: bytes) -> tuple[str, bytes]:
        start = len(SNAPSHOT)
        signature, body = snapshot[start : start + 32], snapshot[start + 32 :]
        expected = hmac.digest(self._key, snapshot[:start] + body, hashlib.sha256)
        if snapshot[:start] != SNAPSHOT or not hmac.compare_digest(signature, expected):
            raise SandboxError("The snapshot was not signed by this installation. Load the state again instead.")
        length = int.from_bytes(body[:4], "big")
        version, about = json.loads(body[4 : 4 + length])
        if version != self._monty.__version__:
            raise SandboxError(
                f"The snapshot is of Monty {version}, and this is {self._monty.__version__}. Load the state again."
            )
        return about, body[4 + length :]

    @property
    def engine_version(self) -> str:
        """Names the engine whose proofs count here."""
        return f"Monty {self._monty.__version__}"

    def unsupported(self, code: str) -> str | None:
        if len(code) > MAX_CODE:
            return None
        try:
            return monty_gaps.prepare_for_monty(code).missing or None
        except CodeError:
            return None

    def type_errors(self, code: str, stubs: str) -> tuple[tuple[int, str], ...]:
        """Checked by ty, which ships with Monty, in a new session: its cost grows with a session's history."""
        seconds = enforceable_limits(CHECKING, os.getpid()).most_wall_seconds
        if self._checkers is None:
            self._checkers = self._open_pool(boxed=not self._why_unboxed, seconds=seconds)
        checkout = self._checkers.checkout(
            limits={"max_feed_duration_secs": seconds, "max_memory": self._memory_mb << 20},
            type_check=True,
            type_check_stubs=stubs,
            type_check_format="jsonlines",
        )
        try:
            with checkout as session, self._watch.watch(session.worker_pid, CHECKING) as why_killed:
                try:
                    session.feed_run(code)
                except self._monty.MontyCrashedError as error:
                    raise SandboxError(f"The types cannot be checked: {why_killed() or error}") from None
        except self._monty.MontyTypingError as error:
            found = [json.loads(line) for line in str(error).splitlines() if line.startswith("{")]
            return tuple((int(item["location"]["row"]), str(item["message"])) for item in found)
        except (self._monty.MontyError, RuntimeError, TimeoutError) as error:
            raise SandboxError(f"The types cannot be checked: {error}") from None
        return ()

    def findings(self) -> tuple[Diagnostic, ...]:
        version = self.engine_version
        if not self._why_unboxed:
            return (Diagnostic("ok", f"{version}: its workers are boxed (Landlock, seccomp, rlimits)"),)
        remedy = "use Linux 5.13 or newer with Landlock, to have a second wall"
        return (Diagnostic("note", f"{version}: its workers are not boxed: {self._why_unboxed}", remedy),)

    def close(self) -> None:
        """Also ends all sessions, after their current runs."""
        for session in [*self._sessions]:
            session.close()
        self._pool.__exit__(None, None, None)
        if self._checkers is not None:
            self._checkers.__exit__(None, None, None)
        self._watch.close()
        self._folder.cleanup()


def _clock_and_seed(now: datetime, seed: int) -> str:
    return f"{now.isoformat()}, {seed}"


def _monty_binary() -> str:
    from pydantic_monty._binary import find_monty_binary

    try:
        return find_monty_binary()
    except FileNotFoundError as error:
        raise SandboxError(str(error)) from None


def _session_prelude() -> str:
    """The code that every session starts with. It defines only names with uac_, an exact round(), and sorted(), min()
    and max() that know the order of objects."""
    packer, order = (
        (text := Path(__file__).with_name(name).read_text(encoding="utf-8"))[text.index(f"def {maker}") :]
        for name, maker in (("pack_value.py", "uac_pack_maker"), ("monty_order.py", "uac_order_maker"))
    )
    return "\n".join(
        [
            f"{packer}{order}{_ROUND}{_CUT}",
            "uac_lt, uac_le, uac_gt, uac_ge, uac_ordered, sorted, min, max = uac_order_maker()",
            "uac_pack = uac_pack_maker()",
            "uac_print = print",
            "import json as uac_json",
            "None",
        ]
    )


_PRELUDE = _session_prelude()


class _MontyOutput:
    """Collects a worker's output, up to `most` characters; it arrives in small pieces."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.parts: list[str] = []

    def __call__(self, _stream: str, text: str) -> None:
        if self.left > 0:
            self.parts.append(text[: self.left])
        self.left -= len(text)

    def text(self) -> str:
        return "".join(self.parts)


class _MontySession:
    def __init__(
        self,
        monty: Any,
        checkout: Any,
        watch: WorkerWatch,
        sign: Callable[[str, bytes], bytes],
        limits: Limits,
        about: str,
    ) -> None:
        self._monty = monty
        self._checkout = checkout
        self._watch = watch
        self._sign = sign
        self._limits = limits
        self._lock = threading.Lock()
        self.about = about
        self.alive = True

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> RunOutcome:
        with self._lock:
            if not self.alive:
                raise SandboxError("The session is over. Open a new one.")
            check_run_inputs(code, inputs or {})
            check_input_values(inputs or {})
            started = time.perf_counter()
            printed = _MontyOutput(self._limits.output_chars)
            value: Value = None
            failure: RunError | None = None
            try:
                value = self._run_prepared(code, dict(inputs or {}), printed)
            except RunError as error:
                failure = error
            if printed.left < 0:
                failure = limit_error("output", self._limits)
            text = clean_run_text(printed.text(), self._limits.output_chars)
            if failure is None:
                return RunOutcome(value, text, time.perf_counter() - started)
            failure.printed = text
            if not isinstance(failure, CodeError):
                self._kill_worker()
            raise failure

    def _run_prepared(self, code: str, inputs: dict[str, Value], printed: _MontyOutput) -> Value:
        prepared = monty_gaps.prepare_for_monty(code)
        if prepared.missing:
            raise _monty_unsupported_error(prepared.missing, prepared.missing_line)
        self.feed(prepared.text, inputs, printed)
        if not prepared.value_line:
            return None
        packed = _MontyOutput(MAX_REPLY)
        limits = f"{self._limits.result_items}, {max_result_nesting(self._limits)}, {MAX_TEXT}"
        try:
            self.feed(f"uac_print(uac_json.dumps(uac_pack(uac_value, {limits})), end='')\nuac_value = None", {}, packed)
        except CodeError as error:
            message = str(error).partition(f"{error.kind}: ")[2]
            raise CodeError(error.kind, message, line=prepared.value_line) from None
        if packed.left < 0:
            raise limit_error("size", self._limits)
        return decode_result(packed.text(), self._limits)

    def feed(self, text: str, inputs: dict[str, Value] | None = None, printed: _MontyOutput | None = None) -> None:
        """Run text in the worker; Monty's errors become ours."""
        with self._watch.watch(self._checkout.worker_pid, self._limits) as why_killed:
            try:
                self._checkout.feed_run(text, inputs=inputs or {}, print_callback=printed or _MontyOutput(0))
            except (self._monty.MontyRuntimeError, self._monty.MontySyntaxError) as error:
                raise self._convert_error(error) from None
            except self._monty.MontyCrashedError as error:
                limit = "wall" if error.timed_out else "memory"
                raise why_killed() or limit_error(limit, self._limits) from None
            except (self._monty.MontyConversionError, ValueError) as error:
                raise Refused(f"inputs: {error}") from None
            except (self._monty.MontyError, RuntimeError) as error:
                raise SandboxError(f"Monty failed: {error}") from None

    def _convert_error(self, error: Any) -> RunError:
        inner = error.exception()
        kind, message = type(inner).__name__, str(inner)
        frames = error.traceback()
        if not frames and "surrogates not allowed" in message:
            raise Refused("inputs: a text contains a lone surrogate. Remove it.")
        if kind == "TimeoutError" and message.startswith("feed time limit exceeded"):
            return limit_error("wall", self._limits)
        if kind == "MemoryError":
            return limit_error("memory", self._limits)
        if kind == "RecursionError":
            return limit_error("depth", self._limits)
        lines = [frame.line for frame in frames if frame.filename == frames[0].filename]
        line = lines[-1] if lines else 0
        missing = monty_gaps.monty_gap(kind, message)
        return _monty_unsupported_error(missing, line) if missing else code_error(kind, message, line, "")

    def load_state(self, state: bytes) -> None:
        try:
            self._checkout.load_session(state)
        except (self._monty.MontyError, RuntimeError) as error:
            raise SandboxError(f"The snapshot cannot be loaded: {error}") from None

    def snapshot(self) -> bytes | None:
        with self._lock:
            if not self.alive:
                raise SandboxError("The session is over. Open a new one.")
            try:
                return self._sign(self.about, self._checkout.dump())
            except (self._monty.MontyError, RuntimeError) as error:
                self._kill_worker()
                raise SandboxError(f"Monty failed: {error}") from None

    def close(self) -> None:
        with self._lock:
            if self.alive:
                self.alive = False
                self._checkout.__exit__(None, None, None)

    def _kill_worker(self) -> None:
        """Close after a limit: Monty makes no promise about such a worker's heap, so it is not reused."""
        self.alive = False
        worker = self._checkout.worker_pid
        if worker is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        self._checkout.__exit__(None, None, None)


def _monty_unsupported_error(what: str, line: int) -> CodeError:
    return CodeError(
        "NotImplementedError", f"The sandbox Monty does not have {what}. Write the code without it.", line=line
    )
