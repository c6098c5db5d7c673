"""Every reader of a memory on the three clocks: what was true, had been said, and was known."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from support.short_logs import Story, type_of
from support.time_histories import PLAN, moment
from uac import Clocks, Memory, Period
from uac.errors import Refused
from uac.memory.past_projects import MAX_PAST_PROJECTS
from uac.project.clocks import parse_clocks
from uac.project.diff import Change
from uac.schema.patches import Amend, End, Put

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


DINNER = type_of("food.Dinner", cardinality="event", place="str", day="date")


@pytest.fixture
def changed() -> Iterator[Story]:
    """A price that was corrected, a dinner that was moved, and one that was called off. All of it was learned late, in
    two checkpoints: what was said by 5 May, and the rest."""
    story = Story()
    story.types(PLAN, DINNER)
    gym = story.fact("The gym costs 30.", at=moment("2024-05-01"))
    no = story.fact("No, 40, I misread it.", at=moment("2024-05-02"), authority="correction")
    nove = story.fact("Dinner at Nove on 10 June.", at=moment("2024-05-01"), held=Period.on("2024-06-10"))
    moved = story.fact("Nove is on the 12th.", at=moment("2024-05-05"), held=Period.on("2024-06-12"))
    otto = story.fact("Dinner at Otto on 1 July.", at=moment("2024-05-01"), held=Period.on("2024-07-01"))
    off = story.fact("Otto is off.", at=moment("2024-05-20"))
    story.change(
        Put(type="shop.Plan", fields={"name": "gym", "price": 30}, cites=(gym,)),
        Amend(record=GYM, fields={"price": 40}, cites=(no,)),
        Put(type="food.Dinner", fields={"place": "Nove", "day": "2024-06-10"}, cites=(nove,)),
        Put(type="food.Dinner", fields={"place": "Otto", "day": "2024-07-01"}, cites=(otto,)),
    )
    records = {record.values["place"]: record.id for record in story.project.records("food.Dinner")}
    story.change(
        Amend(record=records["Nove"], fields={"day": "2024-06-12"}, cites=(moved,)),
        End(record=records["Otto"], when="2024-05-20", why="cancelled", cites=(off,)),
    )
    yield story
    story.memory.close()


DINNERS = "[(d.place, d.day.isoformat()) for d in food.dinners]"
OFF = "[d.place for d in food.former_dinners]"
NOVE, OTTO = ("Nove", "2024-06-10"), ("Otto", "2024-07-01")
MOVED = ("Nove", "2024-06-12")


@pytest.mark.parametrize(
    ("code", "clocks", "answer"),
    [
        # A correction before the first checkpoint: it counts for as long as the value that it corrects.
        (PRICES, {}, [40]),
        (PRICES, {"valid": "2024-05-01"}, [40]),
        (PRICES, {"told": "2024-04-30"}, []),
        (PRICES, {"told": "2024-05-01"}, [30]),
        (PRICES, {"told": "2024-05-02"}, [40]),
        (PRICES, {"valid": "2024-05-02", "told": "2024-05-01"}, [30]),
        (PRICES, {"known": "first"}, [40]),
        # A moved event happened on its new day; before the move was mentioned, it was expected on the old one.
        (DINNERS, {}, [MOVED]),
        (DINNERS, {"valid": "2024-06-10"}, []),
        (DINNERS, {"valid": "2024-06-12"}, [MOVED]),
        (DINNERS, {"valid": "2024-06-10", "told": "2024-05-04"}, [NOVE]),
        (DINNERS, {"told": "2024-05-05"}, [MOVED, OTTO]),
        # A cancelled plan never happened, and was a plan until then.
        (DINNERS, {"told": "2024-05-04"}, [NOVE, OTTO]),
        (DINNERS, {"valid": "2024-07-01"}, [MOVED]),
        (DINNERS, {"valid": "2024-07-01", "told": "2024-05-19"}, [MOVED, OTTO]),
        (DINNERS, {"known": "first"}, [NOVE, OTTO]),
        (OFF, {}, ["Otto"]),
        (OFF, {"valid": "2024-05-19"}, []),
        (OFF, {"valid": "2024-05-20"}, ["Otto"]),
        (OFF, {"told": "2024-05-19"}, []),
        (OFF, {"known": "first"}, []),
    ],
)
def test_corrections_moves_and_cancellations_on_each_clock(
    changed: Story, code: str, clocks: dict[str, str], answer: list[object]
) -> None:
    first = changed.memory.log.head().position - 1
    given = parse_clocks(clocks.get("valid"), clocks.get("told"), first if "known" in clocks else None)
    assert changed.memory.compute(code, clocks=given).value == answer


def test_a_subscription_whose_own_last_day_is_past_is_former_in_every_reader() -> None:
    story = Story()  # its clock begins on 1 January 2026
    story.types(type_of("media.Film", key=["name"], name="str", ends="date | None"))
    memory = story.memory
    names = "([f.name for f in media.films], [f.name for f in media.former_films])"
    story.tell("media.Film", name="Old", ends="2025-06-30", at=moment("2025-01-01"))
    story.tell("media.Film", name="New", ends="2026-06-30", at=moment("2025-01-01"))
    assert memory.compute(names).value == (["New"], ["Old"])
    assert memory.compute(names, now=datetime(2025, 6, 30, tzinfo=UTC)).value == (["Old", "New"], [])
    assert memory.compute(names, now=datetime(2026, 7, 1, tzinfo=UTC)).value == ([], ["Old", "New"])
    assert memory.compute(names, clocks=Clocks(valid=date(2025, 6, 30))).value == (["Old", "New"], [])
    assert memory.compute(names, clocks=Clocks(told=date(2025, 6, 30))).value == (["Old", "New"], [])
    assert memory.compute(names, clocks=Clocks(told=date(2025, 7, 1))).value == (["New"], ["Old"])
    assert [row[1] for row in memory.table("media.Film").rows] == ["New"]
    assert [row[1] for row in memory.table("media.Film", former=True).rows] == ["Old"]
    assert memory.project().record("media.Film:old").ended is None  # constraints see what was said
    memory.correct("media.Film:old", "ends", "2026-12-31")
    assert memory.compute(names).value == (["Old", "New"], [])
    memory.close()


def test_a_collection_that_did_not_exist_yet_is_named_in_the_refusal(memory: Memory) -> None:
    with pytest.raises(Refused, match=r"^Nothing about shop was known at position 2\. Ask for a later time"):
        memory.compute(PRICES, clocks=Clocks(known=2))
    assert memory.compute(PRICES, clocks=Clocks(told=date(2025, 1, 1))).value == []


def test_folded_projects_are_kept_until_the_log_grows_and_never_more_than_a_few(memory: Memory) -> None:
    clocks = Clocks(told=APRIL)
    then = memory.project_at(clocks)
    assert memory.project_at(clocks) is then
    for day in range(1, MAX_PAST_PROJECTS // 2 + 1):
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
