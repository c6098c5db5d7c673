"""Vectors of passages: given in steps, kept apart by embedder, gone with their passage, and never needed."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from support.recall import Failing, Meanings, World
from uac.errors import Unreachable
from uac.log.index import Vectors
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.log.stores.sqlite_pool import set_pragmas
from uac.memory.memory import Memory
from uac.models.embedder import Embedder
from uac.project.fold import fold_entries
from uac.recall.search import IndexProgress, Recall, index_progress

TURNS = ("The zebra sleeps", "My automobile is red", "We baked a cake", "It rained all day")


def zoo(embedder: Embedder | None) -> World:
    world = World(embedder=embedder)
    for number, text in enumerate(TURNS):
        world.say(text, session=f"s{number}")
    return world


def notes_of(recall: Recall, query: str = "car") -> tuple[str, ...]:
    return recall.find(query).notes


def cars(name: str, dimension: int = 512) -> Meanings:
    return Meanings(name, dimension, vehicle="car automobil")


# --- one embedder -----------------------------------------------------------------------------------------------------


def test_each_passage_is_embedded_once() -> None:
    embedder = cars("one")
    world = zoo(embedder)
    assert world.found("car")[0] == 2
    assert sorted(embedder.embedded) == sorted(TURNS)
    world.say("A cart", session="c")
    world.follow()
    world.found("car")
    assert sorted(embedder.embedded) == sorted([*TURNS, "A cart"])
    assert notes_of(world.recall) == ()


def test_what_the_best_turn_is_about_is_found_too() -> None:
    world = zoo(Meanings("one", 512))
    world.say("The whippet Biscuit chased a zebra", session="a")
    world.say("Biscuit turned fourteen", session="b")
    found = {hit.position: hit.channels for hit in world.find("Which whippet?").hits}
    assert found[6].keys() == {"meaning", "person", "session"}  # by its name, which only the best turn has
    assert found[5]["meaning"] > found[6]["meaning"] > 0
    assert 6 not in {hit.position for hit in world.follow().find("Which whippet?", without=["meaning"]).hits}


def test_without_an_embedder_words_times_and_people_still_find() -> None:
    world = zoo(None)
    assert world.found("zebra")[0] == 1
    assert world.find("car").hits == []
    assert world.find("zebra").notes == ()
    assert world.recall.embed(10) == 0


def test_a_memory_without_an_embedder_says_nothing_of_meaning() -> None:
    memory = Memory(MemoryStore().log("ana"), packs=(), embedder=None)
    memory.add("The zebra sleeps")
    assert [hit.channels.keys() & {"meaning"} for hit in memory.recall("zebra").hits] == [set()]


def test_the_vector_of_what_was_erased_is_gone_and_not_made_again(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    embedder = cars("one")
    world = World(store.log("ana"), embedder=embedder)
    for text in TURNS:
        world.say(text, session=text)
    world.follow()
    world.log.erase([2], why="asked")
    assert world.follow().find("car").hits == []
    assert index_progress(store.log("ana"), embedder).vectors == 3
    assert embedder.embedded.count(TURNS[1]) == 1
    store.close()


# --- another embedder -------------------------------------------------------------------------------------------------


def test_vectors_of_another_embedder_are_never_compared() -> None:
    world = zoo(cars("small", 64))
    assert world.found("car")[0] == 2
    other = Recall(embedder=Meanings("large", 512))
    other.follow(world.log, fold_entries(world.log.read()), vectors=0)
    found = other.find("car")
    assert (found.hits, found.notes) == ([], ("meaning: 0 of 4 passages have a vector yet",))
    world.follow()
    assert world.found("car")[0] == 2


@pytest.mark.parametrize("dimension", [64, 512])
def test_a_new_embedder_embeds_in_steps_and_says_how_far_it_is(dimension: int) -> None:
    world = zoo(cars("old", 64))
    world.follow()
    new = Recall(embedder=cars("new", dimension))
    project = fold_entries(world.log.read())
    new.follow(world.log, project, vectors=0)
    steps = [(notes_of(new), new.embed(1)) for _ in range(4)]
    assert steps == [((f"meaning: {done} of 4 passages have a vector yet",), 3 - done) for done in range(4)]
    assert notes_of(new) == ()
    assert new.find("car").hits[0].position == 2
    assert [index_progress(world.log, cars(*each)).vectors for each in (("old", 64), ("new", dimension))] == [4, 4]


def test_while_some_have_no_vector_yet_words_find_those() -> None:
    world = zoo(None)
    project = fold_entries(world.log.read())
    half = Recall(embedder=cars("half"))
    half.follow(world.log, project, vectors=1)
    assert half.find("zebra").hits[0].position == 1
    assert "meaning" not in half.find("zebra").hits[0].channels
    assert notes_of(half) == ("meaning: 1 of 4 passages have a vector yet",)


# --- one that fails ---------------------------------------------------------------------------------------------------


def test_an_embedder_that_fails_leaves_the_rest_of_the_search_and_says_so() -> None:
    found = zoo(Failing()).find("zebra")
    assert found.hits[0].position == 1
    assert found.notes == ("meaning: 0 of 4 passages have a vector yet (the embedder does not answer)",)


def test_an_embedder_that_fails_for_the_question_leaves_the_rest_and_says_so() -> None:
    found = zoo(Failing(only_questions=True)).find("zebra")
    assert found.hits[0].position == 1
    assert found.notes == ("meaning: not searched, the embedder does not answer",)


def test_whoever_asks_for_vectors_alone_hears_of_the_failure() -> None:
    world = zoo(Failing())
    with pytest.raises(Unreachable, match="the embedder does not answer"):
        world.follow().embed(1)


def test_a_reranker_that_fails_leaves_the_order_and_says_so() -> None:
    class Silent:
        name = "silent"

        def scores(self, query: str, texts: object) -> list[float]:
            raise Unreachable("the reranker does not answer")

    world, plain = World(reranker=Silent()), World()
    for number in range(3):
        for each in (world, plain):
            each.say(f"zebra {number}", session=f"s{number}")
    notes = ("reranker: not asked, the reranker does not answer",)
    assert world.find("zebra") == msgspec.structs.replace(plain.find("zebra"), notes=notes)


def test_a_store_that_cannot_be_written_is_searched_by_meaning_too(tmp_path: Path) -> None:
    def read_only(path: str) -> sqlite3.Connection:
        connection = sqlite3.connect(f"file:{path}?mode=rw", uri=True, isolation_level=None, check_same_thread=False)
        set_pragmas(connection).execute("PRAGMA query_only = ON")
        return connection

    store = SqliteStore(tmp_path / "memory.db")
    world = World(store.log("ana"))
    for text in TURNS:
        world.say(text, session=text)
    world.follow()
    shut = SqliteStore(store.path, connect=read_only)
    assert World(shut.log("ana"), embedder=cars("one")).found("car")[0] == 2
    assert index_progress(store.log("ana"), cars("one")).vectors == 0
    shut.close()
    store.close()


# --- made anew --------------------------------------------------------------------------------------------------------


def test_an_index_made_anew_has_vectors_of_the_present_embedder_only(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    first = Memory(store.log("ana"), packs=(), embedder=cars("old"))
    for text in TURNS:
        first.add(text)
    before = first.recall("car", k=1).hits
    memory = Memory(store.log("ana"), packs=(), embedder=cars("new"))
    heard: list[tuple[str, int, int]] = []
    assert memory.reindex(on_progress=lambda *step: heard.append(step)) == IndexProgress(4, 4, 4)
    assert heard[0] == ("entries", 4, 4)
    assert [index_progress(store.log("ana"), cars(name)).vectors for name in ("old", "new")] == [0, 4]
    assert memory.recall("car", k=1).hits == before
    store.close()


def test_a_memory_gives_vectors_in_steps() -> None:
    memory = Memory(MemoryStore().log("ana"), packs=(), embedder=cars("one"))
    for text in TURNS:
        memory.add(text)
    assert [memory.embed(3), memory.embed(3), memory.embed(3)] == [1, 0, 0]


class Interrupted:
    """An embedder that takes so long that somebody else writes to the log meanwhile."""

    is_near = False

    def __init__(self, embedder: Embedder, others: Callable[[], object]) -> None:
        self.name, self.dimension = embedder.name, embedder.dimension
        self._embedder, self._others = embedder, others

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        vectors = self._embedder.embed(texts, query=query)
        self._others()
        return vectors


def test_a_question_and_its_rare_words_are_one_request_to_a_slow_embedder() -> None:
    requests: list[Sequence[str]] = []

    class Recording(Interrupted):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            requests.extend([texts] if query else [])
            return super().embed(texts, query=query)

    memory = Memory(MemoryStore().log("ana"), embedder=Recording(cars("one"), lambda: None), packs=())
    memory.add("The car is blue")
    memory.recall("Where is the car?")
    assert requests == [["Where is the car?", "car"]]


def test_vectors_are_kept_though_others_write_while_they_are_made() -> None:
    store = MemoryStore()
    other = Memory(store.log("ana"), embedder=None, packs=())
    for text in TURNS:
        other.add(text)

    def others() -> None:
        if other.log.head().position == len(TURNS):
            other.add("A cart")
            other.recall("car")

    memory = Memory(store.log("ana"), embedder=Interrupted(cars("one"), others), packs=())
    memory.embed(len(TURNS))
    assert index_progress(store.log("ana"), cars("one")).vectors == len(TURNS)
    assert memory.embed() == 0


def test_a_search_does_not_wait_for_an_embedder_elsewhere_to_read_everything() -> None:
    far = cars("far")
    far.is_near = False
    world = World(embedder=far)
    for number in range(100):
        world.say(f"a car {number}")
    assert world.find("car").notes == ("meaning: 64 of 100 passages have a vector yet",)
    assert world.find("car").notes == ()
