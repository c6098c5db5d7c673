"""Conversations in the message format of the OpenAI API, as observations.

Accepted: a list of messages, or an object with `messages`. A message has a `role` and a `content`: text, or a list of
parts. Parts that are not text (images, audio) cannot be stored; they are counted and reported. A message may have its
own time (`timestamp`, `created_at`); otherwise the caller's time applies.
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
    """The observations of a conversation, and how many parts were not text."""

    observations: tuple[Observation, ...]
    left_out: int


def read_chat(text: str, *, said: datetime, zone: str = "", session: str = "", source: str = "", key: str = "") -> Chat:
    """The messages in order, or Refused with the number of the first invalid one.

    With `key`, message n gets the key `key/n`, so that sending the same conversation twice stores it once.
    """
    observations: list[Observation] = []
    left_out = 0
    for number, message in enumerate(_openai_messages(text), 1):
        words, skipped = _openai_message_text(message, number)
        left_out += skipped
        if words.strip():
            observations.append(
                Observation(
                    text=words,
                    said=_openai_message_time(message, number) or said,
                    zone=zone,
                    role=_openai_message_role(message, number),
                    speaker=_openai_text_field(message, "name", number),
                    session=session,
                    source=source,
                    key=f"{key}/{number}" if key else "",
                )
            )
        elif not skipped:
            left_out += 1
    return Chat(tuple(observations), left_out)


def _openai_messages(text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"chat: this is not JSON ({error}). Use a list of messages.") from None
    if isinstance(found, dict):
        found = found.get("messages")
    if not isinstance(found, list):
        raise Refused('chat: this is not a list of messages. Use one, or an object with "messages".')
    return found


def _openai_message_role(message: dict[str, Any], number: int) -> Role:
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise Refused(f"chat: message {number} has role {role!r}. Use one of {', '.join(ROLES)}.")
    return ROLES[role]


def _openai_message_time(message: dict[str, Any], number: int) -> datetime | None:
    """The message's own time: ISO 8601 with a zone, or seconds since 1970."""
    for name in ("timestamp", "created_at", "create_time", "created"):
        value = message.get(name)
        if value is None:
            continue
        try:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return datetime.fromtimestamp(value, UTC)
            moment = datetime.fromisoformat(value)
        except (TypeError, ValueError, OverflowError, OSError):
            raise Refused(f"chat: {name} of message {number} is {value!r}. Use a time with its zone.") from None
        if moment.tzinfo is None:
            raise Refused(f"chat: {name} of message {number} is {value!r}. Add a zone such as +02:00 or Z.")
        return moment
    return None


def _openai_text_field(message: dict[str, Any], field: str, number: int) -> str:
    value = message.get(field, "")
    if not isinstance(value, str):
        raise Refused(f"chat: {field} of message {number} is {value!r}. Use text.")
    return value


def _openai_message_text(message: object, number: int) -> tuple[str, int]:
    """The text of one message, and how many of its parts are not text."""
    if not isinstance(message, dict):
        raise Refused(f"chat: message {number} is {message!r}. Use an object with role and content.")
    content = message.get("content")
    calls = message.get("tool_calls")
    if content is None and calls:
        return json.dumps(calls, ensure_ascii=False), 0
    if content is None or isinstance(content, str):
        return content or "", 0
    if not isinstance(content, list):
        raise Refused(f"chat: content of message {number} is {content!r}. Use text or a list of parts.")
    texts: list[str] = []
    for part in content:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "\n".join(texts), len(content) - len(texts)
