"""German nouns have capitals and are no names; a name that nobody said is refused in German, too."""

from datetime import UTC, datetime

import pytest

from support.scripted_model import fact, facts, heard, teach, whys
from uac.conversation.checks.evidence import ValueEvidence, name_evidence, sentence_evidence
from uac.conversation.checks.german_nouns import is_german_noun
from uac.conversation.checks.readings import QuotedText

SAID = datetime(2026, 8, 12, tzinfo=UTC)
WORDS = "Jonas hat mir gestern per Twint nochmal 400 überwiesen, und Momo muss zu der Frau Amsler."


def named(**fields: str) -> ValueEvidence:
    return name_evidence(fields, [QuotedText(WORDS, SAID)])


@pytest.mark.parametrize(
    "what",
    ["Rückzahlung Darlehen Autoreparatur, per Twint", "zurück für Autoreparatur", "Tierarzttermin Momo (Frau Amsler)"],
)
def test_german_nouns_are_no_names(what: str) -> None:
    assert named(what=what) == ValueEvidence({}, {})


@pytest.mark.parametrize("what", ["Rückzahlung Mallory", "Tierarzt Momo (Frau Mallory)", "Mallory GmbH", "Nina Keller"])
def test_an_invented_person_or_firm_is_refused_among_german_nouns(what: str) -> None:
    assert [*named(what=what).problems] == ["what"]


def test_a_long_word_of_a_german_description_is_taken_with_a_mark_and_of_a_name_refused() -> None:
    why = "the name Kieferorthopäde is neither in the cited facts nor known"
    assert named(what="Kieferorthopäde Momo") == ValueEvidence({}, {"what": why})
    assert named(payee="Kieferorthopäde Momo") == ValueEvidence({"payee": why}, {})


def test_a_word_that_opens_a_german_sentence_is_no_name() -> None:
    quotes = [QuotedText("Jonas hat 400 überwiesen. Dann fehlen noch 500.", SAID)]
    assert sentence_evidence("Von Jonas fehlen noch 500.", quotes).problems == []
    assert sentence_evidence("Von Mallory fehlen noch 500.", quotes).problems == [
        "the name Mallory is neither in the quoted words nor known"
    ]


@pytest.mark.parametrize("name", "Konrad Keller Mendelssohn Baumgarten Volkswagen Samsung Dennis Amsler".split())
def test_family_names_and_firms_are_no_common_nouns(name: str) -> None:
    assert not is_german_noun(name)


def test_names_of_shown_records_may_be_used_without_citing_them() -> None:
    memory = heard("I see Dr. Amsler on 2024-05-10.")
    told = facts(fact("The user sees Dr. Amsler on 2024-05-10.", 1, "I see Dr. Amsler on 2024-05-10"))
    put = {"op": "put", "type": "calendar.Appointment", "cites": [2]}
    first = {"what": "Dr. Amsler", "starts": "2024-05-10T00:00:00+00:00", "all_day": True}
    teach(memory, told, {"patches": [{**put, "fields": first}]})
    turn = memory.add("The appointment on 2024-05-10 costs 40 EUR.")
    told = facts(fact("The appointment on 2024-05-10 costs 40 EUR.", turn, "appointment on 2024-05-10 costs 40 EUR"))
    fields = {"what": "appointment", "amount": "40 EUR", "payee": "Dr. Amsler"}
    paid = {"op": "put", "type": "finance.PlannedPayment", "cites": [turn + 1], "fields": fields}
    _, learned = teach(memory, told, {"patches": [paid]})
    assert whys(learned.outcomes) == [[], []]
