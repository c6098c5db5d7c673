"""After an erasure the files hold none of the erased words: neither the table nor the journal nor free pages."""

import sqlite3
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uac.errors import Unavailable
from uac.log.snapshots import Snapshot
from uac.log.stores.sqlite import SqliteStore
from uac.log.stores.sqlite_pool import set_pragmas
from uac.schema.entries import (
    AlertChange,
    Checkpoint,
    Citation,
    Correction,
    Entry,
    Fact,
    ModelCall,
    Observation,
    Retraction,
)
from uac.schema.patches import Put, SetAside
from uac.testing.store import NOON, entries_of, keep_snapshot, store_turn

NUMBERS = count(10_000_000)


def word() -> str:
    """A word that occurs nowhere else."""
    return f"<word {next(NUMBERS)}>"


def fill(words: str, size: int) -> str:
    """The word again and again, so that every page that holds a part of the text holds the word."""
    return words * max(1, size // len(words))


def words_in(path: Path, words: list[str]) -> list[str]:
    """Which of the words stand in the bytes of the file and its journals."""
    files = [Path(f"{path}{ending}") for ending in ("", "-wal", "-shm", "-journal")]
    content = b"\0".join(file.read_bytes() for file in files if file.exists())
    return [word for word in words if word.encode() in content]


def connect(path: str) -> sqlite3.Connection:
    """As the store's own, but it does not wait for others."""
    return set_pragmas(sqlite3.connect(path, timeout=0.01, isolation_level=None, check_same_thread=False))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "memory.db", connect=connect)
    yield store
    store.close()


def move_journal_into_file(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    connection.close()


SIZES = [20, 1000, 10_000, 300_000]


@pytest.mark.parametrize("moved", [False, True], ids=["in the journal", "in the file"])
@pytest.mark.parametrize("beside", SIZES)
@pytest.mark.parametrize("size", SIZES)
def test_words_of_every_length_are_gone_and_their_neighbours_stay(
    store: SqliteStore, size: int, beside: int, moved: bool
) -> None:
    words = [word() for _ in range(7)]
    log = store.log("ana")
    for number, own in enumerate(words):
        log.append([store_turn(fill(own, size if number in (0, 3, 4, 6) else beside))])
    if moved:
        move_journal_into_file(store.path)
    assert words_in(store.path, words) == words
    assert log.erase([1, 4, 5, 7], why="asked") == (1, 4, 5, 7)
    assert words_in(store.path, words) == [words[1], words[2], words[5]]
    assert log.verify() is None


def test_words_of_one_user_among_many_are_gone(store: SqliteStore) -> None:
    words = {(user, turn): word() for turn in range(12) for user in range(20)}
    for (user, turn), own in words.items():
        store.log(f"user {user}").append([store_turn(fill(own, 40 * (turn % 5) ** 4))])
    store.log("user 7").erase(range(3, 9), why="asked")
    store.log("user 8").erase([1], why="asked")
    gone = [words[7, turn] for turn in range(2, 8)] + [words[8, 0]]
    assert words_in(store.path, list(words.values())) == [own for own in words.values() if own not in gone]


def test_words_in_snapshots_are_gone_also_in_those_that_were_replaced(store: SqliteStore) -> None:
    words = [word() for _ in range(4)]
    for user in ("ben", "ana", "cleo"):
        store.log(user).append([store_turn("hello")])
    for number, own in enumerate(words):
        log = store.log("ana")
        log.append([store_turn(own)])
        parts = {bytes([name]) * 32: fill(f"{own} {name} ", 30_000).encode() for name in range(number, number + 3)}
        keep_snapshot(log, Snapshot(b"head", parts))
        keep_snapshot(store.log("ben"), Snapshot(b"head", {bytes([number]) * 32: b"x" * 5000}))
    move_journal_into_file(store.path)
    assert words_in(store.path, words) == words
    assert store.log("ana").snapshot_positions() == (2, 3, 4, 5)
    store.log("ana").erase([2, 3, 4], why="asked")
    assert store.log("ana").snapshot_positions() == ()
    assert words_in(store.path, words) == [words[3]]
    keep_snapshot(store.log("ana"), Snapshot(b"head", {b"y" * 32: fill(words[3], 50_000).encode()}))
    store.erase("ana")
    assert words_in(store.path, words) == []
    assert store.log("ben").snapshot().parts == {bytes([3]) * 32: b"x" * 5000}


def test_one_erasure_after_another_leaves_nothing_of_the_earlier(store: SqliteStore) -> None:
    words = [word() for _ in range(60)]
    log = store.log("ana")
    log.append([store_turn(fill(own, 37 * number)) for number, own in enumerate(words)])
    left = list(words)
    for position in (60, 1, 30, 31, 29, 2, 59):
        assert words_in(store.path, left) == left
        log.erase([position], why="asked")
        left.remove(words[position - 1])
        assert words_in(store.path, words) == left


def test_a_person_may_rewrite_the_file_between_erasures(store: SqliteStore) -> None:
    words = [word() for _ in range(40)]
    log = store.log("ana")
    log.append([store_turn(fill(own, 300)) for own in words])
    log.erase(range(5, 15), why="asked")
    person = sqlite3.connect(store.path)
    person.execute("VACUUM")
    person.close()
    assert words_in(store.path, words) == words[:4] + words[14:]
    log.erase(range(10, 20), why="asked")
    assert words_in(store.path, words) == words[:4] + words[19:]


def test_words_are_gone_wherever_an_entry_repeats_them(store: SqliteStore) -> None:
    secret, key, told, kept = word(), word(), [word() for _ in range(8)], word()
    entries: list[Entry] = [
        Observation(text=secret, said=NOON, key=key, speaker=told[0], session=told[0], source=told[0]),
        Observation(text=kept, said=NOON),
        Fact(text=told[1], about="ana", authority="user", cites=(Citation(position=1, quote=secret),)),
        Checkpoint(
            patches=(Put(cites=(3,), type="health.Allergy", fields={"to": told[2]}), SetAside(cites=(2,), why=kept))
        ),
        AlertChange(change="raised", constraint="c", subject=told[3], message=told[3], cites=(3,)),
        Correction(record=told[4], field="f", value=told[4], why=told[4], cites=(1,)),
        ModelCall(model="m", prompt_hash="p", request_hash="r", reply=told[5], read=(1,)),
        Retraction(positions=(3,), why=told[6]),
        Fact(text=told[7], about=told[7], authority="user", cites=(Citation(position=6, quote=told[4]),)),
    ]
    log = store.log("ana")
    log.append(entries)
    words = [secret, key, *told, kept]
    assert words_in(store.path, words) == words
    assert log.erase([1], why="asked") == (1, 3, 4, 5, 6, 7, 8, 9)
    assert words_in(store.path, words) == [kept]
    assert log.verify() is None
    head = log.head()
    assert log.erase([1], why="asked") == ()
    assert log.head() == head


def lengths_in(store: SqliteStore) -> list[int]:
    with store._pool.connection() as connection:
        rows = connection.execute("SELECT length(body) FROM entries WHERE user = 1 ORDER BY position").fetchall()
    return [row[0] for row in rows]


def test_what_is_left_of_erased_rows_and_of_the_file_does_not_tell_how_long_the_words_were(tmp_path: Path) -> None:
    left: set[tuple[int, ...]] = set()
    for size in SIZES:
        path = tmp_path / f"{size}.db"
        store = SqliteStore(path, connect=connect)
        log = store.log("ana")
        secret = fill(word(), size)
        entries: list[Entry] = [
            Observation(text=secret, said=NOON, session=secret),
            Fact(text=secret, about="ana", authority="user", cites=(Citation(position=1, quote=secret),)),
            Checkpoint(patches=(Put(cites=(2,), type="health.Allergy", fields={"to": secret}),)),
            ModelCall(model="m", prompt_hash="p", request_hash="r", reply=secret, read=(1,)),
            Retraction(positions=(2,), why=secret),
            Observation(text="It stays.", said=NOON),
        ]
        log.append(entries)
        log.erase([1], why="asked")
        assert log.verify() is None
        lengths = lengths_in(store)
        assert lengths[:2] == [0, 0]
        store.close()
        left.add((*lengths, path.stat().st_size))
    assert len(left) == 1


def test_the_spaces_that_an_older_version_left_are_taken_out_by_the_next_erasure(store: SqliteStore) -> None:
    log = store.log("ana")
    log.append([store_turn("short"), store_turn("a longer one"), store_turn("keep me")])
    log.erase([1], why="asked")
    with store._pool.connection() as connection:
        connection.execute("UPDATE entries SET body = '                ' WHERE position = 1")
    assert log.verify() is None
    log.erase([2], why="asked")
    assert lengths_in(store)[:2] == [0, 0]
    assert log.verify() is None
    assert entries_of(log)[:3] == [None, None, store_turn("keep me")]


@pytest.mark.parametrize("size", [20, 300_000])
def test_a_reader_in_the_way_is_named_and_erasing_again_finishes(store: SqliteStore, size: int) -> None:
    words = [word(), word()]
    log = store.log("ana")
    log.append([store_turn(fill(own, size)) for own in words])
    reader = connect(str(store.path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entries").fetchone()
    with pytest.raises(Unavailable, match=r"another process is reading the journal .* Run the same erase again"):
        log.erase([1], why="asked")
    assert entries_of(log)[:2] == [None, store_turn(fill(words[1], size))]
    reader.execute("COMMIT")
    assert log.erase([1], why="asked") == ()
    assert words_in(store.path, words) == words[1:]
    reader.close()


def test_a_reader_that_rests_is_not_in_the_way(store: SqliteStore) -> None:
    words = [word(), word()]
    log = store.log("ana")
    log.append([store_turn(own) for own in words])
    reader = connect(str(store.path))
    assert reader.execute("SELECT count(*) FROM entries").fetchone() == (2,)
    log.erase([1], why="asked")
    assert words_in(store.path, words) == words[1:]
    reader.close()


@pytest.mark.parametrize("size", SIZES)
def test_an_erased_user_leaves_neither_words_nor_id(store: SqliteStore, size: int) -> None:
    words = {f"{word()} {turn}": word() for turn in range(30)}
    for turn in range(3):
        for user, own in words.items():
            store.log(user).append([store_turn(f"{turn} {fill(own, size // 3)}", key=f"{turn} {own}")])
    user, *others = words
    store.log(user).erase([2], why="asked")
    every = [*words, *words.values()]
    assert words_in(store.path, every) == every
    store.erase(user)
    assert words_in(store.path, every) == [*others, *(words[other] for other in others)]
    assert [store.log(other).verify() for other in others] == [None] * 29


def test_erasing_a_user_again_finishes_when_a_reader_has_gone(store: SqliteStore) -> None:
    words = [word(), word()]
    store.log("ana").append([store_turn(words[0])])
    store.log("ben").append([store_turn(words[1])])
    reader = connect(str(store.path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entries").fetchone()
    with pytest.raises(Unavailable, match="Run the same erase again"):
        store.erase("ana")
    reader.close()
    store.erase("ana")
    assert words_in(store.path, words) == words[1:]


@pytest.mark.parametrize("statement", ["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"])
def test_what_an_interrupted_erasure_left_is_gone_after_the_next(tmp_path: Path, statement: str) -> None:
    class Failing(sqlite3.Connection):
        def execute(self, sql: str, *parameters: object) -> sqlite3.Cursor:
            if sql == statement and failing:
                raise sqlite3.OperationalError("broken on purpose")
            return super().execute(sql, *parameters)  # type: ignore[arg-type] # passed on as it came

    def connect_failing(path: str) -> sqlite3.Connection:
        return set_pragmas(sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=Failing))

    failing = False
    store = SqliteStore(tmp_path / "memory.db", connect=connect_failing)
    words = {(user, turn): word() for turn in range(40) for user in ("ana", "ben", "cleo")}
    for (user, turn), own in words.items():
        store.log(user).append([store_turn(fill(own, 20 + 100 * (turn % 9)))])
    failing = True
    with pytest.raises(Unavailable, match=r"copies may be left .*\(broken on purpose\)\. Run the same erase again"):
        store.erase("ana")
    failing = False
    # Deleting Ana's rows has moved Ben's; copies of them must not outlive their own erasure.
    store.log("ben").erase(range(1, 41), why="asked")
    assert words_in(store.path, list(words.values())) == [own for (user, _), own in words.items() if user == "cleo"]
    store.close()


USERS = st.sampled_from(["ana", "ben", "cleo"])
LENGTHS = st.lists(st.sampled_from([1, 20, 333, 1500, 4000, 9001, 50_000]), max_size=9)
NOTHING: st.SearchStrategy[list[int]] = st.just([])
STEPS = st.one_of(
    st.tuples(st.just("append"), USERS, LENGTHS),
    st.tuples(st.just("erase"), USERS, st.lists(st.integers(0, 30), min_size=1, max_size=6)),
    st.tuples(st.sampled_from(["erase user", "checkpoint", "reopen"]), USERS, NOTHING),
)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=25))
def test_in_any_order_of_writing_and_erasing_exactly_the_kept_words_are_there(
    steps: list[tuple[str, str, list[int]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        store = SqliteStore(path)
        kept: dict[str, dict[int, str]] = {"ana": {}, "ben": {}, "cleo": {}}
        gone: list[str] = []
        for step, user, numbers in steps:
            log, own = store.log(user), kept[user]
            if step == "append":
                for size in numbers:
                    text = word()
                    (position,) = log.append([store_turn(fill(text, size), key=text if size % 2 else "")])
                    own[position] = text
            elif step == "erase" and own:
                chosen = {list(own)[number % len(own)] for number in numbers}
                assert log.erase(chosen, why="asked") == tuple(sorted(chosen))
                gone += [own.pop(position) for position in chosen]
            elif step == "erase user":
                store.erase(user)
                gone += own.values()
                own.clear()
            elif step == "checkpoint":
                move_journal_into_file(path)
            elif step == "reopen":
                store.close()
                store = SqliteStore(path)
            there = [one for words in kept.values() for one in words.values()]
            assert words_in(path, [*there, *gone]) == there
        assert [store.log(user).verify() for user in kept] == [None, None, None]
        store.close()
