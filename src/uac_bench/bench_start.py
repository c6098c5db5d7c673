"""uac-bench start: the processor time of each command next to Python alone, and of the first use of each pack."""

import compileall
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from time import process_time

import click
import msgspec

import uac
from uac import Memory, open_store
from uac.schema import Json
from uac_bench.harness import SuiteRun, out_option
from uac_bench.measure import machine_description, run_in_process, worker_cpu_seconds

__all__ = ["bench_start", "use_pack"]

ABOUT = "The processor time of commands, each in a process of its own."
PYTHON = "python -c pass"
COMMANDS: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "add": ("add", "ana", "I like green tea."),
    "alerts": ("alerts", "ana"),
    "compute": ("compute", "ana", "len(health.allergies)"),
    "put": ("put", "ana", "health.Allergy", "substance=Penicillin"),
    "recall": ("recall", "ana", "tea"),
    "constraints list": ("constraints", "list", "ana"),
    "context": ("context", "ana", "What do I drink?"),
    "define": ("define", "ana", "notes.Note", "text:str", "--key", "text"),
    "doctor": ("doctor", "--quick"),
    "explain": ("explain", "ana", "health.Allergy:penicillin", "substance"),
    "pending": ("pending", "ana"),
    "why": ("why", "ana", "drug_allergy"),
    "agent-hook": ("agent-hook", "ana"),
    "mcp": ("mcp", "ana"),
}
"""Each runs on a small user who has records, constraints of a pack, and turns."""
INPUTS: dict[str, Json] = {
    "agent-hook": {"hook_event_name": "SessionStart", "session_id": "1"},
    "mcp": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}},
    },
}
"""What these commands read: an event, and the first request of an agent. Most of the latter is the package `mcp`."""
FIRST = (COMMANDS["add"], COMMANDS["put"], ("put", "ana", "health.Medication", "name=Aspirin"))


PACK_RECORDS: dict[str, tuple[str, dict[str, Json]]] = {
    "calendar": ("calendar.Appointment", {"what": "Dentist", "starts": "2026-03-02T09:00:00+01:00"}),
    "finance": ("finance.Transaction", {"payee": "Shop", "amount": "12.50 EUR", "on": "2026-01-05"}),
    "health": ("health.Medication", {"name": "Aspirin"}),
    "household": ("household.Warranty", {"item": "laptop", "ends": "2027-06-01"}),
    "travel": ("travel.Trip", {"destination": "Tokyo", "departs": "2026-11-25", "returns": "2026-12-04"}),
}
"""The record that brings each pack: its types, its constraints with their proofs, and its tables."""


class PackCost(msgspec.Struct, frozen=True, kw_only=True):
    """Processor time, sandbox included, of the first record of a pack in a process and of one more, in milliseconds."""

    pack: str
    median: float
    least: float
    again: float
    """The median of the second record: the same step without the pack's first use."""

    @property
    def ratio(self) -> float:
        return self.least / self.again


class PackUse(msgspec.Struct, frozen=True):
    """What one process took for the first and the second record, in milliseconds."""

    first: float
    again: float


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
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_start(*, rounds: int, out_folder: Path | None, as_json: bool) -> None:
    """Measure the processor time of commands, each in a process of its own.

    All commands take turns with `python -c pass`, which is the floor. The least of all rounds is
    compared: other programs on the machine only ever add to it. Packs are used in new processes, too:
    a record for a user who has none, beside one more record.
    """
    suite = SuiteRun("start", ABOUT, out_folder, as_json=as_json)
    out = suite.out
    compileall.compile_dir(str(Path(uac.__file__).parent), quiet=2)  # an installed package has its bytecode
    with out.progress("rounds of commands and packs", rounds + len(PACK_RECORDS)) as bar:
        costs = measure_start_costs(rounds, bar.advance)
        packs = measure_pack_costs(rounds, bar.advance)
    if as_json:
        out.json(
            {
                "commands": [{**msgspec.structs.asdict(each), "ratio": each.ratio} for each in costs],
                "packs": [{**msgspec.structs.asdict(each), "ratio": each.ratio} for each in packs],
            }
        )
    out.table(("", "least", "median", "to python"), map(_start_cost_cells, costs))
    out.table(("first use of a pack", "least", "median", "one more record", "ratio"), map(_pack_cost_cells, packs))
    out.line(f"{machine_description()}; {rounds} rounds; processor time, with that of sandboxes")
    suite.finish(headline=_start_headline(costs))


def _start_headline(costs: Sequence[StartCost]) -> str:
    least, *_, most = sorted((cost for cost in costs if cost.command != PYTHON), key=lambda cost: cost.least)
    return (
        f"A command takes from {least.least:,.0f} ms of processor time (uac {least.command})"
        f" to {most.least:,.0f} ms (uac {most.command})."
    )


def measure_start_costs(rounds: int, on_round: Callable[[], object]) -> list[StartCost]:
    with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
        environment = {**os.environ, "UAC_STORE": str(Path(folder) / "memory.db"), "UAC_EMBEDDER": "none"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
        programs = {PYTHON: ("-c", "pass")} | {name: ("-m", "uac", *words) for name, words in COMMANDS.items()}
        for words in FIRST:
            _run_timed(("-m", "uac", *words), environment)
        taken: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(rounds):
            for name, arguments in programs.items():
                taken[name].append(_run_timed(arguments, environment, INPUTS.get(name)))
            on_round()
    floor = min(taken[PYTHON])
    return [StartCost(command=name, median=median(each), least=min(each), python=floor) for name, each in taken.items()]


def measure_pack_costs(rounds: int, on_pack: Callable[[], object]) -> list[PackCost]:
    found: list[PackCost] = []
    for pack in PACK_RECORDS:
        uses = [msgspec.json.decode(run_in_process(use_pack, pack), type=PackUse) for _ in range(rounds)]
        firsts, again = [use.first for use in uses], median(use.again for use in uses)
        found.append(PackCost(pack=pack, median=median(firsts), least=min(firsts), again=again))
        on_pack()
    return found


def use_pack(pack: str) -> PackUse:
    """Runs apart: the first record of a pack for a new user, and one more."""
    type_name, fields = PACK_RECORDS[pack]
    with closing(Memory(open_store("memory:").log("ana"))) as memory:
        memory.add("Something was said before.")
        return PackUse(*(_pack_use_time(memory, type_name, fields) for _ in range(2)))


def _pack_use_time(memory: Memory, type_name: str, fields: dict[str, Json]) -> float:
    before, workers = process_time(), worker_cpu_seconds()
    memory.put(type_name, fields)
    taken = process_time() - before
    return 1e3 * (taken + worker_cpu_seconds() - workers)


def _pack_cost_cells(cost: PackCost) -> tuple[str, ...]:
    return (
        cost.pack,
        *(f"{each:,.0f} ms" for each in (cost.least, cost.median, cost.again)),
        f"{cost.ratio:.1f}",
    )


def _run_timed(arguments: Sequence[str], environment: dict[str, str], given: Json = None) -> float:
    """The milliseconds of processor time that the program and its children take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(  # noqa: S603 - our own interpreter and our own commands
        [sys.executable, *arguments],
        input=f"{msgspec.json.encode(given).decode()}\n" if given else "",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise click.ClickException(f"{' '.join(arguments)} failed: {done.stderr[-2000:]}")
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _start_cost_cells(cost: StartCost) -> tuple[str, ...]:
    name = cost.command if cost.command == PYTHON else f"uac {cost.command}"
    return name, f"{cost.least:,.0f} ms", f"{cost.median:,.0f} ms", f"{cost.ratio:.1f}"
