"""Files that wait in a PostgreSQL store are written part by part, once each, and an erasure makes them unreadable."""

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from support.postgres_files import Words, found_in
from support.postgres_logs import name_in
from support.postgres_server import Server, wait_until
from uac.errors import Refused
from uac.log.staging import PartResult, remove_staged_files
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.postgres import PostgresStore
from uac.testing.store import store_turn

LATER = datetime.now(UTC) + timedelta(days=400)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def written(part: bytes) -> PartResult:
    return PartResult(lines=len(part), stored=len(part))


def test_a_part_is_written_once_and_its_result_counted_once(postgres: Server) -> None:
    with closing(PostgresStore(postgres.new_database())) as store:
        staging = store.staging()
        file = staging.add("ana", "trips.csv", b"header", [(2, b"ab"), (1, b"c")])
        assert (file.name, file.lines, file.parts, file.result) == ("trips.csv", 3, 2, PartResult())
        assert staging.header(file.id) == b"header"
        parts: list[bytes] = []

        def write(part: bytes) -> PartResult:
            parts.append(part)
            return written(part)

        for _time in range(3):
            assert staging.write_part(file.id, 1, write)
        assert parts == [b"ab"]
        assert [each.result for each in staging.files(["ana"])] == [PartResult(lines=2, stored=2)]
        assert staging.write_part(file.id, 2, written)
        staging.finish(file.id)
        (done,) = staging.files()
        assert done.result == PartResult(lines=3, stored=3)
        assert done.finished is not None
        assert staging.files(["ben"]) == ()


def test_a_part_whose_writing_fails_stays_and_the_file_says_why(postgres: Server) -> None:
    with closing(PostgresStore(postgres.new_database())) as store:
        staging = store.staging()
        file = staging.add("ana", "trips.csv", b"", [(1, b"a")])

        def refuse(_part: bytes) -> PartResult:
            raise Refused("travel.Trip was changed meanwhile. Run the import again.")

        with pytest.raises(Refused):
            staging.write_part(file.id, 1, refuse)
        staging.finish(file.id, "travel.Trip was changed meanwhile.")
        (failed,) = staging.files()
        assert (failed.problem, failed.result) == ("travel.Trip was changed meanwhile.", PartResult())
        assert staging.remove_finished(LATER, failed_before=LONG_AGO) == 0
        assert staging.write_part(file.id, 1, written)
        (again,) = staging.files()
        assert (again.problem, again.finished, again.result.stored) == ("", None, 1)
        staging.finish(file.id)
        assert staging.remove_finished(LATER, failed_before=LONG_AGO) == 1
        assert staging.files() == ()


def test_results_add_up_and_keep_the_first_hundred_broken_lines() -> None:
    one = PartResult(3, 1, 1, {"blank line": 1}, ((2, "is empty"),), 1)
    assert one + one == PartResult(6, 2, 2, {"blank line": 2}, ((2, "is empty"), (2, "is empty")), 2)
    many = PartResult(broken=tuple((number, "is empty") for number in range(80)), broken_lines=80)
    assert (len((many + many).broken), (many + many).broken_lines) == (100, 160)


def test_the_words_of_a_waiting_file_are_in_no_file_of_the_server(other_server: Server) -> None:
    with closing(PostgresStore(other_server.new_database())) as store:
        words = Words()
        store.staging().add("ana", words.short, words.short.encode(), [(1, f"{words.short} {words.long}".encode())])
        other_server.execute("CHECKPOINT")
        assert found_in(other_server.folder, words.all) == []


@pytest.mark.parametrize("how", ["the user", "an entry"])
def test_an_erasure_destroys_the_keys_of_the_parts_that_are_gone(other_server: Server, how: str) -> None:
    url = other_server.new_database()
    with closing(PostgresStore(url)) as store:
        store.log("ana").append([store_turn("one"), store_turn("two")])
        staging = store.staging()
        file = staging.add("ana", "trips.csv", b"", [(1, b"first"), (1, b"second")])
        rows = other_server.execute("SELECT key FROM uac.staged_keys WHERE part < 2", name_in(url))
        keys = [key for (key,) in rows if isinstance(key, bytes)]
        assert len(keys) == 2
        staging.write_part(file.id, 1, written)
        other_server.execute("CHECKPOINT")
        assert found_in(other_server.folder, keys)
        if how == "the user":
            store.erase("ana")
            assert staging.files() == ()
            assert staging.header(file.id) is None
            assert not staging.write_part(file.id, 2, written)
        else:
            store.log("ana").erase([1], why="asked")
            keys = keys[1:]  # that of the header is still needed
        assert found_in(other_server.folder, keys) == []


def test_erasing_a_user_waits_for_a_part_that_is_being_written(postgres: Server) -> None:
    url = postgres.new_database()
    with closing(PostgresStore(url)) as store:
        staging = store.staging()
        file = staging.add("ana", "trips.csv", b"", [(1, b"a")])
        erasing = threading.Thread(target=store.erase, args=("ana",))
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%staged_files%'"

        def write(part: bytes) -> PartResult:
            erasing.start()
            wait_until(lambda: postgres.execute(waiting, name_in(url)) == [(1,)], "the erasure waits")
            store.log("ana").append([store_turn("a line of the file")])
            return written(part)

        assert staging.write_part(file.id, 1, write)
        erasing.join()
        assert store.log("ana").head().position == 0
        assert staging.files() == ()


def test_a_user_who_is_erased_while_a_file_is_read_has_no_file(postgres: Server) -> None:
    with closing(PostgresStore(postgres.new_database())) as store:
        staging = store.staging()

        def parts() -> Iterator[tuple[int, bytes]]:
            assert remove_staged_files(store, "ana") == 1
            yield from ()

        with pytest.raises(Refused, match="The user was erased while the file was read"):
            staging.add("ana", "trips.csv", b"", parts())


def test_a_store_without_staging_has_no_files_to_remove(postgres: Server) -> None:
    assert remove_staged_files(MemoryStore(), "ana") == 0
    with closing(PostgresStore(postgres.new_database())) as store:
        assert (remove_staged_files(store, "ana"), store.staging().files()) == (0, ())
        assert store.staging().header("none") is None
