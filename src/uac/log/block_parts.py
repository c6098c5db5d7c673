"""How a block of a search index lies in bytes: a head, and parts behind it, each of which can be read alone."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Protocol, TypeAlias, TypeVar

import msgspec

__all__ = [
    "ALIGNMENT",
    "FIRST_BYTES",
    "BlockBytes",
    "BlockGone",
    "BlockSpan",
    "PartsHead",
    "WholeBlock",
    "pack_parts",
    "read_head",
]

ALIGNMENT = 8  # parts start at multiples of it, so that they can be used as arrays of numbers
LENGTH_BYTES = 8  # before the head
FIRST_BYTES = 1 << 15  # read at once: they have the whole head of most blocks

BlockSpan: TypeAlias = tuple[int, int]
"""Where some bytes of a block start and stop."""


class BlockGone(Exception):
    """A block was replaced after the head that names it was read: the head must be read again."""


class BlockBytes(Protocol):
    """The bytes of one block, wherever they are."""

    @property
    def is_far(self) -> bool:
        """Whether reading all of it takes much longer than reading a thousand short spans."""

    def expect(self, spans: Sequence[BlockSpan]) -> None:
        """These spans will be read next: a store may read them with those that are expected of other blocks."""

    def read(self, spans: Sequence[BlockSpan]) -> "Sequence[bytes | memoryview]":
        """The bytes of each span; fewer if the block ends before. BlockGone if it was replaced meanwhile."""


class WholeBlock:
    """A block in memory."""

    is_far = False

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)

    def expect(self, spans: Sequence[BlockSpan]) -> None:
        """Nothing is to be done."""

    def read(self, spans: Sequence[BlockSpan]) -> list[memoryview]:
        return [self._data[start:stop] for start, stop in spans]


class PartsHead(msgspec.Struct, frozen=True, kw_only=True):
    """The first bytes of a block: how long each part is. Blocks of a kind add what they need at once."""

    lengths: dict[str, int]


HeadT = TypeVar("HeadT", bound=PartsHead)


def pack_parts(head: Mapping[str, object], parts: Mapping[str, bytes]) -> bytes:
    packed = msgspec.msgpack.encode({"lengths": {name: len(part) for name, part in parts.items()}, **head})
    pieces = [len(packed).to_bytes(LENGTH_BYTES, "little"), packed, *parts.values()]
    return b"".join(piece + bytes(-len(piece) % ALIGNMENT) for piece in pieces)


def read_head(source: BlockBytes, decoder: "msgspec.msgpack.Decoder[HeadT]") -> tuple[HeadT, dict[str, BlockSpan]]:
    """The head of a block, and where its parts are."""
    (first,) = source.read([(0, FIRST_BYTES)])
    length = int.from_bytes(first[:LENGTH_BYTES], "little")
    packed = first[LENGTH_BYTES : LENGTH_BYTES + length]
    if len(packed) < length:
        (packed,) = source.read([(LENGTH_BYTES, LENGTH_BYTES + length)])
    head = decoder.decode(packed)
    places = accumulate((_padded(each) for each in head.lengths.values()), initial=LENGTH_BYTES + _padded(length))
    return head, {
        name: (start, start + head.lengths[name])
        for name, (start, _stop) in zip(head.lengths, pairwise(places), strict=True)
    }


def _padded(length: int) -> int:
    return length + -length % ALIGNMENT
