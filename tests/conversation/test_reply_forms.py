"""The forms in which models reply: what can mean one thing only is read so, and everything else is asked again."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.learning_cases import CAT, PETS, PETS_SAID
from support.scripted_model import (
    TUESDAY,
    allergy,
    aside,
    calls,
    fact,
    facts,
    heard,
    kept,
    new_memory,
    put_allergy,
    teach,
    whys,
)
from support.short_logs import type_of
from uac import Memory
from uac.conversation.plain_patches import plain_patch_item, with_plain_values
from uac.conversation.reply_items import ReplyItems, read_reply_items
from uac.errors import Refused
from uac.models import OneModel
from uac.models.requests_and_replies import Request
from uac.models.scripted import ScriptedModel
from uac.schema.patches import Amend, Define, Put

ITEM = {"text": "t", "cites": []}
FACT = json.dumps(ITEM)


@pytest.mark.parametrize(
    "reply",
    [
        f'{{"facts": [{FACT}]}}',
        f'```json\n{{"facts": [{FACT}]}}\n```',
        f'Sure {{as asked}}! Here it is:\n{{"facts": [{FACT}]}}\nAnything else?',
        f'{{"facts": [{FACT},]}}',
        f'{{"facts": [{FACT[:-1]},}}],}}',
        f'{{"facts": {FACT}}}',
        f"[{FACT}]",
        f"```\n[{FACT},]\n```",
        FACT,
        f'{{"facts": [{FACT}]',
        f'{{"facts": [{FACT}',
    ],
)
def test_a_list_is_read_in_every_form_that_can_only_mean_it(reply: str) -> None:
    found = read_reply_items(reply, "facts")
    assert (found.all, found.is_cut) == ([ITEM], reply == f'{{"facts": [{FACT}')


def test_line_breaks_in_a_text_are_read_as_they_are() -> None:
    assert read_reply_items('{"patches": [{"op": "a\nb"}]}', "patches").all == [{"op": "a\nb"}]


@pytest.mark.parametrize(
    "reply", ["", "no", "[]", "[1, 2]", '{"facts": 3}', "{'facts': []}", '{"fact": []}', '{"facts": [']
)
def test_a_reply_without_the_list_is_refused(reply: str) -> None:
    with pytest.raises(Refused):
        read_reply_items(reply, "facts")


@given(
    st.lists(
        st.dictionaries(st.text(max_size=3), st.text(max_size=9) | st.none() | st.integers(), min_size=1), max_size=4
    ),
    st.data(),
)
def test_of_a_reply_that_ends_anywhere_the_complete_items_are_read_and_no_others(
    items: list[dict[str, Any]], data: st.DataObject
) -> None:
    text = json.dumps({"patches": items, "constraints": []}, ensure_ascii=data.draw(st.booleans()))
    cut = text[: data.draw(st.integers(0, len(text)))]
    try:
        found = read_reply_items(cut, "patches", "constraints")
    except Refused:
        found = ReplyItems(([], []))
    assert found.all == items[: len(found.all)]
    if len(found.all) < len(items) and found.all:
        assert found.is_cut


def test_of_a_cut_reply_the_complete_patches_are_taken_and_the_rest_is_asked_again() -> None:
    memory = heard(CAT)
    both = json.dumps({"patches": [aside(2)["patches"][0], aside(3)["patches"][0]]})
    model, learned = teach(memory, PETS_SAID, both[:-30], aside(3))
    assert whys(learned.outcomes)[1] == ["The reply ends early. Give the patches for the facts shown."]
    shown = [item["fact"] for item in json.loads(model.requests[-1].content)["facts"]]
    assert (shown, [*memory.project().aside]) == ([2, 3], [2, 3])  # fact 2: perhaps more was to be said of it


def test_a_record_is_not_ended_by_a_reply_that_ends_before_what_replaces_it() -> None:
    memory = new_memory()
    memory.checkpoint(PETS)
    memory.put("pets.Pet", {"name": "cat", "kind": "cat"})
    turn = memory.add("I gave the cat away and have a dog now.", said=TUESDAY)
    said = facts(fact("The user gave the cat away and has a dog.", turn, "I gave the cat away and have a dog"))
    new = {"op": "put", "type": "pets.Pet", "fields": {"name": "dog"}, "cites": [turn + 1]}
    end = {"op": "end", "record": "pets.Pet:cat", "when": "2024-05-07", "cites": [turn + 1]}
    whole = json.dumps({"patches": [end, new]})
    teach(memory, said, whole[:-40], whole)
    assert [(record.id, record.ended is not None) for record in memory.project().records("pets.Pet")] == [
        ("pets.Pet:cat", True),
        ("pets.Pet:dog", False),
    ]
    assert [len(call.findings) for call in calls(memory)] == [0, 1, 0]


def test_a_model_whose_replies_are_always_cut_goes_on_as_long_as_facts_are_settled() -> None:
    sayings = [f"I own book number {number}" for number in range(20)]
    memory = heard(". ".join(sayings))
    said = facts(*(fact(f"The user owns book number {n}.", 1, words) for n, words in enumerate(sayings)))

    def cut_off(request: Request) -> Any:
        if request.step == "extract":
            return said
        cited = [item["fact"] for item in json.loads(request.content)["facts"]]
        patches = [patch for part in (cited[:1], cited[1:3], cited) for patch in aside(*part)["patches"]]
        return json.dumps({"patches": patches if cited[3:] else patches[:2]})[: -5 if cited[3:] else None]

    learned = memory.learn(OneModel(ScriptedModel.answering(cut_off)))
    assert (learned.stopped, memory.pending(), [*memory.project().waiting]) == ("", [], [])


EVERY = type_of(
    "test.Every",
    count="int | None",
    share="float | None",
    price="Money | None",
    weight="Decimal | None",
    day="date | None",
    at="datetime | None",
    hour="time | None",
    done="bool | None",
    tags="list[str]",
    code="str | None",
    state="Literal['open', 'done'] | None",
)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"count": "12", "share": "0.5", "weight": 2.5}, {"count": 12, "share": 0.5, "weight": "2.5"}),
        ({"count": 12.0, "code": 4711, "done": "True"}, {"count": 12, "code": "4711", "done": True}),
        ({"day": "2024-05-03T00:00:00Z"}, {"day": "2024-05-03"}),
        ({"day": "2024-05-03T18:30:00+02:00"}, {"day": "2024-05-03"}),
        ({"at": "2024-05-03 18:30:00+02:00", "hour": "9:30"}, {"at": "2024-05-03T18:30:00+02:00", "hour": "09:30"}),
        ({"price": "EUR 12.50"}, {"price": "12.50 EUR"}),
        ({"price": {"amount": 12.5, "currency": "EUR"}}, {"price": {"amount": "12.5", "currency": "EUR"}}),
        ({"tags": "red", "code": ["a"]}, {"tags": ["red"], "code": "a"}),
        ({"state": "Done", "day": None, "count": ""}, {"state": "done"}),
        (
            {"day": "soon", "count": "12 or 13", "price": "12,50 €"},
            {"day": "soon", "count": "12 or 13", "price": "12,50 €"},
        ),
        ({"day": None}, {"day": None}),
        ({"unknown": "12"}, {"unknown": "12"}),
    ],
)
def test_a_value_is_read_as_its_field_has_it_if_it_can_mean_only_that(given: Any, read: Any) -> None:
    put, amend = Put(type="test.Every", fields=given), Amend(record="test.Every:1", fields=given)
    types = {"test.Every": EVERY}
    assert with_plain_values(put, types) == Put(type="test.Every", fields=read)
    assert with_plain_values(amend, types) == Amend(record="test.Every:1", fields=read)


def test_citations_are_read_as_numbers_of_facts_and_names_of_records() -> None:
    item = {
        "op": "Put",
        "cites": ["12", "fact 13", "fact:14", "#15", 16, "people.Person:mia"],
        "when": "2024-05-01T00:00",
    }
    assert plain_patch_item(item) == {
        "op": "put",
        "cites": [12, 13, 14, 15, 16, "people.Person:mia"],
        "when": "2024-05-01",
    }
    assert [plain_patch_item({"op": "put", "cites": cites})["cites"] for cites in (12, "12")] == [[12], [12]]


def learned_texts(memory: Memory) -> list[str]:
    return [each.text for each in kept(memory)]


@pytest.mark.parametrize(
    "cites",
    [
        {"turn": 1, "quote": "I'm allergic to penicillin"},
        [{"turn": "1", "quote": "I'm allergic to penicillin"}],
        ["I'm allergic to penicillin"],
        "I'm allergic to penicillin",
    ],
)
def test_a_fact_may_quote_without_a_list_or_a_number(cites: Any) -> None:
    memory = heard("I'm allergic to penicillin.", "Good morning")
    item = {"text": "The user is allergic to penicillin.", "about": "user", "cites": cites, "start": None}
    _model, learned = teach(memory, facts(item), put_allergy(3))
    assert (learned_texts(memory), whys(learned.outcomes)) == (["The user is allergic to penicillin."], [[], []])


def test_words_of_two_turns_are_nobodys_in_particular() -> None:
    memory = heard("I have a cat.")
    memory.add("I have a cat.", said=TUESDAY, role="assistant")
    item = {"text": "The user has a cat.", "about": "user", "cites": ["I have a cat"]}
    _model, learned = teach(memory, facts(item), facts(), facts())
    assert (learned_texts(memory), len(whys(learned.outcomes)[0])) == ([], 1)


def test_a_day_may_be_given_as_its_midnight() -> None:
    memory = heard("I moved to Lisbon last Friday.")
    item = fact("The user moved to Lisbon on 2024-05-03.", 1, "I moved to Lisbon last Friday", when="last Friday")
    teach(memory, facts({**item, "start": "2024-05-03T00:00:00Z", "end": "2024-05-03T00:00:00"}), aside(2))
    assert [(each.held.start, each.held.end) for each in kept(memory)] == [("2024-05-03", "2024-05-03")]


def test_null_in_a_reply_removes_nothing_that_was_said() -> None:
    memory = new_memory()
    memory.checkpoint(PETS)
    memory.put("pets.Pet", {"name": "mia", "kind": "cat"})
    turn = memory.add("Mia was at the vet again.", said=TUESDAY)
    again = {"op": "put", "type": "pets.Pet", "fields": {"name": "mia", "kind": None}, "cites": [turn + 1]}
    teach(memory, facts(fact("Mia was at the vet.", turn, "Mia was at the vet", about="Mia")), {"patches": [again]})
    assert memory.project().record("pets.Pet:mia").values == {"name": "mia", "kind": "cat"}


# --- repeated and misplaced patches -----------------------------------------------------------------------------------


def two_payments() -> Memory:
    memory = new_memory()
    memory.checkpoint([Define(type=type_of("test.Payment", cardinality="event", to="str", amount="Money"))])
    memory.add("I paid Brightline 20 euros. The 20 euros to Brightline went out.", said=TUESDAY)
    return memory


def payment(*cites: int) -> dict[str, Any]:
    return {"op": "put", "type": "test.Payment", "fields": {"to": "Brightline", "amount": "20 EUR"}, "cites": [*cites]}


PAID = facts(
    fact("The user paid Brightline 20 euros.", 2, "I paid Brightline 20 euros"),
    fact("The 20 euros to Brightline went out.", 2, "The 20 euros to Brightline went out"),
)


def test_the_same_patch_given_twice_is_one() -> None:
    memory = two_payments()
    _model, learned = teach(memory, PAID, {"patches": [payment(3), payment(3), *aside(4)["patches"]]})
    assert (memory.project().count("test.Payment"), whys(learned.outcomes)) == (1, [[], []])


def test_an_event_that_two_facts_of_a_reply_tell_alike_is_sent_back_once() -> None:
    memory = two_payments()
    both = {"patches": [payment(3), payment(4)]}
    _model, learned = teach(memory, PAID, both, {"patches": aside(4)["patches"]})
    assert memory.project().count("test.Payment") == 1
    why = (
        "The put for 3 is much the same. If both tell of one event, set this fact aside; if it happened twice, give"
        " the same patch again."
    )
    assert whys(learned.outcomes)[1] == [why]
    twice = two_payments()
    teach(twice, PAID, both, {"patches": [payment(4)]})
    assert twice.project().count("test.Payment") == 2


def pets_of_two() -> tuple[Memory, int, dict[str, Any]]:
    memory = new_memory()
    memory.checkpoint(PETS)
    for name in ("Mia", "Bruno"):
        memory.put("pets.Pet", {"name": name})
    turn = memory.add("Bruno is a poodle.", said=TUESDAY)
    said = facts(fact("Bruno is a poodle.", turn, "Bruno is a poodle", about="Bruno"))
    return memory, turn + 1, said


def poodle(record: str, cited: int) -> dict[str, Any]:
    return {
        "patches": [{"op": "amend", "record": f"pets.Pet:{record}", "fields": {"kind": "poodle"}, "cites": [cited]}]
    }


def test_a_change_of_one_record_whose_fact_names_another_is_sent_back() -> None:
    memory, cited, said = pets_of_two()
    _model, learned = teach(memory, said, poodle("mia", cited), poodle("bruno", cited))
    assert [why.partition(". ")[0] for why in whys(learned.outcomes)[1]] == ["No cited fact names pets.Pet:mia"]
    assert {record.id: record.values["kind"] for record in memory.project().records("pets.Pet")} == {
        "pets.Pet:bruno": "poodle",
        "pets.Pet:mia": None,
    }


def test_a_fact_about_somebody_else_does_not_change_the_profile_of_the_user() -> None:
    memory = new_memory()
    profile = memory.put("people.Profile", {"name": "Ana"})
    person = memory.put("people.Person", {"name": "Sara"})
    turn = memory.add("Sara lives in Utrecht now.", said=TUESDAY)
    said = facts(fact("Sara lives in Utrecht.", turn, "Sara lives in Utrecht", about="Sara"))
    moves = {"op": "amend", "fields": {"lives_in": "Utrecht"}, "cites": [turn + 1]}
    _model, learned = teach(
        memory, said, {"patches": [moves | {"record": profile}]}, {"patches": [moves | {"record": person}]}
    )
    assert [why.partition(". ")[0] for why in whys(learned.outcomes)[1]] == ["No cited fact is about the user"]
    assert memory.project().record(profile).values.get("lives_in") is None
    assert memory.project().record(person).values["lives_in"] == "Utrecht"


def test_the_same_change_given_again_is_meant() -> None:
    memory, cited, said = pets_of_two()
    teach(memory, said, poodle("mia", cited), poodle("mia", cited))
    assert memory.project().record("pets.Pet:mia").values["kind"] == "poodle"


def test_a_fact_that_names_no_record_may_change_any_of_them() -> None:
    memory = new_memory()
    memory.checkpoint(PETS)
    for name in ("Mia", "Bruno"):
        memory.put("pets.Pet", {"name": name})
    turn = memory.add("The cat is a tabby.", said=TUESDAY)
    change = {"op": "amend", "record": "pets.Pet:mia", "fields": {"kind": "tabby"}, "cites": [turn + 1]}
    _model, learned = teach(
        memory, facts(fact("The cat is a tabby.", turn, "The cat is a tabby")), {"patches": [change]}
    )
    assert (whys(learned.outcomes), memory.project().record("pets.Pet:mia").values["kind"]) == ([[], []], "tabby")


def test_on_the_last_attempt_a_record_is_taken_without_the_fields_that_its_type_does_not_have() -> None:
    memory, cited, said = pets_of_two()
    invented = poodle("bruno", cited)
    invented["patches"][0]["fields"]["mood"] = "cheerful"
    _model, learned = teach(memory, said, invented, invented, invented)
    assert whys(learned.outcomes)[-1] == ["pets.Pet has no field mood. The rest was taken."]
    assert memory.project().record("pets.Pet:bruno").values["kind"] == "poodle"


def test_after_a_patch_of_a_wrong_type_the_right_one_is_still_listed() -> None:
    memory = heard("I'm allergic to penicillin.")
    wrong = {"op": "put", "type": "food.Meal", "fields": {"substance": "penicillin"}, "cites": [2]}
    model, _learned = teach(memory, facts(allergy(1)), {"patches": [wrong]}, put_allergy(2))
    listed = [line.partition(" ")[0] for line in json.loads(model.requests[-1].content)["offered"]]
    assert listed[:1] == ["food.Meal"]
    assert "health.Allergy" in listed
    assert memory.project().count("health.Allergy") == 1
