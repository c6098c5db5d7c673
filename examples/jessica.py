"""A year of Jessica Thompson, an invented person: her conversations, played through the real pipeline.

`jessica.json` has the conversations; `jessica.jsonl` holds recorded replies of a model to the pipeline's own requests,
found by the hash of each request. Nothing else is prepared: facts, records and alerts are computed from these.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from uac import AlertChange, Memory, Observation, Store
from uac.conversation.learning import Outcome
from uac.models import ModelsFor, OneModel, RecordedModel
from uac.schema.entries import with_fixed_offsets

__all__ = ["QUESTIONS", "SESSIONS", "Clock", "Lived", "live", "play", "recorded"]

FOLDER = Path(__file__).parent
SCRIPT: dict[str, Any] = json.loads((FOLDER / "jessica.json").read_text(encoding="utf-8"))
SESSIONS: list[dict[str, Any]] = SCRIPT["sessions"]
QUESTIONS: list[str] = SCRIPT["questions"]


@dataclass
class Clock:
    """The time of the last turn that was played."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


class Lived(NamedTuple):
    """A session that was played: the outcome of each reply, and the alert changes."""

    session: dict[str, Any]
    memory: Memory
    outcomes: list[Outcome]
    changes: list[AlertChange]


def recorded() -> ModelsFor:
    return OneModel(RecordedModel(FOLDER / "jessica.jsonl"))


def play(store: Store, clock: Clock, user: str = "jessica", *, models: ModelsFor | None = None) -> Iterator[Lived]:
    """Live through the year, session by session. The store and the memory share the clock."""
    # Recorded replies are found by the text of their request, which must not depend on the platform's vectors.
    memory = Memory(store.log(user), clock=clock, embedder=None)
    models = models or recorded()
    for session in SESSIONS:
        before = memory.log.head().position
        outcomes: list[Outcome] = []
        live(memory, clock, session, models, outcomes.append)
        yield Lived(session, memory, outcomes, [change for _stored, change in memory.history(before)])


def live(
    memory: Memory, clock: Clock, session: dict[str, Any], models: ModelsFor, on_outcome: Callable[[Outcome], None]
) -> None:
    """One session: its turns are stored one by one, five minutes pass, and all of it is learned."""
    for turn in session["turns"]:
        clock.now = datetime.fromisoformat(turn["said"])
        words = Observation(**{**turn, "said": clock.now, "session": session["session"]})
        memory.log.append([with_fixed_offsets(words)])
    clock.now += timedelta(minutes=5)
    memory.tick()
    memory.learn(models, on_outcome=on_outcome)
