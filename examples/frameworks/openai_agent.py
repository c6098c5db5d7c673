"""An agent of the OpenAI Agents SDK that knows its user: OPENAI_API_KEY=… python openai_agent.py."""

import asyncio

from agents import Agent, RunConfig, Runner
from agents.models.interface import Model

from uac import Memory, open_store
from uac.interfaces.adapters.openai_agents import MemorySession, memory_tools


async def reply(words: str, memory: Memory, session_id: str, model: Model | str | None = None) -> str:
    session = MemorySession(memory, session_id)
    agent = Agent(name="assistant", model=model, tools=memory_tools(memory, ("compute",)))
    config = RunConfig(call_model_input_filter=session.add_context, tracing_disabled=True)
    result = await Runner.run(agent, words, session=session, run_config=config)
    return str(result.final_output)


if __name__ == "__main__":
    me = Memory(open_store("memory.db").log("me"))
    while said := input("you: "):
        print("agent:", asyncio.run(reply(said, me, "terminal")))
