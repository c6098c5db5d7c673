"""A reply of which a part is refused: what is taken at once, what is held back, and what is asked again."""

import builtins
import re
from datetime import timedelta
from typing import Any

import pytest

from support.scripted_model import TUESDAY, aside, calls, fact, facts, heard, teach, whys
from uac import Memory, SetAside
from uac.conversation.prompts import prompt_text
from uac.conversation.propose import PATCHES_SCHEMA
from uac.models.scripted import ScriptedModel
from uac.project.type_changes import TypeChange
from uac.schema.entries import Checkpoint
from uac.schema.types import GIVEN

LATER = TUESDAY + timedelta(days=1)
PLANT = {
    "domain": "garden",
    "name": "Plant",
    "key": ["name"],
    "fields": [{"name": "name", "type": "str"}, {"name": "bed", "type": "str | None"}],
}


def put(type_name: str, *cites: Any, **fields: Any) -> dict[str, Any]:
    return {"op": "put", "type": type_name, "fields": fields, "cites": list(cites)}


def patches(*items: dict[str, Any], constraints: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"patches": list(items), **({"constraints": constraints} if constraints else {})}


def rule(name: str, *cites: Any, body: str, case: str, quiet: str = "") -> dict[str, Any]:
    file = (
        f'def {name}(user, now):\n    """{name} of the user."""\n    {body}\n\n\n'
        f'CASES = [\n    fires("it fires", date(2024, 5, 1), {case}),\n    silent("nothing", date(2024, 5, 1){quiet}),\n]\n'
    )
    return {"name": name, "cites": list(cites), "file": file}


def plants_limit(*cites: Any, most: int = 0) -> dict[str, Any]:
    return rule(
        "plants_limit",
        *cites,
        body=f'return [warning("Too many plants.", *user.garden.plants)] if len(user.garden.plants) > {most} else []',
        case='garden.Plant(name="fig"), garden.Plant(name="rose"), garden.Plant(name="yucca")',
    )


def learn_more(memory: Memory, text: str, *replies: Any) -> tuple[ScriptedModel, int, list[list[str]]]:
    """Hear another turn; the replies may be functions of the position of its first fact."""
    turn = memory.add(text, said=LATER)
    model, learned = teach(memory, *(reply(turn) if callable(reply) else reply for reply in replies))
    return model, turn, whys(learned.outcomes)


# --- standing or falling together -------------------------------------------------------------------------------------


def fig_tree() -> Memory:
    memory = heard("I planted a fig.")
    teach(
        memory,
        facts(fact("The user planted a fig.", 1, "I planted a fig")),
        patches({"op": "define", "type": PLANT}, put("garden.Plant", 2, name="fig")),
    )
    return memory


def test_a_field_that_only_a_refused_put_needs_is_not_added() -> None:
    memory = fig_tree()
    add = {"op": "add_field", "type": "garden.Plant", "field": {"name": "age", "type": "int | None"}}

    def said(turn: int) -> dict[str, Any]:
        return facts(fact("The user planted a rose of 3 years.", turn, "I planted a rose of 3 years"))

    model, turn, found = learn_more(
        memory,
        "I planted a rose of 3 years.",
        said,
        lambda turn: patches(add, put("garden.Plant", turn + 1, name="rose", age=7)),
        lambda turn: aside(turn + 1),
    )
    assert "7" in found[1][0]
    assert found[1][1] == "held back: only 'put garden.Plant' needs it, which is not accepted. Give both again."
    assert [item["patch"]["op"] for item in model.contents[2]["refused"]] == ["put", "add_field"]
    assert [field.name for field in memory.project().types["garden.Plant"].fields] == ["name", "bed"]
    assert memory.project().aside[turn + 1].why == "small talk"


@pytest.mark.parametrize("bad", ["put", "end"])
def test_the_end_of_a_record_and_its_successor_are_taken_together_or_not_at_all(bad: str) -> None:
    memory = fig_tree()

    def said(turn: int) -> dict[str, Any]:
        return facts(
            fact("The fig died, and the user planted a rose instead.", turn, "The fig died, so I planted a rose")
        )

    def reply(turn: int) -> dict[str, Any]:
        when = "soon" if bad == "end" else "2024-05-08"
        end = {"op": "end", "record": "garden.Plant:fig", "when": when, "why": "died", "cites": [turn + 1]}
        rose = put("garden.Plant", turn + 1, name="rose", **({"beds": "north"} if bad == "put" else {}))
        return patches(end, rose)

    _model, _turn, found = learn_more(
        memory, "The fig died, so I planted a rose.", said, reply, lambda turn: aside(turn + 1)
    )
    assert sum("held back: it takes the place of" in why for why in found[1]) == 1
    assert [record.id for record in memory.project().records("garden.Plant")] == ["garden.Plant:fig"]
    assert memory.project().record("garden.Plant:fig").ended is None


# --- asking again -----------------------------------------------------------------------------------------------------

BOUGHT = "I bought a drill for 80 euros at Toolbox."


def bought(memory: Memory, *replies: dict[str, Any]) -> ScriptedModel:
    model, _learned = teach(memory, facts(fact("The user bought a drill for 80 EUR at Toolbox.", 1, BOUGHT)), *replies)
    return model


DRILL = put("garden.Tool", 2, name="drill")
TOOL = {"op": "define", "type": {**PLANT, "name": "Tool"}}
PAID = put("finance.Transaction", 2, payee="Toolbox", amount="80 EUR", on="2024-05-07")
WRONG = {**PAID, "fields": {**PAID["fields"], "amount": "800 EUR"}}


def test_a_refused_patch_is_asked_again_though_its_fact_is_in_a_record() -> None:
    memory = heard(BOUGHT)
    model = bought(memory, patches(TOOL, DRILL, WRONG), patches(PAID))
    assert [item["fact"] for item in model.contents[2]["facts"]] == [2]
    assert [item["patch"] for item in model.contents[2]["refused"]] == [WRONG]
    assert [*model.contents[2]["records"]] == ["garden.Tool:drill"]
    assert str(memory.project().records("finance.Transaction")[0].values["amount"]) == "80 EUR"
    assert memory.pending() == []


def test_a_model_may_give_up_a_refused_patch_of_a_fact_that_is_in_a_record() -> None:
    memory = heard(BOUGHT)
    model = bought(memory, patches(TOOL, DRILL, WRONG), patches())
    assert model.steps == ["extract", "checkpoint", "checkpoint"]
    assert (memory.pending(), dict(memory.project().progress.stuck)) == ([], {})


def test_a_patch_that_is_refused_three_times_is_stuck_and_can_be_asked_again() -> None:
    memory = heard(BOUGHT)
    bought(memory, patches(TOOL, DRILL, WRONG), patches(WRONG), patches(WRONG))
    assert list(memory.project().progress.stuck) == [2]
    assert list(memory.project().waiting) == []
    assert memory.retry_stuck() == 1
    (request,) = memory.pending()
    assert request.step == "checkpoint"
    teach(memory, patches(PAID))
    assert memory.project().count("finance.Transaction") == memory.project().count("garden.Tool") == 1
    assert dict(memory.project().progress.stuck) == {}


def test_a_record_that_is_given_again_beside_a_corrected_patch_is_not_made_twice() -> None:
    memory = heard(BOUGHT)
    work = {"op": "define", "type": {**PLANT, "name": "Work", "key": [], "cardinality": "event"}}
    event = put("garden.Work", 2, name="drilling")
    bought(memory, patches(work, event, WRONG), patches(event, PAID))
    assert memory.project().count("garden.Work") == memory.project().count("finance.Transaction") == 1


def test_a_change_that_contradicts_the_words_three_times_is_set_aside_with_the_reason_and_the_rest_goes_on() -> None:
    memory = heard("I planted a rose of 3 years.")
    aged = {**PLANT, "fields": [*PLANT["fields"], {"name": "age", "type": "int | None"}]}
    planted = patches({"op": "define", "type": aged}, put("garden.Plant", 2, name="rose", age=3))
    teach(memory, facts(fact("The user planted a rose of 3 years.", 1, "I planted a rose of 3 years")), planted)
    turn = memory.add("The rose is 4 years old. I sold the fig.", said=TUESDAY)
    told = facts(
        fact("The rose is 4 years old.", turn, "The rose is 4 years old"),
        fact("The user sold the fig.", turn, "I sold the fig"),
    )
    wrong = {"op": "amend", "record": "garden.Plant:rose", "fields": {"age": 90}, "cites": [turn + 1]}
    sold = put("garden.Plant", turn + 2, name="fig", bed="sold")
    _model, learned = teach(memory, told, patches(wrong, sold), patches(wrong), patches(wrong))
    project = memory.project()
    (why,) = whys(learned.outcomes)[3]
    assert "90" in why
    assert {position: aside.why for position, aside in project.aside.items()} == {
        turn + 1: f"garden.Plant:rose was not changed. {why}"
    }
    assert (list(project.waiting), dict(project.progress.stuck), memory.pending()) == ([], {}, [])
    assert project.record("garden.Plant:rose").values["age"] == 3
    assert project.record("garden.Plant:fig").values["bed"] == "sold"


def test_after_the_last_attempt_a_record_is_taken_without_the_field_that_does_not_follow() -> None:
    memory = heard("I planted a rose of 3 years.")
    aged = {**PLANT, "fields": [*PLANT["fields"], {"name": "age", "type": "int | None"}]}
    wrong = patches({"op": "define", "type": aged}, put("garden.Plant", 2, name="rose", age=7))
    _model, learned = teach(
        memory, facts(fact("The user planted a rose of 3 years.", 1, "I planted a rose of 3 years")), *[wrong] * 3
    )
    assert [len(why) for why in whys(learned.outcomes)] == [0, 2, 2, 1]
    assert whys(learned.outcomes)[3][0].endswith(" The rest was taken.")
    assert memory.project().record("garden.Plant:rose").values == {"name": "rose", "bed": None, "age": None}
    assert list(memory.project().progress.stuck) == [2]
    assert memory.pending() == []


@pytest.mark.parametrize(
    "fields", [{"payee": "Toolbox", "amount": "800 EUR", "on": "2024-05-07"}, {"payee": "Fakeshop"}]
)
def test_a_record_without_a_field_that_it_needs_is_not_taken_after_the_last_attempt(fields: dict[str, str]) -> None:
    memory = heard(BOUGHT)
    bought(memory, *[patches(put("finance.Transaction", 2, **fields))] * 3)
    assert memory.project().count("finance.Transaction") == 0
    assert list(memory.project().waiting) == list(memory.project().progress.stuck) == [2]


def test_remarks_of_a_model_beside_a_patch_say_nothing_and_other_keys_are_refused() -> None:
    memory = heard(BOUGHT)
    remarked = {**PAID, "confidence": 0.9, "note": "sure"}
    bought(memory, patches({**remarked, "when": "2024-05-07"}), patches(remarked))
    assert "unknown field `when`" in calls(memory)[1].findings[0].why
    assert memory.project().count("finance.Transaction") == 1


def test_what_a_person_has_settled_meanwhile_is_not_asked_again() -> None:
    memory = heard(BOUGHT)
    with pytest.raises(AssertionError, match="No reply is left"):
        bought(memory, patches(WRONG))
    assert [request.step for request in memory.pending()] == ["checkpoint"]
    memory.checkpoint([SetAside(cites=(2,), why="no")])
    assert memory.pending() == []


# --- rules ------------------------------------------------------------------------------------------------------------

LIMIT = "Never let me own more than 2 plants."


def limited(memory: Memory, *replies: dict[str, Any]) -> ScriptedModel:
    model, _learned = teach(memory, facts(fact("The user never wants more than 2 plants.", 1, LIMIT)), *replies)
    return model


def test_a_rule_can_be_made_before_there_is_a_record_that_it_reads() -> None:
    memory = heard(LIMIT)
    limited(memory, patches({"op": "define", "type": PLANT}, constraints=[plants_limit(2, most=2)]))
    assert set(memory.project().constraints) == {"plants_limit"}
    for name in ("fig", "rose", "yucca"):
        memory.put("garden.Plant", {"name": name})
    assert [alert.constraint for alert in memory.alerts()] == ["plants_limit"]


def test_a_rule_may_read_a_type_that_is_only_offered() -> None:
    memory = heard(LIMIT)
    pets = rule(
        "pets_limit",
        2,
        body='return [warning("Pets.", *user.household.pets)] if len(user.household.pets) > 0 else []',
        case='household.Pet(name="Rex", kind="dog")',
    )
    limited(memory, patches(constraints=[pets]))
    assert "household.Pet" in memory.project().types
    assert "pets_limit" in memory.project().constraints


def test_a_rule_that_was_given_up_is_offered_again_when_its_types_exist() -> None:
    memory = heard(LIMIT)
    bad = patches(constraints=[plants_limit(2, most=2)])
    limited(memory, bad, bad, bad)
    assert "reads user.garden.plants, which does not exist" in memory.project().progress.stuck[2]
    assert memory.pending() == []
    model, turn, _found = learn_more(
        memory,
        "I planted a fig.",
        lambda turn: facts(fact("The user planted a fig.", turn, "I planted a fig")),
        lambda turn: patches({"op": "define", "type": PLANT}, put("garden.Plant", turn + 1, name="fig")),
        patches(constraints=[plants_limit(2, most=2)]),
    )
    assert [item["fact"] for item in model.contents[2]["facts"]] == [2]
    assert turn > 2
    assert "plants_limit" in memory.project().constraints
    assert (memory.pending(), dict(memory.project().progress.stuck)) == ([], {})


def test_a_rule_that_still_fails_when_its_types_exist_is_given_up_for_good() -> None:
    memory = heard(LIMIT)
    bad = patches(constraints=[plants_limit(2, most=2)])
    worse = patches(constraints=[plants_limit(2, most=9)])
    limited(memory, bad, bad, bad)
    model, _turn, _found = learn_more(
        memory,
        "I planted a fig.",
        lambda turn: facts(fact("The user planted a fig.", turn, "I planted a fig")),
        lambda turn: patches({"op": "define", "type": PLANT}, put("garden.Plant", turn + 1, name="fig")),
        worse,
        worse,
        worse,
    )
    assert len(model.steps) == 5
    memory.put("garden.Plant", {"name": "rose"})
    assert memory.pending() == []
    assert list(memory.project().progress.stuck) == [2]


def test_an_own_rule_is_replaced_by_a_better_one_that_cites_the_earlier_fact() -> None:
    memory = heard(LIMIT)
    limited(memory, patches({"op": "define", "type": PLANT}, constraints=[plants_limit(2, most=2)]))
    model, turn, _found = learn_more(
        memory,
        "Actually never more than 1 plant.",
        lambda turn: facts(fact("The user never wants more than 1 plant.", turn, "never more than 1 plant")),
        lambda turn: patches(constraints=[plants_limit(2, turn + 1, most=1)]),
    )
    assert model.contents[1]["constraints"][0].startswith("plants_limit (facts 2): ")
    adopted = memory.project().constraints["plants_limit"]
    assert "> 1" in adopted.constraint.code
    assert adopted.cites == (2, turn + 1)
    memory.retract([turn], why="not so")
    assert "> 2" in memory.project().constraints["plants_limit"].constraint.code


def test_a_rule_needs_a_new_fact_and_only_facts_of_the_user() -> None:
    memory = heard(LIMIT)
    limited(memory, patches({"op": "define", "type": PLANT}, constraints=[plants_limit(2, most=2)]))
    _model, _turn, found = learn_more(
        memory,
        "I like plants.",
        lambda turn: facts(fact("The user likes plants.", turn, "I like plants")),
        lambda turn: patches(*aside(turn + 1)["patches"], constraints=[plants_limit(2), plants_limit(turn + 1, 99)]),
        patches(),
    )
    assert [why.partition(".")[2] for why in found[1]] == [
        " Cite the facts that state the rule, at least one new one."
    ] * 2


NEEDS_THE_USER = (
    "garden.Plant has records with the authority of the user."
    " Cite the new fact with that authority for which the type is to change."
)

# --- changing types ---------------------------------------------------------------------------------------------------


def changing(turn_text: str, *changes: dict[str, Any], then: Any = None) -> tuple[Memory, list[list[str]]]:
    """Two plants with beds, and a reply to one more sentence that changes their type."""
    memory = heard("I planted a fig in the north bed and a rose in the south bed.")
    both = facts(
        fact("The user planted a fig (north bed) and a rose (south bed).", 1, "I planted a fig in the north bed")
    )
    plants = [put("garden.Plant", 2, name=name, bed=bed) for name, bed in (("fig", "north"), ("rose", "south"))]
    teach(memory, both, patches({"op": "define", "type": PLANT}, *plants))

    def reply(turn: int) -> dict[str, Any]:
        return patches(*({**change, "cites": [turn + 1]} for change in changes), *aside(turn + 1)["patches"])

    said = facts(fact(turn_text, memory.log.head().position + 1, turn_text))
    _model, _turn, found = learn_more(memory, turn_text, said, reply, *([then] if then else []))
    return memory, found


@pytest.mark.parametrize(
    ("change", "line", "records"),
    [
        (
            {"op": "rename_field", "type": "garden.Plant", "field": "bed", "to": "place"},
            [("name", "str"), ("place", "str | None")],
            ["fig north", "rose south"],
        ),
        (
            {"op": "retype_field", "type": "garden.Plant", "field": "bed", "to": "list[str]", "convert": "wrap"},
            [("name", "str"), ("bed", "list[str]")],
            ["fig ('north',)", "rose ('south',)"],
        ),
        (
            {"op": "retire_field", "type": "garden.Plant", "field": "bed"},
            [("name", "str")],
            ["fig", "rose"],
        ),
        (
            {"op": "change_key", "type": "garden.Plant", "key": ["name", "bed"]},
            [("name", "str"), ("bed", "str | None")],
            ["fig north", "rose south"],
        ),
    ],
)
def test_a_model_changes_the_fields_of_the_users_own_types_and_it_can_be_undone(
    change: dict[str, Any], line: list[tuple[str, str]], records: list[str]
) -> None:
    memory, _found = changing("Their beds are kept in another way now.", change)
    project = memory.project()
    assert [(field.name, field.type) for field in project.types["garden.Plant"].fields] == line
    assert [" ".join(map(str, record.values.values())) for record in project.records("garden.Plant")] == records
    (position,) = [
        stored.position
        for stored in memory.log.read()
        if isinstance(stored.entry, Checkpoint) and any(isinstance(p, TypeChange) for p in stored.entry.patches)
    ][1:]
    memory.retract([position], why="undo")
    undone = memory.project().records("garden.Plant")
    assert [record.values for record in undone] == [{"name": "fig", "bed": "north"}, {"name": "rose", "bed": "south"}]


def test_a_model_changes_the_key_of_an_own_type() -> None:
    relaxed = {**PLANT, "fields": [{"name": "name", "type": "str"}, {"name": "bed", "type": "str"}]}
    memory = heard("I planted a fig in the north bed.")
    planted = put("garden.Plant", 2, name="fig", bed="north")
    teach(
        memory,
        facts(fact("The user planted a fig in the north bed.", 1, "I planted a fig in the north bed")),
        patches({"op": "define", "type": relaxed}, planted),
    )
    learn_more(
        memory,
        "I planted another fig in the south bed.",
        lambda turn: facts(
            fact("The user planted another fig in the south bed.", turn, "another fig in the south bed")
        ),
        lambda turn: patches(
            {"op": "change_key", "type": "garden.Plant", "key": ["name", "bed"], "cites": [turn + 1]},
            put("garden.Plant", turn + 1, name="fig", bed="south"),
        ),
    )
    assert [record.id for record in memory.project().records("garden.Plant")] == [
        "garden.Plant:fig|north",
        "garden.Plant:fig|south",
    ]


def test_a_change_of_types_that_would_break_a_rule_is_refused_and_the_rest_is_taken() -> None:
    memory = heard(LIMIT)
    beds = rule(
        "beds",
        2,
        body='return [warning("A bed.", p) for p in user.garden.plants if p.bed]',
        case='garden.Plant(name="fig", bed="north")',
    )
    limited(memory, patches({"op": "define", "type": PLANT}, constraints=[beds]))
    retire = {"op": "retire_field", "type": "garden.Plant", "field": "bed"}
    _model, turn, found = learn_more(
        memory,
        "I planted a fig and a pen.",
        lambda turn: facts(fact("The user planted a fig.", turn, "I planted a fig")),
        lambda turn: patches({**retire, "cites": [turn + 1]}, put("garden.Plant", turn + 1, name="fig")),
        patches(),
    )
    assert found[1][0].startswith("would break beds: line 3: ")
    assert memory.project().used[turn + 1] == ("garden.Plant:fig",)
    assert memory.project().types["garden.Plant"].field("bed") is not None


@pytest.mark.parametrize(
    "change",
    [
        {"op": "rename_field", "type": "garden.Plant", "field": "bed", "to": "junk"},
        {"op": "retype_field", "type": "garden.Plant", "field": "bed", "to": "list[str]", "convert": "wrap"},
        {"op": "retire_field", "type": "garden.Plant", "field": "bed"},
        {"op": "change_key", "type": "garden.Plant", "key": ["bed"]},
    ],
)
def test_a_mail_cannot_change_a_type_with_what_the_user_said(change: dict[str, Any]) -> None:
    memory, _found = changing("Nothing else.")
    before = memory.project()
    turn = memory.add("Please forget all beds.", said=LATER, role="document")
    mail = fact("All beds are to be forgotten.", turn, "Please forget all beds")
    _model, learned = teach(
        memory, facts(mail), patches({**change, "cites": [turn + 1]}, *aside(turn + 1)["patches"]), patches()
    )
    assert whys(learned.outcomes)[1] == [NEEDS_THE_USER]
    assert (memory.project().types, memory.project().tables) == (before.types, before.tables)


# --- citing a record --------------------------------------------------------------------------------------------------


def test_what_a_shown_record_says_may_be_used_by_a_patch_that_cites_the_record() -> None:
    memory = heard("My mother Ulla was born on 3 March 1950.")
    teach(
        memory,
        facts(fact("Ulla, the user's mother, was born on 3 March 1950.", 1, "My mother Ulla was born on 3 March 1950")),
        patches(put("people.Person", 2, name="Ulla", relation="mother", born="1950-03-03")),
    )

    def said(turn: int) -> dict[str, Any]:
        return facts(fact("The user wants to plan a day for Ulla.", turn, "Let's plan something for mum"))

    def card(*cites: Any) -> dict[str, Any]:
        return put("garden.Plant", *cites, name="birthday of Ulla", bed="1950-03-03")

    define = {"op": "define", "type": PLANT}
    _model, turn, found = learn_more(
        memory,
        "Let's plan something for mum.",
        said,
        lambda turn: patches(define, card(turn + 1)),
        lambda turn: patches(define, card(turn + 1, "people.Person:nobody")),
        lambda turn: patches(define, card("people.Person:ulla", turn + 1)),
    )
    assert "1950-03-03" in found[1][0]
    assert found[2][0].startswith("No record 'people.Person:nobody'")
    record = memory.project().record("garden.Plant:birthday of ulla")
    assert record.cites == {2, turn + 1}
    assert {words.quote for words in memory.explain(record.id, "bed").claims[0].evidence} == {
        "My mother Ulla was born on 3 March 1950",
        "Let's plan something for mum",
    }


def test_a_record_alone_is_no_reason_for_a_patch() -> None:
    memory = fig_tree()
    _model, _turn, found = learn_more(
        memory,
        "I planted another thing.",
        lambda turn: facts(fact("The user planted another thing.", turn, "I planted another thing")),
        patches(put("garden.Plant", "garden.Plant:fig", name="fig", bed="north")),
        lambda turn: aside(turn + 1),
    )
    assert found[1][0] == "cites is empty. Cite the facts that the patch depends on."
    assert len(calls(memory)) == 5


def test_the_instructions_list_every_helper_and_every_operation() -> None:
    instructions = prompt_text("checkpoint") + prompt_text("constraint")
    words = set(re.findall(r"\w+", instructions))
    assert words >= GIVEN - vars(builtins).keys()
    operations = PATCHES_SCHEMA["properties"]["patches"]["items"]["properties"]["op"]["enum"]
    assert [op for op in operations if f'"{op}"' not in instructions] == []
