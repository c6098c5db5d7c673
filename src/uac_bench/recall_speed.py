"""What recall costs: indexing, the index on disk and in memory, the first answer of a new process, and each answer.

Each contestant runs in processes of its own, on the same made-up conversation, with the same questions.
"""

import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

import msgspec

from uac.interfaces.cli import Output
from uac.models import chosen_embedder
from uac_bench.measure import machine_description, percentile_95, run_in_process
from uac_bench.recall_engines import (
    BRUTE,
    CONTESTANTS,
    MORE_QUESTIONS,
    RECALL,
    STEP,
    STORE_SETTING,
    VECTOR_PEERS,
    WORD_PEERS,
    EngineAnswers,
    EngineIndex,
    EngineSteps,
    erase_recall,
    recall_memory,
    step_recall,
)
from uac_bench.recall_service import (
    DriverImport,
    ServiceCost,
    measure_driver,
    measure_service,
    print_service_costs,
)
from uac_bench.recall_turns import recall_questions

__all__ = ["SIZES", "RecallCost", "RecallSpeed", "measure_recall_speed", "print_recall_speed", "recall_speed_headline"]

ON_POSTGRES = "recall, PostgreSQL"
SIZES = (1000, 10_000, 100_000)
FEWER = 50  # questions whose answers fill a budget


class RecallCost(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant on one conversation: seconds, bytes, and turns per second. Processor time is of one process."""

    name: str
    turns: int
    questions: int
    rate: float
    size: int
    text: int
    first: float
    first_processor: float
    p50: float
    p95: float
    p50_processor: float
    p95_processor: float
    memory: int


class GrowthCost(msgspec.Struct, frozen=True):
    """How recall follows a growing conversation: turns per second in steps, and seconds for one more turn.

    Both are processor time."""

    name: str
    turns: int
    rate: float
    one_more: float


class RecallSpeed(msgspec.Struct, frozen=True):
    """What was measured, and how."""

    costs: tuple[RecallCost, ...]
    growth: tuple[GrowthCost, ...]
    services: tuple[ServiceCost, ...]
    driver: DriverImport | None
    notes: tuple[str, ...]


def measure_recall_speed(
    sizes: Sequence[int], *, peers: bool, note: Callable[[str], None], postgres: str | None = None
) -> RecallSpeed:
    """Every contestant on conversations of each size; recall also on a PostgreSQL server, if its address is given."""
    contestants = dict(CONTESTANTS)
    notes = [HOW]
    if chosen_embedder() is None:
        del contestants[BRUTE]
        notes.append("No embedder is installed, so vectors are not measured.")
    for name, runs in {**WORD_PEERS, **VECTOR_PEERS}.items() if peers else ():
        if importlib.util.find_spec(name) is not None and (name in WORD_PEERS or BRUTE in contestants):
            contestants[name] = runs
        else:
            notes.append(f"{name} is not measured: it is not installed (make peers), or no vectors exist.")
    costs: list[RecallCost] = []
    growth: list[GrowthCost] = []
    services: list[ServiceCost] = []
    load = os.getloadavg()[0]
    for turns in sizes:
        # Made here: what a child leaves free after making them would hide memory that it takes.
        questions = recall_questions(turns)
        asked, fewer = (msgspec.json.encode(each).decode() for each in (questions, questions[:FEWER]))
        with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
            for name, (build, ask) in contestants.items():
                note(f"{turns:,} turns: {name} …")
                built = msgspec.json.decode(run_in_process(build, folder, turns), type=EngineIndex)
                answered = msgspec.json.decode(run_in_process(ask, folder, asked), type=EngineAnswers)
                costs.append(_recall_engine_cost(name, turns, built, answered))
                if name == RECALL:
                    costs += _more_questions(folder, turns, built, fewer, {})
                    store, user = recall_memory(folder)
                    services += measure_service(store, user, questions[:FEWER], turns, "SQLite")
            growth.append(_growth_cost(RECALL, folder, turns, {}))
            if postgres is not None:
                note(f"{turns:,} turns: {ON_POSTGRES} …")
                build, ask = CONTESTANTS[RECALL]
                there = {STORE_SETTING: postgres}
                built = msgspec.json.decode(run_in_process(build, folder, turns, settings=there), type=EngineIndex)
                answered = msgspec.json.decode(run_in_process(ask, folder, asked, settings=there), type=EngineAnswers)
                costs.append(_recall_engine_cost(ON_POSTGRES, turns, built, answered))
                costs += _more_questions(folder, turns, built, fewer, there)
                services += measure_service(postgres, recall_memory(folder)[1], questions[:FEWER], turns, "PostgreSQL")
                growth.append(_growth_cost(ON_POSTGRES, folder, turns, there))
                run_in_process(erase_recall, folder, settings=there)
    return RecallSpeed(
        costs=tuple(costs),
        growth=tuple(growth),
        services=tuple(services),
        driver=measure_driver() if postgres is not None else None,
        notes=(*notes, f"{machine_description()}, load {load:.1f} to {os.getloadavg()[0]:.1f}"),
    )


def _more_questions(
    folder: str, turns: int, built: EngineIndex, asked: str, settings: Mapping[str, str]
) -> Iterator[RecallCost]:
    for name, ask in MORE_QUESTIONS.items():
        answered = msgspec.json.decode(run_in_process(ask, folder, asked, settings=settings), type=EngineAnswers)
        yield _recall_engine_cost(name + (", PostgreSQL" if settings else ""), turns, built, answered)


def _growth_cost(name: str, folder: str, turns: int, settings: Mapping[str, str]) -> GrowthCost:
    steps = msgspec.json.decode(run_in_process(step_recall, folder, turns, settings=settings), type=EngineSteps)
    return GrowthCost(name, turns, turns / steps.steps, median(steps.singles))


def _recall_engine_cost(name: str, turns: int, built: EngineIndex, asked: EngineAnswers) -> RecallCost:
    return RecallCost(
        name=name,
        turns=turns,
        questions=len(asked.seconds),
        rate=turns / built.seconds,
        size=built.size,
        text=built.text,
        first=asked.first,
        first_processor=asked.first_processor,
        p50=median(asked.seconds),
        p95=percentile_95(asked.seconds),
        p50_processor=median(asked.processor),
        p95_processor=percentile_95(asked.processor),
        memory=asked.memory,
    )


HOW = (
    "Each line is one contestant in processes of its own. 'first' is from opening the files to the first answer in a"
    " new process, 'memory' by how much opening and asking raise its peak. 'Indexing' is all that recall does, words"
    " for FTS5, tantivy and bm25s, embedding for brute force; the other peers are given vectors that are ready, of"
    " turns and of questions. Indexing, and figures after '/', are processor time, which other work on the machine"
    " changes less; that of a PostgreSQL server is not included, nor the size of its index."
)


def print_recall_speed(speed: RecallSpeed, out: Output) -> None:
    heads = ("turns", "", "indexing", "index", "of the text", "first", "p50", "p95", "memory")
    out.table(heads, map(_recall_cost_cells, speed.costs))
    for cost in speed.growth:
        out.line(
            f"{cost.turns:,} turns: {cost.name} indexes {cost.rate:,.0f} turns/s in steps of {STEP},"
            f" and then one more turn in {cost.one_more * 1e3:,.1f} ms (processor time)."
        )
    print_service_costs(speed.services, speed.driver, out)
    for note in speed.notes:
        out.line(note)


def recall_speed_headline(speed: RecallSpeed) -> str:
    cost = max((each for each in speed.costs if each.name == RECALL), key=lambda each: each.turns)
    return f"With {cost.turns:,} turns, a question is answered in {cost.p50 * 1e3:,.1f} ms (median)."


def _recall_cost_cells(cost: RecallCost) -> tuple[str, ...]:
    return (
        f"{cost.turns:,} turns",
        cost.name,
        f"{cost.rate:,.0f} turns/s",
        f"{cost.size / 1e6:,.1f} MB",
        f"{cost.size / cost.text:.2f} of the text",
        f"first {cost.first * 1e3:,.0f} / {cost.first_processor * 1e3:,.0f} ms",
        f"p50 {cost.p50 * 1e3:,.2f} / {cost.p50_processor * 1e3:,.2f} ms",
        f"p95 {cost.p95 * 1e3:,.2f} / {cost.p95_processor * 1e3:,.2f} ms",
        f"{cost.memory / 1e6:,.0f} MB",
    )
