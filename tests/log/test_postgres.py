"""The PostgreSQL store against a real server: the contract, crashes, lost connections, erasure, and clear refusals."""

import multiprocessing
import os
import secrets
import socket
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest
from psycopg.rows import TupleRow

from support.postgres_server import Server, running_server, wait_until
from uac.errors import Full, NewerFormat, NoStore, NotAStore, ReadOnly, Refused, StoreError, Unavailable
from uac.log.log import EMPTY, Log
from uac.log.store import Store
from uac.log.stores import open_store, postgres
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.postgres_pool import CONNECTIONS
from uac.schema.entries import Entry, Observation
from uac.testing import StoreContract
from uac.testing.recall import change_recall_index, recall_passage, slots_with_words
from uac.testing.store import entries_of, store_fact, store_turn


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as server:
        server.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        server.execute("CREATE ROLE writer LOGIN")
        server.execute("CREATE ROLE owner LOGIN")
        yield server


@pytest.fixture(scope="module")
def other_server() -> Iterator[Server]:
    """One with few files to search, that may be stopped and killed."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="module")
def url(server: Server) -> str:
    return server.new_database()


@pytest.fixture
def store(server: Server, url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    empty(server, url)
    yield store
    store.close()


@pytest.fixture
def new_url(server: Server) -> str:
    return server.new_database()


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as processes:
        yield processes


def empty(server: Server, url: str) -> None:
    tables = ("vectors", "passages", "indexes", "entries", "users", "unscrubbed")
    server.execute("; ".join(f"DELETE FROM uac.{table}" for table in tables), name_in(url))


def name_in(url: str) -> str:
    return url.split("/")[3].partition("?")[0]


def texts_of(log: Log) -> list[str]:
    entries = entries_of(log)
    return [entry.text for entry in entries if isinstance(entry, Observation)]


class TestPostgres(StoreContract):
    @pytest.fixture
    def store(self, server: Server, url: str) -> Iterator[Store]:
        store = PostgresStore(url)
        empty(server, url)
        yield store
        store.close()


# Several writers


def append_some(url: str, writer: int) -> list[int]:
    """Runs in a process of its own."""
    store = PostgresStore(url)
    log = store.log("ana")
    positions = [log.append([store_turn(f"{writer}.{n}")])[0] for n in range(30)]
    store.close()
    return positions


def test_several_processes_append_without_loss_or_gap(new_url: str, processes: ProcessPoolExecutor) -> None:
    written = list(processes.map(append_some, [new_url] * 3, range(3)))
    store = PostgresStore(new_url, create=False)
    assert sorted(chain.from_iterable(written)) == list(range(1, 91))
    assert store.log("ana").verify() is None
    for writer, positions in enumerate(written):
        stored = {item.position: item.entry for item in store.log("ana").read()}
        assert [stored[position] for position in positions] == [store_turn(f"{writer}.{n}") for n in range(30)]
    store.close()


def test_a_new_database_may_be_opened_by_several_at_once(new_url: str) -> None:
    with ThreadPoolExecutor(5) as threads:
        stores = list(threads.map(PostgresStore, [new_url] * 5))
    for store in stores:
        store.log("ana").append([store_turn("hello")])
    assert stores[0].log("ana").head().position == 5
    for store in stores:
        store.close()


def test_more_retries_at_once_than_connections_do_not_wait_for_each_other(store: PostgresStore) -> None:
    users = [f"user {n}" for n in range(CONNECTIONS + 5)]
    for user in users:
        store.log(user).append([store_turn("hello", key="k")])
    start = threading.Barrier(len(users))

    def retry(user: str) -> tuple[int, ...]:
        start.wait()
        # A retry reads the first entry while it holds the lock on the log.
        return [store.log(user).append([store_turn("hello", key="k")]) for _ in range(5)][-1]

    with ThreadPoolExecutor(len(users)) as threads:
        assert list(threads.map(retry, users)) == [(1,)] * len(users)


def test_erasing_a_user_waits_for_the_append_that_is_under_way(server: Server, url: str, store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("one")])
    waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'"
    with ThreadPoolExecutor(1) as threads:
        with log._rows.writing() as writing:
            erased = threads.submit(store.erase, "ana")
            wait_until(lambda: bool(server.execute(waiting)), "the erasure waits")
            assert writing.head.position == 1
        erased.result()
    assert log.head() == EMPTY
    assert server.execute("SELECT count(*) FROM uac.entries", name_in(url)) == [(0,)]


def test_a_refused_or_empty_append_leaves_no_user_behind(server: Server, url: str, store: PostgresStore) -> None:
    with pytest.raises(Refused):
        store.log("ana").append([store_turn("")])
    assert store.log("ana").append([]) == ()
    assert server.execute("SELECT * FROM uac.users", name_in(url)) == []


def test_a_forked_process_makes_its_own_connections(store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("before")])
    with store._pool.connection() as connection:
        mine = connection.info.backend_pid
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons advise against fork
        child = os.fork()
    if child == 0:
        status = 1
        try:
            with store._pool.connection() as connection:
                status = 0 if connection.info.backend_pid != mine and log.append([store_turn("child")]) == (2,) else 1
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    with store._pool.connection() as connection:
        assert connection.info.backend_pid == mine
    log.append([store_turn("parent")])
    assert texts_of(log) == ["before", "child", "parent"]


# The server stops, restarts, or is killed


def test_the_same_store_works_again_after_the_server_restarted(server: Server, store: PostgresStore) -> None:
    log = store.log("ana")
    log.append([store_turn("one")])
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(store._pool.connection())
    server.stop()
    with pytest.raises(Unavailable, match="cannot be reached"):
        log.append([store_turn("lost")])
    server.start()
    log.append([store_turn("two")])
    assert texts_of(log) == ["one", "two"]


Outcome = tuple[list[tuple[int, str]], str]


def append_until_lost(url: str, writer: int) -> Outcome:
    """Runs in a process of its own: what was acknowledged, and the text whose fate is not known."""
    acknowledged: list[tuple[int, str]] = []
    text = ""
    try:
        log = PostgresStore(url, create=False).log("ana")
        for n in count():
            text = f"{writer} {n} {secrets.token_hex(8)}"
            acknowledged += [(position, text) for position in log.append([store_turn(text, key=text)])]
    except Unavailable:
        pass
    return acknowledged, text


def kill_while_writing(server: Server, processes: ProcessPoolExecutor, rounds: int) -> None:
    url = server.new_database()
    store = PostgresStore(url)
    log = store.log("ana")
    for _ in range(rounds):
        before = texts_of(log)
        writers = [processes.submit(append_until_lost, url, writer) for writer in range(3)]
        target = len(before) + 1 + secrets.randbelow(100)
        wait_until(partial(has_grown, log, target), "the writers write")
        server.kill()
        outcomes = [writer.result() for writer in writers]
        server.start()
        check_outcomes(log, before, outcomes)
    store.close()


def has_grown(log: Log, target: int) -> bool:
    return log.head().position >= target


def check_outcomes(log: Log, before: list[str], outcomes: list[Outcome]) -> None:
    assert log.verify() is None
    texts = texts_of(log)
    assert texts[: len(before)] == before
    attempted = []
    for acknowledged, unknown in outcomes:
        assert [(position, texts[position - 1]) for position, _text in acknowledged] == acknowledged
        attempted += [text for _position, text in acknowledged]
        if unknown:
            log.append([store_turn(unknown, key=unknown)])
            attempted.append(unknown)
    assert sorted(texts_of(log)[len(before) :]) == sorted(attempted)


def test_what_was_acknowledged_survives_the_kill_of_the_server(
    other_server: Server, processes: ProcessPoolExecutor
) -> None:
    kill_while_writing(other_server, processes, rounds=2)


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_hundred_kills_of_the_server(
    other_server: Server, processes: ProcessPoolExecutor
) -> None:
    kill_while_writing(other_server, processes, rounds=100)


# Every write path, failing at its 1st, 2nd, 3rd … step

Mode = Literal["connection lost before", "reply lost", "statement failed"]


class Fault:
    """Breaks the nth exchange with the server, of all the connections it makes."""

    def __init__(self, server: Server, mode: Mode, at: int) -> None:
        self.server = server
        self.mode = mode
        self.at = at
        self.count = 0

    def connect(self, url: str) -> psycopg.Connection[TupleRow]:
        fault = self

        class Breaking(psycopg.Connection[TupleRow]):
            def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
                fault.count += 1
                if fault.count != fault.at:
                    return super().wait(gen, interval, timeout)
                if fault.mode == "statement failed":
                    self.pgconn.exec_(b"SELECT 1/0")  # from here on the server refuses all but ROLLBACK
                    return super().wait(gen, interval, timeout)
                reply = super().wait(gen, interval, timeout) if fault.mode == "reply lost" else None
                fault.server.cut(self)
                if fault.mode == "reply lost":
                    if self.pgconn.pipeline_status:
                        return reply  # psycopg is between two halves of an exchange: the next half fails
                    gen = self._exec_command(b"SELECT 1")
                return super().wait(gen, interval, timeout)

        return Breaking.connect(url, autocommit=True)


def append_batch(store: PostgresStore) -> None:
    store.log("ana").append([store_turn("three", key="k1"), store_turn("two", key="k0"), store_turn("four", key="k2")])


def append_first(store: PostgresStore) -> None:
    store.log("cleo").append([store_turn("I am Cleo", key="c")])


def erase_entries(store: PostgresStore) -> None:
    store.log("ana").erase([2], why="asked")


def erase_user(store: PostgresStore) -> None:
    store.erase("ben")


State = dict[str, tuple[list[Entry | None], dict[str, list[int]]]]


def state_of(url: str) -> State:
    """All that a fresh look finds in the logs and by words, after the chains have been verified."""
    store = PostgresStore(url, create=False)
    logs = {user: store.log(user) for user in ("ana", "ben", "cleo")}
    assert [log.verify() for log in logs.values()] == [None, None, None]
    state = {user: (entries_of(log), slots_with_words(log.index(), "one", "two", "ben")) for user, log in logs.items()}
    store.close()
    return state


def fill(server: Server, store: PostgresStore, url: str) -> None:
    empty(server, url)
    store.log("ana").append([store_turn("one"), store_turn("two", key="k0"), store_fact("Ana said two", 2, "two")])
    store.log("ben").append([store_turn("I am Ben")])
    change_recall_index(
        store.log("ana").index(),
        recall_passage(1, "one"),
        recall_passage(2, "two"),
        recall_passage(3, "two", kind="fact"),
    )
    change_recall_index(store.log("ben").index(), recall_passage(1, "ben"))


@pytest.mark.parametrize("mode", ["connection lost before", "reply lost", "statement failed"])
@pytest.mark.parametrize("write", [append_batch, append_first, erase_entries, erase_user])
def test_a_write_that_fails_at_any_step_is_whole_or_absent_and_can_be_repeated(
    server: Server, url: str, store: PostgresStore, write: Callable[[PostgresStore], None], mode: Mode
) -> None:
    fill(server, store, url)
    before = state_of(url)
    write(store)
    after = state_of(url)
    seen = set()
    for step in count(1):
        fill(server, store, url)
        fault = Fault(server, mode, at=0)
        broken = PostgresStore(url, connect=fault.connect)
        fault.count, fault.at = 0, step
        failure = ""
        try:
            write(broken)
        except StoreError as error:
            failure = str(error)
        broken.close()
        state = state_of(url)
        assert state in (before, after) if failure else state == after
        if failure and state == after:
            assert "may or may not be stored" in failure or "Run the same erase again" in failure
        seen.add((bool(failure), state == after))
        write(store)
        assert state_of(url) == after
        assert server.execute("SELECT * FROM uac.unscrubbed", name_in(url)) == []
        if fault.count < step:
            break
    assert (True, False) in seen
    assert (False, True) in seen
    if mode == "reply lost":
        assert (True, True) in seen


@pytest.mark.parametrize("mode", ["connection lost before", "reply lost", "statement failed"])
def test_a_creation_that_fails_at_any_step_leaves_nothing_or_a_store(server: Server, new_url: str, mode: Mode) -> None:
    for step in count(1):
        fault = Fault(server, mode, at=step)
        try:
            PostgresStore(new_url, connect=fault.connect).close()
        except StoreError:
            tables = server.execute("SELECT count(*) FROM pg_class WHERE relname ~ '^entries_..$'", name_in(new_url))
            assert tables in ([(0,)], [(16,)])
        store = PostgresStore(new_url)
        assert store.log("ana").append([store_turn("hello")]) == (1,)
        store.close()
        server.execute("DROP SCHEMA uac CASCADE", name_in(new_url))
        if fault.count < step:
            break
    assert step > 5


# Erasure, down to the bytes in the server's files


def found_in(folder: Path, words: list[bytes]) -> list[Path]:
    """The files of the server, its WAL and its log among them, that hold one of the words."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            found += [path.relative_to(folder) for word in words if word in content]
    return found


def pieces(text: str) -> list[bytes]:
    """Parts of a long text that are short enough to lie in one piece of a TOAST table."""
    return [text[start : start + 40].encode() for start in range(0, len(text), 3000)]


class Words:
    """Words that are found nowhere else; random letters, so that compressing does not hide them."""

    def __init__(self) -> None:
        self.short = f"žluťoučký {secrets.token_urlsafe(12)}"
        self.long = secrets.token_urlsafe(20_000)
        self.all = [self.short.encode(), *pieces(self.long)]


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


# Clear words for what is wrong

UNREADABLE = [
    "postgresql://ana:s3cret/@host/base",
    "postgresql://ana:s3@cret@host/base",
    "postgresql://ana:s3cret@[host/base",
    "postgresql://ana:s3cret@host:port/base",
    "postgresql://ana:s3%cret@host/base",
    "postgresql://ana:s3cret@host/base?nonsense=1",
    "postgresql://ana:s3cret",
]


@pytest.mark.parametrize("url", UNREADABLE)
def test_a_url_that_cannot_be_read_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(Refused, match=r"cannot be read\. Use postgresql://") as refused:
        PostgresStore(url)
    assert "s3" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("guarded:s3cret@/postgres?host={folder}", "guarded@/postgres?host={folder}"),
        ("guarded@/postgres?host={folder}&password=s3cret", "guarded@/postgres?host={folder}"),
        ("/postgres?user=guarded&host={folder}&password=s3cret", "/postgres?user=guarded&host={folder}"),
    ],
)
def test_a_wrong_password_is_said_but_not_shown(server: Server, query: str, shown: str) -> None:
    with pytest.raises(Unavailable, match='password authentication failed for user "guarded"') as failed:
        PostgresStore("postgresql://" + query.format(folder=server.folder))
    assert str(failed.value).startswith("postgresql://" + shown.format(folder=server.folder) + " cannot be reached")
    assert "s3cret" not in "".join(traceback.format_exception(failed.value))


def test_the_address_has_no_password(server: Server) -> None:
    server.execute("GRANT CREATE ON DATABASE postgres TO guarded")
    store = PostgresStore(f"postgres://guarded:right@/postgres?host={server.folder}&password=right&sslmode=prefer")
    assert store.address == f"postgresql://guarded@/postgres?host={server.folder}"
    store.close()


def test_a_server_that_is_not_there_is_out_of_reach() -> None:
    with pytest.raises(Unavailable, match="Connection refused"):
        open_store("postgresql://ana:s3cret@127.0.0.1:1/base")


def test_a_server_that_does_not_answer_is_given_up_soon() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(Unavailable, match="timeout"):
            PostgresStore(f"postgresql://ana@127.0.0.1:{silent.getsockname()[1]}/base?connect_timeout=2")


def test_a_database_that_does_not_exist_is_no_store(server: Server) -> None:
    with pytest.raises(NoStore, match='database "nowhere" does not exist'):
        PostgresStore(server.url("nowhere"))


def test_an_empty_database_is_no_store_unless_it_may_be_made_one(server: Server, new_url: str) -> None:
    with pytest.raises(NoStore, match="no schema 'uac'"):
        PostgresStore(new_url, create=False)
    server.execute("CREATE SCHEMA uac", name_in(new_url))
    with pytest.raises(NoStore):
        PostgresStore(new_url, create=False)
    PostgresStore(new_url).close()
    PostgresStore(new_url, create=False).close()


def test_tables_of_a_newer_version_are_refused(server: Server, new_url: str) -> None:
    PostgresStore(new_url).close()
    server.execute("UPDATE uac.meta SET version = 99", name_in(new_url))
    with pytest.raises(NewerFormat, match="schema 99"):
        PostgresStore(new_url)


@pytest.mark.parametrize("table", ["things (a int)", "meta (a int)", "meta (application text, version int)"])
def test_a_schema_of_another_program_is_left_alone(server: Server, new_url: str, table: str) -> None:
    server.execute(f"CREATE SCHEMA uac; CREATE TABLE uac.{table}", name_in(new_url))
    with pytest.raises(NotAStore, match="another program"):
        PostgresStore(new_url)
    assert len(server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'uac'", name_in(new_url))) == 1


def test_a_database_with_another_encoding_is_refused(server: Server) -> None:
    server.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(NotAStore, match="encoding LATIN1, not UTF8"):
        PostgresStore(server.url("latin"))


def test_a_read_only_database_can_be_read(server: Server, new_url: str) -> None:
    store = PostgresStore(new_url)
    store.log("ana").append([store_turn("hello")])
    store.close()
    server.execute(f"ALTER DATABASE {name_in(new_url)} SET default_transaction_read_only = on")
    store = PostgresStore(new_url)
    assert entries_of(store.log("ana")) == [store_turn("hello")]
    with pytest.raises(ReadOnly, match="read-only transaction"):
        store.log("ana").append([store_turn("more")])
    assert "note" in [finding.level for finding in store.findings()]
    store.close()


def test_a_role_without_rights_is_told_so(server: Server, new_url: str) -> None:
    with pytest.raises(ReadOnly, match="permission denied for database"):
        PostgresStore(server.url(name_in(new_url), "writer"))


def test_a_role_that_does_not_own_the_tables_writes_but_cannot_destroy(server: Server, new_url: str) -> None:
    PostgresStore(new_url).close()
    database = name_in(new_url)
    server.execute("GRANT USAGE ON SCHEMA uac TO writer", database)
    server.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA uac TO writer", database)
    store = PostgresStore(server.url(database, "writer"))
    log = store.log("ana")
    log.append([store_turn("forget me")])
    assert "problem" in [finding.level for finding in store.findings()]
    with pytest.raises(ReadOnly, match="Erase as the owner of the table"):
        log.erase([1], why="asked")
    assert entries_of(log)[0] is None
    store.close()


def test_a_role_that_may_not_flush_the_wal_erases_and_notes_it(server: Server, new_url: str) -> None:
    server.execute(f"ALTER DATABASE {name_in(new_url)} OWNER TO owner")
    server.execute("CREATE EXTENSION vector", name_in(new_url))
    store = PostgresStore(server.url(name_in(new_url), "owner"))
    store.log("ana").append([store_turn("forget me")])
    assert store.log("ana").erase([1], why="asked") == (1,)
    (note,) = [finding for finding in store.findings() if finding.level != "ok"]
    assert (note.level, note.what) == ("note", "erased words stay in the server's WAL until it is recycled")
    store.close()


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("53100", Full, "no room is left"),
        ("25006", ReadOnly, "can be read but not written"),
        ("42501", ReadOnly, "this role lacks a right"),
        ("40001", Unavailable, "locked by another session"),
        ("55P03", Unavailable, "locked by another session"),
        ("53300", Unavailable, "the connection was lost"),
        ("XX001", NotAStore, "is not whole"),
        ("22012", StoreError, "broken on purpose"),
    ],
)
def test_an_error_of_the_server_has_a_kind(
    server: Server, url: str, store: PostgresStore, code: str, kind: type[StoreError], words: str
) -> None:
    on_insert(server, url, f"RAISE EXCEPTION 'broken on purpose' USING ERRCODE = '{code}', DETAIL = NEW.body")
    with pytest.raises(kind, match=words) as failed:
        store.log("ana").append([store_turn("my secret")])
    server.execute("DROP FUNCTION uac.on_insert CASCADE", name_in(url))
    assert type(failed.value) is kind
    assert "my secret" not in str(failed.value)
    assert store.log("ana").head() == EMPTY


def on_insert(server: Server, url: str, statement: str) -> None:
    server.execute(
        f"CREATE FUNCTION uac.on_insert() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {statement}; RETURN NEW; END$$;"
        " CREATE TRIGGER on_insert BEFORE INSERT ON uac.entries FOR EACH ROW EXECUTE FUNCTION uac.on_insert()",
        name_in(url),
    )


def test_an_append_is_durable_and_locks_whatever_the_defaults_of_the_server(server: Server, new_url: str) -> None:
    PostgresStore(new_url).close()
    database = name_in(new_url)
    server.execute(f"ALTER DATABASE {database} SET synchronous_commit = off")
    server.execute(f"ALTER DATABASE {database} SET default_transaction_isolation = serializable")
    server.execute("CREATE TABLE uac.seen (durable text, isolation text)", database)
    seen = "current_setting('synchronous_commit'), current_setting('transaction_isolation')"
    on_insert(server, new_url, f"INSERT INTO uac.seen VALUES ({seen})")
    store = PostgresStore(new_url)
    store.log("ana").append([store_turn("hello")])
    assert server.execute("SELECT * FROM uac.seen", database) == [("on", "read committed")]
    store.close()


def test_findings_name_the_settings_that_endanger_the_log_or_keep_erased_words(other_server: Server) -> None:
    other_server.stop()
    other_server.start("fsync=off", "wal_recycle=on", "log_statement=all", "archive_mode=on")
    store = PostgresStore(other_server.new_database())
    assert [(finding.level, finding.what) for finding in store.findings() if finding.level != "ok"] == [
        ("problem", "fsync is off: a power cut may destroy the log"),
        ("note", "old WAL files are kept or used again, with erased words in them"),
        ("note", "the WAL is archived or replicated: copies of it keep erased words"),
        ("note", "the server's own log may quote words, and no erasure reaches it"),
    ]
    store.close()
    other_server.stop()
    other_server.start()


def test_a_closed_store_says_so(store: PostgresStore) -> None:
    log = store.log("ana")
    store.close()
    with pytest.raises(Unavailable, match="closed"):
        log.append([store_turn("hello")])


def test_without_psycopg_the_error_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from uac.errors import StoreError\n"
        "from uac.log.stores import open_store\n"
        "try: open_store('postgresql://host/base')\n"
        "except StoreError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'user-as-code[postgres]'" in run.stdout
