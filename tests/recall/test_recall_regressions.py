"""What a review of recall found wrong once, and must not come back."""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from support.recall import World
from uac import Memory
from uac.errors import Refused
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.recall.search import Filter
from uac.schema.entries import Tick

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
EARLIER = datetime(2026, 1, 10, 10, tzinfo=UTC)


def test_words_of_a_record_that_is_gone_from_the_index_leave_the_file_with_the_entry_they_came_from(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    store = SqliteStore(path)
    memory = Memory(store.log("ana"), embedder=None)
    record = memory.put("health.Allergy", {"substance": "penicillin", "severity": "mild"}, said=NOW)
    corrected = memory.correct(record, "reaction", "zyxwortium")
    assert memory.recall("zyxwortium").matched
    memory.retract([corrected], why="a slip")
    memory.drop(record, why="never")
    assert not memory.recall("zyxwortium", kinds=["record"]).matched
    memory.log.erase([corrected], why="asked")
    store.close()
    assert b"zyxwort" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I do like my new job at Acme in Berlin", "I do not like my new job at Acme in Berlin"),
        ("my blood pressure this morning was 120", "my blood pressure this morning was 180"),
    ],
)
def test_a_denial_or_another_number_is_no_repetition(first: str, second: str) -> None:
    world = World()
    world.say(first)
    world.say(second)
    assert [hit.text for hit in world.find("job Acme blood pressure", tokens=500, k=None).hits] == [first, second]


def test_the_same_words_on_another_day_are_shown_with_their_day() -> None:
    world = World()
    for day in range(3):
        world.say("I went to the gym", on=EARLIER + timedelta(days=day))
    assert len(world.find("gym").hits) == 3


def test_days_are_searched_inside_of_what_a_filter_lets_through() -> None:
    world = World()
    for number in range(700):
        world.say(f"zebra {number}", session=f"s{number // 20}", on=datetime(2025, 1, 1, tzinfo=UTC))
    only = Filter(sessions=("s0",))
    assert len(world.find("What was said in 2025?", only, k=30, now=NOW).hits) == 20


def test_how_many_matched_does_not_depend_on_how_many_are_wanted() -> None:
    world = World()
    for number in range(700):
        world.say(f"{'zebra' if number % 2 else 'lion'} {number}", on=datetime(2025, 1, 1, tzinfo=UTC))
    assert {world.find("zebras in 2025", k=k, now=NOW).matched for k in (1, 20, 400)} == {700}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Marie aime les pommes et elle va à Paris avec nous", "Marie"),
        ("Mi hermano Carlos vive en la casa de la playa", "Carlos"),
        ("I think that Will is the one who cooks", "Will"),
    ],
)
def test_a_person_is_found_by_name_whatever_the_language_of_the_text(text: str, name: str) -> None:
    world = World()
    world.say(text)
    world.say("zebra")
    assert world.found(f"{text} zebra", Filter(about=name)) == [1]


def test_an_index_without_passages_is_made_anew_like_any_other() -> None:
    memory = Memory(MemoryStore(clock=lambda: NOW).log("ana"), embedder=None, clock=lambda: NOW)
    memory.log.append([Tick(now=EARLIER), Tick(now=NOW)])
    assert [memory.recall("zebra", as_of=when).hits for when in (2, 1, 2)] == [[], [], []]


def test_a_question_that_an_answer_brings_along_must_pass_the_filters_too() -> None:
    world = World()
    world.say("Where shall we eat?", source="web")
    world.say("At the harbour.", source="phone")
    found = world.find("harbour", Filter(sources=("phone",)), tokens=100, k=None)
    assert [hit.position for hit in found.hits] == [2]
    assert [hit.position for hit in world.find("harbour", tokens=100, k=None).hits] == [1, 2]


def test_a_text_where_a_list_is_needed_is_refused() -> None:
    memory = Memory(MemoryStore().log("ana"), embedder=None)
    with pytest.raises(Refused, match=r"sessions is 'home'. Use a list, such as \['home'\]"):
        memory.recall("zebra", sessions="home")


def test_a_moment_stands_for_its_day_at_either_end() -> None:
    memory = Memory(MemoryStore().log("ana"), embedder=None)
    memory.add("zebra", said=NOW)
    assert len(memory.recall("zebra", between=(date(2026, 3, 1), NOW - timedelta(hours=3)))) == 1


def test_a_day_is_not_taken_for_a_session() -> None:
    world = World()
    world.say("zebra", session="", on=EARLIER)
    assert world.found("zebra", Filter(sessions=("2026-01-10",))) == []


def test_a_record_that_changes_does_not_make_the_search_read_all_passages_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory(MemoryStore().log("ana"), embedder=None)
    for number in range(20):
        memory.add(f"turn {number}")
    record = memory.put("health.Allergy", {"substance": "nuts", "severity": "mild"}, said=NOW)
    assert memory.recall("mild", kinds=["record"])[0].record == record
    asked: list[bytes] = []
    index = memory.log.index()
    before, read = index.head(), index.read

    def noted(digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        asked.extend(digests)
        return read(digests)

    monkeypatch.setattr(index, "read", noted)
    memory.put("health.Allergy", {"substance": "nuts", "severity": "severe"}, said=NOW + timedelta(days=1))
    assert memory.recall("severe", kinds=["record"])[0].record == record
    turns = {block.digest for block in before.blocks if block.kind == "observation"}
    assert turns.isdisjoint(asked)
