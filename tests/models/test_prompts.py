"""Prompts are source: each has a version, stays short, and its example passes the same checks as any reply."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from support.scripted_model import new_memory
from uac.conversation.extract import read_facts
from uac.conversation.judge import read_verdicts
from uac.conversation.prompts import PROMPTS, prompt_text
from uac.conversation.propose import FactInBatch
from uac.conversation.proposed_patches import read_patches
from uac.conversation.windows import Window, WindowTurn
from uac.models.requests_and_replies import STEPS
from uac.schema.entries import Fact, Observation
from uac.schema.patches import Adopt, Define, Patch
from uac.schema.types import Field, Type
from uac.text.token_count import count_tokens

PLANT = Type(
    domain="garden",
    name="Plant",
    key=("name",),
    fields=(Field(name="name", type="str"), Field(name="planted", type="date | None")),
)


def example(name: str) -> tuple[Any, Any]:
    """The input and the reply that a prompt shows."""
    blocks = re.findall(r"```json\n(.*?)```", prompt_text(name), re.DOTALL)
    asked, replied = (json.loads(block) for block in blocks)
    return asked, replied


@pytest.mark.parametrize("path", sorted(PROMPTS.glob("*.md")), ids=lambda path: path.stem)
def test_a_prompt_says_its_version_and_is_short(path: Any) -> None:
    # `constraint` is added to `checkpoint`; `alone` and `grade` are for an evaluation; `remember` is the description of
    # a tool, without a version.
    assert path.stem in (*STEPS, "alone", "constraint", "grade", "remember")
    assert path.stem == "remember" or re.match(rf"# {path.stem}, version \d+\n", path.read_text(encoding="utf-8"))
    assert count_tokens(path.read_text(encoding="utf-8")) < 1100


def test_the_example_for_facts_passes_the_checks() -> None:
    asked, replied = example("extract")
    (turn,) = asked["turns"]
    said = datetime.strptime(turn["said"], "%A %Y-%m-%d %H:%M").replace(tzinfo=UTC)
    observation = Observation(text=turn["text"], said=said, speaker="Ana")
    window = Window((WindowTurn(turn["turn"], observation, 0, len(observation.text), is_new=True),))
    taken = read_facts(json.dumps(replied), window)
    assert taken.findings == ()
    assert [fact.text for fact in taken.facts] == [item["text"] for item in replied["facts"]]
    assert [fact.held.start for fact in taken.facts] == ["", "2024-05-03"]


def test_the_example_for_constraints_passes_the_checks_and_the_door() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", prompt_text("constraint"), re.DOTALL)
    said = datetime(2024, 4, 2, 12, tzinfo=UTC)
    memory = new_memory(lambda: said)
    memory.checkpoint([Define(type=PLANT)])
    stated = Fact(text="The user never wants more than 1 plant.", about="user", authority="user", cites=())
    assert stated.text in prompt_text("constraint")
    proposal = read_patches(block, [FactInBatch(43, stated, said)], project=memory.project())
    assert proposal.refused == ()
    (adopt,) = proposal.patches
    assert isinstance(adopt, Adopt)
    memory.checkpoint([Adopt(constraint=adopt.constraint)])
    assert "plants_limit" in memory.project().constraints


def test_every_operation_in_the_instructions_can_be_read() -> None:
    """Each is written as it is to be given, so that an example of its own would say nothing new."""
    given = re.findall(r'^- (\{"op".*\})(?: —|$)', prompt_text("checkpoint"), re.MULTILINE)
    items = [json.loads(item.replace("{…}", "{}")) for item in given]
    assert [item["op"] for item in items] == [
        *("amend", "put", "end", "drop", "merge", "set_aside", "retire", "define", "add_field")
    ]
    assert [type(msgspec.convert(item, type=Patch)).__name__.lower() for item in items] == [
        item["op"].replace("_", "") for item in items
    ]


def test_the_example_for_questions_is_a_step_that_runs() -> None:
    _asked, replied = example("ask")
    memory = new_memory()
    trip = Type(
        domain="travel",
        name="Trip",
        cardinality="event",
        fields=(Field(name="start", type="date"), Field(name="cost", type="Money")),
    )
    memory.checkpoint([Define(type=trip)])
    memory.put("travel.Trip", {"start": "2024-02-01", "cost": "300 EUR"})
    memory.put("travel.Trip", {"start": "2023-02-01", "cost": "900 EUR"})
    assert str(memory.compute(replied["code"]).value) == "{'EUR': Decimal('300')}"


def test_the_example_for_verdicts_sets_the_fact_aside() -> None:
    asked, replied = example("judge")
    (item,) = asked["facts"]
    fact = Fact(text=item["text"], about="user", authority="user", cites=())
    (denied,) = read_verdicts(json.dumps(replied), [FactInBatch(item["fact"], fact, datetime(2024, 5, 7, tzinfo=UTC))])
    assert denied.cites == (12,)
    assert denied.why.endswith("Ana wishes to be vegetarian; it is Mia who is.")
