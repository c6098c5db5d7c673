"""A LangGraph agent that knows its user: python langgraph_agent.py MODEL, such as anthropic:claude-sonnet-4-5."""

import sys

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph

from uac import Memory, open_store
from uac.interfaces.adapters.langgraph import MemoryMiddleware


def agent_with_memory(model: BaseChatModel, memory: Memory) -> CompiledStateGraph:
    return create_agent(model, middleware=[MemoryMiddleware(memory, tools=("compute", "remember"))])


if __name__ == "__main__":
    agent = agent_with_memory(init_chat_model(sys.argv[1]), Memory(open_store("memory.db").log("me")))
    while words := input("you: "):
        answer = agent.invoke(
            {"messages": [{"role": "user", "content": words}]}, {"configurable": {"thread_id": "terminal"}}
        )
        print("agent:", answer["messages"][-1].text)
