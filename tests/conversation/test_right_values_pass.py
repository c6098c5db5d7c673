"""Right values that were refused, or marked as not certain, each beside wrong values of the same form."""

from datetime import UTC, datetime
from typing import Any

import pytest

from uac.conversation.checks.daily_times import times_a_day
from uac.conversation.checks.evidence import sentence_evidence, value_evidence
from uac.conversation.checks.readings import QuotedText


def quotes(said: str, *texts: str) -> list[QuotedText]:
    return [QuotedText(text, datetime.fromisoformat(f"{said}T18:00:00").replace(tzinfo=UTC)) for text in texts]


def answer(said: str, texts: tuple[str, ...], changed: dict[str, Any] | None = None, **fields: Any) -> str:
    found = value_evidence(fields, quotes(said, *texts), changed=changed)
    return "refused" if found.problems else "unsure" if found.unsure else "follows"


REHEARSAL = (
    "There is an extra rehearsal on Saturday 2026-04-18, 10 till 1.",
    "There's an extra rehearsal on Saturday 18 April, 10 till 1",
)
LOAN = (
    "The user lent Tom 600 pounds on 2026-03-07.",
    "I lent Tom 600 pounds last Saturday",
    "Tom says he'll pay back by the end of June 2026.",
    "he says he'll pay me back by the end of June",
)
CHOIR = ("From September we sing on Tuesdays instead of Wednesdays",)
ONE_PILL = ("He takes bisoprolol 2.5 mg once a day.", "He takes bisoprolol 2.5 mg and ramipril 5 mg, both once a day")

# The day of saying, a fact and the words that it quotes, the field, its right value, and wrong ones.
SAID_TWICE: list[tuple[str, tuple[str, ...], str, Any, list[Any]]] = [
    (
        "2026-03-26", REHEARSAL, "starts", "2026-04-18T10:00:00+01:00",
        ["2026-04-18T13:00:00+01:00", "2026-04-18T11:00:00+01:00", "2026-04-19T10:00:00+01:00"],
    ),
    (
        "2026-03-26", REHEARSAL, "ends", "2026-04-18T13:00:00+01:00",
        ["2026-04-18T10:00:00+01:00", "2026-04-18T14:00:00+01:00"],
    ),
    (
        "2026-03-31", ("Rehearsal from 10:00 to 13:00.", "Rehearsal from 10:00 to 13:00"), "starts_at", "10:00",
        ["13:00", "10:30"],
    ),
    (
        "2026-03-31", ("Die Probe ist von 10 bis 13 Uhr.", "Probe von 10 bis 13 Uhr"), "ends_at", "13:00",
        ["10:00", "12:00"],
    ),
    ("2026-03-13", LOAN, "due", "2026-06-30", ["2026-03-07", "2026-05-31", "2026-07-30"]),
    ("2026-06-05", CHOIR, "weekday", "Tuesday", ["Wednesday", "Thursday"]),
    ("2026-06-05", ("Ab September singen wir dienstags statt mittwochs",), "weekday", "Tuesday", ["Wednesday"]),
    ("2026-03-08", ONE_PILL, "times_per_day", 1, [3, 4]),
    ("2026-03-08", ("Ich nehme Bisoprolol 2,5 mg zweimal täglich",), "times_per_day", 2, [1, 3]),
]  # fmt: skip


@pytest.mark.parametrize(("said", "texts", "field", "right", "wrong"), SAID_TWICE)
def test_a_value_that_is_one_reading_follows_although_fact_and_quote_both_state_it(
    said: str, texts: tuple[str, ...], field: str, right: Any, wrong: list[Any]
) -> None:
    assert answer(said, texts, **{field: right}) == "follows"
    assert {answer(said, texts, **{field: value}) for value in wrong} == {"refused"}


def test_what_code_read_is_named_once() -> None:
    texts = ("The choir rehearses at half past seven.", "We rehearse at half past seven")
    found = value_evidence({"at": "19:30"}, quotes("2026-03-03", *texts))
    assert found.unsure == {"at": "code read 'half past seven' is 07:30 or 19:30"}


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("one tablet once a day", {1}),
        ("twice daily", {2}),
        ("500 mg three times a day", {3}),
        ("3x täglich", {3}),
        ("zweimal am Tag", {2}),
        ("dos veces al día", {2}),
        ("une fois par jour", {1}),
        ("due volte al giorno", {2}),
        ("uma vez por dia", {1}),
        ("twee keer per dag", {2}),
        ("dwa razy dziennie", {2}),
        ("once or twice a day", set()),
        ("2-3 times a day", set()),
        ("once a week", set()),
        ("2.5 mg a day", set()),
    ],
)
def test_times_a_day_are_read_only_if_the_words_decide(text: str, times: set[int]) -> None:
    assert times_a_day([text]) == times


# The words, a fact that says the same, and one that does not.
TIMES = [
    ("We rehearse every Wednesday at half past seven", "at half past seven", "at half past eight"),
    ("Wir proben immer um halb sieben", "um halb sieben", "um halb acht"),
    ("the vet is at quarter past six in the evening", "at quarter past six in the evening", "at quarter past nine"),
    ("we meet at half ten", "at half ten", "at half eleven"),
    ("we meet at 19:30", "at half past seven", "at half past eight"),
]


@pytest.mark.parametrize(("words", "right", "wrong"), TIMES)
def test_a_number_in_a_time_is_part_of_the_time(words: str, right: str, wrong: str) -> None:
    def evidence(time: str) -> tuple[bool, bool]:
        problems, unsure = sentence_evidence(f"It is {time}.", quotes("2026-03-03", words))
        return bool(problems), bool(unsure)

    assert evidence(right) == (False, False)
    assert evidence(wrong) == (True, False)


def test_a_number_of_a_time_does_not_count_anything_else() -> None:
    problems, unsure = sentence_evidence(
        "The choir has seven members.", quotes("2026-03-03", "we meet at half past seven")
    )
    assert [*problems, *unsure] == ["the number seven is only part of a date or time in the quoted words"]


@pytest.mark.parametrize(
    ("words", "right", "wrong"),
    [
        ("He gave me amoxicillin 500 mg three times a day yesterday", "2026-05-18", "2026-05-17"),
        ("I took two a day yesterday", "2026-05-18", "2026-05-17"),
        ("It was 30 a night yesterday", "2026-05-18", "2026-05-17"),
        ("A week ago yesterday I fell", "2026-05-11", "2026-05-16"),
    ],
)
def test_how_often_a_day_is_no_part_of_a_date(words: str, right: str, wrong: str) -> None:
    assert [answer("2026-05-19", (words,), day=day) for day in (right, wrong)] == ["follows", "refused"]
    sentence = "It was on {}."
    assert sentence_evidence(sentence.format(right), quotes("2026-05-19", words)).problems == []
    assert sentence_evidence(sentence.format(wrong), quotes("2026-05-19", words)).problems != []
