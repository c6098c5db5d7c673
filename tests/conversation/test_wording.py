"""Whether a quote says what a sentence says, as far as its words tell."""

import pytest

from uac.conversation.checks.wording import (
    content_stems,
    is_latin,
    is_worded_as_agreement,
    is_worded_as_confirmation,
    is_worded_as_question,
    lost_denial,
    shares_no_words,
)


@pytest.mark.parametrize(
    ("text", "quote", "is_silent"),
    [
        ("The user is allergic to nuts.", "I can't eat nuts", False),
        ("The user is allergic to nuts.", "What a day", True),
        ("The user has a café.", "my cafe opens", False),
        ("用户对坚果过敏", "What a day", False),
        ("The user is.", "What a day", False),
    ],
)
def test_a_quote_without_a_shared_word_says_nothing_of_the_fact(text: str, quote: str, is_silent: bool) -> None:
    assert shares_no_words(text, quote) is is_silent


@pytest.mark.parametrize(
    ("text", "quote", "said", "denial"),
    [
        ("The user eats nuts.", "I never eat nuts", "I never eat nuts.", "never"),
        ("The user eats nuts.", "eat nuts", "I do not eat nuts.", "not"),
        ("The user never eats nuts.", "I never eat nuts", "I never eat nuts.", ""),
        ("The user eats nuts.", "I eat nuts", "It is not true. I eat nuts.", ""),
        ("The user eats nuts.", "I eat nuts, never fish", "I eat nuts, never fish.", ""),
        ("The user likes thin crust.", "I like thin crust, not thick crust", "I like thin crust, not thick crust.", ""),
        ("The user likes thick crust.", "thin crust, not thick crust", "Now it is thin crust, not thick crust.", "not"),
        ("Die Nutzerin mag Meer.", "nicht mehr nun Meer", "nicht mehr nun Meer.", ""),
        ("Die Nutzerin mag Meer.", "nicht mehr Meer", "nicht mehr Meer.", "nicht"),
        (
            "Es waren am 2025-01-28 29,5 km.",
            "am 28. waren es 29,5, nicht 28,5",
            "am 28. waren es 29,5, nicht 28,5.",
            "",
        ),
        (
            "Es waren am 2025-01-28 28,5 km.",
            "am 28. waren es 29,5, nicht 28,5",
            "am 28. waren es 29,5, nicht 28,5.",
            "nicht",
        ),
    ],
)
def test_a_denial_must_not_be_lost(text: str, quote: str, said: str, denial: str) -> None:
    assert lost_denial(text, quote, said) == denial


@pytest.mark.parametrize(
    "quote",
    [
        "I paid City Gas (don't ask) 40 pounds",
        "Ich hab City Gas, lach nicht, 40 Euro überwiesen",
        "Ich hab City Gas (frag bloß nicht) 40 Euro überwiesen",
        "Ich hab City Gas, ob du's glaubst oder nicht, 40 Euro überwiesen, kein Witz",
        "Le pagué a City Gas, aunque no lo creas, 40 euros",
    ],
)
def test_an_aside_to_the_listener_is_no_denial(quote: str) -> None:
    assert lost_denial("The user paid City Gas 40.", quote, quote) == ""


def test_agreement_confirmation_and_questions_are_told_by_their_words() -> None:
    assert [is_worded_as_agreement(quote) for quote in ("Yes.", "ja", "I live in Rome")] == [True, True, False]
    assert [is_worded_as_confirmation(quote) for quote in ("Yes, exactly.", "I live in Rome")] == [True, False]
    assert [
        is_worded_as_question("Do I live in Rome", said) for said in ("Do I live in Rome?", "Do I live in Rome.")
    ] == [
        True,
        False,
    ]


def test_content_is_the_words_that_tell_something() -> None:
    assert content_stems("The user has a cat and the cat is old") >= {"old"}
    assert "the" not in content_stems("the cat")
    assert [is_latin(text) for text in ("café", "坚果过敏")] == [True, False]
