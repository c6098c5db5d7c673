"""The port of the search index: passages, their words and their vectors.

The index is a cache beside the log. All rules of searching are in `uac.recall`; a store only keeps rows, so that a
search ranks alike on every store; only the precision of vectors may differ. `uac.testing.RecallContract`
states what every store must do.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, get_args

import msgspec

from uac.schema.entries import Authority, Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ANYTHING",
    "KINDS",
    "NO_INDEX",
    "IndexHead",
    "IndexRows",
    "NewPassage",
    "Passage",
    "PassageFilter",
    "PassagePosition",
    "RecallKind",
    "Vectors",
    "decode_index_head",
    "encode_index_head",
    "head_after",
]

RecallKind = Literal["observation", "fact", "record"]

Name = TypeVar("Name", bound=str)

Vectors: TypeAlias = "NDArray[np.float32]"
"""Two axes: one row for each text, with length 1. A text without content has a row of zeros."""

KINDS: tuple[RecallKind, ...] = get_args(RecallKind)


class Passage(NamedTuple):
    """A unit of search: a part of an observation, a fact, or a record.

    Fields that do not apply are empty or 0: a record has no position, a fact no session. `slot` is its id in the index.
    """

    slot: int
    kind: RecallKind
    position: int
    start: int
    stop: int
    record: str
    session: str
    said: str
    since: str
    until: str
    """The days it is about: when a fact held or a record's dates lie, else the day it was said."""
    speaker: str
    role: Role | Literal[""]
    authority: Authority | Literal[""]
    source: str
    cites: tuple[int, ...]
    language: str
    size: int
    """How many words it has."""
    stamp: str
    """Identifies the text of a record when it was indexed: another stamp means another text."""


class NewPassage(NamedTuple):
    """A passage to add to the index, which assigns its slot, and its distinct words in the form used for matching."""

    passage: Passage
    terms: tuple[str, ...]


class PassagePosition(NamedTuple):
    """The position of a passage in its session: turns of a session follow each other in the order of their slots."""

    slot: int
    session: str
    size: int


class IndexHead(msgspec.Struct, frozen=True, kw_only=True):
    """The log position an index has reached, and counts of its contents. `form` is the version of the indexer."""

    form: int = 0
    changes: int = 0
    """The number of changes: two heads with equal counts may have been changed in between."""
    position: int = 0
    digest: bytes = bytes(32)
    passages: dict[RecallKind, int] = {}
    words: dict[RecallKind, int] = {}
    """How many there are of each kind, and how many words they have."""
    speakers: dict[str, int] = {}
    languages: dict[str, int] = {}

    @property
    def total(self) -> int:
        """How many passages there are."""
        return sum(self.passages.values())


NO_INDEX = IndexHead()


def head_after(
    head: IndexHead,
    *,
    add: Iterable[Passage] = (),
    remove: Iterable[Passage] = (),
    position: int = 0,
    digest: bytes = b"",
) -> IndexHead:
    """The head after passages are added and removed; at another position if one is given."""
    passages, words = Counter(head.passages), Counter(head.words)
    speakers, languages = Counter(head.speakers), Counter(head.languages)
    for sign, changed in ((1, add), (-1, remove)):
        for passage in changed:
            passages[passage.kind] += sign
            words[passage.kind] += sign * passage.size
            speakers[passage.speaker] += sign
            languages[passage.language] += sign
    return IndexHead(
        form=head.form,
        changes=head.changes + 1,
        position=position or head.position,
        digest=digest or head.digest,
        passages=_positive_index_counts(passages),
        words=_positive_index_counts(words),
        speakers=_positive_index_counts(speakers),
        languages=_positive_index_counts(languages),
    )


def _positive_index_counts(counts: Mapping[Name, int]) -> dict[Name, int]:
    return {name: count for name, count in sorted(counts.items()) if name and count > 0}


def encode_index_head(head: IndexHead) -> bytes:
    return msgspec.msgpack.encode(head)


def decode_index_head(stored: bytes) -> IndexHead:
    """Decodes the stored head. If its layout is unknown, returns form -1, which makes the caller rebuild the index."""
    try:
        return msgspec.msgpack.decode(stored, type=IndexHead)
    except msgspec.MsgspecError:
        return IndexHead(form=-1)


class PassageFilter(msgspec.Struct, frozen=True, kw_only=True):
    """A passage must satisfy every field that is set; None matches everything."""

    kinds: tuple[RecallKind, ...] | None = None
    slots: tuple[int, ...] | None = None
    positions: tuple[int, ...] | None = None
    records: tuple[str, ...] | None = None
    sessions: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    speakers: tuple[str, ...] | None = None
    authorities: tuple[str, ...] | None = None
    through: int | None = None
    """Only passages up to this position."""
    since: str = ""
    until: str = ""
    """Date range, inclusive. An empty bound is open."""
    newest: int | None = None
    """At most this many passages, those with the latest dates first."""


ANYTHING = PassageFilter()


class IndexRows(Protocol):
    """One user's index in a store. `head` is called first: a store may create its tables then.

    Slots are numbers that grow in the order of additions, and are never reused.
    """

    def head(self) -> IndexHead: ...

    def change(
        self, before: IndexHead, after: IndexHead, *, add: Sequence[NewPassage], remove: Collection[int]
    ) -> bool:
        """Remove slots, add passages and set the head to `after`, in one transaction.

        Returns False, and changes nothing, if the head is no longer `before`, or if an entry that a passage comes from
        or cites was erased since it was read.
        """

    def clear(self) -> None:
        """Empty the index, vectors included."""

    def having(self, kind: RecallKind, terms: Iterable[str]) -> Mapping[str, Sequence[int]]:
        """For each word, the slots of the passages of this kind that contain it; words without any are left out."""

    def select(self, where: PassageFilter) -> Sequence[Passage]:
        """The passages that match, by slot; with `newest`, those with the latest dates first."""

    def slots(self, where: PassageFilter) -> Collection[int]:
        """As `select`, only the slots."""

    def placed(self, behind: int) -> Iterable[PassagePosition]:
        """All passages with slots after this one, by slot."""

    def can_compare(self) -> bool:
        """Whether this store can keep vectors."""

    def unembedded(self, embedder: str, most: int) -> Sequence[int]:
        """Slots that have no vector of this embedder, the newest first."""

    def embedded(self, embedder: str) -> int:
        """How many passages have a vector of this embedder."""

    def keep(self, embedder: str, slots: Sequence[int], vectors: Vectors) -> None:
        """Store a vector for each slot; those of passages that were removed meanwhile are dropped."""

    def nearest(self, kind: RecallKind, embedder: str, vector: Vectors, most: int) -> Sequence[int]:
        """The slots of a kind with the closest vectors of this embedder, about the closest first."""

    def closeness(self, embedder: str, vector: Vectors, slots: Sequence[int]) -> Mapping[int, float]:
        """How close each of these is; those without a vector of this embedder are left out."""
