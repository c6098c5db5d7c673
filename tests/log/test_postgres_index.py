"""The search index on a real PostgreSQL server: the contract, the way from older tables, pgvector, and erasure."""

import secrets
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from support.postgres_logs import empty, name_in
from support.postgres_server import Server
from uac.errors import ReadOnly
from uac.log.index import ANYTHING, NO_INDEX, IndexHead, PassageFilter
from uac.log.store import Store
from uac.log.stores import postgres
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.postgres_index import HAVING
from uac.schema.diagnostics import Diagnostic
from uac.testing import RecallContract
from uac.testing.recall import change_recall_index, recall_passage, recall_vectors, slots_with_words
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


# Tables of the version before, and of servers that cannot be written


def test_a_database_without_an_index_gets_one_and_keeps_its_log(
    server: Server, new_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(postgres, "MIGRATIONS", postgres.MIGRATIONS[:1])
        with closing(PostgresStore(new_url)) as old:
            old.log("ana").append([store_turn("I like tea")])
    version = "SELECT version, to_regclass('uac.passages') IS NOT NULL FROM uac.meta"
    assert server.execute(version, name_in(new_url)) == [(1, False)]
    with closing(PostgresStore(new_url, create=False)) as store:
        log = store.log("ana")
        assert server.execute(version, name_in(new_url)) == [(3, True)]
        assert entries_of(log) == [store_turn("I like tea")]
        assert log.verify() is None
        (slot,) = change_recall_index(log.index(), recall_passage(1, "tea"))
        assert slots_with_words(log.index(), "tea") == {"tea": [slot]}


def test_an_index_whose_passages_have_one_more_column_is_used_as_it_is_without_it(server: Server, new_url: str) -> None:
    with closing(PostgresStore(new_url)) as old:
        old.log("ana").append([store_turn("I like tea"), store_turn("and coffee")])
        (slot,) = change_recall_index(old.log("ana").index(), recall_passage(1, "tea"))
        head, passages = old.log("ana").index().head(), old.log("ana").index().select(ANYTHING)
    more = "ALTER TABLE uac.passages ADD COLUMN about text NOT NULL DEFAULT 'ana'; UPDATE uac.meta SET version = 2"
    server.execute(more, name_in(new_url))
    with closing(PostgresStore(new_url)) as store:
        index = store.log("ana").index()
        assert (index.head(), index.select(ANYTHING)) == (head, passages)
        (other,) = change_recall_index(index, recall_passage(2, "coffee"))
        assert slots_with_words(index, "tea", "coffee") == {"tea": [slot], "coffee": [other]}
    assert server.execute("SELECT version FROM uac.meta", name_in(new_url)) == [(3,)]


def test_an_index_that_cannot_be_written_is_read(server: Server, new_url: str) -> None:
    with closing(PostgresStore(new_url)) as store:
        store.log("ana").append([store_turn("I like tea")])
        slots = change_recall_index(store.log("ana").index(), recall_passage(1, "tea"))
        store.log("ana").index().keep("e", slots, recall_vectors([1, 0]))
        store.log("ben").append([store_turn("hello")])
    server.execute(f"ALTER DATABASE {name_in(new_url)} SET default_transaction_read_only = on")
    with closing(PostgresStore(new_url)) as store:
        index = store.log("ana").index()
        assert index.head().total == 1
        assert slots_with_words(index, "tea") == {"tea": slots}
        assert index.can_compare()
        assert index.nearest("observation", "e", recall_vectors([1, 0]), 1) == slots
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
        slots = change_recall_index(log.index(), recall_passage(1, "tea"))
        log.index().keep("e", slots, recall_vectors([1, 0]))
        assert log.index().nearest("observation", "e", recall_vectors([1, 0]), 1) == slots


def test_a_change_of_the_index_does_not_hold_up_appends(store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("one")])
    change_recall_index(log.index(), recall_passage(1, "one"))
    with log.index()._writing_partition(), ThreadPoolExecutor(1) as threads:  # type: ignore[attr-defined] # of this store only
        assert threads.submit(log.append, [store_turn("two")]).result() == (2,)


# The extension


def test_without_the_extension_no_vectors_are_kept_and_all_else_works(server: Server, new_url: str) -> None:
    server.execute(f"ALTER DATABASE {name_in(new_url)} OWNER TO owner")
    with closing(PostgresStore(server.url(name_in(new_url), "owner"))) as store:
        log = store.log("ana")
        log.append([store_turn("I like tea"), store_turn("penicillin")])
        index = log.index()
        slots = change_recall_index(index, recall_passage(1, "tea"), recall_passage(2, "penicillin"))
        assert not index.can_compare()
        index.keep("e", slots, recall_vectors([1, 0], [0, 1]))
        assert index.embedded("e") == 0
        assert index.unembedded("e", 9) == []
        assert index.nearest("observation", "e", recall_vectors([1, 0]), 9) == []
        assert index.closeness("e", recall_vectors([1, 0]), slots) == {}
        assert log.erase([2], why="asked") == (2,)
        assert slots_with_words(index, "tea", "penicillin") == {"tea": slots[:1]}
        assert (
            Diagnostic(
                "note",
                "vectors cannot be stored: recall searches by words, names and times, not by meaning",
                "as a superuser: CREATE EXTENSION vector; with an older one: ALTER EXTENSION vector UPDATE",
            )
            in store.findings()
        )
        server.execute("CREATE SCHEMA elsewhere; CREATE EXTENSION vector SCHEMA elsewhere", name_in(new_url))
        assert not index.can_compare()
        server.execute("GRANT USAGE ON SCHEMA elsewhere TO owner", name_in(new_url))
        assert "note" not in [finding.level for finding in store.findings() if "vectors" in finding.what]
        assert index.can_compare()
        index.keep("e", slots[:1], recall_vectors([1, 0]))
        assert index.nearest("observation", "e", recall_vectors([1, 0]), 9) == slots[:1]


def test_an_extension_that_was_taken_away_and_came_back_starts_anew(server: Server, new_url: str) -> None:
    for taken in (True, False):
        with closing(PostgresStore(new_url)) as store:
            log = store.log(str(taken))
            log.append([store_turn("I like tea")])
            slots = change_recall_index(log.index(), recall_passage(1, "tea"))
            assert log.index().can_compare()
            log.index().keep("e", slots, recall_vectors([1, 0]))
            assert log.index().nearest("observation", "e", recall_vectors([1, 0]), 9) == slots
        if taken:
            server.execute("DROP EXTENSION vector CASCADE", name_in(new_url))
            with closing(PostgresStore(new_url)) as store:
                assert not store.log("True").index().can_compare()
                assert store.log("True").index().embedded("e") == 0
            server.execute("CREATE EXTENSION vector", name_in(new_url))


def test_a_vector_of_another_length_is_left_out(store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("hello")])
    slots = change_recall_index(log.index(), recall_passage(1), recall_passage(1), recall_passage(1))
    log.index().keep("e", slots[:2], recall_vectors([1, 0], [0, 1]))
    log.index().keep("e", slots[2:], recall_vectors([1, 0, 0]))
    assert log.index().nearest("observation", "e", recall_vectors([0, 1]), 9) == slots[1::-1]
    assert log.index().closeness("e", recall_vectors([0, 0, 1]), slots) == {slots[2]: 0}


def test_vectors_of_four_thousand_numbers_are_kept(store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("hello")])
    slots = change_recall_index(log.index(), recall_passage(1), recall_passage(1))
    vectors = np.eye(4096, dtype=np.float32)
    log.index().keep("e", slots, vectors[:2])
    assert log.index().nearest("observation", "e", vectors[1], 9) == slots[::-1]


# What a search costs


def test_a_search_by_words_reads_the_index_of_words(server: Server, url: str, store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("hello")])
    change_recall_index(log.index(), *(recall_passage(1, "tea", f"word{number}") for number in range(3000)))
    server.execute("VACUUM ANALYZE", name_in(url))
    with log.index()._reading_partition() as part:  # type: ignore[attr-defined] # of this store only
        for mode in ("force_custom_plan", "force_generic_plan"):
            part.rows(f"SET plan_cache_mode = {mode}")
            plan = str(part.rows(f"EXPLAIN {HAVING}", [f"'{part.user}o_word7'"]))
            assert f"passages_{part.number}_words_idx" in plan
            assert "Seq Scan on passages" not in plan
        part.rows("RESET plan_cache_mode")


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
    vectors = np.random.default_rng(secrets.randbits(32)).integers(-2000, 2000, (2, 700)).astype(np.float32)
    vectors[:, 0] = 2047  # the largest, so that each number is kept as it is
    index = log.index()
    change_recall_index(index, recall_passage(0, replaced, kind="record", **told))
    slots = change_recall_index(index, recall_passage(1, term, **secret), remove=index.select(ANYTHING))
    slots += change_recall_index(keeper.index(), recall_passage(1, stays, **kept))
    index.keep("e", slots[:1], vectors[:1])
    keeper.index().keep("e", slots[1:], vectors[1:])
    gone = {"term": term, "replaced": replaced, **secret, **{f"told {name}": word for name, word in told.items()}}
    left = {"stays": stays, **{f"kept {name}": word for name, word in kept.items()}}
    words = {name: word.encode() for name, word in (gone | left).items()}
    numbers = [vector[:300].astype(np.float16).tobytes() for vector in vectors]
    words |= {"vector": numbers[0], "kept vector": numbers[1]}
    other_server.execute("ANALYZE", name_in(url))
    other_server.execute("CHECKPOINT")
    assert found_in(other_server.folder, words) == set(words)
    if whole:
        store.erase("ana")
    else:
        log.erase([1], why="asked")
    assert found_in(other_server.folder, words) == {*left, "kept vector"}
    assert slots_with_words(keeper.index(), stays, term) == {stays: slots[1:]}
    store.close()


def test_statistics_never_copy_words_or_names(server: Server, url: str, store: PostgresStore) -> None:
    for user in range(3):
        log = store.log(f"user {user}")
        log.append([store_turn("hello")])
        slots = change_recall_index(log.index(), *(recall_passage(1, "tea", **fields()) for _ in range(3)))
        log.index().keep("e", slots, recall_vectors(*[(1, 0)] * 3))
    server.execute("ANALYZE", name_in(url))
    statement = (
        "SELECT DISTINCT attname FROM pg_stats WHERE schemaname = 'uac' AND tablename ~ 'passages|vectors|indexes'"
    )
    columns = {str(row[0]) for row in server.execute(statement, name_in(url))}
    assert {"user", "kind", "slot"} <= columns
    assert columns.isdisjoint({"words", "head", "vector", *fields()})


def test_an_index_of_another_version_is_one_of_another_form(server: Server, url: str, store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("hello")])
    change_recall_index(log.index(), recall_passage(1, "hello"))
    server.execute(r"UPDATE uac.indexes SET head = '\x81a8706f736974696f6ea178'", name_in(url))
    assert log.index().head() == IndexHead(form=-1)
    log.index().clear()
    assert (log.index().head(), log.index().select(ANYTHING)) == (NO_INDEX, [])


def test_each_user_has_slots_of_their_own(store: PostgresStore) -> None:
    for _ in range(2):
        log = store.log(str(uuid.uuid4()))
        log.append([store_turn("hello")])
        assert change_recall_index(log.index(), recall_passage(1), recall_passage(1)) == [1, 2]
        assert log.index().select(PassageFilter(slots=(2,)))[0].slot == 2
        assert log.index().change(log.index().head(), IndexHead(), add=(), remove=[1])
