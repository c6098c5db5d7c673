"""A project that is opened from its snapshot is the project that is folded from the log."""

from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.whole_log import MOVES, forged, random_log, reopened, stored_entries, whole_log
from uac.errors import Damaged, Moved
from uac.log.log import Log, Stored
from uac.log.snapshots import NO_SNAPSHOT, Snapshot
from uac.log.stores.in_memory import MemoryStore
from uac.project import snapshot as snapshots
from uac.project import stored_map
from uac.project.columns import record_columns
from uac.project.effects import effects_since
from uac.project.fold import fold_entries, fold_whole_log
from uac.project.history import StoredHistory, sort_history
from uac.project.progress import Progress
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.render import render
from uac.project.snapshot import decode_head, decode_project, encode_project, is_damaged
from uac.project.snapshot_rows import _pack, _unpack, _unpack_extension
from uac.project.stored_map import StoredMap
from uac.project.told_fold import fold_told
from uac.schema.entries import Retraction
from uac.schema.values import Money, Typed

NOT_STORED = {"history", "checked_cases"}


def in_detail(value: Any) -> Any:
    """The value with the type of each part: 1 equals 1.0 and True, and times are equal whatever their offset."""
    if is_dataclass(value):
        return [
            (each.name, in_detail(getattr(value, each.name))) for each in fields(value) if each.name not in NOT_STORED
        ]
    if isinstance(value, msgspec.Struct):
        return [(name, in_detail(getattr(value, name))) for name in value.__struct_fields__]
    if isinstance(value, dict):
        return [(in_detail(key), in_detail(each)) for key, each in value.items()]
    if hasattr(value, "mutate"):
        return sorted((repr(in_detail(key)), in_detail(each)) for key, each in value.items())
    if hasattr(value, "items"):
        return [(in_detail(key), in_detail(each)) for key, each in value.items()]
    if isinstance(value, tuple | list):
        return [in_detail(each) for each in value]
    return type(value).__name__, repr(value) if not isinstance(value, frozenset) else sorted(value)


def test_no_part_of_a_project_is_lost() -> None:
    """A new field needs a place in the snapshot, and an entry in `whole_log` that gives it something to hold."""
    log = whole_log(MemoryStore().log("ana"))
    project = fold_entries(log.read())
    for whole, empty in ((project, EMPTY_PROJECT), (project.progress, Progress())):
        names = {each.name for each in fields(whole)}
        assert names == {name for name in names if getattr(whole, name) != getattr(empty, name)}
    again = reopened(project, stored_entries(log))
    assert in_detail(again) == in_detail(project)
    assert sort_history(again.history) == sort_history(project.history)
    assert render(again) == render(project)


def test_a_snapshot_of_the_same_project_has_the_same_bytes() -> None:
    log = whole_log(MemoryStore(clock=lambda: datetime(2026, 1, 2, tzinfo=UTC)).log("ana"))
    project = fold_entries(log.read())
    assert encode_project(project) == encode_project(fold_entries(log.read()))
    again = reopened(project, stored_entries(log))
    assert encode_project(again) == encode_project(project)


def test_another_result_of_the_fold_is_another_form() -> None:
    """If this fails, the fold or the bytes have changed: raise SNAPSHOT_FORM, and then the digest here."""
    log = whole_log(MemoryStore(clock=lambda: datetime(2026, 1, 2, tzinfo=UTC)).log("ana"))
    project = fold_entries([msgspec.structs.replace(stored, digest=b"") for stored in log.read()])
    snapshot = encode_project(project)
    digest = sha256(b"".join((snapshot.head, *snapshot.parts.values()))).hexdigest()[:16]
    assert (snapshots.SNAPSHOT_FORM, digest) == (4, GOLDEN)


GOLDEN = "2e98cfad33dbbfa3"


RETRACTED_AFTER_ERASURE = [*[("put", "lamp", 0)] * 5, ("erase", "lamp", 10), ("retract", "lamp", 29)]


@settings(max_examples=20, deadline=None)
@given(MOVES, st.integers(1, 4))
@example(RETRACTED_AFTER_ERASURE, 1)
def test_folding_from_a_snapshot_equals_folding_from_the_start_at_every_cut(moves: Any, rows: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_map, "ROWS", rows)
        entries = stored_entries(random_log(moves))
        once = fold_entries(entries)
        rendered = render(once)
        for cut in range(len(entries) + 1):
            early = fold_entries(entries[:cut])
            twice = fold_entries(entries[cut:], reopened(early, entries))
            assert in_detail(twice) == in_detail(once)
            assert render(twice) == rendered
            assert sort_history(twice.history) == sort_history(once.history)


@settings(max_examples=30, deadline=None)
@given(MOVES)
@example(RETRACTED_AFTER_ERASURE)
def test_a_log_folded_without_its_history_in_memory_gives_the_same_project_and_history(moves: Any) -> None:
    log = random_log(moves)
    kept, reread = fold_entries(log.read()), fold_whole_log(log)
    assert in_detail(reread) == in_detail(kept)
    assert isinstance(reread.history, StoredHistory)
    assert sort_history(reread.history) == sort_history(kept.history)
    retraction = Stored(
        kept.position + 1, datetime(2027, 1, 1, tzinfo=UTC), "retraction", Retraction(positions=(2,), why="asked"), b""
    )
    assert in_detail(fold_entries([retraction], reread)) == in_detail(fold_entries([retraction], kept))


@settings(max_examples=30, deadline=None)
@given(MOVES, st.integers(1, 4), st.integers(0, 30))
def test_columns_of_a_snapshot_with_some_entries_are_those_of_its_records(moves: Any, rows: int, cut: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_map, "ROWS", rows)
        entries = stored_entries(random_log([("put", "lamp", 3), *moves]))
        project = fold_entries(entries[cut:], reopened(fold_entries(entries[:cut]), entries))
        for name, table in project.tables.items():
            fields_ = [*(part.name for part in project.types[name].fields), "unknown"]
            records = project.complete_records(name)
            for columns, has_ended in zip(record_columns(table, fields_), (False, True), strict=True):
                chosen = [record for record in records if (record.ended is not None) == has_ended]
                assert [*columns.ids] == [record.id for record in chosen]
                assert {name: [*items] for name, items in columns.values.items()} == {
                    name: [record.values.get(name) for record in chosen] for name in fields_
                }


@settings(max_examples=40, deadline=None)
@given(MOVES, st.integers(1, 4), st.integers(1, 9))
def test_a_snapshot_of_a_snapshot_with_some_entries_equals_one_of_the_whole(moves: Any, rows: int, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_map, "ROWS", rows)
        entries = stored_entries(random_log(moves))
        project = EMPTY_PROJECT
        for first in range(0, len(entries), step):
            project = reopened(fold_entries(entries[first : first + step], project), entries)
        assert in_detail(project) == in_detail(fold_entries(entries))


@settings(max_examples=30, deadline=None)
@given(MOVES, st.integers(0, 60))
def test_what_is_asked_of_the_past_is_the_same_from_a_snapshot(moves: Any, number: int) -> None:
    entries = stored_entries(random_log(moves))
    once = fold_entries(entries)
    again = reopened(once, entries)
    day = date(2026, 1, 1) + timedelta(days=number)
    assert in_detail(again.at(valid=day)) == in_detail(once.at(valid=day))
    assert in_detail(again.with_own_ends(day)) == in_detail(once.with_own_ends(day))
    assert in_detail(fold_told(again, day)) == in_detail(fold_told(once, day))


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
        st.decimals(allow_nan=False, allow_infinity=False),
        st.builds(Money, st.decimals(allow_nan=False, allow_infinity=False), st.sampled_from(["EUR", "USD"])),
        st.dates(),
        st.times().map(lambda moment: moment.replace(fold=0)),
        st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-3, minutes=30))])).map(
            lambda moment: moment.replace(fold=0)
        ),
        st.timedeltas(),
    ),
    lambda items: st.lists(items, max_size=3).map(tuple),
    max_leaves=6,
)


@given(VALUES)
def test_a_value_keeps_its_type_and_all_its_digits(value: Typed) -> None:
    data = msgspec.msgpack.encode(_pack(value))
    again = _unpack(msgspec.msgpack.decode(data, ext_hook=_unpack_extension))
    assert (in_detail(again), again) == (in_detail(value), value)


def test_a_project_of_another_snapshot_may_have_changed_in_any_way() -> None:
    log = whole_log(MemoryStore().log("ana"))
    project = fold_entries(log.read())
    again = reopened(project, stored_entries(log))
    assert effects_since(again, again) is not None
    assert effects_since(project, again) is None
    assert effects_since(again, project) is None


def test_the_history_of_a_log_that_is_another_one_now_is_refused() -> None:
    log = whole_log(MemoryStore().log("ana"))
    entries = stored_entries(log)
    again = reopened(fold_entries(entries), entries)
    assert isinstance(again.history, StoredHistory)
    other = StoredHistory(again.history.position, b"other", lambda _start, _stop: entries)
    retraction = Stored(again.position + 1, entries[-1].at, "retraction", Retraction(positions=(1,), why="x"), b"")
    for history in (
        other,
        StoredHistory(again.history.position, again.history.digest, lambda _start, _stop: entries[:3]),
    ):
        with pytest.raises(Moved):
            fold_entries([retraction], with_history(again, history))
    assert fold_entries([retraction], again) == fold_entries([*entries, retraction])


def with_history(project: Project, history: StoredHistory) -> Project:
    return Project(**{each.name: getattr(project, each.name) for each in fields(project)} | {"history": history})


# What is not as it was written


def damaged_snapshots(snapshot: Snapshot) -> list[Snapshot]:
    """One with a byte changed, cut or missing in each of its parts and in its head."""
    found = [
        NO_SNAPSHOT,
        Snapshot(snapshot.head),
        Snapshot(b"", snapshot.parts),
        Snapshot(snapshot.head[:-1], snapshot.parts),
    ]
    for place in range(0, len(snapshot.head), 7):
        wrong = bytearray(snapshot.head)
        wrong[place] ^= 1
        found.append(Snapshot(bytes(wrong), snapshot.parts))
    for name, data in snapshot.parts.items():
        wrong = bytearray(data)
        wrong[len(wrong) // 2] ^= 64
        found += [
            Snapshot(snapshot.head, {**snapshot.parts, name: other})
            for other in (bytes(wrong), data[:-1], data + b"\0")
        ]
        found.append(Snapshot(snapshot.head, {key: each for key, each in snapshot.parts.items() if key != name}))
    return found


def test_a_damaged_snapshot_is_never_opened() -> None:
    log = whole_log(MemoryStore().log("ana"))
    project = fold_entries(log.read())
    for snapshot in damaged_snapshots(encode_project(project)):
        head = decode_head(snapshot)
        if head is not None:
            with pytest.raises(Damaged):
                decode_project(head, snapshot, StoredHistory(0, b"", lambda _start, _stop: []))


def test_a_snapshot_of_another_form_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = encode_project(fold_entries(whole_log(MemoryStore().log("ana")).read()))
    assert decode_head(snapshot) is not None
    monkeypatch.setattr(snapshots, "SNAPSHOT_FORM", snapshots.SNAPSHOT_FORM + 1)
    assert decode_head(snapshot) is None


FORGERIES: dict[str, Any] = {
    "no rows": lambda keys, starts, rows: (keys, starts, bytes(len(rows))),
    "cut rows": lambda keys, starts, rows: (keys, starts, rows[: len(rows) // 2]),
    "other keys": lambda keys, starts, rows: (b"\xc1", starts, rows),
    "other starts": lambda keys, starts, rows: (keys, starts[::-1], rows),
    "an unknown kind": lambda keys, starts, rows: (keys, starts, rows.replace(b"\x02", b"\x63")),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_row_is_reported_and_marks_the_project(forgery: str) -> None:
    log = whole_log(MemoryStore().log("ana"))
    project = fold_entries(log.read())
    again = reopened(project, stored_entries(log), forged(project, "home.Thing", FORGERIES[forgery]))
    assert isinstance(again.tables["home.Thing"], StoredMap)
    assert not is_damaged(again)
    with pytest.raises(Damaged, match="snapshot of the project is damaged"):
        list(again.records("home.Thing"))
    assert is_damaged(again)


@pytest.mark.parametrize("forgery", sorted(FORGERIES.keys() - {"other starts"}))  # columns do not need the starts
def test_a_forged_row_is_reported_when_columns_are_read(forgery: str) -> None:
    log = whole_log(MemoryStore().log("ana"))
    project = fold_entries(log.read())
    again = reopened(project, stored_entries(log), forged(project, "home.Thing", FORGERIES[forgery]))
    with pytest.raises(Damaged, match="snapshot of the project is damaged"):
        record_columns(again.tables["home.Thing"], [part.name for part in again.types["home.Thing"].fields])
    assert is_damaged(again)


def test_a_folded_project_is_not_damaged() -> None:
    log: Log = whole_log(MemoryStore().log("ana"))
    assert not is_damaged(fold_entries(log.read()))


def test_every_kind_of_value_is_in_the_whole_log() -> None:
    project = fold_entries(whole_log(MemoryStore().log("ana")).read())
    kinds = {type(value) for value in project.record("home.Thing:lamp").values.values()}
    assert kinds >= {str, Money, Decimal, int, float, bool, date, datetime, time, timedelta, tuple}
