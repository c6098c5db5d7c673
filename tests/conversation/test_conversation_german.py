"""Doctors, rent and spending told in German, played with recorded replies: dates, amounts, alerts and answers."""

from datetime import UTC, datetime

from support.recorded_conversations import Played, claimed, fixtures, standing, texts, values
from support.scripted_model import kept
from uac import Memory
from uac.conversation.ask import Answer, Computation
from uac.project.project import Project
from uac.schema.periods import Period

AMOXICILLIN = "health.Medication:amoxicillin"
DENTIST = "calendar.Appointment:zahnarzttermin bei dr. öztürk|2025-04-24t14:30:00+02:00"
FLAT = "household.Lease:zweizimmerwohnung in der zschocherschen strasse"
WASHER = "household.Purchase:waschmaschine|2025-05-03"

TRANSACTION = "finance.Transaction has no field date. Use one of: payee, amount, on, account, what, category, "
LEASE = (
    "household.Lease has no field notice. Use one of: what, landlord, starts, ends, notice_days, answer_by, plans,"
    " acts_on, otherwise, answered_on, rent."
)
SENT_BACK = [
    (
        "put health.Visit: health.Visit has no field date."
        " Use one of: what, day, person, at, doctor, outcome, next_due, cost, notes."
    ),
    f"put household.Lease: {LEASE}",
    f"put finance.Transaction: {TRANSACTION}direction, reference, invoice.",
    f"put finance.Transaction: {TRANSACTION}direction, reference, invoice.",
]
TAKE_CARE = (
    "Amoxicillin (1000 mg, dreimal täglich, prescribed by Bereitschaftsärztin, from 2025-05-12) is a penicillin, and you"
    " have a severe allergy to Penicillin (reaction: Nesselsucht und Atemnot): who reacts to one penicillin must be"
    " expected to react to all. Do not take it; tell Bereitschaftsärztin about the allergy and ask for an alternative."
    " No medical advice."
)
GIVE_NOTICE = (
    "The last day to tell Wohnungsgenossenschaft Elstertal what becomes of your Zweizimmerwohnung in der Zschocherschen"
    " Straße lease is 2025-05-31, in 12 days. You want zu kündigen. Send the notice or start to talk before that day."
)


played, memory, project = fixtures("deutsch")


def evening(month: int, day: int) -> datetime:
    return datetime(2025, month, day, 21, 59, tzinfo=UTC)


# --- facts ------------------------------------------------------------------------------------------------------------


def test_german_phrases_are_resolved_from_the_day_on_which_they_were_said(memory: Memory) -> None:
    assert [(fact.when, fact.held) for fact in kept(memory) if fact.when] == [
        ("3. August 1979", Period.on("1979-08-03")),
        ("seit Februar", Period("2025-02", "")),
        ("Vorgestern", Period.on("2025-04-05")),
        ("nächste Woche Donnerstag", Period.on("2025-04-17")),
        ("24. April", Period.on("2025-04-24")),
        ("bis zum 31. August 2025", Period("", "2025-08-31")),
        ("am Dritten jedes Monats", Period()),
        ("Vorgestern", Period.on("2025-05-03")),
        ("am 2. Mai", Period.on("2025-05-02")),
        ("In drei Wochen", Period.on("2025-05-26")),
        ("Am 7. Mai", Period.on("2025-05-07")),
        ("nächsten Donnerstag", Period.on("2025-05-08")),
        ("das ganze Wochenende", Period()),
        ("Heute früh", Period("2025-05-12", "")),
        ("am Dienstag", Period.on("2025-05-13")),
        ("übermorgen", Period.on("2025-05-21")),
        ("Letzten Freitag", Period.on("2025-05-16")),
        ("am 14. Juni", Period.on("2025-06-14")),
    ]


def test_every_fact_is_the_word_of_the_user_and_has_its_subject(memory: Memory) -> None:
    of_others = [(fact.about, fact.authority, fact.text) for fact in kept(memory) if fact.about != "user"]
    assert of_others == [
        ("Dr. Brückner", "user", "Dr. Brückner ist Katrins Hausärztin."),
        (
            "Wohnungsgenossenschaft Elstertal",
            "user",
            "Die Wohnungsgenossenschaft Elstertal ist Katrins Vermieterin.",
        ),
        ("Golf", "user", "Katrins Golf muss am 26. Mai 2025 zur Hauptuntersuchung."),
        ("Jonas", "user", "Jonas ist Katrins Sohn und geht in die Grundschule."),
        ("Jürgen", "user", "Jürgen ist Katrins Bruder und wird am 14. Juni 2025 fünfzig Jahre alt."),
        ("Jürgen", "user", "Jürgen wünscht sich eine Espressomaschine zum 50. Geburtstag."),
    ]
    assert [(fact.authority, fact.text) for fact in kept(memory) if fact.authority != "user"] == [
        ("correction", "Katrins Zahnarzttermin ist erst am 24. April 2025 zur gleichen Uhrzeit."),
        ("correction", "Die Waschmaschine hat 1.205,50 Euro gekostet, nicht 1.250,50 Euro."),
    ]


def test_all_that_was_said_is_in_records_and_what_was_sent_back_was_mended(played: Played, project: Project) -> None:
    taken = {position for outcome in played.outcomes for position in outcome.facts}
    assert (len(taken), set(project.used), dict(project.aside)) == (32, taken, {})
    findings = [(finding.why, outcome.is_open) for outcome in played.outcomes for finding in outcome.findings]
    assert findings == [(why, True) for why in SENT_BACK]
    progress = project.progress
    assert (list(project.waiting), list(progress.unread), list(progress.stuck), dict(progress.asked)) == (
        [],
        [],
        [],
        {},
    )


# --- records ----------------------------------------------------------------------------------------------------------


def test_at_the_end_these_records_stand(project: Project) -> None:
    assert standing(project) == {
        "calendar.Appointment": [
            {
                "what": "Zahnarzttermin bei Dr. Öztürk",
                "starts": "2025-04-24T14:30:00+02:00",
                "where": "Karl-Liebknecht-Straße",
            },
            {
                "what": "Schornsteinfeger",
                "starts": "2025-05-07T08:00:00+02:00",
                "ends": "2025-05-07T10:00:00+02:00",
                "where": "home",
            },
            {"what": "Elternabend", "starts": "2025-05-08T19:30:00+02:00", "where": "Grundschule von Jonas"},
        ],
        "finance.Account": [{"name": "Girokonto", "institution": "Sparkasse", "kind": "checking"}],
        "finance.RegularPayment": [
            {
                "what": "Warmmiete",
                "amount": "945.50 EUR",
                "every": "month",
                "day": 3,
                "paid_from": "Girokonto bei der Sparkasse",
            }
        ],
        "finance.Transaction": [
            {"payee": "Saturn", "amount": "1205.50 EUR", "on": "2025-05-03", "what": "Waschmaschine"},
            {"payee": "Kfz-Werkstatt Krüger", "amount": "389.90 EUR", "on": "2025-05-02", "what": "Autoreparatur"},
            {"payee": "Baumarkt", "amount": "86.40 EUR", "on": "2025-05-16", "what": "Wandfarbe"},
        ],
        "health.Allergy": [
            {"substance": "Penicillin", "severity": "severe", "reaction": "Nesselsucht und Atemnot"},
        ],
        "health.Condition": [{"name": "Bluthochdruck"}, {"name": "Mandelentzündung"}],
        "health.Measurement": [
            {"what": "systolischer Blutdruck", "day": "2025-04-05", "value": 135.0},
            {"what": "diastolischer Blutdruck", "day": "2025-04-05", "value": 85.0},
        ],
        "health.Medication": [
            {
                "name": "Ramipril",
                "dose": "5 mg",
                "times_per_day": 1.0,
                "frequency": "täglich eine Tablette",
                "purpose": "Bluthochdruck",
                "form": "Tablette",
            },
            {"name": "Doxycyclin", "dose": "100 mg", "times_per_day": 1.0, "frequency": "einmal täglich"},
        ],
        "health.Visit": [{"what": "Blutdruckkontrolle", "day": "2025-04-05", "doctor": "Dr. Brückner"}],
        "household.Lease": [
            {
                "what": "Zweizimmerwohnung in der Zschocherschen Straße",
                "landlord": "Wohnungsgenossenschaft Elstertal",
                "ends": "2025-08-31",
                "answer_by": "2025-05-31",
                "plans": "zu kündigen",
                "acts_on": "2025-05-21",
            }
        ],
        "household.Purchase": [
            {
                "item": "Waschmaschine",
                "bought": "2025-05-03",
                "shop": "Saturn",
                "price": "1205.50 EUR",
                "return_days": 14,
            }
        ],
        "household.Service": [{"vehicle": "Golf", "day": "2025-05-26", "what": "Hauptuntersuchung"}],
        "people.Person": [
            {"name": "Dr. Brückner", "relation": "Hausärztin"},
            {"name": "Jonas", "relation": "Sohn", "notes": "geht in die Grundschule"},
            {
                "name": "Jürgen",
                "relation": "Bruder",
                "born": "1975-06-14",
                "notes": "wünscht sich eine Espressomaschine zum 50. Geburtstag",
            },
        ],
        "people.Profile": [{"name": "Katrin Vogel", "born": "1979-08-03", "lives_in": "Leipzig"}],
    }


def test_a_corrected_amount_with_dot_and_comma_stands_and_the_slip_is_kept(memory: Memory) -> None:
    slip = "Vorgestern habe ich bei Saturn eine Waschmaschine für 1.250,50 Euro gekauft"
    returned = f"{slip}, die kann ich vierzehn Tage lang zurückgeben"
    mended = "Die Waschmaschine hat 1.205,50 Euro gekostet, nicht 1.250,50 Euro"
    assert claimed(memory, WASHER, "price") == [
        ("1250.50 EUR", "user", False, [slip, returned]),
        ("1205.50 EUR", "correction", True, [mended]),
    ]
    (paid,) = (r for r in memory.project().records("finance.Transaction") if r.values["what"] == "Waschmaschine")
    assert claimed(memory, paid.id, "amount") == [
        ("1250.50 EUR", "user", False, [slip]),
        ("1205.50 EUR", "correction", True, [mended]),
    ]


def test_a_corrected_appointment_keeps_its_hour_and_the_date_that_was_told_first(memory: Memory) -> None:
    first = "nächste Woche Donnerstag um halb drei habe ich einen Zahnarzttermin bei Dr. Öztürk"
    assert claimed(memory, DENTIST, "starts") == [
        ("2025-04-17T14:30:00+02:00", "user", False, [f"{first} in der Karl-Liebknecht-Straße"]),
        (
            "2025-04-24T14:30:00+02:00",
            "correction",
            True,
            ["Der Zahnarzttermin ist nicht am 17., sondern erst am 24. April, gleiche Uhrzeit"],
        ),
    ]
    believed = [
        [values(record)["starts"] for record in memory.project_as_of(evening(4, day)).records("calendar.Appointment")]
        for day in (7, 15)
    ]
    assert believed == [["2025-04-17T14:30:00+02:00"], ["2025-04-24T14:30:00+02:00"]]


# --- alerts -----------------------------------------------------------------------------------------------------------


def test_a_medicine_against_the_allergy_is_an_alert_until_it_was_stopped(memory: Memory, project: Project) -> None:
    (alert,) = memory.project_as_of(evening(5, 12)).standing()
    assert (alert.severity, alert.constraint, alert.subject, alert.records, alert.message) == (
        "critical",
        "drug_allergy",
        "amoxicillin / penicillin",
        (AMOXICILLIN, "health.Allergy:penicillin"),
        TAKE_CARE,
    )
    stopped = project.record(AMOXICILLIN)
    assert stopped.ended is not None
    assert (stopped.ended.when, stopped.ended.why) == ("2025-05-13", "abgesetzt")
    assert texts(memory, stopped.ended.cites) == [
        "Katrin hat das Amoxicillin am Dienstag, dem 13. Mai 2025, wieder abgesetzt."
    ]


def test_the_last_day_to_give_notice_is_told_two_weeks_before(memory: Memory) -> None:
    assert [(a.severity, a.constraint, a.records, a.message) for a in memory.alerts()] == [
        ("warning", "lease_notice", (FLAT,), GIVE_NOTICE)
    ]


def test_alerts_came_and_went_in_this_order(memory: Memory) -> None:
    assert [(change.change, change.constraint) for _stored, change in memory.history()] == [
        ("raised", "drug_allergy"),
        ("expired", "drug_allergy"),
        ("raised", "lease_notice"),
        ("updated", "lease_notice"),
    ]


# --- questions --------------------------------------------------------------------------------------------------------


def test_what_was_spent_is_computed_and_answered_in_german(played: Played) -> None:
    code = (
        "{'Ausgaben': total(t.amount for t in finance.transactions"
        " if (t.on.year, t.on.month) == (2025, 5) and t.direction != 'in'),"
        " 'regelmäßig im Monat': total(p.amount for p in finance.regular_payments if p.every == 'month' and p.amount)}"
    )
    value = "{'Ausgaben': {'EUR': Decimal('1681.80')}, 'regelmäßig im Monat': {'EUR': Decimal('945.50')}}"
    assert played.answers[0] == Answer(
        text="Im Mai 2025 waren es bisher 1.681,80 Euro, dazu kommt die Warmmiete von 945,50 Euro.",
        is_known=True,
        is_complete=True,
        computed=(
            Computation(code, value, is_complete=True, reads=("finance.regular_payments", "finance.transactions")),
        ),
        records=("finance.RegularPayment:warmmiete",),
        calls=2,
    )


def test_the_last_day_for_the_notice_is_answered_from_the_lease(played: Played) -> None:
    assert played.answers[1] == Answer(
        text="Die Kündigung muss bis zum 31. Mai 2025 bei der Wohnungsgenossenschaft Elstertal sein; abschicken wollen"
        " Sie das Kündigungsschreiben am 21. Mai 2025.",
        is_known=True,
        is_complete=True,
        records=(FLAT,),
        calls=1,
    )


def test_what_nobody_said_is_not_known(played: Played) -> None:
    assert played.answers[2] == Answer(
        text="", is_known=False, is_complete=True, why="nothing in memory supports an answer", calls=1
    )
