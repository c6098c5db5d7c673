"""A value may be worked out from the words and the record that it changes; a wrong value of the same form may not."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.scripted_model import TUESDAY, fact, facts, heard, teach, whys
from uac import Memory
from uac.conversation.checks.evidence import ValueEvidence, value_evidence
from uac.conversation.checks.readings import QuotedText

MONDAY = datetime(2026, 7, 27, 10, tzinfo=UTC)
VET = {"what": "Tierarzt", "starts": "2026-07-29T09:30:00+02:00", "ends": "2026-07-29T10:30:00+02:00"}
LOAN = {"who": "Jonas", "amount": "1200 CHF", "paid_back": "300 CHF"}


def checked(words: str, changed: dict[str, Any], *cited: Any, **fields: Any) -> ValueEvidence:
    return value_evidence(fields, [QuotedText(words, MONDAY)], changed=changed, cited=cited)


def answer(words: str, changed: dict[str, Any], *cited: Any, **fields: Any) -> str:
    found = checked(words, changed, *cited, **fields)
    return "refused" if found.problems else "unsure" if found.unsure else "follows"


MOVED = (
    ("Der Tierarzt geht jetzt erst um elf, same day.", {"starts": "2026-07-29T11:00:00+02:00"}, "follows"),
    ("The vet is at eleven now.", {"starts": "2026-07-29T11:00:00+02:00"}, "follows"),
    ("The vet is at eleven now.", {"starts": "2026-07-29T12:00:00+02:00"}, "refused"),
    ("The vet is at eleven now.", {"starts": "2026-07-30T11:00:00+02:00"}, "refused"),
    ("The vet is at eleven now, on Friday.", {"starts": "2026-07-29T11:00:00+02:00"}, "refused"),
    ("Der Tierarzt ist auf Freitag verschoben.", {"starts": "2026-07-31T09:30:00+02:00"}, "follows"),
    ("Der Tierarzt ist auf Freitag verschoben.", {"starts": "2026-07-31T09:45:00+02:00"}, "refused"),
    ("Der Tierarzt ist auf Freitag um elf verschoben.", {"starts": "2026-07-31T09:30:00+02:00"}, "refused"),
)


@pytest.mark.parametrize(("words", "fields", "expected"), MOVED)
def test_a_moved_event_keeps_the_day_or_the_hour_that_the_words_do_not_change(
    words: str, fields: dict[str, str], expected: str
) -> None:
    assert answer(words, VET, **fields) == expected
    found = value_evidence(fields, [QuotedText(words, MONDAY)], known=str(VET), changed=VET)
    assert ("refused" if found.problems else "follows") == expected


@pytest.mark.parametrize(("end", "expected"), [("12:00", "follows"), ("12:30", "refused"), ("10:30", "refused")])
def test_an_end_moves_along_with_the_start(end: str, expected: str) -> None:
    fields = {"starts": "2026-07-31T11:00:00+02:00", "ends": f"2026-07-31T{end}:00+02:00"}
    assert answer("The vet is moved to Friday at eleven.", VET, **fields) == expected


def test_an_end_does_not_move_along_with_a_start_that_does_not_follow() -> None:
    fields = {"starts": "2026-07-31T12:00:00+02:00", "ends": "2026-07-31T13:00:00+02:00"}
    found = checked("The vet is moved to Friday at eleven.", VET, **fields)
    assert sorted(found.problems) == ["ends", "starts"]


def test_the_fields_of_the_record_that_were_used_are_named() -> None:
    assert checked("The vet is at eleven now.", VET, starts="2026-07-29T11:00:00+02:00").used == {"starts"}
    assert checked("Jonas still owes 500.", LOAN, paid_back="700 CHF").used == {"amount"}


PAID = (
    ("Jonas hat gestern nochmal 400 überwiesen.", "700 CHF", "follows"),
    ("Jonas has paid back another 400.", "700 CHF", "follows"),
    ("Jonas has paid back another 400.", "701 CHF", "refused"),
    ("Jonas has paid back another 400.", "800 CHF", "refused"),  # the amount less 400
    ("Jonas has paid back another 400.", "1600 CHF", "refused"),  # the amount and 400
    ("Jonas has paid back another 400 EUR.", "700 CHF", "refused"),
    ("Jonas has paid back another 400.", "700 EUR", "refused"),
    ("Es fehlen noch 500 von Jonas.", "700 CHF", "follows"),
    ("Von Jonas bleiben noch 200.", "1000 CHF", "follows"),
    ("Jonas still owes me 500.", "800 CHF", "refused"),  # 300 and 500
    ("Jonas hat 400 überwiesen.", "700 CHF", "unsure"),
    ("Jonas hat 400 überwiesen.", "750 CHF", "refused"),
)


@pytest.mark.parametrize(("words", "amount", "expected"), PAID)
def test_an_amount_may_be_what_the_record_has_and_what_the_words_add_or_leave(
    words: str, amount: str, expected: str
) -> None:
    assert answer(words, LOAN, paid_back=amount) == expected


def test_a_cited_record_counts_like_the_changed_one_for_what_is_left() -> None:
    assert answer("Jonas still owes 500.", {}, "1200 CHF", paid_back="700 CHF") == "follows"
    assert answer("Jonas still owes 500.", {}, paid_back="700 CHF") == "refused"


def test_half_of_what_a_record_has_follows() -> None:
    assert answer("Lucía pays half of that too.", {}, "64 EUR", share="32 EUR") == "follows"
    assert answer("Lucía pays half of that too.", {}, "64 EUR", share="30 EUR") == "refused"
    assert answer("Lucía pays that too.", {}, "64 EUR", share="32 EUR") == "refused"


STATED = (
    ("12 kids at £15 a head.", "cost", "180 GBP", "follows"),
    ("12 kids at £15 a head.", "cost", "165 GBP", "refused"),
    ("12 kids came, it was £15.", "cost", "180 GBP", "refused"),
    ("Drei Karten zu je 40 Euro.", "cost", "120 EUR", "follows"),
    ("The cottage is £640, but she knocked £80 off.", "price", "560 GBP", "follows"),
    ("The cottage is £640, but she knocked £80 off.", "price", "570 GBP", "refused"),
    ("The flights are £186 each for the two of us.", "cost", "372 GBP", "follows"),
    ("The flights are £186 each for the two of us.", "cost", "558 GBP", "refused"),
    ("The flights are £186 each.", "cost", "372 GBP", "unsure"),
    ("The flights are £186 each.", "cost", "400 GBP", "refused"),
    ("The rent is £900 and Lucía pays half of that.", "lucia_pays", "450 GBP", "follows"),
    ("The rent is £900 and Lucía pays half of that.", "lucia_pays", "460 GBP", "refused"),
    ("The rent is £900, heating £80, and Lucía pays half of that.", "lucia_pays", "450 GBP", "unsure"),
)


@pytest.mark.parametrize(("words", "name", "amount", "expected"), STATED)
def test_two_stated_numbers_may_be_computed_if_the_words_say_how(
    words: str, name: str, amount: str, expected: str
) -> None:
    assert answer(words, {}, **{name: amount}) == expected


def test_a_computed_amount_takes_no_currency_that_is_neither_named_nor_usual() -> None:
    quotes = [QuotedText("12 kids came, 15 each.", MONDAY)]
    assert [*value_evidence({"cost": "180 USD"}, quotes, usual_currency="CHF").problems] == ["cost"]
    assert [*value_evidence({"cost": "180 CHF"}, quotes, usual_currency="CHF").unsure] == ["cost"]


@given(st.integers(1, 900), st.integers(1, 900), st.integers(1, 5000))
def test_another_amount_is_added_and_nothing_else_follows(had: int, more: int, value: int) -> None:
    loan = {"who": "Jonas", "paid_back": f"{had} CHF"}
    found = answer(f"Jonas has paid back another {more} CHF.", loan, paid_back=f"{value} CHF")
    assert (found == "follows") == (value in (more, had + more))


AGES = (
    ("Oscar turns 10 on the 9th of August.", "2016-08-09", "follows"),
    ("Oscar turns 10 on the 9th of August.", "2016", "follows"),
    ("Oscar turns 10 on the 9th of August.", "2015-08-09", "refused"),
    ("Oscar turns 10 on the 9th of August.", "2016-08-10", "refused"),
    ("Mia wird am 9. August zehn.", "2016-08-09", "follows"),
    ("Mia wird am 9. August zehn.", "2017-08-09", "refused"),
    ("She is 43.", "1983", "unsure"),
    ("She is 43.", "1982", "unsure"),
    ("She is 43.", "1981", "refused"),
    ("She is 43 years old, her birthday is on 3 May.", "1983-05-03", "unsure"),
    ("She is 43 years old, her birthday is on 3 May.", "1973-05-03", "refused"),
)


@pytest.mark.parametrize(("words", "born", "expected"), AGES)
def test_a_birth_follows_from_an_age_on_a_day_and_is_unsure_from_an_age_alone(
    words: str, born: str, expected: str
) -> None:
    assert answer(words, {}, born=born) == expected


WHOLE_DAYS = (
    ("Ich hab Nachtdienst vom 10. bis zum 12. August.", "2026-08-13T00:00:00+02:00", "follows"),
    ("Ich hab Nachtdienst vom 10. bis zum 12. August.", "2026-08-14T00:00:00+02:00", "refused"),
    ("She is staying until 27 August.", "2026-08-28T00:00:00+02:00", "follows"),
    ("She is staying until 27 August.", "2026-08-29T00:00:00+02:00", "refused"),
    ("She is staying until 27 August, 10 am.", "2026-08-28T00:00:00+02:00", "refused"),
)


@pytest.mark.parametrize(("words", "ends", "expected"), WHOLE_DAYS)
def test_whole_days_end_at_midnight_after_the_last_one(words: str, ends: str, expected: str) -> None:
    assert answer(words, {}, ends=ends) == expected


# --- through the whole conversation -----------------------------------------------------------------------------------


def patch(op: str, *cites: Any, **more: Any) -> dict[str, Any]:
    return {"op": op, **more, "cites": list(cites)}


def lent() -> Memory:
    memory = heard("I lent Jonas 1200 CHF for the car repair, he has paid back 300 CHF.")
    told = facts(
        fact("The user lent Jonas 1200 CHF; Jonas has paid back 300 CHF.", 1, "lent Jonas 1200 CHF for the car")
    )
    told["facts"][0]["cites"].append({"turn": 1, "quote": "he has paid back 300 CHF"})
    fields = {"who": "Jonas", "what": "car repair", "direction": "lent", "amount": "1200 CHF", "paid_back": "300 CHF"}
    teach(memory, told, {"patches": [patch("put", 2, type="finance.Loan", fields=fields)]})
    return memory


def test_a_loan_is_paid_back_in_parts_and_the_sum_depends_on_both_facts() -> None:
    memory = lent()
    (loan,) = memory.project().records("finance.Loan")
    turn = memory.add("Jonas paid back another 400.", said=TUESDAY)
    more = facts(fact("Jonas has paid back another 400.", turn, "Jonas paid back another 400"))
    _, learned = teach(
        memory, more, {"patches": [patch("amend", turn + 1, record=loan.id, fields={"paid_back": "700 CHF"})]}
    )
    assert whys(learned.outcomes) == [[], []]
    (loan,) = memory.project().records("finance.Loan")
    assert (str(loan.values["paid_back"]), loan.unsure) == ("700 CHF", ())
    assert {2, turn + 1} <= {cited for claim in loan.claims["paid_back"][-1:] for cited in claim.cites}


def test_a_wrong_sum_is_refused_although_the_record_is_cited() -> None:
    memory = lent()
    (loan,) = memory.project().records("finance.Loan")
    turn = memory.add("Jonas paid back another 400.", said=TUESDAY)
    more = facts(fact("Jonas has paid back another 400.", turn, "Jonas paid back another 400"))
    wrong = {"patches": [patch("amend", turn + 1, loan.id, record=loan.id, fields={"paid_back": "750 CHF"})]}
    _, learned = teach(memory, more, wrong, {"patches": []}, {"patches": []})
    assert "paid_back: 750 CHF does not follow" in learned.outcomes[1].findings[0].why
    assert str(memory.project().records("finance.Loan")[0].values["paid_back"]) == "300 CHF"
