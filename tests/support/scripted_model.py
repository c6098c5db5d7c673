"""A memory that has heard something, and replies for a scripted model, so that a test reads like a conversation."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from uac import Memory
from uac.conversation.learning import Learned, Outcome
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel
from uac.models.scripted import ScriptedModel, ScriptedReply
from uac.schema.entries import Fact, ModelCall

TUESDAY = datetime(2024, 5, 7, 18, 30, tzinfo=UTC)


def new_memory(clock: Callable[[], datetime] = lambda: TUESDAY) -> Memory:
    return Memory(MemoryStore(clock=clock).log("ana"), clock=clock, embedder=None)


def heard(*texts: str, **said: Any) -> Memory:
    """A memory that has heard these turns of the user."""
    memory = new_memory()
    for text in texts:
        memory.add(text, said=TUESDAY, **said)
    return memory


def teach(memory: Memory, *replies: ScriptedReply) -> tuple[ScriptedModel, Learned]:
    model = ScriptedModel(*replies)
    return model, memory.learn(OneModel(model))


def fact(text: str, turn: int, quote: str, **more: Any) -> dict[str, Any]:
    return {"text": text, "about": "user", "cites": [{"turn": turn, "quote": quote}], **more}


def facts(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"facts": list(items), **more}


def aside(*cites: int, why: str = "small talk") -> dict[str, Any]:
    return {"patches": [{"op": "set_aside", "cites": list(cites), "why": why}]}


NOTHING: dict[str, Any] = {"facts": []}


def kept(memory: Memory) -> list[Fact]:
    return [stored.entry for stored in memory.log.read() if isinstance(stored.entry, Fact)]


def calls(memory: Memory) -> list[ModelCall]:
    return [stored.entry for stored in memory.log.read() if isinstance(stored.entry, ModelCall)]


def whys(outcomes: Sequence[Outcome]) -> list[list[str]]:
    return [[finding.why for finding in outcome.findings] for outcome in outcomes]


def allergy(turn: int) -> dict[str, Any]:
    return fact("The user is allergic to penicillin.", turn, "I'm allergic to penicillin", topic="health")


def put_allergy(*cites: int) -> dict[str, Any]:
    put = {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": list(cites)}
    return {"patches": [put]}
