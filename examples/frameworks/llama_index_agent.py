"""A LlamaIndex chat that knows its user. Give it any LLM of LlamaIndex."""

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLM
from llama_index.core.memory import Memory as ChatMemory

from uac import Memory
from uac.interfaces.adapters.llama_index import UserMemoryBlock


def chat_with_memory(llm: LLM, memory: Memory, session_id: str) -> SimpleChatEngine:
    blocks = [UserMemoryBlock(memory)]
    return SimpleChatEngine.from_defaults(llm=llm, memory=ChatMemory.from_defaults(session_id, memory_blocks=blocks))
