"""What was valid on a day: examples, and generated histories compared with a slow and simple account of the law."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import Story, type_of
from support.time_histories import (
    CALENDAR,
    DAYS,
    FIRST,
    PLAN,
    STATEMENTS,
    Said,
    accounts,
    current,
    day_text,
    moment,
    told,
)
from uac import Period
from uac.schema.entries import Authority
from uac.schema.patches import Amend, End, Put

MEDICINE = type_of("health.Medicine", key=["name"], name="str", started="date | None", dose="int | None")
HOME = type_of("living.Home", cardinality="one", city="str", rent="int | None")
PURCHASE = type_of("shop.Purchase", cardinality="event", item="str", bought="date", price="int | None")


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(PLAN, MEDICINE, HOME, PURCHASE)
    return story


def put(
    story: Story, type_name: str, held: str = "", /, *, said: str, authority: Authority = "user", **fields: object
) -> str:
    fact = story.fact(f"{fields}", at=moment(said), held=Period.on(held), authority=authority)
    story.change(Put(type=type_name, fields=fields, cites=(fact,)))
    return story.project.used[fact][0]


def amend(
    story: Story, record: str, held: str = "", /, *, said: str, authority: Authority = "user", **fields: object
) -> None:
    fact = story.fact(f"{fields}", at=moment(said), held=Period.on(held), authority=authority)
    story.change(Amend(record=record, fields=fields, cites=(fact,)))


def end(story: Story, record: str, when: str, *, said: str, why: str = "") -> None:
    story.change(End(record=record, when=when, why=why, cites=(story.fact(f"over {why}", at=moment(said)),)))


def on(story: Story, day: str, type_name: str, name: str) -> list[object]:
    return [values[name] for values in current(story.project.at(valid=date.fromisoformat(day)), type_name)]


def test_a_later_statement_without_a_date_does_not_move_the_first_day_of_a_record(story: Story) -> None:
    shoes = put(story, "shop.Purchase", "2024-12-03", said="2024-12-03", item="shoes", bought="2024-12-03")
    amend(story, shoes, said="2024-12-20", price=80)
    pill = put(story, "health.Medicine", "2024-10-12", said="2024-10-20", name="pill")
    amend(story, pill, said="2024-11-01", authority="correction", dose=5)
    assert on(story, "2024-07-08", "shop.Purchase", "item") == []
    assert on(story, "2024-07-08", "health.Medicine", "name") == []
    assert on(story, "2024-12-04", "shop.Purchase", "price") == [80]
    assert on(story, "2024-10-12", "health.Medicine", "dose") == [5]


def test_a_purchase_that_states_its_day_as_a_value_begins_on_it(story: Story) -> None:
    put(story, "shop.Purchase", said="2024-12-20", item="shoes", bought="2024-12-03")
    assert on(story, "2024-12-02", "shop.Purchase", "item") == []
    assert on(story, "2024-12-03", "shop.Purchase", "item") == ["shoes"]


def test_an_event_that_was_moved_happened_on_its_new_day(story: Story) -> None:
    later = put(story, "shop.Purchase", "2024-05-10", said="2024-05-01", item="bed", bought="2024-05-10")
    amend(story, later, "2024-06-12", said="2024-05-05", bought="2024-06-12")
    sooner = put(story, "shop.Purchase", "2024-06-12", said="2024-05-01", item="sofa", bought="2024-06-12", price=9)
    amend(story, sooner, "2024-05-10", said="2024-05-05", bought="2024-05-10")
    assert current(story.project.at(valid=date(2024, 5, 15)), "shop.Purchase") == [
        {"item": "sofa", "bought": date(2024, 5, 10), "price": 9}
    ]
    assert on(story, "2024-06-12", "shop.Purchase", "item") == ["bed", "sofa"]


def test_what_begins_on_a_coming_day_was_not_so_before_it_was_said(story: Story) -> None:
    put(story, "shop.Plan", "2024-05-20", said="2024-05-03", name="debt", price=250)
    put(story, "health.Medicine", "2024-10-12", said="2024-10-10", name="pill", started="2024-10-12")
    assert on(story, "2024-05-02", "shop.Plan", "name") == []
    assert on(story, "2024-05-03", "shop.Plan", "name") == ["debt"]
    assert on(story, "2024-10-11", "health.Medicine", "name") == []
    assert on(story, "2024-10-12", "health.Medicine", "name") == ["pill"]


def test_a_new_value_without_a_date_counts_from_the_day_it_was_said(story: Story) -> None:
    gym = put(story, "shop.Plan", said="2024-03-01", name="gym", note="A")
    amend(story, gym, said="2024-09-01", note="B")
    amend(story, gym, said="2024-11-01", note="A")
    days = ("2024-01-01", "2024-08-24", "2024-09-01", "2024-12-01")
    assert [on(story, day, "shop.Plan", "note") for day in days] == [["A"], ["A"], ["B"], ["A"]]


def test_a_correction_without_a_date_counts_for_as_long_as_the_value_that_it_corrects(story: Story) -> None:
    gym = put(story, "shop.Plan", "2024-03-01", said="2024-03-01", name="gym", price=10)
    amend(story, gym, "2024-10-01", said="2024-10-02", price=12)
    story.memory.correct(gym, "price", 13)
    assert [on(story, day, "shop.Plan", "price") for day in ("2024-05-01", "2024-10-01", "2025-01-01")] == [
        [10],
        [13],
        [13],
    ]


def test_a_corrected_start_is_the_first_day(story: Story) -> None:
    pill = put(story, "health.Medicine", "2024-10-12", said="2024-10-20", name="pill", started="2024-10-12", dose=5)
    amend(story, pill, said="2024-10-21", started="2024-09-03")
    assert on(story, "2024-09-03", "health.Medicine", "dose") == [5]
    amend(story, pill, said="2024-10-22", authority="correction", started="2024-10-20")
    assert on(story, "2024-10-19", "health.Medicine", "dose") == []
    assert on(story, "2024-10-20", "health.Medicine", "dose") == [5]


def test_a_record_that_ended_and_came_back_was_over_in_between(story: Story) -> None:
    gym = put(story, "shop.Plan", "2024-01-01", said="2024-01-01", name="gym", price=10)
    end(story, gym, "2024-03-01", said="2024-03-01", why="cancelled")
    put(story, "shop.Plan", "2024-06-01", said="2024-06-01", name="gym", price=12)
    assert [on(story, day, "shop.Plan", "price") for day in ("2024-02-01", "2024-04-15", "2024-07-01")] == [
        [10],
        [],
        [12],
    ]
    (then,) = story.project.at(valid=date(2024, 4, 15)).records("shop.Plan")
    assert then.ended is not None
    assert (then.ended.reason, then.ended.when) == ("cancelled", "2024-03-01")


def test_a_cancelled_plan_never_happened_and_is_former_from_its_cancellation_on(story: Story) -> None:
    bed = put(story, "shop.Purchase", "2024-06-12", said="2024-05-01", item="bed", bought="2024-06-12")
    end(story, bed, "2024-05-20", said="2024-05-20", why="cancelled")
    found = [story.project.at(valid=date(2024, *day)).collected("shop.former_purchases") for day in [(5, 19), (5, 20)]]
    assert [len(records) for records in found] == [0, 1]
    assert on(story, "2024-06-12", "shop.Purchase", "item") == []


def test_of_a_type_with_one_record_at_a_time_no_day_has_two(story: Story) -> None:
    oslo = put(story, "living.Home", said="2024-02-01", city="Oslo")
    end(story, oslo, "2024-06-01", said="2024-06-02", why="moved out")
    put(story, "living.Home", said="2024-06-02", city="Bergen")
    days = ("2024-01-01", "2024-05-31", "2024-06-01")
    assert [on(story, day, "living.Home", "city") for day in days] == [["Oslo"], ["Oslo"], ["Bergen"]]


LEASE = type_of(
    "living.Lease",
    key=["what"],
    what="str",
    starts="date | None",
    ends="date | None",
    renewal="Literal['automatic', 'by hand'] | None",
)
COURSE = type_of("shop.Course", cardinality="event", name="str", starts="date", ends="date | None")


def test_a_state_whose_own_last_day_is_past_is_over_and_an_event_is_not(story: Story) -> None:
    story.types(LEASE, COURSE)
    put(story, "living.Lease", said="2024-01-10", what="flat", starts="2024-01-01", ends="2024-06-30")
    put(story, "living.Lease", said="2024-01-10", what="car", ends="2024-06-30", renewal="automatic")
    put(story, "shop.Course", said="2024-01-10", name="yoga", starts="2024-02-01", ends="2024-02-28")
    days = ("2023-12-31", "2024-06-30", "2024-07-01")
    assert [on(story, day, "living.Lease", "what") for day in days] == [["car"], ["flat", "car"], ["car"]]
    assert on(story, "2024-07-01", "shop.Course", "name") == ["yoga"]
    then = story.project.at(valid=date(2024, 7, 1)).record("living.Lease:flat").ended
    assert then is not None
    assert (then.when, then.reason, then.why) == ("2024-07-01", "ended", "ends 2024-06-30")


def test_a_last_day_that_moves_counts_as_it_was_known_to_move(story: Story) -> None:
    story.types(LEASE)
    flat = put(story, "living.Lease", said="2024-01-10", what="flat", starts="2024-01-01", ends="2024-06-30")
    amend(story, flat, said="2024-06-15", ends="2024-09-30")
    assert on(story, "2024-07-01", "living.Lease", "ends") == [date(2024, 9, 30)]
    assert on(story, "2024-10-01", "living.Lease", "what") == []
    end(story, flat, "2024-08-15", said="2024-08-15", why="cancelled")
    then = story.project.at(valid=date(2024, 10, 1)).record(flat).ended
    assert then is not None
    assert then.why == "cancelled"


@given(st.lists(st.one_of(st.none(), DAYS), min_size=1, max_size=5), st.integers(-3, 44))
def test_looking_at_the_present_on_a_day_ends_what_is_over_by_then_and_changes_nothing_else(
    ends: list[int | None], day: int
) -> None:
    story = Story()
    story.types(LEASE)
    for number, last in enumerate(ends):
        stated: dict[str, Any] = {} if last is None else {"ends": day_text(last)}
        put(story, "living.Lease", said=day_text(0), what=f"lease {number}", **stated)
    looked = story.project.with_own_ends(FIRST + timedelta(days=day))
    going = {f"lease {number}" for number, last in enumerate(ends) if last is None or last >= day}
    assert {values["what"] for values in current(looked, "living.Lease")} == going
    assert [dict(each.values) for each in looked.records("living.Lease")] == [
        dict(each.values) for each in story.project.records("living.Lease")
    ]
    if len(going) == len(ends):
        assert looked is story.project


NOT_READ = "price not understood, said as 'a bit more'"


def test_words_that_were_not_understood_are_no_value_on_any_day(story: Story) -> None:
    first = story.fact("The gym costs a bit", at=moment("2024-03-01"))
    story.change(
        Put(type="shop.Plan", fields={"name": "gym"}, unsure={"price": NOT_READ}, cites=(first,)),
    )
    assert on(story, "2024-03-01", "shop.Plan", "price") == [None]
    amend(story, "shop.Plan:gym", said="2024-04-01", price=10)
    later = story.fact("It costs a bit more now", at=moment("2024-05-01"))
    story.change(Amend(record="shop.Plan:gym", fields={}, unsure={"price": NOT_READ}, cites=(later,)))
    days = [story.project.at(valid=date(2024, *day)) for day in [(3, 1), (4, 30), (5, 1)]]
    assert [current(then, "shop.Plan")[0]["price"] for then in days] == [10, 10, 10]
    assert [list(then.unsure) for then in days] == [[], [], ["shop.Plan:gym"]]
    story.memory.correct("shop.Plan:gym", "price", 11)
    assert on(story, "2024-03-01", "shop.Plan", "price") == [11]


def test_a_record_that_was_incomplete_on_a_day_is_incomplete_on_it(story: Story) -> None:
    story.types(type_of("living.Key", key=["door"], door="str", number="int"))
    put(story, "living.Key", said="2024-03-01", door="cellar", number=7)
    bed = story.fact("I bought a bed the other day", at=moment("2024-03-01"))
    story.change(Put(type="shop.Purchase", fields={"item": "bed"}, unsure={"bought": "not understood"}, cites=(bed,)))
    then = story.project.at(valid=date(2024, 3, 1))
    assert [record.is_incomplete for record in then.records("shop.Purchase")] == [True]
    assert [record.id for record in then.complete_records("living.Key")] == ["living.Key:cellar"]


@settings(max_examples=300)
@given(st.lists(STATEMENTS, min_size=1, max_size=9))
def test_on_each_day_the_records_and_values_are_those_of_the_account(history: list[Said]) -> None:
    project, account = told(history).project, accounts(history)
    for day in CALENDAR:
        then = project.at(valid=FIRST + timedelta(days=day))
        found = {values["name"]: values["price"] for values in current(then, "shop.Plan")}
        expected = {f"p{number}": prices[0] for number, each in account.items() if (prices := each.prices(day))}
        assert found == expected, f"on day {day}"


EVENTS = st.lists(
    st.tuples(st.sampled_from(["move", "price", "end"]), DAYS, st.one_of(st.none(), DAYS), DAYS), max_size=6
)


@settings(max_examples=150)
@given(DAYS, st.booleans(), EVENTS)
def test_an_event_is_valid_from_its_last_stated_day_until_it_is_over(
    first: int, is_dated: bool, history: list[tuple[str, int, int | None, int]]
) -> None:
    story = Story()
    story.types(PURCHASE)
    start = day_text(first)
    record = put(story, "shop.Purchase", *([start] if is_dated else []), said=start, item="bed", bought=start)
    stated, prices, over = [(first, 0, first)], [], None
    for order, (what, said, held, day) in enumerate(history, 1):
        named = [] if held is None else [day_text(held)]
        if what == "end":
            end(story, record, day_text(day), said=day_text(said))
            over = day
        elif what == "move":
            amend(story, record, *named, said=day_text(said), bought=day_text(day))
            stated.append((said, order, day))
        else:
            amend(story, record, *named, said=day_text(said), price=order)
            prices.append((said, order, held))
    happened = max(stated)[2]
    for day in CALENDAR:
        known = [(said, order) for said, order, held in prices if held is None or held <= day]
        values = current(story.project.at(valid=FIRST + timedelta(days=day)), "shop.Purchase")
        is_valid = happened <= day and (over is None or day < over)
        assert [each["price"] for each in values] == ([max(known)[1] if known else None] if is_valid else [])
