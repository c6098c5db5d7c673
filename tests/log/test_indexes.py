"""The stores that need no server pass the contract of the search index; test_postgres_index.py has the third."""

import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from uac.log.index import NO_INDEX
from uac.log.index_blocks import vector_signs
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.testing import RecallContract
from uac.testing.recall import change_recall_index, keep_vectors, passages_with_words, recall_passage
from uac.testing.store import store_turn


class TestMemory(RecallContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = MemoryStore()
        yield store
        store.close()


class TestSqlite(RecallContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore(tmp_path / "memory.db")
        yield store
        store.close()


# Tables of the version before


OLD_TABLES = """
CREATE TABLE indexes (user INTEGER PRIMARY KEY, head BLOB NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE passages (slot INTEGER PRIMARY KEY, user INTEGER NOT NULL, terms TEXT NOT NULL) STRICT;
CREATE TABLE vectors (user INTEGER NOT NULL, vector BLOB NOT NULL) STRICT;
CREATE TABLE embedded (user INTEGER NOT NULL, vectors INTEGER NOT NULL) STRICT;
CREATE VIRTUAL TABLE passage_words USING fts5 (terms, content='', detail=none, columnsize=0);
INSERT INTO indexes VALUES (1, x'80', 1);
INSERT INTO passages VALUES (1, 1, 'penicillin');
INSERT INTO passage_words (rowid, terms) VALUES (1, 'penicillin');
"""
"""As far as it matters: tables of versions 2 and 3."""


@pytest.mark.parametrize("erased", [False, True])
@pytest.mark.parametrize("version", [2, 3])
def test_an_index_of_an_earlier_version_is_made_anew_and_leaves_no_word(
    tmp_path: Path, version: int, erased: bool
) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    store.log("ana").append([store_turn("penicillin"), store_turn("I like tea")])
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.executescript(f"{OLD_TABLES} PRAGMA user_version = {version}")
    connection.close()
    store = SqliteStore(store.path)
    log = store.log("ana")
    if erased:
        log.erase([1], why="asked")
        assert found_in(store.path, {"term": b"penicillin"}) == set()
    assert log.index().head() == NO_INDEX
    change_recall_index(log.index(), recall_passage(2, "tea"))
    assert passages_with_words(log.index(), "tea") == {"tea": [("observation", 0)]}
    store.close()
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (4,)
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    assert tables >= {"indexes", "index_blocks"}
    assert tables.isdisjoint({"passages", "vectors", "embedded", "passage_words"})


# Erasure, down to the bytes of the file


def found_in(path: Path, words: dict[str, bytes]) -> set[str]:
    """The words that stand in the bytes of the file or its journals."""
    files = [Path(f"{path}{ending}") for ending in ("", "-wal", "-shm", "-journal")]
    content = b"\0".join(file.read_bytes() for file in files if file.exists())
    return {name for name, word in words.items() if word in content}


def fields() -> dict[str, str]:
    names = ("session", "speaker", "source", "record", "stamp")
    return {name: secrets.token_hex(12) for name in names}


@pytest.mark.parametrize("others", [0, 400], ids=["alone", "among many"])
@pytest.mark.parametrize("moved", [False, True], ids=["in the journal", "in the file"])
@pytest.mark.parametrize("whole", [False, True], ids=["entries", "the user"])
def test_erased_words_names_and_vectors_are_in_no_byte_of_the_file(
    tmp_path: Path, whole: bool, moved: bool, others: int
) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    log, keeper = store.log("ana"), store.log("ben")
    for written in (log, keeper):
        written.append([store_turn("one"), store_turn("two")])
    secret, kept, told = fields(), fields(), fields()
    term, replaced, stays = (secrets.token_hex(12) for _ in range(3))
    vectors = np.random.default_rng(secrets.randbits(32)).integers(-127, 127, (2, 700)).astype(np.float32)
    vectors[:, 0] = 127  # the largest, so that each number is kept as it is
    index = log.index()
    change_recall_index(index, *(recall_passage(2, secrets.token_hex(12), "tea") for _ in range(others)))
    change_recall_index(index, recall_passage(0, replaced, kind="record", **told))
    change_recall_index(index, recall_passage(1, term, "tea", **secret), remove=[told["record"]])
    change_recall_index(keeper.index(), recall_passage(1, stays, **kept))
    keep_vectors(index, "observation", [others], vectors[:1])
    keep_vectors(keeper.index(), "observation", [0], vectors[1:])
    if moved:
        with sqlite3.connect(store.path) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    gone = {"term": term, "replaced": replaced, **secret, **{f"told {name}": word for name, word in told.items()}}
    left = {"stays": stays, **{f"kept {name}": word for name, word in kept.items()}}
    words = {name: word.encode() for name, word in (gone | left).items()}
    numbers = [vector[:300].astype(np.int8).tobytes() for vector in vectors]
    words |= {"vector": numbers[0], "kept vector": numbers[1]}
    signs = [vector_signs(vector.reshape(1, -1)).tobytes() for vector in vectors]
    words |= {"signs": signs[0], "kept signs": signs[1]}
    assert found_in(store.path, words) >= {"term", "stays", "kept vector", "vector", "signs", "kept signs"}
    if whole:
        store.erase("ana")
    else:
        log.erase([1], why="asked")
    assert found_in(store.path, words) == {*left, "kept vector", "kept signs"}
    assert passages_with_words(keeper.index(), stays, term) == {stays: [("observation", 0)]}
    store.close()
