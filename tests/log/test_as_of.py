"""A log as it was: up to a position or a time, with a head of its own."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from uac.errors import Damaged, Refused
from uac.log.log import EMPTY, Log, Prefix
from uac.log.stores.in_memory import MemoryStore
from uac.testing.store import store_turn

START = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.fixture
def log() -> Log:
    """Three entries, an hour apart."""
    hours = iter(range(100))
    log = MemoryStore(clock=lambda: START + timedelta(hours=next(hours))).log("ana")
    for text in ("one", "two", "three"):
        log.append([store_turn(text)])
    return log


def test_the_head_of_a_prefix_is_its_last_entry(log: Log) -> None:
    stored = list(log.read())
    assert log.as_of(0).head() == EMPTY
    assert [log.as_of(position).head().digest for position in (1, 2, 3)] == [entry.digest for entry in stored]
    assert log.as_of(3).head() == log.head()


def test_a_time_means_the_entries_up_to_it(log: Log) -> None:
    times = [stored.at for stored in log.read()]
    assert [log.as_of(at).position for at in times] == [1, 2, 3]
    assert log.as_of(times[0] - timedelta(seconds=1)).position == 0
    assert log.as_of(times[1].astimezone(timezone(timedelta(hours=9)))).position == 2


def test_a_time_at_either_end_of_the_calendar_is_before_or_after_all_entries(log: Log) -> None:
    assert log.as_of(datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))).position == 0
    assert log.as_of(datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))).position == 3


@pytest.mark.parametrize("position", [-1, 4])
def test_a_position_outside_the_log_is_refused(log: Log, position: int) -> None:
    with pytest.raises(Refused, match=rf"^as_of: position {position} is not in the log\. Use 0 to 3\.$"):
        log.as_of(position)


def test_a_time_without_a_zone_is_refused(log: Log) -> None:
    with pytest.raises(Refused, match=r"has no time zone\. Add one, such as \+02:00 or Z\.$"):
        log.as_of(datetime(2027, 1, 1))  # noqa: DTZ001 - that is the mistake


def test_a_prefix_whose_entries_are_gone_is_damaged(log: Log) -> None:
    with pytest.raises(Damaged, match="entry 7 is missing"):
        Prefix(log, 7).head()


def test_a_prefix_reads_no_further_than_its_end(log: Log) -> None:
    assert [stored.position for stored in log.as_of(2).read()] == [1, 2]
    assert [stored.position for stored in log.as_of(2).read(2, 9)] == [2]
    assert [stored.position for stored in log.as_of(2).read(1, 2)] == [1]
