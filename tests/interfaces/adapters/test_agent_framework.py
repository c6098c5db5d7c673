"""The Microsoft Agent Framework, the real package, with a scripted client. `make adapters` installs it."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="The Microsoft Agent Framework is not installed here: make adapters")

from agent_framework import BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message
from frameworks.agent_framework_agent import agent_with_memory

from support.adapters import new_memory, spoken_words
from uac.memory.memory import Memory


class ScriptedClient(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """Gives the scripted replies in turn, and keeps what it was sent."""

    def __init__(self, *replies: Content) -> None:
        super().__init__()
        self._replies = [*replies]
        self.seen: list[list[str]] = []

    async def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_more: Any
    ) -> ChatResponse:
        self.seen.append([message.text for message in messages])
        return ChatResponse(messages=[Message("assistant", [self._replies.pop(0)])])


def text(words: str) -> Content:
    return Content.from_text(words)


@pytest.fixture
def memory() -> Iterator[Memory]:
    memory = new_memory()
    yield memory
    memory.close()


def test_the_example_agent_knows_tomorrow_what_it_was_told_today(memory: Memory) -> None:
    first = agent_with_memory(ScriptedClient(text("Noted.")), memory)
    asyncio.run(first.run("I get hives from penicillin.", session=first.create_session(session_id="monday")))
    client = ScriptedClient(text("Hives."))
    second = agent_with_memory(client, memory)
    asyncio.run(second.run("What does penicillin do to me?", session=second.create_session(session_id="tuesday")))
    context, question = client.seen[0]
    assert "I get hives from penicillin." in context
    assert question == "What does penicillin do to me?"
    assert spoken_words(memory) == [
        ("user", "monday", "I get hives from penicillin."),
        ("assistant", "monday", "Noted."),
        ("user", "tuesday", "What does penicillin do to me?"),
        ("assistant", "tuesday", "Hives."),
    ]


def test_the_agent_computes_with_the_memorys_tool(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "penicillin"})
    call = Content.from_function_call("c1", "compute", arguments={"code": "len(health.allergies)"})
    agent = agent_with_memory(ScriptedClient(call, text("One.")), memory)
    answer = asyncio.run(agent.run("How many allergies have I?", session=agent.create_session(session_id="s")))
    assert answer.text == "One."
    results = [
        str(part.result) for message in answer.messages for part in message.contents if part.type == "function_result"
    ]
    assert len(results) == 1
    assert "1" in results[0]
