"""Times in a question: days that words name, events that a fact tells the days of, and dates that do not exist."""

from datetime import UTC, datetime

import pytest

from support.recall import World
from uac.recall.search import Filter, Found
from uac.schema.entries import Retraction, Tick
from uac.schema.periods import Period

NOW = datetime(2025, 9, 15, 12, tzinfo=UTC)
DAYS = [
    datetime(year, month, 10, tzinfo=UTC)
    for year in (2024, 2025)
    for month in (1, 4, 7, 10)
    if (year, month) < (2025, 10)
]


def diary() -> World:
    """A turn with nearly the same words every third month from January 2024 to July 2025."""
    world = World()
    for number, day in enumerate(DAYS):
        world.say(f"I went running in place {number}", session=f"s{number}", on=day)
    return world


def day_of(world: World, query: str) -> str:
    """The day of what is found first."""
    said = world.find(query, now=NOW).hits[0].said
    assert said is not None
    return said.date().isoformat()


@pytest.mark.parametrize(
    ("query", "day", "note"),
    [
        ("Where did I go running last spring?", "2025-04-10", "read 'last spring' as 2025-03-01 to 2025-05-31"),
        ("Where was I running in April 2024?", "2024-04-10", "read 'April 2024' as 2024-04-01 to 2024-04-30"),
        ("running on 10 July 2024", "2024-07-10", "read '10 July 2024' as 2024-07-10 to 2024-07-10"),
        ("running in 2025-01", "2025-01-10", "as 2025-01-01 to 2025-01-31"),
        ("running two months ago", "2025-07-10", "read 'two months ago' as 2025-07-01 to 2025-07-31"),
        ("Wo bin ich im Oktober 2024 running gewesen?", "2024-10-10", "as 2024-10-01 to 2024-10-31"),
        ("2024年7月 running", "2024-07-10", "as 2024-07-01 to 2024-07-31"),
    ],
)
def test_what_was_said_in_the_time_that_is_asked_about_comes_first(query: str, day: str, note: str) -> None:
    world = diary()
    assert day_of(world, query) == day
    assert note in world.find(query, now=NOW).notes[0]
    assert "time" in world.find(query, now=NOW).hits[0].channels
    assert world.follow().find(query, k=20, now=NOW, without=["time"]).notes == ()


def test_a_time_alone_finds_what_was_said_then() -> None:
    world = diary()
    assert day_of(world, "in April 2024") == "2024-04-10"
    assert "time" in world.find("in April 2024", now=NOW).hits[0].channels


def test_the_time_of_a_turn_counts_for_less_if_nothing_else_in_it_matches() -> None:
    world = World()
    world.say("I was running along the river.", on=datetime(2024, 4, 10, tzinfo=UTC), session="sport")
    world.say("We baked a cake.", on=datetime(2024, 4, 10, tzinfo=UTC), session="home")
    asked = {
        hit.position: hit.channels["time"] for hit in world.find("running along the river, April 2024", now=NOW).hits
    }
    assert asked[1] == 0.4
    assert 0 < asked[2] < 0.2
    alone = {hit.position: hit.channels["time"] for hit in world.find("in April 2024", now=NOW).hits}
    assert alone == {1: 0.4, 2: 0.4}


def test_relative_words_are_read_by_the_last_word_or_tick_unless_a_time_is_given() -> None:
    world = diary()
    assert world.find("running last month").notes == ("read 'last month' as 2025-06-01 to 2025-06-30",)
    world.add(Tick(now=datetime(2025, 12, 1, tzinfo=UTC)))
    assert world.find("running last month").notes == ("read 'last month' as 2025-11-01 to 2025-11-30",)
    assert world.find("running last month", now=NOW).notes == ("read 'last month' as 2025-08-01 to 2025-08-31",)


# --- the time a fact held ---------------------------------------------------------------------------------------------


def test_a_fact_is_found_by_the_time_it_held_not_by_when_it_was_said() -> None:
    world = World()
    told = datetime(2025, 9, 1, tzinfo=UTC)
    world.say("I worked at the bakery in 2019 and at the library in 2022.", on=told)
    bakery = world.fact("worked at the bakery", 1, held=Period.on("2019"))
    library = world.fact("worked at the library", 1, held=Period.on("2022"))
    facts = Filter(kinds=("fact",))
    assert world.found("Where did Ana work in 2019?", facts, now=NOW)[0] == bakery
    assert world.found("Where did Ana work in 2022?", facts, now=NOW)[0] == library
    assert world.found("Where did Ana work in March 2022?", facts, now=NOW)[0] == library


def wedding() -> World:
    world = World()
    for month in (1, 6, 11):
        world.say(f"I bought shoes number {month}", session=f"s{month}", on=datetime(2024, month, 20, tzinfo=UTC))
    world.say("It was such a party", session="p", on=datetime(2025, 1, 2, tzinfo=UTC))
    world.fact("Eva had her wedding", 4, about="Eva", held=Period.on("2024-03-16"))
    return world


@pytest.mark.parametrize(
    ("query", "position", "days"),
    [
        ("Which shoes did I buy before the wedding?", 1, "… to 2024-03-15"),
        ("Which shoes did I buy after the wedding?", 2, "2024-03-17 to …"),
        ("Quelles shoes avant le wedding ?", 1, "… to 2024-03-15"),
        ("Welche shoes vor der wedding?", 1, "… to 2024-03-15"),
    ],
)
def test_before_and_after_an_event_are_read_by_when_a_fact_says_it_was(query: str, position: int, days: str) -> None:
    world = wedding()
    only = Filter(kinds=("observation",))
    hits = [hit for hit in world.find(query, only, now=NOW).hits if "shoes" in hit.text]
    assert hits[0].position == position
    assert world.find(query, only, now=NOW).notes[0].endswith(f"as {days}")


def test_an_event_that_nobody_spoke_of_is_no_time() -> None:
    world = wedding()
    assert world.find("shoes before the funeral", now=NOW).notes == ()
    assert {1, 2, 3} <= set(world.found("shoes before the funeral", now=NOW))


def test_an_event_that_was_retracted_is_no_time() -> None:
    world = wedding()
    assert world.find("shoes before the wedding", now=NOW).notes != ()
    world.add(Retraction(positions=(5,), why="wrong"))
    assert world.find("shoes before the wedding", now=NOW).notes == ()


# --- what no calendar has ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "running on 30 February 2024",
        "running on 2024-02-30",
        "running on 31.06.2024",
        "running 2024-13-45",
        "running on 99/99/9999",
        "running in the year 0000",
        "running in 99999",
        "running 0000-00-00",
        "running on the 32nd of May 2024",
        "running 999999999999999 years ago",
        "running in 99999999999 days",
        "laufen running am 30. Februar",
        "running 2023年2月30日",
    ],
)
def test_a_date_that_does_not_exist_is_no_error_and_the_other_words_still_find(query: str) -> None:
    world = diary()
    assert len(world.find(query, now=NOW).hits) == len(DAYS)


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
@pytest.mark.parametrize("query", ["running last spring", "running two years ago", "running next week", "last year"])
def test_the_ends_of_the_calendar_are_no_error(now: datetime, query: str) -> None:
    assert isinstance(diary().find(query, now=now), Found)
