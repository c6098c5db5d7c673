"""Conformance tests for a store's search index: subclass `RecallContract` and give it a `store` fixture.

class TestMine(RecallContract):
    @pytest.fixture
    def store(self, tmp_path):
        store = MyStore(tmp_path)
        yield store
        store.close()
"""

import threading
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from uac.log.index import (
    KINDS,
    NO_INDEX,
    BlockName,
    IndexBlocks,
    IndexChange,
    IndexHead,
    NewPassage,
    Passage,
    RecallKind,
    block_digest,
)
from uac.log.log import Log
from uac.log.store import Store
from uac.schema.entries import Citation, Fact, Observation

if TYPE_CHECKING:
    from uac.log.index import Vectors

__all__ = ["RecallContract"]

NOTHING = Passage("observation", 0, 0, 0, "", "", 0, 0, 0, "", "", "", "", (), "", 0, "")


def recall_observation(text: str) -> Observation:
    return Observation(text=text, said=datetime(2026, 3, 1, 12, tzinfo=UTC))


def recall_passage(position: int, *terms: str, **fields: Any) -> NewPassage:
    passage = NOTHING._replace(position=position, **{"size": len(terms), **fields})
    return NewPassage(passage, terms)


def change_recall_index(index: IndexBlocks, *add: NewPassage, remove: Sequence[str] = ()) -> None:
    """Add passages and remove records, as the indexer does."""
    from uac.recall.index_changes import IndexDraft

    head = index.head()
    draft = IndexDraft(head, index.read)
    draft.remove_records(recall_arrays(index).tables["record"], remove)
    draft.add_passages(add)
    draft.move(form=1, position=head.position, digest=head.digest)
    sources = {place for passage, _terms in add for place in (passage.position, *passage.cites)}
    assert index.change(head, draft.change(), sources=sources)


def keep_vectors(index: IndexBlocks, kind: RecallKind, rows: Sequence[int], vectors: "Vectors") -> None:
    """Store vectors of an embedder "e" for rows."""
    from uac.recall.index_changes import IndexDraft

    head = index.head()
    draft = IndexDraft(head, index.read)
    draft.add_vectors(kind, "e", rows, vectors)
    assert index.change(head, draft.change())


def recall_arrays(index: IndexBlocks) -> Any:
    """The arrays of an index, as a search reads them."""
    from uac.recall.passage_arrays import PassageArrays

    arrays = PassageArrays()
    arrays.follow(index, index.head())
    return arrays


def indexed_passages(index: IndexBlocks) -> list[Passage]:
    """The valid passages of an index, by kind and row."""
    tables = recall_arrays(index).tables
    return [passage for table in tables.values() for passage in table.passages(table.is_valid.nonzero()[0])]


def passages_with_words(index: IndexBlocks, *terms: str) -> dict[str, list[tuple[RecallKind, int]]]:
    """The kinds and rows of the passages that have each word."""
    tables = recall_arrays(index).tables
    found = {
        term: [
            (kind, int(row)) for kind in KINDS for row in tables[kind].rows_with([term]) if tables[kind].is_valid[row]
        ]
        for term in terms
    }
    return {term: rows for term, rows in found.items() if rows}


def recall_vectors(*vectors: Sequence[float]) -> "Vectors":
    import numpy as np

    return np.array(vectors, np.float32)


def _block(data: bytes, start: int = 0) -> IndexChange:
    name = BlockName(block_digest(data), "removed", "record", start, start + 1)
    return IndexChange(IndexHead(form=1, blocks=(name,)), {name.digest: data})


class RecallContract:
    """The behaviour that all stores share."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        raise NotImplementedError("A store is missing. Define the fixture `store` in the subclass.")

    @pytest.fixture
    def log(self, store: Store) -> Log:
        """A log with three turns and a fact."""
        log = store.log(f"user {uuid.uuid4()}")
        log.append(
            [
                recall_observation("I am allergic to penicillin"),
                recall_observation("I like tea"),
                recall_observation("We fly on Friday"),
            ]
        )
        cites = (Citation(position=1, quote="allergic to penicillin"),)
        log.append([Fact(text="Ana is allergic to penicillin", about="ana", authority="user", cites=cites)])
        return log

    @pytest.fixture
    def index(self, log: Log) -> IndexBlocks:
        return log.index()

    def test_a_new_index_is_empty(self, index: IndexBlocks) -> None:
        assert index.head() == NO_INDEX
        assert index.read([]) == index.read([bytes(16)]) == {}

    def test_every_field_of_the_head_and_every_byte_of_a_block_comes_back(self, log: Log) -> None:
        data = bytes(range(256)) * 40_000
        name = BlockName(block_digest(data), "vectors", "fact", 3, 9, "e\0", 1, 4)
        head = IndexHead(
            form=3,
            generation=2,
            position=4,
            digest=b"\0\xff" * 16,
            passages={"fact": 1},
            words={"fact": 7},
            speakers={"Ana\0": 1},
            languages={"en": 1},
            blocks=(name,),
        )
        assert log.index().change(NO_INDEX, IndexChange(head, {name.digest: data}))
        assert log.index().head() == head
        assert {digest: bytes(found) for digest, found in log.index().read([name.digest, b""]).items()} == {
            name.digest: data
        }

    def test_a_block_that_was_replaced_is_gone_and_the_others_stay(self, index: IndexBlocks) -> None:
        first, second = _block(b"first"), _block(b"second", 1)
        both = msgspec.structs.replace(first.after, blocks=(*first.after.blocks, *second.after.blocks))
        assert index.change(NO_INDEX, IndexChange(both, first.add | second.add))
        assert index.change(both, IndexChange(second.after, {}, frozenset(first.add)))
        assert index.read([*first.add, *second.add]) == second.add
        assert index.change(second.after, IndexChange(both, first.add))
        assert index.read([*first.add, *second.add]) == first.add | second.add

    def test_a_change_from_another_head_is_refused_and_changes_nothing(self, index: IndexBlocks) -> None:
        known, other = _block(b"known"), _block(b"other")
        assert index.change(NO_INDEX, known)
        assert not index.change(NO_INDEX, IndexChange(other.after, other.add, frozenset(known.add)))
        assert index.head() == known.after
        assert index.read([*known.add, *other.add]) == known.add

    def test_of_several_that_change_the_same_index_one_wins(self, log: Log) -> None:
        outcomes: dict[int, bool] = {}
        changes = {number: _block(bytes([number])) for number in range(1, 6)}

        def write(number: int) -> None:
            outcomes[number] = log.index().change(NO_INDEX, changes[number])

        threads = [threading.Thread(target=write, args=(number,)) for number in changes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (won,) = [number for number, is_won in outcomes.items() if is_won]
        assert log.index().head() == changes[won].after
        every = [digest for change in changes.values() for digest in change.add]
        assert log.index().read(every) == changes[won].add

    def test_a_cleared_index_has_nothing_and_another_generation(self, index: IndexBlocks) -> None:
        for generation in (1, 2):
            change = _block(b"tea")
            after = msgspec.structs.replace(change.after, generation=index.head().generation)
            assert index.change(index.head(), IndexChange(after, change.add))
            index.clear()
            assert index.head() == IndexHead(generation=generation)
            assert index.read([*change.add]) == {}

    def test_what_was_put_in_is_found_by_each_of_its_words(self, index: IndexBlocks) -> None:
        change_recall_index(index, recall_passage(2, "like", "tea"), recall_passage(3, "fly", "friday", "like"))
        change_recall_index(index, recall_passage(4, "tea", kind="fact"))
        change_recall_index(index, recall_passage(0, "tea", kind="record", record="r"))
        assert passages_with_words(index, "tea", "like", "coffee", "friday", "te") == {
            "tea": [("observation", 0), ("fact", 0), ("record", 0)],
            "like": [("observation", 0), ("observation", 1)],
            "friday": [("observation", 1)],
        }
        change_recall_index(index, remove=["r"])
        assert passages_with_words(index, "tea") == {"tea": [("observation", 0), ("fact", 0)]}

    def test_users_do_not_see_each_other(self, store: Store) -> None:
        logs = [store.log(f"user {number}") for number in range(12)]
        for number, log in enumerate(logs):
            log.append([recall_observation("hello")])
            change_recall_index(log.index(), recall_passage(1, "tea", f"{number}", session="a", speaker="Ana"))
        everything = [block.digest for log in logs for block in log.index().head().blocks]
        for number, log in enumerate(logs):
            own = [block.digest for block in log.index().head().blocks]
            assert sorted(log.index().read(everything)) == sorted(own)
            assert passages_with_words(log.index(), "tea", "1", "11").keys() == {"tea"} | ({str(number)} & {"1", "11"})
        logs[3].index().clear()
        assert [len(indexed_passages(log.index())) for log in logs] == [1, 1, 1, 0, *[1] * 8]

    def test_erasing_entries_takes_their_words_and_all_records_out_in_the_same_step(self, log: Log) -> None:
        change_recall_index(
            log.index(),
            recall_passage(1, "penicillin", "allergic", speaker="Ana", language="en"),
            recall_passage(2, "tea", speaker="Ben", language="en"),
            recall_passage(4, "penicillin", kind="fact", cites=(1,)),
            recall_passage(0, "penicillin", kind="record", record="health.Allergy/1", cites=(4,), language="en"),
            recall_passage(0, "tea", kind="record", record="food.Drink/1", cites=(2,)),
        )
        keep_vectors(log.index(), "observation", [0, 1], recall_vectors([1, 0], [0, 1]))
        before = log.index().head()
        assert log.erase([1], why="asked") == (1, 4)
        index = log.index()
        # A store may also drop the whole index: it is a cache.
        if index.head().blocks:
            assert [(passage.position, passage.speaker) for passage in indexed_passages(index)] == [(2, "Ben")]
            assert passages_with_words(index, "penicillin", "allergic", "tea") == {"tea": [("observation", 1)]}
            wanted = IndexHead(
                form=1,
                generation=before.generation + 1,
                passages={"observation": 1},
                words={"observation": 1},
                speakers={"Ben": 1},
                languages={"en": 1},
            )
            assert msgspec.structs.replace(index.head(), blocks=()) == wanted
            (vectors,) = index.head().sequence("vectors", "observation", "e 2")
            from uac.log.index_blocks import decode_vectors  # with numpy

            stored = decode_vectors(bytes(index.read([vectors.digest])[vectors.digest]))
            known = stored.outlines()
            assert (stored.vectors.tolist(), known.sum.tolist()) == ([[0, 0], [0, 127]], [0, 127])
            assert (known.lengths.tolist(), known.signs[0].tolist()[0]) == ([0, 127], 0)
        gone = {block.digest for block in before.blocks} - {block.digest for block in index.head().blocks}
        assert gone
        assert index.read([*gone]) == {}

    def test_words_that_were_read_before_they_were_erased_do_not_come_in(self, log: Log) -> None:
        index, late = log.index(), _block(b"penicillin")
        log.erase([1], why="asked")
        index.change(index.head(), late, sources=[1])
        assert log.index().read([*late.add]) == {}

    def test_an_erased_user_leaves_nothing_and_late_words_do_not_come_in(self, store: Store) -> None:
        log, other = store.log("ana"), store.log("ben")
        for written in (log, other):
            written.append([recall_observation("I like tea")])
            change_recall_index(written.index(), recall_passage(1, "tea"))
        index, blocks = log.index(), [block.digest for block in log.index().head().blocks]
        store.erase("ana")
        index.change(NO_INDEX, _block(b"tea"))
        assert passages_with_words(other.index(), "tea") == {"tea": [("observation", 0)]}
        for user in ("ana", "never wrote a word"):
            again = store.log(user)
            assert again.index().head() == NO_INDEX
            again.append([recall_observation("hello")])
            assert again.index().head() == NO_INDEX
            assert again.index().read([*blocks, *_block(b"tea").add]) == {}
