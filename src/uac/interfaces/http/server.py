"""Runs the application until a signal stops it: streams are ended, and running requests get some time to finish.

In one process (`serve`), or in several behind one port (`serve_workers`), which uvicorn starts, watches and replaces.
"""

import asyncio
import gc
import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from uac.errors import UacError, Unavailable
from uac.interfaces.http.streams import Streams
from uac.interfaces.service.listening import bind_socket, url_host

__all__ = ["GRACE", "RestartBackoff", "make_server", "serve", "serve_workers"]

logger = logging.getLogger(__name__)

GRACE = 20
"""Seconds that running requests have when the service stops."""

CLOSING = 5
"""Further seconds for closing everything. After them the kernel ends the process."""

HEAD = 15.0
"""Seconds that a connection may take to send the head of a request."""

START_SECONDS = 60
"""Seconds that a process may take to start when another one is replaced by it."""

SETTLED = 10.0
"""A process that ends sooner, in seconds, is likely to end again: it is replaced after a pause."""

LONGEST_PAUSE = 30.0
"""Seconds until a process that ended too soon is replaced, at most: 1, 2, 4 … seconds before."""

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


def serve_workers(
    make_app: Callable[[], FastAPI],
    *,
    workers: int,
    host: str,
    port: int,
    on_listening: Callable[[str], None] = lambda _address: None,
    grace: int = GRACE,
) -> None:
    """Serve in several processes until SIGTERM or SIGINT; SIGHUP replaces them one after the other.

    Each calls `make_app`, which must be picklable, and takes connections from the same socket. One that dies is
    replaced. They end with this process, however that ends.
    """
    proxies = os.environ.get("FORWARDED_ALLOW_IPS", "")
    with bind_socket(host, port) as listening:
        config = _ServerConfig(make_app, grace=grace, proxies=proxies, workers=workers)
        supervisor = _Workers(config, sockets=[listening])
        on_listening(f"http://{url_host(host)}:{listening.getsockname()[1]}")
        supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise Unavailable("A process of the service could not start. Its output has the reason.")


def make_server(app: FastAPI, *, grace: int = GRACE, proxies: str = "") -> "_Server":
    """A server for the application: `run(sockets=[…])` serves, `should_exit = True` ends it.

    From these addresses alone, with commas between, it is believed for whom a request is passed on.
    """
    return _Server(_ServerConfig(lambda: app, grace=grace, proxies=proxies))


class _ServerConfig(uvicorn.Config):
    """The settings of a server, and its application, which is made in the process that serves it."""

    def __init__(self, make_app: Callable[[], FastAPI], *, grace: int, proxies: str, workers: int = 1) -> None:
        super().__init__(
            "",
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
            workers=workers,
            timeout_worker_healthcheck=START_SECONDS,
        )
        self._make_app = make_app
        self._streams: Streams | None = None

    def load(self) -> None:
        parent = multiprocessing.parent_process()
        if parent is not None and self.workers > 1:
            threading.Thread(target=_end_with_parent, args=(parent.sentinel,), daemon=True).start()
        try:
            app = self._make_app()
        except UacError as error:
            logger.error("a process of the service cannot start: %s", error)  # noqa: TRY400 - no traceback is needed
            sys.exit(1)  # and is started again
        self.app, self._streams = app, app.state.streams
        super().load()
        if self.workers > 1:
            gc.collect()
            gc.freeze()

    def cancel_streams(self) -> None:
        """End the streams when the server begins to stop: otherwise they would use up the grace period."""
        streams, self._streams = self._streams, None
        if streams is not None:
            streams.cancel_all()


def _end_with_parent(parent: int) -> None:
    """End as on a signal when the parent has ended: nobody would replace this process, or stop it."""
    multiprocessing.connection.wait([parent])
    os.kill(os.getpid(), signal.SIGTERM)


@dataclass(slots=True)
class RestartBackoff:
    """When a process that ended is replaced: at once if it was killed or had lived a while, else later each time."""

    _pid: int | None = None
    _since: float = 0.0
    _failures: int = 0
    _due: float | None = None

    def seconds_left(self, pid: int | None, exit_code: int | None, now: float) -> float | None:
        """Seconds until the replacement of a process may start; None while the process lives (it has no exit code)."""
        if pid != self._pid:
            self._pid, self._since, self._due = pid, now, None
        if exit_code is None:
            return None
        if self._due is None:
            has_failed = exit_code > 0 and now - self._since < SETTLED
            self._failures = self._failures + 1 if has_failed else 0
            self._due = now + (min(2.0 ** (self._failures - 1), LONGEST_PAUSE) if self._failures else 0.0)
        return max(self._due - now, 0.0)


class _Workers(Multiprocess):
    """The processes of a service."""

    def __init__(self, config: "_ServerConfig", sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets=sockets)
        self._backoffs = [RestartBackoff() for _process in range(config.workers)]

    def keep_subprocess_alive(self) -> None:
        """Replace the processes that have ended.

        Not by asking each whether it lives: one that dies while it is asked would not be noticed until the question
        times out, and one that is starting on a busy machine, or decoding much, would be killed.
        """
        for index, process in enumerate(self.processes):
            if self.should_exit.is_set():
                return
            left = self._backoffs[index].seconds_left(process.pid, process.exitcode, time.monotonic())
            if left is None:
                continue
            if process.exitcode == STARTUP_FAILURE:
                process.join()
                self.should_exit.set()
                return
            if left:
                continue
            process.kill()  # closes the pipes to it
            process.join()
            self.processes[index] = new = Process(self.config, self.sockets)
            new.start()
            logger.warning(
                "process %s of the service ended (%s); %s replaces it", process.pid, process.exitcode, new.pid
            )

    def terminate_all(self) -> None:
        """Hanging threads would keep a process alive: the kernel ends it after the grace period."""
        super().terminate_all()
        timer = threading.Timer((self.config.timeout_graceful_shutdown or GRACE) + CLOSING, self._kill_all)
        timer.daemon = True
        timer.start()

    def _kill_all(self) -> None:
        for process in self.processes:
            process.process.kill()


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

    def shutdown(self) -> None:
        if isinstance(self.config, _ServerConfig):
            self.config.cancel_streams()
        super().shutdown()

    def _start_deadline(self) -> None:
        self._cancel_deadline()
        self._deadline = self.loop.call_later(HEAD, self.transport.close)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()


class _Server(uvicorn.Server):
    """Calls `on_signal` when a signal ends it."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.on_signal: Callable[[], None] = lambda: None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.on_signal()
        super().handle_exit(sig, frame)


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
