"""The search index on a real PostgreSQL server: the contract, the way from older tables, and erasure."""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from support.postgres_logs import empty, name_in
from support.postgres_server import Server
from uac.errors import ReadOnly
from uac.log.block_parts import BlockGone
from uac.log.index import NO_INDEX, IndexHead
from uac.log.index_blocks import vector_signs
from uac.log.store import Store
from uac.log.stores import postgres, postgres_index
from uac.log.stores.postgres import PostgresStore
from uac.testing import RecallContract
from uac.testing.recall import (
    change_recall_index,
    keep_vectors,
    passages_with_words,
    recall_passage,
    recall_vectors,
)
from uac.testing.store import entries_of, store_turn


@pytest.fixture
def store(server: Server, url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    empty(server, url)
    yield store
    store.close()


class TestPostgres(RecallContract):
    @pytest.fixture
    def store(self, server: Server, url: str) -> Iterator[Store]:
        store = PostgresStore(url)
        empty(server, url)
        yield store
        store.close()


class TestPostgresInPieces(TestPostgres):
    """Every block counts as a large one, and is received in many pieces."""

    @pytest.fixture(autouse=True)
    def small_pieces(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        is_long = "every_byte_of_a_block" in request.function.__name__  # ten megabytes: a million pieces would be many
        monkeypatch.setattr(postgres_index, "LARGE_BLOCK", 0)
        monkeypatch.setattr(postgres_index, "FIRST_BYTES", 5)
        monkeypatch.setattr(postgres_index, "PIECE", 7_001 if is_long else 7)


class TestPostgresInShortSpans(TestPostgres):
    """Every block counts as a large one, and its spans are received as one row."""

    @pytest.fixture(autouse=True)
    def joined_spans(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(postgres_index, "LARGE_BLOCK", 0)
        monkeypatch.setattr(postgres_index, "MANY", 3)


@pytest.mark.parametrize(("first", "piece", "many"), [(5, 7, 256), (8, 1 << 18, 3), (1 << 15, 7, 256)])
def test_parts_of_a_large_block_are_those_of_the_whole_block(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch, first: int, piece: int, many: int
) -> None:
    log = store.log("ana")
    log.append([store_turn("I like tea")])
    index = log.index()
    change_recall_index(index, recall_passage(1, "like", "tea"))
    (name,) = index.head().blocks
    data = index.read([name.digest])[name.digest]
    for setting, value in (("LARGE_BLOCK", 0), ("FIRST_BYTES", first), ("PIECE", piece), ("MANY", many)):
        monkeypatch.setattr(postgres_index, setting, value)
    block = index.open_blocks([name.digest])[name.digest]
    spans = [(0, 8), (5, 5), (len(data) - 3, len(data) + 20), (1, 40)]
    for chosen in ([(0, 8)], spans, [(5, 5)]):
        assert block.read(chosen) == [data[start:stop] for start, stop in chosen]
    index.clear()
    with pytest.raises(BlockGone):
        block.read(spans)
    with pytest.raises(BlockGone):
        index.open_blocks([name.digest])


def test_what_is_expected_of_several_blocks_comes_with_the_first_that_is_read(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = store.log("ana")
    log.append([store_turn("I like tea")])
    index = log.index()
    change_recall_index(index, recall_passage(1, "like", "tea"))
    keep_vectors(index, "observation", [0], recall_vectors([1, 0]))
    first, second = (name.digest for name in index.head().blocks)
    whole = index.read([first, second])
    monkeypatch.setattr(postgres_index, "LARGE_BLOCK", 0)
    monkeypatch.setattr(postgres_index, "FIRST_BYTES", 5)
    opened = index.open_blocks([first, second])
    for digest in (first, second):
        opened[digest].expect([(0, 8), (16, 40)])
    assert opened[first].read([(0, 8), (16, 40)]) == [whole[first][:8], whole[first][16:40]]
    index.clear()
    assert opened[second].read([(0, 8), (16, 40)]) == [whole[second][:8], whole[second][16:40]]
    with pytest.raises(BlockGone):
        opened[second].read([(0, 8), (16, 40)])


# Tables of the version before, and of servers that cannot be written


def test_a_database_without_an_index_gets_one_and_keeps_its_log(
    server: Server, new_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(postgres, "MIGRATIONS", postgres.MIGRATIONS[:1])
        with closing(PostgresStore(new_url)) as old:
            old.log("ana").append([store_turn("I like tea")])
    version = "SELECT version, to_regclass('uac.index_blocks') IS NOT NULL FROM uac.meta"
    assert server.execute(version, name_in(new_url)) == [(1, False)]
    with closing(PostgresStore(new_url, create=False)) as store:
        log = store.log("ana")
        assert server.execute(version, name_in(new_url)) == [(6, True)]
        assert entries_of(log) == [store_turn("I like tea")]
        assert log.verify() is None
        change_recall_index(log.index(), recall_passage(1, "tea"))
        assert passages_with_words(log.index(), "tea") == {"tea": [("observation", 0)]}


OLD_TABLES = """
DROP TABLE uac.snapshots, uac.index_blocks, uac.indexes, uac.shared_texts, uac.shared_parts;
CREATE TABLE uac.indexes ("user" bigint NOT NULL, slots bigint NOT NULL, head bytea NOT NULL) PARTITION BY HASH ("user");
CREATE TABLE uac.indexes_00 PARTITION OF uac.indexes FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE uac.passages ("user" bigint NOT NULL, words tsvector NOT NULL);
INSERT INTO uac.passages SELECT id, 'penicillin'::tsvector FROM uac.users;
INSERT INTO uac.unscrubbed (relation) VALUES ('passages_00');
UPDATE uac.meta SET version = {version}
"""
"""As far as it matters: tables of versions 2 and 3."""


@pytest.mark.parametrize("version", [2, 3])
def test_an_index_of_an_earlier_version_is_made_anew(server: Server, new_url: str, version: int) -> None:
    with closing(PostgresStore(new_url)) as old:
        old.log("ana").append([store_turn("I like tea"), store_turn("and coffee")])
    server.execute(OLD_TABLES.format(version=version), name_in(new_url))
    with closing(PostgresStore(new_url)) as store:
        index = store.log("ana").index()
        assert index.head() == NO_INDEX
        change_recall_index(index, recall_passage(2, "coffee"))
        assert passages_with_words(index, "tea", "coffee") == {"coffee": [("observation", 0)]}
        assert store.finish_erasures()
    tables = "SELECT to_regclass('uac.passages'), (SELECT version FROM uac.meta), (SELECT count(*) FROM uac.unscrubbed)"
    assert server.execute(tables, name_in(new_url)) == [(None, 6, 0)]


def test_an_index_that_cannot_be_written_is_read(server: Server, new_url: str) -> None:
    with closing(PostgresStore(new_url)) as store:
        store.log("ana").append([store_turn("I like tea")])
        change_recall_index(store.log("ana").index(), recall_passage(1, "tea"))
        store.log("ben").append([store_turn("hello")])
    server.execute(f"ALTER DATABASE {name_in(new_url)} SET default_transaction_read_only = on")
    with closing(PostgresStore(new_url)) as store:
        index = store.log("ana").index()
        assert index.head().total == 1
        assert passages_with_words(index, "tea") == {"tea": [("observation", 0)]}
        assert store.log("ben").index().head() == NO_INDEX
        with pytest.raises(ReadOnly):
            change_recall_index(index, recall_passage(1, "more"))
        with pytest.raises(ReadOnly):
            change_recall_index(store.log("ben").index(), recall_passage(1, "hello"))


def test_a_role_with_rights_on_the_tables_alone_writes_the_index(server: Server, new_url: str) -> None:
    PostgresStore(new_url).close()
    server.execute("GRANT USAGE ON SCHEMA uac TO reader", name_in(new_url))
    server.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA uac TO reader", name_in(new_url))
    with closing(PostgresStore(server.url(name_in(new_url), "reader"))) as store:
        log = store.log("ana")
        log.append([store_turn("I like tea")])
        change_recall_index(log.index(), recall_passage(1, "tea"))
        keep_vectors(log.index(), "observation", [0], recall_vectors([1, 0]))
        assert passages_with_words(log.index(), "tea") == {"tea": [("observation", 0)]}


def test_a_change_of_the_index_does_not_hold_up_appends(store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("one")])
    change_recall_index(log.index(), recall_passage(1, "one"))
    with log.index()._writing_partition(), ThreadPoolExecutor(1) as threads:  # type: ignore[attr-defined] # of this store only
        assert threads.submit(log.append, [store_turn("two")]).result() == (2,)


# Erasure, down to the bytes in the server's files


def found_in(folder: Path, words: dict[str, bytes]) -> set[str]:
    """The words that stand in any file of the server, its WAL and its log among them."""
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {name for name, word in words.items() if any(word in content for content in files)}


def fields() -> dict[str, str]:
    names = ("session", "speaker", "source", "record", "stamp")
    return {name: secrets.token_hex(10) for name in names}


@pytest.mark.parametrize("whole", [False, True], ids=["entries", "the user"])
def test_erased_words_names_and_vectors_are_in_no_file_of_the_server(other_server: Server, whole: bool) -> None:
    url = other_server.new_database()
    store = PostgresStore(url)
    log, keeper = store.log("ana"), store.log("ben")
    for written in (log, keeper):
        written.append([store_turn("one"), store_turn("two")])
    secret, kept, told = fields(), fields(), fields()
    term, replaced, stays = (secrets.token_hex(10) for _ in range(3))
    vectors = np.random.default_rng(secrets.randbits(32)).integers(-127, 127, (2, 700)).astype(np.float32)
    vectors[:, 0] = 127  # the largest, so that each number is kept as it is
    index = log.index()
    change_recall_index(index, recall_passage(0, replaced, kind="record", **told))
    change_recall_index(index, recall_passage(1, term, **secret), remove=[told["record"]])
    change_recall_index(keeper.index(), recall_passage(1, stays, **kept))
    keep_vectors(index, "observation", [0], vectors[:1])
    keep_vectors(keeper.index(), "observation", [0], vectors[1:])
    gone = {"term": term, "replaced": replaced, **secret, **{f"told {name}": word for name, word in told.items()}}
    left = {"stays": stays, **{f"kept {name}": word for name, word in kept.items()}}
    words = {name: word.encode() for name, word in (gone | left).items()}
    numbers = [vector[300:500].astype(np.int8).tobytes() for vector in vectors]
    words |= {"vector": numbers[0], "kept vector": numbers[1]}
    signs = [vector_signs(vector.reshape(1, -1)).tobytes() for vector in vectors]
    words |= {"signs": signs[0], "kept signs": signs[1]}
    other_server.execute("ANALYZE", name_in(url))
    other_server.execute("CHECKPOINT")
    assert found_in(other_server.folder, words) == set(words)
    if whole:
        store.erase("ana")
    else:
        log.erase([1], why="asked")
    assert found_in(other_server.folder, words) == {*left, "kept vector", "kept signs"}
    assert passages_with_words(keeper.index(), stays, term) == {stays: [("observation", 0)]}
    store.close()


def test_statistics_never_copy_words_or_names(server: Server, url: str, store: PostgresStore) -> None:
    for user in range(3):
        log = store.log(f"user {user}")
        log.append([store_turn("hello")])
        change_recall_index(log.index(), *(recall_passage(1, "tea", **fields()) for _ in range(3)))
    server.execute("ANALYZE", name_in(url))
    statement = "SELECT DISTINCT attname FROM pg_stats WHERE schemaname = 'uac' AND tablename ~ 'index'"
    columns = {str(row[0]) for row in server.execute(statement, name_in(url))}
    assert "user" in columns
    assert columns.isdisjoint({"head", "data", "digest"})


def test_an_index_of_another_version_is_one_of_another_form(server: Server, url: str, store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("hello")])
    change_recall_index(log.index(), recall_passage(1, "hello"))
    server.execute(r"UPDATE uac.indexes SET head = '\x81a8706f736974696f6ea178'", name_in(url))
    assert log.index().head() == IndexHead(form=-1)
    log.index().clear()
    assert log.index().head() == IndexHead(generation=1)
