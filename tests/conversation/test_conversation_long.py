"""A long chat and long minutes with few facts in them, played with recorded replies: windows, slices and borders."""

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from support.recorded_conversations import Played, fixtures_of_played, script, sessions, standing
from support.scripted_model import kept
from uac import Memory
from uac.conversation.ask import Computation
from uac.conversation.learning import Outcome
from uac.conversation.windows import SLICE_OVERLAP, WINDOW_TOKENS
from uac.project.project import Project, SetAsideFact
from uac.schema.values import dump_value
from uac.text.memory_block import MEMORY_CLOSE, MEMORY_OPEN
from uac.text.token_count import count_tokens

SESSIONS: list[dict[str, Any]] = script("long")["sessions"]
CHAT: list[dict[str, Any]] = SESSIONS[1]["turns"]
MINUTES = str(SESSIONS[2]["turns"][1]["text"])
SKODA = "household.Vehicle:skoda fabia"
MEETING = "calendar.Appointment:meeting of the owners' association|2025-06-12t18:00:00+02:00"
SPENT = "total(t.amount for t in finance.transactions if t.on.year == 2025 and t.on.month == 3 and t.direction != 'in')"


@pytest.fixture(scope="module")
def whole() -> tuple[Played, list[int]]:
    """The conversation after its last question, and how many replies had been given after each session."""
    ends: list[int] = []
    for played in sessions("long"):
        ends.append(len(played.outcomes))
    return played, ends


@pytest.fixture(scope="module")
def played(whole: tuple[Played, list[int]]) -> Played:
    return whole[0]


@pytest.fixture(scope="module")
def lived(whole: tuple[Played, list[int]]) -> list[list[Outcome]]:
    """What came of the replies of each session."""
    played, (first, second, *_ends) = whole
    return [played.outcomes[:first], played.outcomes[first:second], played.outcomes[second:]]


memory, project = fixtures_of_played()


def first_looks(outcomes: list[Outcome]) -> list[list[dict[str, Any]]]:
    """The turns of each request that read words for the first time."""
    contents = [json.loads(outcome.request.content) for outcome in outcomes if outcome.request.step == "extract"]
    return [content["turns"] for content in contents if "look" not in content["turns"][-1]]


def new_turns(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [turn for turn in turns if not turn.get("context")]


# --- windows and slices -----------------------------------------------------------------------------------------------


def test_the_chat_needs_three_windows_and_each_turn_is_new_in_one_of_them(lived: list[list[Outcome]]) -> None:
    windows = [new_turns(turns) for turns in first_looks(lived[1])]
    assert [turn["text"] for turns in windows for turn in turns] == [turn["text"] for turn in CHAT]
    assert [len(turns) for turns in windows] == [38, 31, 17]
    assert [sum(count_tokens(turn["text"]) for turn in turns) for turns in windows] == [2989, 2994, 1629]
    assert all(sum(count_tokens(turn["text"]) for turn in turns) <= WINDOW_TOKENS for turns in windows)


def test_a_window_begins_with_the_three_turns_before_it(lived: list[list[Outcome]]) -> None:
    for before, turns in zip(first_looks(lived[1]), first_looks(lived[1])[1:], strict=False):
        assert [turn for turn in turns if turn.get("context")] == [{**turn, "context": True} for turn in before[-3:]]


def test_turns_that_state_something_without_a_fact_are_looked_at_once_more_and_no_other_turn_is(
    lived: list[list[Outcome]], memory: Memory
) -> None:
    contents = [json.loads(outcome.request.content) for outcome in lived[1] if outcome.request.step == "extract"]
    again = [turns for content in contents if (turns := [turn for turn in content["turns"] if "look" in turn])]
    fruitful = {cite.position for found in kept(memory) for cite in found.cites}
    assert [len(turns) for turns in again] == [26]
    assert all(turn["who"] != "assistant" for turns in again for turn in turns)
    assert fruitful.isdisjoint(turn["turn"] for turns in again for turn in turns)


def test_every_part_of_the_long_document_is_shown_once_but_for_the_overlap_of_its_slices(
    lived: list[list[Outcome]],
) -> None:
    slices = [turn for turns in first_looks(lived[2]) for turn in new_turns(turns) if turn["turn"] == 131]
    assert [turn["part"] for turn in slices] == [
        "characters 0 to 7610 of 13499",
        "characters 7210 to 13499 of 13499",
    ]
    first, second = (str(turn["text"]) for turn in slices)
    assert first + second[SLICE_OVERLAP:] == MINUTES
    assert first[-SLICE_OVERLAP:] == second[:SLICE_OVERLAP]


def test_a_slice_ends_where_a_line_ends(lived: list[list[Outcome]]) -> None:
    first = next(turn for turns in first_looks(lived[2]) for turn in new_turns(turns) if turn["turn"] == 131)
    assert first["text"].endswith("\n\n14. The sandpit\n")


def test_no_request_is_larger_than_a_window_with_its_instructions_or_a_batch_with_its_types(
    lived: list[list[Outcome]],
) -> None:
    largest: dict[str, int] = {}
    for outcome in (outcome for session in lived for outcome in session):
        step = outcome.request.step
        largest[step] = max(largest.get(step, 0), outcome.request.tokens)
    assert largest["extract"] < 2 * WINDOW_TOKENS
    assert largest["checkpoint"] < 9000


def test_nothing_waits_and_nothing_is_stuck(project: Project) -> None:
    progress = project.progress
    assert [list(left) for left in (project.waiting, progress.unread, progress.again, progress.stuck)] == [
        [],
        [],
        [],
        [],
    ]
    assert dict(project.aside) == {
        134: SetAsideFact("a meeting that is over; the next one is in the calendar", "calendar")
    }


# --- facts ------------------------------------------------------------------------------------------------------------


def test_of_many_words_few_facts_are_kept_each_once_in_the_order_in_which_they_were_read(memory: Memory) -> None:
    assert [found.text for found in kept(memory)] == [
        "The user's name is Marta Kowalczyk.",
        "Marta Kowalczyk is from Gdańsk.",
        "Marta takes warfarin, 5 mg every evening.",
        "Marta has atrial fibrillation.",
        "Miro is Marta's cat.",
        "Hania is Marta's sister.",
        "Hania moved to Wrocław on 2025-03-08.",
        "The dentist Dr. Nowak gave Marta ibuprofen on 2025-03-14, 400 mg three times a day against the pain.",
        "The dentist Dr. Nowak charged Marta 240 zloty on 2025-03-14.",
        "Marta has a red Skoda Fabia.",
        "Marta's Skoda Fabia has to go to the inspection by 2025-04-30.",
        "Marta cancelled her Calypso gym membership, which was 119 zloty a month, on 2025-03-01.",
        "Marta and her household want to spend at most 18,000 zloty on the new kitchen.",
        "Irena is Marta's mother.",
        "Irena has her birthday party on 2025-03-29 at 17:00 at her place in Sopot.",
        "Irena turns 70.",
        "Marta never wants lilies suggested as a present, because they are poison for Miro.",
        "Tomek is Hania's husband.",
        "Tomek is a vegetarian.",
        "Marta booked a trip to Lisbon: she flies on 2025-05-02 and comes back on 2025-05-09.",
        "Marta paid 1,350 zloty for the trip to Lisbon with the mBank card on 2025-03-10.",
        "Marta's passport runs out on 2025-09-12.",
        "Marta lent Tomek 600 zloty on 2025-03-13, and he pays it back at Easter.",
        "The inspection of Marta's Skoda is due on 2025-04-20, not on 2025-04-30.",
        "Marta's owners' association met on 2025-03-20.",
        "Marta lives in flat 14, staircase B.",
        "Marta Kowalczyk was elected key holder for staircase B until 2026-03-31.",
        "The special levy for the roof of the owners' association is 420 zloty per flat, payable by 2025-05-15.",
        "The lift of staircase B will be out of service from 2025-04-07 to 2025-04-11.",
        "Marta Kowalczyk moves from parking space 27 to parking space 31 on 2025-05-01.",
        "Marta paid the levy of 420 zloty by bank transfer on 2025-03-24.",
        "Marta Kowalczyk reads the water meters of staircase B by 2025-04-11.",
        "The caretaker, Mr Wrona, repairs the gutter above the balcony of flat 14 before 2025-04-30.",
        "The next meeting of the owners' association is on 2025-06-12 at 18:00 in the laundry room.",
    ]


def test_a_fact_of_a_window_may_rest_on_a_turn_of_the_window_before(memory: Memory) -> None:
    (birthday,) = [found for found in kept(memory) if found.text == "Irena turns 70."]
    assert [(cite.position, cite.quote) for cite in birthday.cites] == [
        (52, "My mother Irena has her birthday party on 29 March 2025"),
        (53, "She turns 70"),
    ]


def test_the_last_turn_of_a_window_and_the_first_of_the_next_give_their_facts(memory: Memory) -> None:
    texts = {position: turn["text"] for position, turn in enumerate(CHAT, 15)}
    by_turn = Counter(cite.position for found in kept(memory) for cite in found.cites[-1:])
    assert texts[52].startswith("My mother Irena")
    assert texts[53].startswith("She turns 70")
    assert texts[83].startswith("I also lent Tomek")
    assert texts[84].startswith("Correction")
    assert [by_turn[position] for position in (52, 53, 83, 84)] == [2, 2, 1, 1]


def test_a_fact_that_two_slices_show_is_kept_once_though_the_model_gives_it_twice(played: Played) -> None:
    parking = "Marta Kowalczyk moves from parking space 27 to parking space 31 on 2025-05-01."
    assert sum(parking in outcome.reply.text for outcome in played.outcomes) == 2
    assert [found.text for found in kept(played.memory)].count(parking) == 1


def test_the_minutes_are_the_word_of_a_document_and_the_rest_that_of_marta(memory: Memory) -> None:
    cited = {found.text: {cite.position for cite in found.cites} for found in kept(memory)}
    assert {text for text, positions in cited.items() if 131 in positions} == {
        found.text for found in kept(memory) if found.authority == "document"
    }
    assert Counter(found.authority for found in kept(memory)) == {"user": 26, "document": 7, "correction": 1}


def test_the_last_line_but_one_of_the_minutes_is_known(memory: Memory) -> None:
    found = kept(memory)[-1]
    assert MINUTES.splitlines()[-2].endswith("Next meeting: 12 June 2025 at 18:00 in the laundry room.")
    assert (found.cites[-1].quote, found.held.start, found.held.end) == (
        "Next meeting: 12 June 2025 at 18:00 in the laundry room",
        "2025-06-12",
        "2025-06-12",
    )


# --- records, alerts and answers --------------------------------------------------------------------------------------


def test_the_records_are_all_that_was_said_and_no_chatter(project: Project) -> None:
    assert standing(project) == {
        "calendar.Appointment": [
            {
                "what": "Irena's birthday party",
                "starts": "2025-03-29T17:00:00+01:00",
                "where": "Irena's place in Sopot",
                "who": ["Irena"],
            },
            {
                "what": "lift of staircase B out of service",
                "starts": "2025-04-07T00:00:00+02:00",
                "all_day": True,
                "repeats": "daily",
                "until": "2025-04-11",
                "attends": False,
            },
            {
                "what": "meeting of the owners' association",
                "starts": "2025-06-12T18:00:00+02:00",
                "where": "laundry room",
            },
        ],
        "calendar.Deadline": [{"what": "read the water meters of staircase B", "due": "2025-04-11"}],
        "finance.PlannedPayment": [
            {
                "what": "new kitchen",
                "amount": "18000 PLN",
                "kind": "purchase",
                "described": ["at most, that is the limit"],
            }
        ],
        "finance.Subscription": [
            {
                "name": "Calypso gym membership",
                "provider": "Calypso",
                "price": "119 PLN",
                "every": "month",
                "cancelled_on": "2025-03-01",
            }
        ],
        "finance.Transaction": [
            {
                "payee": "Dr. Nowak",
                "amount": "240 PLN",
                "on": "2025-03-14",
                "what": "dentist",
                "category": "health",
            },
            {
                "payee": "trip to Lisbon",
                "amount": "1350 PLN",
                "on": "2025-03-10",
                "account": "mBank card",
                "what": "trip to Lisbon",
                "category": "travel",
            },
            {
                "payee": "Tomek",
                "amount": "600 PLN",
                "on": "2025-03-13",
                "what": "loan, he pays it back at Easter",
                "category": "loan",
            },
            {
                "payee": "owners' association",
                "amount": "420 PLN",
                "on": "2025-03-24",
                "what": "special levy for the roof",
            },
        ],
        "food.Diet": [{"what": "vegetarian", "who": "Tomek"}],
        "health.Condition": [{"name": "atrial fibrillation"}],
        "health.Medication": [
            {
                "name": "warfarin",
                "dose": "5 mg",
                "frequency": "every evening",
                "purpose": "atrial fibrillation",
            },
            {
                "name": "ibuprofen",
                "dose": "400 mg",
                "times_per_day": 3.0,
                "frequency": "three times a day",
                "prescriber": "Dr. Nowak",
                "started": "2025-03-14",
                "purpose": "pain",
            },
        ],
        "household.Duty": [{"what": "key holder for staircase B", "until": "2026-03-31"}],
        "household.Pet": [
            {
                "name": "Miro",
                "kind": "cat",
                "notes": "lilies are poison for Miro: never suggest them as a present",
            }
        ],
        "household.Vehicle": [
            {
                "name": "Skoda Fabia",
                "make": "Skoda",
                "model": "Fabia",
                "color": "red",
                "inspected_until": "2025-04-20",
                "parking_space": "31 from 2025-05-01 on, 27 before",
            }
        ],
        "people.Person": [
            {"name": "Hania", "relation": "sister", "lives_in": "Wrocław"},
            {"name": "Irena", "relation": "mother", "lives_in": "Sopot", "notes": "turns 70"},
            {"name": "Tomek", "relation": "brother-in-law", "notes": "Hania's husband"},
            {
                "name": "Mr Wrona",
                "relation": "caretaker",
                "notes": "repairs the gutter above the balcony of flat 14 before 2025-04-30",
            },
        ],
        "people.Profile": [{"name": "Marta Kowalczyk", "address": "flat 14, staircase B", "lives_in": "Gdańsk"}],
        "travel.Passport": [{"holder": "me", "expires": "2025-09-12"}],
        "travel.Trip": [
            {
                "destination": "Lisbon",
                "country": "Portugal",
                "departs": "2025-05-02",
                "returns": "2025-05-09",
                "means": "flight",
                "state": "booked",
            }
        ],
    }


def test_a_medicine_in_the_middle_of_the_chatter_raises_the_alert_on_the_same_day(memory: Memory) -> None:
    (alert,) = memory.alerts()
    assert (alert.constraint, alert.subject, alert.severity) == ("drug_interaction", "warfarin / ibuprofen", "critical")
    assert alert.since.astimezone(UTC) == datetime(2025, 3, 15, 10, 55, tzinfo=UTC)
    assert alert.message.startswith("warfarin (5 mg, every evening) and ibuprofen (400 mg, three times a day")
    changes = [(change.change, change.constraint) for _stored, change in memory.history()]
    assert changes == [("raised", "drug_interaction")]


def test_what_was_corrected_an_hour_later_keeps_both_words(project: Project) -> None:
    claims = project.record(SKODA).claims["inspected_until"]
    assert [(dump_value(claim.value), claim.authority) for claim in claims] == [
        ("2025-04-30", "user"),
        ("2025-04-20", "correction"),
    ]


def test_the_answers_rest_on_records_and_on_words_far_apart(played: Played) -> None:
    spent, meeting, inspection = played.answers
    assert (spent.text, spent.computed) == (
        "You paid 2,610 zloty in March 2025, the 600 zloty lent to Tomek included.",
        (Computation(SPENT, "{'PLN': Decimal('2610')}", is_complete=True, reads=("finance.transactions",)),),
    )
    assert (meeting.text, meeting.records, [quote.position for quote in meeting.quotes]) == (
        "It is on 2025-06-12 at 18:00 in the laundry room.",
        (MEETING,),
        [131],
    )
    assert (inspection.text, inspection.records, [quote.position for quote in inspection.quotes]) == (
        "Until 2025-04-30, as you had said first; then you corrected it to 2025-04-20.",
        (SKODA,),
        [32, 84],
    )
    assert all(answer.is_known and answer.is_complete for answer in played.answers)


def test_what_an_agent_is_shown_stays_small_beside_what_was_said(memory: Memory) -> None:
    shown = memory.context("Which medicines does Marta take?", tokens=1500)
    said = sum(count_tokens(turn["text"]) for session in SESSIONS for turn in session["turns"])
    assert said > 10_000
    assert shown.tokens <= 1500
    assert shown.text.startswith(MEMORY_OPEN)
    assert shown.text.endswith(MEMORY_CLOSE)
    assert '- critical: "warfarin' in shown.text
