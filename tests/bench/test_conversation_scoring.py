"""A model may choose its words, quotes and types; what it says must still be true."""

from datetime import date
from functools import cache
from typing import Any

import pytest

from uac import Citation, Fact, Period, Record, open_store
from uac import Memory as UserMemory
from uac_bench.conversations.answer_judging import is_recalled, is_right_answer
from uac_bench.conversations.fact_matching import FactMatcher, MatchedFact
from uac_bench.conversations.lives import Deed, Life, Sentence, Thing, Turn
from uac_bench.conversations.spoken_values import denies
from uac_bench.conversations.thing_judging import belongs_to_another, judge_thing
from uac_bench.scorers import AnswerKind

SAID = date(2025, 2, 6)
PAN = Sentence(
    "by the way, on 6 February (again) I got a pan for £51.95, as it were – at Decathlon",
    {
        "text": "The user got a pan from Decathlon for £51.95 on 2025-02-06.",
        "about": "user",
        "when": "on 6 February",
        "start": "2025-02-06",
        "end": "2025-02-06",
    },
    Deed(1, "household.Purchase", "new", "put", {"item": "pan", "price": "51.95 GBP"}, SAID),
    values=(("day", "on 6 February"), ("item", "pan"), ("price", "£51.95"), ("shop", "Decathlon")),
)
RUN = Sentence(
    "funny story: even Henning – no joke, ran on 26 January 29 km, show-off",
    {"text": "Henning did 29 km on 2025-01-26.", "about": "Henning", "when": "on 26 January", "start": "2025-01-26"},
    Deed(-1, "", "other workout", "aside", {"km": "29"}, SAID),
    values=(("who", "Henning"), ("day", "on 26 January"), ("km", "29")),
)
TEXT = f"{RUN.quote}, and {PAN.quote}."
LIFE = Life("en", ((),), {}, {})


def matched(text: str, quote: str, *, about: str = "user", start: str = "", said: str = TEXT) -> MatchedFact | None:
    turn = Turn("user", TEXT, None, (RUN, PAN))  # type: ignore[arg-type]  # no clock is read
    fact = Fact(
        text=text,
        about=about,
        authority="user",
        cites=(Citation(position=1, quote=quote),),
        held=Period(start, start),
    )
    return FactMatcher(LIFE._replace(sessions=((turn,),))).match(fact, lambda _position: said)


GIST = "on 6 February (again) I got a pan for £51.95, as it were – at Decathlon"


def test_a_quote_without_fillers_finds_its_sentence_and_may_be_worded_in_any_way() -> None:
    text = "A pan was bought by the user at Decathlon, £51.95, on 6 February 2025."
    assert matched(text, GIST, start="2025-02-06") == MatchedFact(PAN, is_true=True)
    ran = "Henning – no joke, ran on 26 January 29 km"
    assert matched("Henning ran 29 km on 26 January.", ran, about="Henning") == MatchedFact(RUN, is_true=True)
    assert matched(text, TEXT, start="2025-02-06") == MatchedFact(PAN, is_true=True)  # which of two, its text says


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("The user got a pan from Decathlon for £15.95 on 6 February.", "2025-02-06"),
        ("The user got a pan from Decathlon on 6 February.", "2025-02-06"),
        ("The user got a pan from Lidl for £51.95 on 6 February.", "2025-02-06"),
        ("The user got a pan from Decathlon for £51.95 on 7 February.", "2025-02-06"),
        ("The user got a pan from Decathlon for £51.95.", "2025-02-07"),
        ("The user never got a pan from Decathlon for £51.95 on 6 February.", "2025-02-06"),
        ("The user got 3 of the pan from Decathlon for £51.95 on 6 February.", "2025-02-06"),
    ],
)
def test_a_fact_with_another_number_name_day_or_a_denial_is_not_found(text: str, start: str) -> None:
    assert matched(text, GIST, start=start) == MatchedFact(PAN, is_true=False)


def test_another_persons_doing_is_not_found_as_the_users_or_a_third_persons() -> None:
    ran = "Henning – no joke, ran on 26 January 29 km"
    assert matched("The user, like Henning, ran 29 km.", ran, about="user") == MatchedFact(RUN, is_true=False)
    assert matched("Priya ran 29 km on 26 January.", ran, about="Priya") == MatchedFact(RUN, is_true=False)


def test_words_of_another_place_or_turn_are_of_no_sentence() -> None:
    text = "The user got a pan from Decathlon for £51.95."
    assert matched(text, GIST, said="quite another turn") is None
    assert matched(text, "funny story: even") is None
    assert matched("The user got a pan.", "show-off, and by the way") is None


@cache
def records() -> dict[str, Record]:
    """Records that a model might make, by name."""
    memory = UserMemory(open_store("memory:").log("user"))
    made: dict[str, tuple[str, dict[str, Any]]] = {
        "bought": ("household.Purchase", {"item": "pan", "bought": SAID.isoformat(), "price": "51.95 GBP"}),
        "paid": (
            "finance.Transaction",
            {"payee": "Decathlon", "what": "the pan", "on": "2025-02-06", "amount": "51.95 GBP"},
        ),
        "meal": (
            "calendar.Appointment",
            {"what": "dinner at Sushi Tano", "starts": "2025-02-21T19:30:00+00:00", "who": ["Yara"]},
        ),
        "meeting": ("calendar.Meeting", {"who": "Yara", "day": "2025-02-02", "at": "16:30", "about": "the lease"}),
        "noor": ("health.Allergy", {"substance": "ibuprofen", "person": "Noor"}),
        "own": ("health.Allergy", {"substance": "codeine"}),
        "priya": ("people.Person", {"name": "Priya", "notes": "Ran 29 km."}),
        "run": ("health.Workout", {"what": "cycling", "day": "2025-01-12", "distance": 10.5, "unit": "km"}),
    }
    found: dict[str, Record] = {}
    for name, (type_name, fields) in made.items():
        memory.put(type_name, fields)
        found[name] = memory.project().records(type_name)[-1]
    return found


PURCHASE = {"item": "pan", "bought": "2025-02-06", "shop": "Decathlon", "price": "51.95 GBP"}
MEAL = {"place": "Sushi Tano", "day": "2025-02-21", "at": "19:30", "who": ["Yara"]}
LEASE = {"what": "lease", "who": ["Yara"], "starts": "2025-02-02T16:30:00+00:00"}
RIDE = {"sport": "cycling", "day": "2025-01-12", "km": "10.5"}


@pytest.mark.parametrize(
    ("name", "type_name", "fields", "wrong"),
    [
        ("paid", "household.Purchase", PURCHASE, {"price": "15.95 GBP"}),
        ("paid", "household.Purchase", PURCHASE, {"price": "51.95 EUR"}),
        ("paid", "household.Purchase", PURCHASE, {"shop": "Lidl"}),
        ("paid", "household.Purchase", PURCHASE, {"bought": "2025-02-07"}),
        ("meal", "food.Booking", MEAL, {"at": "20:30"}),
        ("meal", "food.Booking", MEAL, {"who": ["Fiona"]}),
        ("meal", "food.Booking", MEAL, {"place": "Taverna Elia"}),
        ("meeting", "calendar.Appointment", LEASE, {"who": ["Priya"]}),
        ("meeting", "calendar.Appointment", LEASE, {"starts": "2025-02-03T16:30:00+00:00"}),
        ("meeting", "calendar.Appointment", LEASE, {"what": "audit"}),
        ("run", "leisure.Workout", RIDE, {"km": "9.5"}),
        ("run", "leisure.Workout", RIDE, {"sport": "rowing"}),
    ],
)
def test_a_thing_is_right_in_any_type_that_holds_its_values_and_wrong_with_another_value(
    name: str, type_name: str, fields: dict[str, Any], wrong: dict[str, Any]
) -> None:
    record = records()[name]
    assert judge_thing(Thing(type_name, fields), [record]) == ""
    assert judge_thing(Thing(type_name, fields | wrong), [record]) != ""
    assert judge_thing(Thing(type_name, fields, "ended"), [record]) == f"{record.id} is not ended"


def test_a_thing_is_held_once_and_by_a_type_that_can_hold_it() -> None:
    thing = Thing("household.Purchase", {"item": "pan", "price": "51.95 GBP"})
    assert judge_thing(thing, [records()["bought"], records()["paid"]]).startswith("twice")
    assert judge_thing(thing, [records()["meeting"]]) == "no record"


def test_others_doings_are_apart_in_their_own_records_only() -> None:
    noor = RUN._replace(fact={"text": "Noor is allergic to ibuprofen.", "about": "Noor"})
    assert belongs_to_another(records()["noor"], noor)
    assert not belongs_to_another(records()["noor"], RUN)
    assert not belongs_to_another(records()["own"], noor)
    assert belongs_to_another(records()["priya"], RUN._replace(fact={**RUN.fact, "about": "Priya"}))
    assert not belongs_to_another(records()["meeting"], RUN._replace(fact={**RUN.fact, "about": "Yara"}))


@pytest.mark.parametrize(
    ("form", "text", "gold", "is_right"),
    [
        ("set", "On 2025-01-23 Anna Berg lived in Aarhus.", ["Aarhus"], True),
        ("set", "On 2025-01-23 Anna Berg lived in Leeds.", ["Aarhus"], False),
        ("set", "Anna Berg lived in Aarhus or Leeds.", ["Aarhus"], False),
        ("set", "Anna Berg did not live in Aarhus.", ["Aarhus"], False),
        ("set", "Anna Berg lived in Aarhus, not in Leeds.", ["Aarhus"], True),
        ("set", "['Aarhus']", ["Aarhus"], True),
        ("set", "['Aarhus', 'Leeds']", ["Aarhus"], False),
        ("set", "Bei Urlaub bevorzugst du jetzt Aarhus, nicht mehr Leeds.", ["Aarhus"], True),
        ("set", "Zuerst 139,95 €, dann 142,95 €.", ["139.95 EUR", "142.95 EUR"], True),
        ("set", "You gave two prices: 139.95 EUR and 142.95 EUR.", ["139.95 EUR", "142.95 EUR"], True),
        ("set", "Zuerst 139,95 €.", ["139.95 EUR", "142.95 EUR"], False),
        ("set", "139.95 EUR, 142.95 EUR and 145.95 EUR.", ["139.95 EUR", "142.95 EUR"], False),
        ("set", "It was £139.95.", ["139.95 EUR"], False),
        ("int", "By 2025-01-24 you had told me about 4 meetings: with Priya and three others.", 4, True),
        ("int", "By 2025-01-24 you had told me about two medicines (400 mg each).", 2, True),
        ("int", "By 2025-01-24 you had told me about 3 meetings.", 4, False),
        ("int", "Hasta el 2025-01-15 me habías hablado de 0 compras.", 0, True),
        ("int", "Davon hattest du mir bis 4. Januar 2025 3 erzählt.", 4, False),
        ("float", "Sie haben insgesamt 134,50 € gekostet.", 134.5, True),
        ("float", "90.95 GBP and 51.95 GBP make 142.90 GBP.", 142.9, True),
        ("float", "It was 134.50 GBP or 12.00 GBP.", 134.5, False),
        ("float", "Sie haben insgesamt 135,50 € gekostet.", 134.5, False),
    ],
)
def test_an_answer_is_judged_by_what_it_says(form: AnswerKind, text: str, gold: Any, is_right: bool) -> None:
    assert is_right_answer(form, text, [gold], ["Leeds", "Bristol"]) == is_right


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("You told me that Henning ran 29 km on 26 January 2025.", True),
        ("Henning – no joke, ran on 26 January 29 km", True),
        ("Henning ran 29 km on 2025-01-26, not you.", True),
        ("Henning ran 28 km on 26 January 2025.", False),
        ("Henning ran 29 km on 27 January 2025.", False),
        ("Henning ran 29 km.", False),
        ("Priya ran 29 km on 26 January 2025.", False),
        ("Henning did not run 29 km on 26 January 2025.", False),
    ],
)
def test_what_was_said_of_others_is_recalled_without_fillers_but_with_every_value(text: str, is_right: bool) -> None:
    assert is_recalled(text, RUN.values, "Henning", RUN.fact["start"], RUN.quote) == is_right


def test_a_denial_reaches_to_the_end_of_its_clause_in_four_languages() -> None:
    for text in (
        "She no longer lives in Leeds.",
        "Sie wohnt nicht in Leeds.",
        "Ya no vive en Leeds.",
        "Elle n'habite pas à Leeds.",
    ):
        assert denies(text, "Leeds")
    assert not denies("She lives in Leeds, not in Bristol.", "Leeds")
    assert not denies("Not in Bristol but in Leeds.", "Leeds")
