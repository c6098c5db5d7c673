"""The blocks of the search index: columns and words come back, blocks merge, and rows are blanked without a trace."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.log.block_parts import BlockSpan
from uac.log.index import (
    KINDS,
    BlockName,
    IndexHead,
    NewPassage,
    Passage,
    RecallKind,
    decode_index_head,
    encode_index_head,
)
from uac.log.index_blocks import (
    NO_ROW,
    PassageBlock,
    VectorBlock,
    blank_positions,
    decode_passages,
    decode_vectors,
    encode_passages,
    encode_vectors,
    merge_passages,
    merge_vectors,
    move_vectors,
    take_passages,
    vector_signs,
)
from uac.recall.index_changes import IndexDraft
from uac.testing.recall import NOTHING, recall_vectors

ODD_TEXTS = ["", "a", "A", "a\0b", "\\", "'", '"', "%s", "é", "e\u0301", "婚礼", "😀", " a "]
ODD_TERMS = [
    "'",
    '"',
    "\\",
    "o'brien",
    "%s",
    "a*",
    "a:b",
    "--",
    "😀",
    "👩‍👩‍👧",
    "حفل",
    "婚礼",
    "婚",
    "straße",
    "0",
    "x" * 400,
]

_TEXT = st.sampled_from(ODD_TEXTS)
_SMALL = st.integers(0, 5)
TURNS = st.builds(
    NewPassage,
    st.builds(
        Passage,
        kind=st.just("observation"),
        position=st.integers(1, 9),
        start=_SMALL,
        stop=_SMALL,
        record=st.just(""),
        session=_TEXT,
        said=st.integers(-(2**40), 2**40),
        since=_SMALL,
        until=st.integers(0, 3_652_059),
        speaker=_TEXT,
        role=_TEXT,
        authority=_TEXT,
        source=_TEXT,
        cites=st.lists(st.integers(1, 2**40), max_size=3).map(tuple),
        language=_TEXT,
        size=_SMALL,
        stamp=st.just(""),
    ),
    st.lists(st.sampled_from([*ODD_TERMS, "tea", "te", "tease"]), unique=True, max_size=6).map(tuple),
)


def contents(block: PassageBlock) -> list[Any]:
    """Each row of a block: its columns, what it cites, and its words."""
    words: list[set[str]] = [set() for _ in range(block.rows)]
    for term in block.term_list():
        for row in block.rows_with(term).tolist():
            words[row].add(term.decode())
    starts, cites = block.list_of("cite_starts").tolist(), block.list_of("cites").tolist()
    numbers = {name: block.numbers(name).tolist() for name in ("position", "start", "stop", "said", "since", "size")}
    texts = {
        name: [block.texts[number] for number in block.text_numbers(name)]
        for name in ("session", "speaker", "role", "authority", "source", "language")
    }
    return [
        (
            *(values[row] for values in (*numbers.values(), *texts.values())),
            tuple(cites[starts[row] : starts[row + 1]]),
            frozenset(words[row]),
        )
        for row in range(block.rows)
    ]


def expected(added: list[NewPassage]) -> list[Any]:
    return [
        (
            *(passage.position, passage.start, passage.stop, passage.said, passage.since, passage.size),
            *(passage.session, passage.speaker, passage.role, passage.authority, passage.source, passage.language),
            passage.cites,
            frozenset(terms),
        )
        for passage, terms in added
    ]


@given(st.lists(TURNS, max_size=8))
def test_a_block_gives_back_what_was_put_in(added: list[NewPassage]) -> None:
    assert contents(decode_passages(encode_passages(added))) == expected(added)


@given(st.lists(st.lists(TURNS, max_size=4), min_size=1, max_size=4))
def test_blocks_that_are_merged_hold_the_rows_of_all_in_order(parts: list[list[NewPassage]]) -> None:
    merged = decode_passages(merge_passages([decode_passages(encode_passages(part)) for part in parts]))
    assert contents(merged) == expected([new for part in parts for new in part])


@given(st.lists(st.tuples(TURNS, st.booleans()), max_size=8))
def test_taken_rows_are_those_of_a_block_made_of_them_alone(chosen: list[tuple[NewPassage, bool]]) -> None:
    block = decode_passages(encode_passages([new for new, _is_taken in chosen]))
    taken = decode_passages(take_passages(block, np.array([is_taken for _new, is_taken in chosen], bool)))
    assert contents(taken) == expected([new for new, is_taken in chosen if is_taken])


@given(st.lists(TURNS, min_size=1, max_size=8), st.sets(st.integers(1, 9)))
def test_blanked_rows_leave_nothing_and_the_others_keep_their_place(added: list[NewPassage], gone: set[int]) -> None:
    draft = IndexDraft(IndexHead(), lambda _digests: {})
    draft.add_passages(added)
    change = draft.change()
    blank = blank_positions(change.after, lambda digests: {digest: change.add[digest] for digest in digests}, gone)
    (name,) = blank.after.blocks
    found = decode_passages((change.add | blank.add)[name.digest])
    left = [new for new in added if new.passage.position not in gone]
    assert [row for row in contents(found) if row[0]] == expected(left)
    assert found.is_blank(found.numbers("position")).tolist() == [new.passage.position in gone for new in added]
    assert {*found.texts} <= {"", *(getattr(new.passage, name) for new in left for name in ("session", *_NAMES))}
    assert {term.decode() for term in found.term_list()} == {term for new in left for term in new.terms}
    fresh = IndexDraft(IndexHead(), lambda _digests: {})
    fresh.add_passages(left)
    for count in ("passages", "words", "speakers", "languages"):
        assert getattr(blank.after, count) == getattr(fresh.head, count)
    if len(left) < len(added):
        assert (blank.after.generation, blank.remove) == (1, frozenset(block.digest for block in change.after.blocks))


_NAMES = ("speaker", "role", "authority", "source", "language")


@pytest.mark.parametrize("term", ODD_TERMS)
def test_an_odd_word_is_found_and_nothing_else(term: str) -> None:
    turns = [NewPassage(NOTHING._replace(position=place), (word, "tea")) for place, word in enumerate(ODD_TERMS, 1)]
    block = decode_passages(encode_passages(turns))
    assert block.rows_with(term.encode()).tolist() == [ODD_TERMS.index(term)]
    assert block.rows_with(f"{term}x".encode()).tolist() == []
    assert block.rows_with(b"tea").tolist() == list(range(len(ODD_TERMS)))


def test_vectors_come_back_as_directions_merge_and_move() -> None:
    first = decode_vectors(encode_vectors([4, 0], recall_vectors([1, 0], [0.6, -0.8])))
    assert (first.rows.tolist(), first.vectors.tolist()) == ([4, 0], [[127, 0], [95, -127]])
    both = decode_vectors(merge_vectors([first, decode_vectors(encode_vectors([2], recall_vectors([0, 0])))]))
    assert (both.rows.tolist(), both.vectors.tolist()) == ([4, 0, 2], [[127, 0], [95, -127], [0, 0]])
    moved = decode_vectors(move_vectors(both, np.array([NO_ROW, 0, 1, 2, 3])))
    assert (moved.rows.tolist(), moved.vectors.tolist()) == ([3, 1], [[127, 0], [0, 0]])


class FarBlock:
    """A block whose bytes are counted when they are read."""

    is_far = True

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.read_bytes = 0
        self.expected: list[tuple[BlockSpan, ...]] = []

    def expect(self, spans: Sequence[BlockSpan]) -> None:
        self.expected.append(tuple(spans))

    def read(self, spans: Sequence[BlockSpan]) -> list[bytes]:
        found = [self._data[start:stop] for start, stop in spans]
        self.read_bytes += sum(map(len, found))
        return found


@given(st.integers(0, 60), st.lists(st.lists(st.integers(0, 59), max_size=6), max_size=6))
def test_vectors_that_are_taken_from_a_far_block_are_those_of_the_whole_block(
    count: int, questions: list[list[int]]
) -> None:
    data = encode_vectors(range(count), np.random.default_rng(count).normal(size=(count, 3)).astype(np.float32))
    far, whole = VectorBlock(FarBlock(data)), decode_vectors(data)
    for question in questions:
        numbers = np.array([number for number in question if number < count], np.int64)
        if count % 2:
            far.expect(numbers)
        assert far.take(numbers).tolist() == whole.take(numbers).tolist() == whole.vectors[numbers].tolist()


def test_a_few_vectors_of_a_far_block_are_read_alone_and_many_with_all_others() -> None:
    source = FarBlock(encode_vectors(range(100), np.ones((100, 3), np.float32)))
    block = VectorBlock(source)
    read = [source.read_bytes]
    for question in ([0, 50, 99], [51, 50, 99], [10, 20], [30], [0, 99]):
        block.take(np.array(question))
        read.append(source.read_bytes)
    # Each once, with those beside it; all of them once they are more than an eighth.
    assert [after - before for before, after in pairwise(read)] == [3 * (2 + 3 + 2), 0, 3 * 100, 0, 0]


def test_vectors_that_are_expected_are_read_at_once_even_if_they_are_taken_in_steps() -> None:
    source = FarBlock(encode_vectors(range(100), np.ones((100, 3), np.float32)))
    block = VectorBlock(source)
    before = source.read_bytes
    block.expect(np.array([0, 50]))
    (spans,) = source.expected
    assert ([stop - start for start, stop in spans], source.read_bytes) == ([3 * 2, 3 * 3], before)
    for numbers in ([0], [50]):
        block.take(np.array(numbers))
        assert source.read_bytes == before + 3 * 5


def _chosen(blocks: Mapping[bytes, bytes], digests: Collection[bytes]) -> Mapping[bytes, bytes]:
    return {digest: blocks[digest] for digest in digests}


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 40)), max_size=30))
def test_blocks_of_a_sequence_follow_each_other_and_are_few(steps: list[tuple[Any, int]]) -> None:
    head, blocks = IndexHead(), dict[bytes, bytes]()
    counts = dict.fromkeys(KINDS, 0)
    for kind, count in steps:
        draft = IndexDraft(head, partial(_chosen, blocks))
        rows = range(counts[kind], counts[kind] + count)
        draft.add_passages(
            [NewPassage(NOTHING._replace(kind=kind, position=row + 1, record=f"r{row}"), (f"w{row}",)) for row in rows]
        )
        change = draft.change()
        head, counts[kind] = change.after, counts[kind] + count
        blocks = {digest: data for digest, data in (blocks | change.add).items() if digest not in change.remove}
    assert blocks.keys() == {name.digest for name in head.blocks}
    for kind in KINDS:
        sequence = head.sequence("passages", kind)
        assert [name.start for name in sequence] == [0, *(name.stop for name in sequence)][: len(sequence)]
        assert sum(name.stop - name.start for name in sequence) == counts[kind]
        assert len(sequence) <= 2 + counts[kind].bit_length()
        for name in sequence:
            block = decode_passages(blocks[name.digest])
            assert block.numbers("position").tolist() == list(range(name.start + 1, name.stop + 1))
            assert (name.first, name.last) == (name.start + 1, name.stop)


@given(st.lists(st.lists(st.integers(-127, 127), min_size=70, max_size=70), max_size=8))
def test_signs_lengths_and_sum_of_a_block_follow_from_its_vectors(vectors: list[list[int]]) -> None:
    numbers = np.array(vectors, np.float32).reshape(-1, 70)
    block = decode_vectors(encode_vectors(range(len(vectors)), numbers))
    known = block.outlines()
    assert known.signs.tolist() == vector_signs(block.vectors).tolist()
    assert known.lengths.tolist() == np.linalg.norm(block.vectors.astype(int), axis=1).astype(np.float32).tolist()
    assert known.sum.tolist() == block.vectors.sum(axis=0, dtype=int).tolist()


def test_a_head_with_a_changed_bit_is_the_same_or_makes_a_search_start_again() -> None:
    names = (BlockName(b"0123456789abcdef", "passages", "fact", 0, 3, first=2, last=9),)
    counts: dict[RecallKind, int] = {"fact": 3}
    head = IndexHead(form=4, position=9, passages=counts, words=counts, speakers={"Zoë": 1}, blocks=names)
    stored = encode_index_head(head)
    for place in range(8 * len(stored)):
        changed = bytearray(stored)
        changed[place // 8] ^= 1 << place % 8
        decoded = decode_index_head(bytes(changed))
        assert decoded == head or decoded.form < 0, place
