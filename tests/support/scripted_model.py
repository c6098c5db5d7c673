"""A memory and a model that says what a test tells it, so that a test reads like a conversation."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from uac import Memory
from uac.conversation.learning import Learned, Outcome
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel
from uac.models.requests import Reply, Request
from uac.schema.entries import Fact, ModelCall

TUESDAY = datetime(2024, 5, 7, 18, 30, tzinfo=UTC)

Said = str | dict[str, Any] | BaseException


class Scripted:
    """Says one thing after the other, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, *said: Said) -> None:
        self._said = list(said)
        self.asked: list[Request] = []

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        assert self._said, f"nothing is left to say to {request.step}: {request.content}"
        said = self._said.pop(0)
        if isinstance(said, BaseException):
            raise said
        text = said if isinstance(said, str) else json.dumps(said)
        return Reply(text=text, model="scripted", input_tokens=request.tokens, output_tokens=len(text) // 4)

    @property
    def contents(self) -> list[Any]:
        return [json.loads(request.content) for request in self.asked]

    @property
    def steps(self) -> list[str]:
        return [request.step for request in self.asked]


def new_memory(clock: Callable[[], datetime] = lambda: TUESDAY) -> Memory:
    return Memory(MemoryStore(clock=clock).log("ana"), clock=clock, embedder=None)


def heard(*texts: str, **said: Any) -> Memory:
    """A memory that has heard these turns of the user."""
    memory = new_memory()
    for text in texts:
        memory.add(text, said=TUESDAY, **said)
    return memory


def teach(memory: Memory, *said: Said) -> tuple[Scripted, Learned]:
    model = Scripted(*said)
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
