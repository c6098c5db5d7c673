"""What counts as a memory, seen from a log: a fact, or a turn that no model has read.

A memory keeps its id through all its texts: the id names the first entry, and each newer text says which it is of.
"""

import base64
import binascii
import hmac
import logging
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec

from uac.conversation.learning import Cadence
from uac.errors import ModelError, Refused
from uac.log.log import EMPTY, Clock, Head, Log, Stored
from uac.log.store import Store
from uac.memory.memory import Memory
from uac.models import ModelsFor
from uac.models.embedder import Embedder
from uac.project.project import Project
from uac.recall.hits import is_superseded
from uac.schema.entries import Fact, Observation, cited_positions

__all__ = ["LogView", "MemoryId", "Note", "OpenUser", "StoredMemory", "format_memory_id", "parse_memory_id"]

SOURCE = "mem0"
_log = logging.getLogger("uac.compat.mem0")

TOKEN = 12
"""Bytes of an entry's digest that its id has: who knows a user and a position cannot make an id of them."""


class Note(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is kept beside the words of a turn, as JSON in the observation's `source`."""

    agent: str = ""
    metadata: dict[str, Any] = {}
    expires: str = ""
    raw: bool = False
    """The turn is the memory, whatever a model takes from it."""
    of: int = 0
    """The first entry of the memory that this is a newer text of; 0: it is the first itself."""

    @property
    def source(self) -> str:
        return SOURCE if self == NO_NOTE else f"{SOURCE} {msgspec.json.encode(self, order='sorted').decode()}"


NO_NOTE = Note()


def _note(source: str) -> Note:
    """What stands in a source; nothing if others wrote it."""
    if not source.startswith(f"{SOURCE} "):
        return NO_NOTE
    try:
        return msgspec.json.decode(source.removeprefix(f"{SOURCE} "), type=Note)
    except msgspec.DecodeError:
        return NO_NOTE


class StoredMemory(NamedTuple):
    """A memory as it stands: its present text, and the turn it was said in, or taken from."""

    first: Stored
    """The entry that the id names: when the memory came to be."""
    position: int
    at: datetime
    text: str
    turn: Observation
    note: Note
    is_fact: bool


class LogView:
    """The memories of a log as it stands. Entries are read when they are asked for, and once."""

    def __init__(self, log: Log, project: Project, newer: Mapping[int, Sequence[int]]) -> None:
        self._log = log
        self._project = project
        self._newer = newer
        self._stored: dict[int, Stored] = {}

    def current(self, first: Stored) -> StoredMemory | None:
        """The memory that begins there, with its newest text that stands; None if it was deleted."""
        return next(
            (memory for p in reversed(self.chain(first.position)) if (memory := self.memory_at(p)) is not None), None
        )

    def chain(self, first: int) -> tuple[int, ...]:
        """The entries with the texts of a memory, oldest first."""
        return (first, *self._newer.get(first, ()))

    def listed(self, position: int) -> StoredMemory | None:
        """The memory whose present text stands there; None if that is none, or another one speaks for it."""
        memory = self.memory_at(position)
        if memory is None or position != self._present(memory.first.position):
            return None
        progress = self._project.progress
        if memory.is_fact:
            is_one = not memory.note.raw and not is_superseded(position, self._project)
        else:
            is_one = memory.note.raw or position in progress.unread or position in progress.stuck
        return memory if is_one else None

    def all(self) -> Iterator[StoredMemory]:
        """All memories that count, in the order they came."""
        found = (memory for position in self._all() if (memory := self.listed(position)) is not None)
        return iter(sorted(found, key=lambda memory: memory.first.position))

    def said(self) -> Iterator[StoredMemory]:
        """All that was said and taken from that, but what was put as a record."""
        for position in self._all():
            memory = self.memory_at(position)
            if memory is not None and (memory.is_fact or position not in self._project.used):
                yield memory

    def taken_from(self, turns: Collection[int]) -> Iterator[int]:
        """Where the facts stand that quote one of these turns, whoever let a model read them."""
        for stored in self._log.read(min(turns) + 1, self._project.position + 1):
            if isinstance(stored.entry, Fact) and not set(turns).isdisjoint(cited_positions(stored.entry)):
                yield stored.position

    def memory_at(self, position: int) -> StoredMemory | None:
        """What stands at a position, if it is a turn or a fact."""
        stored = self.stored(position)
        if stored is None or position in self._project.gone:
            return None
        entry = stored.entry
        if isinstance(entry, Observation):
            note = _note(entry.source)
            first = self.stored(note.of) if 0 < note.of < position else stored
            return StoredMemory(first or stored, position, stored.at, entry.text, entry, note, is_fact=False)
        if isinstance(entry, Fact):
            turns = (self.stored(cited) for cited in reversed(cited_positions(entry)))
            turn = next((t.entry for t in turns if t is not None and isinstance(t.entry, Observation)), None)
            if turn is not None:
                return StoredMemory(stored, position, stored.at, entry.text, turn, _note(turn.source), is_fact=True)
        return None

    def cites(self, position: int) -> tuple[int, ...]:
        """The turns that a fact at that position quotes."""
        stored = self.stored(position)
        return cited_positions(stored.entry) if stored is not None and isinstance(stored.entry, Fact) else ()

    def stored(self, position: int) -> Stored | None:
        if position not in self._stored:
            for stored in self._log.read(position, position + 1):
                self._stored[position] = stored
        return self._stored.get(position)

    def is_gone(self, position: int) -> bool:
        return position in self._project.gone

    def _all(self) -> list[int]:
        self._stored.update((stored.position, stored) for stored in self._log.read(1, self._project.position + 1))
        return [*self._stored]

    def _present(self, first: int) -> int:
        """Where the newest text of a memory stands."""
        return next((p for p in reversed(self.chain(first)) if self.memory_at(p) is not None), 0)


class OpenUser:
    """One user's memory, open. `lock` is held while it is used; learning has a memory and a lock of its own."""

    def __init__(self, name: str, store: Store, *, embedder: Embedder | Literal["chosen"] | None, clock: Clock) -> None:
        self.name = name
        self.lock = threading.RLock()
        self._learning = threading.Lock()
        self._embedder: Embedder | Literal["chosen"] | None = embedder
        self._clock = clock
        self.open(store)

    def open(self, store: Store) -> None:
        """Begin with the log as it is in the store, as after it was erased."""
        self.log = store.log(self.name)
        self.memory = Memory(self.log, embedder=self._embedder, clock=self._clock)
        self._learner = Memory(self.log, embedder=self._embedder, clock=self._clock)
        self._seen: Head = EMPTY
        self._newer: dict[int, list[int]] = {}

    def view(self) -> LogView:
        # The project first: a newer text that is not folded yet counts, and an older one that is gone does not.
        project = self.memory.project()
        self._follow()
        return LogView(self.log, project, self._newer)

    def learn(self, models: ModelsFor) -> None:
        """Let models read what is unread. What was not read waits."""
        with self._learning:
            try:
                stopped = self._learner.learn(models, cadence=Cadence()).stopped
            except ModelError as error:
                stopped = str(error)
        if stopped:
            _log.warning("what was said is kept, and not read yet: %s", stopped)

    def retract(self, positions: Iterable[int], *, why: str) -> None:
        """Retract those that still stand; another process may retract some of them meanwhile."""
        standing = [position for position in positions if position not in self.memory.project().gone]
        while standing:
            try:
                self.memory.retract(standing, why=why)
            except Refused:
                left = [position for position in standing if position not in self.memory.project().gone]
                if left == standing:
                    raise
                standing = left
            else:
                return

    def close(self) -> None:
        with self.lock, self._learning:
            self.memory.close()
            self._learner.close()

    def is_idle(self) -> bool:
        return not self._learning.locked()

    def _follow(self) -> None:
        """Look through the entries that are new for newer texts of memories."""
        head, seen = self.log.head(), self._seen
        if (head.position, head.digest) == (seen.position, seen.digest):
            return
        if not self.log.contains(seen.position, seen.digest):
            seen, self._newer = EMPTY, {}
        for stored in self.log.read(seen.position + 1, head.position + 1):
            if isinstance(stored.entry, Observation) and (of := _note(stored.entry.source).of):
                self._newer.setdefault(of, []).append(stored.position)
        self._seen = head


def format_memory_id(name: str, stored: Stored) -> str:
    """The id of what begins at an entry: part of its digest, its position, and whose log it is."""
    return f"{_plain(stored.digest[:TOKEN])}.{stored.position}.{_plain(name.encode())}"


class MemoryId(NamedTuple):
    """What an id names: whose log, which entry, and part of that entry's digest."""

    name: str
    position: int
    token: bytes

    def is_of(self, stored: Stored) -> bool:
        return hmac.compare_digest(self.token, stored.digest[:TOKEN])


def parse_memory_id(memory_id: object) -> MemoryId | None:
    """What an id names; None if it is no id."""
    found = (
        re.fullmatch(r"([\w-]{16})\.([1-9][0-9]{0,17})\.([\w-]+)", memory_id) if isinstance(memory_id, str) else None
    )
    if found is None:
        return None
    try:
        token, name = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in (found[1], found[3]))
        return MemoryId(name.decode(), int(found[2]), token)
    except (binascii.Error, ValueError):
        return None


def _plain(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
