"""Conformance tests for a store: subclass `StoreContract` and give it a `store` fixture.

class TestMine(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        store = MyStore(tmp_path)
        yield store
        store.close()
"""

import itertools
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uac.errors import AlreadyErased, KeyReused, Moved, Refused
from uac.log.log import EMPTY, Log
from uac.log.snapshots import MAX_SNAPSHOTS, NO_SNAPSHOT, Snapshot
from uac.log.store import OWN, ErasedKeys, Store
from uac.schema.constraints import Case, Constraint, Knowledge
from uac.schema.entries import (
    AlertChange,
    Checkpoint,
    Citation,
    Entry,
    Erasure,
    Fact,
    ModelCall,
    Observation,
    Receipt,
    Tick,
)
from uac.schema.patches import Adopt, Define, Gone, Learn, SetAside
from uac.schema.periods import Period
from uac.schema.types import Field, Type

__all__ = ["StoreContract"]

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))

USER_IDS = [
    "ana",
    "Ana",
    "a/b",
    "../../etc/passwd",
    "o'brien",
    'say "hi"',
    "'; DROP TABLE entries;--",
    "משתמש",
    "用户",
    "a%b_c",
    "x" * 255,
]

TEXTS = [
    "a\0b",
    "\u202eright to left",
    "e\u0301 is not é",
    "line\u2028separator",
    "\U0010ffff\ufffe",
    '{"kind":"fact"}',
    " kept exactly \r\n",
]


def store_turn(text: str, *, key: str = "") -> Observation:
    return Observation(text=text, said=NOON, key=key)


def store_fact(text: str, position: int, quote: str) -> Fact:
    return Fact(text=text, about="ana", authority="user", cites=(Citation(position=position, quote=quote),))


def store_pack(*cites: int) -> Checkpoint:
    """A checkpoint with what a pack brings, which is the same for all users, and one user's own patch."""
    table = {f"row {number}": f"« {number} » a value, kept as it is" for number in range(40)}
    cases = (Case(name="ü", now="2026-03-01", fires=True, says=("x" * 300,)), Case(name="no", now="2026", fires=False))
    return Checkpoint(
        patches=(
            Learn(
                knowledge=Knowledge.of(table, name="food.pairs", version="1", date="2026", source="ours", note="few")
            ),
            Define(
                type=Type(domain="food", name="Meal", doc="A meal. " * 40, fields=(Field(name="name", type="str"),))
            ),
            SetAside(cites=cites, why="small talk \U0001f44b"),
            Adopt(constraint=Constraint(name="pairs", code="# ü\n" * 90, cases=cases, origin="pack", pack="food 1")),
        ),
        by="ana",
    )


def keep_snapshot(log: Log, snapshot: Snapshot) -> None:
    """Store a snapshot at the end of the log. A store need not keep any: then the test is skipped."""
    head = log.head()
    if not log.set_snapshot(snapshot, position=head.position, digest=head.digest):
        pytest.skip("this store keeps no snapshots")


def entries_of(log: Log) -> list[Entry | None]:
    return [stored.entry for stored in log.read()]


class StoreContract:
    """The behaviour that all stores share."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        raise NotImplementedError("A store is missing. Define the fixture `store` in the subclass.")

    @pytest.fixture
    def log(self, store: Store) -> Log:
        return store.log(f"user {uuid.uuid4()}")

    def test_a_new_log_is_empty_and_verifies(self, log: Log) -> None:
        assert log.head() == EMPTY
        assert entries_of(log) == []
        assert log.verify() is None

    def test_what_was_appended_is_read_back_equal_and_in_order(self, log: Log) -> None:
        entries: list[Entry] = [
            store_turn("I am allergic to penicillin"),
            store_fact("Ana is allergic to penicillin", 1, "allergic to penicillin"),
            Checkpoint(patches=(SetAside(cites=(2,), why="small talk"),)),
            Tick(now=NOON, zone="Europe/Sofia"),
            AlertChange(change="raised", constraint="c", subject="s", severity="critical", message="m", cites=(2,)),
            ModelCall(model="m", prompt_hash="p", request_hash="r", reply="…", read=(1,), input_tokens=3),
        ]
        assert log.append(entries) == (1, 2, 3, 4, 5, 6)
        assert entries_of(log) == entries
        assert [stored.position for stored in log.read()] == [1, 2, 3, 4, 5, 6]
        assert log.head().position == 6
        assert log.verify() is None

    def test_the_stores_own_log_is_no_users(self, store: Store) -> None:
        own, before = store.own(), store.users()
        position = own.append([store_turn("a key was made")])[-1]
        assert store.own().head().position == position
        assert own.verify() is None
        assert store.users() == before
        with pytest.raises(Refused, match="control"):
            store.log(OWN)
        with pytest.raises(Refused, match="control"):
            store.erase(OWN)

    def test_offsets_of_times_are_kept(self, log: Log) -> None:
        log.append([store_turn("hello")])
        entry = entries_of(log)[0]
        assert isinstance(entry, Observation)
        assert entry.said.isoformat() == "2026-03-01T12:00:00+02:00"

    def test_appending_nothing_changes_nothing(self, log: Log) -> None:
        assert log.append([]) == ()
        assert log.head() == EMPTY

    def test_an_append_that_expects_another_head_is_refused_and_stores_nothing(self, log: Log) -> None:
        log.append([store_turn("one")], after=0)
        with pytest.raises(Moved) as moved:
            log.append([store_turn("two")], after=0)
        assert (moved.value.expected, moved.value.found) == (0, 1)
        assert entries_of(log) == [store_turn("one")]

    def test_a_refused_entry_takes_the_whole_append_with_it(self, log: Log) -> None:
        with pytest.raises(Refused):
            log.append([store_turn("fine"), store_turn("")])
        assert log.head() == EMPTY
        assert log.append([store_turn("fine")]) == (1,)

    def test_a_citation_must_point_back(self, log: Log) -> None:
        with pytest.raises(Refused, match="cites position 2"):
            log.append([store_turn("one"), store_fact("x", 2, "one")])

    def test_the_same_key_is_stored_once_and_returns_the_first_position(self, log: Log) -> None:
        assert log.append([store_turn("before"), store_turn("hello", key="k1")]) == (1, 2)
        assert log.append([store_turn("hello", key="k1")]) == (2,)
        assert log.append([store_turn("hello", key="k1")], after=0) == (2,)
        assert log.append(
            [store_turn("next", key="k2"), store_turn("hello", key="k1"), store_turn("next", key="k2")]
        ) == (
            3,
            2,
            3,
        )
        assert log.head().position == 3

    def test_a_key_used_for_other_words_is_refused(self, log: Log) -> None:
        log.append([store_turn("hello", key="k1")])
        with pytest.raises(KeyReused, match="position 1"):
            log.append([store_turn("goodbye", key="k1")])
        with pytest.raises(KeyReused, match="this call"):
            log.append([store_turn("one", key="k2"), store_turn("two", key="k2")])
        assert log.head().position == 1

    def test_reading_starts_and_stops_where_asked(self, log: Log) -> None:
        log.append([store_turn(str(n)) for n in range(1, 6)])
        assert [stored.position for stored in log.read(3)] == [3, 4, 5]
        assert [stored.position for stored in log.read(2, 4)] == [2, 3]
        assert list(log.read(6)) == []

    def test_entries_are_read_at_single_positions_in_order_and_once_each(self, log: Log) -> None:
        log.append([store_turn(str(n)) for n in range(1, 9)])
        log.erase([4], why="asked")
        whole = {stored.position: stored for stored in log.read()}
        assert log.read_at([7, 2, 4, 2, 0, -1, 9, 10, 99]) == [whole[2], whole[4], whole[7], whole[9]]
        assert log.as_of(4).read_at([7, 2, 4]) == [whole[2], whole[4]]
        assert log.read_at([]) == []

    def test_a_long_log_is_read_whole(self, log: Log) -> None:
        for start in range(0, 2500, 500):
            log.append([store_turn(f"turn {start + n}") for n in range(500)])
        assert [stored.position for stored in log.read()] == list(range(1, 2501))
        assert log.verify() is None

    def test_as_of_is_a_prefix(self, log: Log) -> None:
        log.append([store_turn("one"), store_turn("two")])
        moment = list(log.read())[-1].at
        assert [stored.position for stored in log.as_of(1).read()] == [1]
        assert [stored.position for stored in log.as_of(moment).read()] == [1, 2]
        assert list(log.as_of(moment - timedelta(days=1)).read()) == []
        assert log.as_of(2).head() == log.head()
        with pytest.raises(Refused, match="position 3 is not in the log"):
            log.as_of(3)

    def test_a_copied_log_has_the_same_digests_keys_and_erasures(self, store: Store) -> None:
        log, copy, user = store.log("ana"), store.log("ben"), f"user {uuid.uuid4()}"
        log.append([store_turn("one", key="k1"), store_turn("two"), store_pack(2), store_fact("x", 2, "two")])
        copy.copy_rows(log.read_rows(), log.head())
        log.erase([1, 4], why="asked")
        log.append([store_turn("three", key="k3")])
        whole = list(log.read_rows())
        assert store.log(user).copy_rows(whole, log.head()) == 6
        assert copy.copy_rows(whole, log.head()) == 2
        assert copy.copy_rows(whole[:4], store.log("ben").as_of(4).head()) == 0
        for other in (copy, store.log(user)):
            assert list(other.read_rows()) == whole
            assert other.head() == log.head()
            assert other.verify() is None
            assert other.append([store_turn("three", key="k3"), store_turn("one", key="k1")]) == (6, 1)
        log.append([store_turn("four")])
        copy.append([store_turn("another four")])
        with pytest.raises(Refused, match="another entry at 7"):
            copy.copy_rows(log.read_rows(), log.head())

    def test_a_user_is_erased_only_at_the_expected_position(self, store: Store) -> None:
        log = store.log("ana")
        log.append([store_turn("one"), store_turn("two")])
        with pytest.raises(Moved):
            store.erase("ana", after=1)
        assert log.head().position == 2
        store.erase("ana", after=2)
        assert log.head() == EMPTY

    def test_keys_of_erased_requests_can_be_copied(self, store: Store) -> None:
        if not isinstance(store, ErasedKeys):
            pytest.skip("this store cannot list the keys of erased requests")
        before = set(store.erased_keys(limit=100_000))
        store.log("ana").append([store_turn(f"{n}", key=f"k{n}") for n in range(5)])
        store.erase("ana")
        last = b""
        digests: list[bytes] = []
        while page := store.erased_keys(after=last, limit=2):
            digests += page
            last = page[-1]
        assert digests == sorted(digests)
        assert len(set(digests) - before) == 5
        store.add_erased_keys([*digests, bytes(32)])
        assert set(store.erased_keys(limit=100_000)) == {*digests, bytes(32)}

    def test_users_do_not_see_each_other(self, store: Store) -> None:
        for name in USER_IDS:
            store.log(name).append([store_turn(f"I am {name}")])
        for name in USER_IDS:
            assert entries_of(store.log(name)) == [store_turn(f"I am {name}")]

    def test_users_are_listed_in_pages_by_code_point(self, store: Store) -> None:
        for name in USER_IDS:
            store.log(name).append([store_turn("hello")])
        store.log("never wrote a word")
        seen: list[str] = []
        while page := store.users(after=seen[-1] if seen else "", limit=3):
            assert len(page) <= 3
            seen += [user.name for user in page]
        assert seen == sorted(USER_IDS)
        assert store.users(limit=1)[0].entries == 1

    @pytest.mark.parametrize("user", ["", "x" * 256, "a\0b", "a\nb", "\ud800", " ana", "ana ", "e\u0301"])
    def test_an_unfit_user_id_is_refused(self, store: Store, user: str) -> None:
        with pytest.raises(Refused, match="user id"):
            store.log(user)

    @pytest.mark.parametrize("text", TEXTS)
    def test_awkward_text_is_kept_exactly(self, log: Log, text: str) -> None:
        log.append([store_turn(text, key=text)])
        assert entries_of(log) == [store_turn(text, key=text)]

    @settings(
        max_examples=60,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
        ],
        deadline=None,
    )
    @given(text=st.text(min_size=1).filter(lambda text: not text.isspace()), speaker=st.text())
    def test_every_accepted_text_comes_back_exactly(self, log: Log, text: str, speaker: str) -> None:
        entry = Observation(text=text, said=NOON, speaker=speaker)
        (position,) = log.append([entry])
        assert next(log.read(position)).entry == entry

    def test_ten_megabytes_of_text_are_kept_exactly(self, log: Log) -> None:
        text = "ab€\n" * (10 * 1024 * 1024 // 6)
        log.append([store_turn(text)])
        assert entries_of(log) == [store_turn(text)]
        assert log.verify() is None

    def test_many_threads_append_without_loss_or_gap(self, log: Log) -> None:
        positions: list[int] = []
        failures: list[BaseException] = []

        def write(writer: int) -> None:
            try:
                for n in range(10):
                    positions.extend(log.append([store_turn(f"{writer}.{n}"), store_turn(f"{writer}.{n} again")]))
            except BaseException as failure:  # noqa: BLE001 - shown by the assertion below
                failures.append(failure)

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert sorted(positions) == list(range(1, 121))
        assert log.verify() is None

    def test_of_several_writers_that_saw_the_same_head_one_wins(self, log: Log) -> None:
        outcomes: list[str] = []

        def write(writer: int) -> None:
            try:
                log.append([store_turn(str(writer))], after=0)
                outcomes.append("stored")
            except Moved:
                outcomes.append("moved")

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["moved"] * 4 + ["stored"]
        assert log.head().position == 1

    def test_erasing_destroys_the_words_and_keeps_the_chain(self, log: Log) -> None:
        log.append([store_turn("keep me"), store_turn("forget me", key="k"), store_turn("keep me too")])
        before = [stored.digest for stored in log.read()]
        assert log.erase([2], why="asked by the user") == (2,)
        stored = list(log.read())
        assert [item.digest for item in stored[:3]] == before
        assert [item.entry for item in stored[:3]] == [store_turn("keep me"), None, store_turn("keep me too")]
        marker = stored[3].entry
        assert isinstance(marker, Erasure)
        assert (marker.erased[0].position, marker.why) == (2, "asked by the user")
        assert log.verify() is None

    def test_erasing_reaches_all_that_rests_on_the_words(self, log: Log) -> None:
        log.append(
            [
                store_turn("I have asthma"),
                store_turn("I like tea"),
                store_fact("Ana has asthma", 1, "asthma"),
                store_fact("Ana likes tea", 2, "tea"),
                Checkpoint(patches=(SetAside(cites=(3,), why="asthma"), SetAside(cites=(4,), why="small talk"))),
                ModelCall(model="m", prompt_hash="p", request_hash="r", reply="asthma", read=(1,), input_tokens=9),
                AlertChange(change="raised", constraint="c", subject="s", message="asthma", cites=(3,)),
            ]
        )
        assert log.erase([1], why="asked") == (1, 3, 5, 6, 7)
        assert entries_of(log)[:7] == [
            None,
            store_turn("I like tea"),
            None,
            store_fact("Ana likes tea", 2, "tea"),
            Checkpoint(patches=(Gone(), SetAside(cites=(4,), why="small talk"))),
            ModelCall(model="m", prompt_hash="p", request_hash="r", reply="", read=(1,), input_tokens=9),
            None,
        ]
        assert log.verify() is None
        assert log.erase([2], why="asked again") == (2, 4, 5)
        assert entries_of(log)[4] == Checkpoint(patches=(Gone(), Gone()))
        assert log.verify() is None

    def test_erasing_twice_touches_nothing_more(self, log: Log) -> None:
        log.append([store_turn("forget me")])
        log.erase([1], why="asked")
        head = log.head()
        assert log.erase([1], why="asked") == ()
        assert log.head() == head

    def test_a_late_retry_does_not_bring_erased_words_back(self, log: Log) -> None:
        log.append([store_turn("forget me", key="k")])
        log.erase([1], why="asked")
        assert log.append([store_turn("forget me", key="k")]) == (1,)
        assert entries_of(log)[0] is None

    def test_a_late_retry_does_not_bring_a_whole_erased_log_back(self, store: Store) -> None:
        log = store.log("ana")
        log.append(
            [
                store_turn("forget me", key="k"),
                store_turn("me too", key="m"),
                Receipt(key="r", request="q", first=1, last=2),
            ]
        )
        log.erase([2], why="asked")
        store.log("ben").append([store_turn("keep me", key="k")])
        store.erase("ana")
        late: list[Entry] = [store_turn("forget me", key="k"), store_turn("me too", key="m")]
        late += [Receipt(key="r", request="q", first=1, last=1)]
        for entry in late:
            with pytest.raises(AlreadyErased, match="has been erased; it is not written again"):
                store.log("ana").append([store_turn("something new"), entry])
            assert store.log("ana").head() == EMPTY
        assert [user.name for user in store.users()] == ["ben"]
        assert store.log("ana").append([store_turn("forget me"), store_turn("me too", key="r")]) == (1, 2)
        assert store.log("ben").append([store_turn("keep me", key="k")]) == (1,)
        store.erase("ana")
        with pytest.raises(AlreadyErased):
            store.log("ana").append([store_turn("forget me", key="k")])

    def test_the_receipt_of_erased_words_is_known_by_its_key_however_it_was_chosen(self, log: Log) -> None:
        receipt = Receipt(key="r", request="q", first=1, last=1)
        log.append([store_turn("forget me"), receipt])
        assert log.erase([2], why="asked") == ()
        assert log.erase([1, 2], why="asked") == (1, 2)
        assert entries_of(log)[:2] == [None, Receipt(key="r", request="", first=1, last=1)]
        assert log.verify() is None
        with pytest.raises(AlreadyErased):
            log.append([store_turn("forget me"), receipt])
        log.append([store_turn("something new"), Receipt(key="s", request="q", first=1, last=1)])

    def test_an_imported_line_leaves_no_digest_of_its_words_when_its_log_is_erased(self, store: Store) -> None:
        line = store_turn("penicillin", key="import:made of the line")
        store.log("ana").append([line])
        store.erase("ana")
        assert store.log("ana").append([line]) == (1,)

    @pytest.mark.parametrize(("positions", "why"), [([0], "x"), ([2], "x"), ([1], " ")])
    def test_an_unfit_erasure_is_refused(self, log: Log, positions: list[int], why: str) -> None:
        log.append([store_turn("keep me")])
        with pytest.raises(Refused, match="erasure"):
            log.erase(positions, why=why)
        assert entries_of(log) == [store_turn("keep me")]

    def test_the_marker_of_an_erasure_cannot_be_forged_or_erased(self, log: Log) -> None:
        with pytest.raises(Refused, match="written by erase"):
            log.append([Erasure(erased=(), why="forged")])
        log.append([store_turn("forget me")])
        log.erase([1], why="asked")
        with pytest.raises(Refused, match="marker"):
            log.erase([2], why="hide it")

    def test_erasing_a_user_leaves_nothing_of_them_and_all_of_the_others(self, store: Store) -> None:
        store.log("ana").append([store_turn("hello")])
        store.log("ben").append([store_turn("hello")])
        store.erase("ana")
        assert [user.name for user in store.users()] == ["ben"]
        assert store.log("ana").head() == EMPTY
        assert entries_of(store.log("ben")) == [store_turn("hello")]
        assert store.log("ana").append([store_turn("back")]) == (1,)
        assert store.log("ana").verify() is None

    def test_what_packs_bring_is_whole_in_every_log_whoever_is_erased(self, store: Store) -> None:
        logs = {name: store.log(name) for name in ("ana", "ben", "cleo")}
        for name, log in logs.items():
            log.append([store_turn(f"I am {name}"), store_turn("hello"), store_pack(1, 2), store_pack(2)])
        ana = [store_turn("I am ana"), store_turn("hello"), store_pack(1, 2), store_pack(2)]
        assert entries_of(logs["ana"]) == ana
        assert [stored.entry for stored in logs["ana"].read_at([1, 3])] == [ana[0], ana[2]]
        store.erase("ben")
        assert logs["cleo"].erase([3], why="asked") == (3,)
        assert logs["ana"].erase([1], why="asked") == (1, 3)
        patches = store_pack().patches
        left = Checkpoint(patches=(*patches[:2], Gone(), *patches[3:]), by="ana")
        assert entries_of(logs["ana"])[:4] == [None, store_turn("hello"), left, store_pack(2)]
        assert entries_of(logs["cleo"])[:4] == [store_turn("I am cleo"), store_turn("hello"), None, store_pack(2)]
        assert logs["ben"].append([store_turn("back"), store_pack(1)]) == (1, 2)
        assert entries_of(store.log("ben")) == [store_turn("back"), store_pack(1)]
        assert [log.verify() for log in logs.values()] == [None, None, None]

    def test_time_never_runs_backwards_in_a_log(self, log: Log) -> None:
        for n in range(20):
            log.append([store_turn(str(n))])
        times = [stored.at for stored in log.read()]
        assert all(earlier <= later for earlier, later in itertools.pairwise(times))
        assert all(time.tzinfo is not None for time in times)

    def test_a_period_keeps_its_precision(self, log: Log) -> None:
        fact = Fact(
            text="Ana lived in Porto",
            about="ana",
            authority="user",
            cites=(Citation(position=1, quote="Porto"),),
            held=Period("2019-04", "2021"),
        )
        log.append([store_turn("I lived in Porto"), fact])
        assert entries_of(log)[1] == fact

    def test_a_snapshot_is_read_back_and_replaced(self, store: Store, log: Log) -> None:
        log.append([store_turn("hello")])
        first = Snapshot(b"head 1", {b"a" * 32: b"one", b"b" * 32: bytes(range(256)) * 9000})
        keep_snapshot(log, first)
        assert log.snapshot() == first
        second = Snapshot(b"head 2", {b"b" * 32: first.parts[b"b" * 32], b"c" * 32: b""})
        keep_snapshot(log, second)
        assert log.snapshot() == second
        assert store.log(f"user {uuid.uuid4()}").snapshot() == NO_SNAPSHOT
        log.drop_snapshot()
        assert log.snapshot() == NO_SNAPSHOT
        assert log.verify() is None

    def test_erasing_words_drops_the_snapshot_and_refuses_those_made_before(self, log: Log) -> None:
        log.append([store_turn("secret"), store_turn("plain")])
        before, snapshot = log.head(), Snapshot(b"head", {b"a" * 32: b"secret"})
        keep_snapshot(log, snapshot)
        log.erase([1], why="asked")
        assert log.snapshot() == NO_SNAPSHOT
        assert not log.set_snapshot(snapshot, position=before.position, digest=before.digest)
        assert log.snapshot() == NO_SNAPSHOT
        keep_snapshot(log, Snapshot(b"head", {b"a" * 32: b"plain"}))
        assert log.snapshot().parts == {b"a" * 32: b"plain"}

    def test_older_snapshots_stay_beside_the_latest_and_share_its_parts(self, log: Log) -> None:
        common, stored = {b"a" * 32: bytes(range(256)) * 50}, dict[int, Snapshot]()
        for number in range(30):
            log.append([store_turn("hello")])
            own = {bytes([number]) * 32: b"own part"} if number else {}
            stored[log.head().position] = Snapshot(b"head %d" % number, common | own)
            keep_snapshot(log, stored[log.head().position])
            assert log.snapshot() == stored[log.head().position]
        if not (positions := log.snapshot_positions()):
            pytest.skip("this store keeps only the latest snapshot")
        assert len(positions) == MAX_SNAPSHOTS
        assert positions == tuple(sorted(positions))
        assert {position: log.snapshot(position) for position in positions} == {at: stored[at] for at in positions}
        dropped = min(stored.keys() - {*positions})
        assert log.snapshot(dropped) == NO_SNAPSHOT
        head = log.head()
        assert log.set_snapshot(NO_SNAPSHOT, position=head.position, digest=head.digest)
        assert (log.snapshot_positions(), log.snapshot(positions[0])) == ((), NO_SNAPSHOT)

    def test_a_snapshot_of_an_earlier_time_does_not_replace_the_latest(self, log: Log) -> None:
        (first,) = log.append([store_turn("one")])
        early = log.head()
        log.append([store_turn("two")])
        keep_snapshot(log, late := Snapshot(b"late", {b"a" * 32: b"late"}))
        if not log.snapshot_positions():
            pytest.skip("this store keeps only the latest snapshot")
        past = Snapshot(b"past", {b"b" * 32: b"past"})
        assert log.set_snapshot(past, position=early.position, digest=early.digest)
        assert (log.snapshot(), log.snapshot(first)) == (late, past)
        end = log.head().position
        log.erase([2], why="asked")
        assert (log.snapshot(), log.snapshot_positions()) == (NO_SNAPSHOT, ())
        assert not log.set_snapshot(past, position=early.position, digest=early.digest, read_until=end)
        keep_snapshot(log, late)
        assert log.set_snapshot(past, position=early.position, digest=early.digest, read_until=log.head().position)
        assert (log.snapshot(), log.snapshot(first)) == (late, past)

    def test_the_snapshot_of_a_user_who_was_erased_does_not_come_back(self, store: Store) -> None:
        log = store.log(name := f"user {uuid.uuid4()}")
        log.append([store_turn("hello")])
        before, snapshot = log.head(), Snapshot(b"head", {b"a" * 32: b"hello"})
        keep_snapshot(log, snapshot)
        store.erase(name)
        again = store.log(name)
        assert again.snapshot() == NO_SNAPSHOT
        assert not again.set_snapshot(snapshot, position=before.position, digest=before.digest)
        again.append([store_turn("back")])
        assert not again.set_snapshot(snapshot, position=before.position, digest=before.digest)
        assert again.snapshot() == NO_SNAPSHOT

    def test_a_healthy_store_has_no_problems(self, store: Store) -> None:
        assert [finding for finding in store.findings() if finding.level == "problem"] == []

    def test_a_moment_of_the_future_is_refused(self, log: Log) -> None:
        with pytest.raises(Refused, match="future"):
            log.append([Observation(text="hello", said=datetime.now(UTC) + timedelta(days=400))])
