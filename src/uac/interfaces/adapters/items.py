"""Items of frameworks that store values under a key: each is a document in the user's log, so nothing is kept twice.

The text of the document is what people read and recall searches; the value itself is its `source`, as JSON. A newer
value of the same key retracts the older one. Erasing the entry erases both.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from uac.errors import Refused
from uac.log.index import RecallKind
from uac.log.log import EMPTY, Head
from uac.memory.memory import Memory
from uac.memory.observing import keep_observations
from uac.schema.entries import Erasure, Observation, Role

__all__ = ["Item", "ItemLog"]

SOURCE = "item "
TEXTS: tuple[RecallKind, ...] = ("observation",)
FIRST_HITS, MORE_HITS = 100, 10  # hits of a search, and the factor if too few of them are items


class _Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is stored beside the text, in the `source` of the observation."""

    path: tuple[str, ...]
    key: str
    value: dict[str, Any]


class Item(NamedTuple):
    """A value under a path and a key. `created` is the time of the first value under this key."""

    path: tuple[str, ...]
    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime
    position: int


class ItemLog:
    """The items in one user's log. Not thread-safe: callers must make one call at a time."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._seen: Head = EMPTY
        self._positions: dict[tuple[tuple[str, ...], str], list[Item]] = {}

    def put(
        self,
        path: Sequence[str],
        key: str,
        value: Mapping[str, Any],
        *,
        text: str = "",
        role: Role = "document",
        session: str = "",
    ) -> None:
        """Store a value; an older one under the same key is retracted. `text` is what people read, if not the value."""
        note = _Note(tuple(path), key, dict(value))
        try:
            source = SOURCE + msgspec.json.encode(note, order="sorted").decode()
        except (TypeError, ValueError) as error:
            raise Refused(f"The value of {key!r} cannot be stored as JSON: {error}. Use plain JSON values.") from None
        old = self.get(path, key)
        said = datetime.now(UTC)
        words = text or _readable_text(note.value)
        turn = Observation(text=words, said=said, role=role, session=session, source=source)
        keep_observations(self._memory.log, turn)
        if old is not None:
            self._memory.retract([old.position], why="a newer value was stored under the same key")

    def get(self, path: Sequence[str], key: str) -> Item | None:
        self._read_new_entries()
        return self._current(self._positions.get((tuple(path), key), ()))

    def delete(self, *items: Item) -> None:
        """Retract items; they stay in the log, and nothing is folded from them."""
        if items:
            self._memory.retract([item.position for item in items], why="the item was deleted")

    def items(self, prefix: Sequence[str] = ()) -> Iterator[Item]:
        """All items below a path, the most recently stored first."""
        self._read_new_entries()
        current = (self._current(items) for items in self._positions.values())
        below = (item for item in current if item is not None and _is_below(item.path, prefix))
        return iter(sorted(below, key=lambda item: -item.position))

    def search(self, query: str, prefix: Sequence[str] = ()) -> Iterator[tuple[Item, float]]:
        """The items below a path that match a search, best first, each with its score."""
        by_position = {item.position: item for item in self.items(prefix)}
        most = FIRST_HITS
        while by_position:
            hits = self._memory.recall(query, k=most, kinds=TEXTS).hits
            for hit in hits:
                for position in (hit.position, *hit.also):
                    if (item := by_position.pop(position, None)) is not None:
                        yield item, hit.score
            if len(hits) < most:
                return
            most *= MORE_HITS

    def _current(self, items: Sequence[Item]) -> Item | None:
        """The newest item that was not retracted; the values before it count for the time of its creation."""
        gone = self._memory.project().gone
        newest = next((item for item in reversed(items) if item.position not in gone), None)
        return newest and newest._replace(created=items[0].created)

    def _read_new_entries(self) -> None:
        log, seen = self._memory.log, self._seen
        head = log.head()
        if (head.position, head.digest) == (seen.position, seen.digest):
            return
        new = [*log.read(seen.position + 1, head.position + 1)]
        if not log.contains(seen.position, seen.digest) or any(isinstance(stored.entry, Erasure) for stored in new):
            self._positions = {}  # nothing of erased words stays
            new = [*log.read(1, head.position + 1)]
        for stored in new:
            if isinstance(stored.entry, Observation) and (note := _parse_note(stored.entry.source)) is not None:
                item = Item(note.path, note.key, note.value, stored.at, stored.at, stored.position)
                self._positions.setdefault((note.path, note.key), []).append(item)
        self._seen = head


def _parse_note(source: str) -> _Note | None:
    if not source.startswith(SOURCE):
        return None
    try:
        return msgspec.json.decode(source.removeprefix(SOURCE), type=_Note)
    except msgspec.DecodeError:
        return None


def _is_below(path: tuple[str, ...], prefix: Sequence[str]) -> bool:
    return path[: len(prefix)] == tuple(prefix)


def _readable_text(value: Mapping[str, Any]) -> str:
    """The value in words: a lone text as it is, else one line for each field."""
    texts = {
        name: field if isinstance(field, str) else json.dumps(field, ensure_ascii=False)
        for name, field in value.items()
    }
    return (
        next(iter(texts.values())) if len(texts) == 1 else "\n".join(f"{name}: {text}" for name, text in texts.items())
    )
