"""uac-bench faults: every way to break a write on both stores, a store that tears writes, and writers that lie."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from support.postgres_server import Server
from uac import Observation, Store
from uac.log.stores.sqlite import SqliteStore
from uac_bench import main
from uac_bench.faults.failing_writes import SqliteTarget, fail_everywhere, tear_rows
from uac_bench.faults.killed_writers import kill_writers, open_sqlite_writer
from uac_bench.faults.write_paths import STORE_PATHS, FaultUsers, WritePath, fault_clock, fill_store
from uac_bench.runs import load_runs

# Python warns of forks beside threads; the writers are forked on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def faults(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["faults", *arguments], catch_exceptions=False)


def test_every_write_on_sqlite_is_whole_or_absent_and_the_control_is_torn(tmp_path: Path) -> None:
    ended = faults("--most", "3", "--rounds", "1", "--out", str(tmp_path / "runs"), "--json")
    assert ended.exit_code == 0
    (run,) = load_runs(tmp_path / "runs")
    verdicts = {(item.system, item.verdict) for item in run.items}
    assert ("user-as-code", "wrong") not in verdicts
    assert ("without a transaction", "wrong") in verdicts
    figures = json.loads(ended.stdout)
    assert figures["wrong"] == []
    assert figures["failed"] > 60
    assert figures["control_torn"] == 2


def test_the_same_on_postgresql_with_kills_and_only_in_an_empty_database(postgres: Server) -> None:
    url = postgres.new_database()
    arguments = ("--postgres", url, "--most", "4", "--rounds", "1", "--only", "append", "--only", "correct")
    ended = faults(*arguments, "--json")
    assert (ended.exit_code, json.loads(ended.stdout)["wrong"]) == (0, [])
    again = faults(*arguments)
    assert again.exit_code == 1
    assert "--postgres: The database has users. Use an empty one." in again.stderr


def test_a_write_of_two_appends_is_reported_as_torn(tmp_path: Path) -> None:
    def write(store: Store, users: FaultUsers) -> None:
        for text in ("five", "six"):
            store.log(users.ana).append([Observation(text=text, said=fault_clock(), key=text)])

    done = list(fail_everywhere(SqliteTarget(tmp_path), WritePath("two", fill_store, write), "before", most=100))
    torn = [each.left for each in done if each.why]
    assert {each.why for each in done} == {"", "the log is neither as before nor complete"}
    assert 0 < len(torn) < len(done)


def test_a_write_without_a_key_that_says_it_can_be_repeated_is_found_out(tmp_path: Path) -> None:
    def write(store: Store, users: FaultUsers) -> None:
        store.log(users.ana).append([Observation(text="five", said=fault_clock())])

    done = fail_everywhere(SqliteTarget(tmp_path), WritePath("no key", fill_store, write), "after", most=100)
    assert {each.why for each in done} == {"", "the write could not be repeated: the log differs"}


def test_rows_without_a_transaction_are_torn_unless_the_first_fails(tmp_path: Path) -> None:
    assert [each.left for each in tear_rows(tmp_path)] == ["as before", "torn", "torn"]


def test_entries_that_vanish_after_a_kill_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    def open_damaged() -> Store:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM entries WHERE position = 1")
        return SqliteStore(path, create=False)

    def problems() -> Iterator[str]:
        for each in kill_writers(lambda writer: open_sqlite_writer(path, writer), open_damaged, 1, rounds=2):
            yield from each.problems

    assert any("are lost or changed" in problem for problem in problems())


def test_a_word_that_no_write_has_is_refused_with_their_names() -> None:
    ended = faults("--only", "nonsense")
    assert ended.exit_code == 2
    assert STORE_PATHS[0].name in ended.stderr
