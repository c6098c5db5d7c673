"""One call: words, facts and records together. Valid parts are stored, the words always, and the rest can be mended."""

from typing import Any

import pytest

from support.scripted_model import TUESDAY, calls, heard, kept, new_memory
from uac.errors import KeyReused, Refused
from uac.memory.remembering import PartToMend, Remembered, RememberedFact
from uac.schema.entries import Observation, Receipt

WORDS = "I'm allergic to penicillin, please never forget that."
ALLERGY = {"text": "The user is allergic to penicillin.", "quote": "I'm allergic to penicillin", "topic": "health"}
PUT = {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [1]}
CATS = {"text": "The user has 2 cats.", "quote": "I have 2 cats"}
NOTHING_OPEN: dict[str, Any] = {"unread": {}, "again": {}, "stuck": {}, "asked": {}}


def turn(text: str, **more: Any) -> Observation:
    return Observation(text=text, said=TUESDAY, session="monday", **more)


def test_one_call_stores_the_words_the_fact_and_the_record() -> None:
    memory = new_memory()
    assert memory.remember(WORDS, [ALLERGY], [PUT]) == Remembered(
        (1,), (RememberedFact(1, 2, "The user is allergic to penicillin."),), ("health.Allergy:penicillin",), 5
    )
    progress = memory.project().progress
    assert {name: dict(getattr(progress, name)) for name in NOTHING_OPEN} == NOTHING_OPEN
    assert (memory.pending(), memory.log.verify()) == ([], None)
    (claim,) = memory.explain("health.Allergy:penicillin", "substance").claims
    assert [evidence.quote for evidence in claim.evidence] == ["I'm allergic to penicillin"]


def test_what_is_short_is_understood() -> None:
    memory = new_memory()
    short = {"type": "health.Allergy", "fields": {"substance": "penicillin"}}
    assert memory.remember(WORDS, [ALLERGY], [short]).records == ("health.Allergy:penicillin",)


def test_alerts_that_the_call_raised_are_returned() -> None:
    memory = new_memory()
    memory.remember(WORDS, [ALLERGY], [PUT])
    drug = {"text": "The user takes amoxicillin.", "quote": "I take amoxicillin", "topic": "health"}
    taken = memory.remember(
        "I take amoxicillin.", [drug], [{"type": "health.Medication", "fields": {"name": "amoxicillin"}}]
    )
    assert [(alert.change, alert.constraint) for alert in taken.alerts] == [("raised", "drug_allergy")]


def test_words_alone_wait_as_if_they_were_added() -> None:
    memory = new_memory()
    assert memory.remember(WORDS) == Remembered((1,))
    assert [request.step for request in memory.pending()] == ["extract"]


def test_facts_without_records_wait_for_their_records() -> None:
    memory = new_memory()
    assert memory.remember(WORDS, [ALLERGY]).facts == (RememberedFact(1, 2, ALLERGY["text"]),)
    assert [(request.step, request.answers) for request in memory.pending()] == [("checkpoint", (2,))]


def test_records_without_facts_are_refused_and_the_words_wait() -> None:
    memory = new_memory()
    taken = memory.remember(WORDS, records=[{"type": "health.Allergy", "fields": {"substance": "penicillin"}}])
    why = "No fact supports it. Give facts, each with its quote, and cite them by number."
    assert taken == Remembered((1,), to_mend=(PartToMend("record 1", why),))
    assert [request.step for request in memory.pending()] == ["extract"]


def test_what_is_wrong_is_named_by_its_number_and_the_rest_is_stored() -> None:
    memory = new_memory()
    wrong = {"text": "The user has 7 cats.", "quote": "I have 2 cats"}
    taken = memory.remember(
        [turn(WORDS), turn("I have 2 cats")],
        [wrong, ALLERGY],
        [{"op": "set_aside", "why": "pets have no names", "cites": [1]}, {**PUT, "cites": [2]}],
    )
    assert taken.facts == (RememberedFact(2, 3, ALLERGY["text"]),)
    assert taken.records == ("health.Allergy:penicillin",)
    assert [(part.part, part.why) for part in taken.to_mend] == [
        ("fact 1", "The number 7 is not in the quoted words."),
        ("record 1", "cites fact 1, which was refused. Give that fact again with this one."),
    ]


def test_a_mended_fact_and_its_record_need_the_positions_only() -> None:
    memory = new_memory()
    first = memory.remember([turn("I have 2 cats")], [{**CATS, "text": "The user has 7 cats."}])
    assert first.facts == ()
    aside = {"op": "set_aside", "why": "no names", "cites": [1]}
    second = memory.remember(observations=first.positions, facts=[CATS], records=[aside])
    assert (second.positions, [fact.text for fact in second.facts], second.to_mend) == ((1,), [CATS["text"]], ())
    assert memory.pending() == []
    assert [call.is_open for call in calls(memory)] == [True, False, False]


def test_a_mended_record_cites_the_stored_fact() -> None:
    memory = new_memory()
    first = memory.remember(WORDS, [ALLERGY], [{**PUT, "fields": {"severity": "mild"}}])
    assert [part.part for part in first.to_mend] == ["record 1"]
    again = {**PUT, "cites": [f"fact:{first.facts[0].position}"]}
    second = memory.remember(observations=first.positions, records=[again])
    assert (second.records, second.to_mend) == (("health.Allergy:penicillin",), ())
    assert memory.pending() == []


def test_what_is_wrong_waits_for_the_next_reader() -> None:
    memory = new_memory()
    memory.remember(WORDS, [ALLERGY], [{**PUT, "fields": {"severity": "mild"}}])
    (request,) = memory.pending()
    assert (request.step, '"refused"' in request.content) == ("checkpoint", True)
    memory.answer(
        request.id,
        '{"patches": [{"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [2]}]}',
    )
    assert memory.pending() == []


def test_a_forgotten_fact_is_named() -> None:
    memory = new_memory()
    taken = memory.remember([turn(WORDS), turn("I have 2 cats")], [ALLERGY, CATS], [PUT])
    assert taken.to_mend == (PartToMend("", "facts 4 are neither used nor set aside", (4,)),)


def test_a_quote_may_be_in_the_question_before() -> None:
    memory = heard()
    memory.remember([turn("Do you eat meat?", role="assistant")])
    taken = memory.remember(
        [turn("No, never.")], [{"text": "The user does not eat meat.", "quote": ["Do you eat meat", "No, never"]}]
    )
    assert ([cite.position for cite in kept(memory)[0].cites], taken.to_mend) == ([1, 2], ())
    assert kept(memory)[0].authority == "user"


def test_whose_words_a_quote_is_is_not_guessed() -> None:
    memory = new_memory()
    turns = [turn("Penicillin makes me ill", role="person", speaker="Ben"), turn("Penicillin makes me ill")]
    said = {"text": "Penicillin makes the user ill.", "quote": "Penicillin makes me ill"}
    assert "of different speakers" in memory.remember(turns, [said]).to_mend[0].why
    cited = {**said, "cites": [{"turn": 2, "quote": "Penicillin makes me ill"}]}
    assert memory.remember(observations=(1, 2), facts=[cited]).to_mend == ()
    assert [cite.position for cite in kept(memory)[0].cites] == [2]


@pytest.mark.parametrize(
    ("role", "authority"), [("user", "user"), ("document", "document"), ("tool", "tool"), ("assistant", "assistant")]
)
def test_a_fact_has_the_authority_of_whoever_said_it(role: Any, authority: str) -> None:
    memory = new_memory()
    memory.remember(
        "Ana is allergic to penicillin.",
        [{**ALLERGY, "text": "Ana is allergic to penicillin.", "quote": "Ana is allergic to penicillin"}],
        role=role,
        model="helper",
    )
    (fact,) = kept(memory)
    assert (fact.authority, fact.by.startswith("helper, prompt ")) == (authority, True)


def test_a_call_with_a_key_is_made_once_and_gives_the_same_result() -> None:
    memory = new_memory()
    first = memory.remember(WORDS, [ALLERGY], [PUT], key="k")
    length = memory.log.head().position
    assert memory.remember(WORDS, [ALLERGY], [PUT], key="k") == first._replace(is_repeated=True)
    assert memory.log.head().position == length
    with pytest.raises(KeyReused):
        memory.remember(WORDS, [CATS], key="k")
    assert [type(stored.entry) for stored in memory.log.read()].count(Receipt) == 1


def test_turns_with_keys_of_their_own_are_stored_once() -> None:
    memory = new_memory()
    memory.add(WORDS, said=TUESDAY, key="t1")
    for _attempt in range(2):
        taken = memory.remember([Observation(text=WORDS, said=TUESDAY, key="t1")], [ALLERGY], [PUT])
        assert taken.positions == (1,)
    assert (len(kept(memory)), memory.project().count("health.Allergy")) == (1, 1)


def test_both_words_and_positions_are_refused() -> None:
    memory = heard(WORDS)
    wrong: list[dict[str, Any]] = [{"text": WORDS, "observations": [1]}, {}]
    for given in wrong:
        with pytest.raises(Refused, match="words and observations"):
            memory.remember(**given)


def test_another_writer_in_between_changes_no_citation() -> None:
    memory = new_memory()
    others = iter([True])

    def clock() -> Any:
        if next(others, False):
            memory.add("Somebody else writes.", said=TUESDAY)
        return TUESDAY

    memory._writer.clock = clock
    taken = memory.remember([turn(WORDS)], [ALLERGY], [PUT])
    assert (taken.positions, taken.facts[0].position) == ((2,), 3)
    assert kept(memory)[0].cites[0].position == 2
    assert memory.project().used[3] == ("health.Allergy:penicillin",)


def test_a_rule_is_adopted_in_the_same_call() -> None:
    memory = new_memory()
    file = (
        "def no_cats(user, now):\n"
        '    """The user never wants a pet."""\n'
        '    return [warning("You have a pet.", pet) for pet in user.household.pets]\n\n\n'
        "CASES = [\n"
        '    fires("one", date(2024, 5, 1), household.Pet(name="Tom", kind="cat")),\n'
        '    silent("none", date(2024, 5, 1)),\n'
        "]\n"
    )
    rule = {"text": "The user never wants a pet.", "quote": "I never want a pet"}
    taken = memory.remember("I never want a pet.", [rule], constraints=[{"name": "no_cats", "file": file}])
    assert taken.to_mend == ()
    assert "no_cats" in memory.project().constraints


def told(memory: Any, text: str, type_: str, fields: dict[str, Any], **fact: Any) -> Remembered:
    """A call with one fact, which says the same as the words, and one record."""
    stated = {"text": text, "quote": text.rstrip("."), **fact}
    taken: Remembered = memory.remember([turn(text)], [stated], [{"type": type_, "fields": fields, "cites": [1]}])
    return taken


def test_a_record_that_may_exist_already_is_sent_back_once_with_its_id_and_how_to_amend_it() -> None:
    memory = new_memory()
    told(memory, "I fly to Porto on 10 May 2024.", "travel.Trip", {"destination": "Porto", "departs": "2024-05-10"})
    moved = {"destination": "Porto", "departs": "2024-05-12"}
    taken = told(memory, "I fly to Porto on 12 May 2024.", "travel.Trip", moved)
    (part,) = taken.to_mend
    assert part.part == "record 1"
    assert part.why == (
        "travel.Trip:porto|2024-05-10 exists and may be the same. If it is, amend that record (op amend, record"
        " travel.Trip:porto|2024-05-10); if it is another one, give the same record again."
    )
    cite = f"fact:{taken.facts[0].position}"
    amend = {"op": "amend", "record": "travel.Trip:porto|2024-05-10", "fields": {"departs": "2024-05-12"}}
    mended = memory.remember(observations=taken.positions, records=[{**amend, "cites": [cite]}])
    assert (mended.records, mended.to_mend) == (("travel.Trip:porto|2024-05-12",), ())
    assert (memory.project().count("travel.Trip"), memory.pending()) == (1, [])


def test_a_record_that_is_another_one_is_taken_when_it_is_given_again() -> None:
    memory = new_memory()
    told(memory, "I fly to Porto on 10 May 2024.", "travel.Trip", {"destination": "Porto", "departs": "2024-05-10"})
    again = {"destination": "Porto", "departs": "2024-05-20"}
    taken = told(memory, "I fly to Porto again on 20 May 2024.", "travel.Trip", again)
    put = {"type": "travel.Trip", "fields": again, "cites": [f"fact:{taken.facts[0].position}"]}
    assert memory.remember(observations=taken.positions, records=[put]).to_mend == ()
    assert memory.project().count("travel.Trip") == 2


@pytest.mark.parametrize(
    ("before", "fields"),
    [
        ({"destination": "Porto", "departs": "2024-05-10"}, {"destination": "Rome", "departs": "2024-05-12"}),
        ({"destination": "Porto", "departs": "2024-05-10"}, {"destination": "Porto", "departs": "2024-07-12"}),
        ({"destination": "Porto", "departs": "2024-05-03"}, {"destination": "Porto", "departs": "2024-05-12"}),
    ],
    ids=["elsewhere", "much later", "the other one is past"],
)
def test_a_record_of_another_place_or_time_is_taken_at_once(before: dict[str, Any], fields: dict[str, Any]) -> None:
    memory = new_memory()
    memory.put("travel.Trip", before)
    taken = told(memory, f"I fly to {fields['destination']} on {fields['departs']}.", "travel.Trip", fields)
    assert (taken.to_mend, memory.project().count("travel.Trip")) == ((), 2)


def test_whoever_never_mends_a_near_record_is_asked_in_two_steps_with_that_record() -> None:
    memory = new_memory()
    memory.put("people.Person", {"name": "Jonas Peters"})
    told(memory, "Jonas lives in Bern.", "people.Person", {"name": "Jonas", "lives_in": "Bern"}, about="Jonas")
    (request,) = memory.pending()
    assert (request.step, '"people.Person:jonas peters"' in request.content) == ("checkpoint", True)
