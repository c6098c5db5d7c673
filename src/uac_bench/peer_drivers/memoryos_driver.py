"""MemoryOS (the distribution memoryos-pro): short, middle and long-term memory, with the common embedder.

It asks for faiss-gpu, which has no wheel for this Python, and for sentence-transformers, which would download a model:
faiss-cpu and a stand-in for the second take their place. Nothing else of it is changed.
"""

import re
import sys
import types
from pathlib import Path
from typing import Any

SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
NOTHING = "-"


class Driver:
    def __init__(self, url: str, folder: Path) -> None:
        _offer_sentence_transformers(url)
        from memoryos import Memoryos  # type: ignore[import-not-found, unused-ignore]  # in its own environment

        self._memory: Any = Memoryos(
            user_id="user",
            openai_api_key="none",
            openai_base_url=url,
            data_storage_path=str(folder),
            retrieval_queue_capacity=1000,  # as many pages as fit into the context, instead of 7
            llm_model="scripted",
        )
        self._pages: dict[tuple[str, str], list[int]] = {}
        self._facts: dict[str, int] = {}
        self._waiting: list[dict[str, Any]] = []

    def add(self, texts: list[dict[str, Any]]) -> None:
        """A page is what the user said and the reply: it drops pages that lack one of them."""
        for each in texts:
            for sentence in SENTENCE_END.split(each["text"]):
                self._facts.setdefault(f"- {sentence.strip()}", each["place"])
            if each["role"] == "user" and any(before["role"] != "user" for before in self._waiting):
                self._add_page()
            self._waiting.append(each)

    def _add_page(self) -> None:
        if not self._waiting:
            return
        said = " ".join(each["text"] for each in self._waiting if each["role"] == "user") or NOTHING
        reply = " ".join(each["text"] for each in self._waiting if each["role"] != "user") or NOTHING
        self._pages.setdefault((said, reply), []).extend(each["place"] for each in self._waiting)
        self._memory.add_memory(said, reply, timestamp=self._waiting[0]["said"][:19].replace("T", " "))
        self._waiting = []

    def search(self, question: str, most: int) -> list[int]:
        """The pages that its answers would always show, then those it finds, then facts about the user."""
        self._add_page()
        found = self._memory.retriever.retrieve_context(
            user_query=question,
            user_id="user",
            top_k_sessions=most,  # instead of 5: pages are cut by the size of the context
        )
        pages = [*self._memory.short_term_memory.get_all(), *found["retrieved_pages"]]
        places = [place for page in pages for place in self._pages[page["user_input"], page["agent_response"]]]
        facts = [fact["knowledge"] for fact in found["retrieved_user_knowledge"]]
        places += [self._facts[fact] for fact in facts if fact in self._facts]
        return list(dict.fromkeys(places))[:most]


def _offer_sentence_transformers(url: str) -> None:
    """The module that it imports, with the common embedder behind it."""
    import numpy
    from openai import OpenAI

    client = OpenAI(api_key="none", base_url=url)

    class SentenceTransformer:
        def __init__(self, name: str) -> None:
            self._name = name

        def encode(self, texts: list[str], *, convert_to_numpy: bool = True) -> Any:
            del convert_to_numpy
            found = client.embeddings.create(model=self._name, input=texts, encoding_format="float")
            return numpy.array([each.embedding for each in found.data], dtype="float32")

    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer  # type: ignore[attr-defined]  # a module made here
    sys.modules["sentence_transformers"] = module
