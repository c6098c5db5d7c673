"""What the tests of adapters share."""

from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.schema.entries import Observation

__all__ = ["new_memory", "spoken_words"]


def new_memory(user: str = "ana") -> Memory:
    return Memory(MemoryStore().log(user))


def spoken_words(memory: Memory) -> list[tuple[str, str, str]]:
    """Role, session and words of everything that is said in the log and was not retracted."""
    gone = memory.project().gone
    said = [(stored.position, stored.entry) for stored in memory.log.read()]
    return [
        (entry.role, entry.session, entry.text)
        for position, entry in said
        if isinstance(entry, Observation) and position not in gone
    ]
