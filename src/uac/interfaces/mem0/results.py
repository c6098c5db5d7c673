"""The shapes of mem0's results, made of memories."""

import hashlib
from typing import Any, Literal, NotRequired, TypedDict

from uac.interfaces.mem0.memories import StoredMemory, format_memory_id
from uac.interfaces.mem0.users import OpenUser
from uac.log.log import Stored
from uac.recall.search import Hit
from uac.schema.entries import Fact, Observation, Retraction

__all__ = [
    "Added",
    "Adding",
    "Change",
    "Item",
    "Items",
    "Message",
    "added_item",
    "history_result",
    "memory_item",
    "result_score",
    "scored_item",
]


class Item(TypedDict):
    """A memory, as `get`, `get_all` and `search` return it. Fields that do not apply are missing."""

    id: str
    memory: str
    hash: str
    metadata: dict[str, Any] | None
    created_at: str
    updated_at: str
    score: NotRequired[float | None]
    score_details: NotRequired[dict[str, float]]
    user_id: NotRequired[str]
    agent_id: NotRequired[str]
    run_id: NotRequired[str]
    actor_id: NotRequired[str]
    role: NotRequired[str]
    attributed_to: NotRequired[str]
    expiration_date: NotRequired[str]


class Items(TypedDict):
    results: list[Item]


class Added(TypedDict):
    """A memory that `add` created; a turn also has its speaker."""

    id: str
    memory: str
    event: Literal["ADD"]
    actor_id: NotRequired[str | None]
    role: NotRequired[str]


class Adding(TypedDict):
    results: list[Added]


class Change(TypedDict):
    """One line of a memory's history."""

    id: str
    memory_id: str
    old_memory: str | None
    new_memory: str | None
    event: Literal["ADD", "UPDATE", "DELETE"]
    created_at: str
    updated_at: str
    is_deleted: bool
    actor_id: str | None
    role: str | None


class Message(TypedDict):
    message: str


def result_score(hit: Hit) -> float:
    return min(1.0, hit.score)


def added_item(user: OpenUser, memory: StoredMemory) -> Added:
    result: Added = {"id": format_memory_id(user.name, memory.first), "memory": memory.text, "event": "ADD"}
    if not memory.is_fact:
        result["actor_id"], result["role"] = memory.turn.speaker or None, memory.turn.role
    return result


def memory_item(user: OpenUser, memory: StoredMemory) -> Item:
    """The memory as it is listed."""
    note, turn = memory.note, memory.turn
    result: Item = {
        "id": format_memory_id(user.name, memory.first),
        "memory": memory.text,
        "hash": hashlib.md5(memory.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": dict(note.metadata) or None,
        "created_at": memory.first.at.isoformat(),
        "updated_at": memory.at.isoformat(),
    }
    owner = user.name.rpartition(": ")[2]
    if " " not in owner:
        result["user_id"] = owner
    if note.agent:
        result["agent_id"] = note.agent
    if turn.session:
        result["run_id"] = turn.session
    if memory.is_fact:
        result["attributed_to"] = turn.role
    else:
        result["role"] = turn.role
        if turn.speaker:
            result["actor_id"] = turn.speaker
    if note.expires:
        result["expiration_date"] = note.expires
    return result


def scored_item(user: OpenUser, memory: StoredMemory, hit: Hit, *, explain: bool) -> Item:
    result: Item = {**memory_item(user, memory), "score": result_score(hit)}
    if explain:
        result["score_details"] = dict(hit.channels)
    return result


def history_result(user: OpenUser, first: Stored) -> list[Change]:
    """All texts of a memory, and whether the last was deleted; an erased memory has no history."""
    view = user.memories_in_log()
    memory_id, created = format_memory_id(user.name, first), first.at.isoformat()
    changes: list[Change] = []
    last: Stored | None = None
    chain = [
        stored
        for place in view.memory_text_positions(first.position)
        if (stored := view.stored_entry(place)) is not None
    ]
    for stored in chain:
        if not isinstance(stored.entry, Observation | Fact):
            continue
        turn = stored.entry if isinstance(stored.entry, Observation) else None
        changes.append(
            {
                "id": format_memory_id(user.name, stored),
                "memory_id": memory_id,
                "old_memory": changes[-1]["new_memory"] if changes else None,
                "new_memory": stored.entry.text,
                "event": "UPDATE" if changes else "ADD",
                "created_at": created,
                "updated_at": stored.at.isoformat(),
                "is_deleted": False,
                "actor_id": turn.speaker or None if turn else None,
                "role": turn.role if turn else None,
            }
        )
        last = stored
    if last is None or view.current_memory(first) is not None:
        return changes
    grounds = {last.position, *view.turns_behind_memory(last.position)}
    for stored in user.log.read(last.position + 1):
        entry = stored.entry
        if isinstance(entry, Retraction) and grounds & {*entry.positions} and not view.is_retracted(stored.position):
            gone: Change = {
                **changes[-1],
                "id": format_memory_id(user.name, stored),
                "event": "DELETE",
                "is_deleted": True,
            }
            gone["old_memory"], gone["new_memory"] = gone["new_memory"], None
            gone["updated_at"] = stored.at.isoformat()
            return [*changes, gone]
    return changes
