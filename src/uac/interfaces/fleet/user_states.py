"""Opens what a program reads of many users at once: from their snapshots, or by folding their logs.

Of a snapshot that is up to date only the parts that are needed are read: the records of some types. Types and tables of
knowledge are the same for many users, and are read and decoded once for all of them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Generic, TypeVar

import msgspec

from uac.errors import Damaged, StoreError, UacError
from uac.log.bulk_reads import read_ends, read_logs, read_parts
from uac.log.rows import UserEnd, decode_rows
from uac.log.snapshots import Snapshot
from uac.log.store import Store
from uac.memory.snapshots import fold_log
from uac.project.digest_cache import DigestCache
from uac.project.fold import fold_entries
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.snapshot import (
    SnapshotHead,
    decode_head,
    decode_knowledge,
    decode_table,
    decode_types,
    encode_project,
)
from uac.schema.constraints import Knowledge
from uac.schema.types import Type

__all__ = ["UserState", "UserStates"]

T = TypeVar("T")

MAX_WHOLE = 2000
"""Entries of a log that is read whole, together with others; a longer one is read page by page."""
MAX_CASES = 4096
"""Rules whose cases are known to fit their types."""
MAX_SHARED = 256
"""Distinct sets of types, or of tables, that are kept decoded."""


@dataclass(frozen=True, slots=True)
class UserState:
    """One user: a project with the types that were asked for, or the reason why it cannot be opened.

    `key` is the same for users with the same types and tables of knowledge.
    """

    user: str
    project: Project = EMPTY_PROJECT
    key: bytes = b""
    is_folded: bool = False
    error: UacError | None = None


TypesToRead = Callable[[bytes, Mapping[str, Type], Mapping[str, Knowledge]], Collection[str]]
"""The names of the types whose records are needed, for users with this key, these types and these tables."""


class UserStates:
    """Opens users of one store at one time. With `keeps_snapshots`, folded projects are stored for the next run."""

    def __init__(self, store: Store, now: datetime, *, needs_knowledge: bool, keeps_snapshots: bool) -> None:
        self._store = store
        self._now = now
        self._needs_knowledge = needs_knowledge
        self._keeps_snapshots = keeps_snapshots
        # The cases of packs' rules are the same for all users, and are checked once for all of them.
        self._empty = replace(EMPTY_PROJECT, checked_cases=DigestCache(MAX_CASES))
        self._types = _SharedParts(partial(read_parts, store), decode_types)
        self._knowledge = _SharedParts(partial(read_parts, store), decode_knowledge)

    def open_users(self, users: Sequence[str], types_to_read: TypesToRead) -> list[UserState]:
        """The states of these users, in their order. A user without any entry is left out."""
        ends = read_ends(self._store, users)
        heads = {end.user: head for end in ends if (head := _current_head(end.snapshot, end.head.digest)) is not None}
        opened: dict[str, UserState] = {}
        with suppress(Damaged):  # then all of these users are folded
            opened = self._open_stored(heads, types_to_read)
        folded = self._fold_users([end for end in ends if end.user not in opened], types_to_read)
        return [opened.get(end.user) or next(folded) for end in ends]

    def _open_stored(self, heads: Mapping[str, SnapshotHead], types_to_read: TypesToRead) -> dict[str, UserState]:
        self._types.load({user: head.types for user, head in heads.items()})
        if self._needs_knowledge:
            self._knowledge.load({user: head.knowledge for user, head in heads.items()})
        chosen: dict[str, Collection[str]] = {}
        for user, head in heads.items():
            if head.types in self._types and (not self._needs_knowledge or head.knowledge in self._knowledge):
                names = types_to_read(_state_key(head), self._types[head.types], self._knowledge_of(head))
                chosen[user] = [name for name in names if name in head.tables]
        wanted = {user: _block_names(heads[user], names) for user, names in chosen.items()}
        parts = read_parts(self._store, {user: names for user, names in wanted.items() if names})
        return {state.user: state for user in chosen for state in self._stored_state(user, heads[user], chosen, parts)}

    def _stored_state(
        self,
        user: str,
        head: SnapshotHead,
        chosen: Mapping[str, Collection[str]],
        parts: Mapping[str, Mapping[bytes, bytes]],
    ) -> Iterator[UserState]:
        """The state, unless the snapshot was replaced meanwhile or is damaged: then the log is folded."""
        with suppress(Damaged):
            tables = {name: decode_table(head, name, parts.get(user, {})) for name in chosen[user]}
            project = Project(
                head.position,
                head.digest,
                self._now,
                types=self._types[head.types],
                tables=tables,
                knowledge=self._knowledge_of(head),
            )
            yield UserState(user, project, _state_key(head))

    def _knowledge_of(self, head: SnapshotHead) -> Mapping[str, Knowledge]:
        return self._knowledge[head.knowledge] if self._needs_knowledge else {}

    def _fold_users(self, ends: Sequence[UserEnd], types_to_read: TypesToRead) -> Iterator[UserState]:
        """The states of these users, in their order; logs that have no snapshot are read many at once."""
        rows = read_logs(self._store, [end for end in ends if _is_read_whole(end)])
        for end in ends:
            if _is_read_whole(end):
                _user, log = next(rows)
                fold = partial(fold_entries, decode_rows(log), self._empty)
            else:
                fold = partial(fold_log, self._store.log(end.user), self._empty)
            yield self._folded_state(end.user, fold, types_to_read)

    def _folded_state(self, user: str, fold: Callable[[], Project], types_to_read: TypesToRead) -> UserState:
        try:
            project = self._with_snapshot(user, fold())
        except UacError as error:
            return UserState(user, error=error)
        # The same digests as those of the parts of a snapshot, so that folded and stored users share sessions.
        key = b"".join(_encoded_digest(each) for each in (project.types, project.knowledge))
        names = types_to_read(key, project.types, project.knowledge)
        # Of many users at once, only what is read stays in memory; the history of a log takes more than its records.
        needed = Project(
            project.position,
            project.digest,
            self._now,
            types=project.types,
            tables={name: project.tables[name] for name in names if name in project.tables},
            knowledge=project.knowledge,
        )
        return UserState(user, needed, key, is_folded=True)

    def fold(self, user: str) -> Project:
        """The whole project of one user, at the end of the log."""
        return self._with_snapshot(user, fold_log(self._store.log(user), self._empty))

    def _with_snapshot(self, user: str, project: Project) -> Project:
        """The project, of which a snapshot is stored if they are kept."""
        if self._keeps_snapshots and project.position:
            with suppress(StoreError):  # a cache: a store that is read-only has none
                self._store.log(user).set_snapshot(
                    encode_project(project), position=project.position, digest=project.digest
                )
        return project


class _SharedParts(Generic[T]):
    """Decoded parts of snapshots by their digests."""

    def __init__(
        self,
        read: Callable[[Mapping[str, Collection[bytes]]], Mapping[str, Mapping[bytes, bytes]]],
        decode: Callable[[bytes], T],
    ) -> None:
        self._read = read
        self._decode = decode
        self._known: dict[bytes, T] = {}

    def __contains__(self, name: bytes) -> bool:
        return name in self._known

    def __getitem__(self, name: bytes) -> T:
        return self._known[name]

    def load(self, names: Mapping[str, bytes]) -> None:
        """Read the parts that are not known yet, each from one user who has it."""
        if len(self._known) > MAX_SHARED:
            self._known.clear()
        missing = {name: user for user, name in names.items() if name not in self._known}
        wanted: dict[str, list[bytes]] = {}
        for name, user in missing.items():
            wanted.setdefault(user, []).append(name)
        for parts in self._read(wanted).values() if wanted else ():
            for name, data in parts.items():
                if sha256(data).digest() == name:
                    self._known[name] = self._decode(data)


def _is_read_whole(end: UserEnd) -> bool:
    return not end.snapshot and end.head.position <= MAX_WHOLE


def _current_head(snapshot: bytes, digest: bytes) -> SnapshotHead | None:
    """The head of a snapshot that is up to date: the log has no entry after it."""
    head = decode_head(Snapshot(snapshot)) if snapshot else None
    return head if head is not None and head.digest == digest else None


def _state_key(head: SnapshotHead) -> bytes:
    return head.types + head.knowledge


def _block_names(head: SnapshotHead, types: Iterable[str]) -> list[bytes]:
    return [block for name in types for block in head.tables[name].blocks]


def _encoded_digest(mapping: Mapping[str, object]) -> bytes:
    return sha256(msgspec.json.encode(dict(mapping))).digest()
