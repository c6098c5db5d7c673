"""A proxy in front of a PostgreSQL server that cuts its connections after a number of bytes."""

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from support.postgres_server import Server

__all__ = ["CuttingProxy", "Direction", "cutting_proxy"]

Direction = Literal["sent", "received"]


class CuttingProxy:
    """Passes bytes on between clients, over TCP, and the server. `cut_after` limits them from then on."""

    def __init__(self, server: Server) -> None:
        self._server = server.folder / ".s.PGSQL.5432"
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._lock = threading.Lock()
        self._left: dict[Direction, int | None] = {"sent": None, "received": None}
        self.passed: dict[Direction, int] = {"sent": 0, "received": 0}
        """The bytes that clients sent and received."""
        self.is_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, url: str) -> str:
        """The address of the same database through this proxy."""
        name = Path(url.split("/")[3].partition("?")[0]).name
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}?sslmode=disable&gssencmode=disable"

    def cut_after(self, number: int, direction: Direction) -> None:
        """Cut the connection that brings the number of bytes above this, and pass the bytes before on."""
        with self._lock:
            self._left[direction], self.is_cut = number, False

    def mend(self) -> None:
        with self._lock:
            self._left = {"sent": None, "received": None}

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _address = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._server))
                threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        ways: dict[socket.socket, tuple[socket.socket, Direction]] = {
            client: (server, "sent"),
            server: (client, "received"),
        }
        with client, server, selectors.DefaultSelector() as selector, suppress(OSError):
            for side in ways:
                selector.register(side, selectors.EVENT_READ)
            while True:
                for key, _events in selector.select():
                    assert isinstance(key.fileobj, socket.socket)
                    other, direction = ways[key.fileobj]
                    data = key.fileobj.recv(65536)
                    allowed = self._allowed(len(data), direction)
                    other.sendall(data[:allowed])
                    if not data or allowed < len(data):
                        return

    def _allowed(self, number: int, direction: Direction) -> int:
        with self._lock:
            left = self._left[direction]
            allowed = number if left is None else min(left, number)
            if left is not None:
                self._left[direction] = left - allowed
                if allowed < number:
                    self._left[direction], self.is_cut = None, True  # the next connection is whole
            self.passed[direction] += allowed
            return allowed


@contextmanager
def cutting_proxy(server: Server) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(server)
    try:
        yield proxy
    finally:
        proxy.close()
