"""mem0's verbs in an event loop."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import uac
from support.mem0 import ALL_DELETED, DELETED, UPDATED, no_settings, text_of, texts
from support.scripted_model import fact, facts
from uac.interfaces.mem0.memory import AsyncMemory, Memory
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel
from uac.models.scripted import ScriptedModel


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    no_settings(monkeypatch)


def test_in_an_event_loop_every_verb_does_the_same_and_none_blocks_the_others(tmp_path: Path) -> None:
    async def main() -> list[Any]:
        async with AsyncMemory.from_config({"store": str(tmp_path / "memory.db")}) as memory:
            await asyncio.gather(*(memory.add(f"note {n}", user_id="ana") for n in range(20)))
            everything = (await memory.get_all(user_id="ana"))["results"]
            memory_id = next(item["id"] for item in everything if item["memory"] == "note 7")
            results: list[Any] = [sorted(item["memory"] for item in everything)]
            results.append(await memory.update(memory_id, "a trombone"))
            results.append(texts(await memory.search("trombone", filters={"user_id": "ana"}, top_k=1)))
            results.append(text_of(await memory.get(memory_id)))
            results.append(await memory.delete(memory_id))
            results.append([item["event"] for item in await memory.history(memory_id)])
            results.append(await memory.delete_all(user_id="ana"))
            results.append(await memory.get_all(user_id="ana"))
            await memory.reset()
            return results

    assert asyncio.run(main()) == [
        sorted(f"note {n}" for n in range(20)),
        UPDATED,
        ["a trombone"],
        "a trombone",
        DELETED,
        ["ADD", "UPDATE", "DELETE"],
        ALL_DELETED,
        {"results": []},
    ]


class Attentive:
    """Takes every turn that it is to answer for as a fact, word for word."""

    name = "attentive"

    def ask(self, request: uac.Request) -> uac.Reply:
        turns = [turn for turn in json.loads(request.content)["turns"] if not turn.get("context")]
        said = facts(*(fact(turn["text"], turn["turn"], turn["text"]) for turn in turns))
        return uac.Reply(text=json.dumps(said), model=self.name)


def test_adds_at_the_same_time_each_give_what_was_taken_from_their_own_words() -> None:
    words = [f"I have {number} blue pencils." for number in range(2, 10)]

    async def main() -> list[list[str]]:
        memory = AsyncMemory(Memory(store=MemoryStore(), models=OneModel(Attentive()), embedder=None))
        adding = [memory.add(text, user_id="ana") for text in words]
        results = [*await asyncio.gather(*adding), await memory.get_all(user_id="ana")]
        memory.close()
        return [sorted(texts(result)) for result in results]

    assert asyncio.run(main()) == [*([text] for text in words), sorted(words)]


def test_a_search_does_not_wait_for_a_model_that_reads_the_same_users_words() -> None:
    asked, answered = threading.Event(), threading.Event()

    class Slow(ScriptedModel):
        def ask(self, request: uac.Request) -> uac.Reply:
            asked.set()
            assert answered.wait(300)
            return super().ask(request)

    async def main() -> list[Any]:
        models = OneModel(Slow({"facts": []}, {"facts": []}))
        memory = AsyncMemory(Memory(store=MemoryStore(), models=models, embedder=None))
        adding = asyncio.create_task(memory.add("I play the violin", user_id="ana"))
        await asyncio.to_thread(asked.wait, 300)
        found = texts(await memory.search("violin", user_id="ana"))
        answered.set()
        return [found, await adding, await memory.get_all(user_id="ana")]

    assert asyncio.run(main()) == [["I play the violin"], {"results": []}, {"results": []}]
