"""uac-bench faults: every write of the store is broken at each of its operations, and must be whole or undone."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import click

from uac import Citation, Entry, Fact, Observation
from uac.errors import StoreError
from uac.log.stores.sqlite import SqliteStore
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.runs import BenchItem
from uac_bench.sqlite_faults import Fault, Mode

__all__ = ["WRITES", "bench_faults", "broken_writes"]

ABOUT = (
    "Each write of the SQLite store, broken before, after and during each of its statements. An item is right if the"
    " log is as before or complete, its chain is intact, and the same write succeeds when it is repeated."
)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
USERS = ("ana", "ben", "cleo")
Write = Callable[[SqliteStore], object]
State = dict[str, list[Entry | None]]


def _turn(text: str, key: str = "") -> Observation:
    return Observation(text=text, said=NOON, key=key)


WRITES: Mapping[str, Write] = {
    "append entries": lambda store: store.log("ana").append([_turn("three", "k1"), _turn("two", "k0")]),
    "append a user's first entry": lambda store: store.log("cleo").append([_turn("I am Cleo", "c")]),
    "erase entries": lambda store: store.log("ana").erase([2], why="asked"),
    "erase a user": lambda store: store.erase("ben"),
}


@click.command("faults")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_faults(out_folder: Path | None, as_json: bool) -> None:
    """Break every write of the store at each of its operations, and count what is left.

    The exit code is 1 if a log is ever neither as before nor complete, or cannot be written again.
    The tests break more: learning, remembering, backups, snapshots, PostgreSQL, and processes that are
    killed.
    """
    suite = SuiteRun("faults", ABOUT, out_folder, as_json=as_json)
    modes: tuple[Mode, ...] = get_args(Mode)
    with suite.out.progress("writes", len(WRITES) * len(modes)) as bar, tempfile.TemporaryDirectory() as folder:
        for name, write in WRITES.items():
            for mode in modes:
                for item in broken_writes(name, write, mode, Path(folder)):
                    suite.record(item)
                bar.advance()
    counts = {name: Counter(item.given for item in suite.items if item.group == name) for name in WRITES}
    if as_json:
        suite.out.json({name: dict(sorted(found.items())) for name, found in counts.items()})
    rows = [
        (name, str(found.total()), str(found["as before"]), str(found["complete"]), str(found[BROKEN]))
        for name, found in counts.items()
    ]
    suite.out.line(("writes of the SQLite store, broken at each operation:", "bold"))
    suite.out.table(("write", "faults", "as before", "complete", "broken"), rows, headed=True)
    suite.finish()
    if any(item.verdict != "right" for item in suite.items):
        raise SystemExit(1)


BROKEN = "broken"


def broken_writes(name: str, write: Write, mode: Mode, folder: Path) -> Iterator[BenchItem]:
    """One item for each operation of the write that can fail: what a fresh look at the log finds afterwards."""
    origin, path = folder / "origin.db", folder / "memory.db"
    _make_store(origin)
    before = _state(origin)
    complete = _state_after(write, origin, path)
    number = 1
    while True:
        shutil.copy(origin, path)
        fault = Fault(mode)
        with closing(SqliteStore(path, clock=lambda: NOON, connect=fault.connect)) as store:
            fault.arm(number)
            try:
                write(store)
                break
            except StoreError:
                fault.arm(None)
            left = _state(path)
            write(store)
        is_whole = left in (before, complete) and _state(path) == complete
        yield BenchItem(
            id=f"{name}, {mode} operation {number}",
            system=OURS,
            verdict="right" if is_whole else "wrong",
            group=name,
            given="as before" if left == before else "complete" if left == complete else BROKEN,
        )
        number += 1


def _make_store(path: Path) -> None:
    path.unlink(missing_ok=True)
    with closing(SqliteStore(path, clock=lambda: NOON)) as store:
        fact = Fact(text="Ana said two", about="ana", authority="user", cites=(Citation(position=2, quote="two"),))
        store.log("ana").append([_turn("one"), _turn("two", "k0"), fact])
        store.log("ben").append([_turn("I am Ben", "b")])


def _state_after(write: Write, origin: Path, path: Path) -> State | None:
    shutil.copy(origin, path)
    with closing(SqliteStore(path, clock=lambda: NOON)) as store:
        write(store)
    return _state(path)


def _state(path: Path) -> State | None:
    """The entries of all users in a fresh store; None if a chain is broken."""
    with closing(SqliteStore(path, create=False)) as store:
        logs = {user: store.log(user) for user in USERS}
        if any(log.verify() is not None for log in logs.values()):
            return None
        return {user: [stored.entry for stored in log.read()] for user, log in logs.items()}
