"""Limits on what clients may use, and from where: each is an ASGI application around the next.

    SecurityHeaders → HostFilter → KeyCheck → LoadLimit → BodyLimit → ThreadQueue → the routes

A request that is turned away costs little: nothing of its body is read before its key and its share are known, and it
waits for nobody's turn before its body is there.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from uac.interfaces.http.auth import KEY
from uac.interfaces.http.key_check import PROBES, KeyCheck, client_network
from uac.interfaces.http.memory_cache import CACHE_BYTES
from uac.interfaces.http.problems import SAFE, TooManyRequests, problem_response
from uac.interfaces.http.raw_headers import has_header, header_text
from uac.interfaces.http.request_bodies import BodyLimit
from uac.interfaces.http.shared_rates import SharedRates
from uac.interfaces.http.streams import Streams
from uac.interfaces.http.user_context import Service
from uac.interfaces.service.api_keys import Key
from uac.log.coordination import Coordination

__all__ = ["ServiceLimits", "add_limits"]


STREAM = re.compile(r"/v1/users/[^/]+/events")
"""The paths of event streams."""

OF_USER = re.compile(r"/(?:v1|inspector)/users/([^/]+)(/.*)?", re.DOTALL)

SAFE_HEADERS = [(name.lower().encode(), value.encode()) for name, value in SAFE.items()]

STRANGERS = "?"  # all who have no key; no tenant has this name


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """The limits for one request and for all of them."""

    body: int = 10 * 2**20
    """Bytes of one request's body; at most `request_bodies.SMALL`, except for conversations and files."""
    patience: float = 60.0
    """Seconds that a body may take to arrive."""
    rate: float = 0.0
    """Requests a second for each key, on average; twice as many may come at once. 0: no limit."""
    at_once: int = 100
    """Requests under way; streams do not count."""
    streams: int = 1000
    """Streams of events that are open."""
    share: float = 0.75
    """The share of both that one tenant may take, and all callers without a key together."""
    each_user: int = 8
    """Requests for the same user that have a thread; more wait without one."""
    computes: int = 4
    """Computations of one tenant that run at once; more wait without a thread."""
    all_computes: int = 16
    """Computations of all tenants that run at once."""
    cache: int = CACHE_BYTES
    """Estimated bytes of the users' memories that stay open between requests."""
    searches: int = 1
    """Searches of one tenant that run at once: they run in Python, so more would only slow each other down."""


def add_limits(
    app: FastAPI, limits: ServiceLimits, *, service: Service, streams: Streams, hosts: Collection[str] | None
) -> None:
    """Put the limits around an application. With `hosts`, only requests to these names are answered."""
    app.add_middleware(ThreadQueue, limits=limits)  # what is added last is asked first
    app.add_middleware(BodyLimit, most=limits.body, patience=limits.patience)
    app.add_middleware(LoadLimit, limits=limits, streams=streams)
    app.add_middleware(
        KeyCheck, rate=limits.rate, keyring=service.keyring, rates=_shared_rates(limits.rate, service.coordination)
    )
    if hosts is not None:
        app.add_middleware(HostFilter, hosts=frozenset(hosts), with_keys=service.keyring is not None)
    app.add_middleware(SecurityHeaders)


def _shared_rates(rate: float, coordination: Coordination | None) -> SharedRates | None:
    return SharedRates(coordination, rate) if rate and coordination is not None else None


class SecurityHeaders:
    """Adds the headers that forbid storing, sniffing, framing and embedding an answer.

    A request whose end can be read in two ways is refused: a proxy might take the rest of it for another request.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"] = list(message.get("headers", ()))
                names = {name.lower() for name, _value in headers}
                headers += [header for header in SAFE_HEADERS if header[0] not in names]
            await send(message)

        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if has_header(scope, b"content-length") and has_header(scope, b"transfer-encoding"):
            detail = "The body has both a Content-Length and a Transfer-Encoding. Send one of them."
            return await problem_response(HTTPException(400, detail, {"Connection": "close"}))(scope, receive, safely)
        return await self._app(scope, receive, safely)


class HostFilter:
    """Answers only requests to its own names, from their own pages: protection against DNS rebinding.

    Without keys, pages of other ports are refused, too: any local process could serve them.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], *, with_keys: bool) -> None:
        self._app = app
        self._hosts = hosts
        self._with_keys = with_keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in PROBES:  # probes know only the address
            host, origin = header_text(scope, b"host"), header_text(scope, b"origin")
            name, port = _split_host_port(host, scope["scheme"])
            if name not in self._hosts:
                error = HTTPException(421, f"This service is not {host!r}. Give it more names with 'uac serve --name'.")
                return await problem_response(error)(scope, receive, send)
            if has_header(scope, b"origin") and not self._is_own_origin(origin, port):
                error = HTTPException(
                    403, f"Pages of {origin!r} may not call this service. Use its own pages, or another client."
                )
                return await problem_response(error)(scope, receive, send)
        return await self._app(scope, receive, send)

    def _is_own_origin(self, origin: str, own_port: str) -> bool:
        scheme, _, host = origin.partition("://")
        name, port = _split_host_port(host, scheme)
        return name in self._hosts and (self._with_keys or port == own_port)


def _split_host_port(host: str, scheme: str) -> tuple[str, str]:
    """The name and the port."""
    name, colon, port = host.rpartition(":")
    if colon and port.isdecimal():
        return name.lower(), port
    return host.lower(), "443" if scheme == "https" else "80"


class LoadLimit:
    """Limits the requests at once and the open streams, in total and for one tenant.

    More are told to come again.
    """

    def __init__(self, app: ASGIApp, limits: ServiceLimits, streams: Streams) -> None:
        self._app = app
        self._limits = limits
        self._streams = streams
        self._running: Counter[tuple[str, bool]] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES:
            return await self._app(scope, receive, send)
        key: Key | None = scope.get(KEY)
        place = (key.tenant if key else STRANGERS, _is_event_stream(scope))
        if error := self._overload_error(*place):
            return await problem_response(error)(scope, receive, send)
        self._running[place] += 1
        try:
            if place[1]:
                return await self._streams.serve_stream(self._app, scope, receive, send)
            return await self._app(scope, receive, send)
        finally:
            self._running[place] -= 1
            if not self._running[place]:
                del self._running[place]

    def _overload_error(self, tenant: str, is_stream: bool) -> HTTPException | None:
        what = "streams" if is_stream else "requests"
        most = self._limits.streams if is_stream else self._limits.at_once
        if sum(number for (_tenant, kind), number in self._running.items() if kind == is_stream) >= most:
            return HTTPException(503, f"{most} {what} are running. Try again in a second.", {"Retry-After": "1"})
        own = self._running[tenant, is_stream]
        if own and own + 1 > self._limits.share * most:
            whose = "without a key" if tenant == STRANGERS else "of this tenant"
            return TooManyRequests(f"{own} {what} {whose} are running", 1)
        return None


def _is_event_stream(scope: Scope) -> bool:
    return scope["method"] == "GET" and STREAM.fullmatch(scope["path"]) is not None


class ThreadQueue:
    """Limits the threads for one user's requests, and for one tenant's computations and searches.

    The others wait without one: requests for one user wait for each other anyway, and processors are few.
    """

    def __init__(self, app: ASGIApp, limits: ServiceLimits) -> None:
        self._app = app
        self._limits = limits
        self._turns: dict[tuple[str, ...], _Turn] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_event_stream(scope):
            return await self._app(scope, receive, send)
        turns: list[_Turn] = []
        try:
            for name, most in self._semaphores_for_request(scope):
                turns.append(await self._take_turn(name, most))
            return await self._app(scope, receive, send)
        finally:
            for turn in turns:
                turn.semaphore.release()
                self._leave_turn(turn)

    def _semaphores_for_request(self, scope: Scope) -> Iterator[tuple[tuple[str, ...], int]]:
        """The semaphores that a request waits for, in the same order for all, so that there is no deadlock."""
        found = OF_USER.fullmatch(scope["path"])
        if found is None:
            return
        key: Key | None = scope.get(KEY)
        who = f"tenant {key.tenant}" if key else client_network(scope)
        if found[2] == "/compute":
            yield ("computes", who), self._limits.computes
            yield ("computes",), self._limits.all_computes
        elif found[2] in ("/recall", "/context"):
            yield ("searches", who), self._limits.searches
        yield ("user", who, found[1]), self._limits.each_user

    async def _take_turn(self, name: tuple[str, ...], most: int) -> "_Turn":
        turn = self._turns.get(name) or self._turns.setdefault(name, _Turn(name, asyncio.Semaphore(most)))
        turn.requests += 1
        is_taken = False
        try:
            is_taken = await turn.semaphore.acquire()
        finally:
            if not is_taken:  # cancelled
                self._leave_turn(turn)
        return turn

    def _leave_turn(self, turn: "_Turn") -> None:
        turn.requests -= 1
        if not turn.requests:
            del self._turns[turn.name]


@dataclass(slots=True)
class _Turn:
    """A semaphore, and how many requests hold it or wait for it."""

    name: tuple[str, ...]
    semaphore: asyncio.Semaphore
    requests: int = 0
