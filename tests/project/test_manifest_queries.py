"""The manifest is enough to write a query: these were written by a reader who saw nothing else of the project."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from support.short_logs import Story, type_of
from uac.project.render_manifest import render_manifest
from uac.schema.patches import Amend, End
from uac.schema.types import Field, Type

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
RUN = Type(
    domain="sport",
    name="Run",
    cardinality="event",
    fields=(
        Field(name="day", type="date"),
        Field(name="km", type="float", doc="in km"),
        Field(name="lasted", type="timedelta | None"),
        Field(name="weather", type="str | None"),
    ),
)
STATES = "Literal['idea', 'booked', 'done']"
TRIP = type_of(
    "travel.Trip", key=["city"], city="str", start="date", cost="Money | None", state=STATES, tags="list[str]"
)
PLAN = type_of("home.Subscription", key=["name"], name="str", price="Money", renews="date | None")
PROFILE = type_of("people.Profile", cardinality="one", key=["name"], name="str", born="date | None")


def life() -> Story:
    story = Story()
    story.types(RUN, TRIP, PLAN, PROFILE)
    story.tell("people.Profile", name="Ana", born="1990-02-03")
    for city, start, cost, state, tags in (
        ("Rome", "2026-05-01", "300 EUR", "done", ["family"]),
        ("Oslo", "2026-07-01", "450.50 EUR", "booked", ["work", "family"]),
        ("Lima", "2026-09-01", None, "idea", []),
        ("Bern", "2026-08-01", "90 CHF", "booked", []),
    ):
        story.tell("travel.Trip", city=city, start=start, cost=cost, state=state, tags=tags)
    for day, km, lasted in (("2026-01-05", 5.0, "PT30M"), ("2026-02-05", 10.0, "PT1H"), ("2026-02-09", 6.0, None)):
        story.tell("sport.Run", day=day, km=km, lasted=lasted)
    for name, price in (("Film", "10 EUR"), ("Music", "8 EUR"), ("News", "5 EUR")):
        story.tell("home.Subscription", name=name, price=price)
    story.change(End(record="travel.Trip:bern", when="2026-03-01", why="cancelled", cites=(story.fact("Bern is off"),)))
    gone = story.fact("News is over")
    story.change(End(record="home.Subscription:news", when="2026-04-01", why="too dear", cites=(gone,)))
    dearer = story.fact("Film costs 12 EUR now")
    story.change(Amend(record="home.Subscription:film", fields={"price": "12 EUR"}, cites=(dearer,)))
    return story


MANIFEST = """\
    "home": "subscriptions 2 (former_subscriptions 1 ended): name, price: Money EUR, …",
    "people": "profile is a record: name, born?: date",
    "sport": "runs 3: day: date, km: float (in km), lasted?: timedelta, …",
    "travel": "trips 3 (former_trips 1 cancelled): city, start: date, cost?: Money CHF|EUR, state: 'idea'|'booked'|'done', tags: list[str]",
"""

QUESTIONS: dict[str, tuple[str, Any]] = {
    "How many trips are planned or done?": ("len(travel.trips)", 3),
    "Which trips are booked?": ("[t.city for t in travel.trips if t.state == 'booked']", ["Oslo"]),
    "What do the trips cost?": (
        "total(t.cost for t in travel.trips if t.cost)",
        {"EUR": Decimal("750.50")},
    ),
    "Which trip has no price?": ("[t.city for t in travel.trips if t.cost is None]", ["Lima"]),
    "Where do I go with my family?": ("[t.city for t in travel.trips if 'family' in t.tags]", ["Rome", "Oslo"]),
    "What was cancelled?": ("[t.city for t in travel.former_trips]", ["Bern"]),
    "How and when did it end?": (
        "[(end_of(t).reason, end_of(t).on) for t in travel.former_trips]",
        [("cancelled", date(2026, 3, 1))],
    ),
    "What do I pay for subscriptions?": ("total(s.price for s in home.subscriptions)", {"EUR": Decimal(20)}),
    "What did Film cost over time?": (
        "[h.value.amount for s in home.subscriptions if s.name == 'Film' for h in history(s, 'price')]",
        [Decimal(10), Decimal(12)],
    ),
    "How far did I run in February?": ("sum(r.km for r in sport.runs if r.day.month == 2)", 16.0),
    "How long do I run on average?": ("mean(r.lasted for r in sport.runs if r.lasted)", timedelta(minutes=45)),
    "How old am I?": ("now.year - people.profile.born.year if people.profile.born else None", 36),
}


@pytest.fixture(scope="module")
def story() -> Story:
    return life()


def test_the_manifest_names_collections_fields_choices_currencies_units_and_what_ended(story: Story) -> None:
    text = render_manifest(story.project)
    records = text[text.index("RECORDS = {\n") + len("RECORDS = {\n") : text.index("}\n")]
    assert records == MANIFEST


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_query_written_from_the_manifest_alone_answers_the_question(story: Story, question: str) -> None:
    code, answer = QUESTIONS[question]
    result = story.memory.compute(code, now=NOW)
    assert (result.value, result.is_complete) == (answer, True)
