"""The users of one collection, each with a log in the store."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from uac.conversation.learning import Cadence
from uac.errors import ModelError, NoStore, Refused
from uac.interfaces.mem0.arguments import Invalid, Scope, StoreLocation, read_scope
from uac.interfaces.mem0.memories import MemoriesInLog, StoredMemory, no_such_memory, parse_memory_id, parse_memory_note
from uac.log.log import EMPTY, Clock, Head, Stored
from uac.log.store import Store
from uac.log.stores import open_store
from uac.memory.memory import Memory
from uac.models import ModelsFor
from uac.models.embedder import Embedder
from uac.recall.search import Hit
from uac.schema.entries import Observation

__all__ = ["OpenUser", "Users"]

LOOKED_AT, MORE = 100, 10  # hits examined, and the factor for another search if filters left too few
OPEN = 128
"""How many users are cached; the least recently used is dropped first."""

_log = logging.getLogger("uac.compat.mem0")


class OpenUser:
    """One user's memory, open. `lock` is held while it is used; learning has a memory and a lock of its own."""

    def __init__(self, name: str, store: Store, *, embedder: Embedder | Literal["chosen"] | None, clock: Clock) -> None:
        self.name = name
        self.lock = threading.RLock()
        self._learning = threading.Lock()
        self._embedder: Embedder | Literal["chosen"] | None = embedder
        self._clock = clock
        self.open_log(store)

    def open_log(self, store: Store) -> None:
        """Open the log in its current state, also after it was erased."""
        self.log = store.log(self.name)
        self.memory = Memory(self.log, embedder=self._embedder, clock=self._clock)
        self._learner = Memory(self.log, embedder=self._embedder, clock=self._clock)
        self._seen: Head = EMPTY
        self._newer: dict[int, list[int]] = {}

    def memories_in_log(self) -> MemoriesInLog:
        # The project first: a newer text that is not folded yet counts, and a deleted older one does not.
        project = self.memory.project()
        self._read_new_entries()
        is_agents = self.name.rpartition(": ")[2].startswith("agent ")
        return MemoriesInLog(self.log, project, self._newer, is_agents=is_agents)

    def search_memories(self, query: str, wanted: Callable[[StoredMemory], bool]) -> Iterator[tuple[StoredMemory, Hit]]:
        """The memories that match a search, best first. Of turns or facts with nearly the same text, one is enough."""
        view, most = self.memories_in_log(), LOOKED_AT
        seen: set[int] = set()
        while True:
            hits = self.memory.recall(query, k=most, kinds=("fact", "observation"))
            for hit in hits:
                alike = [position for position in (hit.position, *hit.also) if position not in seen]
                seen.update(alike)
                stored = (view.listed_memory_at(position) for position in alike)
                if (first := next((one for one in stored if one is not None and wanted(one)), None)) is not None:
                    yield first, hit
            if len(hits) < most:
                return
            most *= MORE

    def learn_unread(self, models: ModelsFor) -> None:
        """Let models process unread text. If they fail, it stays unread."""
        with self._learning:
            try:
                stopped = self._learner.learn(models, cadence=Cadence()).stopped
            except ModelError as error:
                stopped = str(error)
        if stopped:
            _log.warning("what was said is kept, and not read yet: %s", stopped)

    def retract_entries(self, positions: Iterable[int], *, why: str) -> None:
        """Retract the entries that are still active; another process may retract some meanwhile."""
        active = [position for position in positions if position not in self.memory.project().gone]
        while active:
            try:
                self.memory.retract(active, why=why)
            except Refused:
                left = [position for position in active if position not in self.memory.project().gone]
                if left == active:
                    raise
                active = left
            else:
                return

    def close_log(self) -> None:
        with self.lock, self._learning:
            self.memory.close()
            self._learner.close()

    def is_idle(self) -> bool:
        return not self._learning.locked()

    def _read_new_entries(self) -> None:
        """Read new entries for newer texts of memories."""
        head, seen = self.log.head(), self._seen
        if (head.position, head.digest) == (seen.position, seen.digest):
            return
        if not self.log.contains(seen.position, seen.digest):
            seen, self._newer = EMPTY, {}
        for stored in self.log.read(seen.position + 1, head.position + 1):
            if isinstance(stored.entry, Observation) and (of := parse_memory_note(stored.entry.source).of):
                self._newer.setdefault(of, []).append(stored.position)
        self._seen = head


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


def _open_collection_store(location: StoreLocation, clock: Clock) -> tuple[Store, bool]:
    """The store, and whether it was just created."""
    try:
        return open_store(location.address, create=False, clock=clock), location.address in ("memory:", ":memory:")
    except NoStore:
        if location.is_default:
            Path(location.address).expanduser().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open_store(location.address, clock=clock), True
