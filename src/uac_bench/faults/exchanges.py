"""Connections to PostgreSQL that fail at a chosen exchange with the server."""

import time
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

import psycopg
from psycopg.rows import TupleRow

from uac.errors import Unavailable

__all__ = ["EXCHANGE_MODES", "Connection", "ExchangeFault", "ExchangeMode", "end_backend"]

ExchangeMode = Literal["connection lost before", "reply lost", "statement failed"]
"""How an exchange fails: the server never gets it, it does and its reply is lost, or the server refuses it."""
EXCHANGE_MODES: tuple[ExchangeMode, ...] = get_args(ExchangeMode)
Connection: TypeAlias = psycopg.Connection[TupleRow]
PATIENCE = 60.0


class ExchangeFault:
    """Breaks the nth exchange with the server, of all the connections it makes. `cut` ends one on the server's side."""

    def __init__(self, cut: Callable[[Connection], None], mode: ExchangeMode) -> None:
        self._cut = cut
        self.mode = mode
        self.count = 0
        self.at: int | None = None

    def arm(self, at: int | None) -> None:
        """Break the exchange of that number from now on, or none."""
        self.count, self.at = 0, at

    def connect(self, url: str) -> Connection:
        fault = self

        class Breaking(psycopg.Connection[TupleRow]):
            def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
                fault.count += 1
                if fault.count != fault.at:
                    return super().wait(gen, interval, timeout)
                if fault.mode == "statement failed":
                    self.pgconn.exec_(b"SELECT 1/0")  # from here on the server refuses all but ROLLBACK
                    return super().wait(gen, interval, timeout)
                reply = super().wait(gen, interval, timeout) if fault.mode == "reply lost" else None
                fault._cut(self)
                if fault.mode == "reply lost":
                    if self.pgconn.pipeline_status:
                        return reply  # psycopg is between two halves of an exchange: the next half fails
                    gen = self._exec_command(b"SELECT 1")
                return super().wait(gen, interval, timeout)

        return Breaking.connect(url, autocommit=True)


def end_backend(url: str, connection: Connection) -> None:
    """End the server's side of a connection, from another one, and wait until it is gone."""
    process = connection.info.backend_pid
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [process])
        deadline = time.monotonic() + PATIENCE
        while other.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [process]).fetchone():
            if time.monotonic() > deadline:
                raise Unavailable(f"The server did not end a connection within {PATIENCE:.0f} s. Check its load.")
            time.sleep(0.001)
