"""uac-bench faults: every write path with every operation failing once, and writers that are killed at random."""

import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import click

from uac import Store, __version__
from uac.errors import UacError
from uac.log import SqliteStore
from uac_bench.faults.failing_writes import (
    FailedWrite,
    FaultTarget,
    PostgresTarget,
    SqliteTarget,
    fail_everywhere,
    tear_rows,
)
from uac_bench.faults.killed_writers import kill_writers, open_sqlite_writer
from uac_bench.faults.write_paths import MEMORY_PATHS, STORE_PATHS, WritePath
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.runs import BenchItem, System, Verdict

__all__ = ["bench_faults"]

ABOUT = (
    "Every write with its 1st, 2nd, 3rd … operation failing, and writers that are killed: the log is as before or"
    " complete, and the write can be repeated."
)
CONTROL = "without a transaction"
MOST = 200
SAME_LOGS = 10  # rounds of kills that write to the same logs
LISTED = 12  # problems that are printed
HEADS = ("store", "write", "how it fails", "operations", "failed", "as before", "complete", "made up for", "wrong")


@click.command("faults")
@click.option("--postgres", "url", metavar="URL", help="Also on PostgreSQL, in an empty database; postgresql://…")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=MOST,
    show_default=True,
    help="At most so many operations of a write fail, evenly spread.",
)
@click.option("--only", multiple=True, metavar="WORD", help="Only writes whose name has this word. May be repeated.")
@click.option("--rounds", type=click.IntRange(min=0), default=40, show_default=True, help="Rounds of three kills each.")
@click.option("--seed", type=int, default=1, show_default=True, help="Decides who is killed when.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_faults(
    context: click.Context,
    url: str | None,
    most: int,
    only: tuple[str, ...],
    rounds: int,
    seed: int,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Let every write fail at each of its operations, kill writers at random, and look at what is left.

    On SQLite a statement fails before it runs, after it ran, or while it runs; on PostgreSQL the
    connection is lost before an exchange, its reply is lost, or the statement fails. After each failure
    a fresh look must find the log as before or complete, with a chain that verifies, and the same write
    must work when it is repeated. Then three processes write to the same logs and are killed one after
    the other: all that was acknowledged must be there, and no append in part.

    The same check of rows that are written without a transaction is the control: it must find torn ones.
    Exits with 1 if anything of ours is torn, lost or cannot be repeated.

    \b
      uac-bench faults
      uac-bench faults --postgres postgresql://… --rounds 100
    """
    suite = SuiteRun("faults", ABOUT, out_folder, as_json=as_json, seed=seed)
    paths = [each for each in (*STORE_PATHS, *MEMORY_PATHS) if not only or any(word in each.name for word in only)]
    if not paths:
        names = ", ".join(repr(each.name) for each in (*STORE_PATHS, *MEMORY_PATHS))
        raise click.UsageError(f"No write has such a name. There are {names}.")
    logging.getLogger("psycopg").setLevel(logging.ERROR)  # it warns of every connection that is lost
    try:
        with tempfile.TemporaryDirectory(prefix="uac-bench-") as name, ExitStack() as opened:
            folder = Path(name)
            targets: list[FaultTarget] = [SqliteTarget(folder)]
            if url:
                targets.append(opened.enter_context(closing(PostgresTarget(url))))
            rows = _fail_writes(suite, targets, paths, most)
            control = list(tear_rows(folder))
            killed = [*_kill_on_sqlite(suite, folder, seed, rounds), *(_kill_on_postgres(suite, url, seed, rounds))]
    except UacError as error:
        raise click.ClickException(str(error)) from error
    for each in control:
        suite.record(_item(CONTROL, f"{CONTROL}/{each.operation}", each))
    wrong = [item for item in suite.items if item.system == OURS and item.verdict == "wrong"]
    writes = sum(item.id.startswith("write") and item.system == OURS for item in suite.items)
    torn = sum(bool(each.why) for each in control)
    if as_json:
        figures = {"failed": writes, "wrong": [f"{item.id}: {item.why}" for item in wrong]}
        suite.out.json({**figures, "control_torn": torn})
    suite.out.line(("writes that fail at one operation:", "bold"))
    suite.out.table(HEADS, rows, headed=True)
    suite.out.line((f"processes killed with SIGKILL while they wrote, seed {seed}:", "bold"))
    suite.out.table(("store", "kills", "appends acknowledged", "lost, torn or twice"), killed, headed=True)
    suite.compare(title="failed writes and rounds of kills that left the log as before or complete")
    for item in wrong[:LISTED]:
        suite.out.line((f"{item.id}: ", "red"), item.why)
    suite.out.line(f"{writes} failed writes, {len(wrong)} wrong; of the control's {len(control)}, {torn} are torn")
    suite.finish(
        [
            System(OURS, __version__, "every write is one transaction", is_ours=True),
            System(CONTROL, about="Three rows in plain SQLite, each stored by itself: the suite sees torn writes."),
        ],
        headline=f"{writes:,} failed writes and {sum(int(row[1]) for row in killed)} kills: {len(wrong)} wrong.",
    )
    context.exit(1 if wrong or not torn else 0)


def _fail_writes(
    suite: SuiteRun, targets: Sequence[FaultTarget], paths: Sequence[WritePath], most: int
) -> list[tuple[str, ...]]:
    """A row for each write and each way to fail."""

    def fail(planned: tuple[FaultTarget, WritePath, str]) -> tuple[str, ...]:
        target, path, mode = planned
        done = list(fail_everywhere(target, path, mode, most=most))
        for each in done:
            name = f"write: {target.name}, {path.name}, {mode}, {each.operation}"
            suite.record(_item(OURS, name, each, group=f"{target.name}: {mode}"))
        left = Counter(each.left for each in done)
        return (
            *(target.name, path.name, mode, str(done[-1].operations if done else 0), str(len(done))),
            *(str(left["as before"]), str(left["complete"])),
            *(str(sum(not each.is_reported for each in done)), str(sum(bool(each.why) for each in done))),
        )

    plan = {
        f"{target.name}, {path.name}, {mode}": (target, path, mode)
        for target in targets
        for path in paths
        for mode in target.modes
    }
    return list(suite.measure("writes and ways to fail", fail, plan, tuple[str, ...]).values())


def _item(system: str, name: str, failed: FailedWrite, group: str = "control") -> BenchItem:
    verdict: Verdict = "wrong" if failed.why else "right"
    return BenchItem(id=name, system=system, verdict=verdict, group=group, given=failed.left, why=failed.why)


def _kill_on_sqlite(suite: SuiteRun, folder: Path, seed: int, rounds: int) -> Iterator[tuple[str, ...]]:
    path = folder / "killed.db"

    def open_store() -> Store:
        return SqliteStore(path, create=False)

    yield from _kill(suite, "SQLite", partial(open_sqlite_writer, path), open_store, seed, rounds)


def _kill_on_postgres(suite: SuiteRun, url: str | None, seed: int, rounds: int) -> Iterator[tuple[str, ...]]:
    if url is None:
        return
    from uac.log import PostgresStore

    address = url

    def open_store(_writer: int = 0) -> Store:
        return PostgresStore(address, create=False)

    yield from _kill(suite, "PostgreSQL", open_store, open_store, seed, rounds)


def _kill(
    suite: SuiteRun,
    name: str,
    open_writer: Callable[[int], Store],
    open_reader: Callable[[], Store],
    seed: int,
    rounds: int,
) -> Iterator[tuple[str, ...]]:
    if not rounds:
        return

    def kill(first: int) -> tuple[int, ...]:
        users = (f"killed {first} 1", f"killed {first} 2")
        counts = Counter[str]()
        few = min(SAME_LOGS, rounds - first + 1)
        killed = kill_writers(open_writer, open_reader, seed + first - 1, rounds=few, users=users)
        for number, each in enumerate(killed, first):
            why = "; ".join(each.problems)
            verdict: Verdict = "wrong" if why else "right"
            item = f"kills: {name}, round {number}"
            suite.record(BenchItem(id=item, system=OURS, verdict=verdict, group=f"{name}: kills", why=why))
            counts.update(kills=each.kills, acknowledged=each.acknowledged, problems=len(each.problems))
        return counts["kills"], counts["acknowledged"], counts["problems"]

    firsts = {f"from round {first}": first for first in range(1, rounds + 1, SAME_LOGS)}
    counted = suite.measure(f"kills, {name}", kill, firsts, tuple[int, ...])
    yield name, *(str(sum(column)) for column in zip(*counted.values(), strict=True))
