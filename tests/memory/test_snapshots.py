"""Memories are opened from stored snapshots, and nothing depends on whether there is one."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from support.postgres_logs import empty_store
from support.postgres_server import Server
from support.whole_log import MOVES, NOTE, forged, random_log, said, whole_log
from uac import Clocks, Memory
from uac.errors import Damaged, Full, StoreError
from uac.log.log import Log, Stored
from uac.log.snapshots import NO_SNAPSHOT, Snapshot
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.sqlite import SqliteStore
from uac.memory import snapshots
from uac.memory.snapshots import check_snapshot, fold_log, project_from_snapshot
from uac.project import stored_map
from uac.project.fold import fold_entries
from uac.project.history import StoredHistory, sort_history
from uac.project.project import Project
from uac.project.render import render
from uac.project.snapshot import decode_head, decode_project, encode_project
from uac.project.stored_map import StoredMap
from uac.schema.entries import Checkpoint, Retraction
from uac.schema.patches import Define, Put
from uac_bench.faults.statements import FaultMode, StatementFault


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot is stored after every change."""
    monkeypatch.setattr(snapshots, "LEAST_ENTRIES", 1)
    monkeypatch.setattr(snapshots, "LEAST_SHARE", 1_000_000)


def opened(log: Log) -> Memory:
    return Memory(log, packs=(), embedder=None)


def stored_position(log: Log) -> int:
    """The position of the stored snapshot; 0 if there is none."""
    head = decode_head(log.snapshot())
    return head.position if head is not None else 0


def is_opened_from_snapshot(project: Project) -> bool:
    return isinstance(project.sources, StoredMap)


MakeStore = Callable[[], Store]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> MakeStore:
    """Gives the same store again and again, empty at first."""
    match request.param:
        case "memory":
            one = MemoryStore()
            return lambda: one
        case "sqlite":
            return lambda: SqliteStore(tmp_path / "memory.db")
    server: Server = request.getfixturevalue("postgres")
    url = empty_store(server)
    return lambda: PostgresStore(url)


@pytest.fixture
def store(make_store: MakeStore) -> Iterator[Store]:
    with closing(make_store()) as store:
        yield store


def test_a_memory_is_opened_from_the_snapshot_and_the_entries_after_it(store: Store) -> None:
    log = whole_log(store.log("ana"))
    once = fold_entries(log.read())
    first = opened(log).project()
    assert (first, stored_position(log)) == (once, once.position)
    assert is_opened_from_snapshot(first)  # what the fold has made is free again
    log.append([said("something new")])
    assert stored_position(log) == once.position
    second = opened(store.log("ana"))
    assert second.project() == fold_entries(log.read())
    assert render(second.project()) == render(fold_entries(log.read()))
    assert stored_position(log) == once.position + 1


def test_erasing_words_drops_the_snapshot_and_the_next_one_is_without_them(store: Store) -> None:
    log = store.log("ana")
    memory = opened(log)
    memory.checkpoint([Define(type=NOTE)])
    for text in ("sesame seeds", "apple pie"):
        memory.put("home.Note", {"text": text})
    memory.project()
    assert any(b"sesame" in part for part in log.snapshot().parts.values())
    (position,) = (
        stored.position for stored in log.read() if "sesame" in repr(stored.entry) and stored.kind == "observation"
    )
    log.erase([position], why="asked")
    assert log.snapshot() == NO_SNAPSHOT
    assert [record.values for record in memory.project().records("home.Note")] == [{"text": "apple pie"}]
    parts = b"".join(log.snapshot().parts.values())
    assert (b"sesame" in parts, b"apple" in parts) == (False, True)
    assert opened(store.log("ana")).project() == fold_entries(log.read())


def test_a_snapshot_that_was_made_before_an_erasure_is_not_stored_after_it(store: Store) -> None:
    log = whole_log(store.log("ana"))
    project = fold_entries(log.read())
    snapshot = encode_project(project)
    assert log.set_snapshot(snapshot, position=project.position, digest=project.digest)
    log.erase([1], why="asked")
    assert not log.set_snapshot(snapshot, position=project.position, digest=project.digest)
    assert log.snapshot() == NO_SNAPSHOT
    late = fold_entries(log.read())
    assert log.set_snapshot(encode_project(late), position=late.position, digest=late.digest)
    assert project_from_snapshot(log) == late


def test_a_user_who_comes_back_is_not_opened_from_the_snapshot_of_the_former_one(store: Store) -> None:
    log = whole_log(store.log("ana"))
    before = opened(log).project()
    snapshot = log.snapshot()
    store.erase("ana")
    assert store.log("ana").snapshot() == NO_SNAPSHOT
    log = store.log("ana")
    log.append([said(f"turn {number}") for number in range(before.position)])
    assert not log.set_snapshot(snapshot, position=before.position, digest=before.digest)
    assert opened(log).project() == fold_entries(log.read())


def test_a_past_project_starts_from_the_snapshot_if_that_is_not_later(store: Store) -> None:
    log = whole_log(store.log("ana"))
    opened(log).project()
    middle = stored_position(log)
    log.append([said("later"), Retraction(positions=(1,), why="x")])
    for position in (3, 20, middle, middle + 1, middle + 2):
        prefix = log.as_of(position)
        assert fold_log(prefix) == fold_entries(prefix.read())
        assert opened(log).project_as_of(position) == fold_entries(prefix.read())


def test_a_long_log_is_folded_without_its_history_in_memory(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    log = whole_log(store.log("ana"))
    kept = fold_log(log)
    monkeypatch.setattr(snapshots, "LONG_LOG", kept.position)
    reread = fold_log(log)
    assert reread == kept
    assert isinstance(kept.history, tuple)
    assert isinstance(reread.history, StoredHistory)
    assert sort_history(reread.history) == sort_history(kept.history)


def test_a_past_project_is_folded_from_the_nearest_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    log = whole_log(MemoryStore().log("ana"))
    folded: list[int] = []

    def count(entries: Iterable[Stored], onto: Project) -> Project:
        listed = [*entries]
        folded.append(len(listed))
        return fold_entries(listed, onto)

    with closing(Memory(log)) as memory:
        end = memory.project().position
        monkeypatch.setattr(snapshots, "fold_entries", count)
        for position, from_here in ((10, 10), (12, 2), (11, 1), (end - 1, end - 13), (12, None)):
            folded.clear()
            assert memory.project_at(Clocks(known=position)) == fold_entries(log.as_of(position).read())
            assert folded == ([] if from_here is None else [from_here])
        log.append([said("later")])
        assert memory.project().position == end + 1
        folded.clear()
        assert memory.project_at(Clocks(known=12)) == fold_entries(log.as_of(12).read())
        assert folded == [2]  # from the snapshot of the project at 10: the process uses nothing of another log's end


@settings(max_examples=12, deadline=None)
@given(MOVES, MOVES)
def test_random_histories_are_the_same_from_every_snapshot(moves: Any, more: Any) -> None:
    store = MemoryStore()
    log = store.log("ana")
    followed = opened(random_log(moves, log))
    followed.project()
    random_log(more, log)
    once = fold_entries(log.read())
    assert followed.project() == once
    assert opened(log).project() == once


@settings(max_examples=6, deadline=None)
@given(MOVES, MOVES)
def test_random_histories_are_the_same_on_a_file(
    tmp_path_factory: pytest.TempPathFactory, moves: Any, more: Any
) -> None:
    path = tmp_path_factory.mktemp("store") / "memory.db"
    with closing(SqliteStore(path)) as store:
        followed = opened(random_log(moves, store.log("ana")))
        followed.project()
        random_log(more, store.log("ana"))
        assert followed.project() == fold_entries(store.log("ana").read())
    with closing(SqliteStore(path)) as store:
        log = store.log("ana")
        assert opened(log).project() == fold_entries(log.read())
        assert log.verify() is None


@settings(max_examples=4, deadline=None)
@given(moves=MOVES, more=MOVES)
def test_random_histories_are_the_same_on_a_server(postgres: Server, moves: Any, more: Any) -> None:
    with closing(PostgresStore(empty_store(postgres))) as store:
        log = store.log("ana")
        followed = opened(random_log(moves, log))
        followed.project()
        random_log(more, log)
        assert followed.project() == opened(store.log("ana")).project() == fold_entries(log.read())
        assert log.verify() is None


def grow(log: Log, moves: Any) -> None:
    """Make each move, and open the log after it: snapshots are stored at many positions, and share most blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_map, "ROWS", 2)
        for move in moves:
            random_log([move], log)
            assert opened(log).project() == fold_entries(log.read())


def check_every_start(log: Log) -> None:
    """From each snapshot, to each position, the fold is the same as from the start."""
    entries = [*log.read()]
    for position in range(len(entries) + 1):
        assert fold_log(log.as_of(position)) == fold_entries(entries[:position])
    once = fold_entries(entries)
    for position in log.snapshot_positions():
        stored = project_from_snapshot(log.as_of(position))
        assert stored is not None
        assert stored.position == position
        assert fold_entries(entries[position:], stored) == once
    assert check_snapshot(log) in ("right", "none")


@settings(max_examples=25, deadline=None)
@given(MOVES)
def test_random_histories_are_the_same_from_each_of_several_snapshots(moves: Any) -> None:
    log = MemoryStore().log("ana")
    grow(log, moves)
    check_every_start(log)


@settings(max_examples=8, deadline=None)
@given(MOVES)
def test_random_histories_are_the_same_from_each_of_several_snapshots_on_a_file(
    tmp_path_factory: pytest.TempPathFactory, moves: Any
) -> None:
    with closing(SqliteStore(tmp_path_factory.mktemp("store") / "memory.db")) as store:
        grow(store.log("ana"), moves)
        check_every_start(store.log("ana"))


@settings(max_examples=4, deadline=None)
@given(moves=MOVES)
def test_random_histories_are_the_same_from_each_of_several_snapshots_on_a_server(postgres: Server, moves: Any) -> None:
    with closing(PostgresStore(empty_store(postgres))) as store:
        grow(store.log("ana"), moves)
        check_every_start(store.log("ana"))


class CountedReads:
    """The rows of a log, and how many of them were read."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows, name)

    def read(self, start: int, stop: int | None) -> Iterator[Any]:
        for row in self.rows.read(start, stop):
            self.count += 1
            yield row


def test_a_retraction_reads_the_log_from_the_nearest_snapshot_before_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_map, "ROWS", 4)  # snapshots have most blocks in common, as those of a long log
    log = store.log("ana")
    memory = opened(log)
    memory.checkpoint([Define(type=NOTE)])
    for number in range(40):
        memory.put("home.Note", {"text": f"note {number}"})
    positions, end = log.snapshot_positions(), log.head().position
    counted = CountedReads(log._rows)
    near = Log(counted)
    fresh = opened(near)
    fresh.project()
    counted.count = 0
    retracted = positions[-3] + 1
    fresh.retract([retracted], why="a mistake")
    assert counted.count < end - positions[-3] + 20
    assert fresh.project() == opened(store.log("ana")).project() == fold_entries(log.read())
    assert fresh.project().count("home.Note") == 39


def test_after_a_long_retraction_a_snapshot_is_stored_so_that_nobody_folds_it_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = whole_log(store.log("ana"))
    opened(log).project()
    monkeypatch.setattr(snapshots, "LEAST_ENTRIES", 10)
    monkeypatch.setattr(snapshots, "LEAST_SHARE", 1)
    before = stored_position(log)
    opened(log).retract([before - 2], why="a mistake")
    assert stored_position(log) == before
    opened(log).retract([2], why="a mistake")
    assert stored_position(log) == log.head().position
    assert opened(log).project() == fold_entries(log.read())


def test_a_past_project_that_took_long_to_fold_is_stored(store: Store) -> None:
    log = whole_log(store.log("ana"))
    end = opened(log).project().position
    assert log.snapshot_positions() == (end,)
    opened(log).project_at(Clocks(known=end // 2))
    assert log.snapshot_positions() == (end // 2, end)
    opened(log).project_at(Clocks(known=end // 2 + 1))
    assert log.snapshot_positions() == (end // 2, end)  # the nearest one is close
    assert stored_position(log) == end
    log.erase([1], why="asked")
    assert log.snapshot_positions() == ()
    past = opened(log).project_at(Clocks(known=end // 2))
    assert past == fold_entries(log.as_of(end // 2).read())
    assert log.snapshot_positions() == (end // 2, end + 1)
    assert opened(log).project_at(Clocks(known=end // 2)) == past
    assert check_snapshot(log) == "right"


def test_words_that_are_erased_while_a_past_project_is_folded_are_in_no_snapshot(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = whole_log(store.log("ana"))
    end = opened(log).project().position

    def fold_and_erase(entries: Iterable[Stored], onto: Project) -> Project:
        project = fold_entries(entries, onto)
        monkeypatch.undo()
        store.log("ana").erase([1], why="asked")
        return project

    memory = opened(log)
    memory.project()
    monkeypatch.setattr(snapshots, "fold_entries", fold_and_erase)
    memory.project_at(Clocks(known=end // 2))
    assert log.snapshot_positions() == ()


@pytest.mark.parametrize("wrong", ["missing", "rows"])
def test_a_damaged_snapshot_of_an_earlier_time_is_not_used(store: Store, wrong: str) -> None:
    log = whole_log(store.log("ana"))
    end = opened(log).project().position
    middle = end * 3 // 4
    past = fold_entries(log.as_of(middle).read())
    good = encode_project(past)
    assert past.records("home.Thing")
    bad = Snapshot(good.head, {**{name: data for name, data in good.parts.items() if name != max(good.parts)}})
    stored = bad if wrong == "missing" else _with_wrong_rows(past)
    assert log.set_snapshot(stored, position=middle, digest=past.digest, read_until=end)
    memory = opened(log)
    if wrong == "rows":
        assert check_snapshot(MemoryStore().log("ben")) == "none"
        with pytest.raises(Damaged, match="Run the same again"):
            memory.project_at(Clocks(known=middle)).records("home.Thing")
    assert memory.project_at(Clocks(known=middle)).records("home.Thing") == past.records("home.Thing")
    assert check_snapshot(log) in ("right", "none")


def test_the_version_before_reads_and_replaces_what_this_one_has_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes all rows but the empty name for parts, and removes those that it does not store itself."""
    monkeypatch.setattr(stored_map, "ROWS", 4)
    with closing(SqliteStore(tmp_path / "memory.db")) as store:
        log = store.log("ana")
        memory = opened(log)
        memory.checkpoint([Define(type=NOTE)])
        for number in range(30):
            memory.put("home.Note", {"text": f"note {number}"})
        assert len(log.snapshot_positions()) > 2
        project = memory.project()
        snapshot = encode_project(project)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        rows = dict(connection.execute("SELECT name, data FROM snapshots"))
        latest = Snapshot(rows.pop(b""), rows)
        head = decode_head(latest)
        assert head is not None
        history = StoredHistory(head.position, head.digest, lambda _start, _stop: ())
        assert decode_project(head, latest, history) == project
        connection.execute("DELETE FROM snapshots")
        parts = {b"": snapshot.head, **snapshot.parts}
        connection.executemany("INSERT INTO snapshots (user, name, data) VALUES (1, ?, ?)", parts.items())
    with closing(SqliteStore(tmp_path / "memory.db")) as store:
        log = store.log("ana")
        assert (log.snapshot(), log.snapshot_positions()) == (snapshot, ())
        assert fold_log(log.as_of(project.position)) == project
        assert check_snapshot(log) == "right"
        opened(log).put("home.Note", {"text": "one more"})
        assert log.snapshot_positions() == (log.head().position,)
        assert opened(log).project() == fold_entries(log.read())


def test_a_retraction_of_what_a_snapshot_holds_is_folded_from_the_log(store: Store) -> None:
    log = store.log("ana")
    opened(log).checkpoint([Define(type=NOTE)])
    opened(log).put("home.Note", {"text": "one"})
    memory = opened(log)
    assert is_opened_from_snapshot(memory.project())
    memory.retract([log.head().position - 1], why="a mistake")
    assert memory.project() == fold_entries(log.read())
    assert memory.project().count("home.Note") == 0


# When one is stored


def test_a_snapshot_is_stored_after_enough_entries_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "LEAST_ENTRIES", 10)
    monkeypatch.setattr(snapshots, "LEAST_SHARE", 4)
    log = MemoryStore().log("ana")
    memory = opened(log)
    found: list[int] = []
    for number in range(100):
        memory.add(f"turn {number}")
        memory.project()
        if not found or found[-1] != stored_position(log):
            found.append(stored_position(log))
    assert found == [0, 10, 20, 30, 40, 53, 70, 93]


def test_writing_stores_a_snapshot_too() -> None:
    log = MemoryStore().log("ana")
    memory = opened(log)
    memory.checkpoint([Define(type=NOTE)])
    memory.put("home.Note", {"text": "one"})
    assert stored_position(log) == log.head().position
    assert project_from_snapshot(log) == memory.project()


# A store that cannot, and snapshots that are wrong


def test_a_snapshot_that_cannot_be_stored_harms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    log = MemoryStore().log("ana")
    calls: list[int] = []

    def fail(_snapshot: Snapshot, *, position: int, digest: bytes) -> bool:
        calls.append(position)
        raise Full("no room is left")

    monkeypatch.setattr(log, "set_snapshot", fail)
    memory = opened(log)
    memory.checkpoint([Define(type=NOTE)])
    memory.put("home.Note", {"text": "one"})
    assert len(calls) == 2
    assert memory.project() == fold_entries(log.read())
    assert log.verify() is None


def test_values_that_no_snapshot_can_hold_harm_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_project: Project) -> Snapshot:
        raise OverflowError

    monkeypatch.setattr(snapshots, "encode_project", fail)
    log = whole_log(MemoryStore().log("ana"))
    assert opened(log).project() == fold_entries(log.read())


@pytest.mark.parametrize("mode", ["before", "after", "inside"])
def test_storing_a_snapshot_that_fails_anywhere_leaves_the_log_right(tmp_path: Path, mode: FaultMode) -> None:
    fault = StatementFault(mode)
    path = tmp_path / "memory.db"
    step = 1
    while True:
        with closing(SqliteStore(path, connect=fault.connect)) as store:
            log = store.log(f"user {step}")
            log.append([Checkpoint(patches=(Define(type=NOTE),)), said("one"), said("two")])
            entries = list(log.read())
            log.append([Checkpoint(patches=(Put(type="home.Note", fields={"text": "x"}, cites=(2,)),))])
            project = fold_entries(log.read())
            early = fold_entries(entries)
            assert log.set_snapshot(encode_project(early), position=early.position, digest=early.digest)
            fault.arm(step)
            with suppress(StoreError):
                log.set_snapshot(encode_project(project), position=project.position, digest=project.digest)
            is_over = fault.count < step
            fault.arm(None)
            assert stored_position(log) in (early.position, project.position)
            assert opened(log).project() == project
            assert log.verify() is None
        if is_over:
            break
        step += 1 if mode != "inside" else 7
    assert step > 5


def test_a_process_that_dies_between_an_append_and_its_snapshot_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(SqliteStore(path)) as store:
        memory = opened(store.log("ana"))
        memory.checkpoint([Define(type=NOTE)])
        memory.put("home.Note", {"text": "one"})
        position = stored_position(memory.log)
        record = Put(type="home.Note", fields={"text": "two"}, cites=(position - 1,))
        memory.log.append([said("two"), Checkpoint(patches=(record,))])  # what a write appends, and no more
    with closing(SqliteStore(path)) as store:
        log = store.log("ana")
        assert stored_position(log) == position
        assert opened(log).project() == fold_entries(log.read())
        assert opened(log).project().count("home.Note") == 2


@pytest.mark.parametrize("wrong", ["head", "part", "missing"])
def test_a_damaged_snapshot_is_replaced(store: Store, wrong: str) -> None:
    log = whole_log(store.log("ana"))
    project = opened(log).project()
    snapshot = log.snapshot()
    name = max(snapshot.parts)
    bad = {
        "head": Snapshot(snapshot.head[:-1], snapshot.parts),
        "part": Snapshot(snapshot.head, {**snapshot.parts, name: b"?"}),
        "missing": Snapshot(snapshot.head, {key: data for key, data in snapshot.parts.items() if key != name}),
    }[wrong]
    log.set_snapshot(NO_SNAPSHOT, position=project.position, digest=project.digest)
    assert log.set_snapshot(bad, position=project.position, digest=project.digest)
    assert project_from_snapshot(log) is None
    assert opened(log).project() == project
    assert project_from_snapshot(log) == project


def test_a_row_that_cannot_be_read_fails_one_call_and_is_read_from_the_log_after_it(store: Store) -> None:
    log = whole_log(store.log("ana"))
    project = opened(log).project()
    assert log.set_snapshot(_with_wrong_rows(project), position=project.position, digest=project.digest)
    memory = opened(log)
    with pytest.raises(Damaged, match="Run the same again"):
        memory.project().records("home.Thing")
    assert memory.project().records("home.Thing") == fold_entries(log.read()).records("home.Thing")
    assert log.snapshot().parts == {} or project_from_snapshot(log) == project


def _with_wrong_rows(project: Project) -> Snapshot:
    """A snapshot with right digests and rows of nothing: damage that no digest shows."""
    return forged(project, "home.Thing", lambda keys, starts, rows: (keys, starts, bytes(len(rows))))


def test_a_snapshot_is_checked_against_the_log_and_dropped_if_it_is_wrong() -> None:
    log = MemoryStore().log("ana")
    assert check_snapshot(log) == "none"
    whole_log(log)
    assert check_snapshot(log) == "none"
    project = opened(log).project()
    assert check_snapshot(log) == "right"
    at: dict[str, Any] = {"position": project.position, "digest": project.digest}
    lied = replace(fold_entries(log.read()), waiting=project.waiting.update({1: None}))
    for wrong in (encode_project(lied), _with_wrong_rows(project)):
        assert log.set_snapshot(wrong, **at)
        assert check_snapshot(log) == "wrong"
        assert check_snapshot(log) == "none"
    assert log.set_snapshot(Snapshot(b"?"), **at)
    assert check_snapshot(log) == "unusable"


class PlainRows:
    """The rows of a store that keeps no snapshots."""

    def __init__(self, log: Log) -> None:
        rows = log._rows
        self.head, self.read, self.read_at, self.writing = rows.head, rows.read, rows.read_at, rows.writing
        self.is_remembered, self.scrub, self.index = rows.is_remembered, rows.scrub, rows.index


def test_a_store_without_snapshots_works_as_before() -> None:
    log = Log(PlainRows(MemoryStore().log("ana")))
    memory = opened(whole_log(log))
    assert memory.project() == fold_entries(log.read())
    assert log.snapshot() == NO_SNAPSHOT
    memory.add("more")
    assert not is_opened_from_snapshot(memory.project())


def test_opening_a_project_with_many_new_constraints_stores_a_snapshot(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = whole_log(store.log("ana"))
    monkeypatch.setattr(snapshots, "LEAST_ENTRIES", 1000)
    monkeypatch.setattr(snapshots, "LEAST_ADOPTED", 4)
    opened(log).project()
    assert stored_position(log) == 0
    monkeypatch.setattr(snapshots, "LEAST_ADOPTED", 3)
    assert is_opened_from_snapshot(opened(log).project())
    assert stored_position(log) == log.head().position
    stored = stored_position(log)
    log.append([said("one more")])
    opened(log).project()
    assert stored_position(log) == stored


def test_the_projects_of_two_users_share_what_packs_gave_them_whether_folded_or_from_a_snapshot() -> None:
    store = MemoryStore()
    logs = [store.log(user) for user in ("ana", "ben")]
    for log in logs:
        Memory(log, embedder=None).put("finance.Transaction", {"payee": "Baker", "amount": "3 EUR", "on": "2026-05-01"})
    ana, ben = (fold_entries(log.read()) for log in logs)
    for log in logs:
        assert Memory(log, embedder=None).project().position == stored_position(log)
    stored = [project for log in logs if (project := project_from_snapshot(log)) is not None]
    assert ana.constraints
    assert len(stored) == len(logs)
    for project in (ben, *stored):
        assert project.constraints.keys() == ana.constraints.keys()
        assert all(each.constraint is ana.constraints[name].constraint for name, each in project.constraints.items())
        assert all(type_ is ana.types[name] for name, type_ in project.types.items())
