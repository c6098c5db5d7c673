"""Phrases that were refused although they were right, and taken although they were wrong, each with both values."""

from datetime import UTC, datetime
from typing import Any

import pytest

from uac.conversation.checks.evidence import (
    name_evidence,
    sentence_evidence,
    value_evidence,
    value_evidence_problems,
)
from uac.conversation.checks.readings import QuotedText
from uac.conversation.checks.value_verdict import value_verdict
from uac.conversation.checks.wording import lost_denial, shares_no_words
from uac.text.dates.mentions import mentions

# The day of saying, the words, the field, a right value, and a wrong one.
VALUES: list[tuple[str, str, str, Any, Any]] = [
    ("2025-03-12", "Met Priya on the 11th about the roadmap", "day", "2025-03-11", "2025-03-10"),
    ("2025-03-12", "Osteria Nove on the 8th fell through", "day", "2025-03-08", "2025-03-09"),
    ("2025-03-22", "Kobe Corner on the 21st got cancelled", "day", "2025-03-21", "2025-03-22"),
    ("2025-03-12", "Mae's Diner on the 9th went ahead", "day", "2025-03-09", "2025-03-19"),
    ("2025-03-12", "ran 12.5 km along the river in 66 min", "duration", "PT1H6M", "PT12M"),
    ("2024-11-20", "costs £27 a month from 2024-11-26", "starts", "2024-11-26", "2024-12-26"),
    ("2025-03-12", "$7 a month from today", "starts", "2025-03-12", "2025-04-12"),
    ("2025-03-12", "it took three quarters of an hour", "duration", "PT45M", "PT3H"),
    ("2025-03-12", "Lisbon, 17 May for five nights", "returns", "2025-05-22", "2025-05-17"),
    ("2025-03-12", "28 days after the second of May", "due", "2025-05-30", "2025-05-02"),
    ("2025-03-12", "the lease is one year from 1 April 2025", "starts", "2025-04-01", "2026-04-01"),
    ("2025-03-12", "the lease is one year from 1 April 2025", "ends", "2026-04-01", "2025-04-01"),
    ("2025-03-12", "yoga is Thursdays", "weekday", "thursday", "tuesday"),
    ("2025-03-12", "in March I start the course", "month", "2025-03", "2025-05"),
    ("2025-03-12", "at 5:30 pm, about an hour", "ends_at", "18:30", "19:30"),
    ("2025-03-12", "I'm off all week", "ends", "2025-03-16", "2025-03-23"),
    ("2025-03-12", "in october we fly to Rome", "month", "2025-10", "2025-11"),
    ("2025-03-12", "dinner with Ana next week, on wednesday", "day", "2025-03-19", "2025-03-12"),
    ("2025-03-12", "from 3 May for two nights", "returns", "2025-05-05", "2025-05-04"),
    ("2025-03-12", "lunch at half twelve", "time", "12:30", "11:30"),
    ("2025-03-12", "the train goes at half six in the evening", "time", "18:30", "17:30"),
    ("2025-03-12", "a las ocho y media de la tarde", "time", "20:30", "20:15"),
    ("2025-03-12", "The wedding is on 3 May, we arrive the night before", "arrives", "2025-05-02", "2025-05-04"),
    ("2025-03-12", "I only see them sat AND sun", "weekday", "sunday", "friday"),
    ("2025-03-12", "Monday 20 to Friday 24 October", "ends", "2025-10-24", "2025-10-25"),
    ("2025-03-12", "football is Wednesdays\n", "weekday", "wednesday", "monday"),
    ("2025-03-12", "drove there in 2h10", "hours", 2.17, 2.1),
    ("2025-03-12", "ich bin bis zum 24. krankgeschrieben", "ends", "2025-03-24", "2025-03-23"),
    ("2025-03-12", "estoy de vacaciones hasta el 24", "ends", "2025-03-24", "2025-03-25"),
    ("2025-03-12", "am 11. hatte ich Zahnarzt", "day", "2025-03-11", "2025-03-12"),
    ("2025-03-12", "Am Ersten kommt die neue Mitbewohnerin", "day", "2025-04-01", "2025-03-31"),
    ("2025-03-12", "vom 15. an hab ich Urlaub", "starts", "2025-03-15", "2025-03-14"),
    ("2025-03-12", "Am 3. Mai war Hochzeit, am Tag drauf sind wir heim", "returned", "2025-05-04", "2025-05-06"),
    ("2025-03-12", "Himmelfahrt gehen wir wandern", "day", "2025-05-29", "2025-05-30"),
    ("2026-11-20", "I'll fly the Wednesday before 12 December", "day", "2026-12-09", "2026-08-05"),
    ("2025-10-20", "landlady's putting it up to 980 a month from 1 November", "starts", "2025-11-01", "2025-12-01"),
    ("2025-05-10", "gun at 730", "time", "07:30", "07:03"),
    ("2025-05-10", "first day at grant 645 am", "time", "06:45", "18:45"),
    ("2025-05-10", "she is coming at 1230 with the kids", "time", "12:30", "13:20"),
    ("2025-02-28", "my nephew malik turns 7 on the 22nd of march", "born", "2018-03-22", "2017-03-22"),
    ("2026-05-05", "Himmelfahrt fahren wir nach Rügen. Do bis So", "returns", "2026-05-17", "2026-05-18"),
    ("2026-01-22", "he says mum's thing is the 25th", "day", "2026-04-25", "2026-04-24"),
    ("2025-10-07", "i been off coffee 2 wks", "since", "2025-09-23", "2025-09-16"),
    ("2025-10-07", "eighteen point four she weighed", "kg", 18.4, 18),
    ("2025-10-07", "it is six pounds ninety-nine a month", "price", 6.99, 9.69),
    ("2025-10-07", "mornings and evenings, 5 mg", "times_per_day", 2, 3),
]


@pytest.mark.parametrize(("said", "words", "field", "right", "wrong"), VALUES)
def test_a_right_value_passes_and_a_wrong_one_does_not(
    said: str, words: str, field: str, right: Any, wrong: Any
) -> None:
    quotes = [quoted(words, said)]
    assert value_verdict(field, right, quotes).answer != "contradicts"
    assert value_verdict(field, wrong, quotes).answer != "follows"


# The day of saying, the words, a right sentence, and a wrong one with its number, date or name.
SENTENCES: list[tuple[str, str, str, str, str]] = [
    (
        "2025-01-19",
        "Taverna Elia on 31 January is at 19:30, not 18:30.",
        "The meal at Taverna Elia on 2025-01-31 is at 19:30, not at 18:30.",
        "The meal at Taverna Elia on 2025-01-31 is at 17:30.",
        "17:30",
    ),
    (
        "2025-02-17",
        "valentines was fire, took her to lindeys",
        "The user took her to Lindeys on Valentine's Day, 2025-02-14.",
        "The user took her to Lindeys on 2025-02-15.",
        "2025-02-15",
    ),
    (
        "2026-06-09",
        "so lunch is weds 17th then, still 1",
        "Lunch is moved from 2026-06-18 to 2026-06-17 at 13:00.",
        "Lunch is moved from 2026-06-18 to 2026-06-19.",
        "2026-06-19",
    ),
    (
        "2026-05-28",
        "product sync is wednesdays 10 from next week",
        "The product sync is on Wednesdays at 10:00 from 2026-06-03.",
        "The product sync is on Wednesdays at 10:00 from 2026-06-04.",
        "2026-06-04",
    ),
    (
        "2026-03-26",
        "Enugu trip: fly 22 apr, back 29th, just me and Kamsi",
        "The user and Kamsi travel to Enugu from 2026-04-22 to 2026-04-29.",
        "The user and Kamsi travel to Enugu from 2026-04-22 to 2026-04-28.",
        "2026-04-28",
    ),
    (
        "2025-05-27",
        "From the first of September I teach Tuesday, Wednesday and Thursday",
        "The user teaches three days a week from 2025-09-01.",
        "The user teaches four days a week from 2025-09-01.",
        "four",
    ),
    ("2025-07-03", "the actual unit is 44 B", "The address is 44B.", "The address is 45B.", "45B"),
    ("2025-03-27", "it came to four hundred and ten", "It cost 410 GBP, not 350.", "It cost 410 GBP for 350.", "350"),
    (
        "2025-08-19",
        "Results are on Thursday",
        "Exam results come out on 2025-08-21.",
        "Mallory results on it.",
        "Mallory",
    ),
    (
        "2026-02-12",
        "Korrektur beim Preis: 3.650, sie will doch Eiche statt Esche",
        "Der Preis ist 3.650 statt 3.400, sie will Eiche statt Esche.",
        "Der Preis ist 3.660, sie will Eiche statt Esche.",
        "3.660",
    ),
]


@pytest.mark.parametrize(("said", "words", "right", "wrong", "named"), SENTENCES)
def test_a_right_sentence_passes_and_a_wrong_one_does_not(
    said: str, words: str, right: str, wrong: str, named: str
) -> None:
    quotes = [quoted(words, said)]
    assert sentence_evidence(right, quotes).problems == []
    assert named in " ".join(sentence_evidence(wrong, quotes).problems)


def test_a_number_that_is_only_part_of_a_date_states_nothing_else() -> None:
    found = sentence_evidence("The user has 3 cats.", [quoted("The cats came on 3 May", "2025-05-07")])
    assert found == ([], ["the number 3 is only part of a date or time in the quoted words"])


def test_an_assumed_currency_is_marked_and_another_one_than_the_usual_is_refused() -> None:
    quotes = [quoted("it came to four hundred and ten", "2025-03-27")]
    assert sentence_evidence("It cost 410 GBP.", quotes).unsure == [
        "the quoted words name no currency, so that GBP is assumed"
    ]
    raw = {"price": {"amount": "410", "currency": "GBP"}}
    assert value_evidence(raw, quotes, usual_currency="GBP").problems == {}
    assert len(value_evidence(raw, quotes, usual_currency="EUR").problems) == 1


def test_an_all_day_end_at_midnight_passes() -> None:
    assert value_verdict("ends", "2025-03-21T00:00:00", [quoted("until 21 March", "2025-03-12")]).answer == "follows"


def test_a_number_in_the_key_of_a_known_record_passes() -> None:
    quotes = [quoted("the party for her is on 18 April", "2026-01-22")]
    assert value_evidence_problems({"what": "Mum's 70th"}, quotes, known="what: Mum's 70th") == []
    assert sentence_evidence("Mum's 70th is on 2026-04-18.", quotes, names=["Mum's 70th"]).problems == []
    assert sentence_evidence("Ana's 70th is on 2026-04-18.", quotes, names=["Mum's 70th", "Ana"]).problems != []


def test_the_users_own_name_and_a_known_payee_pass_in_the_next_session() -> None:
    quotes = [quoted("I paid him 40 euros", "2025-03-12")]
    assert (
        sentence_evidence("Ruth paid Kevin Probert 40 euros.", quotes, names=["Ruth", "Kevin Probert"]).problems == []
    )
    assert sentence_evidence("Ruth paid Mallory 40 euros.", quotes, names=["Ruth", "Kevin Probert"]).problems != []
    assert name_evidence({"payee": "Kevin Probert"}, quotes, known=["Kevin Probert"]).problems == {}
    assert name_evidence({"payee": "Mallory Bank"}, quotes, known=["Kevin Probert"]).problems != {}


def test_a_german_article_is_not_a_name() -> None:
    quotes = [quoted("die Rechnung ist da, der Meister war gestern hier", "2026-03-26")]
    assert sentence_evidence("Die Rechnung ist da. Der Meister war am 2026-03-25 da.", quotes).problems == []
    assert sentence_evidence("Die Rechnung von Mallory ist da.", quotes).problems != []


def test_the_time_or_the_day_of_a_moment_may_come_from_the_record() -> None:
    known = "starts: 2026-06-10T10:00:00+01:00"
    now = [quoted("it's half ten now, the sync", "2026-06-09")]
    assert value_evidence_problems({"starts": "2026-06-10T10:30:00+01:00"}, now, known=known) == []
    assert value_evidence_problems({"starts": "2026-06-10T11:30:00+01:00"}, now, known=known) != []
    moved = [quoted("the sync is on the 17th instead", "2026-06-09")]
    assert value_evidence_problems({"starts": "2026-06-17T10:00:00+01:00"}, moved, known=known) == []
    assert value_evidence_problems({"starts": "2026-06-18T10:00:00+01:00"}, moved, known=known) != []


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Simi hates grapefruit.", "no grapefruit in this house, Simi hates it"),
        ("The trip goes to Porto instead of Lisbon.", "Lisbon, though, is not Lisbon any more, it is Porto"),
        ("The dentist visit is moved to 7 May.", "can't do the dentist thursday now, pushed to 7 may"),
        ("The user is allergic to codeine.", "No codeine for me: I have an allergy"),
        ("La usuaria es alérgica a la penicilina.", "sin penicilina, que soy alérgica"),
        ("BA paid 1040 of the 1560 GBP.", "BA paid. not the whole 1560, they did 1,040"),
    ],
)
def test_a_denial_in_other_words_is_kept(text: str, quote: str) -> None:
    assert lost_denial(text, quote, quote) == ""


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The user hates grapefruit.", "I don't hate grapefruit"),
        ("The user is allergic to nuts.", "I'm not allergic to nuts"),
        ("The user is allergic to codeine.", "no allergy to codeine"),
        ("The user is lactose intolerant.", "I never was intolerant to lactose"),
        ("The party is cancelled.", "the party is not cancelled"),
        ("The user moved to Porto.", "I have not moved to Porto"),
    ],
)
def test_a_word_that_the_quote_denies_does_not_keep_its_denial(text: str, quote: str) -> None:
    assert lost_denial(text, quote, quote) != ""


def test_a_number_in_words_is_shared_with_the_same_number_in_digits() -> None:
    assert not shares_no_words("The repair cost 55 GBP.", "fifty-five with the call out")
    assert shares_no_words("The repair cost 55 GBP.", "forty with the call out")


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("980 a month from 1 November", [("1 November", "2026-11-01")]),
        ("Rio de Janeiro", []),
        ("three days a week from 2026-09-01", [("2026-09-01", "2026-09-01")]),
        ("at Easter, 2025-04-20", [("Easter", "2027-03-28"), ("2025-04-20", "2025-04-20")]),
        ("at 1230 with the kids", []),
    ],
)
def test_a_date_is_shown_with_its_meaning_and_nothing_else_is(text: str, dates: list[tuple[str, str]]) -> None:
    found = mentions(text, datetime(2026, 10, 20, tzinfo=UTC))
    assert [(mention.phrase, mention.meanings[0].start) for mention in found] == dates


def quoted(words: str, said: str) -> QuotedText:
    return QuotedText(words, datetime.fromisoformat(said).replace(hour=10, tzinfo=UTC))
