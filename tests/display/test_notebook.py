"""What a notebook shows, and a memory used in a running event loop."""

import asyncio
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter

from support.short_logs import ALLERGY, START, TRIP, Story
from uac import Memory, installed_packs, open_store
from uac.conversation.ask import Answer, Computation, Quote
from uac.display.notebook import html_of, load_ipython_extension, summary, unload_ipython_extension
from uac.display.plots import by_category, by_month, plot
from uac.display.tables import record_table, table
from uac.errors import Refused
from uac.project.project import EMPTY_PROJECT
from uac.recall.context import Context, LeftOut
from uac.recall.hits import Found, Hit
from uac.sandbox.compute import CollectionRead, Result
from uac.sandbox.port import Value
from uac.schema.patches import Define, SetAside

Given = TypeVar("Given")


def parsed(html: str) -> ET.Element:
    return ET.fromstring(f"<div>{html}</div>")  # noqa: S314  # text that the test has just made


def lines(html: str) -> list[str]:
    """The texts, one for each paragraph, cell or item."""
    ends = ("p", "td", "th", "caption", "li", "pre", "blockquote", "mark", "strong")
    return ["".join(node.itertext()) for node in parsed(html).iter() if node.tag in ends]


@pytest.fixture
def story() -> Iterator[Story]:
    told = Story()
    told.types(TRIP, ALLERGY)
    told.tell("travel.Trip", city="Rome", start="2026-03-01", cost="12.50 EUR")
    told.tell("travel.Trip", city="Oslo", start="2026-04-01", cost="7 USD")
    told.fact("I like trains")
    told.change(SetAside(cites=(told.fact("It rains"),), why="small talk", domain="travel"))
    yield told
    told.memory.close()


class TestMemory:
    def test_a_memory_shows_its_records_its_coverage_and_what_waits(self, story: Story) -> None:
        assert lines(story.memory._repr_html_()) == [
            "Memory at 12",
            "Memory at 12",
            *("Records", "type", "records", "travel.Trip", "2"),
            *("Coverage", "domain", "records", "structured", "aside", "travel", "2", "2", "1"),
            "facts that wait: 1",
            "turns that no model has read: 4",
        ]
        waits = "facts that wait: 1; turns that no model has read: 4"
        assert repr(story.memory) == f"<Memory at 12; travel.Trip: 2; {waits}>"

    def test_a_memory_whose_store_is_closed_says_so(self, tmp_path: Path) -> None:
        store = open_store(tmp_path / "memory.db")
        memory = Memory(store.log("ana"))
        store.close()
        assert repr(memory).startswith("<Memory: ")

    def test_a_memory_shows_the_alerts_that_stand(self) -> None:
        health = [pack for pack in installed_packs() if pack.name == "health"]
        with_packs = Memory(open_store("memory:").log("ana"), packs=health, clock=lambda: START)
        with_packs.put("health.Allergy", {"substance": "Penicillin"})
        with_packs.put("health.Medication", {"name": "Amoxicillin"})
        shown = lines(with_packs._repr_html_())
        assert shown[0].startswith("Memory at ")
        assert shown[0].endswith(", 2026-01-01 09:00+00:00")
        assert shown[shown.index("critical") :][:3] == ["critical", "drug_allergy", "amoxicillin / penicillin"]
        assert shown[-1] == "alerts: 1"
        with_packs.close()

    def test_an_empty_memory_says_so(self) -> None:
        empty = Memory(open_store("memory:").log("ana"))
        assert repr(empty) == "<Memory at 0; no records>"
        assert lines(empty._repr_html_()) == ["Memory at 0", "Memory at 0", "Records", "type", "records", "no rows"]
        assert summary(EMPTY_PROJECT) == "at 0; no records"

    def test_a_memory_makes_tables_of_its_records(self, story: Story) -> None:
        assert story.memory.table("travel.Trip") == record_table(story.project, "travel.Trip", brief=True)
        assert len(story.memory.table("travel.Trip", former=True)) == 0
        with pytest.raises(Refused, match=r"No type 'travel.Train'"):
            story.memory.table("travel.Train")

    def test_a_memory_draws_its_records(self, story: Story) -> None:
        trips = story.memory.table("travel.Trip")
        drawn = story.memory.plot
        assert drawn("travel.Trip", when="start", value="cost") == by_month(trips, "start", "cost")
        assert drawn("travel.Trip", when="start", category="city") == by_month(trips, "start", category="city")
        assert drawn("travel.Trip", value="cost", category="city") == by_category(trips, "city", "cost")
        assert drawn("travel.Trip") == plot(trips)
        with pytest.raises(Refused, match="neither when nor category is given"):
            drawn("travel.Trip", value="cost")


class TestValues:
    def test_a_result_shows_its_table_and_whether_it_is_complete(self, story: Story) -> None:
        result = story.memory.compute("print('so far')\ntotal(trip.cost for trip in travel.trips)")
        assert lines(html_of(result)) == [
            "so far\n",
            *("name", "value", "EUR", "12.50", "USD", "7"),
            "not complete; travel.trips: 2 (1 fact waits) (at 12)",
        ]

    def test_a_result_that_read_everything_or_nothing_says_so(self) -> None:
        whole = Result(3, "", 9, (CollectionRead("travel.trips", 2, 0, 0),), 0.1, "monty")
        assert lines(html_of(whole)) == ["value", "3", "complete; travel.trips: 2 (at 9)"]
        assert lines(html_of(Result(3, "", 9, (), 0.1, "monty"))) == ["value", "3", "no records were read (at 9)"]

    def test_hits_say_how_many_more_matched(self) -> None:
        hit = Hit("fact", 3, "", "I fly", 0.5, START, "", None, "", is_current=True, channels={"words": 0.5})
        assert lines(html_of(Found([hit], 4, notes=("a note",)))) == [
            *("Recall", "kind", "source", "said", "speaker", "text", "score"),
            *("fact", "3", "2026-01-01 09:00+00:00", "", "I fly", "0.5"),
            "matched: 4; left out: 3",
            "a note",
        ]

    def test_an_explanation_leads_to_the_quoted_words(self, story: Story) -> None:
        nuts = story.tell("health.Allergy", substance="nuts")
        shown = parsed(html_of(story.memory.explain(nuts, "substance")))
        quoted = "health.Allergy {'substance': 'nuts'}"
        assert [mark.text for mark in shown.iter("mark")] == [quoted]
        assert [text for text in shown.itertext() if text.strip()] == [
            "health.Allergy:nuts.substance = nuts",
            "policy: latest",
            "✓ ",
            "nuts",
            " [user, 2026-01-01 21:00+00:00, entry 15]",
            quoted,
            "user, 2026-01-01 21:00+00:00, entry 13",
        ]

    def test_a_context_shows_its_text_and_what_was_left_out(self) -> None:
        told = Context("<memory>", 9, (), LeftOut(turns=3))
        assert lines(html_of(told)) == ["<memory>", "9 tokens; left out: 3 turns"]

    def test_an_answer_shows_what_it_rests_on(self) -> None:
        answer = Answer(
            "Two trips.",
            is_known=True,
            is_complete=False,
            computed=(Computation("len(travel.trips)", "2", is_complete=True),),
            records=("travel.Trip:rome",),
            quotes=(Quote(3, "I was in Rome", "user", None),),
            why="a turn waits",
        )
        assert list(parsed(html_of(answer)).itertext()) == [
            "Two trips.",
            "len(travel.trips)\n→ 2",
            "I was in Rome",
            "user, entry 3",
            "travel.Trip:rome",
            "not complete: a turn waits",
        ]
        unknown = Answer("", is_known=False, is_complete=True, why="nothing says so")
        assert lines(html_of(unknown)) == ["Not known", "Not known", "nothing says so"]

    def test_everything_else_shows_as_its_table(self) -> None:
        assert html_of([1, 2]) == table([1, 2]).html()
        assert html_of(plot({"a": 1})) == plot({"a": 1}).svg

    @settings(deadline=None)
    @given(st.text(), st.text())
    def test_words_of_strangers_never_become_markup(self, words: str, more: str) -> None:
        values = (
            Result({words: more}, words, 1, (), 0.1, more),
            Found([Hit("fact", 3, words, more, 0.5, None, words, None, "", is_current=True)], 1, notes=(more,)),
            Context(words, 1, (), LeftOut()),
            Answer(words, is_known=True, is_complete=True, computed=(Computation(words, more, is_complete=True),)),
        )
        allowed = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "pre", "strong"}
        for value in values:
            assert {node.tag for node in parsed(html_of(value)).iter()} <= allowed


def test_the_extension_shows_values_in_ipython_until_it_is_unloaded(story: Story) -> None:
    shell = SimpleNamespace(display_formatter=DisplayFormatter())
    found = story.memory.recall("trains")

    def shown(value: object) -> object:
        formats, _metadata = shell.display_formatter.format(value)
        return formats.get("text/html")

    load_ipython_extension(shell)
    for value in (found, story.project, story.memory.context("trains"), story.memory.compute("1")):
        assert shown(value) == html_of(value)
    assert shown(table([1])) == table([1]).html()
    assert shown(story.memory) == html_of(story.project)
    unload_ipython_extension(shell)
    assert shown(found) is None


class TestEventLoop:
    def test_tasks_that_share_a_memory_through_one_thread_lose_nothing(self, tmp_path: Path) -> None:
        store = open_store(tmp_path / "memory.db")
        memory = Memory(store.log("ana"), packs=(), embedder=None)
        memory.checkpoint([Define(type=TRIP)])

        async def visit(number: int) -> tuple[str, bool, Value]:
            start = date(2026, 1, 1) + timedelta(days=number)
            position = await call(memory.add, f"the visit number {number}")
            record = await call(memory.put, "travel.Trip", {"city": f"city {number}", "start": start})
            found = await call(memory.recall, f"visit number {number}")
            result = await call(
                memory.compute, f"[t.city for t in travel.trips if t.start == date({start:%Y, %-m, %-d})]"
            )
            return record, position in {hit.position for hit in found}, result.value

        async def call(function: Callable[..., Given], *args: Any) -> Given:
            return await asyncio.get_running_loop().run_in_executor(thread, function, *args)

        async def main() -> list[tuple[str, bool, Value]]:
            return await asyncio.gather(*map(visit, range(12)))

        with ThreadPoolExecutor(max_workers=1) as thread:
            seen = asyncio.run(main())
        assert [(found, value) for _record, found, value in seen] == [
            (True, [f"city {number}"]) for number in range(12)
        ]
        assert {record.id for record in memory.project().records("travel.Trip")} == {record for record, *_ in seen}
        memory.close()
        store.close()

    def test_a_call_whose_task_is_cancelled_goes_on_and_the_next_one_waits_for_it(self) -> None:
        memory = Memory(open_store("memory:").log("ana"), packs=())
        began, go_on = threading.Event(), threading.Event()

        def slowly() -> int:
            began.set()
            assert go_on.wait(300)
            return memory.add("the first")

        async def main() -> int:
            loop = asyncio.get_running_loop()
            first = asyncio.ensure_future(loop.run_in_executor(thread, slowly))
            await asyncio.to_thread(began.wait, 300)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            second = loop.run_in_executor(thread, memory.add, "the second")
            go_on.set()
            return await second

        with ThreadPoolExecutor(max_workers=1) as thread:
            assert asyncio.run(main()) == 2
        assert [row[-1] for row in table(memory.log.read())] == ["the first", "the second"]

    def test_tasks_with_a_memory_each_write_the_same_log_and_lose_nothing(self, tmp_path: Path) -> None:
        store = open_store(tmp_path / "memory.db")
        Memory(store.log("ana"), packs=()).checkpoint([Define(type=TRIP)])

        def visit(number: int) -> str:
            memory = Memory(store.log("ana"), packs=())
            return memory.put("travel.Trip", {"city": f"city {number}", "start": "2026-01-01"})

        async def main() -> list[str]:
            return await asyncio.gather(*(asyncio.to_thread(visit, number) for number in range(12)))

        made = asyncio.run(main())
        project = Memory(store.log("ana"), packs=()).project()
        assert {record.id: record.values["city"] for record in project.records("travel.Trip")} == {
            record: f"city {number}" for number, record in enumerate(made)
        }
        assert store.log("ana").verify() is None
        store.close()

    def test_the_loop_goes_on_while_a_call_waits(self) -> None:
        memory = Memory(open_store("memory:").log("ana"), clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))

        async def main() -> list[str]:
            told: list[str] = []
            go_on = asyncio.Event()
            loop = asyncio.get_running_loop()

            def call() -> int:
                # The call ends only after the loop has served another task.
                asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(timeout=300)
                return memory.add("kept")

            async def other() -> None:
                told.append("another task")
                go_on.set()

            position, _none = await asyncio.gather(asyncio.to_thread(call), other())
            return [*told, f"kept at {position}"]

        assert asyncio.run(main()) == ["another task", "kept at 1"]
