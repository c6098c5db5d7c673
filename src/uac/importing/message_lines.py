"""Plain messages with a role and content, one per line or in a list."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from uac.importing.files import BadLine, ByteSource, Progress, Skipped
from uac.importing.json_places import PlacedItem, exported_list, exported_name, exported_text, read_placed_items
from uac.importing.message_files import (
    MessageItem,
    MessageOptions,
    ReadMessage,
    digest_key,
    time_from_iso,
    time_from_seconds,
)
from uac.schema.entries import Observation, Role

__all__ = ["read_plain_messages"]

ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "person": "person",
    "assistant": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
    "document": "document",
}
TIMES = ("timestamp", "created_at", "create_time", "created", "date", "said")
SESSIONS = ("session", "session_id", "conversation_id", "thread_id")
_OPENED = frozenset(("", "messages"))


def read_plain_messages(path: ByteSource, options: MessageOptions, progress: Progress) -> Iterator[MessageItem]:
    for item in read_placed_items(path, progress, _OPENED.__contains__):
        if not isinstance(item, PlacedItem):
            yield item
        elif item.number:
            try:
                yield from _read_message(item, path.name, options)
            except ValueError as error:
                yield BadLine(item.number, str(error))


def _read_message(item: PlacedItem, file: str, options: MessageOptions) -> Iterator[MessageItem]:
    message = item.value
    if not isinstance(message, dict):
        raise ValueError("is not an object. Use one with role and content.")  # noqa: TRY004 - a value of the file, not an argument
    role = exported_text(message, "role", "role_type")
    if role not in ROLES:
        raise ValueError(f"has the role {role!r}. Use one of {', '.join(ROLES)}.")
    text, other = _content_text(message)
    yield from [Skipped(item.number, "non-text part")] * other
    if not text.strip():
        if not other:
            yield Skipped(item.number, "wordless message")
        return
    session = exported_name(message, *SESSIONS)
    said = _time_of(message, options)
    name = exported_name(message, "id", "message_id", "uuid")
    # A message without an id is known by the name of the file, its number and its words.
    parts = ("id", session, name) if name else (file, str(item.number), session, text)
    observation = Observation(
        text=text,
        said=said,
        role=ROLES[role],
        speaker=exported_text(message, "name", "speaker"),
        session=session or file,
        source="import:messages",
        key=digest_key("messages", *parts),
    )
    yield ReadMessage(item.number, observation)


def _content_text(message: dict[str, Any]) -> tuple[str, int]:
    content = message.get("content", message.get("text"))
    if isinstance(content, str):
        return content, 0
    parts = exported_list({"content": content}, "content")
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    words = [text for text in texts if isinstance(text, str)]
    return "\n".join(words), len(parts) - len(words)


def _time_of(message: dict[str, Any], options: MessageOptions) -> datetime:
    for name in TIMES:
        value = message.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            said = time_from_seconds(value)
        elif isinstance(value, str):
            said = time_from_iso(value, options.zone) if options.zone else _time_with_zone(value)
        else:
            continue
        if said:
            return said
    if options.written is None:
        raise ValueError("has no time. Add a timestamp, or use --written.")
    return options.written


def _time_with_zone(text: str) -> datetime | None:
    said = time_from_iso(text)
    if said and datetime.fromisoformat(text).tzinfo is None:
        raise ValueError(f"has the time {text!r} without a zone. Add one such as +02:00, or use --zone.")
    return said
