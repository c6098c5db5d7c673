"""Laws of what the inspector's pages are made of: texts of values, pages of the log, charts, coverage, bars."""

import ast
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.browser import Lives
from support.inspector_client import watched_life
from support.short_logs import ALLERGY, START, Story, type_of
from uac import Memory
from uac.errors import Refused
from uac.interfaces.inspector.chart_figures import chart_code, draw_chart
from uac.interfaces.inspector.chart_form import (
    Chart,
    chart_title,
    is_chart_noun,
    read_chart,
    suggested_form_charts,
)
from uac.interfaces.inspector.evidence_quotes import EvidenceQuote, quote_cited_entries
from uac.interfaces.inspector.page import read_page_positions
from uac.interfaces.inspector.pages.correct import parse_corrected_text, text_to_correct
from uac.interfaces.inspector.pages.log import MAX_READ, WINDOW, read_log_page
from uac.interfaces.inspector.pages.recall import WIDE, channel_bar, channel_bar_shares
from uac.interfaces.inspector.pages.trends import coverage_by_day, usage_trend_table
from uac.log.stores.in_memory import MemoryStore
from uac.packs import installed_packs
from uac.recall.hits import Hit
from uac.recall.matches import CHANNELS
from uac.sandbox.compute import computed_json
from uac.schema.entries import Citation, Fact, Observation, Tick
from uac.schema.patches import Put, SetAside
from uac.schema.types import field_types, parse_type
from uac.schema.values import Money, Typed, parse_value

LINES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1).map(str.strip).filter(bool)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9)
VALUES: dict[str, st.SearchStrategy[Typed]] = {
    "str": st.text(st.characters(codec="utf-8")),
    "int": st.integers(-(2**62), 2**62),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "bool": st.booleans(),
    "Decimal": DECIMALS,
    "Money": st.builds(Money, DECIMALS, st.sampled_from(["EUR", "USD"])),
    "date": st.dates(),
    "datetime": st.datetimes(datetime(1900, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  # hypothesis adds the zone
    "time": st.times().map(lambda moment: moment.replace(second=0, microsecond=0)),
    "timedelta": st.timedeltas(timedelta(0), timedelta(days=900)).map(
        lambda d: timedelta(seconds=int(d.total_seconds()))
    ),
    "Literal['a b', 'c']": st.sampled_from(["a b", "c"]),
    "list[str]": st.lists(LINES).map(tuple),
    "list[date]": st.lists(st.dates()).map(tuple),
}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(VALUES)).flatmap(lambda name: st.tuples(st.just(name), VALUES[name])))
def test_a_value_as_text_reads_back_as_the_value(told: tuple[str, Typed]) -> None:
    name, value = told
    kind = parse_type(name)
    assert parse_value(parse_corrected_text(text_to_correct(value), kind), kind) == value


@pytest.mark.parametrize(
    ("name", "text"), [("int", "three"), ("int", "1.5"), ("float", "x"), ("bool", "maybe"), ("list[int]", "1\nx")]
)
def test_text_that_is_no_value_is_refused(name: str, text: str) -> None:
    with pytest.raises(Refused, match=r"\. Use "):
        parse_corrected_text(text, parse_type(name))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.booleans(), max_size=2 * WINDOW), st.integers(1, 60))
def test_pages_of_the_log_read_backwards_hold_every_wanted_entry_once(are_wanted: list[bool], most: int) -> None:
    log = MemoryStore().log("ana")
    log.append([Observation(text="yes", said=START) if wanted else Tick(now=START) for wanted in are_wanted])
    found, below = [], len(are_wanted) + 1
    while below:
        page = read_log_page(log, below, lambda stored: stored.kind == "observation", most=most)
        assert (len(page.entries) <= most, page.looked <= MAX_READ + WINDOW) == (True, True)
        found += [stored.position for stored in page.entries]
        below = page.then
    assert found == [place for place in range(len(are_wanted), 0, -1) if are_wanted[place - 1]]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["fact", "record", "aside", "back"]), max_size=12))
def test_coverage_over_time_ends_at_the_coverage_of_now_and_never_falls(told: list[str]) -> None:
    story = Story()
    story.types(ALLERGY)
    facts: list[int] = []
    for number, what in enumerate(told):
        project = story.project
        waiting = [fact for fact in facts if fact in project.waiting]
        if what == "fact" or not waiting:
            facts.append(story.fact(f"I avoid thing {number}."))
        elif what == "record":
            story.change(Put(type="health.Allergy", fields={"substance": f"thing {number}"}, cites=(waiting[0],)))
        elif what == "aside":
            story.change(SetAside(cites=(waiting[0],), why="small talk", domain="health"))
        else:
            story.memory.retract([waiting[0]], why="no")
    project = story.project
    rows = coverage_by_day(project, datetime.fromisoformat(story.memory.log.head().at)).rows
    lines = {
        what: [row[2] for row in rows if row[1] == what and isinstance(row[2], int)]
        for what in ("all", "in records", "set aside")
    }
    counted = {
        "all": sum(source.is_fact and place not in project.gone for place, source in project.sources.items()),
        "in records": len(project.used),
        "set aside": len(project.aside),
    }
    assert {what: line[-1] if line else 0 for what, line in lines.items()} == counted
    assert all(line == sorted(line) for line in lines.values())


@pytest.fixture(scope="module")
def memory() -> Memory:
    return watched_life(Lives())


def test_the_code_of_every_suggested_chart_counts_every_record(memory: Memory) -> None:
    project = memory.project()
    charts = [chart for type_ in project.types.values() for chart in suggested_form_charts(type_)]
    counting = [chart for chart in charts if not chart.value]
    sums = {
        chart: sum(computed_json(memory.compute(chart_code(project.types[chart.type], chart)).value).values())
        for chart in counting
    }
    assert sums == {chart: project.count(chart.type) for chart in counting}
    assert all(drawn and drawn.svg.startswith("<svg") for drawn in (draw_chart(project, chart) for chart in charts))


def test_a_sum_by_month_and_category_is_the_sum_of_its_parts(memory: Memory) -> None:
    project = memory.project()
    type_ = project.types["spending.Expense"]
    by_month = memory.compute(chart_code(type_, Chart(type_.full_name, "month", "on", "amount"))).value
    assert by_month == {
        "2025-11": {"EUR": Decimal("31.20")},
        "2025-12": {"EUR": Decimal("173.80")},
        "2026-01": {"EUR": Decimal("76.10")},
        "2026-02": {"CHF": Decimal("80.00")},
    }
    apart = memory.compute(chart_code(type_, Chart(type_.full_name, "month", "on", "amount", "category"))).value
    assert isinstance(apart, list)
    assert {"month": "2025-12", "category": "home", "EUR": Decimal("129.00")} in apart
    december = [row["EUR"] for row in apart if isinstance(row, dict) and row["month"] == "2025-12"]
    assert sorted(map(str, december)) == ["129.00", "44.80"]


def test_every_chart_that_packs_suggest_has_code_and_is_read_back_from_its_address() -> None:
    charts = [
        (type_, chart) for pack in installed_packs() for type_ in pack.types for chart in suggested_form_charts(type_)
    ]
    project = replace(Story().project, types={type_.full_name: type_ for type_, _chart in charts})
    for type_, chart in charts:
        ast.parse(chart_code(type_, chart))
        assert read_chart(project, chart.type, chart.group, chart.measure, chart.apart) == chart
    assert "Spending by category, from transactions" in [chart_title(type_, chart) for type_, chart in charts]


def test_what_packs_suggest_reads_as_a_sentence() -> None:
    charts = [
        (type_, chart) for pack in installed_packs() for type_ in pack.types for chart in suggested_form_charts(type_)
    ]
    kinds = {type_.full_name: field_types(type_) for type_, _chart in charts}
    assert [
        kinds[chart.type][chart.by].kind for _type, chart in charts if kinds[chart.type][chart.by].kind == "bool"
    ] == []
    assert [title for type_, chart in charts if "“" in (title := chart_title(type_, chart)) or "(" in title] == []
    names = {name for _type, chart in charts if chart.shape == "category" for name in (chart.by, chart.value) if name}
    assert sorted(name for name in names if not is_chart_noun(name)) == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cost", "Cost of trips by month"),
        ("highest_m", "Highest (m) of trips by month"),
        ("asked_for", "“asked for” of trips by month"),
        ("owed", "“owed” of trips by month"),
        ("top_speed", "Top speed of trips by month"),
    ],
)
def test_a_name_that_reads_as_no_thing_stands_apart_in_a_title(name: str, told: str) -> None:
    fields: dict[str, Any] = {"on": "date", name: "Decimal"}
    trip = type_of("travel.Trip", cardinality="event", **fields)
    assert chart_title(trip, Chart("travel.Trip", "month", "on", name)) == told
    assert [chart.value for chart in suggested_form_charts(trip) if chart.value] == (
        [name] if is_chart_noun(name) else []
    )


def test_numbers_that_do_not_add_up_are_drawn_as_a_line() -> None:
    weight = type_of("health.Weight", cardinality="event", on="date", kilos="Decimal")
    assert suggested_form_charts(weight)[0] == Chart("health.Weight", "line", "on", "kilos")


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(CHANNELS), st.floats(0, 2), max_size=7), st.floats(0, 5))
def test_a_bar_of_channels_has_a_part_for_each_and_is_never_too_wide(channels: dict[str, float], top: float) -> None:
    hit = Hit("fact", 1, "", "x", sum(channels.values()), None, "", None, "", True, channels=channels)
    widths = [float(width) for width in re.findall(r'width="([\d.]+)"', channel_bar(hit, top).text)]
    assert len(widths) == len(channel_bar_shares(hit)) == sum(share > 0 for share in channels.values())
    assert sum(widths) <= WIDE + 0.05


def test_the_sentences_behind_something_stand_once_and_erased_ones_say_so() -> None:
    story = Story()
    first, second = story.fact("I like tea."), story.fact("I like rice.")
    again = story.memory.log.append(
        [Fact(text="Ana likes something.", about="Ana", authority="user", cites=(Citation(position=1, quote="like"),))]
    )[0]
    told = quote_cited_entries(story.memory.log, [second, first, again, first], most=10)
    said = {
        stored.position: stored.entry.said
        for stored in story.memory.log.read()
        if isinstance(stored.entry, Observation)
    }
    facts = ((2, "I like tea."), (5, "Ana likes something."))
    assert told == (
        EvidenceQuote(1, "I like tea.", ("I like tea.", "like"), facts, "user", said[1]),
        EvidenceQuote(3, "I like rice.", ("I like rice.",), ((4, "I like rice."),), "user", said[3]),
    )
    story.memory.log.erase([1], why="asked")
    assert [one.words for one in quote_cited_entries(story.memory.log, [1], most=10)] == [None]


def test_what_calls_took_is_told_by_day_step_and_model(memory: Memory) -> None:
    rows = usage_trend_table(memory.project().progress.spent).rows
    assert rows[0] == (date(2025, 11, 20), "extract", "provider:small", 1, 1010, Money(Decimal("0.00134"), "USD"))
    assert len(rows) == 9


@pytest.mark.parametrize("texts", [["0"], ["x"], ["-1"], ["1" * 20], ["٣"], [str(number) for number in range(1, 1002)]])
def test_what_is_no_position_is_refused(texts: list[str]) -> None:
    with pytest.raises(Refused):
        read_page_positions(texts)


def test_positions_are_read_in_order_and_once() -> None:
    assert read_page_positions(["7", " 3", "", "7"]) == [3, 7]
