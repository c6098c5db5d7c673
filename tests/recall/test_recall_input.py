"""Whatever is asked of whatever log: a sensible answer or a refusal, never an error of the engine underneath."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.recall import START, Meanings, World
from uac.errors import Refused
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.recall.search import Filter, Found
from uac.schema.entries import Observation

SYNTAX = (
    '"',
    '""',
    '"zebra',
    "zebra*",
    "zebra OR",
    "OR zebra",
    "NEAR(zebra lion)",
    "NEAR(",
    "zebra AND NOT",
    "terms:zebra",
    "passage_words:zebra",
    "^zebra",
    "-zebra",
    "+zebra",
    "{terms} : zebra",
    "zebra'; DROP TABLE passages; --",
    "zebra\\",
    "zebra & !lion | <-> :*",
    "zebra:*",
    "to_tsquery('zebra')",
    "%zebra%",
    "_ebra",
    "1_zebra",
    "zebra\0lion",
    "\0",
    "\ud800zebra",
    "\udfff",
    "$1 ? :a @b",
    "zebra" + "\u0301" * 500,
    "((((((((((" * 50 + "zebra",
)


def zoo() -> World:
    world = World(embedder=Meanings())
    world.say("The zebra sleeps", session="a")
    world.say("The lion eats", session="b")
    return world


@pytest.mark.parametrize("query", SYNTAX)
def test_signs_that_mean_something_to_a_search_engine_mean_nothing_here(query: str) -> None:
    found = zoo().follow().find(query, k=20, without=["meaning"])
    if "zebra" in query and "\u0301" not in query:
        assert 1 in {hit.position for hit in found.hits}
        assert (2 in {hit.position for hit in found.hits}) == ("lion" in query)


@pytest.mark.parametrize("query", ["", " ", "\n\t", "?!", "…", "\0", "\u200b", "\ud800"])
def test_a_question_without_words_finds_nothing(query: str) -> None:
    world = World()
    world.say("hello")
    assert world.find(query) == Found([], 0)
    assert world.find(query, k=None, tokens=100) == Found([], 0)


def test_a_question_of_emoji_alone_finds_nothing_by_words() -> None:
    world = World()
    world.say("🙂 hello 🎉")
    assert world.find("🙂🎉") == Found([], 0)


def test_a_question_of_stop_words_alone_is_no_error() -> None:
    world = zoo()
    assert set(world.found("the")) == {1, 2}
    assert World().found("the and of") == []


def test_in_a_question_of_50_000_characters_rare_words_still_find() -> None:
    world = World(embedder=Meanings())
    filler = " ".join(f"word{number}" for number in range(40))
    for number in range(3):
        world.say(filler, session=f"s{number}")
    rare = world.say("penicillin", session="p")
    for query in (
        (filler + " penicillin ") * 150,
        "penicillin " * 4600,
        "penicillin " + "?" * 50_000,
        "x" * 50_000 + " penicillin",
        "penicillin " + "医院" * 25_000,
    ):
        assert len(query) > 40_000
        assert rare in world.found(query), query[:40]


def test_a_question_of_50_000_dates_brackets_or_marks_is_no_error() -> None:
    world = zoo()
    for piece in (
        "last week ",
        "2024-02-30 ",
        "before the zebra ",
        "(",
        "e\u0301",
        "\u202e",
        "１",
        "1",
        "\0",
        "😀",
        "आ",
    ):
        query = (piece * 50_000)[:50_000]
        assert isinstance(world.find(query), Found)


# --- numbers and names ------------------------------------------------------------------------------------------------


def memory() -> Memory:
    """With one turn, and without an embedder."""
    kept = Memory(MemoryStore().log("ana"), packs=(), embedder=None)
    kept.add("The zebra sleeps", said=START.replace(year=2025))
    return kept


def test_no_hits_may_be_wanted() -> None:
    assert memory().recall("zebra", k=0) == Found([], 1)
    assert memory().recall("zebra", k=0).left_out == 1
    assert memory().recall("zebra", tokens=0) == Found([], 1)


def test_more_hits_than_there_are_may_be_wanted() -> None:
    assert len(memory().recall("zebra", k=10**9).hits) == 1
    assert len(memory().recall("zebra", tokens=10**9).hits) == 1


REFUSED: dict[str, dict[str, Any]] = {
    "k is -1. Use 0 or more": {"k": -1},
    "tokens is -5. Use 0 or more": {"tokens": -5},
    r"kinds is \['turn'\]. Use a list of: observation, fact, record": {"kinds": ["turn"]},
    "kinds is 'fact'. Use a list of: observation, fact, record": {"kinds": "fact"},
    r"authorities is \['god'\]. Use a list of: inferred, assistant, tool, document, user, correction": {
        "authorities": ["god"]
    },
    r"without is \['luck'\]. Use a list of: words, around, meaning, session, person, time, facts": {
        "without": ["luck"]
    },
    "between: 2025-06-01 to 2025-05-31 ends before it starts": {"between": (date(2025, 6, 1), date(2025, 5, 31))},
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_meant_is_refused(why: str) -> None:
    with pytest.raises(Refused, match=why):
        memory().recall("zebra", **REFUSED[why])


def test_what_is_asked_before_the_first_entry_is_refused_or_empty() -> None:
    assert memory().recall("zebra", as_of=0) == Found([], 0)
    assert memory().recall("zebra", as_of=datetime(2020, 1, 1, tzinfo=UTC)) == Found([], 0)


@pytest.mark.parametrize("name", ["", "'", "\0", "a\0b", "\ud800", "%", "x" * 50_000, "[1]", '"', "s\\"])
def test_sessions_sources_and_people_may_have_any_name(name: str) -> None:
    kept = memory()
    assert kept.recall("zebra", sessions=[name]) == Found([], 0)
    assert [hit.position for hit in kept.recall("zebra", sources=[name]).hits] == ([1] if name == "" else [])
    if name:
        assert kept.recall("zebra", about=name) == Found([], 0)


# --- any text ---------------------------------------------------------------------------------------------------------

ANY = st.text(st.characters(), max_size=60) | st.sampled_from(SYNTAX)
WHOLE = st.text(max_size=60).filter(lambda text: bool(text.strip()))


@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    texts=st.lists(st.tuples(WHOLE, st.text(max_size=8), st.text(max_size=8)), min_size=1, max_size=5),
    query=ANY,
    about=ANY,
    tokens=st.none() | st.integers(0, 200),
    on_disk=st.booleans(),
)
@example(texts=[("a\0b", "\0", "\0")], query="a\0b", about="\0", tokens=None, on_disk=True)
def test_any_question_to_any_log_has_an_answer(
    tmp_path: Path, texts: list[tuple[str, str, str]], query: str, about: str, tokens: int | None, on_disk: bool
) -> None:
    store = SqliteStore(tmp_path / f"{len(list(tmp_path.iterdir()))}.db") if on_disk else MemoryStore()
    log = store.log("ana")
    log.append([Observation(text=text, said=START, session=one, speaker=two) for text, one, two in texts])
    world = World(log, embedder=Meanings())
    for asked in (query, texts[0][0]):
        found = world.find(asked, tokens=tokens)
        assert found == world.find(asked, tokens=tokens)
        assert 0 <= found.left_out <= found.matched
        world.find(asked, Filter(about=about, sessions=(texts[0][1],)))
    store.close()


@settings(max_examples=examples(50), deadline=None)
@given(WHOLE)
def test_a_text_is_found_by_itself_if_it_has_words(text: str) -> None:
    world = World()
    world.say(text)
    found = world.find(text)
    assert (found.matched, [hit.text for hit in found.hits][:1]) in [(1, [text]), (0, [])]
    assert found.matched == 1 or not any(character.isalnum() and character.isascii() for character in text)
