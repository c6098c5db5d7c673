"""What an open memory takes in a process, beside the estimate by which a service evicts memories."""

import gc
from contextlib import closing
from pathlib import Path

import msgspec

from uac import Memory, open_store
from uac_bench.purchases import USER

__all__ = ["MemoryWeight", "weigh_memory", "weigh_small_memories"]


class MemoryWeight(msgspec.Struct, frozen=True):
    """Bytes of one user's open memory, whose records were all read."""

    estimated: int
    grown: int
    """By how much the process has grown."""

    @property
    def ratio(self) -> float:
        return self.estimated / self.grown


def weigh_memory(path: str, is_searched: str) -> MemoryWeight:
    """Runs apart: opens the user of a store from its snapshot and reads all records; searches it if `is_searched`.

    Another user is opened before, so that modules and models are loaded.
    """
    with closing(open_store(Path(path), create=False)) as store:
        first = Memory(store.log("somebody else"))
        first.add("Something was said before.")
        _use_memory(first, is_searched == "True")
        before = _private_bytes()
        memory = Memory(store.log(USER))
        _use_memory(memory, is_searched == "True")
        return MemoryWeight(memory.weight(), _private_bytes() - before)


def weigh_small_memories(path: str, is_searched: str) -> MemoryWeight:
    """Runs apart: opens all users of a store together; all but the first ten are weighed."""
    with closing(open_store(Path(path), create=False)) as store:
        memories: list[Memory] = []
        before = 0
        for number, user in enumerate(store.users()):
            if number == WARM_UP:
                before = _private_bytes()
            memories.append(Memory(store.log(user.name)))
            _use_memory(memories[-1], is_searched == "True")
        return MemoryWeight(sum(memory.weight() for memory in memories[WARM_UP:]), _private_bytes() - before)


WARM_UP = 10  # users who load modules and models


def _use_memory(memory: Memory, is_searched: bool) -> None:
    project = memory.project()
    for name in project.types:
        project.records(name)
    if is_searched:
        memory.recall("What was bought at the market?")
    memory.weight()  # loads modules, which are not to be weighed


def _private_bytes() -> int:
    gc.collect()
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))
