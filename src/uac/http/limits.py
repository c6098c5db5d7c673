"""What clients may use of the service, and from where: each limit is an ASGI application around the next.

    Safe → Hosts → AtOnce → Door → Turns → Body → the routes

A request that is turned away costs little: nothing of its body is read before its key and its share are known.
"""

import ipaddress
import math
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass

import anyio
from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from uac.errors import StoreError
from uac.http.access import KEY
from uac.http.problems import SAFE, respond
from uac.keys import Key, Keyring

__all__ = ["Buckets", "Limits", "Streams", "guard"]

PROBES = ("/healthz", "/readyz")
"""Paths that answer also when the service is busy, and to all: else it would be taken for dead, and started again."""

STREAM = "/events"
"""How the paths of answers end that stay open."""

MOST_BUCKETS = 10_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request and all of them may take."""

    body: int = 10 * 2**20
    """Bytes of one request's body."""
    patience: float = 60.0
    """Seconds that a body may take to arrive."""
    rate: float = 0.0
    """Requests a second for each key, on average; twice as many may come at once. 0: no limit."""
    at_once: int = 100
    """Requests under way; streams do not count."""
    streams: int = 1000
    """Streams of events that are open."""
    share: float = 0.75
    """How much of both one key may take, so that others find room."""
    each_user: int = 8
    """Requests for the same user that have a thread; more wait without one."""


class Streams:
    """The streams that are open, so that they can be ended when the service stops."""

    def __init__(self) -> None:
        self._open: set[anyio.CancelScope] = set()

    def __len__(self) -> int:
        return len(self._open)

    def end(self) -> None:
        """End them all; called in the event loop that serves them."""
        for stream in tuple(self._open):
            stream.cancel()

    async def run(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        state = ""

        async def noted(message: Message) -> None:
            nonlocal state
            await send(message)
            state = "open" if message["type"] == "http.response.start" or message.get("more_body") else "done"

        with anyio.CancelScope() as stream:
            self._open.add(stream)
            try:
                await app(scope, receive, noted)
            finally:
                self._open.discard(stream)
        if stream.cancelled_caught and state == "open":
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def guard(
    app: FastAPI, limits: Limits, *, keyring: Keyring | None, streams: Streams, hosts: Collection[str] | None
) -> None:
    """Put the limits around an application. With `hosts`, only requests to these names are answered."""
    app.add_middleware(Body, limits=limits)  # what is added last is asked first
    app.add_middleware(Turns, limits=limits, with_keys=keyring is not None)
    app.add_middleware(Door, limits=limits, keyring=keyring)
    app.add_middleware(AtOnce, limits=limits, streams=streams)
    if hosts is not None:
        app.add_middleware(Hosts, hosts=frozenset(hosts))
    app.add_middleware(Safe)


class Safe:
    """Gives every answer the headers that keep it from being stored, sniffed, framed or embedded elsewhere."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SAFE.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, safely if scope["type"] == "http" else send)


class Hosts:
    """Answers only to its own names, and to pages of these: another site's page may let its name point here."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in PROBES:  # those who probe know only an address
            headers = Headers(scope=scope)
            host, origin = headers.get("host", ""), headers.get("origin")
            if _name(host) not in self._hosts:
                error = HTTPException(421, f"this service is not {host!r}; 'uac serve --name' gives it more names")
                return await respond(error)(scope, receive, send)
            if origin is not None and _name(origin.partition("://")[2]) not in self._hosts:
                error = HTTPException(403, f"pages of {origin!r} may not ask this service")
                return await respond(error)(scope, receive, send)
        return await self._app(scope, receive, send)


def _name(host: str) -> str:
    """The host without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


class AtOnce:
    """Serves so many requests at once, and so many streams besides; more are told to come again."""

    def __init__(self, app: ASGIApp, limits: Limits, streams: Streams) -> None:
        self._app = app
        self._limits = limits
        self._streams = streams
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES:
            return await self._app(scope, receive, send)
        if scope["path"].endswith(STREAM):
            if len(self._streams) >= self._limits.streams:
                return await respond(_busy("streams", self._limits.streams))(scope, receive, send)
            return await self._streams.run(self._app, scope, receive, send)
        if self._busy >= self._limits.at_once:
            return await respond(_busy("requests", self._limits.at_once))(scope, receive, send)
        self._busy += 1
        try:
            return await self._app(scope, receive, send)
        finally:
            self._busy -= 1


def _busy(what: str, most: int) -> HTTPException:
    return HTTPException(503, f"{most} {what} are under way; try again in a second", {"Retry-After": "1"})


class Door:
    """Looks the key of a request up, and lets in so many a second of each key; of those without one, each address."""

    def __init__(
        self, app: ASGIApp, limits: Limits, keyring: Keyring | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._keyring = keyring
        self._clock = clock
        self._buckets = Buckets(limits.rate, 2 * limits.rate) if limits.rate else None
        self._most = {True: limits.share * limits.streams, False: limits.share * limits.at_once}
        self._held: Counter[tuple[str, bool]] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES:
            return await self._app(scope, receive, send)
        try:
            key = await self._key(scope)
        except StoreError as error:
            return await respond(error)(scope, receive, send)
        scope[KEY] = key
        who = key.id if key else _address(scope)
        wait = self._buckets.take(who, self._clock()) if self._buckets is not None else 0.0
        if wait:
            return await respond(_too_many("too many requests", math.ceil(wait)))(scope, receive, send)
        kind = (who, scope["path"].endswith(STREAM))
        held = self._held[kind]
        if held and held + 1 > self._most[kind[1]]:
            told = f"{held} {'streams' if kind[1] else 'requests'} of this key are under way"
            return await respond(_too_many(told, 1))(scope, receive, send)
        self._held[kind] += 1
        try:
            return await self._app(scope, receive, send)
        finally:
            self._held[kind] -= 1
            if not self._held[kind]:
                del self._held[kind]

    async def _key(self, scope: Scope) -> Key | None:
        kind, _, text = Headers(scope=scope).get("authorization", "").partition(" ")
        if self._keyring is None or kind.lower() != "bearer" or not text:
            return None
        return await anyio.to_thread.run_sync(self._keyring.find, text.strip())


def _too_many(told: str, seconds: int) -> HTTPException:
    return HTTPException(429, f"{told}; try again in {seconds} s", {"Retry-After": str(seconds)})


class Buckets:
    """One bucket for each client: a request takes one token, `rate` of them come back a second, up to `most`.

    The buckets of those who have been away longest are forgotten beyond a number, so that memory stays bounded.
    """

    def __init__(self, rate: float, most: float) -> None:
        self._rate = rate
        self._most = max(most, 1.0)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._left)

    def take(self, who: str, now: float) -> float:
        """0 if there was a token; else the seconds until there is one."""
        left, since = self._left.pop(who, (self._most, now))
        left = min(self._most, left + max(now - since, 0.0) * self._rate)
        granted = left >= 1
        self._left[who] = (left - 1 if granted else left, max(now, since))
        if len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return 0.0 if granted else (1 - left) / self._rate


def _address(scope: Scope) -> str:
    """Where a request came from. Whoever has an IPv6 address has a whole network of them."""
    host: str = (scope.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(ipaddress.ip_network((int(address), 64), strict=False)) if address.version == 6 else host


class Turns:
    """Lets a few requests for one user have threads: they wait for each other anyway, and threads are few."""

    def __init__(self, app: ASGIApp, limits: Limits, *, with_keys: bool) -> None:
        self._app = app
        self._each = limits.each_user
        self._with_keys = with_keys
        self._turns: dict[tuple[str, str], tuple[anyio.Semaphore, list[None]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user = re.match(r"/v1/users/([^/]+)", scope["path"]) if scope["type"] == "http" else None
        key: Key | None = scope.get(KEY)
        # Whoever has no key gets no thread either, and must not stand in anybody's way.
        if user is None or scope["path"].endswith(STREAM) or (key is None and self._with_keys):
            return await self._app(scope, receive, send)
        name = (key.tenant if key else "", user[1])
        turn, waiting = self._turns.setdefault(name, (anyio.Semaphore(self._each), []))
        waiting.append(None)
        try:
            async with turn:
                return await self._app(scope, receive, send)
        finally:
            waiting.pop()
            if not waiting:
                del self._turns[name]


class Body:
    """Reads so many bytes of a request and no more, however it announces them, and waits only so long for them."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._most = limits.body
        self._patience = limits.patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > self._most:
            return await respond(self._too_large())(scope, receive, send)
        deadline = anyio.current_time() + self._patience
        seen, is_whole = 0, False

        # What is raised here passes through whoever reads the body, and is told as every other error.
        async def bounded() -> Message:
            nonlocal seen, is_whole
            if is_whole:  # what is waited for now is the client's leaving
                return await receive()
            with anyio.CancelScope(deadline=deadline) as waiting:
                message = await receive()
            if waiting.cancelled_caught:
                raise HTTPException(408, f"the body did not arrive within {self._patience:g} s")
            seen += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if seen > self._most:
                raise self._too_large()
            return message

        return await self._app(scope, bounded, send)

    def _too_large(self) -> HTTPException:
        return HTTPException(413, f"the body is too large, needs at most {self._most} bytes")
