"""Google's Agent Development Kit, the real package, with a scripted model. `make adapters` installs it."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

pytest.importorskip("google.adk", reason="Google's ADK is not installed here: make adapters")

from frameworks.adk_agent import STORE, runner_with_memory
from google.adk.agents import Agent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from support.adapters import new_memory, spoken_words
from uac.errors import Refused
from uac.interfaces.adapters.google_adk import UserMemoryService, memory_tools
from uac.memory.memory import Memory


class ScriptedModel(BaseLlm):
    """Gives the scripted replies in turn, and keeps what it was sent."""

    model: str = "scripted"
    replies: list[types.Part]
    seen: list[str]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.seen.append("\n".join(part.text or "" for content in llm_request.contents for part in content.parts or []))
        yield LlmResponse(content=types.Content(role="model", parts=[self.replies.pop(0)]))


def scripted(*replies: str | types.Part) -> ScriptedModel:
    parts = [types.Part.from_text(text=reply) if isinstance(reply, str) else reply for reply in replies]
    return ScriptedModel(replies=parts, seen=[])


async def say(runner: Runner, user: str, session_id: str, words: str) -> str:
    service = runner.session_service
    found = await service.get_session(app_name="app", user_id=user, session_id=session_id)
    if found is None:
        await service.create_session(app_name="app", user_id=user, session_id=session_id)
    answer = ""
    message = types.Content(role="user", parts=[types.Part.from_text(text=words)])
    async for event in runner.run_async(user_id=user, session_id=session_id, new_message=message):
        answer = "".join(part.text or "" for part in (event.content.parts if event.content else None) or []) or answer
    session = await service.get_session(app_name="app", user_id=user, session_id=session_id)
    assert session is not None
    assert runner.memory_service is not None
    await runner.memory_service.add_session_to_memory(session)
    return answer


def test_the_example_agent_knows_tomorrow_what_it_was_told_today() -> None:
    model = scripted("Noted.", "Hives.", "I do not know.")
    runner = runner_with_memory(model)
    asyncio.run(say(runner, "ana", "monday", "I get hives from penicillin."))
    assert asyncio.run(say(runner, "ana", "tuesday", "What does penicillin do to me?")) == "Hives."
    asyncio.run(say(runner, "ben", "tuesday", "What does penicillin do to me?"))
    assert "I get hives from penicillin." in model.seen[1]
    assert "I get hives from penicillin." not in model.seen[2]
    assert spoken_words(Memory(STORE.log("ana"))) == [
        ("user", "monday", "I get hives from penicillin."),
        ("assistant", "monday", "Noted."),
        ("user", "tuesday", "What does penicillin do to me?"),
        ("assistant", "tuesday", "Hives."),
    ]


def test_a_session_that_is_added_again_is_stored_once() -> None:
    memory = new_memory()
    service = UserMemoryService(lambda _user: memory)
    agent = Agent(name="assistant", model=scripted("One.", "Two."))
    runner = Runner(app_name="app", agent=agent, session_service=InMemorySessionService(), memory_service=service)
    asyncio.run(say(runner, "ana", "s", "First"))
    asyncio.run(say(runner, "ana", "s", "Second"))
    assert [text for _role, _session, text in spoken_words(memory)] == ["First", "One.", "Second", "Two."]


def test_the_agent_computes_with_the_memorys_tool() -> None:
    memory = new_memory()
    memory.put("health.Allergy", {"substance": "penicillin"})
    call = types.Part.from_function_call(name="compute", args={"code": "len(health.allergies)"})
    agent = Agent(name="assistant", model=scripted(call, "One."), tools=[*memory_tools(memory, ("compute",))])
    service = UserMemoryService(lambda _user: memory)
    runner = Runner(app_name="app", agent=agent, session_service=InMemorySessionService(), memory_service=service)
    assert asyncio.run(say(runner, "ana", "s", "How many allergies have I?")) == "One."


def test_single_memories_are_not_deleted_through_the_kit() -> None:
    service = UserMemoryService(lambda _user: new_memory())
    with pytest.raises(Refused, match=r"log\.erase"):
        asyncio.run(service.delete_memory(app_name="app", user_id="ana", memory_id="1"))
