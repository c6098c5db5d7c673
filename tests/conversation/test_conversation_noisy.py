"""Typos, slang, dictation, sarcasm, pasted code, a scanned receipt and a tool's output, played with recorded replies."""

from datetime import UTC, datetime

from support.recorded_conversations import Played, fixtures, standing, values
from support.scripted_model import kept
from uac import Memory
from uac.project.project import Project
from uac.schema.entries import Observation
from uac.schema.values import dump_value

RABIES = "calendar.Deadline:biscuit's rabies shot"
GIFT = "calendar.Deadline:gift for priya's dad"
PETCO = {
    "payee": "Petco",
    "amount": "112.33 USD",
    "on": "2025-05-15",
    "account": "Visa",
    "what": "dog food and flea treatment for Biscuit",
    "category": "pets",
}
TOTAL = "Samir paid $112.33 in total at Petco on 2025-05-15 for dog food and flea treatment for Biscuit."
FLEAS = "The Petco receipt of 2025-05-15 lists a flea treatment, pack of 3, for 41.50."
FOOD = "The Petco receipt of 2025-05-15 lists Blue Buff adult dog food, 24 lb, for 62.99."
FIRST_LINES = "PETC0 #1182\nC0LUMBUS 0H 43215\n05/15/2025  18:42  REG 03\nBLUE BUFF ADLT D0G 24LB      62.99"
NO_SUCH_FIELD = (
    "put household.Pet: household.Pet has no field species."
    " Use one of: name, kind, breed, born, weight_kg, eats, reaches, certificate_until, notes."
)
NO_SUCH_FIELD_EITHER = (
    "put finance.Transaction: finance.Transaction has no field paid_from."
    " Use one of: payee, amount, on, account, what, category, direction, reference, invoice."
)


played, memory, project = fixtures("noisy")


def turn(memory: Memory, position: int) -> Observation:
    entry = next(memory.log.read(position, position + 1)).entry
    assert isinstance(entry, Observation)
    return entry


def position_of(memory: Memory, words: str) -> int:
    """Where the turn stands that has these words."""
    (found,) = [s.position for s in memory.log.read() if isinstance(s.entry, Observation) and words in s.entry.text]
    return found


def said_of(memory: Memory, words: str) -> list[str]:
    """The facts that rest on the turn with these words."""
    position = position_of(memory, words)
    return [fact.text for fact in kept(memory) if position in [cite.position for cite in fact.cites]]


# --- what stands ------------------------------------------------------------------------------------------------------


def test_after_all_the_noise_the_records_are_plain(project: Project) -> None:
    assert standing(project) == {
        "calendar.Appointment": [
            {"what": "call the vet for Biscuit", "starts": "2025-05-12T09:30:00-04:00", "remote": True},
            {
                "what": "orientation at Brightside Labs",
                "starts": "2025-05-19T09:00:00-04:00",
                "ends": "2025-05-19T12:00:00-04:00",
                "where": "41 S High St",
            },
        ],
        "calendar.Deadline": [{"what": "Biscuit's next rabies shot", "due": "2026-05-12"}],
        "finance.Account": [{"name": "Visa", "kind": "card", "last_four": "4417"}],
        "finance.Income": [
            {"source": "salary at Brightside Labs", "amount": "84000 USD", "every": "year", "since": "2025-05-19"}
        ],
        "finance.PlannedPayment": [
            {"what": "parking ticket", "amount": "65 USD", "payee": "City of Columbus", "kind": "bill"}
        ],
        "finance.RegularPayment": [
            {"what": "rent", "amount": "1450 USD", "every": "month", "day": 1, "payee": "Mr Okafor"}
        ],
        "finance.Transaction": [
            PETCO,
            {
                "payee": "Best Buy",
                "amount": "129.99 USD",
                "on": "2025-05-23",
                "what": "record player for Priya's dad",
                "category": "gifts",
            },
            {
                "payee": "vet",
                "amount": "48 USD",
                "on": "2025-05-12",
                "what": "rabies shot for Biscuit",
                "category": "pets",
            },
        ],
        "food.Intolerance": [{"what": "gluten", "who": "Priya", "cause": "celiac disease"}],
        "household.Pet": [{"name": "Biscuit", "kind": "dog", "breed": "beagle", "notes": "4 years old in May 2025"}],
        "people.Person": [
            {"name": "Priya", "relation": "girlfriend", "notes": "no pizza places, because of the gluten"},
            {
                "name": "Priya's dad",
                "relation": "girlfriend's father",
                "likes": ["record player"],
                "notes": "turns 61 on 2025-05-25",
            },
        ],
        "people.Profile": [{"name": "Samir", "work": "Brightside Labs, from 2025-05-19"}],
        "projects.SideProject": [{"name": "Thirsty", "what": "watering plants"}],
        "travel.Trip": [
            {
                "destination": "Cincinnati",
                "departs": "2025-05-24",
                "returns": "2025-05-26",
                "means": "car",
                "travellers": ["Priya"],
                "purpose": "visit Priya's parents",
            }
        ],
    }


def test_every_fact_is_in_a_record_and_nothing_waits(played: Played, project: Project) -> None:
    taken = [position for outcome in played.outcomes for position in outcome.facts]
    assert len(taken) == 28
    assert set(taken) == set(project.used)
    assert [list(left) for left in (project.aside, project.waiting, project.progress.unread)] == [[], [], []]
    assert list(project.progress.stuck) == []


def test_what_was_sent_back_was_mended_and_nothing_was_left(played: Played) -> None:
    assert [(finding.why, outcome.is_open) for outcome in played.outcomes for finding in outcome.findings] == [
        (NO_SUCH_FIELD, True),
        (
            "put people.Gift: people.Gift has no field person. Use one of: to, what, occasion, on, given.",
            True,
        ),
        (NO_SUCH_FIELD_EITHER, True),
    ]


def test_every_quote_is_in_its_turn_typos_and_emoji_and_all(memory: Memory) -> None:
    cites = [cite for fact in kept(memory) for cite in fact.cites]
    assert [cite for cite in cites if cite.quote not in turn(memory, cite.position).text] == []
    assert len(cites) == 34


# --- typed with one thumb ---------------------------------------------------------------------------------------------


def test_typos_and_slang_give_facts_in_plain_words(memory: Memory) -> None:
    assert said_of(memory, "salry is 84k a yr") == [
        "Samir has a new job at Brightside Labs, starting on 2025-05-19.",
        "Samir's salary at Brightside Labs is 84,000 a year.",
    ]
    assert said_of(memory, "1450 bucks a month") == [
        "Samir's rent is 1450 dollars a month, due on the 1st.",
        "Samir's landlord is Mr Okafor.",
    ]


def test_explain_goes_back_to_the_misspelt_words(memory: Memory) -> None:
    explanation = memory.explain("finance.Income:salary at brightside labs", "amount")
    assert dump_value(explanation.value) == "84000 USD"
    assert [(e.speaker, e.quote) for item in explanation.claims for e in item.evidence] == [
        ("Samir", "got a new job 🎉🎉 startng may 19 at brightside labs"),
        ("Samir", "at brightside labs, salry is 84k a yr"),
    ]


def test_sarcasm_is_not_taken_at_its_word(memory: Memory) -> None:
    assert said_of(memory, "thank u so much city of columbus") == [
        "Samir got another parking ticket for 65 dollars in Columbus on 2025-05-10."
    ]
    assert said_of(memory, "sooo fun (not)") == [
        "Samir is back from Cincinnati.",
        "Samir was not happy with the traffic to Cincinnati, 4 hours each way.",
    ]


def test_small_talk_without_numbers_and_names_waits_for_the_next_request_and_gives_no_fact(
    memory: Memory, played: Played
) -> None:
    position = position_of(memory, "nice weather huh")
    assert said_of(memory, "nice weather huh") == []
    assert len([o for o in played.outcomes if position in o.request.answers]) == 1
    assert [*memory.project().progress.again] == [position]


# --- dictated ---------------------------------------------------------------------------------------------------------


def test_dates_and_numbers_that_were_dictated_in_words_are_understood(memory: Memory) -> None:
    words = "okay so um i am driving"
    position = position_of(memory, words)
    dictated = [fact for fact in kept(memory) if fact.cites[0].position == position]
    assert [(fact.text, fact.when, fact.held.start, fact.held.end) for fact in dictated] == [
        (
            "Samir needs to call the vet for Biscuit on Monday 2025-05-12 at 9:30.",
            "on monday at nine thirty",
            "2025-05-12",
            "2025-05-12",
        ),
        ("Biscuit is Samir's beagle.", "", "", ""),
        ("Biscuit is 4 years old.", "", "", ""),
        ("Biscuit's rabies shot runs out on 2025-06-03.", "june third", "2025-06-03", "2025-06-03"),
        (
            "Samir and Priya are going to Priya's parents in Cincinnati from 2025-05-24 to 2025-05-26.",
            "from the twenty fourth to the twenty sixth",
            "2025-05-24",
            "2025-05-26",
        ),
        ("Samir still needs a gift for Priya's dad.", "", "", ""),
        ("Priya's dad turns 61 on 2025-05-25.", "the twenty fifth", "2025-05-25", "2025-05-25"),
    ]


# --- pasted -----------------------------------------------------------------------------------------------------------


def test_code_and_addresses_that_were_pasted_say_nothing_about_the_user(memory: Memory, played: Played) -> None:
    position = position_of(memory, "BUDGET = 5000")
    assert said_of(memory, "BUDGET = 5000") == []
    assert [o.facts for o in played.outcomes if o.request.answers == (position,)] == [()]
    assert not any("5000" in fact.text or "floats" in fact.text or "anna" in fact.text for fact in kept(memory))


def test_a_scanned_receipt_is_one_payment_that_rests_on_the_paper_and_on_the_word_of_the_user(
    memory: Memory, project: Project
) -> None:
    (payment,) = [record for record in project.records("finance.Transaction") if values(record) == PETCO]
    (claim,) = memory.explain(payment.id, "amount").claims
    assert [(e.fact_text, turn(memory, e.observation).role, e.quote) for e in claim.evidence] == [
        (TOTAL, "document", "TOTAL                      $112.33"),
        (TOTAL, "user", "recipt from petco yesterday, food n flea stuff 4 biscuit, paid w the visa"),
        (FLEAS, "document", "FLEA TREATMNT 3PK            41.50"),
        (FLEAS, "user", "recipt from petco yesterday, food n flea stuff 4 biscuit"),
        (FOOD, "document", FIRST_LINES),
    ]


def test_what_a_tool_said_is_kept_as_the_word_of_a_tool(memory: Memory) -> None:
    assert said_of(memory, '"tool": "calendar.search"') == [
        "The orientation at Brightside Labs is on 2025-05-19 from 09:00 to 12:00 at 41 S High St."
    ]
    (claim,) = memory.explain(
        "calendar.Appointment:orientation at brightside labs|2025-05-19t09:00:00-04:00", "starts"
    ).claims
    assert (dump_value(claim.claim.value), claim.claim.authority) == ("2025-05-19T09:00:00-04:00", "tool")


# --- over time --------------------------------------------------------------------------------------------------------


def test_what_is_done_is_ended_with_its_reason(project: Project) -> None:
    found = {
        record.id: (values(record)["due"], record.ended.when, record.ended.why)
        for name in project.tables
        for record in project.records(name)
        if record.ended
    }
    assert found == {
        RABIES: ("2025-06-03", "2025-05-12", "done: Biscuit got the shot"),
        GIFT: ("2025-05-25", "2025-05-23", "done: a record player was bought and given"),
    }


def test_before_the_visit_to_the_vet_the_old_date_was_believed(memory: Memory) -> None:
    then = memory.project_as_of(datetime(2025, 5, 11, 23, 59, tzinfo=UTC)).record(RABIES)
    assert (values(then)["due"], then.ended) == ("2025-06-03", None)


def test_alerts_come_and_go_with_what_was_said(memory: Memory) -> None:
    changes = [change for _stored, change in memory.history()]
    assert [(change.change, change.constraint, change.subject) for change in changes] == [
        ("raised", "deadline_while_away", "gift for priya's dad / cincinnati|2025-05-24"),
        ("raised", "deadline_near", "biscuit's rabies shot"),
        ("expired", "deadline_while_away", "gift for priya's dad / cincinnati|2025-05-24"),
        ("cleared", "deadline_near", "biscuit's rabies shot"),
    ]
    assert memory.alerts() == []


# --- questions --------------------------------------------------------------------------------------------------------


def test_what_was_spent_on_the_dog_is_computed_and_counts_the_receipt_once(played: Played, project: Project) -> None:
    answer = played.answers[0]
    assert (answer.text, answer.is_known, answer.is_complete) == (
        "you spent 160.33 USD on biscuit in may: 112.33 at petco and 48 at the vet",
        True,
        True,
    )
    assert [item.value for item in answer.computed] == ["{'USD': Decimal('160.33')}"]
    payments = [record for record in project.records("finance.Transaction") if "Biscuit" in values(record)["what"]]
    assert answer.records == tuple(record.id for record in payments)


def test_what_was_known_on_a_day_is_answered_from_the_memory_of_that_day(played: Played) -> None:
    answer = played.answers[1]
    assert (answer.text, answer.is_known, answer.is_complete, answer.records) == (
        "on may 11 i knew that biscuits rabies shot runs out on june 3, 2025",
        True,
        True,
        (RABIES,),
    )
    assert [(item.as_of, item.value) for item in answer.computed] == [
        ("2025-05-11", '[("Biscuit\'s rabies shot", datetime.date(2025, 6, 3))]')
    ]
    assert [(quote.speaker, quote.words) for quote in answer.quotes] == [
        ("Samir", "his rabies shot runs out june third")
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
