"""CrewAI: a storage backend for its memory. It needs `crewai`."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from crewai.memory.types import MemoryRecord, ScopeInfo

from uac.interfaces.adapters.items import Item, ItemLog
from uac.interfaces.adapters.locks import memory_lock
from uac.memory.memory import Memory

__all__ = ["UserMemoryStorage"]

PATH = ("crewai",)


class UserMemoryStorage:
    """Keeps what a crew remembers in one user's log: `crewai.Memory(storage=UserMemoryStorage(memory))`.

    Each record is a document in the log, so `recall`, `context` and constraints see it. A crew searches by the vectors
    of its own embedder, which are stored beside the words.
    """

    def __init__(self, memory: Memory) -> None:
        self._items = ItemLog(memory)
        self._lock = memory_lock(memory)

    def save(self, records: list[MemoryRecord]) -> None:
        with self._lock:
            for record in records:
                value = {**record.model_dump(mode="json"), "embedding": record.embedding}
                self._items.put(PATH, record.id, value, text=record.content)

    def update(self, record: MemoryRecord) -> None:
        self.save([record])

    def get_record(self, record_id: str) -> MemoryRecord | None:
        with self._lock:
            item = self._items.get(PATH, record_id)
        return None if item is None else _record(item)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        newest_first = sorted(self._records(scope_prefix), key=lambda record: record.created_at, reverse=True)
        return newest_first[offset : offset + limit]

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        wanted = [
            record
            for record in self._records(scope_prefix)
            if _is_wanted(record, categories, metadata_filter) and len(record.embedding or ()) == len(query_embedding)
        ]
        scored = zip(wanted, _similarities([record.embedding or [] for record in wanted], query_embedding), strict=True)
        best = sorted(((record, score) for record, score in scored if score >= min_score), key=lambda pair: -pair[1])
        return best[:limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Retract the matching records and return how many there were. Their words stay in the log until erased."""

        def matches(record: MemoryRecord) -> bool:
            return (
                _is_wanted(record, categories, metadata_filter)
                and (record_ids is None or record.id in record_ids)
                and (older_than is None or record.created_at < older_than)
            )

        return self._delete(scope_prefix, matches)

    def reset(self, scope_prefix: str | None = None) -> None:
        self._delete(scope_prefix, lambda _record: True)

    def count(self, scope_prefix: str | None = None) -> int:
        return len(self._records(scope_prefix))

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes directly below a scope that have records."""
        above = "" if parent == "/" else parent.rstrip("/")
        names = {record.scope.removeprefix(above).strip("/").partition("/")[0] for record in self._records(parent)}
        return sorted(f"{above}/{name}" for name in names if name)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        return dict(Counter(category for record in self._records(scope_prefix) for category in record.categories))

    def get_scope_info(self, scope: str) -> ScopeInfo:
        records = self._records(scope)
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted({category for record in records for category in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=self.list_scopes(scope),
        )

    async def asave(self, records: list[MemoryRecord]) -> None:
        await asyncio.to_thread(self.save, records)

    async def asearch(self, query_embedding: list[float], *rest: Any, **more: Any) -> list[tuple[MemoryRecord, float]]:
        return await asyncio.to_thread(self.search, query_embedding, *rest, **more)

    async def adelete(self, *rest: Any, **more: Any) -> int:
        return await asyncio.to_thread(self.delete, *rest, **more)

    def close(self) -> None:
        """Nothing to close: the memory stays open."""

    def _delete(self, scope: str | None, matches: Callable[[MemoryRecord], bool]) -> int:
        with self._lock:
            chosen = [item for item in self._items_in(scope) if matches(_record(item))]
            self._items.delete(*chosen)
        return len(chosen)

    def _records(self, scope: str | None) -> list[MemoryRecord]:
        with self._lock:
            return [_record(item) for item in self._items_in(scope)]

    def _items_in(self, scope: str | None) -> Iterator[Item]:
        above = (scope or "/").rstrip("/")
        return (
            item for item in self._items.items(PATH) if f"{item.value['scope'].rstrip('/')}/".startswith(f"{above}/")
        )


def _record(item: Item) -> MemoryRecord:
    return MemoryRecord.model_validate(item.value)


def _is_wanted(record: MemoryRecord, categories: list[str] | None, metadata: dict[str, Any] | None) -> bool:
    has_category = not categories or not set(categories).isdisjoint(record.categories)
    return has_category and all(record.metadata.get(name) == value for name, value in (metadata or {}).items())


def _similarities(vectors: Sequence[Sequence[float]], query: Sequence[float]) -> list[float]:
    """The cosine of each vector with the query; 0 for one without a direction."""
    if not vectors:
        return []
    matrix, wanted = np.asarray(vectors, float), np.asarray(query, float)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(wanted)
    return [
        float(value) for value in np.divide(matrix @ wanted, lengths, out=np.zeros(len(vectors)), where=lengths > 0)
    ]
