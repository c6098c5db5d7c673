"""Every reader of a memory on the three clocks: what was true, had been said, and was known."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from support.short_logs import Story
from support.time_histories import PLAN, moment
from uac import Clocks, Memory, Period
from uac.errors import Refused
from uac.memory.past_projects import MAX_PAST_PROJECTS
from uac.project.clocks import parse_clocks
from uac.project.diff import Change
from uac.schema.patches import Amend, Put

GYM = "shop.Plan:gym"
PRICES = "[plan.price for plan in shop.plans]"
APRIL = date(2025, 4, 15)


@pytest.fixture
def story() -> Iterator[Story]:
    """The gym costs 30 since January; in May the user says that it costs 40 since April."""
    story = Story()
    january = story.fact("The gym costs 30 since January", held=Period("2025-01"), at=moment("2025-01-20"))
    may = story.fact("The gym costs 40 since April", held=Period("2025-04"), at=moment("2025-05-02"))
    story.types(PLAN)
    story.change(Put(type="shop.Plan", fields={"name": "gym", "price": 30}, cites=(january,)))
    story.change(Amend(record=GYM, fields={"price": 40}, cites=(may,)))
    yield story
    story.memory.close()


@pytest.fixture
def memory(story: Story) -> Memory:
    return story.memory


def test_the_three_clocks_give_three_answers_and_combine(memory: Memory) -> None:
    first = memory.log.head().position - 1
    clocks = {
        Clocks(): [40],
        Clocks(valid=date(2025, 2, 1)): [30],
        Clocks(valid=date(2024, 12, 31)): [],
        Clocks(told=APRIL): [30],
        Clocks(told=date(2025, 1, 1)): [],
        Clocks(known=first): [30],
        Clocks(valid=APRIL): [40],
        Clocks(valid=APRIL, told=APRIL): [30],
        Clocks(valid=APRIL, told=date(2025, 6, 1), known=first): [30],
    }
    assert {each: memory.compute(PRICES, clocks=each).value for each in clocks} == clocks
    assert memory.compute_as_of(PRICES, first).value == [30]


def test_explain_render_and_diff_follow_the_clocks(memory: Memory) -> None:
    explained = memory.explain(GYM, "price", clocks=Clocks(told=APRIL))
    assert (explained.value, len(explained.claims)) == (30, 1)
    assert "price=30" in memory.render(clocks=Clocks(told=APRIL))["domains/shop/state.py"]
    changed = [Change("field", "changed", f"{GYM}.price", 30, 40)]
    assert memory.diff(Clocks(told=APRIL), Clocks(told=date(2025, 6, 1))) == changed
    assert memory.diff(Clocks(valid=date(2025, 2, 1)), Clocks(valid=APRIL)) == changed
    assert memory.diff(memory.log.head().position - 1) == changed
    with pytest.raises(Refused, match="No record"):
        memory.explain(GYM, "price", clocks=Clocks(told=date(2025, 1, 1)))


def test_recall_and_context_find_only_what_had_been_told(memory: Memory) -> None:
    found = memory.recall("gym costs", clocks=Clocks(told=APRIL), without=["meaning"])
    assert sorted((hit.kind, hit.position) for hit in found.hits if hit.kind != "record") == [
        ("fact", 2),
        ("observation", 1),
    ]
    context = memory.context("What does the gym cost?", clocks=Clocks(told=APRIL)).text
    assert "30" in context
    assert "40" not in context
    assert "40" in memory.context("What does the gym cost?").text


def test_a_collection_that_did_not_exist_yet_is_named_in_the_refusal(memory: Memory) -> None:
    with pytest.raises(Refused, match=r"^Nothing about shop was known at position 2\. Ask for a later time"):
        memory.compute(PRICES, clocks=Clocks(known=2))
    assert memory.compute(PRICES, clocks=Clocks(told=date(2025, 1, 1))).value == []


def test_folded_projects_are_kept_until_the_log_grows_and_never_more_than_a_few(memory: Memory) -> None:
    clocks = Clocks(told=APRIL)
    then = memory.project_at(clocks)
    assert memory.project_at(clocks) is then
    for day in range(1, MAX_PAST_PROJECTS + 1):
        memory.project_at(Clocks(told=date(2025, 3, day)))
    assert memory.project_at(clocks) is not then
    memory.add("The gym cost 20 in March", said=datetime(2025, 3, 1, tzinfo=UTC))
    assert len(memory.project_at(clocks).progress.unread) == len(then.progress.unread) + 1


def test_clocks_are_read_from_text() -> None:
    assert parse_clocks("2025-04-15", "2025-04-16", "12") == Clocks(APRIL, date(2025, 4, 16), 12)
    assert parse_clocks(known="2025-04-15").known == datetime(2025, 4, 15, 23, 59, 59, 999999, tzinfo=UTC)
    assert str(parse_clocks("2025-04-15", None, 12)) == "valid 2025-04-15, known 12"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"valid": "soon"}, "valid: 'soon' is not a valid date. Use YYYY-MM-DD."),
        ({"told": "2025-02-30"}, "told: '2025-02-30' is not a valid date. Use YYYY-MM-DD."),
        ({"known": "2025-02-03T12:00"}, "known: 2025-02-03T12:00 has no time zone. Add one such as +02:00 or Z."),
        (
            {"known": "then"},
            "known: 'then' is not a valid time. Use a position, a day or a time such as 2026-03-01T12:00+01:00.",
        ),
    ],
)
def test_a_clock_that_cannot_be_read_is_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_clocks(**given)
    assert str(refused.value) == message
