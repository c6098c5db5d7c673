"""Runs the application until a signal stops it: streams are ended, and running requests get some time to finish."""

import asyncio
import gc
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
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from uac.interfaces.http.streams import Streams
from uac.interfaces.service.listening import bind_socket, url_host

__all__ = ["GRACE", "make_server", "serve"]

GRACE = 20
"""Seconds that running requests have when the service stops."""

CLOSING = 5
"""Further seconds for closing everything. After them the kernel ends the process."""

HEAD = 15.0
"""Seconds that a connection may take to send the head of a request."""

LARGEST_HEAD = 64 * 2**10
"""Bytes of the head of a request, to within what is read from a connection at once."""


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
        gc.collect()
        gc.freeze()  # what is loaded by now stays: no collection of garbage, which stops all threads, looks at it
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


class _ServerConnection(HttpToolsProtocol):
    """Closes a connection if the head of its first or next request does not arrive in time, or is too large.

    What follows a body in chunks (its trailers) is limited as a head is, and is not taken for headers.
    """

    _deadline: asyncio.TimerHandle | None = None
    _is_head = False
    _unused = 0  # bytes since the last head or piece of a body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its parent has it
        super().connection_made(transport)
        # `SecurityHeaders` refuses a length beside chunks, and says why.
        self.parser.set_dangerous_leniencies(lenient_chunked_length=True)
        self._start_deadline()

    def data_received(self, data: bytes) -> None:
        self._unused += len(data)
        super().data_received(data)
        if self._unused > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of the request is too large.")

    def on_message_begin(self) -> None:
        self._is_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_head, self._unused = False, 0
        self._cancel_deadline()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unused = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unused = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._start_deadline()
        super().on_response_complete()

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
