"""What packs bring is stored once per store, and every log still has it whole."""

import shutil
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import Damaged, StoreError
from uac.log import shared_texts
from uac.log.log import Break
from uac.log.rows import Row
from uac.log.shared_texts import DAMAGED_BODY, MAX_CACHED, join_body, pack_text, split_body, unpack_text
from uac.log.stores.sqlite import SqliteStore
from uac.log.stores.sqlite_shared import in_order_of_pages
from uac.schema.diagnostics import Diagnostic
from uac.schema.entries import MAX_BYTES, Checkpoint, Entry, encode
from uac.schema.patches import Adopt, Define, Learn, Patch, Put, SetAside
from uac.schema.types import Type
from uac.testing.store import entries_of, store_pack, store_turn
from uac_bench.faults.statements import FaultMode, StatementFault

Rows = list[tuple[object, ...]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "memory.db")
    yield store
    store.close()


def rows_of(path: Path, statement: str) -> Rows:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def tamper(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(statement).rowcount > 0
        connection.commit()


# Cutting a body and joining it again

LEARN, DEFINE, ASIDE, ADOPT = store_pack(1).patches
assert isinstance(ADOPT, Adopt)
OWN_RULE = Adopt(constraint=msgspec.structs.replace(ADOPT.constraint, origin="person", pack=""))
CITED_TYPE = msgspec.structs.replace(DEFINE, cites=(1,))
SHORT_TYPE = Define(type=Type(domain="food", name="Meal", fields=()))
QUOTING = Put(cites=(1,), type="food.Meal", fields={"name": encode(store_pack(1)).decode() + '"},{"op":"learn"'})


@given(st.lists(st.sampled_from([LEARN, DEFINE, ASIDE, ADOPT, OWN_RULE, CITED_TYPE, SHORT_TYPE, QUOTING]), min_size=1))
def test_a_body_that_is_cut_and_joined_again_is_the_same(patches: list[Patch]) -> None:
    body = encode(Checkpoint(patches=tuple(patches), by="ümlaut")).decode()
    rest, shared = split_body(body)
    assert join_body(rest, [(each.place, each.text) for each in shared]) == body
    assert len(rest) + sum(len(each.text) for each in shared) == len(body)
    assert [(each.digest, each.text) for each in shared] == [
        (sha256(text).digest(), text.decode())
        for text in (msgspec.json.encode(patch) for patch in patches if patch in (LEARN, DEFINE, ADOPT))
    ]
    assert len({each.place for each in shared}) == len(shared)


@given(st.text(), st.text())
def test_a_text_that_is_packed_and_unpacked_is_the_same_and_no_other_passes_for_it(text: str, other: str) -> None:
    text, other = f"{text}.", f"{other}."
    digest = sha256(text.encode(errors="replace")).digest()
    packed = pack_text(text.encode(errors="replace").decode())
    assert unpack_text(digest, packed) == text.encode(errors="replace").decode()
    if other != text:
        assert unpack_text(digest, pack_text(other.encode(errors="replace").decode())) is None
    assert unpack_text(digest, packed[:-1]) is None


@pytest.mark.parametrize("length", [MAX_CACHED - 1, MAX_CACHED, MAX_CACHED + 1, 10 * MAX_CACHED])
def test_a_text_of_any_length_is_unpacked(length: int) -> None:
    text = "x" * length
    digest = sha256(text.encode()).digest()
    assert [unpack_text(digest, pack_text(text)) for _ in range(2)] == [text, text]


def test_a_text_that_unpacks_to_more_than_an_entry_may_have_is_refused() -> None:
    text = bytes(MAX_BYTES + 1)
    assert unpack_text(sha256(text).digest(), zlib.compress(text)) is None


def test_a_text_that_was_packed_without_the_dictionary_unpacks() -> None:
    text = "def kept(user, now):\n    return []\n" * 20
    assert unpack_text(sha256(text.encode()).digest(), zlib.compress(text.encode(), 9)) == text


def test_the_dictionary_of_shared_texts_never_changes() -> None:
    dictionary = Path(shared_texts.__file__).with_name("shared_dictionary.txt").read_bytes()
    assert sha256(dictionary).hexdigest() == "2e97d48a1d4fc8875cd1992c9ba7d2ee21930cd5600d8483acfdbc3fd927f66f"


def test_what_a_user_said_or_wrote_is_not_shared() -> None:
    body = encode(Checkpoint(patches=(ASIDE, OWN_RULE, CITED_TYPE, QUOTING))).decode()
    assert split_body(body) == (body, ())
    observation = encode(store_turn(encode(store_pack(1)).decode())).decode()
    assert split_body(observation) == (observation, ())


# In a file


def test_the_second_user_of_a_pack_adds_no_copy_of_it(store: SqliteStore) -> None:
    for user in ("ana", "ben"):
        store.log(user).append([store_turn("hello"), store_pack(1)])
    digests = sorted(sha256(msgspec.json.encode(patch)).digest() for patch in (LEARN, DEFINE, ADOPT))
    assert rows_of(store.path, "SELECT digest FROM shared_texts ORDER BY digest") == [(digest,) for digest in digests]
    assert rows_of(store.path, "SELECT user, position, text FROM shared_parts ORDER BY user, text") == [
        (1, 2, 1), (1, 2, 2), (1, 2, 3), (2, 2, 1), (2, 2, 2), (2, 2, 3),
    ]  # fmt: skip
    rest = '{"kind":"checkpoint","patches":[,,{"op":"set_aside","cites":[1],"why":"small talk 👋"},],"by":"ana"}'
    assert rows_of(store.path, "SELECT body FROM entries WHERE kind = 'checkpoint'") == [(rest,), (rest,)]


@given(st.dictionaries(st.binary(min_size=32, max_size=32), st.binary(max_size=12_000), max_size=40))
def test_the_order_of_pages_has_each_text_once(texts: dict[bytes, bytes]) -> None:
    assert sorted(in_order_of_pages(texts, 4096)) == sorted(texts)


def test_texts_in_the_order_of_pages_take_fewer_pages() -> None:
    sizes = [500, 3000, 900, 2500, 1200, 3400, 9000, 1400] * 5
    texts = {number.to_bytes(32, "big"): bytes(size) for number, size in enumerate(sizes)}
    assert (pages_of(texts, [*texts]), pages_of(texts, [*in_order_of_pages(texts, 4096)])) == (33, 30)


def pages_of(texts: dict[bytes, bytes], order: list[bytes]) -> int:
    """The pages of a file with these rows, as SQLite writes them."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, digest BLOB, packed BLOB)")
        connection.executemany("INSERT INTO texts (digest, packed) VALUES (?, ?)", [(one, texts[one]) for one in order])
        return int(connection.execute("PRAGMA page_count").fetchone()[0])


def test_a_text_goes_with_the_last_entry_that_has_it(store: SqliteStore) -> None:
    count = "SELECT count(*) FROM shared_texts"
    for user in ("ana", "ben"):
        store.log(user).append([store_turn("hello"), store_pack(1), store_pack(1)])
    store.log("ana").erase([2], why="asked")
    store.erase("ben")
    assert rows_of(store.path, count) == [(3,)]
    store.log("ana").erase([1], why="asked")  # the rest of the entry keeps what the pack brought
    assert rows_of(store.path, count) == [(3,)]
    store.log("ana").erase([3], why="asked")
    assert rows_of(store.path, count) == [(0,)]
    assert rows_of(store.path, "SELECT count(*) FROM shared_parts") == [(0,)]


def test_a_file_gets_the_tables_with_the_first_text_and_keeps_its_index(store: SqliteStore) -> None:
    log = store.log("ana")
    log.append([store_turn("hello"), Checkpoint(patches=(SetAside(cites=(1,), why="small talk"),))])
    assert rows_of(store.path, "PRAGMA user_version") == [(1,)]
    head = log.index().head()
    assert rows_of(store.path, "PRAGMA user_version") == [(4,)]
    log.append([store_pack(1)])
    assert rows_of(store.path, "PRAGMA user_version") == [(5,)]
    assert log.index().head() == head


@pytest.mark.parametrize("before", [1, 2, 3])
def test_an_entry_of_an_older_file_stays_as_it_was_until_words_of_it_are_erased(
    store: SqliteStore, before: int
) -> None:
    ben = store.log("ben")
    ben.append([store_turn("hello"), store_pack(1)])
    (row,) = ben._rows.read(2, 3)  # as it was written before: whole, in the file
    assert isinstance(row, Row)
    for statement in (
        "DROP TABLE shared_parts",
        "DROP TABLE shared_texts",
        "DROP TABLE indexes",
        "DROP TABLE index_blocks",
        f"PRAGMA user_version = {before}",
    ):
        rows_of(store.path, statement)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("UPDATE entries SET body = ? WHERE position = 2", (row.body,))
        connection.commit()
    assert (entries_of(ben), ben.verify()) == ([store_turn("hello"), store_pack(1)], None)
    assert ben.erase([1], why="asked") == (1, 2)
    assert ben.verify() is None
    assert rows_of(store.path, "SELECT count(*) FROM shared_texts") == [(3,)]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("UPDATE shared_texts SET packed = zeroblob(20) WHERE id = 1", 1),
        ("UPDATE shared_texts SET packed = (SELECT packed FROM shared_texts WHERE id = 2) WHERE id = 1", 1),
        ("UPDATE shared_texts SET digest = zeroblob(32) WHERE id = 3", 1),
        ("DELETE FROM shared_texts", 3),
    ],
)
def test_a_damaged_text_is_reported_wherever_it_is_read_and_does_not_keep_a_user_from_being_erased(
    store: SqliteStore, damage: str, problem: int
) -> None:
    log, other = store.log("ana"), store.log("ben")
    log.append([store_turn("hello"), store_pack(1), store_turn("and then")])
    other.append([store_turn("hello")])
    tamper(store.path, damage)
    message = "entry 2 is damaged: a text that it shares with other logs is not what it was"
    with pytest.raises(Damaged) as damaged:
        entries_of(log)
    assert str(damaged.value) == message
    assert (log.verify(), other.verify()) == (Break(2, message), None)
    found = f"texts that entries of several users share are damaged or missing: {problem}"
    assert Diagnostic("problem", found, "restore the file from a backup") in store.findings()
    store.erase("ana")
    assert [finding for finding in store.findings() if finding.level == "problem"] == []


def test_a_text_that_was_replaced_with_its_digest_does_not_verify(store: SqliteStore) -> None:
    store.log("ana").append([store_turn("hello"), store_pack(1)])
    assert isinstance(LEARN, Learn)
    forged = msgspec.json.encode(Learn(knowledge=msgspec.structs.replace(LEARN.knowledge, note="all is well")))
    digest, packed = sha256(forged).hexdigest(), zlib.compress(forged).hex()
    tamper(store.path, f"UPDATE shared_texts SET digest = x'{digest}', packed = x'{packed}' WHERE id = 1")
    assert store.log("ana").verify() == Break(2, "entry 2 does not match its digest: it was altered or moved")


def test_no_entry_has_the_body_that_stands_for_damage() -> None:
    assert not encode(store_turn("\0")).decode().startswith(DAMAGED_BODY)


def test_readers_see_whole_entries_while_others_adopt_and_erase(store: SqliteStore) -> None:
    """A body and its texts are read from one state of the file."""
    log = store.log("ana")
    log.append([store_turn("hello"), store_pack(1)])
    stop, failures = threading.Event(), list[BaseException]()

    def read() -> None:
        try:
            with closing(SqliteStore(store.path)) as own:
                while not stop.is_set():
                    assert entries_of(own.log("ana"))[1] in (store_pack(1), None)
                    assert all(entry is not None for entry in entries_of(own.log("ben")))
        except BaseException as failure:  # noqa: BLE001 - shown by the assertion below
            failures.append(failure)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(15):
            store.log("ben").append([store_turn("hello"), store_pack(1)])
            store.erase("ben")
        log.erase([2], why="asked")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []


# Broken at every statement


def clock() -> datetime:
    return datetime(2026, 3, 2, tzinfo=UTC)


def first_store(path: Path) -> None:
    with closing(SqliteStore(path, clock=clock)) as store:
        store.log("ana").append([store_turn("hello"), store_pack(1)])
        store.log("ben").append([store_turn("hello"), Checkpoint(patches=(LEARN,)), Checkpoint(patches=(ADOPT,))])
        store.log("ana").erase([2], why="so that only ben has these texts")


def state_of(path: Path) -> tuple[list[list[Entry | None]], Rows]:
    with closing(SqliteStore(path, create=False)) as store:
        logs = [store.log(user) for user in ("ana", "ben", "cleo")]
        assert [log.verify() for log in logs] == [None, None, None]
        assert [finding for finding in store.findings() if finding.level == "problem"] == []
        return [entries_of(log) for log in logs], rows_of(path, "SELECT digest FROM shared_texts ORDER BY digest")


def adopt_pack(store: SqliteStore) -> None:
    store.log("cleo").append([store_turn("hello"), store_pack(1)])


def erase_part(store: SqliteStore) -> None:
    store.log("ben").erase([2], why="asked")


def erase_user(store: SqliteStore) -> None:
    store.erase("ben")


@pytest.mark.parametrize("mode", ["before", "after"])
@pytest.mark.parametrize("write", [adopt_pack, erase_part, erase_user])
def test_a_write_that_fails_anywhere_leaves_logs_and_texts_as_before_or_complete(
    tmp_path: Path, write: Callable[[SqliteStore], None], mode: FaultMode
) -> None:
    origin, path = tmp_path / "origin.db", tmp_path / "memory.db"
    first_store(origin)
    before = state_of(origin)
    shutil.copy(origin, path)
    with closing(SqliteStore(path, clock=clock)) as store:
        write(store)
    complete = state_of(path)
    assert before != complete
    failures = 0
    while True:
        shutil.copy(origin, path)
        fault = StatementFault(mode)
        with closing(SqliteStore(path, clock=clock, connect=fault.connect)) as store:
            fault.arm(failures + 1)
            try:
                write(store)
            except StoreError:
                failures += 1
                fault.arm(None)
            else:
                fault.arm(None)
                break
            found = state_of(path)
            assert found in (before, complete)
            if found == before:
                write(store)
        assert state_of(path) == complete
    assert failures > 8
