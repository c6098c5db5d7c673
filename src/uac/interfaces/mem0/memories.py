"""The memories in a log: facts, and turns that no model has read.

A memory keeps its id when its text changes: the id names the first entry, and newer texts refer to it.
"""

import base64
import binascii
import hmac
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from uac.interfaces.mem0.arguments import Invalid, Scope
from uac.log.log import Log, Stored
from uac.project.project import Project
from uac.schema.entries import Fact, Observation, cited_positions

__all__ = [
    "MemoriesInLog",
    "MemoryId",
    "MemoryNote",
    "StoredMemory",
    "format_memory_id",
    "no_such_memory",
    "parse_memory_id",
    "parse_memory_note",
]

SOURCE = "mem0"

TOKEN = 12
"""Bytes of an entry's digest in an id: knowing a user and a position is not enough to forge one."""


class MemoryNote(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Data stored with the text of a turn, as JSON in the observation's `source`."""

    agent: str = ""
    metadata: dict[str, Any] = {}
    expires: str = ""
    raw: bool = False
    """Whether the turn itself is the memory, even if a model extracts facts from it."""
    of: int = 0
    """The first entry of the memory that this is a newer text of; 0: this is the first."""

    @property
    def as_source(self) -> str:
        return SOURCE if self == NO_NOTE else f"{SOURCE} {msgspec.json.encode(self, order='sorted').decode()}"


NO_NOTE = MemoryNote()


def parse_memory_note(source: str) -> MemoryNote:
    """The note in a `source`; empty if another program wrote it."""
    if not source.startswith(f"{SOURCE} "):
        return NO_NOTE
    try:
        return msgspec.json.decode(source.removeprefix(f"{SOURCE} "), type=MemoryNote)
    except msgspec.DecodeError:
        return NO_NOTE


class StoredMemory(NamedTuple):
    """A memory: its current text, and the turn that it was said in or extracted from."""

    first: Stored
    """The entry that the id names; it has the time of creation."""
    position: int
    at: datetime
    text: str
    turn: Observation
    note: MemoryNote
    is_fact: bool

    def is_in_scope(self, scope: Scope) -> bool:
        return scope.agent in ("", self.note.agent) and scope.run in ("", self.turn.session)


class MemoriesInLog:
    """The memories of a log in its current state. Entries are read lazily, and once.

    In the log of an agent, `is_agents`, the turns of the assistant are memories, too.
    """

    def __init__(
        self, log: Log, project: Project, newer: Mapping[int, Sequence[int]], *, is_agents: bool = False
    ) -> None:
        self._is_agents = is_agents
        self._log = log
        self._project = project
        self._newer = newer
        self._stored: dict[int, Stored] = {}

    def current_memory(self, first: Stored) -> StoredMemory | None:
        """The memory that begins there, with its newest active text; None if it was deleted."""
        return next(
            (
                memory
                for p in reversed(self.memory_text_positions(first.position))
                if (memory := self.memory_at(p)) is not None
            ),
            None,
        )

    def memory_text_positions(self, first: int) -> tuple[int, ...]:
        """The entries with the texts of a memory, oldest first."""
        return (first, *self._newer.get(first, ()))

    def listed_memory_at(self, position: int) -> StoredMemory | None:
        """The memory whose current text is at that position; None if it is not listed."""
        memory = self.memory_at(position)
        if memory is None or position != self._newest_position(memory.first.position):
            return None
        progress = self._project.progress
        if memory.is_fact:
            is_one = not memory.note.raw and not self._project.is_superseded(position)
        else:
            is_own = self._is_agents or memory.turn.role != "assistant"
            is_one = memory.note.raw or (is_own and (position in progress.unread or position in progress.stuck))
        return memory if is_one else None

    def listed_memories(self) -> Iterator[StoredMemory]:
        """All listed memories, oldest first."""
        memories = (
            memory for position in self._load_log_positions() if (memory := self.listed_memory_at(position)) is not None
        )
        return iter(sorted(memories, key=lambda memory: memory.first.position))

    def turns_and_facts(self) -> Iterator[StoredMemory]:
        """All turns and facts, except those that were put as records."""
        for position in self._load_log_positions():
            memory = self.memory_at(position)
            if memory is not None and (memory.is_fact or position not in self._project.used):
                yield memory

    def facts_quoting(self, turns: Collection[int]) -> Iterator[int]:
        """The positions of facts that quote one of these turns."""
        for stored in self._log.read(min(turns) + 1, self._project.position + 1):
            if isinstance(stored.entry, Fact) and not set(turns).isdisjoint(cited_positions(stored.entry)):
                yield stored.position

    def memory_at(self, position: int) -> StoredMemory | None:
        """The memory at a position, if it is a turn or a fact."""
        stored = self.stored_entry(position)
        if stored is None or position in self._project.gone:
            return None
        entry = stored.entry
        if isinstance(entry, Observation):
            note = parse_memory_note(entry.source)
            first = self.stored_entry(note.of) if 0 < note.of < position else stored
            return StoredMemory(first or stored, position, stored.at, entry.text, entry, note, is_fact=False)
        if isinstance(entry, Fact):
            turns = (self.stored_entry(cited) for cited in reversed(cited_positions(entry)))
            turn = next((t.entry for t in turns if t is not None and isinstance(t.entry, Observation)), None)
            if turn is not None:
                return StoredMemory(
                    stored, position, stored.at, entry.text, turn, parse_memory_note(turn.source), is_fact=True
                )
        return None

    def turns_behind_memory(self, position: int) -> tuple[int, ...]:
        """The turns that a fact at that position quotes."""
        stored = self.stored_entry(position)
        return cited_positions(stored.entry) if stored is not None and isinstance(stored.entry, Fact) else ()

    def stored_entry(self, position: int) -> Stored | None:
        if position not in self._stored:
            for stored in self._log.read(position, position + 1):
                self._stored[position] = stored
        return self._stored.get(position)

    def is_retracted(self, position: int) -> bool:
        return position in self._project.gone

    def _load_log_positions(self) -> list[int]:
        self._stored.update((stored.position, stored) for stored in self._log.read(1, self._project.position + 1))
        return [*self._stored]

    def _newest_position(self, first: int) -> int:
        """The position of a memory's newest text."""
        return next((p for p in reversed(self.memory_text_positions(first)) if self.memory_at(p) is not None), 0)


def format_memory_id(name: str, stored: Stored) -> str:
    """The id of the memory that begins at an entry: part of its digest, its position, and the log's name."""
    return f"{_memory_id_part(stored.digest[:TOKEN])}.{stored.position}.{_memory_id_part(name.encode())}"


class MemoryId(NamedTuple):
    """A parsed memory id: the log, the entry, and part of the entry's digest."""

    name: str
    position: int
    token: bytes

    def matches_entry(self, stored: Stored) -> bool:
        return hmac.compare_digest(self.token, stored.digest[:TOKEN])


def parse_memory_id(memory_id: object) -> MemoryId | None:
    """Parses a memory id; None if it is not one."""
    match = (
        re.fullmatch(r"([\w-]{16})\.([1-9][0-9]{0,17})\.([\w-]+)", memory_id) if isinstance(memory_id, str) else None
    )
    if match is None:
        return None
    try:
        token, name = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in (match[1], match[3]))
        return MemoryId(name.decode(), int(match[2]), token)
    except (binascii.Error, ValueError):
        return None


def _memory_id_part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def no_such_memory(memory_id: object) -> Invalid:
    return Invalid(f"No memory {memory_id!r}. It was deleted, or the id belongs to another store.")
