"""The memory of a CrewAI crew in its user's log. Give it the embedder of your crew."""

from collections.abc import Callable

from crewai import Memory as CrewMemory
from crewai.llms.base_llm import BaseLLM

from uac import Memory
from uac.interfaces.adapters.crewai import UserMemoryStorage


def crew_memory(memory: Memory, llm: BaseLLM | str, embedder: Callable[[list[str]], list[list[float]]]) -> CrewMemory:
    return CrewMemory(storage=UserMemoryStorage(memory), llm=llm, embedder=embedder)
