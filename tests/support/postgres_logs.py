"""What the tests of the PostgreSQL store share: an empty database, its name, and the texts of a log."""

from support.postgres_server import Server
from uac.log.log import Log
from uac.log.stores.postgres import PostgresStore
from uac.schema.entries import Observation
from uac.testing.store import entries_of

__all__ = ["empty", "empty_store", "name_in", "texts_of"]

STORES: dict[Server, str] = {}


def empty(server: Server, url: str) -> None:
    tables = ("snapshots", "index_blocks", "indexes", "shared_parts", "shared_texts", "entries", "users", "unscrubbed")
    server.execute("; ".join(f"DELETE FROM uac.{table}" for table in tables), name_in(url))


def empty_store(server: Server) -> str:
    """The URL of a database with the tables of a store and nothing in them: the same one each time."""
    if server not in STORES:
        STORES[server] = server.new_database()
        PostgresStore(STORES[server]).close()
    empty(server, STORES[server])
    return STORES[server]


def name_in(url: str) -> str:
    return url.split("/")[3].partition("?")[0]


def texts_of(log: Log) -> list[str]:
    entries = entries_of(log)
    return [entry.text for entry in entries if isinstance(entry, Observation)]
