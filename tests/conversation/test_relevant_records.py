"""The record that a fact is about is in the request, whatever else the memory holds."""

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import START, Story, type_of
from uac.conversation.relevant_records import MAX_PER_FACT, RecordLookup, relevant_records
from uac.recall.search import Recall
from uac.schema.entries import Fact
from uac.schema.patches import End, Put
from uac.schema.periods import Period

MEAL = type_of("food.Meal", cardinality="event", where="str", day="date", cost="Money | None")
PASSPORT = type_of("travel.Passport", cardinality="many", key=["country"], country="str", expires="date | None")
PROFILE = type_of("people.Profile", cardinality="one", work="str | None")
CONDITION = type_of("health.Condition", key=["name"], name="str", since="date | None")
PERSON = type_of("people.Person", key=["name"], name="str", born="date | None")
LESSON = type_of("family.Lesson", cardinality="event", key=["who", "day"], who="str", day="date")
TRIP = type_of(
    "travel.Trip", key=["to", "departs"], to="str", departs="date", returns="date | None", purpose="str | None"
)
JOB = type_of("work.Job", key=["client", "what"], client="str", what="str", price="Money | None")
FIRST = date(2026, 1, 1)


def shown(story: Story, text: str, held: Period | None = None) -> list[str]:
    """The records that a request for this fact would show, best first."""
    recall = Recall()
    recall.follow(story.memory.log, story.project)
    fact = Fact(text=text, about="user", authority="user", cites=(), held=held or Period())
    lookup = RecordLookup.over(recall)
    return [record.id for record in relevant_records([(fact, START)], story.project, lookup)]


def regular_guest(visits: int) -> tuple[Story, list[str]]:
    """Somebody who eats at the same place every third day."""
    story = Story()
    story.types(MEAL, PASSPORT, PROFILE)
    days = [FIRST + timedelta(days=3 * number) for number in range(visits)]
    return story, [story.tell("food.Meal", where="Mae's Diner", day=day.isoformat()) for day in days]


@settings(max_examples=10)
@given(st.integers(0, 29))
def test_a_visit_is_found_among_many_of_the_same_place_by_its_day(visit: int) -> None:
    story, meals = regular_guest(30)
    day = (FIRST + timedelta(days=3 * visit)).isoformat()
    assert shown(story, f"The meal at Mae's Diner on {day} was cancelled.")[0] == meals[visit]


def test_a_passport_is_found_though_it_says_nowhere_that_it_is_one() -> None:
    story, _meals = regular_guest(5)
    passport = story.tell("travel.Passport", country="Nigeria", expires="2031-08-14")
    assert shown(story, "The user's passport expires on 2029-08-14.")[0] == passport


def test_the_only_record_of_its_type_is_found_by_the_name_of_a_field() -> None:
    story, _meals = regular_guest(5)
    profile = story.tell("people.Profile", work="teacher")
    assert shown(story, "The user stopped work.")[0] == profile


def test_a_fact_that_names_nothing_known_shows_nothing() -> None:
    story, _meals = regular_guest(3)
    assert shown(story, "The user saw a heron.") == []


def test_a_fact_shows_few_records() -> None:
    story, _meals = regular_guest(30)
    assert len(shown(story, "The user likes Mae's Diner.")) == MAX_PER_FACT


def test_a_record_is_found_by_the_words_of_the_facts_behind_it() -> None:
    story, _meals = regular_guest(5)
    story.types(CONDITION)
    knee = story.fact("The knee hurts; it is IT band syndrome.")
    story.change(Put(type="health.Condition", fields={"name": "IT band syndrome"}, cites=(knee,)))
    assert shown(story, "The knee is fine again.")[0] == "health.Condition:it band syndrome"


def test_a_person_is_found_by_name_though_the_fact_has_another_day_than_the_record() -> None:
    story = Story()
    story.types(PERSON, LESSON)
    person = story.tell("people.Person", name="Martina", born="2017-11-14")
    for number in range(8):
        story.tell("family.Lesson", who="Martina", day=(FIRST + timedelta(days=number)).isoformat())
    assert person in shown(story, "Martina turns eight on 2025-11-14.")


def test_a_trip_is_found_by_a_day_in_it_and_a_name_in_its_purpose() -> None:
    story = Story()
    story.types(PERSON, TRIP)
    story.tell("people.Person", name="Reto Brunner")
    for number in range(20):
        day = FIRST + timedelta(days=10 * number)
        back = day + timedelta(days=3)
        story.tell(
            "travel.Trip", to=f"City {number}", departs=day.isoformat(), returns=back.isoformat(), purpose="work"
        )
    basel = story.tell(
        "travel.Trip", to="Basel", departs="2026-05-22", returns="2026-05-25", purpose="visit Reto Brunner"
    )
    assert basel in shown(story, "Hannah is not going to see Reto Brunner on the weekend of 2026-05-23.")


def test_what_is_over_is_found_by_its_whole_key_among_records_that_share_a_part_of_it() -> None:
    story = Story()
    story.types(JOB)
    over = story.tell("work.Job", client="Dave Hollins", what="fitted wardrobes")
    for what in ("staircase", "porch", "kitchen doors", "loft hatch", "shelves"):
        story.tell("work.Job", client="Dave Hollins", what=what)
    story.change(End(record=over, when="2026-03-01", why="cancelled", cites=(story.fact("It is cancelled."),)))
    assert shown(story, "Dave Hollins wants the wardrobes after all.")[0] == over
    assert over not in shown(story, "Dave Hollins paid for the porch.")
