"""Receipts: what is asked again with the same key is not done again, whoever asks and whatever happened meanwhile."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import ALLERGY, type_of
from uac import Memory
from uac.errors import KeyReused, Moved, Refused, Rejected, Repeated, StoreError
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.project.fold import fold_entries
from uac.schema.entries import Observation, Receipt
from uac.schema.patches import Define, Put
from uac_bench.faults.statements import FaultMode, StatementFault

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def clock() -> datetime:
    return NOON


def opened(log: Log) -> Memory:
    return Memory(log, embedder=None, clock=clock)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with closing(opened(MemoryStore(clock=clock).log("ana"))) as memory:
        yield memory


def allergic(memory: Memory, substance: str = "penicillin") -> str:
    return memory.put("health.Allergy", {"substance": substance})


def receipts(log: Log) -> list[Receipt]:
    return [stored.entry for stored in log.read() if isinstance(stored.entry, Receipt)]


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def test_what_is_asked_again_is_not_done_again_and_the_error_tells_where_it_stands(memory: Memory) -> None:
    memory.add("hello")
    with memory.once("key 1", "put penicillin"):
        allergic(memory)
    end = memory.log.head().position
    written = receipts(memory.log)
    assert written == [Receipt(key=digest("key 1"), request=digest("put penicillin"), first=2, last=end - 1)]
    with pytest.raises(Repeated) as told, memory.once("key 1", "put penicillin"):
        allergic(memory, "not reached")
    assert (told.value.first, told.value.last) == (2, end - 1)
    assert memory.log.head().position == end


def test_another_key_or_none_does_it_again(memory: Memory) -> None:
    for key in ("one", "two", "", ""):
        with memory.once(key, "the same"):
            memory.put("finance.Transaction", {"payee": "Bosch", "amount": "300 EUR", "on": "2026-03-01"})
    assert len(memory.project().tables["finance.Transaction"]) == 4
    assert [receipt.key for receipt in receipts(memory.log)] == [digest("one"), digest("two")]


def test_a_key_that_comes_with_another_request_is_refused(memory: Memory) -> None:
    with memory.once("key 1", "put penicillin"):
        allergic(memory)
    end = memory.log.head()
    with pytest.raises(KeyReused), memory.once("key 1", "put latex"):
        allergic(memory, "latex")
    assert memory.log.head() == end


def test_a_request_that_was_refused_leaves_no_receipt_and_may_come_again(memory: Memory) -> None:
    with pytest.raises((Refused, Rejected)), memory.once("key 1", "a request"):
        memory.checkpoint([Put(type="no.Such", fields={}, cites=(1,))])
    assert list(memory.log.read()) == []
    with memory.once("key 1", "another request"):
        allergic(memory)
    assert len(receipts(memory.log)) == 1


def test_the_terms_of_one_request_do_not_bind_the_next(memory: Memory) -> None:
    with memory.once("key 1", "nothing is written"):
        pass
    allergic(memory)
    assert receipts(memory.log) == []


def test_only_one_write_inside_is_bound(memory: Memory) -> None:
    with memory.once("key 1", "two writes"):
        allergic(memory)
        allergic(memory, "latex")
    assert len(receipts(memory.log)) == 1


def test_it_is_written_only_behind_the_position_that_the_client_knows(memory: Memory) -> None:
    allergic(memory)
    known = memory.log.head().position
    with memory.once("key 1", "put latex", after=known):
        allergic(memory, "latex")
    moved = memory.log.head().position
    with pytest.raises(Moved) as told, memory.once("key 2", "put dust", after=known):
        allergic(memory, "dust")
    assert (told.value.expected, told.value.found) == (known, moved)
    with pytest.raises(Repeated), memory.once("key 1", "put latex", after=known):  # rather than Moved: it was done
        allergic(memory, "latex")
    assert memory.log.head().position == moved


# --- whatever happened meanwhile ------------------------------------------------------------------------------------


def test_a_memory_that_is_opened_anew_knows_what_was_done(memory: Memory) -> None:
    with memory.once("key 1", "put penicillin"):
        allergic(memory)
    with closing(opened(memory.log)) as again, pytest.raises(Repeated), again.once("key 1", "put penicillin"):
        pass


def test_the_last_thousand_keys_are_known(memory: Memory) -> None:
    memory.log.append([Observation(text="hello", said=NOON)])
    memory.log.append([Receipt(key=digest(str(number)), request="", first=1, last=1) for number in range(1001)])
    with memory.once("0", "long ago"):
        pass
    with pytest.raises(Repeated), memory.once("1", ""):
        pass


def test_after_erasure_the_digest_of_the_request_is_gone_and_it_is_still_not_done_again(memory: Memory) -> None:
    with memory.once("key 1", "put penicillin"):
        allergic(memory)
    memory.log.erase([1], why="asked")
    assert memory.log.verify() is None
    assert [(receipt.key, receipt.request) for receipt in receipts(memory.log)] == [(digest("key 1"), "")]
    for each in (memory, opened(memory.log)):
        with pytest.raises(Repeated), each.once("key 1", "put penicillin"):
            pass
        each.close()


def test_erasure_elsewhere_leaves_a_receipt_whole(memory: Memory) -> None:
    memory.add("hello")
    with memory.once("key 1", "put penicillin"):
        allergic(memory)
    memory.log.erase([1], why="asked")
    assert [receipt.request for receipt in receipts(memory.log)] == [digest("put penicillin")]


def test_what_was_retracted_is_not_done_again_by_a_request_that_comes_late(memory: Memory) -> None:
    with memory.once("key 1", "put penicillin"):
        allergic(memory)
    memory.retract([1], why="a mistake")
    for each in (memory, opened(memory.log)):
        with pytest.raises(Repeated), each.once("key 1", "put penicillin"):
            pass
        assert not each.project().tables.get("health.Allergy")
        each.close()


Step = tuple[str, int]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["put", "once", "retract", "erase"]), st.integers(0, 5)), min_size=1, max_size=8)
)
def test_what_is_known_of_requests_is_the_same_however_it_was_folded(steps: list[Step]) -> None:
    with closing(Memory(MemoryStore(clock=clock).log("ana"), packs=(), embedder=None, clock=clock)) as memory:
        memory.checkpoint([Define(type=ALLERGY)])
        for what, number in steps:
            take(memory, what, number)
            assert memory.project().receipts == fold_entries(memory.log.read()).receipts
        assert memory.log.verify() is None


def take(memory: Memory, what: str, number: int) -> None:
    end = memory.log.head().position
    try:
        match what:
            case "put":
                allergic(memory, f"dust {number}")
            case "once":
                with memory.once(f"key {number}", "put"):
                    allergic(memory, f"pollen {number}")
            case "retract":
                memory.retract([number % end + 1] if end else [1], why="a test")
            case "erase":
                memory.log.erase([number % end + 1] if end else [1], why="a test")
    except Refused:
        assert memory.log.head().position == end


# --- whoever asks ---------------------------------------------------------------------------------------------------


def test_of_threads_that_ask_at_once_one_writes_and_the_others_are_told_where(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "memory.db", clock=clock)) as store:
        told: list[str] = []
        ready = threading.Barrier(6)

        def ask() -> None:
            with closing(opened(store.log("ana"))) as memory:
                ready.wait()
                try:
                    with memory.once("key 1", "put"):
                        allergic(memory)
                except Repeated as error:
                    told.append(f"{error.first}-{error.last}")
                else:
                    told.append("done")

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (receipt,) = receipts(store.log("ana"))
        assert sorted(told) == [f"{receipt.first}-{receipt.last}"] * 5 + ["done"]
        assert receipt.last + 1 == store.log("ana").head().position


ASK = """
import sys
from uac import Memory, open_store
from uac.errors import Repeated
memory = Memory(open_store(sys.argv[1]).log("ana"), embedder=None)
print("ready", flush=True)
sys.stdin.readline()
try:
    with memory.once("key 1", "put"):
        memory.put("health.Allergy", {"substance": "penicillin"})
except Repeated:
    print("repeated")
else:
    print("done")
memory.close()
"""


def test_of_processes_that_ask_at_once_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    SqliteStore(path).close()
    command = [sys.executable, "-c", ASK, str(path)]
    asking = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _process in range(2)
    ]
    for process in asking:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in asking:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert sorted(process.communicate()[0] for process in asking) == ["done\n", "repeated\n"]
    with closing(SqliteStore(path)) as store:
        assert len(receipts(store.log("ana"))) == 1
        assert store.log("ana").verify() is None


# --- broken on purpose ----------------------------------------------------------------------------------------------


@contextmanager
def armed(path: Path, mode: FaultMode, at: int | None) -> Iterator[Memory]:
    """A memory on a store that breaks at its nth statement from now."""
    fault = StatementFault(mode)
    with (
        closing(SqliteStore(path, clock=clock, connect=fault.connect)) as store,
        closing(opened(store.log("ana"))) as memory,
    ):
        memory.project()
        fault.arm(at)
        try:
            yield memory
        finally:
            fault.arm(None)


def define_once(memory: Memory) -> None:
    with memory.once("key 1", "define"):
        memory.checkpoint([Define(type=type_of("home.Plant", key=["name"], name="str"))])


def kinds_in(path: Path) -> list[str]:
    with closing(SqliteStore(path, clock=clock)) as store:
        assert store.log("ana").verify() is None
        return [type(stored.entry).__name__ for stored in store.log("ana").read()]


@pytest.mark.parametrize("mode", ["before", "after", "inside"])
def test_a_write_that_fails_anywhere_leaves_the_change_with_its_receipt_or_neither(
    tmp_path: Path, mode: FaultMode
) -> None:
    origin, path = tmp_path / "origin.db", tmp_path / "memory.db"
    with closing(SqliteStore(origin, clock=clock)) as store:
        store.log("ana").append([Observation(text="hello", said=NOON)])
    before = kinds_in(origin)
    shutil.copy(origin, path)
    with armed(path, mode, None) as memory:
        define_once(memory)
    complete = kinds_in(path)
    assert complete[-1] == "Receipt"
    failures = 0
    while until_it_holds(origin, path, mode, failures + 1, define_once):
        failures += 1
        left = kinds_in(path)
        assert left in (before, complete)
        with armed(path, mode, None) as memory:
            try:
                define_once(memory)
            except Repeated:
                assert left == complete
            else:
                assert left == before
        assert kinds_in(path) == complete
    assert failures > 4


def until_it_holds(origin: Path, path: Path, mode: FaultMode, at: int, act: Callable[[Memory], None]) -> bool:
    """Whether the act, on a fresh copy, failed because of the fault."""
    shutil.copy(origin, path)
    with armed(path, mode, at) as memory:
        try:
            act(memory)
        except StoreError:
            return True
    return False
