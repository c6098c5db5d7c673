"""What the tests of the PostgreSQL store share: emptying a database, its name, and the texts of a log."""

from support.postgres_server import Server
from uac.log.log import Log
from uac.schema.entries import Observation
from uac.testing.store import entries_of

__all__ = ["empty", "name_in", "texts_of"]


def empty(server: Server, url: str) -> None:
    tables = ("vectors", "passages", "indexes", "entries", "users", "unscrubbed")
    server.execute("; ".join(f"DELETE FROM uac.{table}" for table in tables), name_in(url))


def name_in(url: str) -> str:
    return url.split("/")[3].partition("?")[0]


def texts_of(log: Log) -> list[str]:
    entries = entries_of(log)
    return [entry.text for entry in entries if isinstance(entry, Observation)]
