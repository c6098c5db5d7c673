"""What a service counts for an open memory follows what it keeps, however short the log is."""

import tracemalloc
from collections.abc import Iterator

import pytest

from uac import Memory
from uac.log.stores.in_memory import MemoryStore


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    """A store whose first user is open, so that what is loaded once and shared types are not counted again."""
    store = MemoryStore()
    first = Memory(store.log("somebody else"))
    tracemalloc.start()
    fill(first, 1, 1, is_searched=True)
    yield store
    tracemalloc.stop()
    first.close()


def fill(memory: Memory, turns: int, records: int, *, is_searched: bool) -> None:
    for number in range(turns):
        memory.add(f"I walked to the market, note {number}.")
    for number in range(records):
        memory.put("finance.Transaction", {"payee": f"shop {number}", "amount": f"{number}.50 EUR", "on": "2026-05-01"})
    memory.project()
    if is_searched:
        memory.recall("When did I walk to the market?")


def counted_share(memory: Memory) -> float:
    """The estimate beside the bytes that are freed when the memory is forgotten."""
    estimate, kept = memory.weight(), tracemalloc.get_traced_memory()[0]
    memory.forget_caches()
    return estimate / (kept - tracemalloc.get_traced_memory()[0])


@pytest.mark.parametrize("is_searched", [False, True], ids=["opened", "searched"])
@pytest.mark.parametrize("each_record", [1000, 8, 2], ids=["no records", "few records", "many records"])
def test_the_estimate_is_as_near_to_a_long_log_as_to_a_short_one(
    store: MemoryStore, each_record: int, *, is_searched: bool
) -> None:
    shares = []
    for turns in (8, 32, 128):
        memory = Memory(store.log(f"of {turns}"))
        fill(memory, turns, turns // each_record, is_searched=is_searched)
        shares.append(counted_share(memory))
    assert all(1 < share < 3.5 for share in shares), shares
    assert max(shares) < 1.75 * min(shares), shares
