"""A service evicts memories by an estimate of their bytes: it is near to what they take."""

import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from uac import Memory, Observation, open_store
from uac.interfaces.cli import Output
from uac_bench.measure import run_in_process
from uac_bench.memory_weight import MemoryWeight, weigh_memory, weigh_small_memories
from uac_bench.purchases import SAID, USER, endless_purchases, store_with_purchases

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


def weighed(path: Path, *, is_searched: bool) -> MemoryWeight:
    return msgspec.json.decode(run_in_process(weigh_memory, path, is_searched), type=MemoryWeight)


def test_the_estimate_of_a_memory_with_records_is_near_to_what_it_takes(tmp_path: Path) -> None:
    path = store_with_purchases(tmp_path, 10_000, Output(as_json=True))
    with closing(open_store(path)) as store:
        assert Memory(store.log(USER)).project().count("shopping.Purchase") == 10_000  # and stores a snapshot
    weight = weighed(path, is_searched=False)
    assert 0.7 < weight.ratio < 1.4, weight


def test_the_estimate_of_a_memory_that_was_searched_is_near_to_what_it_takes(tmp_path: Path) -> None:
    path = tmp_path / "turns.db"
    bought = endless_purchases()
    with closing(open_store(path)) as store:
        log = store.log(USER)
        log.append(
            [
                Observation(text=f"I bought {each.item} for {each.cost.amount} at the {each.channel}.", said=SAID)
                for each, _ in zip(bought, range(5000), strict=False)
            ]
        )
        memory = Memory(log)
        memory.project()
        memory.recall("coffee")  # stores the index
    weight = weighed(path, is_searched=True)
    assert 0.5 < weight.ratio < 2, weight


@pytest.mark.parametrize("is_searched", [False, True], ids=["opened", "searched"])
def test_many_small_memories_take_no_more_than_the_estimate(tmp_path: Path, is_searched: bool) -> None:
    path = tmp_path / "users.db"
    with closing(open_store(path)) as store:
        for number in range(110):
            memory = Memory(store.log(f"user-{number:03}"))
            memory.add("I walked to the market.")
            memory.put("finance.Transaction", {"payee": "Baker", "amount": f"{number}.50 EUR", "on": "2026-05-01"})
    weight = msgspec.json.decode(run_in_process(weigh_small_memories, path, is_searched), type=MemoryWeight)
    assert 1 < weight.ratio < 2, weight
