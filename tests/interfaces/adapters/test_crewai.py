"""CrewAI, the real package, with a scripted model and a tiny embedder. `make adapters` installs it."""

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

pytest.importorskip("crewai", reason="CrewAI is not installed here: make adapters")

from crewai.llms.base_llm import BaseLLM
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryRecord
from frameworks.crewai_memory import crew_memory

from support.adapters import new_memory, spoken_words
from uac.interfaces.adapters.crewai import UserMemoryStorage
from uac.memory.memory import Memory

WORDS = ("penicillin", "bergen", "noodles")


class NoModel(BaseLLM):
    """A model that nobody asks: scope, categories and importance are given."""

    def call(self, *_messages: Any, **_options: Any) -> str:
        raise AssertionError("no model is needed")


def embed(texts: list[str]) -> list[list[float]]:
    """One dimension for each of three words, and one for all others."""
    return [[float(word in text.lower()) for word in WORDS] + [0.1] for text in texts]


@pytest.fixture
def memory() -> Iterator[Memory]:
    memory = new_memory()
    yield memory
    memory.close()


def record(name: str, content: str, scope: str = "/", **fields: Any) -> MemoryRecord:
    return MemoryRecord(id=name, content=content, scope=scope, embedding=embed([content])[0], **fields)


def test_the_example_crew_remembers_in_the_users_log(memory: Memory) -> None:
    crew = crew_memory(memory, NoModel(model="none"), embed)
    given: dict[str, Any] = {"scope": "/health", "categories": ["health"], "importance": 0.9, "metadata": {}}
    crew.remember("The user gets hives from penicillin", **given)
    crew.remember("The user lives in Bergen", **given)
    [best, *_rest] = crew.recall("penicillin", depth="shallow", limit=1)
    assert best.record.content == "The user gets hives from penicillin"
    assert [text for _role, _session, text in spoken_words(memory)] == [
        "The user gets hives from penicillin",
        "The user lives in Bergen",
    ]
    assert [hit.text for hit in memory.recall("hives").hits][:1] == ["The user gets hives from penicillin"]
    crew.close()


def test_the_storage_is_one_as_crewai_defines_it(memory: Memory) -> None:
    storage = UserMemoryStorage(memory)
    assert isinstance(storage, StorageBackend)
    old = datetime(2025, 1, 1)  # noqa: DTZ001 - CrewAI's times have no zone
    storage.save(
        [record("a", "penicillin", "/health", categories=["x"], created_at=old), record("b", "noodles", "/food/asia")]
    )
    asyncio.run(storage.asave([record("c", "Bergen", "/food", metadata={"k": 1})]))
    assert storage.count() == 3
    assert storage.count("/food") == 2
    assert storage.list_scopes() == ["/food", "/health"]
    assert storage.list_scopes("/food") == ["/food/asia"]
    assert storage.list_categories() == {"x": 1}
    assert storage.get_scope_info("/food").record_count == 2
    assert [found.id for found, _score in storage.search(embed(["noodles"])[0], limit=1)] == ["b"]
    assert [found.id for found, _score in storage.search(embed(["noodles"])[0], metadata_filter={"k": 1})] == ["c"]
    assert storage.search([1.0], limit=5) == []
    storage.update(record("c", "noodles in Bergen", "/food"))
    changed = storage.get_record("c")
    assert changed is not None
    assert changed.content == "noodles in Bergen"
    assert storage.delete(older_than=datetime(2026, 1, 1)) == 1  # noqa: DTZ001
    assert [each.id for each in storage.list_records()] == ["c", "b"]
    storage.reset("/food/asia")
    assert asyncio.run(storage.adelete(record_ids=["c"])) == 1
    assert storage.count() == 0
    assert storage.get_record("a") is None
