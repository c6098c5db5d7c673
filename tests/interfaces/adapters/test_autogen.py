"""AutoGen, the real packages, with a scripted client. `make adapters` installs them."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any

import pytest

pytest.importorskip("autogen_core", reason="AutoGen is not installed here: make adapters")
pytest.importorskip("autogen_agentchat", reason="AutoGen's agents are not installed here: make adapters")

from autogen_core import CancellationToken
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage, ModelInfo, RequestUsage
from frameworks.autogen_agent import agent_with_memory

from support.adapters import new_memory, spoken_words
from uac.errors import Refused
from uac.interfaces.adapters.autogen import UserMemory
from uac.memory.memory import Memory


class ScriptedClient(ChatCompletionClient):
    """Gives the scripted replies in turn, and keeps what it was sent."""

    def __init__(self, *replies: str) -> None:
        self._replies = [*replies]
        self.seen: list[Sequence[LLMMessage]] = []

    async def create(self, messages: Sequence[LLMMessage], **_options: Any) -> CreateResult:
        self.seen.append(messages)
        return CreateResult(finish_reason="stop", content=self._replies.pop(0), usage=self.total_usage(), cached=False)

    def create_stream(self, messages: Sequence[LLMMessage], **options: Any) -> AsyncGenerator[str | CreateResult, None]:
        raise NotImplementedError

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return self.total_usage()

    def total_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    def count_tokens(self, messages: Sequence[LLMMessage], **_options: Any) -> int:
        return 0

    def remaining_tokens(self, messages: Sequence[LLMMessage], **_options: Any) -> int:
        return 1000

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False
        )


@pytest.fixture
def memory() -> Iterator[Memory]:
    memory = new_memory()
    yield memory
    memory.close()


def test_the_example_agent_knows_tomorrow_what_it_was_told_today(memory: Memory) -> None:
    asyncio.run(agent_with_memory(ScriptedClient("Noted."), memory, "monday").run(task="I get hives from penicillin."))
    client = ScriptedClient("Hives.")
    asyncio.run(agent_with_memory(client, memory, "tuesday").run(task="What does penicillin do to me?"))
    sent = [str(message.content) for message in client.seen[0]]
    assert any("I get hives from penicillin." in text for text in sent)
    assert [said for said in spoken_words(memory) if said[0] == "user"] == [
        ("user", "monday", "I get hives from penicillin."),
        ("user", "tuesday", "What does penicillin do to me?"),
    ]


def test_a_conversation_is_stored_once_and_an_answer_with_the_turn_after_it(memory: Memory) -> None:
    agent = agent_with_memory(ScriptedClient("One.", "Two."), memory, "s")
    asyncio.run(agent.run(task="First"))
    asyncio.run(agent.run(task="Second"))
    assert [text for _role, _session, text in spoken_words(memory)] == ["First", "One.", "Second"]


def test_texts_and_values_are_added_as_documents_and_found(memory: Memory) -> None:
    users = UserMemory(memory)
    asyncio.run(users.add(MemoryContent(content="Ana collects lighthouses", mime_type=MemoryMimeType.TEXT)))
    asyncio.run(users.add(MemoryContent(content={"city": "Bergen"}, mime_type=MemoryMimeType.JSON)))
    found = asyncio.run(users.query("lighthouses", CancellationToken()))
    assert "Ana collects lighthouses" in str(found.results[0].content)
    assert [role for role, _session, _text in spoken_words(memory)] == ["document", "document"]
    with pytest.raises(Refused, match="has no text"):
        asyncio.run(users.add(MemoryContent(content=b"x", mime_type=MemoryMimeType.BINARY)))
    with pytest.raises(Refused, match="not cleared"):
        asyncio.run(users.clear())
