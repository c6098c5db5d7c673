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
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from time import perf_counter

import click
import msgspec

__all__ = [
    "in_turns",
    "machine_description",
    "peak_memory_growth",
    "percentile_95",
    "print_result",
    "run_in_process",
    "time_call",
]


def time_call(run: Callable[[], object]) -> float:
    """How many seconds it takes. What it gives is let go afterwards, because freeing a large result takes time too."""
    start = perf_counter()
    _result = run()
    return perf_counter() - start


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
    """What a function of a module answers in a new process, as JSON. Its arguments are strings."""
    name = function.__name__
    program = (
        f"from uac_bench.measure import print_result; from {function.__module__} import {name}; print_result({name})"
    )
    done = subprocess.run(  # noqa: S603 - our own program, our own arguments
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, **settings},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise click.ClickException(f"{name} failed:\n{done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def print_result(function: Callable[..., object]) -> None:
    with redirect_stdout(sys.stderr):
        answer = function(*sys.argv[1:])
    sys.stdout.buffer.write(msgspec.json.encode(answer))


def machine_description() -> str:
    cores = os.cpu_count() or 1
    return f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.machine()}, {cores} cores"
