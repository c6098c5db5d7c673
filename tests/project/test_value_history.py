"""Values over time: examples, and the law that they agree with what was valid on each day."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import Story, type_of
from support.time_histories import CALENDAR, FIRST, PLAN, STATEMENTS, Said, moment, told
from uac import Period
from uac.project.value_history import PastValue, value_history
from uac.schema.entries import Authority
from uac.schema.patches import Amend, End, Put

PURCHASE = type_of("shop.Purchase", cardinality="event", item="str", rating="int | None")
CLUB = type_of("shop.Club", key=["name"], policy={"days": "union"}, name="str", days="list[str] | None")


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(PLAN, PURCHASE, CLUB)
    return story


def put(story: Story, type_name: str, held: str = "", /, *, said: str, **fields: object) -> str:
    fact = story.fact(f"{fields}", at=moment(said), held=Period.on(held))
    story.change(Put(type=type_name, fields=fields, cites=(fact,)))
    return story.project.used[fact][0]


def amend(story: Story, record: str, held: str = "", /, *, said: str, by: Authority = "user", **fields: object) -> None:
    fact = story.fact(f"{fields}", at=moment(said), held=Period.on(held), authority=by)
    story.change(Amend(record=record, fields=fields, cites=(fact,)))


def history(story: Story, record: str, name: str) -> list[PastValue]:
    found = story.project.record(record)
    return value_history(found, story.project.types[found.type], name)


def day(text: str) -> date:
    return date.fromisoformat(text)


def test_a_price_that_rises_and_falls_again_is_three_values(story: Story) -> None:
    plan = put(story, "shop.Plan", "2024-01-10", said="2024-01-10", name="Net", price=9)
    amend(story, plan, "2024-03-01", said="2024-03-02", price=12)
    amend(story, plan, said="2024-06-05", price=9)
    assert history(story, plan, "price") == [
        PastValue(9, day("2024-01-10"), day("2024-02-29"), day("2024-01-10"), "user", "past"),
        PastValue(12, day("2024-03-01"), day("2024-06-04"), day("2024-03-02"), "user", "past"),
        PastValue(9, day("2024-06-05"), None, day("2024-06-05"), "user", "current"),
    ]
    assert history(story, plan, "note") == []


def test_the_value_before_a_correction_is_kept_and_marked(story: Story) -> None:
    plan = put(story, "shop.Plan", "2024-01-10", said="2024-01-10", name="Net", price=9)
    amend(story, plan, said="2024-03-02", by="correction", price=8)
    assert history(story, plan, "price") == [
        PastValue(9, day("2024-01-10"), None, day("2024-01-10"), "user", "corrected"),
        PastValue(8, day("2024-01-10"), None, day("2024-03-02"), "correction", "current"),
    ]


def test_a_weaker_word_is_overruled_and_one_that_changed_at_once_replaced(story: Story) -> None:
    plan = put(story, "shop.Plan", said="2024-01-10", name="Net", price=9)
    amend(story, plan, said="2024-01-20", by="assistant", price=7)
    amend(story, plan, said="2024-02-01", price=10)
    amend(story, plan, said="2024-02-01", price=11)
    assert [(each.value, each.by, each.status) for each in history(story, plan, "price")] == [
        (9, "user", "past"),
        (7, "assistant", "overruled"),
        (10, "user", "replaced"),
        (11, "user", "current"),
    ]


def test_the_last_value_of_a_record_that_ended_counts_until_then(story: Story) -> None:
    plan = put(story, "shop.Plan", "2024-01-10", said="2024-01-10", name="Net", price=9)
    story.change(End(record=plan, when="2024-05-01", why="cancelled", cites=(story.fact("it is over"),)))
    assert history(story, plan, "price") == [
        PastValue(9, day("2024-01-10"), day("2024-04-30"), day("2024-01-10"), "user", "past")
    ]


def test_the_values_of_an_event_have_no_days(story: Story) -> None:
    lamp = put(story, "shop.Purchase", "2024-01-10", said="2024-01-10", item="lamp", rating=3)
    amend(story, lamp, said="2024-02-01", rating=4)
    amend(story, lamp, said="2024-03-01", by="correction", rating=2)
    amend(story, lamp, said="2024-04-01", rating=5)
    assert [each[:3] + each[5:] for each in history(story, lamp, "rating")] == [
        (3, None, None, "corrected"),
        (4, None, None, "corrected"),
        (2, None, None, "past"),
        (5, None, None, "current"),
    ]


def test_all_items_of_a_union_are_current(story: Story) -> None:
    club = put(story, "shop.Club", said="2024-01-10", name="Chess", days=["Monday"])
    amend(story, club, said="2024-02-01", days=["Friday"])
    assert [(each.value, each.status) for each in history(story, club, "days")] == [
        (("Monday",), "current"),
        (("Friday",), "current"),
    ]


@settings(max_examples=150, deadline=None)
@given(st.lists(STATEMENTS, min_size=1, max_size=9))
def test_on_each_day_the_history_has_the_one_value_that_was_valid_then(statements: list[Said]) -> None:
    project = told(statements).project
    histories = {record.id: value_history(record, PLAN, "price") for record in project.records("shop.Plan")}
    for number in CALENDAR:
        moment_of = FIRST + timedelta(days=number)
        for record in project.at(valid=moment_of).records("shop.Plan"):
            if record.ended is not None or record.pauses or project.record(record.id).pauses:
                continue
            counting = [
                each.value
                for each in histories[record.id]
                if each.status in ("current", "past")
                and (each.first_day is None or each.first_day <= moment_of)
                and (each.last_day is None or moment_of <= each.last_day)
            ]
            assert counting == [record.values["price"]] * (record.values["price"] is not None)
