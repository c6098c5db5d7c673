"""Processes that share one SQLite file: killed, refused by the system, forked, racing. What was acknowledged stays."""

import os
import resource
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from uac.errors import UacError
from uac.log.stores.sqlite import SqliteStore
from uac.testing.store import entries_of, store_turn
from uac_bench.faults.child_process import Child, Say
from uac_bench.faults.killed_writers import connect_with_pages, kill_writers, open_sqlite_writer

# Python warns of forks beside threads; here some are made on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def kills_on(path: Path, seed: int, *, rounds: int) -> int:
    """The number of appends that killed writers had acknowledged; nothing is wrong with what they left."""
    done = list(
        kill_writers(partial(open_sqlite_writer, path), lambda: SqliteStore(path, create=False), seed, rounds=rounds)
    )
    assert [problem for each in done for problem in each.problems] == []
    assert sum(each.kills for each in done) == 3 * rounds
    return sum(each.acknowledged for each in done)


def test_every_acknowledged_entry_survives_the_kill_of_its_writers(tmp_path: Path) -> None:
    seed = secrets.randbits(32)
    print("seed", seed)
    assert kills_on(tmp_path / "memory.db", seed, rounds=5) > 0


@pytest.mark.slow
def test_every_acknowledged_entry_survives_hundreds_of_kills(tmp_path: Path) -> None:
    for file in range(10):
        seed = secrets.randbits(32)
        print("seed", seed)
        assert kills_on(tmp_path / f"{file}.db", seed, rounds=20) > 100


@pytest.mark.parametrize("pages", [2, 1000])
def test_when_the_system_refuses_a_write_all_that_was_acknowledged_is_there(tmp_path: Path, pages: int) -> None:
    path = tmp_path / "memory.db"
    texts = [f"{number} " * 1000 for number in range(60)]

    def write(size: int, say: Say) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        try:
            log = SqliteStore(path, connect=partial(connect_with_pages, pages)).log("ana")
            for text in texts:
                say(str(*log.append([store_turn(text)])))
        except UacError as error:
            say(f"{type(error).__name__}: {error}")

    counts = set()
    for size in [*range(0, 40_000, 2900), *range(40_000, 150_000, 6007)]:
        *acknowledged, last = Child(partial(write, size)).rest()
        assert last == f"StoreError: {path}: disk I/O error"
        assert acknowledged == [str(position) for position in range(1, len(acknowledged) + 1)]
        counts.add(len(acknowledged))
        if path.exists():
            store = SqliteStore(path)
            log = store.log("ana")
            stored = entries_of(log)
            assert len(stored) - len(acknowledged) in (0, 1)
            assert stored == [store_turn(text) for text in texts[: len(stored)]]
            assert log.append([store_turn("next")]) == (len(stored) + 1,)
            assert log.verify() is None
            store.close()
            path.unlink()
        assert names(tmp_path) == []
    assert len(counts) > 6


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def as_nobody(work: Callable[[Say], None]) -> list[str]:
    """Run the work in a child whom permissions bind: they do not bind root."""

    def bound(say: Say) -> None:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        try:
            work(say)
        except UacError as error:
            say(f"{type(error).__name__}: {error}")

    return Child(bound).rest()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users may enter, unlike tmp_path."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_file_that_may_only_be_read_is_read_only(folder: Path) -> None:
    path = folder / "memory.db"
    store = SqliteStore(path)
    store.log("ana").append([store_turn("hello")])
    store.close()
    path.chmod(0o444)
    folder.chmod(0o777)

    def work(say: Say) -> None:
        log = SqliteStore(path).log("ana")
        say(str(log.head().position))
        log.append([store_turn("again")])

    assert as_nobody(work) == [
        "1",
        f"ReadOnly: {path} can be read but not written. Check the permissions of the file and its folder.",
    ]


@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "message"),
    [
        (0o555, 0o444, "ReadOnly: {} can be read but not written. Check the permissions of the file and its folder."),
        (0o555, 0o000, "Unavailable: {} cannot be read: Permission denied. Check that it exists and its permissions."),
        (0o444, 0o444, "Unavailable: {} cannot be reached: Permission denied. Check the path and its permissions."),
        (
            0o555,
            None,
            "ReadOnly: cannot make a store at {}: Permission denied. Check the folder, its permissions and free space.",
        ),
    ],
)
def test_a_folder_that_forbids_writing_or_reading_is_named(
    folder: Path, folder_mode: int, file_mode: int | None, message: str
) -> None:
    path = folder / "memory.db"
    if file_mode is not None:
        SqliteStore(path).close()
        path.chmod(file_mode)
    before = names(folder)
    folder.chmod(folder_mode)
    assert as_nobody(lambda say: SqliteStore(path).close()) == [message.format(path)]
    folder.chmod(0o755)
    assert names(folder) == before


def test_a_store_is_not_made_on_a_file_system_that_may_only_be_read(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" || exit 77; exec "$@"'
    make = f"from uac import open_store; open_store({str(path)!r}, create=True)"
    command = ["unshare", "--mount", "sh", "-c", mount, str(tmp_path), sys.executable, "-c", make]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("this system has no unshare")
    if done.returncode == 77 or done.stderr.startswith("unshare:"):
        pytest.skip("file systems cannot be mounted here")
    assert done.stderr.splitlines()[-1] == (
        f"uac.errors.ReadOnly: cannot make a store at {path}: Read-only file system."
        " Check the folder, its permissions and free space."
    )


def test_processes_that_make_the_same_store_at_once_share_one(tmp_path: Path) -> None:
    for number in range(8):
        path = tmp_path / f"{number}.db"
        gate, opener = os.pipe()

        def work(say: Say, path: Path = path, gate: int = gate, opener: int = opener) -> None:
            os.close(opener)
            os.read(gate, 1)  # returns when the last holder of the other end has closed it
            store = SqliteStore(path)
            say(str(*store.log("ana").append([store_turn("hello")])))
            store.close()

        children = [Child(work) for _ in range(5)]
        os.close(opener)
        assert sorted(line for child in children for line in child.rest()) == ["1", "2", "3", "4", "5"]
        os.close(gate)
    assert names(tmp_path) == [f"{number}.db" for number in range(8)]


def test_a_forked_child_may_use_the_store_it_inherited_even_after_the_parent_closed_it(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    log = store.log("ana")
    log.append([store_turn("one")])
    gate, opener = os.pipe()

    def work(say: Say) -> None:
        os.close(opener)
        say(str(*log.append([store_turn("two")])))
        os.read(gate, 1)
        say(str(*log.append([store_turn("four")])))

    child = Child(work)
    assert child.line() == "2"
    assert log.append([store_turn("three")]) == (3,)
    store.close()
    os.close(opener)
    assert child.rest() == ["4"]
    os.close(gate)
    store = SqliteStore(tmp_path / "memory.db")
    assert entries_of(store.log("ana")) == [
        store_turn("one"),
        store_turn("two"),
        store_turn("three"),
        store_turn("four"),
    ]
    assert store.log("ana").verify() is None
    store.close()


def test_a_fork_in_the_middle_of_another_threads_append_harms_neither_process(tmp_path: Path) -> None:
    inside, forking = threading.Event(), threading.Event()
    os.register_at_fork(before=forking.set)

    def clock() -> datetime:
        inside.set()
        forking.wait()
        return datetime(2026, 3, 2, tzinfo=UTC)

    store = SqliteStore(tmp_path / "memory.db", clock=clock)
    log = store.log("ana")
    thread = threading.Thread(target=log.append, args=([store_turn("parent")],))
    thread.start()
    inside.wait()
    child = Child(lambda say: say(str(*log.append([store_turn("child")]))))
    thread.join()
    assert child.rest() == ["2"]
    assert entries_of(log) == [store_turn("parent"), store_turn("child")]
    store.close()
