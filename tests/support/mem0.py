"""What the tests of mem0's interface share."""

import os
from typing import Any

import pytest

from support.scripted_model import TUESDAY
from uac.interfaces.mem0.memory import Item, Memory
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel
from uac.models.scripted import ScriptedModel, ScriptedReply

AT = "2024-05-07T18:30:00+00:00"
UPDATED = {"message": "Memory updated successfully!"}
DELETED = {"message": "Memory deleted successfully!"}
ALL_DELETED = {"message": "Memories deleted successfully!"}


def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory is what a test says, whatever is set on this machine."""
    for name in [name for name in os.environ if name.startswith("UAC_")]:
        monkeypatch.delenv(name)


def new(*said: ScriptedReply, store: Store | None = None) -> Memory:
    """A memory on a Tuesday, with a model if it has something to say."""
    models = OneModel(ScriptedModel(*said)) if said else None
    there = MemoryStore(clock=lambda: TUESDAY) if store is None else store
    return Memory(store=there, models=models, embedder=None, clock=lambda: TUESDAY)


def texts(found: Any) -> list[str]:
    return [item["memory"] for item in found["results"]]


def text_of(item: Item | None) -> str | None:
    return None if item is None else item["memory"]


def one(found: Any) -> str:
    (item,) = found["results"]
    memory_id: str = item["id"]
    return memory_id
