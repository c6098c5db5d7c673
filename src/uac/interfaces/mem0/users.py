"""The users of one collection, each with a log in the store."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from uac.errors import NoStore, Refused
from uac.interfaces.mem0.arguments import Invalid, Scope, StoreLocation, read_scope
from uac.interfaces.mem0.memories import OpenUser, parse_memory_id
from uac.log.log import Clock, Stored
from uac.log.store import Store
from uac.log.stores import open_store
from uac.models.embedder import Embedder

__all__ = ["Users", "no_such_memory"]

OPEN = 128
"""How many users are cached; the least recently used is dropped first."""


class Users:
    """The users of a collection. Recently used ones stay open, shared by all threads."""

    def __init__(
        self,
        location: StoreLocation,
        store: Store | None,
        *,
        embedder: Embedder | Literal["chosen"] | None,
        clock: Clock,
    ) -> None:
        self._is_given = store is not None
        self.store, self.is_new = (store, False) if store is not None else _open_collection_store(location, clock)
        self._prefix = location.prefix
        self._embedder = embedder
        self._clock = clock
        self._open: OrderedDict[str, OpenUser] = OrderedDict()
        self._lock = threading.Lock()

    def user_in_scope(self, scope: Scope) -> OpenUser:
        return self._open_user(self._prefix + scope.log_name)

    def find_memory(self, memory_id: object, user_id: object) -> tuple[OpenUser, Stored] | None:
        """The owner of a memory, and the entry it began with; None for ids of other collections."""
        location = parse_memory_id(memory_id)
        if location is None or not self._is_in_collection(location.name):
            return None
        if user_id is not None and location.name != self._prefix + read_scope(user_id, None, None).log_name:
            return None
        try:
            log = self.store.log(location.name)
        except Refused:
            return None
        stored = next(log.read(location.position, location.position + 1), None)
        if stored is None or not location.matches_entry(stored):
            return None
        return self._open_user(location.name), stored

    def require_memory(self, memory_id: object, user_id: object) -> tuple[OpenUser, Stored]:
        location = self.find_memory(memory_id, user_id)
        if location is None:
            raise no_such_memory(memory_id)
        return location

    def erase_user(self, user: OpenUser) -> None:
        """Destroy a user's log; to be called with the user's lock held."""
        self.store.erase(user.name)
        user.open_log(self.store)

    def erase_all(self) -> None:
        for name in [*self._user_names()]:
            with self._lock:
                user = self._open.pop(name, None)
            if user is None:
                self.store.erase(name)
                continue
            with user.lock:
                self.erase_user(user)

    def close_all(self) -> None:
        """Release all resources. A store that was passed in stays open."""
        with self._lock:
            users = [*self._open.values()]
            self._open.clear()
        for user in users:
            user.close_log()
        if not self._is_given:
            self.store.close()

    def _open_user(self, name: str) -> OpenUser:
        with self._lock:
            user = self._open.get(name)
            if user is None:
                try:
                    user = OpenUser(name, self.store, embedder=self._embedder, clock=self._clock)
                except Refused as error:
                    raise Invalid(str(error)) from None
            self._open[name] = user
            self._open.move_to_end(name)
            idle = next((user for user in self._open.values() if user.is_idle()), None)
            if len(self._open) <= OPEN or idle is None:
                return user
            del self._open[idle.name]
        idle.close_log()
        return user

    def _user_names(self) -> Iterator[str]:
        last = ""
        while page := self.store.users(after=last):
            last = page[-1].name
            yield from (user.name for user in page if self._is_in_collection(user.name))

    def _is_in_collection(self, name: str) -> bool:
        """Whether a log belongs to this collection; only names in other collections contain a colon and a space."""
        collection, colon, _rest = name.partition(": ")
        return name.startswith(self._prefix) if self._prefix else not colon or " " in collection


def no_such_memory(memory_id: object) -> Invalid:
    return Invalid(f"No memory {memory_id!r}. It was deleted, or the id belongs to another store.")


def _open_collection_store(location: StoreLocation, clock: Clock) -> tuple[Store, bool]:
    """The store, and whether it was just created."""
    try:
        return open_store(location.address, create=False, clock=clock), location.address in ("memory:", ":memory:")
    except NoStore:
        if location.is_default:
            Path(location.address).expanduser().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open_store(location.address, clock=clock), True
