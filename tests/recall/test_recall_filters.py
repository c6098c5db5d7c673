"""What a search is narrowed down to: kinds, people and things, days, whose word, conversations, sources, the past."""

from datetime import UTC, date, datetime, timedelta

import pytest

from support.recall import World
from support.short_logs import ALLERGY, PERSON, Story, type_of
from uac import Memory
from uac.recall.search import Filter, Found
from uac.schema.entries import Checkpoint
from uac.schema.patches import Define, Put
from uac.schema.periods import Period

HOME = type_of("people.Home", cardinality="one", key=["person"], person="str", city="str")


def nuts() -> World:
    """One thing, said, taken as a fact and put into a record."""
    world = World()
    world.say("nuts", source="chat", session="a", on=datetime(2026, 1, 5, tzinfo=UTC))
    world.fact("nuts are bad", 1, authority="user")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("nuts", "mild", 2)
    world.say("nuts too", source="mail", session="b", on=datetime(2026, 1, 20, tzinfo=UTC))
    world.fact("nuts may be good", 5, authority="inferred")
    return world


RECORD = "health.Allergy:nuts"


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (Filter(), {1, 2, RECORD, 5, 6}),
        (Filter(kinds=("observation",)), {1, 5}),
        (Filter(kinds=("fact",)), {2, 6}),
        (Filter(kinds=("record",)), {RECORD}),
        (Filter(kinds=("fact", "record")), {2, RECORD, 6}),
        (Filter(kinds=()), set()),
        (Filter(authorities=("user",)), {2}),
        (Filter(authorities=("user", "inferred")), {2, 6}),
        (Filter(authorities=("tool",)), set()),
        (Filter(sessions=("a",)), {1}),
        (Filter(sessions=("a", "b", "c")), {1, 5}),
        (Filter(sessions=("c",)), set()),
        (Filter(sources=("mail",)), {5}),
        (Filter(sources=("mail",), sessions=("a",)), set()),
        (Filter(since=date(2026, 1, 6)), {5, 6}),
        (Filter(until=date(2026, 1, 5)), {1, 2}),
        (Filter(since=date(2026, 1, 20), until=date(2026, 1, 20)), {5, 6}),
        (Filter(since=date(2026, 1, 6), until=date(2026, 1, 19)), set()),
        (Filter(through=2), {1, 2}),
        (Filter(through=0), set()),
        (Filter(sources=("chat",), kinds=("fact",)), set()),
    ],
)
def test_only_what_all_of_a_filter_applies_to_is_found_and_counted(only: Filter, expected: set[int | str]) -> None:
    found = nuts().find("nuts", only)
    assert {hit.record or hit.position for hit in found.hits} == expected
    assert (found.matched, found.left_out) == (len(expected), 0)


def test_a_moment_stands_for_its_day() -> None:
    noon = datetime(2026, 1, 20, 12, tzinfo=UTC)
    found = Memory(nuts().log, packs=(), embedder=None).recall("nuts", between=(noon, noon), kinds=["observation"])
    assert [hit.position for hit in found] == [5]


def test_what_is_about_somebody_names_them_or_is_their_word() -> None:
    world = World()
    world.say("I moved house", speaker="Eva Lind", role="person", session="a")
    world.say("Eva has a new house", speaker="Ana", session="b")
    world.say("My house is old", speaker="Ana", session="c")
    world.fact("bought a house", 3, about="Eva")
    world.fact("sold a house", 3, about="Tom")
    assert set(world.found("house", Filter(about="eva"))) == {1, 2, 4}
    assert set(world.found("house", Filter(about="Eva Lind"))) == {1}
    assert set(world.found("house", Filter(about="Tom"))) == {5}
    assert world.find("house", Filter(about="Nobody")) == Found([], 0)
    assert world.find("house", Filter(about="?!")) == Found([], 0)


def test_a_record_can_be_what_is_asked_about() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=PERSON),)))
    for name in ("Eva", "Tom"):
        world.put_record("people.Person", {"name": name, "born": "1990-04-01"}, 1)
    assert world.found("born", Filter(about="Eva", kinds=("record",))) == ["people.Person:eva"]


# --- days -------------------------------------------------------------------------------------------------------------


def test_a_fact_is_about_the_days_it_held_not_the_day_it_was_said() -> None:
    world = World()
    world.say("I lived in Porto from 2010 to 2012, and in Lisbon since 2020.")
    porto = world.fact("lived in Porto", 1, held=Period("2010", "2012"))
    lisbon = world.fact("lives in Lisbon", 1, held=Period("2020"))
    facts = Filter(kinds=("fact",))
    for since, until, expected in (
        (date(2011, 1, 1), date(2011, 12, 31), [porto]),
        (date(2012, 12, 31), None, [porto, lisbon]),
        (date(2013, 1, 1), date(2019, 12, 31), []),
        (date(2030, 1, 1), None, [lisbon]),
        (None, date(2009, 12, 31), []),
    ):
        only = Filter(kinds=facts.kinds, since=since, until=until)
        assert sorted(map(str, world.found("lived lives Porto Lisbon", only))) == sorted(map(str, expected))


def test_a_record_is_about_the_days_its_fields_name() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=PERSON),)))
    world.put_record("people.Person", {"name": "Eva", "born": "1990-04-01"}, 1)
    assert world.found("Eva", Filter(since=date(1990, 4, 1), until=date(1990, 4, 1))) == ["people.Person:eva"]
    assert world.found("Eva", Filter(since=date(1990, 4, 2))) == []


# --- what no longer holds ---------------------------------------------------------------------------------------------


def moved_house() -> Story:
    story = Story()
    story.types(HOME)
    story.tell("people.Home", person="Ana", city="Porto")
    story.tell("people.Home", person="Ana", city="Lisbon")
    return story


def facts_of(found: Found) -> list[tuple[int, bool]]:
    return sorted((hit.position, hit.is_current) for hit in found.hits if hit.kind == "fact")


def test_a_fact_that_another_took_the_place_of_is_found_on_request_only_and_marked() -> None:
    memory = moved_house().memory
    porto, lisbon = (stored.position for stored in memory.log.read() if stored.kind == "fact")
    assert facts_of(memory.recall("Home city", kinds=["fact"])) == [(lisbon, True)]
    assert memory.recall("Home city", kinds=["fact"]).matched == 1
    everything = memory.recall("Home city", kinds=["fact"], former=True)
    assert facts_of(everything) == [(porto, False), (lisbon, True)]
    shown = memory.recall("Home city", kinds=["fact"], former=True, tokens=500).text
    assert [line.endswith("(no longer so)") for line in shown.splitlines()] == [True, False]


def test_a_fact_that_says_what_stands_is_found_however_old_it_is() -> None:
    story = moved_house()
    story.tell("people.Home", person="Ana", city="Porto")
    facts = [stored.position for stored in story.memory.log.read() if stored.kind == "fact"]
    (hit,) = story.memory.recall("Home city", kinds=["fact"]).hits
    assert (hit.position, hit.also, hit.is_current) == (facts[0], (facts[2],), True)


def test_a_fact_whose_record_a_person_corrected_no_longer_holds() -> None:
    story = Story()
    story.types(HOME)
    home = story.tell("people.Home", person="Ana", city="Porto")
    (fact,) = (stored.position for stored in story.memory.log.read() if stored.kind == "fact")
    assert facts_of(story.memory.recall("Porto")) == [(fact, True)]
    story.memory.correct(home, "city", "Lisbon")
    assert facts_of(story.memory.recall("Porto")) == []
    assert facts_of(story.memory.recall("Porto", former=True)) == [(fact, False)]


def test_a_fact_in_no_record_holds() -> None:
    world = World()
    world.say("…")
    fact = world.fact("Ana likes tea", 1)
    assert [(hit.position, hit.is_current) for hit in world.find("tea").hits if hit.kind == "fact"] == [(fact, True)]


# --- what was known then ----------------------------------------------------------------------------------------------


def test_as_of_a_position_or_a_time_finds_what_was_known_then() -> None:
    story = moved_house()
    memory = story.memory
    entries = list(memory.log.read())
    porto = next(stored for stored in entries if stored.kind == "fact")
    first_put = next(stored for stored in entries if stored.position > porto.position and stored.kind == "checkpoint")
    now = memory.recall("Home city Porto Lisbon")
    for when in (first_put.position, first_put.at):
        then = memory.recall("Home city Porto Lisbon", as_of=when)
        assert {hit.record or hit.position for hit in then.hits} == {
            porto.position - 1,
            porto.position,
            "people.Home:ana",
        }
        assert facts_of(then) == [(porto.position, True)]
        (record,) = (hit.text for hit in then.hits if hit.kind == "record")
        assert record == "people.Home:ana person=Ana, city=Porto"
    assert memory.recall("Home city Porto Lisbon") == now


def test_as_of_different_times_one_after_another_each_is_told_right() -> None:
    story = Story()
    for animal in ("zebra", "giraffe", "lion"):
        story.said(f"a {animal} came")
    for when, expected in ((3, 3), (1, 1), (2, 2), (0, 0), (3, 3)):
        found = story.memory.recall("zebra giraffe lion", as_of=when)
        assert sorted(hit.position for hit in found.hits) == list(range(1, expected + 1))
        assert found.matched == expected


def test_what_was_erased_is_not_found_as_of_a_time_when_it_was_known() -> None:
    story = Story()
    story.said("a zebra came")
    story.said("a lion came")
    assert [hit.position for hit in story.memory.recall("zebra", as_of=2, without=["meaning"]).hits] == [1, 2]
    story.memory.log.erase([1], why="asked")
    assert story.memory.recall("zebra", as_of=2, without=["meaning"]) == Found([], 0)


def test_as_of_a_time_the_past_is_read_by_that_time() -> None:
    story = Story()
    for month in (5, 11):
        story.said("I ran", at=datetime(2025, month, 10, tzinfo=UTC))
    said = datetime(2025, 12, 30, tzinfo=UTC)
    last = story.said("I rested", at=said)
    notes = story.memory.recall("what did I run last month?", as_of=last).notes
    assert notes == ("read 'last month' as 2025-11-01 to 2025-11-30",)
    assert story.memory.recall("run last month", now=said - timedelta(days=200)).notes == (
        "read 'last month' as 2025-05-01 to 2025-05-31",
    )


def test_a_search_in_the_past_leaves_the_kept_index_alone() -> None:
    story = Story()
    story.said("zebra")
    story.memory.recall("zebra")
    head = story.memory.log.index().head()
    story.memory.recall("zebra", as_of=0)
    assert (story.memory.log.index().head(), head.position) == (head, 1)


def test_a_fact_that_stands_in_its_record_is_current() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=HOME),)))
    old = world.fact("lives in Porto", 1)
    world.add(Checkpoint(patches=(Put(type="people.Home", fields={"person": "Ana", "city": "Porto"}, cites=(old,)),)))
    assert world.found("Porto", Filter(kinds=("fact",))) == [old]
