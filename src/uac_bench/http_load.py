"""Load on an HTTP server: several connections, each with one request after the other. Runs in a separate process."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import count
from time import perf_counter
from urllib.parse import urlsplit

import msgspec

from uac_bench.measure import run_in_process

__all__ = ["Load", "LoadRequest", "LoadResult", "read_http_response", "run_load", "run_load_in_process"]


class LoadRequest(msgspec.Struct, frozen=True):
    """One request, as it goes over the wire but for the number that makes it new ("{n}" in the body)."""

    method: str
    path: str
    body: str = ""


class Load(msgspec.Struct, frozen=True):
    """What to ask, in turns, how many at once, and until when."""

    address: str
    key: str
    asked: tuple[LoadRequest, ...]
    connections: int
    requests: int = 0
    seconds: float = 0.0
    others: tuple[str, ...] = ()
    """Addresses of more servers: connections are spread evenly."""


class LoadResult(msgspec.Struct, frozen=True):
    """How long each answer took, how long all of it took, and how many answers were no success."""

    seconds: tuple[float, ...]
    took: float
    failed: int
    example: str = ""
    """The first answer that was no success."""


def run_load_in_process(load: Load) -> LoadResult:
    return msgspec.json.decode(run_in_process(run_load, msgspec.json.encode(load).decode()), type=LoadResult)


def run_load(order: str) -> LoadResult:
    """Carry out a Load, given as JSON."""
    return asyncio.run(_run_connections(msgspec.json.decode(order, type=Load)))


async def _run_connections(load: Load) -> LoadResult:
    numbers = count()
    seconds: list[float] = []
    failures: list[str] = []
    start = perf_counter()
    until = start + load.seconds if load.seconds else None
    turns = _load_requests(load, numbers, until)
    addresses = (load.address, *load.others)
    places = [addresses[number % len(addresses)] for number in range(load.connections)]
    await asyncio.gather(*(_run_connection(place, turns, seconds, failures) for place in places))
    return LoadResult(tuple(seconds), perf_counter() - start, len(failures), failures[0] if failures else "")


def _load_requests(load: Load, numbers: Iterator[int], until: float | None) -> Iterator[bytes]:
    """Whole requests, until there were enough."""
    where = urlsplit(load.address)
    for number in numbers:
        if (load.requests and number >= load.requests) or (until is not None and perf_counter() >= until):
            return
        asked = load.asked[number % len(load.asked)]
        body = asked.body.replace("{n}", str(number)).encode()
        yield (
            f"{asked.method} {asked.path} HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {load.key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body


async def _run_connection(address: str, turns: Iterator[bytes], seconds: list[float], failures: list[str]) -> None:
    where = urlsplit(address)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    try:
        for request in turns:
            start = perf_counter()
            writer.write(request)
            status, body = await read_http_response(reader)
            seconds.append(perf_counter() - start)
            if not 200 <= status < 300:
                failures.append(f"{status} {body[:300].decode(errors='replace')}")
    finally:
        writer.close()


async def read_http_response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    lines: Sequence[bytes] = head.split(b"\r\n")
    status = int(lines[0].split()[1])
    headers = {name.lower(): value for name, _, value in (line.partition(b":") for line in lines[1:])}
    return status, await reader.readexactly(int(headers.get(b"content-length", b"0")))
