"""A log that other hands changed does not verify, and the first place is named. The hands here are plain sqlite3."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from uac.errors import Damaged, NewerFormat
from uac.log.chain import body_commitment, chain_digest
from uac.log.log import Break, Log
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.schema.entries import ModelCall, Observation, Tick, decode
from uac.testing.store import NOON, entries_of, store_fact, store_turn


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def log(path: Path) -> Iterator[Log]:
    """Five entries; three and four rest on two. Ben's log beside it must stay whole."""
    store = SqliteStore(path)
    log = store.log("ana")
    log.append([store_turn("one"), store_turn("two", key="k"), store_fact("Ana said two", 2, "two")])
    log.append([ModelCall(model="m", prompt_hash="p", request_hash="r", reply="two?", read=(2,)), store_turn("five")])
    store.log("ben").append([store_turn("I am Ben")])
    yield log
    assert store.log("ben").verify() is None
    store.close()


def tamper(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        cursor = connection.execute(statement)
        assert cursor.rowcount > 0, statement
    connection.commit()
    connection.close()


def altered(position: int) -> Break:
    return Break(position, f"entry {position} does not match its digest: it was altered or moved")


ANA = "user = (SELECT id FROM users WHERE name = 'ana')"
BLANK = "UPDATE entries SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)) / 2)), '0', ' ')"
INSERTED = (
    "INSERT INTO entries (user, position, at, kind, form, body, salt, digest)"
    " SELECT user, 6, at, kind, form, body, salt, digest FROM entries"
)
FORGED = "INSERT INTO erased SELECT user, position, zeroblob(32) FROM entries"


def test_an_untouched_log_verifies(log: Log) -> None:
    assert log.verify() is None
    log.erase([2], why="asked")
    assert log.verify() is None


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (["UPDATE entries SET body = replace(body, 'one', 'two') WHERE {} AND position = 1"], altered(1)),
        (["UPDATE entries SET body = body || ' ' WHERE {} AND position = 5"], altered(5)),
        (["UPDATE entries SET salt = zeroblob(16) WHERE {} AND position = 2"], altered(2)),
        (["UPDATE entries SET at = '2020-01-01T00:00:00.000000Z' WHERE {} AND position = 3"], altered(3)),
        (["UPDATE entries SET at = 'never' WHERE {} AND position = 3"], altered(3)),
        (["UPDATE entries SET kind = 'tick' WHERE {} AND position = 4"], altered(4)),
        (
            ["UPDATE entries SET key = zeroblob(32) WHERE {} AND position = 1"],
            Break(1, "entry 1 is stored under another key than its own"),
        ),
        (
            ["UPDATE entries SET key = NULL WHERE {} AND position = 2"],
            Break(2, "entry 2 is stored under another key than its own"),
        ),
        (["UPDATE entries SET form = 1 WHERE {} AND position = 1"], altered(1)),
        (["UPDATE entries SET digest = zeroblob(32) WHERE {} AND position = 4"], altered(4)),
        (
            [
                "UPDATE entries SET position = 102 WHERE {} AND position = 2",
                "UPDATE entries SET position = 2 WHERE {} AND position = 3",
                "UPDATE entries SET position = 3 WHERE {} AND position = 102",
            ],
            altered(2),
        ),
        (["DELETE FROM entries WHERE {} AND position = 1"], Break(1, "entry 1 is missing")),
        (["DELETE FROM entries WHERE {} AND position = 3"], Break(3, "entry 3 is missing")),
        (["DELETE FROM entries WHERE {} AND position = 5"], Break(5, "the log ends at 4, but its head is 5")),
        (["DELETE FROM entries WHERE {} AND position > 2"], Break(3, "the log ends at 2, but its head is 5")),
        (["DELETE FROM entries WHERE {}"], Break(1, "the log ends at 0, but its head is 5")),
        (
            [
                "DELETE FROM entries WHERE {} AND position = 2",
                "UPDATE entries SET position = position - 1 WHERE {} AND position = 3",
                "UPDATE entries SET position = position - 1 WHERE {} AND position = 4",
                "UPDATE entries SET position = position - 1 WHERE {} AND position = 5",
            ],
            altered(2),
        ),
        (
            ["DELETE FROM entries WHERE {} AND position = 5", "UPDATE users SET position = 4 WHERE name = 'ana'"],
            Break(4, "entry 4 does not match the head of the log"),
        ),
        (
            ["UPDATE users SET at = '2100-01-01T00:00:00.000000Z' WHERE name = 'ana'"],
            Break(5, "entry 5 does not match the head of the log"),
        ),
        (
            ["UPDATE users SET position = 6 WHERE name = 'ana'"],
            Break(6, "the log ends at 5, but its head is 6"),
        ),
        (
            [INSERTED + " WHERE {} AND position = 5"],
            Break(6, "entry 6 is after the head of the log: it was not appended"),
        ),
        ([BLANK + " WHERE {} AND position = 2"], altered(2)),
        (
            [FORGED + " WHERE {} AND position = 2", BLANK + " WHERE {} AND position = 2"],
            altered(2),
        ),
    ],
)
def test_a_change_is_found_where_it_was_made(path: Path, log: Log, statements: list[str], found: Break) -> None:
    tamper(path, *(statement.format(ANA) for statement in statements))
    assert log.verify() == found


Values = tuple[str, bytes]


def words_of(path: Path, position: int) -> Values:
    connection = sqlite3.connect(path)
    row: Values = connection.execute(f"SELECT body, salt FROM entries WHERE {ANA} AND position = {position}").fetchone()
    connection.close()
    return row


def put_words(path: Path, position: int, words: Values) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE entries SET body = ?, salt = ? WHERE {ANA} AND position = {position}", words)
    connection.commit()
    connection.close()


def test_words_blanked_with_a_true_commitment_but_no_marker_are_found(path: Path, log: Log) -> None:
    body, salt = words_of(path, 2)
    put_words(path, 2, (" " * len(body), salt))
    with pytest.raises(Damaged, match="entry 2 is blank, but was not erased"):
        entries_of(log)
    commitment = body_commitment(salt, body.encode()).hex()
    tamper(path, f"INSERT INTO erased SELECT user, 2, x'{commitment}' FROM entries WHERE {ANA} AND position = 2")
    assert log.verify() == Break(2, "entry 2 lost words that no erasure marker accounts for")


@pytest.mark.parametrize("position", [2, 4], ids=["erased whole", "erased in part"])
def test_erased_words_brought_back_from_a_backup_are_found(path: Path, log: Log, position: int) -> None:
    backup = words_of(path, position)
    assert log.erase([2], why="asked") == (2, 3, 4)
    put_words(path, position, backup)
    assert log.verify() == Break(
        position, f"entry {position} is not what its erasure left: words are back or more are gone"
    )
    tamper(path, f"DELETE FROM erased WHERE {ANA} AND position = {position}")
    assert log.verify() == Break(position, f"entry {position} was erased, but its words are back")


def test_a_change_of_what_an_erasure_left_is_found(path: Path, log: Log) -> None:
    log.erase([2], why="asked")
    tamper(path, f"UPDATE entries SET body = replace(body, '[2]', '[1]') WHERE {ANA} AND position = 4")
    assert log.verify() == Break(4, "entry 4 is not what its erasure left: words are back or more are gone")


def cut_tail(path: Path, last: int) -> None:
    tamper(
        path,
        f"DELETE FROM entries WHERE {ANA} AND position > {last}",
        "UPDATE users SET (position, digest, at) = (SELECT position, digest, at FROM entries"
        f" WHERE user = users.id AND position = {last}) WHERE name = 'ana'",
    )


def test_an_erasure_whose_marker_was_cut_off_is_found(path: Path, log: Log) -> None:
    log.erase([2], why="asked")
    cut_tail(path, 5)
    assert log.verify() == Break(2, "entry 2 lost words that no erasure marker accounts for")


def test_a_tail_cut_off_together_with_the_head_shows_only_beside_a_head_kept_elsewhere(path: Path, log: Log) -> None:
    kept = log.as_of(4).head()
    cut_tail(path, 4)
    assert log.verify() is None
    assert log.head() == kept
    cut_tail(path, 3)
    assert log.verify() is None
    assert log.head().position < kept.position


def test_reading_a_log_with_a_hole_stops_there(path: Path, log: Log) -> None:
    tamper(path, f"DELETE FROM entries WHERE {ANA} AND position = 3")
    reading = log.read()
    assert [next(reading).position, next(reading).position] == [1, 2]
    with pytest.raises(Damaged, match="entry 3 is missing"):
        next(reading)
    with pytest.raises(Damaged, match="entry 3 is missing"):
        log.as_of(NOON)
    with pytest.raises(Damaged, match="entry 3 is missing"):
        log.as_of(3).head()


def test_an_unreadable_time_is_damage(path: Path, log: Log) -> None:
    tamper(path, f"UPDATE entries SET at = 'never' WHERE {ANA} AND position = 1")
    with pytest.raises(Damaged, match="entry 1: Invalid isoformat string: 'never'"):
        entries_of(log)


def test_an_entry_that_cannot_be_decoded_is_a_break_even_if_its_chain_holds(path: Path, log: Log) -> None:
    body, salt = '{"kind":"tock"}', bytes(16)
    before, last = log.as_of(4).head(), log.head()
    digest = chain_digest(before.digest, 5, last.at, "observation", 2, body_commitment(salt, body.encode())).hex()
    put_words(path, 5, (body, salt))
    tamper(
        path,
        f"UPDATE entries SET digest = x'{digest}' WHERE {ANA} AND position = 5",
        f"UPDATE users SET digest = x'{digest}' WHERE name = 'ana'",
    )
    problem = "entry 5: an entry of form 2 cannot be decoded: Invalid value 'tock' - at `$.kind`"
    assert log.verify() == Break(5, problem)
    with pytest.raises(Damaged) as damaged:
        entries_of(log)
    assert str(damaged.value) == problem


def test_an_entry_of_a_newer_version_asks_for_an_upgrade(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as newer_version:
        newer_version.setattr("uac.log.log.FORM", 3)
        log.append([store_turn("six")])
    uses: list[Callable[[], object]] = [log.verify, lambda: entries_of(log), lambda: log.erase([1], why="asked")]
    for use in uses:
        with pytest.raises(NewerFormat) as newer:
            use()
        assert str(newer.value) == (
            "entry 6: an entry has form 3, and this version of user-as-code reads forms up to 2. Upgrade the package."
        )
    assert [stored.position for stored in log.as_of(5).read()] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("erased", [1, 3])
def test_an_erasure_in_the_middle_of_verifying_is_no_break(erased: int) -> None:
    log = MemoryStore().log("ana")
    log.append([store_turn("one"), store_turn("two"), store_turn("three")])
    log.erase([2], why="asked")

    def progress(position: int) -> None:
        if position == 2:
            log.erase([erased], why="asked")

    assert log.verify(progress=progress) is None
    assert log.verify() is None


OLD = '{"kind":"observation","words":"hello","at":"2026-03-01T12:00:00Z"}'


def test_an_entry_of_an_older_form_is_brought_up_step_by_step() -> None:
    assert decode(
        OLD,
        1,
        upgrades={
            1: {"observation": lambda old: {"kind": old["kind"], "text": old["words"], "at": old["at"]}},
            2: {
                "observation": lambda old: {
                    "kind": old["kind"],
                    "text": old["text"],
                    "said": old["at"],
                    "role": "person",
                }
            },
        },
        newest=3,
    ) == Observation(text="hello", said=datetime(2026, 3, 1, 12, tzinfo=UTC), role="person")
    same = '{"kind":"tick","now":"2026-03-01T12:00:00Z"}'
    assert decode(same, 1, upgrades={1: {"observation": dict}}, newest=2) == Tick(
        now=datetime(2026, 3, 1, 12, tzinfo=UTC)
    )


def test_an_upgrade_that_is_missing_or_does_not_fit_is_damage() -> None:
    with pytest.raises(Damaged, match="an entry has form 1, but there is no upgrade from form 2"):
        decode(OLD, 1, upgrades={1: {"observation": dict}}, newest=3)
    with pytest.raises(Damaged, match="an entry of form 1 cannot be decoded: 'text'"):
        decode(OLD, 1, upgrades={1: {"observation": lambda old: {"text": old["text"]}}}, newest=2)
    with pytest.raises(Damaged, match="an entry of form 1 cannot be decoded: Object contains unknown field `words`"):
        decode(OLD, 1, upgrades={1: {"observation": dict}}, newest=2)
    with pytest.raises(Damaged, match="an entry of form 1 cannot be decoded: JSON is malformed"):
        decode("hello", 1, upgrades={1: {"observation": dict}}, newest=2)
