"""What recall costs: indexing, the index on disk and in memory, the first answer of a new process, and each answer.

Each contestant runs in processes of its own, on the same made-up conversation, with the same questions.
"""

import importlib.util
import os
import tempfile
from collections.abc import Callable, Sequence
from statistics import median

import msgspec

from uac.interfaces.cli import Output
from uac.models import chosen_embedder
from uac_bench.measure import machine_description, percentile_95, run_in_process
from uac_bench.recall_engines import BRUTE, CONTESTANTS, PEERS, EngineAnswers, EngineIndex
from uac_bench.recall_turns import recall_questions

__all__ = ["SIZES", "RecallCost", "RecallSpeed", "measure_recall_speed", "print_recall_speed"]

SIZES = (1000, 10_000, 100_000)


class RecallCost(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant on one conversation: seconds, bytes, and turns per second."""

    name: str
    turns: int
    questions: int
    rate: float
    size: int
    text: int
    first: float
    p50: float
    p95: float
    memory: int


class RecallSpeed(msgspec.Struct, frozen=True):
    """What was measured, and how."""

    costs: tuple[RecallCost, ...]
    notes: tuple[str, ...]


def measure_recall_speed(sizes: Sequence[int], *, peers: bool, note: Callable[[str], None]) -> RecallSpeed:
    """Every contestant on conversations of each size."""
    contestants = dict(CONTESTANTS)
    notes = [HOW]
    if chosen_embedder() is None:
        del contestants[BRUTE]
        notes.append("No embedder is installed, so vectors are not measured.")
    for name in PEERS if peers else ():
        if BRUTE in contestants and importlib.util.find_spec(name) is not None:
            contestants[name] = PEERS[name]
        else:
            notes.append(f"{name} is not measured: it is not installed (make peers), or no vectors exist.")
    costs: list[RecallCost] = []
    load = os.getloadavg()[0]
    for turns in sizes:
        # Made here: what a child leaves free after making them would hide memory that it takes.
        asked = msgspec.json.encode(recall_questions(turns)).decode()
        with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
            for name, (build, ask) in contestants.items():
                note(f"{turns:,} turns: {name} …")
                built = msgspec.json.decode(run_in_process(build, folder, turns), type=EngineIndex)
                answered = msgspec.json.decode(run_in_process(ask, folder, asked), type=EngineAnswers)
                costs.append(_recall_engine_cost(name, turns, built, answered))
    return RecallSpeed(tuple(costs), (*notes, f"{machine_description()}, load {load:.1f} to {os.getloadavg()[0]:.1f}"))


def _recall_engine_cost(name: str, turns: int, built: EngineIndex, asked: EngineAnswers) -> RecallCost:
    return RecallCost(
        name=name,
        turns=turns,
        questions=len(asked.seconds),
        rate=turns / built.seconds,
        size=built.size,
        text=built.text,
        first=asked.first,
        p50=median(asked.seconds),
        p95=percentile_95(asked.seconds),
        memory=asked.memory,
    )


HOW = (
    "Each line is one contestant in processes of its own. 'first' is from opening the files to the first answer in a"
    " new process, 'memory' by how much opening and asking raise its peak. 'Indexing' is all that recall does, words"
    " for FTS5, embedding for brute force; peers are given vectors that are ready, of turns and of questions."
)


def print_recall_speed(speed: RecallSpeed, out: Output) -> None:
    heads = ("turns", "", "indexing", "index", "of the text", "first", "p50", "p95", "memory")
    out.table(heads, map(_recall_cost_cells, speed.costs))
    for note in speed.notes:
        out.line(note)


def _recall_cost_cells(cost: RecallCost) -> tuple[str, ...]:
    return (
        f"{cost.turns:,} turns",
        cost.name,
        f"{cost.rate:,.0f} turns/s",
        f"{cost.size / 1e6:,.1f} MB",
        f"{cost.size / cost.text:.2f} of the text",
        f"first {cost.first * 1e3:,.0f} ms",
        f"p50 {cost.p50 * 1e3:,.2f} ms",
        f"p95 {cost.p95 * 1e3:,.2f} ms",
        f"{cost.memory / 1e6:,.0f} MB",
    )
