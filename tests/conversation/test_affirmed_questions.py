"""A question that is asked with a denial and answered with yes states what it asks; any other answer does not."""

import pytest

from support.scripted_model import TUESDAY, facts, kept, new_memory, teach, whys
from uac.conversation.checks.denied_questions import is_affirmation, without_affirmed_denials
from uac.conversation.checks.wording import is_worded_as_agreement, is_worded_as_confirmation, lost_denial

ALLERGIC = "Graham is allergic to penicillin."


def denial_left(question: str, answer: str) -> str:
    asked = without_affirmed_denials(question, answer) if is_affirmation(answer, answer) else question
    assert len(asked) == len(question)
    return lost_denial(ALLERGIC, asked, asked)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Isn't Graham allergic to penicillin?", "Yes."),
        ("Amoxicillin is one too, isn't he allergic to penicillin?", "Oh god, yes"),
        ("Wait, isn't he allergic to penicillin?", "yeah, since he was a kid"),
        ("Is he not allergic to penicillin?", "Yep"),
        ("He isn't allergic to penicillin?", "Yes, he is!"),
        ("Ist er nicht allergic gegen penicillin?", "Doch!"),
        ("Ist er nicht allergic gegen penicillin?", "Oh Gott, ja"),
        ("¿No es allergic a la penicillin?", "Ay dios, sí"),
        ("Não é allergic à penicillin?", "Sim"),
    ],
)
def test_yes_affirms_a_question_that_is_asked_with_a_denial(question: str, answer: str) -> None:
    assert denial_left(question, answer) == ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Isn't Graham allergic to penicillin?", "No, he isn't."),
        ("Isn't Graham allergic to penicillin?", "Oh no"),
        ("Isn't Graham allergic to penicillin?", "Not any more"),
        ("Isn't Graham allergic to penicillin?", "Yes, but not any more"),
        ("Isn't Graham allergic to penicillin?", "Yes. No wait, that is Tom."),
        ("Isn't Graham allergic to penicillin?", "I'll ask"),
        ("He isn't allergic to penicillin?", "Yes."),
        ("He isn't allergic to penicillin. Isn't he funny?", "Yes."),
        ("He isn't allergic to penicillin.", "Yes, he is!"),
    ],
)
def test_no_other_answer_takes_the_denial_away(question: str, answer: str) -> None:
    assert denial_left(question, answer) != ""


def test_agreement_may_follow_an_exclamation_and_no_is_no_confirmation() -> None:
    words = ("Oh god, yes", "Well, okay", "Oh no", "Oh, nothing")
    assert [is_worded_as_agreement(word) for word in words] == [True, True, True, False]
    assert [is_worded_as_confirmation(word) for word in words] == [True, False, False, False]


def learned(question: str, answer: str, *, who: str = "user", cited: int = 2) -> tuple[list[str], list[list[str]]]:
    memory = new_memory()
    turns = [memory.add(question, role="assistant", said=TUESDAY)]
    turns.append(memory.add(answer, role=who, said=TUESDAY))  # type: ignore[arg-type]  # one of the roles
    cites = [{"turn": turn, "quote": text.rstrip(".!?")} for turn, text in zip(turns, (question, answer), strict=True)]
    item = {"text": ALLERGIC, "about": "Graham", "cites": cites[:cited]}
    left = {"patches": [{"op": "set_aside", "cites": [3], "why": "enough"}]}
    _, found = teach(memory, facts(item), left, left, left)
    return [f"{each.authority}: {each.text}" for each in kept(memory)], whys(found.outcomes)


@pytest.mark.parametrize("cited", [1, 2])
def test_a_fact_may_cite_a_negative_question_and_its_yes_which_code_adds(cited: int) -> None:
    question = "Amoxicillin is one, isn't Graham allergic to penicillin?"
    assert learned(question, "Oh god, yes.", cited=cited)[0] == [f"user: {ALLERGIC}"]


def test_a_negative_question_without_its_yes_is_refused_with_advice_that_can_be_followed() -> None:
    accepted, reasons = learned("Isn't Graham allergic to penicillin?", "No, he is fine.")
    assert accepted == []
    assert reasons[0] == [
        'The quoted turn says "Isn\'t". Keep the denial, quote the answer that affirms it too, or leave the fact out.'
    ]


def test_a_document_affirms_no_question() -> None:
    assert learned("Isn't Graham allergic to penicillin?", "Yes.", who="document")[0] == []
