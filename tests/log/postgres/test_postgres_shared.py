"""What packs bring is stored once per database, however many processes share and drop it at once."""

import threading
from contextlib import closing
from pathlib import Path

import pytest

from support.postgres_logs import name_in
from support.postgres_server import Server
from uac.errors import Damaged
from uac.log.log import Break
from uac.log.stores.postgres import PostgresStore
from uac.schema.diagnostics import Diagnostic
from uac.testing.store import entries_of, store_pack, store_turn


def test_a_text_is_stored_once_and_goes_with_the_last_entry_that_has_it(
    store: PostgresStore, server: Server, url: str
) -> None:
    def counts() -> tuple[object, ...]:
        tables = "(SELECT count(*) FROM uac.shared_texts), (SELECT count(*) FROM uac.shared_parts)"
        return server.execute(f"SELECT {tables}", name_in(url))[0]

    for user in ("ana", "ben"):
        store.log(user).append([store_turn("hello"), store_pack(1), store_pack(1)])
    assert counts() == (3, 12)
    store.erase("ben")
    store.log("ana").erase([2], why="asked")
    assert counts() == (3, 3)
    store.log("ana").erase([1], why="asked")  # the rest of the entry keeps what the pack brought
    assert counts() == (3, 3)
    store.log("ana").erase([3], why="asked")
    assert counts() == (0, 0)
    assert store.log("ana").verify() is None


def test_a_damaged_text_is_reported_wherever_it_is_read(store: PostgresStore, server: Server, url: str) -> None:
    log = store.log("ana")
    log.append([store_turn("hello"), store_pack(1)])
    server.execute(
        "UPDATE uac.shared_texts SET packed = '\\x00' WHERE id = (SELECT max(id) FROM uac.shared_texts)", name_in(url)
    )
    message = "entry 2 is damaged: a text that it shares with other logs is not what it was"
    with pytest.raises(Damaged, match=message):
        entries_of(log)
    assert log.verify() == Break(2, message)
    found = "texts that entries of several users share are damaged or missing: 1"
    assert Diagnostic("problem", found, "restore the database from a backup") in store.findings()
    server.execute("DELETE FROM uac.shared_texts", name_in(url))
    assert log.verify() == Break(2, message)
    store.erase("ana")
    assert [finding for finding in store.findings() if finding.level == "problem"] == []


def test_users_that_adopt_and_are_erased_at_once_keep_what_is_theirs(store: PostgresStore, url: str) -> None:
    failures: list[BaseException] = []

    def come_and_go(user: str) -> None:
        try:
            with closing(PostgresStore(url)) as own:
                for _ in range(4):
                    own.log(user).append([store_turn("hello"), store_pack(1)])
                    assert entries_of(own.log(user)) == [store_turn("hello"), store_pack(1)]
                    own.erase(user)
                own.log(user).append([store_turn("hello"), store_pack(1)])
        except BaseException as failure:  # noqa: BLE001 - shown by the assertion below
            failures.append(failure)

    users = ("ana", "ben", "cleo")
    threads = [threading.Thread(target=come_and_go, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for user in users:
        assert (entries_of(store.log(user)), store.log(user).verify()) == ([store_turn("hello"), store_pack(1)], None)


def test_a_dropped_text_is_in_no_file_of_the_table(store: PostgresStore, server: Server, url: str) -> None:
    log = store.log("ana")
    log.append([store_turn("hello"), store_pack(1)])
    (packed,) = server.execute("SELECT packed FROM uac.shared_texts ORDER BY id LIMIT 1", name_in(url))[0]
    assert isinstance(packed, bytes)

    def files() -> list[Path]:
        server.execute("CHECKPOINT")
        found = (path for path in (server.folder / "base").rglob("*") if path.is_file())
        return [path for path in found if packed[20:60] in path.read_bytes()]

    assert files() != []
    log.erase([2], why="asked")
    assert files() == []
