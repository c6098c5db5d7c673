"""uac-bench soak: many users of many tenants, for long: is anything lost or doubled, does memory stay bounded?"""

import asyncio
import math
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import click
import msgspec

from uac import Observation, open_store
from uac.interfaces.cli import Output
from uac.interfaces.service import Keyring, store_user_id
from uac.log import Store
from uac.schema import counted
from uac_bench.bench_serve import serve_in_process
from uac_bench.harness import SuiteRun, out_option
from uac_bench.http_load import read_http_response
from uac_bench.measure import machine_description, run_in_process
from uac_bench.runs import BenchTable
from uac_bench.soak_memory import MemoryCurve, memory_curve_lines, sample_memory

__all__ = ["bench_soak", "run_soak"]

ABOUT = "Mixed requests for many users, and what is lost or doubled in their logs."

SAMPLES, PART = 24, 500  # of the memory, over the run; and the fewest requests between two of them
BUCKET = 1.01  # by which the latencies of a bucket differ
REPEATED = 50  # one write in so many is sent again to another process, with the same idempotency key

KINDS = {
    "add": (40, "POST", "observations", '{"turns": [{"text": "I walked to the market, note #{n}."}]}'),
    "put": (
        10,
        "POST",
        "records",
        '{"type": "finance.Transaction", "fields": {"payee": "shop #{n}", "amount": "{n}.50 EUR", "on": "2026-05-01"}}',
    ),
    "alerts": (20, "GET", "alerts", ""),
    "recall": (20, "POST", "recall", '{"query": "when did I walk to the market?", "k": 5}'),
    "compute": (10, "POST", "compute", '{"code": "1 + 1"}'),
}
"""Each kind of request with its share, method, route and body."""

WRITES = ("add", "put")


class SoakPart(msgspec.Struct, frozen=True):
    """The requests from one number up to another, for a process of its own to send."""

    addresses: tuple[str, ...]
    keys: tuple[str, ...]
    """A key for each tenant."""
    users: int
    connections: int
    seed: int
    start: int
    stop: int


class SoakResult(msgspec.Struct, frozen=True):
    """The latencies of each kind by bucket, the numbers of the writes that were not acknowledged, and what failed."""

    latencies: dict[str, dict[int, int]]
    missed: tuple[int, ...]
    failed: dict[str, int]
    example: str


class SoakFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What was sent, and what the logs show afterwards."""

    requests: int
    seconds: float
    latencies: dict[str, tuple[float, float]]
    """The median and the 99th percentile of each kind."""
    failed: dict[str, int]
    memory: MemoryCurve
    users: int
    acknowledged: int
    lost: int
    doubled: int
    broken: int
    stored: int
    """Bytes of the database for each user: log, search index, snapshot."""
    notes: tuple[str, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """What the run was to show and does not; empty if it passed."""
        counts = {
            "requests failed": sum(self.failed.values()),
            "writes were lost": self.lost,
            "writes were doubled": self.doubled,
            "logs have a broken chain": self.broken,
        }
        return (*(f"{count:,} {what}" for what, count in counts.items() if count), *self.memory.failures)


@click.command("soak")
@click.option("--postgres", required=True, metavar="URL", help="An empty PostgreSQL database to serve.")
@click.option("--users", default=10_000, show_default=True, type=click.IntRange(1), help="The number of users.")
@click.option("--tenants", default=100, show_default=True, type=click.IntRange(1), help="The number of tenants.")
@click.option("--processes", default=2, show_default=True, type=click.IntRange(1), help="Processes of the service.")
@click.option("--requests", default=360_000, show_default=True, type=click.IntRange(1), help="Requests in all.")
@click.option("--connections", default=16, show_default=True, type=click.IntRange(1), help="Concurrent connections.")
@click.option("--cache", default=256, show_default=True, type=click.IntRange(1), help="Megabytes for each process.")
@click.option("--seed", default=1, show_default=True, help="The order of users and requests.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_soak(
    *,
    postgres: str,
    users: int,
    tenants: int,
    processes: int,
    requests: int,
    connections: int,
    cache: int,
    seed: int,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Send mixed requests for many users, then look into every log for what is lost or doubled.

    The default is an hour's worth of 100 requests a second, sent as fast as the service answers: words, records,
    alerts, searches and queries. One write in 50 is sent to a second process again with the same idempotency key.

    \b
      uac-bench soak --postgres postgresql://… --processes 2
    """
    suite = SuiteRun("soak", ABOUT, out_folder, as_json=as_json, seed=seed)
    out = suite.out
    with closing(open_store(postgres)) as store, ExitStack() as stack:
        keyring = Keyring(store.own(), lambda: datetime.now(UTC))
        keys = tuple(keyring.create_key("soak", tenant=f"tenant-{number}")[1] for number in range(tenants))
        started = [
            stack.enter_context(serve_in_process(postgres, "--cache", str(cache), "--no-learn"))
            for _number in range(processes)
        ]
        addresses = tuple(process.address for process in started)
        pids = [process.pid for process in started]
        memory, results, begin = [sample_memory(pids, 0)], [], perf_counter()
        parts = max(1, min(SAMPLES, requests // PART))
        for sample in range(parts):
            first, last = (requests * step // parts for step in (sample, sample + 1))
            out.note(
                f"{first:,} of {requests:,} requests, {memory[-1].service / 1e6:,.0f} MB"
                f"{_remaining(begin, first, requests)} …"
            )
            part = SoakPart(addresses, keys, users, connections, seed, first, last)
            answer = run_in_process(run_soak, msgspec.json.encode(part).decode())
            results.append(msgspec.json.decode(answer, type=SoakResult))
            memory.append(sample_memory(pids, last))
        seconds = perf_counter() - begin
        out.note("reading all logs …")
        whole = SoakPart((), keys, users, 0, seed, 0, requests)
        curve = MemoryCurve(tuple(memory), memory[0].service + processes * cache * 2**20)
        figures = _check_logs(store, whole, results, seconds, curve)
        figures = msgspec.structs.replace(figures, stored=_database_size(postgres) // figures.users)
    if as_json:
        out.json(msgspec.to_builtins(figures) | {"failures": figures.failures})
    _print_soak_figures(figures, processes, out)
    shown = msgspec.structs.asdict(figures).items()
    rows = tuple((name.replace("_", " "), str(value)) for name, value in shown if isinstance(value, int | float))
    suite.finish(tables=[BenchTable(title="requests and logs", columns=("", "number"), rows=rows)])


def _remaining(begin: float, done: int, requests: int) -> str:
    """How fast it is, and how long it will take, once that is known."""
    if not done:
        return ""
    rate = done / (perf_counter() - begin)
    return f", {rate:,.0f}/s, {(requests - done) / rate / 60:.0f} min left"


# --- The requests ---------------------------------------------------------------------------------------------------


def _planned(part: SoakPart) -> Iterator[tuple[int, str, int, str]]:
    """The number, kind, tenant and user of each request: the same for the same seed, whichever part asks."""
    kinds = [kind for kind, (share, *_rest) in KINDS.items() for _ in range(share)]
    for number in range(part.start, part.stop):
        chance = random.Random(part.seed * 1_000_003 + number)
        user = chance.randrange(part.users)
        # A user's first request writes: nobody can be asked about who is not known yet.
        kind = "add" if number < part.users else chance.choice(kinds)
        user = number if number < part.users else user
        yield number, kind, user % len(part.keys), f"user-{user}"


def run_soak(order: str) -> SoakResult:
    """Send the requests of a SoakPart, given as JSON."""
    return asyncio.run(_send_all(msgspec.json.decode(order, type=SoakPart)))


async def _send_all(part: SoakPart) -> SoakResult:
    latencies: dict[str, Counter[int]] = {kind: Counter() for kind in KINDS}
    missed: list[int] = []
    failed: Counter[str] = Counter()
    example = ""
    requests = _planned(part)

    async def send(place: int) -> None:
        nonlocal example
        wires = [await _connect(address) for address in part.addresses]
        for number, kind, tenant, user in requests:
            request = _request_bytes(part, number, kind, tenant, user)
            again = kind in WRITES and number % REPEATED == 0
            for step in range(1 + again):
                which = (place + step) % len(wires)
                start = perf_counter()
                try:
                    status, body = await _exchange(wires[which], request)
                except (asyncio.IncompleteReadError, ConnectionError):  # the server closes connections that rest
                    wires[which] = await _connect(part.addresses[which])
                    status, body = await _exchange(wires[which], request)
                latencies[kind][_bucket(perf_counter() - start)] += 1
                if not 200 <= status < 300:
                    failed[f"{kind} {status}"] += 1
                    example = example or body[:300].decode(errors="replace")
                    if kind in WRITES and step == 0:
                        missed.append(number)
        for _reader, writer in wires:
            writer.close()

    await asyncio.gather(*(send(place) for place in range(part.connections)))
    return SoakResult({kind: dict(found) for kind, found in latencies.items()}, tuple(missed), dict(failed), example)


def _bucket(seconds: float) -> int:
    """The number of a bucket whose ends are one percent apart: a long run needs no list of all latencies."""
    return round(math.log(max(seconds, 1e-6)) / math.log(BUCKET))


def _latency_at(buckets: Mapping[int, int], share: float) -> float:
    """The latency that this share of the requests did not exceed, to within a percent."""
    wanted, seen = share * sum(buckets.values()), 0
    for bucket in sorted(buckets):
        seen += buckets[bucket]
        if seen >= wanted:
            return float(BUCKET**bucket)
    return 0.0


async def _connect(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    where = urlsplit(address)
    return await asyncio.open_connection(where.hostname, where.port)


async def _exchange(connection: tuple[asyncio.StreamReader, asyncio.StreamWriter], request: bytes) -> tuple[int, bytes]:
    reader, writer = connection
    writer.write(request)
    return await read_http_response(reader)


def _request_bytes(part: SoakPart, number: int, kind: str, tenant: int, user: str) -> bytes:
    _share, method, route, body = KINDS[kind]
    content = body.replace("{n}", str(number)).encode()
    key = f"Idempotency-Key: soak-{number}\r\n" if kind in WRITES else ""
    head = (
        f"{method} /v1/users/{user}/{route} HTTP/1.1\r\nHost: 127.0.0.1\r\n{key}"
        f"Authorization: Bearer {part.keys[tenant]}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


# --- What the logs show ---------------------------------------------------------------------------------------------


def _check_logs(
    store: Store, whole: SoakPart, results: Sequence[SoakResult], seconds: float, memory: MemoryCurve
) -> SoakFigures:
    """Compare every user's log with the writes that were acknowledged for that user."""
    missed = {number for result in results for number in result.missed}
    expected: dict[str, set[int]] = {}
    for number, kind, tenant, user in _planned(whole):
        if kind in WRITES and number not in missed:
            expected.setdefault(store_user_id(f"tenant-{tenant}", user), set()).add(number)
    lost = doubled = broken = 0
    for user, numbers in expected.items():
        log = store.log(user)
        broken += log.verify() is not None
        texts = (stored.entry.text for stored in log.read() if isinstance(stored.entry, Observation))
        found = Counter(int(match[1]) for text in texts if (match := re.search(r"#(\d+)", text)))
        lost += len(numbers - found.keys())
        doubled += sum(many > 1 for many in found.values())
    taken = {kind: Counter[int]() for kind in KINDS}
    for kind, found_latencies in taken.items():
        for result in results:
            found_latencies.update(result.latencies.get(kind, {}))
    failed: Counter[str] = Counter()
    for result in results:
        failed.update(result.failed)
    examples = [result.example for result in results if result.example][:1]
    return SoakFigures(
        requests=sum(sum(found.values()) for found in taken.values()),
        seconds=seconds,
        latencies={kind: (_latency_at(took, 0.5), _latency_at(took, 0.99)) for kind, took in taken.items() if took},
        failed=dict(failed),
        memory=memory,
        users=len(expected),
        acknowledged=sum(map(len, expected.values())),
        lost=lost,
        doubled=doubled,
        broken=broken,
        stored=0,
        notes=(*examples, f"{machine_description()}, load {os.getloadavg()[0]:.1f}"),
    )


def _database_size(url: str) -> int:
    import psycopg

    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(row[0]) if row else 0


def _print_soak_figures(figures: SoakFigures, processes: int, out: Output) -> None:
    out.table(
        ("request", "p50", "p99"),
        ((kind, f"{p50 * 1000:.1f} ms", f"{p99 * 1000:.1f} ms") for kind, (p50, p99) in figures.latencies.items()),
        headed=True,
    )
    rate = figures.requests / figures.seconds
    out.line(
        f"{figures.requests:,} requests in {figures.seconds:,.0f} s ({rate:,.0f}/s) at"
        f" {counted(processes, 'process')}, {counted(figures.users, 'user')};"
        f" failed: {', '.join(f'{name}: {many}' for name, many in figures.failed.items()) or 'none'}"
    )
    out.line(
        f"{figures.acknowledged:,} writes acknowledged: {figures.lost} lost, {figures.doubled} doubled,"
        f" {figures.broken} logs with a broken chain"
    )
    out.line(f"{figures.stored / 1000:,.0f} kB in the database for each user, with its free space")
    for line in memory_curve_lines(figures.memory):
        out.line(line)
    out.line("FAILED: " + "; ".join(figures.failures) if figures.failures else "passed")
    for note in figures.notes:
        out.line(note)
