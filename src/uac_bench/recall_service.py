"""What recall costs in a service: the first answer of its process, the others, and the memory that they take."""

import json
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from time import perf_counter, process_time
from urllib.parse import quote

import msgspec

from uac.interfaces.cli import Output
from uac_bench.bench_serve import serve_in_process
from uac_bench.http_load import Load, LoadRequest, LoadResult, run_load_in_process
from uac_bench.measure import peak_memory_growth, percentile_95, process_memory, run_in_process

__all__ = ["DriverImport", "ServiceCost", "import_driver", "measure_driver", "measure_service", "print_service_costs"]

ROUTES: Mapping[str, Mapping[str, object]] = {
    "recall": {"query": "{question}", "k": 20},
    "context": {"question": "{question}", "tokens": 4000},
}


class ServiceCost(msgspec.Struct, frozen=True, kw_only=True):
    """One route of a service that had just started: seconds, and the bytes by which its process grew."""

    name: str
    turns: int
    first: float
    p50: float
    p95: float
    start: int
    memory: int


class DriverImport(msgspec.Struct, frozen=True):
    """What importing the driver of PostgreSQL takes in a process that has done nothing else."""

    seconds: float
    processor: float
    memory: int


def measure_service(address: str, user: str, questions: Sequence[str], turns: int, name: str) -> Iterator[ServiceCost]:
    """Each route is asked in a service of its own, over a memory that it has not opened."""
    for route, body in ROUTES.items():
        with serve_in_process(address, "--no-keys", "--no-learn", "--no-hooks") as service:
            start = process_memory(service.pid)
            requests = tuple(
                LoadRequest(
                    "POST",
                    f"/v1/users/{quote(user)}/{route}",
                    json.dumps({key: question if value == "{question}" else value for key, value in body.items()}),
                )
                for question in questions
            )
            first = _load(service.address, requests[:1])
            others = _load(service.address, requests)
            yield ServiceCost(
                name=f"{route}, {name}",
                turns=turns,
                first=first.seconds[0],
                p50=median(others.seconds),
                p95=percentile_95(others.seconds),
                start=start,
                memory=process_memory(service.pid) - start,
            )


def _load(address: str, requests: tuple[LoadRequest, ...]) -> LoadResult:
    found = run_load_in_process(Load(address, "", requests, 1, requests=len(requests)))
    if found.failed:
        raise RuntimeError(f"the service answered: {found.example}")
    return found


def measure_driver() -> DriverImport:
    return msgspec.json.decode(run_in_process(import_driver), type=DriverImport)


def import_driver() -> DriverImport:
    times: list[float] = []

    def run() -> None:
        start, began = perf_counter(), process_time()
        import psycopg  # noqa: F401 - importing it is what is measured

        times.extend((perf_counter() - start, process_time() - began))

    memory = peak_memory_growth(run)
    return DriverImport(times[0], times[1], memory)


def print_service_costs(costs: Sequence[ServiceCost], driver: DriverImport | None, out: Output) -> None:
    for cost in costs:
        out.line(
            f"{cost.turns:,} turns, service: {cost.name}: first {cost.first * 1e3:,.0f} ms, then p50"
            f" {cost.p50 * 1e3:,.2f} ms, p95 {cost.p95 * 1e3:,.2f} ms over HTTP; its process had"
            f" {cost.start / 1e6:,.0f} MB at its start, and {cost.memory / 1e6:,.0f} MB more in the end"
        )
    if driver is not None:
        out.line(
            f"of 'first' and 'memory' with PostgreSQL, {driver.seconds * 1e3:,.0f} / {driver.processor * 1e3:,.0f} ms"
            f" and {driver.memory / 1e6:,.0f} MB are for importing psycopg, as measured in a process of its own"
        )
