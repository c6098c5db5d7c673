"""LlamaIndex, the real package, with its own mock model. `make adapters` installs it."""

import asyncio
from collections.abc import Iterator

import pytest

pytest.importorskip("llama_index.core", reason="LlamaIndex is not installed here: make adapters")

from frameworks.llama_index_agent import chat_with_memory
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.mock import MockLLMWithChatMemoryOfLastCall
from llama_index.core.memory import Memory as ChatMemory

from support.adapters import new_memory, spoken_words
from uac.interfaces.adapters.llama_index import UserMemoryBlock, memory_tools
from uac.memory.memory import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    memory = new_memory()
    yield memory
    memory.close()


def test_the_example_chat_knows_tomorrow_what_it_was_told_today(memory: Memory) -> None:
    asyncio.run(
        chat_with_memory(MockLLMWithChatMemoryOfLastCall(), memory, "monday").achat("I get hives from penicillin.")
    )
    model = MockLLMWithChatMemoryOfLastCall()
    asyncio.run(chat_with_memory(model, memory, "tuesday").achat("What does penicillin do to me?"))
    sent = "\n".join(message.content or "" for message in model.last_chat_messages or [])
    assert "I get hives from penicillin." in sent
    assert [said for said in spoken_words(memory) if said[0] == "user"] == [
        ("user", "monday", "I get hives from penicillin."),
        ("user", "tuesday", "What does penicillin do to me?"),
    ]


def test_each_message_is_stored_once_and_an_answer_with_the_turn_after_it(memory: Memory) -> None:
    chat = ChatMemory.from_defaults(session_id="s", memory_blocks=[UserMemoryBlock(memory)])

    async def turns() -> None:
        for role, text in (("user", "First"), ("assistant", "One."), ("user", "Second")):
            await chat.aput(ChatMessage(role=role, content=text))
            await chat.aget()

    asyncio.run(turns())
    assert spoken_words(memory) == [("user", "s", "First"), ("assistant", "s", "One."), ("user", "s", "Second")]


def test_what_no_longer_fits_the_short_history_is_stored_once(memory: Memory) -> None:
    chat = ChatMemory.from_defaults(
        session_id="s",
        token_limit=60,
        chat_history_token_ratio=0.5,
        token_flush_size=10,
        memory_blocks=[UserMemoryBlock(memory)],
    )

    async def turns() -> None:
        for number in range(8):
            await chat.aput(ChatMessage(role="user", content=f"Message number {number} of a long conversation"))
            await chat.aget()

    asyncio.run(turns())
    assert len({text for _role, _session, text in spoken_words(memory)}) == len(spoken_words(memory)) == 8


def test_the_memorys_tools_have_our_schema_and_compute(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "penicillin"})
    [compute] = memory_tools(memory, ("compute",))
    assert "code" in compute.metadata.get_parameters_dict()["properties"]
    assert "1" in compute(code="len(health.allergies)").content
