"""A block of a search index can be read in parts, wherever it is."""

import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import msgpack

from uac.log.block_parts import BlockGone, PartsHead, WholeBlock, pack_parts, read_head
from uac.log.stores import sqlite_index
from uac.log.stores.sqlite import SqliteStore
from uac.project.fold import fold_entries
from uac.recall.context import build_context
from uac.recall.search import Recall
from uac.schema.entries import Observation

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@given(st.dictionaries(st.text(max_size=5), st.binary(max_size=40), max_size=6))
def test_each_part_comes_back_alone_and_starts_where_numbers_may(parts: Mapping[str, bytes]) -> None:
    block = WholeBlock(pack_parts({"more": "left to others"}, parts))
    head, places = read_head(block, msgpack.Decoder(PartsHead))
    assert head.lengths == {name: len(part) for name, part in parts.items()}
    assert {name: bytes(block.read([span])[0]) for name, span in places.items()} == parts
    assert all(start % 8 == 0 for start, _stop in places.values())


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[SqliteStore, SqliteStore]:
    """Two processes' views of one file, with blocks that are never read whole."""
    monkeypatch.setattr(sqlite_index, "LARGE_BLOCK", 0)
    one, other = SqliteStore(tmp_path / "memory.db"), SqliteStore(tmp_path / "memory.db")
    _say(one, "I like green tea", "The train leaves at nine")
    return one, other


def _say(store: SqliteStore, *texts: str) -> None:
    store.log("ana").append([Observation(text=text, said=NOON) for text in texts])


def _follow(recall: Recall, store: SqliteStore) -> None:
    log = store.log("ana")
    recall.follow(log, fold_entries(log.read()))


def test_parts_of_a_block_in_a_file_are_those_of_the_whole_block(stores: tuple[SqliteStore, SqliteStore]) -> None:
    one, other = stores
    _follow(Recall(), one)
    index = other.log("ana").index()
    (name,) = index.head().blocks
    data, block = index.read([name.digest])[name.digest], index.open_blocks([name.digest])[name.digest]
    spans = [(0, 8), (5, 5), (len(data) - 3, len(data)), (1, 40)]
    assert block.read(spans) == [data[start:stop] for start, stop in spans]
    index.clear()
    with pytest.raises(BlockGone):
        block.read(spans)
    with pytest.raises(BlockGone):
        index.open_blocks([name.digest])


def test_a_search_whose_blocks_another_process_replaced_reads_the_new_ones(
    stores: tuple[SqliteStore, SqliteStore],
) -> None:
    one, other = stores
    writer, reader = Recall(), Recall()
    _follow(writer, one)
    _follow(reader, other)  # has read no word yet
    _say(one, "Green tea again")
    _follow(writer, one)  # replaces the block by one with three turns
    assert [hit.position for hit in reader.find("tea", without=["around"]).hits] == [3, 1]


def test_a_context_whose_blocks_another_process_replaced_reads_the_new_ones(
    stores: tuple[SqliteStore, SqliteStore],
) -> None:
    one, other = stores
    writer, reader, log = Recall(), Recall(), other.log("ana")
    project = fold_entries(log.read())
    _follow(writer, one)
    reader.follow(log, project)
    _say(one, "Green tea again")
    _follow(writer, one)
    assert '1 "I like green tea"' in build_context("tea", project=project, log=log, recall=reader).text


def test_erased_words_are_gone_from_a_reader_that_has_not_followed_yet(stores: tuple[SqliteStore, SqliteStore]) -> None:
    one, other = stores
    reader = Recall()
    _follow(Recall(), one)
    _follow(reader, other)
    one.log("ana").erase([1], why="asked")
    assert reader.find("green tea", without=["around"]).hits == []
    with sqlite3.connect(one.path) as file:
        assert not any(b"green" in data for (data,) in file.execute("SELECT data FROM index_blocks"))
