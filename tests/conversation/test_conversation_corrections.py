"""What was said and then corrected, cancelled, told twice, moved or taken back, played with recorded replies."""

from datetime import UTC, date, datetime

from support.recorded_conversations import Played, claimed, fixtures, standing, texts, values
from uac import Memory
from uac.project.project import Project, SetAsideFact

DENTIST = "calendar.Appointment:dentist|2025-03-14t10:00:00+01:00"
LISBON = "travel.Trip:lisbon|2025-04-04"
GRANT = "calendar.Deadline:grant application for the museum"
VEGETARIAN = "food.Diet:vegetarian|me"

LISBON_BOOKED = {
    "destination": "Lisbon",
    "country": "Portugal",
    "departs": "2025-04-04",
    "returns": "2025-04-08",
    "means": "flight",
    "state": "booked",
}
SHOES = {"payee": "Decathlon", "amount": "89 EUR", "on": "2025-03-04", "what": "running shoes"}
DEBT = {"who": "Leyla", "what": "train", "amount": "60 EUR", "owed_by": "them"}
TOO_EARLY = "car inspection is booked for 2025-03-25 at 07:30, and you never want anything before 9am."
TOLD_AGAIN = (
    "finance.Transaction:#24.1 is much the same. If it is the same event mentioned again, amend it instead;"
    " if it happened twice, give the same patch again."
)
SPENT = (
    "You spent 254 EUR at Decathlon in March 2025: running shoes for 89, a rain jacket for 120 and a yoga mat for 45."
)


played, memory, project = fixtures("corrections")


def evening(day: int) -> datetime:
    """The end of a day in March 2025."""
    return datetime(2025, 3, day, 23, 59, tzinfo=UTC)


# --- what stands ------------------------------------------------------------------------------------------------------


def test_after_all_corrections_only_what_is_still_true_stands(project: Project) -> None:
    assert standing(project) == {
        "calendar.Appointment": [
            {"what": "dentist", "starts": "2025-03-14T10:00:00+01:00", "who": ["Dr. Weiss"]},
            {"what": "car inspection", "starts": "2025-03-25T11:00:00+01:00", "where": "Garage Roth"},
        ],
        "calendar.Deadline": [{"what": "grant application for the museum", "due": "2025-04-11"}],
        "finance.Transaction": [
            SHOES,
            {"payee": "Decathlon", "amount": "120 EUR", "on": "2025-03-22", "what": "rain jacket"},
            {"payee": "Decathlon", "amount": "45 EUR", "on": "2025-03-22", "what": "yoga mat"},
        ],
        "food.Habit": [{"what": "fish", "since": "2025-03-17"}],
        "people.Person": [{"name": "Leyla", "relation": "sister", "notes": "ill"}],
    }


def test_every_fact_is_in_a_record_or_set_aside_with_a_reason(memory: Memory, played: Played, project: Project) -> None:
    facts = [position for outcome in played.outcomes for position in outcome.facts]
    assert len(facts) == 22
    assert set(facts) == set(project.used) | set(project.aside)
    assert (list(project.waiting), list(project.progress.unread), list(project.progress.stuck)) == ([], [], [])
    dropped = SetAsideFact(
        "finance.Debt:leyla|train was dropped: taken back: Leyla never owed anything", "finance", "dropped"
    )
    assert {texts(memory, (position,))[0]: aside for position, aside in project.aside.items()} == {
        "Nadia's rule for her calendar: never book anything for her before 9am.": SetAsideFact(
            "it is the constraint nothing_before_nine", "", "constraint"
        ),
        "Nadia finds her new running shoes comfy.": SetAsideFact("how the shoes feel belongs to no record", "finance"),
        "Leyla owes Nadia 60 euros for the train.": dropped,
        "Leyla never owed Nadia the 60 euros; Nadia mixed that up and takes it back.": dropped,
        "Garage Roth had nothing later than 7:30.": SetAsideFact("only says why the time is so early", "calendar"),
    }


def test_what_was_sent_back_was_mended_and_nothing_was_left(played: Played) -> None:
    assert [(finding.why, outcome.is_open) for outcome in played.outcomes for finding in outcome.findings] == [
        (
            "put calendar.Appointment: starts is '2025-03-12T10:00:00'. Add a zone such as +01:00 or Z.",
            True,
        ),
        (
            "nothing_before_nine: line 15: datetime.fromisoformat('2025-03-12T08:30:00+01:00') is not a plain value. Write a literal.",
            True,
        ),
        (TOLD_AGAIN, True),
    ]


# --- corrected --------------------------------------------------------------------------------------------------------


def test_a_corrected_appointment_is_one_record_and_explain_shows_both_dates_with_their_words(memory: Memory) -> None:
    assert claimed(memory, DENTIST, "starts") == [
        (
            "2025-03-12T10:00:00+01:00",
            "user",
            False,
            ["I have a dentist appointment with Dr. Weiss on March 12 at 10:00"],
        ),
        (
            "2025-03-14T10:00:00+01:00",
            "correction",
            True,
            ["About the dentist: actually it was the 14th, not the 12th. Still at 10:00."],
        ),
    ]


def test_before_the_correction_the_first_date_was_believed_and_after_it_the_second(memory: Memory) -> None:
    believed = [
        [
            (record.id, values(record)["starts"])
            for record in memory.project_as_of(evening(day)).records("calendar.Appointment")
        ]
        for day in (2, 4, 5)
    ]
    assert believed == [
        [],
        [("calendar.Appointment:dentist|2025-03-12t10:00:00+01:00", "2025-03-12T10:00:00+01:00")],
        [(DENTIST, "2025-03-14T10:00:00+01:00")],
    ]


def test_a_moved_deadline_has_its_new_date_and_keeps_the_claim_of_the_old_one(memory: Memory) -> None:
    assert claimed(memory, GRANT, "due") == [
        ("2025-03-28", "user", False, ["The grant application for the museum is due on March 28"]),
        ("2025-04-11", "user", True, ["The museum moved the deadline for the grant application to April 11"]),
    ]
    assert values(memory.project_as_of(evening(10)).record(GRANT))["due"] == "2025-03-28"


# --- cancelled, changed, taken back -----------------------------------------------------------------------------------


def test_a_cancelled_trip_is_ended_with_its_reason_and_had_stood_until_then(memory: Memory, project: Project) -> None:
    (trip,) = project.records("travel.Trip")
    assert (trip.id, values(trip)) == (LISBON, LISBON_BOOKED)
    assert trip.ended is not None
    assert (trip.ended.when, trip.ended.why) == ("2025-03-17", "cancelled because Leyla is ill")
    assert texts(memory, trip.ended.cites) == ["Nadia cancelled the trip to Lisbon on 2025-03-17 because Leyla is ill."]
    assert memory.project_as_of(evening(16)).record(LISBON).ended is None
    assert memory.compute("(len(travel.trips), [t.destination for t in travel.former_trips])").value == (0, ["Lisbon"])


def test_a_changed_preference_ends_the_old_one_and_each_is_there_on_its_days(memory: Memory, project: Project) -> None:
    (diet,) = project.records("food.Diet")
    assert diet.ended is not None
    assert (diet.id, diet.ended.when, diet.ended.why) == (VEGETARIAN, "2025-03-17", "eats fish now")
    days = {day: memory.at(date(2025, 3, day)) for day in (16, 17)}
    standing = {
        day: [r.id for n in ("food.Diet", "food.Habit") for r in at.records(n) if r.ended is None]
        for day, at in days.items()
    }
    assert standing == {
        16: [VEGETARIAN],
        17: ["food.Habit:fish"],
    }


def test_what_was_taken_back_is_in_no_record_though_it_was_believed_and_its_words_are_kept(memory: Memory) -> None:
    assert memory.project().records("finance.Debt") == []
    assert [values(record) for record in memory.project_as_of(evening(19)).records("finance.Debt")] == [DEBT]
    assert "And my sister Leyla owes me 60 euros for the train." in [hit.text for hit in memory.recall("Leyla owes")]


# --- told twice -------------------------------------------------------------------------------------------------------


def test_a_purchase_told_twice_is_one_record_that_cites_both_facts(memory: Memory, project: Project) -> None:
    (shoes,) = [record for record in project.records("finance.Transaction") if values(record) == SHOES]
    assert texts(memory, shoes.cites) == [
        "Nadia bought running shoes at Decathlon on 2025-03-04 for 89 euros.",
        "Nadia bought her new running shoes for 89 euros at Decathlon on 2025-03-04.",
    ]
    assert claimed(memory, shoes.id, "amount") == [
        ("89 EUR", "user", True, ["I bought running shoes at Decathlon yesterday, 89 euros"]),
        ("89 EUR", "user", True, ["my new running shoes? 89 euros at Decathlon, last Tuesday"]),
    ]


# --- a rule -----------------------------------------------------------------------------------------------------------


def test_a_rule_of_the_user_is_a_constraint_with_cases_that_no_person_has_read_yet(project: Project) -> None:
    adopted = project.constraints["nothing_before_nine"]
    assert (adopted.constraint.origin, adopted.is_on, adopted.is_reviewed) == ("model", True, False)
    assert [(case.name, case.fires) for case in adopted.constraint.cases] == [
        ("half past eight", True),
        ("nine sharp", False),
        ("a whole day, kept as midnight", False),
    ]
    assert [c.name for c in (a.constraint for a in project.constraints.values()) if c.origin == "model"] == [
        "nothing_before_nine"
    ]


def test_the_rule_warns_of_an_early_appointment_until_it_is_moved(memory: Memory) -> None:
    changes = [change for _stored, change in memory.history()]
    assert [(c.change, c.constraint, c.severity, c.message) for c in changes] == [
        ("raised", "nothing_before_nine", "warning", TOO_EARLY),
        ("cleared", "nothing_before_nine", "warning", ""),
    ]
    then = memory.project_as_of(evening(23)).standing()
    assert [(alert.constraint, alert.message, alert.is_reviewed) for alert in then] == [
        ("nothing_before_nine", TOO_EARLY, False)
    ]
    assert memory.alerts() == []


# --- questions --------------------------------------------------------------------------------------------------------


def test_what_was_spent_is_computed_and_counts_the_purchase_told_twice_once(played: Played, project: Project) -> None:
    answer = played.answers[0]
    assert (answer.text, answer.is_known, [item.value for item in answer.computed], answer.records) == (
        SPENT,
        True,
        ["{'EUR': Decimal('254')}"],
        tuple(record.id for record in project.records("finance.Transaction")),
    )


def test_what_was_told_before_the_correction_is_answered_from_the_memory_of_that_day(played: Played) -> None:
    answer = played.answers[1]
    assert answer.text == "You first told me March 12 at 10:00; on March 5 you corrected it to the 14th."
    assert (answer.is_known, answer.is_complete, [item.as_of for item in answer.computed], answer.records) == (
        True,
        True,
        ["2025-03-04"],
        (DENTIST,),
    )
    assert [(quote.speaker, quote.words) for quote in answer.quotes] == [
        ("Nadia", "I have a dentist appointment with Dr. Weiss on March 12 at 10:00"),
        ("Nadia", "actually it was the 14th, not the 12th"),
    ]


def test_what_nobody_said_is_not_known(played: Played) -> None:
    answer = played.answers[2]
    assert (answer.text, answer.is_known, answer.is_complete, answer.records, answer.quotes, answer.why) == (
        "",
        False,
        True,
        (),
        (),
        "nothing in memory supports an answer",
    )
