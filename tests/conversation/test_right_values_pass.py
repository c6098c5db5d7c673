"""Right values that were refused, or marked as not certain, each beside wrong values of the same form."""

from datetime import UTC, datetime
from typing import Any

import pytest

from support.scripted_model import TUESDAY, fact, facts, heard, new_memory, teach, whys
from uac.conversation.checks.daily_times import times_a_day
from uac.conversation.checks.evidence import sentence_evidence, value_evidence
from uac.conversation.checks.readings import QuotedText
from uac.project.records import UnsureField
from uac.schema.values import dump_value


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


# --- records ----------------------------------------------------------------------------------------------------------


def put(type_: str, *cites: int, **fields: Any) -> dict[str, Any]:
    return {"op": "put", "type": type_, "fields": fields, "cites": list(cites)}


def patches(*items: dict[str, Any]) -> dict[str, Any]:
    return {"patches": list(items)}


KENNEL = "I booked the kennel for 22 May 2024, 30 a night, three nights."


@pytest.mark.parametrize(
    ("rent", "cost", "taken", "mark"),
    [
        ("540 GBP", "90", "90 GBP", "currency assumed: GBP is the usual one"),
        ("540 GBP", "95", "", ""),
        ("", "90", "None", "currency not named, said as '90'"),
        ("", "95", "", ""),
    ],
)
def test_an_amount_that_is_worked_out_needs_no_currency(rent: str, cost: str, taken: str, mark: str) -> None:
    memory = new_memory()
    if rent:
        memory.put("finance.RegularPayment", {"what": "rent", "amount": rent})
    turn = memory.add(KENNEL, said=TUESDAY)
    text = "The user booked the kennel for 2024-05-22, 30 a night, three nights."
    stay = put(
        "calendar.Appointment", turn + 1, what="kennel", starts="2024-05-22T00:00:00+01:00", all_day=True, cost=cost
    )
    left = {"patches": [{"op": "set_aside", "cites": [turn + 1], "why": "enough"}]}
    teach(memory, facts(fact(text, turn, KENNEL.rstrip("."))), patches(stay), left)
    project = memory.project()
    stays = project.records("calendar.Appointment") if "calendar.Appointment" in project.types else ()
    found = [(str(record.values["cost"]), record.unsure) for record in stays]
    assert found == ([(taken, (UnsureField("cost", mark),))] if taken else [])


@pytest.mark.parametrize("is_name_first", [True, False])
@pytest.mark.parametrize(("member", "is_taken"), [("Hannah Whitworth", True), ("Hannah Blackwood", False)])
def test_a_name_that_the_same_reply_puts_is_known(member: str, is_taken: bool, is_name_first: bool) -> None:
    memory = heard("I'm Hannah Whitworth.", "Hannah sings alto in the Headingley choir.")
    found = facts(
        fact("The user is Hannah Whitworth.", 1, "I'm Hannah Whitworth"),
        fact("Hannah sings alto in the Headingley choir.", 2, "Hannah sings alto in the Headingley choir"),
    )
    profile = put("people.Profile", 3, name="Hannah Whitworth")
    choir = put("people.Group", 4, name="Headingley choir", members=[member])
    left = {"patches": [{"op": "set_aside", "cites": [4], "why": "enough"}]}
    items = (profile, choir) if is_name_first else (choir, profile)
    _, learned = teach(memory, found, patches(*items), left)
    why = (
        "members: the name Blackwood is neither in the cited facts nor known. Cite the fact that has it, or write a word"
        " that is not a name in lower case."
    )
    assert whys(learned.outcomes)[1] == ([] if is_taken else [why])


LEAVE = "I've got the week from 20 to 26 July 2024 off."


@pytest.mark.parametrize(
    ("starts", "ends", "taken"),
    [
        ("2024-07-20", "2024-07-26", ("2024-07-20T00:00:00+00:00", "2024-07-27T00:00:00+00:00")),
        ("2024-07-20T00:00:00+00:00", "2024-07-27T00:00:00+00:00", ("2024-07-20T00:00:00+00:00", "2024-07-27T00:00:00+00:00")),
        ("2024-07-21", "2024-07-28", None),
        ("2024-07-32", "2024-07-26", None),
    ],
)  # fmt: skip
def test_whole_days_may_be_given_as_days(starts: str, ends: str, taken: tuple[str, str] | None) -> None:
    memory = heard(LEAVE)
    leave = put("calendar.Appointment", 2, what="annual leave", starts=starts, ends=ends, all_day=True)
    found = facts(fact("The user has the week from 2024-07-20 to 2024-07-26 off.", 1, LEAVE.rstrip(".")))
    left = {"patches": [{"op": "set_aside", "cites": [2], "why": "enough"}]}
    teach(memory, found, patches(leave), left)
    project = memory.project()
    records = project.records("calendar.Appointment") if "calendar.Appointment" in project.types else ()
    found_days = [(dump_value(each.values["starts"]), dump_value(each.values["ends"])) for each in records]
    assert found_days == ([taken] if taken else [])


@pytest.mark.parametrize(
    ("since", "value", "mark"),
    [
        ("2023", None, "day not understood, said as 'since 2023'"),
        ({"said_as": "since 2023"}, None, "day not understood, said as 'since 2023'"),
        ("2023-01-01", "2023-01-01", "code read 'since 2023', said on Tuesday 2024-05-07, is 2023…"),
        ("2022", "", ""),
        ("2022-01-01", "", ""),
    ],
)
def test_a_year_is_no_day(since: Any, value: str | None, mark: str) -> None:
    words = "My dad has had heart failure since 2023."
    memory = heard(words)
    ill = put("health.Condition", 2, name="heart failure", person="dad", since=since)
    found = facts(fact("The user's dad has had heart failure since 2023.", 1, words.rstrip(".")))
    left = {"patches": [{"op": "set_aside", "cites": [2], "why": "enough"}]}
    teach(memory, found, patches(ill), left)
    project = memory.project()
    records = project.records("health.Condition") if "health.Condition" in project.types else ()
    expected = [(value, (UnsureField("since", mark),))] if mark else []
    assert [(r.values["since"] and str(r.values["since"]), r.unsure) for r in records] == expected


# --- values that the record helps to work out -------------------------------------------------------------------------

DENTIST = {"what": "dentist", "starts": "2026-04-08T09:30:00+01:00"}  # a Wednesday


@pytest.mark.parametrize(
    ("words", "starts", "expected"),
    [
        ("The dentist is on the Thursday now", "2026-04-09T09:30:00+01:00", "follows"),
        ("The dentist is on the Thursday now, same time", "2026-04-09T09:30:00+01:00", "follows"),
        ("The dentist is on the Thursday now at 11", "2026-04-09T11:00:00+01:00", "follows"),
        ("Der Zahnarzt ist jetzt an dem Donnerstag", "2026-04-09T09:30:00+01:00", "follows"),
        ("The dentist moved to Thursday", "2026-04-09T09:30:00+01:00", "unsure"),
        ("The dentist is on the Thursday now", "2026-04-10T09:30:00+01:00", "refused"),
        ("The dentist is on the Thursday now", "2026-04-09T12:00:00+01:00", "refused"),
        ("The dentist is on the Thursday now at 11", "2026-04-09T09:30:00+01:00", "refused"),
        ("The dentist is now on 10 April", "2026-04-09T09:30:00+01:00", "refused"),
    ],
)
def test_the_day_of_the_record_decides_the_week_of_the_thursday(words: str, starts: str, expected: str) -> None:
    assert answer("2026-03-31", (words,), DENTIST, starts=starts) == expected


@pytest.mark.parametrize(
    ("words", "until", "expected"),
    [
        (CHOIR[0], "2026-08-31", "follows"),
        ("Ab dem 7. September proben wir dienstags statt mittwochs", "2026-09-06", "follows"),
        ("From 1 September we no longer sing", "2026-08-31", "follows"),
        (CHOIR[0], "2026-08-30", "refused"),
        (CHOIR[0], "2026-09-02", "unsure"),
        (CHOIR[0], "2026-09-30", "unsure"),
        ("From September we sing on Tuesdays too", "2026-08-31", "refused"),
        ("We sing on Tuesdays instead, ask me in September", "2026-08-31", "refused"),
    ],
)
def test_a_record_ends_on_the_day_before_something_else_begins(words: str, until: str, expected: str) -> None:
    assert answer("2026-06-05", (words,), {"what": "choir", "weekday": "Wednesday"}, until=until) == expected


def test_a_new_record_does_not_end_before_it_begins() -> None:
    assert answer("2026-06-05", CHOIR, until="2026-08-31") == "refused"
