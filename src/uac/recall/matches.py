"""What a search gives: passages with their score in each channel, and how far the index has come."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, get_args

from uac.log.index import Passage

__all__ = ["CHANNELS", "WEIGHTS", "Channel", "IndexProgress", "OnProgress", "PassageMatch"]

Channel = Literal["words", "around", "meaning", "session", "person", "time", "facts", "recent"]

CHANNELS: tuple[Channel, ...] = get_args(Channel)
WEIGHTS: Mapping[Channel, float] = {
    "words": 1.0,
    "meaning": 0.65,
    "person": 0.25,
    "time": 0.4,
    "facts": 0.4,
    "session": 0.4,
    "recent": 0.4,
}
"""In the order in which they are added up."""
OnProgress = Callable[[int], None]
"""Called with the position that has been indexed."""


class PassageMatch(NamedTuple):
    """A passage, and its score in each channel; of several queries, its share by each of them."""

    passage: Passage
    channels: Mapping[str, float]

    @property
    def score(self) -> float:
        return sum(self.channels.values())


class IndexProgress(NamedTuple):
    """How far an index has come: entries indexed, passages, and passages with a vector."""

    entries: int
    passages: int
    vectors: int
