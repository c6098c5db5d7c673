"""Runs the application until a signal ends it. Requests under way are finished, streams are ended."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

from uac.http.limits import Streams
from uac.listening import bound, shown

__all__ = ["GRACE", "make_server", "serve"]

GRACE = 20
"""Seconds that requests under way have when the service stops."""


def serve(app: FastAPI, *, host: str, port: int, told: Callable[[str], None], grace: int = GRACE) -> None:
    """Serve until SIGTERM or SIGINT. `told` hears the address, which has a port also if 0 was asked for."""
    with bound(host, port) as listening, _ended_by_signals():
        server = make_server(app, grace=grace)
        told(f"http://{shown(host)}:{listening.getsockname()[1]}")
        server.run(sockets=[listening])


def make_server(app: FastAPI, *, grace: int = GRACE) -> uvicorn.Server:
    """A server for the application: `run(sockets=[…])` serves, `should_exit = True` ends it."""
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="auto",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
    )
    return _Server(config, app.state.streams)


class _Server(uvicorn.Server):
    """Ends streams when it begins to stop: they would go on until the grace is over."""

    def __init__(self, config: uvicorn.Config, streams: Streams) -> None:
        super().__init__(config)
        self._streams = streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._streams.end()
        await super().shutdown(sockets)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """The server raises the signal that ended it once more when it is done; here that is no error.

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
