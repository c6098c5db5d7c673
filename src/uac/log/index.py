"""The port of the search index: a head, and blocks of bytes that it names.

The index is a cache beside the log. What is in a block is known to `uac.log.index_blocks`, and all rules of searching
are in `uac.recall`; a store only keeps the head and the blocks, so that a search ranks alike on every store.
`uac.testing.RecallContract` states what every store must do.
"""

from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, get_args

import msgspec

from uac.log.block_parts import BlockBytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "INDEX_ERRORS",
    "KINDS",
    "NO_INDEX",
    "BlockContent",
    "BlockName",
    "IndexBlocks",
    "IndexChange",
    "IndexHead",
    "NewPassage",
    "Passage",
    "RecallKind",
    "Vectors",
    "block_digest",
    "decode_index_head",
    "encode_index_head",
    "is_index_damaged",
]

RecallKind = Literal["observation", "fact", "record"]

KINDS: tuple[RecallKind, ...] = get_args(RecallKind)

Vectors: TypeAlias = "NDArray[np.float32]"
"""Two axes: one row for each text, with length 1. A text without content has a row of zeros."""


class Passage(NamedTuple):
    """A unit of search: a part of an observation, a fact, or a record.

    Fields that do not apply are empty or 0: a record has no position, a fact no session.
    """

    kind: RecallKind
    position: int
    start: int
    stop: int
    record: str
    session: str
    said: int
    """When it was said, in seconds since 1970; 0 if unknown."""
    since: int
    until: int
    """The days it is about, as ordinals: when a fact held or a record's dates lie, else the day it was said."""
    speaker: str
    role: str
    authority: str
    source: str
    cites: tuple[int, ...]
    language: str
    size: int
    """How many words it has."""
    stamp: str
    """Identifies the text of a record when it was indexed: another stamp means another text."""


class NewPassage(NamedTuple):
    """A passage to add to the index, and its distinct words in the form used for matching."""

    passage: Passage
    terms: tuple[str, ...]


BlockContent = Literal["passages", "vectors", "removed"]
"""Passages with their words; vectors of passages; the rows of passages that are no longer valid."""


class BlockName(msgspec.Struct, frozen=True, array_like=True):
    """A block, and the part of a sequence that it holds: items `start` to `stop` of a content and kind.

    Sequences only grow, so a reader that knows the items up to some number needs only the blocks behind it. Blocks may
    be merged at any time.
    """

    digest: bytes
    """Of the block's bytes."""
    content: BlockContent
    kind: RecallKind
    start: int
    stop: int
    embedder: str = ""
    first: int = 0
    last: int = 0
    """The first and the last position of the log that its passages come from; 0 if they come from records."""


class IndexHead(msgspec.Struct, frozen=True, kw_only=True):
    """The log position an index has reached, its blocks, and counts. `form` is the version of the indexer."""

    form: int = 0
    generation: int = 0
    """Changes when items that a reader may know are no longer valid: it must read everything again."""
    position: int = 0
    digest: bytes = bytes(32)
    passages: dict[RecallKind, int] = {}
    words: dict[RecallKind, int] = {}
    """How many there are of each kind, and how many words they have."""
    speakers: dict[str, int] = {}
    languages: dict[str, int] = {}
    blocks: tuple[BlockName, ...] = ()

    @property
    def total(self) -> int:
        """How many passages there are."""
        return sum(self.passages.values())

    def sequence(self, content: BlockContent, kind: RecallKind, embedder: str = "") -> tuple[BlockName, ...]:
        """The blocks of a sequence, in order."""
        return tuple(
            block for block in self.blocks if (block.content, block.kind, block.embedder) == (content, kind, embedder)
        )


class _StoredHead(IndexHead, frozen=True, kw_only=True):
    check: bytes = b""
    """The digest of the other fields; "" in heads of earlier versions."""


class _IndexForm(msgspec.Struct, frozen=True):
    """What the heads of all versions have."""

    form: int = 0


NO_INDEX = IndexHead()


class IndexChange(msgspec.Struct, frozen=True):
    """The head after a change, the new blocks by digest, and the digests of the blocks that it replaces."""

    after: IndexHead
    add: dict[bytes, bytes] = {}
    remove: frozenset[bytes] = frozenset()


def block_digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def encode_index_head(head: IndexHead) -> bytes:
    fields = msgspec.structs.asdict(head)
    return msgspec.msgpack.encode(_StoredHead(**fields, check=block_digest(msgspec.msgpack.encode(head))))


def decode_index_head(stored: bytes) -> IndexHead:
    """Decodes the stored head. If its layout is unknown or it is damaged, its form is negative, and the caller rebuilds
    the index; or leaves it alone, if it is that of a newer version."""
    try:
        check = msgspec.msgpack.decode(stored, type=_StoredHead).check
        head = msgspec.msgpack.decode(stored, type=IndexHead)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return IndexHead(form=-max(_stored_form(stored), 1))
    is_whole = check in (b"", block_digest(msgspec.msgpack.encode(head)))
    return head if is_whole else IndexHead(form=-max(abs(head.form), 1))


def _stored_form(stored: bytes) -> int:
    try:
        return msgspec.msgpack.decode(stored, type=_IndexForm).form
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return 0


class IndexBlocks(Protocol):
    """One user's index in a store. Erasing entries takes their words out of it in the same transaction."""

    def head(self) -> IndexHead: ...

    def read(self, digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        """The blocks with these digests; those that were replaced meanwhile are left out."""

    def open_blocks(self, digests: Collection[bytes]) -> Mapping[bytes, BlockBytes]:
        """The blocks with these digests, to read parts of them. BlockGone if one was replaced meanwhile."""

    def change(self, before: IndexHead, change: IndexChange, *, sources: Collection[int] = ()) -> bool:
        """Add and remove blocks and set the head, in one transaction.

        Returns False, and changes nothing, if the head is no longer `before`, or if one of the `sources`, entries that
        new blocks come from, was erased since it was read.
        """

    def clear(self) -> None:
        """Remove all blocks, and start another generation."""


INDEX_ERRORS = (msgspec.MsgspecError, LookupError, ValueError, OverflowError)
"""What the bytes of a damaged index can raise when they are read."""


def is_index_damaged(index: IndexBlocks) -> bool:
    """Whether a block is missing, or has other bytes than when it was written."""
    for _try in range(5):
        head = index.head()
        names = {name.digest for name in head.blocks}
        read = index.read(names)
        if any(block_digest(data) != digest for digest, data in read.items()):
            return True
        if names == read.keys():
            return False
        if index.head() == head:  # nobody has replaced the missing ones meanwhile
            return True
    return False
