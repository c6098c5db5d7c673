"""The memories that the service has open: one for each user, for one request at a time, and not too many."""

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.http_service import LONG
from uac import Memory
from uac.interfaces.http.memory_cache import MemoryCache
from uac.log.stores.in_memory import MemoryStore
from uac.memory.weight import ENTRY, OPEN
from uac.recall.search import Recall


class Opened:
    """Makes memories, and knows which have an interpreter."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.made: list[str] = []
        self.known: dict[str, Memory] = {}

    def make(self, name: str) -> Memory:
        self.made.append(name)
        self.known[name] = Memory(self.store.log(name), embedder=None)
        return self.known[name]

    def awake(self) -> list[str]:
        computers = {name: memory._interpreters._computer for name, memory in self.known.items()}
        return [name for name, computer in computers.items() if computer is not None and computer.sessions]


@pytest.fixture
def opened() -> Iterator[Opened]:
    opened = Opened()
    yield opened
    for memory in opened.known.values():
        memory.close()


def compute(memories: MemoryCache, name: str) -> None:
    with memories.use_memory(name) as memory:
        assert memory.compute("1 + 1").value == 2


def test_of_those_that_nobody_uses_the_last_few_keep_their_interpreter(opened: Opened) -> None:
    memories = MemoryCache(opened.make, awake=2)
    for name in ("ana", "ben", "cleo", "ana"):
        compute(memories, name)
    assert opened.awake() == ["ana", "cleo"]
    compute(memories, "ben")
    assert opened.awake() == ["ana", "ben"]
    assert opened.made == ["ana", "ben", "cleo"]  # what was folded is kept


def test_the_longest_unused_is_forgotten_beyond_a_weight(opened: Opened) -> None:
    memories = MemoryCache(opened.make, most_bytes=2 * OPEN, awake=2)
    for name in ("ana", "ben", "ana", "cleo"):
        compute(memories, name)
    assert opened.awake() == ["ana", "cleo"]
    compute(memories, "ana")
    compute(memories, "ben")
    assert opened.made == ["ana", "ben", "cleo", "ben"]


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 9)), max_size=40),
    st.integers(0, 20 * ENTRY).map(lambda more: 2 * OPEN + more),
)
def test_open_memories_weigh_at_most_the_limit_or_are_one(uses: list[tuple[str, int]], most: int) -> None:
    store = MemoryStore()
    opened: dict[str, Memory] = {}

    def make(name: str) -> Memory:
        opened[name] = Memory(store.log(name), packs=(), embedder=None)
        return opened[name]

    memories = MemoryCache(make, most_bytes=most)
    recent: list[str] = []
    for name, turns in uses:
        with memories.use_memory(name) as memory:
            for _turn in range(turns):
                memory.add("hello")
            memory.project()
        recent = [*(each for each in recent if each != name), name]
        kept = list(memories._opened)
        weights = [opened[each].weight() for each in kept]
        assert memories._weight == sum(weights)
        assert sum(weights) <= most or kept == [name]
        assert kept == recent[len(recent) - len(kept) :]  # the ones used last
        assert all(opened[each].weight() == OPEN for each in opened if each not in kept)


def test_what_a_forgotten_memory_had_is_freed_without_a_collection_of_garbage() -> None:
    store = MemoryStore()
    indexes: list[weakref.ref[Recall]] = []
    memories = MemoryCache(lambda name: Memory(store.log(name), packs=(), embedder=None), most_bytes=1)
    gc.disable()
    try:
        for name in ("ana", "ben"):
            with memories.use_memory(name) as memory:
                memory.add("hello")
                indexes.append(weakref.ref(memory.recall_index()))
                setattr(memory, "again", memory.recall)  # noqa: B010 - a cycle, as telemetry makes them
        del memory
        assert [index() is None for index in indexes] == [True, False]
    finally:
        gc.enable()


def test_what_is_in_use_is_neither_closed_nor_waited_for(opened: Opened) -> None:
    memories = MemoryCache(opened.make, most_bytes=1, awake=0)
    with memories.use_memory("ana") as memory:
        memory.compute("1 + 1")
        other = threading.Thread(target=compute, args=(memories, "ben"))
        other.start()
        other.join(LONG)
        assert not other.is_alive()
        assert opened.awake() == ["ana"]
        assert opened.made == ["ana", "ben"]
    assert opened.awake() == []


def test_one_request_at_a_time_has_the_memory_of_a_user(opened: Opened) -> None:
    memories = MemoryCache(opened.make)
    inside: list[int] = []
    most: list[int] = []

    def use() -> None:
        for _time in range(50):
            with memories.use_memory("ana"):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert set(most) == {1}
    assert opened.made == ["ana"]


def test_closing_gives_all_interpreters_back(opened: Opened) -> None:
    memories = MemoryCache(opened.make)
    for name in ("ana", "ben"):
        compute(memories, name)
    memories.close_all()
    assert opened.awake() == []
