"""Conversations in the message shape of the OpenAI API, as observations.

Accepted: a list of messages, or an object with `messages`. A message has a `role` and a `content`: text, or a
list of parts. Parts that are not text (images, audio) cannot be kept as words; they are counted and reported.
A message may say when it was written (`timestamp`, `created_at`); otherwise it was said at the time that is given.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from uac.errors import Refused
from uac.schema.entries import Observation, Role

__all__ = ["Chat", "read_chat"]

ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}


@dataclass(frozen=True, slots=True)
class Chat:
    """The observations of a conversation, and how many parts of it were not words."""

    observations: tuple[Observation, ...]
    left_out: int


def read_chat(text: str, *, said: datetime, zone: str = "", session: str = "", source: str = "", key: str = "") -> Chat:
    """The messages in order, or Refused with the number of the first that does not fit.

    With `key`, message n gets the key `key/n`, so that sending the same conversation twice stores it once.
    """
    observations: list[Observation] = []
    left_out = 0
    for number, message in enumerate(_messages(text), 1):
        words, skipped = _message_text(message, number)
        left_out += skipped
        if words.strip():
            observations.append(
                Observation(
                    text=words,
                    said=_message_time(message, number) or said,
                    zone=zone,
                    role=_message_role(message, number),
                    speaker=_text_field(message, "name", number),
                    session=session,
                    source=source,
                    key=f"{key}/{number}" if key else "",
                )
            )
        elif not skipped:
            left_out += 1
    return Chat(tuple(observations), left_out)


def _messages(text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"chat: not JSON ({error}), needs a list of messages") from None
    if isinstance(found, dict):
        found = found.get("messages")
    if not isinstance(found, list):
        raise Refused('chat: needs a list of messages, or an object with "messages"')
    return found


def _message_role(message: dict[str, Any], number: int) -> Role:
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise Refused(f"chat: message {number} has role {role!r}, needs one of {', '.join(ROLES)}")
    return ROLES[role]


def _message_time(message: dict[str, Any], number: int) -> datetime | None:
    """When the message says it was written: ISO 8601 with a zone, or seconds since 1970."""
    for name in ("timestamp", "created_at", "create_time", "created"):
        value = message.get(name)
        if value is None:
            continue
        try:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return datetime.fromtimestamp(value, UTC)
            moment = datetime.fromisoformat(value)
        except (TypeError, ValueError, OverflowError, OSError):
            raise Refused(f"chat: {name} of message {number} is {value!r}, needs a time with its zone") from None
        if moment.tzinfo is None:
            raise Refused(f"chat: {name} of message {number} is {value!r}, needs a zone such as +02:00 or Z")
        return moment
    return None


def _text_field(message: dict[str, Any], field: str, number: int) -> str:
    value = message.get(field, "")
    if not isinstance(value, str):
        raise Refused(f"chat: {field} of message {number} is {value!r}, needs text")
    return value


def _message_text(message: object, number: int) -> tuple[str, int]:
    """The words of one message, and how many of its parts are something else."""
    if not isinstance(message, dict):
        raise Refused(f"chat: message {number} is {message!r}, needs an object with role and content")
    content = message.get("content")
    calls = message.get("tool_calls")
    if content is None and calls:
        return json.dumps(calls, ensure_ascii=False), 0
    if content is None or isinstance(content, str):
        return content or "", 0
    if not isinstance(content, list):
        raise Refused(f"chat: content of message {number} is {content!r}, needs text or a list of parts")
    texts: list[str] = []
    for part in content:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "\n".join(texts), len(content) - len(texts)
