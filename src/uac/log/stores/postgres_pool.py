"""Access to one PostgreSQL database: its URL, connections, transactions and errors."""

import os
import re
import selectors
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import LiteralString
from urllib.parse import parse_qsl, urlencode

from uac.errors import Full, NoStore, NotAStore, ReadOnly, Refused, StoreError, Unavailable
from uac.log.stores.undo import UndoOnFailure

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg.pq import TransactionStatus
    from psycopg.rows import TupleRow
except ImportError as error:
    raise StoreError(
        f"A PostgreSQL store needs psycopg ({error}). Run: pip install 'user-as-code[postgres]'"
    ) from error

__all__ = [
    "WAIT_SECONDS",
    "Connect",
    "Connection",
    "PostgresPool",
    "array_literal",
    "array_of_bytes",
    "connect",
    "postgres_transaction",
]

CONNECTIONS = 10  # at most, per store object
WAIT_SECONDS = 30  # for a connection or a lock

Connection = psycopg.Connection[TupleRow]
Connect = Callable[[str], Connection]


class PostgresPool:
    """Connections to one database. Each is used by one thread at a time, and never after a fork.

    Not psycopg_pool: after a restart of the server it tries its dead connections one by one, ever more
    slowly, until the caller's time is up; and it hides why a connection could not be made.
    """

    def __init__(self, url: str, connect: Connect) -> None:
        self.address = _address_without_password(url)
        self._url = url
        self._connect = connect
        self._closed = False
        self._left_behind: list[deque[Connection]] = []
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._idle: deque[Connection] = deque()
        self._places = threading.BoundedSemaphore(CONNECTIONS)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        if self._closed:
            raise Unavailable(f"{self.address}: the store is closed. Open it again.")
        if self._process != os.getpid():
            # The parent's connections stay referenced, so that this process never closes them.
            self._left_behind.append(self._idle)
            self._reset()
        places = self._places
        if not places.acquire(timeout=WAIT_SECONDS):
            raise Unavailable(
                f"{self.address}: all {CONNECTIONS} connections were in use for {WAIT_SECONDS} s. Try again."
            )
        try:
            connection = self._take_connection()
            try:
                with _translate_errors(self.address):
                    yield connection
            finally:
                self._return_connection(connection)
        finally:
            places.release()

    def _take_connection(self) -> Connection:
        while self._idle:
            with suppress(IndexError):
                connection = self._idle.pop()
                if _is_usable(connection):
                    return connection
                connection.close()
        return self.separate_connection()

    def separate_connection(self) -> Connection:
        """A connection that is not the pool's: the caller closes it."""
        try:
            return self._connect(self._url)
        except psycopg.Error as error:
            # The server sends no code with these, only its sentence.
            missing = re.search(r'database ".*" does not exist', server_message(error))
            raise (NoStore if missing else Unavailable)(
                f"{self.address} cannot be reached: {server_message(error)}"
            ) from error

    def translate_errors(self) -> AbstractContextManager[None]:
        """Raises errors of PostgreSQL as errors of this package."""
        return _translate_errors(self.address)

    def _return_connection(self, connection: Connection) -> None:
        if connection.info.transaction_status != TransactionStatus.IDLE:
            connection.close()
            return
        self._idle.append(connection)
        if self._closed:  # by another thread, meanwhile
            self.close()

    def close(self) -> None:
        self._closed = True
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


# With the keepalives, a server that vanished is noticed within a minute, not after hours.
_DEFAULTS = "connect_timeout=5 keepalives_idle=30 keepalives_interval=10 keepalives_count=3 tcp_user_timeout=60000"


def connect(url: str) -> Connection:
    # The name tells an operator who looks at pg_stat_activity or pg_locks which process it is.
    named = make_conninfo(_DEFAULTS, application_name=f"user-as-code {os.getpid()}")
    chosen = make_conninfo(named, **conninfo_to_dict(url))
    return psycopg.connect(chosen, autocommit=True, client_encoding="utf8")


# In a third of the time of the default one, which is for many files.
_SELECTOR = selectors.SelectSelector if sys.platform == "win32" else selectors.PollSelector


def _is_usable(connection: Connection) -> bool:
    """Whether the server has sent nothing since its last answer. If it has, it was closing the connection."""
    if connection.closed:
        return False
    with _SELECTOR() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return not selector.select(timeout=0)


def array_literal(numbers: Iterable[int]) -> str:
    """An array of integers as a parameter; psycopg takes several times as long with a list."""
    return f"{{{','.join(map(str, numbers))}}}"


def array_of_bytes(values: Iterable[bytes]) -> str:
    """An array of byte strings as a parameter."""
    quoted = (f'"\\\\x{value.hex()}"' for value in values)
    return f"{{{','.join(quoted)}}}"


# Explicit where a server or role may have other defaults: the lock on a user's row needs READ COMMITTED,
# a durable append needs synchronous_commit, and a client that hangs must not lock a log for ever.
_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"
_SETTINGS = f"""
SELECT set_config('lock_timeout', '{WAIT_SECONDS}s', true),
  set_config('idle_in_transaction_session_timeout', '{2 * WAIT_SECONDS}s', true),
  CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
"""


@contextmanager
def postgres_transaction(
    connection: Connection, address: str, query: LiteralString = "", values: Sequence[object] = ()
) -> Iterator[Sequence[TupleRow]]:
    """Commits all of the block or nothing, durably. A block with nothing to store may roll back itself.

    A query travels with BEGIN, in one round trip. The block gets its rows.
    """
    with UndoOnFailure(partial(_roll_back, connection)):
        with connection.pipeline():
            connection.execute(_BEGIN)
            connection.execute(_SETTINGS)
            rows = connection.execute(query, values).fetchall() if query else []
        yield rows
    if connection.info.transaction_status == TransactionStatus.IDLE:
        return
    try:
        answer = connection.execute("COMMIT").statusmessage
    except psycopg.Error as error:
        if not connection.closed:
            raise
        raise Unavailable(
            f"{address}: the connection was lost while committing ({server_message(error)}): the entries may or may not"
            " be stored. Append them again with the same keys, or look at the head."
        ) from error
    if answer != "COMMIT":
        raise StoreError(f"{address}: the server answered {answer} to COMMIT: nothing was stored. Try again.")


def _roll_back(connection: Connection) -> None:
    with suppress(psycopg.Error):
        connection.execute("ROLLBACK")


@contextmanager
def _translate_errors(address: str) -> Iterator[None]:
    """Raise errors of PostgreSQL as errors of this package."""
    try:
        yield
    except psycopg.Error as error:
        code, why = error.sqlstate or "", server_message(error)
        if code in ("53000", "53100"):
            raise Full(f"{address}: no room is left ({why}). Nothing was written: make room first.") from error
        if code == "25006":
            raise ReadOnly(
                f"{address} can be read but not written ({why}). Write through the primary server."
            ) from error
        if code == "42501":
            raise ReadOnly(
                f"{address}: this role lacks a right ({why}). Use a role that has it, or grant it."
            ) from error
        if code in ("40001", "40P01", "55P03", "57014"):
            raise Unavailable(f"{address} was locked by another session ({why}). Try again.") from error
        lost = not code and isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        if lost or code[:2] in ("08", "53", "57") or code in ("25P03", "25P04"):
            raise Unavailable(f"{address}: the connection was lost ({why}). Try again.") from error
        if code in ("3F000", "42P01") or code[:2] == "XX":
            raise NotAStore(
                f"{address} is not whole ({why}). It was not changed: restore a backup, or use another database."
            ) from error
        raise StoreError(f"{address}: {why}") from error


def server_message(error: psycopg.Error) -> str:
    """The server's message, without the detail, which may quote a row."""
    return error.diag.message_primary or " ".join(str(error).split())


_URL = re.compile(r"postgres(?:ql)?://(?:([^@/]*)@)?([^@?]*)(?:\?(.*))?", re.DOTALL)


def _address_without_password(url: str) -> str:
    """The URL without its password. libpq may quote the password of a bad URL, so its message is not repeated."""
    parts = _URL.fullmatch(url)
    with suppress(psycopg.ProgrammingError):
        port = str(conninfo_to_dict(url).get("port", ""))
        if parts and re.fullmatch(r"[\d,]*", port):
            user = (parts[1] or "").partition(":")[0]
            public = [pair for pair in parse_qsl(parts[3] or "") if pair[0] in ("host", "port", "user", "dbname")]
            query = "?" + urlencode(public, safe="/,") if public else ""
            return f"postgresql://{user}{'@' if user else ''}{parts[2]}{query}"
    raise Refused(
        "store: The PostgreSQL URL cannot be read. Use postgresql://user:password@host:port/database,"
        " with @ / and % in the password written as %40 %2F and %25."
    )
