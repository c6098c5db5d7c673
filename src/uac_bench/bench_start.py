"""uac-bench start: how much processor time each command takes from its start to its end, next to Python alone."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import click
import msgspec

from uac.interfaces.cli import Output
from uac_bench.measure import machine_description

__all__ = ["bench_start"]

PYTHON = "python -c pass"
COMMANDS: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "add": ("add", "ana", "I like green tea."),
    "alerts": ("alerts", "ana"),
    "compute": ("compute", "ana", "len(health.allergies)"),
    "put": ("put", "ana", "health.Allergy", "substance=Penicillin"),
    "recall": ("recall", "ana", "tea"),
}
"""Each runs on a small user who has records, constraints of a pack, and turns."""
FIRST = (COMMANDS["add"], COMMANDS["put"], ("put", "ana", "health.Medication", "name=Aspirin"))


class StartCost(msgspec.Struct, frozen=True, kw_only=True):
    """Processor time of one command and of the processes that it starts: the median and the least, in milliseconds."""

    command: str
    median: float
    least: float
    python: float
    """The least of Python alone, in the same run."""

    @property
    def ratio(self) -> float:
        return self.least / self.python


@click.command("start")
@click.option("--rounds", default=10, show_default=True, type=click.IntRange(1), help="How often each command runs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_start(*, rounds: int, as_json: bool) -> None:
    """Measure the processor time of commands, each in a process of its own.

    All commands take turns with `python -c pass`, which is the floor. The least of all rounds is
    compared: other programs on the machine only ever add to it.
    """
    out = Output(as_json=as_json)
    costs = measure_start_costs(rounds)
    if as_json:
        out.json({"commands": [{**msgspec.structs.asdict(each), "ratio": each.ratio} for each in costs]})
        return
    out.table(("", "least", "median", "to python"), map(_start_cost_cells, costs))
    out.line(f"{machine_description()}; {rounds} rounds; processor time, with that of sandboxes")


def measure_start_costs(rounds: int) -> list[StartCost]:
    with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
        environment = {**os.environ, "UAC_STORE": str(Path(folder) / "memory.db"), "UAC_EMBEDDER": "none"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
        programs = {PYTHON: ("-c", "pass")} | {name: ("-m", "uac", *words) for name, words in COMMANDS.items()}
        for words in FIRST:
            _run_timed(("-m", "uac", *words), environment)
        taken: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(rounds):
            for name, arguments in programs.items():
                taken[name].append(_run_timed(arguments, environment))
    floor = min(taken[PYTHON])
    return [StartCost(command=name, median=median(each), least=min(each), python=floor) for name, each in taken.items()]


def _run_timed(arguments: Sequence[str], environment: dict[str, str]) -> float:
    """The milliseconds of processor time that the program and its children take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(  # noqa: S603 - our own interpreter and our own commands
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise click.ClickException(f"{' '.join(arguments)} failed: {done.stderr[-2000:]}")
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _start_cost_cells(cost: StartCost) -> tuple[str, ...]:
    name = cost.command if cost.command == PYTHON else f"uac {cost.command}"
    return name, f"{cost.least:,.0f} ms", f"{cost.median:,.0f} ms", f"{cost.ratio:.1f}"
