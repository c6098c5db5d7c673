"""The arrays that a search reads, against plain lists and loops that say what they must hold."""

import pickle
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from uac.log.index import BlockName, NewPassage, Vectors
from uac.log.index_blocks import decode_passages, decode_vectors, encode_passages, encode_vectors
from uac.log.stores.sqlite import SqliteStore
from uac.project.fold import fold_entries
from uac.recall import vector_table
from uac.recall.passage_arrays import PassageTable
from uac.recall.search import Recall
from uac.recall.vector_table import VectorTable
from uac.schema.entries import Observation
from uac.testing.recall import NOTHING

TERMS = ["tea", "teapot", "teapots of tin", "té", "婚礼", "x" * 60, "a", "a\0"]
CUTS = st.lists(st.integers(0, 12), max_size=3).map(lambda cuts: sorted({0, 12, *cuts}))


def table_of(new: list[NewPassage], cuts: list[int]) -> PassageTable:
    """A table that was read in blocks."""
    table = PassageTable("observation")
    for start, stop in pairwise(cuts):
        name = BlockName(b"", "passages", "observation", start, stop)
        table.add_block(name, decode_passages(encode_passages(new[start:stop])))
    return table


@given(
    st.lists(
        st.builds(
            lambda terms, cites, session, said, stop: NewPassage(
                NOTHING._replace(
                    kind="observation",
                    cites=tuple(cites),
                    session=session,
                    size=len(terms),
                    said=said,
                    since=abs(said) % 3_652_059,
                    stop=stop,
                ),
                tuple(terms),
            ),
            st.lists(st.sampled_from(TERMS), unique=True, max_size=4),
            st.lists(st.integers(1, 2**40), max_size=3),
            st.sampled_from(["", "one", "two"]),
            st.integers(-(2**40), 2**40) | st.integers(-200, 200),
            st.integers(0, 2**31 - 1) | st.integers(0, 200),
        ),
        min_size=12,
        max_size=12,
    ),
    CUTS,
    st.lists(st.integers(0, 11), max_size=8),
    st.lists(st.sampled_from([*TERMS, "", "te"]), max_size=4),
    st.sampled_from([3, 12, 40, 3000, 20_000, 2**29, 2**40]),
)
def test_rows_words_and_citations_are_those_that_were_put_in_however_they_were_cut_into_blocks(
    new: list[NewPassage], cuts: list[int], rows: list[int], terms: list[str], apart: int
) -> None:
    placed = [each._replace(passage=each.passage._replace(position=apart * row + 1)) for row, each in enumerate(new)]
    table = table_of(placed, cuts)
    assert table.passages(rows) == [placed[row].passage for row in rows]
    assert table.cites(rows).tolist() == [cited for row in rows for cited in placed[row].passage.cites]
    assert table.rows_with(terms).tolist() == [row for row, each in enumerate(placed) if set(each.terms) & set(terms)]
    positions = [apart * row + 1 for row in rows] + [2, 12 * apart + 1, 2**60]
    assert table.rows_at(positions).tolist() == sorted(set(rows))


def test_a_turn_takes_few_bytes_in_memory() -> None:
    passages = [
        NOTHING._replace(
            kind="observation",
            position=row + 1,
            stop=90 + row % 50,
            said=1_700_000_000 + row,
            since=738_000 + row // 500,
            until=738_000 + row // 500,
            session=f"session {row // 20}",
            role="user" if row % 2 else "assistant",
            language="en",
            size=15,
        )
        for row in range(5000)
    ]
    table = table_of([NewPassage(each, ()) for each in passages], [0, 2500, 5000])
    columns = [table.column(name) for name in ("position", "said", "start", "stop", "since", "until", "size", *TEXTS)]
    assert sum(column.itemsize for column in columns) == 2 + 4 + 1 + 2 + 4 + 4 + 1 + 2 + 5
    assert table.passages(range(5000)) == passages


TEXTS = ("session", "speaker", "role", "authority", "source", "language")


@given(
    st.lists(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=70, max_size=70), max_size=40),
    st.lists(st.sampled_from([-1.0, 0.5]), min_size=70, max_size=70),
    st.integers(0, 40),
    st.data(),
)
def test_the_likely_rows_are_those_whose_signs_agree_most_and_of_equal_ones_the_oldest(
    vectors: list[list[float]], wanted: list[float], most: int, data: st.DataObject
) -> None:
    among = np.array(data.draw(st.lists(st.booleans(), min_size=len(vectors), max_size=len(vectors))), bool)
    table = VectorTable(70)
    stored = np.array(vectors, np.float32).reshape(-1, 70)
    block = decode_vectors(encode_vectors(range(len(vectors)), stored))
    table.add_block(BlockName(b"", "vectors", "observation", 0, len(vectors), "e 70"), block)
    apart = [sum((one > 0) != (other > 0) for one, other in zip(each, wanted, strict=True)) for each in vectors]
    candidates = sorted((row for row in range(len(vectors)) if among[row]), key=lambda row: (apart[row], row))
    found = table._likely_rows(np.array(wanted, np.float32), among & table.has_vectors(len(among)), most)
    assert found.tolist() == sorted(candidates[:most])


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_few_vectors_are_all_compared_and_the_closest_come_first(seed: int, most: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(50, 16)).astype(np.float32)
    wanted, table = vectors[0] / np.linalg.norm(vectors[0]), VectorTable(16)
    block = decode_vectors(encode_vectors(range(50), vectors / np.linalg.norm(vectors, axis=1, keepdims=True)))
    table.add_block(BlockName(b"", "vectors", "observation", 0, 50, "e 16"), block)
    close = table.closeness(wanted, np.arange(50))
    found = table.compare(wanted, np.ones(50, bool), most)
    assert (found.rows.tolist(), found.close.tolist()) == (list(range(50)), close.tolist())
    assert found.nearest.tolist() == sorted(range(50), key=lambda row: (-close[row], row))[:most]
    assert vector_table.RESCORED > 50


class Numbers:
    """An embedder that gives every text numbers of its own."""

    name = "numbers"
    dimension = 64
    is_near = True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        rows = [np.random.default_rng([*text.encode()]).normal(size=64) for text in texts]
        found: Vectors = np.array(rows, np.float32).reshape(-1, 64)
        made: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
        return made


def loaded_bytes(recall: Recall) -> bytes:
    """Everything that a search has in memory of its index: words, names, vectors and their signs."""
    assert recall._indexer is not None
    arrays = recall._indexer.arrays
    parts: list[bytes] = []
    for vectors in arrays.vectors.values():
        parts += [block.vectors.tobytes() for _start, block in vectors._parts]
        parts += [np.stack([signs.values for signs in vectors._signs], axis=1).tobytes()]
    for table in arrays.tables.values():
        parts += [pickle.dumps((table._texts, table.records, table.stamps, table._made))]
        parts += [bytes(block.terms) + pickle.dumps(block.texts) for _start, block in table._words]
    recent = recall.recent
    parts += [repr((recent.entries, recent.tokens, recent.repeated, recent.quotes)).encode()]
    return b"".join(parts)


def test_what_one_process_erases_is_gone_from_the_arrays_of_another_with_its_next_search(tmp_path: Path) -> None:
    secret, speaker, said = secrets.token_hex(8), secrets.token_hex(8), datetime(2026, 1, 1, tzinfo=UTC)
    one, other = SqliteStore(tmp_path / "memory.db"), SqliteStore(tmp_path / "memory.db")
    texts = [f"filler {number} tea" for number in range(300)]
    one.log("ana").append([Observation(text=text, said=said) for text in texts])
    one.log("ana").append([Observation(text=f"my {secret}", said=said, speaker=speaker, role="person")])
    recall, log = Recall(embedder=Numbers()), other.log("ana")
    recall.follow(log, fold_entries(log.read()))
    vector = encode_vectors([0], Numbers().embed([f"my {secret}"]))
    numbers = decode_vectors(vector).vectors.tobytes()
    signs = decode_vectors(vector).outlines().signs.tobytes()
    traces = [secret.encode(), speaker.encode(), numbers, signs]
    assert 301 in [hit.position for hit in recall.find(secret, tokens=100, without=["meaning"]).hits]
    assert all(trace in loaded_bytes(recall) for trace in traces)
    assert secret in recall.recent.repeated[301, 0, len(f"my {secret}")]
    one.log("ana").erase([301], why="asked")
    recall.follow(log, fold_entries(log.read()))
    assert not any(trace in loaded_bytes(recall) for trace in traces)
    assert recall._indexer is not None
    arrays = recall._indexer.arrays
    table, vectors = arrays.tables["observation"], arrays.vectors["observation"]
    assert 300 not in np.concatenate([block.list_of("postings") + start for start, block in table._words])
    assert not any(table.column(name)[300] for name in ("position", "said", "start", "stop", "size", "speaker"))
    assert not vectors.has_vectors(301)[300]
    assert vectors.closeness(np.ones(64, np.float32), np.array([300])).tolist() == [0.0]
    assert recall.find(secret, without=["meaning"]).hits == []
    assert recall.find("tea").matched == 300
    one.close()
    other.close()
