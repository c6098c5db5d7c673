"""An agent of Google's Agent Development Kit that knows its users. Give it any model of the kit."""

from google.adk.agents import Agent
from google.adk.models import BaseLlm
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.preload_memory_tool import preload_memory_tool

from uac import Memory, open_store
from uac.interfaces.adapters.google_adk import UserMemoryService

STORE = open_store("memory:")


def runner_with_memory(model: BaseLlm | str) -> Runner:
    agent = Agent(name="assistant", model=model, tools=[preload_memory_tool])
    memories = UserMemoryService(lambda user: Memory(STORE.log(user)))
    return Runner(app_name="app", agent=agent, session_service=InMemorySessionService(), memory_service=memories)
