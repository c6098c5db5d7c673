"""uac-bench serve: how many requests a second the service answers, how long they wait, and what memory it keeps."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import click
import msgspec

from uac import Memory, Observation, Put, open_store
from uac.errors import Refused
from uac.interfaces.cli import Output, missing_serve_extra_error
from uac.interfaces.service import Keyring
from uac.schema import counted
from uac_bench.cold_open import ColdOpen, cold_open_lines, measure_cold_opens, user_of_size
from uac_bench.harness import SuiteRun, out_option
from uac_bench.http_load import Load, LoadRequest, run_load_in_process
from uac_bench.measure import (
    child_processes,
    machine_description,
    percentile_99,
    process_cpu_seconds,
    process_memory,
)
from uac_bench.recall_turns import endless_recall_turns

__all__ = ["ServerProcess", "bench_serve", "fill_serve_store", "serve_in_process"]

ABOUT = "The HTTP service under load from a second process."
TURNS, RECORDS = 500, 50  # that each user has
SAMPLES = 6  # of the memory, over a long run
LARGE_USER, BATCH = "large", 5000  # a user with many records, and how many of them are written at once
SMALL_BATCH = 100  # the same for users who are opened: their snapshots come as often as in a life
SMALL_CONNECTIONS, PAUSE_SECONDS = 4, 6.0  # of small users, beside a large one

ROUTES: dict[str, LoadRequest] = {
    "nothing": LoadRequest("GET", "/healthz"),
    "add": LoadRequest(
        "POST", "/v1/users/{user}/observations", '{"turns": [{"text": "I bought {n} apples on the way home."}]}'
    ),
    "compute": LoadRequest(
        "POST", "/v1/users/{user}/compute", '{"code": "total(t.amount for t in finance.transactions)"}'
    ),
    "recall": LoadRequest("POST", "/v1/users/{user}/recall", '{"query": "{question}", "k": 10}'),
    "alerts": LoadRequest("GET", "/v1/users/{user}/alerts"),
}
"""What is asked. "nothing" is what the server itself costs: the baseline."""

QUESTIONS = (
    "When did we talk about the wedding?",
    "What did I buy for the kitchen?",
    "Which book was it that Ana liked so much?",
    "Who came to dinner last Friday?",
    "How much was the train to Lisbon?",
    "What is the name of my dentist?",
    "Where did I leave the keys of the car?",
)
"""The users take turns with them, so that nothing can be kept from one search to the next."""

WORDS = "I bought 1000 apples on the way home."


class ServeRate(msgspec.Struct, frozen=True):
    """One kind of request at a number of connections."""

    route: str
    connections: int
    rate: float
    p50: float
    p99: float
    failed: int
    of_nothing: float
    """The time of a request as a multiple of one that does nothing, in the same run."""
    cpu: float = 0.0
    """Seconds of the server's processor time for a request."""
    cpu_of_nothing: float = 0.0
    """That, as a multiple of the same for a request that does nothing."""
    of_commits: float = 0.0
    """For `add`: its rate as a share of bare commits from one thread, measured just before."""
    commit_cpu: float = 0.0
    """For `add`: the seconds of processor time of such a commit."""


class ServeMemory(msgspec.Struct, frozen=True):
    """The memory of the server after a number of requests."""

    requests: int
    memory: int


class ServerProcess(msgspec.Struct, frozen=True):
    """A service, and how many seconds passed until it answered. With several workers, `pid` is their parent."""

    pid: int
    address: str
    start: float
    workers: int = 1


class ServedStore(msgspec.Struct, frozen=True):
    """A running service of one or more processes, and what it serves."""

    processes: tuple[ServerProcess, ...]
    key: str
    users: int
    bare: Path | None
    """Where bare commits are made: on the same disk. None: the store is elsewhere."""

    def load(self, asked: tuple[LoadRequest, ...], connections: int, *, requests: int = 0, seconds: float = 0) -> Load:
        first, *others = (process.address for process in self.processes)
        return Load(first, self.key, asked, connections, requests, seconds, tuple(others))

    @property
    def openings(self) -> int:
        """How often each user is asked for until probably every process has opened them."""
        return sum(1 if process.workers == 1 else 4 * process.workers for process in self.processes)

    def cpu_seconds(self) -> float:
        return sum(process_cpu_seconds(pid) for process in self.processes for pid in _serving_processes(process))


class ServePauses(msgspec.Struct, frozen=True, kw_only=True):
    """How long requests of small users wait: alone, and while a large user is opened and computed over."""

    records: int
    large: float
    """How long that took, in all."""
    alone: float
    beside: float
    beside_p99: float
    failed: int


class ServeFigures(msgspec.Struct, frozen=True):
    """What was measured, and how."""

    start: float
    rows: tuple[ServeRate, ...]
    kept: tuple[ServeMemory, ...]
    notes: tuple[str, ...]
    pauses: ServePauses | None = None
    opened: tuple[ColdOpen, ...] = ()
    others: tuple[tuple[ServeRate, ...], ...] = ()
    """The rows of the other numbers of workers."""


def _parse_serve_connections(_context: click.Context, option: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} needs whole numbers such as 1,16,128", param=option) from None


@click.command("serve")
@click.option(
    "--users", default=20, show_default=True, type=click.IntRange(1), help="The number of users, who take turns."
)
@click.option(
    "--connections",
    default="1,16,128",
    show_default=True,
    callback=_parse_serve_connections,
    help="The numbers of concurrent connections.",
)
@click.option(
    "--seconds", default=5.0, show_default=True, type=click.FloatRange(0.1), help="The duration of each measurement."
)
@click.option(
    "--requests",
    default=0,
    metavar="N",
    help="Then send N requests of all kinds and measure the memory that is kept.",
)
@click.option("--postgres", metavar="URL", help="Serve an empty PostgreSQL database instead of a SQLite file.")
@click.option("--processes", default=1, show_default=True, type=click.IntRange(1), help="Servers; with --postgres.")
@click.option(
    "--workers",
    default="1",
    show_default=True,
    metavar="N,N",
    callback=_parse_serve_connections,
    help="Processes behind one port (uac serve --workers); with --postgres. Several numbers are compared.",
)
@click.option(
    "--open",
    "sizes",
    default="",
    metavar="N,N",
    callback=lambda context, option, value: _parse_serve_connections(context, option, value) if value else (),
    help="Then measure how long users with these numbers of records take to open.",
)
@click.option(
    "--large", default=0, metavar="N", help="Then measure how long others wait while a user of N records is opened."
)
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_serve(
    *,
    users: int,
    connections: tuple[int, ...],
    seconds: float,
    requests: int,
    postgres: str | None,
    processes: int,
    workers: tuple[int, ...],
    sizes: tuple[int, ...],
    large: int,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Load-test the HTTP service from a second process: adding, computing, recalling, alerts.

    \b
      uac-bench serve
      uac-bench serve --connections 16 --requests 180000
      uac-bench serve --connections 16 --large 100000
      uac-bench serve --connections 16 --postgres postgresql://… --processes 2
      uac-bench serve --connections 16 --postgres postgresql://… --workers 4 --open 100,1000,10000
      uac-bench serve --connections 16 --postgres postgresql://… --workers 1,2,4
    """
    suite = SuiteRun("serve", ABOUT, out_folder, as_json=as_json)
    out = suite.out
    if processes > 1 and not postgres:
        raise click.UsageError("--processes needs --postgres: one process serves a SQLite file.")
    many = workers[-1]
    if many > 1 and not postgres:
        raise click.UsageError("--workers needs --postgres: one process serves a SQLite file.")
    _check_bench_serve_extra()
    with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder, ExitStack() as stack:
        address = postgres or str(Path(folder) / "memory.db")
        out.note(f"{counted(users, 'user')} with {TURNS} turns and {RECORDS} records each …")
        key = fill_serve_store(address, users)
        if large:
            out.note(f"a user with {large:,} records …")
            _fill_large_user(address, large)
        for records in sizes:
            out.note(f"a user with {records:,} records …")
            _fill_large_user(address, records, user_of_size(records), SMALL_BATCH)
        others = [_measure_workers(address, key, users, count, connections, seconds, out) for count in workers[:-1]]
        started = tuple(stack.enter_context(serve_in_process(address, workers=many)) for _number in range(processes))
        where = ServedStore(started, key, users, None if postgres else Path(folder) / "bare.db")
        rows = _measure_serve_rates(where, connections, seconds, out)
        pauses = _measure_pauses(where, large, min(PAUSE_SECONDS, 10 * seconds), out) if large else None
        kept = _measure_serve_memory(where, requests, out) if requests else ()
        opened = measure_cold_opens(address, sizes, lambda user: _time_requests(where, [_alerts_request(user)])[0])
    servers = counted(processes * many, "server process")
    how = HOW.format(servers=servers + (" behind one port" if many > 1 else ""), store=_store_name(postgres))
    notes = (how, machine_description() + f", load {os.getloadavg()[0]:.1f}")
    figures = ServeFigures(started[0].start, rows, kept, notes, pauses, opened, tuple(others))
    if as_json:
        out.json(msgspec.to_builtins(figures))
    _print_serve_figures(figures, out)
    if others:
        _print_workers([*others, rows], workers, out)
    suite.finish(headline=_serve_headline(rows))


def _serve_headline(rows: Sequence[ServeRate]) -> str:
    few = rows[0].connections
    rates = sorted(
        (row for row in rows if row.connections == few and row.route != "nothing"), key=lambda row: -row.rate
    )
    routes = ", ".join(f"{row.route} {row.rate:,.0f}" for row in rates)
    return f"Requests a second over {counted(few, 'connection')}: {routes}."


def _measure_workers(
    address: str, key: str, users: int, workers: int, connections: Sequence[int], seconds: float, out: Output
) -> tuple[ServeRate, ...]:
    out.note(f"{counted(workers, 'worker')} …")
    with serve_in_process(address, workers=workers) as process:
        return _measure_serve_rates(ServedStore((process,), key, users, None), connections, seconds, out)


def _print_workers(measured: Sequence[tuple[ServeRate, ...]], workers: Sequence[int], out: Output) -> None:
    """The rate of each kind of request by the number of workers."""
    out.line("requests/s by workers")
    out.table(
        ("request", "connections", *(counted(count, "worker") for count in workers)),
        (
            (first.route, f"{first.connections}", *(f"{rows[place].rate:,.0f}/s" for rows in measured))
            for place, first in enumerate(measured[0])
        ),
        headed=True,
    )


def _store_name(postgres: str | None) -> str:
    return "PostgreSQL" if postgres else "SQLite"


HOW = (
    "{servers}, {store}, keys on; the load comes from a second process on the same machine and shares its"
    " cores. 'of nothing' is the median time, and the server's processor time, against /healthz at as many connections."
)


def _check_bench_serve_extra() -> None:
    """Refuse before anything is filled: the service itself would say so only after minutes."""
    try:
        import uac.interfaces.http
        import uac.interfaces.inspector  # noqa: F401 - tried only
    except ImportError as error:
        raise click.ClickException(str(missing_serve_extra_error(error))) from None


def fill_serve_store(address: str, users: int) -> str:
    """A store with users who have turns, payments, an allergy and an alert; a key to it."""
    now = datetime.now(UTC)
    store = open_store(address)
    for number in range(users):
        memory = Memory(store.log(f"user-{number}"))
        memory.log.append(islice(endless_recall_turns(number), TURNS))
        memory.checkpoint(_serve_payment_patches(memory, now), watched=False)
        memory.put("health.Allergy", {"substance": "Penicillin"})
        memory.put("health.Medication", {"name": "Amoxicillin"})
        memory.recall("wedding")
        memory.close()
    _key, text = Keyring(store.own(), lambda: now).create_key("bench", rights=("read", "write"))
    store.close()
    return text


def _serve_payment_patches(memory: Memory, now: datetime, records: int = RECORDS, start: int = 0) -> list[Put]:
    """Records, each of which cites a line of its own, as an import makes them."""
    days = [(now - timedelta(days=number % 1000)).date().isoformat() for number in range(start, start + records)]
    lines = [Observation(text=f"paid on {day}", said=now, role="document") for day in days]
    return [
        Put(
            type="finance.Transaction",
            fields={"payee": f"shop {number}", "amount": f"{number}.50 EUR", "on": day},
            cites=(position,),
        )
        for number, (position, day) in enumerate(zip(memory.log.append(lines), days, strict=True), start)
    ]


def _fill_large_user(address: str, records: int, user: str = LARGE_USER, batch: int = BATCH) -> None:
    """A user with many payments, and a snapshot of them, as an import leaves it."""
    with closing(open_store(address)) as store, closing(Memory(store.log(user))) as memory:
        for start in range(0, records, batch):
            many = min(batch, records - start)
            memory.checkpoint(_serve_payment_patches(memory, datetime.now(UTC), many, start), watched=False)


def _serving_processes(service: ServerProcess) -> tuple[int, ...]:
    """The processes that answer requests: the service itself, or its workers."""
    return (service.pid,) if service.workers == 1 else child_processes(service.pid)


@contextmanager
def serve_in_process(store: str, *options: str, workers: int = 1) -> Iterator[ServerProcess]:
    """The service as a process of its own, or as several behind one port."""
    command = [sys.executable, "-c", "from uac.interfaces.cli import main; main()", "serve", "--store", store]
    start = perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own program
        [*command, "--port", "0", "--rate", "0", "--connections", "1000", "--workers", str(workers), *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        said: list[str] = []
        for line in process.stderr:
            said.append(line)
            if "http://" in line:
                break
        else:
            raise Refused(f"the service did not start: {''.join(said)[-2000:]}")
        address = "http://" + said[-1].partition("http://")[2].split()[0].rstrip("/")
        first = run_load_in_process(Load(address, "", (ROUTES["nothing"],), 1, requests=1))
        if first.failed:
            raise Refused(f"the service does not answer: {first.example}")
        yield ServerProcess(process.pid, address, perf_counter() - start, workers)
    finally:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()
        process.communicate()


def _measure_serve_rates(
    where: ServedStore, connections: Sequence[int], seconds: float, out: Output
) -> tuple[ServeRate, ...]:
    rows: list[ServeRate] = []
    for many in connections:
        nothing: ServeRate | None = None
        for name in ROUTES:
            out.note(f"{name}, {counted(many, 'connection')} …")
            first = where.load(_serve_requests(name, where.users), many, requests=where.users * where.openings)
            run_load_in_process(first)  # opens the memory of each user
            row = _measure_serve_rate(name, where, many, seconds, out)
            nothing = nothing or row
            rows.append(
                msgspec.structs.replace(
                    row,
                    of_nothing=row.p50 / nothing.p50,
                    cpu_of_nothing=row.cpu / nothing.cpu if nothing.cpu else 0.0,
                )
            )
    return tuple(rows)


def _measure_serve_rate(name: str, where: ServedStore, many: int, seconds: float, out: Output) -> ServeRate:
    is_compared = name == "add" and where.bare is not None
    commits, commit_cpu = _measure_bare_commits(where.bare, seconds / 2) if is_compared and where.bare else (0.0, 0.0)
    before = where.cpu_seconds()
    measured = run_load_in_process(where.load(_serve_requests(name, where.users), many, seconds=seconds))
    cpu = where.cpu_seconds() - before
    if measured.failed:
        out.note(f"{measured.failed} answers of {name} were no success, such as: {measured.example}")
    rate = len(measured.seconds) / measured.took
    return ServeRate(
        route=name,
        connections=many,
        rate=rate,
        p50=median(measured.seconds),
        p99=percentile_99(measured.seconds),
        failed=measured.failed,
        of_nothing=1.0,
        cpu=cpu / len(measured.seconds),
        of_commits=rate / commits if commits else 0.0,
        commit_cpu=commit_cpu,
    )


def _measure_bare_commits(path: Path, seconds: float) -> tuple[float, float]:
    """The durable commits of one row a second that SQLite alone makes from one thread, and the CPU seconds of one."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS entries (position INTEGER PRIMARY KEY, body TEXT)")
    start, cpu, number = perf_counter(), process_time(), 0
    while perf_counter() < start + seconds:
        connection.execute("INSERT INTO entries (body) VALUES (?)", (WORDS,))
        number += 1
    measured = number / (perf_counter() - start), (process_time() - cpu) / number
    connection.close()
    return measured


def _measure_pauses(where: ServedStore, records: int, seconds: float, out: Output) -> ServePauses:
    """The longest wait of small users' requests: alone, and while the large user is opened and computed over."""
    out.note(f"a user of {records:,} records is opened while others ask …")
    asked = _serve_requests("alerts", where.users)
    large = [
        msgspec.structs.replace(request, path=request.path.replace("{user}", LARGE_USER))
        for request in (ROUTES["alerts"], ROUTES["compute"])
    ]
    alone = run_load_in_process(where.load(asked, SMALL_CONNECTIONS, seconds=seconds))
    with ThreadPoolExecutor(1) as background:
        opening = background.submit(_time_requests, where, large)
        beside = run_load_in_process(where.load(asked, SMALL_CONNECTIONS, seconds=seconds))
        taken = opening.result()
    return ServePauses(
        records=records,
        large=sum(taken),
        alone=max(alone.seconds),
        beside=max(beside.seconds),
        beside_p99=percentile_99(beside.seconds),
        failed=alone.failed + beside.failed,
    )


def _alerts_request(user: str) -> LoadRequest:
    return msgspec.structs.replace(ROUTES["alerts"], path=ROUTES["alerts"].path.replace("{user}", user))


def _time_requests(where: ServedStore, asked: Sequence[LoadRequest]) -> list[float]:
    """The seconds of each request, one after the other."""
    return [run_load_in_process(where.load((each,), 1, requests=1)).took for each in asked]


def _measure_serve_memory(where: ServedStore, requests: int, out: Output) -> tuple[ServeMemory, ...]:
    every = tuple(asked for name in ROUTES for asked in _serve_requests(name, where.users))

    def memory() -> int:
        return sum(process_memory(pid) for process in where.processes for pid in _serving_processes(process))

    kept = [ServeMemory(0, memory())]
    for sample in range(SAMPLES):
        out.note(f"{requests * sample // SAMPLES:,} of {requests:,} requests …")
        run_load_in_process(where.load(every, 16, requests=requests // SAMPLES))
        kept.append(ServeMemory(requests * (sample + 1) // SAMPLES, memory()))
    return tuple(kept)


def _serve_requests(name: str, users: int) -> tuple[LoadRequest, ...]:
    asked = ROUTES[name]
    return tuple(
        msgspec.structs.replace(
            asked,
            path=asked.path.replace("{user}", f"user-{number % users}"),
            body=asked.body.replace("{question}", QUESTIONS[number % len(QUESTIONS)]),
        )
        for number in range(users * len(QUESTIONS) if "{question}" in asked.body else users)
    )


def _print_serve_figures(figures: ServeFigures, out: Output) -> None:
    out.line(f"from the start of the process to the first answer: {figures.start:.1f} s")
    heads = (
        "request",
        "connections",
        "requests/s",
        "p50",
        "p99",
        "p99/p50",
        "of nothing",
        "CPU",
        "of nothing",
        "failed",
    )
    out.table(
        heads,
        (
            (
                row.route,
                f"{row.connections}",
                f"{row.rate:,.0f}/s",
                f"{row.p50 * 1000:.1f} ms",
                f"{row.p99 * 1000:.1f} ms",
                f"{row.p99 / row.p50:.1f} ×",
                f"{row.of_nothing:.1f} ×",
                f"{row.cpu * 1000:.2f} ms",
                f"{row.cpu_of_nothing:.1f} ×",
                f"{row.failed}",
            )
            for row in figures.rows
        ),
        headed=True,
    )
    for row in figures.rows:
        if row.of_commits:
            out.line(
                f"add at {counted(row.connections, 'connection')}: {row.of_commits:.2f} of the commits that SQLite"
                f" alone makes from one thread, each with {row.commit_cpu * 1000:.2f} ms of CPU"
            )
    if figures.pauses is not None:
        pauses = figures.pauses
        out.line(
            f"alerts of small users: at most {pauses.alone * 1000:,.0f} ms; {pauses.beside * 1000:,.0f} ms"
            f" (p99 {pauses.beside_p99 * 1000:,.0f} ms) while a user of {pauses.records:,} records is opened and"
            f" computed over, which takes {pauses.large:.1f} s; {pauses.failed} failed"
        )
    for line in cold_open_lines(figures.opened):
        out.line(line)
    for kept in figures.kept:
        out.line(f"{kept.requests:>9,} requests: {kept.memory / 1e6:,.0f} MB")
    for note in figures.notes:
        out.line(note)
