"""Backups and moves: restored logs are the same to the byte, whatever was written, erased or broken meanwhile."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.postgres_logs import empty_store
from support.postgres_server import Server
from support.whole_log import MOVES, random_log
from uac.errors import AlreadyErased, Refused, StoreError, Unavailable
from uac.log import backups
from uac.log.backups import LogCopy, check_backup, move_user, restore_backup, write_backup
from uac.log.log import EMPTY, Log, Row
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.sqlite import SqliteStore
from uac.project.fold import fold_entries
from uac.project.render import render
from uac.testing.store import store_pack, store_turn
from uac_bench.faults.statements import FaultMode, StatementFault

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def rows_of(store: Store) -> dict[str, list[Row]]:
    """Every row of every log of a store, after the chains have been verified."""
    logs = {user.name: store.log(user.name) for user in store.users()}
    logs[""] = store.own()
    assert {name: log.verify() for name, log in logs.items()} == dict.fromkeys(logs)
    return {name: list(log.read_rows()) for name, log in logs.items()}


def project_of(log: Log) -> object:
    return render(fold_entries(log.read()))


def fill(store: Store) -> None:
    """Three users, of whom one has erased words and one was erased, and a store with a key."""
    store.own().append([store_turn("a key was made")])
    ana = store.log("ana")
    ana.append([store_turn("I am Ana", key="a1"), store_turn("it is a secret", key="a2"), store_pack(1)])
    ana.erase([2], why="asked")
    ana.append([store_turn("and so on", key="a3")])
    store.log("ben").append([store_turn(f"turn {n}") for n in range(20)] + [store_pack(2)])
    store.log("cleo").append([store_turn("I was here", key="c1")])
    store.erase("cleo")


@pytest.fixture
def source(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "source.db")) as store:
        fill(store)
        yield store


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store: Store
    match request.param:
        case "memory":
            store = MemoryStore()
        case "sqlite":
            store = SqliteStore(tmp_path / "target.db")
        case _:
            store = PostgresStore(empty_store(request.getfixturevalue("server")))
    with closing(store):
        yield store


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(histories=st.lists(MOVES, min_size=1, max_size=3), passphrase=st.sampled_from(["", "", "pass"]))
def test_a_restored_store_has_the_same_rows_and_the_same_projects(
    tmp_path: Path,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    histories: list[list[tuple[str, str, int]]],
    passphrase: str,
) -> None:
    monkeypatch.setattr("uac.log.backup_cipher.COST", 4)
    source = MemoryStore()
    for number, moves in enumerate(histories):
        random_log(moves, source.log(f"user {number}"))
    path = tmp_path / "backup"
    write_backup(source, path, created=NOON, passphrase=passphrase, replace=True)
    (tmp_path / "target.db").unlink(missing_ok=True)
    for store in (MemoryStore(), SqliteStore(tmp_path / "target.db"), PostgresStore(empty_store(server))):
        with closing(store):
            restore_backup(store, path, passphrase=passphrase)
            assert rows_of(store) == rows_of(source)
            for user in source.users():
                assert project_of(store.log(user.name)) == project_of(source.log(user.name))


def test_keys_of_the_service_and_of_erased_requests_are_restored(
    tmp_path: Path, source: SqliteStore, target: Store
) -> None:
    done = write_backup(source, tmp_path / "backup", created=NOON)
    assert [(log.user, log.head.position) for log in done.logs] == [("", 1), ("ana", 5), ("ben", 21)]
    restore_backup(target, tmp_path / "backup")
    assert rows_of(target) == rows_of(source)
    assert target.log("ana").append([store_turn("I am Ana", key="a1"), store_turn("erased", key="a2")]) == (1, 2)
    with pytest.raises(AlreadyErased):
        target.log("cleo").append([store_turn("I was here", key="c1")])


def test_restoring_again_changes_nothing_and_a_later_backup_adds_the_rest(
    tmp_path: Path, source: SqliteStore, target: Store
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_backup(source, first, created=NOON)
    restore_backup(target, first)
    before = rows_of(target)
    again = restore_backup(target, first)
    assert {log.user: log.state for log in again.logs} == {"": "unchanged", "ana": "unchanged", "ben": "unchanged"}
    assert rows_of(target) == before
    source.log("ana").erase([1], why="asked later")
    source.log("ben").append([store_turn("more")])
    write_backup(source, second, created=NOON)
    assert {log.user: log.state for log in restore_backup(target, second).logs} == {
        "": "unchanged",
        "ana": "continued",
        "ben": "continued",
    }
    assert rows_of(target) == rows_of(source)
    restore_backup(target, first)
    assert rows_of(target) == rows_of(source), "words that were erased since do not come back"


def test_nothing_is_written_if_one_user_has_another_log(tmp_path: Path, source: SqliteStore, target: Store) -> None:
    write_backup(source, tmp_path / "backup", created=NOON)
    target.log("ben").append([store_turn("another Ben")])
    with pytest.raises(Refused, match=r"other logs than the backup: 'ben'\. Nothing was written"):
        restore_backup(target, tmp_path / "backup")
    assert [user.name for user in target.users()] == ["ben"]
    restore_backup(target, tmp_path / "backup", users=["ana"])
    assert rows_of(target)["ana"] == rows_of(source)["ana"]
    assert target.own().head() == EMPTY


def test_a_backup_of_some_users_has_only_those(tmp_path: Path, source: SqliteStore) -> None:
    path = tmp_path / "backup"
    write_backup(source, path, created=NOON, users=["ben"])
    assert check_backup(path).logs == (LogCopy("ben", source.log("ben").head()),)
    with pytest.raises(Refused, match="user 'ana' is not in"):
        restore_backup(MemoryStore(), path, users=["ana"])
    with pytest.raises(Refused, match="user 'dora' has no log"):
        write_backup(source, tmp_path / "other", created=NOON, users=["dora"])
    with pytest.raises(Refused, match="exists"):
        write_backup(source, path, created=NOON)
    assert [*tmp_path.glob("*.part")] == []


def test_a_broken_log_is_named_and_left_out(tmp_path: Path, source: SqliteStore) -> None:
    with source._pool.connection() as connection:
        connection.execute("UPDATE entries SET body = replace(body, 'turn 3', 'turn 4')")
    done = write_backup(source, tmp_path / "backup", created=NOON)
    assert done.damaged == (("ben", "entry 4 does not match its digest: it was altered or moved"),)
    assert [log.user for log in check_backup(tmp_path / "backup").logs] == ["", "ana"]


def test_a_backup_under_load_misses_nothing_that_was_stored_before_and_every_prefix_verifies(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "source.db")) as source, closing(SqliteStore(tmp_path / "target.db")) as target:
        names = [f"user {number}" for number in range(8)]
        for name in names:
            source.log(name).append([store_turn(f"{name} turn {n}") for n in range(300)])
        stop, is_writing = threading.Event(), threading.Event()

        def write() -> None:
            turn = 0
            while not stop.is_set():
                for name in names:
                    source.log(name).append([store_turn(f"later {turn}")])
                turn += 1
                if turn % 5 == 0:
                    source.log(names[turn % 8]).erase([turn], why="asked")
                is_writing.set()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            is_writing.wait(60)
            before = {name: source.log(name).head() for name in names}
            write_backup(source, tmp_path / "backup", created=NOON)
        finally:
            stop.set()
            writer.join(60)
        restore_backup(target, tmp_path / "backup")
        for name in names:
            log = target.log(name)
            assert log.verify() is None
            assert log.contains(before[name].position, before[name].digest)
            assert source.log(name).contains(log.head().position, log.head().digest)


def test_a_log_that_an_erasure_changes_halfway_is_read_again_without_the_words(tmp_path: Path) -> None:
    source = MemoryStore()
    log = source.log("ana")
    log.append([store_turn(f"turn {n}") for n in range(50)] + [store_turn("the secret is 4711", key="k")])
    reads: list[int] = []

    def erase_once(_name: str, _entries: int) -> None:
        reads.append(1)
        if len(reads) == 30:
            log.erase([1, 51], why="asked")

    write_backup(source, tmp_path / "backup", created=NOON, progress=erase_once)
    assert len(reads) > 51, "it was read again"
    target = MemoryStore()
    restore_backup(target, tmp_path / "backup")
    assert rows_of(target) == rows_of(source)
    assert [stored.position for stored in target.log("ana").read() if stored.entry is None] == [1, 51]


def test_a_user_who_is_erased_while_a_backup_reads_them_is_not_in_it(tmp_path: Path) -> None:
    source = MemoryStore()
    source.log("ana").append([store_turn(f"turn {n}") for n in range(50)])
    source.log("ben").append([store_turn("hello")])

    def erase(name: str, _entries: int) -> None:
        if name == "ana":
            source.erase("ana")

    write_backup(source, tmp_path / "backup", created=NOON, progress=erase)
    assert [log.user for log in check_backup(tmp_path / "backup").logs] == ["ben"]


@pytest.mark.parametrize("mode", ["before", "after", "inside"])
def test_a_restore_that_fails_anywhere_leaves_each_log_absent_or_whole_and_can_be_repeated(
    tmp_path: Path, mode: FaultMode
) -> None:
    origin = MemoryStore()
    for user in ("ana", "ben"):
        log = origin.log(user)
        log.append([store_turn(f"turn {n}", key=f"k{n}") for n in range(30)] + [store_pack(1)])
        log.erase([3], why="asked")
    write_backup(origin, tmp_path / "backup", created=NOON)
    whole = rows_of(origin)
    failures = 0
    while True:
        path = tmp_path / f"target {failures}.db"
        SqliteStore(path).close()
        fault = StatementFault(mode)
        with closing(SqliteStore(path, connect=fault.connect)) as broken:
            fault.arm(1 + failures * (40 if mode == "inside" else 1))
            try:
                restore_backup(broken, tmp_path / "backup")
            except StoreError:
                failures += 1
            else:
                break
            finally:
                fault.arm(None)
        with closing(SqliteStore(path)) as store:
            found = rows_of(store)
            assert all(rows == whole[user] for user, rows in found.items())
            restore_backup(store, tmp_path / "backup")
            assert rows_of(store) == whole
    assert failures > 5


def test_a_moved_user_keeps_digests_and_keys_and_leaves_nothing_but_keys(source: SqliteStore, target: Store) -> None:
    before = rows_of(source)["ana"]
    head = move_user(source, target, "ana")
    assert (head.position, head.digest) == (before[-1].position, before[-1].digest)
    assert list(target.log("ana").read_rows()) == before
    assert target.log("ana").append([store_turn("and so on", key="a3"), store_turn("erased", key="a2")]) == (5, 2)
    assert [user.name for user in source.users()] == ["ben"]
    with pytest.raises(AlreadyErased):
        source.log("ana").append([store_turn("and so on", key="a3")])
    with pytest.raises(AlreadyErased):
        target.log("cleo").append([store_turn("I was here", key="c1")])


def test_a_move_there_and_back_gives_the_same_log(source: SqliteStore, target: Store) -> None:
    before = rows_of(source)
    move_user(source, target, "ana")
    move_user(target, source, "ana")
    assert rows_of(source) == before
    assert target.users() == ()


def test_entries_that_are_written_during_a_move_are_moved(target: Store) -> None:
    source = MemoryStore()
    log = source.log("ana")
    log.append([store_turn(f"turn {n}") for n in range(20)])
    steps: list[int] = []

    def write(_name: str, _entries: int) -> None:
        steps.append(1)
        if len(steps) == 10:
            log.append([store_turn("a late word")])
        if len(steps) == 30:
            log.erase([2], why="asked")

    assert move_user(source, target, "ana", progress=write).position == 22
    assert target.log("ana").verify() is None
    assert [stored.position for stored in target.log("ana").read() if stored.entry is None] == [2]
    assert source.users() == ()


def test_a_copy_that_is_kept_can_be_moved_later(source: SqliteStore, target: Store) -> None:
    move_user(source, target, "ben", keep=True)
    assert rows_of(target)["ben"] == rows_of(source)["ben"]
    source.log("ben").append([store_turn("more")])
    assert move_user(source, target, "ben").position == 22
    assert target.log("ben").verify() is None


def test_a_move_to_the_same_store_is_refused_under_any_name(
    tmp_path: Path, source: SqliteStore, server: Server
) -> None:
    (tmp_path / "link.db").symlink_to(source.path)
    with closing(SqliteStore(tmp_path / "link.db")) as link, pytest.raises(Refused, match="is the same store"):
        move_user(source, link, "ana")
    url = empty_store(server)
    with closing(PostgresStore(url)) as one, closing(PostgresStore(f"{url}&application_name=x")) as other:
        one.log("ana").append([store_turn("hello")])
        with pytest.raises((Refused, Unavailable), match="store"):
            move_user(one, other, "ana")
        assert one.log("ana").head().position == 1


def test_a_log_that_is_written_all_the_time_is_copied_but_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "ATTEMPTS", 3)
    source, target = MemoryStore(), MemoryStore()
    log = source.log("ana")
    log.append([store_turn("one")])

    def write(_name: str, _entries: int) -> None:
        log.append([store_turn("more")])

    with pytest.raises(Unavailable, match="written all the time"):
        move_user(source, target, "ana", progress=write)
    assert source.log("ana").contains(target.log("ana").head().position, target.log("ana").head().digest)


def test_a_restore_that_is_killed_leaves_each_log_absent_or_whole_and_can_be_repeated(tmp_path: Path) -> None:
    source = MemoryStore()
    for user in ("ana", "ben", "cleo"):
        source.log(user).append([store_turn(f"{user} {n}") for n in range(1200)])
    write_backup(source, tmp_path / "backup", created=NOON)
    whole = rows_of(source)
    for rows in (3700, 4300, 5500):  # all 3,600 were checked before
        path = tmp_path / f"{rows}.db"
        code = (
            "import os, sys\nfrom pathlib import Path\n"
            "from uac.log.backups import restore_backup\nfrom uac.log.stores.sqlite import SqliteStore\n"
            "left = [int(sys.argv[3])]\n"
            "def count(_name, entries):\n    left[0] -= entries\n    if not left[0]: os.kill(os.getpid(), 9)\n"
            "restore_backup(SqliteStore(Path(sys.argv[1])), Path(sys.argv[2]), progress=count)"
        )
        arguments = [sys.executable, "-c", code, str(path), str(tmp_path / "backup"), str(rows)]
        assert subprocess.run(arguments, timeout=120, check=False).returncode == -signal.SIGKILL
        with closing(SqliteStore(path)) as store:
            found = rows_of(store)
            assert sorted(found) == ["", "ana", "ben", "cleo"][: 1 + (rows - 3601) // 1200]
            assert all(rows == whole[user] for user, rows in found.items())
            restore_backup(store, tmp_path / "backup")
            assert rows_of(store) == whole
