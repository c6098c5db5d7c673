"""Coordination of service processes by PostgreSQL's own means: LISTEN and NOTIFY, advisory locks, unlogged tables.

Notifications carry the numbers of users, not their ids, and are sent after the commits, many at once: NOTIFY inside a
writing transaction would let only one transaction of the whole database commit at a time.
"""

import secrets
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from uac.errors import ReadOnly, StoreError
from uac.log.coordination import SignIn, TokenGrant
from uac.log.stores.postgres_pool import Connection, PostgresPool, postgres_transaction

# isort: split
# After postgres_pool, whose error says how to install psycopg.
from psycopg import Notify

__all__ = ["PostgresCoordination"]

CHANNEL = "uac_changed"
ROLES = 0x55614333  # the class of the advisory locks of roles
TABLES_LOCK = 0x55614334
USERS_AT_ONCE = 300  # numbers of users in one notification, whose text has at most 8,000 bytes


class PostgresCoordination:
    """One process's part. It has two connections beside the pool's: one listens, one holds the locks."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool
        self._sender = secrets.token_hex(8)
        self._listening: Connection | None = None
        self._locking: Connection | None = None
        self._roles: set[str] = set()
        self._listen_lock, self._role_lock = threading.Lock(), threading.Lock()
        self._is_closed = False
        with pool.connection() as connection:
            _make_tables(connection, pool.address)

    def announce_changes(self, users: Collection[str]) -> None:
        names = sorted(set(users))
        with self._pool.connection() as connection:
            for start in range(0, len(names), USERS_AT_ONCE):
                connection.execute(_ANNOUNCE, (CHANNEL, self._sender, names[start : start + USERS_AT_ONCE]))

    def wait_for_changes(self, seconds: float) -> tuple[str, ...]:
        with self._listen_lock:
            heard = self._wait_for_notifications(seconds)
        numbers = {int(number) for text in heard for number in text.split(",") if number}
        if not numbers:
            return ()
        with self._pool.connection() as connection:
            rows = connection.execute("SELECT name FROM uac.users WHERE id = ANY(%s)", (sorted(numbers),)).fetchall()
        return tuple(sorted(name for (name,) in rows))

    def _wait_for_notifications(self, seconds: float) -> list[str]:
        """What other processes sent: the numbers of users, with commas between."""
        with self._own_connection("_listening") as (connection, is_new):
            if is_new:
                connection.execute(f"LISTEN {CHANNEL}")
            parts = (_split_notification(sent) for sent in connection.notifies(timeout=seconds, stop_after=1))
            return [numbers for sender, numbers in parts if sender != self._sender]

    def hold_role(self, role: str) -> bool:
        with self._role_lock, self._own_connection("_locking") as (connection, is_new):
            if is_new:
                self._roles.clear()
                connection.execute(_NOTICE_LOST_CLIENTS)
            if role in self._roles:
                connection.execute("SELECT 1")  # the lock is held while the session lives
                return True
            found = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (ROLES, role)).fetchone()
            if found and found[0]:
                self._roles.add(role)
            return role in self._roles

    @contextmanager
    def _own_connection(self, name: str) -> Iterator[tuple[Connection, bool]]:
        """A connection that this object keeps, and whether it is new; closed by any error."""
        connection: Connection | None = getattr(self, name)
        is_new = connection is None or connection.closed
        if connection is None or connection.closed:
            connection = self._pool.separate_connection()
            setattr(self, name, connection)
        try:
            with self._pool.translate_errors():
                yield connection, is_new
        except BaseException:
            connection.close()
            raise
        if self._is_closed:
            connection.close()

    def take_tokens(self, bucket: str, *, rate: float, most: float, wanted: int) -> TokenGrant:
        values = {"bucket": bucket, "rate": rate, "most": most, "wanted": wanted}
        with self._pool.connection() as connection:
            row = connection.execute(_TAKE, values).fetchone()
        assert row is not None
        granted, left = int(row[0]), float(row[1])
        return TokenGrant(granted) if granted else TokenGrant(0, max(1 - left, 0.0) / rate)

    def add_sign_in(self, digest: bytes, sign_in: SignIn, *, most: int, most_of_key: int) -> None:
        with self._pool.connection() as connection, postgres_transaction(connection, self._pool.address):
            connection.execute("DELETE FROM uac.sign_ins WHERE expires <= clock_timestamp()")
            if sign_in.key:
                connection.execute(_DROP_OLDEST_OF_KEY, (sign_in.key, most_of_key - 1))
            connection.execute(_DROP_OLDEST, (most - 1,))
            connection.execute(
                "INSERT INTO uac.sign_ins (digest, key, expires) VALUES (%s, %s, %s)",
                (digest, sign_in.key, sign_in.expires),
            )

    def find_sign_in(self, digest: bytes) -> SignIn | None:
        with self._pool.connection() as connection:
            row = connection.execute("SELECT key, expires FROM uac.sign_ins WHERE digest = %s", (digest,)).fetchone()
        return SignIn(*row) if row else None

    def remove_sign_in(self, digest: bytes) -> None:
        with self._pool.connection() as connection:
            connection.execute("DELETE FROM uac.sign_ins WHERE digest = %s", (digest,))

    def close(self) -> None:
        self._is_closed = True
        with self._role_lock:
            self._roles.clear()
            if self._locking is not None and not self._locking.closed:
                with suppress(StoreError), self._pool.translate_errors():
                    self._locking.execute("SELECT pg_advisory_unlock_all()")  # closing alone frees them a little later
                self._locking.close()
        if self._listening is not None and self._listen_lock.acquire(blocking=False):
            # else a thread waits with it, and closes it
            self._listening.close()
            self._listen_lock.release()


def _split_notification(sent: Notify) -> tuple[str, str]:
    sender, _, numbers = sent.payload.partition(" ")
    return sender, numbers


def _make_tables(connection: Connection, address: str) -> None:
    """The tables of what processes share, if they are missing. They are caches: the version of the store stays."""
    with postgres_transaction(connection, address):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (TABLES_LOCK,))
        missing = connection.execute("SELECT to_regclass('uac.sign_ins') IS NULL OR to_regclass('uac.rates') IS NULL")
        if missing.fetchone() == (True,):
            connection.execute(_TABLES)
        if connection.execute(_MAY_USE_TABLES).fetchone() != (True,):
            raise ReadOnly(
                f"{address}: this role may not use uac.sign_ins and uac.rates, which service processes share."
                " Grant it all rights on them."
            )


# A commit of such a notification need not be on disk: a change that nobody heard of is found by polling.
_ANNOUNCE = """
SELECT set_config('synchronous_commit', 'off', true), pg_notify(%s, %s || ' ' || string_agg(id::text, ','))
FROM uac.users WHERE name = ANY(%s) HAVING count(*) > 0
"""

# So that the locks of a process whose machine has vanished are free after a minute.
_NOTICE_LOST_CLIENTS = "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"

_TAKE = """
INSERT INTO uac.rates AS known (bucket, tokens, granted, at)
VALUES (
  %(bucket)s, %(most)s::float8 - least(%(wanted)s::int, floor(%(most)s::float8)::int),
  least(%(wanted)s::int, floor(%(most)s::float8)::int), clock_timestamp()
)
ON CONFLICT (bucket) DO UPDATE SET (tokens, granted, at) = (
  SELECT there - least(%(wanted)s::int, floor(there)::int), least(%(wanted)s::int, floor(there)::int), moment
  FROM (
    SELECT moment, least(
      %(most)s::float8, known.tokens + greatest(extract(epoch FROM moment - known.at), 0)::float8 * %(rate)s::float8
    ) AS there
    FROM (SELECT greatest(clock_timestamp(), known.at) AS moment) AS clock
  ) AS refilled
)
RETURNING granted, tokens
"""

_DROP_OLDEST_OF_KEY = """
DELETE FROM uac.sign_ins WHERE digest IN (
  SELECT digest FROM uac.sign_ins WHERE key = %s ORDER BY expires DESC, digest OFFSET %s
)
"""

_DROP_OLDEST = """
DELETE FROM uac.sign_ins WHERE digest IN (SELECT digest FROM uac.sign_ins ORDER BY expires DESC, digest OFFSET %s)
"""

_MAY_USE_TABLES = """
SELECT bool_and(has_table_privilege(relation, right_))
FROM unnest(ARRAY['uac.sign_ins', 'uac.rates']) AS relation,
  unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS right_
"""

# Unlogged: they are empty after a crash of the server, and cost no write to disk for a request.
_TABLES = """
CREATE UNLOGGED TABLE IF NOT EXISTS uac.sign_ins (
  digest bytea PRIMARY KEY,
  key text NOT NULL,
  expires timestamptz NOT NULL
);
CREATE UNLOGGED TABLE IF NOT EXISTS uac.rates (
  bucket text PRIMARY KEY,
  tokens float8 NOT NULL,
  granted integer NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 50);
"""
