"""The port to where a search index is kept: passages, the words they have, and their vectors.

The index is a cache beside the log. All rules of searching are in `indexing` and `recall`; a store only keeps rows, so
that a search ranks alike on every store; only how finely vectors are kept may differ. `uac.testing.RecallContract`
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
    "head_after",
    "read_head",
]

RecallKind = Literal["observation", "fact", "record"]

Name = TypeVar("Name", bound=str)

Vectors: TypeAlias = "NDArray[np.float32]"
"""Two axes: one row for each text, with length 1. A text without content has a row of zeros."""

KINDS: tuple[RecallKind, ...] = get_args(RecallKind)


class Passage(NamedTuple):
    """Something that can be found: a stretch of what was said, a fact, or a record.

    What does not apply is empty or 0: a record has no position, a fact no session. `slot` is its place in the index.
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
    """What a record's text was when it was put here: another stamp, another text."""


class NewPassage(NamedTuple):
    """A passage that is put into the index, which gives it a slot, and its different words as they are compared."""

    passage: Passage
    terms: tuple[str, ...]


class PassagePosition(NamedTuple):
    """Where a passage stands: turns of one session, in the order of their slots, follow each other."""

    slot: int
    session: str
    size: int


class IndexHead(msgspec.Struct, frozen=True, kw_only=True):
    """How far an index has come, and what it holds. `form` tells how it was made: another form, another index."""

    form: int = 0
    changes: int = 0
    """How often it was changed: two that look alike may have been changed in between."""
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
    """The head with what is added and removed counted; at another position if one is given."""
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
        passages=_counted(passages),
        words=_counted(words),
        speakers=_counted(speakers),
        languages=_counted(languages),
    )


def _counted(counts: Mapping[Name, int]) -> dict[Name, int]:
    return {name: count for name, count in sorted(counts.items()) if name and count > 0}


def read_head(stored: bytes) -> IndexHead:
    """The head as a store kept it; one of another shape counts as another form, so that the index is made anew."""
    try:
        return msgspec.msgpack.decode(stored, type=IndexHead)
    except msgspec.MsgspecError:
        return IndexHead(form=-1)


class PassageFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which passages are meant: those to which all that is given applies; None applies to all."""

    kinds: tuple[RecallKind, ...] | None = None
    slots: tuple[int, ...] | None = None
    positions: tuple[int, ...] | None = None
    records: tuple[str, ...] | None = None
    sessions: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    speakers: tuple[str, ...] | None = None
    authorities: tuple[str, ...] | None = None
    through: int | None = None
    """Nothing behind this position."""
    since: str = ""
    until: str = ""
    """Only what is about these days, both included; empty: open."""
    newest: int | None = None
    """At most so many, those about the last days first."""


ANYTHING = PassageFilter()


class IndexRows(Protocol):
    """What a store does for one user's index. `head` is asked for first: a store may make its tables then.

    Slots are numbers that grow, in the order of what is added, and are not used again for something else.
    """

    def head(self) -> IndexHead: ...

    def change(
        self, before: IndexHead, after: IndexHead, *, add: Sequence[NewPassage], remove: Collection[int]
    ) -> bool:
        """Take slots out and put passages in, in one step, and be at `after`.

        False, and nothing is done, if the index is no longer at `before`: somebody else has changed it; or if entries
        that a passage is of or cites were erased since they were read.
        """

    def clear(self) -> None:
        """Empty the index, vectors included."""

    def having(self, kind: RecallKind, terms: Iterable[str]) -> Mapping[str, Sequence[int]]:
        """The slots of all passages of a kind that have each of these words; words that none has are left out."""

    def select(self, where: PassageFilter) -> Sequence[Passage]:
        """The passages that are meant, by slot; with `newest`, those about the last days first."""

    def slots(self, where: PassageFilter) -> Collection[int]:
        """As `select`, only the slots."""

    def placed(self, behind: int) -> Iterable[PassagePosition]:
        """All passages with slots behind this one, by slot."""

    def can_compare(self) -> bool:
        """Whether vectors can be kept here at all."""

    def unembedded(self, embedder: str, most: int) -> Sequence[int]:
        """Slots that have no vector of this embedder, the newest first."""

    def embedded(self, embedder: str) -> int:
        """How many passages have a vector of this embedder."""

    def keep(self, embedder: str, slots: Sequence[int], vectors: Vectors) -> None:
        """Keep a vector for each slot; those of passages that are gone meanwhile are dropped."""

    def nearest(self, kind: RecallKind, embedder: str, vector: Vectors, most: int) -> Sequence[int]:
        """The slots of a kind with the closest vectors of this embedder, about the closest first."""

    def closeness(self, embedder: str, vector: Vectors, slots: Sequence[int]) -> Mapping[int, float]:
        """How close each of these is; those without a vector of this embedder are left out."""
