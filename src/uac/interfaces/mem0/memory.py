"""The interface of mem0 (`mem0ai` 2.2) over this memory: the same methods, arguments and shapes of results.

A memory is a fact that a model extracted; if no model has read a turn, it is the turn itself. Additional data (agent,
metadata, expiry date, which memory a turn is a newer text of) is JSON in the `source` of the observation: it is erased
together with the text, and no model sees it.
"""

import asyncio
import functools
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import date
from itertools import islice
from types import TracebackType
from typing import Any, Concatenate, Final, Literal, ParamSpec, Self, TypeVar

from uac.interfaces.mem0.arguments import (
    Invalid,
    Scope,
    read_day,
    read_limit,
    read_messages,
    read_metadata,
    read_scope,
    read_text,
    split_filters,
    store_location,
)
from uac.interfaces.mem0.filters import matches_filters
from uac.interfaces.mem0.memories import MemoryNote, StoredMemory, no_such_memory
from uac.interfaces.mem0.results import (
    Added,
    Adding,
    Change,
    Item,
    Items,
    Message,
    added_item,
    history_result,
    memory_item,
    result_score,
    scored_item,
)
from uac.interfaces.mem0.users import OpenUser, Users
from uac.log.log import Clock, wall_clock
from uac.log.store import Store
from uac.memory.observing import keep_observations
from uac.models import ModelsFor, chosen_models
from uac.models.embedder import Embedder
from uac.schema.entries import Observation

__all__ = ["Added", "Adding", "AsyncMemory", "Change", "Invalid", "Item", "Items", "Memory", "Message"]

LISTED = 20  # default number of search results

_log = logging.getLogger(__name__)

Given = TypeVar("Given")
Arguments = ParamSpec("Arguments")
Wanted = Callable[[StoredMemory], bool]


class _Unset:
    """Marks an argument that was not given, where None has a meaning."""


_UNSET: Final = _Unset()


class Memory:
    """A replacement for `mem0.Memory`. `store`, `models` and `embedder` default to the UAC_… settings.

    Safe to share between threads: one at a time works on a user, and nobody waits for a model call of another user.
    """

    def __init__(
        self,
        config: Mapping[str, Any] | None = None,
        *,
        store: Store | None = None,
        models: ModelsFor | None = None,
        embedder: Embedder | Literal["chosen"] | None = "chosen",
        clock: Clock = wall_clock,
    ) -> None:
        self._users = Users(store_location(config), store, embedder=embedder, clock=clock)
        self._models = chosen_models() if models is None else models
        self._clock = clock

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Like mem0's: the location of memories is used; models are left to the settings."""
        return cls(config_dict)

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: object = None,
        expiration_date: str | date | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> Adding:
        """Store the messages and let the model extract facts; without a model, each turn of the user is a memory.

        The messages are durable first. If the model is unreachable, the user's are memories until it has read them. An
        assistant's turn is not the user's memory, unless it was added as it is (`infer=False`) or for an agent alone.
        """
        if timestamp is not None:
            raise Invalid("timestamp is not supported. Give each message a 'timestamp', or use uac.Memory.add.")
        if memory_type is not None:
            raise Invalid(f"memory_type is {memory_type!r}: procedural memories are not supported. Leave it out.")
        if prompt is not None:
            _log.warning("add: prompt is not used: instructions for models are a part of this package")
        scope = read_scope(user_id, agent_id, run_id)
        note = MemoryNote(
            agent=scope.agent,
            metadata=read_metadata(metadata, "add"),
            expires=read_day(expiration_date),
            raw=not infer,
        )
        turns = read_messages(messages, said=self._clock(), session=scope.run, source=note.as_source)
        user = self._users.user_in_scope(scope)
        is_read = infer and self._models.for_step("extract") is not None
        if not turns:
            return {"results": []}
        with user.lock:
            positions = keep_observations(user.log, *turns)
        if is_read:
            user.learn_unread(self._models)
        with user.lock:
            view = user.memories_in_log()
            places = (*view.facts_quoting(positions), *positions)
            stored = [memory for position in places if (memory := view.listed_memory_at(position)) is not None]
            return {"results": [added_item(user, memory) for memory in stored]}

    def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        rerank: bool = False,  # noqa: ARG002  # a configured reranker is always used
        explain: bool = False,
        reference_date: object = None,
        show_expired: bool = False,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        limit: int | None = None,
    ) -> Items:
        """The memories that match best, at most `top_k` (20), with a score up to 1."""
        if reference_date is not None:
            raise Invalid("reference_date is not supported. Use uac.Memory.recall(now=…).")
        words = read_text("query", query)
        if threshold is not None and (isinstance(threshold, bool) or not 0 <= threshold <= 1):
            raise Invalid(f"threshold is {threshold!r}. Use a number from 0 to 1.")
        most = read_limit(top_k, limit)
        scope = read_scope(user_id, agent_id, run_id, filters=filters)
        user = self._users.user_in_scope(scope)
        wanted = self._memory_filter(user, scope, filters, show_expired=show_expired)
        least = 0.0 if threshold is None else threshold
        with user.lock:
            matches = (pair for pair in user.search_memories(words, wanted) if result_score(pair[1]) >= least)
            pairs = islice(matches, LISTED if most is None else most)
            return {"results": [scored_item(user, stored, hit, explain=explain) for stored, hit in pairs]}

    def get(self, memory_id: str, *, user_id: str | int | None = None) -> Item | None:
        """The memory of that id, or None. With `user_id`, only if it is that user's."""
        location = self._users.find_memory(memory_id, user_id)
        if location is None:
            return None
        user, first = location
        with user.lock:
            stored = user.memories_in_log().current_memory(first)
        return {**memory_item(user, stored), "score": None} if stored is not None else None

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        show_expired: bool = False,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        limit: int | None = None,
    ) -> Items:
        """The memories, oldest first: all of them, or `top_k`."""
        most = read_limit(top_k, limit)
        scope = read_scope(user_id, agent_id, run_id, filters=filters)
        user = self._users.user_in_scope(scope)
        wanted = self._memory_filter(user, scope, filters, show_expired=show_expired)
        with user.lock:
            return {
                "results": [
                    memory_item(user, stored)
                    for stored in islice(filter(wanted, user.memories_in_log().listed_memories()), most)
                ]
            }

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: str | date | _Unset | None = _UNSET,
        data: str | None = None,
        *,
        user_id: str | int | None = None,
    ) -> Message:
        """Replace the text of a memory, keeping its id: the new text is appended, and the old one retracted."""
        text = data if text is None else text
        if text is None and metadata is None and isinstance(expiration_date, _Unset):
            raise Invalid("update: nothing to change. Give text, metadata or expiration_date.")
        words = None if text is None else read_text("text", text)
        more = read_metadata(metadata, "update")
        expires = None if isinstance(expiration_date, _Unset) else read_day(expiration_date)
        user, first = self._users.require_memory(memory_id, user_id)
        with user.lock:
            stored = user.memories_in_log().current_memory(first)
            if stored is None:
                raise no_such_memory(memory_id)
            note = MemoryNote(
                agent=stored.note.agent,
                metadata={**stored.note.metadata, **more},
                expires=stored.note.expires if expires is None else expires,
                raw=True,
                of=first.position,
            )
            entry = Observation(
                text=stored.text if words is None else words,
                said=self._clock(),
                role=stored.turn.role,  # editing an assistant's text does not make it the user's
                speaker=stored.turn.speaker,
                session=stored.turn.session,
                source=note.as_source,
            )
            # The new text first: if the process ends here, it counts anyway, as the newest.
            keep_observations(user.log, entry)
            user.retract_entries([stored.position], why="updated")
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str, *, erase: bool = False, user_id: str | int | None = None) -> Message:
        """Retract a memory: it is no longer found, but its history stays. With `erase`, destroy its text instead.

        Erasing also destroys the turns that a fact quotes, and everything else that was extracted from them.
        """
        user, first = self._users.require_memory(memory_id, user_id)
        with user.lock:
            view = user.memories_in_log()
            if erase:
                positions = {
                    p
                    for place in view.memory_text_positions(first.position)
                    for p in (place, *view.turns_behind_memory(place))
                }
                user.memory.erase(positions, why="deleted")
            elif view.current_memory(first) is None:
                raise no_such_memory(memory_id)
            else:
                user.retract_entries(view.memory_text_positions(first.position), why="deleted")
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        *,
        erase: bool = False,
    ) -> Message:
        """Retract all turns and the facts extracted from them; records from other sources stay.

        With `erase`, destroy them: for a whole user, agent or run that is the log itself, with everything in it.
        """
        scope = read_scope(user_id, agent_id, run_id)
        user = self._users.user_in_scope(scope)
        with user.lock:
            if erase and scope.is_whole_log:
                self._users.erase_user(user)
            else:
                view = user.memories_in_log()
                chosen = [stored.position for stored in view.turns_and_facts() if stored.is_in_scope(scope)]
                if erase and chosen:
                    user.memory.erase(
                        {p for place in chosen for p in (place, *view.turns_behind_memory(place))}, why="deleted"
                    )
                elif chosen:
                    user.retract_entries(chosen, why="deleted")
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str, *, user_id: str | int | None = None) -> list[Change]:
        """The history of a memory, oldest first; empty if it does not exist or was erased."""
        location = self._users.find_memory(memory_id, user_id)
        if location is None:
            return []
        user, first = location
        with user.lock:
            return history_result(user, first)

    def reset(self, *, confirm: bool = False) -> None:
        """Destroy the logs of all users of this collection.

        Without `confirm` only if this object created the store: an existing one may hold other logs.
        """
        if not (confirm or self._users.is_new):
            raise Invalid(
                f"reset destroys the logs of all users in {self._users.store.address}, which was there before: "
                "reset(confirm=True) if that is meant"
            )
        self._users.erase_all()

    def close(self) -> None:
        """Release all resources. A store that was passed in stays open."""
        self._users.close_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _memory_filter(
        self, user: OpenUser, scope: Scope, filters: Mapping[str, Any] | None, *, show_expired: bool
    ) -> Wanted:
        """Whether a memory is in the scope, passes the filters and has not expired."""
        conditions = split_filters(filters).conditions
        for condition in conditions:
            matches_filters({}, condition)  # refuses invalid filters even if there are no memories
        today = self._clock().date().isoformat()

        def wanted(stored: StoredMemory) -> bool:
            if not stored.is_in_scope(scope) or (
                stored.note.expires and stored.note.expires < today and not show_expired
            ):
                return False
            fields = memory_item(user, stored)
            values = {**fields, **(fields["metadata"] or {})}
            return all(matches_filters(values, condition) for condition in conditions)

        return wanted


def _run_in_thread(
    verb: Callable[Concatenate[Memory, Arguments], Given],
) -> "Callable[Concatenate[AsyncMemory, Arguments], Coroutine[Any, Any, Given]]":
    """The same method, run in a worker thread."""

    @functools.wraps(verb)
    async def run(memory: "AsyncMemory", /, *args: Arguments.args, **more: Arguments.kwargs) -> Given:
        return await asyncio.to_thread(verb, memory.memory, *args, **more)

    return run


class AsyncMemory:
    """A replacement for `mem0.AsyncMemory`: the methods of Memory in worker threads. `config` may also be a Memory."""

    def __init__(self, config: Mapping[str, Any] | Memory | None = None) -> None:
        self.memory = config if isinstance(config, Memory) else Memory(config)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        return cls(config_dict)

    add = _run_in_thread(Memory.add)
    search = _run_in_thread(Memory.search)
    get = _run_in_thread(Memory.get)
    get_all = _run_in_thread(Memory.get_all)
    update = _run_in_thread(Memory.update)
    delete = _run_in_thread(Memory.delete)
    delete_all = _run_in_thread(Memory.delete_all)
    history = _run_in_thread(Memory.history)
    reset = _run_in_thread(Memory.reset)

    def close(self) -> None:
        self.memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)
