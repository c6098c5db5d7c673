"""Two people who tell one assistant different things, played with recorded replies: whose word it is, and what stands."""

from datetime import UTC, datetime
from typing import Any

from support.recorded_conversations import Played, fixtures, play, standing, values
from uac import Memory
from uac.conversation.ask import Answer, Computation, Quote
from uac.project.project import Project, SetAsideFact
from uac.schema.entries import Fact, Observation
from uac.schema.periods import Period
from uac.schema.values import dump_value

TUESDAY = "calendar.Appointment:lina's dentist appointment with dr. sommer|2025-05-13t15:00:00+02:00"
THURSDAY = "calendar.Appointment:lina's dentist appointment with dr. sommer|2025-05-15t15:00:00+02:00"
BATHROOM = "finance.PlannedPayment:bathroom"
CRAB_SHACK = "food.Booking:the crab shack|2025-05-24"
ROOM = "household.Room:lina's room"
SAMIRA = "food.Intolerance:shellfish|samira"

RULE = "If Omar says something else about the walls of Lina's room, Nadia wants to be asked: nobody should choose for them."
TOLD = {
    "document": [
        ("Omar", "Omar is allergic to ibuprofen and gets hives."),
        ("user", "Omar says that Nadia is allergic to shellfish."),
        ("Omar", "Omar wants the 2,400 euros for Mr. Bergmann's bathroom to come from account B, not account A."),
        ("Lina", "Omar says that Lina's dentist appointment with Dr. Sommer is on Thursday, 2025-05-15, at 15:00."),
        ("Omar", "Omar wants yellow walls for Lina's room."),
        ("Omar", "Omar asked to put down in Nadia's name that she is fine with account B."),
        ("Omar", "Omar paid 45 euros for Lina's swimming course on Friday, 2025-05-09."),
        ("Omar", "Omar started metformin 500 mg twice a day on 2025-05-18 for his diabetes."),
        ("Omar", "Omar has diabetes."),
        ("Omar", "Omar still says that account B should pay for the bathroom."),
        ("Omar", "Omar spent 23.50 euros on Lina's birthday invitations on Saturday, 2025-05-17."),
    ],
    "user": [
        ("user", "The user is Nadia Haddad."),
        ("Omar", "Omar is Nadia's husband."),
        ("Lina", "Lina, the daughter of Nadia and Omar, is 8."),
        ("Samira", "Samira is Omar's mother."),
        (
            "user",
            "Nadia booked The Crab Shack for four on Saturday, 2025-05-24, at 7pm: Omar, Lina, Samira and herself.",
        ),
        ("Mr. Bergmann", "Mr. Bergmann is the contractor for the bathroom."),
        ("user", "Nadia wants Mr. Bergmann to be paid 2,400 euros for the bathroom from account A."),
        ("Lina", "Nadia says that Lina has a dentist appointment with Dr. Sommer on Tuesday, 2025-05-13, at 15:00."),
        ("user", "Nadia's family is repainting Lina's room."),
        ("user", "Nadia wants the walls of Lina's room light green."),
        ("user", RULE),
        ("user", "Nadia bought Lina new sneakers for 54.90 euros at Deichmann on 2025-05-10."),
        (
            "user",
            "Nadia's final word is that the 2,400 euros for Mr. Bergmann's bathroom are to be paid from account A.",
        ),
        ("Lina", "Nadia was at the dentist with Lina on Tuesday, 2025-05-13, at 15:00, and Dr. Sommer found nothing."),
        ("user", "Dr. Kern put Nadia on ibuprofen 400 mg three times a day for her knee on 2025-05-19."),
        ("Samira", "Samira cannot come to The Crab Shack on Saturday, 2025-05-24, so they are three."),
    ],
    "correction": [
        ("user", "Nadia is not allergic to shellfish; Omar mixed that up."),
        ("Samira", "Samira, Omar's mother, is allergic to shellfish."),
    ],
}
NO_SUCH_FIELD = "finance.Transaction has no field date. Use one of: payee, amount, on, account, what, category, "
OPEN = (
    "household.Room:lina's room has claims of walls that disagree: light green (user, 2025-05-11);"
    " yellow (document, 2025-05-11). Say which one stands."
)


played, memory, project = fixtures("two_speakers")


def evening(day: int) -> datetime:
    """The end of a day in May 2025."""
    return datetime(2025, 5, day, 21, 59, tzinfo=UTC)


def facts(memory: Memory) -> dict[int, Fact]:
    stored = memory.log.read(1, memory.log.head().position + 1)
    return {one.position: one.entry for one in stored if isinstance(one.entry, Fact)}


def speakers(memory: Memory, fact: Fact) -> set[str]:
    entries = [next(memory.log.read(cited.position, cited.position + 1)).entry for cited in fact.cites]
    return {entry.speaker for entry in entries if isinstance(entry, Observation)}


def claimed(memory: Memory, record: str, field: str) -> list[tuple[Any, str, bool, list[str]]]:
    """Each value that was claimed, with its authority, whether it stands, and who said so."""
    return [
        (dump_value(item.claim.value), item.claim.authority, item.stands, [told.speaker for told in item.evidence])
        for item in memory.explain(record, field).claims
    ]


def alerts(project: Project) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(alert.severity, alert.constraint, alert.records) for alert in project.standing()]


# --- whose word it is -------------------------------------------------------------------------------------------------


def test_every_fact_has_its_subject_and_the_authority_of_the_one_who_said_it(memory: Memory) -> None:
    told: dict[str, list[tuple[str, str]]] = {}
    for fact in facts(memory).values():
        told.setdefault(fact.authority, []).append((fact.about, fact.text))
    assert told == TOLD


def test_what_omar_says_is_never_the_word_of_the_user_even_if_he_speaks_in_her_name(memory: Memory) -> None:
    found = {(fact.authority, *speakers(memory, fact)) for fact in facts(memory).values()}
    assert found == {("document", "Omar"), ("user", "Nadia"), ("correction", "Nadia")}


def test_dates_count_from_the_day_on_which_each_of_them_spoke(memory: Memory) -> None:
    resolved = [(fact.when, fact.held) for fact in facts(memory).values() if fact.when]
    assert resolved == [
        ("Saturday, May 24", Period.on("2025-05-24")),
        ("next Tuesday", Period.on("2025-05-13")),
        ("next Thursday", Period.on("2025-05-15")),
        ("yesterday", Period.on("2025-05-10")),
        ("on Friday", Period.on("2025-05-09")),
        ("yesterday", Period.on("2025-05-13")),
        ("today", Period("2025-05-19", "")),
        ("yesterday", Period("2025-05-18", "")),
        ("on Saturday", Period.on("2025-05-17")),
        ("on Saturday", Period.on("2025-05-24")),
    ]


def test_what_belongs_into_no_record_is_set_aside_with_the_reason(memory: Memory, project: Project) -> None:
    thursday = f"{THURSDAY} was dropped: Nadia was there on Tuesday"
    allergy = "health.Allergy:shellfish was dropped: Nadia is not allergic to shellfish; Omar mixed that up"
    told = facts(memory)
    assert {told[position].text: aside for position, aside in sorted(project.aside.items())} == {
        "Omar says that Nadia is allergic to shellfish.": SetAsideFact(allergy, "health", "dropped"),
        "Omar says that Lina's dentist appointment with Dr. Sommer is on Thursday, 2025-05-15, at 15:00.": SetAsideFact(
            thursday, "calendar", "dropped"
        ),
        RULE: SetAsideFact("it is a rule for records: the field walls asks when claims disagree", "household"),
        "Omar asked to put down in Nadia's name that she is fine with account B.": SetAsideFact(
            "Omar cannot speak in Nadia's name; she has not said so", "finance"
        ),
        "Nadia is not allergic to shellfish; Omar mixed that up.": SetAsideFact(allergy, "health", "dropped"),
        "Omar still says that account B should pay for the bathroom.": SetAsideFact(
            "Omar repeats what is on record; Nadia has decided since", "finance"
        ),
    }


def test_all_that_was_said_is_read_and_what_was_sent_back_was_mended(played: Played, project: Project) -> None:
    assert sum(len(outcome.facts) for outcome in played.outcomes) == 29
    assert [(finding.why, outcome.is_open) for outcome in played.outcomes for finding in outcome.findings] == [
        (f"put finance.Transaction: {NO_SUCH_FIELD}direction, reference, invoice.", True),
        (f"put finance.Transaction: {NO_SUCH_FIELD}direction, reference, invoice.", True),
    ]
    progress = project.progress
    assert (list(project.waiting), list(progress.unread), list(progress.stuck), dict(progress.asked)) == (
        [],
        [],
        [],
        {},
    )


# --- what stands ------------------------------------------------------------------------------------------------------


def test_at_the_end_these_records_stand(project: Project) -> None:
    assert standing(project) == {
        "calendar.Appointment": [
            {
                "what": "Lina's dentist appointment with Dr. Sommer",
                "starts": "2025-05-13T15:00:00+02:00",
                "who": ["Lina"],
                "attends": True,
            }
        ],
        "finance.PlannedPayment": [
            {"what": "bathroom", "amount": "2400 EUR", "payee": "Mr. Bergmann", "paid_from": "account A"}
        ],
        "finance.Transaction": [
            {"payee": "Deichmann", "amount": "54.90 EUR", "on": "2025-05-10", "what": "sneakers for Lina"},
            {
                "payee": "swimming course",
                "amount": "45 EUR",
                "on": "2025-05-09",
                "what": "swimming course for Lina, paid by Omar",
            },
            {
                "payee": "birthday invitations",
                "amount": "23.50 EUR",
                "on": "2025-05-17",
                "what": "birthday invitations for Lina, paid by Omar",
            },
        ],
        "food.Booking": [
            {"place": "The Crab Shack", "day": "2025-05-24", "at": "19:00:00", "who": ["Omar", "Lina"]},
        ],
        "food.Intolerance": [{"what": "shellfish", "who": "Samira", "cause": "allergy"}],
        "health.Medication": [
            {
                "name": "ibuprofen",
                "dose": "400 mg",
                "times_per_day": 3.0,
                "frequency": "three times a day",
                "prescriber": "Dr. Kern",
                "started": "2025-05-19",
                "purpose": "knee",
            }
        ],
        "household.Room": [{"name": "Lina's room", "plans": "repainting", "walls": "light green"}],
        "people.Person": [
            {
                "name": "Omar",
                "relation": "husband",
                "notes": "allergic to ibuprofen: gets hives; has diabetes; takes metformin 500 mg twice a day since"
                " 2025-05-18",
            },
            {"name": "Lina", "relation": "daughter", "notes": "8 years old"},
            {"name": "Samira", "relation": "mother-in-law"},
            {"name": "Mr. Bergmann", "relation": "contractor"},
        ],
        "people.Profile": [{"name": "Nadia Haddad"}],
    }


def test_what_omar_takes_and_cannot_take_is_his_and_raises_no_alert_for_the_user(
    memory: Memory, project: Project
) -> None:
    assert "drug_allergy" in project.constraints
    assert memory.compute("([m.name for m in health.medications], len(health.allergies))").value == (["ibuprofen"], 0)
    assert [item[:2] for item in claimed(memory, "people.Person:omar", "relation")] == [("husband", "user")]
    assert [item[1:] for item in claimed(memory, "people.Person:omar", "notes")] == [
        ("document", False, ["Omar"]),
        ("document", True, ["Omar", "Omar"]),
    ]
    assert [alert.constraint for alert in project.standing()] == ["open_conflict"]


# --- contradictions ---------------------------------------------------------------------------------------------------


def test_the_word_of_the_user_stands_and_omars_later_one_is_an_open_conflict_until_she_decides(memory: Memory) -> None:
    assert claimed(memory, BATHROOM, "paid_from") == [
        ("account A", "user", True, ["Nadia"]),
        ("account B", "document", False, ["Omar"]),
        ("account A", "user", True, ["Nadia"]),
    ]
    days = (8, 11, 14, 19)
    then = [memory.project_as_of(evening(day)) for day in days]
    assert [values(project.record(BATHROOM))["paid_from"] for project in then] == ["account A"] * 4
    open_ = [
        [claim.value for each in project.conflicts if each.record == BATHROOM for claim in each.claims]
        for project in then
    ]
    assert open_ == [["account A", "account B"], ["account A", "account B"], [], []]


def test_both_days_for_the_dentist_stand_until_the_user_says_which_it_was(memory: Memory) -> None:
    days = (5, 8, 11, 14)
    stood = [
        [record.id for record in memory.project_as_of(evening(day)).records("calendar.Appointment")] for day in days
    ]
    assert stood == [[], [TUESDAY, THURSDAY], [TUESDAY, THURSDAY], [TUESDAY]]
    then = memory.project_as_of(evening(8))
    told = {record.id: record.claims["starts"][0].authority for record in then.records("calendar.Appointment")}
    assert told == {TUESDAY: "user", THURSDAY: "document"}


def test_a_field_that_asks_keeps_the_conflict_open_and_says_so(memory: Memory, project: Project) -> None:
    part = project.types["household.Room"].field("walls")
    assert part is not None
    assert part.policy == "ask"
    (conflict,) = project.conflicts
    assert (conflict.record, conflict.field) == (ROOM, "walls")
    assert [(claim.value, claim.authority) for claim in conflict.claims] == [
        ("light green", "user"),
        ("yellow", "document"),
    ]
    assert memory.explain(ROOM, "walls").disputed
    assert [(a.severity, a.constraint, a.subject, a.message) for a in project.standing()] == [
        ("warning", "open_conflict", f"{ROOM}.walls", OPEN)
    ]


def test_a_correction_decides_the_open_conflict() -> None:
    memory = play("two_speakers", until=3).memory
    assert [(each.record, each.field) for each in memory.project().conflicts] == [
        (BATHROOM, "paid_from"),
        (ROOM, "walls"),
    ]
    memory.correct(ROOM, "walls", "yellow", why="they agreed")
    memory.correct(BATHROOM, "paid_from", "account B", why="Omar was right")
    after = memory.project()
    assert values(after.record(BATHROOM))["paid_from"] == "account B"
    assert (after.conflicts, values(after.record(ROOM))["walls"]) == ([], "yellow")
    assert "open_conflict" not in [alert.constraint for alert in after.standing()]


def test_an_allergy_that_omar_claims_is_watched_until_the_user_denies_it(memory: Memory) -> None:
    conflict, account = ("warning", "open_conflict", (ROOM,)), ("warning", "open_conflict", (BATHROOM,))
    of_user = ("warning", "meal_suits_everyone", (CRAB_SHACK, "health.Allergy:shellfish"))
    of_samira = ("warning", "meal_suits_everyone", (CRAB_SHACK, SAMIRA))
    then = {day: memory.project_as_of(evening(day)) for day in (5, 8, 11, 14, 19)}
    assert {day: alerts(project) for day, project in then.items()} == {
        5: [of_user],
        8: [of_user, account],
        11: [of_user, account, conflict],
        14: [conflict, of_samira],
        19: [conflict],
    }
    claims = then[5].record("health.Allergy:shellfish").claims["substance"]
    assert [(claim.value, claim.authority) for claim in claims] == [("shellfish", "document")]
    assert then[14].records("health.Allergy") == []


# --- questions --------------------------------------------------------------------------------------------------------


def test_what_both_spent_is_computed_over_what_both_said(played: Played, project: Project) -> None:
    code = (
        "total(t.amount for t in finance.transactions"
        " if 'Lina' in (t.what or '') and (t.on.year, t.on.month) == (2025, 5))"
    )
    assert played.answers[0] == Answer(
        text="You and Omar spent 123.40 euros on Lina in May 2025.",
        is_known=True,
        is_complete=True,
        computed=(Computation(code, "{'EUR': Decimal('123.40')}", is_complete=True, reads=("finance.transactions",)),),
        records=tuple(record.id for record in project.records("finance.Transaction")),
        calls=2,
    )


def test_an_answer_names_who_wanted_what_with_the_words_of_both(played: Played) -> None:
    assert played.answers[1] == Answer(
        text="Omar wanted it paid from account B; what holds is account A, as you said again on 2025-05-14.",
        is_known=True,
        is_complete=True,
        records=(BATHROOM,),
        quotes=(
            Quote(21, "have to come from account B, not A", "Omar", datetime(2025, 5, 8, 10, 30, tzinfo=UTC)),
            Quote(
                57,
                "are to be paid from account A. That is my final word",
                "Nadia",
                datetime(2025, 5, 14, 18, 0, tzinfo=UTC),
            ),
        ),
        calls=2,
    )


def test_a_number_that_nobody_told_is_not_known(played: Played) -> None:
    assert played.answers[2] == Answer(
        text="", is_known=False, is_complete=True, why="nothing in memory supports an answer", calls=2
    )
