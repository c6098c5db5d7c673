"""What an entry of the log says, in a line and in words that can be searched; and the log read from its end."""

from collections.abc import Callable
from dataclasses import dataclass

from uac.log.log import Log, Stored
from uac.schema.entries import Kind

__all__ = ["KIND_WORDS", "Slice", "backwards"]

KIND_WORDS: dict[Kind, str] = {
    "observation": "observation",
    "fact": "fact",
    "checkpoint": "checkpoint",
    "correction": "correction",
    "retraction": "retraction",
    "erasure": "erasure",
    "alert_change": "alert",
    "tick": "tick",
    "model_call": "model call",
    "look": "look",
    "delivery": "delivery",
    "receipt": "receipt",
}
"""How each kind is called on a page."""

WINDOW = 250  # entries read in one go
LOOKED_AT = 20_000  # entries looked at for one page, however few of them are wanted


@dataclass(frozen=True, slots=True)
class Slice:
    """Entries, newest first. Older ones stand below `then`; 0: there are none."""

    entries: tuple[Stored, ...]
    then: int
    looked: int


def backwards(log: Log, below: int, is_wanted: Callable[[Stored], bool], *, most: int) -> Slice:
    """The newest entries below a position that are wanted."""
    found: list[Stored] = []
    stop, looked = below, 0
    while stop > 1 and looked < LOOKED_AT:
        start = max(stop - WINDOW, 1)
        for stored in reversed(list(log.read(start, stop))):
            looked += 1
            if is_wanted(stored):
                found.append(stored)
            if len(found) == most:
                return Slice(tuple(found), stored.position if stored.position > 1 else 0, looked)
        stop = start
    return Slice(tuple(found), stop if stop > 1 else 0, looked)
