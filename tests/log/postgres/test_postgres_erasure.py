"""Erased words are in no byte of the files of a PostgreSQL server."""

import secrets

import psycopg
import pytest

from support.postgres_files import Words, found_in
from support.postgres_logs import name_in
from support.postgres_server import Server
from uac.errors import Unavailable
from uac.log.snapshots import Snapshot
from uac.log.stores import postgres
from uac.log.stores.postgres import PostgresStore
from uac.testing.store import entries_of, keep_snapshot, store_fact, store_turn


def test_erased_words_are_in_no_file_of_the_server(other_server: Server) -> None:
    url = other_server.new_database()
    store = PostgresStore(url)
    log, words = store.log("ana"), Words()
    log.append(
        [
            store_turn("keep me"),
            store_turn(words.short),
            store_turn(words.long, key="k"),
            store_fact(words.short, 2, words.short),
        ]
    )
    assert "pg_wal" in {path.parts[0] for path in found_in(other_server.folder, words.all)}
    other_server.execute("ANALYZE", name_in(url))
    other_server.execute("CHECKPOINT")
    assert "base" in {path.parts[0] for path in found_in(other_server.folder, words.all)}
    assert log.erase([2, 3], why="asked") == (2, 3, 4)
    assert found_in(other_server.folder, words.all) == []
    assert entries_of(log)[:4] == [store_turn("keep me"), None, None, None]
    assert log.verify() is None
    store.close()
    other_server.stop()
    assert found_in(other_server.folder, words.all) == []
    other_server.start()


def test_an_erased_user_is_in_no_file_of_the_server(other_server: Server) -> None:
    url = other_server.new_database()
    store = PostgresStore(url)
    words = Words()
    name = f"Ana {secrets.token_hex(12)}"
    store.log(name).append([store_turn(words.short), store_turn(words.long, key="k")])
    store.log("ben").append([store_turn("keep me")])
    assert "pg_wal" in {path.parts[0] for path in found_in(other_server.folder, [name.encode()])}
    other_server.execute("ANALYZE", name_in(url))
    other_server.execute("CHECKPOINT")
    assert "base" in {path.parts[0] for path in found_in(other_server.folder, [name.encode()])}
    store.erase(name)
    assert found_in(other_server.folder, [name.encode(), *words.all]) == []
    assert entries_of(store.log("ben")) == [store_turn("keep me")]
    store.close()


def test_words_in_snapshots_are_in_no_file_of_the_server_also_of_those_that_were_replaced(other_server: Server) -> None:
    url = other_server.new_database()
    store = PostgresStore(url)
    log, old, new = store.log("ana"), Words(), Words()
    log.append([store_turn("hello"), store_turn("more")])
    for number, words in enumerate((old, new)):
        log.append([store_turn("and more")])
        parts = {bytes([number]) * 32: words.short.encode(), bytes([number, 9]) * 16: words.long.encode()}
        keep_snapshot(log, Snapshot(words.short.encode(), parts))
    other_server.execute("ANALYZE", name_in(url))
    other_server.execute("CHECKPOINT")
    assert "base" in {path.parts[0] for path in found_in(other_server.folder, new.all)}
    assert log.snapshot_positions() == (3, 4)
    log.erase([1], why="asked")
    assert log.snapshot_positions() == ()
    assert found_in(other_server.folder, [*old.all, *new.all]) == []
    keep_snapshot(log, Snapshot(old.short.encode(), {bytes(32): old.long.encode()}))
    other_server.execute("CHECKPOINT")
    store.erase("ana")
    assert found_in(other_server.folder, old.all) == []
    store.close()


def test_an_erasure_that_an_old_transaction_blocks_says_so_and_can_be_repeated(
    other_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = other_server.new_database()
    store = PostgresStore(url)
    log, words = store.log("ana"), Words()
    log.append([store_turn(words.short)])
    with psycopg.connect(url) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM uac.meta")
        monkeypatch.setattr(postgres, "WAIT_SECONDS", 0)
        with pytest.raises(Unavailable, match=r"another session still sees.*Run the same erase again"):
            log.erase([1], why="asked")
        assert "problem" in [finding.level for finding in store.findings()]
    assert found_in(other_server.folder, words.all) != []
    assert log.erase([1], why="asked") == ()
    assert found_in(other_server.folder, words.all) == []
    assert "problem" not in [finding.level for finding in store.findings()]
    store.close()


def test_statistics_never_copy_words_names_salts_or_keys(server: Server, url: str, store: PostgresStore) -> None:
    for n in range(3):
        store.log(f"user {n}").append([store_turn("hello", key=str(n))])
    server.execute("ANALYZE", name_in(url))
    rows = server.execute("SELECT DISTINCT attname FROM pg_stats WHERE schemaname = 'uac'", name_in(url))
    columns = {str(row[0]) for row in rows}
    assert "kind" in columns
    assert columns.isdisjoint({"body", "name", "salt", "key"})


def test_user_ids_are_ordered_by_code_point_whatever_the_locale_of_the_database(
    server: Server, url: str, store: PostgresStore
) -> None:
    collation = "SELECT collation_name FROM information_schema.columns WHERE table_schema = 'uac'"
    assert server.execute(f"{collation} AND table_name = 'users' AND column_name = 'name'", name_in(url)) == [("C",)]
