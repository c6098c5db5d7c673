"""Parses the arguments of mem0's methods: ids, messages, metadata, filters and the configuration."""

import json
import logging
import os
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from uac.conversation.openai_chat import read_chat
from uac.errors import Refused
from uac.log.stores import default_address
from uac.schema.entries import Observation
from uac.schema.values import MOST_NESTING, nests_deeper

__all__ = [
    "IDS",
    "Invalid",
    "Scope",
    "StoreLocation",
    "read_day",
    "read_limit",
    "read_messages",
    "read_metadata",
    "read_scope",
    "read_text",
    "split_filters",
    "store_location",
]

IDS = ("user_id", "agent_id", "run_id")
COLLECTION = "mem0"  # the collection whose users have unprefixed names in the store
LOCAL = {"collection_name", "embedding_model_dims", "on_disk", "path"}
"""Vector store options that do not name a server."""
INSTEAD = {"llm": "UAC_MODEL", "embedder": "UAC_EMBEDDER", "reranker": "UAC_RERANKER"}

_log = logging.getLogger("uac.compat.mem0")


class Invalid(Refused, ValueError):
    """An invalid argument; also a ValueError, which code written for mem0 expects."""


class Scope(NamedTuple):
    """The owner of memories. A user has a log, and so has an agent or a run without a user."""

    user: str
    agent: str
    run: str

    @property
    def log_name(self) -> str:
        """The log's name. An id never contains a space, so an agent's log cannot collide with a user's."""
        return self.user or (f"agent {self.agent}" if self.agent else f"run {self.run}")

    @property
    def is_whole_log(self) -> bool:
        """Whether the scope is the whole log."""
        return [bool(part) for part in self].count(True) == 1


class StoreLocation(NamedTuple):
    """The address of a store, and the prefix of its users' names."""

    address: str
    prefix: str
    is_default: bool


def read_scope(user_id: object, agent_id: object, run_id: object, *, filters: Mapping[str, Any] | None = None) -> Scope:
    """The ids given as arguments or required by the filters; at least one is needed."""
    required = split_filters(filters).ids
    ids: list[str] = []
    for name, given in zip(IDS, (user_id, agent_id, run_id), strict=True):
        filtered = required.get(name)
        if given is not None and filtered is not None and given != filtered:
            raise Invalid(f"{name} is {given!r} and in filters {filtered!r}. Give only one of them.")
        ids.append(_read_id(name, filtered if given is None else given))
    if not any(ids):
        raise Invalid(
            "whose memories? Needs a user_id, agent_id or run_id, such as filters={'user_id': 'ana'} or "
            "filters={'AND': [{'user_id': 'ana'}, …]}; logs are not searched across users"
        )
    return Scope(*ids)


class SplitFilters(NamedTuple):
    """The ids that all memories must have, and the other conditions."""

    ids: dict[str, object]
    conditions: tuple[Mapping[str, Any], ...]


def split_filters(filters: Mapping[str, Any] | None) -> SplitFilters:
    """Takes out the ids that are required at the top or inside of AND; those inside of OR and NOT are conditions."""
    ids: dict[str, object] = {}
    conditions: list[Mapping[str, Any]] = []
    left: list[Mapping[str, Any]] = [filters] if filters else []
    while left:
        rest: dict[str, Any] = {}
        for name, wanted in left.pop(0).items():
            if name == "AND" and isinstance(wanted, list) and all(isinstance(part, Mapping) for part in wanted):
                left += wanted
            elif name in IDS and (one := _single_id(wanted)) is not None:
                if ids.setdefault(name, one) != one:
                    raise Invalid(f"filters: {name} is {ids[name]!r} and {one!r}. No memory has both.")
            else:
                rest[name] = wanted
        if rest:
            conditions.append(rest)
    return SplitFilters(ids, tuple(conditions))


def _single_id(wanted: object) -> object:
    """The id that a condition names: itself, or the only one of `eq` or `in`; None if it is another condition."""
    if isinstance(wanted, Mapping) and len(wanted) == 1:
        ((operator, wanted),) = wanted.items()
        if operator == "in" and isinstance(wanted, list):
            return wanted[0] if len(wanted) == 1 else None
        return wanted if operator == "eq" else None
    if isinstance(wanted, list) and len(wanted) == 1:
        return wanted[0]
    return None if isinstance(wanted, Mapping | list) or wanted == "*" else wanted


def _read_id(name: str, given: object) -> str:
    if given is None:
        return ""
    if not isinstance(given, str | int) or isinstance(given, bool) or given == "*":
        raise Invalid(f"{name} is {given!r}. Use one id: logs are not searched across users.")
    text = str(given).strip()
    if not text or any(map(str.isspace, text)):
        raise Invalid(f"{name} is {given!r}. Use an id without spaces.")
    return text


def read_messages(messages: object, *, said: datetime, session: str = "", source: str = "") -> tuple[Observation, ...]:
    """The messages as observations, without system messages and messages without text."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    elif isinstance(messages, Mapping):
        messages = [messages]
    if not isinstance(messages, Sequence):
        raise Invalid(f"messages is {type(messages).__name__}. Use text, a message or a list of messages.")
    said_something = [
        {name: value for name, value in message.items() if value is not None}
        if isinstance(message, Mapping)
        else message
        for message in messages
        if not isinstance(message, Mapping) or message.get("content") is not None
    ]
    try:
        chat = read_chat(json.dumps(said_something), said=said, session=session, source=source)
    except (Refused, TypeError, ValueError) as error:
        raise Invalid(str(error)) from None
    if chat.left_out:
        _log.warning("add: %d parts of messages are not text, and are not kept", chat.left_out)
    return tuple(turn for turn in chat.observations if turn.role != "system")


def read_text(name: str, given: object) -> str:
    if not isinstance(given, str) or not given.strip():
        raise Invalid(f"{name} is {given!r}. Use text that is not empty.")
    return given


def read_metadata(given: Mapping[str, Any] | None, verb: str) -> dict[str, Any]:
    """The metadata as JSON. It cannot set the owner of a memory."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise Invalid(f"{verb}: metadata is {given!r}. Use a dict.")
    try:
        plain = json.loads(json.dumps({**given}, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"{verb}: metadata cannot be kept as JSON: {error}") from None
    if nests_deeper(plain):
        raise Invalid(f"{verb}: metadata nests more than {MOST_NESTING} deep. Flatten it.")
    own: dict[str, Any] = {name: value for name, value in plain.items() if name not in (*IDS, "actor_id")}
    if len(own) < len(plain):
        _log.warning("%s: metadata cannot say whose memory it is: %s", verb, ", ".join(sorted(plain.keys() - own)))
    return own


def read_day(given: object) -> str:
    """A day of expiry as YYYY-MM-DD; empty for none."""
    if given is None:
        return ""
    if isinstance(given, datetime):
        return given.date().isoformat()
    if isinstance(given, date):
        return given.isoformat()
    try:
        return date.fromisoformat(str(given)).isoformat()
    except ValueError:
        raise Invalid(f"expiration_date is {given!r}. Use a day such as 2026-12-31.") from None


def read_limit(top_k: object, limit: object) -> int | None:
    """The number of results; `limit` is the older name."""
    for name, given in (("top_k", top_k), ("limit", limit)):
        if given is None:
            continue
        if not isinstance(given, int) or isinstance(given, bool) or given < 0:
            raise Invalid(f"{name} is {given!r}. Use a whole number from 0.")
        return given
    return None


# --- the configuration ------------------------------------------------------------------------------------------------


def store_location(config: object) -> StoreLocation:
    """The location of memories: `store` or UAC_STORE, else the folder of a vector store that has one.

    Collections other than the default have users of their own. A configured server is refused: it would not be
    contacted, and shared memories would be stored separately. Models are chosen by settings.
    """
    options = _require_mapping("config", config)
    vectors = _require_mapping("vector_store", options.get("vector_store"))
    where = _require_mapping("vector_store: config", vectors.get("config"))
    collection = where.get("collection_name") or COLLECTION
    if not isinstance(collection, str) or not re.fullmatch(r"[^\s:]+", collection):
        raise Invalid(f"collection_name is {collection!r}. Use a name without spaces and colons.")
    prefix = "" if collection == COLLECTION else f"{collection}: "
    for name in sorted(options.keys() - {"store", "vector_store", "version", "history_db_path"}):
        instead = f": set {INSTEAD[name]}" if name in INSTEAD else ""
        _log.warning("config: %s is not used%s", name, instead)
    if store := options.get("store") or os.environ.get("UAC_STORE"):
        return StoreLocation(str(store), prefix, is_default=False)
    if isinstance(folder := where.get("path"), str) and folder:
        return StoreLocation(str(Path(folder).expanduser() / "memory.db"), prefix, is_default=True)
    if strange := sorted(where.keys() - LOCAL):
        raise Invalid(
            f"config: the vector store's {', '.join(strange)} would not be used, and memories would be kept in "
            f"{default_address()}: say where with 'store' (a path or postgresql://…) or UAC_STORE"
        )
    return StoreLocation(default_address(), prefix, is_default=True)


def _require_mapping(name: str, given: object) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise Invalid(f"{name} is {type(given).__name__}. Use a dict.")
    return given
