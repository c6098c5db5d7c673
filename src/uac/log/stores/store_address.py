"""The address of a store: a path or a URL, which decides the kind of store; and the default address."""

import os
import re
from pathlib import Path

from uac.errors import NotAStore, Refused
from uac.log.clock import Clock, wall_clock
from uac.log.store import Store

__all__ = ["data_folder", "default_address", "open_store"]


def open_store(address: str | os.PathLike[str], *, create: bool = True, clock: Clock = wall_clock) -> Store:
    """Open the store at a path, `sqlite:///path`, `postgresql://…` or `memory:`.

    With `create=False`, a missing store is an error (NoStore), never a new empty one.
    """
    text = os.fspath(address)
    if text in ("memory:", ":memory:"):
        from uac.log.stores.in_memory import MemoryStore

        return MemoryStore(clock=clock)
    if text.startswith(("postgresql://", "postgres://")):
        from uac.log.stores.postgres import PostgresStore

        return PostgresStore(text, create=create, clock=clock)
    if text.startswith("sqlite:///"):
        text = text.removeprefix("sqlite:///")
    elif scheme := re.match(r"([A-Za-z][A-Za-z0-9+.-]*):/", text):
        raise Refused(
            f"store: {scheme[1]!r} is not a kind of store. Use a path, sqlite:///path or postgresql://host/database."
        )
    if not text:
        raise Refused("store: The address is empty. Use a path, sqlite:///path or postgresql://host/database.")
    path = Path(text).expanduser()
    if not path.name:  # the root, or the current folder
        raise NotAStore(f"{path} is a folder. Use a file.")
    from uac.log.stores.sqlite import SqliteStore

    return SqliteStore(path, create=create, clock=clock)


def default_address() -> str:
    """UAC_STORE, else memory.db in the user's data folder (XDG_DATA_HOME, or ~/.local/share)."""
    if configured := os.environ.get("UAC_STORE"):
        return configured
    return str(data_folder() / "memory.db")


def data_folder() -> Path:
    """The folder of the default store: uac in XDG_DATA_HOME, or in ~/.local/share."""
    base = os.environ.get("XDG_DATA_HOME", "")
    folder = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share"
    return folder / "uac"
