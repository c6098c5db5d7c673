"""Erased words are in no cache of the process."""

import gc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from uac import Memory, Store, open_store
from uac.schema.word_caches import forget_cached_words, word_cache

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)


@pytest.fixture(params=["memory:", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = open_store(str(tmp_path / "memory.db") if request.param == "sqlite" else request.param)
    yield store
    store.close()


def _texts_with(word: bytes) -> list[str]:
    """The texts in the memory of this process that have a word. It is bytes, so that it is not found itself."""
    gc.collect()
    found: dict[int, str] = {}
    for one in gc.get_objects():
        for other in gc.get_referents(one):
            if type(other) is str and word in other.casefold().encode("utf-8", "replace"):
                found[id(other)] = other
    return list(found.values())


def _say(memory: Memory, words: bytes) -> int:
    return memory.add(words.decode(), said=NOON, session="home")


def _ask(memory: Memory, words: bytes) -> None:
    question = words.decode()
    memory.recall(question)
    memory.recall(question, tokens=500)
    assert memory.context(question, tokens=500).positions


def test_a_word_that_was_erased_is_nowhere_in_the_memory_of_the_process(store: Store) -> None:
    memory = Memory(store.log("ana"), packs=())
    position = _say(memory, b"On 4 May I hid the zyxquells under the oak")
    _say(memory, b"The oak is old")
    _ask(memory, b"Where are the zyxquells since 4 May?")
    assert len(_texts_with(b"zyxquell")) > 3
    memory.log.erase([position], why="asked")
    _ask(memory, b"Where is the oak?")
    assert _texts_with(b"zyxquell") == []


def test_a_process_that_reads_the_erasure_of_another_one_empties_its_caches(tmp_path: Path) -> None:
    known: list[int] = []

    @word_cache(8)
    def length(text: str) -> int:
        known.append(len(text))
        return len(text)

    one, other = open_store(tmp_path / "memory.db"), open_store(tmp_path / "memory.db")
    memory = Memory(one.log("ana"), packs=())
    position = _say(memory, b"I hid it under the oak")
    reader = Memory(other.log("ana"), packs=())
    reader.project()
    memory.log.erase([position], why="asked")
    forget_cached_words()
    assert [length("oak"), length("oak"), known] == [3, 3, [3]]
    reader.project()
    assert [length("oak"), known] == [3, [3, 3]]
    one.close()
    other.close()
