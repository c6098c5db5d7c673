"""Objects of a type with many records are loaded with just the attributes that a query names; results are the same."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import TRIP, Story
from support.whole_log import MOVES, random_log, reopened, stored_entries, whole_log
from uac.errors import CodeError
from uac.log.stores.in_memory import MemoryStore
from uac.project.fold import fold_entries
from uac.project.project import EMPTY_PROJECT, Project
from uac.sandbox import available_engines, compute
from uac.sandbox.compute import Computer
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.schema.patches import Amend, End

pytestmark = pytest.mark.skipif("process" not in available_engines(), reason="needs Linux")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUERIES = (
    "len(home.things), len(home.former_things)",
    "[t.name for t in home.things]",
    "[(t.price, t.weight) for t in home.things]",
    "total(t.price for t in home.things), [t.lasts for t in home.former_things]",
    "[(t.tags, t.beside) for t in home.things]",
    "for t in home.things:\n    t.tags.append('x')\n[t.tags for t in home.things]",
    "[t.share for t in home.things if t.is_new]",
    "[(t.opened, t.alarm, t.bought) for t in home.things]",
    "{t.colour: t.count for t in home.things}",
    "home.things",
    "max(home.things, key=lambda t: t.name, default=None)",
    "home.things == home.things[:], home.things[0] == home.things[-1] if home.things else None",
    "[str(t) for t in home.things]",
    "print(*home.things)\nlen(home.notes)",
    "f'{home.notes}'",
    "[record_id(t) for t in home.things]",
    "[end_of(t) for t in home.former_things]",
    "[history(t, 'colour') for t in home.things]",
    "[hasattr(t, 'price') for t in home.things], [getattr(t, 'weight', 7) for t in home.things]",
    "[t.nothing for t in home.things]",
    "try:\n    found = [t.price.amount for t in home.things]\nexcept AttributeError:\n    found = 'none'\nfound",
    "try:\n    found = str(home.things[0])\nexcept AttributeError:\n    found = 'none'\nfound",
    "found = 0\nfor t in home.things:\n    match t:\n        case home.Thing(count=int()):\n            found += 1\nfound",
    "['{0.name} {0.count}'.format(t) for t in home.things]",
    "any(t in home.former_things for t in home.things)",
    "home.Thing(*[None for n in range(13)]) in home.things",
    "[type(t).__name__ for t in home.things], all(isinstance(t, home.Thing) for t in home.things)",
    "sorted([n.text for n in home.notes]), [t.count for t in home.things]",
    "for t in home.things:\n    t.name = 'x'\n[t.name for t in home.things]",
    "user.home.things and [user.home.things[0].name]",
)


class Whole(ProcessSandbox):
    """The same engine, for which objects are loaded whole."""

    has_bare_objects = False


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[ProcessSandbox, ProcessSandbox]]:
    with closing(ProcessSandbox()) as bare, closing(Whole()) as whole:
        yield bare, whole


@pytest.fixture(autouse=True, scope="module")
def _every_type_has_many_records() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "MANY_RECORDS", 0)
        yield


def outcome(computer: Computer, project: Project, code: str) -> object:
    try:
        result = computer.run(project, code, now=NOON)
    except CodeError as error:
        return error.kind, str(error), error.line
    return repr(result.value), result.printed, result.reads


@pytest.mark.parametrize("code", QUERIES)
def test_a_query_gives_what_it_gives_on_whole_objects(
    engines: tuple[ProcessSandbox, ProcessSandbox], code: str
) -> None:
    entries = stored_entries(whole_log(MemoryStore().log("ana")))
    project = fold_entries(entries)
    with closing(Computer(engines[0])) as bare, closing(Computer(engines[1])) as whole:
        assert outcome(bare, reopened(project, entries), code) == outcome(whole, project, code)


@given(MOVES, st.lists(st.tuples(st.sampled_from(QUERIES), st.integers(1, 20)), min_size=1, max_size=6), st.booleans())
@settings(max_examples=15, deadline=None)
def test_queries_give_what_they_give_on_whole_objects(
    engines: tuple[ProcessSandbox, ProcessSandbox], moves: Any, steps: list[tuple[str, int]], from_snapshot: bool
) -> None:
    """Each query runs on a later project; a project of the one side may be opened from a snapshot."""
    entries = stored_entries(random_log([("put", "lamp", 3), *moves]))
    folded, known = EMPTY_PROJECT, 0
    with closing(Computer(engines[0])) as bare, closing(Computer(engines[1])) as whole:
        opened = folded
        for code, step in steps:
            new, known = entries[known : known + 4 + step], known + 4 + step
            folded, opened = fold_entries(new, folded), fold_entries(new, opened)
            assert outcome(bare, opened, code) == outcome(whole, folded, code)
            opened = reopened(folded, entries) if from_snapshot else opened


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(TRIP)
    for city in ("Paris", "Rome", "Oslo"):
        story.tell("travel.Trip", city=city, start="2026-05-01", cost="300.50 EUR")
    return story


def attributes(computer: Computer) -> frozenset[str] | None:
    """The attributes that the loaded trips have; None for all."""
    return computer.loaded(0)._types["travel.Trip"].names


def test_only_what_queries_name_is_loaded_each_once(
    engines: tuple[ProcessSandbox, ProcessSandbox], story: Story
) -> None:
    with closing(Computer(engines[0])) as computer:
        assert computer.run(story.project, "len(travel.trips)", now=NOON).value == 3
        assert attributes(computer) == frozenset()
        assert computer.run(story.project, "{t.city for t in travel.trips}", now=NOON).value == {
            "Oslo",
            "Paris",
            "Rome",
        }
        assert attributes(computer) == frozenset({"city"})
        story.tell("travel.Trip", city="Bern", start="2026-05-01", cost="1 CHF")
        assert computer.run(story.project, "total(t.cost for t in travel.trips)", now=NOON).value.keys() == {  # type: ignore[union-attr]  # a dict
            "EUR",
            "CHF",
        }
        assert attributes(computer) == frozenset({"city", "cost"})
        assert computer.run(story.project, "record_id(travel.trips[0])", now=NOON).value == "travel.Trip:#4.0"
        assert attributes(computer) == frozenset({"city", "cost", "uac_id"})
        assert "Bern" in str(computer.run(story.project, "travel.trips[3]", now=NOON).value)
        assert attributes(computer) is None


def test_changed_and_ended_records_have_what_the_others_have(
    engines: tuple[ProcessSandbox, ProcessSandbox], story: Story
) -> None:
    cities = "[t.city for t in travel.trips], [t.city for t in travel.former_trips]"
    paris, rome, _oslo = (record.id for record in story.project.records("travel.Trip"))
    with closing(Computer(engines[0])) as computer:
        assert computer.run(story.project, cities, now=NOON).value == (["Paris", "Rome", "Oslo"], [])
        story.change(Amend(record=rome, fields={"city": "Roma"}, cites=(story.fact("Roma, as they say"),)))
        assert computer.run(story.project, cities, now=NOON).value == (["Paris", "Roma", "Oslo"], [])
        story.change(End(record=paris, when="2026-02", cites=(story.fact("Paris is over"),)))
        assert computer.run(story.project, cities, now=NOON).value == (["Roma", "Oslo"], ["Paris"])
        assert attributes(computer) == frozenset({"city"})
        starts = computer.run(story.project, "{t.start.year for t in travel.trips + travel.former_trips}", now=NOON)
        assert starts.value == {2026}
        assert attributes(computer) == frozenset({"city", "start"})


def test_a_query_that_prints_before_it_needs_more_prints_once(
    engines: tuple[ProcessSandbox, ProcessSandbox], story: Story
) -> None:
    with closing(Computer(engines[0])) as computer:
        printed = computer.run(story.project, "print('once')\nprint(travel.trips[0])", now=NOON).printed
    assert printed.count("once") == 1
    assert "Paris" in printed
