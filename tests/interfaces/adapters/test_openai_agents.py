"""The OpenAI Agents SDK, the real package, with its scripted model. `make adapters` installs it."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("agents", reason="The OpenAI Agents SDK is not installed here: make adapters")

from agents import Agent, Runner
from agents.items import TResponseOutputItem
from agents.memory import Session
from agents.testing import ScriptedModel, assistant_message, function_call
from frameworks.openai_agent import reply

from support.adapters import new_memory, spoken_words
from uac.interfaces.adapters.openai_agents import MemorySession
from uac.memory.memory import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    memory = new_memory()
    yield memory
    memory.close()


def scripted(*replies: str | TResponseOutputItem) -> ScriptedModel:
    return ScriptedModel([[assistant_message(each) if isinstance(each, str) else each] for each in replies])


def item(role: str, text: str) -> Any:
    return {"role": role, "content": text}


def test_the_example_agent_knows_tomorrow_what_it_was_told_today(memory: Memory) -> None:
    asyncio.run(reply("I get hives from penicillin.", memory, "monday", scripted("Noted.")))
    model = scripted("Hives.")
    assert asyncio.run(reply("What does penicillin do to me?", memory, "tuesday", model)) == "Hives."
    assert model.last_call is not None
    assert model.last_call.system_instructions is None
    assert "I get hives from penicillin." in str(model.last_call.input[0])
    assert spoken_words(memory) == [
        ("user", "monday", "I get hives from penicillin."),
        ("assistant", "monday", "Noted."),
        ("user", "tuesday", "What does penicillin do to me?"),
        ("assistant", "tuesday", "Hives."),
    ]


def test_the_agent_computes_with_the_memorys_tool(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "penicillin"})
    model = scripted(function_call("compute", {"code": "len(health.allergies)"}, call_id="c1"), "One.")
    assert asyncio.run(reply("How many allergies have I?", memory, "s", model)) == "One."
    assert model.last_call is not None
    [output] = [given for given in model.last_call.input if isinstance(given, dict) and "output" in given]
    assert "1" in str(output["output"])


def test_a_conversation_goes_on_where_it_ended(memory: Memory) -> None:
    agent = Agent(name="a", model=scripted("One.", "Two."))
    asyncio.run(Runner.run(agent, "First", session=MemorySession(memory, "s")))
    asyncio.run(Runner.run(agent, "Second", session=MemorySession(memory, "s")))
    items = asyncio.run(MemorySession(memory, "s").get_items())
    assert [given["role"] for given in items if "role" in given] == ["user", "assistant", "user", "assistant"]


def test_a_session_is_one_as_the_sdk_defines_it(memory: Memory) -> None:
    session = MemorySession(memory, "s")
    assert isinstance(session, Session)

    async def steps() -> None:
        await session.add_items(
            [item("user", "one"), item("assistant", "two"), {"type": "reasoning", "id": "r", "summary": []}]
        )
        assert await session.get_items(limit=2) == [
            item("assistant", "two"),
            {"type": "reasoning", "id": "r", "summary": []},
        ]
        assert await session.pop_item() == {"type": "reasoning", "id": "r", "summary": []}
        assert await session.get_items() == [item("user", "one"), item("assistant", "two")]
        await MemorySession(memory, "other").add_items([item("user", "elsewhere")])
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
        assert await MemorySession(memory, "other").get_items() == [item("user", "elsewhere")]

    asyncio.run(steps())
    assert spoken_words(memory) == [("user", "other", "elsewhere")]


def test_what_is_erased_is_in_no_session(memory: Memory) -> None:
    session = MemorySession(memory, "s")
    asyncio.run(session.add_items([item("user", "a secret")]))
    assert len(asyncio.run(session.get_items())) == 1
    memory.log.erase([1], why="asked")
    assert asyncio.run(session.get_items()) == []
