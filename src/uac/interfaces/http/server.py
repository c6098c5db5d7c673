"""Runs the application until a signal stops it: streams are ended, and running requests get some time to finish."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from uac.interfaces.http.streams import Streams
from uac.interfaces.service.listening import bind_socket, url_host

__all__ = ["GRACE", "make_server", "serve"]

GRACE = 20
"""Seconds that running requests have when the service stops."""

CLOSING = 5
"""Further seconds for closing everything. After them the kernel ends the process."""

HEAD = 15.0
"""Seconds that a connection may take to send the head of a request."""


def serve(
    app: FastAPI,
    *,
    host: str,
    port: int,
    on_listening: Callable[[str], None] = lambda _address: None,
    grace: int = GRACE,
    told: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT. `on_listening` gets the address, with the port that was picked if `port` is 0.

    The process is meant to end then: a signal gives it `grace` and CLOSING seconds in all. `told` is the older name of
    `on_listening`.
    """
    with bind_socket(host, port) as listening, _end_server_on_signals():
        server = make_server(app, grace=grace, proxies=os.environ.get("FORWARDED_ALLOW_IPS", ""))
        server.on_signal = partial(_kill_server_after, grace + CLOSING)
        (told or on_listening)(f"http://{url_host(host)}:{listening.getsockname()[1]}")
        server.run(sockets=[listening])


def make_server(app: FastAPI, *, grace: int = GRACE, proxies: str = "") -> "_Server":
    """A server for the application: `run(sockets=[…])` serves, `should_exit = True` ends it.

    From these addresses alone, with commas between, it is believed for whom a request is passed on.
    """
    config = uvicorn.Config(
        app,
        loop="auto",
        http=_ServerConnection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        timeout_graceful_shutdown=grace,
    )
    return _Server(config, app.state.streams)


class _ServerConnection(H11Protocol):
    """Closes a connection if the head of its first or next request does not arrive in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its parent has it
        super().connection_made(transport)
        self._start_deadline()

    def on_response_complete(self) -> None:
        self._start_deadline()
        super().on_response_complete()

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:  # a head has arrived
            self._cancel_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def _start_deadline(self) -> None:
        self._cancel_deadline()
        self._deadline = self.loop.call_later(HEAD, self.transport.close)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()


class _Server(uvicorn.Server):
    """Ends streams when it begins to stop: otherwise they would use up the grace period."""

    def __init__(self, config: uvicorn.Config, streams: Streams) -> None:
        super().__init__(config)
        self._streams = streams
        self.on_signal: Callable[[], None] = lambda: None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.on_signal()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._streams.cancel_all()
        await super().shutdown(sockets)


def _kill_server_after(seconds: int) -> None:
    """Let the kernel end the process after `seconds`: hanging threads would keep it alive."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


@contextmanager
def _end_server_on_signals() -> Iterator[None]:
    """The server raises its terminating signal again when it is done; here that is not an error.

    So whoever opened the store comes to close it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)
