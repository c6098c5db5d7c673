"""uac-bench fleet: how many users a rule is run for in a second, on one machine and on Ray."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import click
import msgspec

from uac import Memory, open_store
from uac.errors import Refused
from uac.interfaces.cli import Output
from uac.interfaces.fleet import Job, Part, PartWorker, Question, read_program, run_in_pool, run_on_ray, split_users
from uac.log import Store
from uac_bench.harness import SuiteRun, out_option
from uac_bench.measure import machine_description, worker_cpu_seconds

__all__ = ["bench_fleet"]

ABOUT = "A rule that is run for many users: in one process, in several, and on Ray."

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RECORDS = 50
PART = 100  # users; fewer if there are few
PREFIX = "fleet-bench-"

RULE = '''
def large_payment(user, now):
    """A payment is larger than usual."""
    return [
        warning(f"{t.payee} took {t.amount}", t)
        for t in user.finance.transactions
        if t.amount.amount > 1000 and t.on is not None and t.on < as_date(now)
    ]


CASES = [
    fires("large", date(2026, 3, 1), finance.Transaction(payee="A", amount="2000 EUR", on=date(2026, 1, 1))),
    silent("small", date(2026, 3, 1), finance.Transaction(payee="A", amount="10 EUR", on=date(2026, 1, 1))),
]
'''


class FleetSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """One way to ask: by the wall clock, and by the processor time of this process and its sandbox if it is one."""

    what: str
    cores: int
    users: int
    seconds: float
    processor_seconds: float | None = None

    @property
    def rate(self) -> float:
        return self.users / self.seconds

    @property
    def rate_by_processor(self) -> float | None:
        return self.users / self.processor_seconds if self.processor_seconds else None


@click.command("fleet")
@click.option("--users", default=2000, show_default=True, type=click.IntRange(min=60), help="Of 50 records each.")
@click.option("--postgres", metavar="URL", help="An empty PostgreSQL database instead of a SQLite file.")
@click.option(
    "--processes", default=2, show_default=True, type=click.IntRange(min=1), help="The most, on this machine."
)
@click.option("--ray", "nodes", default=0, show_default=True, type=click.IntRange(min=0), help="The most Ray nodes.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_fleet(
    users: int, postgres: str | None, processes: int, nodes: int, out_folder: Path | None, as_json: bool
) -> None:
    """Run a rule for many users of 50 records each; a tenth of them fires.

    Cold means that each log is folded; warm, that snapshots are up to date. Times are taken after all processes have
    started. The baseline opens one user after the other and asks with compute, in one process.

    \b
      uac-bench fleet --postgres postgresql://… --users 4000 --ray 2
    """
    suite = SuiteRun("fleet", ABOUT, out_folder, as_json=as_json)
    out = suite.out
    with tempfile.TemporaryDirectory() as folder:
        address = postgres or str(Path(folder) / "memory.db")
        with closing(open_store(address)) as store:
            if any(True for _user in store.users(limit=1)):
                raise Refused("The store is not empty. Use an empty database.")
            out.note(f"{machine_description()}; {'PostgreSQL' if postgres else 'SQLite'}; writing {users:,} users")
            names = _write_users(store, users)
            speeds = [_baseline(store, names[:200])]
            speeds += _one_process(address, store, names)
        for count in range(2, processes + 1):
            job = _job(address)
            parts = [*enumerate(split_users(names, PART))]
            speeds.append(_steady(f"warm, {count} processes", run_in_pool(job, parts, count), count, names))
        for count in range(1, nodes + 1):
            speeds.append(_on_ray(address, names, count))
    _print(speeds, out)
    suite.finish()


def _job(address: str, *, keeps_snapshots: bool = False) -> Job:
    question = Question(read_program(RULE, "large_payment"), NOW, keeps_snapshots=keeps_snapshots)
    return Job(address, question)


def _write_users(store: Store, count: int) -> list[str]:
    """Users with the same fifty records, but for one: every tenth has a payment that fires."""
    kinds = []
    for large in (False, True):
        log = open_store("memory:").log("seed")
        with closing(Memory(log, clock=lambda: NOW)) as memory:
            for number in range(RECORDS):
                amount = "2000.00 EUR" if large and not number else f"{number + 5}.50 EUR"
                memory.put("finance.Transaction", {"payee": f"shop {number}", "amount": amount, "on": "2026-01-05"})
        kinds.append([stored.entry for stored in log.read() if stored.entry is not None])
    names = [f"{PREFIX}{number:07}" for number in range(count)]
    for number, name in enumerate(names):
        store.log(name).append(kinds[number % 10 == 0])
    return names


def _baseline(store: Store, users: Sequence[str]) -> FleetSpeed:
    """One user after the other, as `uac compute` asks."""
    code = "[t.payee for t in finance.transactions if t.amount.amount > 1000]"
    started, processor, worker = perf_counter(), process_time(), worker_cpu_seconds()
    for user in users:
        with closing(Memory(store.log(user), clock=lambda: NOW)) as memory:
            memory.compute(code)
    spent = process_time() - processor + worker_cpu_seconds() - worker
    return FleetSpeed(
        what="baseline: compute, one by one",
        cores=1,
        users=len(users),
        seconds=perf_counter() - started,
        processor_seconds=spent,
    )


def _one_process(address: str, store: Store, users: Sequence[str]) -> list[FleetSpeed]:
    speeds = []
    for what, keeps in (("cold, 1 process", False), ("", True), ("warm, 1 process", False)):
        chosen = users[: max(400, len(users) // 5)] if what.startswith("cold") else users
        with closing(PartWorker(_job(address, keeps_snapshots=keeps), store)) as worker:
            size = min(PART, len(users) // 5)
            worker.run(0, chosen[:size])
            started, processor, others = perf_counter(), process_time(), worker_cpu_seconds()
            for number, part in enumerate(split_users(chosen[size:], size)):
                worker.run(number, part)
            spent = process_time() - processor + worker_cpu_seconds() - others
            seconds = perf_counter() - started
        if what:
            speeds.append(
                FleetSpeed(what=what, cores=1, users=len(chosen) - size, seconds=seconds, processor_seconds=spent)
            )
    return speeds


def _steady(what: str, parts: Iterator[Part], cores: int, users: Sequence[str]) -> FleetSpeed:
    """The speed once every process has done a part, so that starting them is not counted."""
    done = 0
    started = perf_counter()
    for number, part in enumerate(parts):
        if number < 2 * cores:
            started = perf_counter()
        else:
            done += part.lines.count(b"\n")
    assert done < len(users)
    return FleetSpeed(what=what, cores=cores, users=done, seconds=perf_counter() - started)


def _on_ray(address: str, users: Sequence[str], nodes: int) -> FleetSpeed:
    with _ray_nodes(nodes) as cluster:
        parts = run_on_ray(_job(address), [*enumerate(split_users(users, PART))], cluster)
        return _steady(f"warm, {nodes} Ray node{'s' if nodes > 1 else ''}", parts, nodes, users)


@contextmanager
def _ray_nodes(count: int) -> Iterator[str]:
    """A cluster of nodes with one core each, on this machine."""
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _node in range(count - 1):
            cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        yield cluster.address
    finally:
        cluster.shutdown()


def _print(speeds: Sequence[FleetSpeed], out: Output) -> None:
    base = speeds[0].rate
    if out.as_json:
        out.json({"speeds": [{**msgspec.structs.asdict(each), "rate": each.rate} for each in speeds]})
    out.table(
        ("", "users", "users/s", "users/s by core", "by processor time", "ratio"),
        (
            (
                each.what,
                f"{each.users:,}",
                f"{each.rate:,.0f}",
                f"{each.rate / each.cores:,.0f}",
                "" if each.rate_by_processor is None else f"{each.rate_by_processor:,.0f}",
                f"{each.rate / base:.2f}",
            )
            for each in speeds
        ),
        headed=True,
    )
    out.line("The processor time is that of this process and its sandbox, without the server of the database.")
