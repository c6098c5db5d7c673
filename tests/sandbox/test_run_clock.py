"""The time limit counts the worker's processor time; a longer limit by the wall clock ends what waits."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.sandboxes import NOW, QUICK
from uac.errors import LimitError
from uac.sandbox import run_clock
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import Limits, Sandbox, SandboxSession
from uac.sandbox.run_clock import RunClock, WorkerWatch, cpu_seconds

LOOP = "while True:\n    pass"
COMPUTED = "The code was stopped after 0.5 seconds of processor time. Let it do less."
WAITED = (
    "The code was stopped after 0.2 seconds of waiting and computing. Let it do less, or try again when the machine is "
    "less busy."
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports the processor time of a process")


@pytest.fixture(params=["monty", "process"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    engine: Sandbox = request.getfixturevalue(request.param)
    return engine


def worker_of(session: SandboxSession) -> int:
    inside: Any = session
    return int(inside._checkout.worker_pid if hasattr(inside, "_checkout") else inside._host_pid)


def stop(worker: int) -> None:
    """Stop a worker, and wait until each of its threads has stopped: one that has not might still answer."""
    os.kill(worker, signal.SIGSTOP)
    tasks = Path(f"/proc/{worker}/task")
    while any(task.read_text().rpartition(")")[2].split()[0] != "T" for task in tasks.glob("*/stat")):
        os.sched_yield()


def test_the_limits_by_the_wall_clock_are_generous() -> None:
    assert Limits().most_wall_seconds == 60
    assert Limits(seconds=10).most_wall_seconds == 100
    assert Limits(wall_seconds=7).most_wall_seconds == 7


def test_code_that_computes_too_long_is_told_so(sandbox: Sandbox) -> None:
    session = sandbox.session(now=NOW, limits=QUICK)
    with pytest.raises(LimitError, match=f"^{COMPUTED}$") as stopped:
        session.run(LOOP)
    assert (stopped.value.limit, session.alive) == ("time", False)


def test_a_worker_that_gets_no_turn_for_longer_than_the_limit_goes_on_afterwards(sandbox: Sandbox) -> None:
    session = sandbox.session(now=NOW, limits=QUICK)
    worker = worker_of(session)
    stop(worker)
    turn = threading.Timer(2 * QUICK.seconds, os.kill, (worker, signal.SIGCONT))
    turn.start()
    assert session.run("sum(range(1000))").value == 499500
    turn.join()
    session.close()


def test_a_worker_that_never_gets_a_turn_is_stopped_in_the_end(sandbox: Sandbox) -> None:
    session = sandbox.session(now=NOW, limits=Limits(seconds=5))
    inside: Any = session
    inside._limits = replace(inside._limits, wall_seconds=0.2)  # only now: starting takes time as well
    stop(worker_of(session))
    with pytest.raises(LimitError, match=f"^{WAITED}$") as stopped:
        session.run("1")
    assert (stopped.value.limit, session.alive) == ("time", False)


def test_each_run_has_the_whole_time(sandbox: Sandbox) -> None:
    session = sandbox.session(now=NOW, limits=QUICK)
    worker = worker_of(session)
    while (cpu_seconds(worker) or 0) < 1.2 * QUICK.seconds:
        session.run("sum([n for n in range(100_000)])")
    session.close()


def test_code_that_waits_for_input_is_stopped() -> None:
    sandbox = ProcessSandbox(without=("guard",))
    session = sandbox.session(now=NOW, limits=replace(QUICK, wall_seconds=0.2))
    with pytest.raises(LimitError, match="of waiting and computing"):
        session.run("import os\nos.read(0, 1)")
    sandbox.close()


def test_where_processor_time_is_unknown_the_wall_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_clock, "cpu_seconds", lambda _pid: None)
    assert 0 < RunClock(1, Limits(seconds=300)).next_check() <= 300
    with pytest.raises(LimitError, match="after 0 seconds of waiting and computing"):
        RunClock(1, Limits(seconds=0)).next_check()
    sandbox = MontySandbox(boxed=False)
    session = sandbox.session(now=NOW, limits=QUICK)
    with pytest.raises(LimitError, match=r"after 0\.5 seconds of waiting and computing"):
        session.run(LOOP)
    sandbox.close()


@pytest.fixture
def busy() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", LOOP]) as process:
        yield process.pid
        process.kill()


def test_the_watch_looks_sooner_for_a_shorter_limit_and_ends_with_its_sandbox(busy: int) -> None:
    watch = WorkerWatch()
    with watch.watch(busy, Limits(seconds=1000)) as first:
        with watch.watch(busy, Limits(seconds=0.05)) as second:
            os.waitid(os.P_PID, busy, os.WEXITED | os.WNOWAIT)
            assert str(second()).startswith("The code was stopped after 0.05 seconds")
        assert first() is None
    thread = watch._thread
    assert thread is not None
    watch.close()
    thread.join()
    with watch.watch(None, Limits()) as third:
        assert third() is None


def test_a_process_that_has_ended_has_no_time() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert (cpu_seconds(process.pid), cpu_seconds(None)) == (None, None)
