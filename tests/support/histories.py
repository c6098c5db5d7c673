"""Random histories of one user: what is done to a memory, and a plain oracle that says what must be known afterwards.

The oracle keeps words by position, and the positions that support each record. It knows nothing of entries, folds,
patches or caches.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from uac import Memory
from uac.errors import Repeated
from uac.log.log import Log
from uac.models import OneModel
from uac.models.requests_and_replies import Request
from uac.models.scripted import ScriptedModel
from uac.project.fold import fold_entries
from uac.project.forgetting import positions_behind_record
from uac.project.render import render
from uac.schema.entries import Observation

__all__ = [
    "ALLERGY",
    "MEDICATION",
    "Actor",
    "JumpingClock",
    "MemoryActor",
    "Oracle",
    "Seen",
    "check_log",
    "reading_model",
]

ALLERGY, MEDICATION = "health.Allergy", "health.Medication"
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Seen:
    """What one side sees: the words that are left, by position, the records and the alerts."""

    words: dict[int, str]
    allergies: set[str]
    medications: set[str]
    alerts: set[str]


@dataclass
class Oracle:
    """What must be known."""

    words: dict[int, str] = field(default_factory=dict)
    unread: dict[int, str] = field(default_factory=dict)
    """Sentences that no model has read yet, by position: the substance that each names."""
    allergies: dict[str, set[int]] = field(default_factory=dict)
    medications: dict[str, set[int]] = field(default_factory=dict)
    """The positions of the words that support each record."""
    reactions: dict[str, str] = field(default_factory=dict)

    def add(self, position: int, text: str, substance: str = "") -> None:
        assert position not in self.words, "two words at one position"
        self.words[position] = text
        if substance:
            self.unread[position] = substance

    def learn(self) -> None:
        for position, substance in self.unread.items():
            self.allergies.setdefault(substance, set()).add(position)
        self.unread.clear()

    def put(self, position: int, type_name: str, name: str, text: str) -> None:
        self.add(position, text)
        records = self.allergies if type_name == ALLERGY else self.medications
        records.setdefault(name, set()).add(position)

    def correct(self, substance: str, reaction: str) -> None:
        self.reactions[substance] = reaction

    def retract(self, type_name: str, name: str) -> None:
        (self.allergies if type_name == ALLERGY else self.medications).pop(name)
        self.reactions.pop(name, None)

    def erase(self, position: int) -> None:
        del self.words[position]
        self.unread.pop(position, None)
        for records in (self.allergies, self.medications):
            for name in [name for name, supports in records.items() if position in supports]:
                records[name].discard(position)
                if not records[name]:
                    del records[name]
                    self.reactions.pop(name, None)

    def seen(self) -> Seen:
        is_dangerous = "penicillin" in self.allergies and "amoxicillin" in self.medications
        alerts = {"drug_allergy: amoxicillin / penicillin"} if is_dangerous else set()
        return Seen(dict(self.words), set(self.allergies), set(self.medications), alerts)


class Actor(Protocol):
    """One side that reads and writes: a memory, or a process of the service."""

    def add(self, text: str, key: str = "") -> int:
        """The position of the words."""

    def put(self, type_name: str, field: str, name: str, key: str = "") -> tuple[int, bool]:
        """The position of the statement, and whether it had been made before."""

    def correct(self, record: str, reaction: str) -> None: ...
    def retract(self, record: str) -> None: ...
    def erase(self, position: int) -> None: ...
    def tick(self) -> None: ...
    def compute(self, code: str) -> Any: ...
    def recall(self, query: str) -> list[str]: ...
    def reaction(self, record: str) -> str: ...
    def seen(self) -> Seen: ...


class JumpingClock:
    """A clock that is set forward and back, as machines' clocks are."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def jump(self, hours: int) -> None:
        self.now += timedelta(hours=hours)


def reading_model() -> OneModel:
    """A model that understands 'I am allergic to …', and nothing else."""
    return OneModel(ScriptedModel.answering(_answer))


def _answer(request: Request) -> dict[str, Any]:
    content = json.loads(request.content)
    if request.step == "extract":
        turns = [(turn["turn"], turn["text"]) for turn in content["turns"] if not turn.get("context")]
        return {
            "facts": [
                {"text": f"The user is allergic to {name}.", "about": "user", "cites": [{"turn": turn, "quote": text}]}
                for turn, text in turns
                if (name := text.removeprefix("I am allergic to ")) != text
            ]
        }
    return {
        "patches": [
            {
                "op": "put",
                "type": ALLERGY,
                "fields": {"substance": fact["text"].removeprefix("The user is allergic to ").rstrip(".")},
                "cites": [fact["fact"]],
            }
            for fact in content["facts"]
        ]
    }


class MemoryActor:
    """A memory over a store of its own."""

    def __init__(self, open_log: Callable[[], Log], clock: Callable[[], datetime]) -> None:
        self._open_log, self._clock = open_log, clock
        self.memory = self._open()

    def _open(self) -> Memory:
        return Memory(self._open_log(), embedder=None, clock=self._clock)

    def restart(self) -> None:
        self.memory.close()
        self.memory = self._open()

    def add(self, text: str, key: str = "") -> int:
        return self.memory.add(text, key=key)

    def put(self, type_name: str, field: str, name: str, key: str = "") -> tuple[int, bool]:
        try:
            with self.memory.once(key, f"{type_name} {name}") as terms:
                self.memory.put(type_name, {field: name}, words=f"{name} it is")
        except Repeated as error:
            return error.first, True
        return terms.first, False

    def learn(self) -> None:
        self.memory.learn(reading_model())

    def correct(self, record: str, reaction: str) -> None:
        self.memory.correct(record, "reaction", reaction)

    def retract(self, record: str) -> None:
        self.memory.retract(positions_behind_record(self.memory.log, self.memory.project(), record), why="wrong")

    def erase(self, position: int) -> None:
        self.memory.log.erase([position], why="asked")
        self.memory.look()

    def tick(self) -> None:
        self.memory.tick()

    def compute(self, code: str) -> Any:
        return self.memory.compute(code).value

    def recall(self, query: str) -> list[str]:
        return [hit.text for hit in self.memory.recall(query, k=3).hits]

    def reaction(self, record: str) -> str:
        return str(self.memory.project().record(record).values.get("reaction"))

    def seen(self) -> Seen:
        project = self.memory.project()
        names = {
            type_name: {str(record.values[field]) for record in project.tables.get(type_name, {}).values()}
            for type_name, field in ((ALLERGY, "substance"), (MEDICATION, "name"))
        }
        alerts = {f"{alert.constraint}: {alert.subject}" for alert in self.memory.alerts()}
        return Seen(_words(self.memory.log), names[ALLERGY], names[MEDICATION], alerts)


def check_log(log: Log, memory: Memory) -> None:
    """The chain holds, time never runs backwards, and the log folded from its start gives what the memory has."""
    assert log.verify() is None
    stored = list(log.read())
    times = [each.at for each in stored]
    assert times == sorted(times)
    assert render(fold_entries(stored)) == render(memory.project())


def _words(log: Log) -> dict[int, str]:
    return {stored.position: stored.entry.text for stored in log.read() if isinstance(stored.entry, Observation)}
