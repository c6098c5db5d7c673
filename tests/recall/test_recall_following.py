"""The search index follows the log: step by step as from scratch, for other processes too, and without erased words."""

import secrets
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.recall import START, Meanings, World
from support.short_logs import ALLERGY, TRIP
from uac.log.index import Passage
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.log.stores.sqlite_pool import set_pragmas
from uac.project.fold import fold_entries
from uac.recall.search import Filter, Found, Recall
from uac.schema.entries import Checkpoint, Correction, Observation, Retraction
from uac.schema.patches import Define, End
from uac.testing.recall import indexed_passages, recall_arrays

ANIMALS = ("zebra", "lion", "giraffe and lion", "the zebra, the lion", "yes?", "斑马 狮子", "zebra on 3 May 2025 " * 30)


def passages(log: Log) -> list[Passage]:
    """What an index holds."""
    return sorted(indexed_passages(log.index()), key=lambda passage: (passage.position, passage.record, passage.start))


def answers(recall: Recall) -> list[Found]:
    found = [recall.find(query, k=None) for query in (*ANIMALS, "nuts mild", "Ana", "lion in May 2025")]
    return [*found, recall.find("zebra lion", Filter(through=5)), recall.find("zebra lion", k=None, tokens=60)]


# --- damaged ---


def flip(file: Path, table: str, column: str, where: float) -> None:
    """Change one bit of every value of a column."""
    with sqlite3.connect(file) as connection:
        for key, value in connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            place = int(where * len(value))
            changed = value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :]
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, key))
    connection.close()


@pytest.mark.parametrize(("table", "column"), [("indexes", "head"), ("index_blocks", "data")])
@pytest.mark.parametrize("where", [0.0, 0.01, 0.03, 0.1, 0.3])
def test_a_damaged_index_that_cannot_be_read_is_built_again(
    tmp_path: Path, table: str, column: str, where: float
) -> None:
    with closing(SqliteStore(tmp_path / "m.db")) as store:
        log = store.log("ana")
        log.append([Observation(text=text, said=START, role="user") for text in ANIMALS])
        expected = found_in_a_new_process(log)
    flip(tmp_path / "m.db", table, column, where)
    with closing(SqliteStore(tmp_path / "m.db")) as store:
        assert found_in_a_new_process(store.log("ana")) == expected


def test_an_index_that_lost_its_blocks_is_built_again(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "m.db")) as store:
        log = store.log("ana")
        log.append([Observation(text=text, said=START, role="user") for text in ANIMALS])
        expected = found_in_a_new_process(log)
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute("DELETE FROM index_blocks")
    connection.close()
    with closing(SqliteStore(tmp_path / "m.db")) as store:
        assert found_in_a_new_process(store.log("ana")) == expected


def found_in_a_new_process(log: Log) -> list[str]:
    """What a search in a new process finds."""
    recall = Recall()
    recall.follow(log, fold_entries(log.read()))
    return [hit.text for query in ("zebra", "lion") for hit in recall.find(query, k=None).hits]


# --- step by step, and from scratch -----------------------------------------------------------------------------------

Step = tuple[str, int, str]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "fact", "put", "end", "correct", "retract", "erase", "nothing"]),
        st.integers(1, 12),
        st.sampled_from(ANIMALS),
    ),
    max_size=16,
)


@settings(
    max_examples=examples(20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@example(
    steps=[("user", 1, "zebra"), ("put", 2, "zebra"), ("end", 2, "zebra")],
    sparing=False,
    on_disk=False,
    embedder=Meanings(),
)
@given(steps=STEPS, sparing=st.booleans(), on_disk=st.booleans(), embedder=st.sampled_from([None, Meanings()]))
def test_an_index_that_followed_step_by_step_equals_one_made_from_scratch(
    tmp_path: Path, steps: list[Step], sparing: bool, on_disk: bool, embedder: Meanings | None
) -> None:
    store = SqliteStore(tmp_path / f"{secrets.token_hex(8)}.db") if on_disk else MemoryStore()
    world = World(store.log("ana"), embedder=embedder)
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    for number, step in enumerate(steps):
        take(world, *step)
        if not sparing or number % 3 == 0:
            world.follow()
    followed, kept, head = answers(world.follow()), passages(world.log), world.log.index().head()
    neighbours = [world.recall.neighbours(place) for place in range(1, 30)]
    world.log.index().clear()
    fresh = Recall(embedder=embedder)
    fresh.follow(world.log, fold_entries(world.log.read()))
    assert passages(world.log) == kept
    fresh_head = world.log.index().head()
    assert msgspec.structs.replace(fresh_head, generation=head.generation, blocks=head.blocks) == head
    assert answers(fresh) == followed
    assert [fresh.neighbours(place) for place in range(1, 30)] == neighbours
    readable = {stored.position for stored in world.log.read() if stored.entry is not None} - world.project.gone
    assert {hit.position for found in followed for hit in found.hits} <= readable | {0}
    store.close()


def take(world: World, step: str, number: int, text: str) -> None:
    """One step of a story; one that cannot be taken is left out."""
    at = min(number, world.log.head().position)
    kinds = {stored.position: stored.kind for stored in world.log.read() if stored.entry is not None}
    record = f"health.Allergy:{text.strip().casefold()}"
    known = fold_entries(world.log.read()).tables["health.Allergy"]
    match step:
        case "user" | "assistant":
            world.say(text, role="assistant" if step == "assistant" else "user", session=f"s{number % 2}")
        case "fact" if kinds.get(at) == "observation":
            world.fact(text, at)
        case "put" if kinds.get(at) in ("observation", "fact"):
            world.put(text, "mild" if number % 2 else "severe", at)
        case "end" if record in known and kinds.get(at) in ("observation", "fact"):
            world.add(Checkpoint(patches=(End(record=record, when="2026-01", why="outgrown", cites=(at,)),)))
        case "correct" if record in known:
            world.add(Correction(record=record, field="severity", value="grave"))
        case "retract" if kinds.get(at) in ("observation", "fact", "retraction"):
            world.add(Retraction(positions=(at,), why="wrong"))
        case "erase" if kinds.get(at) in ("observation", "fact"):
            world.log.erase([at], why="asked")
        case _:
            pass


def test_following_twice_changes_nothing() -> None:
    world = World()
    world.say("zebra")
    before = world.find("zebra"), world.log.index().head()
    assert (world.find("zebra"), world.log.index().head()) == before


def test_only_records_that_changed_are_indexed_anew() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=ALLERGY), Define(type=TRIP))))
    world.put("nuts", "mild", 1)
    world.put("milk", "mild", 1)
    world.follow()
    before = dict(recall_arrays(world.log.index()).tables["record"].row_of)
    world.put("milk", "severe", 1)
    world.follow()
    after = recall_arrays(world.log.index()).tables["record"].row_of
    assert after.keys() == before.keys()
    assert [record for record in before if after[record] != before[record]] == ["health.Allergy:milk"]


def test_an_older_project_is_searched_without_what_came_later() -> None:
    world = World()
    world.say("zebra")
    older = fold_entries(world.log.read())
    world.say("giraffe")
    world.follow()
    then = Recall()
    then.follow(world.log.as_of(1), older)
    assert [hit.position for hit in then.find("zebra giraffe").hits] == [1]
    assert set(world.found("zebra giraffe")) == {1, 2}


def test_a_user_who_was_erased_and_came_back_is_indexed_anew(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    world = World(store.log("ana"))
    world.say("zebra")
    world.say("lion")
    world.follow()
    store.erase("ana")
    again = World(store.log("ana"))
    again.recall = world.recall
    again.say("lion", on=START.replace(year=2025))
    again.say("tiger", on=START.replace(year=2025))
    assert again.found("zebra") == []
    assert set(again.found("lion tiger")) == {1, 2}
    assert [passage.position for passage in passages(again.log)] == [1, 2]
    store.close()


# --- erasure ----------------------------------------------------------------------------------------------------------


def words_in(path: Path, words: list[str]) -> list[str]:
    files = [Path(f"{path}{ending}") for ending in ("", "-wal", "-shm", "-journal")]
    content = b"\0".join(file.read_bytes() for file in files if file.exists())
    return [word for word in words if word.encode() in content]


@pytest.mark.parametrize("others", [0, 300], ids=["alone", "among many"])
def test_erased_words_are_never_found_and_in_no_byte_of_the_file(tmp_path: Path, others: int) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    world = World(store.log("ana"))
    # Letters from the middle: the index of words leaves out those that a word shares with the one before it.
    secret, name, claimed, kept = (secrets.token_hex(10) for _ in range(4))
    for number in range(others):
        world.say(f"filler {number} {secrets.token_hex(8)}", session=f"s{number % 9}")
    turn = world.say(f"my {secret}", speaker=f"Zoltan{name}", session="z")
    fact = world.fact(f"has a {secret}", turn, about=f"Zebulon{name}")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put(f"{claimed} {secret}", "mild", fact)
    world.say(f"keep {kept}", session="k")
    world.follow()
    words = [secret, name, claimed]
    assert world.found(secret) != []
    assert words_in(store.path, [word[4:] for word in words]) == [word[4:] for word in words]
    world.log.erase([turn], why="asked")
    assert words_in(store.path, [word[4:] for word in words]) == []
    for word in (*words, f"Zoltan{name}", f"Zebulon{name}"):
        assert world.find(word) == Found([], 0)
    assert [hit.text for hit in world.find(kept).hits] == [f"keep {kept}"]
    assert words_in(store.path, [word[4:] for word in [*words, kept]]) == [kept[4:]]
    store.close()


# --- several at once --------------------------------------------------------------------------------------------------

ASK = """
import sys
from pathlib import Path
from uac.project.fold import fold_entries
from uac.recall.search import Recall
from uac.log.stores.sqlite import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
log = store.log("ana")
before = log.index().head()
recall = Recall()
recall.follow(log, fold_entries(log.read()))
print(before.position, before == log.index().head(), [hit.position for hit in recall.find("zebra").hits])
"""


def ask_elsewhere(path: Path) -> str:
    done = subprocess.run([sys.executable, "-c", ASK, str(path)], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def test_another_process_finds_what_this_one_indexed_without_indexing_again(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    world = World(store.log("ana"))
    world.say("zebra", session="a")
    world.say("lion", session="b")
    world.follow()
    assert ask_elsewhere(store.path) == "2 True [1]"
    store.close()


def test_a_new_search_reads_only_what_the_index_has_not_seen(tmp_path: Path) -> None:
    class Listed:
        """A log that notes which positions are read."""

        def __init__(self, log: Log) -> None:
            self.rows, self.places = log._rows, list[int]()

        def __getattr__(self, name: str) -> object:
            return getattr(self.rows, name)

        def read(self, start: int, stop: int | None) -> Iterator[object]:
            for row in self.rows.read(start, stop):
                self.places.append(row.position)
                yield row

        def read_at(self, positions: Collection[int]) -> Sequence[object]:
            self.places += positions
            return self.rows.read_at(positions)

    store = SqliteStore(tmp_path / "memory.db")
    world = World(store.log("ana"))
    for number in range(30):
        world.say(f"zebra {number}")
    world.follow()
    world.say("lion")
    project = fold_entries(world.log.read())
    listed = Listed(world.log)
    log = Log(listed, world.log.now)  # type: ignore[arg-type]  # all else is the log's own
    Recall().follow(log, project)
    assert sorted(set(listed.places)) == [30, 31]
    store.close()


def test_processes_that_index_at_once_make_one_index(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    log = store.log("ana")
    log.append([Observation(text=f"zebra {number}", said=START, session=f"s{number}") for number in range(1200)])
    with ThreadPoolExecutor(3) as threads:
        found = {answer.partition("[")[2] for answer in threads.map(ask_elsewhere, [store.path] * 3)}
    assert len(found) == 1
    kept = passages(log)
    log.index().clear()
    Recall().follow(log, fold_entries(log.read()))
    assert kept == passages(log)
    store.close()


@pytest.mark.parametrize("make", [lambda _path: MemoryStore(), lambda path: SqliteStore(path / "m.db")])
def test_threads_that_index_and_write_at_once_make_one_index(
    tmp_path: Path, make: Callable[[Path], MemoryStore | SqliteStore]
) -> None:
    store = make(tmp_path)
    log = store.log("ana")

    def work(number: int) -> int:
        recall = Recall()
        for turn in range(8):
            log.append([Observation(text=f"zebra {number} {turn}", said=START, session=f"s{number}")])
            known = log.as_of(log.head().position)
            recall.follow(log, fold_entries(known.read()))
        return len(recall.find("zebra", k=None).hits)

    with ThreadPoolExecutor(4) as threads:
        assert min(threads.map(work, range(4))) >= 8
    Recall().follow(log, fold_entries(log.read()))
    kept = passages(log)
    log.index().clear()
    Recall().follow(log, fold_entries(log.read()))
    assert kept == passages(log)
    assert len(kept) == 32
    store.close()


# --- a store that cannot be written -----------------------------------------------------------------------------------


def read_only(path: str) -> sqlite3.Connection:
    connection = set_pragmas(
        sqlite3.connect(f"file:{path}?mode=rw", uri=True, isolation_level=None, check_same_thread=False)
    )
    connection.execute("PRAGMA query_only = ON")
    return connection


@pytest.mark.parametrize("indexed", [0, 1, 2])
def test_a_store_that_cannot_be_written_is_searched_all_the_same(tmp_path: Path, indexed: int) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    world = World(store.log("ana"))
    for number, text in enumerate(("a zebra", "another zebra there")):
        world.say(text, session=f"s{number}")
        if number < indexed:
            world.follow()
    head = store.log("ana").index().head() if indexed else None
    expected = World(store.log("ana")).find("zebra") if indexed == 2 else None
    shut = SqliteStore(store.path, connect=read_only)
    reader = World(shut.log("ana"))
    found = reader.find("zebra")
    assert sorted(hit.position for hit in found.hits) == [1, 2]
    assert expected in (None, found)
    world.say("a third zebra", session="t")
    assert sorted(hit.position for hit in reader.find("zebra").hits) == [1, 2, 3]
    world.log.erase([1], why="asked")
    assert sorted(hit.position for hit in reader.find("zebra").hits) == [2, 3]
    assert reader.find("zebra").matched == 2
    if head is not None:
        assert head.position == indexed
    shut.close()
    store.close()


# --- an index that is ahead -------------------------------------------------------------------------------------------


def test_a_search_sees_what_it_followed_even_if_others_have_indexed_more() -> None:
    world = World()
    world.say("a lion", session="a")
    world.say("a zebra", session="b")
    recall = world.follow()
    before = recall.find("zebra lion")
    for number in range(20):
        world.say(f"zebra {number}", session=f"t{number}")
    Recall().follow(world.log, fold_entries(world.log.read()))
    assert recall.find("zebra lion") == before
    assert recall.embed(9) == 0
    assert len(world.find("zebra lion", k=99).hits) == 22
