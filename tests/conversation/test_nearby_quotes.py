"""A fact whose quote is too short is completed from the sentences nearby, and from nothing else."""

import pytest

from support.hostile_conversation import obey, taken, told
from support.scripted_model import NOTHING, TUESDAY, aside, fact, facts, heard, kept, teach
from uac.schema.entries import Citation
from uac.schema.periods import Period


def test_a_date_in_the_sentence_before_is_cited_too() -> None:
    memory = heard("I was in Porto on 3 May. Had dinner with Rui there.")
    teach(
        memory, facts(fact("The user had dinner with Rui in Porto on 2024-05-03.", 1, "Had dinner with Rui")), aside(2)
    )
    assert kept(memory)[0].cites == (
        Citation(position=1, quote="Had dinner with Rui"),
        Citation(position=1, quote="I was in Porto on 3 May."),
    )


def test_the_question_that_was_answered_is_cited_too() -> None:
    memory = told(
        ("assistant", "How much was the bed liner, 45 or 54 pounds?"), ("user", "The bed liner was the first.")
    )
    obey(memory, facts(fact("The bed liner cost 45 pounds.", 2, "The bed liner was the first")))
    assert [(found.text, len(found.cites)) for found in kept(memory)] == [("The bed liner cost 45 pounds.", 2)]


def test_a_number_that_nobody_said_is_refused_whatever_is_said_nearby() -> None:
    memory = heard("The liner was 45 pounds. It was raining.")
    teach(memory, *[facts(fact("The liner cost 54 pounds.", 1, "The liner was 45 pounds"))] * 3)
    assert kept(memory) == []


@pytest.mark.parametrize(
    ("words", "text", "quote"),
    [
        ("We met on 3 May. We have cats now.", "The user has 3 cats.", "We have cats now"),
        ("It is on 3 May at 7 pm. We have cats now.", "The user has 7 cats.", "We have cats now"),
        ("Am 12. war ich in Rom. Ich habe Katzen.", "Die Nutzerin hat 12 Katzen.", "Ich habe Katzen"),
        ("Born 1979-03-24. We have cats now.", "The user has 24 cats.", "We have cats now"),
        ("It starts at half past 5. We have cats now.", "The user has 5 cats.", "We have cats now"),
    ],
)
def test_a_number_of_a_date_or_time_nearby_supports_no_other_number(words: str, text: str, quote: str) -> None:
    memory = heard(words)
    teach(memory, *[facts(fact(text, 1, quote))] * 3)
    assert kept(memory) == []


def test_a_number_nearby_that_is_no_date_is_still_cited() -> None:
    memory = heard("We met on 3 May. There are three of them. We have cats now.")
    teach(memory, facts(fact("The user has 3 cats.", 1, "We have cats now")), aside(2))
    assert [cite.quote for cite in kept(memory)[0].cites] == ["We have cats now", "There are three of them."]


def test_a_number_that_only_a_mail_has_is_not_added_to_the_word_of_the_user() -> None:
    memory = told(("user", "I owe Mia money."), ("document", "You owe Mia 900 euros."))
    obey(memory, facts(fact("The user owes Mia 900 euros.", 1, "I owe Mia money")))
    assert taken(memory) == []


def test_a_name_of_an_earlier_conversation_is_taken_and_marked() -> None:
    memory = heard("Tomasz starts on Monday.", session="first")
    teach(memory, NOTHING, NOTHING)
    position = memory.add("He was on time today.", session="second")
    teach(memory, facts(fact("Tomasz was on time.", position, "He was on time today")), aside(position + 1))
    assert [(found.text, found.unsure) for found in kept(memory)] == [
        ("Tomasz was on time.", "the name Tomasz is neither in the quoted words nor known")
    ]


def test_a_name_that_nobody_said_is_refused() -> None:
    memory = heard("He was on time today.")
    teach(memory, *[facts(fact("Mallory was on time.", 1, "He was on time today"))] * 3)
    assert kept(memory) == []


def test_now_supports_its_own_month_and_needs_no_date_of_another_sentence() -> None:
    memory = heard("I started at Solana Foods more or less now. I went to Dr. Hallberg today.")
    month = f"{TUESDAY:%Y-%m}"
    quote = "I started at Solana Foods more or less now"
    teach(memory, facts(fact("The user started at Solana Foods.", 1, quote, when="now", start=month)), aside(2))
    assert [(found.cites, found.held) for found in kept(memory)] == [
        ((Citation(position=1, quote=quote),), Period(month))
    ]


def test_a_sentence_that_is_added_is_whole() -> None:
    memory = heard("We have cats now. Dr. Berg says that 4.5 kg are too much.")
    teach(memory, facts(fact("4.5 kg are too much for the cats.", 1, "We have cats now")), aside(2))
    assert [cite.quote for cite in kept(memory)[0].cites] == [
        "We have cats now",
        "Dr. Berg says that 4.5 kg are too much.",
    ]
