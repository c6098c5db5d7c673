"""Workers that are killed while they import files: is every line in its log once, and the log as without kills?"""

import random
import signal
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from typing import NamedTuple

from uac import Memory, Observation, Store, open_store
from uac.errors import Refused, Unavailable
from uac.importing import (
    FieldChoice,
    ImportPlan,
    PlanOptions,
    ReadingOptions,
    RecordFile,
    SentFile,
    import_records,
    open_record_file,
    plan_memory_import,
    stage_records,
)
from uac.log import StagingStore
from uac.schema import Define
from uac_bench.work_runs import PATIENCE, entries_without_ticks, is_set_up, wait_for, worker_processes

__all__ = ["KilledImports", "run_imports_with_kills"]

WRITTEN = datetime(2024, 5, 7, 18, 30, tzinfo=UTC)
BROKEN = 97  # one line in so many has no valid year


class KilledImports(NamedTuple):
    """What came of a run."""

    files: int
    lines: int
    kills: int
    lost: int
    """Lines that are in no log."""
    doubled: int
    """Lines that are in a log more than once."""
    different_logs: int
    """Users whose log differs from that of an undisturbed import."""
    wrong_counts: int
    """Files whose numbers of stored, known and broken lines differ from those of an undisturbed import."""
    seconds: float


def run_imports_with_kills(
    url: str,
    *,
    users: int,
    lines: int,
    kills: int,
    workers: int = 2,
    seed: int = 1,
    patience: float = PATIENCE,
    on_kill: Callable[[], object] = lambda: None,
) -> KilledImports:
    """Stage a file of `lines` lines for each user, and kill a worker whenever a random number of lines is done."""
    from uac.interfaces.work import JobClient

    chance = random.Random(seed)
    with closing(open_store(url)) as store, closing(JobClient(url)) as client:
        if store.users(limit=1) or not isinstance(store, StagingStore):
            raise Refused("--postgres: The database has users. Use an empty one.")
        names = [f"user-{number:05}" for number in range(users)]
        moments = sorted(chance.sample(range(users * lines), kills))
        started, killed = time.monotonic(), 0
        with worker_processes(url, "--imports", count=workers) as (running, start):
            wait_for(lambda: is_set_up(client), started, patience)
            for name in names:
                memory = Memory(store.log(name), embedder=None)
                plan, source = _file_of(name, lines, memory)
                staged = stage_records(memory, store.staging(), name, plan, source, WRITTEN)
                client.enqueue_import(name, staged.id, staged.parts)
            while client.state().imports.unfinished or moments:
                while moments and client.state().imports.done >= moments[0]:
                    moments.pop(0)
                    time.sleep(chance.uniform(0, 0.2))
                    victim = running.pop(chance.randrange(len(running)))
                    victim.send_signal(signal.SIGKILL)
                    victim.wait()
                    killed += 1
                    on_kill()
                    running.append(start())
                if time.monotonic() - started > patience:
                    raise Unavailable(f"The files were not imported within {patience:.0f} s: {client.state()}.")
                time.sleep(0.02)
        seconds = time.monotonic() - started
        run = _compare(store, names, lines)
    return run._replace(kills=killed, seconds=round(seconds, 1))


def _file_of(name: str, lines: int, memory: Memory) -> tuple[ImportPlan, RecordFile]:
    rows = (f"{name} volume {line},{'?' if line % BROKEN == 0 else 1900 + line % 120}" for line in range(lines))
    text = "\n".join(["title,year", *rows, ""])
    reading = ReadingOptions()
    source = open_record_file(SentFile("books.csv", text.encode()), "csv", reading)
    options = PlanOptions("reading.Volume", named={"year": FieldChoice("year", "int")}, reading=reading)
    return plan_memory_import(memory, source, options, lambda _size: None), source


def _compare(store: Store, names: list[str], lines: int) -> KilledImports:
    assert isinstance(store, StagingStore)
    results = {file.user: file.result for file in store.staging().files()}
    lost = doubled = different = wrong = 0
    for name in names:
        with closing(open_store("memory:")) as other:
            memory = Memory(other.log(name), embedder=None)
            plan, source = _file_of(name, lines, memory)
            memory.checkpoint([Define(type=plan.type)], by="import:books.csv", watched=False)
            for _result in import_records(memory, plan, source, said=WRITTEN):
                pass
            memory.look()
            expected = entries_without_ticks(other, name)
        found = entries_without_ticks(store, name)
        texts = [entry.text for entry in found if isinstance(entry, Observation)]
        good = sum(isinstance(entry, Observation) for entry in expected)
        lost += good - len(set(texts))
        doubled += len(texts) - len(set(texts))
        different += found != expected
        result = results[name]
        counts = (result.lines, result.stored, result.already, result.broken_lines)
        wrong += counts != (lines, good, 0, lines - good)
    return KilledImports(len(names), len(names) * lines, 0, lost, doubled, different, wrong, 0.0)
