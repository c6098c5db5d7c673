"""The stores that need no server pass the contract of the search index; test_postgres_index.py has the third."""

import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from uac.log.index import ANYTHING
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.testing import RecallContract
from uac.testing.recall import change_recall_index, recall_passage, slots_with_words
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


def test_an_index_whose_passages_have_one_more_column_is_used_as_it_is_without_it(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    log = store.log("ana")
    log.append([store_turn("I like tea"), store_turn("and coffee")])
    (slot,) = change_recall_index(log.index(), recall_passage(1, "tea"))
    head, passages = log.index().head(), log.index().select(ANYTHING)
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("ALTER TABLE passages ADD COLUMN about TEXT NOT NULL DEFAULT 'ana'")
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    store = SqliteStore(store.path)
    index = store.log("ana").index()
    assert (index.head(), index.select(ANYTHING)) == (head, passages)
    (other,) = change_recall_index(index, recall_passage(2, "coffee"))
    assert slots_with_words(index, "tea", "coffee") == {"tea": [slot], "coffee": [other]}
    store.close()
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)
        assert "about" not in [row[1] for row in connection.execute("PRAGMA table_info(passages)")]
    connection.close()


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
    slots = change_recall_index(index, recall_passage(1, term, "tea", **secret), remove=index.select(ANYTHING)[-1:])
    slots += change_recall_index(keeper.index(), recall_passage(1, stays, **kept))
    index.keep("e", slots[:1], vectors[:1])
    keeper.index().keep("e", slots[1:], vectors[1:])
    if moved:
        with sqlite3.connect(store.path) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    gone = {"term": term, "replaced": replaced, **secret, **{f"told {name}": word for name, word in told.items()}}
    left = {"stays": stays, **{f"kept {name}": word for name, word in kept.items()}}
    # The index of words leaves out letters that a word shares with the one before it.
    words = {name: word[8:].encode() for name, word in (gone | left).items()}
    numbers = [vector[:300].astype(np.int8).tobytes() for vector in vectors]
    words |= {"vector": numbers[0], "kept vector": numbers[1]}
    assert found_in(store.path, words) >= {"term", "stays", "kept vector", "vector"}
    if whole:
        store.erase("ana")
    else:
        log.erase([1], why="asked")
    assert found_in(store.path, words) == {*left, "kept vector"}
    assert slots_with_words(keeper.index(), stays, term) == {stays: slots[1:]}
    store.close()
