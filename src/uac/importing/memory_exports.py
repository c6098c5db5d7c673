"""Memories of mem0, Zep and LangMem. They are summaries that a program wrote: documents, never words of the user."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from uac.importing.files import BadLine, ByteSource, Progress, Skipped
from uac.importing.json_places import PlacedItem, exported_list, exported_name, exported_text, read_placed_items
from uac.importing.message_files import MessageItem, MessageOptions, ReadMessage, check_me, digest_key, time_from_iso
from uac.schema.entries import Observation

__all__ = ["MemoryService", "read_memories"]

MemoryService: TypeAlias = Literal["mem0", "zep", "langmem"]


class _Memory(NamedTuple):
    """One memory of an export; `owners` are names of the user whose memory it is."""

    name: str
    text: str
    time: str
    owners: tuple[str, ...]


def read_memories(
    path: ByteSource, service: MemoryService, options: MessageOptions, progress: Progress
) -> Iterator[MessageItem]:
    """All memories of the user. Raises Refused if the export has those of several users and `me` names none of them."""
    owners = {
        memory.owners
        for item in _read_service_items(path, service, lambda _size: None)
        if isinstance(item, PlacedItem) and (memory := _memory_or_none(item, service)) and memory.owners
    }
    if len(owners) > 1 or (options.me and owners):
        check_me(path.name, options.me, (name for names in owners for name in names), "users")
    return _read_documents(path, service, options, progress, is_shared=len(owners) > 1)


def _read_documents(
    path: ByteSource, service: MemoryService, options: MessageOptions, progress: Progress, *, is_shared: bool
) -> Iterator[MessageItem]:
    for item in _read_service_items(path, service, progress):
        if not isinstance(item, PlacedItem):
            yield item
            continue
        try:
            memory = _READERS[service](item.value)
            if is_shared and options.me not in memory.owners:
                yield Skipped(item.number, "other user's memory")
                continue
            said = time_from_iso(memory.time) or options.written
        except ValueError as error:
            yield BadLine(item.number, str(error))
            continue
        if not memory.text.strip():
            yield BadLine(item.number, "has no words. Export it again.")
        elif said is None:
            yield BadLine(item.number, "has no time. Add created_at, or use --written.")
        else:
            observation = Observation(
                text=memory.text,
                said=said,
                role="document",
                speaker=service,
                session=service,
                source=f"import:{service}",
                key=digest_key(service, memory.name, said.isoformat(), memory.text),
            )
            yield ReadMessage(item.number, observation)


def _read_service_items(
    path: ByteSource, service: MemoryService, progress: Progress
) -> Iterator[MessageItem | PlacedItem]:
    opened = _LISTS[service]
    for item in read_placed_items(path, progress, opened.__contains__):
        if not isinstance(item, PlacedItem) or item.number:
            yield item


def _memory_or_none(item: PlacedItem, service: MemoryService) -> _Memory | None:
    try:
        return _READERS[service](item.value)
    except ValueError:
        return None


def _mem0_memory(item: Any) -> _Memory:
    """An item of `get_all`: https://docs.mem0.ai/api-reference/memory/get-memories."""
    name, text = _required(item, "id"), exported_text(item, "memory", "text", "data")
    user = exported_name(item, "user_id")
    return _Memory(name, text, exported_text(item, "updated_at", "created_at"), (user,) if user else ())


def _zep_memory(item: Any) -> _Memory:
    """An edge or an episode of a graph: https://help.getzep.com/reading-data-from-the-graph."""
    name, fact = _required(item, "uuid", "uuid_"), exported_text(item, "fact")
    begin, end = exported_text(item, "valid_at"), exported_text(item, "invalid_at", "expired_at")
    # Without its period, a fact that Zep ended would read as one that is still true.
    period = " ".join(part for part in (begin and f"from {begin}", end and f"until {end}") if part)
    text = f"{fact}\n(valid {period})" if fact and period else fact or exported_text(item, "content")
    graph = exported_name(item, "user_id", "group_id", "graph_id")
    return _Memory(name, text, exported_text(item, "created_at"), (graph,) if graph else ())


def _langmem_memory(item: Any) -> _Memory:
    """An item of a LangGraph store, in which LangMem keeps its memories: a namespace, a key and a value."""
    key = _required(item, "key")
    value = item.get("value")
    inner = value.get("content") if isinstance(value, dict) else value
    inner = inner.get("content", inner) if isinstance(inner, dict) and len(inner) == 1 else inner
    if inner is None:
        inner = value
    text = inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
    namespace = tuple(part for part in exported_list(item, "namespace") if isinstance(part, str))
    name = "/".join((*namespace, key))
    return _Memory(
        name, "" if inner in (None, {}) else text, exported_text(item, "updated_at", "created_at"), namespace
    )


def _required(item: Any, *names: str) -> str:
    value = exported_name(item, *names) if isinstance(item, dict) else ""
    if not value:
        raise ValueError(f"is not a memory: it has no {names[0]}. Export it again.")
    return value


_READERS: dict[MemoryService, Callable[[Any], _Memory]] = {
    "mem0": _mem0_memory,
    "zep": _zep_memory,
    "langmem": _langmem_memory,
}
_LISTS: dict[MemoryService, frozenset[str]] = {
    "mem0": frozenset(("", "results", "memories")),
    "zep": frozenset(("", "edges", "episodes", "items", "facts")),
    "langmem": frozenset(("", "items", "memories")),
}
