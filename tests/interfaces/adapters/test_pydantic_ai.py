"""Pydantic AI, the real package, with a scripted model."""

import asyncio
from collections.abc import Iterator

import pytest
from frameworks.pydantic_agent import agent_with_memory
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from support.adapters import new_memory, spoken_words
from uac.interfaces.adapters.pydantic_ai import UserMemory, memory_toolset
from uac.memory.memory import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    memory = new_memory()
    yield memory
    memory.close()


class Script:
    """Gives the scripted replies in turn, and keeps what the model was sent."""

    def __init__(self, *replies: str | ToolCallPart) -> None:
        self._replies = iter(replies)
        self.seen: list[list[ModelMessage]] = []

    def __call__(self, messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        self.seen.append(messages)
        reply = next(self._replies)
        return ModelResponse([TextPart(reply) if isinstance(reply, str) else reply])


def prompts(messages: list[ModelMessage]) -> list[str]:
    return [str(part.content) for sent in messages for part in sent.parts if isinstance(part, UserPromptPart)]


def test_the_example_agent_knows_tomorrow_what_it_was_told_today(memory: Memory) -> None:
    first = agent_with_memory(FunctionModel(Script("Noted.")), memory)
    asyncio.run(first.run("I get hives from penicillin.", conversation_id="monday"))
    script = Script("Hives.")
    second = agent_with_memory(FunctionModel(script), memory)
    run = asyncio.run(second.run("What does penicillin do to me?", conversation_id="tuesday"))
    context, question = prompts(script.seen[0])
    assert "I get hives from penicillin." in context
    assert question == "What does penicillin do to me?"
    assert prompts(run.all_messages()) == [question]
    assert spoken_words(memory) == [
        ("user", "monday", "I get hives from penicillin."),
        ("assistant", "monday", "Noted."),
        ("user", "tuesday", "What does penicillin do to me?"),
        ("assistant", "tuesday", "Hives."),
    ]


def test_a_conversation_that_goes_on_is_stored_once(memory: Memory) -> None:
    agent = Agent(FunctionModel(Script("One.", "Two.")), capabilities=[UserMemory(memory)])
    first = asyncio.run(agent.run("First", conversation_id="s"))
    asyncio.run(agent.run("Second", message_history=first.all_messages(), conversation_id="s"))
    assert [text for _role, _session, text in spoken_words(memory)] == ["First", "One.", "Second", "Two."]


def test_the_agent_computes_with_the_memorys_tool(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "penicillin"})
    script = Script(ToolCallPart("compute", {"code": "len(health.allergies)"}), "One.")
    agent = Agent(FunctionModel(script), toolsets=[memory_toolset(memory)])
    assert asyncio.run(agent.run("How many allergies have I?")).output == "One."
    result = script.seen[-1][-1].parts[0]
    assert "1" in str(getattr(result, "content", ""))
