"""Whether a value follows from quoted words, contradicts them, or cannot be decided."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.conversation.checks.readings import QuotedText
from uac.conversation.checks.value_verdict import value_verdict
from uac.conversation.checks.wording import lost_denial

SAID = datetime(2025, 3, 12, 10, 0, tzinfo=UTC)  # a Wednesday

FOLLOWS: list[tuple[str, str, Any]] = [
    ("Met Priya on the 11th about the roadmap", "day", "2025-03-11"),
    ("Mae's Diner on the 9th went ahead", "day", "2025-03-09"),
    ("ran 12.5 km along the river in 66 min", "duration", "PT66M"),
    ("it costs £27 a month from 2025-03-26", "starts", "2025-03-26"),
    ("$7 a month from today", "starts", "2025-03-12"),
    ("it took three quarters of an hour", "duration", "PT45M"),
    ("Lisbon, 17 May for five nights", "returns", "2025-05-22"),
    ("28 days after the second of May", "due", "2025-05-30"),
    ("the lease is one year from 1 April 2025", "starts", "2025-04-01"),
    ("the lease is one year from 1 April 2025", "ends", "2026-04-01"),
    ("yoga is Thursdays", "weekday", "thursday"),
    ("in March I start the course", "month", "2025-03"),
    ("at 5:30 pm, about an hour", "ends_at", "18:30"),
    ("the course runs Monday 20 to Friday 24 October", "ends", "2025-10-24"),
    ("lunch at half twelve", "time", "12:30"),
    ("a las ocho y media de la tarde", "time", "20:30"),
    ("I only see them sat and sun", "weekday", "sunday"),
    ("drove there in 2h10", "duration", "PT2H10M"),
    ("ich bin bis zum 24. krankgeschrieben", "ends", "2025-03-24"),
    ("am 11. hatte ich Zahnarzt", "day", "2025-03-11"),
    ("Am Ersten kommt die neue Mitbewohnerin", "day", "2025-04-01"),
    ("vom 15. an hab ich Urlaub", "starts", "2025-03-15"),
    ("Himmelfahrt gehen wir wandern", "day", "2025-05-29"),
    ("I'll fly the Wednesday before 12 December", "day", "2025-12-10"),
    ("landlady's putting it up to 980 a month from 1 November", "starts", "2025-11-01"),
    ("Mum's 70th is going to be massive", "age", 70),
    ("coffee is four fifty now", "amount", 4.5),
    ("paid 1,450 for it", "amount", 1450),
    ("dropped eight bucks", "price", {"amount": "8", "currency": "USD"}),
    ("yoga used to be Mondays, these days it is Tuesdays", "weekday", "tuesday"),
    ("swim lessons run for 10 weeks and cost 120", "price", 120),
    ("doors at seven, first act at eight pm", "first_act_at", "20:00"),
    ("the oral exam is on 6 May, the written test is on 20 May", "oral_exam_on", "2025-05-06"),
    ("the bill came to 384 in total for 12 people", "total", 384),
    ("max weighs 6.4 kilos now, was 5.9 last time", "weight_kg", 6.4),
]
CONTRADICTS: list[tuple[str, str, Any]] = [
    ("Met Priya on the 11th about the roadmap", "day", "2025-01-11"),
    ("I'll fly the Wednesday before 12 December", "day", "2025-08-05"),
    ("$7 a month from today", "starts", "2025-04-12"),
    ("the course runs Monday 20 to Friday 24 October", "ends", "2025-10-20"),
    ("dentist isn't the 24th, it's the 25th", "day", "2025-03-24"),
    ("it took three quarters of an hour", "duration", "PT3H"),
    ("lunch at half twelve", "time", "11:30"),
    ("um halb zwölf", "time", "12:30"),
    ("yoga is Thursdays", "weekday", "tuesday"),
    ("paid 1,450 for it", "amount", 145),
    ("my share came to 312.40", "cost", {"amount": "312.40", "currency": "USD"}),
    ("I like pizza", "day", "2025-03-01"),
    ("ten years in this job now", "since_year", 2009),
    ("yoga is Mondays and Tuesdays", "weekday", "friday"),
    ("I travel to Vienna from 18 March until 20 March", "departs", "2025-03-19"),
    ("the conference runs from 3 to 7 May", "ends", "2025-05-05"),
]
UNSURE: list[tuple[str, str, Any]] = [
    ("Met Priya on the 11th about the roadmap", "day", "2025-04-11"),
    ("yoga used to be Mondays, these days it is Tuesdays", "weekday", "monday"),
    ("a lesson is 32, so 128 a month", "lesson_price", 128),
    ("a lesson is 32, so 128 a month", "lesson_price", 32),
    ("4 tickets at 38 euros", "total", 38),
    ("we split 96 four ways", "my_share", 24),
    ("we split 96 four ways", "my_share", 96),
    ("jacket was 120, got it for 30% off", "paid", 84),
    ("jacket was 120, got it for 30% off", "paid", 120),
    ("dad's 68, mum's two years younger", "mum_age", 66),
    ("takes 20 mg in the morning and 10 at night", "evening_dose", 20),
    ("bar closes at 1 on weekends", "closes", "13:00"),
    ("bar closes at 1 on weekends", "closes", "01:00"),
    ("my 9 o'clock got pushed back an hour", "meeting_at", "10:00"),
    ("the car's a 2016, we got it two years ago", "bought_year", 2016),
    ("rent review every 3 years, last in 2022", "next_review", "2025"),
    ("half marathon in 1:52:30, took 4 minutes off my best", "time", "PT1H52M30S"),
    ("dinner was booked for 7 but they moved us to quarter past 8", "dinner_at", "19:00"),
    ("I was 19 when I moved here, I'm 44 now", "age_when_moved_here", 44),
    ("ten years in this job now", "since_year", 2015),
    ("they wrote 3/4/25 on the form", "day", "2025-04-03"),
    ("the conference runs from 3 to 7 May", "talk_day", "2025-05-05"),
    ("the thing on the 27th got cancelled", "day", "2025-02-27"),
    ("the meeting is at 8", "time", "20:00"),
    ("warranty ends on the Tuesday of the week after the fair", "ends", "2025-05-05"),
]


def answer(text: str, name: str, raw: Any) -> str:
    return value_verdict(name, raw, [QuotedText(text, SAID)]).answer


@pytest.mark.parametrize(("text", "name", "raw"), FOLLOWS)
def test_what_the_words_say_follows(text: str, name: str, raw: Any) -> None:
    assert answer(text, name, raw) == "follows"


@pytest.mark.parametrize(("text", "name", "raw"), CONTRADICTS)
def test_what_the_words_do_not_say_contradicts_them(text: str, name: str, raw: Any) -> None:
    assert answer(text, name, raw) == "contradicts"


@pytest.mark.parametrize(("text", "name", "raw"), UNSURE)
def test_what_code_cannot_decide_is_unsure(text: str, name: str, raw: Any) -> None:
    assert answer(text, name, raw) == "unsure"


def test_a_day_is_counted_from_the_one_that_was_named_before() -> None:
    quotes = [QuotedText("Jodie's wedding is on 3 May", SAID), QuotedText("the morning after we have brunch", SAID)]
    assert [value_verdict("day", day, quotes).answer for day in ("2025-05-04", "2025-05-02")] == [
        "follows",
        "contradicts",
    ]


def test_an_amount_without_a_currency_may_take_the_usual_one_and_no_other() -> None:
    quotes = [QuotedText("rent is 980 a month", SAID)]
    prices = [{"amount": "980", "currency": code} for code in ("EUR", "USD")]
    assert [value_verdict("rent", price, quotes, usual_currency="EUR").answer for price in prices] == [
        "unsure",
        "contradicts",
    ]


def test_a_currency_beside_another_number_leaves_the_usual_one_open_and_the_mark_says_both() -> None:
    quotes = [QuotedText("the trip was 900 and I paid 20 dollars for a snack", SAID)]
    assert value_verdict("price", "900 EUR", quotes, usual_currency="EUR").read == (
        "900, 20; no currency, so that the usual one is assumed"
    )
    assert value_verdict("price", "900 GBP", quotes, usual_currency="EUR").answer == "contradicts"
    assert value_verdict("snack", "20 EUR", quotes, usual_currency="EUR").answer == "contradicts"


@given(st.text(max_size=80), st.sampled_from(["2025-03-12", "2025-03", 12, 1.5, "PT1H", "12:00", "monday", "12 EUR"]))
def test_every_text_and_value_has_a_verdict(text: str, raw: Any) -> None:
    assert answer(text, "field", raw) in ("follows", "unsure", "contradicts")


@pytest.mark.parametrize("raw", ["2025-13-40", "2025-02-30", "0000", "2025-00", "2025-02-30T10:00", 10**50, 1.5e50])
def test_a_day_or_a_number_that_cannot_be_is_refused_and_no_error(raw: Any) -> None:
    assert answer("this year, on 3 May at 7 pm, for £12", "day", raw) == "contradicts"


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The user drove on Friday.", "I didn't take the bus, I drove on Friday"),
        ("The dinner is on Friday.", "not sure who comes but the dinner is on Friday"),
        ("The user goes to Rome in May.", "can't wait for Rome in May"),
        ("The meeting is on Monday.", "don't forget the meeting on Monday"),
    ],
)
def test_a_denial_that_does_not_touch_the_claim_is_no_lost_denial(text: str, quote: str) -> None:
    assert lost_denial(text, quote, quote) == ""


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The user likes green curry.", "I don't really like green curry"),
        ("The user is allergic to nuts.", "I'm not allergic to nuts"),
    ],
)
def test_a_denial_of_the_claim_is_named(text: str, quote: str) -> None:
    assert lost_denial(text, quote, quote) != ""
