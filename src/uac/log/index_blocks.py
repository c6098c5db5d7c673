"""What is in the blocks of a search index: passages as columns with an inverted index of their words, and vectors.

A block is immutable. Blocks of a sequence can be merged into one, and rows can be blanked: they stay, so that the rows
behind them keep their numbers, but nothing is left in them.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from uac.log.block_parts import BlockBytes, BlockGone, BlockSpan, PartsHead, WholeBlock, pack_parts, read_head
from uac.log.index import (
    KINDS,
    BlockName,
    IndexChange,
    IndexHead,
    NewPassage,
    Passage,
    RecallKind,
    Vectors,
    block_digest,
)

__all__ = [
    "NO_ROW",
    "BlockGone",
    "Integers",
    "PassageBlock",
    "ReadBlocks",
    "VectorBlock",
    "blank_positions",
    "decode_passages",
    "decode_rows",
    "decode_vectors",
    "encode_passages",
    "encode_rows",
    "encode_vectors",
    "head_with_passages",
    "merge_passages",
    "merge_vectors",
    "move_vectors",
    "read_sequence",
    "take_passages",
    "vector_signs",
]

Integers: TypeAlias = NDArray[np.integer[Any]]
Name = TypeVar("Name", bound=str)

ReadBlocks = Callable[[Collection[bytes]], Mapping[bytes, bytes]]
"""Reads blocks by their digests; those that are gone are left out."""

ALONE = 8  # one in so many vectors of a block may be read without the others
NO_ROW = 0xFFFFFFFF
"""In place of the row of a vector that was blanked."""


_NUMBERS: Mapping[str, str] = {
    "position": "<i8",
    "said": "<i8",
    "start": "<i4",
    "stop": "<i4",
    "since": "<i4",
    "until": "<i4",
    "size": "<i4",
}
_TEXTS = ("role", "language", "authority", "source", "speaker", "session")
"""Those with few texts first: their numbers stay small, and take less memory."""


class _PassagesHead(PartsHead, frozen=True):
    rows: int
    texts: list[str]
    records: list[str]
    stamps: list[str]


class PassageBlock:
    """Passages as columns. Texts are numbers in `texts`, whose first is ""; each list has its starts in another.

    Parts are read when they are asked for. Only words and their rows, which every question needs, are kept.
    """

    def __init__(self, source: BlockBytes) -> None:
        head, self._places = read_head(source, _PASSAGES)
        self._source = source
        self.rows, self.texts, self.records, self.stamps = head.rows, head.texts, head.records, head.stamps
        """Records and stamps are empty lists for kinds other than records."""

    def expect_columns(self) -> None:
        self._source.expect([self._places[name] for name in _COLUMNS])

    def columns(self) -> "Mapping[str, Integers]":
        """Every column of numbers and texts, and what the rows cite, read at once."""
        read = self._source.read([self._places[name] for name in _COLUMNS])
        return {name: np.frombuffer(data, form) for (name, form), data in zip(_COLUMNS.items(), read, strict=True)}

    def numbers(self, name: str) -> Integers:
        return self._part(name, _NUMBERS[name])

    def text_numbers(self, name: str) -> Integers:
        return self._part(name, "<i4")

    def list_of(self, name: str) -> Integers:
        if name == "postings":
            return self._part(name, _posting_form(self.rows)).astype(np.int64)
        return self._part(name, _LISTS[name])

    def _part(self, name: str, form: str) -> Integers:
        return np.frombuffer(self._source.read([self._places[name]])[0], form)

    def is_blank(self, positions: Integers) -> "NDArray[np.bool_]":
        """Which rows are blank: no entry and no record. `positions` is the column."""
        if self.records:
            return np.array([not record for record in self.records], bool)
        return np.equal(positions, 0)

    def expect_words(self) -> None:
        if "_words" not in self.__dict__:
            self._source.expect([self._places[name] for name in _WORDS])

    @cached_property
    def _words(self) -> "_Words":
        """Read at once: the parts lie behind each other, and a store may have to read all that is before a part."""
        forms = {**_WORDS, "postings": _posting_form(self.rows)}
        starts, keys, posting_starts, postings, terms = (
            np.frombuffer(read, form)
            for read, form in zip(
                self._source.read([self._places[name] for name in forms]), forms.values(), strict=True
            )
        )
        return _Words(starts, keys, posting_starts, postings, terms.data)

    @property
    def terms(self) -> memoryview:
        """All words, sorted by their bytes, one after the other."""
        return self._words.terms

    def rows_with(self, term: bytes) -> Integers:
        """The rows that have a word, in order."""
        words, key = self._words, np.uint64(int.from_bytes(term[:8].ljust(8, b"\0"), "big"))
        low = int(words.keys.searchsorted(key, "left"))
        if low == len(words.keys) or words.keys[low] != key:
            return _NOTHING
        high = int(words.keys.searchsorted(key, "right"))
        found = bisect_left(range(high), term, low, key=words.term)
        if found == high or words.term(found) != term:
            return _NOTHING
        first, last = words.posting_starts[found : found + 2].tolist()
        return words.postings[first:last]

    def term_list(self) -> list[bytes]:
        terms = bytes(self.terms)
        return [terms[first:last] for first, last in pairwise(self._words.starts.tolist())]


class _Words(NamedTuple):
    """The words of a block, sorted by their bytes, and the rows of each."""

    starts: Integers
    keys: Integers
    """The first eight bytes of each word as a number."""
    posting_starts: Integers
    postings: Integers
    terms: memoryview

    def term(self, number: int) -> bytes:
        first, last = self.starts[number : number + 2].tolist()
        return bytes(self.terms[first:last])


def _posting_form(rows: int) -> str:
    """How the rows of words are written in a block of so many rows."""
    return "<u2" if rows <= 1 << 16 else "<u4"


_CITES: Mapping[str, str] = {"cite_starts": "<u4", "cites": "<i8"}
_WORDS: Mapping[str, str] = {
    "term_starts": "<u4",
    "term_keys": "<u8",
    "posting_starts": "<u4",
    "postings": "",  # as _posting_form says
    "terms": "<u1",
}
_LISTS: Mapping[str, str] = {**_CITES, **_WORDS}
_COLUMNS: Mapping[str, str] = {**_NUMBERS, **dict.fromkeys(_TEXTS, "<i4"), **_CITES}
_NOTHING: Integers = np.zeros(0, np.uint32)
_PASSAGES = msgspec.msgpack.Decoder(_PassagesHead)


class _Postings(NamedTuple):
    """An inverted index: pairs of a word's number and a row, by word and then by row."""

    terms: Sequence[bytes]
    numbers: Integers
    rows: Integers


def encode_passages(added: Sequence[NewPassage]) -> bytes:
    passages = [passage for passage, _terms in added]
    texts = {"": 0}
    columns = {
        name: np.array([texts.setdefault(getattr(passage, name), len(texts)) for passage in passages], "<i4")
        for name in _TEXTS
    }
    columns |= {
        name: np.array([getattr(passage, name) for passage in passages], form) for name, form in _NUMBERS.items()
    }
    columns["cite_starts"] = _starts([len(passage.cites) for passage in passages])
    columns["cites"] = np.array([cited for passage in passages for cited in passage.cites], "<i8")
    found: dict[bytes, list[int]] = {}
    for row, (_passage, terms) in enumerate(added):
        for term in terms:
            found.setdefault(term.encode(), []).append(row)
    words = sorted(found)
    numbers = np.repeat(np.arange(len(words)), [len(found[word]) for word in words]) if words else _NOTHING
    postings = _Postings(words, numbers, np.array([row for word in words for row in found[word]], np.int64))
    has_records = any(passage.record for passage in passages)
    return _encode_block(
        list(texts),
        [passage.record for passage in passages] if has_records else [],
        [passage.stamp for passage in passages] if has_records else [],
        columns,
        postings,
    )


def decode_passages(data: bytes) -> PassageBlock:
    return PassageBlock(WholeBlock(data))


def merge_passages(blocks: Sequence[PassageBlock]) -> bytes:
    """One block with the rows of all, in order."""
    texts = {"": 0}
    columns: dict[str, Any] = {}
    meanings = [[texts.setdefault(text, len(texts)) for text in block.texts] for block in blocks]
    for name in _TEXTS:
        columns[name] = np.concatenate(
            [np.array(known, "<i4")[block.text_numbers(name)] for known, block in zip(meanings, blocks, strict=True)]
        )
    for name in (*_NUMBERS, "cites"):
        columns[name] = np.concatenate(
            [block.numbers(name) if name in _NUMBERS else block.list_of(name) for block in blocks]
        )
    columns["cite_starts"] = _starts(np.concatenate([np.diff(block.list_of("cite_starts")) for block in blocks]))
    listed = [block.term_list() for block in blocks]
    words = sorted(set().union(*listed))
    number_of = {word: number for number, word in enumerate(words)}
    bases = np.cumsum([0, *(block.rows for block in blocks)])
    numbers = [
        np.repeat(np.array([number_of[term] for term in terms], np.int64), np.diff(block.list_of("posting_starts")))
        for terms, block in zip(listed, blocks, strict=True)
    ]
    rows = [block.list_of("postings") + base for block, base in zip(blocks, bases.tolist(), strict=False)]
    order = np.argsort(every := np.concatenate(numbers), kind="stable")
    postings = _Postings(words, every[order], np.concatenate(rows)[order])
    records = [record for block in blocks for record in block.records]
    return _encode_block(list(texts), records, [stamp for block in blocks for stamp in block.stamps], columns, postings)


def _blank_passages(block: PassageBlock, gone: "NDArray[np.bool_]") -> bytes:
    """The block without anything of some rows, which stay as blank ones."""
    columns: dict[str, Any] = {name: np.where(gone, 0, block.numbers(name)) for name in _NUMBERS}
    text_numbers = {name: np.where(gone, 0, block.text_numbers(name)) for name in _TEXTS}
    used = sorted({0}.union(*(set(numbers.tolist()) for numbers in text_numbers.values())))
    number_of = np.zeros(len(block.texts), "<i4")
    number_of[used] = np.arange(len(used))
    columns |= {name: number_of[numbers] for name, numbers in text_numbers.items()}
    counts = np.diff(block.list_of("cite_starts"))
    columns["cites"] = block.list_of("cites")[~np.repeat(gone, counts)]
    columns["cite_starts"] = _starts(np.where(gone, 0, counts))
    records, stamps = (
        ["" if blank else text for text, blank in zip(texts, gone.tolist(), strict=False)]
        for texts in (block.records, block.stamps)
    )
    left = [block.texts[number] for number in used]
    return _encode_block(left, records, stamps, columns, _postings_of(block, ~gone))


def take_passages(block: PassageBlock, chosen: "NDArray[np.bool_]") -> bytes:
    """A block with the chosen rows only, which get new numbers."""
    columns: dict[str, Any] = {name: block.numbers(name)[chosen] for name in _NUMBERS}
    columns |= {name: block.text_numbers(name)[chosen] for name in _TEXTS}
    counts = np.diff(block.list_of("cite_starts"))
    columns["cites"] = block.list_of("cites")[np.repeat(chosen, counts)]
    columns["cite_starts"] = _starts(counts[chosen])
    records, stamps = (
        [text for text, is_chosen in zip(texts, chosen.tolist(), strict=False) if is_chosen]
        for texts in (block.records, block.stamps)
    )
    postings = _postings_of(block, chosen)
    moved = postings._replace(rows=(np.cumsum(chosen) - 1)[postings.rows])
    return _encode_block(block.texts, records, stamps, columns, moved)


def _postings_of(block: PassageBlock, chosen: "NDArray[np.bool_]") -> _Postings:
    """The words of the chosen rows, and where they are."""
    terms, rows = block.term_list(), block.list_of("postings")
    stays = chosen[rows]
    numbers = np.repeat(np.arange(len(terms)), np.diff(block.list_of("posting_starts")))[stays]
    left, renumbered = np.unique(numbers, return_inverse=True)
    return _Postings([terms[number] for number in left.tolist()], renumbered, rows[stays])


def _encode_block(
    texts: Sequence[str],
    records: Sequence[str],
    stamps: Sequence[str],
    columns: Mapping[str, Integers],
    postings: _Postings,
) -> bytes:
    lists: dict[str, Any] = {
        "term_starts": _starts([len(term) for term in postings.terms]),
        "term_keys": np.array([int.from_bytes(term[:8].ljust(8, b"\0"), "big") for term in postings.terms], "<u8"),
        "posting_starts": _starts(np.bincount(postings.numbers, minlength=len(postings.terms))),
        "postings": postings.rows,
    }
    forms = {**_NUMBERS, **_LISTS, **dict.fromkeys(_TEXTS, "<i4")}
    forms["postings"] = _posting_form(len(columns["position"]))
    parts = {name: values.astype(forms[name]).tobytes() for name, values in {**columns, **lists}.items()}
    return pack_parts(
        {"rows": len(columns["position"]), "texts": texts, "records": records, "stamps": stamps},
        {**parts, "terms": b"".join(postings.terms)},
    )


def _starts(counts: "Sequence[int] | Integers") -> Integers:
    """Where each list starts, and behind them where the last one ends."""
    starts = np.zeros(len(counts) + 1, "<u4")
    np.cumsum(counts, out=starts[1:])
    return starts


class _VectorsHead(PartsHead, frozen=True):
    dimension: int


class VectorBlock:
    """Vectors of rows. A vector has length 1, so its direction is enough: a byte for each number.

    They are read, and kept, when they are first asked for; in a block that is far only those, until they are many.
    """

    def __init__(self, source: BlockBytes) -> None:
        head, self._places = read_head(source, _VECTORS)
        self._source = source
        self.dimension = head.dimension
        first, last = self._places["vectors"]
        self.count = (last - first) // max(head.dimension, 1)
        self._taken = np.zeros((0, self.dimension), np.int8)
        self._taken_places = np.full(self.count if source.is_far else 0, -1, np.int32)
        """Where each vector is among those that were read alone; empty if none is read alone any more."""
        self._expected: tuple[Integers, list[BlockSpan]] | None = None
        """Vectors that will be read alone with the next ones that are taken, and where they are."""

    @property
    def rows(self) -> Integers:
        return np.frombuffer(self._part("rows"), "<u4")

    @cached_property
    def vectors(self) -> "NDArray[np.int8]":
        return np.frombuffer(self._part("vectors"), np.int8).reshape(-1, self.dimension)

    @property
    def is_far(self) -> bool:
        """Whether vectors are read alone."""
        return len(self._taken_places) > 0

    def expect(self, numbers: Integers) -> None:
        """The vectors with these numbers will be taken, perhaps in several steps."""
        if self.is_far and self._expected is None:
            self._expected = self._missing(numbers)
            if self._expected is not None:
                self._source.expect(self._expected[1])

    def take(self, numbers: Integers) -> "NDArray[np.int8]":
        """The vectors with these numbers, in their order."""
        if self._expected is not None:
            self._read_alone(*self._expected)
        if len(self._taken_places) and (missing := self._missing(numbers)) is not None:
            self._read_alone(*missing)
        if len(self._taken_places):
            return self._taken.take(self._taken_places[numbers], axis=0)
        return self.vectors.take(numbers, axis=0)

    def _missing(self, numbers: Integers) -> tuple[Integers, list[BlockSpan]] | None:
        """Which of these vectors are still to be read alone, and where they are; none are any more if they are many.

        With each, the two beside it: the turns around one are compared too, and a store has hardly more work with them.
        """
        missing = numbers[self._taken_places[numbers] < 0]
        if not len(missing):
            return None
        is_wanted = np.zeros(self.count + 2, bool)
        for beside in (0, 1, 2):
            is_wanted[missing + beside] = True
        is_wanted = is_wanted[1:-1] & (self._taken_places < 0)
        wanted = np.flatnonzero(is_wanted)
        if len(wanted) + len(self._taken) > self.count // ALONE:
            self._taken, self._taken_places = np.zeros((0, self.dimension), np.int8), np.zeros(0, np.int32)
            return None
        ends = np.flatnonzero(np.diff(is_wanted, prepend=False, append=False)) * self.dimension
        bounds = (ends + self._places["vectors"][0]).tolist()
        return wanted, [*zip(bounds[::2], bounds[1::2], strict=True)]

    def _read_alone(self, wanted: Integers, spans: Sequence[BlockSpan]) -> None:
        self._expected = None
        read = np.frombuffer(b"".join(self._source.read(spans)), np.int8).reshape(-1, self.dimension)
        self._taken_places[wanted] = np.arange(len(self._taken), len(self._taken) + len(wanted))
        self._taken = np.concatenate([self._taken, read])

    def expect_outlines(self) -> None:
        self._source.expect([self._places[name] for name in _OUTLINES])

    def outlines(self) -> "VectorOutlines":
        """What is known of the vectors without them, read at once."""
        rows, lengths, total, signs = self._source.read([self._places[name] for name in _OUTLINES])
        return VectorOutlines(
            np.frombuffer(rows, "<u4"),
            np.frombuffer(lengths, "<f4"),
            np.frombuffer(total, "<i8"),
            np.frombuffer(signs, "<u8").reshape(-(-self.dimension // 64), -1),
        )

    def _part(self, name: str) -> "bytes | memoryview":
        return self._source.read([self._places[name]])[0]


class VectorOutlines(NamedTuple):
    """The rows of vectors, and what takes less memory than they do."""

    rows: Integers
    lengths: "NDArray[np.float32]"
    sum: "NDArray[np.int64]"
    """The sum of all vectors."""
    signs: "NDArray[np.uint64]"
    """The signs of the vectors as bits: for each word of 64 bits, that of each vector."""


_OUTLINES = ("rows", "lengths", "sum", "signs")


def vector_signs(vectors: "NDArray[Any]") -> "NDArray[np.uint64]":
    bits = np.packbits(vectors > 0, axis=1)
    room = np.zeros((len(vectors), 8 * -(-vectors.shape[1] // 64)), np.uint8)
    room[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(room.view("<u8").T)


def _lengths(vectors: "NDArray[np.int8]") -> "NDArray[np.float32]":
    lengths: NDArray[np.float32] = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.int32)).astype(np.float32)
    return lengths


def _sum(vectors: "NDArray[np.int8]") -> "NDArray[np.int64]":
    """In whole numbers: the order in which vectors are added must not matter."""
    total: NDArray[np.int64] = vectors.sum(axis=0, dtype=np.int64)
    return total


_VECTORS = msgspec.msgpack.Decoder(_VectorsHead)


def encode_vectors(rows: Sequence[int], vectors: Vectors) -> bytes:
    """The vectors, scaled so that the largest number of each fills a byte."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-12)
    return _encode_vectors(np.array(rows, "<u4"), np.rint(vectors * (127 / largest)).astype(np.int8))


def decode_vectors(data: bytes) -> VectorBlock:
    return VectorBlock(WholeBlock(data))


def merge_vectors(blocks: Sequence[VectorBlock]) -> bytes:
    return _encode_vectors(
        np.concatenate([block.rows for block in blocks]), np.concatenate([block.vectors for block in blocks])
    )


def move_vectors(block: VectorBlock, new_rows: Integers) -> bytes:
    """The vectors with other row numbers: `new_rows` has one for each old row, or NO_ROW for a row that is gone."""
    rows = np.where(block.rows == NO_ROW, NO_ROW, new_rows[np.minimum(block.rows, len(new_rows) - 1)])
    return _encode_vectors(rows[rows != NO_ROW], block.vectors[rows != NO_ROW])


def _blank_vectors(block: VectorBlock, gone: Integers) -> bytes:
    is_gone = np.isin(block.rows, gone)
    return _encode_vectors(np.where(is_gone, NO_ROW, block.rows), np.where(is_gone[:, None], 0, block.vectors))


def _encode_vectors(rows: Integers, vectors: "NDArray[np.int8]") -> bytes:
    vectors = vectors.astype(np.int8, copy=False)
    parts = {
        "rows": rows.astype("<u4").tobytes(),
        "lengths": _lengths(vectors).astype("<f4").tobytes(),
        "sum": _sum(vectors).astype("<i8").tobytes(),
        "signs": vector_signs(vectors).tobytes(),
        "vectors": vectors.tobytes(),
    }
    return pack_parts({"dimension": vectors.shape[1]}, parts)


def encode_rows(rows: Iterable[int]) -> bytes:
    return np.array([*rows], "<u4").tobytes()


def decode_rows(data: bytes) -> Integers:
    return np.frombuffer(data, "<u4")


def head_with_passages(head: IndexHead, *, add: Iterable[Passage] = (), remove: Iterable[Passage] = ()) -> IndexHead:
    """The head with other counts, after passages are added and removed."""
    passages, words = Counter(head.passages), Counter(head.words)
    speakers, languages = Counter(head.speakers), Counter(head.languages)
    for sign, changed in ((1, add), (-1, remove)):
        for passage in changed:
            passages[passage.kind] += sign
            words[passage.kind] += sign * passage.size
            speakers[passage.speaker] += sign
            languages[passage.language] += sign
    return msgspec.structs.replace(
        head,
        passages=_positive_counts(passages),
        words=_positive_counts(words),
        speakers=_positive_counts(speakers),
        languages=_positive_counts(languages),
    )


def _positive_counts(counts: Mapping[Name, int]) -> dict[Name, int]:
    return {name: count for name, count in sorted(counts.items()) if name and count > 0}


def blank_positions(head: IndexHead, read: ReadBlocks, positions: Collection[int]) -> IndexChange:
    """The change that takes the words of entries out of an index, and all records, which may repeat them."""
    wanted = np.array(sorted(positions), np.int64)
    blanked: dict[RecallKind, list[int]] = {kind: [] for kind in KINDS}
    after, changed = _without_records(head, read), dict[BlockName, bytes]()
    for name in after.blocks:
        if name.content == "passages" and any(name.first <= position <= name.last for position in positions):
            block = decode_passages(read([name.digest])[name.digest])
            gone = np.isin(block.numbers("position"), wanted)
            if gone.any():
                blanked[name.kind] += (np.flatnonzero(gone) + name.start).tolist()
                after = head_with_passages(after, remove=_counted_passages(block, name.kind, gone))
                changed[name] = _blank_passages(block, gone)
    for name in after.blocks:
        if name.content == "vectors" and blanked[name.kind]:
            vectors, rows = decode_vectors(read([name.digest])[name.digest]), np.array(blanked[name.kind])
            if np.isin(vectors.rows, rows).any():
                changed[name] = _blank_vectors(vectors, rows)
    if after is head and not changed:
        return IndexChange(head)
    blocks = [
        msgspec.structs.replace(name, digest=block_digest(changed[name])) if name in changed else name
        for name in after.blocks
    ]
    after = msgspec.structs.replace(after, generation=head.generation + 1, blocks=tuple(blocks))
    removed = {name.digest for name in head.blocks} - {name.digest for name in blocks}
    return IndexChange(after, {block_digest(data): data for data in changed.values()}, frozenset(removed))


def _without_records(head: IndexHead, read: ReadBlocks) -> IndexHead:
    listed = [decode_rows(data) for data in read_sequence(head.sequence("removed", "record"), read)]
    removed = np.concatenate([np.zeros(0, np.int64), *listed])
    after = head
    for name, data in zip(names := head.sequence("passages", "record"), read_sequence(names, read), strict=True):
        block = decode_passages(data)
        is_valid = ~block.is_blank(block.numbers("position")) & ~np.isin(np.arange(name.start, name.stop), removed)
        after = head_with_passages(after, remove=_counted_passages(block, "record", is_valid))
    blocks = tuple(name for name in head.blocks if name.kind != "record")
    return msgspec.structs.replace(after, blocks=blocks) if len(blocks) < len(head.blocks) else head


def read_sequence(names: Sequence[BlockName], read: ReadBlocks) -> list[bytes]:
    """The bytes of blocks, in their order, or BlockGone."""
    found = read([name.digest for name in names]) if names else {}
    if len(found) < len({name.digest for name in names}):
        raise BlockGone
    return [found[name.digest] for name in names]


def _counted_passages(block: PassageBlock, kind: RecallKind, chosen: "NDArray[np.bool_]") -> Iterator[Passage]:
    """The passages of rows, as far as the counts of a head need them."""
    sizes, speakers, languages = block.numbers("size"), block.text_numbers("speaker"), block.text_numbers("language")
    for row in np.flatnonzero(chosen):
        yield _NO_PASSAGE._replace(
            kind=kind, size=int(sizes[row]), speaker=block.texts[speakers[row]], language=block.texts[languages[row]]
        )


_NO_PASSAGE = Passage("observation", 0, 0, 0, "", "", 0, 0, 0, "", "", "", "", (), "", 0, "")
