"""The SQLite store, broken on purpose: at every statement, by a full disk, by what lies at its path, by threads."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from uac.errors import AlreadyErased, Full, NewerFormat, NoStore, NotAStore, StoreError, Unavailable
from uac.log.stores.sqlite import SqliteStore
from uac.log.stores.sqlite_pool import set_pragmas
from uac.schema.entries import Entry, Receipt
from uac.testing.store import entries_of, store_turn
from uac_bench.faults.statements import FaultMode, StatementFault, open_connection
from uac_bench.faults.write_paths import append_batch, append_first, erase_entries, erase_user, fill_store


def clock() -> datetime:
    return datetime(2026, 3, 2, tzinfo=UTC)


State = dict[str, list[Entry | None]]


def state_of(path: Path) -> State:
    """All that a fresh look finds, after the chains have been verified."""
    store = SqliteStore(path, create=False)
    logs = {user: store.log(user) for user in ("ana", "ben", "cleo")}
    assert [log.verify() for log in logs.values()] == [None, None, None]
    state = {user: entries_of(log) for user, log in logs.items()}
    store.close()
    return state


def first_store(path: Path) -> None:
    with closing(SqliteStore(path, clock=clock)) as store:
        fill_store(store)


@pytest.mark.parametrize("mode", ["before", "after", "inside"])
@pytest.mark.parametrize("write", [append_batch, append_first, erase_entries, erase_user])
def test_a_write_that_fails_anywhere_leaves_the_log_as_before_or_complete_and_can_be_repeated(
    tmp_path: Path, write: Callable[[SqliteStore], None], mode: FaultMode
) -> None:
    origin, path = tmp_path / "origin.db", tmp_path / "memory.db"
    first_store(origin)
    before = state_of(origin)
    shutil.copy(origin, path)
    store = SqliteStore(path, clock=clock)
    write(store)
    store.close()
    complete = state_of(path)

    failures = 0
    while True:
        shutil.copy(origin, path)
        fault = StatementFault(mode)
        store = SqliteStore(path, clock=clock, connect=fault.connect)
        fault.arm(failures + 1)
        try:
            write(store)
        except StoreError:
            failures += 1
        else:
            break
        fault.arm(None)
        assert state_of(path) in (before, complete)
        write(store)
        assert state_of(path) == complete
        assert store.log("ana").append([store_turn("next")]) == (len(complete["ana"]) + 1,)
        store.close()
    fault.arm(None)
    if write is erase_user:
        for entry in (store_turn("I am Ben", key="b"), Receipt(key="b", request="q", first=1, last=1)):
            with pytest.raises(AlreadyErased):
                store.log("ben").append([store_turn("I am Ben"), entry])
    store.close()
    assert state_of(path) == complete
    assert failures > 4
    assert list(contents(tmp_path)) == ["memory.db", "origin.db"]


@pytest.mark.parametrize("mode", ["before", "after", "inside"])
def test_finishing_an_erasure_that_fails_anywhere_raises_nothing_and_is_made_up_for(
    tmp_path: Path, mode: FaultMode
) -> None:
    origin, path = tmp_path / "origin.db", tmp_path / "memory.db"
    first_store(origin)
    store = SqliteStore(origin, clock=clock)
    erase_entries(store)
    store.close()
    before = state_of(origin)
    failures = 0
    while True:
        shutil.copy(origin, path)
        fault = StatementFault(mode)
        store = SqliteStore(path, clock=clock, connect=fault.connect)
        with closing(open_connection(str(path))) as other:
            other.execute("INSERT INTO erased (user, position, commitment) VALUES (0, 7, x'')")
        fault.arm(failures + 1)
        is_done = store.finish_erasures()
        fault.arm(None)
        if is_done:
            break
        failures += 1
        assert store.log("ana").verify() is None
        assert store.finish_erasures()
        assert state_of(path) == before
        assert unfinished_in(path) == []
        store.close()
    assert unfinished_in(path) == []
    store.close()
    assert failures > 4


def unfinished_in(path: Path) -> list[int]:
    with closing(open_connection(str(path))) as connection:
        return [row[0] for row in connection.execute("SELECT position FROM erased WHERE user = 0")]


@pytest.mark.parametrize("mode", ["before", "after", "inside"])
def test_an_append_without_a_key_that_fails_anywhere_is_there_once_or_not_at_all(
    tmp_path: Path, mode: FaultMode
) -> None:
    path = tmp_path / "memory.db"
    first_store(path)
    fault = StatementFault(mode)
    store = SqliteStore(path, clock=clock, connect=fault.connect)
    expected = state_of(path)
    for number in range(1, 200):
        fault.arm(number)
        try:
            store.log("ben").append([store_turn(f"try {number}")])
        except StoreError:
            there = len(state_of(path)["ben"]) > len(expected["ben"])
            expected["ben"] += [store_turn(f"try {number}")] if there else []
            assert state_of(path) == expected
        else:
            break
    fault.arm(None)
    store.log("ben").append([store_turn("last")])
    expected["ben"] += [store_turn(f"try {number}"), store_turn("last")]
    assert state_of(path) == expected
    assert number > 4
    store.close()


@pytest.mark.parametrize("mode", ["before", "after", "inside"])
def test_a_store_whose_creation_fails_anywhere_is_not_there_or_whole(tmp_path: Path, mode: FaultMode) -> None:
    fault = StatementFault(mode)
    failures = 0
    while True:
        path = tmp_path / f"{failures}.db"
        fault.arm(failures + 1)
        try:
            SqliteStore(path, connect=fault.connect).close()
        except StoreError:
            failures += 1
        else:
            break
        if path.exists():
            assert state_of(path) == {"ana": [], "ben": [], "cleo": []}
            path.unlink()
        assert contents(tmp_path) == {}
    first_store(tmp_path / "next.db")
    assert failures > 4


def test_a_full_disk_is_said_to_be_full_and_the_log_is_as_before(tmp_path: Path) -> None:
    room = [20]

    def connect(path: str) -> sqlite3.Connection:
        connection = set_pragmas(open_connection(path))
        connection.execute(f"PRAGMA max_page_count = {room[0]}")
        return connection

    store = SqliteStore(tmp_path / "memory.db", connect=connect)
    log = store.log("ana")
    log.append([store_turn("one")])
    with pytest.raises(Full, match=r"no room is left on the disk\. Nothing was written"):
        log.append([store_turn("two"), store_turn("x" * 100_000)])
    assert entries_of(log) == [store_turn("one")]
    room[0] = 1000
    store._pool.close_idle()
    assert log.append([store_turn("two"), store_turn("x" * 100_000)]) == (2, 3)
    store.close()


def test_a_file_locked_by_another_program_is_unavailable(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db", connect=lambda path: set_pragmas(open_connection(path)))
    other = open_connection(str(store.path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="locked by another process"):
        store.log("ana").append([store_turn("hello")])
    other.close()
    assert store.log("ana").append([store_turn("hello")]) == (1,)
    store.close()


def contents(folder: Path) -> Mapping[str, bytes | None]:
    return {path.name: path.read_bytes() if path.is_file() else None for path in sorted(folder.iterdir())}


def foreign(path: Path) -> None:
    """Another program's file, with words that are still only in its journal because that program was killed."""
    away = path.with_name("away.db")
    connection = sqlite3.connect(away)
    connection.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    for ending in ("", "-wal"):
        shutil.copy(f"{away}{ending}", f"{path}{ending}")
    connection.close()
    away.unlink()


def cut(path: Path, size: int) -> None:
    first_store(path)
    os.truncate(path, size)


def renumber(path: Path) -> None:
    first_store(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


@pytest.mark.parametrize(
    ("put", "error", "message"),
    [
        (Path.mkdir, NotAStore, "is a folder. Use a file."),
        (os.mkfifo, NotAStore, "is a device, a pipe or a socket. Use a file."),
        (Path.touch, NotAStore, "is empty: it may be damaged or another program.s. It was not changed"),
        (lambda path: path.write_text("hello\n" * 100), NotAStore, "is not a whole SQLite file"),
        (foreign, NotAStore, "is a SQLite file of another program, which was not changed. Use another path."),
        (lambda path: cut(path, 50), NotAStore, "is not a whole SQLite file"),
        (lambda path: cut(path, 100), NotAStore, "is damaged or not a SQLite file"),
        (lambda path: cut(path, 4096), NotAStore, "is damaged or not a SQLite file"),
        (lambda path: cut(path, 20_000), NotAStore, "is damaged or not a SQLite file"),
        (renumber, NewerFormat, "has schema 99, and this version reads schemas up to 6. Upgrade the package."),
    ],
)
def test_what_is_not_a_store_is_refused_and_left_as_it_is(
    tmp_path: Path, put: Callable[[Path], object], error: type[StoreError], message: str
) -> None:
    path = tmp_path / "memory.db"
    put(path)
    before = contents(tmp_path)
    for create in (True, False):
        with pytest.raises(error, match=message):
            SqliteStore(path, create=create)
    assert contents(tmp_path) == before


def test_nothing_is_made_where_nothing_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(NoStore, match=r"There is no store at .*memory\.db"):
        SqliteStore(tmp_path / "memory.db", create=False)
    with pytest.raises(NoStore, match=r"the folder .*missing does not exist"):
        SqliteStore(tmp_path / "missing" / "memory.db")
    with pytest.raises(Unavailable, match="File name too long"):
        SqliteStore(tmp_path / ("x" * 300))
    (tmp_path / "link.db").symlink_to("nowhere.db")
    with pytest.raises(Unavailable, match="cannot be read: No such file or directory"):
        SqliteStore(tmp_path / "link.db")
    assert contents(tmp_path) == {"link.db": None}


@pytest.mark.parametrize("replace", [False, True])
def test_a_file_removed_or_replaced_while_open_does_not_swallow_words(tmp_path: Path, replace: bool) -> None:
    path, other = tmp_path / "memory.db", tmp_path / "other.db"
    first_store(path)
    first_store(other)
    state = state_of(other)
    store = SqliteStore(path)
    if replace:
        other.rename(path)
    else:
        path.unlink()
    with pytest.raises(Unavailable, match=r"removed or replaced while it was open\. Open the store again\."):
        store.log("ana").append([store_turn("lost")])
    with pytest.raises(Unavailable, match="removed or replaced"):
        store.log("ana").head()
    store.close()
    if replace:
        assert state_of(path) == state
    assert path.exists() == replace


def test_a_store_opened_by_a_relative_path_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(Path("memory[1].db"))
    monkeypatch.chdir("elsewhere")
    with store._pool.connection():
        store.log("ana").append([store_turn("through a second connection")])
    store.close()
    assert list(contents(tmp_path)) == ["elsewhere", "memory[1].db"]


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    log = store.log("ana")
    log.append([store_turn("hello")])
    store.close()
    store.close()
    uses: list[Callable[[], object]] = [
        log.head,
        log.verify,
        lambda: list(log.read()),
        lambda: log.append([store_turn("late")]),
        lambda: log.erase([1], why="late"),
        store.users,
        store.findings,
        lambda: store.erase("ana"),
    ]
    for use in uses:
        with pytest.raises(Unavailable, match=r"memory\.db: the store is closed"):
            use()
    assert list(contents(tmp_path)) == ["memory.db"]


def test_a_store_closed_by_another_thread_finishes_what_it_is_at_and_leaves_nothing_open(tmp_path: Path) -> None:
    def closing_clock() -> datetime:
        closer = threading.Thread(target=store.close)
        closer.start()
        closer.join()
        return clock()

    path = tmp_path / "memory.db"
    store = SqliteStore(path, clock=closing_clock)
    assert store.log("ana").append([store_turn("hello")]) == (1,)
    assert list(contents(tmp_path)) == ["memory.db"]
    assert state_of(path)["ana"] == [store_turn("hello")]


def test_more_threads_than_anyone_needs_read_and_write_at_once(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    together = threading.Barrier(50)
    seen: list[list[Entry | None]] = []
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(3):
                together.wait()
                store.log(f"user {number}").append([store_turn(f"{number}.{turn}")])
                store.log("all").append([store_turn(f"{number}.{turn}")])
            seen.append(entries_of(store.log(f"user {number}")))
        except BaseException as failure:  # noqa: BLE001 - shown by the assertion below
            failures.append(failure)
            together.abort()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(seen, key=str) == sorted(
        [[store_turn(f"{n}.{turn}") for turn in range(3)] for n in range(50)], key=str
    )
    assert store.log("all").head().position == 150
    assert store.log("all").verify() is None
    store.close()
    assert list(contents(tmp_path)) == ["memory.db"]
