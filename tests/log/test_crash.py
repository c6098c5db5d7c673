"""Processes that share one SQLite file: killed, refused by the system, forked, racing. What was acknowledged stays."""

import os
import random
import resource
import secrets
import shutil
import signal
import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from support.child_process import Child, Say
from uac.errors import UacError
from uac.log.stores.sqlite import SqliteStore
from uac.log.stores.sqlite_pool import set_pragmas
from uac.schema.entries import Entry, Observation
from uac.testing.store import entries_of, store_turn

# Python warns of forks beside threads; here some are made on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def connect(pages: int, path: str) -> sqlite3.Connection:
    """A connection that moves its journal into the file after so many pages."""
    connection = sqlite3.connect(path, timeout=300, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")
    return set_pragmas(connection)


class Turn(NamedTuple):
    """What a writer appends in one call."""

    user: str
    entries: tuple[Observation, ...]


def turn_of(seed: int, writer: int, number: int) -> Turn:
    chance = random.Random(f"{seed} {writer} {number}")
    size = chance.choice([1, 1, 2, 5])
    keyed = chance.random() < 0.5
    texts = [f"{writer}.{number}.{index} " + "x" * chance.choice([0, 50, 900, 9000]) for index in range(size)]
    entries = tuple(store_turn(text, key=text[:20] if keyed else "") for text in texts)
    return Turn(chance.choice(["ana", "ben"]), entries)


def kill_writers(path: Path, seed: int, *, rounds: int) -> int:
    """Kill three writers in each round, one after the other; check all they wrote; return the number of turns."""
    chance = random.Random(seed)
    acknowledged: dict[tuple[str, int], Entry] = {}
    reached = [0, 0, 0]

    def write(writer: int, say: Say) -> None:
        store = SqliteStore(path, connect=partial(connect, [2, 50, 1000][writer]))
        number = reached[writer]
        while True:
            user, entries = turn_of(seed, writer, number)
            positions = store.log(user).append(entries)
            say(" ".join(map(str, [number, *positions])))
            number += 1

    def hear(writer: int, line: str) -> None:
        number, *positions = map(int, line.split())
        assert number == reached[writer]
        reached[writer] += 1
        user, entries = turn_of(seed, writer, number)
        acknowledged.update(((user, position), entry) for position, entry in zip(positions, entries, strict=True))

    for _ in range(rounds):
        writers = [Child(partial(write, writer)) for writer in range(3)]
        for victim in chance.sample(range(3), 3):
            # Those who are left must come on after each kill: no lock outlives its owner.
            for _ in range(chance.randrange(6)):
                hear(victim, writers[victim].line())
            for _ in range(chance.randrange(30_000)):
                pass
            writers[victim].kill()
            for line in writers[victim].rest():
                hear(victim, line)
        check_all(path, seed, acknowledged, reached)
    return sum(reached)


def check_all(path: Path, seed: int, acknowledged: dict[tuple[str, int], Entry], reached: list[int]) -> None:
    if not path.exists():
        assert acknowledged == {}
        return
    store = SqliteStore(path, create=False)
    stored: dict[tuple[str, int], Entry | None] = {}
    for user in ("ana", "ben"):
        log = store.log(user)
        assert log.verify() is None
        stored.update(((user, item.position), item.entry) for item in log.read())
        assert (user, log.head().position + 1) not in stored
    assert {place: stored[place] for place in acknowledged} == acknowledged

    # Beyond that there is only what was never answered: whole turns, and with a key never twice.
    times = Counter((user, entry) for (user, _), entry in stored.items())
    turns = [turn_of(seed, writer, n) for writer, end in enumerate(reached) for n in range(end + 1)]
    for user, entries in turns:
        assert len({times[user, entry] for entry in entries}) == 1
        assert times[user, entries[0]] <= 1 or not entries[0].key
    assert set(times) <= {(user, entry) for user, entries in turns for entry in entries}
    store.close()


def test_every_acknowledged_entry_survives_the_kill_of_its_writers(tmp_path: Path) -> None:
    seed = secrets.randbits(32)
    print("seed", seed)
    assert kill_writers(tmp_path / "memory.db", seed, rounds=5) > 0


@pytest.mark.slow
def test_every_acknowledged_entry_survives_hundreds_of_kills(tmp_path: Path) -> None:
    for file in range(10):
        seed = secrets.randbits(32)
        print("seed", seed)
        assert kill_writers(tmp_path / f"{file}.db", seed, rounds=20) > 100


@pytest.mark.parametrize("pages", [2, 1000])
def test_when_the_system_refuses_a_write_all_that_was_acknowledged_is_there(tmp_path: Path, pages: int) -> None:
    path = tmp_path / "memory.db"
    texts = [f"{number} " * 1000 for number in range(60)]

    def write(size: int, say: Say) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        try:
            log = SqliteStore(path, connect=partial(connect, pages)).log("ana")
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
