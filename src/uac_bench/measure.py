"""What the benchmarks share: how time and memory are taken, and on what machine.

The speed of one machine says little, and it changes while others use it. So contestants take turns in one run, and
what counts is the ratio of their medians.
"""

import math
import os
import platform
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:
    from uac import Memory

__all__ = [
    "child_memory",
    "child_processes",
    "embed_passages",
    "format_ratio",
    "format_seconds",
    "in_turns",
    "machine_description",
    "on_one_core",
    "package_index_settings",
    "peak_memory_growth",
    "percentile_95",
    "percentile_99",
    "print_result",
    "process_cpu_seconds",
    "process_memory",
    "processor_time",
    "refuse_network",
    "run_in_process",
    "time_call",
    "worker_cpu_seconds",
]

EMBEDDED_AT_ONCE = 5000  # passages


def time_call(run: Callable[[], object]) -> float:
    """How many seconds it takes. What it gives is let go afterwards, because freeing a large result takes time too."""
    start = perf_counter()
    _result = run()
    return perf_counter() - start


def processor_time(run: Callable[[], object]) -> float:
    """How many seconds of this process's processor time it takes, whatever else the machine does."""
    start = process_time()
    _result = run()
    return process_time() - start


def in_turns(
    contestants: Sequence[Callable[[], object]], *, rounds: int, after: Callable[[], object] = lambda: None
) -> list[list[float]]:
    """The seconds that each took in each round; `after` each of them comes something that is not timed."""
    seconds: list[list[float]] = [[] for _ in contestants]
    for _ in range(rounds):
        for contestant, taken in zip(contestants, seconds, strict=True):
            taken.append(time_call(contestant))
            after()
    return seconds


def percentile_95(seconds: Sequence[float]) -> float:
    """The time within which 95 of 100 are done; of fewer than 20, the longest."""
    return sorted(seconds)[math.ceil(0.95 * len(seconds)) - 1]


def percentile_99(seconds: Sequence[float]) -> float:
    return sorted(seconds)[math.ceil(0.99 * len(seconds)) - 1]


def peak_memory_growth(run: Callable[[], object]) -> int:
    """By how many bytes it raises the peak of this process's memory, at least one page."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak so far, which importing may have raised
    before = _peak_memory()
    run()
    return max(_peak_memory() - before, 4096)


def _peak_memory() -> int:
    """The most memory this process has had. Not from getrusage on Linux: there a child starts with its parent's."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


NO_SETTINGS: Mapping[str, str] = {}


def run_in_process(
    function: Callable[..., object], *arguments: object, settings: Mapping[str, str] = NO_SETTINGS
) -> bytes:
    """What a function of a module answers in a new process, as JSON. Its arguments are strings.

    numpy has no threads there: idle ones wait in a loop, and would be counted as work.
    """
    name = function.__name__
    environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ}  # as our commands do
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    program = (
        f"from uac_bench.measure import print_result; from {function.__module__} import {name}; print_result({name})"
    )
    done = subprocess.run(  # noqa: S603 - our own program, our own arguments
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**environment, **settings},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise click.ClickException(f"{name} failed:\n{done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def embed_passages(memory: "Memory") -> None:
    """Give every passage a vector, as `uac.Background` does: a search waits only for a limited number."""
    left = None
    while (now := memory.embed(EMBEDDED_AT_ONCE)) != left and now:
        left = now


def print_result(function: Callable[..., object]) -> None:
    with redirect_stdout(sys.stderr):
        answer = function(*sys.argv[1:])
    sys.stdout.buffer.write(msgspec.json.encode(answer))


def machine_description() -> str:
    cores = os.cpu_count() or 1
    return f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.machine()}, {cores} cores"


def process_memory(pid: int) -> int:
    """What the process itself holds; 0 where that cannot be read."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0


def process_cpu_seconds(pid: int) -> float:
    """The CPU seconds of a process, without those it started; 0 where that cannot be read."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def child_processes(pid: int) -> tuple[int, ...]:
    """The processes that a process has started; none where that cannot be read."""
    with suppress(OSError):
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    return ()


def child_memory(pid: int) -> int:
    """The bytes that the children of a process hold for themselves, whichever thread started them; 0 where that cannot
    be read. Their programs are shared, and are not counted again for each."""
    found = 0
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += sum(map(_private_memory, path.read_text().split()))
    return found


def _private_memory(pid: str) -> int:
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
    return 0


def worker_cpu_seconds() -> float:
    """The CPU seconds of all processes that this one started, those that have ended too; only the latter off Linux."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _mark, rest = path.read_text().rpartition(") ")
            fields, process = rest.split(), int(name.split()[0])
            children.setdefault(int(fields[1]), []).append(process)
            ticks[process] = sum(map(int, fields[11:15]))
    found, queue = 0, [os.getpid()]
    while queue:
        started = children.get(queue.pop(), [])
        found += sum(ticks[process] for process in started)
        queue += started
    return ended.ru_utime + ended.ru_stime + found / os.sysconf("SC_CLK_TCK")


@contextmanager
def on_one_core() -> Iterator[None]:
    """This process and those it starts share one core, where the system lets us say so."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def refuse_network(event: str, _arguments: object) -> None:
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise OSError("the benchmark stays off the network")


def format_seconds(seconds: float) -> str:
    for unit, length in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def format_ratio(ratio: float | None) -> str:
    return f"× {ratio:.1f}" if ratio is not None else ""


def package_index_settings() -> dict[str, str]:
    """What pip needs of this environment in another home: its own settings and file, proxies and certificates."""
    names = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "http_proxy", "https_proxy", "no_proxy")
    settings = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name in names or name.lower() in names
    }
    for file in (Path.home() / ".config" / "pip" / "pip.conf", Path.home() / ".pip" / "pip.conf"):
        if file.is_file():
            settings.setdefault("PIP_CONFIG_FILE", str(file))
    return settings
