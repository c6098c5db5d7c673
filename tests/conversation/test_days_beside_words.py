"""What stands around the words, such as the day of saying, does not excuse a value that contradicts them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac import Memory, open_store
from uac.conversation import QuotedText
from uac.conversation.checks.evidence import value_evidence
from uac.conversation.propose import FactInBatch
from uac.conversation.proposed_patches import read_patches
from uac.conversation.unsure_values import cited_value_evidence
from uac.schema.entries import Citation, Fact
from uac.schema.periods import Period

MONDAY = datetime(2026, 7, 27, 10, tzinfo=UTC)
TODAY = "2026-07-27"


def fact(text: str, words: str, day: str = "") -> FactInBatch:
    held = Period(day, day)
    stated = Fact(text=text, about="user", authority="user", cites=(Citation(position=1, quote=words),), held=held)
    return FactInBatch(2, stated, MONDAY)


def refused(stated: FactInBatch, **fields: str) -> list[str]:
    found = cited_value_evidence(fields, [stated], existing=None, known=[""], usual_currency="*")
    return [*found.problems]


@given(st.integers(2, 20), st.integers(-3, 3))
def test_the_days_of_a_distance_from_today_are_not_counted_again_from_another_day(days: int, away: int) -> None:
    meant = MONDAY.date() - timedelta(days=days)
    given_day = (meant + timedelta(days=away)).isoformat()
    quotes = [QuotedText(f"Dr. Hallberg checked my knee {days} days ago", MONDAY)]
    held = [Period.on(meant.isoformat()), Period.on(TODAY)]
    found = value_evidence({"day": given_day}, quotes, held=held)
    assert bool(found.problems) == (given_day not in (meant.isoformat(), TODAY))


def test_a_duration_is_counted_from_a_day_that_the_record_has() -> None:
    quotes = [QuotedText("We stay for five nights", MONDAY)]
    found = value_evidence({"checks_out": "2026-08-06"}, quotes, known='["Lisbon", "2026-08-01"]')
    assert (found.problems, found.unsure) == ({}, {})


@pytest.mark.parametrize(("day", "wrong"), [("2026-07-26", []), (TODAY, ["day"]), ("2026-07-25", ["day"])])
def test_the_day_of_saying_is_not_the_day_of_what_happened_on_another_one(day: str, wrong: list[str]) -> None:
    visit = fact("The user saw Dr. Hallberg on 2026-07-26.", "I saw Dr. Hallberg on the 26th", "2026-07-26")
    assert refused(visit, what="knee", day=day) == wrong


def test_the_day_of_saying_may_be_when_something_was_booked_for_another_day() -> None:
    service = fact("The car is booked in for 2026-08-20.", "The car is booked in for the 20th of August", "2026-08-20")
    assert refused(service, vehicle="car", day="2026-08-20", booked=TODAY) == []


def test_the_day_of_saying_is_taken_if_the_fact_has_no_other() -> None:
    assert refused(fact("The user ate at Kobe Corner.", "We ate at Kobe Corner"), day=TODAY) == []


def test_an_empty_field_and_a_place_in_the_log_state_no_number() -> None:
    memory = Memory(open_store("memory:").log("ana"))
    memory.put("travel.Trip", {"destination": "Porto"})
    memory.put("finance.Transaction", {"payee": "Nordhaus", "amount": "20.50 EUR", "on": "2026-07-01"})
    project = memory.project()
    (trip,), (paid,) = project.records("travel.Trip"), project.records("finance.Transaction")
    place = paid.id.partition("#")[2].partition(".")[0]
    stated = fact("The user went to Porto and paid Nordhaus.", "I went to Porto and paid Nordhaus")
    changes: tuple[tuple[str, dict[str, Any]], ...] = (
        (trip.id, {"stops": 0}),
        (paid.id, {"amount": f"{place} EUR"}),
    )
    for record, fields in changes:
        amend = {"op": "amend", "record": record, "fields": fields, "cites": [2]}
        found = read_patches(json.dumps({"patches": [amend]}), [stated], project=project)
        assert [finding.why.partition(":")[0] for finding in found.refused] == [*fields]
