"""Groups for tests: a store with a few people, and the groups they form."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

from uac import Memory
from uac.log.log import Log
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.memory.groups import Group, Groups
from uac.schema.entries import Checkpoint

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
FRIDAY = date(2026, 11, 20)


class People:
    """The users of a store, each with a memory, and its groups."""

    def __init__(self, store: Store | None = None, clock: Callable[[], datetime] = lambda: NOW) -> None:
        self.store = store or MemoryStore(clock=clock)
        self.clock = clock
        self._opened: list[Memory] = []
        self.groups = Groups(self.store, open_memory=self.open)

    def open(self, log: Log) -> Memory:
        memory = Memory(log, embedder=None, clock=self.clock)
        self._opened.append(memory)
        return memory

    def memory(self, user: str) -> Memory:
        return self.open(self.store.log(user))

    def put(self, user: str, type_name: str, **fields: Any) -> str:
        return self.memory(user).put(type_name, fields)

    def restarted(self) -> Groups:
        """The groups as another process sees them."""
        return Groups(self.store, open_memory=self.open)

    def team(self, **rights: Any) -> Group:
        """The group 'team' of Ana, its admin, and the others with these rights."""
        group = self.groups.create("team", "ana", called="Ana")
        for member, right in rights.items():
            group.add(member, right, called=member.capitalize(), by="ana")
        return group

    def close(self) -> None:
        for memory in self._opened:
            memory.close()
        self.groups.close()


@contextmanager
def people(store: Store | None = None) -> Iterator[People]:
    made = People(store)
    try:
        yield made
    finally:
        made.close()


def whole_text(log: Log) -> str:
    """Everything that can be read in a log, except for what packs contribute, which names many foods."""
    entries = [stored.entry for stored in log.read()]
    return "\n".join(repr(each) for each in entries if not (isinstance(each, Checkpoint) and each.by == "packs"))


def later(minutes: int) -> datetime:
    return NOW + timedelta(minutes=minutes)
